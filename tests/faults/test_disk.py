"""Disks that are full and folders that cannot be written: a clear error, nothing destroyed."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import sortal
from command_line import sortal_command
from sortal import InputError, StorageError
from sortal.extension import KeptValues


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs Linux and the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_disk_that_fills_up_during_a_sweep(small_disk):
    X = np.random.default_rng(0).normal(size=(3000, 2))
    path = small_disk / "s.sortal"
    with sortal.Study(X, storage=path) as study, pytest.raises(StorageError, match="no space"):
        study.sweep("kmeans", k=range(2, 60), n_init=3, workers=1)
    with sortal.Study(X, storage=path) as study:
        kept = study.candidates
        assert len(kept) > 5
        reference = sortal.Study(X)
        reference.sweep("kmeans", k=range(2, 4), n_init=3, workers=1)
        for name in reference.candidates.index.intersection(kept.index):
            np.testing.assert_array_equal(study.labels(name), reference.labels(name))


def test_a_disk_too_full_for_the_report(small_disk):
    study = sortal.Study(np.repeat([0.0, 5.0, 9.0], 8)[:, None] + np.arange(24)[:, None] / 100)
    study.sweep("average", k=[2, 3], workers=1)
    (small_disk / "filler").write_bytes(b"x" * 200_000)
    with pytest.raises(InputError, match=r"r\.html"):
        sortal.write_report(study, small_disk / "r.html")
    assert [p.name for p in small_disk.iterdir()] == ["filler"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder that nobody can write")
def test_a_folder_that_cannot_be_written(tmp_path):
    X = np.arange(12.0)[:, None]
    with pytest.raises(StorageError, match="cannot be written"):
        KeptValues("/proc/race.sortal")
    with pytest.raises(StorageError, match="cannot be written"):
        sortal.Study(X, storage="/proc/s.sortal")
    study = sortal.Study(X)
    study.sweep("average", k=[2, 3], workers=1)
    with pytest.raises(InputError, match=r"r\.html"):
        sortal.write_report(study, "/proc/r.html")


def test_a_full_disk_on_the_command_line(small_disk):
    X = np.random.default_rng(0).normal(size=(3000, 2))
    pd.DataFrame(X).to_csv(small_disk.parent / "x.csv", index=False)
    result = sortal_command("run", "../x.csv", "-c", "kmeans", "-k", "2:60", "--n-init", 3,
                            "--workers", 1, "--storage", "s.sortal", cwd=small_disk)  # fmt: skip
    assert result.returncode == 3, result.stderr
    assert "sortal: no space is left to write s.sortal" in result.stderr


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Writes beyond this size fail, as on a disk that is full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def swept(X, path=None):
    with sortal.Study(X, storage=path) as study:
        study.sweep(["kmeans", "average"], k=range(2, 6), n_init=2, workers=1)
        return study.scores().drop(columns="seconds")


def check_one_full_disk(path, size: int) -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    whole = swept(X)
    with files_of_at_most(size), pytest.raises(StorageError, match=r"could not|no space|disk"):
        swept(X, path)
    pd.testing.assert_frame_equal(swept(X, path), whole, check_exact=True)


@pytest.mark.quick(1)
@pytest.mark.posix
@pytest.mark.parametrize("size", [12_000, 60_000])
def test_a_study_that_cannot_grow_goes_on_when_it_can(tmp_path, size):
    check_one_full_disk(tmp_path / "s.sortal", size)


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize("moment", range(15))
def test_a_study_that_cannot_grow_at_any_moment(tmp_path, moment):
    check_one_full_disk(tmp_path / "s.sortal", int(random.Random(moment).uniform(0, 90_000)))


@pytest.mark.posix
def test_a_copy_that_does_not_fit_leaves_nothing(tmp_path):
    study = sortal.Study(np.random.default_rng(0).normal(size=(200, 2)))
    study.sweep(["average"], k=range(2, 6), workers=1)
    with files_of_at_most(8_000), pytest.raises(StorageError, match=r"no space|disk"):
        study.save(tmp_path / "copy.sortal")
    assert not list(tmp_path.iterdir())
    study.save(tmp_path / "copy.sortal")


def check_full_disk_of_values(path) -> None:
    """Put values until the disk is full: the stored ones are kept, and it goes on once it can."""
    kept = KeptValues(path)
    stored = [f"{i}" for i in range(100) if put(kept, f"{i}")]
    assert 1 <= len(stored) < 100
    assert stored == [f"{i}" for i in range(100) if kept.get(f"{i}") is not None]
    again = KeptValues(path)
    assert stored == [f"{i}" for i in range(100) if again.get(f"{i}") is not None]


def put(kept: KeptValues, key: str) -> bool:
    """Whether a value could be stored; the reason is named where it could not."""
    reason = ""
    try:
        kept.put(key, key * 2000)
    except StorageError as error:
        reason = str(error)
    assert not reason or ("disk" in reason or "no space" in reason)
    assert not reason or "what was finished before is kept" in reason
    return not reason


def test_values_on_a_disk_that_is_full(small_disk):
    path = small_disk / "race.sortal"
    check_full_disk_of_values(path)
    with pytest.raises(StorageError, match=r"race\.sortal"):
        KeptValues(path).put("more", "x" * 200_000)
    assert KeptValues(path).get("0") == "0" * 2000


@pytest.mark.quick(1)
@pytest.mark.posix
@pytest.mark.parametrize("size", [30_000, 70_000, 130_001])
def test_values_that_cannot_grow_go_on_when_they_can(tmp_path, size):
    path = tmp_path / "race.sortal"
    with files_of_at_most(size):
        check_full_disk_of_values(path)
    kept = KeptValues(path)
    assert all(put(kept, f"{i}") for i in range(100))
    assert KeptValues(path).get("99") == "99" * 2000


#: to be loaded before the C library
FAILING = """
#include <errno.h>
#include <stdlib.h>
static int fail(void) {
    static long count = 0;
    if (++count < atol(getenv("FAILING_SYNC"))) return 0;
    errno = EIO;
    return -1;
}
int fsync(int file) { return fail(); }
int fdatasync(int file) { return fail(); }
"""


@pytest.fixture(scope="module")
def failing_sync(tmp_path_factory):
    """A library whose fsync fails from a given call on."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("fsync is replaced on Linux alone, and by a C compiler")
    code = tmp_path_factory.mktemp("sync") / "sync.c"
    code.write_text(FAILING)
    library = code.with_suffix(".so")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, code], check=True)
    return library


