"""Tables 5.4, 5.5 and 5.12 to 5.14: what published figures of chapter 5 can be.

Repeated bisection has the highest published entropy quality (EQ) on every collection. With EQ the
mutual information is known, and NMI is least where clusters are many and of one size.

Clusterers that are cheap enough run at all numbers of clusters. Clink also with its ties resolved
in another way: clusters without a term in common have the same distance, 1. The partitional ones of
the toolkit run also where the toolkit scales columns by idf for the weights that have idf alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bench import Benchmark, mean_interval
from sortal.labelings import cut_dendrogram
from sortal_lab import ExperimentResult
from sortal_lab import whissell2012_tables as published
from sortal_lab.whissell2012_chapter5_race import (
    KS,
    MEASURES,
    ON_IDF,
    SETS,
    TESTED,
    algorithms,
    collection,
    scale,
    weigh,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

WEIGHTS = ("tf", "tf-idf")
BISECTIONS = ("RB-I2", "RB-H1")
#: so many that the published EQ and NMI are both possible
MANY = 60
STARTS = 10
#: run at all numbers of clusters, where the tables have a few; the second ones not in a quick look
AT_ALL = ("PAM", "Clink", "Agglo-I2", "Agglo-H1")
ALSO_AT_ALL = ("Spect-Un", "Spect-RW", "Spect-Sy", "PCA-K")
#: run at nine numbers of clusters from fewer starts
PARTITIONAL = ("RB-I2", "Direct-I2", "RB-H1", "Direct-H1")
NINE, FEW_STARTS = 3, 3
SOME_SCALED = "idf weights on idf columns"
#: of each table the weights that it compares, and its collections
TABLES = {
    "5.5": (("tf-idf", "tf"), SETS),
    "5.12": (("bm25-tf", "tf"), TESTED),
    "5.13": (("bm25-tf-idf", "tf-idf"), TESTED),
    "5.14": (("bm25-tf-idf", "bm25-tf"), TESTED),
}
#: collections of those runs where each bisection has one start
FEW_SETS = ("re0", "tr45")


def least_nmi(sizes: NDArray[np.int64], quality: float, ks: Iterable[int] = KS) -> float:
    """Least mean NMI over these numbers of clusters where the mean EQ is ``quality``.

    The mutual information is H(T) - (1 - EQ) log of the number of classes. It is at most H(T) and
    log k, and NMI is least where the k clusters have one size.

    >>> round(least_nmi(np.array([5, 5]), 1.0, [2]), 12)
    1.0
    """
    shares = sizes / sizes.sum()
    entropy = float(-(shares * np.log(shares)).sum())
    logs = np.log(np.sort(np.asarray(list(ks)))[::-1])
    left = len(logs) * (entropy - (1 - quality) * np.log(len(sizes)))
    total = 0.0
    for log_k in logs:  # information costs least NMI where clusters are many
        taken = min(left, entropy, log_k)
        total += taken / np.sqrt(log_k * entropy)
        left -= taken
    return float(total / len(logs)) if left < 1e-9 else float("inf")


def _possible() -> list[str]:
    """What is said of the published EQ and NMI of each collection and weight."""
    told = []
    for which in SETS:
        sizes = np.unique(collection(which)[1], return_counts=True)[1]
        for place, weight in enumerate(WEIGHTS):
            of_set = {m: published.BEST["5.4"][m][which][2 * place :] for m in ("EQ", "NMI")}
            least = least_nmi(sizes, of_set["EQ"][1])
            told.append(
                f"{which}, {weight}: {of_set['EQ'][0]} has EQ {of_set['EQ'][1]:.3f}; with that a "
                f"mean NMI over k = {min(KS)}..{max(KS)} is at least {least:.3f}; the highest "
                f"published, of {of_set['NMI'][0]}, is {of_set['NMI'][1]:.3f}"
                + (": impossible." if least > of_set["NMI"][1] + 0.0005 else ".")
            )
    return told


def complete_linkage(X: Any, ks: Iterable[int] = KS) -> tuple[dict[int, NDArray[np.intp]], int]:
    """Complete linkage by the cosine, with clusters that share no term merged from the last row.

    As soon as no two clusters are nearer than 1, all of them are as far from each other. The
    cluster with the last row then takes that with the last row of the others, and so on.

    Returns labels by k, and the number of clusters that are all as far from each other.

    >>> rows = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> complete_linkage(rows, [2])
    ({2: array([1, 1, 0, 0])}, 3)
    """
    import fastcluster

    similarities = np.asarray((X @ X.T).todense() if hasattr(X, "todense") else X @ X.T)
    n = len(similarities)
    distances = np.clip(1 - similarities[np.triu_indices(n, 1)], 0, 1)
    tree = fastcluster.linkage(distances, "complete", preserve_input=False)
    untied = n - int((tree[:, 2] < 1 - 1e-9).sum())
    found = {}
    for k in ks:
        labels = cut_dendrogram(tree, n_clusters=[max(k, untied)])[0]
        last = np.array([np.flatnonzero(labels == c).max() for c in range(max(k, untied))])
        place = np.argsort(np.argsort(-last))
        found[k] = np.maximum(place - (len(last) - k), 0)[labels]
    return found, untied


def _changes(table: Any, reading: str, names: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Changes of the tables from the means over k, (weight, set) by (clusterer, measure)."""
    rows: list[dict[str, Any]] = []
    for number, ((second, first), sets) in TABLES.items():
        of_table = [which for which in sets if (first, which) in table.index]
        for way in names:
            for place, short in enumerate(MEASURES):
                values = table[way, short]
                change = 100 * (values[second][of_table] / values[first][of_table] - 1)
                low, high = mean_interval(change.to_numpy(float))
                row: dict[str, Any] = {"clusterer": way, "measure": short}
                row |= {"sets": str(len(change)), "reading": f"table {number}, {reading}"}
                row |= {"ours": change.mean(), "low": low, "high": high}
                rows.append(row | {"published": published.BY_ALGORITHM[number][way][place]})
    return rows


