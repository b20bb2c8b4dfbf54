"""Temporary folders do not outlive their process, whatever ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from karat.runtime import scratch as scratch

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import karat
from failing_clusterers import Fails

if __name__ == "__main__":
    study = karat.Study(np.random.default_rng(0).normal(size=(50, 2)))
    study.sweep({"slow": Fails(how="sleep")}, k=[2, 3, 4], workers=2)
"""


@pytest.mark.posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_nothing_is_left_of_a_sweep_that_was_ended(tmp_path, monkeypatch, name):
    number = signal.Signals[name]
    program, folder = tmp_path / "sweep.py", tmp_path / "scratch"
    program.write_text(SCRIPT)
    folder.mkdir()
    child = subprocess.Popen(
        [sys.executable, str(program), str(Path(__file__).parents[1])],
        env=os.environ | {"TMPDIR": str(folder)},
    )
    while not list(folder.glob("karat-*/*.joblib")):
        assert child.poll() is None
        time.sleep(0.1)
    monkeypatch.setattr(scratch.tempfile, "gettempdir", lambda: str(folder))
    scratch.sweep_orphans(young=0)
    assert list(folder.glob("karat-*/*.joblib")), "in use, so it must stay"
    child.send_signal(number)
    child.wait(timeout=300)
    if number == signal.SIGTERM:
        assert child.returncode == 128 + signal.SIGTERM
    else:
        # a worker that was about to start has the lock for a moment
        ends = time.monotonic() + 60
        while list(folder.glob("karat-*")) and time.monotonic() < ends:
            scratch.sweep_orphans(young=0)
            time.sleep(0.1)
    assert not list(folder.glob("karat-*"))


def test_a_young_folder_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "karat-x").mkdir()
    (tmp_path / "karat-x" / "in-use").touch()
    (tmp_path / "karat-notes").mkdir()
    scratch.sweep_orphans()
    assert (tmp_path / "karat-x").exists()
    scratch.sweep_orphans(young=0)
    assert [p.name for p in tmp_path.iterdir()] == ["karat-notes"]
