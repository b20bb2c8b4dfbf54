"""Folders for temporary files that leave nothing behind, whatever ends the process."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "karat-"
_LOCK = "in-use"
_YOUNG = 60.0  # seconds; such a folder may not have its lock yet


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that is removed at the end; first those of processes that were killed are.

    The owner holds a lock on a file in its folder, which the system releases when it dies.
    """
    sweep_orphans()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        with (folder / _LOCK).open("w") as lock:
            _take(lock.fileno())
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep_orphans(young: float = _YOUNG) -> None:
    """Remove the folders whose owner is gone; ``young`` ones (seconds) stay."""
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{_LOCK}"):
        try:
            old = time.time() - lock.stat().st_mtime > young
            if not old or lock.is_symlink():
                continue
            with lock.open("r+") as file:
                free = _take(file.fileno())
        except OSError:  # another user's, or gone already
            continue
        if free:
            shutil.rmtree(lock.parent, ignore_errors=True)


def _take(descriptor: int) -> bool:
    """Lock a file and say whether that worked; where there are no locks, nothing is free."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