def _means(table: pd.DataFrame) -> Any:
    """Means over the numbers of clusters: (weight, set) by (clusterer, measure)."""
    table = table.rename(columns={key: short for short, key in MEASURES.items()})
    means: Any = table.groupby(["representation", "set", "method"])[list(MEASURES)].mean()
    return means.unstack("method").swaplevel(axis=1).sort_index()


def _at_all_numbers(
    data: Any,
    ways: tuple[str, ...],
    seed: int,
    storage: str | Path | None,
    progress: Callable[[str], None] | None,
) -> tuple[list[dict[str, Any]], str]:
    """Rows of clusterers at all numbers of clusters, and of Clink with other ties; a note."""
    import pandas as pd

    import sortal

    methods = {way: one for way, one in algorithms(STARTS).items() if way in ways}
    table = Benchmark(
        data, methods, MEASURES.values(), k=list(KS), n_init=1, metric="cosine", storage=storage,
        random_state=seed,
    ).run(progress).table  # fmt: skip
    rows = _changes(_means(table), "all numbers", ways)
    ties, untied = {}, {}
    for which, (weighted, classes) in data.items():
        for weight, X in weighted.items():
            found, untied[weight, which] = complete_linkage(X)
            labels = {str(k): codes for k, codes in found.items()}
            scores = sortal.evaluate(None, labels, y=classes, measures=list(MEASURES.values()))
            ties[weight, which] = scores.table[list(MEASURES.values())].mean().to_numpy()
    columns = pd.MultiIndex.from_product([["Clink"], MEASURES])
    other = pd.DataFrame.from_dict(ties, orient="index", columns=columns)
    other.index = pd.MultiIndex.from_tuples(other.index)
    tied = ", ".join(f"{which} {number}" for (w, which), number in untied.items() if w == "tf-idf")
    note = (
        f"'all numbers': the tables' changes with {', '.join(ways)} at all numbers of clusters, "
        f"{min(KS)} to {max(KS)}. 'other ties': Clink where clusters that share no term are merged "
        "from the last document on. All such clusters are equally far from each other, and the "
        f"algorithm does not say which to merge. With tf-idf their number is: {tied}."
    )
    return rows + _changes(other.sort_index(), "other ties", ["Clink"]), note


