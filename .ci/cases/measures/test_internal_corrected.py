"""Internal measures corrected for chance: expectations by enumeration, C-Index as corrected WCS."""

import itertools

import numpy as np
import pytest

import sortal
from sortal.measures import catalogue
from sortal.measures.internal.chance import _CLOSED

SIZES = [(4, 2, 1), (3, 2, 2), (3, 4), (2, 2, 2, 1), (1, 1, 5)]


def relabelings(sizes):
    """All different labelings with clusters of these sizes."""
    labels = np.repeat(np.arange(len(sizes)), sizes).tolist()
    return sorted(set(itertools.permutations(labels)))


def points(kind):
    rng = np.random.default_rng(5)
    return rng.integers(0, 3, (7, 2)).astype(float) if kind == "ties" else rng.normal(size=(7, 2))


@pytest.mark.parametrize("kind", ["ties", "none"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_closed_forms_are_the_mean_over_all_relabelings(sizes, kind):
    X = points(kind)
    labelings = relabelings(sizes)
    keys = [key for key in _CLOSED if kind != "ties" or key != "ratio_cut"]
    table = sortal.evaluate(X, dict(enumerate(labelings)), measures=keys).table
    for key in keys:
        best = catalogue[key].optimum
        optimum = best if np.isfinite(best) else 1e3
        if sizes == (1, 1, 5) and key == "weighted_within_cluster_scatter_2":
            assert table[key].mean() > 0
        found = sortal.chance_corrected_internal(key, X, labelings[-1], optimum=optimum)
        assert found.n_permutations == 0
        assert found.expected == pytest.approx(table[key].mean(), abs=1e-12), key
