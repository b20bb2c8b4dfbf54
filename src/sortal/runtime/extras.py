"""Packages that few need: what is missing is said, with the command that installs it."""

from __future__ import annotations

from importlib.util import find_spec

from sortal.runtime.validation import InputError

__all__ = ["require"]


def require(package: str, purpose: str, alternative: str = "") -> None:
    """Raise unless a package is installed, and name it as ``pip install`` takes it.

    ``purpose`` begins the sentence; ``alternative``, a way to do without the package, ends it.
    """
    if find_spec(package.replace("-", "_")) is None:
        raise InputError(
            f"{purpose} needs {package}: pip install {package}"
            f"{', or ' + alternative if alternative else ''}"
        )
