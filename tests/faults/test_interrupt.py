"""Ctrl-C at any step of a command, whatever the input: the same command then ends as ever."""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import subprocess
import sys
from itertools import islice, takewhile
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import sortal
from command_line import sortal_command

pytestmark = pytest.mark.posix

SOURCE = str(Path(sortal.__file__).parent)
KINDS = ("table", "texts", "distances")
WORDS = ("tea cup milk sugar leaf", "sail wind mast wave harbour", "chess king rook pawn mate")


class Steps:
    """Counts calls of sortal's functions; presses Ctrl-C at one of them."""

    def __init__(self, last: int | None = None) -> None:
        self.count, self.last = 0, last

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            self.count += 1
            if self.count == self.last:
                sys.setprofile(None)
                signal.raise_signal(signal.SIGINT)


def write(kind: str, folder: Path) -> list[str]:
    """A small input of this kind, and what the command is told of it."""
    rng = np.random.default_rng(3)
    X = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 10, axis=0) + rng.normal(size=(30, 2))
    if kind == "table":
        path, told = folder / "x.csv", ["--label-column", "kind"]
        known = ["a"] * 6 + [""] * 14 + ["b"] * 10
        pd.DataFrame(X, columns=["u", "v"]).assign(kind=known).to_csv(path, index=False)
    elif kind == "texts":
        path, told = folder / "x.jsonl", ["--text-column", "text"]
        texts = [" ".join(rng.choice(words.split(), 6)) for words in WORDS for _ in range(8)]
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    else:
        path, told = folder / "x.npy", ["--metric", "precomputed"]
        np.save(path, cdist(X, X))
    seeded = "kmedoids" if kind == "distances" else "kmeans"
    return ["run", str(path), *told, "-c", seeded, "-c", "average", "-k", "2:3", "--n-init", "2",
            "--workers", "1", "--json", "--quiet"]  # fmt: skip


def timeless(told: str) -> Any:
    """An answer in JSON without what the clock says and where the study is."""

    def without(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key: value for key, value in pairs if key != "seconds"}

    return json.loads(told, object_pairs_hook=without)


@pytest.fixture(scope="module", params=KINDS)
def whole(request, tmp_path_factory):
    """A command, its answer, and how many steps it takes once all is loaded."""
    folder = tmp_path_factory.mktemp(request.param)
    words = write(request.param, folder)
    for n in range(2):
        steps = Steps()
        sys.setprofile(steps)
        try:
            done = sortal_command(*words, "--storage", folder / f"{n}.sortal")
        finally:
            sys.setprofile(None)
        assert done.returncode == 0, done.stderr
    return words, timeless(done.stdout), steps.count


def check_one_interrupt(whole, path: Path, step: int) -> None:
    words, expected, _ = whole
    steps = Steps(step)
    sys.setprofile(steps)
    try:
        stopped = sortal_command(*words, "--storage", path)
        assert stopped.returncode or timeless(stopped.stdout) == expected
    except KeyboardInterrupt:
        pass
    finally:
        sys.setprofile(None)
    assert steps.count >= step
    gc.collect()  # a connection that was being opened
    again = sortal_command(*words, "--storage", path)
    assert again.returncode == 0, again.stderr
    assert timeless(again.stdout) == expected


@pytest.mark.quick(1)
def test_ctrl_c_and_again(whole, tmp_path):
    check_one_interrupt(whole, tmp_path / "s.sortal", random.Random(1).randrange(whole[2]))


@pytest.mark.long
@pytest.mark.parametrize("moment", range(30))
def test_ctrl_c_at_any_step(whole, tmp_path, moment):
    chance = random.Random(f"{moment} {whole[0]}")
    check_one_interrupt(whole, tmp_path / "s.sortal", chance.randrange(1, whole[2]))


#: the command, which tells of each function that Numba compiles once the fits are judged
TELLING = """
import importlib, sys
from numba.core import event
from sortal import __main__

class Compiled(event.Listener):
    def on_start(self, told):
        print("compiling", told.data["dispatcher"].py_func.__name__, file=sys.stderr, flush=True)

    def on_end(self, told):
        pass

def judged(*options, judge=(run := importlib.import_module("sortal.cli.run"))._judge):
    event.register("numba:compile", Compiled())
    return judge(*options)

run._judge = judged
__main__.main()
"""


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 3])
def test_ctrl_c_while_numba_compiles_in_judging(tmp_path, number):
    kept = tmp_path / "kept.sortal"
    words = f"run wine -k 2:3 -c kmeans --n-init 2 --workers 1 --report r.html --storage {kept}"
    child = subprocess.Popen(
        [sys.executable, "-c", TELLING, *words.split()],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "compiled")},
        # a shell's background job ignores Ctrl-C, and so would all that it starts
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert child.stderr is not None
    try:
        compiled = (line for line in child.stderr if line.startswith("compiling "))
        assert len(list(islice(compiled, number))) == number, "Numba compiled nothing"
        os.killpg(child.pid, signal.SIGINT)
        told = list(takewhile(lambda line: "again ends at once" not in line, child.stderr))
        os.killpg(child.pid, signal.SIGINT)
        _, errors = child.communicate(timeout=300)
    finally:
        child.kill()
    assert child.returncode == 130, errors
    said = "".join([*told, errors])
    assert "4 finished candidates are kept" in said
    assert "Traceback" not in said or "Exception ignored" in said
    # each is obeyed once a function is compiled with those that it calls, not a hundred later
    assert max("".join(told).count("compiling "), errors.count("compiling ")) < 30
    assert not (tmp_path / "r.html").exists()
    with sortal.Study(sortal.datasets.read("wine"), storage=kept) as study:
        assert len(study.candidates) == 4
