"""The store's contract: atomic, append-only, one process, own files only."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import sortal
from sortal import StorageError
from sortal.runtime.kept_file import _explain
from sortal.study import Finished, Planned, Score, Store

DATA = {"fingerprint": "f" * 64, "n_objects": 4, "source": None, "options": {}}


def planned(name: str) -> Planned:
    return Planned(name, "kmeans", "n_clusters", 2, 0, 1)


def finished(name: str, labels=(0, 1, 1, 0)) -> Finished:
    return Finished(name, "ok", None, np.array(labels), 0.5)


def contents(store: Store) -> list:
    """Everything that can be read from a store."""
    labels = [codes.tolist() for codes in store.labels(store.partitions())]
    names = [store.cluster_names(c["name"]) for c in store.candidates()]
    names += [
        None if (U := store.memberships(c["name"])) is None else U.tolist()
        for c in store.candidates()
    ]
    scores = [repr(s) for s in store.scores("ctx")]
    return [store.meta, store.calls(), store.candidates(), labels, names, scores]


def fill_with_everything(store: Store) -> None:
    store.record("settings", {"metric": "euclidean"})
    store.plan([planned("a"), planned("b"), planned("c")])
    store.finish([finished("a"), Finished("b", "failed", "why", None, 0.1)])
    store.finish([Finished("c", "ok", None, np.array([2, 0, 1, 0]), 0.1, ("x", "y", "z"))])
    store.plan([planned("d")])
    soft = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.5, 0.5]], dtype=np.float32)
    store.finish([Finished("d", "ok", None, soft.argmax(axis=1), 0.1, memberships=soft)])
    store.add_blob("of rows", b"\x00six numbers")
    store.add_scores("ctx", [Score(p, "m", 0.25, None) for p in store.partitions()])


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    with closing(
        Store(None if request.param == "memory" else tmp_path / "a.sortal", DATA)
    ) as store:
        yield store


def test_a_new_store_has_its_description_alone(store):
    assert contents(store) == [{"format": 1, **DATA}, [], [], [], [], []]
    assert store.blob("b") is None


def test_a_candidate_is_planned_once_and_finished_once(store):
    plan = [planned(name) for name in "abcd"]
    assert [store.plan(plan[:3]), store.plan(plan), store.plan(plan)] == [3, 1, 0]
    changes = store.changes["candidates"]
    a = Finished("a", "ok", None, np.array([7, 7, 3, 3]), 0.5, fitted_on=2)
    store.finish([a, Finished("b", "failed", "why", None, 0.1)])
    assert store.changes["candidates"] > changes
    before = contents(store)
    for invalid in (a, finished("never planned")):
        with pytest.raises(AssertionError, match=r"finished before|never planned"):
            store.finish([finished("c"), invalid])
    assert contents(store) == before
    assert store.planned() == {"c", "d"}
    assert store.plan(plan) == 0
    store.candidates()[0]["status"] = "changed"
    assert [c["name"] for c in store.candidates()] == list("abcd")
    assert store.candidate("a") == {
        "name": "a", "clusterer": "kmeans", "parameter": "n_clusters", "value": 2, "start": 0,
        "seed": 1, "status": "ok", "reason": None, "n_clusters": 2, "n_noise": 0, "seconds": 0.5,
        "fitted_on": 2, "partition": store.partitions()[0],
    }  # fmt: skip


def test_labels_are_canonical_and_stored_once(store):
    store.plan(planned(name) for name in "acd")
    soft = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.4, 0.6]], dtype=np.float32)
    named = Finished("c", "ok", None, np.array([1, -1, 0, 1]), 0.1, ("zero", "one"))
    store.finish([finished("a", (7, 7, 3, 3)), named])
    store.finish([Finished("d", "flagged", "soft", np.array([0, 0, 1, 1]), 0.1, memberships=soft)])
    a, c, d = (store.candidate(name)["partition"] for name in "acd")
    assert a == d
    assert store.partitions() == [a, c]
    assert [codes.tolist() for codes in store.labels([c, a])] == [[0, -1, 1, 0], [0, 0, 1, 1]]
    assert store.candidate("c")["n_noise"] == 1
    assert [store.cluster_names(name) for name in "ac"] == [None, ["one", "zero"]]
    assert store.memberships("a") is None
    np.testing.assert_array_equal(store.memberships("d"), soft)


def test_calls_and_blobs_are_added_and_notes_replaced(store):
    calls = [("settings", {"by": None}), ("sweep", {"k": [2, 3]}), ("settings", {"by": "dunn"})]
    for kind, content in [calls[0], *calls]:
        store.record(kind, content)
    assert store.calls() == calls
    assert store.calls("sweep") == calls[1:2]
    store.set_meta({"note": [1, None, "x"]})
    changes = store.changes["notes"]
    store.set_meta({"note": {"value": 0.1}})
    assert store.meta["note"] == {"value": 0.1}
    assert store.changes["notes"] == changes + 1
    store.set_meta({"note": {"value": 0.1}})
    assert store.changes["notes"] == changes + 1
    store.add_blob("b", b"\x00one")
    store.add_blob("b", b"two")
    assert store.blob("b") == b"\x00one"


def test_the_first_score_of_a_context_stays(store):
    first, undefined = Score("p", "m", 0.1, None, 0.01), Score("p", "n", np.nan, "undefined")
    store.add_scores("here", [first, undefined])
    store.add_scores("here", [Score("p", "m", 0.2, None)])
    store.add_scores("elsewhere", [Score("p", "m", 0.3, None)])
    scores = {score.measure: score for score in store.scores("here")}
    assert scores["m"] == first
    assert np.isnan(scores["n"].value)
    assert scores["n"].reason == "undefined"
    assert [score.value for score in store.scores("elsewhere")] == [0.3]


def test_a_copy_has_everything(store, tmp_path):
    fill_with_everything(store)
    store.copy_to(tmp_path / "copy.sortal")
    with closing(Store(tmp_path / "copy.sortal", DATA)) as copy:
        assert contents(copy) == contents(store)
    with pytest.raises(StorageError, match="already exists"):
        store.copy_to(tmp_path / "copy.sortal")


def test_a_file_of_an_earlier_commit_opens(tmp_path):
    path = tmp_path / "s.sortal"
    path.write_bytes(gzip.decompress(Path(__file__).with_name("format1.sortal.gz").read_bytes()))
    before = path.read_bytes()
    with closing(Store(path, None)) as store:
        names = [c["name"] for c in store.candidates()]
        assert names == ["average k=2", "average k=3", "names", "soft"]
        labels = store.labels([store.candidate("average k=3")["partition"]])[0]
        assert labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
        assert store.cluster_names("names") == ["a", "b", "c"]
        assert store.memberships("soft")[:5].tolist() == [[0.75, 0.25]] * 4 + [[0.25, 0.75]]
        assert store.meta["note"] == [1, None, "x"]
        assert [kind for kind, _ in store.calls()] == ["settings", "sweep", "add"]
        kinds = {row[0] for row in store._file._db.execute("SELECT kind FROM entries")}
        context = next(kind for kind in kinds if kind.startswith("scores "))
        assert len(list(store.scores(context.removeprefix("scores ")))) > 50
    assert path.read_bytes() == before
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 4, axis=0) + np.eye(12)[:, :2]
    with sortal.Study(X, storage=path) as study:
        assert study.best().name == "average k=3"


def test_a_file_of_the_former_name_is_rejected(tmp_path):
    path = tmp_path / "s.sortal"
    path.write_bytes(
        gzip.decompress(Path(__file__).with_name("former_name.sortal.gz").read_bytes())
    )
    before = path.read_bytes()
    with pytest.raises(StorageError, match="written by karat"):
        sortal.load_study(path)
    assert path.read_bytes() == before


def test_other_data_are_rejected(tmp_path):
    path = tmp_path / "a.sortal"
    Store(path, DATA).close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="belongs to other data"):
        Store(path, DATA | {"fingerprint": "e" * 64})
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"hello", b"x" * 5000, b"SQLite format 3\x00" + b"\x00" * 40])
def test_a_foreign_file_is_rejected_and_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StorageError, match="is not a study"):
        Store(path, DATA)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_another_programs_database_is_rejected_and_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="another program"):
        Store(path, DATA)
    assert path.read_bytes() == before


def filled(path) -> None:
    store = Store(path, DATA)
    store.plan(planned(f"candidate {i}") for i in range(500))
    store.finish(finished(f"candidate {i}") for i in range(500))
    store.close()


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_file_is_rejected_and_left_alone(tmp_path, share):
    path = tmp_path / "a.sortal"
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    before = path.read_bytes()
    with pytest.raises(StorageError, match=r"truncated|damaged"):
        Store(path, DATA)
    assert path.read_bytes() == before


def test_a_corrupt_page_is_rejected(tmp_path):
    path = tmp_path / "a.sortal"
    filled(path)
    whole = bytearray(path.read_bytes())
    whole[4096 * 3 : 4096 * 6] = b"\xff" * (4096 * 3)
    path.write_bytes(whole)
    with pytest.raises(StorageError, match="damaged"):
        Store(path, DATA)


def test_a_second_process_is_rejected_at_once(tmp_path):
    path = tmp_path / "a.sortal"
    store = Store(path, DATA)
    store.plan([planned("a")])
    code = (
        "from sortal.study import Store\n"
        f"given = ({str(path)!r}, {DATA!r})\n"
        "try:\n    Store(*given)\n"
        "except Exception as error:\n    print(error, flush=True)\n"
        "input()\nStore(*given)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert "in use by another process" in other.stdout.readline()
        store.finish([finished("a")])
        store.close()
        other.communicate("\n")
    assert other.returncode == 0


def test_a_full_disk_keeps_what_was_there(tmp_path):
    path = tmp_path / "a.sortal"
    store = Store(path, DATA)
    store.plan(planned(f"c{i}") for i in range(3000))
    store.finish([finished("c0")])
    pages = store._file._db.execute("PRAGMA page_count").fetchone()[0]
    store._file._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    rng = np.random.default_rng(0)
    big = [Finished(f"c{i}", "ok", None, rng.integers(0, 1000, 4000), 0.1) for i in range(1, 50)]
    with pytest.raises(StorageError, match="no space is left"):
        store.finish(big)
    store.close()
    store = Store(path, DATA)
    assert len(store.planned()) == 2999
    store.finish(big)
    assert len(store.planned()) == 2950
    store.close()


def test_no_folder_and_a_folder_as_file(tmp_path):
    with pytest.raises(StorageError, match="there is no folder"):
        Store(tmp_path / "no" / "a.sortal", DATA)
    with pytest.raises(StorageError, match="is a folder"):
        Store(tmp_path, DATA)
    with pytest.raises(StorageError, match="there is no study file"):
        Store(tmp_path / "none.sortal", None)


def test_another_format_is_rejected(tmp_path):
    path = tmp_path / "a.sortal"
    store = Store(path, DATA)
    store.set_meta({"format": 99})
    store.close()
    with pytest.raises(StorageError, match="format 99"):
        Store(path, DATA)


@pytest.mark.parametrize("flips", [100, pytest.param(400, marks=pytest.mark.long)])
def test_whatever_bit_flips_is_found_or_without_effect(tmp_path, flips):
    path = tmp_path / "a.sortal"
    rng = np.random.default_rng(0)
    store = Store(path, DATA | {"source": "x.csv", "options": {"scale": "none"}})
    fill_with_everything(store)
    expected = contents(store)
    store.close()
    whole = path.read_bytes()
    used = [i for i, byte in enumerate(whole) if byte]
    found = 0
    for i in rng.choice(used, size=flips, replace=False):
        broken = bytearray(whole)
        broken[i] ^= 1 << int(rng.integers(8))
        path.write_bytes(broken)
        try:
            store = Store(path, None)
            try:
                got = contents(store)
                blob = store.blob("of rows")
            finally:
                store.close()
        except StorageError:
            found += 1
        else:
            # a row that cannot be found any more is computed again; nothing is read wrongly
            assert blob in (None, b"\x00six numbers")
            lost = [*got[:5], []] if len(got[5]) < len(expected[5]) else got
            kept = [*expected[:5], []] if len(got[5]) < len(expected[5]) else expected
            assert lost == kept
    assert found > flips / 4


def test_a_disk_that_fails_is_named(tmp_path):
    error = sqlite3.OperationalError("disk I/O error")
    told = _explain(error, tmp_path / "s.sortal")
    assert str(tmp_path) in told
    assert "what was finished before is kept" in told
