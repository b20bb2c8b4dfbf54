"""``sortal clarity``: measure how well people or models understand a clustering."""

from __future__ import annotations

import getpass
import math
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from sortal import InputError
from sortal.extension import (
    InputOptions,
    JsonOption,
    SeedOption,
    ask,
    print_findings,
    print_json,
    printable,
    read_dataset,
    show_object,
    show_table,
    split_names,
    takes_groups,
    unknown_name,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.datasets import Dataset
    from sortal.labeling import ShownObjects
    from sortal.study import Study
    from sortal.typing import Labels
    from sortal_lab.reading import ChatModel, IntruderRound, ReadingDesk, Round


class ReadingTask(StrEnum):
    """Tasks of a reader: the choices of ``--task``."""

    names = "names"
    intruders = "intruders"
    words = "words"


@dataclass(frozen=True, kw_only=True)
class ClusteringOptions:
    """The clustering to read.

    labels: The clustering: a table with the cluster of each object.
    column: Its column, if the table has several.
    study_file: Use the answer of this study instead, and name its clusters.
    """

    labels: Path | None = None
    column: str | None = None
    study_file: Annotated[Path | None, Option("--study")] = None


@dataclass(frozen=True, kw_only=True)
class ReaderOptions:
    """The reader, the task, and the file of the answers.

    by: Who reads: terminal, page (in the browser), a model on a server with OpenAI's interface as
        openai:MODEL@URL, or module:function, from a prompt to an answer.
    task: names: name the clusters and assign objects. intruders: find the object that does not
        belong. words: find the word that does not belong to a cluster of texts.
    n: Objects to assign, or sets.
    short: Five minutes for a person: fewer objects and shortened texts, so a wider interval.
    output: File for the answers; resumed if it exists. Several readers can share it.
    reader: Name of the reader.
    person: With a function: people's answers, to correct it.
    person_n: The -n of these people.
    max_calls: Maximum number of calls of the function or model, made one after the other.
    n_parallel: Parallel calls of a model.
    key_variable: Environment variable with the model's key; by default none is sent.
    price: Price of a million tokens, sent and received (0.15,0.60), to show the cost.
    timeout: Repeat a call after this many seconds without a reply.
    """

    by: str = "terminal"
    task: ReadingTask = ReadingTask.names
    n: Annotated[int | None, Option("-n", min=1, show_default="30, or 10 if short")] = None
    short: Annotated[bool, Option("--short")] = False
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            show_default="DATA-clarity.jsonl, of a function the study or DATA-prompts.sortal",
        ),
    ] = None
    reader: Annotated[str, Option(show_default="user name, or the function")] = ""
    person: Path | None = None
    person_n: Annotated[int, Option(min=1)] = 30
    max_calls: Annotated[int | None, Option(min=1)] = None
    n_parallel: Annotated[int, Option("--parallel", min=1)] = 4
    key_variable: Annotated[str, Option()] = "OPENAI_API_KEY"
    price: Annotated[str | None, Option()] = None
    timeout: Annotated[float, Option(min=1)] = 120.0
    seed: SeedOption = 0


