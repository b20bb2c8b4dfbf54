"""How often races of equal methods find a difference, by every verdict of ``sortal.bench``.

``python -m benchmarks.races`` has 2 to 10 data sets and 2 to 6 methods with random scores, 2,000
races for each: the share in which Friedman's test, the critical difference, or the Wilcoxon test of
some pair corrected by Holm finds a difference, and in which words and bold letters say so.
The null distributions are those of the library, the tables of one cell share theirs.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import rankdata

from sortal.bench.permutation import rank_sums, signed_rank_p, signed_ranks
from sortal.bench.rank_tests import critical_difference

RACES = 2000
ALPHA = 0.05
VERDICTS = ("Friedman", "Nemenyi", "a pair by Holm", "told apart")


def shares(sets: int, methods: int) -> np.ndarray:
    """How often each verdict finds a difference; the last is that of words and bold letters."""
    rng = np.random.default_rng([sets, methods])
    scores = rng.normal(size=(RACES, sets, methods))
    ranks = rankdata(scores, axis=2)
    null = rank_sums(ranks[0])
    assert null is not None
    critical = critical_difference(scores[0], ALPHA)
    middle = sets * (methods + 1) / 2
    known = ((null.sums / 2 - middle) ** 2).sum(axis=1)
    pairs = list(itertools.combinations(range(methods), 2))
    found = np.zeros(len(VERDICTS))
    for own, order in zip(scores, ranks, strict=True):
        sums = order.sum(axis=0)
        together = null.tail(known, float(((sums - middle) ** 2).sum())) <= ALPHA
        least = min(signed_rank_p(*signed_ranks(own[:, i] - own[:, j])) for i, j in pairs)
        pair = least * len(pairs) <= ALPHA
        found += [together, np.ptp(sums) / sets >= critical - 1e-9, pair, together and pair]
    return found / RACES


def main() -> None:
    worst = np.zeros(len(VERDICTS))
    print("methods sets", *VERDICTS, sep=", ", flush=True)
    for methods in range(2, 7):
        for sets in range(2, 11):
            found = shares(sets, methods)
            worst = np.maximum(worst, found)
            print(methods, sets, *(f"{share:.3f}" for share in found), flush=True)
    print("most", *(f"{share:.3f}" for share in worst))


if __name__ == "__main__":
    main()
