"""Judging data that stay in a database: sums per cluster, by SQL that any engine runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.measures.catalogue import Measure, catalogue
from karat.measures.passes.plan import GIVES, OF_CENTROIDS, STATISTICS
from karat.measures.passes.statistics import Statistics
from karat.measures.scores import Scores
from karat.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

METRICS = ("euclidean", "sqeuclidean")
NOISES = ("error", "cluster", "drop")
#: the second statement has silhouettes where the text of all centroids has so many numbers at most
MOST_NUMBERS = 20_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_FIRST = ("clustering", "cluster", "n")
#: column of the second statement -> what it is the sum (or maximum) of
_SECOND = ("spread", "radius", "total_spread", "simplified", "squared")


def moments_sql(
    table: str, features: Sequence[str], clusterings: Sequence[str], *, around: Any = None
) -> str:
    """SQL that adds up, for each cluster, what measures of centroids are computed from.

    Parameters
    ----------
    table : str
        Name of a table or view.
    features : sequence of str
        Its numeric columns, without NULL.
    clusterings : sequence of str
        Its columns of labels; -1 marks outliers.
    around : DataFrame, Arrow table, DuckDB relation or mapping, optional
        The result of the first statement. The second statement looks at the deviations from these
        centroids: it keeps the digits that data far from the origin lose, and adds sums of
        distances and the silhouettes of centroids. The result of the second may be given again,
        for the silhouettes of data that are millions of times as far from the origin as from
        their centroids.

    Returns
    -------
    str
        One ``SELECT``. The first goes once through the table for all clusterings, the second once
        for each.

    Raises
    ------
    InputError
        For names that are not plain (letters, digits, ``_``): engines quote others differently.

    Notes
    -----
    The text is the same for DuckDB and Spark SQL. Rows of partial results, say of the parts of a
    table, may simply be put together: :func:`evaluate_from_moments` adds them up.

    Examples
    --------
    >>> import duckdb, karat
    >>> points = duckdb.sql("SELECT * FROM (VALUES (0.0, 1), (1.0, 1), (9.0, 2)) t(x, k)")
    >>> first = duckdb.sql(karat.moments_sql("points", ["x"], ["k"]))
    >>> first.order("cluster").fetchall()
    [('k', '1', 2, 1.0, 1.0), ('k', '2', 1, 9.0, 81.0)]
    >>> second = duckdb.sql(karat.moments_sql("points", ["x"], ["k"], around=first))
    >>> karat.evaluate_from_moments(second, measures=["davies_bouldin_index"])
       davies_bouldin_index
    k               0.05882
    """
    features, clusterings = list(features), list(clusterings)
    for name in (table, *features, *clusterings):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                f"{name!r} is not a plain name of letters, digits and '_'; engines quote others "
                "differently: make a view with plain names"
            )
    if not features or not clusterings:
        raise InputError("name at least one feature and one column of labels")
    if around is None:
        return _first_statement(table, features, clusterings)
    known = {m.name: m for m in _moments_of(_frame(around), "cluster")}
    for name in clusterings:
        if name not in known:
            raise InputError(f"around has no clustering {name!r}; it has {', '.join(known)}")
        if known[name].d != len(features):
            raise InputError(f"around has {known[name].d} features, and {len(features)} are named")
    return "\nUNION ALL\n".join(
        _second_statement(table, features, name, known[name]) for name in clusterings
    )


def _first_statement(table: str, features: list[str], clusterings: list[str]) -> str:
    which = " ".join(f"WHEN GROUPING({c}) = 0 THEN '{c}'" for c in clusterings)
    label = " ".join(f"WHEN GROUPING({c}) = 0 THEN CAST({c} AS STRING)" for c in clusterings)
    sums = [f"SUM(CAST({f} AS DOUBLE)) AS sum_{j}" for j, f in enumerate(features, 1)]
    squares = [
        f"SUM(CAST({f} AS DOUBLE) * CAST({f} AS DOUBLE)) AS square_{j}"
        for j, f in enumerate(features, 1)
    ]
    sets = ", ".join(f"({c})" for c in clusterings)
    return (
        f"SELECT CASE {which} END AS clustering, CASE {label} END AS cluster, COUNT(*) AS n,\n  "
        + ",\n  ".join(sums + squares)
        + f"\nFROM {table}\nGROUP BY GROUPING SETS ({sets})"
    )


def _second_statement(table: str, features: list[str], name: str, known: _Moments) -> str:
    d, k = known.d, len(known.clusters)
    centers = known.origins + known.sums / known.sizes[:, None]
    kept = [c for c, cluster in enumerate(known.clusters) if cluster != str(NOISE)]
    weights = known.sizes[kept]
    mean = weights @ centers[kept] / max(weights.sum(), 1)
    spreads = known.around().sum(axis=1) / known.sizes
    x = [f"CAST(t.{f} AS DOUBLE)" for f in features]
    columns = ", ".join(["cluster", *(f"m_{j}" for j in range(1, d + 1))])
    rows = ",\n    ".join(
        f"({_text(cluster)}, {', '.join(map(_number, center))})"
        for cluster, center in zip(known.clusters, centers.tolist(), strict=True)
    )
    inner = [f"{one} - c.m_{j} AS u_{j}" for j, one in enumerate(x, 1)]
    inner += [f"c.m_{j} AS m_{j}" for j in range(1, d + 1)]
    inner.append(f"SQRT({_squared(x, mean)}) AS from_all")
    many = k * d <= MOST_NUMBERS and len(kept) > 1
    if many:
        inner += [f"{_squared(x, centers[c])} AS d_{c}" for c in kept]
    own = " + ".join(f"u_{j} * u_{j}" for j in range(1, d + 1))
    middle = ["*", f"{own} AS own"]
    if many:
        there = [(c, _text(known.clusters[c])) for c in kept]
        nearest = ", ".join(f"CASE WHEN cluster <> {t} THEN SQRT(d_{c}) END" for c, t in there)
        squared = ", ".join(
            f"CASE WHEN cluster <> {t} THEN d_{c} + {_number(spreads[c])} END" for c, t in there
        )
        # of pairs within a cluster of n, an object is in n − 1
        mine = " ".join(
            f"WHEN {t} THEN ({own} + {_number(spreads[c])}) * "
            f"{_number(known.sizes[c] / max(known.sizes[c] - 1, 1))}"
            for c, t in there
        )
        middle += [
            f"SQRT({own}) AS a_1",
            f"LEAST({nearest}) AS b_1",
            f"CASE cluster {mine} END AS a_2",
            f"LEAST({squared}) AS b_2",
        ]
    outer = [f"SUM(u_{j}) AS sum_{j}" for j in range(1, d + 1)]
    outer += [f"SUM(u_{j} * u_{j}) AS square_{j}" for j in range(1, d + 1)]
    outer += [f"MAX(m_{j}) AS origin_{j}" for j in range(1, d + 1)]
    outer += ["SUM(SQRT(own)) AS spread", "SQRT(MAX(own)) AS radius"]
    outer.append("SUM(from_all) AS total_spread")
    single = [_text(known.clusters[c]) for c in kept if known.sizes[c] == 1]
    alone = f"WHEN cluster IN ({', '.join(single)}) THEN 0 " if single else ""
    for i, title in ((1, "simplified"), (2, "squared")):
        value = "NULL"
        if many:
            value = (
                f"SUM(CASE {alone}WHEN GREATEST(a_{i}, b_{i}) > 0 "
                f"THEN (b_{i} - a_{i}) / GREATEST(a_{i}, b_{i}) ELSE 0 END)"
            )
        outer.append(f"CAST({value} AS DOUBLE) AS {title}")
    return (
        f"SELECT '{name}' AS clustering, cluster, COUNT(*) AS n,\n  "
        + ",\n  ".join(outer)
        + "\nFROM (SELECT "
        + ",\n  ".join(middle)
        + f"\nFROM (SELECT CAST(t.{name} AS STRING) AS cluster,\n  "
        + ",\n  ".join(inner)
        + f"\nFROM {table} AS t\nJOIN (VALUES {rows}) AS c({columns})\n"
        + f"ON CAST(t.{name} AS STRING) = c.cluster) AS near) AS told\nGROUP BY cluster"
    )


def _squared(x: list[str], center: Floats) -> str:
    return " + ".join(
        f"({one} - {_number(value)}) * ({one} - {_number(value)})"
        for one, value in zip(x, center.tolist(), strict=True)
    )


def _number(value: float) -> str:
    """A literal that every engine reads as a double: with an exponent."""
    return f"({value:.17e})"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def evaluate_from_moments(
    moments: Any,
    *,
    measures: Iterable[str] | None = None,
    metric: str = "euclidean",
    noise: str = "error",
) -> Scores:
    """Judge clusterings by their clusters' sums, which :func:`moments_sql` asks a database for.

    Parameters
    ----------
    moments : DataFrame, Arrow table, DuckDB relation or mapping of columns
        A row for each cluster: ``clustering``, ``cluster``, ``n``, and for the features j = 1..d
        ``sum_j`` = Σx and ``square_j`` = Σx². With ``origin_j`` these are of x − origin. Rows of
        the same cluster are added up. From the second statement also sums of distances and
        silhouettes.
    measures : iterable of str, optional
        Catalogue keys; by default all default ones that these sums allow.
    metric : {"euclidean", "sqeuclidean"}
        With squared Euclidean distances, measures of sums over pairs are functions of these sums
        too.
    noise : {"error", "cluster", "drop"}
        What the cluster -1 means.

    Returns
    -------
    Scores
        As :func:`karat.evaluate` gives them, but for rounding: about 16 digits less those of
        (distance from the origin / spread)², all of them with the second statement.

    Raises
    ------
    InputError
        For missing columns, or a measure that needs other statistics.

    Notes
    -----
    O(Σk d + Σk²) for everything here; the pass over the rows was the database's.

    Examples
    --------
    >>> import karat
    >>> sums = {"clustering": ["k", "k"], "cluster": [1, 2], "n": [2, 2], "sum_1": [1.0, 21.0],
    ...         "square_1": [1.0, 221.0]}
    >>> karat.evaluate_from_moments(sums, measures=["calinski_harabasz_index"])
       calinski_harabasz_index
    k                      200
    >>> karat.calinski_harabasz_index([[0.0], [1.0], [10.0], [11.0]], [1, 1, 2, 2])
    200.0
    """
    check_choice(metric, METRICS, "metric")
    check_choice(noise, NOISES, "noise")
    found = _moments_of(_frame(moments), noise)
    stats = _MomentStatistics(found, metric)
    chosen = [
        m
        for m in catalogue.select(measures, kind="internal" if measures is None else None)
        if measures is not None or (m.default and stats.allows(m))
    ]
    for measure in chosen:
        if not stats.allows(measure):
            raise InputError(stats.lacks(measure))
    values: dict[str, Floats] = {}
    reasons: dict[str, dict[str, str]] = {}
    for measure in chosen:
        try:
            values[measure.key], why = measure.judge(stats)
        except _MissingError as error:
            if measures is not None:
                raise InputError(f"{measure.key}: {error}") from None
            continue
        for m, reason in why.items():
            reasons.setdefault(found[m].name, {})[measure.key] = reason
    if not values:
        raise InputError("no measure can be computed from these sums")
    coverage = np.array([m.judged / m.total for m in found])
    return Scores.of([m.name for m in found], values, reasons, coverage)


class _Moments:
    """The sums of one clustering."""

    def __init__(self, name: str, rows: pd.DataFrame, d: int, noise: str) -> None:
        self.name, self.d = name, d
        self.total = float(rows["n"].sum())
        outliers = (rows["cluster"] == str(NOISE)).to_numpy()
        if outliers.any() and noise == "error":
            raise InputError(
                f"{name} marks {int(rows['n'][outliers].sum()):,} of {self.total:,.0f} objects as "
                'outliers (-1); say what they are: noise="cluster" or "drop"'
            )
        if noise == "drop":
            rows = rows[~outliers]
        rows = rows.sort_values("cluster")
        self.judged = float(rows["n"].sum())
        self.clusters = rows["cluster"].tolist()
        self.sizes = rows["n"].to_numpy(dtype=np.int64)

        def matrix(title: str) -> Floats:
            columns = [f"{title}_{j}" for j in range(1, d + 1)]
            return rows[columns].to_numpy(dtype=np.float64)

        self.sums, self.squares = matrix("sum"), matrix("square")
        there = "origin_1" in rows
        self.origins = matrix("origin") if there else np.zeros_like(self.sums)
        self.second = {
            title: rows[title].to_numpy(dtype=np.float64) for title in _SECOND if title in rows
        }
        if outliers.any() and noise == "cluster":  # the statement took them for outliers
            for title in _SECOND[2:]:
                self.second.pop(title, None)

    def around(self) -> Floats:
        """Sums of squares around the centroid, by feature."""
        return np.asarray(np.maximum(self.squares - self.sums**2 / self.sizes[:, None], 0.0))


def _frame(given: Any) -> pd.DataFrame:
    import pandas as pd

    for method in ("df", "to_pandas", "toPandas"):
        if hasattr(given, method):
            given = getattr(given, method)()
            break
    table = pd.DataFrame(given)
    missing = [name for name in (*_FIRST, "sum_1", "square_1") if name not in table]
    if missing:
        raise InputError(
            f"moments lack the column{'s' * (len(missing) > 1)} {', '.join(missing)}; "
            "karat.moments_sql makes them"
        )
    if table["cluster"].isna().any():
        raise InputError(
            f"{table.loc[table['cluster'].isna(), 'n'].sum():,} objects have no label (NULL); "
            "exclude those rows in a view, or give them a label (-1 marks outliers)"
        )
    table["cluster"] = table["cluster"].astype(str)
    return table


def _moments_of(table: pd.DataFrame, noise: str) -> list[_Moments]:
    d = sum(str(name).startswith("sum_") for name in table)
    lacking = [
        name
        for title in ("sum", "square", *(["origin"] if "origin_1" in table else []))
        for j in range(1, d + 1)
        if (name := f"{title}_{j}") not in table
    ]
    if lacking:
        raise InputError(f"moments lack the columns {', '.join(lacking[:5])} for {d} features")
    ways = {
        name: "max" if str(name).startswith(("origin_", "radius")) else "sum"
        for name in table
        if name not in _FIRST[:2]
    }
    origins = [name for name in table if str(name).startswith("origin_")]
    groups = table.groupby(["clustering", "cluster"], sort=False)
    if origins and (groups[origins].nunique() > 1).any(axis=None):
        raise InputError("rows of the same cluster have different origins; they cannot be added")
    whole = groups.agg(ways).reset_index()
    for title in ("simplified", "squared"):
        if title in whole and table[title].isna().any():
            del whole[title]
    names = dict.fromkeys(whole["clustering"].astype(str))
    return [
        _Moments(name, whole[whole["clustering"].astype(str) == name], d, noise) for name in names
    ]


class _MissingError(InputError):
    """A measure read what is not among the sums."""


class _Shape:
    def __init__(self, n: int, d: int) -> None:
        self.shape = (n, d)


class _MomentStatistics(Statistics):
    """The statistics that follow from moments; the others are not there."""

    def __init__(self, found: list[_Moments], metric: str) -> None:
        self.metric, self.weights = metric, None
        self._numbers = {}
        self.failed = {}
        self.X: Any = _Shape(int(max(m.total for m in found)), found[0].d)
        counts = np.array([len(m.clusters) for m in found], dtype=np.int64)
        names = tuple(np.array(m.clusters, dtype=object) for m in found)
        no_codes = np.empty((len(found), 0), dtype=np.int32)
        self.labelings = Labelings(no_codes, tuple(m.name for m in found), counts, names)
        self.sizes: Any = [m.sizes for m in found]
        self.centroids = [m.origins + m.sums / m.sizes[:, None] for m in found]
        self.feature_squares = [m.around() for m in found]
        self.squares = [around.sum(axis=1) for around in self.feature_squares]
        second = set.intersection(*(set(m.second) for m in found))
        if {"spread", "radius"} <= second:
            self.spreads = [m.second["spread"] for m in found]
            self.radii = [m.second["radius"] for m in found]
        if "total_spread" in second:
            self.total_spreads = [float(m.second["total_spread"].sum()) for m in found]
        if "simplified" in second:
            self.simplified_silhouette_sums = [m.second["simplified"] for m in found]
        if "squared" in second:
            self.squared_silhouette_sums = [m.second["squared"] for m in found]
            if metric == "sqeuclidean":
                self.silhouette_sums = self.squared_silhouette_sums
        if metric == "sqeuclidean":
            self.within_sums, self.between_sums = [], []
            for m in range(len(found)):
                self._squares_of_pairs(m)

    def __getattr__(self, name: str) -> Any:
        if any(name in attributes for attributes in GIVES.values()):
            raise _MissingError(
                f"it needs {name.replace('_', ' ')}, which only the second statement adds up "
                "(karat.moments_sql(..., around=...))"
            )
        raise AttributeError(name)

    def allows(self, measure: Measure) -> bool:
        """Whether a measure is a function of sums per cluster."""
        of_sums = {need for need, (name, _) in STATISTICS.items() if name == "centroids"}
        if self.metric == "sqeuclidean":
            of_sums |= OF_CENTROIDS
        return bool(measure.needs) and measure.needs <= of_sums - {"cross_spreads"}

    def lacks(self, measure: Measure) -> str:
        """Why a measure is none."""
        other = [STATISTICS[need][1] for need in sorted(measure.needs)] or ["the objects"]
        return (
            f"{measure.key} is no function of the clusters' sums: it reads {'; '.join(other)}. "
            "karat.evaluate computes it from the rows"
        )
