"""Annotated matrices: obs columns are clusterings, obsm and obsp the data, uns the answer."""

from __future__ import annotations

import json
import re
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

import karat
import karat.datasets.annotated_matrices
from karat.cli import app
from karat.runtime.validation import InputError


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
    return SimpleNamespace(
        X=sparse.csr_matrix(rng.poisson(1.0, (n, 10)).astype(np.float32)),
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
def test_from_columns_to_an_answer_and_back(make, tmp_path):
    adata, kind = make()
    study = karat.Study.from_anndata(adata, clusterings=["leiden_*"], by="silhouette")
    assert list(study.candidates.index) == ["leiden_0.2", "leiden_0.5", "leiden_1.0"]
    study.sweep("kmeans", k=[2, 4], n_init=1, workers=1)
    choice = study.best()
    assert choice.name == "leiden_0.5"
    assert adjusted_rand_score(kind, choice.labels) == 1
    assert study.dataset.ids[5] == "cell 5"
    assert study.dataset.feature_names == ("pca 1", "pca 2", "pca 3")
    study.write_anndata(adata)
    assert list(adata.obs["karat"]) == list(adata.obs["leiden_0.5"])
    kept = adata.uns["karat"]
    assert kept["chosen"] == "leiden_0.5"
    assert kept["decided_by"] == "silhouette"
    assert kept["scores"].loc["leiden_1.0", "n_clusters"] == 6
    expected = karat.silhouette(study.X, adata.obs["leiden_0.2"])
    assert kept["scores"].loc["leiden_0.2", "silhouette"] == pytest.approx(expected)
    assert kept["ranking"].index[0] == "leiden_0.5"
    assert {str(kept["scores"][c].dtype) for c in kept["scores"]} == {"float64", "object"}
    karat.write_report(study, tmp_path / "r.html")


def test_what_was_written_back_can_be_saved(tmp_path):
    adata, _ = real()
    import anndata

    study = karat.Study.from_anndata(adata, clusterings="leiden_*", by="silhouette")
    study.write_anndata(adata, key="answer")
    # texts of pandas 3 need a setting; what karat writes does not
    settings = getattr(anndata, "settings", None)
    if hasattr(settings, "allow_write_nullable_strings"):
        settings.allow_write_nullable_strings = True
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = karat.Study.from_anndata(tmp_path / "cells.h5ad", clusterings="leiden_*")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad").uns["answer"]
    assert read["chosen"] == "leiden_0.5"
    np.testing.assert_allclose(
        read["scores"]["silhouette"], study.scores()["silhouette"].to_numpy(float)
    )
    np.testing.assert_array_equal(again.X, study.X)


def test_the_graph_of_cells():
    adata, kind = cells()
    study = karat.Study.from_anndata(
        adata, graph="connectivities", clusterings="leiden_*", by="modularity"
    )
    assert study.metric == "graph"
    study.sweep("spectral", k=[2, 3, 4], n_init=1, workers=1)
    assert adjusted_rand_score(kind, study.best().labels) == 1
    assert study.dataset.notes[0] == "The graph is obsp['connectivities']."
    modularity = karat.modularity(adata.obsp["connectivities"], adata.obs["leiden_1.0"])
    assert study.scores().loc["leiden_1.0", "modularity"] == pytest.approx(modularity)


def test_other_representations_and_truth():
    adata, kind = cells()
    genes = karat.Study.from_anndata(adata, rep="X", truth="type", metric="cosine")
    assert genes.dataset.feature_names[3] == "gene 3"
    assert sparse.issparse(genes.X)
    assert genes.dataset.truth_name == "type"
    assert list(genes.truth[:3]) == ["B", "T", "NK"]
    flat = karat.Study.from_anndata(adata, rep="X_umap", truth=kind)
    assert flat.X.shape == (60, 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rep": "X_pcs"}, "no representation in obsm is called 'X_pcs'; did you mean 'X_pca'"),
        ({"graph": "distances"}, "no graph in obsp is called 'distances'"),
        ({"clusterings": "louvain_*"}, r"no column of obs is called 'louvain_\*'"),
        ({"truth": "typ"}, "no column of obs is called 'typ'; did you mean 'type'"),
    ],
)
def test_what_is_not_there_is_named(options, said):
    with pytest.raises(InputError, match=said):
        karat.Study.from_anndata(cells()[0], **options)


