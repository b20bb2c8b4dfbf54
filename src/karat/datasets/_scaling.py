"""Constant and huge columns, and scaling that can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets._work import Scale, Work, quoted
from karat.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def extremes(X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if isinstance(X, np.ndarray):
        return X.min(axis=0), X.max(axis=0)
    return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()


def notice_constants(work: Work) -> None:
    low, high = extremes(work.X)
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
                "Centred but not scaled, because at least half of the values are the same: "
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


def _apply(X: NDArray[Any], center: NDArray[np.float64], spread: NDArray[np.float64]) -> None:
    """``(X - center) / spread`` in place, by strips of rows, in double precision."""
    strip = max(1, (1 << 20) // max(1, X.shape[1]))
    for start in range(0, len(X), strip):
        rows = slice(start, start + strip)
        X[rows] = (X[rows] - center) / spread


def center_spread(X: NDArray[Any], how: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Per column; exact zero spread for a constant column, no overflow for huge values."""
    low, high = (edge.astype(np.float64) for edge in extremes(X))
    unit = np.maximum(np.abs(low), np.abs(high))
    huge = bool((unit > 1e150).any())
    unit = np.where((unit > 1e150), unit, 1.0)
    data = X / unit if huge else X
    low, high = low / unit, high / unit
    if how == "standard":
        center = data.mean(axis=0, dtype=np.float64)
        spread = data.std(axis=0, dtype=np.float64, mean=center[None, :])
    elif how == "robust":
        first, center, third = np.percentile(data, [25, 50, 75], axis=0).astype(np.float64)
        spread = third - first
    else:
        center, spread = low, high - low
    constant = low == high
    center, spread = np.where(constant, low, center), np.where(constant, 0.0, spread)
    return center * unit, spread * unit


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
