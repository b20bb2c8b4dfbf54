"""One answer for the number of clusters: its probabilities and its sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sortal


def three():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(c, 0.5, (20, 2)) for c in ((0, 0), (6, 0), (0, 6))])


def test_the_sentence_names_what_else_it_may_be():
    shares = pd.Series([0.05, 0.55, 0.3, 0.1], index=pd.Index([1, 2, 3, 4], name="k"))
    answer = replace(sortal.n_clusters(three()), k=2, probabilities=shares, structure=None)
    assert repr(answer) == "2 clusters (55 %), or 3 (30 %)."


def test_one_answer_by_the_judge():
    found = sortal.n_clusters(three())
    assert found.k == 3
    assert found.probabilities.sum() == pytest.approx(1)
    assert found.probabilities[1] == pytest.approx(1 - found.structure.probability)
    assert found.table.loc[3, "recovery"] == found.table["recovery"].max()
    assert repr(found).startswith("3 clusters (")
    assert found.structure.decision == "yes"


@pytest.mark.long
def test_one_cloud_has_one_cluster():
    one = sortal.n_clusters(np.random.default_rng(0).normal(size=(250, 2)))
    assert one.k == 1
    assert repr(one).startswith(("One cloud", "One bent cloud"))


def test_too_few_objects_are_sent_to_the_estimators():
    with pytest.raises(sortal.InputError, match=r"sortal\.stability\.ESTIMATORS"):
        sortal.n_clusters(np.arange(6.0)[:, None])
