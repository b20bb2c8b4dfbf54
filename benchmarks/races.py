"""How often races of equal methods find a difference, by every verdict of ``sortal.bench``.

``python -m benchmarks.races`` has 2 to 10 data sets and 2 to 6 methods with random scores, 200
races for each: the share in which Friedman's test, the critical difference, or the Wilcoxon test of
some pair corrected by Holm finds a difference, and in which words and bold letters say so.
"""

from __future__ import annotations

import numpy as np

from sortal.bench import compare_methods

RACES = 200
ALPHA = 0.05
VERDICTS = ("Friedman", "Nemenyi", "a pair by Holm", "told apart")


def shares(sets: int, methods: int) -> np.ndarray:
    """How often each verdict finds a difference; the last is that of words and bold letters."""
    rng = np.random.default_rng([sets, methods])
    found = np.zeros(len(VERDICTS))
    for _ in range(RACES):
        race = compare_methods(rng.normal(size=(sets, methods)), alpha=ALPHA)
        found += [
            race.friedman.p_value <= ALPHA,
            np.ptp(race.ranks) >= race.critical_difference - 1e-9,
            race.pairs["p_holm"].min() <= ALPHA,
            race.pairs["different"].any(),
        ]
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
