"""Clusters of a model over time: when shares, distances and unlike rows leave their ranges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets.partitioned.partitions import Part, open_partitions
from sortal.datasets.partitioned.sampled_tables import in_process_if_local
from sortal.model.all_rows import with_points
from sortal.model.tuned import TUNED
from sortal.runtime.numerals import percent, percent_digits
from sortal.runtime.progress import progress_bar
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from sortal.model.model import Model
    from sortal.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Signal:
    """One number of each period, and the evidence that it changed.

    Attributes
    ----------
    kind : {"share", "distance", "unlike"}
    cluster : str
        Empty for the rows unlike all clusters.
    values, low, high : ndarray, shape (T,)
        The share of the rows, and its range by the reference. The share is of the cluster, of its
        rows beyond three quarters of the model's distances, or of rows unlike all clusters. NaN
        without rows.
    evidence : ndarray, shape (T,)
        The e-process: an alarm where it exceeds the number of signals over alpha.
    alarm, since : int or None
        Place of the period of the first alarm, and of the one in which the change began.
    spread : float
        Variance of the reference periods over that of independent rows, at least 1.
    """

    kind: str
    cluster: str
    values: Floats
    low: Floats
    high: Floats
    evidence: Floats
    alarm: int | None
    since: int | None
    spread: float

    @property
    def name(self) -> str:
        """What changes, in words."""
        return {
            "share": f"share of {self.cluster}",
            "distance": f"share of {self.cluster} far from its centre",
            "unlike": "share of rows unlike all clusters",
        }[self.kind]


@dataclass(frozen=True, eq=False)
class WatchedClusters:
    """The signals of a model's clusters over periods.

    Attributes
    ----------
    periods : tuple of str
        In order.
    rows : tuple of int
        Rows of each period.
    n_reference : int
        Number of first periods to compare with.
    signals : tuple of Signal
    alpha : float
        Allowed chance of any false alarm, in any number of periods.
    without : int
        Rows that have no period; no signal counts them.
    """

    periods: tuple[str, ...]
    rows: tuple[int, ...]
    n_reference: int
    signals: tuple[Signal, ...] = field(repr=False)
    alpha: float
    without: int = 0

    @property
    def alarms(self) -> tuple[Signal, ...]:
        """The signals that changed, the earliest first."""
        return tuple(sorted((s for s in self.signals if s.alarm is not None), key=_alarm))

    @property
    def table(self) -> pd.DataFrame:
        """A row for each period, with its rows and the value of each signal."""
        import pandas as pd

        values = {signal.name: signal.values for signal in self.signals}
        return pd.DataFrame({"rows": self.rows, **values}, index=pd.Index(self.periods))

    @property
    def headline(self) -> str:
        """Whether anything changed."""
        watched = len(self.periods) - self.n_reference
        after = f"in {watched:,} periods after the {self.n_reference} of reference"
        if not self.alarms:
            return f"No change {after}."
        return f"{len(self.alarms)} of {len(self.signals)} signals changed {after}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """The alarms in words, and what they assume."""
        lines = [
            f"{self.periods[signal.alarm or 0]}: {signal.name} went from "
            f"{_percent(signal, reference=True)} to {_percent(signal, reference=False)}, about "
            f"{self.periods[signal.since or 0]}."
            for signal in self.alarms
        ]
        lines.append(
            f"The chance of any false alarm is at most {percent_digits(self.alpha, 6)}, however "
            "often you look, if rows are independent draws."
        )
        spread = max(signal.spread for signal in self.signals)
        if spread > 2:
            lines.append(
                f"Periods of the reference vary up to {spread:.0f} times as much as such draws. "
                "Evidence is lowered accordingly, and the chance is approximate."
            )
        few = sum(n < TUNED.few_rows for n in self.rows)
        if few:
            lines.append(
                f"Periods with fewer than {TUNED.few_rows} rows: {few:,}. Alone these raise no "
                "alarm."
            )
        if self.without:
            lines.append(f"Rows without a period, which are not counted: {self.without:,}.")
        return tuple(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        signals = []
        for signal in self.signals:
            plain: dict[str, Any] = {"name": signal.name}
            for key, value in vars(signal).items():
                is_array = isinstance(value, np.ndarray)
                plain[key] = [v if np.isfinite(v) else None for v in value] if is_array else value
            signals.append(plain)
        return vars(self) | {"signals": signals, "sentences": self.sentences}


def watch(
    model: Model,
    source: Any,
    *,
    by: str | None = None,
    n_reference: int = 7,
    alpha: float = 0.05,
    header: bool | None = None,
    encoding: str = "utf-8",
    executor: object = None,
    progress: bool | None = None,
) -> WatchedClusters:
    """Compare the rows of each period with those of the first periods, by a model's clusters.

    Parameters
    ----------
    model : Model
    source : path, address, pattern or lazy table
        See :func:`sortal.datasets.read`.
    by : str, optional
        The column of the period; of times, their day. By default each file is a period.
    n_reference : int, default 7
        First periods, which are the reference.
    alpha : float, default 0.05
        Allowed chance of any false alarm in any number of periods.
    header, encoding
        As for :func:`sortal.datasets.read`.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where to work, see :meth:`sortal.Study.sweep`.
    progress : bool, optional

    Notes
    -----
    For each signal the e-process is that of universal inference (Wasserman, Ramdas & Balakrishnan
    2020). Its numerator mixes over the period of the change, with Dirichlet priors for the shares
    before and after. Its denominator is the maximum likelihood of equal shares. By Ville's
    inequality it exceeds ``1 / a`` in any number of looks with a chance of at most ``a``.
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be between 0 and 1; got {alpha!r}")
    if n_reference < 1:
        raise InputError(f"the reference needs at least one period; got {n_reference}")
    partitions = open_partitions(source, header=header, encoding=encoding, every=True)
    if partitions is None:
        raise InputError(f"{source!r} is not a folder, a pattern, an address or a lazy table")
    if model.preparation.reshaping:
        raise InputError("the model's objects have several rows each, which periods may divide")
    needed = list(model.preparation.needed) or [name for name in partitions.columns if name != by]
    partitions.check_columns([*needed, *([] if by is None else [by])])
    decimal = partitions.text.decimal if partitions.text is not None else "."
    work = partial(_count_part, by, needed, decimal, _limits(model))
    counts: dict[str, Ints] = {}
    workers = in_process_if_local(partitions, executor)
    with progress_bar("Watching", partitions.n_rows, show=progress) as advance:
        for batch, of_part in zip(
            partitions.parts,
            workers.map(work, (model,), partitions.parts, one_blas_thread=True),
            strict=True,
        ):
            for period, cells in of_part.items():
                counts[period] = counts.get(period, 0) + cells
            advance(batch.n_rows)
    without = int(counts.pop("", np.zeros(1)).sum())
    periods = sorted(counts, key=_in_order(counts))
    if len(periods) <= n_reference:
        raise InputError(
            f"{partitions.source} has {len(periods)} periods, and the first {n_reference} are the "
            "reference. None is left to watch: choose a smaller reference (--reference) or shorter "
            "periods (--by)"
        )
    cells = np.stack([counts[period] for period in periods])
    signals = tuple(_signals(model, cells, n_reference, alpha))
    rows = tuple(cells.sum(axis=(1, 2, 3)).tolist())
    return WatchedClusters(tuple(periods), rows, n_reference, signals, alpha, without)


