"""Text files to which several processes append lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """The file, open for reading and appending, while no other process has it open like this.

    A new one has labels, so only its user may read it.
    """
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        _lock(file)
        yield file
    finally:
        os.close(file)  # which ends the lock


def append(file: int, lines: bytes) -> None:
    """Write whole lines or nothing to a locked file; they are on disk when it returns.

    A line that a killed process left unfinished is dropped first.
    """
    size = end = os.fstat(file).st_size
    while end and _byte(file, end - 1) != b"\n":
        end -= 1
    if end < size:
        os.ftruncate(file, end)
    try:
        while lines:
            lines = lines[os.write(file, lines) :]
        os.fsync(file)
    except OSError:
        os.ftruncate(file, end)
        raise


def has_line(file: int) -> bool:
    """Whether a locked file has a whole line."""
    os.lseek(file, 0, os.SEEK_SET)
    while piece := os.read(file, 1 << 16):
        if b"\n" in piece:
            return True
    return False


def _byte(file: int, position: int) -> bytes:
    """Read one byte."""
    os.lseek(file, position, os.SEEK_SET)
    return os.read(file, 1)


def _lock(file: int) -> None:
    """Wait until no other process has this file locked, then lock it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
