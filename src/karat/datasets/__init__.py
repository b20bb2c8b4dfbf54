"""Data sets: what was read, and what was done to it."""

from karat.datasets.dataset import Dataset, from_array

__all__ = ["Dataset", "from_array"]
