"""From a study to a file, whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from karat.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from jinja2 import Environment

    from karat.study import Study


def render(study: Study) -> str:
    """The report of a study as HTML.

    Parameters
    ----------
    study : Study
        With at least one candidate.

    Returns
    -------
    str
        A page with everything in it: data, figures, plotly.js, styles. It loads nothing, and its
        content security policy forbids it to.

    Raises
    ------
    NothingToRankError
        If nothing was tried. If everything failed, the page says so instead.

    Examples
    --------
    >>> import karat
    >>> study = karat.Study([[0.0], [0.1], [5.0], [5.1]])
    >>> study.add({"two": [0, 0, 1, 1]})
    >>> karat.report.render(study)[:15]
    '<!doctype html>'
    """
    from karat.report._facts import gather
    from karat.report._sections import build

    facts = gather(study)
    return _environment().get_template("page.html").render(build(facts))


def write(study: Study, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the report of a study to a file, whole or not at all.

    Parameters
    ----------
    study : Study
        With at least one candidate.
    path : path-like
        The HTML file.
    overwrite : bool, default False
        Replace a file that is there.

    Raises
    ------
    InputError
        If the file is there and ``overwrite`` is false, or the folder is not there.
    StorageError
        If the file cannot be written: a full disk, a read-only folder. What was at ``path``
        stays as it was.
    """
    target = check_target(path, overwrite=overwrite)
    page = render(study)
    # beside the target, so that the final rename stays on one file system
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(draft, "x", encoding="utf-8", newline="\n") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot_write(target, error) from error
        raise


def check_target(path: str | Path, *, overwrite: bool = False) -> Path:
    """Say at once that a report cannot go to ``path``, before hours of work for it.

    Parameters
    ----------
    path : path-like
        Where the report is to be written.
    overwrite : bool, default False
        Whether a file that is there may be replaced.

    Returns
    -------
    Path
        Links resolved.

    Raises
    ------
    InputError, StorageError
        As from :func:`write`.
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise InputError(
            f"{path} is a folder; name a file in it, e.g. {Path(path) / 'report.html'}"
        )
    if not target.parent.is_dir():
        raise InputError(f"the folder {target.parent} for the report does not exist; create it")
    if target.exists() and not overwrite:
        raise InputError(
            f"{path} already exists; choose another name or allow it to be replaced "
            "(overwrite=True, or --force on the command line)"
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise _cannot_write(target, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    return target


def _cannot_write(target: Path, error: OSError) -> StorageError:
    ways = {
        errno.ENOSPC: "free some space there, or write to another disk",
        errno.EDQUOT: "the quota is used up; write to another disk",
        errno.EACCES: f"the folder {target.parent} is not yours to write in; choose another one",
        errno.EPERM: f"the folder {target.parent} is not yours to write in; choose another one",
        errno.EROFS: "the disk is read-only; write to another one",
    }
    way = ways.get(error.errno or 0, "choose another place")
    return StorageError(
        f"the report could not be written to {target}: {error.strerror or error}; {way}"
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from karat.bounds import percent_up
    from karat.plot.style import number, percent

    environment = Environment(
        loader=PackageLoader("karat.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = number
    environment.filters["fixed"] = lambda value, places: f"{value:,.{places}f}".replace("-", "−")
    environment.filters["count"] = lambda value: f"{int(value):,}"
    environment.filters["percent"] = percent
    environment.filters["percent_up"] = percent_up
    return environment
