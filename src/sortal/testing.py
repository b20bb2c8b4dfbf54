"""Laws that every measure and clusterer must obey, sortal's and those of other packages.

A package that adds a measure or a clusterer runs these checks in its tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.clusterers import Clusterer
from sortal.labelings.labels import encode
from sortal.measures import Measure
from sortal.measures.catalogue import takes_weights
from sortal.measures.computation import compute
from sortal.measures.inputs import Inputs
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sortal.measures.scores import Scores
    from sortal.typing import Floats, Ints, Labels, Rows

    Labelings = Mapping[str, NDArray[Any]]

__all__ = ["check_clusterer", "check_measure"]


def check_measure(measure: Measure, *, random_state: int = 0, order_matters: bool = False) -> None:
    """Raise AssertionError if a measure breaks a law.

    The laws: the names of the clusters and the order of the objects do not matter. Values stay
    in the range. Inputs are not changed. Clusterings judged together get the same values as
    alone. Separated clusters score better than random labels. A weight of w equals w repeated
    objects, for measures whose statistics have weights. Undefined values raise an error or are
    NaN with a reason.

    Parameters
    ----------
    measure : Measure
    random_state : int, default 0
        For the data of the checks.
    order_matters : bool, default False
        Skip the law that the order of the objects does not matter, for definitions that
        are ambiguous where distances tie.

    Examples
    --------
    >>> import sortal
    >>> from sortal.testing import check_measure
    >>> check_measure(sortal.measures.catalogue["silhouette"])
    """
    rng = np.random.default_rng(random_state)
    sizes = (14, 11, 9, 6)
    truth = np.repeat(np.arange(4), sizes)
    corners = np.array([[0, 0, 0], [9, 1, 0], [0, 8, 1], [1, 0, 10]], dtype=float)
    X = corners[truth] + rng.normal(scale=0.7, size=(len(truth), 3))
    shuffled = rng.permutation(truth)
    merged = np.minimum(truth, 2)
    for array in (X, truth, shuffled, merged):
        array.flags.writeable = False
    data: Any = _graph_of(X) if measure.takes == "graph" else X
    labelings = {"right": truth, "random": shuffled, "merged": merged}
    alone = {name: _value(measure, data, truth, labels) for name, labels in labelings.items()}
    _check_range(measure, alone)
    better = measure.sign * (alone["right"] - alone["random"])
    assert better > 0, f"{measure.key}: labels at random score no worse than the right ones"

    order = rng.permutation(len(truth))
    names = np.array(["d", "a", "c", "b"])
    for name, labels in labelings.items():
        renamed = _value(measure, data, truth, names[labels])
        _check_equal(measure, alone[name], renamed, "the names of the clusters matter")
        if not order_matters:
            moved = _value(measure, _rows(measure, data, order), truth[order], labels[order])
            _check_equal(measure, alone[name], moved, "the order of the objects matters")
        _check_equal(
            measure, alone[name], _value(measure, data, truth, list(labels)), "lists differ"
        )
    _check_batch(measure, data, truth, labelings, alone)
    if takes_weights(measure):
        _check_weights(measure, X, truth, labelings)
    _check_undefined(measure, data, truth)


def _graph_of(X: Floats) -> Any:
    """Graph of nearby objects, with weights by distance."""
    from scipy import sparse

    from sortal.distances import distance_matrix

    D = distance_matrix(X)
    A = sparse.csr_array(np.where(D < 2.5, np.exp(-D), 0.01 * (D < 9)) - np.eye(len(X)))
    for array in (A.data, A.indices, A.indptr):
        array.flags.writeable = False
    return A


def _rows(measure: Measure, data: Rows, order: Ints) -> Rows:
    """Rows of the data, or of the graph, in another order."""
    return data[order][:, order] if measure.takes == "graph" else data[order]


def _table(
    measure: Measure, X: Rows, truth: Ints, labelings: Labelings, weights: Ints | None = None
) -> Scores:
    """Scores of all labelings, computed together."""
    metric = "graph" if measure.takes == "graph" else "euclidean"
    inputs = Inputs.read(X, labelings, y=truth, metric=metric, sample_weight=weights)
    return compute(inputs, [measure])


def _value(measure: Measure, X: Rows, truth: Ints, labels: Labels) -> float:
    """Value of the measure for one labeling."""
    if measure.kind == "internal":
        return float(measure.function(X, labels))
    return float(measure.function(truth, labels))


def _check_equal(measure: Measure, expected: float, value: float, violation: str) -> None:
    """Raise if two values differ by more than rounding."""
    assert np.isclose(expected, value, rtol=1e-9, atol=1e-12, equal_nan=True), (
        f"{measure.key}: {violation} ({expected!r} and {value!r})"
    )


def _check_range(measure: Measure, values: dict[str, float]) -> None:
    """Raise for values outside the measure's range."""
    low, high = measure.range
    for name, value in values.items():
        assert low - 1e-12 <= value <= high + 1e-12, (
            f"{measure.key}: {value!r} for {name} labels is outside [{low:g}, {high:g}]"
        )


