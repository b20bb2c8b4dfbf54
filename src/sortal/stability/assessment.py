"""Assessment of one clusterer: the number of clusters found again, and which ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from sortal.clusterers import as_clusterer
from sortal.labelings.labels import encode
from sortal.nulls.references import Null
from sortal.runtime.draws import draw_rows
from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError
from sortal.stability.calibrated import calibrated_stability, n_null_resamples
from sortal.stability.clusterwise import clusterwise_bootstrap
from sortal.stability.consensus import MAX_CLUSTERS, Consensus, consensus_matrix
from sortal.stability.engine import Engine, ResamplingOptions, check_draws, prepare
from sortal.stability.result import ClusterStability, StabilityCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.clusterers import Clusterer
    from sortal.stability.engine import ClustererLike
    from sortal.typing import ArrayLike, Labels, Rows

#: limit of cost: saves fits to more objects, which are sampled first
MOST_OBJECTS = 5_000
#: limit of cost: saves the consensus of more objects
MAX_SHOWN = 300


@dataclass(frozen=True)
class Assessment:
    """Stability of a clusterer's answers: over k beside a null, and cluster by cluster.

    Attributes
    ----------
    clusterer : str
        Its key.
    curve : StabilityCurve or None
        Of pairs of subsamples over k (:func:`calibrated_stability`), beside the null; None where
        the number of clusters is not what the clusterer is told.
    clusters : ClusterStability
        The clusters of one clustering (:func:`clusterwise_bootstrap`).
    value : int or float
        The parameter's value that this clustering was made with, usually its number of clusters.
    rows : ndarray of int64
        The objects that were resampled: all, or those drawn.
    shown : ndarray of int64
        The objects of ``consensus``, in the order of the dendrogram of average linkage.
    consensus : ndarray of float32
        How often each two of them are together, of the subsamples that have both; NaN for none.
    n_references : int
        Reference data sets of each kind; 0 where there is no null.
    found_in_null : tuple of int
        How many clusters a clusterer that finds the number itself finds in each reference set.
    """

    clusterer: str
    curve: StabilityCurve | None
    clusters: ClusterStability
    value: float
    rows: NDArray[np.int64]
    shown: NDArray[np.int64]
    consensus: NDArray[np.float32]
    n_references: int
    found_in_null: tuple[int, ...] = ()

    @property
    def selected(self) -> int | None:
        """The number of clusters that is far more stable than the null, 1 for none."""
        return None if self.curve is None else self.curve.selected

    @property
    def number(self) -> str:
        """A sentence on the number of clusters."""
        if self.curve is None:
            n_clusters, counts = len(self.clusters.table), self.clusters.found.tolist()
            return f"{own_number(self.clusterer, n_clusters, counts, self.found_in_null)}."
        table, k = self.curve.table, self.selected
        if k is None:
            return (
                "There is no null beside this curve, and small numbers of clusters are stable "
                "whatever the data: the curve does not decide between them."
            )
        span = f"{table.index[0]} to {table.index[-1]}"
        if k == 1:
            return (
                f"No number of clusters from {span} is found again far better than in null "
                "references: the data may be one cluster, whose parts can be found again, too, or "
                "have clusters without gaps between them."
            )
        share, by_chance = (percent(table[name].loc[k], 1) for name in ("value", "null"))
        sentence = (
            f"{k} clusters stand out: {share} of the objects of the worst of them stay together in "
            f"another half, against {by_chance} in null references"
        )
        judged = "" if k == self.value else f", not the {self.value:g} judged here"
        return f"{sentence}{judged}."

    @property
    def advice(self) -> str:
        """Sentences on the number of clusters, then on which clusters to believe."""
        return f"{self.number} {self.clusters.advice}"

    @property
    def changing(self) -> NDArray[np.int64]:
        """Objects that are outside of their cluster's match in most resamples, worst first."""
        objects = self.clusters.objects
        often = np.flatnonzero(objects < 0.5)
        return self.rows[often[np.argsort(objects[often], kind="stable")]]

    def __str__(self) -> str:
        curve = "" if self.curve is None else f"\n\n{self.curve}"
        return f"{self.advice}{curve}\n\n{self.clusters.table.round(3)}"

    def _repr_html_(self) -> str:
        """The advice, the curve and the table of clusters as HTML."""
        import html

        curve = "" if self.curve is None else self.curve._repr_html_()
        return f"<p>{html.escape(self.advice)}</p>{curve}{self.clusters._repr_html_()}"


def own_number(clusterer: str, k: int, counts: Sequence[int], in_null: Sequence[int]) -> str:
    """A sentence on the number of clusters where the clusterer finds it itself."""
    sentence = (
        f"{clusterer} finds the number of clusters itself: {k}, and as many in "
        f"{counts.count(k)} of {len(counts)} resamples ({min(counts)} to {max(counts)} in all)"
    )
    if not in_null:
        return sentence
    several = sum(count > 1 for count in in_null)
    return f"{sentence}; in {several} of {len(in_null)} null references it finds two or more"


