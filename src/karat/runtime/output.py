"""Files that are written for the user: checked before the work, whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from karat.runtime.validation import InputError, StorageError

__all__ = ["check_output", "write_output"]


def check_output(path: str | Path, *, overwrite: bool = False, option: str = "") -> Path:
    """The file with links resolved; raise at once, before hours of work, if it cannot be written.

    InputError for a folder, a missing one, or a file that is there, unless it may be overwritten;
    StorageError for a folder that cannot be written in. ``option`` of the command line names it.
    """
    target = Path(path).resolve()
    prefix = f"{option}: " if option else ""
    if target.is_dir():
        raise InputError(f"{prefix}{path} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise InputError(f"{prefix}there is no folder {target.parent}; create it")
    if target.exists() and not overwrite:
        raise InputError(
            f"{prefix}{path} exists already; choose another name or allow it to be replaced "
            "(overwrite=True, or --force on the command line)"
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise _cannot_write(target, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    return target


def private_opener(path: str, flags: int) -> int:
    """Open a file that only its user may read (mode 0600), if it is new."""
    return os.open(path, flags, 0o600)


def write_output(
    path: str | Path, content: str | bytes, *, overwrite: bool = False, private: bool = False
) -> None:
    """Write a file, whole or not at all, text as UTF-8; options and errors as of :func:`draft`."""
    with draft(path, overwrite=overwrite, private=private) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextlib.contextmanager
def draft(
    path: str | Path, *, overwrite: bool = False, private: bool = False
) -> Iterator[BinaryIO]:
    """A binary file to write in, which is put at ``path`` once it is whole.

    With ``private``, for labels, only its user may read it.

    Errors are those of :func:`check_output`, and StorageError for a full disk; what was at ``path``
    stays as it was.
    """
    target = check_output(path, overwrite=overwrite)
    # beside the target, so that the final rename stays on one file system
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(beside, "xb", opener=private_opener if private else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot_write(target, error) from error
        raise


def _cannot_write(target: Path, error: OSError) -> StorageError:
    """The error for a file that could not be written, with a remedy by its cause."""
    remedies = {
        errno.ENOSPC: "free some space there, or write to another disk",
        errno.EDQUOT: "the quota is used up; write to another disk",
        errno.EACCES: f"the folder {target.parent} is not yours to write in; choose another one",
        errno.EPERM: f"the folder {target.parent} is not yours to write in; choose another one",
        errno.EROFS: "the disk is read-only; write to another one",
    }
    remedy = remedies.get(error.errno or 0, "choose another place")
    return StorageError(f"{target} could not be written: {error.strerror or error}; {remedy}")
