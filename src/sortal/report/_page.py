"""The page of a study: rendered as HTML, and written to a file, whole or not at all."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sortal.runtime.output import check_output, write_output

if TYPE_CHECKING:
    from jinja2 import Environment

    from sortal.study import Study


def render(study: Study) -> str:
    """The report of a study as HTML.

    Parameters
    ----------
    study : Study
        With at least one candidate.

    Returns
    -------
    str
        A page with everything in it: data, figures, styles. It loads nothing, and its
        content security policy forbids it to.

    Raises
    ------
    NothingToRankError
        If nothing was tried. If everything failed, the page says so instead.

    Examples
    --------
    >>> import sortal
    >>> study = sortal.Study([[0.0], [0.1], [5.0], [5.1]]).add({"two": [0, 0, 1, 1]})
    >>> sortal.report.render(study)[:15]
    '<!doctype html>'
    """
    from sortal.report._facts import gather
    from sortal.report._sections import build

    facts = gather(study)
    return environment().get_template("page.html").render(build(facts))


def write_report(study: Study, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the report of a study to a file, whole or not at all.

    Parameters
    ----------
    study : Study
        With at least one candidate.
    path : path-like
        The HTML file.
    overwrite : bool, default False
        Replace an existing file.

    Raises
    ------
    InputError
        If the file exists and ``overwrite`` is false, or the folder does not exist.
    StorageError
        If the file cannot be written: a full disk, a read-only folder. What was at ``path``
        stays as it was.
    """
    check_output(path, overwrite=overwrite, inputs=study.dataset.inputs)
    write_output(path, render(study), overwrite=overwrite)


@cache
def environment() -> Environment:
    """The Jinja environment of the page's templates."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from sortal.plot.style import number
    from sortal.runtime.numerals import percent, percent_up

    environment = Environment(
        loader=PackageLoader("sortal.report", "page"),
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
