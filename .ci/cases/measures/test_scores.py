"""The result of judging says all that is known of each value."""

from __future__ import annotations

import numpy as np

import sortal

RNG = np.random.default_rng(0)


X = RNG.normal(size=(3000, 2))


def test_a_local_search_is_told(monkeypatch):
    from sortal.measures.internal import margins

    labels = np.arange(40) % 3
    exact = sortal.evaluate(X[:40], labels, measures=["relative_margin", "silhouette"])
    assert exact.exact.to_numpy().all()
    assert "≈" not in str(exact)
    monkeypatch.setattr(margins, "EXACT_WORK", 0)
    found = sortal.evaluate(X[:40], labels, measures=["relative_margin", "silhouette"])
    assert found.exact.loc["0"].tolist() == [False, True]
    assert "≈ " in str(found)
    assert "local search" in str(found)
