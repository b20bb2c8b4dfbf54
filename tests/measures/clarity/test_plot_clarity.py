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


def test_only_clusterings_there_are() -> None:
    with pytest.raises(InputError, match="no clustering"):
        karat.plot.cluster_clarity(found(), "two")
