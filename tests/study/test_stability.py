"""Stability in a study: asked once, kept in the file, told with the choice and in the report."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.cluster import KMeans
from typer.testing import CliRunner

import sortal
from sortal import InputError
from sortal.cli import app
from sortal.report import render
from sortal.runtime.executors import _connect

FEW = {"n_resamples": 4, "n_references": 2}


def triangle(n: int = 12):
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(c, 0.3, (n, 2)) for c in ((0, 0), (4, 0), (0, 4))])


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "t.sortal"
    with sortal.Study(triangle(), storage=path, by="silhouette") as study:
        study.sweep(["average"], k=[2, 3], workers=1)
        found = study.stability(**FEW)
    return path, found


def test_choice_and_report_tell_it(stored):
    path, found = stored
    with sortal.Study(triangle(), storage=path) as study:
        choice, page = study.best(), render(study)
    assert choice.stability.selected == found.selected
    assert choice.stability.n_stable == len(found.clusters.table)
    assert any("All clusters recur" in one for one in choice.reasons)
    assert 'id="stability"' in page
    assert "plot-consensus" in page
    assert "Would the clusters be found again?" in page


def test_report_without_it_has_no_such_section():
    study = sortal.Study(triangle())
    study.add({"two": np.repeat([0, 1, 1], 12)})
    assert "found again?" not in render(study)


def test_clusterings_from_elsewhere_and_lost_clusterers_say_why(tmp_path):
    study = sortal.Study(triangle())
    study.add({"mine": np.repeat([0, 1, 2], 12)})
    with pytest.raises(InputError, match="made elsewhere"):
        study.stability("mine")
    path = tmp_path / "own.sortal"
    with sortal.Study(triangle(), storage=path) as study:
        study.sweep({"own": KMeans(n_init=1)}, k=3, n_init=1, workers=1)
        name = study.candidates.index[0]
        assert study.stability(name, n_resamples=2, n_references=0).clusterer == "own"
    with (
        sortal.Study(triangle(), storage=path) as study,
        pytest.raises(InputError, match="call sweep with it again"),
    ):
        study.stability(name)


def test_run_with_stability(tmp_path):
    path = tmp_path / "points.csv"
    np.savetxt(path, triangle(), delimiter=",", header="x,y", comments="")
    result = CliRunner().invoke(
        app,
        [
            "run", str(path), "-c", "average", "-k", "2:3", "--workers", "1", "--by", "silhouette",
            "--stability", "--json", "--quiet",
        ],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    best = json.loads(result.stdout)["best"]
    assert any("Resampling also prefers 3 clusters" in one for one in best["reasons"])
    assert len(best["stability"]["clusters"]) == best["n_clusters"]


@pytest.mark.parametrize("kind", ["threads", pytest.param("processes", marks=pytest.mark.long)])
def test_other_executors_give_the_same(stored, kind):
    from concurrent.futures import ThreadPoolExecutor

    from loky import get_reusable_executor

    _, whole = stored
    executor = ThreadPoolExecutor(2) if kind == "threads" else get_reusable_executor(2)
    study = sortal.Study(triangle(), by="silhouette")
    study.sweep(["average"], k=[2, 3], workers=1)
    found = study.stability(executor=executor, **FEW)
    assert found.curve.table.equals(whole.curve.table)
    assert found.clusters.table.equals(whole.clusters.table)
    assert np.array_equal(found.consensus, whole.consensus, equal_nan=True)


@pytest.mark.long
def test_a_cluster_of_machines_gives_the_same(stored):
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    _, whole = stored
    study = sortal.Study(triangle(), by="silhouette")
    study.sweep(["average"], k=[2, 3], workers=1)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        for executor in (client, client.get_executor(), client.scheduler.address):
            found = study.stability(executor=executor, **FEW)
            assert found.curve.table.equals(whole.curve.table)
            assert found.clusters.table.equals(whole.clusters.table)
            study.state.storage.set_meta(
                {k: None for k in study.state.storage.meta if k.startswith("assess")}
            )
        _connect(client.scheduler.address).close()


# -- by default where it takes at most as much as the sweep ------------------------------------


def answer_of(path, *options, exit_code=0):
    words = [
        "run",
        str(path),
        "--workers",
        "1",
        "--json",
        "--quiet",
        "--by",
        "silhouette",
        *options,
    ]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)["best"]


def test_what_was_made_elsewhere_is_not_judged(tmp_path):
    path, own = tmp_path / "points.csv", tmp_path / "own.csv"
    np.savetxt(path, triangle(), delimiter=",", header="x,y", comments="")
    own.write_text("\n".join(["mine", *"abc" * 12]))
    best = answer_of(path, "--labelings", str(own), "--only-labelings")
    assert best["stability_skipped"] == "mine was made elsewhere"


def test_what_was_fitted_to_another_form():
    with sortal.Study(np.abs(triangle()) + 0.1, metric="cosine") as study:
        study.sweep(["ward"], k=[3])
        found = study.stability("ward on unit rows k=3", n_resamples=3, n_references=0)
    assert found.clusterer == "ward on unit rows"
