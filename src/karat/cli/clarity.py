"""``karat clarity``: what a person or a model learns from a clustering, by names and intruders."""

from __future__ import annotations

import getpass
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from karat.cli._groups import takes_groups
from karat.cli._input import Reading, read_dataset, split_names, tell_findings
from karat.cli._options import Json, Seed
from karat.cli._output import printable, show_table, tell_json
from karat.cli.label import ask, show_object
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    from karat.datasets import Dataset
    from karat.labeling.reading import ReadingDesk
    from karat.study import Study


class Task(StrEnum):
    """Choices of ``--task``."""

    names = "names"
    intruders = "intruders"
    words = "words"


@dataclass(frozen=True, kw_only=True)
class Clustering:
    """Which clustering is read.

    labels: The clustering: a table with the cluster of each object.
    column: Its column, where the table has several.
    study_file: Read the answer of this study instead; its clusters then have the names given.
    """

    labels: Path | None = None
    column: str | None = None
    study_file: Annotated[Path | None, Option("--study")] = None


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Who reads what, and where the answers are kept.

    by: Who reads: terminal, page (in the browser), or module:function, from a prompt to an answer.
    task: names: name the clusters, then assign objects; intruders: find the object that does not
        belong; words: find the word, among those that tell a cluster of texts.
    n: Objects to assign, or sets.
    output: File of the answers; resumed where it exists, shared by several readers.
    reader: Name of the reader.
    person: With a function: answers of people, by which it is corrected.
    person_n: The -n of these people.
    max_calls: The most calls of the function.
    """

    by: str = "terminal"
    task: Task = Task.names
    n: Annotated[int, Option("-n", min=1)] = 30
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            show_default="DATA-clarity.jsonl, of a function the study or DATA-prompts.karat",
        ),
    ] = None
    reader: Annotated[str, Option(show_default="user name, or the function")] = ""
    person: Path | None = None
    person_n: Annotated[int, Option(min=1)] = 30
    max_calls: Annotated[int | None, Option(min=1)] = None
    seed: Seed = 0


@takes_groups
def clarity(reading: Reading, clustering: Clustering, reader: Reader, json: Json = False) -> None:
    """Name the clusters from a few members, then assign unseen objects to the names.

    How well that reproduces the clustering is its clarity: 0 is a guess, 1 the clustering itself.
    Thirty objects take about five minutes; the interval says what they are worth. Each answer is
    on disk at once, so that the same command resumes; when two have read, it tells how far they
    agree.

    For example:

    karat clarity news.jsonl --text-column text --labels clusters.csv --by page

    karat clarity wine --study wine.karat --by my_models:ask -n 200 --person wine-clarity.jsonl
    """
    from contextlib import ExitStack

    from karat.labeling.reading import correct_reading
    from karat.study import load_study

    dataset = read_dataset(reading)
    tell_findings(dataset.findings, err=True)
    with ExitStack() as open_files:
        study, file = None, clustering.study_file
        if file is not None:
            study = open_files.enter_context(load_study(file, dataset))
        given = _labels(dataset, clustering, study)
        questions, people = _questions(dataset, _shown(dataset, reading), given, reader)
        found = _read(reader, dataset.name, questions, study)
        agreements = _agreements(found) if reader.task is Task.names else {}
        corrected = [correct_reading(next(iter(found.values())), one) for one in people]
        if json:
            read = {by: one.to_dict() for by, one in found.items()}
            told = [one.to_dict() for one in corrected]
            tell_json({"read": read, "agree": agreements, "corrected": told})
        else:
            _tell([*corrected, *found.values(), *agreements.values()])
        if study is not None and reader.task is Task.names:
            who, first = next(iter(found.items()))
            study.name_clusters(first.cluster_names, by=who, notes=first.cluster_notes)
            typer.echo(f"The clusters in {file} have the names of {who} now.", err=True)


def _labels(dataset: Dataset, clustering: Clustering, study: Study | None) -> Any:
    """The cluster of each object."""
    from karat.datasets import read_labelings

    path, column = clustering.labels, clustering.column
    if (path is None) == (study is None):
        raise InputError("give the clustering: --labels FILE, or --study FILE, and not both")
    if study is not None:
        return study.best().labels
    assert path is not None
    found = read_labelings(path, ids=dataset.ids)
    if column is not None and column not in found:
        raise unknown_name(column, found, "column")
    if column is None and len(found) > 1:
        raise InputError(f"{path} has {len(found)} columns ({', '.join(found)}); give --column")
    return found[column if column is not None else next(iter(found))]


def _shown(dataset: Dataset, reading: Reading) -> Any:
    """What a reader sees of the objects: texts, or cells as they are in the file."""
    import numpy as np

    from karat.labeling import ShownObjects

    if dataset.texts is not None:
        return ShownObjects(dataset.texts, None)
    cells = reading.cells()
    hidden = {*split_names(reading.drop), dataset.truth_name}
    cells = cells[[name for name in cells.columns if name not in hidden]]
    rows = np.arange(dataset.n_objects) if dataset.rows is None else dataset.rows
    if cells.shape[1] == 0 or len(cells) <= rows.max():
        return dataset
    return ShownObjects(None, cells.iloc[rows].reset_index(drop=True), Path(reading.data).parent)


def _questions(dataset: Dataset, objects: Any, labels: Any, reader: Reader) -> tuple[Any, Any]:
    """What is asked, and what the people said by whom a function is corrected."""
    from karat.labeling.reading import ReadingDesk, draw_intruders, draw_round, shown_by

    person = reader.person
    if person is not None and reader.task is not Task.names:
        raise InputError("--person corrects a reading by names; leave out --task")
    if reader.task is Task.words:
        objects, labels = _words(dataset, labels)
    show = shown_by(objects, len(labels))
    if reader.task is not Task.names:
        return draw_intruders(show, labels, reader.n, reader.seed), []
    draw = partial(
        draw_round, show, labels, X=dataset.X, metric=dataset.metric, random_state=reader.seed
    )
    if person is None:
        return draw(reader.n), []
    if not person.is_file():
        raise InputError(f"--person: there is no file {person}")
    few = draw(reader.person_n)
    readers = ReadingDesk(person, few, "nobody").readers
    if not readers:
        raise InputError(f"--person: nobody has assigned an object in {person}")
    return draw(reader.n), [few.read(said, by) for by, said in readers.items()]


def _words(dataset: Dataset, labels: Any) -> tuple[list[str], list[Any]]:
    """The words that tell each cluster of texts from the others, and its name."""
    from karat.labelings.labels import encode
    from karat.text import telling_terms

    if not dataset.of_documents:
        raise InputError("--task words needs texts, of whose clusters words are characteristic")
    encoded = encode(labels)
    told = telling_terms(dataset.X, encoded.codes, dataset.feature_names)
    return told["term"].tolist(), encoded.names[told["cluster"]].tolist()


def _read(reader: Reader, name: str, questions: Any, study: Study | None) -> dict[str, Any]:
    """What each reader read, the one who was asked first."""
    from karat.labeling.reading import Interview

    if reader.by in ("terminal", "page"):
        kind = "clarity" if reader.task is Task.names else reader.task.value
        path = reader.output or Path(f"{name}-{kind}.jsonl")
        return _by_people(path, questions, reader.reader or getpass.getuser(), reader.by == "page")
    kept: Any = reader.output or study or Path(f"{name}-prompts.karat")
    interview = Interview(_function(reader.by), reader.reader or reader.by, kept, reader.max_calls)
    said = interview.go_through(questions)
    where = "in the study" if kept is study else kept
    typer.echo(f"Asked: {interview.cost}. Answers: {where}", err=True)
    return {interview.name: questions.read(said, interview.name, cost=interview.cost)}


def _function(by: str) -> Any:
    """``module:function``, the module of the current folder too."""
    from importlib import import_module

    module, colon, name = by.partition(":")
    if not colon:
        raise InputError(f"--by must be terminal, page or module:function; got {by!r}")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as error:
        raise InputError(f"--by {by}: {module} cannot be imported: {error}") from None
    finally:
        sys.path.pop(0)
    if not callable(found):
        raise InputError(f"--by {by}: {module} has no function {name!r}")
    return found


def _by_people(path: Path, questions: Any, reader: str, page: bool) -> dict[str, Any]:
    """What the person at this desk, and others in the file, read; this one first."""
    from karat.labeling.page import LabelPage
    from karat.labeling.reading import ReadingDesk

    desk = ReadingDesk(path, questions, reader)
    try:
        if page:
            served = LabelPage(desk)
            typer.echo(f"Read on {served.url}\nIt closes when you stop or leave it.", err=True)
            served.serve()
        else:
            _at_terminal(desk)
    except KeyboardInterrupt:
        typer.echo(f"\nkarat: interrupted; {len(desk.said)} answers are kept in {path}", err=True)
        raise typer.Exit(130) from None
    if reader not in desk.readers:
        typer.echo(f"Nothing is assigned yet; {len(desk.said)} answers are kept in {path}")
        raise typer.Exit
    told = {reader: desk.said} | desk.readers
    return {by: questions.read(said, by) for by, said in told.items()}


def _at_terminal(desk: ReadingDesk) -> None:
    """Ask and tell until nothing is left or the reader stops."""
    while (at := desk.at) is not None and (asked := desk.question) is not None:
        typer.echo(f"\n--- {len(desk.said) + 1} of {len(desk)}: {asked.ask}")
        show_object(asked.shown)
        rest = "[s] later  [u] undo  [q] stop"
        if not asked.options:
            typer.echo(f"A name, and after a colon by what it is recognised  {rest} > ", nl=False)
            line = sys.stdin.readline()
            given = line.strip() if line else "q"
        else:
            for key, name in desk.keys.items():
                typer.echo(f"  [{key}] {printable(name)}")
            given = ask(f"[d] none of these  {rest} > ") or "q"
        kind = {"s": "skip", "u": "undo", "q": "stop", "d": "unknown"}.get(given)
        if kind == "stop":
            return
        if kind is not None:
            desk.give(kind, at=at)
        elif not asked.options and given:
            desk.give("label", given, at)
        elif given in desk.keys:
            desk.give("label", desk.keys[given], at)
        else:
            typer.echo(f"{given!r} is none of these.")


def _agreements(found: dict[str, Any]) -> dict[str, str]:
    """How far each two readers agree."""
    from itertools import combinations

    from karat.labeling.reading import agreement_of_readers

    told = {}
    for (one, a), (other, b) in combinations(found.items(), 2):
        both = agreement_of_readers(a, b)
        if both is not None:
            told[f"{one}, {other}"] = (
                f"{one} and {other} assigned {both.same} of {both.common} objects alike "
                f"(kappa {both.kappa:.2f})."
            )
    return told


def _tell(told: list[Any]) -> None:
    for one in told:
        typer.echo(printable(str(one)))
        table = getattr(one, "per_cluster", None)
        if table is not None:
            table = table.drop(columns=["line", "reason"], errors="ignore")
            rows = [
                (cluster, *(f"{v:.2f}" if isinstance(v, float) else v for v in row))
                for cluster, row in zip(table.index, table.to_numpy(dtype=object), strict=True)
            ]
            show_table(("cluster", *table.columns), rows)
