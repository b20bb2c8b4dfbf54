"""The tables of other packages' names: complete, and every call runs."""

from __future__ import annotations

import doctest
import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris

import sortal
from sortal.measures import catalogue
from sortal.measures.internal import sweeps, variance

DOCS = Path(__file__).resolve().parents[1] / "docs"
STORED = DOCS.parent / "lab" / "results" / "conformance.json"
PAGE = DOCS / "internal.rst"
if not PAGE.exists():
    pytest.skip("the documentation is not beside the tests", allow_module_level=True)
conformance = pytest.importorskip("sortal_lab.conformance")
PEERS = conformance.PEERS
CASES = list(conformance.cases(2))

X_IRIS, Y_IRIS = load_iris(return_X_y=True)

#: what the packages' manuals list
NAMES = {
    "clusterCrit": """Ball_Hall Banfeld_Raftery C_index Calinski_Harabasz Davies_Bouldin Det_Ratio
        Dunn Gamma G_plus GDI11 GDI12 GDI13 GDI21 GDI22 GDI23 GDI31 GDI32 GDI33 GDI41 GDI42 GDI43
        GDI51 GDI52 GDI53 Ksq_DetW Log_Det_Ratio Log_SS_Ratio McClain_Rao PBM Point_Biserial
        Ray_Turi Ratkowsky_Lance Scott_Symons SD_Scat SD_Dis S_Dbw Silhouette Tau Trace_W Trace_WiB
        Wemmert_Gancarski Xie_Beni""",
    "NbClust": """kl ch hartigan ccc scott marriot trcovw tracew friedman rubin cindex db silhouette
        duda pseudot2 beale ratkowsky ball ptbiserial gap frey mcclain gamma gplus tau dunn hubert
        sdindex dindex sdbw""",
    "fpc": """average.between average.within within.cluster.ss clus.avg.silwidths avg.silwidth g2 g3
        pearsongamma dunn dunn2 entropy wb.ratio ch cwidegap widestgap sindex corrected.rand vi
        dudahart2 cvnn cvnnd dindex denscut highdgap cdbw""",
}


#: how many names the other packages have
COUNTS = {"permetrics": 44, "fpc": 25, "NbClust": 30, "clusterCrit": 42, "ELKI": 38}


def test_no_name_is_lost():
    assert {package: len(PEERS[package]) for package in COUNTS} == COUNTS


@pytest.mark.parametrize("package", sorted(NAMES))
def test_tables_are_complete(package):
    assert sorted(peer.name for peer in PEERS[package]) == sorted(NAMES[package].split())


#: of sweeps of clusterings or thousands of runs of k-means, tested elsewhere
SWEEPS = ("gap_statistic", "hartigan_index", "krzanowski_lai_index")
CALLS = sorted({peer.call for peers in PEERS.values() for peer in peers if peer.call})
CALLS = [call for call in CALLS if not call.startswith(SWEEPS)]


@pytest.mark.parametrize("call", CALLS)
def test_every_call_has_a_value(call):
    assert not isinstance(conformance.ours(call, CASES[0]), str)  # the message of an error


@pytest.mark.parametrize("package", sorted(PEERS))
def test_a_name_stands_once_and_in_the_documentation(package):
    names = [peer.name for peer in PEERS[package]]
    assert len(set(names)) == len(names)
    assert f"peers-{package}.inc" in (DOCS / "peers.rst").read_text()


def rows_of_scikit_learn(peers):
    release = conformance.release_of("scikit-learn")
    return conformance.rows_of("scikit-learn", peers, CASES, release)


def test_scikit_learn_agrees_or_differs_for_a_reason():
    rows = rows_of_scikit_learn(PEERS["scikit-learn"])
    assert len(rows) == 5 * len(PEERS["scikit-learn"])
    assert not [row for row in rows if row["verdict"] not in ("equal", "other convention")]


def test_another_measure_is_noticed():
    wrong = replace(PEERS["scikit-learn"][0], call="rand_index(truth, labels)")
    assert wrong.name == "adjusted_rand_score"
    assert rows_of_scikit_learn([wrong])[0]["verdict"] == "unexplained"


def test_the_stored_comparison_is_complete_and_explained():
    if not STORED.is_file():
        pytest.skip("the laboratory's results are not beside the tests")
    rows = json.loads(STORED.read_text("utf-8"))["table"]
    assert {(row["package"], row["name"], row["sortal"]) for row in rows} == {
        (package, peer.name, peer.call) for package, peers in PEERS.items() for peer in peers
    }
    compared = [row for row in rows if row["compared"]]
    assert len(compared) >= 250
    assert not [row for row in compared if row["verdict"] == "unexplained"]
    assert all(row["reason"] for row in rows if row["verdict"] != "equal")


def test_what_is_not_there_has_a_reason():
    assert all(peer.call or peer.note for peers in PEERS.values() for peer in peers)


def test_examples_of_the_page():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert tried > 15
    assert failed == 0


# -- what the packages print --------------------------------------------------------------------

