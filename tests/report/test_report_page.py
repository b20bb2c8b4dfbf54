"""The page: what it says, that it is safe, that it needs nothing but itself."""

from __future__ import annotations

import base64
import gzip
import io
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

import sortal
from report_page import Page
from sortal.datasets import Dataset
from sortal.measures import catalogue
from sortal.report import render
from sortal.study import wording


def wine(truth: Any = None) -> Dataset:
    given = load_wine()
    center, scale = given.data.mean(axis=0), given.data.std(axis=0)
    classes = None
    if truth is not None:
        classes = np.array([given.target_names[i] for i in given.target], dtype=object)
        classes[np.random.default_rng(0).permutation(178)[truth:]] = None
    return Dataset(
        X=(given.data - center) / scale,
        name="wine",
        feature_names=tuple(given.feature_names),
        ids=np.array([f"bottle {i}" for i in range(178)], dtype=object),
        y=classes,
        truth_name=None if truth is None else "cultivar",
        notes=("Each feature was scaled to mean 0 and standard deviation 1.",),
        center=center,
        scale=scale,
        source="wine.csv",
    )


@pytest.fixture(scope="module")
def blind() -> sortal.Study:
    study = sortal.Study(wine())
    study.sweep(["kmeans", "ward", "hdbscan"], k=range(2, 7), n_init=2, workers=1)
    study.by = "consensus"
    study.command = "sortal run wine.csv -k 2:6"
    return study


@pytest.fixture(scope="module")
def source(blind: sortal.Study) -> str:
    return render(blind)


@pytest.fixture(scope="module")
def page(source: str) -> Page:
    return Page(source)


@pytest.fixture(scope="module")
def labelled() -> sortal.Study:
    study = sortal.Study(wine(truth=178))
    study.sweep(["kmeans", "ward"], k=range(2, 6), n_init=2, workers=1)
    return study


@pytest.fixture(scope="module")
def labelled_source(labelled: sortal.Study) -> str:
    return render(labelled)


def test_the_answer_comes_first_and_whole(blind: sortal.Study, page: Page) -> None:
    assert page.sections[0] == "answer"
    answer = blind.best()
    first = page.texts["answer"]
    assert page.texts["answer-title"] == wording.headline(answer)
    for head, text in wording.lines(answer):
        assert head in first
        assert text in first
    assert "wine: 178 rows, 13 columns" in first
    for sentence in answer.reasons:
        place = "data" if sentence.startswith("Note: ") else "reasons"
        assert sentence.removeprefix("Note: ") in page.texts[place]


def test_the_parts_are_there(page: Page) -> None:
    expected = [
        "answer", "comparison", "look", "ranking", "by-k", "failures", "reasons", "elbow",
        "clarity", "data", "dendrogram", "reproduce",
    ]  # fmt: skip
    assert [s for s in page.sections if s in expected] == expected
    folds = [attrs["id"] for attrs in page.all("details") if attrs.get("class") == "fold"]
    assert folds == ["look-around", "candidates", "why", "how-sure", "specialists"]
    # sections that have nothing to say are not there
    assert not {"classes", "alternatives", "differences", "stability"} & set(page.sections)
    assert "scaled to mean 0" in page.texts["data"]
    assert "wine.csv" in page.texts["data"]
    assert page.texts["command"].strip() == "sortal run wine.csv -k 2:6"


def test_every_figure_has_words_and_a_place(page: Page) -> None:
    plots = [a for a in page.all("div") if (a.get("class") or "").startswith("plot")]
    given = {a["data-figure"] for a in plots if "data-look" not in a}
    assert given == set(page.payload["figures"])
    figures = [a for a in page.all("figure") if "aria-label" in a]
    assert len(figures) == len(given)
    for attrs in figures:
        assert len(attrs["aria-label"] or "") > 30
    assert {a["data-look"] for a in plots if "data-look" in a} == {
        "sizes", "silhouettes", "histograms", "dots", "parallel", "granularities"
    }  # fmt: skip


