"""Which internal measures judge which kind of data: every cell of the table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import squareform

import sortal
from sortal import InputError
from sortal.distances import FORMS, distance_matrix
from sortal.measures import catalogue

RNG = np.random.default_rng(0)
LABELS = np.arange(36) % 3
X = 3 * np.eye(3)[LABELS] + RNG.gamma(1.0, size=(36, 3)).round(2) + 0.1
KEYS = [m.key for m in catalogue.select(kind="internal")]


def apart(x, y):
    return float(np.abs(x - y).sum())


D = distance_matrix(X, "cityblock")
#: kind -> (data, metric)
KINDS = {
    "rows": (X, "euclidean"),
    "single precision": (X.astype(np.float32), "euclidean"),
    "sparse rows": (sparse.csr_array(X), "euclidean"),
    "cosine": (X, "cosine"),
    "sparse cosine": (sparse.csr_array(X), "cosine"),
    "standardised": (X, "seuclidean"),
    "cityblock": (X, "cityblock"),
    "function": (X, apart),
    "matrix": (D, "precomputed"),
    "condensed": (squareform(D), "precomputed"),
    "graph": (np.exp(-D) - np.eye(36), "graph"),
}


def accepts(measure, metric):
    """What the record says."""
    if measure.takes == "graph" or metric == "graph":
        return measure.takes == metric
    has_form = isinstance(metric, str) and metric in FORMS
    return measure.takes == "distances" or has_form


@pytest.mark.quick(4)
@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_has_a_value_or_says_why_not(kind):
    data, metric = KINDS[kind]
    for key in KEYS:
        measure = catalogue[key]
        if not accepts(measure, metric):
            with pytest.raises(InputError, match=f"{key} is an internal measure and needs"):
                sortal.evaluate(data, LABELS, measures=[key], metric=metric)
            continue
        scores = sortal.evaluate(data, LABELS, measures=[key], metric=metric)
        value = float(scores[key].iloc[0])
        assert np.isfinite(value) or scores.reasons["0"][key], (kind, key)
        if kind not in ("sparse rows", "sparse cosine"):
            assert np.isfinite(value), (kind, key, scores.reasons)


def test_kinds_of_one_distance_have_one_value():
    of_distances = [key for key in KEYS if catalogue[key].takes == "distances"]
    tables = [
        sortal.evaluate(
            *KINDS[kind][:1], LABELS, measures=of_distances, metric=KINDS[kind][1]
        ).table
        for kind in ("cityblock", "function", "matrix", "condensed")
    ]
    for table in tables[1:]:
        np.testing.assert_allclose(table, tables[0], rtol=1e-9)
