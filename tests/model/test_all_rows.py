"""The second pass over all rows: labels, exact sums, rare groups; killed workers."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as arrow
import pytest
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score

import sortal
from sortal import InputError
from sortal.datasets import LabelFolder, reading_sizes
from sortal.model import assign_rows
from sortal.runtime.output import MANIFEST

N = 3000
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, N)
X = 12.0 * np.eye(3, 4)[TRUTH] + RNG.normal(size=(N, 4))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows in five files."""
    path = tmp_path_factory.mktemp("rows")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(key=[f"k{i}" for i in range(N)])
    for number, rows in enumerate(np.array_split(np.arange(N), 5)):
        frame.iloc[rows].to_parquet(path / f"p{number}.parquet")
    return path


@pytest.fixture(scope="module")
def model() -> sortal.Model:
    """A model of a third of the rows."""
    frame = pd.DataFrame(X[:1000], columns=list("abcd"))
    return sortal.Model.of(sortal.datasets.from_table(frame, scale="standard"), TRUTH[:1000])


def labels_in(folder: Path | str) -> pd.DataFrame:
    """All labels in a folder."""
    return arrow.dataset(folder, partitioning=None).to_table().to_pandas()


def test_labels_and_sums_are_those_of_memory(
    folder: Path, model: sortal.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_sizes, "batch_rows", 100)
    assigned = assign_rows(model, folder, str(tmp_path / "labels"), id_column="key")
    predicted = model.predict(pd.DataFrame(X, columns=list("abcd")))
    written = labels_in(tmp_path / "labels")
    assert not {"features", "means", "deviations"} & set(re.findall(r"(\w+)=", repr(assigned)))
    assert written["row"].tolist() == list(range(N))
    assert written["id"].tolist() == [f"k{i}" for i in range(N)]
    np.testing.assert_array_equal(written["cluster"], predicted.labels)
    np.testing.assert_array_equal(written["unlike"], predicted.unlike)
    np.testing.assert_allclose(written["confidence"], predicted.confidence, rtol=1e-6)
    assert written["name"].astype(str).tolist() == predicted.names.tolist()
    assert sorted(os.listdir(tmp_path / "labels")) == [
        MANIFEST,
        *(f"p{i}.parquet" for i in range(5)),
    ]
    Z = (X - model.preparation.center) / model.preparation.scale
    labels = predicted.labels
    assert assigned.sizes == tuple(np.bincount(labels))
    assert sum(assigned.unlike) == predicted.unlike.sum()
    means = np.array([Z[labels == c].mean(axis=0) for c in range(3)])
    within = ((Z - means[labels]) ** 2).sum()
    assert assigned.within_sum_of_squares == pytest.approx(within)
    assert assigned.calinski_harabasz == pytest.approx(calinski_harabasz_score(Z, labels))
    assert assigned.davies_bouldin is not None
    off = abs(assigned.davies_bouldin - davies_bouldin_score(Z, labels))
    assert off <= assigned.davies_bouldin_error
    in_clusters = pd.DataFrame(X).groupby(labels)
    np.testing.assert_allclose(assigned.means, in_clusters.mean())
    np.testing.assert_allclose(assigned.deviations, in_clusters.std(ddof=0))


def test_a_cluster_of_one_row_is_a_cluster(model: sortal.Model, tmp_path: Path) -> None:
    rows = np.concatenate([X[TRUTH == 0][:5], X[TRUTH == 1][:4], X[TRUTH == 2][:1]])
    pd.DataFrame(rows, columns=list("abcd")).to_parquet(tmp_path / "x.parquet")
    assigned = assign_rows(model, tmp_path / "x.parquet")
    assert sorted(assigned.sizes) == [1, 4, 5]
    Z = (rows - model.preparation.center) / model.preparation.scale
    labels = model.predict(pd.DataFrame(rows, columns=list("abcd"))).labels
    assert assigned.calinski_harabasz == pytest.approx(calinski_harabasz_score(Z, labels))


def test_groups_that_a_sample_misses_are_told(model: sortal.Model, tmp_path: Path) -> None:
    rare = np.array([40.0, 40.0, 40.0, 40.0]) + 0.5 * RNG.normal(size=(30, 4))
    rows = np.concatenate([X, rare])
    pd.DataFrame(rows, columns=list("abcd")).to_parquet(tmp_path / "x.parquet")
    assigned = assign_rows(model, tmp_path)
    (group,) = assigned.rare
    assert group.rows == group.seen == 30
    assert min(group.examples) >= N
    assert group.center["a"] == pytest.approx(40, abs=0.5)


