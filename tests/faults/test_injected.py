"""A write, an allocation or Ctrl-C fails at any step of a command: one sentence, nothing lost."""

from __future__ import annotations

import errno
import gc
import io
import random
import signal
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sortal
from command_line import Done, sortal_command
from sortal import InputError

pytestmark = pytest.mark.posix

SOURCE = str(Path(sortal.__file__).parent)
FULL = OSError(errno.ENOSPC, "No space left on device")
#: functions of C that write, and what each raises on a disk that is full
WRITES = {
    "write": FULL, "fsync": FULL, "replace": FULL, "mkdir": FULL,
    "execute": sqlite3.OperationalError("database or disk is full"),
    "executemany": sqlite3.OperationalError("database or disk is full"),
    "commit": sqlite3.OperationalError("disk I/O error"),
}  # fmt: skip
ALLOCATIONS = {
    "empty", "zeros", "ones", "full", "array", "asarray", "ascontiguousarray", "astype", "copy",
    "concatenate", "arange", "bincount", "dot", "argsort", "sort", "where", "take",
}  # fmt: skip


class Fault:
    """Counts the steps of a kind, and lets one of them fail."""

    def __init__(self, kind: str, last: int | None = None) -> None:
        self.kind, self.last, self.count, self.at = kind, last, 0, ""

    def error(self, frame: FrameType, event: str, argument: Any) -> BaseException | None:
        """What fails at this step; None if it is none of the kind."""
        inside = frame.f_code.co_filename.startswith(SOURCE)
        if self.kind == "interrupt":
            return KeyboardInterrupt() if event == "call" and inside else None
        if event != "c_call":
            return None
        name, owner = argument.__name__, getattr(argument, "__self__", None)
        if self.kind == "memory":
            numpy_has_it = (argument.__module__ or "").startswith("numpy") or isinstance(
                owner, np.ndarray
            )
            found = inside and name in ALLOCATIONS and numpy_has_it
            return MemoryError("Unable to allocate 9.00 GiB") if found else None
        if name not in WRITES or isinstance(owner, io.StringIO | io.BytesIO | str | bytes):
            return None
        if name == "write" and getattr(owner, "name", "") in ("<stdout>", "<stderr>"):
            return None
        of_database = isinstance(owner, sqlite3.Connection | sqlite3.Cursor)
        return WRITES[name] if of_database or isinstance(WRITES[name], OSError) else None

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        error = self.error(frame, event, argument)
        if error is None:
            return
        self.count += 1
        if self.count == self.last:
            sys.setprofile(None)
            self.at = (
                f"{frame.f_code.co_filename}:{frame.f_lineno} {getattr(argument, '__name__', '')}"
            )
            if self.kind == "interrupt":
                signal.raise_signal(signal.SIGINT)
            else:
                raise error


@dataclass(frozen=True)
class Counts:
    """Counts the steps of several kinds in one run."""

    faults: list[Fault]
    kind = "none"

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            for fault in self.faults:
                fault(frame, event, argument)


@dataclass(frozen=True)
class Command:
    """Words of a command, what is typed, the files that it leaves, and one that only grows."""

    words: Callable[[Path], list[Any]]
    typed: str = ""
    leaves: tuple[str, ...] = ()
    grows: str = ""


def table(folder: Path) -> list[Any]:
    rng = np.random.default_rng(3)
    X = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 10, axis=0) + rng.normal(size=(30, 2))
    frame = pd.DataFrame(X.round(3), columns=["u", "v"])
    frame.to_csv(folder / "x.csv", index=False)
    pd.DataFrame({"a": np.arange(30) // 10, "b": np.arange(30) % 3}).to_csv(
        folder / "labelings.csv", index=False
    )
    return [folder / "x.csv"]


def results(folder: Path) -> Path:
    """Labels of two methods on four sets, and the truth."""
    rng = np.random.default_rng(0)
    for name in "abcd":
        (folder / "results" / name).mkdir(parents=True, exist_ok=True)
        truth = np.repeat([0, 1, 2], 8)
        for method, noise in (("truth", 0.0), ("one", 0.1), ("other", 0.3)):
            labels = np.where(rng.random(24) < noise, rng.integers(3, size=24), truth)
            pd.DataFrame({"label": labels}).to_csv(
                folder / "results" / name / f"{method}.csv", index=False
            )
    return folder / "results"


SWEEP = ["-c", "kmeans", "-c", "average", "-k", "2:3", "--n-init", "2", "--workers", "1"]
COMMANDS = {
    "sweep": Command(
        lambda f: ["run", *table(f), *SWEEP, "--storage", f / "s.sortal", "--labels", f / "l.csv",
                   "--report", f / "r.html", "--save-model", f / "m.sortal-model", "--force"],
        leaves=("l.csv", "r.html", "m.sortal-model"),
    ),
    "judge": Command(
        lambda f: ["run", *table(f), "--labelings", f / "labelings.csv", "--only-labelings",
                   "--labels", f / "l.csv", "--force", "--storage", f / "s.sortal"],
        leaves=("l.csv",),
    ),
    "label": Command(
        lambda f: ["label", *table(f), "--labelings", f / "labelings.csv", "--output",
                   f / "session.jsonl", "--by", "a", "--export", f / "e.csv", "--force"],
        typed="u\nv\nu\nu\n:q\n",
        grows="session.jsonl",
    ),
    "bench": Command(
        lambda f: ["bench", results(f), "--report", f / "page.html", "--report", f / "all.csv",
                   "--force"],
        leaves=("page.html", "all.csv"),
    ),
    "reproduce": Command(
        lambda f: ["reproduce", "clarity-intervals", "--samples", "1", "--scale", "quick",
                   "--storage", f / "r.sortal", "--output", f / "page.html"],
        leaves=("page.html",),
    ),
}  # fmt: skip


def run(name: str, folder: Path, fault: Fault | Counts | None = None) -> Done | None:
    """The command in a folder; None if Ctrl-C ended it outside of any command."""
    command = COMMANDS[name]
    folder.mkdir(exist_ok=True)
    words = command.words(folder)
    sys.setprofile(fault)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(command.typed))
            return sortal_command(*words, cwd=folder)
    except KeyboardInterrupt:
        if fault is None or fault.kind != "interrupt":
            raise
        return None
    finally:
        sys.setprofile(None)


