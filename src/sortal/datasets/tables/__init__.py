"""What tables are: odd rows, several rows per object, and the plan for reading them."""