def test_columns_and_silhouettes_of_the_map(blind: sortal.Study, page: Page) -> None:
    payload, given = page.payload, load_wine()
    rows = payload["map"]["rows"]
    shown = {one["name"]: one for one in payload["columns"]}
    assert set(shown) == set(given.feature_names)
    for name, one in shown.items():
        wanted = given.data[rows, given.feature_names.index(name)]
        np.testing.assert_allclose(one["values"], wanted, rtol=6e-4)
    packed = gzip.decompress(base64.b64decode(payload["silhouettes"]))
    values = np.frombuffer(packed, dtype="i1").reshape(len(payload["candidates"]), -1)
    for name, found in list(zip(blind.rank().index, values, strict=True))[:3]:
        wanted = sortal.silhouette_samples(blind.X, blind.labels(name))[rows]
        np.testing.assert_allclose(found / 100, wanted[payload["profiled"]], atol=0.0051)


def test_the_pictures_people_know_are_there(blind: sortal.Study, page: Page) -> None:
    figures = page.payload["figures"]
    assert {"by-k", "elbow", "gap", "clarity", "dendrogram"} == set(figures)
    best = next(one for one in blind.rank().index if one.startswith("ward"))
    assert f"The tree of {best}, " in page.texts["dendrogram"]
    tree = figures["dendrogram"]
    assert len(tree["leaves"]) == 40
    assert len(tree["x"]) == len(tree["y"]) == len(tree["cluster"]) == 39
    drawn = {one["name"]: one for one in figures["elbow"]["series"]}
    assert drawn["data"]["x"] == list(range(1, 11))
    assert drawn["data"]["y"][0] > drawn["data"]["y"][-1]


def test_the_consensus_matrix_is_shown_where_stability_was_asked(page: Page) -> None:
    assert "consensus-matrix" not in page.sections
    study = sortal.Study(wine())
    study.sweep(["ward"], k=[3], workers=1)
    study.stability(n_resamples=4, n_references=0)
    shown = Page(render(study))
    assert "178 of 178 objects" in shown.texts["consensus-matrix"]
    assert "The tree of ward k=3, the clustering to use" in shown.texts["dendrogram"]


@pytest.mark.quick(2)
@pytest.mark.parametrize("metric", ["precomputed", "graph", "manhattan", "sparse"])
def test_pictures_that_the_data_do_not_allow_are_left_out(metric: str) -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(i, 0.1, (15, 3)) for i in (0, 5)])
    square = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    given = {"precomputed": square, "graph": np.exp(-square) - np.eye(30)}
    study = sortal.Study(
        sparse.csr_array(X) if metric == "sparse" else given.get(metric, X),
        metric="euclidean" if metric == "sparse" else metric,
    )
    study.add({"halves": [0] * 15 + [1] * 15})
    sections = Page(render(study)).sections
    assert "elbow" not in sections
    assert "look" in sections
    assert "dendrogram" not in sections


def test_links_and_labels_lead_somewhere(page: Page) -> None:
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for attrs in page.all("a"):
        assert (attrs["href"] or "").removeprefix("#") in ids
    for attrs in page.all("label"):
        assert attrs.get("for", "map") in ids
    for _, attrs in page.elements:
        if "aria-labelledby" in attrs:
            assert attrs["aria-labelledby"] in ids
    headers = page.all("th")
    assert headers
    assert all(attrs.get("scope") in ("col", "row") for attrs in headers)
    assert all(attrs.get("type") == "button" for attrs in page.all("button"))


def test_nothing_is_loaded(source: str, page: Page) -> None:
    for _, attrs in page.elements:
        for name in ("src", "srcset", "data", "action", "poster"):
            assert name not in attrs
        assert not (attrs.get("href") or "#").startswith(("http", "//"))
    policy = next(a["content"] or "" for a in page.all("meta") if "http-equiv" in a)
    assert policy.startswith("default-src 'none';")
    allowed = set(re.findall(r"[a-z-]+-src ([^;]+)", policy))
    assert allowed == {"'none'", "'unsafe-inline'", "data: blob:"}
    style = re.search("<style>(.*?)</style>", source, re.S)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_the_table_is_the_ranking(blind: sortal.Study, page: Page) -> None:
    table, ranked, scores = page.payload["table"], blind.rank(), blind.scores()
    assert [table["name"][row] for row in table["rows"]] == list(ranked.index)
    assert table["rank"] == ranked["rank"].tolist()
    np.testing.assert_allclose(table["score"], ranked["votes"], rtol=1e-4)
    for key, values in table["values"].items():
        if key in catalogue:
            given = np.array([np.nan if v is None else v for v in values])
            np.testing.assert_allclose(given, scores[key].astype(float), rtol=1e-4)
    less_is_better = {c["key"] for c in table["columns"] if not c["up"]}
    assert {"rank", "n_clusters", "seconds"} <= less_is_better
    assert {f"values.{m.key}" for m in catalogue.values() if m.greater_is_better}.isdisjoint(
        less_is_better
    )
    families = [c["title"].lower() for c in table["columns"] if c["group"] == "Votes"]
    assert families == [c.lower() for c in ranked.columns if c.lower() in families]
    assert len(families) >= 3


