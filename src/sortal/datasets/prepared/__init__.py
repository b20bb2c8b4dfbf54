"""Data sets: preparation, checks, weights, and the steps from raw data."""