@takes_groups
def clarity(
    reading: InputOptions,
    clustering: ClusteringOptions,
    reader: ReaderOptions,
    json: JsonOption = False,
) -> None:
    """Name the clusters from a few members, then assign unseen objects to the names.

    How well that reproduces the clustering is its clarity: 0 is a guess, 1 the clustering itself.
    The command first says how much there is to read: long texts take an hour or two, --short about
    five minutes. Each answer is on disk at once, so the same command resumes. For two readers it
    says how far they agree.

    For example:

    sortal clarity news.jsonl --text-column text --labels clusters.csv --by page

    sortal clarity wine --study wine.sortal --by my_models:ask -n 200 --person wine-clarity.jsonl

    sortal clarity wine --study wine.sortal --by openai:llama3.2@http://localhost:11434/v1
    """
    from contextlib import ExitStack

    from sortal.runtime.output import OutputPlan
    from sortal.study import load_study
    from sortal_lab.reading import correct_reading

    plan = OutputPlan({
        **reading.inputs, "--labels": clustering.labels, "--study": clustering.study_file,
        "--person": reader.person,
    })  # fmt: skip
    plan.addition(reader.output, option="--output")
    dataset = read_dataset(reading)
    if reader.output is None:
        plan.addition(_answers(reader, dataset.name, clustering.study_file), option="--output")
    print_findings(dataset.findings, err=True)
    with ExitStack() as open_files:
        study, file = None, clustering.study_file
        if file is not None:
            study = open_files.enter_context(load_study(file, dataset))
        labels = _labels(dataset, clustering, study, reading.id_column)
        questions, people = _questions(dataset, _shown_objects(dataset, reading), labels, reader)
        by_reader = _readings(reader, dataset.name, questions, study)
        agreements = _agreements(by_reader) if reader.task is ReadingTask.names else {}
        corrected = [correct_reading(next(iter(by_reader.values())), person) for person in people]
        if json:
            results = {by: result.to_dict() for by, result in by_reader.items()}
            corrections = [result.to_dict() for result in corrected]
            print_json({"read": results, "agree": agreements, "corrected": corrections})
        else:
            _print_results([*corrected, *by_reader.values(), *agreements.values()])
        if study is not None and reader.task is ReadingTask.names:
            first_reader, first_reading = next(iter(by_reader.items()))
            study.name_clusters(
                first_reading.cluster_names, by=first_reader, notes=first_reading.cluster_notes
            )
            typer.echo(f"The clusters in {file} have the names of {first_reader} now.", err=True)


def _labels(
    dataset: Dataset, clustering: ClusteringOptions, study: Study | None, id_column: str | None
) -> NDArray[Any]:
    """The cluster of each object."""
    from sortal.datasets import read_labelings

    path, column = clustering.labels, clustering.column
    if (path is None) == (study is None):
        raise InputError("give the clustering: --labels FILE, or --study FILE, and not both")
    if study is not None:
        return study.best().labels
    assert path is not None
    columns = read_labelings(path, id_column=id_column, ids=dataset)
    if column is not None and column not in columns:
        raise unknown_name(column, columns, "column")
    if column is None and len(columns) > 1:
        raise InputError(f"{path} has {len(columns)} columns ({', '.join(columns)}); give --column")
    return columns[column if column is not None else next(iter(columns))]


def _shown_objects(dataset: Dataset, reading: InputOptions) -> ShownObjects | Dataset:
    """The objects as shown to a reader: texts, or cells as written in the file."""
    import numpy as np

    from sortal.labeling import ShownObjects

    if dataset.texts is not None:
        return ShownObjects(dataset.texts, None)
    cells = reading.cells()
    hidden = {*split_names(reading.drop), dataset.truth_name}
    cells = cells[[name for name in cells.columns if name not in hidden]]
    rows = np.arange(dataset.n_objects) if dataset.rows is None else dataset.rows
    if cells.shape[1] == 0 or len(cells) <= rows.max():
        return dataset
    return ShownObjects(None, cells.iloc[rows].reset_index(drop=True), Path(reading.data).parent)


