"""Files of clusterings, classes and constraints, and the rows of a draw."""
