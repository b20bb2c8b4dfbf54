"""Missing and infinite values: an error that names them, or the repair that was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.datasets._draft import DatasetDraft
from karat.datasets._names import quoted
from karat.datasets._options import Impute
from karat.datasets._scaling import center_spread
from karat.datasets.problems import RepairableError
from karat.runtime.validation import InputError

MAX_DONORS = 5000  # objects whose values fill gaps
IMPUTE_NEIGHBORS = 5


def fill_missing(work: DatasetDraft, how: Impute | None) -> None:
    values = work.X.data if work.sparse else work.X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)) or np.isfinite(values).all():
            return
    if work.sparse:
        _fill_sparse(work, how)
        return
    bad = ~np.isfinite(work.X)
    empty = bad.all(axis=0)
    if empty.any():
        gone = dict.fromkeys(work.columns[j] for j in work.origin[empty])
        if empty.all():
            raise InputError(f"no column has a value in it: {quoted(gone)}")
        work.notes.append(f"Excluded columns without any value: {quoted(gone)}.")
        work.keep_features(~empty)
        bad = bad[:, ~empty]
        if not bad.any():
            return
    if how is None:
        raise _missing_error(work, bad)
    if how == "drop":
        _drop_rows(work, bad.any(axis=1))
        return
    work.own()
    _impute(work, bad, how)


def _missing_error(work: DatasetDraft, bad: NDArray[np.bool_]) -> InputError:
    places, count, rows_bad = [], 0, int(bad.any(axis=1).sum())
    for j in dict.fromkeys(work.origin[bad.any(axis=0)]):
        at = np.flatnonzero(work.origin == j)[0]
        rows = np.flatnonzero(bad[:, at])
        infinite = int(np.isinf(work.X[rows, at]).sum())
        count += len(rows)
        kinds = [f"{len(rows) - infinite} missing"] if len(rows) > infinite else []
        kinds += [f"{infinite} infinite"] if infinite else []
        places.append(f"{work.columns[j]!r}: {' and '.join(kinds)} ({work.row_numbers(rows)})")
    shown = "; ".join(places[:5]) + (
        f"; and {len(places) - 5} more columns" if len(places) > 5 else ""
    )
    return RepairableError(
        f"{count} value{'s are' if count > 1 else ' is'} missing or infinite, in {rows_bad} of "
        f"{len(bad):,} rows: {shown}. Fill them in with impute='median' (--impute median; also "
        "neighbors), or drop those rows with impute='drop' (--impute drop). Rows "
        "are counted from 1, without a header",
        impute="median",
    )


def _drop_rows(work: DatasetDraft, bad: NDArray[np.bool_]) -> None:
    if bad.all():
        raise RepairableError(
            "every row has a missing or infinite value, so impute='drop' leaves none; use "
            "impute='median', or exclude columns with drop (--drop)",
            impute="median",
        )
    n = len(bad)
    work.keep_objects(~bad)
    work.notes.append(
        f"Excluded {int(bad.sum()):,} of {n:,} objects with a missing or infinite value."
    )


@dataclass(frozen=True)
class Filler:
    """What replaces missing values: means over the nearest donors.

    Attributes
    ----------
    donors : ndarray, shape (s, d)
        Objects whose values fill gaps, NaN where they have gaps themselves; or a single typical
        one.
    center, spread : ndarray of float64, shape (d,)
        By which features count alike when donors are compared.
    """

    donors: NDArray[Any]
    center: NDArray[np.float64]
    spread: NDArray[np.float64]

    @classmethod
    def of(cls, work: DatasetDraft, bad: NDArray[np.bool_], how: Impute) -> Filler:
        """What fills the gaps ``bad`` of a data set."""
        if how == "neighbors":
            return cls.of_neighbors(work.X, bad, work.categorical)
        d = work.X.shape[1]
        typical = np.zeros((1, d))
        for j in dict.fromkeys(work.origin):
            columns = np.flatnonzero(work.origin == j)
            typical[0, columns] = _typical(work, columns, ~bad[:, columns[0]])
        return cls(typical, np.zeros(d), np.ones(d))

    @classmethod
    def of_neighbors(
        cls, X: NDArray[Any], bad: NDArray[np.bool_], categorical: NDArray[np.bool_]
    ) -> Filler:
        """Means over the objects that are nearest by the known values.

        All columns count alike; of many objects a sample is asked. Medians would put objects of
        all clusters into the same place, where they look like a cluster of their own.
        """
        n, d = bad.shape
        donors = np.arange(n)
        if n > MAX_DONORS:
            donors = np.sort(np.random.default_rng(0).choice(n, MAX_DONORS, replace=False))
        Z = np.where(bad[donors], np.nan, X[donors]).astype(np.float64)
        center, spread = np.zeros(d), np.ones(d)
        for j in np.flatnonzero(~categorical):
            known = X[~bad[:, j], j]
            (center[j],), (one,) = center_spread(known[:, None], "standard")
            spread[j] = one or 1.0
        return cls(Z, center, spread)

    def fill(
        self,
        X: NDArray[Any],
        bad: NDArray[np.bool_],
        origin: NDArray[np.intp],
        categorical: NDArray[np.bool_],
    ) -> None:
        """Fill the gaps ``bad`` of ``X`` in place; ``origin`` is the source of each feature."""
        rows = bad.any(axis=1)
        near = self._of_rows(np.where(bad[rows], np.nan, X[rows]).astype(np.float64))
        for j in dict.fromkeys(origin[bad.any(axis=0)]):
            columns = np.flatnonzero(origin == j)
            gaps = bad[:, columns[0]]
            value = near[np.ix_(gaps[rows], columns)]
            if categorical[columns[0]]:
                value = np.eye(len(columns))[value.argmax(axis=1)]
            X[np.ix_(gaps, columns)] = value

    def _of_rows(self, gaps: NDArray[np.float64]) -> NDArray[np.float64]:
        from sklearn.impute import KNNImputer

        imputer = KNNImputer(n_neighbors=IMPUTE_NEIGHBORS, keep_empty_features=True)
        imputer.fit((self.donors - self.center) / self.spread)
        filled = imputer.transform((gaps - self.center) / self.spread)
        return np.asarray(filled * self.spread + self.center)


def _typical(
    work: DatasetDraft, columns: NDArray[np.intp], known_rows: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The median of the features of one column; of categories the most frequent one."""
    known = work.X[np.ix_(known_rows, columns)]
    if work.categorical[columns[0]]:
        return np.eye(len(columns))[np.argmax(known.sum(axis=0))]
    return np.asarray(np.median(known.astype(np.float64), axis=0))


