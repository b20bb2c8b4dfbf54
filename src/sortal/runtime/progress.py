"""Progress: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: activities within a step that takes long, the latest last
_doing: dict[object, str] = {}


@contextmanager
def doing(activity: str) -> Iterator[None]:
    """Show an activity beside the bar or the line of the step that it is a part of."""
    token = object()
    _doing[token] = activity
    try:
        yield
    finally:
        del _doing[token]


def _now() -> str:
    """The latest activity in brackets, empty where there is none."""
    latest = list(_doing.values())[-1:]
    return f"({latest[0]})" if latest else ""


@contextmanager
def progress_bar(
    description: str, total: int, *, show: bool | None = None, every: float = 30.0
) -> Iterator[Callable[[int], None]]:
    """Progress on standard error; yields the function that advances it.

    A bar if ``show``, or by default on a terminal, otherwise a line ``every`` so many seconds.
    Nothing if ``show`` is False.
    """
    if total == 0 or show is False:
        yield lambda steps: None
    elif show or sys.stderr.isatty():
        with _bar(description, total) as advance:
            yield advance
    else:
        with _lines(description, total, every) as advance:
            yield advance


class _LatestActivity:
    """The latest activity, rendered anew each time the bar is drawn."""

    def __str__(self) -> str:
        return _now()


@contextmanager
def _bar(description: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn

    columns = [*Progress.get_default_columns(), MofNCompleteColumn()]
    doing = TextColumn("{task.fields[doing]}")
    with Progress(*columns, doing, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total, doing=_LatestActivity())
        yield lambda steps: bar.advance(task, steps)


@contextmanager
def _lines(description: str, total: int, every: float) -> Iterator[Callable[[int], None]]:
    """A line of progress at intervals, for output that is no terminal."""
    done, began, finished = 0, time.monotonic(), threading.Event()

    def advance(steps: int) -> None:
        nonlocal done
        done += steps

    def report() -> None:
        # a thread of its own: a single step may take longer than the time between two lines
        while not finished.wait(every):
            minutes, seconds = divmod(round(time.monotonic() - began), 60)
            line = (
                f"sortal: {description.lower()}, {done:,} of {total:,} after "
                f"{minutes}:{seconds:02} {_now()}"
            )
            print(line.rstrip(), file=sys.stderr, flush=True)

    thread = threading.Thread(target=report, daemon=True)
    thread.start()
    try:
        yield advance
    finally:
        finished.set()
        thread.join()
