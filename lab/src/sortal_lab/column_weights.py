"""Clusterings of mixed tables by weights of columns; rivals for mixed data beside them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import Study
from sortal.datasets import from_table, weighted
from sortal.measures import adjusted_rand_index
from sortal_lab import ExperimentResult
from sortal_lab.data import absent, locate
from sortal_lab.journal import Journal
from sortal_lab.mixed_tables import (
    EXCLUDED,
    EXCLUDED_GROUPLESS,
    GROUPLESS,
    SQUARES,
    TRAINING,
    WEAK,
    draw_mixed,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from sortal.typing import Floats, Ints

SAMPLES = 10
PARTS = {
    "chosen on": {**TRAINING, **WEAK, **GROUPLESS},
    "excluded": {**EXCLUDED, **EXCLUDED_GROUPLESS},
    "squares": SQUARES,
}
CLUSTERERS = ("kmeans", "ward", "genie", "mixed-mixture")
NUMBERS = range(2, 9)
#: real tables, some of whose columns depend on few or no others
REAL = ("dermatology", "zoo", "ecoli", "glass", "yeast")
#: distinct values up to which a column is a category to rivals
FEW = 6


def run(
    *,
    name: str = "column-weights",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Draw tables with known groups and irrelevant columns; cluster and answer in each way.

    ``samples``: tables of each kind; 10 by default.

    Returns a row for each kind: the mean adjusted Rand index with the planted groups, at their
    number over three clusterers, by equal weights and by weights of the data, 0 or 1. On every
    fifth table also that of the answer of a sweep, by either, its recovery, whether
    its interval has the agreement and whether structure is seen, and that of rivals which are told
    the number of groups.
    """
    import pandas as pd

    runs = SAMPLES if samples is None else samples
    journal = Journal(storage, f"random_state {random_state!r}")
    kinds = [(part, kind) for part, of_part in PARTS.items() for kind in of_part]
    rows: list[dict[str, Any]] = []
    for real in sorted({*REAL} - {*absent()}):
        row: Any = journal.get((real, "table"))
        if row is None:
            row = _agreements(*_real_table(real), whole=True)
            journal.put((real, "table"), row)
        rows.append({"part": "real", "kind": real} | row)
    for i in range(runs):
        for place, (part, kind) in enumerate(kinds):
            row = journal.get((kind, str(i)))
            if row is None:
                seed = [random_state, 40, place, i]
                row = _agreements(*draw_mixed(kind, np.random.default_rng(seed)), whole=i % 5 == 0)
                journal.put((kind, str(i)), row)
            rows.append({"part": part, "kind": kind} | row)
        if progress is not None:
            progress(f"{i + 1} of {runs} tables of each kind")
    table = pd.DataFrame(rows).groupby(["part", "kind"], sort=False).mean().reset_index()
    return ExperimentResult(
        name,
        table,
        (
            f"{runs} tables of each kind, answers on every fifth. At the planted number: the mean "
            "over k-means, Ward linkage and mixtures. Sweeps: "
            f"{', '.join(CLUSTERERS)}, 2 to 8 clusters, two starts. The rule was chosen on the "
            "first part alone. The squares are of the kind that the first rule was chosen on.",
            "Rivals standardise numbers and take columns of text and of at most six values as "
            "categories.",
        ),
    )


def _real_table(name: str) -> tuple[pd.DataFrame, Ints]:
    """Rows of a real table without missing values, and their classes."""
    import pandas as pd

    table = pd.read_csv(locate(name), dtype={"label": str}).dropna().reset_index(drop=True)
    return table.drop(columns="label"), pd.factorize(table["label"])[0].astype(np.int64)


def _agreements(table: pd.DataFrame, groups: Ints, *, whole: bool) -> dict[str, float]:
    """Agreement with the groups by each way, and what the answer says of itself."""
    k = int(groups.max()) + 1
    datasets = weighed(table)
    row: dict[str, float] = {}
    if k > 1:
        row = {way: _at_planted(dataset.X, groups) for way, dataset in datasets.items()}
        if whole:
            labels_of = rival_labels(table, k)
            row |= {rival: agreement(groups, labels) for rival, labels in labels_of.items()}
    if whole:
        answer = swept(datasets["weights of 0 or 1"])
        recovery = answer.recovery
        assert recovery is not None
        row["expected"] = recovery.value
        row["structure seen"] = float(answer.structure.probability > 0.5)
        if k > 1:
            row["answer"] = agreement(groups, answer.labels)
            row["in the interval"] = float(recovery.low <= row["answer"] <= recovery.high)
            is_alike = (
                datasets["equal weights"].n_features == datasets["weights of 0 or 1"].n_features
            )
            equal = answer if is_alike else swept(datasets["equal weights"])
            row["answer of equal weights"] = agreement(groups, equal.labels)
    return row


