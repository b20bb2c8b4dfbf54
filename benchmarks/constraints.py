"""By how much must-link and cannot-link pairs improve the choice, on real sets.

Of every real table of points with at most 1,100 objects: candidates are of k-means, Ward,
average linkage and Gaussian mixtures with k = 2 to 10; pairs are drawn at random from all, and
the classes say what holds of each. Nothing of the likelihood of pairs was chosen on data; the judge
learned from most of these tables, so that without pairs it chooses better here than elsewhere.

``python -m benchmarks.constraints [DRAWS]`` prints the mean adjusted Rand index of the choice.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd

import sortal
from benchmarks.choice import data_sets
from sortal.measures import adjusted_rand_index

CLUSTERERS = ("kmeans", "ward", "average", "gaussian-mixture")
NUMBERS = (0, 20, 100)


def drawn(truth: list[Any], m: int, rng: np.random.Generator) -> list[tuple[int, int, str]]:
    """Pairs of objects of known class, with what the classes say of them."""
    known = [i for i, one in enumerate(truth) if one is not None]
    out: dict[tuple[int, int], str] = {}
    while len(out) < m:
        a, b = sorted(map(int, rng.choice(known, 2, replace=False)))
        out[a, b] = "must" if truth[a] == truth[b] else "cannot"
    return [(a, b, word) for (a, b), word in out.items()]


def choices(name: str, X: Any, truth: Any, draws: int) -> dict[str, Any]:
    """Agreement of the choice with the classes, for each number of pairs, and of the best."""
    truth = list(truth)
    classes = np.array([str(one) for one in truth])
    study = sortal.Study(X)
    study.sweep(CLUSTERERS, n_init=2, workers=1, progress=False)
    usable = study.judged().names
    value = {
        one: adjusted_rand_index(classes, study.labels(one), noise="singletons") for one in usable
    }
    row: dict[str, Any] = {"data": name, "best": max(value.values())}
    for m in NUMBERS:
        found = []
        for seed in range(draws if m else 1):
            study.constrain(drawn(truth, m, np.random.default_rng([seed, m])) if m else None)
            found.append(value[study.best(stability=False).name])
        row[str(m)] = float(np.mean(found))
    return row


def main(draws: int = 10) -> None:
    """Print a row for each set, and the means with the standard errors of the gains."""
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, X, truth in data_sets():
            if "_" in name and name != "breast_w":  # benchmark sets: names of suites
                continue
            rows.append(choices(name, X, truth, draws))
            print(rows[-1], file=sys.stderr, flush=True)
    table = pd.DataFrame(rows).set_index("data")
    print(table.round(3).to_string())
    print(table.mean().round(3).to_string())
    for m in NUMBERS[1:]:
        gain = table[str(m)] - table["0"]
        print(f"{m} pairs: {gain.mean():+.3f} ± {gain.sem():.3f}, worse on {(gain < -0.01).sum()}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
