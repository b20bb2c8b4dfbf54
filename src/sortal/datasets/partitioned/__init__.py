"""Tables in parts: partitions, their summaries and samples, and folders of labels."""
