"""How good a record linkage is, from a sample of entities whose records were all found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.labelings.labels import encode, known_labels
from karat.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.datasets.label_files import LabelFile

Drawn: TypeAlias = Literal["entities", "records"]


@dataclass(frozen=True)
class EntityEstimates:
    """Estimates of a linkage's quality, with standard errors.

    Attributes
    ----------
    table : DataFrame
        By measure (``pair_precision``, ``pair_recall``, ``pair_f1``, the same with ``b_cubed`` and
        ``cluster``): ``estimate``, ``standard_error`` and the interval ``low`` to ``high``. A
        measure without a value, such as the precision where no two records were linked, is not in
        it.
    delta : float
        Chance that an interval misses its value, if the normal approximation is right.
    n_records, n_clusters : int
        Of the whole linkage.
    n_entities, n_resolved : int
        Sampled entities, and the records they have.
    drawn : str
        How the entities were sampled.
    """

    table: pd.DataFrame
    delta: float
    n_records: int
    n_clusters: int
    n_entities: int
    n_resolved: int
    drawn: str

    def __str__(self) -> str:
        lines = [
            f"From {self.n_entities:,} entities with {self.n_resolved:,} of the "
            f"{self.n_records:,} records (drawn by {self.drawn}); intervals hold with a "
            f"probability of about {1 - self.delta:.4g}:",
            *(
                f"{str(name).replace('_', ' ')}: {row.estimate:.3f} ± {row.standard_error:.3f} "
                f"({row.low:.3f} to {row.high:.3f})"
                for name, row in self.table.iterrows()
            ),
        ]
        return "\n".join(lines)


def entity_estimates(
    entities: Any, clusters: Any, *, drawn: Drawn = "entities", delta: float = 0.1
) -> EntityEstimates:
    """Precision, recall and F of a linkage from a random sample of resolved entities.

    Labelled pairs or records say little about a linkage: nearly all pairs are no match. Resolve
    whole entities instead: draw some at random, and find all records of each.

    Parameters
    ----------
    entities : array-like, shape (n,)
        The entity of each record of a sampled entity; None or NaN for all other records. Every
        record of a sampled entity must have its name.
    clusters : array-like, shape (n,)
        The cluster that the linkage gave each record; a record linked to none is alone in its.
    drawn : {"entities", "records"}
        How the sample was drawn: every entity with the same chance, or records with the same
        chance, whose entities were then resolved, so that an entity's chance grows with its size.
    delta : float, default 0.1
        Allowed chance that an interval misses its value, in (0, 1).

    Returns
    -------
    EntityEstimates
        Approximate: from some 30 entities on.

    Raises
    ------
    InputError
        With fewer than two entities, or a record in no cluster.

    See Also
    --------
    entity_estimates_from_parquet : The same for tables that do not fit in memory.

    Notes
    -----
    Binette et al. (2022, 2023). With weights w, 1 or 1/size, each measure is a ratio of means over
    entities (Hájek): of the pairs that both sides join, of Σ ∣c∩g∣²/∣g∣ (B³ precision) or
    Σ ∣c∩g∣²/∣c∣ (recall), or of whether the entity is exactly one cluster. How many records,
    clusters and linked pairs there are in all is known and enters the precisions. Standard errors
    by linearisation, for F too; draws count as independent, which is on the safe side.

    Examples
    --------
    >>> from karat.bounds import entity_estimates
    >>> entities = ["a", "a", "a", "b", "b", None, None, "c"]
    >>> found = entity_estimates(entities, [0, 0, 1, 2, 2, 2, 3, 4])
    >>> float(found.table.loc["pair_recall", "estimate"])
    0.5
    """
    names = encode(clusters, name="clusters")
    if (names.codes < 0).any():
        raise InputError(
            f"{int((names.codes < 0).sum())} records are in no cluster (-1); give each record "
            "that was linked to none a cluster of its own"
        )
    sizes = np.bincount(names.codes)
    truth = known_labels(entities, len(names.codes), name="entities")
    known = np.flatnonzero([value is not None for value in truth])
    if len(known) == 0:
        raise InputError("no record has an entity; name those of the sampled ones")
    who = encode(truth[known], name="entities").codes.astype(np.int64)
    pairs, counts = np.unique(
        np.stack([who, names.codes[known].astype(np.int64)]), axis=1, return_counts=True
    )
    linked = float((sizes * (sizes - 1.0) / 2).sum())
    totals = (len(names.codes), len(sizes), linked)
    return _estimates(pairs[0], counts, sizes[pairs[1]], totals, drawn, delta)


def entity_estimates_from_parquet(
    path: Any,
    entities: str = "entity",
    clusters: str = "cluster",
    *,
    drawn: Drawn = "entities",
    delta: float = 0.1,
    memory_limit: str | None = None,
) -> EntityEstimates:
    """:func:`entity_estimates` of two columns of Parquet files that need not fit in memory.

    Parameters
    ----------
    path : str, path or list of them
        Files; a pattern such as ``"part-*.parquet"`` names many. One row a record.
    entities, clusters : str
        The columns; an entity is null for records of entities that were not sampled.
    drawn, delta
        As for :func:`entity_estimates`.
    memory_limit : str, optional
        What DuckDB may hold, such as ``"1GB"``; it spills to disk beyond. Without a limit, files
        up to 256 MB are read into memory.

    Returns
    -------
    EntityEstimates

    Raises
    ------
    InputError
        If a file or column is not there, or as for :func:`entity_estimates`.

    Notes
    -----
    One pass to count the clusters, one for the sampled records. The clusters that sampled
    records are in are what comes into memory.
    """
    from karat.datasets.label_files import LabelFile, connect

    file = LabelFile(connect(path, memory_limit), path, patterns=True)
    if file.connection is None:
        return _estimates_in_memory(file, entities, clusters, drawn, delta)
    import duckdb

    entity, cluster = file.column(entities), file.column(clusters)
    try:
        file.connection.execute(
            f"CREATE TEMP TABLE sizes AS SELECT {cluster} AS g, count(*) AS n FROM {file.view} "
            "GROUP BY ALL"
        )
        totals = file.connection.execute(
            "SELECT sum(n), count(*), sum(CAST(n AS DOUBLE) * (n - 1) / 2), "
            "coalesce(sum(n) FILTER (g IS NULL OR CAST(g AS VARCHAR) = '-1'), 0) FROM sizes"
        ).fetchall()[0]
        found = file.connection.execute(
            f"SELECT dense_rank() OVER (ORDER BY e) - 1, c, sizes.n FROM (SELECT {entity} AS e, "
            f"{cluster} AS k, count(*) AS c FROM {file.view} WHERE {entity} IS NOT NULL "
            "GROUP BY ALL) JOIN sizes ON k = sizes.g"
        ).fetchnumpy()
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{file.name} cannot be counted: {reason}") from None
    if totals[3]:
        raise InputError(
            f"{int(totals[3])} records are in no cluster (null or -1); give each record that was "
            "linked to none a cluster of its own"
        )
    who, counts, sizes = (np.asarray(column, dtype=np.int64) for column in found.values())
    if len(who) == 0:
        raise InputError(f"no record of {file.name} has an entity; name those of the sampled ones")
    whole = (int(totals[0]), int(totals[1]), float(totals[2]))
    return _estimates(who, counts, sizes, whole, drawn, delta)


def _estimates_in_memory(
    file: LabelFile, entities: str, clusters: str, drawn: Drawn, delta: float
) -> EntityEstimates:
    who, found = file.values(entities), file.values(clusters)
    if found.null_count:
        raise InputError(
            f"{found.null_count} records are in no cluster (null); give each record that was "
            "linked to none a cluster of its own"
        )
    return entity_estimates(who.to_numpy(), found.to_numpy(), drawn=drawn, delta=delta)


def _estimates(
    who: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    totals: tuple[int, int, float],
    drawn: Drawn,
    delta: float,
) -> EntityEstimates:
    """From the groups (entity, records in a cluster, size of that cluster)."""
    import pandas as pd
    from scipy.special import ndtri

    check_choice(drawn, ("entities", "records"), "drawn")
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1); got {delta!r}")
    n_entities = int(who.max()) + 1
    if n_entities < 2:
        raise InputError("a standard error needs at least two sampled entities; there is 1")
    n_records, n_clusters, linked = totals
    c, g = counts.astype(np.float64), sizes.astype(np.float64)

    def each(values: Any) -> NDArray[np.float64]:
        return np.bincount(who, weights=values, minlength=n_entities).astype(np.float64)

    size = each(c)
    ones = np.ones(n_entities)
    weight = ones if drawn == "entities" else 1 / size
    joined = each(c * (c - 1) / 2)
    exact = each((c == g) & (c == size[who]))
    inside = each(c * c)
    ratios = {
        "pair_precision": (joined, size, n_records / linked if linked else math.nan),
        "pair_recall": (joined, size * (size - 1) / 2, 1.0),
        "b_cubed_precision": (each(c * c / g), size, 1.0),
        "b_cubed_recall": (inside / size, size, 1.0),
        "cluster_precision": (exact, size, n_records / n_clusters),
        "cluster_recall": (exact, ones, 1.0),
    }
    values: dict[str, tuple[float, NDArray[np.float64]]] = {}
    for name, (over, under, factor) in ratios.items():
        mean = float((weight * under).mean())
        if mean == 0 or math.isnan(factor):
            continue
        ratio = float((weight * over).mean()) / mean
        values[name] = factor * ratio, factor * weight * (over - ratio * under) / mean
    for kind in ("pair", "b_cubed", "cluster"):
        if f"{kind}_precision" not in values or f"{kind}_recall" not in values:
            continue
        (p, dp), (r, dr) = (values[f"{kind}_{side}"] for side in ("precision", "recall"))
        if p + r == 0:
            continue
        slope = 2 / (p + r) ** 2
        values[f"{kind}_f1"] = 2 * p * r / (p + r), slope * (r * r * dp + p * p * dr)
    reach = float(-ndtri(delta / 2))
    rows = {}
    for kind in ("pair", "b_cubed", "cluster"):
        for side in ("precision", "recall", "f1"):
            if (found := values.get(f"{kind}_{side}")) is not None:
                value, parts = found
                error = float(parts.std(ddof=1)) / math.sqrt(n_entities)
                low, high = max(0.0, value - reach * error), min(1.0, value + reach * error)
                rows[f"{kind}_{side}"] = (value, error, low, high)
    table = pd.DataFrame.from_dict(
        rows, orient="index", columns=["estimate", "standard_error", "low", "high"]
    )
    return EntityEstimates(
        table, float(delta), n_records, n_clusters, n_entities, int(size.sum()), drawn
    )
