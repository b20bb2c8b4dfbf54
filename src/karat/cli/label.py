"""``karat label``: label one object at a time, and stop when the guarantee is low enough."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
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
from karat.cli._options import Delta
from karat.cli._output import Force, check_target, write_csv

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.datasets import Dataset
    from karat.labeling import LabelSession, Standing

UNDO, STOP, ADVICE, NEW = "u", "q", "?", "n"
_MOST = 1500


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
            help="File of the labels; resumed where it exists.",
            show_default="DATA-labels.csv",
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
    expert: Annotated[
        Path | None,
        typer.Option(
            help="Labels of somebody who is right, for some of the drawn objects: your own errors "
            "enter the guarantee.",
        ),
    ] = None,
    neighbors: Annotated[
        int, typer.Option(min=0, help="Show so many of the nearest objects with each.")
    ] = 0,
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

    The objects come in the order of a random draw; none can be skipped. Each label is saved at
    once, so that the same command resumes where you stopped. The guarantee holds at every number
    of labels at once: to stop at the target, or when you have had enough, does not break it.

    Keys: the letter of a class, n for another class, u to take the last label back, ? for what
    more labels would buy, q to stop. Off a terminal, a line with the key or the name of a class.

    For example:

    karat label mails.jsonl --text-column text --target 0.1 --classes ham,spam
    """  # fmt: skip
    import numpy as np

    from karat.bounds import sample
    from karat.datasets import read_labels
    from karat.labeling import LabelSession

    check_target(predict, "--predict", force)
    listed = _listed(classes, delta)
    dataset = read_dataset(reading)
    tell_findings(dataset.findings, err=True)
    for note in dataset.notes:
        typer.echo(f"Note: {note}", err=True)
    n = dataset.X.shape[0]
    rows = np.arange(n) if dataset.rows is None else dataset.rows
    cells, lines = _shown(dataset, reading, rows)
    path = output or Path(f"{dataset.name}-labels.csv")
    session = LabelSession(path, sample(n, n, random_state=seed), lines, rows)
    if len(session):
        typer.echo(f"{path} has {len(session)} labels; going on from there.", err=True)
    checked = None if expert is None else read_labels(expert, n, rows=rows, ids=dataset.ids).values
    candidates, prior = _candidates(
        dataset, labelings, storage, clusterer, parse_counts(k), metric, reading.id_column
    )
    loop = _Loop(session, candidates, prior, delta, listed, target, checked)
    loop.show = lambda at: _show(at, dataset, cells, neighbors, metric)
    try:
        loop.run()
    except KeyboardInterrupt:
        typer.echo(f"\nkarat: interrupted; {len(session)} labels are kept in {path}", err=True)
        raise typer.Exit(130) from None
    if checked is not None:
        _tell_agreement(session, checked)
    now = loop.standing
    if now is None:
        typer.echo("Nothing is guaranteed yet.")
        return
    typer.echo(now.sentence)
    typer.echo(now.found.reason)
    typer.echo(f"Labels: {path}")
    if predict is not None:
        _write_classes(now, session, dataset, rows, predict)


def _listed(classes: str | None, delta: float) -> Any:
    """The classes as the loop compares them."""
    from karat.runtime.validation import InputError

    listed = parse_classes(classes)
    if not 0 < delta <= 1:
        raise InputError(f"--delta must be in (0, 1]; got {delta}")
    return [str(name) for name in listed] if isinstance(listed, list) else listed


def _shown(
    dataset: Dataset, reading: Reading, rows: NDArray[Any]
) -> tuple[pd.DataFrame | None, list[str]]:
    """The cells of the objects, if they are no texts, and a line for each object."""
    from karat.datasets import read_cells

    if dataset.texts is not None:
        return None, list(dataset.texts)
    cells, _ = read_cells(reading.data, header=reading.header, encoding=reading.encoding)
    cells = cells.iloc[rows].reset_index(drop=True)
    return cells, [", ".join(map(str, row)) for row in cells.itertuples(index=False)]


def _tell_agreement(session: LabelSession, checked: Iterable[Any]) -> None:
    from karat.labeling import agreement

    both = [None if v is None else str(v) for v in checked]
    if any(both[i] is not None for i in session.labelled):
        typer.echo(f"You and the expert: {agreement(session.y, both)}")


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
) -> tuple[dict[str, Any], dict[str, float] | None]:
    """The clusterings, and shares of them that were decided without a label."""
    from karat.datasets import read_labelings
    from karat.study import Study

    if labelings is not None:
        return dict(read_labelings(labelings, id_column=id_column, ids=dataset.ids)), None
    path = storage or Path(f"{dataset.name}.karat")
    typer.echo(f"First the clusterings, without a label; they are kept in {path}.", err=True)
    with Study(dataset, metric=metric, storage=path) as study:
        names = parse_clusterers(clusterer or list(study.fits.default_clusterers))
        study.sweep(names, k=numbers, n_init=1)
        kept = study.candidates
        kept = kept[kept["partition"].notna()].drop_duplicates("partition")
        return study.labelings(kept.index), None


