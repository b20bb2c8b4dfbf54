"""Informativeness against other internal measures, on synthetic and real data (tables 6.1 to 6.4).

Every data set is sampled, every sample is clustered by eight algorithms into 2 to 20 clusters,
and the order in which a measure puts the clusterings of a data set is compared with the order by
normalised mutual information with the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab import ExperimentResult
from sortal_lab.whissell2012_chapter6_samples import (
    REAL,
    ClusteredSample,
    KeptParts,
    keeping,
    sample_of,
)
from sortal_lab.whissell2012_sets import WHISSELL2012
from sortal_lab.whissell2012_tables import CHOSEN, TAUS_REAL, TAUS_SYNTHETIC

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from sortal.measures.clarity import Clarity
    from sortal.typing import Floats, RandomState

TITLES = {
    "informativeness": "Informativeness",
    "informativeness_ari": "inf-ARI",
    "informativeness_pq": "inf-PQ",
    "informativeness_eq": "inf-EQ",
    "informativeness_f1": "inf-F1",
    "silhouette": "Silhouette",
    "davies_bouldin_index": "Davies–Bouldin",
    "c_index": "C-Index",
    "between_within_ratio": "B/W",
    "point_wise_margin": "Point-wise margin",
}
#: columns of table 6.2
NUMBERS = (*map(str, range(2, 11)), "11+")
_GENERALIZED = {
    "informativeness_ari": "adjusted_rand_index",
    "informativeness_pq": "purity",
    "informativeness_eq": "entropy_quality",
    "informativeness_f1": "f_quality",
}


def scores_of(dataset: str, sample: int, journal: KeptParts) -> pd.DataFrame:
    """Every measure and NMI for every clustering of a sample, made unless it is kept."""
    table = journal.get_table(dataset, sample, "scores")
    if table is None:
        clustered = sample_of(dataset, sample, journal)
        table = judge(clustered, predictions_of(dataset, sample, clustered, journal))
        journal.put_table(dataset, sample, "scores", table)
    return table


def predictions_of(
    dataset: str, sample: int, clustered: ClusteredSample, journal: KeptParts
) -> Clarity:
    """Predictions of the thesis' classifiers for every clustering of a sample."""
    from sortal.labelings import as_labelings
    from sortal.measures.clarity import THESIS, Clarity, assess

    synthetic = dataset in WHISSELL2012
    part = journal.get(dataset, sample, "predictions")
    if part is not None:
        classifiers = THESIS if synthetic else ("5nn",)
        codes = part["codes"].astype(np.int32)
        return Clarity(as_labelings(clustered.labels), classifiers, codes, None)
    options: dict[str, Any] = {"classifiers": THESIS, "cv": 10} if synthetic else {}
    clarity = assess(clustered.X, clustered.labels, random_state=clustered.seed, **options)
    journal.put(dataset, sample, "predictions", {"codes": clarity.predictions.astype(np.int8)})
    return clarity


def judge(clustered: ClusteredSample, clarity: Clarity) -> pd.DataFrame:
    """Every measure and NMI for every clustering of a sample."""
    import sortal

    others = [key for key in TITLES if not key.startswith("informativeness")]
    table = sortal.evaluate(
        clustered.X,
        clarity.labelings,
        y=clustered.truth,
        measures=["normalized_mutual_information", *others],
    ).table
    # the nearest of no objects is infinitely far (6.15)
    alone = [np.bincount(codes).min() == 1 for codes in clarity.labelings.codes]
    table.loc[alone, "point_wise_margin"] = np.inf
    table = table.assign(**informativeness_of(clarity))
    return table[["normalized_mutual_information", *TITLES]]


def informativeness_of(clarity: Clarity) -> dict[str, Floats]:
    """Informativeness and its four variants for every clustering."""
    from sortal.measures import catalogue

    return {"informativeness": clarity.values()} | {
        key: clarity.agreement(catalogue[measure].function) for key, measure in _GENERALIZED.items()
    }