def _alarm(signal: Signal) -> int:
    """The place of the first alarm."""
    return signal.alarm or 0


def _percent(signal: Signal, *, reference: bool) -> str:
    """The mean share before or after the change."""
    count = slice(None, signal.since) if reference else slice(signal.since, None)
    return percent(float(np.nanmean(signal.values[count])), 1)


def _in_order(names: Any) -> Any:
    """The key that sorts periods: numbers by size, others by their text."""
    try:
        return {name: float(name) for name in names}.get
    except ValueError:
        return str


def _limits(model: Model) -> Floats:
    """The distance to the centre from which on rows are far; for each cluster and for outliers.

    Any limit is valid.
    """
    rule = model.rule
    placed = rule.place(rule.X)
    limits = np.full(model.n_clusters + 1, np.inf)
    for c in range(model.n_clusters):
        distances = placed.distances[placed.labels == c]
        if len(distances):
            limits[c] = np.quantile(distances, TUNED.near)
    return limits


def _count_part(
    by: str | None, needed: list[str], decimal: str, limits: Floats, model: Model, part: Part
) -> dict[str, Ints]:
    """Rows of a part by period, cluster, distance, and whether they are unlike all clusters."""
    import pandas as pd

    counts: dict[str, Ints] = {}
    shape = len(limits), 2, 2
    columns = list(dict.fromkeys([*needed, *([] if by is None else [by])]))
    for _, table in part.tables(columns):
        rows = with_points(table.select(needed), decimal)
        placed = model.placed(model.prepare(rows), named=False)
        names = np.full(len(rows), part.name) if by is None else _periods(table[by])
        codes, periods = pd.factorize(names)
        cluster = np.where(placed.labels < 0, model.n_clusters, placed.labels)
        is_far = placed.distances > limits[cluster]
        cell = ((codes * len(limits) + cluster) * 2 + is_far) * 2 + placed.unlike
        n_cells = len(periods) * int(np.prod(shape))
        cells = np.bincount(cell, minlength=n_cells).reshape(-1, *shape)
        for period, of_period in zip(periods, cells, strict=True):
            counts[period] = counts.get(period, 0) + of_period
    return counts


