"""The published experiments, run by name with the public interface only.

Each module of this package holds one experiment, or several that share their work, and has
``run(*, name, samples=None, random_state=0, storage=None, progress=None) -> ExperimentResult``:
``samples`` scales it down (``None`` is the full experiment), ``storage`` is a file where finished
work is kept so that a killed run resumes, ``progress`` is called with a line of text now and then.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sortal import InputError
from sortal.extension import Registry

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from sortal.typing import RandomState


@dataclass(frozen=True)
class Experiment:
    """A published experiment that a user reruns by name.

    Attributes
    ----------
    name : str
        Its name on the command line.
    title : str
        One line of prose.
    source : str
        Where it was published, or ``"sortal"`` for a claim of our own.
    module : str
        The module that has ``run``.
    repeats : str
        What ``samples`` counts, with the full number; empty if it counts nothing.
    """

    name: str
    title: str
    source: str
    module: str
    repeats: str = ""

    @property
    def key(self) -> str:
        """Key of the experiment, its name."""
        return self.name


@dataclass(frozen=True)
class ExperimentResult:
    """Result of an experiment.

    Attributes
    ----------
    name : str
        The experiment.
    table : DataFrame
        The figures, published ones beside ours where there are any.
    notes : tuple of str
        What a reader must know to judge the table.
    """

    name: str
    table: pd.DataFrame
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        body = self.table.to_string(float_format=lambda value: f"{value:.4g}")
        return "\n".join([self.name, "", body, *([""] if self.notes else []), *self.notes])

    def _repr_html_(self) -> str:
        """Result as HTML for notebooks."""
        import html

        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return f"<h4>{html.escape(self.name)}</h4>{self.table.to_html()}<ul>{notes}</ul>"


def _table() -> tuple[Experiment, ...]:
    """Experiments of the table in this package."""
    text = files(__name__).joinpath("experiments.csv").read_text("utf-8")
    return tuple(Experiment(**row) for row in csv.DictReader(text.splitlines()))


EXPERIMENTS: Registry[Experiment] = Registry("experiment", "sortal.experiments", _table())


def as_name(text: str) -> str:
    """The name of an experiment, from the name or from what its source calls it.

    ``"table 6.1"``, ``"figure 3"`` and ``"6.1"`` are enough; a bare number is first a table's.

    >>> as_name("table 6.1"), as_name("6.1"), as_name("Figure 3")
    ('whissell2012-table6.1', 'whissell2012-table6.1', 'banerjee2004-figure3')
    """
    if text in EXPERIMENTS:
        return text
    end = re.escape("".join(text.lower().split()))
    kinds = ("table", "figure", "[a-z]+") if text[:1].isdigit() else ("",)
    matches = ([n for n in EXPERIMENTS if re.search(f"-{kind}{end}$", n)] for kind in kinds)
    names = next(filter(None, matches), []) or _with_source(text)
    if len(names) > 1:
        raise InputError(f"{text!r} is {' or '.join(names)}; say which")
    return EXPERIMENTS[names[0] if names else text].name


def _with_source(text: str) -> list[str]:
    """Experiments of several published figures, one of which is called this."""
    kind, _, number = text.lower().strip().partition(" ")
    listed = re.compile(rf"\b{re.escape(kind)}s\b.*(?<![\d.]){re.escape(number)}(?![\d.])")
    return [e.name for e in EXPERIMENTS.values() if number and listed.search(e.source)]


def run(
    name: str,
    *,
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
    data: Any = None,
) -> ExperimentResult:
    """Run one experiment.

    Parameters
    ----------
    name : str
        A key of ``EXPERIMENTS``, or what its source calls it, see :func:`as_name`.
    samples : int, optional
        A smaller number of repetitions, for a quick look; each experiment says of what.
    random_state : int, Generator or None
        The seed.
    storage : path, optional
        Where finished work is kept.
    progress : callable, optional
        Called with a line of text now and then.
    data : path, optional
        The folder of the data sets; see :mod:`sortal_lab.data`.

    Raises
    ------
    InputError
        If no experiment has this name, or a data set that it needs is not there.
    """
    from sortal_lab.data import data_in

    name = as_name(name)
    module = import_module(EXPERIMENTS[name].module)
    with data_in(data):
        result: ExperimentResult = module.run(
            name=name,
            samples=samples,
            random_state=random_state,
            storage=storage,
            progress=progress,
        )
    return result
