"""Chapter 7 of whissell2012: what the vectors hold, and what the tables say of samples."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sortal_lab as reproduce
from sortal.extension import KeptValues
from sortal_lab import whissell2012_chapter7_mails as mails
from sortal_lab.journal import Journal
from sortal_lab.whissell2012_chapter7 import _compared, _gain, _resampled, _worded

MESSAGE = (
    "From ann@example.org  Mon Apr  9 10:00:00 2007\r\n"
    "Received: from example.org by filter.example.com; Mon, 9 Apr 2007\r\n"
    "X-Spam-Status: Yes, score=9.1\r\n tests=BAYES_99\r\n"
    "Date: Mon, 9 Apr 2007 10:00:00 +0000\r\n"
    "Message-ID: <20070409@example.org>\r\n"
    "From: ann@example.org\r\n"
    "Subject: a good\r\n\toffer\r\n"
    "X-Spam-Flag: YES\r\n"
    "\r\n"
    "Date: to be agreed.\r\n"
)


def test_no_trace_of_filters_servers_or_clocks_is_in_a_vector():
    kept = mails.content(MESSAGE)
    assert kept == "From: ann@example.org\nSubject: a good\n\toffer\n\nDate: to be agreed.\n"
    without = [line for line in MESSAGE.split("\r\n") if not line.startswith(("X-", " tests="))]
    assert mails.content("\r\n".join(without)) == kept


def test_a_text_without_header_is_all_body():
    assert mails.content("Hello there\n\nX-Spam: told in a body") == "\n\nX-Spam: told in a body"


def test_bytes_are_cut_before_they_are_decoded():
    start = "Subject: "
    fill = "ä" * ((mails.FIRST_BYTES - len(start)) // 2)
    left = mails.FIRST_BYTES - len((start + fill).encode())
    one, other = (f"{start}{fill}{'x' * left}{end}\n\n" for end in "yz")
    X = mails.vectors([one, other] * 20)
    assert (X[[0]] != X[[1]]).nnz == 0
    shorter = mails.vectors([one.replace("ä", "a", 1), other.replace("ä", "a", 1)] * 20)
    assert (shorter[[0]] != shorter[[1]]).nnz > 0


@pytest.fixture
def made():
    """Two kinds of spam and two of ham, well apart, in a sample and outside."""
    rng = np.random.default_rng(3)
    centers = np.eye(4, 12) * 3
    kinds = np.repeat(np.arange(4), 30)

    def some():
        Z = centers[kinds] + rng.normal(0, 0.3, (120, 12))
        return Z / np.linalg.norm(Z, axis=1, keepdims=True)

    truth = np.where(kinds < 2, "spam", "ham").astype(object)
    return mails.Mails(None, some(), some(), truth, truth), kinds


def test_the_area_under_the_curve_by_pairs(made):
    sample, _ = made
    rows = np.array([0, 1, 60, 61, 100])
    from sklearn.linear_model import LogisticRegression

    given = sample.truth[rows] == "spam"
    told = (
        LogisticRegression(max_iter=1000)
        .fit(sample.Z[rows], given)
        .decision_function(sample.Z_test)
    )
    spam = sample.truth_test == "spam"
    pairs = told[spam][:, None] - told[~spam][None, :]
    lost = 100 * np.mean((pairs < 0) + 0.5 * (pairs == 0))
    assert mails.ranked(sample, rows, sample.truth[rows])[0] == pytest.approx(lost)


def test_labels_of_one_class_rank_nothing(made):
    assert mails.ranked(made[0], np.array([0, 1]), ["ham", "ham"]) == (50.0, 50.0)


def test_the_filters_by_hand(made, monkeypatch):
    """With the true kinds as the clusters both filters know all; with two clusters none."""
    sample, kinds = made
    monkeypatch.setattr(mails, "KS", (2, 4))
    mixed = kinds % 2
    labelings = {f"{c} {k}": kinds if k == 4 else mixed for c in mails.CLUSTERERS for k in (2, 4)}
    table = pd.DataFrame(1.0, index=list(labelings), columns=list(mails.MEASURES))
    row = mails.filters(sample, table, labelings)
    assert row["CMSF informativeness 4"] == row["FCSF c_index 4"] == row["errors 4"] == 0
    # of two clusters with as many of each class, one medoid speaks for both classes
    assert row["FCSF informativeness 2"] > 20


def _rows(rng, gain):
    """Figures of one sample: a filter that loses exp(-gain) times what random labels lose."""
    row = {f"purity {c} {k}": 0.9 for c in mails.CLUSTERERS for k in mails.KS}
    row["purity random"] = 0.6
    for k in mails.KS:
        row[f"random {k}"] = 40 / k * float(np.exp(rng.normal(0, 0.1)))
        row[f"errors {k}"] = 3.0
        for i, key in enumerate(mails.MEASURES):
            row[f"CMSF {key} {k}"] = row[f"random {k}"] * float(np.exp(-gain + 0.1 * i))
            row[f"FCSF {key} {k}"] = row[f"random {k}"] * float(np.exp(-gain - 0.2))
        for way in mails.SPENT:
            row[f"{way} {k}"] = 1.0
    return row


@pytest.fixture
def storage(tmp_path):
    path = tmp_path / "chapter7.sortal"
    kept = Journal(path, "chapter 7, random_state 0")
    rng = np.random.default_rng(1)
    for name in mails.MAILS:
        for sample in range(6):
            kept.put((name, str(sample)), _rows(rng, 0.5))
    return path


def _run(name, storage):
    return reproduce.run(name, samples=6, storage=storage)


def test_a_known_gain_is_found(storage):
    found = _run("whissell2012-figure7.2", storage)
    row = found.table.set_index(["collection", "method", "measure"]).loc[
        (mails.MAILS[0], "CMSF", "Inf.")
    ]
    assert row["k=10"].startswith("0.50 (0.50 to 0.50)")
    assert row["random worse by"].startswith(f"{100 * (np.exp(0.5) - 1):.0f} %")
    assert row["k with gain"] == "49 of 49"
    assert any("3.0 ± 0.0 % misclassified" in note for note in found.notes)


def test_which_measure_and_method_is_better(storage):
    measures = _run("whissell2012-table7.3", storage).table
    first = measures[(measures["one"] == "Inf.") & (measures["other"] == "DB")]
    assert list(first["sign"]) == [">>", "-"]
    assert first["difference"].iloc[0] == pytest.approx(0.4)
    assert set(_run("whissell2012-table7.4", storage).table["collection"]) == set(mails.MAILS[1:])
    assert set(_run("whissell2012-table7.5", storage).table["better"]) == {"FCSF"}
    purity = _run("whissell2012-table7.2", storage).table
    assert len(purity) == 3 * 6 * 5
    assert (purity.loc[purity["clusterer"] == "UPGMA", "sortal"] == 0.9).all()
    assert set(purity["corpus"]) == {"TREC2005", "CEAS2008"}
    assert len(_run("whissell2012-figure7.4", storage).table) == 12


def test_gains_are_of_means_over_samples(storage):
    rows = list(KeptValues(storage)._values.values())[:6]
    gains = _gain(pd.DataFrame(rows), "CMSF c_index", (7, 9))
    s = np.mean([row["random 7"] for row in rows])
    b = np.mean([row["CMSF c_index 7"] for row in rows])
    assert gains[0, 0] == pytest.approx(np.log(s / b))
    assert (_resampled(6)[0] == np.arange(6)).all()
    assert gains.shape == (2001, 2)


def test_wilcoxon_by_scipy():
    rng = np.random.default_rng(5)
    one, other = rng.normal(0.05, 1, (2, 2001, 49))
    assert _compared(one, other)["p"] == stats.wilcoxon(one[0], other[0]).pvalue
    assert _compared(one, one)["sign"] == "-"


@pytest.mark.long
def test_one_sample_of_real_mails(tmp_path, monkeypatch, real_data):
    made = mails.sample_of(mails.MAILS[2], np.random.default_rng(0), mails.TRAINED)
    gram = (made.X @ made.X.T).toarray()
    np.testing.assert_allclose(made.Z @ made.Z.T, gram, atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(made.Z, axis=1), 1)
    monkeypatch.setattr(mails, "KS", (2, 3, 4, 5, 6))
    row = mails.row_of(mails.MAILS[2], 0, 0, mails.TRAINED)
    assert row["purity UPGMA 6"] >= row["purity random"] > 0.8
    assert 0 <= row["FCSF informativeness 6"] <= 50


def test_bisections_split_the_largest():
    X = np.random.default_rng(0).poisson(1.0, (48, 20)).astype(float)
    before = np.zeros(48, dtype=int)
    for k, labels in enumerate(mails.bisections(X, 6, 2, 0), start=2):
        assert len(set(labels)) == k
        split = [c for c in range(k - 1) if (labels[before == c] != c).any()]
        assert split == [int(np.bincount(before).argmax())]
        before = labels


def test_a_single_sample_has_no_interval() -> None:
    gains = _gain(pd.DataFrame([{"random 7": 2.0, "CMSF c_index 7": 1.0}]), "CMSF c_index", (7,))
    assert _worded(gains[:, 0]) == "0.69"
    several = np.array([0.69, 0.5, 0.9])
    assert _worded(100 * several, ".0f", " %").startswith("69 % (5")
    assert np.isnan(_compared(np.ones((1, 9)) * np.arange(9), np.zeros((1, 9)))["low"])


def test_a_cluster_has_the_majority_or_the_label_of_its_medoid() -> None:
    y = np.array(["a", "b", "b", "b", "a", None], dtype=object)
    labelled = [np.array([0, 1, 2]), np.array([4, 3])]
    spread = mails._spread_labels([0, 0, 0, 1, 1, -1], labelled, y)
    assert list(spread) == ["b", "b", "b", "a", "a", None]
