"""Every record of both catalogues obeys the laws, and the lists are complete."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import karat
from karat import clusterers
from karat.measures import catalogue
from karat.testing import check_clusterer, check_measure


@pytest.mark.parametrize("key", list(catalogue))
def test_measure(key):
    # mutual reachability distances tie all the time, and DBCV's spanning tree is then not unique
    check_measure(catalogue[key], order_matters=key == "dbcv")


@pytest.mark.parametrize("key", list(clusterers.catalogue))
def test_clusterer(key):
    check_clusterer(clusterers.catalogue[key])


@pytest.mark.parametrize("key", list(catalogue))
def test_record_is_complete(key):
    measure = catalogue[key]
    assert measure.key == key
    assert measure.title
    assert measure.source
    assert measure.cost
    assert measure.range[0] < measure.range[1]
    assert measure.optimum in measure.range
    assert measure.optimum == measure.range[1 if measure.greater_is_better else 0]
    assert measure.summary.endswith(".")
    assert callable(measure.function)


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (lambda X, labels: float(np.sum(np.asarray(labels) == "a")), "no worse"),
        (lambda X, labels: karat.silhouette(X, labels) + 5, "outside"),
        (lambda X, labels: karat.silhouette(X, labels) - (str(labels[0]) == "d"), "names"),
        (lambda X, labels: karat.silhouette(X, labels) * 0.1 / (1 + abs(X[0, 0])), "order"),
    ],
)
def test_the_laws_can_be_broken(broken, law):
    bad = replace(catalogue["silhouette"], key="bad", function=broken, compute=None)
    with pytest.raises(AssertionError, match=law):
        check_measure(bad)


def test_entry_points_add_records(monkeypatch):
    from importlib import metadata

    from karat.registry import Registry
    from karat.validation import InputError

    record = replace(catalogue["silhouette"], key="from-elsewhere")

    class Point:
        def load(self):
            return [record]

    monkeypatch.setattr(metadata, "entry_points", lambda group: [Point()])
    registry = Registry("measure", "karat.measures")
    assert registry["from-elsewhere"] is record
    with pytest.raises(InputError, match="already"):
        registry.add(record)


@pytest.mark.parametrize("key", [key for key in catalogue if hasattr(karat, key)])
def test_one_name_is_one_quantity(key):
    """``karat.<key>`` with its defaults is what ``evaluate`` writes under that key."""
    rng = np.random.default_rng(0)
    X, labels, truth = rng.normal(size=(30, 2)), np.arange(30) % 3, rng.integers(0, 3, 30)
    measure, function = catalogue[key], getattr(karat, key)
    value = function(X, labels) if measure.kind == "internal" else function(truth, labels)
    table = karat.evaluate(X, labels, truth=truth, measures=[key])
    assert value == pytest.approx(float(table[key].iloc[0]), rel=1e-12)
