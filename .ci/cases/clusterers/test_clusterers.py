"""A clustering that does not fit in memory says how much it needs."""

from __future__ import annotations

import numpy as np
import pytest

from sortal import InputError
from sortal.clusterers import LinkageClustering
from sortal.runtime import resources


def test_too_many_objects_for_memory_is_an_error_that_says_how_much(monkeypatch):
    monkeypatch.setattr(resources, "available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"average linkage of 100 objects.*needs about"):
        LinkageClustering().fit(np.random.default_rng(0).normal(size=(100, 2)))
    LinkageClustering(method="ward").fit(np.random.default_rng(0).normal(size=(100, 2)))


def test_too_many_cells_for_memory_are_an_error(monkeypatch):
    monkeypatch.setattr(resources, "available_memory", lambda: 3000)
    with pytest.raises(InputError, match=r"Ward linkage of 30 cells needs about 3.6 kB"):
        LinkageClustering(method="ward").fit_cells(np.eye(30), np.ones(30))
