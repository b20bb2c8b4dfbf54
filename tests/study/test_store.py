"""The store's contract: atomic, append-only, one process, own files only."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from karat.runtime.validation import StorageError
from karat.study.store import Finished, Planned, Score, Store, _explain

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
    truth = [part if isinstance(part, list) else part.tolist() for part in store.truth("t")]
    scores = [repr(s) for s in store.scores("ctx")]
    return [store.meta, store.calls(), store.candidates(), labels, names, truth, scores]


def test_round_trip(tmp_path):
    path = tmp_path / "a.karat"
    store = Store(path, DATA)
    assert store.plan([planned("a"), planned("b"), planned("c")]) == 3
    store.finish([finished("b", (5, -1, 7, 5)), Finished("a", "failed", "why", None, 0.1)])
    store.add_scores(
        "ctx", [Score("p", "m", float("nan"), "undefined"), Score("p", "o", 0.1, None)]
    )
    store.close()
    store = Store(path, DATA)
    rows = {row["name"]: row for row in store.candidates()}
    assert [rows[n]["status"] for n in "abc"] == ["failed", "ok", "planned"]
    assert (rows["b"]["n_clusters"], rows["b"]["n_noise"], rows["a"]["reason"]) == (2, 1, "why")
    assert store.planned() == {"c"}
    np.testing.assert_array_equal(store.labels(store.partitions())[0], [0, -1, 1, 0])
    by_measure = {s.measure: s for s in store.scores("ctx")}
    assert np.isnan(by_measure["m"].value)
    assert by_measure["m"].reason == "undefined"
    assert by_measure["o"].value == 0.1
    store.close()


def test_equal_partitions_are_stored_once():
    store = Store(None, DATA)
    store.plan([planned("a"), planned("b")])
    store.finish([finished("a", (0, 0, 1, 1)), finished("b", (9, 9, 3, 3))])
    assert len(store.partitions()) == 1


def test_what_is_finished_never_changes():
    store = Store(None, DATA)
    store.plan([planned("a")])
    store.finish([finished("a")])
    assert store.plan([planned("a")]) == 0
    with pytest.raises(AssertionError, match="finished before"):
        store.finish([finished("a", (0, 0, 0, 1))])
    assert store.candidates()[0]["n_clusters"] == 2


def test_a_transaction_happens_whole_or_not_at_all():
    store = Store(None, DATA)
    store.plan([planned("a"), planned("b")])
    with pytest.raises(AssertionError):
        store.finish([finished("a"), finished("a")])
    assert store.planned() == {"a", "b"}


def test_other_data_are_rejected(tmp_path):
    path = tmp_path / "a.karat"
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
    path = tmp_path / "a.karat"
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    before = path.read_bytes()
    with pytest.raises(StorageError, match=r"truncated|damaged"):
        Store(path, DATA)
    assert path.read_bytes() == before


def test_a_corrupt_page_is_rejected(tmp_path):
    path = tmp_path / "a.karat"
    filled(path)
    whole = bytearray(path.read_bytes())
    whole[4096 * 3 : 4096 * 6] = b"\xff" * (4096 * 3)
    path.write_bytes(whole)
    with pytest.raises(StorageError, match="damaged"):
        Store(path, DATA)


def test_a_second_process_is_rejected_at_once(tmp_path):
    path = tmp_path / "a.karat"
    store = Store(path, DATA)
    store.plan([planned("a")])
    code = (
        "from karat.study.store import Store\nfrom karat.runtime.validation import StorageError\n"
        f"try:\n    Store({str(path)!r}, {DATA!r})\n"
        f"except StorageError as error:\n    print(error, flush=True)\ninput()\n"
        f"Store({str(path)!r}, {DATA!r})"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert "in use by another process" in other.stdout.readline()
    store.finish([finished("a")])
    store.close()
    other.communicate("\n")
    assert other.returncode == 0


def test_a_full_disk_keeps_what_was_there(tmp_path):
    path = tmp_path / "a.karat"
    store = Store(path, DATA)
    store.plan(planned(f"c{i}") for i in range(3000))
    store.finish([finished("c0")])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
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
        Store(tmp_path / "no" / "a.karat", DATA)
    with pytest.raises(StorageError, match="is a folder"):
        Store(tmp_path, DATA)
    with pytest.raises(StorageError, match="there is no study file"):
        Store(tmp_path / "none.karat", None)


def test_another_format_is_rejected(tmp_path):
    path = tmp_path / "a.karat"
    store = Store(path, DATA)
    store.set_meta({"format": 99})
    store.close()
    with pytest.raises(StorageError, match="format 99"):
        Store(path, DATA)


def test_whatever_bit_flips_is_found_or_without_effect(tmp_path):
    path = tmp_path / "a.karat"
    rng = np.random.default_rng(0)
    store = Store(path, DATA | {"source": "x.csv", "options": {"scale": "none"}})
    store.record("settings", {"metric": "euclidean"})
    store.add_truth("t", np.array([0, 1, -1, 0], dtype=np.int32), ["a", "b"])
    store.plan([planned("a"), planned("b"), planned("c")])
    store.finish([finished("a"), Finished("b", "failed", "why", None, 0.1)])
    store.finish([Finished("c", "ok", None, np.array([2, 0, 1, 0]), 0.1, ("x", "y", "z"))])
    store.plan([planned("d")])
    soft = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.5, 0.5]], dtype=np.float32)
    store.finish([Finished("d", "ok", None, soft.argmax(axis=1), 0.1, memberships=soft)])
    store.add_matrix("of rows", np.arange(1.0, 7.0))
    store.add_scores("ctx", [Score(p, "m", rng.random(), None) for p in store.partitions()])
    expected = contents(store)
    store.close()
    whole = path.read_bytes()
    used = [i for i, byte in enumerate(whole) if byte]
    found = 0
    for i in rng.choice(used, size=400, replace=False):
        broken = bytearray(whole)
        broken[i] ^= 1 << int(rng.integers(8))
        path.write_bytes(broken)
        try:
            store = Store(path, None)
            try:
                got = contents(store)
                matrix = store.matrix("of rows")
            finally:
                store.close()
        except StorageError:
            found += 1
        else:
            # a row that cannot be found any more is computed again; nothing is read wrongly
            assert matrix is None or matrix.tolist() == [1, 2, 3, 4, 5, 6]
            lost = [*got[:6], []] if len(got[6]) < len(expected[6]) else got
            kept = [*expected[:6], []] if len(got[6]) < len(expected[6]) else expected
            assert lost == kept
    assert found > 100


def test_a_disk_that_fails_is_named(tmp_path):
    error = sqlite3.OperationalError("disk I/O error")
    told = _explain(error, tmp_path / "s.karat")
    assert str(tmp_path) in told
    assert "what was finished before is kept" in told
