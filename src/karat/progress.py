"""Progress bars on a terminal, and silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(
    description: str, total: int, *, show: bool | None = None
) -> Iterator[Callable[[int], None]]:
    """A bar on standard error; yields the function that advances it.

    Parameters
    ----------
    description : str
    total : int
    show : bool, optional
        By default only where standard error is a terminal.
    """
    if total == 0 or not (sys.stderr.isatty() if show is None else show):
        yield lambda steps: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(description, total=total)
        yield lambda steps: bar.advance(task, steps)
