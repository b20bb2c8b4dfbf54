"""Values of measures: every value and reason on small data, records, scores, and families."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans

import sortal
from sortal import labelings, measures
from values import attempt, table_test


def fixtures() -> dict[str, Any]:
    """Three groups, clusterings from the best to degenerate ones, classes, a graph, weights."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = (6.0 * np.eye(3, 2)[y] + rng.normal(size=(30, 2))).round(3)
    batch = {
        "good": y, "half": y // 2, "odd": np.arange(30) % 4, "one": y * 0,
        "single": np.where(np.arange(30) == 4, 3, y), "each": np.arange(30),
        "rest": (np.arange(30) == 2) * 1,
    }  # fmt: skip
    pairs = {
        "good": (y, y // 2), "same": (y, y), "chance": (y, np.arange(30) % 4), "one": (y, y * 0),
        "each": (y, np.arange(30)), "none": (y * 0, y), "lone": (np.arange(30), np.arange(30)),
    }  # fmt: skip
    D = np.abs(X[:, None] - X).sum(axis=2)
    A = sparse.csr_array(np.where((D < 3) & (D > 0), np.exp(-D), 0.0))
    U = rng.dirichlet(np.ones(3) / 3, 30)
    soft, loose = labelings.SoftPartition(U), labelings.OverlappingPartition(U > 0.3)
    tree = sortal.Dendrogram(linkage(X, "average"), [2, 3])

    def external(key: str, **options: Any) -> Any:
        """Values of an external measure, or its errors."""
        function = measures.catalogue[key].function
        values: dict[str, Any] = {}
        for name, pair in pairs.items():
            try:
                values[name] = function(*pair, **options)
            except ValueError as error:
                values[name] = str(error)
        return values

    def scored(
        *arguments: Any, X: Any = X, y: Any = None, fitted: Any = None, **options: Any
    ) -> Any:
        """The value of a fitted clusterer by a scorer, and its warnings."""
        model = fitted or KMeans(3, n_init=1, random_state=0).fit(X)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = sortal.scorer(*arguments, **options)(model, X, y)
        return value, [str(one.message) for one in caught]

    internal = [key for key, one in measures.catalogue.items() if one.kind == "internal"]
    return {
        "external": external, "y": y, "tree": tree, "batch": batch, "X": X, "soft": soft, "A": A,
        "scored": scored, "loose": loose, "internal": internal,
    }  # fmt: skip


# fmt: off
CASES = {
    "external": [
        lambda external: [external(k, beta=.5) for k in ("pair_f_measure", "v_measure",
            "f_quality", "bcubed_f_measure")],
        lambda external: external("v_measure", beta=-1),
        lambda external: external("element_centric_similarity", alpha=.5),
        lambda external: external("element_centric_similarity", alpha=1),
        lambda external: [external("normalized_mutual_information", normalizer=a) for a in
            ("arithmetic", "geometric", "max", "min", "what")],
        lambda external: [external("adjusted_mutual_information", normalizer=a) for a in ("max",
            "min")],
    ],
    "catalogue": [
        lambda y, tree: {k: measures.catalogue[k].function(y, tree.__class__(tree.linkage)) for k
            in ("best_f_measure", "best_accuracy", "dendrogram_purity") if k in measures.catalogue},
        lambda: measures.catalogue.select(["silhouette", "silhouette"]),
        lambda: measures.catalogue.select("silhouette"),
        lambda: measures.catalogue.select([]),
        lambda internal: ([key for key in internal if "fewer than two clusters" in
            measures.catalogue[key].function.__doc__], [key for key in internal if "Undefined" in
            measures.catalogue[key].function.__doc__]),
    ],
    "compare_labelings": [
        lambda y, batch: sortal.compare_labelings({"p": y, "q": y // 2, "r": batch["odd"]}),
    ],
    "chance_corrected": [
        lambda y: vars(sortal.chance_corrected("purity", y, y // 2, random_state=0)),
    ],
    "permutation_test": [
        lambda y: vars(sortal.permutation_test("rand_index", y, y // 2, n_permutations=19,
            random_state=0)),
    ],
    "jackknife_interval": [
        lambda y, batch: sortal.jackknife_interval("adjusted_rand_index", y, batch["odd"]),
    ],
    "dunn_index": [
        lambda X, y: [sortal.dunn_index(X, y, separation=s, diameter=d) for s in ("single",
            "complete", "average", "centroid") for d in ("complete", "average", "centroid")],
        lambda X, y: sortal.dunn_index(X, y, separation="what"),
    ],
    "davies_bouldin_index": [
        lambda X, y: [sortal.davies_bouldin_index(X, y, p=p, q=q) for p in (1, 2) for q in (1, 2)],
    ],
    "connectivity": [
        lambda X, batch: [sortal.connectivity(X, batch["odd"], n_neighbors=k) for k in (1, 5, 99)],
        lambda X, y: sortal.connectivity(X, y, n_neighbors=0),
    ],
    "xie_beni_index": [
        lambda soft, y, X: [sortal.xie_beni_index(X, u) for u in (soft, y)],
    ],
    "silhouette_samples": [
        lambda X, y, batch: (sortal.silhouette_samples(X, y)[:6], sortal.silhouette_by_cluster(X,
            batch["single"])),
    ],
    "hartigan_index": [
        lambda X, y, batch: [sortal.hartigan_index(X, [y * 0, batch["half"], y,
            batch["odd"]]).table, sortal.krzanowski_lai_index(X, [y * 0, batch["half"], y,
            batch["odd"]]).table],
    ],
    "cvnn_index": [
        lambda X, y, batch: sortal.cvnn_index(X, {"good": y, "odd": batch["odd"]}),
        lambda X, y, batch: [attempt(sortal.cvnn_index, X, {"good": y, "odd": batch["odd"]},
            compactness=c) for c in ("pooled", "average", "sum", "mean", "odd")],
        lambda X: [sortal.cvnn_index(X[:n], {"a": np.array(c), "b": np.arange(n) // 2},
            compactness=c2, n_neighbors=1).table for n, c in ((3, [0, 0, 1]), (4, [0, 0, 1, 2]),
            (4, [0, 0, 1, 1])) for c2 in ("pooled", "sum")],
    ],
    "modularity": [
        lambda A, y: [sortal.modularity(A, y, resolution=r) for r in (.5, 1, 2)],
    ],
    "scored": [
        lambda scored: scored("silhouette"),
        lambda scored: scored("davies_bouldin_index"),
        lambda scored, y: scored("adjusted_rand_index", y=y),
        lambda scored: scored("adjusted_rand_index"),
        lambda scored, X: scored("silhouette", fitted=KMeans(1, n_init=1).fit(X)),
        lambda scored: scored("what"),
    ],
    "omega_index": [
        lambda loose, y: [sortal.omega_index(a, b) for a in (loose, y) for b in (loose, y // 2)],
    ],
    "properties": [
        lambda: sortal.properties("dunn_index")["what"],
    ],
    "wemmert_gancarski_index": [
        lambda: [sortal.wemmert_gancarski_index(np.array(Z, dtype=float), l) for Z, l in (([[0],
            [2], [1], [1]], [0, 0, 1, 1]), ([[0], [1], [3], [3], [9]], [0, 0, 1, 1, 1]), ([[0],
            [2], [0], [2], [7]], [0, 0, 1, 1, 1]))],
    ],
    "normalized_variation_of_information": [
        lambda: max(sortal.normalized_variation_of_information(np.repeat(np.arange(a), n // a),
            np.tile(np.arange(b), n // b)) for a, b, n in ((2, 3, 12), (5, 5, 50), (3, 2, 18), (2,
            3, 18), (2, 3, 6), (5, 5, 25))) <= 1,
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