def _impute(work: DatasetDraft, bad: NDArray[np.bool_], how: Impute) -> None:
    work.filler = Filler.of(work, bad, how)
    work.filler.fill(work.X, bad, work.origin, work.categorical)
    if how == "neighbors":
        return  # it is told as a finding
    gaps = dict.fromkeys(work.origin[bad.any(axis=0)])
    filled = {work.columns[j]: int(bad[:, work.origin == j][:, 0].sum()) for j in gaps}
    listed = ", ".join(f"{count} in {name!r}" for name, count in list(filled.items())[:8])
    more = f", and in {len(filled) - 8} more columns" if len(filled) > 8 else ""
    text = "; text columns by their most frequent value" if work.categorical.any() else ""
    work.notes.append(
        f"Missing or infinite values were replaced by the column's median{text}: {listed}{more}."
    )


def _fill_sparse(work: DatasetDraft, how: Impute | None) -> None:
    X = work.X
    at = np.flatnonzero(~np.isfinite(X.data))
    rows = np.searchsorted(X.indptr, at, side="right") - 1
    if how == "drop":
        bad = np.zeros(X.shape[0], dtype=bool)
        bad[rows] = True
        _drop_rows(work, bad)
        return
    places = ", ".join(
        f"row {row + 1} of {work.names[X.indices[i]]!r}"
        for row, i in zip(rows[:3], at[:3], strict=True)
    )
    raise RepairableError(
        f"{len(at)} stored value{'s are' if len(at) > 1 else ' is'} missing or infinite: {places}"
        f"{', ...' if len(at) > 3 else ''}; sparse data can only be fixed by dropping those rows "
        "with impute='drop' (--impute drop)",
        impute="drop",
    )
