"""What is drawn for a distance, what lists have where nothing is ranked, and plain lines."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import sortal
from sortal.datasets import from_array
from sortal.report._candidates import _profiled, columns
from sortal.report._clusters import _central
from sortal.report._facts import Facts, gather
from sortal.report._judges import _classes_file, _recognised, clarity
from sortal.report._map import _scaled, embedded
from sortal.report._parts import LIMITS as PAGE
from sortal.report._parts import series
from sortal.report._pictures import elbow
from sortal.report._sections import failures
from sortal.report._tables import LIMITS, _columns
from sortal.runtime.draws import draw_rows


@pytest.mark.parametrize(("d", "unit"), [(2, False), (3, True)])
def test_rows_under_cosine_are_drawn_as_unit_rows_where_they_are_projected(d, unit):
    data = from_array(np.random.default_rng(0).normal(size=(20, d)) + 3)
    shown = embedded(SimpleNamespace(dataset=data, metric="cosine"))
    assert np.allclose(np.linalg.norm(shown.X, axis=1), 1) == unit
    assert embedded(SimpleNamespace(dataset=data, metric="cityblock")) is data


def test_nothing_is_best_where_nothing_is_ranked():
    scores = pd.DataFrame({"silhouette": [0.1, 0.4]}, index=["a", "b"])
    distinct = Facts.distinct.func
    assert len(distinct(SimpleNamespace(scores=scores, ranked=None))) == 0
    ranked = pd.DataFrame(index=["b", "a"])
    assert distinct(SimpleNamespace(scores=scores, ranked=ranked)).index.tolist() == ["b", "a"]


def test_a_series_is_a_coloured_line_unless_told():
    line = series("a", [1, 2], [0.5, np.nan])
    assert line == {"name": "a", "dots": False, "grey": False, "x": [1, 2], "y": [0.5, None]}
    assert series("a", [1], [2], error=[0.1], dots=True, grey=True)["error"] == [0.1]


def test_the_five_pairs_that_are_hardest_to_tell_apart_are_named():
    rng = np.random.default_rng(0)
    study = sortal.Study(rng.normal(size=(160, 2)))
    study.add({"at random": np.arange(160) % 8})
    sentences = clarity(gather(study)).values["sentences"]
    assert sentences[-1].startswith("Hardest to tell apart: ")
    assert sentences[-1].count("%") == 5


@pytest.fixture(scope="module")
def voted() -> Facts:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2)) + 9 * np.eye(3)[np.arange(30) % 3, :2]
    study = sortal.Study(X)
    study.add({"mine": np.arange(30) % 3, "two": np.arange(30) % 3 // 2})
    study.by = "consensus"
    return gather(study)


def test_uniform_data_are_grey_beside_the_data(voted):
    section = elbow(voted)
    assert [line["grey"] for line in section.pictures[0].drawing["series"]] == [False, True]


def test_what_has_no_labels_comes_first_among_failures_then_the_commoner_reason():
    scores = pd.DataFrame(
        {"status": ["failed"] * 6, "reason": list("xyzxxz")}, index=list("abcdef")
    )
    scores.loc[["a", "d", "e"], "status"] = "flagged"
    section = failures(SimpleNamespace(scores=scores, measures=(), reasons={}))
    names = [group["names"] for group in section.values["groups"]]
    assert names == [["c", "f"], ["b"], ["a", "d", "e"]]


def test_no_share_is_below_0_where_sums_are_not_exact():
    table = pd.DataFrame({"recall": [0.9, 0.5], "taken_for_share": [0.1, 0.25]}, index=["a", "b"])
    assert 1 - 0.9 - 0.1 < 0
    parts = _recognised(SimpleNamespace(per_cluster=lambda _: table))["parts"]
    assert parts[-1] == {"name": "taken for others", "values": [0, 0.25]}


def test_three_objects_keep_their_distances():
    D = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0.0]])
    plane = _scaled(D)
    assert np.allclose(np.linalg.norm(plane[:, None] - plane, axis=2), D)


def test_columns_of_the_ranking(voted):
    told = {column["key"]: column for column in _columns(voted)}
    assert voted.families
    for family in voted.families:
        assert told[f"votes.{family}"]["title"] == family.capitalize()
    bounded = replace(voted, ranked=voted.ranked.assign(**dict.fromkeys(LIMITS, 0.5)))
    told = {column["key"]: column for column in _columns(bounded)}
    assert [told[f"parts.{key}"]["decimals"] for key in LIMITS] == [2] * len(LIMITS)


def test_the_same_objects_have_silhouettes_in_every_page():
    chosen = SimpleNamespace(map=SimpleNamespace(rows=np.arange(2000)))
    assert np.array_equal(_profiled(chosen), draw_rows(2000, 500, 0))


@pytest.mark.parametrize(
    ("refused", "n", "rows", "first"),
    [(None, 3, None, [0, 1, 2]), (None, 3, [4, 6, 9], [4, 6, 9]), ("few labels", 3, None, None),
     (None, PAGE.rows + 1, None, None)],
)  # fmt: skip
def test_classes_can_be_saved_where_they_are_guaranteed_and_not_too_many(refused, n, rows, first):
    answer = SimpleNamespace(
        guarantee=SimpleNamespace(refused=refused), n_objects=n, labels=np.array([0, 0, 1]),
        classes=pd.DataFrame({"class": list("aab")}),
    )  # fmt: skip
    dataset = SimpleNamespace(rows=None if rows is None else np.array(rows), ids=None)
    study = SimpleNamespace(dataset=dataset)
    file = _classes_file(SimpleNamespace(choice=SimpleNamespace(answer=answer), study=study))
    if first is None:
        assert file == ""
    else:
        table = pd.read_csv(io.BytesIO(base64.b64decode(file)))
        assert table["row"].tolist() == first
        assert table["cluster"].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("texts", "ids"),
    [(None, ["a", "b", "c"]), (["one", "one", "two", "two", "x"], ["a", "c", "e"])],
)
def test_documents_of_a_cluster_are_listed_once_for_each_text(texts, ids):
    data = SimpleNamespace(X=sparse.csr_array(np.ones((5, 2))), ids=list("abcde"), texts=texts)
    chosen = SimpleNamespace(study=SimpleNamespace(dataset=data), labels=np.zeros(5, int))
    assert [document["id"] for document in _central(chosen, 0)] == ids


def test_what_tells_outliers_apart_is_not_before_what_tells_clusters_apart():
    labels = np.repeat([0, 1, -1], [10, 10, 2])
    X = np.zeros((22, 3))
    X[:, 0], X[labels < 0, 1], X[:5, 2] = np.repeat([-1, 1, 0], [10, 10, 2]), 9, 1
    study = sortal.Study(pd.DataFrame(X, columns=["a", "b", "c"])).add({"mine": labels})
    chosen = SimpleNamespace(
        map=SimpleNamespace(rows=np.arange(22)), study=study, labels=labels, terms=None
    )
    assert [column["name"] for column in columns(chosen)] == ["a", "c", "b"]