def _questions(
    dataset: Dataset,
    objects: ShownObjects | Dataset | list[str],
    labels: NDArray[Any] | list[Any],
    reader: ReaderOptions,
) -> tuple[Any, Any]:
    """The questions, and the readings of the people in ``--person``."""
    from sortal_lab.reading import ReadingDesk, draw_intruders, draw_round, shown_by
    from sortal_lab.reading.display import shortened
    from sortal_lab.reading.intruders import SET_MEMBERS
    from sortal_lab.reading.minutes import short_characters
    from sortal_lab.reading.rounds import ASSIGNMENTS, SHORT_ASSIGNMENTS

    person = reader.person
    if person is not None and reader.task is not ReadingTask.names:
        raise InputError("--person corrects a reading by names; omit --task")
    if reader.task is ReadingTask.words:
        objects, labels = _words(dataset, labels)
    show = shown_by(objects, len(labels))
    if reader.task is not ReadingTask.names:
        n_sets = reader.n or (SHORT_ASSIGNMENTS if reader.short else ASSIGNMENTS)
        if reader.short:
            show = shortened(show, short_characters(0, n_sets, n_sets * (SET_MEMBERS + 1)))
        return draw_intruders(show, labels, n_sets, reader.seed), []
    draw = partial(
        draw_round, show, labels, X=dataset.X, metric=dataset.metric, random_state=reader.seed,
        short=reader.short,
    )  # fmt: skip
    if person is None:
        return draw(reader.n), []
    if not person.is_file():
        raise InputError(f"--person: there is no file {person}")
    few = draw(reader.person_n)
    readers = ReadingDesk(person, few, "nobody").readers
    if not readers:
        raise InputError(f"--person: nobody has assigned an object in {person}")
    return draw(reader.n), [few.read(said, by) for by, said in readers.items()]


def _words(dataset: Dataset, labels: Labels) -> tuple[list[str], list[Any]]:
    """Characteristic words of clusters of texts, and the cluster of each word."""
    from sortal.labelings import encode
    from sortal.text import telling_terms

    if not dataset.of_documents:
        raise InputError("--task words needs texts, of whose clusters words are characteristic")
    encoded = encode(labels)
    terms = telling_terms(dataset.X, encoded.codes, dataset.feature_names)
    return terms["term"].tolist(), encoded.names[terms["cluster"]].tolist()


def _answers(reader: ReaderOptions, name: str, study: object) -> Path | None:
    """The file of the answers without ``--output``; None where the study has them."""
    if reader.by in ("terminal", "page"):
        task = "clarity" if reader.task is ReadingTask.names else reader.task.value
        return Path(f"{name}-{task}.jsonl")
    return None if study is not None else Path(f"{name}-prompts.sortal")


def _readings(
    reader: ReaderOptions, name: str, questions: Round | IntruderRound, study: Study | None
) -> dict[str, Any]:
    """Readings by reader, the current reader's first."""
    from sortal_lab.reading import Interview

    path = reader.output or _answers(reader, name, study)
    if reader.by in ("terminal", "page"):
        assert path is not None
        return _by_people(path, questions, reader.reader or getpass.getuser(), reader.by == "page")
    kept: Any = path or study
    model = _model(reader)
    interview = Interview(
        model or _function(reader.by),
        reader.reader or (model.name if model else reader.by),
        kept,
        reader.max_calls,
        reader.n_parallel if model else 1,
    )
    if model is not None:
        typer.echo(f"The objects shown are sent to {model.url}.", err=True)
    said = interview.go_through(questions)
    place = "in the study" if kept is study else kept
    typer.echo(f"Asked: {interview.cost}. Answers: {place}", err=True)
    return {interview.name: questions.read(said, interview.name, cost=interview.cost)}


def _model(reader: ReaderOptions) -> ChatModel | None:
    """The model that ``--by`` names, with the options for models; None for another reader."""
    from sortal_lab.reading import chat_model

    try:
        prices = None if reader.price is None else tuple(map(float, reader.price.split(",")))
    except ValueError:
        prices = ()
    if prices is not None and (len(prices) != 2 or not all(0 <= p < math.inf for p in prices)):
        raise InputError(f"--price must be two numbers, as 0.15,0.60; got {reader.price!r}")
    return chat_model(
        reader.by,
        seed=reader.seed,
        key_variable=reader.key_variable,
        prices=prices,
        timeout=reader.timeout,
    )


