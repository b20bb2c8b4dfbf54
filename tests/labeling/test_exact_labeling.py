"""Labelling a few objects by hand: reviews, teams, pages, exports, files of earlier versions."""

from __future__ import annotations

import csv
import itertools
import json
import re
import threading
import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sortal import InputError, StorageError, labeling

N = 40
ORDER = np.random.default_rng(0).permutation(N)
LINES = [f"thing {i}" for i in range(N)]
HALVES = np.arange(N) // 20


@pytest.fixture
def team(tmp_path):
    """Sessions and desks of labellers of one file."""

    def open_one(by, *, desk=False, taught=0, **options):
        session = labeling.LabelSession(
            tmp_path / "a.jsonl", ORDER, LINES, by=by, taught=taught, rows=np.arange(N) + 100
        )
        if not desk:
            return session
        watch = labeling.Watch(session, {"halves": HALVES}, target=options.pop("target", None))
        objects = labeling.ShownObjects(LINES, None)
        return labeling.Desk(session, watch, objects, options.pop("classes", None), **options)

    return open_one


def numbers(text):
    return re.findall(r"\d+", text)


def test_a_review_goes_through_its_queue_and_back(team):
    ann, bob = team("ann"), team("bob")
    places = [int(at) for at in ORDER[[2, 4, 7]]]
    ann.take([(int(at), "x", "ann") for at in ORDER[:8]])
    bob.refresh()
    bob.take([(at, name, "bob") for at, name in zip(places, ("y", "x", "z"), strict=True)])
    first, last = places[0], places[2]
    desk = team("cyd", desk=True)
    assert [doubt.at for doubt in desk.doubts()] == [first, last]
    assert not desk.reviewing
    desk.give("review")
    assert (desk.reviewing, desk.at, numbers(desk.status)[:1]) == (True, first, ["2"])
    assert "bob: y" in desk.status
    assert "labels" in desk.status
    desk.give("skip", "", first)
    assert (desk.at, numbers(desk.status)[:1], desk.session.settled) == (last, ["1"], {})
    assert "bob: z" in desk.status
    assert "labels" not in desk.status
    desk.give("label", "z", last)
    assert (desk.reviewing, desk.session.settled) == (False, {last: "z"})
    desk.give("undo")
    assert (desk.at, desk.session.settled, desk.reviewing) == (last, {}, True)
    desk.give("unknown", "", last)
    assert desk.session.settled == {last: labeling.UNKNOWN}
    desk.give("review")
    assert [doubt.at for doubt in desk.doubts()] == [first]
    desk.give("label", "x", first)
    with pytest.raises(InputError, match="no label"):
        desk.give("review")
    assert not desk.reviewing
    assert desk.beside(first)["reviewing"] is False


def test_a_review_of_two_asks_again_for_the_last(team):
    ann, bob = team("ann"), team("bob")
    places = [int(at) for at in ORDER[[0, 1, 2]]]
    ann.take([(at, "x", "ann") for at in places])
    bob.refresh()
    bob.take([(at, "y", "bob") for at in places])
    desk = team("cyd", desk=True, review=True)
    desk.give("label", "x", places[0])
    assert desk.at == places[1]
    desk.give("undo")
    assert desk.at == places[0]
    for at in places:
        assert desk.at == at
        desk.give("label", "y", at)
    assert desk.session.settled == dict.fromkeys(places, "y")
    assert not desk.reviewing


def test_the_labels_of_others_count_at_once(team):
    ann, bob = team("ann", desk=True), team("bob", desk=True)
    assert (ann.standing, ann.status.split(";")[0]) == (None, "0 labels")
    at = ann.at
    assert at == ORDER[0]
    assert bob.at == ORDER[1]
    ann.give("label", "x", at)
    assert (len(ann.session), ann.standing.found.m, ann.status.split(":")[0]) == (1, 1, "1 label")
    assert bob.standing is None
    bob.refresh()
    assert (len(bob.session), bob.standing.found.m) == (1, 1)
    bob.give("skip")
    bob.give("label", "x", int(ORDER[2]))
    assert (bob.session.waiting, numbers(bob.status)) == (1, ["1", "1", *numbers(bob.status)[2:]])
    assert "skipped" in bob.status
    bob.give("label", "x", int(ORDER[1]))
    assert (bob.session.waiting, len(bob.session)) == (0, 3)
    assert "skipped" not in bob.status