def test_the_consensus_of_every_candidate_is_that_of_its_partition(
    blind: sortal.Study, page: Page
) -> None:
    table, ranked = page.payload["table"], blind.rank()
    of_partition = {blind.labels(name).tobytes(): ranked.at[name, "votes"] for name in ranked.index}
    for name, value in zip(table["name"], table["values"]["consensus"], strict=True):
        if blind.scores().at[name, "status"] == "failed":
            assert value is None
        else:
            assert value == pytest.approx(of_partition[blind.labels(name).tobytes()], rel=1e-4)


def test_the_consensus_where_a_measure_is_undefined() -> None:
    X = np.random.default_rng(1).normal(size=(12, 2))
    study = sortal.Study(X)
    study.add(
        {
            "halves": [0] * 6 + [1] * 6,
            "one and the rest": [0] + [1] * 11,
            "alone": list(range(12)),
            "alone again": list(range(12)),
            "pairs": [i // 2 for i in range(12)],
        }
    )
    page, ranked = Page(render(study)), study.rank()
    reasons = study.reasons()
    assert len(reasons["alone"]) > 3
    assert reasons.get("one and the rest") != reasons["alone"]
    table = page.payload["table"]
    shown = dict(zip(table["name"], table["values"]["consensus"], strict=True))
    for name in ranked.index:
        assert shown[name] == pytest.approx(ranked.at[name, "votes"], rel=1e-4)
    assert shown["alone again"] == shown["alone"]


def test_rows_without_script_are_the_best_ones(blind: sortal.Study, page: Page) -> None:
    pattern = r"(?:kmeans|ward) k=\d(?: start=\d)?|hdbscan \S+=\d+"
    rows = re.findall(pattern, page.texts["ranking-table"])
    assert rows == list(blind.rank().index[:15])


def test_failed_candidates_and_their_reasons(blind: sortal.Study, page: Page) -> None:
    scores = blind.scores()
    failed = scores[scores["status"] == "failed"]
    assert len(failed)
    for name, reason in failed["reason"].items():
        assert str(name) in page.texts["failures"]
        assert str(reason) in page.texts["failures"]


def test_classes_where_they_are_known(labelled_source: str) -> None:
    page = Page(labelled_source)
    assert "classes" in page.sections
    figure = page.payload["figures"]["contingency"]
    counts = [int(c) for line in figure["text"] for c in line if c != "·"]
    assert sum(counts) == 178
    assert figure["y"] == "cultivar"


def test_the_evidence_of_the_judge_is_a_table(page: Page) -> None:
    assert "Added" not in page.texts["reasons"]
    study = sortal.Study(wine())
    study.sweep(["kmeans", "ward"], k=range(2, 5), n_init=1, workers=1)
    found, name = study.judged(), study.best().name
    assert found is not None
    text = Page(render(study)).texts["reasons"]
    assert f"(the recovery) is {found.recovery(name).value:.2f}" in text
    for part in found.contributions(name):
        assert part.kind in text
        assert f"{part.value:+.2f}" in text


def test_a_few_labels_give_a_guarantee() -> None:
    study = sortal.Study(wine(truth=110))
    study.sweep(["ward"], k=range(2, 6), workers=1)
    study.by = "guarantee"
    source = render(study)
    page = Page(source)
    assert study.best().guarantee is not None
    answer = study.best()
    assert "have a wrong class." in page.texts["answer"]
    assert answer.guarantee.reason in page.texts["guarantee"]
    assert answer.guarantee.reason not in page.texts["reasons"]
    assert "Label next" in page.texts["answer"]
    link = source.partition("charset=utf-8;base64,")[2].partition('"')[0]
    file = pd.read_csv(io.BytesIO(base64.b64decode(link)))
    assert (*list(file)[:3], list(file)[-1]) == ("row", "id", "class", "cluster")
    assert (file["class"] == answer.classes["class"]).all()
    known = np.array([label is not None for label in study.y])
    assert (file["class"][known] == study.y[known]).all()
    assert (file["labelled"] == known).all()
    assert "Of 178 objects the class of 110 is known" in page.texts["classes"]
    shown = page.payload["table"]["values"]["guarantee"]
    ranked = study.rank()["score"]
    exact = ranked.reindex(study.guarantee().table.index).to_numpy()
    # shown to a tenth of a per cent, rounded up: a bound is never told as lower than it is
    assert (np.array(shown) >= exact - 1e-12).all()
    np.testing.assert_allclose(shown, exact, atol=1.001e-3)


def test_same_study_same_page(labelled: sortal.Study, labelled_source: str) -> None:
    assert render(labelled) == labelled_source


NASTY = "<script>alert(1)</script>"
NASTIER = "</script><img src=x onerror=alert(2)>{{7*7}}\u2028<!--%{x}"


def hostile() -> sortal.Study:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (20, 3)), rng.normal(9, 1, (20, 3))])
    data = Dataset(
        X=X,
        name=NASTY,
        feature_names=(NASTY, NASTIER, '" onmouseover="alert(3)'),
        ids=np.array([f"{NASTY}{i}" for i in range(40)], dtype=object),
        y=np.array([NASTY] * 20 + [NASTIER] * 20, dtype=object),
        truth_name=NASTIER,
        notes=(NASTY, NASTIER),
        source=NASTIER,
    )
    study = sortal.Study(data)
    study.add({NASTY: [NASTY] * 25 + [NASTIER] * 15, NASTIER: [0] * 20 + [1] * 20})
    study.add({"outliers": [-1] * 40})
    study.command = f"sortal run {NASTIER}"
    return study


