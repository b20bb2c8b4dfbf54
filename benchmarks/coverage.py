"""How often an estimate ± 1.96 standard errors covers the exact value.

``python -m benchmarks.coverage [--repetitions 200]``: measures that have an estimate by kinds of
6,000 objects that are hard in a way of their own. Wanted are 0.93 to 0.97 over all and 0.90 in
each.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import sortal

KEYS = ["silhouette", "informativeness", "aucc", "baker_hubert_gamma"]


def kinds(n: int) -> dict[str, tuple[Any, Any]]:
    """Data and labels."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    X = rng.normal(size=(n, 4)) + 1.5 * rng.normal(size=(4, 4))[y]
    tiny, few = np.where(np.arange(n) < 5, 4, y), rng.integers(0, n // 5, n)
    uneven = np.minimum(rng.geometric(0.6, n) - 1, 6)
    return {
        "overlapping": (X, y),
        "uneven": (rng.normal(size=(n, 3)) + 1.5 * rng.normal(size=(7, 3))[uneven], uneven),
        "a tiny cluster": (X + 5.0 * (tiny == 4)[:, None], tiny),
        "integers": (np.round(X), y),
        "objects repeated": (X[few], y[few]),
        "heavy tails": (rng.standard_t(1.6, size=(n, 2)), rng.integers(0, 3, n)),
    }


def covered(repetitions: int, n: int = 6000, precision: float = 0.02) -> Any:
    """The shares of intervals that cover the value, by kind and measure."""
    import pandas as pd

    rows = {}
    for part, (kind, (X, labels)) in enumerate(kinds(n).items()):
        value = sortal.evaluate(X, labels, measures=KEYS).table.iloc[0]
        hits = 0 * value
        for seed in range(part * repetitions, (part + 1) * repetitions):
            found = sortal.evaluate(
                X, labels, measures=KEYS, precision=precision, random_state=seed
            )
            estimate, error = found.table.iloc[0], found.standard_errors.iloc[0]
            hits += (estimate - value).abs() <= 1.96 * error + 1e-12 * value.abs()
        rows[kind] = hits / repetitions
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    table = covered(parser.parse_args(arguments).repetitions)
    print(table.round(3).to_string())
    print(f"mean {table.to_numpy().mean():.3f}, least {table.to_numpy().min():.3f}")


if __name__ == "__main__":
    main()
