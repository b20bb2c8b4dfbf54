"""Finished work in a file: found again after a kill, and no other file is taken for one."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import numpy as np
import pytest

from sortal import StorageError, load_study
from sortal.extension import KeptValues
from sortal.study import Store

STUDY_DATA = {"fingerprint": "f" * 64, "n_objects": 4, "source": None, "options": {}}


def test_values_are_found_again_and_replaced(tmp_path):
    path = tmp_path / "kept.sortal"
    kept = KeptValues(path)
    rows = {"a": {"score": 0.5}, "b": [1, None, "x"], "c": np.float64(0.25), "é\n": 7}
    for key, row in rows.items():
        kept.put(key, row)
    kept.put("a", {"score": 1.5})
    for again in (kept, KeptValues(path), KeptValues(str(path))):
        assert {key: again.get(key) for key in rows} == rows | {"a": {"score": 1.5}}
        assert again.get("d") is None
    assert np.isnan(put_and_read(path, "nan", np.nan))
    assert list(tmp_path.iterdir()) == [path]


def put_and_read(path, key, value):
    KeptValues(path).put(key, value)
    return KeptValues(path).get(key)


def test_without_a_file_values_are_found_in_memory():
    kept = KeptValues(None)
    kept.put("a", [1])
    assert (kept.get("a"), kept.get("b")) == ([1], None)


@pytest.mark.parametrize(
    "content",
    [b"my notes\nmore", b"\xfd7zXZ\n", b'{"key": "a", "row": {"score": 0.5}}\n', b"x" * 9000,
     b"SQLite format 3\x00" + b"\x00" * 40],
)  # fmt: skip
def test_another_file_is_rejected_and_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StorageError, match="is not a record of finished work, which is an SQLite"):
        KeptValues(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_other_databases_are_rejected_by_what_they_are(tmp_path):
    study, values, other = (tmp_path / name for name in ("s.sortal", "v.sortal", "o.db"))
    Store(study, STUDY_DATA).close()
    KeptValues(values)
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE t (x)")
    before = [path.read_bytes() for path in (study, values, other)]
    with pytest.raises(StorageError, match="is a study, not a record of finished work"):
        KeptValues(study)
    with pytest.raises(StorageError, match="is a record of finished work, not a study"):
        Store(values, STUDY_DATA)
    with pytest.raises(StorageError, match="another program"):
        KeptValues(other)
    assert [path.read_bytes() for path in (study, values, other)] == before


def test_places_where_no_file_can_be(tmp_path):
    with pytest.raises(StorageError, match="there is no folder"):
        KeptValues(tmp_path / "no" / "kept.sortal")
    with pytest.raises(StorageError, match="is a folder"):
        KeptValues(tmp_path)


def test_an_empty_file_is_a_new_one(tmp_path):
    path = tmp_path / "kept.sortal"
    path.touch()
    assert put_and_read(path, "a", 1) == 1
    (tmp_path / "empty").touch()
    with pytest.raises(StorageError, match="is empty"):
        load_study(tmp_path / "empty")


@pytest.mark.parametrize("flips", [100, pytest.param(400, marks=pytest.mark.long)])
def test_whatever_bit_flips_is_found_or_without_effect(tmp_path, flips):
    path = tmp_path / "kept.sortal"
    kept = KeptValues(path)
    rows = {f"key {i}": {"score": i / 7} for i in range(30)}
    for key, row in rows.items():
        kept.put(key, row)
    whole = path.read_bytes()
    used = [i for i, byte in enumerate(whole) if byte]
    rng = np.random.default_rng(0)
    n_errors = 0
    for i in rng.choice(used, size=flips, replace=False):
        damaged = bytearray(whole)
        damaged[i] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            again = KeptValues(path)
        except StorageError:
            n_errors += 1
        else:
            # a row that is lost is computed again; none is read wrongly
            assert all(again.get(key) in (None, row) for key, row in rows.items())
    assert n_errors > flips / 4


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_file_is_rejected_and_left_alone(tmp_path, share):
    path = tmp_path / "kept.sortal"
    KeptValues(path).put("long", "x" * 50_000)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    before = path.read_bytes()
    with pytest.raises(StorageError, match="truncated"):
        KeptValues(path)
    assert path.read_bytes() == before


#: puts values of 2 to 60 kB, and says which are stored
PUT = """
import sys
from sortal.runtime.kept_file import KeptValues

kept = KeptValues(sys.argv[1])
for number in range(int(sys.argv[3])):
    key = f"{sys.argv[2]} {number}"
    kept.put(key, [key] * (200 + 1000 * (number % 5)))
    print(key, flush=True)
"""


def start_putting(path, name: str, n_values: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PUT, str(path), name, str(n_values)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def check_values(path, keys: list[str]) -> None:
    kept = KeptValues(path)
    for key in keys:
        assert kept.get(key) == [key] * (200 + 1000 * (int(key.split()[1]) % 5)), key


@pytest.mark.posix
@pytest.mark.parametrize("moment", [0, 1, *(pytest.param(i, marks=pytest.mark.long)
                                            for i in range(2, 30))])  # fmt: skip
def test_a_killed_process_loses_nothing_that_it_stored(tmp_path, moment):
    path = tmp_path / "kept.sortal"
    chance = random.Random(moment)
    with start_putting(path, "a", 10**6) as child:
        assert child.stdout is not None
        keys = [child.stdout.readline().strip() for _ in range(chance.randrange(1, 12))]
        time.sleep(chance.random() * 0.05)
        os.kill(child.pid, signal.SIGKILL)
        keys += [line.strip() for line in child.stdout if line.endswith("\n")]
    check_values(path, keys)
    stored = list(KeptValues(path)._values)
    assert stored[: len(keys)] == keys
    assert len(stored) <= len(keys) + 1
    assert put_and_read(path, "z", 1) == 1


def test_processes_that_put_at_once_lose_nothing(tmp_path):
    path = tmp_path / "kept.sortal"
    children = [start_putting(path, name, 25) for name in "abc"]
    keys = [line.strip() for child in children for line in child.communicate()[0].splitlines()]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert len(keys) == 75
    check_values(path, keys)


def test_a_new_file_is_for_its_user_alone(tmp_path):
    KeptValues(tmp_path / "kept.sortal").put("a", 1)
    assert (tmp_path / "kept.sortal").stat().st_mode & 0o777 == 0o600
