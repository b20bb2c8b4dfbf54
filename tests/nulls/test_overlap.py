"""Groups that overlap: what twins without groups have, and what the evidence does not follow."""

from __future__ import annotations

import numpy as np
import pytest

import sortal
from sortal.nulls import StructureSettings, overlap_evidence


def kinds(rng, n=300, d=8, k=4, apart=2.0):
    return rng.normal(size=(n, d)) + apart * rng.normal(size=(k, d))[rng.integers(k, size=n)]


CLOUDS = {
    "normal": lambda r: r.normal(size=(300, 6)),
    "correlated": lambda r: r.normal(size=(300, 6)) @ r.normal(size=(6, 6)),
    "log-normal": lambda r: np.exp(r.normal(size=(300, 6)) @ r.normal(size=(6, 6)) / 3),
    "multivariate t": lambda r: r.normal(size=(300, 6)) / np.sqrt(r.chisquare(3, (300, 1)) / 3),
    "answers": lambda r: np.round(r.normal(3, 1, (300, 6)) + r.normal(size=(300, 1))),
    "counts with a shared rate": lambda r: r.poisson(r.gamma(2, 2, (300, 1)), (300, 6)),
    "two modes of a column": lambda r: np.column_stack(
        [r.normal(size=(300, 5)), r.choice([-4, 4], 300) + r.normal(size=300)]
    ),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", CLOUDS)
def test_clouds_are_no_more_modular_than_their_twins(kind):
    X = np.asarray(CLOUDS[kind](np.random.default_rng(5)), dtype=np.float64)
    assert overlap_evidence(X, np.random.default_rng(0)) < 2


def test_kinds_that_overlap_are_and_the_more_the_farther_they_are():
    found = [
        overlap_evidence(kinds(np.random.default_rng(1), apart=apart), np.random.default_rng(0))
        for apart in (0.5, 1.2, 2.0)
    ]
    assert found[0] < 2 < found[1] < found[2]


def test_overlap_is_an_answer_of_its_own_and_the_three_sum_to_one():
    rng = np.random.default_rng(3)
    structure = sortal.assess_structure(kinds(rng, n=400, d=10, k=8, apart=0.8))
    assert structure.answer == "overlapping"
    assert structure.grouped == structure.probability + structure.overlapping > 0.9
    assert structure.one_cloud == pytest.approx(1 - structure.grouped)
    assert str(structure).startswith("Groups that overlap")
    stated = structure.to_dict()
    assert (stated["answer"], stated["one_cloud"]) == ("overlapping", structure.one_cloud)
    assert stated["overlapping"] == structure.overlapping


def test_a_bent_cloud_is_told_from_groups():
    angle = np.random.default_rng(4).uniform(0, np.pi, 400)
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    arc += 0.08 * np.random.default_rng(5).normal(size=(400, 2))
    structure = sortal.assess_structure(arc)
    assert structure.answer == "one cloud"
    assert structure.is_bent == (structure.overlap_evidence >= 2)


@pytest.mark.parametrize(
    "X", [np.zeros((60, 3)), np.zeros((0, 2)), np.arange(60.0)[:, None], np.eye(5)]
)
def test_data_without_a_graph_have_no_evidence(X):
    assert overlap_evidence(X, np.random.default_rng(0)) == 0


def test_the_order_of_rows_and_copies_do_not_matter():
    X = kinds(np.random.default_rng(6), n=200, d=10, k=6, apart=0.8)
    first = sortal.assess_structure(X)
    again = sortal.assess_structure(X[np.random.default_rng(0).permutation(200)])
    copied = sortal.assess_structure(np.repeat(X, 2, axis=0))
    assert again.overlap_evidence == pytest.approx(first.overlap_evidence, rel=1e-6)
    assert copied.overlap_evidence == pytest.approx(first.overlap_evidence, abs=2)


def test_columns_that_merge_to_one_value_are_dropped():
    X = np.column_stack([np.linspace(0, 1e-9, 90), np.random.default_rng(0).normal(size=90)])
    settings = StructureSettings(jitter=0.05)
    assert sortal.assess_structure(X, settings=settings).n_clusters == 1
    assert sortal.assess_structure(X[:, :1], settings=settings).one_cloud == 1
