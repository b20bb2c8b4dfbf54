"""Constant and huge columns, and scaling that can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets._work import Scale, Work, quoted
from karat.validation import InputError, largest_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: share of the variance of all features that is worth a note
DOMINANT = 0.95


def extremes(X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = X.min(axis=0), X.max(axis=0)
    if not isinstance(X, np.ndarray):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return low.astype(np.float64), high.astype(np.float64)


def check_range(work: Work, how: Scale) -> None:
    """Note constant columns; reject values whose squares overflow."""
    low, high = extremes(work.X)
    largest = np.maximum(np.abs(low), np.abs(high))
    limit = largest_value(work.X.dtype) if how == "none" else 1e300
    if (largest > limit).any():
        j = int(np.argmax(largest))
        raise InputError(
            f"column {work.names[j]!r} has values up to {largest[j]:.3g}, and distances square "
            f"them: more than {work.X.dtype} can hold. Choose a larger unit"
            + (", or scale='standard' (--scale standard)" if largest[j] <= 1e300 else "")
        )
    constant = low == high
    if constant.all():
        work.notes.append(
            "All objects are equal: nothing tells clusters apart, every clustering is a guess."
        )
    elif constant.any():
        names = [
            name for name, is_constant in zip(work.names, constant, strict=True) if is_constant
        ]
        many = len(names) > 1
        work.notes.append(
            f"{'These columns have' if many else 'This column has'} the same value in every object "
            f"and {'tell' if many else 'tells'} nothing apart: {quoted(names)}."
        )


def rescale(
    work: Work, how: Scale
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Scale ``work.X``; return what undoes it."""
    if how == "none":
        if not work.sparse:
            _note_dominant(work)
        return None, None
    if work.sparse:
        return _rescale_sparse(work, how)
    center, spread = center_spread(work.X, how)
    center[work.categorical], spread[work.categorical] = 0.0, 1.0
    flat = spread == 0
    if how == "robust":
        low, high = extremes(work.X)
        odd = flat & (low != high)
        if odd.any():
            names = [name for name, is_odd in zip(work.names, odd, strict=True) if is_odd]
            work.notes.append(
                "Centred but not scaled, because half of the values are (nearly) the same: "
                f"{quoted(names)}."
            )
    spread[flat] = 1.0
    if not work.owned:
        work.X, work.owned = work.X.copy(), True
    _apply(work.X, center, spread)
    work.notes.append(
        {
            "standard": "Scaled to mean 0 and standard deviation 1.",
            "robust": "Scaled to median 0 and interquartile range 1.",
            "minmax": "Scaled to the range from 0 to 1.",
        }[how]
    )
    return center, spread


def _note_dominant(work: Work) -> None:
    """Note a feature in so large a unit that distances hardly depend on the others."""
    spread = center_spread(work.X, "standard")[1]
    if (spread > 0).sum() < 2:
        return
    share = (spread / spread.max()) ** 2
    share /= share.sum()
    if share.max() > DOMINANT:
        work.notes.append(
            f"{quoted([work.names[int(np.argmax(share))]])} makes up more than "
            f"{100 * DOMINANT:.0f} % of the variance, so distances hardly depend on the other "
            "features; scale='standard' (--scale standard) gives each the same weight."
        )


def _apply(X: NDArray[Any], center: NDArray[np.float64], spread: NDArray[np.float64]) -> None:
    """``(X - center) / spread`` in place, by strips of rows, in double precision."""
    strip = max(1, (1 << 20) // max(1, X.shape[1]))
    for start in range(0, len(X), strip):
        rows = slice(start, start + strip)
        X[rows] = (X[rows] - center) / spread


def center_spread(X: NDArray[Any], how: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Per column, in double precision; the spread of a constant column is exactly 0."""
    d = X.shape[1]
    center, spread = np.empty(d), np.empty(d)
    width = max(1, (1 << 22) // len(X))
    for start in range(0, d, width):
        some = slice(start, start + width)
        columns = np.array(X[:, some].T, dtype=np.float64, order="C", copy=True)
        center[some], spread[some] = _of_rows(columns, how)
    return center, spread


def _of_rows(
    rows: NDArray[np.float64], how: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = rows.min(axis=1), rows.max(axis=1)
    # by a power of two, which is exact, so that squares neither overflow nor vanish
    power = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    np.ldexp(rows, -power[:, None], out=rows)
    if how == "standard":
        center, spread = rows.mean(axis=1), rows.std(axis=1)
    elif how == "robust":
        first, center, third = np.percentile(rows, [25, 50, 75], axis=1)
        spread = third - first
        reach = np.ldexp(high, -power) - np.ldexp(low, -power)
        spread[spread <= np.finfo(np.float64).eps * reach] = 0.0
    else:
        center = np.ldexp(low, -power)
        spread = np.ldexp(high, -power) - center
    constant = low == high
    center, spread = np.ldexp(center, power), np.ldexp(spread, power)
    return np.where(constant, low, center), np.where(constant, 0.0, spread)


def _rescale_sparse(work: Work, how: Scale) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if how != "standard":
        raise InputError(
            f"scale={how!r} would shift zeros and fill the sparse data; use scale='standard' "
            "(--scale standard: divided by the standard deviation, not centred) or 'none'"
        )
    X = work.X
    n, d = X.shape
    values = X.data.astype(np.float64)
    count = np.bincount(X.indices, minlength=d)
    mean = np.bincount(X.indices, weights=values, minlength=d) / n
    squares = np.bincount(X.indices, weights=(values - mean[X.indices]) ** 2, minlength=d)
    spread = np.sqrt((squares + (n - count) * mean**2) / n)
    low, high = extremes(X)
    spread[(low == high) | (spread == 0)] = 1.0
    scaled = X.copy()
    scaled.data = (values / spread[X.indices]).astype(X.dtype)
    work.X = scaled
    work.notes.append(
        "Scaled to standard deviation 1, and not centred: that would fill the sparse data."
    )
    return np.zeros(d), spread