class _Loop:
    """Ask, save, tell; until the target is met, all is labelled, or the user stops."""

    show: Callable[[int], None]

    def __init__(
        self,
        session: LabelSession,
        candidates: dict[str, Any],
        prior: dict[str, float] | None,
        delta: float,
        classes: Any,
        target: float | None,
        expert: Any,
    ) -> None:
        self.session, self.target = session, target
        self._judged = (candidates, delta)
        self._options = {"classes": classes, "prior": prior, "expert": expert}
        self._fixed = classes if isinstance(classes, list) else None
        self.standing: Standing | None = self._stand()

    def _stand(self) -> Standing | None:
        from karat.labeling import standing

        candidates, delta = self._judged
        return standing(self.session, candidates, delta, **self._options)

    @property
    def names(self) -> list[str]:
        """The classes so far, those that were listed first."""
        return list(dict.fromkeys([*(self._fixed or ()), *self.session.labels]))

    @property
    def met(self) -> bool:
        """Whether the guarantee has come down to the target."""
        now = self.standing
        return self.target is not None and now is not None and now.bound_rate <= self.target

    def run(self) -> None:
        """The loop."""
        if self.standing is not None:
            self._tell()
        while not self.met and (at := self.session.next) is not None:
            typer.echo(f"\n--- object {len(self.session) + 1} ---")
            self.show(at)
            answer = self._answer()
            if answer is None:
                return
            if answer is UNDO:
                if self.session.undo() is None:
                    typer.echo("There is no label to take back.")
            else:
                self.session.add(answer)
            self.standing = self._stand()
            self._tell()
        if self.met:
            typer.echo(f"\nThe target is met after {len(self.session)} labels.")

    def _tell(self) -> None:
        from karat.bounds import percent_up

        now = self.standing
        if now is None:
            typer.echo(f"{len(self.session)} labels; nothing is guaranteed yet.")
            return
        typer.echo(
            f"{len(self.session)} labels: at most {percent_up(now.bound_rate)} of the other "
            f"{now.found.n:,} mislabelled, by {now.found.name}."
        )

    def _answer(self) -> str | None:
        """A class, UNDO, or None to stop; asks until it is one of them."""
        while True:
            keys = _keys(self.names)
            offered = "  ".join(f"[{key}] {name}" for key, name in keys.items())
            more = "" if self._fixed else f"  [{NEW}] another class"
            given = _ask(f"{offered}{more}  [{UNDO}] undo  [{ADVICE}] advice  [{STOP}] stop > ")
            if given is None or given == STOP:
                return None
            if given == UNDO:
                return UNDO
            if given == ADVICE:
                typer.echo(self._advice())
            elif given in keys or given in self.names:
                return keys.get(given, given)
            elif not self._fixed and (name := _new_name(given)):
                return name
            else:
                typer.echo(f"{given!r} is none of these.")

    def _advice(self) -> str:
        from karat.bounds import advise

        return "Label some first." if self.standing is None else str(advise(self.standing.found))


def _keys(names: list[str]) -> dict[str, str]:
    """A key for each class: its first free letter, or a digit."""
    keys: dict[str, str] = {}
    for name in names:
        letters = [c for c in name.lower() if c.isalnum() and c not in (UNDO, STOP, NEW)]
        free = [c for c in (*letters, *"123456789") if c not in keys]
        if free:
            keys[free[0]] = name
    return keys


def _ask(prompt: str) -> str | None:
    """A key on a terminal, a line elsewhere; None at the end of the input."""
    typer.echo(prompt, nl=False)
    if sys.stdin.isatty():
        given = typer.getchar()
        typer.echo(given if given.isprintable() else "")
        if given == "\x04":
            return None
        return given.strip().lower() or _ask(prompt)
    line = sys.stdin.readline()
    typer.echo()
    return line.strip() if line else None


def _new_name(given: str) -> str:
    """The name of a class that was not there before."""
    if not sys.stdin.isatty():
        return "" if given in (NEW, "") else given
    return str(typer.prompt("Name of the class", default="")).strip() if given == NEW else ""


def _show(
    at: int, dataset: Dataset, cells: pd.DataFrame | None, neighbors: int, metric: str | None
) -> None:
    """The object's row or text, and the objects nearest to it."""
    if cells is None:
        assert dataset.texts is not None
        text = _printable(dataset.texts[at])
        typer.echo(text[:_MOST] + (" ..." if len(text) > _MOST else ""))
    else:
        row = cells.iloc[at]
        width = max((len(str(name)) for name in cells.columns), default=0)
        for name, value in list(row.items())[:40]:
            typer.echo(f"  {name!s:<{width}}  {_printable(str(value))}")
    for number, near in enumerate(_nearest(dataset, at, neighbors, metric), 1):
        if cells is None:
            assert dataset.texts is not None
            about = " ".join(_printable(dataset.texts[near]).split())[:100]
        else:
            about = _printable(", ".join(map(str, cells.iloc[near])))[:100]
        typer.echo(f"  like {number}: {about}")


def _printable(text: str) -> str:
    """Without control characters, by which a text could speak to the terminal."""
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def _nearest(dataset: Dataset, at: int, count: int, metric: str | None) -> list[int]:
    import numpy as np

    if not count:
        return []
    from karat.distances import as_distances, check_points

    used = metric or dataset.metric or "euclidean"
    distances = as_distances(check_points(dataset.X, used), used)
    row = distances.block(slice(at, at + 1), slice(0, distances.n))[0]
    row[at] = np.inf
    return [int(i) for i in np.argsort(row, kind="stable")[:count]]
