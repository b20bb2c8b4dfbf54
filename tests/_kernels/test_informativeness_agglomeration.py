"""Every merge against trying all of them, and the estimator's contract."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import naive_clarity as naive
from example_counts import examples
from sortal._kernels.informativeness_agglomeration import agglomerate
from sortal.distances import neighbor_lists


def best_merge(D: Any, labels: Any, r: int, apart: Any) -> tuple[Any, float]:
    """Try every pair: the one that the rule takes, and its informativeness."""
    n = len(labels)
    told = naive.nearest_vote(D, labels, r)
    lists = [naive.neighbor_order(D, i)[:r] for i in range(n)]
    candidates = []
    for a, b in itertools.combinations(sorted(set(labels)), 2):
        merged = [a if c == b else c for c in labels]
        after = naive.nearest_vote(D, merged, r)
        # mistaken: an object of the two becomes right by the merge
        mistaken = any(
            labels[i] in (a, b) and told[i] != labels[i] and after[i] == a for i in range(n)
        )
        linked = any({labels[i], labels[j]} == {a, b} for i in range(n) for j in lists[i])
        value = naive.informativeness(merged, after) if len(set(merged)) > 1 else 1.0
        candidates.append((2 if mistaken else int(linked), value, -apart[a, b], (a, b)))
    tier = max(c[0] for c in candidates)
    best = max(c[1] for c in candidates if c[0] == tier)
    near = [c for c in candidates if c[0] == tier and c[1] > best - 1e-10]
    return {c[3] for c in near if c[2] > max(c[2] for c in near) - 1e-12}, best


@examples(12)
@given(st.integers(0, 2**32 - 1), st.integers(12, 24), st.integers(3, 6), st.integers(1, 6))
def test_every_step_is_the_best_of_all(seed: int, n: int, k: int, r: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    centres = rng.normal(size=(k, 2))
    apart, D = cdist(centres, centres), naive.distances(X)
    merges, path = np.empty((k - 1, 2), dtype=np.int64), np.full(k, np.nan)
    lists = neighbor_lists(X, r).indices
    codes = labels.copy()
    agglomerate(lists, codes, apart.copy(), merges, path)
    assert set(codes) == {merges[-1, 0]}
    assert np.isnan(path[-1])
    for step, (a, b) in enumerate(merges):
        told = naive.nearest_vote(D, labels, r)
        assert path[step] == pytest.approx(naive.informativeness(labels, told), abs=1e-9)
        allowed, _ = best_merge(D, labels, r, apart)
        assert (min(a, b), max(a, b)) in allowed
        labels = np.where(labels == b, a, labels)
        apart[a] = np.minimum(apart[a], apart[b])
        apart[:, a] = apart[a]
