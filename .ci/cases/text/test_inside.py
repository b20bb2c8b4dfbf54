"""Messages and markup, and intervals of terms against their definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.preprocessing import normalize

from sortal.labelings.held_out import held_out
from sortal.text import telling_terms
from sortal.text._messages import are_messages, body


def naive_interval(x, n, y, m, z):
    def wilson(x, n):
        p = x / n
        a, b = 2 * x + z**2, z * math.sqrt(z**2 + 4 * x * (1 - p))
        return (a - b) / (2 * (n + z**2)), (a + b) / (2 * (n + z**2))

    (l1, u1), (l2, u2) = wilson(x, n), wilson(y, m)
    p, q = x / n, y / m
    return p - q - math.hypot(p - l1, u2 - q), p - q + math.hypot(u1 - p, q - l2)


def test_messages() -> None:
    assert not are_messages(["Dear: all\nplain text\n\nmore", "no headers"])
    assert are_messages(["Article-I.D.: cs.1993\nFrom: a@b\n\ntext"])
    message, letter = "From: a@b\nSubject: tea\n\nAt five.", "Nothing of the kind."
    assert are_messages([message] * 95 + [letter] * 5 + [" "] * 50)
    assert not are_messages([message] * 94 + [letter] * 6)
    assert not are_messages([" "])


def test_markup():
    html = "Content-Type: text/html; charset=latin-1\n\n<b>caf&eacute;</b><script>evil()</script>"
    assert body(html).strip() == "café"
    encoded = "Content-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9"
    assert body(encoded) == "café"


def test_intervals_are_of_documents_that_did_not_form_the_clusters():
    # two groups of words, and two halves of the documents that k-means divides as all of them
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 500)
    X = (rng.random((500, 12)) < np.where(labels[:, None] == (np.arange(12) < 6), 0.5, 0.05)) * 1.0
    X, labels = X[X.any(axis=1)], labels[X.any(axis=1)]
    table = telling_terms(X, labels, count=6)
    halves = held_out(normalize(X), labels, by_direction=True)
    z = stats.norm.isf(0.05 / (2 * 2 * 12))
    for row in table.itertuples():
        others = np.setdiff1d(np.arange(12), row.term)
        placed = halves.clusters([row.term])
        # what the other words say
        first = X[halves.rows][:, others[others < 6]].sum(axis=1)
        second = X[halves.rows][:, others[others >= 6]].sum(axis=1)
        clear = np.abs(first - second) >= 2
        assert ((placed == 1) == (first > second))[clear].all()
        is_placed = placed >= 0
        members = (placed == row.cluster) & is_placed
        x, y = (
            X[halves.rows][members, row.term].sum(),
            X[halves.rows][is_placed & ~members, row.term].sum(),
        )
        expected = naive_interval(x, members.sum(), y, (is_placed & ~members).sum(), z)
        assert (row.low, row.high) == pytest.approx(expected)
        assert row.low > 0
