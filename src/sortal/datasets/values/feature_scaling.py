"""Reversible scaling, and checks of constant and huge columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sortal.datasets.values.drafts import DatasetDraft
from sortal.datasets.values.names_and_ids import quoted
from sortal.datasets.values.reading_options import RepairableError, Scale
from sortal.runtime.validation import InputError, beyond_squares, largest_value, smallest_value

if TYPE_CHECKING:
    from sortal.typing import Bools, Floats, Rows

#: derived: difference of two categories in each of their columns: squared distances then have the
#: weight 1/2 that Huang (1998) gives to categories beside numbers of standard deviation 1
CATEGORY_WEIGHT = 0.5


#: first words of the notes on scaling
SCALING_NOTES = ("Scaled to ", "Columns of 0 and 1 that ", "Columns of two values ")


def extremes(X: Rows) -> tuple[Floats, Floats]:
    """Smallest and largest value of each column."""
    low, high = X.min(axis=0), X.max(axis=0)
    if not isinstance(X, np.ndarray):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return low.astype(np.float64), high.astype(np.float64)


def check_range(draft: DatasetDraft, scaling: Scale) -> None:
    """Note constant columns; raise for values whose squares overflow."""
    low, high = extremes(draft.X)
    largest = np.maximum(np.abs(low), np.abs(high))
    limit = largest_value(draft.X.dtype) if scaling == "none" else 1e300
    if (largest > limit).any():
        j = int(np.argmax(largest))
        wide = np.flatnonzero(largest > limit)
        others = f" (and {len(wide) - 1} more columns)" if len(wide) > 1 else ""
        scalable = largest[j] <= 1e300
        description = f"column {draft.names[j]!r} has values up to {largest[j]:.3g}{others}"
        sources = tuple(draft.columns[i] for i in draft.origin[wide])
        raise RepairableError(
            beyond_squares(description, draft.X.dtype, scalable=scalable),
            **({"scale": "standard"} if scalable else {"drop": sources}),
        )
    small = smallest_value(draft.X.dtype)
    if scaling == "none" and 0 < largest.max() < small:
        j = int(np.argmax(largest))
        description = f"the largest value is {largest[j]:.3g} (column {draft.names[j]!r})"
        raise RepairableError(
            beyond_squares(description, draft.X.dtype, small=True), scale="standard"
        )
    constant = low == high
    if constant.all():
        draft.notes.append(
            "All objects are equal: no feature distinguishes clusters, every clustering is a guess."
        )
    elif constant.any():
        names = [draft.names[j] for j in np.flatnonzero(constant)]
        draft.notes.append(
            f"Columns with the same value in every object distinguish nothing: {quoted(names)}."
        )


def two_valued(draft: DatasetDraft) -> Bools:
    """Mask of the numeric columns of two values that stand beside other columns."""
    if draft.sparse:
        return np.zeros(draft.X.shape[1], dtype=bool)
    low, high = extremes(draft.X)
    is_flag = ((low == draft.X) | (high == draft.X)).all(axis=0) & (low < high)
    is_flag &= ~draft.categorical
    return np.zeros_like(is_flag) if is_flag[low < high].all() else is_flag


def rescale(
    draft: DatasetDraft, scaling: Scale, flags: Bools | None = None
) -> tuple[Floats | None, Floats | None]:
    """Scale ``draft.X`` but ``flags``; return the center and spread that undo it."""
    if scaling == "none":
        return None, None
    if draft.sparse:
        return _rescale_sparse(draft, scaling)
    center, spread = center_spread(draft.X, scaling)
    unscaled = draft.categorical if flags is None else draft.categorical | flags
    center[unscaled], spread[unscaled] = 0.0, 1.0
    is_constant = spread == 0
    if scaling == "robust":
        low, high = extremes(draft.X)
        nearly_constant = is_constant & (low != high)
        if nearly_constant.any():
            names = [draft.names[j] for j in np.flatnonzero(nearly_constant)]
            draft.notes.append(
                "Centred but not scaled, because half of the values are (nearly) the same: "
                f"{quoted(names)}."
            )
    spread[is_constant] = 1.0
    draft.ensure_owned()
    _apply(draft.X, center, spread)
    draft.notes.append(
        {
            "standard": "Scaled to mean 0 and standard deviation 1.",
            "robust": "Scaled to median 0 and interquartile range 1.",
            "minmax": "Scaled to the range from 0 to 1.",
        }[scaling]
    )
    return center, spread


def weigh_categories(
    draft: DatasetDraft, flags: Bools, center: Floats | None, scale: Floats | None
) -> tuple[Floats | None, Floats | None]:
    """Give categories and columns of two values the same weight; return center and scale."""
    coded = draft.categorical | flags
    beside_numbers = scale is not None and not coded.all()
    beside_categories = bool(draft.categorical.any() and flags.any())
    if not coded.any() or not (beside_numbers or beside_categories):
        return center, scale
    if center is None or scale is None:
        center, scale = np.zeros(len(coded)), np.ones(len(coded))
    weight = CATEGORY_WEIGHT if beside_numbers else 1.0
    low, high = extremes(draft.X)
    scale[draft.categorical] = 1 / weight
    # a category of two values differs in two columns
    center[flags], scale[flags] = low[flags], (high - low)[flags] / (weight * np.sqrt(2))
    draft.ensure_owned()
    draft.X[:, coded] = (draft.X[:, coded] - center[coded]) / scale[coded]
    if draft.categorical.any() and beside_numbers:
        draft.notes.append(
            f"Columns of 0 and 1 that stand for categories are 0 and {CATEGORY_WEIGHT:g}, because "
            "numbers stand beside them."
        )
    if flags.any():
        names = [draft.names[j] for j in np.flatnonzero(flags)]
        draft.notes.append(f"Columns of two values count like categories: {quoted(names)}.")
    return center, scale


def _apply(X: NDArray[Any], center: Floats, spread: Floats) -> None:
    """Compute ``(X - center) / spread`` in place, by strips of rows, in double precision."""
    strip = max(1, (1 << 20) // max(1, X.shape[1]))
    for start in range(0, len(X), strip):
        rows = slice(start, start + strip)
        X[rows] = (X[rows] - center) / spread


def center_spread(X: NDArray[Any], scaling: str) -> tuple[Floats, Floats]:
    """Center and spread of each column; the spread of a constant column is exactly 0."""
    d = X.shape[1]
    center, spread = np.empty(d), np.empty(d)
    width = max(1, (1 << 22) // len(X))
    for start in range(0, d, width):
        block = slice(start, start + width)
        columns = np.array(X[:, block].T, dtype=np.float64, order="C", copy=True)
        center[block], spread[block] = _center_spread_of_rows(columns, scaling)
    return center, spread


def _center_spread_of_rows(rows: Floats, scaling: str) -> tuple[Floats, Floats]:
    """Center and spread of each row, without overflow; changes ``rows``."""
    low, high = rows.min(axis=1), rows.max(axis=1)
    # division by a power of two is exact and keeps squares from overflow and underflow
    power = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    np.ldexp(rows, -power[:, None], out=rows)
    if scaling == "standard":
        center, spread = rows.mean(axis=1), rows.std(axis=1)
    elif scaling == "robust":
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


def _rescale_sparse(draft: DatasetDraft, scaling: Scale) -> tuple[Floats, Floats]:
    """Divide sparse columns by their standard deviation, without centring."""
    if scaling != "standard":
        raise InputError(
            f"scale={scaling!r} would shift zeros and fill the sparse data; use scale='standard' "
            "(--scale standard: divided by the standard deviation, not centred) or 'none'"
        )
    X = draft.X
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
    draft.X = scaled
    draft.notes.append(
        "Scaled to standard deviation 1, and not centred: that would fill the sparse data."
    )
    return np.zeros(d), spread
