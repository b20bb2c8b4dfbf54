"""What is drawn for a distance, what lists have where nothing is ranked, and plain lines."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import karat
from karat.datasets import from_array
from karat.report._drawing import series
from karat.report._facts import Facts, gather
from karat.report._judges import clarity
from karat.report._map import drawn


@pytest.mark.parametrize(("d", "unit"), [(2, False), (3, True)])
def test_rows_under_cosine_are_drawn_as_unit_rows_where_they_are_projected(d, unit):
    data = from_array(np.random.default_rng(0).normal(size=(20, d)) + 3)
    shown = drawn(SimpleNamespace(dataset=data, metric="cosine"))
    assert np.allclose(np.linalg.norm(shown.X, axis=1), 1) == unit
    assert drawn(SimpleNamespace(dataset=data, metric="cityblock")) is data


def test_nothing_is_best_where_nothing_is_ranked():
    scores = pd.DataFrame({"silhouette": [0.1, 0.4]}, index=["a", "b"])
    distinct = Facts.distinct.func
    assert len(distinct(SimpleNamespace(scores=scores, ranked=None))) == 0
    ranked = pd.DataFrame(index=["b", "a"])
    assert distinct(SimpleNamespace(scores=scores, ranked=ranked)).index.tolist() == ["b", "a"]


def test_a_series_is_a_coloured_line_unless_told():
    line = series("a", [1, 2], [0.5, np.nan])
    assert line == {"name": "a", "dots": False, "grey": False, "x": [1, 2], "y": [0.5, None]}
    assert series("a", [1], [2], error=[0.1], dots=True, grey=True)["error"] == [0.1]


def test_the_five_pairs_that_are_hardest_to_tell_apart_are_named():
    rng = np.random.default_rng(0)
    study = karat.Study(rng.normal(size=(160, 2)))
    study.add({"at random": np.arange(160) % 8})
    sentences = clarity(gather(study)).values["sentences"]
    assert sentences[-1].startswith("Hardest to tell apart: ")
    assert sentences[-1].count("%") == 5
