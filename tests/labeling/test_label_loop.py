"""Labelling one object at a time: the file, the keys, the guarantee, and stopping."""

import csv
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from typer.testing import CliRunner

import sortal
from sortal import InputError, StorageError
from sortal.bounds import sample
from sortal.cli import app
from sortal.labeling import LabelSession, Watch, agreement

TRUTH = ["ham"] * 60 + ["spam"] * 40
OBJECTS = [f"object {i}" for i in range(100)]


@pytest.fixture
def session(tmp_path):
    return LabelSession(tmp_path / "labels.jsonl", sample(100, 100, random_state=0), OBJECTS)


def _label(session, count):
    for _ in range(count):
        session.add(TRUTH[session.next])


def test_a_session_goes_on_where_it_stopped(session):
    _label(session, 7)
    again = LabelSession(session.file.path, session.order, OBJECTS)
    assert again.labels == session.labels
    assert again.next == session.order[7]
    assert list(again.y).count(None) == 93
    assert again.undo() == session.order[6]
    assert len(LabelSession(session.file.path, session.order, OBJECTS)) == 6
    for _ in range(7):
        again.undo()
    assert again.undo() is None
    assert len(again.file.answers) == 14  # nothing is ever removed from the file


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda text: text.replace('"form"', '"from"'), "line 1 is not an answer"),
        (lambda text: text + "1,ham\n", "line 5 is not an answer"),
        (
            lambda text: text.replace('"kind": "label"', '"kind": "guess"'),
            "line 2 is not an answer",
        ),
        (lambda text: text.replace('"data": "', '"data": "0'), "other data"),
        (lambda text: "row,label\n1,ham\n", "line 1 is not an answer"),
    ],
)
def test_a_foreign_file_is_refused(session, spoil, message):
    _label(session, 3)
    text = spoil(session.file.path.read_text())
    session.file.path.write_text(text)
    with pytest.raises(StorageError, match=message):
        LabelSession(session.file.path, session.order, OBJECTS)
    assert session.file.path.read_text() == text


def test_another_seed_is_noticed(session):
    _label(session, 3)
    with pytest.raises(StorageError, match="another --seed"):
        LabelSession(session.file.path, sample(100, 100, random_state=1), OBJECTS)


def test_a_full_disk_leaves_the_labels_before(session, monkeypatch):
    _label(session, 3)
    before = session.file.path.read_text()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device; it has the first 3 labels"):
        _label(session, 1)
    assert session.file.path.read_text() == before


@pytest.mark.parametrize("name", ["", "  ", "a\x1bb"])
def test_names_that_cannot_be(session, name):
    with pytest.raises(InputError, match="cannot be the name"):
        session.add(name)


@pytest.mark.parametrize("name", ["=cmd", "@x", "-", "-1", "q", ":x"])
def test_names_that_can(session, name):
    session.add(name)
    assert session.labels == [name]


def test_no_more_objects(tmp_path):
    session = LabelSession(tmp_path / "l.jsonl", [0], ["a"])
    session.add("x")
    assert session.next is None
    with pytest.raises(InputError, match="all objects"):
        session.add("x")
    with pytest.raises(InputError, match="each of the 2 objects"):
        LabelSession(tmp_path / "m.jsonl", [0, 0], ["a", "b"])


LABELINGS = {"right": [0] * 60 + [1] * 40, "one": [0] * 100}


def test_the_standing_is_the_anytime_guarantee(session):
    assert Watch(session, LABELINGS).update() is None
    _label(session, 40)
    now = Watch(session, LABELINGS, 0.2).update()
    same = sortal.guarantee(
        LABELINGS, session.y, 0.2, anytime=True, order=session.labelled, noise="cluster"
    )
    assert (now.found.bound, now.sentence) == (same.bound, same.sentence)
    assert now.found.anytime


def test_a_watch_says_at_every_label_what_a_new_standing_says(session):
    watch = Watch(session, LABELINGS, 0.2, target=0.2)
    for _ in range(2):
        _label(session, 10)
        standing = watch.update()
        assert standing == Watch(session, LABELINGS, 0.2, target=0.2).update()