@pytest.mark.long
@pytest.mark.parametrize("call", [1, 2, 3, 5, 8])
def test_a_disk_that_does_not_take_what_was_written(failing_sync, tmp_path, call):
    table = tmp_path / "x.csv"
    pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"]).to_csv(
        table, index=False
    )
    words = ["run", str(table), "-c", "average", "-k", "2:4", "--workers", "1", "--storage",
             str(tmp_path / "s.sortal"), "--report", str(tmp_path / "r.html")]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "sortal", *words], capture_output=True, text=True,
        env={**os.environ, "LD_PRELOAD": str(failing_sync), "FAILING_SYNC": str(call)},
    )  # fmt: skip
    assert done.returncode in (0, 3), done.stderr
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert done.stderr.count("sortal: ") == 1
        assert not (tmp_path / "r.html").exists()
    again = sortal_command(*words, "--force")
    assert again.returncode == 0, again.stderr


@pytest.mark.long
@pytest.mark.parametrize("call", range(1, 12))
def test_values_on_a_disk_that_does_not_take_them(failing_sync, tmp_path, call):
    path = tmp_path / "race.sortal"
    code = """
import sys
from sortal.extension import KeptValues
kept = KeptValues(sys.argv[1])
for key in "abc":
    kept.put(key, [key])
    print(key, flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True,
        env={**os.environ, "LD_PRELOAD": str(failing_sync), "FAILING_SYNC": str(call)},
    )  # fmt: skip
    assert done.returncode == 0 or "StorageError" in done.stderr
    kept = KeptValues(path)
    for key in done.stdout.split():
        assert kept.get(key) == [key]
    assert put(kept, "d")