@pytest.mark.parametrize("df", [2, 5, 1000])
def test_tails_are_no_groups(df: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(df)
    truth = rng.integers(0, 2, 20_000)
    rows = 15.0 * truth[:, None] + rng.standard_t(df, size=(20_000, 3))
    frame = pd.DataFrame(rows, columns=list("abc"))
    frame.to_parquet(tmp_path / "x.parquet")
    model = sortal.Model.of(frame.iloc[:2000], truth[:2000])
    assigned = assign_rows(model, tmp_path)
    assert sum(assigned.unlike) > 100
    assert assigned.rare == ()


def test_the_numbers_do_not_depend_on_the_parts(
    folder: Path, model: sortal.Model, tmp_path: Path
) -> None:
    pd.concat(map(pd.read_parquet, sorted(folder.iterdir()))).to_parquet(tmp_path / "x.parquet")
    first, second = (assign_rows(model, source) for source in (folder, tmp_path))
    assert first.sizes == second.sizes
    assert first.within_sum_of_squares == pytest.approx(second.within_sum_of_squares, rel=1e-12)


def test_labels_are_whole_or_absent(folder: Path, model: sortal.Model, tmp_path: Path) -> None:
    target = str(tmp_path / "labels")

    class Failing(sortal.Model):
        """A model that fails in the fourth part."""

        def prepare(self, data: Any) -> Any:
            if data["a"][0].as_py() == X[1800, 0]:
                raise RuntimeError("no more")
            return super().prepare(data)

    failing = Failing(**vars(model))
    with pytest.raises(RuntimeError):
        assign_rows(failing, folder, target)
    assert os.listdir(tmp_path) == []
    assign_rows(model, folder, target)
    with pytest.raises(InputError, match="exists already"):
        LabelFolder(target).check("--output")
    with pytest.raises(RuntimeError):
        assign_rows(failing, folder, LabelFolder(target, overwrite=True))
    assert len(labels_in(target)) == N
    assign_rows(model, folder, LabelFolder(target, overwrite=True))
    assert os.listdir(tmp_path) == ["labels"]


def test_labels_of_further_parts_are_appended(model: sortal.Model, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame[:1000].to_parquet(tmp_path / "rows" / "monday.parquet")
    target = LabelFolder(str(tmp_path / "labels"), append=True)
    assert assign_rows(model, tmp_path / "rows", target).n_rows == 1000
    before = (tmp_path / "labels" / "monday.parquet").stat().st_mtime_ns
    frame[1000:].to_parquet(tmp_path / "rows" / "tuesday.parquet")
    assert assign_rows(model, tmp_path / "rows", target).n_rows == 2000
    assert (tmp_path / "labels" / "monday.parquet").stat().st_mtime_ns == before
    assert sorted(labels_in(tmp_path / "labels")["row"]) == list(range(N))
    with pytest.raises(InputError, match="labels of all parts"):
        assign_rows(model, tmp_path / "rows", target)


def test_labels_go_to_an_address(folder: Path, model: sortal.Model) -> None:
    fsspec = pytest.importorskip("fsspec")
    assign_rows(model, folder, "memory://labels/of/rows")
    memory = fsspec.filesystem("memory")
    names = sorted(Path(path).name for path in memory.ls("/labels/of/rows", detail=False))
    assert names == ["_SUCCESS", MANIFEST, *(f"p{i}.parquet" for i in range(5))]
    memory.rm("/labels", recursive=True)


def cluster_of(n_workers: int, **options: Any) -> Any:
    """A local Dask cluster of processes."""
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", **options
    )


class KilledOnce(sortal.Model):
    """A model that kills the first process which uses it."""

    def prepare(self, data: Any) -> Any:
        """Kill this process unless another died before."""
        marker = Path(self.facts["marker"])
        if not marker.exists():
            marker.write_text("")
            os._exit(1)
        return super().prepare(data)


@pytest.mark.long
@pytest.mark.posix
def test_dask_gives_the_same_though_a_worker_is_killed(
    folder: Path, model: sortal.Model, tmp_path: Path
) -> None:
    here = assign_rows(model, folder, str(tmp_path / "here"))
    facts = {"marker": str(tmp_path / "killed")}
    killer = KilledOnce(**{**vars(model), "facts": facts})
    killer.__dict__.pop("_cells", None)
    with cluster_of(2, memory_limit="1GiB") as cluster, cluster.get_client() as client:
        sample = sortal.datasets.read(str(folder), executor=client)
        there = assign_rows(killer, folder, str(tmp_path / "there"), executor=client)
    assert (tmp_path / "killed").exists()
    assert sample.fingerprint == sortal.datasets.read(str(folder)).fingerprint
    pd.testing.assert_frame_equal(labels_in(tmp_path / "here"), labels_in(tmp_path / "there"))
    assert {**here.to_dict(), "folder": None} == {**there.to_dict(), "folder": None}


@pytest.mark.long
def test_ray_assigns_batches(folder: Path, model: sortal.Model, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    model.save(tmp_path / "m.sortal-model")
    path = str(tmp_path / "m.sortal-model")

    class Assign:
        """The recipe of the documentation."""

        def __init__(self) -> None:
            self.model = sortal.load_model(path)

        def __call__(self, batch: pd.DataFrame) -> pd.DataFrame:
            return self.model.predict(batch).table

    ray.init(num_cpus=2, include_dashboard=False)  # one for the actor
    try:
        rows = ray.data.read_parquet(str(folder))
        table = rows.map_batches(Assign, batch_format="pandas", concurrency=1).to_pandas()
    finally:
        ray.shutdown()
    expected = model.predict(pd.DataFrame(X, columns=list("abcd"))).labels
    assert sorted(table["cluster"]) == sorted(expected)


@pytest.mark.long
def test_spark_assigns_batches(folder: Path, model: sortal.Model, tmp_path: Path) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="Spark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    model.save(tmp_path / "m.sortal-model")
    path = str(tmp_path / "m.sortal-model")

    def assign(batches: Any) -> Any:
        """The recipe of the documentation."""
        model = sortal.load_model(path)
        for batch in batches:
            table = model.predict(batch.to_pandas()).table
            yield pa.RecordBatch.from_pandas(table, preserve_index=False)

    names = "cluster int, name string, confidence double, unlike boolean, distance double"
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = session.config("spark.driver.host", "127.0.0.1").getOrCreate()
    try:
        table = spark.read.parquet(str(folder)).mapInArrow(assign, names).toPandas()
    finally:
        spark.stop()
    expected = model.predict(pd.DataFrame(X, columns=list("abcd"))).labels
    assert sorted(table["cluster"]) == sorted(expected)
