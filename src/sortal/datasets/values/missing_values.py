"""Missing and infinite values: an error that names them, or their imputation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sortal.datasets.values.drafts import DatasetDraft
from sortal.datasets.values.feature_scaling import center_spread
from sortal.datasets.values.limits import MAX_ROWS
from sortal.datasets.values.names_and_ids import quoted
from sortal.datasets.values.reading_options import Impute, RepairableError
from sortal.runtime.draws import draw_rows
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.typing import Bools, Floats


def fill_missing(draft: DatasetDraft, impute: Impute | None) -> None:
    """Impute or drop missing and infinite values, or raise."""
    values = draft.X.data if draft.sparse else draft.X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)) or np.isfinite(values).all():
            return
    if draft.sparse:
        _fill_sparse(draft, impute)
        return
    bad = ~np.isfinite(draft.X)
    empty = bad.all(axis=0)
    if empty.any():
        empty_columns = dict.fromkeys(draft.columns[j] for j in draft.origin[empty])
        if empty.all():
            raise InputError(f"no column has a value in it: {quoted(empty_columns)}")
        draft.notes.append(f"Excluded columns without any value: {quoted(empty_columns)}.")
        draft.keep_features(~empty)
        bad = bad[:, ~empty]
        if not bad.any():
            return
    if impute is None:
        raise _missing_error(draft, bad)
    if impute == "drop":
        _drop_rows(draft, bad.any(axis=1))
        return
    draft.ensure_owned()
    _impute(draft, bad, impute)


def _missing_error(draft: DatasetDraft, bad: Bools) -> InputError:
    """Error that lists the columns and rows of missing values."""
    places, count, rows_bad = [], 0, int(bad.any(axis=1).sum())
    for j in dict.fromkeys(draft.origin[bad.any(axis=0)]):
        feature = np.flatnonzero(draft.origin == j)[0]
        rows = np.flatnonzero(bad[:, feature])
        infinite = int(np.isinf(draft.X[rows, feature]).sum())
        count += len(rows)
        kinds = [f"{len(rows) - infinite} missing"] if len(rows) > infinite else []
        kinds += [f"{infinite} infinite"] if infinite else []
        places.append(f"{draft.columns[j]!r}: {' and '.join(kinds)} ({draft.row_numbers(rows)})")
    listed = "; ".join(places[:5]) + (
        f"; and {len(places) - 5} more columns" if len(places) > 5 else ""
    )
    return RepairableError(
        f"{count} value{'s are' if count > 1 else ' is'} missing or infinite, in {rows_bad} of "
        f"{len(bad):,} rows: {listed}. Fill them in with impute='median' (--impute median; also "
        "neighbors), or drop those rows with impute='drop' (--impute drop). Rows "
        "are counted from 1, without a header",
        impute="median",
    )


def _drop_rows(draft: DatasetDraft, bad: Bools) -> None:
    """Exclude objects with missing values; raise if none is left."""
    if bad.all():
        raise RepairableError(
            "every row has a missing or infinite value, so impute='drop' leaves none; use "
            "impute='median', or exclude columns with drop (--drop)",
            impute="median",
        )
    n = len(bad)
    draft.keep_objects(~bad)
    draft.notes.append(
        f"Excluded {int(bad.sum()):,} of {n:,} objects with a missing or infinite value."
    )


@dataclass(frozen=True)
class Filler:
    """Replacement of missing values by means over the nearest donors."""

    #: shape (s, d): objects whose values fill gaps, NaN in their own gaps; or a typical one
    donors: NDArray[Any]
    #: shape (d,): standardization, so that features count alike where donors are compared
    center: Floats
    spread: Floats

    @classmethod
    def of(cls, draft: DatasetDraft, bad: Bools, impute: Impute) -> Filler:
        """Filler for the gaps ``bad`` of a data set."""
        if impute == "neighbors":
            return cls.of_neighbors(draft.X, bad, draft.categorical)
        d = draft.X.shape[1]
        typical = np.zeros((1, d))
        for j in dict.fromkeys(draft.origin):
            columns = np.flatnonzero(draft.origin == j)
            typical[0, columns] = _typical(draft, columns, ~bad[:, columns[0]])
        return cls(typical, np.zeros(d), np.ones(d))

    @classmethod
    def of_neighbors(cls, X: NDArray[Any], bad: Bools, categorical: Bools) -> Filler:
        """Filler by means over the nearest objects; medians would look like a cluster."""
        n, d = bad.shape
        donors = draw_rows(n, MAX_ROWS, 0)
        donor_values = np.where(bad[donors], np.nan, X[donors]).astype(np.float64)
        center, spread = np.zeros(d), np.ones(d)
        for j in np.flatnonzero(~categorical):
            observed = X[~bad[:, j], j]
            (center[j],), (deviation,) = center_spread(observed[:, None], "standard")
            spread[j] = deviation or 1.0
        return cls(donor_values, center, spread)

    def fill(
        self, X: NDArray[Any], bad: Bools, origin: NDArray[np.intp], categorical: Bools
    ) -> None:
        """Fill the gaps ``bad`` of ``X`` in place; ``origin`` is the source of each feature."""
        rows = bad.any(axis=1)
        imputed = self._imputed(np.where(bad[rows], np.nan, X[rows]).astype(np.float64))
        for j in dict.fromkeys(origin[bad.any(axis=0)]):
            columns = np.flatnonzero(origin == j)
            gaps = bad[:, columns[0]]
            value = imputed[np.ix_(gaps[rows], columns)]
            if categorical[columns[0]] and len(columns) > 1:
                value = np.eye(len(columns))[value.argmax(axis=1)]
            X[np.ix_(gaps, columns)] = value

    def _imputed(self, gaps: Floats) -> Floats:
        """Rows with their NaN replaced."""
        from sklearn.impute import KNNImputer

        imputer = KNNImputer(n_neighbors=5, keep_empty_features=True)
        imputer.fit((self.donors - self.center) / self.spread)
        filled = imputer.transform((gaps - self.center) / self.spread)
        return np.asarray(filled * self.spread + self.center)


def _typical(draft: DatasetDraft, columns: NDArray[np.intp], has_value: Bools) -> Floats:
    """Median of the features of one column; the most frequent category."""
    observed = draft.X[np.ix_(has_value, columns)]
    if draft.categorical[columns[0]] and len(columns) > 1:
        return np.eye(len(columns))[np.argmax(observed.sum(axis=0))]
    return np.asarray(np.median(observed.astype(np.float64), axis=0))


def _impute(draft: DatasetDraft, bad: Bools, impute: Impute) -> None:
    """Fill the gaps ``bad`` in place and note which."""
    draft.filler, draft.gaps = Filler.of(draft, bad, impute), bad
    draft.filler.fill(draft.X, bad, draft.origin, draft.categorical)
    if impute == "neighbors":
        return  # a finding reports it
    gaps = dict.fromkeys(draft.origin[bad.any(axis=0)])
    filled = {draft.columns[j]: int(bad[:, draft.origin == j][:, 0].sum()) for j in gaps}
    listed = ", ".join(f"{count} in {name!r}" for name, count in list(filled.items())[:8])
    more = f", and in {len(filled) - 8} more columns" if len(filled) > 8 else ""
    text = "; text columns by their most frequent value" if draft.categorical.any() else ""
    draft.notes.append(
        f"Missing or infinite values were replaced by the column's median{text}: {listed}{more}."
    )


def _fill_sparse(draft: DatasetDraft, impute: Impute | None) -> None:
    """Drop rows of sparse data with missing values, or raise."""
    X = draft.X
    positions = np.flatnonzero(~np.isfinite(X.data))
    rows = np.searchsorted(X.indptr, positions, side="right") - 1
    if impute == "drop":
        bad = np.zeros(X.shape[0], dtype=bool)
        bad[rows] = True
        _drop_rows(draft, bad)
        return
    places = ", ".join(
        f"row {row + 1} of {draft.names[X.indices[i]]!r}"
        for row, i in zip(rows[:3], positions[:3], strict=True)
    )
    n = len(positions)
    raise RepairableError(
        f"{n} stored value{'s are' if n > 1 else ' is'} missing or infinite: {places}"
        f"{', ...' if n > 3 else ''}; sparse data can only be fixed by dropping those rows "
        "with impute='drop' (--impute drop)",
        impute="drop",
    )
