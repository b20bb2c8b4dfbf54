"""Files of each format, as raw data."""
