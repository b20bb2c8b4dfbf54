"""whissell2012 figures 5.1 and 5.2: neighbours under five weights, and UPGMA over k1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bench import Benchmark
from sortal.clusterers import catalogue
from sortal.distances import neighbor_lists
from sortal.text import WEIGHTS, TermWeighter
from sortal_lab import ExperimentResult
from sortal_lab import whissell2012_chapter5_race as race
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

LENGTHS = range(1, 31)
SHOWN = (1, 5, 10, 20, 30)

_LIKE = (
    "Share of the r nearest neighbours by the cosine that have the document's class. Documents "
    "without terms are excluded."
)


def neighbours(
    name: str, storage: str | Path | None, progress: Callable[[str], None] | None
) -> ExperimentResult:
    """Figure 5.1."""
    import pandas as pd

    rows = _shares(Journal(storage, "neighbours"), progress)
    shown = [f"r={r}" for r in SHOWN]
    table = pd.DataFrame(rows).set_index(["collection", "weight"])[shown]
    return ExperimentResult(name, table.reset_index(), (_LIKE, *_claims(rows)))


def _shares(journal: Journal, progress: Callable[[str], None] | None) -> list[dict[str, Any]]:
    """Rows of the figure, computed or stored."""
    rows: list[dict[str, Any]] = []
    for which in race.SETS:
        if any(journal.get((which, weight)) is None for weight in WEIGHTS):
            counts, classes = race.collection(which)
            data: dict[str, Any] = {
                weight: TermWeighter(weight).fit_transform(counts) for weight in WEIGHTS
            }
            filled = [np.asarray(abs(X).sum(axis=1)).ravel() > 0 for X in data.values()]
            rows_used = np.flatnonzero(np.all(filled, axis=0))
            for weight, X in data.items():
                shares = like_neighbors(X[rows_used], np.asarray(classes)[rows_used])
                journal.put(
                    (which, weight),
                    {f"r={r}": float(s) for r, s in zip(LENGTHS, shares, strict=True)},
                )
            if progress is not None:
                progress(which)
        for weight in WEIGHTS:
            row = journal.get((which, weight))
            assert row is not None
            rows.append({"collection": which, "weight": weight} | row)
    return rows


def like_neighbors(X: Any, classes: Any) -> Any:
    """Mean share of the r nearest neighbours by the cosine with the same class, for each length."""
    nearest = neighbor_lists(X, max(LENGTHS), metric="cosine").indices
    same = classes[nearest] == classes[:, None]
    return np.array([same[:, :r].mean() for r in LENGTHS])


def _claims(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    """Statements of the thesis about its figure, counted here."""
    share = {
        (row["collection"], row["weight"]): np.array([row[f"r={r}"] for r in LENGTHS])
        for row in rows
    }

    def gap(better: str, worse: str, which: str) -> Any:
        return share[which, better] - share[which, worse]

    def counted(better: str, worse: str) -> str:
        counts = {which: int((gap(better, worse, which) > -0.001).sum()) for which in race.SETS}
        return ", ".join(f"{which} {r}" for which, r in counts.items())

    crossing = [
        which
        for which in ("re1", "tr31", "tr41", "tr45", "wap")
        if gap("tf-idf", "tf", which)[0] < 0 < gap("tf-idf", "tf", which)[-1]
    ]
    return (
        "The thesis: BM25-tf is always equal to or better than tf. Here, of 30 lengths r, at: "
        f"{counted('bm25-tf', 'tf')}.",
        f"The thesis: BM25-tf-idf is better than tf-idf. Here at: "
        f"{counted('bm25-tf-idf', 'tf-idf')}.",
        "The thesis: binary is greatly inferior to tf but for re0. Here the mean gap in points is "
        + ", ".join(f"{w} {100 * gap('tf', 'binary', w).mean():.1f}" for w in race.SETS)
        + ".",
        "The thesis: tf-idf is worse than tf at every r on re0. Here at "
        f"{int((gap('tf-idf', 'tf', 're0') < 0).sum())} of 30.",
        "The thesis: on re1, tr31, tr41, tr45 and wap tf is better at r = 1, tf-idf at r = 30. "
        f"Here on {', '.join(crossing) or 'none'}.",
    )


def saturation(
    name: str,
    samples: int | None,
    storage: str | Path | None,
    progress: Callable[[str], None] | None,
) -> ExperimentResult:
    """Figure 5.2: UPGMA under BM25-tf-idf on the collections that k1 was chosen on."""
    values = np.unique(
        np.round(np.linspace(0, 10, 101 if samples is None else 3 * samples + 2) ** 2).astype(int)
    )
    if samples is None:
        values = np.arange(101)
    values = np.union1d(values, [0, 1, 2, 20, 100])
    sets = {}
    for which in race.CHOSE_K1:
        counts, classes = race.collection(which)
        sets[which] = (
            {
                f"{k1}": TermWeighter("bm25-tf-idf", k1=float(k1)).fit_transform(counts)
                for k1 in values
            },
            classes,
        )
    run = Benchmark(
        sets, {"UPGMA": catalogue["average"]}, race.MEASURES.values(), k=race.scale(samples)[1],
        n_init=1, metric="cosine", storage=storage,
    ).run(progress)  # fmt: skip
    short = {key: name for name, key in race.MEASURES.items()}
    means = run.table.groupby(["set", "representation"])[list(short)].mean().rename(columns=short)
    table = means.reset_index().rename(columns={"set": "collection", "representation": "k1"})
    table["k1"] = table["k1"].astype(int)
    table = table.sort_values(["collection", "k1"], ignore_index=True)
    nmi = table.set_index(["collection", "k1"])["NMI"]
    notes = [
        "Means over the numbers of clusters. The thesis shows curves without figures; it reads off "
        "that 1.2 or 2 is too low, that too high a k1 costs less, and takes 20."
    ]
    for which in race.CHOSE_K1:
        curve = nmi[which]
        notes.append(
            f"{which}, NMI: {curve[1]:.3f} at k1 = 1, {curve[2]:.3f} at 2, {curve[20]:.3f} at 20, "
            f"{curve[100]:.3f} at 100; the greatest, {curve.max():.3f}, at {curve.idxmax()}."
        )
    return ExperimentResult(name, table, tuple(notes))
