"""Genie and filled HDBSCAN: against their definitions."""

from __future__ import annotations

import numpy as np

from sortal.clusterers.genie import spanning_tree


def test_spanning_tree_weighs_as_much_as_scipys():
    from scipy.sparse.csgraph import minimum_spanning_tree

    rng = np.random.default_rng(2)
    X, core = rng.normal(size=(60, 3)), rng.uniform(0, 1, 60)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    reach = np.maximum(D, np.maximum(core[:, None], core[None]))
    np.fill_diagonal(reach, 0)
    for metric, data in (("euclidean", X), ("precomputed", D)):
        edges, weights = spanning_tree(data, metric, core)
        np.testing.assert_allclose(weights.sum(), minimum_spanning_tree(reach).sum())
        np.testing.assert_allclose(reach[edges[:, 0], edges[:, 1]], weights)