@pytest.mark.parametrize("seed", range(5))
def test_kappa_by_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 3, (2, 50))
    result = agreement(list(zip(first, second, strict=True)), 50)
    assert result.kappa == pytest.approx(cohen_kappa_score(first, second))
    assert result.same / result.common == np.mean(first == second)


def test_agreement_at_its_ends():
    assert agreement([("a", "a")] * 2, 2).kappa == 1
    assert agreement([], 2) is None


@pytest.mark.parametrize("tries", [5, pytest.param(60, marks=pytest.mark.long)])
def test_stopping_at_a_target_keeps_the_guarantee(tries):
    """Adversarial: clusterings at random, labels at random, stopping at the lowest bound."""
    rng = np.random.default_rng(0)
    broken = 0
    for _ in range(tries):
        truth = rng.integers(0, 2, 60)
        labelings = rng.integers(0, 2, (3, 60))
        order = rng.permutation(60)
        keeps = sortal.bounds.LabelSequence(labelings, 0.2)
        for m in range(4, 50, 3):
            y = np.full(60, None, dtype=object)
            y[order[:m]] = truth[order[:m]]
            now = keeps.update(y, order[:m])
            rest = order[m:]
            if np.sum(now.labels[rest] != truth[rest]) > now.bound:
                broken += 1
                break
    assert broken <= 0.2 * tries


# -- the command -------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2)) + 8 * (np.arange(100) >= 60)[:, None]
    with open("data.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["size", "weight"])
        writer.writerows(X.round(3))
    np.save("own.npy", np.array(list(LABELINGS.values())))
    return tmp_path


def _run(answers, *options, teach="0"):
    command = ["label", "data.csv", "--labelings", "own.npy", "--by", "me", "--teach", teach]
    return CliRunner().invoke(app, [*command, *options], input="\n".join(answers))


def _labels(name="data-labels.jsonl"):
    lines = Path(name).read_text().splitlines()[1:]
    return [record["label"] for record in map(json.loads, lines) if record["kind"] == "label"]


def _answers(count, seed=0):
    return [TRUTH[i] for i in sample(100, 100, random_state=seed)[:count]]


def test_from_nothing_to_the_target(files):
    result = _run(_answers(100), "--target", "0.2", "--classes", "ham,spam", "--predict", "out.csv")
    assert result.exit_code == 0, result.output
    assert "The target is met after" in result.output
    assert "Of ten random draws like yours, at most one" in result.output
    assert 10 < len(_labels()) < 60
    predicted = (files / "out.csv").read_text().splitlines()[1:]
    assert [line.split(",")[2] for line in predicted] == TRUTH


def _lines(files):
    return [line.replace(",", ", ") for line in (files / "data.csv").read_text().splitlines()[1:]]


def test_stop_and_go_on(files):
    first = _run([*_answers(3), ":q"], "--classes", "ham,spam")
    assert first.exit_code == 0
    second = _run(["ham", ":u", *_answers(5)[3:], ":q"], "--classes", "ham,spam")
    assert "has 3 labels; resuming there" in second.output
    assert _labels() == [*_answers(3), "ham", *_answers(5)[3:]]
    order = sample(100, 100, random_state=0)
    session = LabelSession("data-labels.jsonl", order, _lines(files))
    assert session.labels == _answers(5)


def test_names_commands_and_nonsense(files):
    result = _run(["good", "good", "bad", ":?", "q", ":u", "u", "n", "=cmd", ":q"])
    assert result.exit_code == 0, result.output
    assert "3 labels → " in result.output
    assert "6 → about" in result.output
    assert _labels() == ["good", "good", "bad", "q", "u", "n", "=cmd"]
    fixed = _run(["nonsense", ":q"], "-o", "fixed.jsonl", "--classes", "ham,spam")
    assert "'nonsense' is none of these" in fixed.output
    assert _labels("fixed.jsonl") == []


def test_an_empty_line_confirms_a_prediction(files):
    result = _run([*_answers(20), "", "", ":q"], "--classes", "ham,spam", "--suggest", "0.5")
    assert result.exit_code == 0, result.output
    assert "(predicted)" in result.output
    assert _labels() == _answers(20)
    kinds = [json.loads(line).get("kind") for line in _stored_lines()]
    assert kinds.count("confirm") == 2
    assert "2 labels confirmed a prediction." in result.output
    assert "'' is none of these" in _run(["", ":q"], "-o", "other.jsonl").output


def _stored_lines():
    return Path("data-labels.jsonl").read_text().splitlines()[1:]


def test_spelling_variants_are_asked_about(files):
    result = _run(["Barolo", "barolo", "y", "BAROLO", "n", "Barolo ", ":q"])
    assert "Is 'barolo' the same class as 'Barolo'?" in result.output
    assert _labels() == ["Barolo", "Barolo", "BAROLO", "Barolo"]
    (files / "more.csv").write_text("row,label\n90,barolo\n91,BAROLO\n")
    again = _run(["y", "y", ":q"], "--import", "more.csv")
    assert "2 new labels from more.csv" in again.output
    assert again.output.count("the same class as") == 2


def test_the_sweep_is_kept(files):
    options = ["label", "data.csv", "-k", "2:3", "-c", "kmeans", "--classes", "ham,spam"]
    result = CliRunner().invoke(app, options, input="\n".join([*["ham"] * 20, ":q"]))
    assert result.exit_code == 0, result.output
    again = CliRunner().invoke(app, options, input=":q")
    assert "has 20 labels" in again.output
    assert (files / "data.sortal").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delta", "2"], "--delta must be"),
        (["--predict", "data.csv"], "an input is never replaced"),
    ],
)
def test_errors_before_the_first_object(files, options, message):
    result = _run([":q"], *options)
    assert result.exit_code != 0
    assert message in str(result.exception) + result.output


