"""banerjee2004 section 3: informative priors in the description language, on real collections.

The paper says that any probabilities of the descriptions make a valid language, and takes equal
ones. Here some expect a number of clusters, or know the shares of the classes beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds import b_max
from sortal.bounds.languages import Cluster, Language, Prior
from sortal.clusterers import catalogue
from sortal.extension import KeptValues
from sortal_lab import ExperimentResult
from sortal_lab.banerjee2004_collections import collection

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

DELTA = 0.1
KS = tuple(range(2, 21))
STARTS, DRAWS = 3, 20
SETS = ("classic2", "classic3", "cmu-different-1000", "cmu-same-1000", "yahoo")
#: those of a quick look, which has one start
QUICK_SETS = ("classic2", "yahoo")
PAPER, ALIKE = "the paper's, c(c − 1)", "every number alike"
EXPECTED, TWENTY = "as many clusters as classes", "twenty clusters"
SHARES, BOTH = "shares of the classes", "as many clusters as classes, and shares"
PRIORS = (PAPER, ALIKE, EXPECTED, TWENTY, SHARES, BOTH)


@dataclass(frozen=True)
class Fits:
    """Clusterings of a collection: names, codes (M, n), numbers of clusters; and the classes."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]
    ks: NDArray[np.int64]
    truth: NDArray[np.int64]


def language_of(prior: str, fits: Fits, n_classes: int) -> Language:
    """What names one of the clusterings under a prior.

    An expected number of clusters has the largest share, and each one farther away has half of it.
    """
    starts = len(fits.names) // len(KS)
    if prior in (PAPER, SHARES):
        return Cluster(starts)
    expected = {ALIKE: None, TWENTY: 20}.get(prior, n_classes)
    weights = {k: 1.0 if expected is None else 2.0 ** -abs(k - expected) for k in KS}
    total = sum(weights.values()) * starts
    return Prior({
        name: weights[int(k)] / total for name, k in zip(fits.names, fits.ks, strict=True)
    })  # fmt: skip


def label_bits(classes: NDArray[np.int64], shares: NDArray[np.float64]) -> float:
    """Bits of the classes of clusters, each by its share.

    >>> label_bits(np.array([0, 0, 1]), np.array([0.5, 0.5]))
    3.0
    """
    return float(-np.log2(shares[classes]).sum())


def outcome(
    fits: Fits, train: NDArray[np.bool_], prior: str
) -> tuple[float, float, int, float, bool]:
    """Best bound in % for one split, bits, clusters, error in %, and whether it is broken."""
    n_classes = int(fits.truth.max()) + 1
    shares = np.full(n_classes, 1 / n_classes)
    if prior in (SHARES, BOTH):
        # of all documents together, which no split changes
        shares = np.bincount(fits.truth) / len(fits.truth)
    named = language_of(prior, fits, n_classes).choice_bits(fits.names, fits.ks)
    m, n = int(train.sum()), int((~train).sum())
    wrong = np.empty((2, len(fits.codes)), dtype=np.int64)
    bits = np.array(named, dtype=float)
    for i, (codes, k) in enumerate(zip(fits.codes, fits.ks, strict=True)):
        table = np.zeros((int(k), n_classes), dtype=np.int64)
        np.add.at(table, (codes[train], fits.truth[train]), 1)
        classes = np.where(table.any(axis=1), table.argmax(axis=1), shares.argmax())
        errors = classes[codes] != fits.truth
        wrong[:, i] = errors[train].sum(), errors[~train].sum()
        bits[i] += label_bits(classes, shares)
    bounds = np.asarray(b_max(m, n, wrong[0], log_delta=math.log(DELTA) - math.log(2) * bits))
    best = int(bounds.argmin())
    return (
        100 * float(bounds[best]) / n, float(bits[best]), int(fits.ks[best]),
        100 * float(wrong[1, best]) / n, bool(wrong[1, best] > bounds[best]),
    )  # fmt: skip


