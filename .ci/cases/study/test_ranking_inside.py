"""Consensus: Borda by families, ties, coverage."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import sortal
from sortal.measures import catalogue
from sortal.study.ranking import consensus, order, points, ranks
from sortal.study.wording.why import vote


def measure(key, family, up=True):
    return replace(catalogue["silhouette"], key=key, family=family, greater_is_better=up)


def test_each_family_has_one_voice():
    values = pd.DataFrame({"a1": [3, 2, 1], "a2": [3, 2, 1], "b": [1, 2, 3]}, dtype=float)
    voters = [measure("a1", "a"), measure("a2", "a"), measure("b", "b")]
    result = consensus(values, voters, np.ones(3))
    np.testing.assert_allclose(result.score, [0.5, 0.5, 0.5])
    np.testing.assert_allclose(result.families["a"], [1, 0.5, 0])


def test_families_come_from_the_map():
    keys = ["silhouette", "simplified_silhouette", "ray_turi_index", "ratkowsky_lance_index"]
    rng = np.random.default_rng(0)
    values = pd.DataFrame(rng.normal(size=(12, 4)), columns=keys)
    result = consensus(values, [catalogue[key] for key in keys], np.ones(12))
    assert sorted(map(sorted, result.members.values())) == [keys[3:], sorted(keys[:3])]
    together = next(name for name, members in result.members.items() if len(members) == 3)
    points = rankdata(values[keys[:3]] * [1, 1, -1], axis=0).mean(axis=1)
    np.testing.assert_allclose(result.families[together], (points - 1) / 11)


def test_direction_and_undefined_values():
    values = pd.DataFrame({"low": [0.1, np.nan, 0.2]})
    result = consensus(values, [measure("low", "x", up=False)], np.ones(3))
    np.testing.assert_allclose(result.score, [1, 0, 0.5])


def test_what_is_left_out_counts_against_a_clustering():
    values = pd.DataFrame({"a": [2.0, 1.0], "b": [2.0, 1.0]})
    voters = [measure("a", "a"), measure("b", "b")]
    result = consensus(values, voters, np.array([0.5, 1.0]))
    np.testing.assert_allclose(result.score, [0.5, 0.0])


def test_one_candidate():
    result = consensus(pd.DataFrame({"a": [1.0]}), [measure("a", "a")], np.ones(1))
    assert result.score[0] == 1.0


def test_ties_have_half_a_point_each():
    upward = np.array([0.2, 0.7, np.nan, 0.2, 0.2])
    assert points(upward).tolist() == [0.5, 1, 0, 0.5, 0.5]
    # 1.96 standard errors of the difference are 1.96 · 0.05 = 0.098
    upward, errors = np.array([0.0, 0.097, 0.099, 0.3]), np.array([0.03, 0.04, 0.04, np.nan])
    assert points(upward, errors) * 3 == pytest.approx([0.5, 1, 1.5, 3])


def test_order_puts_nan_last_and_breaks_ties():
    score = np.array([np.nan, 0.5, 0.9, 0.5])
    np.testing.assert_array_equal(order(score, np.array([1, 5, 2, 3])), [2, 3, 1, 0])


def test_ranks_share_ties_and_put_nan_last():
    np.testing.assert_array_equal(ranks(np.array([np.nan, 0.5, 0.9, 0.5])), [4, 2, 1, 2])


def of_three(**families):
    return pd.DataFrame(families, index=["one", "two", "three"], dtype=float)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("families", "said"),
    [
        (of_three(a=[1, 0, 0.5], b=[1, 0.5, 0]), "2 families .* All of them put it first"),
        (of_three(a=[1, 0, 0], b=[0, 1, 0.5]), "a puts it first. b prefers two"),
        (
            of_three(a=[1, 0, 0], b=[0, 1, 0.5], c=[1, 0.5, 0]),
            "a and c put it first. b prefers two",
        ),
        (
            of_three(a=[0.5, 0, 1], b=[0.5, 1, 0]),
            "None puts it first, .* rank is the best. a prefers three and b prefers two",
        ),
        (
            of_three(a=[1, 0, 0], b=[0, 1, 0], c=[0, 1, 0], d=[0, 0, 1], e=[0, 1, 0]),
            "b prefers two, c prefers two and 2 more prefer others",
        ),
        (of_three(a=[1, 0, 0]), "One family of internal measures, a, decided"),
    ],
)
def test_how_the_families_voted_is_said(families, said):
    from sortal.study.deciders import Decision, deciders
    from sortal.study.ranking import FamilyVotes

    ranked = pd.DataFrame(
        {"n_clusters": [2, 3, 4], "score": [0.91, 0.52, 0.1]}, index=families.index
    )
    votes = FamilyVotes(ranked["score"].to_numpy(), families)
    facts = deciders["consensus"].facts(None, ranked, Decision(ranked["score"], details=votes))
    study = sortal.Study([[0.0], [0.1], [5.0], [5.1]], by="consensus")
    study.add({"one": [0, 0, 1, 1], "two": [0, 1, 1, 2], "three": [0, 1, 2, 3]})
    answer = replace(study.best(), **facts)
    sentences = vote(answer)
    assert re.search(said, " ".join(sentences))
    # the place among the candidates is no quality: no score is told
    assert not re.search(r"0\.91|0\.52", str(answer))
    tied = replace(answer, tied=("two", "three"))
    assert "ties with two and three" in " ".join(tied.reasons)
