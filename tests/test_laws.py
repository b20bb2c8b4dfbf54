"""Every record of both catalogues obeys the laws, and the lists are complete."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal import clusterers, testing
from sortal.measures import catalogue
from sortal.measures.computation import compute
from sortal.measures.inputs import Inputs
from sortal.testing import check_clusterer, check_measure


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
    assert getattr(sortal, key) is measure.function
    assert "\nReferences\n-----" in measure.function.__doc__
    assert measure.title
    assert measure.source
    assert measure.cost
    assert measure.range[0] < measure.range[1]
    assert measure.summary.endswith(".")
    assert callable(measure.function)


def test_functions_without_a_record_cite_too():
    without = {
        name
        for name in sortal.measures.__all__
        if name[0].islower()
        and name not in catalogue
        and inspect.isfunction(function := getattr(sortal, name))
        and "\nReferences\n-----" not in (function.__doc__ or "")
    }
    assert without == {"compare_labelings"}


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (lambda X, labels: float(np.sum(np.asarray(labels) == "a")), "no worse"),
        (lambda X, labels: sortal.silhouette(X, labels) + 5, "outside"),
        (lambda X, labels: sortal.silhouette(X, labels) + 5 * (len(set(labels)) == 3), "outside"),
        (lambda X, labels: sortal.silhouette(X, labels) - (str(labels[0]) == "d"), "names"),
        (lambda X, labels: sortal.silhouette(X, labels) * 0.1 / (1 + abs(X[0, 0])), "order"),
    ],
)
def test_the_laws_can_be_broken(broken, law):
    bad = replace(catalogue["silhouette"], key="bad", function=broken, compute=None)
    with pytest.raises(AssertionError, match=law):
        check_measure(bad)


def test_weights_that_differ_from_repeated_objects_are_found(monkeypatch):
    values = iter([0.5, 0.6])
    monkeypatch.setattr(
        testing,
        "_table",
        lambda *_: pd.DataFrame({"silhouette": [next(values)]}, index=["a"]),
    )
    four = np.arange(4)
    with pytest.raises(AssertionError, match="repeated objects"):
        testing._check_weights(catalogue["silhouette"], np.zeros((4, 1)), four, {"a": four % 2})


def test_entry_points_add_records(monkeypatch):
    from importlib import metadata

    from sortal import InputError
    from sortal.extension import Registry

    record = replace(catalogue["silhouette"], key="from-elsewhere")

    class Point:
        def load(self):
            return [record]

    monkeypatch.setattr(metadata, "entry_points", lambda group: [Point()])
    registry = Registry("measure", "sortal.measures")
    assert registry["from-elsewhere"] is record
    assert registry.add(replace(record)) is record
    with pytest.raises(InputError, match="already"):
        registry.add(replace(record, family="another"))


def test_a_module_imported_under_two_names_defines_once():
    import importlib.util

    home = sys.modules["sortal.measures.internal.silhouette"]
    spec = importlib.util.spec_from_file_location("another_name", home.__file__)
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    assert again.silhouette is not sortal.silhouette
    assert catalogue["silhouette"].function is sortal.silhouette


def test_needs_must_exist():
    from sortal import InputError

    record = replace(catalogue["silhouette"], key="mine", needs=frozenset({"silhouetes"}))
    with pytest.raises(InputError, match=r"needs of mine.*did you mean 'silhouettes'"):
        catalogue.add(record)
    assert "mine" not in catalogue


def test_what_is_not_in_needs_cannot_be_read():
    from sortal import InputError
    from sortal.measures.internal.batch import compute_one

    record = replace(catalogue["silhouette"], key="mine", needs=frozenset({"pair_sums"}))
    X = np.array([[0.0], [1.0], [5.0]])
    scores = compute(Inputs.read(X, [0, 0, 1]), [record])
    assert "'silhouettes', which is not among its needs" in scores.reasons["0"]["mine"]
    with pytest.raises(InputError, match="not among"):
        compute_one("Mine", record.compute, record.needs, X, [0, 0, 1])


@pytest.mark.parametrize("key", list(catalogue))
def test_one_name_is_one_quantity(key):
    """``sortal.<key>`` with its defaults is what ``evaluate`` writes under that key."""
    rng = np.random.default_rng(0)
    X, labels, truth = rng.normal(size=(30, 2)), np.arange(30) % 3, rng.integers(0, 3, 30)
    measure, function = catalogue[key], getattr(sortal, key)
    metric = "euclidean"
    if measure.takes == "graph":
        X, metric = np.abs(X @ X.T), "graph"
    value = function(X, labels) if measure.kind == "internal" else function(truth, labels)
    scores = sortal.evaluate(X, labels, y=truth, measures=[key], metric=metric)
    assert value == pytest.approx(float(scores[key].iloc[0]), rel=1e-12)


@pytest.mark.parametrize("position", [0, 1])
def test_a_measure_that_writes_to_its_input_is_found(position):
    def writes(X, labels):
        (X, labels)[position][0] = 0
        return sortal.silhouette(X, labels)

    bad = replace(catalogue["silhouette"], key="bad", function=writes, compute=None)
    with pytest.raises(ValueError, match="read-only"):
        check_measure(bad)


def test_the_module_runs_the_command_line_and_an_import_does_not():
    code = (
        "import runpy, sys; sys.argv = ['sortal', '--version']; runpy.run_module('sortal.__main__'"
    )
    for name, printed in (("__main__", sortal.__version__), ("other", "")):
        command = [sys.executable, "-c", f"{code}, run_name={name!r})"]
        assert printed == subprocess.check_output(command, text=True).strip().rpartition(" ")[2]
