"""The report: one HTML page that needs nothing but itself."""

from sortal.report._page import render, write_report

__all__ = ["render", "write_report"]
