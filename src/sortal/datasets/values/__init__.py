"""What columns hold: their kinds, numbers, units, missing values, and dependence."""
