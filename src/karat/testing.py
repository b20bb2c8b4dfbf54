"""Laws that every measure and clusterer must obey, for karat's own and for yours.

A package that adds one of them runs these in its own tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import Clusterer
from karat.labelings.labels import encode
from karat.measures import Measure
from karat.measures.catalogue import takes_weights
from karat.measures.computation import compute
from karat.measures.inputs import Inputs
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.measures.scores import Scores


def check_measure(measure: Measure, *, random_state: int = 0, order_matters: bool = False) -> None:
    """Raise AssertionError if a measure breaks a law.

    The laws: the names of the clusters and the order of the objects do not matter; values stay
    in the range; inputs are not changed; many clusterings judged together get the values that
    each gets alone; separated clusters score better than labels at random; a weight counts as so
    many objects, for measures whose statistics have weights; what is undefined raises an error or
    is NaN with a reason.

    Parameters
    ----------
    measure : Measure
    random_state : int, default 0
        For the data that the laws are tried on.
    order_matters : bool, default False
        Skip the law that the order of the objects does not matter: for definitions that
        are ambiguous where distances tie.

    Examples
    --------
    >>> import karat
    >>> from karat.testing import check_measure
    >>> check_measure(karat.measures.catalogue["silhouette"])
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
        _same(measure, alone[name], renamed, "the names of the clusters matter")
        if not order_matters:
            moved = _value(measure, _rows(measure, data, order), truth[order], labels[order])
            _same(measure, alone[name], moved, "the order of the objects matters")
        _same(measure, alone[name], _value(measure, data, truth, list(labels)), "lists differ")
    _check_batch(measure, data, truth, labelings, alone)
    if takes_weights(measure):
        _check_weights(measure, X, truth, labelings)
    _check_undefined(measure, data, truth)


def _graph_of(X: NDArray[np.float64]) -> Any:
    """The weights of edges between objects that are near."""
    from scipy import sparse

    from karat.distances import distance_matrix

    D = distance_matrix(X)
    A = sparse.csr_array(np.where(D < 2.5, np.exp(-D), 0.01 * (D < 9)) - np.eye(len(X)))
    for array in (A.data, A.indices, A.indptr):
        array.flags.writeable = False
    return A


def _rows(measure: Measure, data: Any, order: NDArray[np.integer[Any]]) -> Any:
    return data[order][:, order] if measure.takes == "graph" else data[order]


def _table(measure: Measure, X: Any, truth: Any, labelings: Any, weights: Any = None) -> Scores:
    """All of the labelings judged together."""
    metric = "graph" if measure.takes == "graph" else "euclidean"
    inputs = Inputs.read(X, labelings, truth=truth, metric=metric, sample_weight=weights)
    return compute(inputs, [measure])


def _value(measure: Measure, X: Any, truth: Any, labels: Any) -> float:
    if measure.kind == "internal":
        return float(measure.function(X, labels))
    return float(measure.function(truth, labels))


def _same(measure: Measure, one: float, other: float, what: str) -> None:
    assert np.isclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True), (
        f"{measure.key}: {what} ({one!r} and {other!r})"
    )


def _check_range(measure: Measure, values: dict[str, float]) -> None:
    low, high = measure.range
    for name, value in values.items():
        assert low - 1e-12 <= value <= high + 1e-12, (
            f"{measure.key}: {value!r} for {name} labels is outside [{low:g}, {high:g}]"
        )


def _check_batch(
    measure: Measure, X: Any, truth: Any, labelings: dict[str, Any], alone: dict[str, float]
) -> None:
    table = _table(measure, X, truth, labelings)
    for name, value in alone.items():
        together = float(table[measure.key].loc[name])
        _same(measure, value, together, "judging many together gives another value")


def _check_weights(measure: Measure, X: Any, truth: Any, labelings: dict[str, Any]) -> None:
    weights = np.arange(len(truth)) % 4
    rows = np.repeat(np.arange(len(truth)), weights)
    weighted = _table(measure, X, truth, labelings, weights)
    repeated = {name: labels[rows] for name, labels in labelings.items()}
    expected = _table(measure, X[rows], truth[rows], repeated)
    for name in labelings:
        values = float(weighted[measure.key].loc[name]), float(expected[measure.key].loc[name])
        _same(measure, *values, "a weight of w differs from w repeated objects")


def _check_undefined(measure: Measure, X: Any, truth: Any) -> None:
    n = len(truth)
    extremes = {"one cluster": np.zeros(n, dtype=int), "all singletons": np.arange(n)}
    table = _table(measure, X, truth, extremes)
    for name, labels in extremes.items():
        value = float(table[measure.key].loc[name])
        if np.isnan(value):
            why = table.reasons.get(name, {}).get(measure.key)
            assert why, f"{measure.key}: NaN for {name} without a reason"
            try:
                raised = _value(measure, X, truth, labels)
            except InputError:
                continue
            raise AssertionError(f"{measure.key}: {raised!r} for {name}, but NaN in a table")
        _same(measure, value, _value(measure, X, truth, labels), f"{name} differs in a table")


def check_clusterer(clusterer: Clusterer, *, random_state: int = 0) -> None:
    """Raise AssertionError if a clusterer breaks a law.

    The laws: it finds clusters that are far apart; the same seed gives the same labels; whether
    other seeds give other labels is as the record says; it gives one label per object; it does not
    change its input; it can be sent to another process.

    Parameters
    ----------
    clusterer : Clusterer
    random_state : int, default 0

    Examples
    --------
    >>> from karat.clusterers import catalogue
    >>> from karat.testing import check_clusterer
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
    again = pickle.loads(pickle.dumps(clusterer))
    one, two = (_labels(c, X, value) for c in (clusterer, again))
    assert len(one) == len(X), f"{clusterer.key}: {len(one)} labels for {len(X)} objects"
    assert np.array_equal(one, two), f"{clusterer.key}: the same seed gives other labels"
    encoded = encode(one)
    found = {tuple(sorted(set(truth[encoded.codes == c]))) for c in range(encoded.n_clusters)}
    assert found == {(0,), (1,), (2,)}, f"{clusterer.key}: does not find clusters far apart"
    _check_seeds(clusterer, rng.random((60, 2)), 7 if value == 3 else value)
    if clusterer.every_k:
        tree = clusterer.make(1, 0).fit(X)
        counts = [encode(tree.cut(k)).n_clusters for k in (1, 3, 60)]
        assert counts == [1, 3, 60], f"{clusterer.key}: cut(k) does not give k clusters"


def _check_seeds(clusterer: Clusterer, X: NDArray[np.float64], value: float) -> None:
    """On data without clusters, where a seed decides most."""
    labels = [_labels(clusterer, X, value, seed) for seed in range(10)]
    differ = any(not np.array_equal(labels[0], other) for other in labels[1:])
    if not clusterer.depends_on_seed:
        assert not differ, f"{clusterer.key}: other seeds give other labels; say seeded=True"
    elif clusterer.seeded:
        assert differ, f"{clusterer.key}: seeds make no difference; say seeded=False"


def _labels(
    clusterer: Clusterer, X: NDArray[np.float64], value: float, seed: int = 7
) -> NDArray[np.int32]:
    return encode(clusterer.make(value, seed).fit_predict(X)).codes
