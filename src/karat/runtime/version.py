"""The version of karat."""

__version__ = "0.1.0.dev0"
