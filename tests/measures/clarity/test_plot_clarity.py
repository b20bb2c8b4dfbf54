"""Pictures of clarity show the numbers of the tables."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.measures.clarity import assess
from karat.runtime.validation import InputError


def found() -> karat.measures.clarity.Clarity:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    X[150:] += 30
    labels = np.repeat(["<b>a", "b", "c", "d"], 50)
    return assess(X, {"one": labels})


def test_bars_add_up_to_the_cluster() -> None:
    figure = karat.plot.cluster_clarity(found(), "one")
    total = sum(np.asarray(bar.x) for bar in figure.data)
    np.testing.assert_allclose(total, 1)
    table = found().per_cluster("one")
    assert figure.data[0].y[-1] == "d"
    assert figure.data[0].x[-1] == table.loc["d", "recall"] == 1.0
    assert "&lt;b&gt;a" in list(figure.data[0].y)


def test_confusion_holds_every_object_and_neighbours_stand_together() -> None:
    figure = karat.plot.cluster_confusion(found())
    counts = np.array([[int(c) if c != "·" else 0 for c in row] for row in figure.data[0].text])
    assert counts.sum() == 200
    assert figure.data[0].x[0] == "d" or figure.data[0].x[-1] == "d"
    np.testing.assert_allclose(np.asarray(figure.data[0].z).sum(axis=1), 1, atol=1e-3)


def test_too_many_clusters_to_see() -> None:
    X = np.arange(600.0)[:, None]
    with pytest.raises(InputError, match="confused_pairs"):
        karat.plot.cluster_confusion(assess(X, np.arange(600)))
    with pytest.raises(InputError, match="no clustering"):
        karat.plot.cluster_clarity(found(), "two")
