"""Pinned parts of the meaning of clusters: rules, names, effects, places, carriers, and words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pinning import Pins
from scipy import sparse

from sortal.labelings.held_out import held_out
from sortal.meaning import describe_clusters
from sortal.meaning.features import Condition, Feature, as_table, units, word


def names() -> dict[str, Any]:
    """Customers of three groups with categories, dates and gaps; documents and distances."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    age = 20.0 + 20 * y + rng.integers(0, 9, 120)
    frame = pd.DataFrame({
        "age": age, "high_income": 1000.0 * rng.integers(10, 90, 120) + 50_000 * (y == 1),
        "plan": np.array(["monthly", "yearly", "single"])[(y + (rng.random(120) < 0.2)) % 3],
        "member": y == 0, "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(30 * y + 5, "D"),
    })  # fmt: skip
    X = np.column_stack([age, frame["high_income"] / 1000, y == 0, rng.normal(size=120)])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    labels = ["age", "high_income", "member", "noise"]
    out = np.where(np.arange(120) % 17 == 3, -1, y)
    gaps = frame.assign(age=np.where(np.arange(120) % 7 == 1, np.nan, age))
    terms = sparse.csr_array((rng.random((120, 9)) < 0.15 + 0.7 * np.eye(3)[y].repeat(3, 1)) * 1.0)
    vocabulary = ["wine", "grape", "soil", "ship", "sea", "x", "oven", "salt", "dough"]
    D = abs(np.subtract.outer(age, age)) + 0.001 * abs(np.subtract.outer(X[:, 3], X[:, 3]))
    graph = sparse.csr_array(np.where((D < 3) & (D > 0), 1.0, 0.0))

    def told(*arguments: Any, **options: Any) -> Any:
        """Everything that is told of clusters."""
        found = describe_clusters(*arguments, **options)
        return [(str(one), one.to_dict(), [vars(t) for t in one.telling]) for one in found]

    number, date = Feature("my_size", "number"), Feature("joined", "date")
    yes, plan = Feature("member", "yes-no"), Feature("plan", "category", "one_year")
    features = {
        "number": number,
        "date": date,
        "yes": yes,
        "plan": plan,
        "age": Feature("Age", "number"),
    }

    def conditions(feature: Any) -> Any:
        """A condition of each form, in words."""
        made = [
            Condition(feature, low, high, apart)
            for low, high in ((3.0, None), (None, 12345.678), (3.0, 4.5)) for apart in (True, False)
        ]  # fmt: skip
        return [(str(one), one.brief, one.word, one.holds(np.array([3.0, 4, 4.5, 5, np.nan])))
                for one in made]  # fmt: skip

    shared = {
        "held_out": held_out,
        "describe_clusters": describe_clusters,
        "as_table": as_table,
        "sparse": sparse,
        "word": word,
        "units": units,
    }
    return locals() | shared


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