def _partitional(
    data: Any,
    starts: int,
    seed: int,
    storage: str | Path | None,
    progress: Callable[[str], None] | None,
) -> tuple[list[dict[str, Any]], str]:
    """Rows of the toolkit's partitional clusterers, and with its idf for some weights; a note."""
    import pandas as pd

    ks = scale(NINE)[1]
    methods = {way: one for way, one in algorithms(starts).items() if way in PARTITIONAL}
    on_idf = {
        which: ({w: weigh(X, "tf-idf") for w, X in weighted.items() if "idf" in w}, classes)
        for which, (weighted, classes) in data.items()
    }
    plain, scaled = (
        Benchmark(
            races, {f"{way}{end}": one for way, one in methods.items()}, MEASURES.values(), k=ks,
            n_init=1, metric="cosine", storage=storage, random_state=seed,
        ).run(progress).table
        for races, end in ((data, ""), (on_idf, ON_IDF))
    )  # fmt: skip
    rows = _changes(_means(plain), "nine numbers", PARTITIONAL)
    without = plain[~plain["representation"].str.contains("idf")]
    both = pd.concat([without, scaled.assign(method=scaled["method"].str.removesuffix(ON_IDF))])
    rows += _changes(_means(both), SOME_SCALED, PARTITIONAL)
    note = (
        f"'nine numbers': {', '.join(PARTITIONAL)} with k = {', '.join(map(str, ks))}; starts: "
        f"{starts}. '{SOME_SCALED}': the same, where the weights that have idf, and no others, are "
        "on columns scaled by idf once more."
    )
    return rows, note


def run(
    *,
    name: str = "whissell2012-chapter5-readings",
    samples: int | None = None,
    random_state: int | None = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Run the experiment. ``samples``: starts of each bisection, 10 by default."""
    import pandas as pd

    starts, seed = samples or STARTS, int(random_state or 0)
    methods = {way: one for way, one in algorithms(starts).items() if way in BISECTIONS}
    data = {}
    for which in SETS:
        counts, classes = collection(which, seed)
        data[which] = ({weight: weigh(counts, weight) for weight in WEIGHTS}, classes)
    table = Benchmark(
        data, methods, MEASURES.values(), k=[MANY], n_init=1, metric="cosine", storage=storage,
        random_state=seed,
    ).run(progress).table  # fmt: skip
    scores: Any = table.set_index(["representation", "method", "set"]).sort_index()
    rows = []
    for way in BISECTIONS:
        for place, (short, measure) in enumerate(MEASURES.items()):
            first, second = (scores.loc[weight, measure][way] for weight in WEIGHTS)
            change = 100 * (second / first[second.index] - 1)
            low, high = mean_interval(change.to_numpy(float))
            row: dict[str, Any] = {"clusterer": way, "measure": short, "sets": str(len(change))}
            row |= {"reading": f"{MANY} clusters", "ours": change.mean(), "low": low, "high": high}
            rows.append(row | {"published": published.BY_ALGORITHM["5.5"][way][place]})
    weighted = {}
    for which in SETS if starts > 1 else FEW_SETS:
        counts, classes = collection(which, seed)
        weights = {w for pair, sets in TABLES.values() if which in sets for w in pair}
        weighted[which] = ({w: weigh(counts, w) for w in sorted(weights)}, classes)
    ways = AT_ALL + ALSO_AT_ALL if starts > 1 else AT_ALL
    more, note = _at_all_numbers(weighted, ways, seed, storage, progress)
    few = FEW_STARTS if starts > 1 else 1
    partitional, second_note = _partitional(weighted, few, seed, storage, progress)
    rows += more + partitional
    return ExperimentResult(
        name,
        pd.DataFrame(rows).assign(repeats=True),
        (
            "Change in % from tf to tf-idf as in table 5.5, with repeated bisection stopped at "
            f"{MANY} clusters; starts of each bisection: {starts}. Intervals are of 95 %, over "
            "the collections.",
            note,
            second_note,
            "EQ fixes the mutual information of clusters and classes. NMI divides it by the square "
            "root of both entropies, and the entropy of k clusters is at most log k.",
            *_possible(),
        ),
    )
