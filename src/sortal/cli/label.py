"""``sortal label``: label one object at a time, and stop when the guarantee is low enough."""

from __future__ import annotations

import getpass
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from sortal.cli._groups import takes_groups
from sortal.cli._input import InputOptions, parse_classes, print_findings, read_dataset
from sortal.cli._numbers import parse_clusterers, parse_counts
from sortal.cli._options import (
    ClassesOption,
    ClustererOption,
    ConstraintsOption,
    DeltaOption,
    ForceOption,
    SeedOption,
)
from sortal.cli._output import LAYOUT, class_table, print_notes, printable, write_csv
from sortal.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sortal.bounds.ledger import Asked
    from sortal.datasets import Dataset
    from sortal.labeling import Desk, LabelSession, Shown, ShownObjects

#: commands without a terminal; any other line is the name of a class
COMMANDS = {
    ":q": "stop", ":u": "undo", ":s": "skip", ":d": "unknown", ":r": "review", ":?": "advice"
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AimOptions:
    """The wanted guarantee.

    target: Stop when at most this share is mislabelled.
    """

    target: Annotated[float | None, Option("--target", min=0, max=1)] = None
    classes: ClassesOption = None
    delta: DeltaOption = 0.1


@dataclass(frozen=True, kw_only=True)
class CandidateOptions:
    """The source of the clusterings.

    labelings: Your own clusterings instead of a sweep: a table, one per column.
    storage: File of the sweep; a resumed session fits nothing again.
    k: Numbers of clusters of the sweep.
    metric: Distance of the sweep.
    """

    labelings: Path | None = None
    storage: Annotated[Path | None, Option(show_default="DATA.sortal")] = None
    k: Annotated[str, Option("-k")] = "2:20"
    clusterer: ClustererOption = None
    metric: Annotated[str | None, Option(show_default="as sortal run")] = None
    constraints: ConstraintsOption = None


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """The labeller, the objects to label, and the file of the labels.

    output: File for the answers; resumed if it exists. Several people can share it.
    by: Your name, if several people label.
    page: Label on a page in the browser, on this machine only.
    suggest: Offer predictions that are at least this certain, e.g. 0.95; Enter confirms. The
        guarantee then has one more premise.
    review: Begin with labels to review: disagreements and suspected labels.
    teach: Number of typical objects to label before the random draw.
    take: Labels from a colleague's file, Label Studio (.json) or a table; repeatable.
    export: At the end, write the labels, and what to label next, to .json (Label Studio) or .csv.
    predict: At the end, write the class of every object to this file.
    """

    output: Annotated[Path | None, Option("--output", "-o", show_default="DATA-labels.jsonl")] = (
        None
    )
    by: Annotated[str, Option(show_default="user name")] = ""
    page: Annotated[bool, Option("--page")] = False
    suggest: Annotated[float | None, Option(min=0.5, max=1)] = None
    review: Annotated[bool, Option("--review")] = False
    teach: Annotated[int, Option(min=0)] = 20
    seed: SeedOption = 0
    take: Annotated[list[Path] | None, Option("--import")] = None
    export: Path | None = None
    predict: Path | None = None
    force: ForceOption = False


@takes_groups
def label(
    reading: InputOptions, aim: AimOptions, candidates: CandidateOptions, labels: LabelOptions
) -> None:
    """Label one object at a time, watch the guarantee fall, and stop when you like.

    The first objects teach: they stand for most others. The rest come in a random order. Each
    answer is on disk at once, so the same command resumes. Several people may label into one file;
    two of them label every fifth object, and the report says how often they differ. You may stop
    at any time without breaking the guarantee.

    Keys: the letter of a class, n new class, s later (objects behind it count once it is
    answered), d don't know, u undo, r review doubtful labels, ? forecast, q quit. Enter confirms a
    prediction (--suggest). Without a terminal, each line is a class, an empty line confirms, and
    :s, :d, :u, :r, :?, :q are the keys.

    What a review decides goes into --export and --predict. The guarantee counts the first answers,
    because the other objects are not reviewed.

    For example:

    sortal label mails.jsonl --text-column text --target 0.1 --classes ham,spam --page
    """
    import numpy as np

    from sortal.datasets.prepared.dataset import rows_of
    from sortal.distances import RELATIONS
    from sortal.labeling import Desk, LabelSession, Watch, export_labels, import_labels
    from sortal.labeling.exchange import check_export
    from sortal.runtime.output import OutputPlan
    from sortal.study.guarantees import MAX_CLASSIFIED

    plan = OutputPlan({
        **reading.inputs, "--labelings": candidates.labelings,
        "--constraints": candidates.constraints, "--import": labels.take,
    })  # fmt: skip
    plan.file(labels.predict, option="--predict", overwrite=labels.force)
    plan.file(labels.export, option="--export", overwrite=labels.force)
    plan.addition(labels.output, option="--output")
    plan.addition(candidates.storage, option="--storage")
    if labels.export is not None:
        check_export(labels.export)
    classes = _class_names(aim)
    dataset = read_dataset(reading)
    print_findings(dataset.findings, err=True)
    print_notes(dataset.notes, err=True)
    n = dataset.X.shape[0]
    rows = np.arange(n) if dataset.rows is None else dataset.rows
    objects = _objects(dataset, reading, rows)
    if labels.output is None:
        plan.addition(f"{dataset.name}-labels.jsonl", option="--output")
    if candidates.storage is None and candidates.labelings is None:
        plan.addition(f"{dataset.name}.sortal", option="--storage")
    clusterings, prior = _clusterings(dataset, candidates, reading.id_column)
    path = labels.output or Path(f"{dataset.name}-labels.jsonl")
    order, n_taught = _order(path, rows, labels, clusterings, prior)
    session = LabelSession(
        path, order, objects.lines(), rows, by=labels.by or getpass.getuser(), taught=n_taught
    )
    if len(session):
        typer.echo(f"{path} has {len(session)} labels; resuming there.", err=True)
    has_rows = not (reading.one_row_per or reading.pivot or reading.series)
    for taken in labels.take or ():
        new = import_labels(
            session, taken, rows_of(dataset), id_column=reading.id_column,
            read=reading.cells if has_rows else None,
        )  # fmt: skip
        typer.echo(f"{new:,} new labels from {taken}.", err=True)
    can_classify = n <= MAX_CLASSIFIED and dataset.metric not in RELATIONS
    question = _asked(session, clusterings, aim, candidates, can_classify)
    watch = Watch(
        session, clusterings, aim.delta, target=aim.target, classes=classes, prior=prior,
        X=dataset.X if can_classify else None, asked=question,
    )  # fmt: skip
    desk = Desk(session, watch, objects, classes, suggest=labels.suggest, review=labels.review)
    if labels.take:
        _ask_about_variants(desk)
    try:
        _serve(desk) if labels.page else _at_terminal(desk)
    except KeyboardInterrupt:
        message = f"interrupted; {len(session)} labels are kept in {session.file.path}"
        typer.echo(f"\nsortal: {message}", err=True)
        raise typer.Exit(130) from None
    if labels.export is not None:
        export_labels(session, labels.export, overwrite=labels.force)
        typer.echo(f"Exported: {labels.export}")
    _report(desk)
    if labels.predict is not None and desk.standing is not None:
        _write_classes(desk, dataset, labels.predict, force=labels.force)


def _asked(
    session: LabelSession,
    clusterings: dict[str, Any],
    aim: AimOptions,
    candidates: CandidateOptions,
    can_classify: bool,
) -> Asked:
    """The question about the labels, counted with earlier ones about them."""
    from sortal.bounds import Ledger, question_of
    from sortal.labeling import drawn_labels
    from sortal.labelings import as_labelings

    pairs = candidates.constraints
    question = question_of(
        as_labelings(clusterings, noise="cluster"), label=True, target=aim.target, delta=aim.delta,
        classes=aim.classes, metric=candidates.metric, features=can_classify,
        own_clusterings=candidates.labelings is not None,
        constraints=None if pairs is None else Path(pairs).read_bytes(),
    )  # fmt: skip
    counted = Ledger(session.file.path).ask(question, drawn_labels(session), ordered=True)
    if pairs is not None and len(session) and not counted.again:
        raise InputError(
            f"--constraints {pairs}: {session.file.path} has labels already, and pairs that were "
            "made from labelled objects may not be among the premises of their guarantee; give "
            "the pairs from the first label on"
        )
    if counted.number != 1:
        typer.echo(counted.sentence, err=True)
    return counted


def _class_names(aim: AimOptions) -> Any:
    """The classes as text; raises for an invalid delta."""
    listed = parse_classes(aim.classes)
    if not 0 < aim.delta <= 1:
        raise InputError(f"--delta must be in (0, 1]; got {aim.delta}")
    return [str(name) for name in listed] if isinstance(listed, list) else listed


def _objects(dataset: Dataset, reading: InputOptions, rows: NDArray[Any]) -> ShownObjects:
    """The objects as shown to a labeller: texts, or cells as written in the file."""
    from sortal.labeling import ShownObjects

    if dataset.texts is not None:
        return ShownObjects(dataset.texts, None)
    cells = reading.cells().iloc[rows].reset_index(drop=True)
    return ShownObjects(None, cells, Path(reading.data).parent)


def _clusterings(
    dataset: Dataset, candidates: CandidateOptions, id_column: str | None
) -> tuple[dict[str, Any], dict[str, float] | None]:
    """Clusterings by name, and their prior shares by the judge if it can judge them."""
    from sortal.datasets import read_constraints, read_labelings
    from sortal.study import Study

    numbers = parse_counts(candidates.k)
    if candidates.labelings is not None:
        if candidates.constraints is not None:
            read_constraints(candidates.constraints)  # a premise, whatever made the clusterings
        labelings = read_labelings(candidates.labelings, id_column=id_column, ids=dataset)
        return dict(labelings), None
    path = candidates.storage or Path(f"{dataset.name}.sortal")
    typer.echo(f"First the clusterings, without a label; they are kept in {path}.", err=True)
    with Study(dataset, metric=candidates.metric, storage=path, update=True) as study:
        study.constrain(candidates.constraints)
        names = parse_clusterers(candidates.clusterer or list(study.state.fits.default_clusterers))
        study.sweep(names, k=numbers, n_init=1)
        distinct = study.candidates
        distinct = distinct[distinct["partition"].notna()].drop_duplicates("partition")
        judged = study.judged()
        if judged is None:
            return study.labelings(distinct.index), None
        # clusterings of a single cluster, which the judge does not see, share the rest
        share = dict(zip(judged.names, judged.prior * (1 - 1e-3), strict=True))
        others = 1e-3 / max(1, len(distinct) - len(share))
        return study.labelings(distinct.index), {
            str(name): float(share.get(str(name), others)) for name in distinct.index
        }


def _order(
    path: Path,
    rows: NDArray[Any],
    labels: LabelOptions,
    clusterings: dict[str, Any],
    prior: dict[str, float] | None,
) -> tuple[NDArray[np.intp], int]:
    """Objects in the order of labelling, teaching objects first, and how many teach."""
    import numpy as np

    from sortal.bounds import sample
    from sortal.labeling import taught_rows, teaching_objects

    n = len(rows)
    taught = taught_rows(path)
    if taught is None:
        n_teaching = min(labels.teach, n // 4)
        teaching = teaching_objects(clusterings, n_teaching, prior=prior, random_state=labels.seed)
    else:
        teaching = np.flatnonzero(np.isin(rows, taught))
        teaching = teaching[np.argsort([taught.index(int(row)) for row in rows[teaching]])]
    draw = sample(n, n, random_state=labels.seed)
    return np.concatenate([teaching, draw[~np.isin(draw, teaching)]]).astype(np.intp), len(teaching)


def _serve(desk: Desk) -> None:
    """Serve the page until the user leaves it."""
    from sortal.labeling.page import LabelPage

    page = LabelPage(desk)
    typer.echo(f"Label on {page.url}\nIt closes when you stop, and three minutes after it is left.")
    page.serve()


def _ask_about_variants(desk: Desk) -> None:
    """Ask whether names that differ in case, accents or blanks are the same class."""
    from sortal.labeling import variant_of

    seen: list[str] = []
    for name in desk.names:
        like = variant_of(name, seen)
        if like is not None and _is_same_class(name, like):
            desk.session.spell(name, like)
        else:
            seen.append(name)
    desk.refresh()


def _is_same_class(name: str, like: str) -> bool:
    """Ask whether two names are the same class."""
    answer = ask(
        f"Is {printable(name)!r} the same class as {printable(like)!r}? [y] yes  [n] no > "
    )
    return answer is not None and answer.lower().startswith("y")


def _report(desk: Desk) -> None:
    """Print the guarantee and the labellers' disagreements."""
    session, standing = desk.session, desk.standing
    disagreements = session.disagreements
    for position, said in disagreements[:20]:
        differ = ", ".join(f"{by}: {label}" for by, label in said.items())
        typer.echo(
            printable(f"Row {session.rows[position]} ({session.objects[position]}): {differ}")
        )
    if len(disagreements) > 20:
        typer.echo(f"... and {len(disagreements) - 20} more; --export FILE.csv has them all.")
    typer.echo(desk.ending)
    if doubts := len(desk.doubts()):
        typer.echo(f"{doubts:,} label{'s' * (doubts > 1)} to look at again: --review shows them.")
    if standing is not None:
        typer.echo(standing.found.reason)
        typer.echo(f"Answers: {session.file.path}")


def _write_classes(desk: Desk, dataset: Dataset, path: Path, *, force: bool) -> None:
    """Write the class of every object, known or predicted."""
    assert desk.standing is not None
    session, classes = desk.session, desk.standing.found.row_classes.table
    classes.loc[session.labelled, "class"] = session.labels
    for position, decided in session.settled.items():
        classes.loc[position, "class"] = decided
    classes.loc[session.labelled, "labelled"] = True
    write_csv(class_table(classes, session.rows, dataset.ids), path, force=force)
    typer.echo(f"Classes of all objects: {path}")


def _at_terminal(desk: Desk) -> None:
    """Ask for labels until the target is met, all objects are labelled, or the user stops."""
    if len(desk.session):
        typer.echo(desk.status)
    while (at := desk.at) is not None:
        typer.echo(f"\n--- object {len(desk.session) + 1} ---")
        show_object(desk.objects(at))
        action, label = _answer(desk)
        if action == "stop":
            return
        try:
            desk.give(action, label, None if action == "undo" else at)
        except StorageError:
            raise
        except InputError as error:
            typer.echo(str(error))
        typer.echo(desk.status)
    if desk.met:
        typer.echo(f"\nThe target is met after {len(desk.session)} labels.")


def _answer(desk: Desk) -> tuple[str, str]:
    """The user's command and class; asks again until it is valid."""
    terminal = sys.stdin.isatty()
    at = desk.at
    predicted = None if at is None else desk.suggestion(at)
    confirm = "" if predicted is None else f"[Enter] {printable(predicted)} (predicted)  "
    while True:
        offered = "  ".join(f"[{key}] {printable(name)}" for key, name in desk.keys.items())
        more = "" if desk.fixed else "  [n] another class"
        argument = "[s] later  [d] don't know  [u] undo  [r] review  [?] advice  [q] stop"
        answer = ask(f"{confirm}{offered}{more}  {argument} > ", enter=bool(confirm))
        if answer == "" and predicted is not None:
            return "confirm", predicted
        action = "stop" if answer is None else COMMANDS.get(f":{answer}" if terminal else answer)
        if action == "advice":
            typer.echo(desk.advice)
        elif action is not None:
            return action, ""
        elif label := _chosen_class(desk, str(answer), terminal):
            return "label", label


def _chosen_class(desk: Desk, answer: str, terminal: bool) -> str:
    """The class that the user chose; empty for an invalid one."""
    name = desk.keys.get(answer, "") if terminal else answer
    if terminal and desk.fixed is None and answer == "n":
        name = str(typer.prompt("Name of the class", default="")).strip()
    if not name or (desk.fixed is not None and name not in desk.fixed):
        typer.echo(f"{answer!r} is none of these.")
        return ""
    like = desk.variant(name)
    return like if like is not None and _is_same_class(name, like) else name


def ask(prompt: str, *, enter: bool = False) -> str | None:
    """The key pressed on a terminal, or a line of other input; None at its end.

    With ``enter``, the Enter key is an empty answer; without, it asks again.
    """
    typer.echo(prompt, nl=False)
    if sys.stdin.isatty():
        key = typer.getchar()
        typer.echo(key if key.isprintable() else "")
        if key == "\x04":
            return None
        return "" if enter and key in "\r\n" else key.strip().lower() or ask(prompt, enter=enter)
    line = sys.stdin.readline()
    typer.echo()
    return line.strip() if line else None


def show_object(cells: Shown) -> None:
    """Print the object's text or row."""
    if cells.text:
        text = printable(cells.text)
        typer.echo(text[: LAYOUT.text] + (" ..." if len(text) > LAYOUT.text else ""))
    width = max((len(name) for name, _ in cells.cells), default=0)
    for name, value in cells.cells[:40]:
        typer.echo(f"  {name:<{width}}  {printable(value)}")
