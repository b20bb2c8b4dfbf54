"""The report: one HTML page that needs nothing but itself."""

from karat.report._write import check_target, render, write

__all__ = ["check_target", "render", "write"]
