"""Distances between objects other than rows of numbers: texts, sequences, series, records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pickle import PicklingError
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances._precomputed import as_square
from sortal.runtime.extras import require
from sortal.runtime.resources import require_memory
from sortal.runtime.threads import available_cores
from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    from sortal.typing import Floats

    ObjectFunction = Callable[[Any, Any], float]

#: name -> definition
OBJECT_METRICS = {
    "edit": "insertions, deletions and substitutions from one text or sequence to the other",
    "dtw": "dynamic time warping of two time series, of any lengths",
}
#: advice for users without an extra
FUNCTION = "give a function of two objects as the metric"
#: limit of cost: pairs that are checked in the other direction, too
PROBED_PAIRS = 20
#: limit of cost: pairs from which starting processes pays
_MAX_PAIRS_SERIAL = 5_000


def object_distances(
    objects: Iterable[Any], metric: str | ObjectFunction, *, workers: int | None = None
) -> Floats:
    """All distances between objects of any kind, for use with ``metric="precomputed"``.

    Parameters
    ----------
    objects : sequence
        Texts, tuples, arrays of different lengths, or whatever the metric takes.
    metric : {"edit", "dtw"} or callable
        A callable takes two objects and gives a number of at least 0. It must be symmetric, and
        is called once for each pair.
    workers : int, optional
        Local processes for a callable; by default one per core. The result does not depend on
        it.

    Returns
    -------
    ndarray of float64, shape (n, n)

    Notes
    -----
    8 n² bytes. Edit distance is RapidFuzz's (extra ``sequences``), dynamic time warping tslearn's
    (the same extra): the root of the sum of squared differences along the best path.

    Examples
    --------
    >>> from sortal.distances import object_distances
    >>> object_distances(["a", "abc", "abd"], lambda x, y: abs(len(x) - len(y)))
    array([[0., 2., 2.],
           [2., 0., 0.],
           [2., 0., 0.]])
    """
    objects = list(objects)
    n = len(objects)
    if n < 2:
        raise InputError(f"a clustering needs at least two objects; got {n}")
    require_memory(8.0 * n * n, f"the matrix of the distances of {n:,} objects", "take a sample")
    if callable(metric):
        return _each_pair(objects, metric, workers)
    if metric not in OBJECT_METRICS:
        raise unknown_name(metric, OBJECT_METRICS, "distance between objects")
    return _edit(objects) if metric == "edit" else _dtw(objects)


def _each_pair(objects: Sequence[Any], metric: ObjectFunction, workers: int | None) -> Floats:
    """Distances of all pairs by a function, computed in several processes."""
    n = len(objects)
    count = min(workers or available_cores(), n)
    if n * (n - 1) // 2 < _MAX_PAIRS_SERIAL:
        count = 1
    D = np.zeros((n, n))
    if count == 1:
        parts = [_rows(objects, metric, range(n))]
        each = [range(n)]
    else:
        from joblib import Parallel, delayed

        # row i has n - i - 1 pairs: every count-th row balances the work
        each = [range(first, n, 4 * count) for first in range(4 * count)]
        try:
            parts = Parallel(n_jobs=count)(delayed(_rows)(objects, metric, rows) for rows in each)
        except PicklingError:  # the function cannot be sent to another process
            parts = [_rows(objects, metric, rows) for rows in each]
    for rows, values in zip(each, parts, strict=True):
        for i, row in zip(rows, values, strict=True):
            D[i, i + 1 :] = D[i + 1 :, i] = row
    _check_symmetry(objects, metric, D)
    return D


def _check_symmetry(objects: Sequence[Any], metric: ObjectFunction, D: Floats) -> None:
    """Check a few pairs in the other direction, too."""
    upper = np.argwhere(np.triu(np.ones(D.shape, dtype=bool), 1)) if len(D) <= 50 else None
    rng = np.random.default_rng(0)
    if upper is None:
        pairs = np.sort(rng.integers(len(D), size=(PROBED_PAIRS, 2)), axis=1)
    else:
        pairs = upper[rng.permutation(len(upper))[:PROBED_PAIRS]]
    for i, j in pairs.tolist():
        forward, backward = D[i, j], float(metric(objects[j], objects[i]))
        if i != j and abs(forward - backward) > 1e-9 * max(forward, abs(backward)):
            raise InputError(
                f"the metric depends on the direction: from object {i} to {j} it is {forward:g}, "
                f"from {j} to {i} {backward:g}; a distance is the same both ways, e.g. their mean"
            )


def _rows(objects: Sequence[Any], metric: ObjectFunction, numbers: range) -> list[Floats]:
    """Distances of some objects to all objects after each, checked."""
    rows = []
    for i in numbers:
        row = np.empty(len(objects) - i - 1)
        for j in range(i + 1, len(objects)):
            value: Any = metric(objects[i], objects[j])
            try:
                row[j - i - 1] = value
            except (TypeError, ValueError):
                value = None
            if value is None or not 0 <= row[j - i - 1] < np.inf:
                raise InputError(
                    f"the distance of objects {i} and {j} is {value!r}; it must be a finite "
                    "number of at least 0"
                )
        rows.append(row)
    return rows


def _edit(objects: list[Any]) -> Floats:
    """Edit distances of texts or sequences."""
    require("rapidfuzz", "edit distance", FUNCTION)
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    for i, object_ in enumerate(objects):
        if not isinstance(object_, (str, bytes, Sequence, np.ndarray)):
            raise InputError(
                f"edit distance compares texts or sequences; object {i} is {object_!r}"
            )
    return cdist(objects, objects, scorer=Levenshtein.distance, dtype=np.float64, workers=-1)


def _dtw(objects: list[Any]) -> Floats:
    """Dynamic time warping of time series."""
    require("tslearn", "dynamic time warping", FUNCTION)
    from tslearn.metrics import cdist_dtw

    series: list[Floats] = []
    for object_ in objects:
        try:
            values = np.asarray(object_, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(0)
        if values.ndim not in (1, 2) or len(values) == 0 or not np.isfinite(values).all():
            raise InputError(
                f"series {len(series)} must be finite numbers, one per time (or a row of several "
                f"per time); got {object_!r:.80}"
            )
        series.append(values.reshape(len(values), -1))
    D: Any = as_square(np.asarray(cdist_dtw(series), dtype=np.float64))
    return D
