"""Parts of clusterings as data: names, outliers, tables, matchings, memberships, trees, pairs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.cluster.hierarchy import linkage

import sortal
from sortal import labelings
from values import table_test


class Fitted:
    """An estimator that has labels, or predicts."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def fit(self, X: Any) -> Any:
        """Nothing."""

    def fit_predict(self, X: Any) -> Any:
        """Nothing."""


class Predicts(Fitted):
    """An estimator that only predicts."""

    def predict(self, X: Any) -> Any:
        """The sign of the first column."""
        from sklearn.exceptions import NotFittedError

        if vars(self):
            raise NotFittedError
        return np.asarray(X)[:, 0] > 0


def fixtures() -> dict[str, Any]:
    """Labels with outliers, a table with weights, memberships and a tree."""
    rng = np.random.default_rng(0)
    X = np.array([[0.0], [1.0], [5.0], [5.5], [9.0], [20.0]])
    Z = linkage(X, "average")
    a, b = list("xxyyz"), [1, -1, 0, 0, 2]
    big = rng.integers(-1, 5, 300), rng.integers(-1, 4, 300)
    weights = np.round(rng.random(300) + 0.1, 1)
    soft = labelings.SoftPartition([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]])
    thirds = labelings.SoftPartition([[0.4, 0.3, 0.3], [0.1, 0.1, 0.8]])
    loose = labelings.OverlappingPartition([[0, 1, 1], [0, 1, 0], [0, 0, 0], [1, 0, 0]])
    counts = rng.integers(0, 9, (7, 5))

    def told(table: Any) -> Any:
        """Everything that a table tells."""
        return (
            repr(table), table.rows, table.columns, table.counts, table.row_names.tolist(),
            table.column_names.tolist(), table.coverage, table.is_counted, table.n, table.shape,
            table.row_sums, table.column_sums, table.pair_counts, table.pair_counts.total,
            table.matching(), table.by_cluster().to_dict("list"), table.by_class().to_dict("list"),
            table.to_frame().to_dict("split"), table.transposed.to_array(),
        )  # fmt: skip

    def encoded(values: Any, **options: Any) -> Any:
        """Codes and names."""
        one = labelings.encode(values, **options)
        return one.codes, one.names.tolist(), one.n_clusters

    def batch(given: Any, **options: Any) -> Any:
        """A batch of clusterings."""
        found = labelings.as_labelings(given, **options)
        sizes = [found.sizes(m) for m in range(len(found))]
        names = [labels.tolist() for labels in found.cluster_names]
        counts = len(found), found.n_objects, found.coverage
        return found.codes, found.names, found.n_clusters, names, counts, sizes

    def hard(given: Any, X: Any = None) -> Any:
        """Labels of whatever has them."""
        found, soft = labelings.hard_labelings(given, X)
        return {k: np.asarray(v) for k, v in found.items()}, list(soft)

    return {
        "encoded": encoded, "soft": soft, "batch": batch, "a": a, "b": b, "told": told, "big": big,
        "weights": weights, "counts": counts, "thirds": thirds, "loose": loose, "Z": Z, "X": X,
        "hard": hard,
    }  # fmt: skip