@pytest.mark.posix
def test_keys_on_a_terminal(files):
    """A pseudo-terminal: single keys, no Enter."""
    import pty
    import termios

    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "sortal", "label", "data.csv", "--labelings", "own.npy",
         "--classes", "ham,spam", "--teach", "0"],
        stdin=terminal, stdout=terminal, stderr=terminal, close_fds=True,
    )  # fmt: skip
    seen = b""
    try:
        for number, key in enumerate("hpuhq", 1):
            while seen.count(b"stop >") < number:
                assert select.select([main], [], [], 300)[0], seen
                seen += os.read(main, 4096)
            while termios.tcgetattr(terminal)[3] & termios.ICANON:
                time.sleep(0.01)  # keys pressed before the terminal is raw are lost
                assert process.poll() is None, seen
            os.write(main, key.encode())
        ends = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < ends:  # it waits if nobody reads
            if select.select([main], [], [], 0.1)[0]:
                os.read(main, 4096)
    finally:
        process.kill()
        os.close(terminal)
        os.close(main)
    assert process.returncode == 0
    assert _labels() == ["ham", "spam", "ham"]


def test_documents_are_shown_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = ["tea and milk in a cup", "rain and wind at sea"] * 15
    lines = [f'{{"id": {i}, "text": "{text} {i}"}}' for i, text in enumerate(texts)]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines))
    np.save("own.npy", np.array([[0, 1] * 15]))
    order = sample(30, 30, random_state=0)
    result = CliRunner().invoke(
        app,
        ["label", "notes.jsonl", "--labelings", "own.npy", "--classes", "tea,rain", "--teach", "0"],
        input="\n".join([*("tea" if i % 2 == 0 else "rain" for i in order[:12]), ":q"]),
    )
    assert result.exit_code == 0, result.output
    assert f"{texts[order[0]]} {order[0]}" in result.output
    drawn = CliRunner().invoke(app, ["sample", "notes.jsonl", "-n", "2"])
    assert texts[order[0]] in drawn.output
