"""``karat label``: label one object at a time, and stop when the guarantee is low enough."""

from __future__ import annotations

import getpass
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from karat.cli._groups import takes_groups
from karat.cli._input import Reading, parse_classes, read_dataset, tell_findings
from karat.cli._numbers import parse_clusterers, parse_counts
from karat.cli._options import Classes, Clusterers, Constraints, Delta, Force, Seed
from karat.cli._output import check_target, printable, tell_notes, write_csv
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.datasets import Dataset
    from karat.labeling import Desk, Objects, Shown

#: what stands for a key off a terminal, where every other line is the name of a class
COMMANDS = {":q": "stop", ":u": "undo", ":s": "skip", ":d": "unknown", ":?": "advice"}
#: objects that teach, and characters of a text on the terminal
TEACH, _MOST = 20, 1500


@dataclass(frozen=True, kw_only=True)
class Aim:
    """What is to be guaranteed.

    target: Stop when at most this share is mislabelled.
    """

    target: Annotated[float | None, Option("--target", min=0, max=1)] = None
    classes: Classes = None
    delta: Delta = 0.1


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Where the clusterings come from.

    labelings: Your own clusterings instead of a sweep: a table, one per column.
    storage: File of the sweep; a resumed session fits nothing again.
    k: Numbers of clusters of the sweep.
    metric: Distance of the sweep.
    """

    labelings: Path | None = None
    storage: Annotated[Path | None, Option(show_default="DATA.karat")] = None
    k: Annotated[str, Option("-k")] = "2:20"
    clusterer: Clusterers = None
    metric: Annotated[str | None, Option(show_default="as karat run")] = None
    constraints: Constraints = None


@dataclass(frozen=True, kw_only=True)
class Labels:
    """Who labels what, and where the labels are kept.

    output: File of the answers; resumed where it exists, shared by a team.
    by: Your name, where a team labels.
    page: Label on a page in the browser, on this machine only.
    teach: Objects that stand for many others, labelled before a draw.
    take: Labels from a colleague's file, Label Studio (.json) or a table; repeatable.
    export: At the end, write labels and what is next to .json (Label Studio) or .csv.
    predict: At the end, write the class of every object to this file.
    """

    output: Annotated[Path | None, Option("--output", "-o", show_default="DATA-labels.jsonl")] = (
        None
    )
    by: Annotated[str, Option(show_default="user name")] = ""
    page: Annotated[bool, Option("--page")] = False
    teach: Annotated[int, Option(min=0)] = TEACH
    seed: Seed = 0
    take: Annotated[list[Path] | None, Option("--import")] = None
    export: Path | None = None
    predict: Path | None = None
    force: Force = False


@takes_groups
def label(reading: Reading, aim: Aim, candidates: Candidates, labels: Labels) -> None:
    """Label one object at a time, watch the guarantee fall, and stop when you like.

    First come the objects that stand for most others, which teach; then the others in the order of
    a random draw. Each answer is on disk at once, so that the same command resumes where you
    stopped, and several people may label into one file at the same time: every fifth object is
    then labelled by two, and the report says how often they differ. The guarantee holds at every
    number of labels at once: to stop at the target, or when you have had enough, does not break it.

    Keys: the letter of a class, n for another class, s to leave the object for later (those behind
    it count once it is answered), d where you do not know, u to take your last answer back, ? for
    what more labels would buy, q to stop. Off a terminal, a line is the name of a class, and :s,
    :d, :u, :?, :q are the keys.

    For example:

    karat label mails.jsonl --text-column text --target 0.1 --classes ham,spam --page
    """
    import numpy as np

    from karat.distances import RELATIONS
    from karat.labeling import Desk, LabelSession, Watch, export_labels, import_labels
    from karat.labeling.exchange import check_export
    from karat.study.guarantees import MAX_CLASSIFIED

    check_target(labels.predict, "--predict", labels.force)
    check_target(labels.export, "--export", labels.force)
    if labels.export is not None:
        check_export(labels.export)
    classes = _listed(aim)
    dataset = read_dataset(reading)
    tell_findings(dataset.findings, err=True)
    tell_notes(dataset.notes)
    n = dataset.X.shape[0]
    rows = np.arange(n) if dataset.rows is None else dataset.rows
    objects = _objects(dataset, reading, rows)
    found, prior = _clusterings(dataset, candidates, reading.id_column)
    path = labels.output or Path(f"{dataset.name}-labels.jsonl")
    order, n_taught = _order(path, rows, labels, found, prior)
    session = LabelSession(
        path, order, objects.lines(), rows, by=labels.by or getpass.getuser(), taught=n_taught
    )
    if len(session):
        typer.echo(f"{path} has {len(session)} labels; resuming there.", err=True)
    for taken in labels.take or ():
        typer.echo(f"{import_labels(session, taken):,} new labels from {taken}.", err=True)
    learns = n <= MAX_CLASSIFIED and dataset.metric not in RELATIONS
    watch = Watch(
        session, found, aim.delta, target=aim.target, classes=classes, prior=prior,
        X=dataset.X if learns else None,
    )  # fmt: skip
    desk = Desk(session, watch, objects, classes)
    if labels.take:
        _ask_about_variants(desk)
    try:
        _serve(desk) if labels.page else _at_terminal(desk)
    except KeyboardInterrupt:
        told = f"interrupted; {len(session)} labels are kept in {session.file.path}"
        typer.echo(f"\nkarat: {told}", err=True)
        raise typer.Exit(130) from None
    if labels.export is not None:
        export_labels(session, labels.export, overwrite=labels.force)
        typer.echo(f"Exported: {labels.export}")
    _report(desk)
    if labels.predict is not None and desk.standing is not None:
        _write_classes(desk, dataset, labels.predict)


def _listed(aim: Aim) -> Any:
    """The classes as the loop compares them."""
    listed = parse_classes(aim.classes)
    if not 0 < aim.delta <= 1:
        raise InputError(f"--delta must be in (0, 1]; got {aim.delta}")
    return [str(name) for name in listed] if isinstance(listed, list) else listed


def _objects(dataset: Dataset, reading: Reading, rows: NDArray[Any]) -> Objects:
    """What is shown of the objects."""
    from karat.labeling import Objects

    if dataset.texts is not None:
        return Objects(dataset.texts, None)
    cells = reading.cells().iloc[rows].reset_index(drop=True)
    return Objects(None, cells, Path(reading.data).parent)


def _clusterings(
    dataset: Dataset, candidates: Candidates, id_column: str | None
) -> tuple[dict[str, Any], dict[str, float] | None]:
    """The clusterings, and shares of them that were decided without a label."""
    from karat.datasets import read_labelings
    from karat.study import Study

    numbers = parse_counts(candidates.k)
    if candidates.labelings is not None:
        own = read_labelings(candidates.labelings, id_column=id_column, ids=dataset.ids)
        return dict(own), None
    path = candidates.storage or Path(f"{dataset.name}.karat")
    typer.echo(f"First the clusterings, without a label; they are kept in {path}.", err=True)
    with Study(dataset, metric=candidates.metric, storage=path, update=True) as study:
        study.constrain(candidates.constraints)
        names = parse_clusterers(candidates.clusterer or list(study.tried.fits.default_clusterers))
        study.sweep(names, k=numbers, n_init=1)
        kept = study.candidates
        kept = kept[kept["partition"].notna()].drop_duplicates("partition")
        judged = study.judged()
        if judged is None:
            return study.labelings(kept.index), None
        # as the clusterings of one cluster, which the judge does not see, share the rest of 1
        share = dict(zip(judged.names, judged.prior * (1 - 1e-3), strict=True))
        others = 1e-3 / max(1, len(kept) - len(share))
        return study.labelings(kept.index), {
            str(name): float(share.get(str(name), others)) for name in kept.index
        }


def _order(
    path: Path,
    rows: NDArray[Any],
    labels: Labels,
    clusterings: dict[str, Any],
    prior: dict[str, float] | None,
) -> tuple[NDArray[np.intp], int]:
    """The objects that teach, then the others in the order of a draw; and how many teach."""
    import numpy as np

    from karat.bounds import sample
    from karat.labeling import taught_rows, teaching_objects

    n = len(rows)
    taught = taught_rows(path)
    if taught is None:
        most = min(labels.teach, n // 4)
        first = teaching_objects(clusterings, most, prior=prior, random_state=labels.seed)
    else:
        first = np.flatnonzero(np.isin(rows, taught))
        first = first[np.argsort([taught.index(int(row)) for row in rows[first]])]
    draw = sample(n, n, random_state=labels.seed)
    return np.concatenate([first, draw[~np.isin(draw, first)]]).astype(np.intp), len(first)


def _serve(desk: Desk) -> None:
    """The page, until it is left."""
    from karat.labeling.page import LabelPage

    page = LabelPage(desk)
    typer.echo(f"Label on {page.url}\nIt closes when you stop, and three minutes after it is left.")
    page.serve()


def _ask_about_variants(desk: Desk) -> None:
    """Whether names that differ in case, accents or blanks are one class."""
    from karat.labeling import variant_of

    seen: list[str] = []
    for name in desk.names:
        like = variant_of(name, seen)
        if like is not None and _same(name, like):
            desk.session.spell(name, like)
        else:
            seen.append(name)
    desk.refresh()


def _same(name: str, like: str) -> bool:
    given = ask(f"Is {printable(name)!r} the same class as {printable(like)!r}? [y] yes  [n] no > ")
    return given is not None and given.lower().startswith("y")


def _report(desk: Desk) -> None:
    """What is guaranteed, and where the labellers differ."""
    session, now = desk.session, desk.standing
    told = session.disagreements
    for at, said in told[:20]:
        differ = ", ".join(f"{by}: {label}" for by, label in said.items())
        typer.echo(printable(f"Row {session.rows[at]} ({session.objects[at]}): {differ}"))
    if len(told) > 20:
        typer.echo(f"... and {len(told) - 20} more; --export FILE.csv has them all.")
    typer.echo(desk.ending)
    if now is not None:
        typer.echo(now.found.reason)
        typer.echo(f"Answers: {session.file.path}")


def _write_classes(desk: Desk, dataset: Dataset, path: Path) -> None:
    import pandas as pd

    assert desk.standing is not None
    session, predicted = desk.session, desk.standing.found.labels.copy()
    predicted[session.labelled] = session.labels
    table = pd.DataFrame({"row": session.rows, "id": dataset.ids, "label": predicted})
    write_csv(table, path)
    typer.echo(f"Classes of all objects: {path}")


def _at_terminal(desk: Desk) -> None:
    """Ask and tell until the target is met, all is labelled, or the user stops."""
    if len(desk.session):
        typer.echo(desk.status)
    while (at := desk.at) is not None:
        typer.echo(f"\n--- object {len(desk.session) + 1} ---")
        show_object(desk.objects(at))
        kind, label = _answer(desk)
        if kind == "stop":
            return
        if kind == "undo" and not desk.session.can_undo:
            typer.echo("There is no label to take back.")
        else:
            desk.give(kind, label, None if kind == "undo" else at)
        typer.echo(desk.status)
    if desk.met:
        typer.echo(f"\nThe target is met after {len(desk.session)} labels.")


def _answer(desk: Desk) -> tuple[str, str]:
    """What to do, and with which class; asks until it is one of those there are."""
    from karat.bounds import forecast_labels

    terminal = sys.stdin.isatty()
    while True:
        offered = "  ".join(f"[{key}] {printable(name)}" for key, name in desk.keys.items())
        more = "" if desk.fixed else "  [n] another class"
        rest = "[s] later  [d] don't know  [u] undo  [?] advice  [q] stop"
        given = ask(f"{offered}{more}  {rest} > ")
        kind = "stop" if given is None else COMMANDS.get(f":{given}" if terminal else given)
        if kind == "advice":
            now = desk.standing
            typer.echo("Label some first." if now is None else str(forecast_labels(now.found)))
        elif kind is not None:
            return kind, ""
        elif label := _class(desk, str(given), terminal):
            return "label", label


def _class(desk: Desk, given: str, terminal: bool) -> str:
    """The class that was meant; empty for none."""
    name = desk.keys.get(given, "") if terminal else given
    if terminal and desk.fixed is None and given == "n":
        name = str(typer.prompt("Name of the class", default="")).strip()
    if not name or (desk.fixed is not None and name not in desk.fixed):
        typer.echo(f"{given!r} is none of these.")
        return ""
    like = desk.variant(name)
    return like if like is not None and _same(name, like) else name


def ask(prompt: str) -> str | None:
    """A key on a terminal, a line elsewhere; None at the end of the input."""
    typer.echo(prompt, nl=False)
    if sys.stdin.isatty():
        given = typer.getchar()
        typer.echo(given if given.isprintable() else "")
        if given == "\x04":
            return None
        return given.strip().lower() or ask(prompt)
    line = sys.stdin.readline()
    typer.echo()
    return line.strip() if line else None


def show_object(shown: Shown) -> None:
    """The object's row or text."""
    if shown.text:
        text = printable(shown.text)
        typer.echo(text[:_MOST] + (" ..." if len(text) > _MOST else ""))
    width = max((len(name) for name, _ in shown.cells), default=0)
    for name, value in shown.cells[:40]:
        typer.echo(f"  {name:<{width}}  {printable(value)}")