def _at_planted(X: Any, groups: Ints) -> float:
    """Mean agreement of clusterings into as many clusters as there are groups."""
    from sklearn.cluster import AgglomerativeClustering, KMeans

    from sortal.clusterers import MixedMixture

    k = int(groups.max()) + 1
    clusterers = (
        KMeans(k, n_init=5, random_state=0),
        AgglomerativeClustering(k),
        MixedMixture(k, n_init=3, random_state=0),
    )
    return float(np.mean([agreement(groups, c.fit_predict(X)) for c in clusterers]))


def weighed(table: pd.DataFrame) -> dict[str, Any]:
    """Data set of a table by each way of weighing its columns."""
    plain = from_table(table)
    return {"equal weights": weighted(plain, "equal"), "weights of 0 or 1": weighted(plain)}


def swept(dataset: Any) -> Any:
    """The answer of a small sweep."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = Study(dataset)
        study.sweep([*CLUSTERERS], k=NUMBERS, n_init=2, workers=1, progress=False)
        return study.best(stability=False)


def agreement(groups: Ints, labels: Any) -> float:
    """Adjusted Rand index of an answer."""
    return float(adjusted_rand_index(groups, labels, noise="singletons"))


# -- rivals ----------------------------------------------------------------------------------


def rival_labels(table: pd.DataFrame, k: int) -> dict[str, Ints]:
    """Clusterings of a mixed table by methods for mixed data, told the number of clusters."""
    numbers, categories = _split(table)
    labels = {"FAMD": _by_famd(numbers, categories, k)}
    if find_spec("kmodes"):
        labels["k-prototypes"] = _by_prototypes(numbers, categories, k)
    if find_spec("stepmix"):
        labels["StepMix"] = _by_classes(numbers, categories, k)
    return labels


def _split(table: pd.DataFrame) -> tuple[Floats, Ints]:
    """Standardised numbers, and codes of categories."""
    import pandas as pd

    is_number = {
        name: pd.api.types.is_numeric_dtype(table[name]) and table[name].nunique() > FEW
        for name in table
    }
    numbers = table[[name for name in table if is_number[name]]].to_numpy(float)
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    codes = [pd.factorize(table[name])[0] for name in table if not is_number[name]]
    return numbers, np.array(codes, dtype=np.int64).reshape(len(codes), len(table)).T


def _by_famd(numbers: Floats, categories: Ints, k: int) -> Ints:
    """k-means of the factors of mixed data (Pagès 2004) with eigenvalues of at least 1."""
    from sklearn.cluster import KMeans

    blocks = [numbers]
    for codes in categories.T:
        dummies = np.eye(codes.max() + 1)[codes]
        share = dummies.mean(axis=0)
        blocks.append((dummies - share) / np.sqrt(share))
    Z = np.hstack(blocks)
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    counted = max(2, int((s**2 / len(Z) >= 1).sum()))
    factors = U[:, :counted] * s[:counted]
    labels: Ints = KMeans(k, n_init=10, random_state=0).fit_predict(factors)
    return labels


def _by_prototypes(numbers: Floats, categories: Ints, k: int) -> Any:
    """k-prototypes (Huang 1998); k-means or k-modes for columns of one sort."""
    from sortal.bench import KPrototypes

    blocks = [np.eye(codes.max() + 1)[codes] for codes in categories.T]
    return KPrototypes(k, n_init=3, random_state=0).fit_predict(np.hstack([numbers, *blocks]))


def _by_classes(numbers: Floats, categories: Ints, k: int) -> Any:
    """Latent classes of normal and categorical columns (StepMix)."""
    import pandas as pd
    from stepmix.stepmix import StepMix

    descriptor: Mapping[str, Any] = {
        sort: {"model": model, "n_columns": values.shape[1]}
        for sort, model, values in (
            ("numbers", "gaussian_diag", numbers),
            ("categories", "categorical", categories),
        )
        if values.shape[1]
    }
    both = pd.DataFrame(np.hstack([numbers, categories.astype(float)]))
    mixture = StepMix(
        k, measurement=dict(descriptor), n_init=5, random_state=0, progress_bar=0, verbose=0
    )
    return mixture.fit(both).predict(both)
