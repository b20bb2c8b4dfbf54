"""CLARA beside k-medoids of all objects; ORCLUS on clusters that are narrow in subspaces."""

from __future__ import annotations

import numpy as np
import pytest

from sortal.clusterers.orclus import _Groups


def test_merging_joins_the_narrowest_union():
    X = np.concatenate([[[i, 0.0] for i in range(5)], [[i, 0.1] for i in range(5)], [[0, 9.0]]])
    groups = _Groups(X, np.repeat([0, 1, 2], [5, 5, 1]))
    groups.merge(2, 1)
    assert sorted(groups.sizes.tolist()) == [1, 10]
    groups.merge(1, 1)
    assert groups.sizes.tolist() == [11]
    np.testing.assert_allclose(groups.means, [X.mean(axis=0)])


@pytest.mark.parametrize("seed", range(3))
def test_each_merge_is_the_narrowest_of_all_unions(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(40, 3)), rng.permutation(np.arange(40) % 8)
    groups = _Groups(X, labels)
    groups.merge(3, 2)
    parts = [labels == c for c in range(8)]
    while len(parts) > 3:
        width_of = {
            (i, j): np.linalg.eigvalsh(np.cov(X[parts[i] | parts[j]].T, bias=True))[:2].sum()
            for j in range(len(parts))
            for i in range(j)
        }
        i, j = min(width_of, key=width_of.get)
        parts[i] |= parts.pop(j)
    np.testing.assert_allclose(groups.means, [X[part].mean(axis=0) for part in parts])