@pytest.fixture(scope="module")
def hostile_page() -> Page:
    return Page(render(hostile()))


def test_text_from_the_data_stays_text(hostile_page: Page) -> None:
    page = hostile_page
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert page.all("svg") or page.all("div")
    for tag, attrs in page.elements:
        assert not [name for name in attrs if name.startswith("on")], tag
    assert NASTY in page.texts["answer"]
    assert NASTIER in page.texts["data"]
    assert NASTIER in page.texts["command"]
    assert "49" not in page.texts["answer"]


def test_all_failed_is_told() -> None:
    study = sortal.Study(np.random.default_rng(0).normal(size=(12, 2)))
    study.add({"nothing": [-1] * 12})
    page = Page(render(study))
    assert "No clustering can be recommended" in page.text
    assert "every object is an outlier" in page.texts["failures"]
    assert "ranking" not in page.sections


def test_nothing_tried_is_an_error() -> None:
    with pytest.raises(sortal.study.NothingToRankError, match="nothing was tried"):
        render(sortal.Study([[0.0], [1.0], [2.0]]))


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "X",
    [
        np.array([[0.0], [1.0]]),
        np.zeros((6, 4)),
        np.arange(12.0).reshape(6, 2),
        sparse.csr_array(np.eye(8)[[0, 0, 1, 1, 2, 2]]),
        sparse.csr_array((6, 5)),
    ],
    ids=["two objects", "all alike", "two features", "sparse", "sparse zeros"],
)
def test_odd_data_gives_a_page(X: Any) -> None:
    study = sortal.Study(X)
    half = X.shape[0] // 2
    study.add({"halves": [0] * half + [1] * half, "ends": [0] * (X.shape[0] - 1) + [1]})
    page = Page(render(study))
    assert len(page.payload["map"]["x"]) == X.shape[0]
    assert len(page.payload["candidates"]) == len(study.rank())
