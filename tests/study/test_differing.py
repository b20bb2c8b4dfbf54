"""A study's tests of differences: valid for all it did, kept, refused where nothing is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import sortal
from command_line import sortal_command
from sortal import InputError
from sortal.report import render
from sortal.study import kept_differences, wording


def counts(n: int = 60, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    means = np.where(np.arange(n)[:, None] < n // 2, [4, 30, 9], [25, 8, 9])
    return pd.DataFrame(rng.poisson(means), columns=["ants", "bees", "cats"])


def swept(X: Any, **options: Any) -> sortal.Study:
    study = sortal.Study(X, **options)
    study.sweep(["kmeans", "ward"], k=[2, 3], n_init=1, workers=1, progress=False)
    return study


def test_what_differs_is_told_with_stars_and_kept(tmp_path: Path) -> None:
    study = swept(sortal.datasets.from_table(counts(), scale="standard"), storage=tmp_path / "s")
    with study:
        assert kept_differences(study.state) is None
        assert 'id="differences"' not in render(study)
        found = study.differences("poisson")
        told = wording.tested(found, study.best().labels, study.cluster_names(study.best().name))
        assert any(p.endswith("***") for *_, p in told.pairs)
        named = {one.split("*")[0] for _, some in told.features for one in some.split(", ")}
        assert {"ants", "bees"} <= named
        assert "Poisson" in found.premises[0]
        page = render(study)
        assert 'id="differences"' in page
        assert "below 0.001 ***" in page
        again = study.differences("poisson")
    pd.testing.assert_frame_equal(again.pairs, found.pairs, check_dtype=False)


def test_differences_are_forgotten_where_more_was_tried() -> None:
    study = swept(counts())
    study.differences("poisson")
    assert kept_differences(study.state) is not None
    study.sweep("average", k=[2], progress=False)
    assert kept_differences(study.state) is None


def test_the_second_part_has_no_part_in_the_choice() -> None:
    """The clusters compared are those that the same study of the first part chooses."""
    from sortal.study import thinned_parts

    X = counts()
    study = swept(X)
    found = study.differences("poisson")
    first, _ = thinned_parts(study.state, "poisson")
    assert np.array_equal(found.labels, swept(first).best().labels)


def test_no_difference_is_told_where_there_is_none() -> None:
    X = np.random.default_rng(0).poisson(9, size=(60, 3))
    assert swept(X).differences("poisson").p_value > 0.05


def untestable() -> dict[str, sortal.Study]:
    from sortal.datasets import from_array, from_distances, from_table

    X = np.random.default_rng(0).normal(size=(12, 2))
    mixed = pd.DataFrame({"a": X[:, 0], "kind": list("xyz") * 4})
    gaps = pd.DataFrame({"a": X[:, 0], "b": [np.nan, *X[1:, 1]]})
    own = sortal.Study(X)
    own.add({"mine": np.arange(12) % 2})
    terms = from_array(scipy.sparse.csr_array(np.abs(X)))
    return {
        "distances": sortal.Study(from_distances(abs(X[:, :1] - X[:, 0]))),
        "weighted terms": sortal.Study(replace(terms, metric="cosine")),
        "categories": sortal.Study(from_table(mixed)),
        "filled in": sortal.Study(from_table(gaps, impute="median")),
        "made elsewhere": own,
    }


@pytest.mark.parametrize(
    "why", ["distances", "weighted terms", "categories", "filled in", "made elsewhere"]
)
def test_nothing_is_made_up_where_nothing_valid_is_known(why: str) -> None:
    study = untestable()[why]
    with pytest.raises(InputError, match=why):
        study.differences()


def test_values_that_the_family_does_not_have_are_refused() -> None:
    study = swept(np.random.default_rng(0).normal(size=(30, 2)))
    with pytest.raises(InputError, match="counts"):
        study.differences("poisson")
    with pytest.raises(InputError, match="family"):
        study.differences("cauchy")


def test_one_cluster_leaves_nothing_to_compare() -> None:
    from sortal.inference import differences

    found = differences(counts(), lambda X: np.zeros(len(X), int), family="poisson")
    told = wording.tested(found, np.zeros(60, int), ["all"])
    assert told.pairs == ()
    assert "single cluster" in told.sentences[0]


def test_the_command_tests_and_tells(tmp_path: Path) -> None:
    path = tmp_path / "animals.csv"
    counts().to_csv(path, index=False)
    options = ["-c", "kmeans", "-k", "2:3", "--no-stability", "--workers", "1"]
    shown = sortal_command("run", path, "--differences", "poisson", *options)
    assert "Do the clusters differ?" in shown.stdout
    assert "***" in shown.stdout
    machine = sortal_command("run", path, "--differences", "poisson", "--json", *options)
    told = json.loads(machine.stdout)["differences"]
    assert told["pairs"][0]["p_holm"] < 0.001
    assert len(told["labels"]) == 60


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--differences", "normal"], "gaussian"),
        (["--differences", "gaussian:x"], "one for each column"),
        (["--differences", "binomial"], "number of trials"),
        (["--differences", "poisson", "--labelings", "mine.csv"], "cannot be"),
    ],
)
def test_the_command_refuses_before_the_sweep(tmp_path: Path, options: list[str], why: str) -> None:
    path = tmp_path / "animals.csv"
    counts().to_csv(path, index=False)
    refused = sortal_command("run", path, *options)
    assert refused.returncode != 0
    assert why in " ".join(refused.stderr.split())
