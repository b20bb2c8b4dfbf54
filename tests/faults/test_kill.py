"""A sweep killed at any moment resumes without loss, duplicates or other scores."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from itertools import islice

import pandas as pd
import pytest

import sortal

pytestmark = pytest.mark.posix

SCRIPT = """
import sys
import time
import numpy as np
import sortal

def sweep(path, workers, stay=0):
    X = np.random.default_rng(5).normal(size=(60, 3))
    with sortal.Study(X, storage=path) as study:
        original = study.state.storage.finish

        def finish(outcomes):
            outcomes = list(outcomes)
            original(outcomes)
            for outcome in outcomes:
                print("finished", outcome.name, flush=True)
            if len(study.candidates) == 30:
                time.sleep(stay)

        study.state.storage.finish = finish
        study.sweep(["kmeans", "gaussian-mixture", "average"], k=range(2, 8), n_init=3,
                    workers=workers)
        print("judging", flush=True)
        return study.scores()

if __name__ == "__main__":
    sweep(sys.argv[1], *map(int, sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("script") / "sweep.py"
    path.write_text(SCRIPT)
    return path


@pytest.fixture(scope="module")
def uninterrupted(script, tmp_path_factory):
    scope = {"__name__": "script"}
    exec(script.read_text(), scope)
    return scope["sweep"](tmp_path_factory.mktemp("whole") / "w.sortal", 1), scope["sweep"]


def kill_after(script, path, lines: int, delay: float, workers: int) -> list[str]:
    """Start the sweep, kill it after so many finished candidates; return their names."""
    child = subprocess.Popen(
        [sys.executable, str(script), str(path), str(workers)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    seen = []
    for line in child.stdout:
        seen.append(line)
        if len(seen) > lines:
            time.sleep(delay)
            break
    os.kill(child.pid, signal.SIGKILL)
    seen += child.stdout.read().splitlines()
    child.wait()
    # a worker that was starting as its parent died prints its traceback there too
    return [line.strip().removeprefix("finished ") for line in seen if line.startswith("finished ")]


def check_one_kill(script, uninterrupted, path, moment: int, workers: int) -> None:
    expected, sweep = uninterrupted
    chance = random.Random(moment)
    seen = kill_after(script, path, chance.randrange(0, 44), chance.random() * 0.05, workers)
    with sortal.Study(sweep_data(), storage=path) as study:
        kept = study.candidates
        assert kept.index.is_unique
        assert set(seen) <= set(kept.index), "a finished candidate was lost"
    again = sweep(path, 1)
    pd.testing.assert_frame_equal(
        expected.drop(columns="seconds"), again.drop(columns="seconds"), check_exact=True
    )


def sweep_data():
    import numpy as np

    return np.random.default_rng(5).normal(size=(60, 3))


def test_kill_and_go_on(script, uninterrupted, tmp_path):
    check_one_kill(script, uninterrupted, tmp_path / "k.sortal", 1, workers=2)


@pytest.mark.long
@pytest.mark.parametrize("moment", [0, 2, *range(100, 120)])
def test_kill_at_many_moments(script, uninterrupted, tmp_path, moment):
    check_one_kill(script, uninterrupted, tmp_path / "k.sortal", moment, workers=1 + moment % 2)


@pytest.mark.long
def test_ctrl_c_keeps_what_is_finished(script, uninterrupted, tmp_path):
    expected, sweep = uninterrupted
    path = tmp_path / "c.sortal"
    stay = "20"  # so that it is not at its end before it is interrupted
    child = subprocess.Popen(
        [sys.executable, str(script), str(path), "2", stay],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        # a shell's background job ignores Ctrl-C, and so would all that it starts
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert child.stdout is not None
    try:
        finished = (line for line in child.stdout if line.startswith("finished "))
        assert len(list(islice(finished, 5))) == 5
        os.killpg(child.pid, signal.SIGINT)
        _, errors = child.communicate(timeout=300)
    finally:
        child.kill()
    assert child.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors.splitlines()
    with sortal.Study(sweep_data(), storage=path) as study:
        assert len(study.candidates) >= 5
    again = sweep(path, 1)
    pd.testing.assert_frame_equal(
        expected.drop(columns="seconds"), again.drop(columns="seconds"), check_exact=True
    )