def _periods(column: pa.ChunkedArray) -> Any:
    """The period of each row as text, "" where there is none; of times, their day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_temporal(column.type) and not pa.types.is_date(column.type):
        column = pc.strftime(column, format="%Y-%m-%d")
    texts = column.cast(pa.string())
    days = pc.utf8_slice_codeunits(texts, 0, 10)
    has_time = pc.match_substring_regex(texts, r"^\d{4}-\d\d-\d\d[T ]\d\d:")
    return pc.fill_null(pc.if_else(has_time, days, texts), "").to_numpy().astype(str)


def _signals(model: Model, cells: Ints, n_reference: int, alpha: float) -> list[Signal]:
    """The signals of counted rows (periods, clusters, distances, unlike)."""
    rows = cells.sum(axis=(1, 2, 3))
    of_clusters = cells.sum(axis=(2, 3))
    unlike = cells[..., 1].sum(axis=(1, 2))
    kinds: list[tuple[str, str, Ints]] = [("unlike", "", np.stack([rows - unlike, unlike], axis=1))]
    for c, name in enumerate([*model.names, "outliers"]):
        if c == model.n_clusters and not of_clusters[:, c].any():
            continue
        share = np.stack([rows - of_clusters[:, c], of_clusters[:, c]], axis=1)
        kinds.append(("share", name, share))
        if c < model.n_clusters:
            kinds.append(("distance", name, cells[:, c].sum(axis=2)))
    return [
        _signal(kind, name, counts, n_reference, alpha / len(kinds)) for kind, name, counts in kinds
    ]


def _signal(signal: str, name: str, counts: Ints, n_reference: int, level: float) -> Signal:
    """A signal by its counts (periods, categories), of which the last one is shown."""
    from scipy.stats import norm

    spread = spread_of(counts[:n_reference])
    evidence, since = change_evidence(counts / spread, n_reference)
    over = np.flatnonzero(evidence >= -np.log(level))
    alarm = int(over[0]) if len(over) else None
    n = counts.sum(axis=1)
    before = counts[:n_reference].sum(axis=0) + 0.5
    usual = float(before[-1] / before.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(spread * usual * (1 - usual) * (1 / n + 1 / before.sum()))
        values = counts[:, -1] / n
    width = norm.isf(level / 2) * error
    return Signal(
        signal, name, values, np.clip(usual - width, 0, 1), np.clip(usual + width, 0, 1),
        np.exp(np.minimum(evidence, 700.0)), alarm, None if alarm is None else int(since[alarm]),
        spread,
    )  # fmt: skip


def spread_of(counts: Ints) -> float:
    """Variance of the periods over that of independent draws (Pearson), at least 1."""
    n, total = counts.sum(axis=1, keepdims=True), counts.sum(axis=0)
    inside = total > 0
    expected = n * total[inside] / max(int(total.sum()), 1)
    free = (int((n > 0).sum()) - 1) * (int(inside.sum()) - 1)
    if free < 1:
        return 1.0
    chi_squared = ((counts[:, inside] - expected) ** 2 / np.maximum(expected, 1e-300)).sum()
    return max(1.0, float(chi_squared) / free)


def change_evidence(counts: Floats, n_reference: int) -> tuple[Floats, Ints]:
    """Logarithm of the e-process against equal shares, and the likely begin of a change.

    ``counts`` are rows of periods and categories; leading axes are further series.
    """
    from scipy.special import logsumexp, xlogy

    total = np.cumsum(counts, axis=-2)
    n = total.sum(axis=-1)
    most = xlogy(total, total).sum(axis=-1) - xlogy(n, n)
    all_values = _mixture(total)
    evidence, since = np.zeros(n.shape), np.zeros(n.shape, dtype=np.int64)
    for t in range(n_reference, n.shape[-1]):
        starts = np.arange(n_reference, t + 1)
        place = starts - n_reference + 1
        before = total[..., starts - 1, :]
        split = all_values[..., starts - 1] + _mixture(total[..., t, None, :] - before)
        weighted = split - np.log(place * (place + 1))
        later = all_values[..., t, None] - np.log(len(starts) + 1)
        mixed = logsumexp(np.concatenate([weighted, later], axis=-1), axis=-1)
        evidence[..., t] = mixed - most[..., t]
        since[..., t] = starts[split.argmax(axis=-1)]
    return evidence, since


def _mixture(counts: Floats) -> Floats:
    """Log-likelihood of rows of categories, over a Dirichlet prior of 1/2 on their shares."""
    from scipy.special import gammaln

    m = counts.shape[-1]
    constant = gammaln(m / 2) - m * gammaln(0.5)
    sums: Floats = gammaln(counts + 0.5).sum(axis=-1) - gammaln(counts.sum(axis=-1) + m / 2)
    return sums + constant
