"""The door of every public function: what was given, what is wanted, the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

Data: TypeAlias = "NDArray[np.floating[Any]] | csr_array"


class InputError(ValueError):
    """The input cannot be used; the message names the value, the rule and the way out."""


class UndefinedMeasureError(InputError):
    """A measure has no value for this clustering; the message says why."""


class StorageError(InputError):
    """A study file cannot be used; the message says why and what to do."""


class NothingToRankError(InputError):
    """There is no clustering to choose from; the message says why."""


def unknown_name(given: object, known: Iterable[str], what: str) -> InputError:
    """The error for a name that is not among ``known``, with the nearest ones.

    Parameters
    ----------
    given : object
        What the caller wrote.
    known : iterable of str
        The names that exist.
    what : str
        The kind of thing, e.g. ``"measure"``.

    Returns
    -------
    InputError
        To be raised by the caller.
    """
    names = sorted(known)
    near = difflib.get_close_matches(str(given), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
    listing = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
    return InputError(f"no {what} is called {given!r}; {hint or 'there are: ' + listing}")


def check_choice(value: object, choices: Iterable[str], name: str) -> None:
    """Raise :class:`InputError` unless ``value`` is one of ``choices``."""
    options = tuple(choices)
    if value not in options:
        raise InputError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}")


def check_data(X: Any, *, name: str = "X") -> Data:
    """Turn ``X`` into a C-contiguous float array or a CSR array, or say why it cannot be.

    Parameters
    ----------
    X : array-like, pandas or polars DataFrame, or SciPy sparse, shape (n, d)
        Objects in rows. float32 and float64 are kept, other numbers become float64.
    name : str
        What the caller calls it, for messages.

    Returns
    -------
    ndarray or csr_array, shape (n, d)
        Never a copy of what already has the right form; never written to.

    Raises
    ------
    InputError
        If it is not two-dimensional, empty, not numeric, or has NaN or infinite values.
    """
    from scipy import sparse

    if sparse.issparse(X):
        # astype converts integers; index arrays of any width are kept
        matrix = sparse.csr_array(X)
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        _check_shape(matrix.shape, name)
        _check_finite(matrix.data, name, lambda i: _sparse_position(matrix, i))
        return matrix
    array = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{name} has values that are not numbers ({error}); encode text columns first, "
                "e.g. karat.datasets.from_table(table) one-hot encodes them"
            ) from None
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name} must hold real numbers; its dtype is {array.dtype}")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if array.ndim == 1:
        raise InputError(
            f"{name} must be two-dimensional (objects × features); its shape is {array.shape}. "
            f"For one feature use {name}.reshape(-1, 1)"
        )
    _check_shape(array.shape, name)
    array = np.ascontiguousarray(array)
    _check_finite(array.ravel(), name, lambda i: np.unravel_index(i, array.shape))
    return array


def _sparse_position(matrix: Any, i: int) -> tuple[int, int]:
    row = int(np.searchsorted(matrix.indptr, i, side="right")) - 1
    return row, int(matrix.indices[i])


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise InputError(
            f"{name} must be two-dimensional (objects × features); its shape is {shape}"
        )
    if shape[0] == 0:
        raise InputError(f"{name} has no rows; at least one object is needed")
    if shape[1] == 0:
        raise InputError(f"{name} has no columns; at least one feature is needed")


def _check_finite(values: NDArray[Any], name: str, position: Any) -> None:
    # the sum is NaN or infinite whenever a value is: one cheap pass for the usual case
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad) == 0:
        return
    places = ", ".join(
        f"row {int(r)} column {int(c)} ({values[i]})" for i in bad[:3] for r, c in [position(i)]
    )
    raise InputError(
        f"{name} has {len(bad)} missing or infinite value{'s' if len(bad) > 1 else ''}: {places}"
        f"{', ...' if len(bad) > 3 else ''}; impute or drop them first "
        "(karat run --impute median, or karat.datasets.from_table(..., impute='median'))"
    )


def check_random_state(random_state: Any) -> np.random.Generator:
    """The generator for ``random_state``: None, an int, a Generator or a RandomState."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, 4, dtype=np.uint32))
    if isinstance(random_state, (int, np.integer)) and random_state < 0:
        raise InputError(f"random_state must be a non-negative integer; got {random_state}")
    return np.random.default_rng(random_state)
