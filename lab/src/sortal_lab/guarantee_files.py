"""How often the guarantee is false after files of labels and clusters were tampered with.

Every draw is a population of 300 objects in two classes with a key, a clustering that has about 28
% of them wrong, and 60 labels drawn by ``sortal sample``. Then somebody does to the two files what
spreadsheets and wishful thinking do, and asks as ``sortal bound`` does. An answer is false if more
unlabelled objects are wrong than it says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

import sortal
from sortal import InputError
from sortal.bounds import sample
from sortal.datasets import read_labelings, table_of_draw
from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal, blocks_of, upper_limit

if TYPE_CHECKING:
    from sortal.bounds import Guarantee

DELTA, OBJECTS, LABELLED, DRAWS = 0.1, 300, 60, 1_000
#: share of the objects in the cluster of the other class
ERROR_RATE = 0.28


class Draw:
    """A population, its clusters, the table of its draw with all labels, and a folder for files."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = rng = np.random.default_rng(seed)
        truth = rng.random(OBJECTS) < 0.45
        cluster = truth ^ (rng.random(OBJECTS) < ERROR_RATE)
        keys = [f"T{number:04d}" for number in rng.permutation(10 * OBJECTS)[:OBJECTS]]
        amount = np.round(rng.gamma(2.0, 50.0, OBJECTS) * (1 + truth), 2)
        self.data = pd.DataFrame({"ticket": keys, "amount": amount})
        self.truth = pd.Series(np.where(truth, "spam", "ham"), index=keys)
        self.clusters = pd.DataFrame({"ticket": keys, "cluster": cluster.astype(int)})
        rows = sample(OBJECTS, LABELLED, random_state=rng)
        drawn = self.data.iloc[rows].reset_index(drop=True)
        self.labels = table_of_draw(drawn, rows, ["ticket"])
        self.labels["label"] = self.truth[drawn["ticket"]].to_numpy()
        # whether the label contradicts the cluster, whose majority is the class of its number
        self.against = truth[rows] != cluster[rows]
        self.folder = folder

    def ask(
        self,
        labels: pd.DataFrame,
        clusters: pd.DataFrame,
        *,
        data: pd.DataFrame | None = None,
        on: Literal["same", "inner"] = "same",
    ) -> Guarantee:
        """The answer about two files: as ``sortal bound`` gives it and ``run`` verifies data."""
        few, many = self.folder / "labels.csv", self.folder / "clusters.csv"
        labels.to_csv(few, index=False)
        clusters.to_csv(many, index=False)
        clusterings = read_labelings(many)
        known = clusterings.known(few, on=on)
        if data is not None:
            known = known.verified(data)
        return sortal.guarantee(
            {"cluster": clusterings["cluster"]}, known, DELTA, anytime=known.order is not None
        )

    def is_false(self, answer: Guarantee, keys: pd.Series) -> bool:
        """Whether more unlabelled objects are wrong than the answer says; ``keys`` names them."""
        wrong = answer.labels != self.truth[keys].to_numpy()
        return int(wrong[~answer.row_classes.labelled].sum()) > answer.bound

    @property
    def by_row(self) -> pd.DataFrame:
        """The clusters with the number of each row of the data."""
        return pd.DataFrame({"row": np.arange(OBJECTS), **self.clusters})


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Draw labels at random, tamper with the files, and count false answers.

    ``samples``: draws of each design; 1,000 by default.
    """
    draws = DRAWS if samples is None else samples
    journal = Journal(storage, f"random_state {random_state}")
    rows = []
    for design in DESIGNS:
        count = partial(_count, design, random_state)
        n, broken, refused, bound = journal.totals(design, blocks_of(draws), count)
        limit = upper_limit(DELTA, n)
        rows.append({
            "design": design, "draws": int(n), "broken": broken / n, "refused": refused / n,
            "mean bound": bound / (n - refused) if refused < n else None, "limit": limit,
            "kept": bool(broken / n <= limit),
        })  # fmt: skip
        if progress is not None:
            progress(f"{design}: {broken / n:.3f} broken, {refused / n:.3f} refused")
    return ExperimentResult(name, pd.DataFrame(rows), (
        f"{OBJECTS} objects, {LABELLED} labels, delta = {DELTA}. 'broken': draws with a false "
        "answer; 'refused': draws in which sortal guaranteed nothing, or gave an error that says "
        "why; 'limit': delta and two standard errors; 'mean bound': of the answers.",
    ))  # fmt: skip


def _count(design: str, random_state: int, seeds: range) -> dict[str, float]:
    """Counts over some draws of a design."""
    counts = {"draws": float(len(seeds)), "broken": 0.0, "refused": 0.0, "bound": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            draw = Draw(random_state + 7_919 * seed, Path(folder))
            try:
                answer, keys = DESIGNS[design](draw)
            except InputError:
                counts["refused"] += 1
                continue
            counts["refused"] += bool(answer.refused)
            if not answer.refused:
                counts["broken"] += draw.is_false(answer, keys)
                counts["bound"] += answer.bound_rate
    return counts


# -- designs -------------------------------------------------------------------------------------

#: an answer, and the keys of its objects in their order
Answer = tuple["Guarantee", pd.Series]


def _as_drawn(draw: Draw) -> Answer:
    """Nothing happens to the files."""
    return draw.ask(draw.labels, draw.by_row), draw.clusters["ticket"]


def _both_sorted(draw: Draw) -> Answer:
    """Clusters sorted by cluster, labels by class; both have the key, which no name gives away."""
    clusters = draw.clusters.sort_values("cluster", kind="stable")
    return draw.ask(draw.labels.sort_values("label"), clusters), clusters["ticket"]


def _clusters_resorted(draw: Draw) -> Answer:
    """Labels by row number; the clusters, sorted since, have nothing but their column."""
    clusters = draw.clusters.sort_values("cluster", kind="stable")
    labels = draw.labels.drop(columns=["ticket", "amount"])
    return draw.ask(labels, clusters[["cluster"]]), clusters["ticket"]


def _deleted(draw: Draw) -> Answer:
    """Labels that contradict the clusters are deleted."""
    return draw.ask(draw.labels[~draw.against], draw.by_row), draw.clusters["ticket"]


def _blanked(draw: Draw) -> Answer:
    """Labels that contradict the clusters are blanked."""
    labels = draw.labels.assign(label=draw.labels["label"].where(~draw.against, ""))
    return draw.ask(labels, draw.by_row), draw.clusters["ticket"]


def _series(draw: Draw) -> Answer:
    """Clusters and labels as Series with the key as index, each sorted by its values."""
    clusters = draw.clusters.set_index("ticket")["cluster"].sort_values(kind="stable")
    y = draw.labels.set_index("ticket")["label"].reindex(draw.clusters["ticket"])
    y = y.sort_values(kind="stable")
    return sortal.guarantee(clusters, y, DELTA), pd.Series(clusters.index)


def _texts(draw: Draw) -> Answer:
    """Labels as an array of texts, where unknown ones are '' or 'nan'."""
    known = draw.labels.set_index("ticket")["label"].reindex(draw.clusters["ticket"])
    blank = "nan" if draw.rng.random() < 0.5 else ""
    y = known.fillna(blank).to_numpy().astype(str)
    return sortal.guarantee(draw.clusters["cluster"].to_numpy(), y, DELTA), draw.clusters["ticket"]


def _edited(draw: Draw) -> Answer:
    """Rows that contradict the clusters get the numbers of rows that agree with them."""
    labels = draw.labels.drop(columns=["ticket", "amount"])
    agree = draw.truth.to_numpy() == np.where(draw.clusters["cluster"], "spam", "ham")
    fresh = np.setdiff1d(np.flatnonzero(agree), labels["row"])[: draw.against.sum()]
    labels.loc[draw.against, "row"] = fresh
    labels["label"] = draw.truth.to_numpy()[labels["row"]]
    return draw.ask(labels, draw.by_row), draw.clusters["ticket"]


def _duplicated(draw: Draw) -> Answer:
    """Rows that contradict the clusters are replaced by copies of rows that agree."""
    labels = draw.labels.copy()
    copies = draw.rng.choice(np.flatnonzero(~draw.against), int(draw.against.sum()))
    columns = [name for name in labels if name != "draw"]
    labels.loc[draw.against, columns] = labels.loc[copies, columns].to_numpy()
    return draw.ask(labels, draw.by_row), draw.clusters["ticket"]


def _shuffled(draw: Draw) -> Answer:
    """The labels are shuffled, and have no number of the draw and no check any more."""
    labels = draw.labels.drop(columns=["draw", "check"])
    labels = labels.iloc[draw.rng.permutation(LABELLED)]
    return draw.ask(labels, draw.by_row), draw.clusters["ticket"]


def _renumbered(draw: Draw) -> Answer:
    """Labels that contradict the clusters are deleted, and the others numbered anew."""
    labels = draw.labels[~draw.against].copy()
    labels["draw"] = [f"{i} of {len(labels)}" for i in range(1, len(labels) + 1)]
    return draw.ask(labels, draw.by_row), draw.clusters["ticket"]


def _clusters_deleted(draw: Draw) -> Answer:
    """Labelled rows that contradict the clusters are deleted from these; the others are joined."""
    gone = draw.labels["row"][draw.against]
    clusters = draw.by_row[~np.isin(np.arange(OBJECTS), gone)]
    return draw.ask(draw.labels, clusters, on="inner"), clusters["ticket"]


def _label_sorted(draw: Draw) -> Answer:
    """The column of labels alone is sorted, its rows are not."""
    labels = draw.labels.assign(label=np.sort(draw.labels["label"].to_numpy(dtype=str)))
    return draw.ask(labels, draw.by_row), draw.clusters["ticket"]


def _data_resorted(draw: Draw) -> Answer:
    """The data are sorted after the draw, clustered, and the labels joined by number."""
    order = np.argsort(draw.data["amount"].to_numpy(), kind="stable")
    data = draw.data.iloc[order].reset_index(drop=True)
    clusters = draw.clusters.iloc[order].reset_index(drop=True)
    clusters = pd.DataFrame({"row": np.arange(OBJECTS), "cluster": clusters["cluster"]})
    labels = draw.labels.drop(columns=["ticket", "amount"])
    return draw.ask(labels, clusters, data=data), data["ticket"]


DESIGNS: dict[str, Callable[[Draw], Answer]] = {
    "as drawn": _as_drawn,
    "both files sorted, with a key": _both_sorted,
    "clusters sorted after the draw": _clusters_resorted,
    "labels deleted that contradict": _deleted,
    "labels blanked that contradict": _blanked,
    "Series sorted by their values": _series,
    "unknown classes as texts": _texts,
    "row numbers edited": _edited,
    "rows duplicated": _duplicated,
    "labels shuffled without the draw": _shuffled,
    "deleted, and the draw renumbered": _renumbered,
    "clusters deleted that contradict": _clusters_deleted,
    "the column of labels sorted alone": _label_sorted,
    "data sorted after the draw": _data_resorted,
}
