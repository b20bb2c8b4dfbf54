"""Agreement of two clusterings of the same objects by its definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, fowlkes_mallows_score, rand_score

from sortal.stability import _agreement as agreement
from sortal.stability.curves import SIMILARITIES


def test_agreement_of_codes_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 4, 30).astype(np.int32), rng.integers(0, 3, 30).astype(np.int32)
        assert SIMILARITIES["adjusted_rand"](a, b) == pytest.approx(adjusted_rand_score(a, b))
        assert SIMILARITIES["matching"](a, b) == pytest.approx(rand_score(a, b))
        assert SIMILARITIES["fowlkes_mallows"](a, b) == pytest.approx(fowlkes_mallows_score(a, b))
        pairs = list(itertools.combinations(range(30), 2))
        both = sum(a[i] == a[j] and b[i] == b[j] for i, j in pairs)
        either = sum(a[i] == a[j] or b[i] == b[j] for i, j in pairs)
        assert SIMILARITIES["jaccard"](a, b) == pytest.approx(both / either)
        naive = min(
            np.mean(np.array(names)[a] != b) for names in itertools.permutations(range(4), 4)
        )
        assert agreement.disagreement(a, b) == pytest.approx(naive)


def test_outliers_are_singletons_in_the_agreement():
    a = np.array([0, 0, 1, -1, -1], dtype=np.int32)
    b = np.array([0, 0, 1, 2, 3], dtype=np.int32)
    assert agreement.disagreement(a, b) == 0
    assert agreement.least_kept(a, b) == agreement.least_kept(a, a) == 1


def test_least_share_is_the_definition():
    rng = np.random.default_rng(1)
    for _ in range(20):
        labels, predicted = (rng.integers(0, 3, 20).astype(np.int32) for _ in range(2))
        shares = [1.0]
        for c in range(3):
            members = np.flatnonzero(labels == c)
            pairs = list(itertools.combinations(members, 2))
            if pairs:
                shares.append(np.mean([predicted[i] == predicted[j] for i, j in pairs]))
        assert agreement.least_share(labels, predicted) == pytest.approx(min(shares))


def test_best_matches_are_the_definition():
    rng = np.random.default_rng(6)
    for _ in range(30):
        own, found = (rng.integers(-1, 4, 25).astype(np.int32) for _ in range(2))
        best, stayed = agreement.best_matches(own, found, 5)
        found[own < 0] = -2  # outliers there are in nobody's cluster
        for c in range(5):
            mine = set(np.flatnonzero(own == c))
            others = [set(np.flatnonzero(found == j)) for j in range(4)]
            similar = [len(mine & other) / max(len(mine | other), 1) for other in others]
            if not mine:
                assert np.isnan(best[c])
                continue
            assert best[c] == pytest.approx(max(similar))
            members = [i for i in mine if stayed[i]]
            if max(similar) > 0:
                assert set(members) == mine & others[int(np.argmax(similar))]
        assert not stayed[own < 0].any()


def test_least_kept_is_the_definition():
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b = rng.integers(0, 3, 24).astype(np.int32), rng.integers(0, 4, 24).astype(np.int32)
        worst = []
        for one, other in ((a, b), (b, a)):
            shares = [
                max(np.mean(other[one == c] == j) for j in set(other.tolist()))
                for c in set(one.tolist())
            ]
            worst.append(min(shares))
        assert agreement.least_kept(a, b) == pytest.approx(np.mean(worst))
    lone = np.arange(5, dtype=np.int32)
    assert agreement.least_kept(lone, lone) == 1.0
