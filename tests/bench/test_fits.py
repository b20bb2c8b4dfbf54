"""Representations, draws, executors, limits and judges of a benchmark."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from sortal import InputError
from sortal.bench import Benchmark, mean_interval
from sortal.extension import KeptValues


def embedded(names=("uno", "due", "tre", "quattro")):
    """Sets with a clear and a blurred embedding of the same objects."""
    sets = {}
    for seed, name in enumerate(names):
        X, y = make_blobs(80, centers=3, n_features=3, cluster_std=1.5, random_state=seed)
        rng = np.random.default_rng(seed)
        sets[name] = ({"clear": X, "blurred": X + rng.normal(0, 5, X.shape)}, y)
    return sets


class Slow(KMeans):
    def fit_predict(self, X, y=None, sample_weight=None):
        time.sleep(600)


def test_a_clusterer_without_a_seed_meets_every_draw():
    X, y = make_blobs(100, centers=5, random_state=0)
    race = Benchmark({"a": (X, y)}, ["ward"], k=[2, 3], draw="classes", n_init=4).run()
    assert len(race.table) == 4 * 2
    with pytest.raises(InputError, match="easiest draw"):
        race.scores(tries=2)
    race = Benchmark({"a": (X, y)}, ["ward"], k=[2, 3], n_init=4).run()
    assert len(race.table) == 2


def test_methods_and_representations_are_both_named():
    race = Benchmark(embedded(["uno", "due"]), ["ward", "average"], k=[2, 3, 4], n_init=1).run()
    assert list(race.scores().columns) == [
        "ward on clear", "average on clear", "ward on blurred", "average on blurred",
    ]  # fmt: skip
    # a tree is fitted once; each of its cuts has its share of the time
    fits = race.table[race.table["k"].notna()].groupby(["set", "representation", "method"])
    assert (fits["seconds"].nunique() > 0).all()
    assert (fits.size() == 3).all()


@pytest.mark.parametrize(
    "where",
    ["threads", *(pytest.param(place, marks=pytest.mark.long) for place in ("processes", "dask"))],
)
def test_the_place_changes_nothing(where):
    settings = {"k": [2, 3], "n_init": 2, "measures": ["adjusted_rand_index"]}
    sets = embedded(["uno", "due"])
    here = Benchmark(sets, ["kmeans", "ward"], **settings).run().table
    race = Benchmark(sets, ["kmeans", "ward"], **settings)
    if where == "dask":
        distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            elsewhere = race.run(executor=client).table
    elif where == "threads":
        with ThreadPoolExecutor(2) as pool:
            elsewhere = race.run(executor=pool).table
    else:
        elsewhere = race.run(workers=2).table
    assert elsewhere.drop(columns="seconds").equals(here.drop(columns="seconds"))


class Deadly(KMeans):
    def fit_predict(self, X, y=None, sample_weight=None):
        os._exit(3)


@pytest.mark.long
def test_a_fit_that_kills_its_process_is_an_entry():
    X, y = make_blobs(30, centers=2, random_state=0)
    race = Benchmark({"a": (X, y), "b": (X, y)}, {"deadly": Deadly(), "ward": "ward"}, n_init=2)
    table = race.run(workers=2).table
    assert table[table["method"] == "deadly"]["reason"].str.contains("process died").all()
    assert table[table["method"] == "ward"]["reason"].isna().all()


def test_a_slow_fit_is_an_entry_that_more_time_settles(tmp_path):
    X, y = make_blobs(30, centers=2, random_state=0)
    kept = tmp_path / "kept"
    Benchmark({"a": (X, y)}, ["ward"], n_init=1, storage=kept).run()
    race = Benchmark({"a": (X, y)}, {"slow": Slow(), "ward": "ward"}, n_init=1, storage=kept)
    table = race.run(limit=0.2).table.set_index("method")
    assert table.loc["slow", "reason"].startswith("stopped after 0 s")
    assert table["reason"].isna()["ward"]
    before = kept.read_bytes()
    again = Benchmark({"a": (X, y)}, {"slow": Slow(), "ward": "ward"}, n_init=1, storage=kept)
    assert again.run(limit=0.1).table["reason"].tolist() == race.table["reason"].tolist()
    assert kept.read_bytes() == before


def test_another_setting_of_an_estimator_is_fitted_anew(tmp_path):
    X, y = make_blobs(60, centers=4, cluster_std=4, random_state=0)
    kept = tmp_path / "kept"
    for iterations in (1, 50, 50):
        Benchmark(
            {"a": (X, y)}, {"k-means": KMeans(n_init=1, max_iter=iterations)}, n_init=1,
            storage=kept,
        ).run()  # fmt: skip
    assert len(KeptValues(kept)._values) == 2


def test_intervals_of_means_over_tries():
    race = Benchmark(embedded(["uno", "due"]), ["kmeans", "ward"], n_init=4).run()
    intervals = race.intervals()
    values = race.tries()
    scores = values[(values["set"] == "uno") & (values["contestant"] == "kmeans on blurred")][
        "value"
    ]
    row = intervals.loc[("uno", "kmeans on blurred")]
    assert row["mean"] == pytest.approx(scores.mean())
    assert [row["low"], row["high"]] == pytest.approx(list(mean_interval(scores)))
    assert intervals.loc[("uno", "ward on clear"), ["tries"]].item() == 1
    assert np.isnan(intervals.loc[("uno", "ward on clear"), "low"])


def test_the_best_of_several_references():
    X, y = make_blobs(60, centers=4, random_state=0)
    race = Benchmark({"a": (X, {"fine": y, "coarse": y // 2}), "b": (X, y)}, ["ward"], n_init=1)
    scores = race.run().table.query("set == 'a'")["adjusted_rand_index"]
    assert race.scores().loc["a", "ward"] == scores.max()


def test_a_missing_representation_is_an_entry():
    sets = embedded(["uno", "due"])
    del sets["due"][0]["blurred"]
    race = Benchmark(sets, ["ward"], n_init=1).run()
    missing = race.table[race.table["reason"].notna()]
    assert missing["reason"].tolist() == ["the set has no such representation"]
    assert missing["try"].tolist() == [0]
    assert race.compare(failed=0.0).scores.loc["due", "blurred"] == 0


def test_what_cannot_take_the_distance_is_an_entry():
    X, y = make_blobs(30, centers=2, random_state=0)
    race = Benchmark({"a": (X, y)}, ["ward", "average"], n_init=1, metric="chebyshev").run()
    table = race.table.set_index("method")
    assert "chebyshev" in table.loc["ward", "reason"]
    assert (table.loc["ward", "seconds"], table.loc["average", "seconds"] > 0) == (0, True)
    assert table["reason"].isna()["average"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draw": 1}, 'must be "classes"'),
        ({"clusterers": ["hdbscan"]}, "takes no number of clusters"),
    ],
)
def test_settings_that_cannot_work(options, message):
    with pytest.raises(InputError, match=message):
        Benchmark(embedded(["uno"]), **({"clusterers": ["ward"]} | options))
