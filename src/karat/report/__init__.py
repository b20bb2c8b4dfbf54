"""The report: one HTML page that needs nothing but itself."""

from karat.report._document import render, write

__all__ = ["render", "write"]
