"""Chapter 5 of whissell2012 on small collections: cells by hand, bisections, resuming."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import average, fcluster
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import normalized_mutual_info_score

from karat.reproduce import EXPERIMENTS, whissell2012_chapter5
from karat.reproduce.whissell2012_chapter5 import COMPARED, PUBLISHED, SETS, bisections, run
from karat.text import TermWeighter


def collection(which):
    rng = np.random.default_rng([len(which), ord(which[-1])])
    classes = np.array(list("aabbbccc") * 6, dtype=object)
    topics = rng.dirichlet(np.full(40, 0.15), size=3)
    X = [rng.multinomial(25, topics["abc".index(c)]) for c in classes]
    return sparse.csr_array(np.array(X, dtype=float)), classes


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(whissell2012_chapter5, "_collection", collection)
    monkeypatch.setattr(whissell2012_chapter5, "SETS", ("fbis", "tr31", "re0", "re1"))
    monkeypatch.setattr(whissell2012_chapter5, "KS", range(2, 6))


def test_a_change_by_hand(tmp_path):
    found = run(name="whissell2012-table5.5", samples=2, storage=tmp_path / "kept").table
    changes = []
    for which in ("fbis", "tr31", "re0", "re1"):
        counts, classes = collection(which)
        nmi = []
        for weight in ("tf-idf", "tf"):
            X = TermWeighter(weight).fit_transform(counts).toarray()
            tree = average(pdist(X, "cosine"))
            cuts = [fcluster(tree, k, "maxclust") for k in range(2, 6)]
            nmi.append(
                np.mean(
                    [
                        normalized_mutual_info_score(classes, cut, average_method="geometric")
                        for cut in cuts
                    ]
                )
            )
        changes.append(100 * (nmi[0] / nmi[1] - 1))
    row = found[(found["clusterer"] == "UPGMA") & (found["measure"] == "NMI")].iloc[0]
    assert row["change"] == pytest.approx(np.mean(changes))
    assert row["±"] == pytest.approx(3.182446 * np.std(changes, ddof=1) / 2)  # t of 3 degrees
    assert row["published"] == 22.1
    text = (tmp_path / "kept").read_text()
    again = run(name="whissell2012-table5.5", samples=2, storage=tmp_path / "kept").table
    assert again.equals(found)
    assert (tmp_path / "kept").read_text() == text


def test_what_k1_was_chosen_on_is_told_apart():
    found = run(name="whissell2012-table5.13", samples=1)
    assert sorted(set(found.table["sets"])) == [2, 4]
    assert "k1 = 20 was chosen on fbis and tr31" in found.notes[1]


def test_figure_by_definition(monkeypatch):
    monkeypatch.setattr(whissell2012_chapter5, "SETS", SETS)
    found = run(name="whissell2012-figure5.1").table.set_index(["collection", "weight"])
    for which, weight in (("re0", "bm25-tf-idf"), ("fbis", "binary")):
        counts, classes = collection(which)
        D = squareform(pdist(TermWeighter(weight).fit_transform(counts).toarray(), "cosine"))
        np.fill_diagonal(D, np.inf)
        order = np.argsort(D, axis=1, kind="stable")
        expected = (classes[order[:, :10]] == classes[:, None]).mean()
        assert found.loc[(which, weight), "r=10"] == pytest.approx(expected)


def test_bisections_pass_over_clusters_of_one_row():
    rows = np.repeat(np.eye(4), [9, 2, 2, 1], axis=0)
    found = list(bisections(sparse.csr_array(rows), 6, 2, 0))
    assert [labels.max() + 1 for labels in found] == [2, 3, 4]
    assert len(np.unique(np.c_[rows.argmax(axis=1), found[-1]], axis=0)) == 4


def test_bisections_split_the_largest():
    X = collection("re0")[0]
    before = np.zeros(48, dtype=int)
    for k, labels in enumerate(bisections(X, 6, 2, 0), start=2):
        assert len(set(labels)) == k
        split = [c for c in range(k - 1) if (labels[before == c] != c).any()]
        assert split == [int(np.bincount(before).argmax())]
        before = labels


def test_every_table_is_listed_with_its_figures():
    assert {key for key in EXPERIMENTS if "5." in key} == {*COMPARED, "whissell2012-figure5.1"}
    assert {name for name, _ in PUBLISHED} == set(COMPARED)
    assert len(PUBLISHED) == 3 * len(COMPARED)