#: an output of NbClust (Ward, k = 3..8) for n points of the plane whose clusters are tight
N = 1997
NBCLUST = {
    "TraceW": (38923.532, 17086.520, 4413.669, 3084.407, 2240.273, 1906.759),
    "CH": (7509.355, 12247.651, 36972.556, 42475.415, 48833.952, 49204.042),
    "KL": (4.3117, 1.0464, 12.9924, 1.2611, 6.6019, 1.9910),
    "Hartigan": (2548.3833, 5722.4479, 858.4760, 750.2086, 348.0736, 280.5975),
    "CCC": (74.5759, 98.3888, 156.7513, 159.0249, 162.6044, 160.0619),
    "Scott": (8677.396, 13251.958, 17241.092, 18847.014, 19972.352, 20573.338),
    "Marriot": (3160962688, 568657699, 120542536, 77670742, 60175497, 58170826),
    "Rubin": (8.5320, 19.4360, 75.2421, 107.6685, 148.2380, 174.1666),
    "Ball": (12974.5107, 4271.6300, 882.7338, 514.0679, 320.0390, 238.3449),
}


class Stub(SimpleNamespace):
    def __len__(self):
        return 1


def stub(k):
    """Statistics with the traces and determinants that the output tells."""
    at = k - 3
    W, R = NBCLUST["TraceW"][at], NBCLUST["CH"][at] * (k - 1) / (N - k)
    log_w = math.log(NBCLUST["Marriot"][at] / k**2)
    log_t = log_w + NBCLUST["Scott"][at] / N
    T = W * (1 + R)
    root = math.sqrt(T**2 - 4 * math.exp(log_t))
    scatter = SimpleNamespace(
        log_det_within=log_w,
        log_det_ratio=log_t - log_w,
        total_eigenvalues=np.array([T + root, T - root]) / 2,
    )
    # sums of squares around k centroids on a line, with the same traces
    sizes = np.full(k, N // k)
    sizes[0] += N - sizes.sum()
    place = np.arange(k) - sizes @ np.arange(k) / N
    place = place * math.sqrt(W * R / (sizes @ place**2))
    return Stub(
        labelings=SimpleNamespace(n_clusters=[k]),
        sizes=[sizes],
        centroids=[np.column_stack([place, 0 * place])],
        squares=[np.full(k, W / k)],
        scatter=[scatter],
        n_judged=lambda m: N,
    )


@pytest.mark.parametrize("k", range(3, 9))
def test_nbclust_prints_the_same_criteria(k):
    stats, at = stub(k), k - 3
    (ccc,) = catalogue["cubic_clustering_criterion"].compute(stats)
    assert ccc == pytest.approx(NBCLUST["CCC"][at], abs=2e-4)
    # ∣T∣ from Scott and Marriot is one number for all k, so these are what we take them for
    total, other = (
        s.scatter[0].log_det_within + s.scatter[0].log_det_ratio for s in (stats, stub(8))
    )
    assert total == pytest.approx(other, abs=2e-6)
    within, between = variance.sums_of_squares(stats, 0)
    # the notes of the table: Rubin is tr T/tr W, Ball tr W/k
    assert NBCLUST["Rubin"][at] == pytest.approx(1 + between / within, rel=1e-5)
    assert NBCLUST["Ball"][at] == pytest.approx(NBCLUST["TraceW"][at] / k, rel=1e-6)


def test_nbclust_prints_the_same_krzanowski_lai_and_one_more_in_hartigan(monkeypatch):
    within = dict(zip(range(3, 9), NBCLUST["TraceW"], strict=True))
    labels = {f"k{k}": np.arange(N) % k for k in within}
    squares = [np.array([value]) for value in within.values()]
    real = sweeps.Statistics

    def of_paper(*given):
        stats = real(*given)
        stats.squares = squares
        return stats

    monkeypatch.setattr(sweeps, "Statistics", of_paper)
    X = np.random.default_rng(0).normal(size=(N, 2))
    kl = sortal.krzanowski_lai_index(X, labels)
    hartigan = sortal.hartigan_index(X, labels)
    for k in range(4, 8):
        assert kl["krzanowski_lai_index"][f"k{k}"] == pytest.approx(NBCLUST["KL"][k - 3], rel=2e-4)
    for k in range(3, 8):
        theirs = hartigan["hartigan_index"][f"k{k}"] * (N - k) / (N - k - 1)
        assert theirs == pytest.approx(NBCLUST["Hartigan"][k - 3], rel=1e-6)


def test_permetrics_agrees_on_iris():
    permetrics = pytest.importorskip("permetrics", reason="permetrics is not there")
    peer = permetrics.ClusteringMetric(X=X_IRIS, y_pred=Y_IRIS)
    for ours, theirs in (
        (sortal.banfield_raftery_index, peer.banfeld_raftery_index()),
        (sortal.log_determinant_ratio, peer.log_det_ratio_index()),
    ):
        assert ours(X_IRIS, Y_IRIS) == pytest.approx(theirs, rel=1e-9)
