"""Changes of clusters over time, and whether they exceed chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.measures.external.pairs import adjusted_rand_index
from sortal.model.holdout import Refit, without_gaps
from sortal.model.rule import ALARMS, PlacementRule
from sortal.model.tuned import TUNED, TunedModel
from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from sortal.datasets.prepared.preparation import Prepared
    from sortal.model.model import Assignment, Model
    from sortal.typing import Ints, RandomState, Rows


@dataclass(frozen=True)
class ResamplingReference:
    """Agreement of the old clusters with clustering anew: today, and without any change.

    Attributes
    ----------
    today, unchanged : float, tuple of float
        Mean adjusted Rand index between the old model's clusters and its clusterer's on today's
        objects, over samples. ``unchanged`` has it for equally large samples of old objects that
        the model did not have.
    p_value : float
        Share of these samples, with today's included, that agree no better than today's. Ignores
        differences that three objects can make.
    """

    today: float
    unchanged: tuple[float, ...]
    p_value: float


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes of clusters between the data of a model and today's.

    Attributes
    ----------
    table : DataFrame
        A row for each old cluster, and for each new one without a predecessor. It has the names
        ``before`` and ``now``, ``change``, and the shares of the objects then and today.
        ``overlap`` is the share of its objects today that are in ``now``.
    flows : DataFrame
        Number of today's objects in each old cluster (rows; ``"unlike"`` for objects unlike the old
        data) and in each of today's (columns).
    agreement : float
        Adjusted Rand index, on today's objects, between the old model and today's clustering;
        outliers count as one cluster.
    placed, unlike : float
        Share of today's objects that the old model places with a confidence of at least 0.8, and
        share unlike all old data (by chance about 0.01).
    reference, reason : ResamplingReference, str
        Agreement under resampling, or why it is not known.
    n_objects : int
        Objects of today.

    Notes
    -----
    After MONIC (Spiliopoulou, Ntoutsi, Theodoridis & Schult, *KDD* 2006). A cluster *came back* if
    one of today's clusters has at least half of its objects. It *merged* if another cluster came
    back there, too. It *split* if parts of at least a quarter each make up half of it or more.
    Otherwise, or with less than a tenth of its former share, it *vanished*. It *grew* or *shrank*
    if the shares differ by more than sampling makes at 5 % for all clusters together.
    """

    table: pd.DataFrame
    flows: pd.DataFrame
    agreement: float
    placed: float
    unlike: float
    reference: ResamplingReference | None
    reason: str | None
    n_objects: int

    @property
    def changed(self) -> bool | None:
        """Whether the clusters differ by more than resampling makes, at 5 %; None if unknown."""
        return None if self.reference is None else self.reference.p_value <= 0.05

    @property
    def sentences(self) -> tuple[str, ...]:
        """The changes in words, the most important first."""
        sentences = []
        if self.reference is None:
            sentences.append(f"Whether the clusters have changed is not known: {self.reason}.")
        else:
            now, usual = self.reference.today, float(np.mean(self.reference.unchanged))
            verdict = "differ" if self.changed else "do not differ"
            sentences.append(
                f"Today's clusters {verdict} from the old ones by more than resampling makes: "
                f"agreement {now:.2f}, and {usual:.2f} where nothing has changed "
                f"(p = {self.reference.p_value:.2g})."
            )
        sentences.append(
            f"The old model places {percent(self.placed, 0)} of today's {self.n_objects:,} objects "
            f"with confidence; {percent(self.unlike, 1)} are unlike anything in the old data "
            f"(about {percent(ALARMS, 0)} are by chance)."
        )
        return (*sentences, *map(_sentence, self.table.to_dict("records")))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
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


#: sentence for each change of a cluster
_SAID = {
    "new": "{now} is new ({today} today).",
    "vanished": "{before} has vanished ({shares}).",
    "split": "{before} has split into {now} ({shares}).",
    "merged": "{before} has merged with others into {now} ({shares}).",
    "came back": "{before} came back as {now} ({shares}).",
    "grew": "{before} came back as {now}, and has grown ({shares}).",
    "shrank": "{before} came back as {now}, and has shrunk ({shares}).",
}


def _sentence(row: dict[Any, Any]) -> str:
    """The change of a cluster in a sentence."""
    then, today = (percent(row[name], 0) for name in ("share_before", "share_now"))
    shares = f"{then} then, {today} today"
    return _SAID[row["change"]].format(**row, today=today, shares=shares)


def changes(
    model: Model,
    prepared: Prepared,
    labels: Ints,
    names: Sequence[object],
    *,
    refit: Refit | None = None,
    reason: str | None = None,
    n_resamples: int = 39,
    random_state: RandomState = 0,
) -> Changes:
    """Changes of a model's clusters in today's data.

    ``prepared`` are today's objects (:meth:`Model.prepare`), ``labels`` and ``names`` their
    clusters. ``refit`` clusters rows as the model's clusterer does; ``reason`` says why it is
    missing.
    """
    placed, labels = model.placed(prepared), np.asarray(labels)
    if len(labels) != len(placed):
        raise InputError(f"{len(labels)} labels for {len(placed)} objects of today")
    flows = _flows(model, placed, labels, names)
    reference = None
    if refit is not None:
        reference = _reference(
            model.rule, prepared.X, refit, n_resamples, check_random_state(random_state)
        )
        reason = None if reference is not None else "its clusterer fails on parts of the data"
    return Changes(
        table=_transitions(model, flows),
        flows=flows,
        agreement=float(adjusted_rand_index(placed.labels, labels, noise="cluster")),
        placed=float(((placed.confidence >= TUNED.sure) & ~placed.unlike).mean()),
        unlike=float(placed.unlike.mean()),
        reference=reference,
        reason=reason,
        n_objects=len(placed),
    )