def scores(
    datasets: Iterable[str],
    count: int,
    journal: KeptParts,
    progress: Callable[[str], None] | None,
) -> dict[str, pd.DataFrame]:
    """Scores of ``count`` samples of each data set; index (sample, clustering).

    A sample of every data set before the next, so that an unfinished run has as many of each.
    """
    import pandas as pd

    tables: dict[str, dict[int, pd.DataFrame]] = {dataset: {} for dataset in datasets}
    for sample in range(count):
        for dataset, tables_of_set in tables.items():
            was_stored = journal.get(dataset, sample, "scores") is not None
            tables_of_set[sample] = scores_of(dataset, sample, journal)
            if progress is not None and not was_stored:
                progress(f"{dataset}: sample {sample + 1} of {count}")
    names = ["sample", "clustering"]
    return {
        dataset: pd.concat(tables_of_set, names=names) for dataset, tables_of_set in tables.items()
    }


def rank_correlation(table: pd.DataFrame, key: str) -> float:
    """Kendall's τ-b with NMI over all clusterings where the measure is defined."""
    from scipy.stats import kendalltau

    import sortal

    defined = table[[key, "normalized_mutual_information"]].dropna()
    value = sortal.measures.catalogue[key].sign * defined[key]
    return float(kendalltau(value, defined["normalized_mutual_information"]).statistic)


def jackknife(table: pd.DataFrame, key: str) -> float:
    """Standard error of :func:`rank_correlation` over samples; NaN for a single sample."""
    samples = table.index.unique("sample")
    if len(samples) < 2:
        return float("nan")
    left = [rank_correlation(table.drop(index=s, level="sample"), key) for s in samples]
    return float(np.sqrt((len(left) - 1) * np.var(left)))


def correlation_table(
    tables: dict[str, pd.DataFrame],
    published: Any,
    samples: int = 50,
    keys: Sequence[str] = tuple(TITLES),
) -> pd.DataFrame:
    """Rows measures; columns (data set or average) × (published, sortal, error, ±).

    The average is that of all data sets; ``samples`` are those of the published figures.
    """
    import pandas as pd

    counts = {name: len(table.index.unique("sample")) for name, table in tables.items()}
    half = {name: _half_width(count, samples) for name, count in counts.items()}
    columns: dict[tuple[str, str], list[float]] = {}
    for place, (dataset, table) in enumerate(tables.items()):
        columns[dataset, "published"] = [published[key][place] for key in keys]
        columns[dataset, "sortal"] = [rank_correlation(table, key) for key in keys]
        columns[dataset, "error"] = [jackknife(table, key) for key in keys]
        columns[dataset, "±"] = [half[dataset] * error for error in columns[dataset, "error"]]
    ours, errors = (
        np.array([columns[dataset, part] for dataset in tables]) for part in ("sortal", "error")
    )
    if all(len(published[key]) == len(tables) + 1 for key in keys):
        columns["average", "published"] = [published[key][-1] for key in keys]
        columns["average", "sortal"] = list(ours.mean(axis=0))
        columns["average", "error"] = list(np.sqrt((errors**2).sum(axis=0)) / len(tables))
        widest = float(np.max(list(half.values())))
        columns["average", "±"] = [widest * error for error in columns["average", "error"]]
    return pd.DataFrame(columns, index=pd.Index([TITLES[key] for key in keys], name="measure"))


def _half_width(count: int, samples: int) -> float:
    """Half width of the 95 % interval by the standard error; NaN for a single sample."""
    from scipy import stats

    if count < 2:
        return float("nan")
    return float(stats.t.ppf(0.975, count - 1) * np.sqrt(1 + count / samples))


def chosen_k_table(
    tables: dict[str, pd.DataFrame], keys: Sequence[str] = tuple(TITLES)
) -> pd.DataFrame:
    """Frequency of k clusters in each measure's best clustering, ties to fewer clusters."""
    import pandas as pd

    rows = {}
    for dataset, table in tables.items():
        for key, title in ((key, TITLES[key]) for key in keys):
            counts = np.zeros(10, dtype=int)
            for _, part in table.groupby(level="sample"):
                counts[min(*_best_numbers(part, key), 11) - 2] += 1
            rows[dataset, title, "published"] = CHOSEN[dataset][key]
            rows[dataset, title, "sortal"] = tuple(counts)
            rows[dataset, title, "error"] = tuple(np.sqrt(counts * (1 - counts / counts.sum())))
    index = pd.MultiIndex.from_tuples(rows, names=["data set", "measure", ""])
    return pd.DataFrame(list(rows.values()), index=index, columns=list(NUMBERS))


