"""Telling terms, topic quality, and the report of documents."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

import sortal
from sortal import InputError
from sortal.datasets import read
from sortal.report import render
from sortal.text import telling_terms, topic_quality


def documents(seed=0, n=120, d=15):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    chance = rng.uniform(0.05, 0.6, size=(3, d))
    return (rng.random((n, d)) < chance[labels]).astype(float), labels


def naive_interval(x, n, y, m, z):
    def wilson(x, n):
        p = x / n
        a, b = 2 * x + z**2, z * math.sqrt(z**2 + 4 * x * (1 - p))
        return (a - b) / (2 * (n + z**2)), (a + b) / (2 * (n + z**2))

    (l1, u1), (l2, u2) = wilson(x, n), wilson(y, m)
    p, q = x / n, y / m
    return p - q - math.hypot(p - l1, u2 - q), p - q + math.hypot(u1 - p, q - l2)


def test_newcombe_s_own_example():
    # Newcombe 1998, table II: 56/70 - 48/80, 95 %: 0.0524 to 0.3339
    low, high = naive_interval(56, 70, 48, 80, stats.norm.isf(0.025))
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


def test_telling_terms_against_the_definition():
    X, labels = documents()
    table = telling_terms(sparse.csr_array(X), labels, count=15)
    z = stats.norm.isf(0.05 / (2 * 3 * 15))
    assert len(table) > 10
    lowest = []
    for row in table.itertuples():
        members = labels == row.cluster
        x, y = X[members, row.term].sum(), X[~members, row.term].sum()
        assert row.share == pytest.approx(x / members.sum())
        assert row.rest == pytest.approx(y / (~members).sum())
        assert row.share > row.rest
        lowest.append(naive_interval(x, members.sum(), y, (~members).sum(), z)[0])
    for _, part in table.assign(lowest=lowest).groupby("cluster"):
        assert part["lowest"].is_monotonic_decreasing


def test_words_that_have_nothing_to_do_with_each_other_do_not_tell():
    # texts of independent words, clustered: of these documents the shares differ, of others not
    broken = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = (rng.random((400, 15 + 10 * (seed % 3))) < 0.15) * 1.0
        X = X[X.any(axis=1)]
        labels = KMeans(4, n_init=1, random_state=seed).fit_predict(normalize(X))
        table = telling_terms(X, labels)
        assert (table["share"] > 2 * table["rest"]).sum() > 3
        broken += bool(((table["low"] > 0) | (table["high"] < 0)).any())
    assert broken <= 3  # 1 expected


def test_quality_against_the_definition():
    X, labels = documents(2)
    top = telling_terms(X, labels, count=4).groupby("cluster")["term"].agg(list)
    quality = topic_quality(X, labels, count=4)
    shares = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    for c in range(3):
        values = []
        for i, a in enumerate(top[c]):
            for b in top[c][i + 1 :]:
                both = (X[:, a] * X[:, b]).mean()
                npmi = -1.0
                if both > 0:
                    npmi = math.log(both / (X[:, a].mean() * X[:, b].mean())) / -math.log(both)
                values.append(npmi)
        assert quality.loc[c, "coherence"] == pytest.approx(np.mean(values))
        exclusive = np.mean([shares[c, j] / shares[:, j].sum() for j in top[c]])
        assert quality.loc[c, "exclusivity"] == pytest.approx(exclusive)
        others = {j for o in range(3) if o != c for j in top[o]}
        assert quality.loc[c, "diversity"] == np.mean([j not in others for j in top[c]])


def test_where_the_word_is_all_there_is_nothing_is_known_of_its_share():
    labels = np.repeat([0, 1, 2], [20, 15, 10])
    table = telling_terms(np.eye(3)[labels], labels)
    assert table["term"].tolist() == [0, 1, 2]
    assert (table["high"] == 1).all()
    assert table["low"].between(-0.3, 0).all()


def test_edges():
    X = sparse.csr_array(np.eye(4))
    assert telling_terms(X, [0, 0, 1, -1])["cluster"].isin([0, 1]).all()
    whole = topic_quality(np.ones((4, 2)), [0, 0, 0, 0])
    assert whole.loc[0].tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(InputError, match="every label is -1"):
        telling_terms(X, [-1] * 4)
    with pytest.raises(InputError, match="2 terms for 4 columns"):
        telling_terms(X, [0, 0, 1, 1], ["a", "b"])
    with pytest.raises(InputError, match="4 whole numbers"):
        telling_terms(X, [0, 1])


TOPICS = ("ship sailor harbour wave anchor storm", "bread butter oven flour sugar dough")


def write_corpus(path, n, ending):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(TOPICS[i % 2].split(), 8)) + ending for i in range(n)]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


EVIL = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = write_corpus(tmp_path_factory.mktemp("texts") / "n.jsonl", 40, ending=f" {EVIL}")
    study = sortal.Study(read(path, text_column="text", vectorizer={"max_df": 1.0}))
    study.sweep("spherical-kmeans", k=[2, 3], n_init=1, workers=1, progress=False)
    return render(study)


def test_the_report_tells_what_clusters_are_about(page):
    section = page[page.index('id="topics"') :]
    assert "What the clusters are about" in section
    for word in ("ship", "bread"):
        assert word in section
    assert "<blockquote>" in section


def test_copies_of_a_document_are_shown_once(tmp_path):
    # all of a topic have the same terms, and so are equally near
    texts = [TOPICS[0]] * 4 + [f"{topic} {i}" for topic in TOPICS for i in range(6)]
    path = tmp_path / "n.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    data = read(path, text_column="text", vectorizer={"min_df": 2, "max_df": 1.0})
    with sortal.Study(data) as study:
        study.add({"mine": [0] * 10 + [1] * 6})
        section = render(study).partition('id="topics"')[2]
    shown = re.findall("<blockquote>(.*?)<footer>", section, re.DOTALL)
    first, second = TOPICS
    wanted = [first, f"{first} 0", f"{first} 1", f"{second} 0", f"{second} 1", f"{second} 2"]
    assert [re.sub("<[^>]*>", " ", x).split() for x in shown] == [x.split() for x in wanted]


def test_texts_are_escaped(page):
    assert "document.title='owned'</script>" not in page
    assert not re.search(r"<img src=x", page)
    assert "&lt;script&gt;" in page


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
def test_html_in_texts_does_nothing_in_a_browser(page, tmp_path):
    probe = "<script>setTimeout(() => {document.body.textContent = 'SEEN' + document.title + "
    probe += "document.querySelectorAll('img[src=x]').length + 'SEEN'}, 3000)</script></body>"
    loose = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    file = tmp_path / "page.html"
    file.write_text(loose.replace("</body>", probe), encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--virtual-time-budget=9000", f"file://{file}"]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=600).stdout
    seen = re.search("SEEN(.*)SEEN", dom)
    assert seen is not None
    assert "owned" not in seen[1]
    assert seen[1].endswith("0")