def run(
    *,
    name: str = "banerjee2004-prior",
    samples: int | None = None,
    random_state: int | None = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Run the experiment. ``samples``: draws of the split; one is the quick look.

    Returns bounds in %, means over the draws with the half widths of their 95 % intervals, and the
    paired differences from the bound of the paper's language.
    """
    import pandas as pd

    draws, seed = samples or DRAWS, int(random_state or 0)
    sets, starts = (QUICK_SETS, 1) if draws == 1 else (SETS, STARTS)
    journal = KeptValues(storage)
    rows = []
    for which in sets:
        fits = _fits(which, starts, seed, journal)
        if progress is not None:
            progress(f"{which}: {len(fits.names)} clusterings")
        n = len(fits.truth)
        splits = np.zeros((draws, n), dtype=bool)
        for draw, row in enumerate(splits):
            row[np.random.default_rng([seed, draw]).permutation(n)[: n // 2]] = True
        found = {
            prior: np.array([outcome(fits, train, prior) for train in splits], dtype=float)
            for prior in PRIORS
        }
        rows += [_row(which, prior, of_prior, found[PAPER]) for prior, of_prior in found.items()]
    table = pd.DataFrame(rows)
    return ExperimentResult(name, table, _notes(table, draws, starts))


def _fits(which: str, starts: int, seed: int, journal: KeptValues) -> Fits:
    """Clusterings by batch spherical k-means from random documents, made unless they are kept."""
    data = collection(which, np.random.default_rng(seed))
    names, rows = [], []
    for k in KS:
        for start in range(starts):
            key = f"{which}, {k} clusters, start {start}, seed {seed}"
            codes = journal.get(key)
            if codes is None:
                model = catalogue["spherical-kmeans"].make(k, 1000 * seed + start)
                codes = model.set_params(init="random").fit_predict(data.X).tolist()
                journal.put(key, codes)
            names.append(f"{k} clusters, start {start}")
            rows.append(codes)
    codes = np.array(rows, dtype=np.int64)
    return Fits(tuple(names), codes, np.repeat(KS, starts), data.truth)


def _row(
    which: str, prior: str, found: NDArray[np.float64], paper: NDArray[np.float64]
) -> dict[str, Any]:
    """Row of one prior for one collection."""
    bound, bits, clusters, error, broken = found.mean(axis=0)
    return {
        "collection": which, "prior": prior, "bound": bound, "±": _half_width(found[:, 0]),
        "gain": float((paper[:, 0] - found[:, 0]).mean()),
        "gain ±": _half_width(paper[:, 0] - found[:, 0]), "bits": bits, "clusters": clusters,
        "error": error, "broken": broken,
    }  # fmt: skip


def _half_width(values: NDArray[np.float64]) -> float:
    """Half width of the 95 % interval of a mean; NaN for one value."""
    from sortal.bench import mean_interval

    if len(values) < 2:
        return math.nan
    low, high = mean_interval(values)
    return float(high - low) / 2


def _notes(table: pd.DataFrame, draws: int, starts: int) -> tuple[str, ...]:
    """Notes on the setting, and how often the bounds are broken."""
    mean = table.groupby("prior", sort=False)["gain"].mean()
    gains = "; ".join(f"{prior} {gain:+.2f}" for prior, gain in mean.items() if prior != PAPER)
    return (
        f"Batch SPKMeans from random documents, k = {KS[0]}..{KS[-1]}, starts: {starts}, each; "
        f"half of the documents labelled, draws: {draws}; delta = {DELTA}. Bounds in % of the "
        "unlabelled documents, of the clustering with the lowest one.",
        f"'{PAPER}' is the paper's language. '{EXPECTED}' and '{TWENTY}' give the expected number "
        "the largest share, and half as much to each one farther away. With 'shares' the class of "
        "a cluster costs the bits of its share among all documents, known beforehand.",
        "'gain': percentage points below the bound of the paper's language. Means over the "
        f"collections: {gains}.",
        f"Of all bounds {table['broken'].mean():.1%} are broken; allowed are {DELTA:.0%}.",
    )
