"""Packages that few need, and the extra of karat that installs each."""

from __future__ import annotations

from importlib.util import find_spec

from karat.runtime.validation import InputError

__all__ = ["EXTRAS", "require"]

EXTRAS = {
    "anndata": "anndata",
    "distributed": "dask",
    "duckdb": "sql",
    "fsspec": "cloud",
    "plotly": "plot",
    "rapidfuzz": "sequences",
    "tslearn": "sequences",
    "xlsxwriter": "excel",
}


def require(package: str, purpose: str, alternative: str = "") -> None:
    """Raise unless a package of ``EXTRAS`` is installed, and name the extra that has it.

    ``purpose`` begins the sentence; ``alternative``, a way to do without the package, ends it.
    """
    if find_spec(package) is None:
        raise InputError(
            f'{purpose} needs {package}: pip install "karat[{EXTRAS[package]}]"'
            f"{', or ' + alternative if alternative else ''}"
        )
