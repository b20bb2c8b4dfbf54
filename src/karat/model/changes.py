"""Clusters over time: which came back, grew, split or vanished, and whether that is chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures.external.pairs import adjusted_rand_index
from karat.model.held_out import Refit, without_gaps
from karat.model.rule import ALARMS, Rule
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.model.model import Assignment, Model
    from karat.runtime.validation import Data

#: overlap with which a cluster is found again, and with which it is a part of a split one
FOUND, PART = 0.5, 0.25
#: of the share that a cluster had, below which it has vanished
REMAINS = 0.1
#: an object with less confidence is not placed
CONFIDENT = 0.8
RESAMPLES = 39
#: what none of n objects shows may be in 3/n of all (the rule of three): each of so many objects
#: lowers the index by about 2/n
CHANCE_OBJECTS = 3
#: objects of each half that is clustered anew
HALF = 1_000


@dataclass(frozen=True)
class Reference:
    """How far the old clusters agree with clustering anew: today, and where nothing has changed.

    Attributes
    ----------
    today, unchanged : float, tuple of float
        Mean adjusted Rand index, over samples of today's objects, between the clusters of the old
        model and those that its clusterer finds; the same for each sample of old objects, of the
        same size, that the model did not have.
    p_value : float
        The share of these that agree no better than today's do, today's among them; differences
        that three objects can make do not count.
    """

    today: float
    unchanged: tuple[float, ...]
    p_value: float


@dataclass(frozen=True, eq=False)
class Changes:
    """What became of clusters.

    Attributes
    ----------
    table : DataFrame
        A row for each old cluster, and for each new one that no old one became: ``before``,
        ``now`` (names), ``change``, the shares of the objects then and today, and ``overlap``:
        the share of its objects of today that are in ``now``.
    flows : DataFrame
        How many of today's objects are in each old cluster (rows; ``"unlike"`` for what is unlike
        the old data) and in each of today's (columns).
    agreement : float
        Adjusted Rand index, on today's objects, between the old model and today's clustering;
        outliers count as one cluster.
    placed, unlike : float
        The shares of today's objects that the old model places with a confidence of at least 0.8,
        and that are unlike anything in the old data (about 0.01 are by chance).
    reference, reason : Reference, str
        What resampling makes, or why it is not known.
    n_objects : int
        Objects of today.

    Notes
    -----
    After MONIC (Spiliopoulou, Ntoutsi, Theodoridis & Schult, *KDD* 2006): a cluster *came back* if
    at least half of its objects of today are in one of today's clusters; it *merged* if those of
    another one are there, too; it *split* if parts of at least a quarter each make up half of it or
    more; otherwise, or with less than a tenth of its former share, it *vanished*. It *grew* or
    *shrank* if the shares differ by more than sampling makes at 5 % for all clusters together.
    """

    table: pd.DataFrame
    flows: pd.DataFrame
    agreement: float
    placed: float
    unlike: float
    reference: Reference | None
    reason: str | None
    n_objects: int

    @property
    def changed(self) -> bool | None:
        """Whether the clusters differ by more than resampling makes, at 5 %; None if not known."""
        return None if self.reference is None else self.reference.p_value <= 0.05

    @property
    def sentences(self) -> tuple[str, ...]:
        """The changes in words, the most important first."""
        told = []
        if self.reference is None:
            told.append(f"Whether the clusters have changed is not known: {self.reason}.")
        else:
            now, usual = self.reference.today, float(np.mean(self.reference.unchanged))
            verdict = "differ" if self.changed else "do not differ"
            told.append(
                f"Today's clusters {verdict} from the old ones by more than resampling makes: "
                f"agreement {now:.2f}, and {usual:.2f} where nothing has changed "
                f"(p = {self.reference.p_value:.2g})."
            )
        told.append(
            f"The old model places {100 * self.placed:.0f} % of today's {self.n_objects:,} objects "
            f"with confidence; {100 * self.unlike:.1f} % are unlike anything in the old data "
            f"(about {100 * ALARMS:.0f} % are by chance)."
        )
        return (*told, *map(_sentence, self.table.to_dict("records")))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        rows: list[dict[Any, Any]] = self.table.to_dict("records")
        reference = self.reference
        plain = {k: v for k, v in vars(self).items() if k != "table"}
        return plain | {
            "changes": [
                {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}
                for row in rows
            ],
            "flows": {str(k): dict(v) for k, v in self.flows.to_dict("index").items()},
            "changed": self.changed,
            "reference": reference and vars(reference) | {"unchanged": [*reference.unchanged]},
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences)


#: what is said of a cluster, by what became of it
_SAID = {
    "new": "{now} is new ({today} today).",
    "vanished": "{before} has vanished ({shares}).",
    "split": "{before} has split into {now} ({shares}).",
    "merged": "{before} has merged with others into {now} ({shares}).",
    "came back": "{before} came back as {now} ({shares}).",
    "grew": "{before} came back as {now}, and has grown ({shares}).",
    "shrank": "{before} came back as {now}, and has shrunk ({shares}).",
}


def _sentence(row: Any) -> str:
    then, today = (f"{100 * row[name]:.0f} %" for name in ("share_before", "share_now"))
    shares = f"{then} then, {today} today"
    return _SAID[row["change"]].format(**row, today=today, shares=shares)


def changes(
    model: Model,
    prepared: Any,
    labels: NDArray[np.integer[Any]],
    names: Any,
    *,
    refit: Refit | None = None,
    reason: str | None = None,
    n_resamples: int = RESAMPLES,
    random_state: Any = 0,
) -> Changes:
    """What became of the clusters of a model.

    ``prepared`` are today's objects (:meth:`Model.prepare`), ``labels`` and ``names`` their
    clusters; ``refit`` clusters rows as the clustering of the model was made, and ``reason`` says
    why nothing does.
    """
    found, labels = model.placed(prepared), np.asarray(labels)
    if len(labels) != len(found):
        raise InputError(f"{len(labels)} labels for {len(found)} objects of today")
    flows = _flows(model, found, labels, names)
    reference = None
    if refit is not None:
        reference = _reference(
            model.rule, prepared.X, refit, n_resamples, check_random_state(random_state)
        )
        reason = None if reference is not None else "its clusterer fails on parts of the data"
    return Changes(
        table=_transitions(model, flows),
        flows=flows,
        agreement=float(adjusted_rand_index(found.labels, labels, noise="cluster")),
        placed=float(((found.confidence >= CONFIDENT) & ~found.unlike).mean()),
        unlike=float(found.unlike.mean()),
        reference=reference,
        reason=reason,
        n_objects=len(found),
    )


def _flows(model: Model, found: Assignment, labels: NDArray[Any], names: Any) -> pd.DataFrame:
    import pandas as pd

    k, now = model.n_clusters, len(names)
    old = np.where(found.unlike, k + 1, np.where(found.labels < 0, k, found.labels))
    new = np.where(labels < 0, now, labels)
    cells = np.zeros((k + 2, now + 1), dtype=np.int64)
    np.add.at(cells, (old, new), 1)
    rows = [*model.names, "outlier", "unlike"]
    return pd.DataFrame(cells, rows, [*map(str, names), "outlier"])


def _transitions(model: Model, flows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd
    from scipy.stats import norm

    k = model.n_clusters
    cells = flows.to_numpy()[:k, :-1].astype(np.float64)
    now = list(flows.columns[:-1])
    sizes = flows.to_numpy()[:k].sum(axis=1)
    placed = max(int(sizes.sum()), 1)
    before = np.array(model.sizes) / sum(model.sizes)
    today = sizes / placed
    overlap = cells / np.maximum(sizes, 1)[:, None]
    gone = today < REMAINS * before
    home = np.where((overlap.max(axis=1) >= FOUND) & ~gone, overlap.argmax(axis=1), -1)
    limit = float(norm.isf(0.05 / k / 2))
    rows, met = [], set()
    for c in range(k):
        parts = np.flatnonzero(overlap[c] >= PART)
        together = float(overlap[c, parts].sum())
        change, into = "vanished", []
        if not gone[c] and len(parts) > 1 and together >= FOUND:
            change, into = "split", parts.tolist()
        elif home[c] >= 0:
            alone = (home == home[c]).sum() == 1
            change, into = "merged", [int(home[c])]
            if alone:
                change = _size(before[c], today[c], sum(model.sizes), placed, limit)
        met |= set(into)
        called = ", ".join(now[j] for j in into)
        share = float(overlap[c, into].sum()) if into else float("nan")
        rows.append((model.names[c], called, change, before[c], today[c], share))
    total = max(int(flows.to_numpy().sum()), 1)
    for j in sorted(set(range(len(now))) - met):
        share = float(flows.iloc[:, j].sum() / total)
        rows.append(("", now[j], "new", float("nan"), share, float("nan")))
    columns = ["before", "now", "change", "share_before", "share_now", "overlap"]
    return pd.DataFrame(rows, columns=columns)


def _size(before: float, today: float, n: int, m: int, limit: float) -> str:
    """Whether two shares of samples of n and m objects differ by more than sampling makes."""
    common = (before * n + today * m) / (n + m)
    error = np.sqrt(common * (1 - common) * (1 / n + 1 / m))
    if error == 0 or abs(today - before) <= limit * error:
        return "came back"
    return "grew" if today > before else "shrank"


def _reference(
    rule: Rule, X: Data, refit: Refit, n_resamples: int, rng: np.random.Generator
) -> Reference | None:
    """Agreement of today's objects, and of old ones that a half of the model did not have.

    In every resample the rule is that of a half of the old objects; the clusterer is fitted to
    the other half, and to as many objects of today.
    """
    r, m = rule.X.shape[0], X.shape[0]
    today: list[float] = []
    unchanged: list[float] = []
    for _ in range(n_resamples):
        order = rng.permutation(r)
        own, others = order[: r // 2], order[r // 2 :]
        size = min(r - r // 2, m, HALF)
        old, new = others[:size], rng.permutation(m)[:size]
        codes, _ = without_gaps(rule.labels[own])
        if size < 2 or not (codes >= 0).any():
            return None
        half = Rule.of(rule.X[own], codes, rule.metric, by_centers=rule.by_centers)
        for rows, values in ((rule.X[old], unchanged), (X[new], today)):
            found = refit(rows)
            if found is None:
                return None
            placed = half.place(rows).labels
            values.append(float(adjusted_rand_index(placed, found, noise="cluster")))
    mean = float(np.mean(today))
    allowed = 2 * CHANCE_OBJECTS / size
    p = (1 + sum(value <= mean + allowed for value in unchanged)) / (1 + len(unchanged))
    return Reference(mean, tuple(unchanged), p)