def test_a_target_ends_the_work_and_lessons_do_not_count(team):
    desk = team("ann", desk=True, target=0.9, taught=2)
    assert "2" in numbers(desk.status)
    for at in ORDER[:2]:
        desk.give("label", "ab"[HALVES[at]], int(at))
        assert desk.standing is None
    assert not desk.met
    count = 2
    while desk.at is not None:
        desk.give("label", "ab"[HALVES[desk.at]], desk.at)
        count += 1
        assert desk.standing.found.m == count - 2
        assert desk.met == (desk.standing.found.bound_rate <= 0.9)
    assert desk.met
    assert desk.standing.found.n == N - count
    assert team("ann", desk=True, target=1.5, taught=2).met
    assert not team("ann", desk=True, taught=2).met
    assert not team("ann", desk=True, target=1e-9, taught=2).met


def test_objects_on_a_screen_are_reserved_for_ten_minutes(team):
    ann = team("ann")
    for minutes, reserved in ((9.5, True), (10.5, False)):
        at = (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat(timespec="microseconds")
        row = int(ORDER[0]) + 100
        ann.file.add([labeling.LabelAnswer(at, f"bob {minutes}", row, "open")])
        # the last of the answers about an object counts
        fresh = team("cyd")
        first = minutes == 9.5
        assert fresh.next == (ORDER[1] if reserved or not first else ORDER[0])
    alone = team("bob 9.5")
    assert alone.next == ORDER[0]


def test_a_screen_of_long_ago_reserves_nothing(team):
    at = (datetime.now(UTC) - timedelta(minutes=10.4)).isoformat(timespec="microseconds")
    team("ann").file.add([labeling.LabelAnswer(at, "bob", int(ORDER[0]) + 100, "open")])
    assert team("cyd").next == ORDER[0]


def test_files_of_earlier_versions_are_read(tmp_path):
    """Their digests never change."""
    path = tmp_path / "a.jsonl"
    session = labeling.LabelSession(path, [2, 0, 1], ["a", "b", "ö"], by="ann", taught=1)
    session.add("ham")
    head, line = path.read_text("utf-8").splitlines()
    assert json.loads(head) == {
        "form": "sortal answers", "objects": 3, "data": "0d5d0de11fb3d981",
        "draw": "53afea624a503a0b", "taught": [2],
    }  # fmt: skip
    assert {k: v for k, v in json.loads(line).items() if k != "at"} == {
        "by": "ann", "row": 2, "kind": "label", "label": "ham", "about": "ö",
    }  # fmt: skip
    for other in ([2, 1, 0], [0, 2, 1]):
        with pytest.raises(StorageError, match="--seed"):
            labeling.LabelSession(path, other, ["a", "b", "ö"])
    with pytest.raises(StorageError, match="other data"):
        labeling.LabelSession(path, [2, 0, 1], ["a", "b", "o"])


def test_agreement_by_hand():
    # 20 yes and yes, 5 yes and no, 10 no and yes, 15 no and no: kappa 0.4
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    whole = labeling.agreement(pairs, 50)
    assert (whole.common, whole.same, whole.delta) == (50, 35, 0.1)
    assert whole.kappa == pytest.approx(0.4)
    assert (whole.low, whole.high, whole.refused) == (0.3, 0.3, "")
    more = labeling.agreement(pairs, 500, 0.2)
    assert more.low < 0.3 < more.high
    assert more.delta == 0.2
    assert labeling.agreement(pairs, 500).high > more.high
    # who differs where the others agree has the limits of the agreement
    turned = [(x, {"y": "n", "n": "y"}[y]) for x, y in pairs]
    for options in ({"delta": 0.1}, {"delta": 0.4}, {"ordered": True}):
        one, other = (labeling.agreement(p[::7], 500, **options) for p in (pairs, turned))
        assert one.low == pytest.approx(1 - other.high)
        assert one.high == pytest.approx(1 - other.low)
    same = labeling.agreement([("y", "y")] * 4, 4)
    assert (same.kappa, same.low, same.high) == (1.0, 0.0, 0.0)
    assert labeling.agreement([("y", "n")] * 4, 4).kappa == 0.0
    mixed = [pairs[i] for i in np.random.default_rng(0).permutation(50)]
    ordered = labeling.agreement(mixed, 500, ordered=True)
    assert 0 < ordered.low < 0.3 < ordered.high < 1
    assert not ordered.refused
    together = labeling.agreement(
        [("y", "y")] * 30 + [("y", "n")] * 30 + [("y", "y")] * 30, 500, ordered=True
    )
    assert together.refused
    assert (together.low, together.high) == (0.0, 1.0)


def test_predictions_of_one_clustering_are_shares_of_its_clusters():
    teacher = labeling.LabelTeacher({"halves": HALVES})
    y = np.full(N, None, dtype=object)
    y[:6], y[20:24] = ["a", "a", "a", "a", "b", "a"], "b"
    classes, certainty = teacher.predict(y)
    assert classes.tolist() == ["a"] * 20 + ["b"] * 20
    # five of six, and four of four, after one more of each class
    np.testing.assert_allclose(certainty, [6 / 8] * 20 + [5 / 6] * 20)
    assert teacher.contradicted(np.where(np.arange(N) < 4, y, None)) == []
    y[:] = None
    y[:12], y[20:32] = "a", "b"
    y[3] = "b"
    ((at, name, sure),) = teacher.contradicted(y)
    assert (at, name) == (3, "a")
    assert 0.7 <= sure < 1
    y[3] = labeling.UNKNOWN
    assert teacher.contradicted(y) == []
    y[3] = "c"
    assert teacher.contradicted(y) == []


# -- the page ---------------------------------------------------------------------------------


class FakeDesk:
    """A desk of three objects with an image each."""

    kinds = ("label", "undo", "stop")
    status, ending = "S", "E"

    def __init__(self, fixed=None):
        self.words, self.keys = {"title": "t"}, {"a": "apple"}
        self.at, self.fixed, self.given = 1, fixed, []

    def __len__(self):
        return 3

    def objects(self, at):
        return labeling.Shown(f"text {at}", (("n", "v"),), (f"i{at}", f"j{at}"))

    def beside(self, at):
        return {"goal": at}

    def variant(self, name):
        return "apple" if name == "Apple" else None

    def give(self, kind, label="", at=None):
        self.given.append((kind, label, at))


def test_what_the_page_shows_and_takes():
    desk = FakeDesk()
    page = labeling.LabelPage(desk)
    state = page.state()
    assert state == {
        "status": "S", "fixed": False, "words": {"title": "t"}, "closed": False, "at": 1,
        "keys": {"a": "apple"}, "goal": 1, "text": "text 1", "cells": (("n", "v"),), "images": 2,
    }  # fmt: skip
    take = lambda *values, **more: page.take(labeling.PageAnswer(*values, **more))  # noqa: E731
    assert take("label", 1, "Apple") == {"variant": "apple"}
    assert not desk.given
    assert take("label", 1, "Apple", sure=True) == state
    assert take("undo", 2) == state
    assert take("label", 2, "pear") == state
    assert desk.given == [("label", "Apple", 1), ("undo", "", None), ("label", "pear", 2)]
    for wrong in (("label", 3, "x"), ("skip", 1), ("confirm", 1, "x")):
        with pytest.raises(InputError, match="3"):
            take(*wrong)
    assert [page.image(*place) for place in ((0, 0), (2, 1), (-1, 0), (3, 0), (0, 2), (0, -1))] == [
        "i0", "j2", None, None, None, None,
    ]  # fmt: skip
    host = page.url.split("/")[2]
    assert page.answers(host, page.token)
    assert not page.answers(host, page.token[:-1])
    assert not page.answers(host.replace("127", "128"), page.token)
    assert page.url == f"http://{host}/?token={page.token}"
    assert host.startswith("127.0.0.1:")
    assert len(page.token) == 32
    assert not page.closed
    assert take("stop", 1)["closed"]
    assert page.closed
    assert page.state() == {"status": "S", "fixed": False, "words": {"title": "t"}, "closed": True,
                            "sentence": "E"}  # fmt: skip
    desk.at = None
    page.closed = False
    assert page.state()["closed"]
    fixed = labeling.LabelPage(FakeDesk(["apple"]))
    assert fixed.state()["fixed"]
    with pytest.raises(InputError, match="classes"):
        fixed.take(labeling.PageAnswer("label", 1, "pear"))
    assert fixed.take(labeling.PageAnswer("label", 1, "apple"))["at"] == 1


def test_an_answer_is_parsed_in_full_or_rejected():
    parse = labeling.PageAnswer.parse
    assert parse(b'{"kind": "k", "at": 0}') == labeling.PageAnswer("k", 0, "", False)
    long = json.dumps({"kind": "k", "at": 3, "label": "x" * 500, "sure": True}).encode()
    assert parse(long) == labeling.PageAnswer("k", 3, "x" * 500, True)
    for wrong in (long.replace(b"xxx", b"xxxx"), b'{"kind": "k"}', b'{"at": 1}', b"[1]", b"{",
                  b'{"kind": "k", "at": -1}', b'{"kind": "k", "at": true}', b"[" * 99_999,
                  b'{"kind": "k", "at": 1, "more": 2}', b'{"kind": 1, "at": 1}'):  # fmt: skip
        with pytest.raises(InputError):
            parse(wrong)


def test_a_page_closes_at_once_when_it_is_told():
    for _ in range(5):
        page = labeling.LabelPage(FakeDesk())
        thread = threading.Thread(target=page.serve)
        thread.start()
        begun = time.monotonic()
        page.closed = True
        thread.join(timeout=60)
        if time.monotonic() - begun < 0.5:
            return
    raise AssertionError


@pytest.mark.parametrize(("opened", "seconds"), [(False, 1800), (True, 180)])
def test_a_page_that_nobody_asks_closes(monkeypatch, opened, seconds):
    page = labeling.LabelPage(FakeDesk())
    clock = time.monotonic()
    if opened:
        assert page.answers(page.url.split("/")[2], page.token)
        clock = time.monotonic()
    times = itertools.chain([clock + seconds - 5], itertools.repeat(clock + seconds + 5))
    told = []
    monkeypatch.setattr(time, "monotonic", lambda: told.append(next(times)) or told[-1])
    page.serve()
    assert len(told) == 2
    assert not page.closed


# -- exports and imports ----------------------------------------------------------------------


def test_an_export_has_the_answers_and_the_next_of_the_draw(tmp_path):
    n = 450
    lines = [f"={i}" if i % 2 else f"o{i}" for i in range(n)]
    session = labeling.LabelSession(tmp_path / "a.jsonl", range(n), lines, taught=1)
    session.take([(0, "x", "me"), (1, "=y", "me"), (4, labeling.UNKNOWN, "me"), (4, "z", "bob")])
    session.settle(1, "w")
    path = tmp_path / "out.csv"
    labeling.export_labels(session, path)
    rows = list(csv.DictReader(path.open(newline="")))
    assert [*rows[0]] == ["draw", "row", "label", "check", "object", "label by me", "label by bob",
                          "settled"]  # fmt: skip
    # the answers, the two skipped ones before the last, and the next 200
    assert [int(row["row"]) for row in rows] == [0, 1, 4, 2, 3, *range(5, 205)]
    assert rows[0]["draw"] == rows[0]["check"] == ""
    assert [row["draw"] for row in rows[1:4]] == ["001 of 204", "004 of 204", "002 of 204"]
    assert rows[1]["object"] == "'=1"
    assert (rows[1]["label"], rows[1]["label by me"], rows[1]["settled"]) == ("'=y", "'=y", "w")
    assert (rows[2]["label"], rows[2]["label by bob"]) == ("", "z")
    assert rows[2]["label by me"] == labeling.UNKNOWN
    assert all(row["check"] for row in rows[1:])
    with pytest.raises(InputError):
        labeling.export_labels(session, path)
    labeling.export_labels(session, path, overwrite=True)
    with pytest.raises(InputError, match=r"\.json"):
        labeling.export_labels(session, tmp_path / "out.txt")
    labeling.export_labels(session, tmp_path / "out.json")
    tasks = json.loads((tmp_path / "out.json").read_text())
    assert json.dumps(tasks, indent=1) == (tmp_path / "out.json").read_text()
    assert [task["data"]["row"] for task in tasks] == [int(row["row"]) for row in rows]
    assert [len(task["annotations"]) for task in tasks[:4]] == [1, 1, 2, 0]
    (note,) = tasks[1]["annotations"]
    assert note["result"][0]["value"]["choices"] == ["=y"]
    assert note["completed_by"] == {"email": "me"}
    assert not note["was_cancelled"]
    assert tasks[2]["annotations"][0]["result"] == []
    assert tasks[1]["data"]["settled"] == "w"
    assert "settled" not in tasks[0]["data"]
    assert "draw" not in tasks[0]["data"]
    assert tasks[1]["data"]["text"] == "=1"
    again = labeling.LabelSession(tmp_path / "b.jsonl", range(n), lines, taught=1)
    assert labeling.import_labels(again, tmp_path / "out.json") == 4
    assert labeling.import_labels(again, tmp_path / "out.json") == 0
    mine = again.by_labeller()
    assert (mine["me"][1], mine["me"][4], mine["bob"][4]) == ("=y", labeling.UNKNOWN, "z")


def test_an_import_names_objects_by_row_or_by_their_text(tmp_path):
    lines = ["a  b", "c", "c", "d " * 60]
    session = labeling.LabelSession(tmp_path / "a.jsonl", range(4), lines, rows=[5, 6, 7, 8])

    def task(label, **data):
        choice = {"from_name": "label", "to_name": "text", "type": "choices",
                  "value": {"choices": [label]}}  # fmt: skip
        return {"data": data, "annotations": [{"result": [choice]}]}

    def taken(*tasks):
        path = tmp_path / "in.json"
        path.write_text(json.dumps(tasks))
        return labeling.import_labels(session, path)

    assert taken(task("x", text=" a b "), task("y", text="d " * 60)) == 2
    assert taken(task("z", row=6, text="c")) == 1
    assert session.by_labeller()["me"].tolist() == ["x", "z", None, "y"]
    for wrong in ({"text": "c"}, {"row": 9, "text": "c"}, {"text": "e"}):
        with pytest.raises(InputError, match=r"9|'[ce]'"):
            taken(task("x", **wrong))


def test_shown_objects_and_their_images(tmp_path):
    (tmp_path / "cat.PNG").write_bytes(b"x")
    (tmp_path / "note.txt").write_text("x")
    cells = pd.DataFrame({"a": ["cat.PNG", "dog.png", "note.txt"], "b": [1, 2, 3]})
    shown = labeling.ShownObjects(None, cells, tmp_path)
    assert shown.lines() == ["cat.PNG, 1", "dog.png, 2", "note.txt, 3"]
    assert shown(0) == labeling.Shown("", (("a", "cat.PNG"), ("b", "1")), ((tmp_path / "cat.PNG"),))
    assert shown(1).images == shown(2).images == ()
    assert labeling.ShownObjects(None, cells)(0).images == ()
    texts = labeling.ShownObjects(["p", "q"], None, tmp_path)
    assert (texts.lines(), texts(1)) == (["p", "q"], labeling.Shown("q"))
    inner = labeling.ShownObjects(None, cells.replace("cat.PNG", "../cat.PNG"), tmp_path / "in")
    assert inner(0).images == ()


def test_what_a_standing_says_of_doubtful_labels():
    found = SimpleNamespace(sentence="S.", question="Q?")
    assert labeling.Standing(found).sentence == "S. Q?"
    for name, count in itertools.product(("unknown", "confirmed", "settled"), (1, 2, 1500)):
        said = labeling.Standing(found, **{name: count}).sentence
        assert f"{count:,} label" in said
        word = "object" if name == "unknown" else "label"
        assert (f"{word}s" in re.findall(r"\d\S* (?:labelled )?(\w+)", said)) == (count > 1)
        assert said.endswith(" Q?")
