"""Annotated matrices: obs columns are clusterings, obsm and obsp the data."""

from __future__ import annotations

import json
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

import sortal
from sortal import InputError
from sortal.cli import app


def cells(seed=0, n=60):
    """Three types of cells, over-divided at higher resolutions, as scanpy would leave them."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 3
    pca = 8 * np.eye(3)[kind] + rng.normal(size=(n, 3))
    names = pd.Index([f"cell {i}" for i in range(n)])
    fine = kind * 2 + (rng.random(n) < 0.5)
    obs = pd.DataFrame(
        {
            "leiden_0.2": pd.Categorical(np.minimum(kind, 1).astype(str)),
            "leiden_0.5": pd.Categorical(kind.astype(str)),
            "leiden_1.0": pd.Categorical(fine.astype(str)),
            "type": np.array(["B", "T", "NK"])[kind],
            "n_genes": rng.integers(100, 900, n),
        },
        index=names,
    )
    A = (kind[:, None] == kind) * rng.uniform(0.5, 1, (n, n)) + 0.01 * (rng.random((n, n)) < 0.1)
    A = np.triu(A, 1)
    counts = rng.poisson(1.0, (n, 10)) + 9 * np.outer(kind == 0, np.arange(10) == 3)
    return SimpleNamespace(
        X=sparse.csr_matrix(counts.astype(np.float32)),
        obs=obs,
        obs_names=names,
        var_names=pd.Index([f"gene {j}" for j in range(10)]),
        obsm={"X_pca": pca, "X_umap": pca[:, :2]},
        obsp={"connectivities": sparse.csr_matrix(A + A.T)},
        uns={},
    ), kind


def real():
    """The same as a real object."""
    anndata = pytest.importorskip("anndata", reason="anndata is not installed")
    stub, kind = cells()
    adata = anndata.AnnData(stub.X, obs=stub.obs, var=pd.DataFrame(index=stub.var_names))
    adata.obsm.update(stub.obsm)
    adata.obsp["connectivities"] = stub.obsp["connectivities"]
    return adata, kind


@pytest.mark.parametrize("make", [cells, real])
def test_columns_of_obs_are_candidates(make):
    adata, kind = make()
    study = sortal.Study(adata.obsm["X_pca"], by="silhouette")
    study.add(adata)
    assert list(study.candidates.index) == ["leiden_0.2", "leiden_0.5", "leiden_1.0"]
    study.sweep("kmeans", k=[2, 4], n_init=1, workers=1)
    choice = study.best()
    assert choice.name == "leiden_0.5"
    assert adjusted_rand_score(kind, choice.labels) == 1


def test_the_graph_of_cells():
    adata, kind = cells()
    study = sortal.Study(adata.obsp["connectivities"], metric="graph", by="modularity")
    study.add(adata)
    study.sweep("spectral", k=[2, 3, 4], n_init=1, workers=1)
    assert adjusted_rand_score(kind, study.best().labels) == 1
    modularity = sortal.modularity(adata.obsp["connectivities"], adata.obs["leiden_1.0"])
    assert study.scores().loc["leiden_1.0", "modularity"] == pytest.approx(modularity)


def test_a_file_needs_the_extra(monkeypatch, tmp_path):
    monkeypatch.setattr("sortal.runtime.extras.find_spec", lambda name: None)
    (tmp_path / "a.h5ad").write_bytes(b"stub")
    with pytest.raises(InputError, match="pip install anndata"):
        sortal.datasets.read(tmp_path / "a.h5ad")
    call = ["run", str(tmp_path / "a.h5ad"), "--only-labelings"]
    assert "pip install anndata" in str(CliRunner().invoke(app, call).exception)


@pytest.fixture(params=["stub", "real"])
def h5ad(request, monkeypatch, tmp_path):
    """The path of a file with the cells, their order of ids not that of the rows."""
    path = tmp_path / "cells.h5ad"
    if request.param == "real":
        adata, kind = real()
        anndata = sys.modules["anndata"]
        if hasattr(anndata.settings, "allow_write_nullable_strings"):
            anndata.settings.allow_write_nullable_strings = True
        adata.write_h5ad(path)
        return path, kind
    adata, kind = cells()
    adata.file = SimpleNamespace(close=lambda: None)
    path.write_bytes(b"stub")
    read = ModuleType("anndata")
    read.read_h5ad = lambda path, backed=None: adata
    monkeypatch.setitem(sys.modules, "anndata", read)
    monkeypatch.setattr("sortal.runtime.extras.find_spec", lambda name: True)
    return path, kind


def test_a_file_is_read_as_any_other(h5ad):
    path, kind = h5ad
    adata = cells()[0]
    data = sortal.datasets.read(path, label_column="type")
    np.testing.assert_allclose(data.X, adata.obsm["X_pca"])
    assert list(data.ids[:2]) == ["cell 0", "cell 1"]
    assert list(data.y) == list(adata.obs["type"])
    assert "X_umap" in data.notes[0]
    flat = sortal.datasets.read(f"{path}#X_umap")
    np.testing.assert_allclose(flat.X, adata.obsm["X_umap"])
    genes = sortal.datasets.read(f"{path}#X")
    assert sparse.issparse(genes.X)
    assert genes.feature_names[3] == "gene 3"
    with pytest.raises(InputError, match="did you mean 'X_umap'"):
        sortal.datasets.read(f"{path}#X_umab")
    back = sortal.datasets.read_labelings(path, ids=data.ids[::-1])
    assert list(back) == ["leiden_0.2", "leiden_0.5", "leiden_1.0"]
    assert adjusted_rand_score(back["leiden_0.5"], kind[::-1]) == 1


def test_clusters_are_described_by_genes(h5ad):
    path, kind = h5ad
    data = sortal.datasets.read(path)
    study = sortal.Study(data, by="silhouette")
    study.add(sortal.datasets.read_labelings(path, ids=data.ids), reference=False)
    first = study.describe("leiden_0.5")[int(study.labels("leiden_0.5")[kind == 0][0])]
    assert str(first.rule).startswith("gene 3 over")
    assert first.telling[0].feature == "gene 3"
    assert first.telling[0].interval is None  # the genes made the components


def test_the_command_compares_the_clusterings_of_a_file(h5ad):
    path, _ = h5ad
    call = ["run", str(path), "--only-labelings", "--by", "silhouette", "--json", "--no-stability"]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, (done.output, done.exception)
    answer = json.loads(done.stdout)
    assert answer["best"]["name"] == "leiden_0.5"
    call = ["compare", str(path), "--columns", "leiden_0.2,leiden_0.5", "--json"]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, (done.output, done.exception)
    values = {m["key"]: m["values"] for m in json.loads(done.stdout)["measures"]}
    assert list(values["adjusted_rand_index"]["leiden_0.2"]) == ["leiden_0.5"]


def test_a_file_without_clusterings_says_so(h5ad, monkeypatch):
    path, _ = h5ad
    anndata = sys.modules["anndata"]
    read_whole = anndata.read_h5ad

    def read_bare(*arguments, **options):
        adata = read_whole(*arguments, **options)
        adata.obs = adata.obs[[]]
        return adata

    monkeypatch.setattr(anndata, "read_h5ad", read_bare)
    with pytest.raises(InputError, match="named like a clustering"):
        sortal.datasets.read_labelings(path)


@pytest.mark.parametrize("make", [cells, real])
def test_an_annotated_matrix_is_no_matrix(make):
    adata, kind = make()
    said = r"annotated matrix .* obsm\['X_pca'\] or obsm\['X_umap'\] or X"
    for call in (
        lambda: sortal.Study(adata),
        lambda: sortal.evaluate(adata, kind),
        lambda: sortal.silhouette(adata, kind),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_a_damaged_file_is_rejected(tmp_path):
    pytest.importorskip("anndata", reason="anndata is not installed")
    path = tmp_path / "x.h5ad"
    path.write_bytes(b"no HDF5")
    with pytest.raises(InputError, match="cannot be read as an annotated matrix"):
        sortal.datasets.read(path)