def assess(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 9),
    labels: Labels | None = None,
    value: float | None = None,
    n_resamples: int = 20,
    n_references: int = 5,
    max_objects: int | None = MOST_OBJECTS,
    everywhere: bool = True,
    **options: Unpack[ResamplingOptions],
) -> Assessment:
    """Judge how many clusters of a clusterer would be found again, and which ones.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
        Numbers of clusters for the curve, from 2 upward.
    labels : array-like, shape (n,), optional
        The clustering to judge, made with ``value``. By default the clusterer's own at the selected
        k; if that is 1, at the k with the least ratio to the null.
    value : number, optional
        The swept parameter of ``labels``.
    n_resamples : int
        Pairs of subsamples for each k; the clusters are judged on twice as many resamples.
    n_references : int
        Reference data sets of each kind (:func:`draw_reference`); a graph has none.
    max_objects : int, optional
        More objects than these are sampled first; None for never.
    everywhere : bool
        Whether every k of the curve stands beside its null, or only those that the answer depends
        on, see :func:`calibrated_stability`.
    **options
        As for :func:`prediction_strength`.

    Notes
    -----
    2·n_resamples·(1 + 0.4·n_references) fits for each k, three times the second term where clusters
    are in doubt, and 4·n_resamples for the clusters. The curve is :func:`calibrated_stability`, the
    clusters follow Hennig 2007, and the consensus Monti, Tamayo, Mesirov & Golub 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import assess
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ((0, 0), (3, 0), (0, 3))])
    >>> assess(X, k=range(2, 5), n_resamples=5, n_references=3).value
    3.0
    """
    check_draws(n_resamples)
    record = as_clusterer(clusterer)
    engine = prepare(X, record, **options)
    most = engine.n if max_objects is None else max_objects
    rows = draw_rows(engine.n, most, engine.generator(2**31 + 1))
    data = engine.X if len(rows) == engine.n else engine.part(rows)
    encoded = None
    if labels is not None:
        if value is None:
            raise InputError("labels need the value that they were made with, e.g. value=3")
        codes = np.asarray(labels)
        if len(codes) != engine.n:
            raise InputError(f"labels has {len(codes)} labels, but there are {engine.n} objects")
        encoded = encode(codes[rows])
    null = Null(data, engine.metric)
    n_references = n_references if null.kinds else 0
    options = engine.options
    curve = None
    if record.parameter == "n_clusters":
        curve = calibrated_stability(
            data, record, k=k, n_resamples=n_resamples, n_references=n_references,
            everywhere=everywhere, **options,
        )  # fmt: skip
        if value is None:
            value = curve.selected if (curve.selected or 1) > 1 else _most_stable(curve)
    elif value is None:
        value = record.values[0]
    parameter_value: Any = value
    in_null: tuple[int, ...] = ()
    if curve is None:
        in_null = _found_in_null(null, record, parameter_value, n_references, options)
    clusters = clusterwise_bootstrap(
        data,
        record,
        k=parameter_value,
        labels=None if encoded is None else encoded.codes,
        n_resamples=2 * n_resamples,
        **options,
    )
    if encoded is not None:
        names = clusters.table.set_axis(encoded.names.tolist(), axis=0).rename_axis("cluster")
        clusters = replace(clusters, table=names)
    positions, consensus = _consensus(
        data, record, parameter_value, clusters, 2 * n_resamples, engine
    )
    return Assessment(
        clusterer=record.key,
        curve=curve,
        clusters=clusters,
        value=float(parameter_value),
        rows=rows,
        shown=rows[positions],
        consensus=consensus,
        n_references=n_references,
        found_in_null=in_null,
    )


def n_steps(k: int, n_resamples: int, n_sets: int) -> int:
    """Number of draws that an assessment makes, for its progress bar."""
    curve = n_resamples + n_sets * n_null_resamples(n_resamples)
    return (curve if k else n_sets) + 4 * n_resamples


def _found_in_null(
    null: Null, record: Clusterer, value: Any, n_references: int, options: ResamplingOptions
) -> tuple[int, ...]:
    """Number of clusters in each reference data set, for the same parameter."""
    engine = prepare(null.X, record, **options)

    def count(job: tuple[int, int]) -> int:
        rng = engine.generator(2**31 + 3, *job)
        sample = replace(engine, X=null.draw(null.kinds[job[0]], rng), _lists=[])
        return int(sample.fit(None, [value], rng)[0].max(initial=-1)) + 1

    jobs = [(kind, r) for kind in range(len(null.kinds)) for r in range(n_references)]
    return tuple(engine.map(count, jobs))


def _most_stable(curve: StabilityCurve) -> int:
    """The least unstable number of clusters, relative to the null where there is one."""
    unstable = -curve.table["value"]
    if "ratio" in curve.table and curve.table["ratio"].notna().any():
        unstable = curve.table["ratio"]
    return list(curve.samples)[int(np.nanargmin(unstable.to_numpy()))]


def _consensus(
    data: Rows,
    record: Clusterer,
    value: Any,
    clusters: ClusterStability,
    n_resamples: int,
    engine: Engine,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Objects in the order of the dendrogram, and the consensus of each two."""
    n = data.shape[0]
    if len(clusters.table) > MAX_CLUSTERS:
        return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32)
    consensus = consensus_matrix(data, record, k=value, n_resamples=n_resamples, **engine.options)
    rows = draw_rows(n, MAX_SHOWN, engine.generator(2**31 + 2))
    key = next(iter(consensus.labels))
    sampled = Consensus(
        consensus.table, {key: np.ascontiguousarray(consensus.labels[key][:, rows])}
    )
    order = sampled.order(key)
    return rows[order], sampled.matrix(key)[np.ix_(order, order)]