def as_counts(counts: Iterable[int]) -> str:
    """A row of table 6.2 in words: numbers of clusters, and how often each was chosen.

    >>> as_counts([12, 0, 38])
    '2: 12, 4: 38'
    """
    return ", ".join(f"{k}: {n}" for k, n in zip(NUMBERS, counts, strict=False) if n)


def _best_numbers(part: pd.DataFrame, key: str) -> list[int]:
    """Numbers of clusters of the best clusterings of one sample, several where values tie."""
    import sortal

    values = (sortal.measures.catalogue[key].sign * part[key]).dropna()
    return [int(which[1].split()[1]) for which in values.index[values == values.max()]]


def _ties(tables: dict[str, pd.DataFrame]) -> str:
    """Note on the number of clusterings that share the best informativeness."""
    counts = {
        dataset: [len(_best_numbers(p, "informativeness")) for _, p in table.groupby("sample")]
        for dataset, table in tables.items()
    }
    medians = ", ".join(f"{dataset} {np.median(numbers):g}" for dataset, numbers in counts.items())
    return (
        "Of clusterings that share the best value that of the fewest clusters counts. Median "
        f"number of the clusterings of a sample that share the best informativeness: {medians}."
    )


NOTES = (
    "error: standard error of tau over samples (jackknife); ±: half width of the 95 % interval of "
    "the difference from a figure of as many samples as the thesis has.",
    "Clusterers: k-means and bisecting k-means with 20 random starts a split, average, complete "
    "and single linkage by Euclidean distance; E1, I1 and I2 by agglomeration with the similarity "
    "1 - d/max d (published: CLUTO, the similarity is not stated). It is not CLUTO's cosine: with "
    "that, E1's two clusters of 2GAUSS have nothing to do with the classes, which the thesis says "
    "occurred for no algorithm.",
    "Point-wise margin: infinite, hence last, for a clustering with a singleton, whose nearest "
    "object of its own is the nearest of none (6.15).",
    "C-Index: as printed (3.15). The published one chose 11 or more clusters for every synthetic "
    "sample, which the formula does not do; it would if every pair within a cluster counted twice "
    "in the sum of distances but once among the smallest and largest.",
    "Where a measure is undefined for a clustering, that clustering is excluded for it.",
)
CLASSIFIER_NOTE = (
    "Classifiers: 5-NN, linear support vector machine on features scaled to [0, 1], decision tree "
    "by entropy with 2 objects a leaf (published: Weka's IBk, SMO and J48 at their defaults; "
    "scikit-learn's tree has no gain ratio and no pessimistic pruning), nearest centroid; 10 folds."
)


def run(
    *,
    name: str = "whissell2012-table6.1",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Run one of the three experiments; tables 6.1 and 6.2 share their samples in ``storage``.

    ``samples``: of each data set; 50, or 20 of the real ones, by default. 0 is the quick look: one
    of the first three.
    """
    real = name == "whissell2012-table6.4"
    count = (20 if real else 50) if samples is None else max(samples, 1)
    sets = list(REAL if real else WHISSELL2012)[: 3 if samples == 0 else None]
    with keeping(storage, random_state) as journal:
        tables = scores(sets, count, journal, progress)
    notes = [f"{'One sample' if count == 1 else f'{count} samples'} of each data set.", *NOTES]
    if real:
        notes += [f"{dataset}: {what}." for dataset, (_, what) in REAL.items() if what]
        notes.append("Classifier: 5-NN, leave-one-out. Features are not scaled.")
        table = correlation_table(tables, TAUS_REAL, 20)
        for dataset in tables:
            if REAL[dataset][1]:
                table[dataset, "corpus"] = REAL[dataset][1]
    elif name == "whissell2012-table6.2":
        notes[1] = f"Published: of 50 samples, sortal: of {count}; error: binomial standard error."
        notes += [CLASSIFIER_NOTE, _ties(tables)]
        table = chosen_k_table(tables)
    else:
        notes.append(CLASSIFIER_NOTE)
        table = correlation_table(tables, TAUS_SYNTHETIC)
    return ExperimentResult(name, table, tuple(notes))