def _flows(
    model: Model, placed: Assignment, labels: NDArray[Any], names: Sequence[object]
) -> pd.DataFrame:
    """Objects of today by old cluster and by today's cluster."""
    import pandas as pd

    k, n_new = model.n_clusters, len(names)
    old = np.where(placed.unlike, k + 1, np.where(placed.labels < 0, k, placed.labels))
    new = np.where(labels < 0, n_new, labels)
    cells = np.zeros((k + 2, n_new + 1), dtype=np.int64)
    np.add.at(cells, (old, new), 1)
    rows = [*model.names, "outlier", "unlike"]
    return pd.DataFrame(cells, rows, [*map(str, names), "outlier"])


def _transitions(model: Model, flows: pd.DataFrame, tuned: TunedModel = TUNED) -> pd.DataFrame:
    """A row for each old cluster, and for each new one without a predecessor."""
    import pandas as pd
    from scipy.stats import norm

    k = model.n_clusters
    cells = flows.to_numpy()[:k, :-1].astype(np.float64)
    new = list(flows.columns[:-1])
    sizes = flows.to_numpy()[:k].sum(axis=1)
    placed = max(int(sizes.sum()), 1)
    share_before = np.array(model.sizes) / sum(model.sizes)
    share_today = sizes / placed
    overlap = cells / np.maximum(sizes, 1)[:, None]
    gone = share_today < tuned.remainder * share_before
    home = np.where((overlap.max(axis=1) >= tuned.overlap) & ~gone, overlap.argmax(axis=1), -1)
    limit = float(norm.isf(0.05 / k / 2))
    rows, continued = [], set()
    for c in range(k):
        parts = np.flatnonzero(overlap[c] >= tuned.part)
        together = float(overlap[c, parts].sum())
        change, successors = "vanished", []
        if not gone[c] and len(parts) > 1 and together >= tuned.overlap:
            change, successors = "split", parts.tolist()
        elif home[c] >= 0:
            is_only = (home == home[c]).sum() == 1
            change, successors = "merged", [int(home[c])]
            if is_only:
                change = _size(share_before[c], share_today[c], sum(model.sizes), placed, limit)
        continued |= set(successors)
        new_names = ", ".join(new[j] for j in successors)
        share = float(overlap[c, successors].sum()) if successors else float("nan")
        rows.append((model.names[c], new_names, change, share_before[c], share_today[c], share))
    total = max(int(flows.to_numpy().sum()), 1)
    for j in sorted(set(range(len(new))) - continued):
        share = float(flows.iloc[:, j].sum() / total)
        rows.append(("", new[j], "new", float("nan"), share, float("nan")))
    columns = ["before", "now", "change", "share_before", "share_now", "overlap"]
    return pd.DataFrame(rows, columns=columns)


def _size(before: float, today: float, n: int, m: int, limit: float) -> str:
    """Change of a share between two samples beyond sampling error: grew, shrank, or neither."""
    common = (before * n + today * m) / (n + m)
    error = np.sqrt(common * (1 - common) * (1 / n + 1 / m))
    if error == 0 or abs(today - before) <= limit * error:
        return "came back"
    return "grew" if today > before else "shrank"


def _reference(
    rule: PlacementRule, X: Rows, refit: Refit, n_resamples: int, rng: np.random.Generator
) -> ResamplingReference | None:
    """Agreement of today's objects, and of old ones outside the resampled half of the model.

    In every resample the rule is that of a half of the old objects; the clusterer is fitted to
    the other half, and to as many objects of today.
    """
    r, m = rule.X.shape[0], X.shape[0]
    today: list[float] = []
    unchanged: list[float] = []
    for _ in range(n_resamples):
        order = rng.permutation(r)
        model_half, remainder = order[: r // 2], order[r // 2 :]
        size = min(r - r // 2, m, 1_000)  # more would cost too much to cluster anew
        old, new = remainder[:size], rng.permutation(m)[:size]
        codes, _ = without_gaps(rule.labels[model_half])
        if size < 2 or not (codes >= 0).any():
            return None
        half = PlacementRule.of(rule.X[model_half], codes, rule.metric, by_centers=rule.by_centers)
        for rows, values in ((rule.X[old], unchanged), (X[new], today)):
            refitted = refit(rows)
            if refitted is None:
                return None
            placed = half.place(rows).labels
            values.append(float(adjusted_rand_index(placed, refitted, noise="cluster")))
    mean = float(np.mean(today))
    # differences of three objects do not count (rule of three): each lowers the index by 2/n
    allowed = 2 * 3 / size
    p = (1 + sum(value <= mean + allowed for value in unchanged)) / (1 + len(unchanged))
    return ResamplingReference(mean, tuple(unchanged), p)
