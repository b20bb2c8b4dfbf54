"""Sweeps that are ended: nothing is left of them, and an interruption is obeyed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import sortal
from failing_clusterers import Fails

if __name__ == "__main__":
    study = sortal.Study(np.random.default_rng(0).normal(size=(50, 2)))
    study.sweep({"slow": Fails(how="sleep")}, k=[2, 3, 4], workers=2)
"""


@pytest.mark.posix
def test_nothing_is_left_of_a_sweep_that_was_ended(tmp_path):
    program, folder = tmp_path / "sweep.py", tmp_path / "scratch"
    program.write_text(SCRIPT)
    folder.mkdir()
    child = subprocess.Popen(
        [sys.executable, str(program), str(Path(__file__).parents[1])],
        env=os.environ | {"TMPDIR": str(folder)},
    )
    while not list(folder.glob("sortal-*/*.joblib")):
        assert child.poll() is None
        time.sleep(0.1)
    child.send_signal(signal.SIGTERM)
    child.wait(timeout=300)
    assert child.returncode == 128 + signal.SIGTERM
    assert not list(folder.glob("sortal-*"))