def left(name: str, folder: Path) -> dict[str, str]:
    """Text of the files that the command leaves, without what the clock and the folder say."""
    return {
        file: (folder / file).read_text("utf-8") if (folder / file).suffix == ".csv" else "there"
        for file in COMMANDS[name].leaves
        if (folder / file).exists()
    }


@pytest.fixture(scope="module", params=sorted(COMMANDS))
def whole(request, tmp_path_factory):
    """A command, what it leaves, and how many steps of each kind it has once all is loaded."""
    name = request.param
    if name == "reproduce":
        pytest.importorskip("sortal_lab", reason="reproduce needs the laboratory")
    for count in (False, True):  # the first run loads what it needs
        folder = tmp_path_factory.mktemp(name)
        faults = [Fault(kind) for kind in ("interrupt", "memory", "write")]
        done = run(name, folder, Counts(faults) if count else None)
        assert done is not None
        assert done.returncode == 0, done.stderr
    counts = {fault.kind: fault.count for fault in faults}
    assert len(left(name, folder)) == len(COMMANDS[name].leaves)
    return name, left(name, folder), counts


def check_one_fault(whole: Any, folder: Path, kind: str, step: int) -> None:
    name, expected, _ = whole
    fault = Fault(kind, step)
    done = run(name, folder, fault)
    if done is not None and done.returncode:
        codes = {"interrupt": {130}, "memory": {1, 2}, "write": {2, 3}}[kind]
        assert done.returncode in codes, (fault.at, done)
        assert "sortal: " in done.stderr, (fault.at, done)
    gc.collect()  # a connection that was being opened
    grown = folder / COMMANDS[name].grows
    before = grown.read_bytes() if grown.is_file() else b""
    assert not list(folder.glob("**/*.new*")), fault.at
    fresh = folder if kind != "memory" else folder / "fresh"
    again = run(name, fresh)
    assert again is not None
    if "has no record that it wrote" in again.stderr:
        # the fault hit the record of outputs, so what was written is not replaced
        fresh = folder / "fresh"
        again = run(name, fresh)
        assert again is not None
    assert again.returncode == 0, (fault.at, again.stderr)
    assert left(name, fresh) == expected, fault.at
    if before:
        assert grown.read_bytes().startswith(before[: before.rfind(b"\n") + 1]), fault.at


#: the kind of fault that each command meets in make test; the long test has all of each
KINDS = {"sweep": "write", "judge": "interrupt", "label": "memory", "bench": "write",
         "reproduce": "memory"}  # fmt: skip


def test_a_fault_and_again(whole, tmp_path):
    kind = KINDS[whole[0]]
    step = random.Random(f"{kind} {whole[0]}").randrange(1, whole[2][kind] + 1)
    check_one_fault(whole, tmp_path / "f", kind, step)


def test_labelings_whose_names_alone_were_stored_can_be_added(tmp_path):
    X, labels = np.arange(12.0)[:, None], {"a": np.repeat([0, 1], 6)}
    with sortal.Study(X, storage=tmp_path / "s.sortal") as study:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(study.state.storage, "finish", lambda _: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                study.add(labels)
        study.add(labels)
        assert study.candidates.loc["a", "status"] == "ok"
        with pytest.raises(InputError, match="another clustering called 'a'"):
            study.add({"a": np.arange(12) % 2})


@pytest.mark.long
@pytest.mark.parametrize("kind", ["interrupt", "memory", "write"])
@pytest.mark.parametrize("moment", range(6))
def test_a_fault_at_any_step(whole, tmp_path, kind, moment):
    step = random.Random(f"{moment} {kind} {whole[0]}").randrange(1, whole[2][kind] + 1)
    check_one_fault(whole, tmp_path / "f", kind, step)
