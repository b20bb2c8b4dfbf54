"""The result of judging says all that is known of each value."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sortal
from sortal import Scores

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3000, 2))
LABELINGS = {"halves": (X[:, 0] > 0).astype(int), "one": np.zeros(3000, dtype=int)}


@pytest.fixture(scope="module")
def scores() -> Scores:
    measures = ["silhouette", "davies_bouldin_index"]
    return sortal.evaluate(X, LABELINGS, measures=measures, precision=0.02, random_state=0)


def test_a_mapping_of_measures(scores):
    assert list(scores) == ["silhouette", "davies_bouldin_index"]
    assert len(scores) == 2
    assert scores["silhouette"].equals(scores.table["silhouette"])
    assert "dunn_index" not in scores
    assert dict(scores).keys() == scores.keys()


def test_what_is_an_estimate_is_not_exact(scores):
    assert scores.exact["davies_bouldin_index"].tolist() == [True, True]
    assert not scores.exact.loc["halves", "silhouette"]
    assert list(scores.standard_errors) == ["silhouette"]
    everything = sortal.evaluate(X[:100], LABELINGS["halves"][:100], precision=0.01)
    assert everything.exact.to_numpy().all()


def test_it_prints_standard_errors_and_reasons(scores):
    value = scores["silhouette"]["halves"]
    error = scores.standard_errors.loc["halves", "silhouette"]
    places = -math.floor(math.log10(error))
    for text in (str(scores), repr(scores), scores._repr_html_()):
        assert f"{value:.{places}f} ± {error:.{places}f}" in text
        assert "has 1 cluster" in text
        assert f"{scores.sample_size['objects']} objects" in text


def test_the_longer_side_goes_down():
    few = sortal.evaluate(X[:50], LABELINGS["halves"][:50], measures=["silhouette", "dunn_index"])
    assert str(few).splitlines()[1].startswith("silhouette")
    labelings = {f"c{k}": np.arange(50) % k for k in range(2, 5)}
    many = sortal.evaluate(X[:50], labelings, measures=["silhouette"])
    assert str(many).splitlines()[1].startswith("c2")


def test_one_table_keeps_everything(scores):
    frame = scores.to_frame().set_index(["clustering", "measure"])
    one = frame.loc[("one", "silhouette")]
    assert math.isnan(one["value"])
    assert "1 cluster" in one["reason"]
    assert frame.loc[("halves", "silhouette"), "standard_error"] > 0
    assert math.isnan(frame.loc[("halves", "davies_bouldin_index"), "standard_error"])
    assert frame.loc[("halves", "davies_bouldin_index"), "exact"]


def test_coverage_is_told():
    labels = np.where(np.arange(50) < 5, -1, np.arange(50) % 2)
    found = sortal.evaluate(X[:50], {"a": labels}, measures=["silhouette"], noise="drop")
    assert found.coverage["a"] == pytest.approx(0.9)
    assert "a 90.0 %" in str(found)
