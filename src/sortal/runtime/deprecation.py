"""Public names that are to go: they work for two releases, and warn."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def deprecated(
    since: str, instead: str
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Mark a public function as deprecated: each call is a FutureWarning that names the successor.

    Parameters
    ----------
    since : str
        The version from which on it warns.
    instead : str
        What to use, as users write it.

    Examples
    --------
    >>> @deprecated("0.2", "sortal.rand_index")
    ... def rand(a, b):
    ...     return 1.0
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = rand([0], [0])
    >>> print(caught[0].message)
    rand is deprecated since version 0.2; use sortal.rand_index
    """

    def mark(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        """The function, with a warning before each call."""

        @functools.wraps(function)
        def warn(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
            """Warn, then call."""
            warnings.warn(
                f"{function.__name__} is deprecated since version {since}; use {instead}",
                FutureWarning,
                stacklevel=2,
            )
            return function(*arguments, **options)

        return warn

    return mark
