"""whissell2012 section 6.3.5 and figures 6.7 to 6.10: what the chosen clusterings look like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab import ExperimentResult
from sortal_lab.whissell2012_chapter6 import TITLES, scores_of
from sortal_lab.whissell2012_chapter6_samples import keeping, sample_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal.typing import RandomState

    Codes = NDArray[np.int64]

SAMPLES = 50
INFORMATIVE = tuple(key for key in TITLES if key.startswith("informativeness"))
#: a class is in a cluster if so much of it is, for the Gaussian ones overlap
WHOLE = 0.95
#: 6GAUSS: the classes of the left side, by their order in the generator
LEFT = {0, 4, 5}


@dataclass(frozen=True)
class ChoiceClaim:
    """Statement of the thesis about clusterings chosen by measures.

    Attributes
    ----------
    about : str
    where : str
    dataset : str
    measures : tuple of str
        Empty: all clusterings, chosen or not.
    numbers : callable
        Of which numbers of clusters it speaks.
    holds : callable
        Whether it is so, of classes and clusters.
    published : float
        The share of the clusterings of which it is said.
    """

    about: str
    where: str
    dataset: str
    measures: tuple[str, ...]
    numbers: Callable[[int], bool]
    holds: Callable[[Codes, Codes], bool]
    published: float = 1.0


def homes(truth: Codes, labels: Codes) -> list[int] | None:
    """The cluster of each class; None if a class is divided."""
    counts = np.zeros((truth.max() + 1, labels.max() + 1), dtype=np.int64)
    np.add.at(counts, (truth, labels), 1)
    if (counts.max(axis=1) < WHOLE * counts.sum(axis=1)).any():
        return None
    return [int(cluster) for cluster in counts.argmax(axis=1)]


def of_whole_classes(each: int | None = None) -> Callable[[Codes, Codes], bool]:
    """Whether every cluster is made of whole classes, of ``each`` so many."""

    def holds(truth: Codes, labels: Codes) -> bool:
        home_clusters = homes(truth, labels)
        if home_clusters is None:
            return False
        sizes = np.bincount(home_clusters, minlength=labels.max() + 1)
        return bool((sizes == each).all() if each is not None else (sizes > 0).all())

    return holds


def pure(truth: Codes, labels: Codes) -> bool:
    """Whether every cluster has objects of one class alone."""
    return all(len(np.unique(truth[labels == c])) == 1 for c in np.unique(labels))


def left_and_right(truth: Codes, labels: Codes) -> bool:
    """Whether the two clusters of 6GAUSS are its left and its right side."""
    home_clusters = homes(truth, labels)
    if home_clusters is None:
        return False
    sides = [{c for c, home in enumerate(home_clusters) if home == side} for side in (0, 1)]
    return LEFT in sides


def unrelated(truth: Codes, labels: Codes) -> bool:
    """Whether a clustering says nothing of the classes."""
    import sortal

    return sortal.normalized_mutual_information(truth, labels) < 0.1


def singleton(truth: Codes, labels: Codes) -> bool:
    """Whether a cluster has one object."""
    return bool((np.bincount(labels) == 1).any())


_TEXT = "section 6.3.5"
CLAIMS = (
    ChoiceClaim("two clusters unrelated to the classes", "figure 6.7", "2GAUSS", (),
          lambda k: k == 2, unrelated, 0.0),
    ChoiceClaim("two clusters chosen: whole classes", _TEXT, "ELONGATED",
          ("informativeness_ari", "informativeness_eq", "point_wise_margin"),
          lambda k: k == 2, of_whole_classes()),
    ChoiceClaim("two clusters chosen: four whole classes each", _TEXT, "CUBE", ("informativeness",),
          lambda k: k == 2, of_whole_classes(4)),
    ChoiceClaim("four clusters chosen: two whole classes each", _TEXT, "CUBE", ("informativeness",),
          lambda k: k == 4, of_whole_classes(2)),
    ChoiceClaim("two clusters chosen: the two rings", _TEXT, "RINGS", INFORMATIVE,
          lambda k: k == 2, of_whole_classes(1)),
    ChoiceClaim("more than two chosen: each of one ring", "figure 6.8", "RINGS", INFORMATIVE,
          lambda k: k > 2, pure),
    ChoiceClaim("two clusters chosen: left and right", "figure 6.9", "6GAUSS", INFORMATIVE,
          lambda k: k == 2, left_and_right),
)  # fmt: skip
#: figure 6.10 shows one; how often it is so is not published
SHOWN = ChoiceClaim("chosen: with a cluster of one object", "figure 6.10", "6GAUSS",
              ("davies_bouldin_index",), lambda k: True, singleton)  # fmt: skip


def run(
    *,
    name: str = "whissell2012-section6.3.5",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Shares of the chosen clusterings for which the thesis' statements hold.

    ``samples``: samples of each data set; 50 by default.

    Returns a row for each claim: the share of the clusterings that it speaks of in which it is
    so, with a 95 % interval (Wilson), and their number.
    """
    import pandas as pd
    from scipy import stats

    holding: dict[int, list[bool]] = {place: [] for place in range(len(CLAIMS) + 1)}
    claims = (*CLAIMS, SHOWN)
    with keeping(storage, random_state) as journal:
        for sample in range(samples or SAMPLES):
            for dataset in dict.fromkeys(claim.dataset for claim in claims):
                made = sample_of(dataset, sample, journal)
                table = scores_of(dataset, sample, journal)
                truth = np.asarray(made.truth, dtype=np.int64)
                for place, claim in enumerate(claims):
                    if claim.dataset != dataset:
                        continue
                    for name_ in _spoken_of(claim, table, made.labels):
                        labels = np.unique(made.labels[name_], return_inverse=True)[1]
                        holding[place].append(claim.holds(truth, labels))
            if progress is not None:
                progress(f"sample {sample + 1} of {samples or SAMPLES}")
    rows = []
    for place, claim in enumerate(claims):
        n, hits = len(holding[place]), sum(holding[place])
        low, high = np.nan, np.nan
        if n:
            low, high = stats.binomtest(hits, n).proportion_ci(method="wilson")
        rows.append(
            {
                "claim": claim.about,
                "data set": claim.dataset,
                "where": claim.where,
                "of": str(n),
                "ours": hits / n if n else np.nan,
                "low": low,
                "high": high,
                "published": np.nan if claim is SHOWN else claim.published,
            }
        )
    return ExperimentResult(
        name,
        pd.DataFrame(rows),
        (
            f"A class is in a cluster if {WHOLE:.0%} of it is; unrelated is an NMI below 0.1. The "
            "thesis says in words what was so of all clusterings that it looked at: a share of 1, "
            "or 0. Where no clustering of that kind was chosen there is no value.",
        ),
    )


def _spoken_of(claim: ChoiceClaim, table: Any, labels: dict[str, Any]) -> Iterator[str]:
    """Clusterings that a claim is about."""
    import sortal

    if not claim.measures:
        yield from (name for name in labels if claim.numbers(int(name.split()[1])))
    for key in claim.measures:
        best = (sortal.measures.catalogue[key].sign * table[key]).dropna().idxmax()
        if claim.numbers(int(best.split()[1])):
            yield best
