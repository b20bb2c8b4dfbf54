"""Input validation of every public function, with errors that say how to fix the input."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray
    from scipy.sparse import csr_array, sparray, spmatrix
    from sklearn.base import BaseEstimator

    from sortal.typing import ArrayLike, Floats, RandomState, Rows

_NUMERIC = {"floating", "integer", "mixed-integer-float", "boolean", "decimal"}


class InputError(ValueError):
    """The input cannot be used; the message names the value, the rule and how to fix it."""


class UndefinedMeasureError(InputError):
    """A measure has no value for this clustering; the message says why."""


class StorageError(InputError):
    """A study file cannot be used; the message says why and what to do."""


class NothingToRankError(InputError):
    """There is no clustering to choose from; the message says why."""


def unknown_name(name: object, choices: Iterable[str], kind: str) -> InputError:
    """The error for a name that is not among ``choices``, with the nearest ones.

    ``kind`` is the kind of thing, such as ``"measure"``.
    """
    names = sorted(choices)
    near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
    listing = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
    return InputError(f"no {kind} is called {name!r}; {hint or 'there are: ' + listing}")


def check_choice(value: object, choices: Iterable[str], name: str) -> None:
    """Raise :class:`InputError` unless ``value`` is one of ``choices``."""
    options = tuple(choices)
    if value not in options:
        raise InputError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}")


def check_data(X: ArrayLike, *, name: str = "X") -> Rows:
    """Turn ``X`` into a C-contiguous float array or a CSR array, or say why it cannot be.

    Parameters
    ----------
    X : array-like, pandas, polars or Arrow table, or SciPy sparse, shape (n, d)
        Objects in rows. Arrays of torch, CuPy and other libraries become NumPy's; float32 and
        float64 are kept, other numbers become float64.
    name : str
        What the caller calls it, for messages.

    Returns
    -------
    ndarray or csr_array, shape (n, d)
        Never a copy of what already has the right form; never written to.
    """
    matrix = as_numbers(X, name=name)
    if isinstance(matrix, np.ndarray):
        _check_values(matrix.ravel(), name, lambda i: np.unravel_index(i, matrix.shape))
    else:
        _check_values(matrix.data, name, lambda i: _sparse_position(matrix, i))
    return matrix


def largest_value(dtype: np.dtype[np.floating[Any]]) -> float:
    """The largest magnitude whose squares can be added up a million times."""
    return float(np.finfo(dtype).max ** 0.5 / 1e3)


def smallest_value(dtype: np.dtype[np.floating[Any]]) -> float:
    """The smallest magnitude whose squares keep their digits."""
    return float(np.finfo(dtype).tiny ** 0.5 * 1e3)


def beyond_squares(
    finding: str, dtype: np.dtype[np.floating[Any]], *, small: bool = False, scalable: bool = True
) -> str:
    """The message about values whose squares overflow or, if ``small``, vanish."""
    size, unit = ("less", "smaller") if small else ("more", "larger")
    scale = ", or scale the features (scale='standard', --scale standard)" if scalable else ""
    return (
        f"{finding}, and distances square them: {size} than {dtype} can hold. Choose a {unit} unit"
        f"{scale}"
    )


def as_numbers(X: ArrayLike, *, name: str = "X") -> Rows:
    """:func:`check_data` without its last step: missing values come out as NaN."""
    from scipy import sparse

    if sparse.issparse(X):
        return _csr(X, name)
    array = _dense(X, name)
    if array.ndim == 1:
        raise InputError(
            f"{name} must be two-dimensional (objects × features); its shape is {array.shape}. "
            f"For one feature use {name}.reshape(-1, 1)"
        )
    _check_shape(array.shape, name)
    if array.dtype.kind in "OUS":
        # from the source again: NumPy makes text of [1, "a"]
        array = _unboxed(np.asarray(X if isinstance(X, (list, tuple)) else array, object), name)
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name} must contain real numbers; its dtype is {array.dtype}")
    if array.dtype not in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def _csr(X: spmatrix | sparray, name: str) -> csr_array:
    """A canonical CSR array of a sparse matrix, float32 or float64."""
    from scipy import sparse

    if X.dtype.kind not in "fiub":
        raise InputError(f"{name} must contain real numbers; its dtype is {X.dtype}")
    _check_shape(X.shape, name)
    _check_structure(X, name)
    matrix = sparse.csr_array(X)
    if matrix.indices.dtype != np.int32 and max(len(matrix.data), *matrix.shape) < 2**31:
        # half the memory, and scikit-learn takes no other
        narrow = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
        matrix = sparse.csr_array((matrix.data, *narrow), shape=matrix.shape)
    if matrix.dtype not in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            matrix = matrix.astype(np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _check_structure(X: spmatrix | sparray, name: str) -> None:
    """Raise for compressed rows or columns that native code would follow out of the arrays."""
    if X.format not in ("csr", "csc", "bsr"):
        return
    try:
        if X.indptr.dtype.kind != "i" or X.indices.dtype.kind != "i":
            raise ValueError("indptr and indices must be integers")
        if (X.indptr[1:] < X.indptr[:-1]).any():  # SciPy looks only if the last one is above 0
            raise ValueError("indptr must be a non-decreasing sequence")
        # of a copy without data, since it trims the arrays
        type(X)((X.data, X.indices, X.indptr), shape=X.shape).check_format(full_check=True)
    except ValueError as error:
        raise InputError(
            f"{name} is not a valid {X.format.upper()} matrix: {error}. Make it again from its "
            "values, e.g. scipy.sparse.coo_array((values, (rows, columns))).tocsr()"
        ) from None


def validated(estimator: BaseEstimator, X: ArrayLike, **options: object) -> Any:
    """scikit-learn's ``validate_data``, which follows the indices of sparse data unseen."""
    from scipy import sparse
    from sklearn.utils.validation import validate_data

    if sparse.issparse(X):
        _check_structure(X, "X")
    return validate_data(estimator, X, **options)


