"""Tables 5.4 and 5.5: what the published figures of repeated bisection can be.

Repeated bisection has the highest published entropy quality (EQ) on every collection. With EQ the
mutual information is known, and NMI is least where clusters are many and of one size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bench import Benchmark, mean_interval
from karat_lab import ExperimentResult
from karat_lab import whissell2012_tables as published
from karat_lab.whissell2012_chapter5_race import KS, MEASURES, SETS, algorithms, collection, weigh

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

WEIGHTS = ("tf", "tf-idf")
BISECTIONS = ("RB-I2", "RB-H1")
#: so many that the published EQ and NMI are both possible
MANY = 60
STARTS = 10


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
    return ExperimentResult(
        name,
        pd.DataFrame(rows).assign(repeats=True),
        (
            "Change in % from tf to tf-idf as in table 5.5, with repeated bisection stopped at "
            f"{MANY} clusters; starts of each bisection: {starts}. Intervals are of 95 %, over "
            "the collections.",
            "EQ fixes the mutual information of clusters and classes. NMI divides it by the square "
            "root of both entropies, and the entropy of k clusters is at most log k.",
            *_possible(),
        ),
    )
