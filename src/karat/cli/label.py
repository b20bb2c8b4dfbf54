"""``karat label``: label one object at a time, and stop when the guarantee is low enough."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._groups import takes_groups
from karat.cli._input import (
    ClassesOption,
    Reading,
    parse_classes,
    read_dataset,
    tell_findings,
)
from karat.cli._numbers import parse_clusterers, parse_counts
from karat.cli._options import Constraints, Delta
from karat.cli._output import Force, check_target, printable, write_csv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.datasets import Dataset
    from karat.labeling import Desk, LabelSession, Objects, Shown, Standing

#: what stands for a key off a terminal, where every other line is the name of a class
COMMANDS = {":q": "stop", ":u": "undo", ":s": "skip", ":d": "unknown", ":?": "advice"}
#: objects that teach, and characters of a text on the terminal
TEACH, _MOST = 20, 1500


@takes_groups
def label(
    reading: Reading,
    target: Annotated[
        float | None,
        typer.Option("--target", min=0, max=1, help="Stop when at most this share is mislabelled."),
    ] = None,
    classes: ClassesOption = None,
    delta: Delta = 0.1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File of the answers; resumed where it exists, shared by a team.",
            show_default="DATA-labels.jsonl",
        ),
    ] = None,
    labelings: Annotated[
        Path | None,
        typer.Option(help="Your own clusterings instead of a sweep: a table, one per column."),
    ] = None,
    storage: Annotated[
        Path | None,
        typer.Option(
            help="File of the sweep; a resumed session fits nothing again.",
            show_default="DATA.karat",
        ),
    ] = None,
    k: Annotated[str, typer.Option("-k", help="Numbers of clusters of the sweep.")] = "2:20",
    clusterer: Annotated[
        list[str] | None, typer.Option("--clusterer", "-c", help="Clusterer by name, repeatable.")
    ] = None,
    constraints: Constraints = None,
    by: Annotated[
        str, typer.Option(help="Your name, where a team labels.", show_default="user name")
    ] = "",
    page: Annotated[
        bool, typer.Option("--page", help="Label on a page in the browser, on this machine only.")
    ] = False,
    take: Annotated[
        list[Path] | None,
        typer.Option(
            "--import",
            help="Labels from a colleague's file, Label Studio (.json) or a table; repeatable.",
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            help="At the end, write labels and what is next to .json (Label Studio) or .csv.",
        ),
    ] = None,
    teach: Annotated[
        int, typer.Option(min=0, help="Objects that stand for many others, labelled before a draw.")
    ] = TEACH,
    predict: Annotated[
        Path | None,
        typer.Option("--predict", help="At the end, write the class of every object to this file."),
    ] = None,
    force: Force = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draw.")] = 0,
    metric: Annotated[
        str | None, typer.Option(help="Distance of the sweep.", show_default="as karat run")
    ] = None,
) -> None:
    """Label one object at a time, watch the guarantee fall, and stop when you like.

    First come the objects that stand for most others, which teach; then the others in the order of
    a random draw. Each answer is on disk at once, so that the same command goes on where you
    stopped, and several people may label into one file at the same time: every fifth object is
    then labelled by two, and the report says how often they differ. The guarantee holds at every
    number of labels at once: to stop at the target, or when you have had enough, does not break it.

    Keys: the letter of a class, n for another class, s to leave the object for later (those behind
    it count once it is answered), d where you do not know, u to take your last answer back, ? for
    what more labels would buy, q to stop. Off a terminal, a line is the name of a class, and :s,
    :d, :u, :?, :q are the keys.

    For example:

    karat label mails.jsonl --text-column text --target 0.1 --classes ham,spam --page
    """  # fmt: skip
    import numpy as np

    from karat.distances import RELATIONS
    from karat.labeling import Desk, Watch, export_labels, import_labels
    from karat.study.deciding import MOST_FOR_CLASSIFIERS

    for path, option in ((predict, "--predict"), (export, "--export")):
        check_target(path, option, force)
    listed = _listed(classes, delta)
    dataset = read_dataset(reading)
    tell_findings(dataset.findings, err=True)
    for note in dataset.notes:
        typer.echo(f"Note: {note}", err=True)
    n = dataset.X.shape[0]
    rows = np.arange(n) if dataset.rows is None else dataset.rows
    objects = _objects(dataset, reading, rows)
    candidates, prior = _candidates(
        dataset, labelings, storage, clusterer, parse_counts(k), metric, reading.id_column,
        constraints,
    )  # fmt: skip
    session = _session(
        output or Path(f"{dataset.name}-labels.jsonl"), objects.lines(), rows,
        candidates, prior, seed, by or getpass.getuser(), teach,
    )  # fmt: skip
    for path in take or ():
        typer.echo(f"{import_labels(session, path):,} new labels from {path}.", err=True)
    learns = n <= MOST_FOR_CLASSIFIERS and dataset.metric not in RELATIONS
    watch = Watch(
        session, candidates, delta, target=target, classes=listed, prior=prior,
        X=dataset.X if learns else None,
    )  # fmt: skip
    desk = Desk(session, watch, objects, listed)
    if take:
        _ask_about_variants(desk)
    try:
        _serve(desk) if page else _Loop(desk).run()
    except KeyboardInterrupt:
        told = f"interrupted; {len(session)} labels are kept in {session.file.path}"
        typer.echo(f"\nkarat: {told}", err=True)
        raise typer.Exit(130) from None
    if export is not None:
        export_labels(session, export, overwrite=force)
        typer.echo(f"Exported: {export}")
    _report(desk)
    if predict is not None and desk.standing is not None:
        _write_classes(desk.standing, session, dataset, rows, predict)


def _session(
    path: Path,
    lines: list[str],
    rows: NDArray[Any],
    candidates: dict[str, Any],
    prior: dict[str, float] | None,
    seed: int,
    by: str,
    teach: int,
) -> LabelSession:
    """The answers so far, or none, with the objects that teach first."""
    import numpy as np

    from karat.bounds import sample
    from karat.labeling import LabelSession, taught_rows, teaching_objects

    n = len(lines)
    taught = taught_rows(path)
    if taught is None:
        teach = min(teach, n // 4)
        first = teaching_objects(candidates, teach, prior=prior, random_state=seed)
    else:
        first = np.flatnonzero(np.isin(rows, taught))
        first = first[np.argsort([taught.index(int(row)) for row in rows[first]])]
    draw = sample(n, n, random_state=seed)
    order = np.concatenate([first, draw[~np.isin(draw, first)]]).astype(np.intp)
    session = LabelSession(path, order, lines, rows, by=by, taught=len(first))
    if len(session):
        typer.echo(f"{path} has {len(session)} labels; going on from there.", err=True)
    return session


def _objects(dataset: Dataset, reading: Reading, rows: NDArray[Any]) -> Objects:
    """What is shown of the objects."""
    from karat.datasets import read_cells
    from karat.labeling import Objects

    if dataset.texts is not None:
        return Objects(dataset.texts, None)
    cells, _ = read_cells(reading.data, header=reading.header, encoding=reading.encoding)
    cells = cells.iloc[rows].reset_index(drop=True)
    return Objects(None, cells, Path(reading.data).parent)


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
    typer.echo("Nothing is guaranteed yet." if now is None else now.sentence)
    if now is not None:
        typer.echo(now.found.reason)
        typer.echo(f"Answers: {session.file.path}")


def _listed(classes: str | None, delta: float) -> Any:
    """The classes as the loop compares them."""
    from karat.runtime.validation import InputError

    listed = parse_classes(classes)
    if not 0 < delta <= 1:
        raise InputError(f"--delta must be in (0, 1]; got {delta}")
    return [str(name) for name in listed] if isinstance(listed, list) else listed


def _write_classes(
    now: Standing, session: LabelSession, dataset: Dataset, rows: NDArray[Any], path: Path
) -> None:
    import pandas as pd

    predicted = now.found.labels.copy()
    predicted[session.labelled] = session.labels
    table = pd.DataFrame({"row": rows, "id": dataset.ids, "label": predicted})
    write_csv(table, path)
    typer.echo(f"Classes of all objects: {path}")


def _candidates(
    dataset: Dataset,
    labelings: Path | None,
    storage: Path | None,
    clusterer: list[str] | None,
    numbers: list[int],
    metric: str | None,
    id_column: str | None,
    constraints: Path | None,
) -> tuple[dict[str, Any], dict[str, float] | None]:
    """The clusterings, and shares of them that were decided without a label."""
    from karat.datasets import read_labelings
    from karat.study import Study

    if labelings is not None:
        return dict(read_labelings(labelings, id_column=id_column, ids=dataset.ids)), None
    path = storage or Path(f"{dataset.name}.karat")
    typer.echo(f"First the clusterings, without a label; they are kept in {path}.", err=True)
    with Study(dataset, metric=metric, storage=path, update=True) as study:
        study.constrain(constraints)
        names = parse_clusterers(clusterer or list(study.fits.default_clusterers))
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


class _Loop:
    """Ask and tell on the terminal, until the target is met, all is labelled, or the user stops."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def run(self) -> None:
        """The loop."""
        desk = self.desk
        if len(desk.session):
            typer.echo(desk.status)
        while (at := desk.at) is not None:
            typer.echo(f"\n--- object {len(desk.session) + 1} ---")
            show_object(desk.objects(at))
            kind, label = self._answer()
            if kind == "stop":
                return
            if kind == "undo" and not desk.session.can_undo:
                typer.echo("There is no label to take back.")
            else:
                desk.give(kind, label, None if kind == "undo" else at)
            typer.echo(desk.status)
        if desk.met:
            typer.echo(f"\nThe target is met after {len(desk.session)} labels.")

    def _answer(self) -> tuple[str, str]:
        """What to do, and with which class; asks until it is one of those there are."""
        from karat.labeling.desk import keys_of

        desk, terminal = self.desk, sys.stdin.isatty()
        while True:
            keys = keys_of(desk.names)
            offered = "  ".join(f"[{key}] {printable(name)}" for key, name in keys.items())
            more = "" if desk.fixed else "  [n] another class"
            rest = "[s] later  [d] don't know  [u] undo  [?] advice  [q] stop"
            given = ask(f"{offered}{more}  {rest} > ")
            kind = "stop" if given is None else COMMANDS.get(f":{given}" if terminal else given)
            if kind == "advice":
                typer.echo(self._advice())
            elif kind is not None:
                return kind, ""
            elif label := self._class(str(given), keys if terminal else {}):
                return "label", label

    def _class(self, given: str, keys: dict[str, str]) -> str:
        """The class that was meant; empty for none."""
        desk = self.desk
        name = keys.get(given, given)
        if desk.fixed is None and given == "n" and keys is not None and sys.stdin.isatty():
            name = str(typer.prompt("Name of the class", default="")).strip()
        elif sys.stdin.isatty() and given not in keys:
            name = ""
        if not name or (desk.fixed is not None and name not in desk.fixed):
            typer.echo(f"{given!r} is none of these.")
            return ""
        like = desk.variant(name)
        return like if like is not None and _same(name, like) else name

    def _advice(self) -> str:
        from karat.bounds import forecast_labels

        now = self.desk.standing
        return "Label some first." if now is None else str(forecast_labels(now.found))


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