# fmt: off
CASES = {
    "encoded": [
        lambda encoded: encoded(["b", "a", "b"]),
        lambda encoded: encoded([7, -1, 7, 3]),
        lambda encoded: encoded(np.array([3, 1, 3], dtype=np.uint8)),
        lambda encoded: encoded([True, False]),
        lambda encoded: encoded([1, "a", 1]),
        lambda encoded: encoded([1.0, 1, 2.5, -1.0]),
        lambda encoded: encoded([(1, 2), (1, 2), (0, 1)]),
        lambda encoded: encoded([]),
        lambda encoded: encoded([[1, 2]]),
        lambda encoded: encoded([None, 1]),
        lambda encoded: encoded([None, 1, np.nan]),
        lambda encoded: encoded(np.array([2**63], dtype=np.uint64)),
        lambda encoded: encoded("abc"),
        lambda encoded: encoded(5),
        lambda encoded: encoded({"a": 1}),
        lambda encoded: encoded(pd.Series(["x", "y"])),
        lambda encoded: encoded(pd.Series([1, 2], dtype="Int64")),
        lambda encoded: encoded(pd.Series(["x", "y", "x"], dtype="category")),
        lambda encoded: encoded(np.ma.array([1, 2, 3], mask=[0, 1, 0])),
        lambda encoded: encoded(np.ma.array([1, 2, 3], mask=[0, 0, 0])),
        lambda encoded: encoded([np.array(3), np.array(1)]),
        lambda encoded, soft: encoded(soft),
        lambda encoded: encoded([[1], [2]]),
        lambda encoded: encoded(range(4)),
        lambda encoded: encoded(["-1", "a"]),
        lambda encoded: encoded([-1, "a", 5]),
        lambda encoded: encoded([-1, -1]),
        lambda encoded: encoded(np.array([[1, 2]])),
        lambda encoded: encoded([1, None], name="truth"),
        lambda encoded: encoded(SimpleNamespace(memberships=1)),
        lambda encoded: encoded(SimpleNamespace(harden=1)),
        lambda encoded: encoded([2**63, -1, 5]),
    ],
    "apply_noise_policy": [
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, -1, 2, -1]), "error")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, -1, 2, -1]), "cluster")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, -1, 2, -1]), "singletons")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, -1, 2, -1]), "drop")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, -1, 2, -1]), "what")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, 2]), "error")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, 2]), "cluster")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, 2]), "singletons")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, 2]), "drop")]],
        lambda: [(e.codes, e.names.tolist()) for e in
            [labelings.apply_noise_policy(labelings.encode([1, 2]), "what")]],
    ],
    "batch": [
        lambda batch: batch([1, 1, 2]),
        lambda batch: batch([[1, 1, 2], [1, 2, 3]]),
        lambda batch, a: batch({"a": a, "b": list("vwvwv")}),
        lambda batch, a, b: batch({"a": a, "b": b}),
        lambda batch, a, b: batch({"a": a, "b": b}, noise="drop"),
        lambda batch, a, b: batch({"a": a, "b": b}, noise="cluster"),
        lambda batch, b: batch({"b": b}, noise="singletons"),
        lambda batch: batch(pd.DataFrame({"p": [1, 2], "q": ["x", "x"]})),
        lambda batch: batch(np.array([[0, 1], [1, 1]])),
        lambda batch: batch({"a": [1, 2], "b": [1]}),
        lambda batch: batch({"a": 1}),
        lambda batch: batch({"a": "xy"}),
        lambda batch: batch({}),
        lambda batch: batch([]),
        lambda batch: batch([-1, -1], noise="drop"),
        lambda batch: batch((np.array([1, 2]), [3, 3])),
        lambda batch: batch(pd.Series([4, 5, 4])),
        lambda batch: batch([pd.Series([1, 2]), pd.Series([2, 2])]),
        lambda batch: batch(["x", "y"]),
        lambda batch: batch([[1, 2], [1, 2, 3]]),
        lambda batch: batch(np.zeros((0, 3))),
        lambda batch: batch([1, 2], noise="what"),
        lambda batch: batch({1: [1, 2], "1": [1, 1]}),
    ],
    "as_labelings": [
        lambda batch: batch(labelings.as_labelings([1, 2])),
        lambda a, b: [labelings.as_labelings({"a": a, "b": b}, noise="drop").sizes(1, w) for w in
            (None, np.array([.5, 1, 2, 3, 4]))],
        lambda a, b: [(t.codes, t.names, t.n_clusters, [n.tolist() for n in t.cluster_names]) for t
            in [labelings.as_labelings({"a": a, "b": b}, noise="drop").take(np.array([2, 3, 1]))]],
    ],
    "canonical_codes": [
        lambda: [labelings.canonical_codes(np.array(c)) for c in ([5, 5, -1, 2], [-1, -1], [3], [2,
            1, 0, 1])],
    ],
    "ContingencyTable": [
        lambda told, a: told(sortal.ContingencyTable(a, list("ppqqq"))),
        lambda told, a, b: told(sortal.ContingencyTable(a, b, noise="cluster")),
        lambda told, a, b: told(sortal.ContingencyTable(a, b, noise="singletons")),
        lambda told, a, b: told(sortal.ContingencyTable(a, b, noise="drop")),
        lambda told, b: told(sortal.ContingencyTable(b, b, noise="cluster")),
        lambda told, a: told(sortal.ContingencyTable(a, [1, -1, "a", "a", 2], noise="cluster")),
        lambda told, a: told(sortal.ContingencyTable(a, list("ppqqq"), sample_weight=[1, 2, 3, 1,
            1])),
        lambda told, a: told(sortal.ContingencyTable(a, list("ppqqq"), sample_weight=[.5, 2.5, .25,
            1, 1])),
        lambda told, a, b: told(sortal.ContingencyTable(a, b, noise="drop", sample_weight=[.5, 2.5,
            .25, 1, 1])),
        lambda told, a, b: told(sortal.ContingencyTable(a, b, noise="cluster", sample_weight=[.5,
            2.5, .25, 1, 1])),
        lambda told: told(sortal.ContingencyTable(np.array([0, 0, 1, 2]), np.array([1, 1, 1, 0]))),
        lambda told: told(sortal.ContingencyTable([(1, 2), (0, 0)], ["u", "v"])),
        lambda told: told(sortal.ContingencyTable(["a"] * 4, list("wxyz"))),
        lambda told: told(sortal.ContingencyTable(list("wxyz"), ["a"] * 4)),
        lambda a, b: sortal.ContingencyTable(a, b),
        lambda b, a: sortal.ContingencyTable(b, a),
        lambda a, b: sortal.ContingencyTable(a, b, noise="what"),
        lambda a: sortal.ContingencyTable(a, a[:3]),
        lambda: sortal.ContingencyTable([], []),
        lambda: sortal.ContingencyTable([-1, 1], [1, -1], noise="drop"),
        lambda a: sortal.ContingencyTable(a, a, sample_weight=[1, 2, 3]),
        lambda a: sortal.ContingencyTable(a, a, sample_weight=[1, 2, 3, 4, 0]),
        lambda a: sortal.ContingencyTable(a, a, sample_weight=[1, 2, 3, 4, -1]),
        lambda a, b: sortal.ContingencyTable(a, b, noise="singletons", sample_weight=[.5, 2, 3, 4,
            1]),
        lambda a: sortal.ContingencyTable(pd.Series(a, index=list("vwxyz")), pd.Series(a,
            index=list("zyxwv"))),
        lambda a: sortal.ContingencyTable(pd.Series(a, index=list("vwxyz")), pd.Series(a,
            index=list("abxwv"))),
        lambda big: [(t.to_array(), t.pair_counts, t.matching(), t.coverage) for t in
            [sortal.ContingencyTable(*big, noise="cluster")]],
        lambda big: [(t.to_array(), t.pair_counts, t.matching(), t.coverage) for t in
            [sortal.ContingencyTable(*big, noise="drop")]],
        lambda big, weights: [(t.to_array(), t.pair_counts, t.coverage) for t in
            [sortal.ContingencyTable(*big, noise="drop", sample_weight=weights)]],
        lambda big, weights: [(t.to_array(), t.pair_counts, t.coverage) for t in
            [sortal.ContingencyTable(*(side.astype(str) for side in big),
            sample_weight=np.floor(weights * 9) + 1)]],
        lambda told: told(sortal.ContingencyTable.from_counts([[5, 1], [0, 4]])),
        lambda told: told(sortal.ContingencyTable.from_counts([[5, 1], [0, 0]])),
        lambda told: told(sortal.ContingencyTable.from_counts([5, 1, 4, 2], ["a", "a", "b", "a"],
            ["x", "y", "y", "x"])),
        lambda told: told(sortal.ContingencyTable.from_counts(pd.DataFrame([[5, 1], [0, 4]],
            index=["a", "b"], columns=[7, 8]))),
        lambda told: told(sortal.ContingencyTable.from_counts(pd.DataFrame([[5, 1], [0, 4]]), ["c",
            "d"], ["e", "f"])),
        lambda told: told(sortal.ContingencyTable.from_counts(sparse.csr_array([[0, 3], [2, 0]]))),
        lambda told: told(sortal.ContingencyTable.from_counts([[5, 1], [0, 4]], [-1, 1], [2, 3],
            noise="cluster")),
        lambda told: told(sortal.ContingencyTable.from_counts([[5, 1], [0, 4]], [-1, 1],
            noise="drop")),
        lambda told: told(sortal.ContingencyTable.from_counts([[2, 1], [0, 4]], [-1, 1],
            noise="singletons")),
        lambda told: told(sortal.ContingencyTable.from_counts([[5.0, 1.0]])),
        lambda told, counts: told(sortal.ContingencyTable.from_counts(counts)),
        lambda: sortal.ContingencyTable.from_counts([[5, 1], [0, 4]], [-1, 1]),
        lambda: sortal.ContingencyTable.from_counts([[.5]]),
        lambda: sortal.ContingencyTable.from_counts([[-1, 2]]),
        lambda: sortal.ContingencyTable.from_counts([[0, 0]]),
        lambda: sortal.ContingencyTable.from_counts([[np.nan]]),
        lambda: sortal.ContingencyTable.from_counts([["a"]]),
        lambda: sortal.ContingencyTable.from_counts([[2**62, 2**62]]),
        lambda: sortal.ContingencyTable.from_counts([5, 1]),
        lambda: sortal.ContingencyTable.from_counts([5, 1], ["a", "b"]),
        lambda: sortal.ContingencyTable.from_counts([5, 1], ["a", "b"], ["x"]),
        lambda: sortal.ContingencyTable.from_counts([5], ["a", "b"], ["x", "y"]),
        lambda: sortal.ContingencyTable.from_counts(5),
        lambda: sortal.ContingencyTable.from_counts([[[1]]]),
        lambda: sortal.ContingencyTable.from_counts([[5, 1]], ["a", "b"]),
        lambda: sortal.ContingencyTable.from_counts([[5], [1]], ["a", "a"]),
        lambda: sortal.ContingencyTable.from_counts([[1, 2]], noise="what"),
        lambda: sortal.ContingencyTable.from_counts([[1, 2]], None, ["p", "p"]),
        lambda b: [sortal.ContingencyTable.of_codes(labelings.encode(x), labelings.encode(y), w) and
            sortal.ContingencyTable.of_codes(labelings.encode(x), labelings.encode(y), w).coverage
            for x, y in ((b, b), ([-1, 1, 1, 2, 2], b), ([-1, -1], [1, 2]), ([1, -1], [-1, 2])) for
            w in (None, np.arange(1.0, 6)[: len(y)])],
        lambda: sortal.ContingencyTable.from_counts([0, 0], ["a", "b"], ["x", "y"]),
    ],
    "soft": [
        lambda soft, thirds, loose: [s.harden() for s in (soft, thirds, loose)],
    ],
    "SoftPartition": [
        lambda: labelings.SoftPartition([[.9, .2]]),
        lambda: labelings.SoftPartition([[.9, .1 + 9e-7]]),
        lambda: labelings.SoftPartition([[1.1, -.1]]),
        lambda: labelings.SoftPartition([[np.nan, 1]]),
        lambda: labelings.SoftPartition([1, 0]),
        lambda: labelings.SoftPartition(np.zeros((0, 2))),
        lambda: labelings.SoftPartition([[.5, .5], [.2, .7]]),
    ],
    "OverlappingPartition": [
        lambda: labelings.OverlappingPartition([[2, 0]]),
        lambda: labelings.OverlappingPartition([1, 0]),
        lambda: labelings.OverlappingPartition([[]]),
        lambda: labelings.OverlappingPartition([[True]]),
    ],
    "cut_dendrogram": [
        lambda Z: labelings.cut_dendrogram(Z, n_clusters=3),
        lambda Z: labelings.cut_dendrogram(Z, n_clusters=[1, 2, 6]),
        lambda Z: labelings.cut_dendrogram(Z, height=1.0),
        lambda Z: labelings.cut_dendrogram(Z, height=.9),
        lambda Z: labelings.cut_dendrogram(Z, height=0),
        lambda Z: labelings.cut_dendrogram(Z, height=99),
        lambda Z: labelings.cut_dendrogram(Z),
        lambda Z: labelings.cut_dendrogram(Z, n_clusters=2, height=1),
        lambda Z: labelings.cut_dendrogram(Z, n_clusters=0),
        lambda Z: labelings.cut_dendrogram(Z, n_clusters=7),
        lambda Z: labelings.cut_dendrogram(Z[:, :3], n_clusters=2),
        lambda Z: labelings.cut_dendrogram(Z, n_clusters=[2, 9]),
        lambda Z: labelings.cut_dendrogram(Z, n_clusters=[]),
    ],
    "Dendrogram": [
        lambda Z: labelings.Dendrogram(Z).cuts,
        lambda Z: labelings.Dendrogram(Z, 3).cuts,
        lambda Z: labelings.Dendrogram(Z, [2, 2, 5]).cuts,
        lambda Z: labelings.Dendrogram(Z, 0).cuts,
        lambda Z: labelings.Dendrogram(Z, 7).cuts,
        lambda Z: labelings.Dendrogram(Z, []).cuts,
        lambda Z: labelings.Dendrogram(Z, 2.5).cuts,
        lambda Z: labelings.Dendrogram(Z[:1] * 0 + [0, 1, 1, 2]).cuts,
        lambda Z: labelings.Dendrogram(Z[0]).cuts,
        lambda X: labelings.Dendrogram(X).cuts,
        lambda: labelings.Dendrogram(linkage(np.arange(30.0)[:, None])).cuts,
        lambda Z: labelings.Dendrogram(Z, [2, 4]).labelings(),
        lambda Z: labelings.Dendrogram(Z).n_objects,
        lambda hard, Z: hard(labelings.Dendrogram(Z, [2, 3])),
        lambda hard, Z: hard({"t": labelings.Dendrogram(Z, 2), "u": [0, 1, 1, 1, 1, 1]}),
        lambda hard, Z: hard({"t k=2": [0, 1], "t": labelings.Dendrogram(Z, 2)}),
    ],
    "hard": [
        lambda hard, soft: hard([Fitted(labels_=[0, 1, 1]), soft]),
        lambda hard: hard(Fitted(labels_=[0, 1])),
        lambda hard: hard({"m": Fitted(topics_=[0, 1])}),
        lambda hard: hard([Fitted(labels_=[0, 1]), Fitted(labels_=[1, 1])]),
        lambda hard, soft: hard(soft),
        lambda hard, loose: hard(loose),
        lambda hard: hard(Predicts(), [[1.0], [-1.0]]),
        lambda hard: hard(Predicts()),
        lambda hard: hard(Predicts(a=1), [[1.0]]),
        lambda hard: hard(Fitted()),
        lambda hard: hard(SimpleNamespace(topics_=[1, 0])),
        lambda hard: hard(SimpleNamespace(steps=[("x", 1), ("y", Fitted(labels_=[3]))], fit=1,
            predict=1)),
        lambda hard: hard(SimpleNamespace(obs=pd.DataFrame({"leiden": [1, 2], "age": [3, 4],
            "my_kmeans": [1, 1]}), obsm={}, obs_names=[])),
        lambda hard: hard(SimpleNamespace(obs=pd.DataFrame({"age": [3, 4]}), obsm={},
            obs_names=[])),
    ],
    "hard_labelings": [
        lambda: labelings.hard_labelings([[0, 1], [1, 1]]),
        lambda: labelings.hard_labelings({"a": [0, 1]}),
        lambda: labelings.hard_labelings(np.array([0, 1])),
        lambda: labelings.hard_labelings(Fitted)[0].__name__,
        lambda: labelings.hard_labelings(SimpleNamespace(fit=1)),
        lambda: labelings.hard_labelings(SimpleNamespace(predict=1)),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
