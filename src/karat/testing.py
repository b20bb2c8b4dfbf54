"""Laws that every measure, clusterer and storage must obey, for karat's own and for yours.

A package that adds one of them runs these in its own tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import Clusterer
from karat.labelings.labels import encode
from karat.measures import Measure
from karat.measures.catalogue import takes_weights
from karat.measures.computation import compute
from karat.measures.inputs import Inputs
from karat.runtime.validation import InputError, StorageError
from karat.study.store import Finished, Planned, Score, Store

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


def check_storage(make: Callable[[dict[str, Any]], Store]) -> None:
    """Raise AssertionError if a storage breaks the contract of :class:`karat.study.store.Store`.

    The laws: a candidate is finished once; a call that writes happens whole or not at all; labels
    are canonical and kept once for equal partitions; what was added first stays; what is returned
    is the caller's; changes are counted; a storage that outlasts the process has everything when
    it is opened again, and rejects other data and a second user.

    Parameters
    ----------
    make : callable
        ``make(identity)`` opens the storage for data with this identity: the same one each time if
        it has a path, an empty one otherwise. ``identity`` is the dict that
        :class:`~karat.study.Study` describes its data by.

    Examples
    --------
    >>> from karat.study.sqlite import SqliteStore
    >>> from karat.testing import check_storage
    >>> check_storage(lambda identity: SqliteStore(None, identity))
    """
    identity = {"fingerprint": "f" * 64, "n_objects": 4, "source": None, "options": {}}
    store = make(identity)
    assert not store.candidates(), "a new storage has candidates"
    assert not store.calls(), "a new storage has calls"
    assert identity.items() <= store.meta.items(), "the identity is not in meta"
    _check_candidates(store)
    _check_labels(store)
    _check_notes(store)
    _check_scores(store)
    if store.path is None:
        store.close()
        return
    before = _all_of(store)
    with _raises("a second user is let in", StorageError):
        make(identity)
    store.close()
    with _raises("other data are let in", StorageError):
        make(identity | {"fingerprint": "e" * 64})
    store = make(identity)
    assert _all_of(store) == before, "what was written is not there when it is opened again"
    store.close()


@contextmanager
def _raises(otherwise: str, kind: type[Exception] = Exception) -> Iterator[None]:
    """Expect an exception."""
    try:
        yield
    except kind:
        return
    raise AssertionError(otherwise)


def _all_of(store: Store) -> list[Any]:
    """Everything that can be read from a storage, as it compares."""
    candidates = store.candidates()
    names = [c["name"] for c in candidates]
    labels = [codes.tolist() for codes in store.labels(store.partitions())]
    soft = {name: repr(store.memberships(name)) for name in names}
    clusters = [store.cluster_names(name) for name in names]
    scores = [repr(score) for score in store.scores("here")]
    return [store.meta, store.calls(), candidates, labels, soft, clusters, scores, store.blob("b")]


def _check_candidates(store: Store) -> None:
    plan = [Planned(name, "kmeans", "n_clusters", 2, 0, 1) for name in "abcd"]
    assert store.plan(plan[:3]) == 3, "plan does not say how many candidates are new"
    assert store.plan(plan) == 1, "a planned candidate is planned again"
    assert [c["name"] for c in store.candidates()] == list("abcd"), "the order of planning is lost"
    changes = store.changes["candidates"]
    one = Finished("a", "ok", None, np.array([7, 7, 3, 3]), 0.5, fitted_on=2)
    store.finish([one, Finished("b", "failed", "why", None, 0.1)])
    assert store.changes["candidates"] > changes, "finish is not counted in changes"
    with _raises("a finished candidate is finished again"):
        store.finish([Finished("c", "ok", None, np.array([0, 1, 2, 2]), 0.5), one])
    assert store.planned() == {"c", "d"}, "a call that raised was kept in part"
    assert store.plan(plan) == 0, "a finished candidate is planned again"
    rows = store.candidates()
    rows[0]["status"] = "changed"
    found = store.candidate("a")
    assert found["status"] == "ok", "what candidates returned is not the caller's"
    there = (found["n_clusters"], found["n_noise"], found["seconds"], found["fitted_on"])
    assert there == (2, 0, 0.5, 2), f"what became of a candidate is read as {there}"


def _check_labels(store: Store) -> None:
    soft = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.4, 0.6]], dtype=np.float32)
    store.finish(
        [
            Finished("c", "ok", None, np.array([1, -1, 0, 1]), 0.1, ("zero", "one")),
            Finished("d", "flagged", "soft", np.array([0, 0, 1, 1]), 0.1, memberships=soft),
        ]
    )
    a, c, d = (store.candidate(name)["partition"] for name in "acd")
    assert a == d, "equal partitions have different hashes"
    assert store.partitions() == [a, c], "partitions are not those of the candidates, each once"
    codes = [row.tolist() for row in store.labels([c, a])]
    assert codes == [[0, -1, 1, 0], [0, 0, 1, 1]], f"labels are not canonical: {codes}"
    names = store.cluster_names("c")
    assert names == ["one", "zero"], f"names of clusters are not those of the codes: {names}"
    assert store.cluster_names("a") is None, "a candidate without names of clusters has some"
    assert store.memberships("a") is None, "a hard candidate has memberships"
    kept = store.memberships("d")
    assert kept is not None, "memberships are lost"
    assert np.array_equal(kept, soft), "memberships differ"


def _check_notes(store: Store) -> None:
    store.record("settings", {"by": None})
    store.record("settings", {"by": None})
    store.record("sweep", {"k": [2, 3]})
    store.record("settings", {"by": "silhouette"})
    kinds = [kind for kind, _ in store.calls()]
    assert kinds == ["settings", "sweep", "settings"], f"the calls are {kinds}"
    assert store.calls("sweep") == [("sweep", {"k": [2, 3]})], "the content of a call differs"
    changes = store.changes["notes"]
    store.set_meta({"note": [1, None, "x"]})
    store.set_meta({"note": {"value": 0.1}})
    assert store.meta["note"] == {"value": 0.1}, "a note is not replaced"
    assert store.changes["notes"] > changes, "notes are not counted in changes"
    assert store.blob("b") is None, "there are bytes that nobody kept"
    store.add_blob("b", b"\x00one")
    store.add_blob("b", b"two")
    assert store.blob("b") == b"\x00one", "bytes are not kept as they were given first"


def _check_scores(store: Store) -> None:
    first, undefined = Score("p", "m", 0.1, None, 0.01), Score("p", "n", np.nan, "undefined")
    store.add_scores("here", [first, undefined])
    store.add_scores("here", [Score("p", "m", 0.2, None)])
    store.add_scores("there", [Score("p", "m", 0.3, None)])
    found = {score.measure: score for score in store.scores("here")}
    assert found["m"] == first, "the first score does not stay"
    assert np.isnan(found["n"].value), "an undefined score has a value"
    assert found["n"].reason == "undefined", "the reason of a score is lost"
    assert [score.value for score in store.scores("there")] == [0.3], "contexts are mixed"