def _function(by: str) -> Any:
    """The function ``module:function``; the module may be in the current folder."""
    from importlib import import_module

    module, colon, name = by.partition(":")
    if not colon or module == "openai":
        raise InputError(
            f"--by must be terminal, page, module:function or openai:MODEL@URL; got {by!r}"
        )
    sys.path.insert(0, str(Path.cwd()))
    try:
        function = getattr(import_module(module), name, None)
    except ImportError as error:
        raise InputError(f"--by {by}: {module} cannot be imported: {error}") from None
    finally:
        sys.path.pop(0)
    if not callable(function):
        raise InputError(f"--by {by}: {module} has no function {name!r}")
    return function


def _by_people(
    path: Path, questions: Round | IntruderRound, reader: str, page: bool
) -> dict[str, Any]:
    """Readings of the person at this desk and of others in the file, this person's first."""
    from sortal.labeling import LabelPage
    from sortal_lab.reading import ReadingDesk
    from sortal_lab.reading.minutes import effort

    desk = ReadingDesk(path, questions, reader)
    typer.echo(effort(questions), err=True)
    try:
        if page:
            served = LabelPage(desk)
            typer.echo(f"Read on {served.url}\nIt closes when you stop or leave it.", err=True)
            served.serve()
        else:
            _at_terminal(desk)
    except KeyboardInterrupt:
        typer.echo(f"\nsortal: interrupted; {len(desk.said)} answers are kept in {path}", err=True)
        raise typer.Exit(130) from None
    if reader not in desk.readers:
        typer.echo(f"Nothing is assigned yet; {len(desk.said)} answers are kept in {path}")
        raise typer.Exit
    answers = {reader: desk.said} | desk.readers
    return {by: questions.read(said, by) for by, said in answers.items()}


def _at_terminal(desk: ReadingDesk) -> None:
    """Ask questions at the terminal until none is left or the reader stops."""
    while (at := desk.at) is not None and (question := desk.question) is not None:
        typer.echo(f"\n--- {len(desk.said) + 1} of {len(desk)}: {question.ask}")
        show_object(question.shown)
        rest = "[s] later  [u] undo  [q] stop"
        if not question.options:
            typer.echo(f"A name, and after a colon by what it is recognised  {rest} > ", nl=False)
            line = sys.stdin.readline()
            answer = line.strip() if line else "q"
        else:
            for key, name in desk.keys.items():
                typer.echo(f"  [{key}] {printable(name)}")
            answer = ask(f"[d] none of these  {rest} > ") or "q"
        kind = {"s": "skip", "u": "undo", "q": "stop", "d": "unknown"}.get(answer)
        if kind == "stop":
            return
        if kind is not None:
            desk.give(kind, at=at)
        elif not question.options and answer:
            desk.give("label", answer, at)
        elif answer in desk.keys:
            desk.give("label", desk.keys[answer], at)
        else:
            typer.echo(f"{answer!r} is none of these.")


def _agreements(by_reader: dict[str, Any]) -> dict[str, str]:
    """Sentences on the agreement of each two readers."""
    from itertools import combinations

    from sortal_lab.reading import agreement_of_readers

    sentences = {}
    for (first, a), (second, b) in combinations(by_reader.items(), 2):
        agreement = agreement_of_readers(a, b)
        if agreement is not None:
            sentences[f"{first}, {second}"] = (
                f"{first} and {second} assigned {agreement.same} of {agreement.common} objects "
                f"alike (kappa {agreement.kappa:.2f})."
            )
    return sentences


def _print_results(results: list[Any]) -> None:
    """Print readings and agreements, with the tables of clusters that they have."""
    for result in results:
        typer.echo(printable(str(result)))
        table = getattr(result, "per_cluster", None)
        if table is not None:
            table = table.drop(columns=["line", "reason"], errors="ignore")
            rows = [
                (cluster, *(f"{v:.2f}" if isinstance(v, float) else v for v in row))
                for cluster, row in zip(table.index, table.to_numpy(dtype=object), strict=True)
            ]
            show_table(("cluster", *table.columns), rows)
