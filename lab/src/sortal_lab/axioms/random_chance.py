"""Values of external measures for random labels: exact for few objects, and the limit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.measures.properties import Case, Situation
from sortal_lab.axioms.definitions import Pair, gap_stays
from sortal_lab.axioms.exhaustive import Values
from sortal_lab.axioms.search import gain
from sortal_lab.axioms.valuation import Valuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats
    from sortal_lab.axioms.valuation import MeasureLike

    Ints = NDArray[np.int64]

#: sizes of classes and of clusters in the limit, in parts
SHARES = ((1, 1), (1, 2), (1, 1, 1), (1, 3), (1, 1, 2))
#: objects for each product of parts, in the limit: the second is twice the first
COPIES = (512, 1024)
#: where a value is undefined
UNDECIDED = "not decided"
#: values of the limit that differ by less are equal
CLOSE = 1e-3


def expectations(v: Values) -> tuple[Floats, Ints]:
    """Exact means over all labelings with given sizes; NaN where a value is undefined.

    Returns
    -------
    ndarray, shape (S, S)
        A row for each list of sizes of T and a column for each of C; not of one cluster, and not of
        singletons alone.
    ndarray, shape (S,)
        A partition of each list of sizes.
    """
    space = v.space
    chosen = space.distinct[v.proper[space.distinct]]
    rows = [
        [v.score[space.kind[t, _members(v, c)]].mean() for c in chosen] for t in chosen.tolist()
    ]
    return np.array(rows).reshape(len(chosen), len(chosen)), chosen


def _members(v: Values, c: int) -> list[int]:
    """Partitions with the same cluster sizes as partition c."""
    return [i for i, sizes in enumerate(v.space.sizes) if sizes == v.space.sizes[c]]


def chance_case(*ends: tuple[Values, int, int]) -> Case:
    """All tables that labelings make, with their likelihoods, for two pairs of partitions."""
    pairs: list[Pair] = []
    likelihoods = []
    for v, t, c in ends:
        members = _members(v, c)
        first: dict[int, int] = {}
        for i in members:
            first.setdefault(int(v.space.kind[t, i]), i)
        times = Counter(v.space.kind[t, members].tolist())
        pairs += [v.pair(t, i) for i in first.values()]
        likelihoods.append([times[kind] / len(members) for kind in first])
    names = [
        f"{which}, {p:.0%} of labelings"
        for which, part in zip(("first", "second"), likelihoods, strict=True)
        for p in part
    ]
    return as_case(pairs, tuple(names), first=likelihoods[0], second=likelihoods[1])


def as_case(pairs: Any, names: tuple[str, ...] = (), **facts: Any) -> Case:
    """Pairs (T, C) as the engine takes them."""
    situations = tuple(
        Situation(np.array(C, dtype=np.int64), truth=np.array(T, dtype=np.int64)) for T, C in pairs
    )
    return Case(situations, names or tuple(f"({i + 1})" for i in range(len(situations))), facts)


def over_clusterings(v: Values) -> tuple[int, int, Case | None]:
    """Test whether the mean over clusterings with fixed sizes is constant."""
    return _chance(v, 1)


def over_truths(v: Values) -> tuple[int, int, Case | None]:
    """Test whether the mean over truths with fixed sizes is constant."""
    return _chance(v, -1)


def _chance(v: Values, turn: int) -> tuple[int, int, Case | None]:
    """Test whether the means over one side of the pairs are constant."""
    E, chosen = expectations(v)
    rows = E if turn > 0 else E.T
    undefined = int(np.isnan(E).sum())
    for i, row in enumerate(rows):
        defined = np.flatnonzero(~np.isnan(row))
        bad = np.flatnonzero(gain(row[defined[0]], row[defined]) != 0) if len(defined) else defined
        if len(bad):
            ends = ((chosen[i], chosen[defined[j]])[::turn] for j in (0, bad[0]))
            return E.size - undefined, undefined, chance_case(*((v, t, c) for t, c in ends))
    return E.size - undefined, undefined, None


def constant_baseline(v: Values) -> tuple[int, int, Case | None]:
    """Against the first mean that is defined, of the fewest objects."""
    E, chosen = expectations(v)
    undefined = int(np.isnan(E).sum())
    numbers = E.size - undefined, undefined
    for n in range(3, v.n + 1):
        small = v.smaller(n)
        base, first = expectations(small)
        defined = np.argwhere(~np.isnan(base))
        if len(defined):
            change = gain(base[tuple(defined[0])], E)
            bad = np.argwhere(~np.isnan(E) & (change != 0))
            if len(bad) == 0:
                return *numbers, None
            t, c = first[defined[0]]
            return *numbers, chance_case((small, t, c), (v, *chosen[bad[0]]))
    return *numbers, None


def asymptotic_baseline(v: Values) -> tuple[int, int, Case | None]:
    """Values of independent classes and clusters that stay apart when the objects double."""
    if finite_chance(v.judge, 6) == "none":
        return len(SHARES) ** 2, 0, None
    shares = [(rows, columns) for rows in SHARES for columns in SHARES]
    tables = [[independent(*each, copies) for each in shares] for copies in (8, 16)]
    small, large = ([v.of(pair) for pair in pairs] for pairs in tables)
    defined = np.flatnonzero(~np.isnan(small) & ~np.isnan(large)).tolist()
    for i in defined[1:]:
        values = (small[defined[0]], small[i], large[defined[0]], large[i])
        if gap_stays(values, {}, ()):
            pairs = [part[j] for part in tables for j in (defined[0], i)]
            names = ("first", "second", "first, doubled", "second, doubled")
            return len(defined), len(shares) - len(defined), as_case(pairs, names)
    return len(defined), len(shares) - len(defined), None


def limits(judge: Valuation) -> Floats:
    """Value where p(c, t) = p(c) p(t), as n grows.

    A row for the shares of T, a column for those of C. The value of tables with n and 2n objects,
    extrapolated as a term in 1/n goes. For measures that are continuous functions of the
    proportions it is the limit of the expectation.
    """
    extrapolated = np.empty((len(SHARES), len(SHARES)))
    for i, rows in enumerate(SHARES):
        for j, columns in enumerate(SHARES):
            small, large = (
                judge.sign * judge.against(*map(np.array, independent(rows, columns, copies)))
                for copies in COPIES
            )
            extrapolated[i, j] = 2 * large - small
    return extrapolated


def depends_on(means: Floats, close: float) -> str:
    """``"none"``, ``"T"``, ``"C"`` or ``"C, T"``: what the means of a table of chance depend on."""
    if np.isnan(means).any():
        return UNDECIDED

    def constant(axis: int | None) -> bool:
        low, high = np.min(means, axis=axis), np.max(means, axis=axis)
        return bool(np.all(high - low <= close * np.maximum(1.0, np.abs(high))))

    if constant(None):
        return "none"
    return "T" if constant(1) else "C" if constant(0) else "C, T"


def finite_chance(measure: MeasureLike | Valuation, n: int = 7) -> str:
    """Sizes on which the value of random labels depends, for few objects.

    Parameters
    ----------
    measure : str, Measure, callable or Valuation
        An external measure, as :func:`sortal.properties` takes it.
    n : int, default 7
        Objects; at least 4.

    Returns
    -------
    {"none", "T", "C", "C, T", "not decided"}
        Whether the exact mean over all labelings with the sizes of C varies with the sizes of T, or
        with those of C; of partitions that are neither one cluster nor all singletons. Not decided
        where a value is undefined.

    Notes
    -----
    By enumeration of all pairs of partitions; 7 objects take well under a second.

    Examples
    --------
    >>> from sortal_lab.axioms.external import finite_chance
    >>> finite_chance("rand_index"), finite_chance("adjusted_rand_index")
    ('C, T', 'none')
    """
    return depends_on(expectations(Values(_judge(measure), n))[0], 1e-9)


def asymptotic_chance(measure: MeasureLike | Valuation, n: int = 7) -> str:
    """Sizes on which the value of random labels depends, for many objects.

    Parameters
    ----------
    measure : str, Measure, callable or Valuation
        An external measure, as :func:`sortal.properties` takes it.
    n : int, default 7
        Objects of the exact means: where they are constant, so is the limit.

    Returns
    -------
    {"none", "T", "C", "C, T", "not decided"}
        Whether the value where p(c, t) = p(c) p(t), extrapolated to many objects, varies with
        the shares of the classes, or of the clusters (whissell2012, section 4.8).

    Examples
    --------
    >>> from sortal_lab.axioms.external import asymptotic_chance
    >>> asymptotic_chance("purity"), asymptotic_chance("normalized_mutual_information")
    ('T', 'none')
    """
    judge = _judge(measure)
    if finite_chance(judge, n) == "none":
        return "none"
    return depends_on(limits(judge), CLOSE)


def _judge(measure: MeasureLike | Valuation) -> Valuation:
    """Valuation of a measure."""
    return measure if isinstance(measure, Valuation) else Valuation.of(measure, kind="external")


def independent(rows: tuple[int, ...], columns: tuple[int, ...], copies: int) -> Pair:
    """Independent classes and clusters of these shares."""
    T = [t for t, size in enumerate(rows) for _ in range(size * sum(columns))]
    C = [c for size in rows for _ in range(size) for c, s in enumerate(columns) for _ in range(s)]
    return tuple(T * copies), tuple(C * copies)


def optimal_numbers(measure: MeasureLike | Valuation, n: int = 7) -> str:
    """Number of clusters k of the best clusterings, relative to the number of classes t.

    Parameters
    ----------
    measure : str, Measure, callable or Valuation
        An external measure, as :func:`sortal.properties` takes it.
    n : int, default 7
        Objects.

    Returns
    -------
    {"k = t", "k >= t", "k <= t", "1 <= k <= n", "not decided"}
        Over all T: the fourth where the best may have more clusters, and may have fewer. Not
        decided where a value is undefined.

    Examples
    --------
    >>> from sortal_lab.axioms.external import optimal_numbers
    >>> optimal_numbers("rand_index"), optimal_numbers("purity")
    ('k = t', 'k >= t')
    """
    v = Values(_judge(measure), n)
    more = fewer = False
    for t in v.space.distinct.tolist():
        row = v.score[v.space.kind[t]]
        if np.isnan(row).any():
            return UNDECIDED
        best = v.space.n_clusters[gain(row.max(), row) == 0]
        more = more or bool((best > v.space.n_clusters[t]).any())
        fewer = fewer or bool((best < v.space.n_clusters[t]).any())
    if more and fewer:
        return "1 <= k <= n"
    return "k >= t" if more else "k <= t" if fewer else "k = t"
