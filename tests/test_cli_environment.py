"""Environments and files that commands meet: byte orders, limits, modes of new files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sortal
from sortal.extension import KeptValues
from sortal.runtime.output import write_output

X = np.random.default_rng(0).normal(size=(30, 3))


def command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """A finished ``sortal`` process."""
    return subprocess.run(
        [sys.executable, "-m", "sortal", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("kind", [">f8", ">i4"])
def test_rows_of_the_other_byte_order_are_drawn(tmp_path: Path, kind: str) -> None:
    np.save(tmp_path / "x.npy", (9 * X).astype(kind))
    cells, _ = sortal.datasets.read_cells(tmp_path / "x.npy")
    np.testing.assert_array_equal(cells.iloc[[3, 1]], (9 * X).astype(kind)[[3, 1]])


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "count", ["0", *(pytest.param(count, marks=pytest.mark.long) for count in ("-1", "two"))]
)
def test_a_number_of_threads_that_is_none(count: str) -> None:
    result = command("measures", NUMBA_NUM_THREADS=count)
    assert result.returncode == 2
    assert "NUMBA_NUM_THREADS is" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of the address space")
@pytest.mark.parametrize("size", [300_000, 1_000_000])
def test_too_little_address_space_is_told_before_anything_is_loaded(size: int) -> None:
    line = f"ulimit -v {size}; exec {sys.executable} -m sortal run iris"
    result = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == "sortal: too little memory; raise the limit (ulimit -v 1048576)\n"


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_files_with_labels_are_only_for_the_user(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        KeptValues(tmp_path / "a.sortal").put("a", 1)
        write_output(tmp_path / "labels.csv", "row,label\n", private=True)
        write_output(tmp_path / "page.html", "")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"a.sortal": 0o600, "labels.csv": 0o600, "page.html": 0o666}
