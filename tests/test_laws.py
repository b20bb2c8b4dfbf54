"""Every record of both catalogues obeys the laws, and the lists are complete."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import sortal
from sortal import clusterers, testing
from sortal.labelings import as_labelings
from sortal.measures import catalogue
from sortal.measures.passes import Statistics


@pytest.mark.parametrize("key", list(catalogue))
def test_measure(key):
    # mutual reachability distances tie all the time, and DBCV's spanning tree is then not unique
    testing.check_measure(catalogue[key], order_matters=key == "dbcv")


@pytest.mark.parametrize("key", list(clusterers.catalogue))
def test_clusterer(key):
    testing.check_clusterer(clusterers.catalogue[key])


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
        testing.check_measure(bad)


def test_entry_points_add_records(monkeypatch):
    from importlib import metadata

    from sortal import InputError

    record = replace(catalogue["silhouette"], key="from-elsewhere")

    class Point:
        def load(self):
            return [record]

    monkeypatch.setattr(metadata, "entry_points", lambda group: [Point()])
    registry = sortal.measures.Catalogue("measure", "sortal.measures")
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
    stats = Statistics(np.array([[0.0], [1.0], [5.0]]), as_labelings([0, 0, 1]), ["pair_sums"])
    with pytest.raises(sortal.InputError, match="'silhouettes', which is not among its needs"):
        catalogue["silhouette"].judge(stats)


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
        testing.check_measure(bad)


def test_the_module_runs_the_command_line_and_an_import_does_not():
    code = (
        "import runpy, sys; sys.argv = ['sortal', '--version']; runpy.run_module('sortal.__main__'"
    )
    for name, printed in (("__main__", sortal.__version__), ("other", "")):
        command = [sys.executable, "-c", f"{code}, run_name={name!r})"]
        assert printed == subprocess.check_output(command, text=True).strip().rpartition(" ")[2]
