"""Data sets: readers for files and tables, and a few packaged sets."""

from karat.datasets._dataset import Dataset

__all__ = ["Dataset"]