def _dense(X: ArrayLike, name: str) -> NDArray[Any]:
    """A NumPy array of whatever holds rows of numbers; missing values as NaN where they can be."""
    source: Any = on_host(X, name=name)
    if isinstance(source, np.ma.MaskedArray):
        if source.dtype.kind not in "fiub":
            raise InputError(f"{name} must contain real numbers; its dtype is {source.dtype}")
        dtype = source.dtype if source.dtype in (np.float32, np.float64) else np.float64
        return np.where(np.ma.getmaskarray(source), np.nan, source.data.astype(dtype)).astype(dtype)
    if all(hasattr(source, attribute) for attribute in ("obs", "obsm", "obs_names")):
        raise InputError(
            f"{name} is an annotated matrix (AnnData), which has several representations: give "
            f"one, {' or '.join([*(f'obsm[{key!r}]' for key in source.obsm), 'X'])}"
        )
    package = type(source).__module__.partition(".")[0]
    if package == "polars":
        if hasattr(source, "collect"):
            source = source.collect()
        return np.asarray(source.to_numpy())
    if package == "pyarrow" and hasattr(source, "to_pandas"):
        source = source.to_pandas()
        package = "pandas"
    if package == "pandas" and hasattr(source, "ndim"):
        kinds = list(source.dtypes) if source.ndim == 2 else [source.dtype]
        nullable = not all(isinstance(dtype, np.dtype) for dtype in kinds)
        if nullable and all(getattr(dtype, "kind", "O") in "fiub" for dtype in kinds):
            return np.asarray(source.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(source.to_numpy())
    try:
        return np.asarray(source)
    except ValueError:
        widths = [len(row) if hasattr(row, "__len__") else 1 for row in source]
        odd = next((i for i, width in enumerate(widths) if width != widths[0]), None)
        if odd is None:
            raise InputError(f"{name} cannot be turned into an array of numbers") from None
        raise InputError(
            f"{name} has rows of different lengths: row 0 has {widths[0]} values, row {odd} has "
            f"{widths[odd]}"
        ) from None


def on_host(values: Any, *, name: str = "X") -> Any:
    """The array of another library (torch, CuPy, ...) as NumPy's; anything else as it is.

    Arrays of the main memory are not copied; those of a GPU are brought from it. InputError for an
    array that has no NumPy form: quantized, of a layout that is not strided, ...
    """
    package = type(values).__module__.partition(".")[0]
    if isinstance(values, (np.ndarray, np.generic)) or not (
        hasattr(values, "__array_namespace__") or package in ("torch", "cupy")
    ):
        return values
    try:
        if package == "cupy":
            return values.get()
        if package == "torch":
            values = values.detach().cpu()
            narrow = str(values.dtype) == "torch.bfloat16"
            return (values.float() if narrow else values).numpy()
        try:
            return np.asarray(values)
        except (TypeError, RuntimeError):
            return np.from_dlpack(values, device="cpu")
    except (TypeError, RuntimeError, BufferError, AttributeError, ValueError) as error:
        raise InputError(
            f"{name} is an array of {package} that cannot be turned into one of NumPy: {error}. "
            f"Give a dense array of numbers, or a SciPy sparse matrix"
        ) from None


def _unboxed(array: NDArray[Any], name: str) -> Floats:
    """Numbers from Python objects; None and pandas.NA become NaN."""
    import pandas as pd

    missing = np.asarray(pd.isna(array))
    if pd.api.types.infer_dtype(array.ravel(), skipna=True) in _NUMERIC:
        with np.errstate(over="ignore"), contextlib.suppress(OverflowError):
            return np.where(missing, np.nan, array).astype(np.float64)
    out = np.full(array.shape, np.nan)
    for row, column in np.argwhere(~missing):
        value = array[row, column]
        try:
            if isinstance(value, (str, bytes)):
                raise TypeError
            out[row, column] = value
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{name}[{row}, {column}] is {value!r}, which is not a number that a float can "
                "hold; encode text columns first, e.g. sortal.datasets.from_table(table) one-hot "
                "encodes them"
            ) from None
    return out


