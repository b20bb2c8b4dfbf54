"""Single files: written whole or not at all, appended to, or temporary."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sortal.runtime.output import ownership
from sortal.runtime.output.plan import cannot_write, check_output


def private_opener(path: str, flags: int) -> int:
    """Open a file that only its user may read (mode 0600), if it is new."""
    return os.open(path, flags, 0o600)


def write_output(
    path: str | os.PathLike[str],
    content: str | bytes,
    *,
    overwrite: bool = False,
    private: bool = False,
) -> None:
    """Write a file, whole or not at all, text as UTF-8; options and errors as of :func:`draft`."""
    with draft(path, overwrite=overwrite, private=private) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextlib.contextmanager
def draft(
    path: str | os.PathLike[str], *, overwrite: bool = False, private: bool = False
) -> Iterator[BinaryIO]:
    """A binary file to write in, which is put at ``path`` once it is whole.

    With ``private``, for labels, only its user may read it.

    Errors are those of :func:`check_output`, and StorageError for a full disk; what was at ``path``
    stays as it was. A file that appears there in the meantime is not replaced either.
    """
    target = check_output(path, overwrite=overwrite)
    # beside the target, so that the final rename stays on one file system
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with open(beside, "xb", opener=private_opener if private else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        check_output(path, overwrite=overwrite)
        ownership.record(target, beside)
        _put(beside, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise cannot_write(target, error) from error
        raise


def _put(beside: Path, target: Path) -> None:
    """Move a whole file to its place; a new one never over another that came at this moment."""
    if target.exists():
        os.replace(beside, target)
        return
    try:
        os.link(beside, target)
    except FileExistsError:
        check_output(target)  # raises: it came at this moment
        raise
    except OSError:  # a file system without links
        os.replace(beside, target)
    else:
        beside.unlink()


def create_private(path: Path) -> None:
    """Create an empty file that only its user may read, unless it exists or cannot be created."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def remove_file(path: str | os.PathLike[str]) -> None:
    """Remove a file that this process created, and that may be gone."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def new_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a new binary file to write in, such as one in a temporary folder."""
    return open(path, "xb")


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed at the end of a block, or with the object."""
    return tempfile.TemporaryDirectory(prefix="sortal-")


@contextlib.contextmanager
def temporary_file(content: bytes, name: str) -> Iterator[Path]:
    """A file of this name and content, which is removed at the end of the block."""
    with temporary_folder() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        yield path


# -- files that grow -------------------------------------------------------------------------------


@contextlib.contextmanager
def appending(path: Path) -> Iterator[AppendedFile]:
    """A file of lines to read and append to, while no other process has it open like this.

    A new one has labels, so only its user may read it.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags, 0o600)
    try:
        _lock(number)
        yield AppendedFile(number)
    finally:
        os.close(number)  # which ends the lock


def append_line(path: Path, line: bytes) -> OSError | None:
    """Append a line to a file whose lines were checked; returns the error if it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with appending(path) as file:
            file.append(line)
    except OSError as error:
        return error
    return None


class AppendedFile:
    """An open file to which whole lines are appended."""

    def __init__(self, number: int) -> None:
        self._number = number

    def append(self, lines: bytes) -> None:
        """Write whole lines or nothing; they are on disk when it returns.

        A line that a killed process left unfinished is dropped first.
        """
        size = end = os.fstat(self._number).st_size
        while end and self._byte(end - 1) != b"\n":
            end -= 1
        if end < size:
            os.ftruncate(self._number, end)
        try:
            while lines:
                lines = lines[os.write(self._number, lines) :]
            os.fsync(self._number)
        except OSError:
            os.ftruncate(self._number, end)
            raise

    def has_line(self) -> bool:
        """Whether it has a whole line."""
        os.lseek(self._number, 0, os.SEEK_SET)
        while piece := os.read(self._number, 1 << 16):
            if b"\n" in piece:
                return True
        return False

    def _byte(self, position: int) -> bytes:
        """Read one byte."""
        os.lseek(self._number, position, os.SEEK_SET)
        return os.read(self._number, 1)


def _lock(number: int) -> None:
    """Wait until no other process has this file locked, then lock it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(number, 0, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX)
