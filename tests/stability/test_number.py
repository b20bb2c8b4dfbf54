"""One answer for the number of clusters: its probabilities and its sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.stability import n_clusters
from karat.stability.number import NumberOfClusters, probabilities

QUICK = ("prediction-strength", "valleys", "silhouette")


def three():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(c, 0.5, (40, 2)) for c in ((0, 0), (6, 0), (0, 6))])


def test_three_clusters_and_one():
    found = n_clusters(three(), k=range(1, 7), estimators=QUICK)
    assert found.k == 3
    assert found.probabilities.sum() == pytest.approx(1)
    assert list(found.probabilities.index) == list(range(1, 7))
    assert repr(found).startswith("3 clusters (")
    assert found.structure.decision == "yes"
    one = n_clusters(np.random.default_rng(0).normal(size=(400, 2)), estimators=QUICK)
    assert one.k == 1
    assert one.probabilities[1] == pytest.approx(1 - one.structure.probability)
    assert repr(one).startswith("No clusters (")


@given(
    st.lists(st.integers(1, 9), max_size=8),
    st.sets(st.integers(1, 9), min_size=1),
    st.floats(0, 1),
)
def test_probabilities_are_a_distribution(votes, numbers, clusters):
    shares = probabilities(votes, sorted(numbers), clusters)
    assert shares.sum() == pytest.approx(1 if numbers > {1} or numbers == {1} else clusters)
    assert (shares >= 0).all()
    above = shares[shares.index > 1]
    heard = [vote for vote in votes if vote > 1]
    if heard and len(set(heard)) == 1 and heard[0] in above.index:
        assert above.idxmax() == heard[0]


def test_the_sentence_names_what_else_it_may_be():
    shares = pd.Series([0.05, 0.55, 0.3, 0.1], index=pd.Index([1, 2, 3, 4], name="k"))
    assert NumberOfClusters(2, shares, pd.DataFrame()).sentence == "2 clusters (55%), or 3 (30%)."
