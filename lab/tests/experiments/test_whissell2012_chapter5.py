"""Chapter 5 of whissell2012 on small collections: cells by hand, printed tables, resuming."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from scipy.cluster.hierarchy import average, fcluster
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.pairwise import cosine_distances

from sortal.clusterers import catalogue
from sortal.text import TermWeighter
from sortal_lab import EXPERIMENTS, run, whissell2012_chapter5, whissell2012_chapter5_race
from sortal_lab import whissell2012_chapter5_figures as figures
from sortal_lab import whissell2012_tables as published
from sortal_lab.whissell2012_chapter5 import COMPARED
from sortal_lab.whissell2012_chapter5_overall import (
    HIERARCHICAL,
    overall_rows,
    unlike_their_rows,
)
from sortal_lab.whissell2012_chapter5_race import (
    FRESH,
    KS,
    MEASURES,
    SATURATED,
    SETS,
    algorithms,
    scale,
)

NAMES = {f"whissell2012-table{number}" for number in ("5.1", *COMPARED)}


def collection(which, seed=0):
    rng = np.random.default_rng([len(which), ord(which[-1])])
    classes = np.array(list("aabbbccc") * 6, dtype=object)
    topics = rng.dirichlet(np.full(40, 2.0), size=3)
    X = [rng.multinomial(50, topics["abc".index(c)]) for c in classes]
    return sparse.csr_array(np.array(X, dtype=float)), classes


def few(starts):
    """Three of the seventeen, which cost nothing."""
    return {
        "K-means": KMeans(init="random", n_init=starts),
        "UPGMA": catalogue["average"],
        "Clink": catalogue["complete"],
    }


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(whissell2012_chapter5_race, "collection", collection)
    monkeypatch.setattr(whissell2012_chapter5_race, "algorithms", few)


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    """The file of fits that the tables share."""
    return tmp_path_factory.mktemp("fits") / "kept"


def by_hand(which, weight, ks):
    """NMI of UPGMA by SciPy, its mean over k."""
    counts, classes = collection(which)
    tree = average(pdist(TermWeighter(weight).fit_transform(counts).toarray(), "cosine"))
    return np.mean(
        [
            normalized_mutual_info_score(
                classes, fcluster(tree, k, "maxclust"), average_method="geometric"
            )
            for k in ks
        ]
    )


def test_a_change_by_hand(small, fits):
    ks = scale(1)[1]
    found = run("whissell2012-table5.5", samples=1, storage=fits)
    row = found.table.set_index(["algorithm", "measure"]).loc[("UPGMA", "NMI")]
    nmi = np.array([[by_hand(s, w, ks) for w in ("tf-idf", "tf")] for s in SETS])
    changes = 100 * (nmi[:, 0] / nmi[:, 1] - 1)
    assert row["change"] == pytest.approx(changes.mean())
    assert row["±"] == pytest.approx(2.446912 * changes.std(ddof=1) / np.sqrt(7))  # t of 6
    assert row["published"] == 22.1
    kept = fits.read_bytes()
    other = run("whissell2012-table5.3", samples=1, storage=fits).table
    assert fits.read_bytes() == kept  # the tables share the fits
    assert other.iloc[-1]["collection"] == "overall"
    assert other["NMI change published"].tolist()[:2] == [-1.6, -11.0]


def test_best_and_rankings_by_hand(small, fits):
    ks = scale(1)[1]
    best = run("whissell2012-table5.4", samples=1, storage=fits).table
    row = best[(best["measure"] == "NMI") & (best["collection"] == "re0")].iloc[1]
    assert row[["weight", "published best", "published"]].tolist() == ["tf-idf", "RB-H1", 0.417]
    assert row["ours"] > by_hand("re0", "tf-idf", ks) - 1e-12
    ranked = run("whissell2012-table5.7", samples=1, storage=fits)
    row = ranked.table.set_index(["measure", "reading"]).loc[("FQ", "")]
    # of the printed ranking what is here
    assert row["published"] == "UPGMA, K-means, Clink"
    ours = dict(each.rsplit(" ", 1) for each in row["ours"].split(", "))
    assert sum(map(float, ours.values())) == pytest.approx(6, abs=0.2)
    tau = stats.kendalltau([float(ours[a]) for a in ("UPGMA", "K-means", "Clink")], [1, 2, 3])
    assert row["tau"] == pytest.approx(tau.statistic)
    assert 0 < row["p"] <= 1
    taus = run("whissell2012-table5.8", samples=1, storage=fits).table
    assert len(taus) == 28
    assert (taus["low"] <= taus["high"]).all()
    assert taus["repeats"].all()


def test_a_ranking_that_collections_can_give_has_a_chance():
    scores = pd.DataFrame([[0.9, 0.5, 0.1]] * 5, columns=["a", "b", "c"])
    chance = whissell2012_chapter5._chance_of_ranking
    assert chance(scores, ["a", "b", "c"], 0) == 1
    assert chance(scores, ["b", "a", "c"], 0) == 1 / 1000
    # one collection of five has the other order: most draws have it at most twice
    scores.iloc[0, :2] = 0.5, 0.9
    assert 0.03 < chance(scores, ["b", "a", "c"], 0) < 0.09


def test_the_toolkit_stands_in_its_own_place():
    scores = pd.DataFrame([[1.0, 2.0, 3.0]], columns=["RB-I2", "PAM", "RB-I2 on idf columns"])
    found = whissell2012_chapter5._of_toolkit(scores)
    assert found.to_dict("records") == [{"RB-I2": 3.0, "PAM": 2.0}]


def test_quick_rankings_are_beside_no_published_ones(small, monkeypatch):
    monkeypatch.setattr(whissell2012_chapter5_race, "QUICK_SETS", SETS)
    assert set(run("whissell2012-table5.6", samples=0).table["published"]) == {""}


def test_bm25_is_judged_where_k1_was_not_chosen(small, fits):
    found = run("whissell2012-table5.11", samples=1, storage=fits).table
    of_formula = found[found["to"] == "bm25-tf-idf"]
    assert of_formula["collection"].tolist() == ["re0", "re1", "tr41", "tr45", "wap", "overall"]
    assert of_formula["NMI change published"].tolist() == [13.1, -1.0, 1.6, -3.1, 4.4, 2.9]
    assert found[found["to"] == SATURATED]["NMI change published"].isna().all()
    found = run("whissell2012-table5.13", samples=1, storage=fits)
    assert (found.table["repeats"] == (found.table["to"] == SATURATED)).all()
    assert "5 collections" in found.notes[0]
    assert "k1 = 20 was chosen on fbis and tr31" in found.notes[-1]


def test_saturated_weights_by_definition():
    counts = collection("re0")[0].toarray()
    weights = counts * np.log(len(counts) / (counts > 0).sum(axis=0))
    lengths = weights.sum(axis=1, keepdims=True)
    wanted = weights * 21 / (weights + 20 * lengths / lengths.mean())
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    found = whissell2012_chapter5_race.weigh(sparse.csr_array(counts), SATURATED)
    assert np.allclose(found.toarray(), wanted)


def test_columns_scaled_by_idf_are_those_of_the_toolkit(small, monkeypatch):
    monkeypatch.setattr(whissell2012_chapter5_race, "CLUTO", ("UPGMA",))
    table = run("whissell2012-table5.5", samples=1).table.set_index(["algorithm", "measure"])
    row = table.loc[("UPGMA on idf columns", "NMI")]
    assert row["published"] == 22.1
    assert row["repeats"]
    changes = []
    for which in SETS:
        counts, classes = collection(which)
        nmi = []
        for weight in ("tf-idf", "tf"):
            rows = TermWeighter(weight).fit_transform(counts).toarray()
            rows *= np.log(len(rows) / (rows > 0).sum(axis=0))
            tree = average(pdist(rows, "cosine"))
            cuts = [fcluster(tree, k, "maxclust") for k in scale(1)[1]]
            nmi.append(np.mean([
                normalized_mutual_info_score(classes, cut, average_method="geometric")
                for cut in cuts
            ]))  # fmt: skip
        changes.append(100 * (nmi[0] / nmi[1] - 1))
    assert row["change"] == pytest.approx(np.mean(changes))


@pytest.mark.long
def test_fresh_collections_are_others(small):
    assert not set(FRESH) & set(SETS)
    found = run("whissell2012-chapter5-fresh", samples=1)
    assert set(found.table["algorithm"]) == set(few(1))
    assert len(found.table) == 2 * len(MEASURES) * 3
    assert "bm25-tf-idf over tf-idf by NMI on fresh collections" in found.notes[1]


def test_figure_by_definition(small):
    found = run("whissell2012-figure5.1").table.set_index(["collection", "weight"])
    for which, weight in (("re0", "bm25-tf-idf"), ("fbis", "binary")):
        counts, classes = collection(which)
        D = squareform(pdist(TermWeighter(weight).fit_transform(counts).toarray(), "cosine"))
        np.fill_diagonal(D, np.inf)
        order = np.argsort(D, axis=1, kind="stable")
        expected = (classes[order[:, :10]] == classes[:, None]).mean()
        assert found.loc[(which, weight), "r=10"] == pytest.approx(expected)


def test_saturation_by_hand(small):
    found = run("whissell2012-figure5.2", samples=1).table.set_index(["collection", "k1"])
    counts, classes = collection("tr31")
    X = TermWeighter("bm25-tf-idf", k1=2.0).fit_transform(counts).toarray()
    tree = average(pdist(X, "cosine"))
    wanted = np.mean(
        [
            normalized_mutual_info_score(
                classes, fcluster(tree, k, "maxclust"), average_method="geometric"
            )
            for k in scale(1)[1]
        ]
    )
    assert found.loc[("tr31", 2), "NMI"] == pytest.approx(wanted)
    assert {0, 1, 2, 20, 100} <= set(found.loc["fbis"].index)


def test_scales():
    assert scale(None) == (20, list(KS))
    assert scale(1) == (5, [6, 16, 26])
    assert scale(10) == (20, list(KS))


def test_the_printed_tables_agree_with_one_another():
    """Table 5.8 is made of 5.6 and 5.7; what tables share is printed alike but for one rounding."""
    printed = {
        f"{weight} {measure}": published.RANKINGS[number][measure]
        for number, weight in (("5.6", "tf"), ("5.7", "tf-idf"))
        for measure in MEASURES
    }
    names = set(printed["tf NMI"])
    assert len(names) == 17
    for one, other in itertools.combinations(printed, 2):
        places = [[printed[key].index(name) for name in names] for key in (one, other)]
        tau = stats.kendalltau(*places).statistic
        assert tau == pytest.approx(published.TAUS[one, other], abs=6e-4)
    assert all(set(cells) == names for cells in published.BY_ALGORITHM.values())
    for measure in MEASURES:
        first, second = (published.BEST[number][measure] for number in ("5.4", "5.9"))
        for which, own in first.items():
            assert own[0] == second[which][0]
            assert own[1] == pytest.approx(second[which][1], abs=0.0031)


@pytest.mark.parametrize("starts", [1, 4, 20])
def test_each_algorithm_has_a_start(starts):
    documents = np.random.default_rng(0).poisson(1.0, (12, 5)) + 1.0
    assert algorithms(starts)["NC-NMF"].set_params(n_clusters=2).fit(documents).n_iter_ > 0
    for name, algorithm in algorithms(starts).items():
        assert getattr(algorithm, "n_init", 1) >= 1, name


def test_every_name_is_listed():
    assert {key for key in EXPERIMENTS if "table5" in key} == NAMES
    assert "whissell2012-figure5.2" in EXPERIMENTS
    assert {*algorithms(5), *whissell2012_chapter5_race.SPECTRAL} == set(
        published.RANKINGS["5.6"]["NMI"]
    )
    assert set(COMPARED) == {
        *published.BEST, *published.BY_ALGORITHM, *published.BY_COLLECTION, "5.6", "5.7", "5.8",
    }  # fmt: skip
    assert whissell2012_chapter5.cells is whissell2012_chapter5_race.cells


def test_the_overall_rows_are_means_of_groups():
    groups = {True: HIERARCHICAL, False: set(published.BY_ALGORITHM["5.5"]) - set(HIERARCHICAL)}
    assert (len(groups[True]), len(groups[False])) == (8, 9)
    rng = np.random.default_rng(0)
    changes = {name: rng.normal(size=7) for group in groups.values() for name in sorted(group)}
    rows = [
        {"algorithm": name, "measure": measure, "repeats": False}
        | whissell2012_chapter5._change(1 + values / 100, np.ones(7))
        for name, values in changes.items()
        for measure in MEASURES
    ]
    found = overall_rows(pd.DataFrame(rows), "5.5")
    # the text that we have lacks a figure of the second group
    assert [row["published"] for row in found] == [6.8, 4.6, 3.9, 5.9, 9.1, 6.2, 3.9]
    for row, group in ((found[0], groups[True]), (found[-1], groups[False])):
        means = np.mean([changes[name] for name in group], axis=0)
        exact = whissell2012_chapter5._change(1 + means / 100, np.ones(7))
        assert row["change"] == pytest.approx(exact["change"])
        assert row["±"] >= exact["±"]
        assert row["repeats"]
    without = pd.DataFrame([row for row in rows if row["algorithm"] != "UPGMA"])
    assert len(overall_rows(without, "5.5")) == 3


def test_printed_overall_rows_that_are_no_means_of_their_rows():
    unlike = {number: unlike_their_rows(number) for number in published.OVERALL}
    assert [row[:3] for row in unlike["5.5"]] == [("partitional", "PQ", 3.9)]
    assert unlike["5.5"][0][3] == pytest.approx(50.2 / 9)
    assert [row[:3] for row in unlike["5.13"]] == [("hierarchical", "NMI", 3.5)]
    assert not unlike["5.12"] + unlike["5.14"]


def test_shares_of_like_neighbours_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.poisson(1.0, size=(40, 6)) + rng.uniform(size=(40, 6)), rng.integers(0, 3, 40)
    D = cosine_distances(X)
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1)
    expected = [(y[order[:, :r]] == y[:, None]).mean() for r in figures.LENGTHS]
    assert np.allclose(figures.like_neighbors(sparse.csr_array(X), y), expected)
