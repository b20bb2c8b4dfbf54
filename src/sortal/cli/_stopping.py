"""Runs that Ctrl-C, SIGTERM or a budget of time stops: finished work is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from sortal.study import Study


class Terminated(KeyboardInterrupt):
    """SIGTERM came: little time is left."""


class BudgetSpent(KeyboardInterrupt):
    """The budget of time is spent."""


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM stop the block as Ctrl-C does."""
    with _raising(signal.SIGTERM, Terminated):
        yield


@contextmanager
def unwrapped() -> Iterator[None]:
    """Raise a stop that comes inside compiled code as itself, not in a SystemError."""
    try:
        yield
    except SystemError as error:
        cause = error.__cause__
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__
        if cause is None:
            raise
        raise cause from None


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Stop the block after so many seconds, where the system has such alarms."""
    if seconds is None or not hasattr(signal, "SIGALRM"):
        yield
        return
    with _raising(signal.SIGALRM, BudgetSpent):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def _raising(number: signal.Signals, stop: type[KeyboardInterrupt]) -> Iterator[None]:
    """Raise ``stop`` in the block when a signal comes."""

    def handle(number: int, frame: FrameType | None) -> None:
        raise stop

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handle)
    try:
        yield
    finally:
        signal.signal(number, before)


def keep(study: Study, stop: KeyboardInterrupt) -> None:
    """Store finished work in a file and print how to resume; a spent budget keeps nothing."""
    table = study.candidates
    if isinstance(stop, BudgetSpent):
        typer.echo("sortal: the budget is spent; this is the best answer so far", err=True)
        return
    message = "interrupted before anything was finished"
    if not table.empty:
        storage, again = study.state.storage.path, "run the same command again"
        if storage is None:
            storage = unused(study.dataset.name, ".sortal")
            study.state.save(storage)
            again = f"add --storage {storage}"
        message = f"interrupted; {len(table)} finished candidates are kept in {storage}; "
        message += f"{again} to resume"
    typer.echo(f"sortal: {message}", err=True)


def unused(name: str, suffix: str) -> Path:
    """A file of this name in the current folder that is not there, numbered where needed."""
    path, i = Path(f"{name}{suffix}"), 1
    while path.exists():
        i += 1
        path = path.with_name(f"{name}-{i}{suffix}")
    return path
