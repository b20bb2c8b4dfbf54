"""Valleys, coordinates and probabilities inside of the assessment of structure."""

from __future__ import annotations

import numpy as np
import pytest

from sortal._kernels.dip import dip_evidence
from sortal.nulls.coordinates import coordinates
from sortal.nulls.structure import linearity, needed, probability_of
from sortal.nulls.valleys import (
    _spanning_edges,
    _thin_border,
    _valley_along,
    find_valleys,
)


def test_a_link_without_a_valley_joins():
    # a chain 0 - 1 - 2 without valleys, and 3 apart from all
    evidence = np.full((4, 4), 20.0)
    evidence[0, 1] = evidence[1, 0] = evidence[1, 2] = evidence[2, 1] = 0.5
    evidence[3] = evidence[:, 3] = 9.0
    assert sorted(_spanning_edges(evidence)) == [0.5, 0.5, 9.0]


def test_more_evidence_is_more_probable_and_a_line_needs_more():
    at = [[probability_of(e, n)[0] for e in np.arange(0, 9, 0.5)] for n in (30, 400, 2000)]
    assert (np.diff(at, axis=1) >= 0).all()
    assert needed(0.9) > needed(0.5) > needed(0.25) == needed(0.1)
    for linear in (0.3, 0.9):
        assert probability_of(needed(linear), 400, linear)[0] == pytest.approx(0.9)


def test_random_numbers_of_the_search_make_the_probability_less_certain():
    sure, unsure = probability_of(5.0, 400), probability_of(5.0, 400, error=1.0)
    assert sure[1] == 0 < unsure[1]
    assert 0.5 < unsure[0] < sure[0]


def test_linearity_is_that_of_the_shape():
    rng = np.random.default_rng(0)
    t = np.linspace(0, 1, 300)
    assert linearity(np.column_stack([t, 3 * t])) == pytest.approx(1)
    assert linearity(rng.normal(size=(300, 2))) == pytest.approx(0.6, abs=0.06)
    assert linearity(rng.normal(size=(300, 20))) < 0.25


@pytest.mark.parametrize("bend", [1.0, 2.0, 3.0])
def test_the_valley_along_a_curve_is_that_of_its_arc(bend):
    rng = np.random.default_rng(3)
    t = np.sort(rng.uniform(size=300))
    curve = np.column_stack([np.cos(bend * t), np.sin(bend * t)]) / bend
    assert _valley_along(curve, t > 0.5, fitted=False) == pytest.approx(
        dip_evidence(np.sort(t)), abs=1.0
    )
    gap = (t < 0.4) | (t > 0.6)
    assert _valley_along(curve[gap], t[gap] > 0.5, fitted=False) > 8


def test_valleys_count_the_clusters():
    rng = np.random.default_rng(0)
    centres = rng.uniform(0, 60, size=(6, 2))
    Z = coordinates(np.repeat(centres, 60, axis=0) + rng.normal(size=(360, 2)), "euclidean", rng)
    assert find_valleys(Z, rng, [6, 200])[1].tolist() == [6, 1]  # too few objects for 200


def test_the_order_of_many_rows_does_not_matter():
    X = np.random.default_rng(0).normal(size=(2_500, 2))
    order = np.random.default_rng(1).permutation(2_500)
    first, second = (
        coordinates(rows, "euclidean", np.random.default_rng(3)) for rows in (X, X[order])
    )
    assert first == pytest.approx(second)


def test_a_border_is_thin_between_dense_groups_and_not_within_one():
    rng = np.random.default_rng(0)
    halves = np.where(np.arange(600) % 2, 1.0, -1.0) + rng.normal(scale=0.3, size=600)
    flat = rng.uniform(-2, 2, 600)
    evidence = [
        _thin_border(np.column_stack([t, rng.normal(scale=0.3, size=600)]), np.arange(600), t)[0]
        for t in (halves, flat)
    ]
    assert evidence[0] > 20 > 3 > evidence[1]