def _sparse_position(matrix: csr_array, i: int) -> tuple[int, int]:
    """Row and column of a stored value of a CSR array."""
    row = int(np.searchsorted(matrix.indptr, i, side="right")) - 1
    return row, int(matrix.indices[i])


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    """Raise unless the shape has two dimensions and neither is 0."""
    if len(shape) != 2:
        raise InputError(
            f"{name} must be two-dimensional (objects × features); its shape is {shape}"
        )
    if shape[0] == 0:
        raise InputError(f"{name} has no rows; at least one object is needed")
    if shape[1] == 0:
        raise InputError(f"{name} has no columns; at least one feature is needed")


def _check_values(
    values: NDArray[Any], name: str, position: Callable[[int], tuple[Any, ...]]
) -> None:
    """Raise for missing or infinite values, and for values whose squares do not fit."""
    if len(values) == 0:
        return
    # NaN if any value is
    largest = max(-float(values.min()), float(values.max()))
    if 0 < largest < smallest_value(values.dtype):
        i = int(np.argmax(np.abs(values)))
        row, column = position(i)
        finding = f"{name} has no value above {largest:.3g} ({name}[{int(row)}, {int(column)}])"
        raise InputError(beyond_squares(finding, values.dtype, small=True))
    if largest <= largest_value(values.dtype):
        return
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad) == 0:
        i = int(np.argmax(np.abs(values)))
        row, column = position(i)
        finding = f"{name} has values up to {largest:.3g} ({name}[{int(row)}, {int(column)}])"
        raise InputError(beyond_squares(finding, values.dtype))
    places = ", ".join(
        f"{name}[{int(r)}, {int(c)}] = {values[i]}" for i in bad[:3] for r, c in [position(i)]
    )
    raise InputError(
        f"{name} has {len(bad)} missing or infinite value{'s' if len(bad) > 1 else ''}: {places}"
        f"{', ...' if len(bad) > 3 else ''}; impute or drop them first "
        "(sortal run --impute median, or sortal.datasets.from_table(..., impute='median'))"
    )


def check_sample_weight(sample_weight: npt.ArrayLike, n: int | None) -> Floats:
    """Validated weights of ``n`` objects: finite, at least 0, not all 0."""
    try:
        weights = np.asarray(on_host(sample_weight, name="sample_weight"), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"sample_weight must be numbers, one for each object; got {sample_weight!r:.80}"
        ) from None
    if weights.shape != (weights.size if n is None else n,):
        raise InputError(
            f"sample_weight has shape {weights.shape}, but there are {n} objects; "
            "give one weight for each"
        )
    if not ((weights >= 0) & np.isfinite(weights)).all():
        i = int(np.argmin((weights >= 0) & np.isfinite(weights)))
        raise InputError(
            f"sample_weight[{i}] is {weights[i]:g}. A weight is the number of objects that one "
            "stands for, finite and not negative; 0 excludes the object"
        )
    if not weights.any():
        raise InputError(
            "every sample_weight is 0, so no object remains; give at least one object a positive "
            "weight, or omit sample_weight"
        )
    return weights


def check_random_state(random_state: RandomState) -> np.random.Generator:
    """The generator for ``random_state``: None, an int, a Generator or a RandomState."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, 4, dtype=np.uint32))
    if isinstance(random_state, (int, np.integer)) and random_state < 0:
        raise InputError(f"random_state must be a non-negative integer; got {random_state}")
    return np.random.default_rng(random_state)
