"""A team's answers: two processes at once, kills, merges, disagreements, and other programs."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal import InputError, StorageError
from sortal.bounds import b_max, sample
from sortal.datasets import table_of_draw
from sortal.labeling import (
    UNKNOWN,
    AnswerFile,
    LabelAnswer,
    LabelSession,
    Watch,
    agreement,
    export_labels,
    import_labels,
    taught_rows,
    teaching_objects,
    variant_of,
)

N = 60
OBJECTS = [f"object {i}, =x" for i in range(N)]
ORDER = sample(N, N, random_state=0)
TRUTH = np.array(["ham"] * 35 + ["spam"] * 25)


@pytest.fixture
def open_session(tmp_path):
    def opened(by: str, name: str = "answers.jsonl", taught: int = 0) -> LabelSession:
        return LabelSession(tmp_path / name, ORDER, OBJECTS, by=by, taught=taught)

    return opened


def _label(session, count):
    session.refresh()
    for _ in range(count):
        session.add(TRUTH[session.next])


def _write(path, by, count):
    file = AnswerFile(path, np.arange(60), [str(i) for i in range(60)])
    for i in range(count):
        file.add(
            [LabelAnswer("2026-01-01T00:00:00+00:00", by, i % 60, "label", f"class {i}", "x" * 200)]
        )


#: a forked process need not import sortal again
PROCESSES: Any = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")


def test_two_processes_at_once_lose_nothing(tmp_path):
    path = tmp_path / "a.jsonl"
    writers = [PROCESSES.Process(target=_write, args=(path, by, 150)) for by in ("ann", "bob")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=300)
        assert writer.exitcode == 0
    file = AnswerFile(path, np.arange(60), [str(i) for i in range(60)])
    for by in ("ann", "bob"):
        labels = [writer.label for writer in file.answers if writer.by == by]
        assert labels == [f"class {i}" for i in range(150)]
    assert path.read_text().count("sortal answers") == 1


@pytest.mark.posix
def test_a_kill_leaves_a_readable_file(tmp_path):
    path = tmp_path / "a.jsonl"
    writer = PROCESSES.Process(target=_write, args=(path, "ann", 1_000_000))
    writer.start()
    while not path.exists() or path.stat().st_size < 5_000:
        assert writer.is_alive()
    writer.kill()
    writer.join(timeout=60)
    file = AnswerFile(path, np.arange(60), [str(i) for i in range(60)])
    assert [answer.label for answer in file.answers] == [
        f"class {i}" for i in range(len(file.answers))
    ]


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_an_unfinished_line_is_dropped_and_the_next_is_whole(open_session, cut):
    session = open_session("ann")
    _label(session, 3)
    path = session.file.path
    os.truncate(path, path.stat().st_size - cut)
    again = open_session("ann")
    assert len(again) == 2
    again.add("spam")
    assert open_session("ann").labels == [*session.labels[:2], "spam"]
    assert all(json.loads(line) for line in path.read_text().splitlines())


@pytest.mark.parametrize("kept", [0, 1, 20])
def test_a_file_whose_first_line_was_not_finished_is_begun_again(open_session, kept):
    session = open_session("ann")
    _label(session, 1)
    path = session.file.path
    os.truncate(path, min(kept, path.stat().st_size))
    if kept != 1:  # "{" may be any file
        assert taught_rows(path) is None
        again = open_session("ann")
        again.add("spam")
        assert open_session("ann").labels == ["spam"]
        assert taught_rows(path) == []
    else:
        with pytest.raises(StorageError, match="line 1 is not an answer"):
            open_session("ann")
        with pytest.raises(StorageError, match="line 1 is not an answer"):
            taught_rows(path)


def test_each_is_asked_for_another_object_and_every_fifth_twice(open_session):
    ann, bob = open_session("ann"), open_session("bob")
    _label(ann, 2)
    ann.open(ann.next)
    bob.refresh()
    assert bob.next == ORDER[3]
    bob.add("spam")
    ann.refresh()
    assert ann.next == ORDER[2]
    assert (len(ann), ann.waiting) == (2, 1)
    _label(ann, 12)
    bob.refresh()
    assert bob.next == ORDER[4]  # which only ann labelled so far
    bob.add("neither")
    bob.add(TRUTH[ORDER[9]])
    assert [pair[1] for pair in bob.twice] == ["neither", TRUTH[ORDER[9]]]
    at, said = bob.disagreements[0]
    assert (at, said) == (ORDER[4], {"ann": TRUTH[ORDER[4]], "bob": "neither"})
    assert bob.labels[4] == TRUTH[ORDER[4]]  # the first answer counts
    now = Watch(bob, {"right": [0] * 35 + [1] * 25}).update()
    assert "Labellers differed on 1 of the 2 drawn objects" in now.sentence
    assert "agreement with who labels first" in now.sentence


def test_an_object_left_for_later_holds_back_those_behind_it(open_session):
    ann = open_session("ann")
    _label(ann, 2)
    left = ann.next
    ann.skip()
    _label(ann, 10)
    assert (len(ann), ann.waiting) == (2, 10)
    assert ann.next == left
    ann.add(UNKNOWN)
    assert (len(ann), ann.waiting) == (13, 0)
    assert ann.labels[2] == UNKNOWN
    assert UNKNOWN not in ann.names
    now = Watch(ann, {"right": [0] * 35 + [1] * 25}).update()
    assert '1 labelled object got the answer "don\'t know"' in now.sentence
    same = sortal.guarantee({"right": [0] * 35 + [1] * 25}, ann.y, anytime=True, order=ann.labelled)
    assert now.found.bound == same.bound


def test_files_of_two_places_merge(open_session, tmp_path):
    ann, bob = open_session("ann", "here.jsonl"), open_session("bob", "there.jsonl")
    _label(ann, 6)
    _label(bob, 4)
    assert ann.merge(tmp_path / "there.jsonl") == 4
    assert ann.merge(tmp_path / "there.jsonl") == 0
    assert sorted(ann.by_labeller()) == ["ann", "bob"]
    assert len(ann.twice) == 4  # both began at the top: all of them, not every fifth
    reversed_session = LabelSession(tmp_path / "x.jsonl", ORDER[::-1], OBJECTS)
    with pytest.raises(InputError, match="another --seed"):
        reversed_session.merge(tmp_path / "here.jsonl")


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_out_and_in_again(open_session, tmp_path, suffix):
    ann, bob = open_session("ann"), open_session("bob")
    for name in ("=cmd", "'quoted", "<b>&", "1", UNKNOWN, "NA", "x"):
        ann.add(name)
    bob.refresh()
    for name in ("-", "q"):
        bob.add(name)
    ann.refresh()
    path = tmp_path / f"out.{suffix}"
    export_labels(ann, path)
    with pytest.raises(InputError, match="exists already"):
        export_labels(ann, path)
    imported = open_session("cyd", "other.jsonl")
    assert import_labels(imported, path) == (8 if suffix == "csv" else 9)
    assert imported.labels == ann.labels
    if suffix == "json":
        assert {by: list(labels) for by, labels in imported.by_labeller().items()} == {
            by: list(labels) for by, labels in ann.by_labeller().items()
        }
    assert import_labels(imported, path) == 0


def test_the_export_is_what_the_other_commands_read(open_session, tmp_path):
    ann = open_session("ann", taught=3)
    _label(ann, 9)
    export_labels(ann, tmp_path / "few.csv")
    export_labels(ann, tmp_path / "few.json")
    tasks = json.loads((tmp_path / "few.json").read_text())
    assert ["draw" in task["data"] for task in tasks[:4]] == [False, False, False, True]
    # another program gives the tasks back in another order
    (tmp_path / "few.json").write_text(json.dumps(tasks[::-1]))
    for name in ("few.csv", "few.json"):
        read = sortal.datasets.read_labels(tmp_path / name, N)
        assert list(read.values) == list(ann.y)
        assert read.order == tuple(ORDER[3:9])
        assert sorted(read.taught) == sorted(ORDER[:3])
        assert (read.skipped, read.draw.n_lost) == ((), 0)
        assert "Verified" in read.draw.notes[0]
    table = pd.read_csv(tmp_path / "few.csv", dtype=str, keep_default_na=False)
    assert table["draw"][3].startswith("01 of ")
    assert set(table["check"][:3]) == {""}
    table.loc[4, "row"], table.loc[5, "row"] = table["row"][5], table["row"][4]
    table.to_csv(tmp_path / "swapped.csv", index=False)
    with pytest.raises(InputError, match="'row' was changed in 2 of"):
        sortal.datasets.read_labels(tmp_path / "swapped.csv", N)
    assert "=x" not in (tmp_path / "few.csv").read_text().replace(", =x", "")


def test_an_import_verifies_what_was_drawn(open_session, tmp_path):
    cells = pd.DataFrame({"ticket": [f"T{i}" for i in range(N)], "size": np.arange(N) / 7})
    rows = ORDER[:8]
    table = table_of_draw(cells.iloc[rows].reset_index(drop=True), np.array(rows), ["ticket"])
    table["label"] = [*"abcabca", "unreadable"]

    def take(table, data=cells):
        table.to_csv(tmp_path / "few.csv", index=False)
        session = open_session("ann", f"answers{len(list(tmp_path.iterdir()))}.jsonl")
        taken = import_labels(session, tmp_path / "few.csv", read=lambda: data)
        return taken, session

    taken, session = take(table[::-1])
    assert taken == 8
    assert session.by_labeller()["ann"][rows].tolist() == [*"abcabca", UNKNOWN]
    swapped = table.assign(row=[*table["row"][1:], table["row"][0]])
    with pytest.raises(InputError, match="'row' was changed in 8 of 8"):
        take(swapped)
    with pytest.raises(InputError, match="1 of 8 drawn rows were changed"):
        take(table, cells.assign(size=cells["size"].where(cells.index != rows[2], 99)))
    assert take(table.drop(columns=["draw", "check"]))[0] == 8
    export_labels(session, tmp_path / "out.json")
    tasks = json.loads((tmp_path / "out.json").read_text())
    tasks[1]["data"]["row"], tasks[2]["data"]["row"] = (tasks[i]["data"]["row"] for i in (2, 1))
    (tmp_path / "out.json").write_text(json.dumps(tasks))
    with pytest.raises(InputError, match="'row' was changed in 2 of"):
        import_labels(open_session("bob", "bobs.jsonl"), tmp_path / "out.json")


def test_what_label_studio_exports(open_session, tmp_path):
    choice = {"from_name": "label", "type": "choices", "value": {"choices": ["ham"]}}
    tasks = [
        {"id": 7, "data": {"text": OBJECTS[3]}, "annotations": [
            {"completed_by": {"email": "ann@x"}, "result": [choice]},
            {"completed_by": 2, "was_cancelled": True, "result": []},
        ]},
        {"id": 8, "data": {"row": 5, "text": "?"}, "annotations": [
            {"completed_by": 2, "result": []},
        ]},
        {"id": 9, "data": {"row": 6, "text": "?"}, "annotations": [
            {"completed_by": 2, "result": [{**choice, "value": {"choices": ["spam"]}}]},
        ]},
    ]  # fmt: skip
    path = tmp_path / "project.json"
    path.write_text(json.dumps(tasks))
    session = open_session("cyd")
    assert import_labels(session, path) == 3
    by = session.by_labeller()
    assert by["ann@x"][3] == "ham"
    assert (by["2"][5], by["2"][6]) == (UNKNOWN, "spam")
    for spoilt, said in (
        ('{"a": 1}', "list of tasks"),
        ("no", "list of tasks"),
        ('[{"data": {"row": 999}, "annotations": [{"result": []}]}]', "row 999 is not one"),
        ('[{"data": 3}]', "task 1 is not as"),
        ('[{}, {"annotations": ["a"]}]', "task 2 is not as"),
        ('[{"annotations": [{"result": [{"type": "choices"}]}]}]', "task 1 is not as"),
    ):
        path.write_text(spoilt)
        with pytest.raises(InputError, match=said):
            import_labels(session, path)


def test_two_names_become_one_class(open_session):
    ann = open_session("ann")
    for name in ("Barolo", "barolo", "BAROLO"):
        ann.add(name)
    assert [variant_of(name, ann.names) for name in ("barolo ", "Bárolo", "Asti")] == [
        "Barolo", "Barolo", None,
    ]  # fmt: skip
    ann.spell("barolo", "Barolo")
    ann.spell("BAROLO", "barolo")
    assert open_session("ann").labels == ["Barolo"] * 3
    assert variant_of("Straße", ["STRASSE"]) == "STRASSE"


@pytest.mark.parametrize("e", [0, 2, 7])
def test_limits_of_disagreement_by_enumeration(e):
    """The limits hold for every number of differing objects, for every split of them."""
    n, m = 12, 7
    result = agreement([(0, 1)] * e + [(0, 0)] * (m - e), n, 0.2)
    assert result.common == m
    # a number of differences that a fixed-size test at the level would keep is never excluded
    assert result.high * n >= e + b_max(m, n - m, e, 0.1)
    assert result.low * n <= n - (m - e) - b_max(m, n - m, m - e, 0.1)


def test_differences_that_come_together_have_no_limits():
    pairs = [(0, 0)] * 30 + [(0, 1)] * 10
    result = agreement(pairs, 200, ordered=True)
    assert (result.low, result.high) == (0, 1)
    assert "come together" in result.refused
    mixed = np.random.default_rng(1).permutation(pairs).tolist()
    limits = agreement(mixed, 200, ordered=True)
    alone = agreement(mixed, 200)
    assert not limits.refused
    assert alone.low <= limits.low <= limits.high <= alone.high


def test_answers_are_sorted_by_time():
    assert LabelAnswer("2026-01-01", "b", 1, "label") < LabelAnswer("2026-01-02", "a", 0, "label")


# -- the objects that teach ----------------------------------------------------------------------


def test_what_teaches_is_stored_with_the_answers(open_session, tmp_path):
    ann = open_session("ann", taught=4)
    assert taught_rows(tmp_path / "answers.jsonl") is None
    _label(ann, 5)
    assert taught_rows(tmp_path / "answers.jsonl") == ORDER[:4].tolist()
    now = Watch(ann, {"right": [0] * 35 + [1] * 25}).update()
    assert (now.found.m, now.found.n) == (1, N - 5)
    assert "chosen without any label" in now.sentence


def test_agreement_is_of_the_objects_that_do_not_teach(open_session):
    ann, bob = open_session("ann", taught=4), open_session("bob", taught=4)
    for session in (ann, bob):
        _label(session, 20)
    ann.refresh()
    assert ann.twice
    now = Watch(ann, {"right": [0] * 35 + [1] * 25}, delta=0.1).update()
    assert now.team == agreement(ann.twice, N - 4, 0.1, ordered=True)


def test_each_cluster_is_taught_once_where_there_is_one_clustering():
    codes = np.repeat([0, 1, 2, 3], [40, 30, 20, 10])
    chosen = teaching_objects([codes], 4)
    assert codes[chosen].tolist() == [0, 1, 2, 3]  # the largest cluster first
    weighted = teaching_objects({"a": codes, "b": np.arange(100) // 50}, 2, prior={"a": 0, "b": 1})
    assert sorted(np.arange(100)[weighted] // 50) == [0, 1]
    assert len(set(teaching_objects([codes], 99).tolist())) == 99
    with pytest.raises(InputError, match="fewer than 100 can teach"):
        teaching_objects([codes], 100)


def test_the_greedy_choice_by_brute_force():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (5, 14))
    similar = (codes[:, :, None] == codes[:, None, :]).mean(axis=0)
    chosen = teaching_objects(codes, 3)
    for k in range(3):
        reached = [similar[:, [*chosen[:k], j]].max(axis=1).sum() for j in range(14)]
        assert reached[chosen[k]] == pytest.approx(max(reached))


@pytest.mark.parametrize("truths", [1, pytest.param(3, marks=pytest.mark.long)])
def test_every_draw_after_the_lessons_keeps_the_guarantee(truths):
    """Brute force: all draws of 3 of the 7 objects that do not teach, for many truths."""
    from itertools import combinations

    rng = np.random.default_rng(3)
    labelings = rng.integers(0, 3, (3, 10))
    taught = teaching_objects(labelings, 3)
    rest = np.setdiff1d(np.arange(10), taught)
    for _ in range(truths):
        truth, broken, draws = rng.integers(0, 2, 10), 0, 0
        for drawn in combinations(rest, 3):
            y = np.full(10, None, dtype=object)
            y[[*taught, *drawn]] = truth[[*taught, *drawn]]
            guarantee = sortal.guarantee(labelings, y, 0.3, taught=taught, random_state=draws)
            hidden = np.setdiff1d(rest, drawn)
            assert (guarantee.n, guarantee.m) == (4, 3)
            assert list(guarantee.labels[taught]) == list(truth[taught])
            broken += (guarantee.labels[hidden] != truth[hidden]).sum() > guarantee.bound
            draws += 1
        assert broken <= 0.3 * draws


def test_lessons_are_checked():
    y = [0, 1, None, 0, None]
    with pytest.raises(InputError, match="an object that is to teach has no label"):
        sortal.guarantee([0, 0, 1, 1, 1], y, taught=[2])
    for taught in ([0, 0], [9], [0.5], [0, 1, 2, 3, 4]):
        with pytest.raises(InputError, match="taught must be positions"):
            sortal.guarantee([0, 0, 1, 1, 1], y, taught=taught)
    guarantee = sortal.guarantee([0, 0, 1, 1, 1], y, taught=[0])
    assert any("chosen without any label" in said for said in guarantee.premises)


def test_a_class_that_only_a_lesson_has():
    y = ["a", "b", "b", None, None, None]
    guarantee = sortal.guarantee([0, 1, 1, 1, 0, 0], y, taught=[0])
    assert (guarantee.labels[0], guarantee.n, guarantee.bound) == ("a", 3, 3)
    fitted = sortal.bounds.LabelSequence([0, 1, 1, 1, 0, 0], taught=[0]).update(y, [1, 2])
    assert fitted.labels[0] == "a"


def test_a_cluster_of_lessons_alone_is_no_cluster_of_the_others():
    codes = {"fine": [0, 1, 2, 2, 3, 3, 3, 3], "coarse": [0, 0, 0, 0, 1, 1, 1, 1]}
    y = ["a", "b", None, "a", None, "b", "b", None]
    guarantee = sortal.guarantee(codes, y, 0.5, taught=[0, 1])
    assert guarantee.mdl["fine"].n_clusters == 2
    assert guarantee.mdl["fine"].m == 3
    assert list(guarantee.labels[:2]) == ["a", "b"]


def test_the_page_is_a_package_file():
    import sortal.labeling

    assert (Path(sortal.labeling.__file__).parent / "page.html").is_file()