def test_the_wrong_objects_are_noticed():
    adata, _ = cells()
    study = karat.Study.from_anndata(adata, clusterings="leiden_*")
    other, _ = cells()
    other.obs_names = other.obs_names[::-1]
    with pytest.raises(InputError, match="not those of the study"):
        study.write_anndata(other)
    with pytest.raises(InputError, match="ndarray has no obs"):
        karat.Study.from_anndata(np.zeros((3, 2)))
    adata.obs["leiden_2.0"] = np.where(np.arange(60) == 7, np.nan, 1.0)
    with pytest.raises(InputError, match=r"leiden_2.0.* 1 missing label"):
        karat.Study.from_anndata(adata, clusterings="leiden_*")
    adata.X = None
    with pytest.raises(InputError, match="has no X; name a representation"):
        karat.Study.from_anndata(adata, rep="X")


def test_a_file_needs_the_extra(monkeypatch, tmp_path):
    monkeypatch.setattr("karat.runtime.extras.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"karat\[anndata\]"):
        karat.Study.from_anndata(tmp_path / "a.h5ad")


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
    monkeypatch.setattr("karat.runtime.extras.find_spec", lambda name: True)
    return path, kind


def test_a_file_is_read_as_any_other(h5ad):
    path, kind = h5ad
    adata = cells()[0]
    data = karat.datasets.read(path, label_column="type")
    np.testing.assert_allclose(data.X, adata.obsm["X_pca"])
    assert list(data.ids[:2]) == ["cell 0", "cell 1"]
    assert list(data.truth) == list(adata.obs["type"])
    assert "X_umap" in data.notes[0]
    flat = karat.datasets.read(f"{path}#X_umap")
    np.testing.assert_allclose(flat.X, adata.obsm["X_umap"])
    genes = karat.datasets.read(f"{path}#X")
    assert sparse.issparse(genes.X)
    assert genes.feature_names[3] == "gene 3"
    with pytest.raises(InputError, match="did you mean 'X_umap'"):
        karat.datasets.read(f"{path}#X_umab")
    back = karat.datasets.read_labelings(path, ids=data.ids[::-1])
    assert list(back) == ["leiden_0.2", "leiden_0.5", "leiden_1.0"]
    assert adjusted_rand_score(back["leiden_0.5"], kind[::-1]) == 1


def test_the_command_compares_the_clusterings_of_a_file(h5ad):
    path, _ = h5ad
    call = ["run", str(path), "--only-labelings", "--by", "silhouette", "--json", "--no-stability"]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, (done.output, done.exception)
    answer = json.loads(done.stdout)
    assert answer["best"]["name"] == "leiden_0.5"
    call = ["compare", str(path), "--columns", "type,leiden_0.5", "--json"]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, (done.output, done.exception)
    values = {m["key"]: m["value"] for m in json.loads(done.stdout)["measures"]}
    assert values["adjusted_rand_index"] == 1


def test_a_file_without_clusterings_says_so(h5ad, monkeypatch):
    path, _ = h5ad
    monkeypatch.setattr(karat.datasets.annotated_matrices, "CLUSTERINGS", re.compile("xyz"))
    assert karat.datasets.annotated_matrices.clusterings_in(path) == []
    with pytest.raises(InputError, match="called as clusterings are"):
        karat.datasets.read_labelings(path)


@pytest.mark.parametrize("make", [cells, real])
def test_an_annotated_matrix_is_no_matrix(make):
    adata, kind = make()
    said = r"annotated matrix .* obsm\['X_pca'\] or obsm\['X_umap'\] or X .*from_anndata"
    for call in (
        lambda: karat.Study(adata),
        lambda: karat.evaluate(adata, kind),
        lambda: karat.silhouette(adata, kind),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_a_damaged_file_is_rejected(tmp_path):
    pytest.importorskip("anndata", reason="anndata is not installed")
    path = tmp_path / "x.h5ad"
    path.write_bytes(b"no HDF5")
    with pytest.raises(InputError, match="cannot be read as an annotated matrix"):
        karat.datasets.read(path)


# -- clusters over resolutions ---------------------------------------------------------------


def test_nesting_is_the_share_that_stays_together():
    rng = np.random.default_rng(0)
    coarse, fine = rng.integers(0, 4, 200), rng.integers(0, 7, 200)
    stays = sum(max(np.sum((fine == c) & (coarse == b)) for b in range(4)) for c in range(7))
    assert karat.plot.nesting({"a": coarse, "b": fine})["b"] == pytest.approx(stays / 200)
    # the purity of the coarse clusters within the fine ones
    assert karat.plot.nesting({"a": coarse, "b": fine})["b"] == karat.purity(coarse, fine)
    dropped = np.where(rng.random(200) < 0.2, -1, fine)
    kept = dropped >= 0
    expected = karat.purity(coarse[kept], fine[kept])
    assert karat.plot.nesting({"a": coarse, "b": dropped})["b"] == pytest.approx(expected)


def test_cuts_of_a_tree_nest_and_are_drawn_without_crossings():
    from scipy.cluster.hierarchy import linkage

    X = np.random.default_rng(1).normal(size=(80, 3))
    cuts = karat.Dendrogram(linkage(X, "average"), cuts=range(2, 9)).labelings()
    assert (karat.plot.nesting(cuts) == 1).all()
    figure = karat.plot.clustree(cuts, title="k")
    *edges, circles = figure.data
    assert len(circles.x) == sum(cuts)
    (lines,) = edges
    assert lines.x.count(None) == sum(range(3, 9))
    ends = [(lines.x[i], lines.x[i + 1], lines.y[i]) for i in range(0, len(lines.x), 3)]
    for a, b, row in ends:
        crossing = [(c, d) for c, d, other in ends if other == row and (a - c) * (b - d) < 0]
        assert not crossing
    assert list(figure.layout.yaxis.ticktext) == [str(k) for k in range(2, 9)]


def test_a_cluster_of_two_has_two_weak_edges():
    figure = karat.plot.clustree({"a": [0, 0, 1, 1], "b": [0, 1, 1, 2]})
    weak, strong, circles = figure.data
    assert (weak.x.count(None), strong.x.count(None)) == (2, 2)
    assert weak.opacity < strong.opacity
    assert "25 %" in circles.hovertext[2]


def test_what_cannot_be_drawn():
    with pytest.raises(InputError, match="two clusterings or more"):
        karat.plot.clustree({"a": [0, 1]})
    with pytest.raises(InputError, match="different numbers of objects"):
        karat.plot.clustree({"a": [0, 1], "b": [0, 1, 2]})
    with pytest.raises(InputError, match="1,000 clusters shows nothing"):
        karat.plot.clustree({"a": np.arange(500), "b": np.arange(500)})
    with pytest.raises(InputError, match="a mapping from names"):
        karat.plot.clustree([[0, 1], [0, 1]])


def test_the_report_draws_what_nearly_nests():
    from karat.report import render

    adata, _ = cells()
    study = karat.Study.from_anndata(adata, clusterings="leiden_*", by="silhouette")
    page = render(study)
    assert "From coarse to fine" in page
    assert '"leiden"' in page or "leiden" in page
    X = np.random.default_rng(0).normal(size=(60, 2))
    tree = karat.Study(X, by="silhouette")
    tree.sweep("average", k=range(2, 6), workers=1)
    assert "Each row only divides clusters of the row above." in render(tree)
    scattered = karat.Study(X, by="silhouette")
    rng = np.random.default_rng(1)
    scattered.add({f"r_{k}": rng.integers(0, k, 60) for k in (2, 3, 4)})
    assert "From coarse to fine" not in render(scattered)
