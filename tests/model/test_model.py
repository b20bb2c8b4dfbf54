"""Clusters for objects that come later."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import sortal
from sortal import InputError, StorageError
from sortal.datasets import Dataset, from_array, from_distances, from_table
from sortal.model import Confidence, Model, PlacementRule, load_model

X, Y = make_blobs(200, centers=[[0, 0], [6, 0], [0, 7]], random_state=0)
METRICS = ["euclidean", "cityblock", "cosine", "correlation", "chebyshev", "braycurtis"]


def naive(
    X: Any, labels: Any, z: Any, metric: Any
) -> tuple[int, float]:  # from the definition of the rule
    from scipy.spatial.distance import cdist

    d = cdist([z], X, metric)[0]
    label = labels[int(np.argmin(d))]
    others = d[labels != label]
    return label, 1 - d[labels == label].min() / others.min()


@pytest.mark.parametrize("metric", METRICS)
def test_the_nearest_object_decides(metric: str) -> None:
    rng = np.random.default_rng(0)
    A, Z = rng.uniform(0.1, 1, (40, 4)), rng.uniform(0.1, 1, (30, 4))
    labels = rng.integers(0, 3, 40).astype(np.int32)
    placed = PlacementRule.of(A, labels, metric, by_centers=False).place(Z)
    for i, z in enumerate(Z):
        label, margin = naive(A, labels, z, metric)
        assert placed.labels[i] == label
        np.testing.assert_allclose(placed.margins[i], margin, atol=1e-9)


def test_the_nearest_centre_decides_where_it_tells_the_clusters() -> None:
    model = KMeans(3, n_init=1, random_state=0).fit(X)
    rule = PlacementRule.of(X, model.labels_)
    assert rule.by_centers
    Z = np.random.default_rng(1).uniform(-5, 10, (500, 2))
    placed = rule.place(Z)
    np.testing.assert_array_equal(placed.labels, model.predict(Z))
    np.testing.assert_allclose(placed.distances, model.transform(Z).min(axis=1))
    assert not PlacementRule.of(X, np.roll(model.labels_, 1)).by_centers


def test_objects_unlike_the_data() -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(2000, 3))
    rule = PlacementRule.of(A, np.zeros(2000, dtype=np.int32))
    share = rule.place(rng.normal(size=(5000, 3))).unlike.mean()
    assert 0.003 < share < 0.02  # one in a hundred, give or take four standard errors
    assert rule.place(np.full((1, 3), 20.0)).unlike.all()
    assert not rule.place(A).unlike.any()


def test_outliers_stay_outliers_and_have_no_distance() -> None:
    labels = np.where(np.arange(200) % 10 == 0, -1, Y).astype(np.int32)
    placed = Model.of(X, labels).predict(X)
    np.testing.assert_array_equal(placed.labels, labels)
    assert (placed.names[labels < 0] == "outlier").all()
    np.testing.assert_array_equal(np.isnan(placed.distances), labels < 0)


@pytest.mark.quick(2)
@pytest.mark.parametrize("clusterer", ["ward", "average", "hdbscan", "genie", "spectral", "kmeans"])
def test_training_rows_get_their_labels(clusterer: str) -> None:
    study = sortal.Study(X)
    study.sweep([clusterer], k=[3], n_init=1, workers=1)
    answer = study.best()
    np.testing.assert_array_equal(np.asarray(answer.predict(X)), answer.labels)
    assert answer.model.training_agreement == 1
    said = answer.model.extension_agreement
    assert said.refitted
    assert said.n_objects == 200
    assert said.value is not None
    assert said.value > 0.9


def test_clusters_are_called_as_the_study_calls_them(tmp_path: Path) -> None:
    with sortal.Study(X, storage=tmp_path / "s.sortal") as study:
        study.sweep(["ward"], k=[3], n_init=1, workers=1)
        answer = study.best()
        called = [cluster.name for cluster in study.describe()]
        assert answer.predict(X).names.tolist() == [called[label] for label in answer.labels]
        study.name_clusters({0: "one"}, by="me")
        assert study.best().model.names == ("one", *called[1:])
    assert answer.model.names == tuple(called)
    with pytest.raises(StorageError, match="closed"):
        study.labels("ward k=3")


def test_how_often_training_rows_do_not_is_said() -> None:
    labels = np.random.default_rng(0).integers(0, 2, 6000)
    A = np.random.default_rng(1).normal(size=(6000, 2))
    model = Model.of(A, labels)
    wrong = (np.asarray(model.predict(A)) != labels).mean()
    assert model.training_checked == 6000
    assert model.training_agreement == pytest.approx(1 - wrong)


def test_the_agreement_of_the_extension_is_that_of_held_out_objects() -> None:
    def halves(Z: Any) -> Any:  # what clusters the same whoever is there
        return (Z[:, 0] > 3).astype(int)

    same = Model.of(X, halves(X), refit=halves).extension_agreement
    assert same.share is not None
    assert same.share > 0.98
    noise = np.random.default_rng(0).normal(size=(300, 2))
    said = Model.of(noise, np.random.default_rng(1).integers(0, 2, 300)).extension_agreement
    assert said.value == pytest.approx(0, abs=0.1)
    assert said.share == pytest.approx(0.5, abs=0.12)
    assert not said.refitted
    assert said.reason is not None


def test_a_failing_clusterer_leaves_the_labels() -> None:
    said = Model.of(X, Y, refit=lambda Z: None).extension_agreement
    assert said.reason == "a fit to a part of the objects failed"
    assert said.value is not None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=200))
def test_confidence_rises_with_the_margin(pairs: list[tuple[float, bool]]) -> None:
    margins, agree = (np.array(part) for part in zip(*pairs, strict=True))
    at = Confidence.of(margins, agree)(np.linspace(0, 1, 50))
    assert (np.diff(at) >= 0).all()
    assert ((at > 0) & (at < 1)).all()


def test_confidence_is_the_share_of_held_out_objects() -> None:
    rng = np.random.default_rng(0)
    margins = rng.random(20_000)
    confidence = Confidence.of(margins, rng.random(20_000) < 0.5 + 0.5 * margins)
    np.testing.assert_allclose(confidence(np.array([0.2, 0.5, 0.8])), [0.6, 0.75, 0.9], atol=0.04)


def test_distances_have_no_further_objects() -> None:
    D = np.abs(np.subtract.outer(X[:, 0], X[:, 0]))
    study = sortal.Study(from_distances(D))
    study.sweep(["average"], k=[2], workers=1)
    with pytest.raises(InputError, match="nothing is known of further objects"):
        study.best().predict(X)


@pytest.mark.parametrize("metric", ["mahalanobis", "seuclidean"])
def test_distances_that_depend_on_all_objects(metric: str) -> None:
    with pytest.raises(InputError, match="depend on all objects"):
        Model.of(X, Y, metric=metric)


def test_a_distance_that_is_a_function() -> None:
    def apart(a: Any, b: Any) -> float:
        return float(np.abs(a - b).sum())

    study = sortal.Study(X[:60], metric=apart)
    study.sweep(["average"], k=[3], workers=1)
    answer = study.best()
    np.testing.assert_array_equal(np.asarray(answer.predict(X[:60])), answer.labels)
    assert answer.model.extension_agreement.refitted
    assert answer.model.extension_agreement.value == pytest.approx(1, abs=0.1)


def test_a_data_set_made_by_hand() -> None:
    data = Dataset(X=X / 2, name="mine", feature_names=("a", "b"), ids=np.arange(200),
                   center=np.zeros(2), scale=np.full(2, 2.0))  # fmt: skip
    placed = Model.of(data, Y).predict(pd.DataFrame({"b": X[:, 1], "a": X[:, 0]}))
    np.testing.assert_array_equal(placed.labels, Y)


def test_few_objects() -> None:
    model = Model.of([[0.0], [1.0], [9.0]], [0, 0, 1])
    assert model.extension_agreement.value is None
    assert "3 objects" in str(model.extension_agreement)
    assert model.predict([[0.5]]).confidence.tolist() == [0.5]
    placed = Model.of([[0.0], [1.0], [2.0]], [0, 0, 0]).predict([[0.5]])
    assert placed.labels.tolist() == [0]
    with pytest.raises(InputError, match="no cluster"):
        Model.of([[0.0], [1.0]], [-1, -1])
    with pytest.raises(InputError, match="2 labels for 3 objects"):
        Model.of([[0.0], [1.0], [2.0]], [0, 1])


# -- in files ------------------------------------------------------------------------------------


@cache
def of_a_table() -> Model:
    return Model.of(from_table(pd.DataFrame(X, columns=["a", "b"]).assign(c=list("xy") * 100)), Y)


def saved(folder: Path) -> tuple[Model, Path]:
    path = folder / "m.sortal-model"
    of_a_table().save(path, overwrite=True)
    return of_a_table(), path


def test_a_saved_model_is_the_same_in_another_process(tmp_path: Path) -> None:
    model, path = saved(tmp_path)
    rows = pd.DataFrame({"c": ["x", "y"], "b": [0.5, 7.5], "a": [5.0, 0.1]})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    code = (
        "import sortal, pandas, sys\n"
        "table = sortal.load_model(sys.argv[1]).predict(pandas.read_csv(sys.argv[2])).table\n"
        "print(table.to_json(double_precision=15))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path, tmp_path / "rows.csv"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    table = pd.DataFrame(json.loads(done.stdout)).reset_index(drop=True)
    pd.testing.assert_frame_equal(
        table.astype({"cluster": "int32"}), model.predict(rows).table, check_dtype=False
    )
    again = tmp_path / "again.sortal-model"
    load_model(path).save(again)
    assert again.read_bytes() == path.read_bytes()


def test_files_of_the_former_name_are_rejected() -> None:
    with pytest.raises(StorageError, match=r"written by karat.*fit and save the model again"):
        load_model(Path(__file__).with_name("former_name.sortal-model"))


def test_files_of_earlier_versions_load() -> None:
    kept = load_model(Path(__file__).with_name("version1.sortal-model"))
    rows = pd.DataFrame({"c": ["x", "y"], "b": [0.5, 7.5], "a": [5.0, 0.1]})
    pd.testing.assert_frame_equal(kept.predict(rows).table, of_a_table().predict(rows).table)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_sparse_data(tmp_path: Path, metric: str) -> None:
    from scipy import sparse

    A = sparse.random_array((60, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    A = sparse.csr_array(sparse.diags_array((np.arange(60) != 5).astype(float)) @ A)
    labels = np.arange(60) % 3
    Model.of(A, labels, metric=metric).save(tmp_path / "s")
    placed = load_model(tmp_path / "s").predict(A)
    np.testing.assert_array_equal(placed.labels, labels)
    assert not placed.unlike.any()


def test_nothing_is_executed(tmp_path: Path) -> None:
    _, path = saved(tmp_path)
    with zipfile.ZipFile(path) as archive:
        assert all(name.endswith((".json", ".npy")) for name in archive.namelist())
        for name in archive.namelist():
            assert b"numpy.core" not in archive.read(name)


@given(st.data())
def test_a_damaged_file_is_an_error(tmp_path_factory: Any, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    whole, path = saved(folder)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    how = data.draw(st.sampled_from(["truncated", "changed", "cut out"]))
    if how == "changed":
        content[at] ^= data.draw(st.integers(1, 255))
    else:
        del content[at : None if how == "truncated" else at + data.draw(st.integers(1, 50))]
    path.write_bytes(bytes(content))
    try:
        loaded = load_model(path)
    except StorageError:
        return
    # what says nothing (a date in a header) may differ
    np.testing.assert_array_equal(loaded.rule.X, whole.rule.X)
    assert loaded.names == whole.names


def test_foreign_and_later_files(tmp_path: Path) -> None:
    foreign = tmp_path / "other"
    foreign.write_text("a,b\n1,2\n")
    with pytest.raises(StorageError, match="not a sortal model"):
        load_model(foreign)
    with pytest.raises(InputError, match="no file"):
        load_model(tmp_path / "none")
    np.savez(tmp_path / "x.npz", X=X)
    with pytest.raises(StorageError, match="not a sortal model"):
        load_model(tmp_path / "x.npz")
    _, path = saved(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:50] + whole[60:])  # the first member would begin before the file does
    with pytest.raises(StorageError, match="damaged or truncated"):
        load_model(path)
    path.write_bytes(whole)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for change, said in (({"version": 99}, "update sortal"), ({"digest": "0"}, "digest differs")):
        manifest = json.loads(members["manifest.json"]) | change
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in (members | {"manifest.json": json.dumps(manifest)}).items():
                archive.writestr(name, content)
        with pytest.raises(StorageError, match=said):
            load_model(path)


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    model, path = saved(tmp_path)
    with pytest.raises(InputError, match="exists already"):
        model.save(path)
    model.save(path, overwrite=True)


def test_a_function_is_kept_by_no_file(tmp_path: Path) -> None:
    def apart(a: Any, b: Any) -> float:
        return float(abs(a - b).sum())

    model = Model.of(from_array(X[:30]), Y[:30], metric=apart)
    assert np.asarray(model.predict(X[:30])).tolist() == Y[:30].tolist()
    with pytest.raises(InputError, match="a file cannot store"):
        model.save(tmp_path / "m")
