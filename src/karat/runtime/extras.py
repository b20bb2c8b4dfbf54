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
    """Reject what needs a package that is not installed, and name the extra that has it.

    Parameters
    ----------
    package : str
        A key of ``EXTRAS``.
    what : str
        What was asked for, as the beginning of a sentence.
    otherwise : str, optional
        What can be done without it, as the end of that sentence.

    Raises
    ------
    InputError
        If the package is not installed.
    """
    if find_spec(package) is None:
        raise InputError(
            f'{what} needs {package}: pip install "karat[{EXTRAS[package]}]"'
            f"{', or ' + otherwise if otherwise else ''}"
        )