def _check_batch(
    measure: Measure, X: Rows, truth: Ints, labelings: Labelings, alone: dict[str, float]
) -> None:
    """Raise if labelings judged together get other values than alone."""
    table = _table(measure, X, truth, labelings)
    for name, value in alone.items():
        together = float(table[measure.key].loc[name])
        _check_equal(measure, value, together, "judging many together gives another value")


def _check_weights(measure: Measure, X: Floats, truth: Ints, labelings: Labelings) -> None:
    """Raise if weights differ from repeated objects."""
    weights = np.arange(len(truth)) % 4
    rows = np.repeat(np.arange(len(truth)), weights)
    weighted = _table(measure, X, truth, labelings, weights)
    repeated = {name: labels[rows] for name, labels in labelings.items()}
    expected = _table(measure, X[rows], truth[rows], repeated)
    for name in labelings:
        values = float(weighted[measure.key].loc[name]), float(expected[measure.key].loc[name])
        _check_equal(measure, *values, "a weight of w differs from w repeated objects")


def _check_undefined(measure: Measure, X: Rows, truth: Ints) -> None:
    """Raise if an undefined value has no reason, or a function disagrees with the table."""
    n = len(truth)
    extremes = {"one cluster": np.zeros(n, dtype=int), "all singletons": np.arange(n)}
    table = _table(measure, X, truth, extremes)
    for name, labels in extremes.items():
        value = float(table[measure.key].loc[name])
        if np.isnan(value):
            reason = table.reasons.get(name, {}).get(measure.key)
            assert reason, f"{measure.key}: NaN for {name} without a reason"
            try:
                raised = _value(measure, X, truth, labels)
            except InputError:
                continue
            raise AssertionError(f"{measure.key}: {raised!r} for {name}, but NaN in a table")
        _check_equal(
            measure, value, _value(measure, X, truth, labels), f"{name} differs in a table"
        )


def check_clusterer(clusterer: Clusterer, *, random_state: int = 0) -> None:
    """Raise AssertionError if a clusterer breaks a law.

    The laws: it finds clusters that are far apart. The same seed gives the same labels. Whether
    other seeds give other labels agrees with the record. It gives one label per object, does not
    change its input, and can be sent to another process.

    Parameters
    ----------
    clusterer : Clusterer
    random_state : int, default 0

    Examples
    --------
    >>> from sortal.clusterers import catalogue
    >>> from sortal.testing import check_clusterer
    >>> check_clusterer(catalogue["kmeans"])
    """
    import pickle

    rng = np.random.default_rng(random_state)
    truth = np.repeat(np.arange(3), 20)
    # apart in distance and in direction, and without negative values
    X = 50.0 * np.eye(3)[truth] + rng.uniform(0, 2, (60, 3))
    X.flags.writeable = False
    default = clusterer.values[0] if clusterer.values else 5
    value = 3 if clusterer.parameter == "n_clusters" else default
    unpickled = pickle.loads(pickle.dumps(clusterer))
    labels, repeated = (_labels(c, X, value) for c in (clusterer, unpickled))
    assert len(labels) == len(X), f"{clusterer.key}: {len(labels)} labels for {len(X)} objects"
    assert np.array_equal(labels, repeated), f"{clusterer.key}: the same seed gives other labels"
    encoded = encode(labels)
    classes = {tuple(sorted(set(truth[encoded.codes == c]))) for c in range(encoded.n_clusters)}
    assert classes == {(0,), (1,), (2,)}, f"{clusterer.key}: does not find clusters far apart"
    _check_seeds(clusterer, rng.random((60, 2)), 7 if value == 3 else value)
    if clusterer.every_k:
        tree = clusterer.make(1, 0).fit(X)
        counts = [encode(tree.cut(k)).n_clusters for k in (1, 3, 60)]
        assert counts == [1, 3, 60], f"{clusterer.key}: cut(k) does not give k clusters"


def _check_seeds(clusterer: Clusterer, X: Floats, value: float) -> None:
    """Check the role of the seed on data without clusters, where it matters most."""
    labels = [_labels(clusterer, X, value, seed) for seed in range(10)]
    differ = any(not np.array_equal(labels[0], codes) for codes in labels[1:])
    if not clusterer.depends_on_seed:
        assert not differ, f"{clusterer.key}: other seeds give other labels; say seeded=True"
    elif clusterer.seeded:
        assert differ, f"{clusterer.key}: seeds make no difference; say seeded=False"


def _labels(clusterer: Clusterer, X: Floats, value: float, seed: int = 7) -> NDArray[np.int32]:
    """Labels of a clusterer, as codes."""
    return encode(clusterer.make(value, seed).fit_predict(X)).codes
