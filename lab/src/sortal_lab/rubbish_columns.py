"""Answers on real tables with columns that say nothing, against the answers without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets import from_table, weighted
from sortal_lab import ExperimentResult
from sortal_lab.column_weights import agreement, swept
from sortal_lab.data import absent, index, locate
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

#: larger tables are left out
MOST_OBJECTS = 2_000


def _categories(rng: np.random.Generator, n: int) -> Any:
    """Three categories."""
    return rng.choice(list("abc"), n)


def _coins(rng: np.random.Generator, n: int) -> Any:
    """Coin flips."""
    return rng.integers(2, size=n)


def _normal(rng: np.random.Generator, n: int) -> Any:
    """Normal numbers."""
    return rng.normal(size=n)


def _skewed(rng: np.random.Generator, n: int) -> Any:
    """Exponential numbers in a large unit."""
    return 1000 * rng.exponential(size=n)


#: columns that are added; None for a multiple of the table's first column
CHANGES: dict[str, tuple[Callable[[np.random.Generator, int], Any], ...] | None] = {
    "one number": (_normal,),
    "one coin": (_coins,),
    "three numbers": (_normal, _skewed, _normal),
    "three columns of three kinds": (_skewed, _categories, _coins),
    "a duplicate": None,
}


def run(
    *,
    name: str = "rubbish-columns",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Add columns to each real table, and compare the answers.

    ``samples``: draws of the columns; 3 by default.

    Returns a row for each change: the share of the tables whose weighted data stay the same, and
    the median, mean and smallest adjusted Rand index of the answer with the answer before.
    """
    import pandas as pd

    draws = 3 if samples is None else samples
    journal = Journal(storage, f"random_state {random_state!r}")
    rows: list[dict[str, Any]] = []
    names = sorted(
        name
        for name, entry in index().items()
        if entry["kind"] == "points" and entry["labels"] == "column:label"
        if name not in absent() and entry["n"] <= MOST_OBJECTS
    )
    for title in names:
        for i in range(draws):
            of_table: Any = journal.get((title, str(i)))
            if of_table is None:
                of_table = _compared(_table(title), [random_state, i])
                journal.put((title, str(i)), of_table)
            rows += [{"added": change, "table": title, **row} for change, row in of_table.items()]
        if progress is not None:
            progress(title)
    by_change = pd.DataFrame(rows).groupby("added", sort=False)
    table = by_change["agreement"].agg(["median", "mean", "min"]).reset_index()
    table.insert(1, "data unchanged", by_change["unchanged"].mean().to_numpy())
    return ExperimentResult(
        name,
        table,
        (
            f"{len(names)} tables of at most {MOST_OBJECTS:,} rows: {', '.join(names)}; {draws} "
            "draws of the columns.",
            "Where the weighted data stay the same up to rounding, so does the answer: it is not "
            "computed again.",
        ),
    )


def _table(name: str) -> pd.DataFrame:
    """Features of a real table as they are."""
    import pandas as pd

    table = pd.read_csv(locate(name), keep_default_na=False, na_values=[""])
    return table.drop(columns="label")


def _compared(table: pd.DataFrame, seed: list[int]) -> dict[str, dict[str, float]]:
    """Whether each change leaves the weighted data, and the agreement of the answers."""
    before, answer = weighted(from_table(table)), None
    rows = {}
    for change, draws in CHANGES.items():
        rng = np.random.default_rng(seed)
        if draws is None:
            more = {"added": 2 * table.iloc[:, 0] + 1}
        else:
            more = {f"added {j}": draw(rng, len(table)) for j, draw in enumerate(draws)}
        after = weighted(from_table(table.assign(**more)))
        is_same = after.X.shape == before.X.shape and bool(
            np.allclose(after.X, before.X, rtol=1e-9, atol=1e-9)
        )
        agrees = 1.0
        if not is_same:
            answer = swept(before) if answer is None else answer
            agrees = agreement(answer.labels, swept(after).labels)
        rows[change] = {"unchanged": float(is_same), "agreement": agrees}
    return rows
