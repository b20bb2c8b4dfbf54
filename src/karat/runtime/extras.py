"""Packages that few need, and the extra of karat that installs each."""

from __future__ import annotations

from importlib.util import find_spec

from karat.runtime.validation import InputError

__all__ = ["EXTRAS", "require"]

EXTRAS = {
    "anndata": "anndata",
    "distributed": "dask",
    "duckdb": "sql",
    "rapidfuzz": "sequences",
    "tslearn": "sequences",
    "xlsxwriter": "excel",
}


def require(package: str, what: str, otherwise: str = "") -> None:
    """Raise unless a package of ``EXTRAS`` is installed, and name the extra that has it.

    ``what`` begins the sentence, and ``otherwise``, what can be done without it, ends it.
    """
    if find_spec(package) is None:
        raise InputError(
            f'{what} needs {package}: pip install "karat[{EXTRAS[package]}]"'
            f"{', or ' + otherwise if otherwise else ''}"
        )
