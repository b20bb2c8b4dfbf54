"""The store's contract: atomic, append-only, one process, own files only."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from karat.runtime.validation import StorageError
from karat.study.sqlite import SqliteStore, _explain
from karat.study.store import Finished, Planned, Score, Store

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


def test_other_data_are_rejected(tmp_path):
    path = tmp_path / "a.karat"
    SqliteStore(path, DATA).close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="belongs to other data"):
        SqliteStore(path, DATA | {"fingerprint": "e" * 64})
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"hello", b"x" * 5000, b"SQLite format 3\x00" + b"\x00" * 40])
def test_a_foreign_file_is_rejected_and_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StorageError, match="is not a study"):
        SqliteStore(path, DATA)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_another_programs_database_is_rejected_and_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="another program"):
        SqliteStore(path, DATA)
    assert path.read_bytes() == before


def filled(path) -> None:
    store = SqliteStore(path, DATA)
    store.plan(planned(f"candidate {i}") for i in range(500))
    store.finish(finished(f"candidate {i}") for i in range(500))
    store.close()


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_file_is_rejected_and_left_alone(tmp_path, share):
    path = tmp_path / "a.karat"
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    before = path.read_bytes()
    with pytest.raises(StorageError, match=r"truncated|damaged"):
        SqliteStore(path, DATA)
    assert path.read_bytes() == before


def test_a_corrupt_page_is_rejected(tmp_path):
    path = tmp_path / "a.karat"
    filled(path)
    whole = bytearray(path.read_bytes())
    whole[4096 * 3 : 4096 * 6] = b"\xff" * (4096 * 3)
    path.write_bytes(whole)
    with pytest.raises(StorageError, match="damaged"):
        SqliteStore(path, DATA)


def test_a_second_process_is_rejected_at_once(tmp_path):
    path = tmp_path / "a.karat"
    store = SqliteStore(path, DATA)
    store.plan([planned("a")])
    code = (
        "from karat.study.sqlite import SqliteStore\n"
        f"given = ({str(path)!r}, {DATA!r})\n"
        "try:\n    SqliteStore(*given)\n"
        "except Exception as error:\n    print(error, flush=True)\n"
        "input()\nSqliteStore(*given)"
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
    path = tmp_path / "a.karat"
    store = SqliteStore(path, DATA)
    store.plan(planned(f"c{i}") for i in range(3000))
    store.finish([finished("c0")])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    rng = np.random.default_rng(0)
    big = [Finished(f"c{i}", "ok", None, rng.integers(0, 1000, 4000), 0.1) for i in range(1, 50)]
    with pytest.raises(StorageError, match="no space is left"):
        store.finish(big)
    store.close()
    store = SqliteStore(path, DATA)
    assert len(store.planned()) == 2999
    store.finish(big)
    assert len(store.planned()) == 2950
    store.close()


def test_no_folder_and_a_folder_as_file(tmp_path):
    with pytest.raises(StorageError, match="there is no folder"):
        SqliteStore(tmp_path / "no" / "a.karat", DATA)
    with pytest.raises(StorageError, match="is a folder"):
        SqliteStore(tmp_path, DATA)
    with pytest.raises(StorageError, match="there is no study file"):
        SqliteStore(tmp_path / "none.karat", None)


def test_another_format_is_rejected(tmp_path):
    path = tmp_path / "a.karat"
    store = SqliteStore(path, DATA)
    store.set_meta({"format": 99})
    store.close()
    with pytest.raises(StorageError, match="format 99"):
        SqliteStore(path, DATA)


@pytest.mark.parametrize("flips", [100, pytest.param(400, marks=pytest.mark.long)])
def test_whatever_bit_flips_is_found_or_without_effect(tmp_path, flips):
    path = tmp_path / "a.karat"
    rng = np.random.default_rng(0)
    store = SqliteStore(path, DATA | {"source": "x.csv", "options": {"scale": "none"}})
    store.record("settings", {"metric": "euclidean"})
    store.plan([planned("a"), planned("b"), planned("c")])
    store.finish([finished("a"), Finished("b", "failed", "why", None, 0.1)])
    store.finish([Finished("c", "ok", None, np.array([2, 0, 1, 0]), 0.1, ("x", "y", "z"))])
    store.plan([planned("d")])
    soft = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.5, 0.5]], dtype=np.float32)
    store.finish([Finished("d", "ok", None, soft.argmax(axis=1), 0.1, memberships=soft)])
    store.add_blob("of rows", b"\x00six numbers")
    store.add_scores("ctx", [Score(p, "m", rng.random(), None) for p in store.partitions()])
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
            store = SqliteStore(path, None)
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
    told = _explain(error, tmp_path / "s.karat")
    assert str(tmp_path) in told
    assert "what was finished before is kept" in told
