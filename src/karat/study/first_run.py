"""Compiling beside the first run, which would spend most of its time on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CODE = """
from karat.runtime.worker import start_worker
start_worker({parent}, "karat.study.first_run")
from karat.study.first_run import compile_what_judges
compile_what_judges()
"""


def compile_ahead() -> bool:
    """Where nothing is compiled yet, begin in another process with what is needed last."""
    from karat.runtime.threads import available_cores

    if _is_compiled():
        return False
    if available_cores() > 1:
        subprocess.Popen(
            [sys.executable, "-c", CODE.format(parent=os.getpid())],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    return True


def _is_compiled() -> bool:
    from karat._kernels.dip import pair_valleys

    kept = Path(str(pair_valleys.stats.cache_path))
    source = Path(pair_valleys.py_func.__code__.co_filename).stat().st_mtime
    return any(file.stat().st_mtime >= source for file in kept.glob("dip.pair_valleys-*.nbi"))


def compile_what_judges() -> None:
    """Judge a few objects, in the order of a run; what is compiled is kept by Numba."""
    import numpy as np

    import karat
    from karat.judge import gather
    from karat.nulls import assess_structure

    groups = np.arange(60, dtype=np.int32) % 3
    X = np.random.default_rng(0).normal(size=(60, 2)) + 9 * groups[:, None]
    karat.evaluate(X, groups)
    assess_structure(X)
    gather(X, groups[None])
