"""The check of all outputs of a command or call before its work."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sortal.runtime.output import ownership
from sortal.runtime.output.places import Place
from sortal.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from sortal.runtime.output.folders import OutputFolder


class OutputPlan:
    """The inputs and outputs of a command or call; each output is checked when it is added.

    Parameters
    ----------
    inputs : mapping
        What is read, by the option that names it. A name without a file, such as that of a
        packaged data set, counts as none, and so do values that are no paths.

    Examples
    --------
    >>> plan = OutputPlan({"DATA": "rows/*.csv", "--truth": None})
    >>> plan.file("rows/a.csv", option="--report", overwrite=True)
    Traceback (most recent call last):
    sortal.runtime.validation.InputError: --report: rows/a.csv is a file of DATA (rows/*.csv); ...
    """

    def __init__(self, inputs: Mapping[str, object] | None = None) -> None:
        self._inputs: list[tuple[str, Place]] = []
        self._outputs: list[tuple[str, Place]] = []
        for option, value in (inputs or {}).items():
            for source in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(source, (str, os.PathLike)) and os.fspath(source):
                    place = Place.of(source)
                    if place.scheme or place.pattern or place.is_there:
                        self._inputs.append((option, place))

    def file(
        self, path: str | os.PathLike[str] | None, *, option: str = "", overwrite: bool = False
    ) -> None:
        """Add a file that is written whole; None adds nothing. Errors of :func:`check_output`."""
        if path is not None:
            self._add(Place.at(path), option, is_folder=False)
            check_output(Path(path), overwrite=overwrite, option=option)

    def folder(self, folder: OutputFolder | None, *, option: str = "", remedy: str = "") -> None:
        """Add a folder of files; None adds nothing. Errors of :meth:`OutputFolder.check`."""
        if folder is not None:
            self._add(Place.at(folder.target), option, is_folder=True)
            folder.check(option, remedy=remedy)

    def addition(self, path: str | os.PathLike[str] | None, *, option: str = "") -> None:
        """Add a file of finished work or answers, which grows; its reader checks what it is."""
        if path is not None:
            self._add(Place.at(path), option, is_folder=False)

    def _add(self, target: Place, option: str, *, is_folder: bool) -> None:
        """Raise for a target that touches an input or another output."""
        prefix = f"{option}: " if option else ""
        for places, remedy in (
            (self._inputs, "an input is never replaced, so choose another place"),
            (self._outputs, "give each output a place of its own"),
        ):
            for named, place in places:
                if relation := target.clash(place, is_folder=is_folder):
                    label = f"{named} ({place.name})" if named else place.name
                    raise InputError(f"{prefix}{target.name} {relation} {label}; {remedy}")
        self._outputs.append((option, target))


def check_output(
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    option: str = "",
    inputs: Mapping[str, object] | None = None,
) -> Path:
    """The file with links resolved; raise at once, before hours of work, if it cannot be written.

    Parameters
    ----------
    path : path-like
    overwrite : bool, default False
        Whether an earlier output there is replaced. Another file, or one that was changed since,
        is not.
    option : str
        Option of the command line, for messages.
    inputs : mapping, optional
        What is read, by name, see :class:`OutputPlan`.

    Raises
    ------
    InputError
        For a folder, a missing folder, an input, or a file that may not be replaced.
    StorageError
        For a folder that cannot be written in.

    Examples
    --------
    >>> check_output(".")
    Traceback (most recent call last):
    sortal.runtime.validation.InputError: . is a folder; name a file in it
    """
    if inputs is not None:
        OutputPlan(inputs).file(path, option=option, overwrite=overwrite)
    prefix = f"{option}: " if option else ""
    target = _check_local(os.fspath(path), option)
    if target.exists() or target.is_symlink():
        if not target.is_file():
            raise InputError(f"{prefix}{path} is a device, a pipe or a loop of links; name a file")
        if not overwrite:
            raise InputError(
                f"{prefix}{path} exists already; choose another name or allow it to be replaced "
                "(overwrite=True, or --force on the command line)"
            )
        if not ownership.is_unchanged_output(target):
            raise InputError(
                f"{prefix}{path} exists already, and sortal has no record that it wrote the file "
                "as it is now. Choose another name, or delete the file yourself"
            )
    return target


def _check_local(path: str, option: str) -> Path:
    """The resolved path of a file on this machine, in a folder that can be written in."""
    prefix = f"{option}: " if option else ""
    if re.match(r"[a-z][a-z0-9+.-]+:/", path) and not Path(path).parent.is_dir():
        raise InputError(f"{prefix}{path} is an address; name a file on this machine")
    target = Path(path).resolve()
    if target.is_dir():
        raise InputError(f"{prefix}{path} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise InputError(f"{prefix}there is no folder {target.parent}; create it")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise cannot_write(target, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    return target


def cannot_write(target: Path, error: OSError) -> StorageError:
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
