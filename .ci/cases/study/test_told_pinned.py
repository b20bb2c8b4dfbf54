"""Every sentence about an answer, of facts that are made up, so that none changes unseen."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
from pinning import Pins

import sortal
from sortal.bounds import BoundForecast
from sortal.labelings.structures import Hardened
from sortal.study import facts, wording
from sortal.study.divisions import Alternative
from sortal.study.views import DataView
from sortal.study.wording import (
    all_rows,
    assumed,
    divisions,
    first_screen,
    page,
    phrases,
    screen,
)

BASE = sortal.Answer(
    name="ward k=3", clusterer="ward", k=3, n_clusters=3, labels=np.zeros(1200, dtype=np.int32),
    sizes=(700, 300, 200), outliers=0, reached_by=1, decided_by="judge-1", score=None,
    tried=facts.CandidateCounts(9, 7, 0), data="wine",
)  # fmt: skip


def read(answer: sortal.Answer) -> list[str]:
    """Everything that an answer says."""
    return [*str(answer).splitlines(), "why:", *answer.reasons, "one:", screen.one_line(answer)]


def told(**changes: Any) -> dict[str, list[str]]:
    """What an answer says more, and what it no longer says, where some facts are others."""
    before, after = read(BASE), read(replace(BASE, **changes))
    return {"more": [line for line in after if line not in before],
            "less": [line for line in before if line not in after]}  # fmt: skip


def finding(key: str, *columns: str, severity: str = "notable") -> Any:
    return Some(key=key, columns=columns, severity=severity,
                to_dict=lambda: {"sentence": f"About {key}."})  # fmt: skip


@cache
def guaranteed() -> Any:
    """Guarantees: an easy one, one without unlabelled objects, one that is refused."""
    y = np.arange(120) % 3
    few = [f"kind {c}" if i % 3 == i // 3 % 3 else None for i, c in enumerate(y)]
    good = sortal.guarantee({"halves": y > 0, "three": y}, few)
    return Some(good=good, poor=replace(good, bound=good.n), all=replace(good, n=0),
                refused=good.refusing("the rows are sorted"))  # fmt: skip


def alternatives(*alternatives: Any, **facts_: Any) -> Any:
    from sortal.study.alternatives import Alternatives

    return Alternatives(alternatives, **facts_)


def alternative(name: str, *, recovery: Any = None, kind: str = "all", **options: Any) -> Any:
    return Alternative(name, 2, np.zeros(4), (3, 1), recovery, DataView(kind), 9.0, **options)


def described(cluster: int, size: int, **options: Any) -> Any:
    made = {"rule": None, "accuracy": None, "name": str(cluster), "named_by": None, "telling": ()}
    return Some(cluster=cluster, size=size, **(made | options))


@cache
def names() -> dict[str, Any]:
    three = (("0", ("setosa",)), ("1", ("versicolor", "virginica")))
    split = (("0", ("a", "b")), ("1", ("c", "d")), ("2", ("e",)))
    table = {"p_holm": [0.04, 0.0005, 0.05, 0.2, 0.01, np.nan], "cluster": [0, 0, 1, 1, 2, 2]}
    pairs = pd.DataFrame(
        table | {"other": [1, 2, 2, 2, 0, 1], "difference": [1, 2, 3, -1, 0, np.nan]}
    )
    features = pd.DataFrame({
        "cluster": [0] * 8 + [1, 1], "feature": list("abcdefghij"),
        "p_holm": [0.04, 0.001, 0.0009, 0.05, 0.2, 0.01, 0.02, 0.03, 0.05, np.nan],
    })  # fmt: skip
    rows = {
        "n_rows": 12345, "names": ("a", "b", "c"), "sizes": (2345, 9000, 1000), "left": 0,
        "unlike": (10, 0, 3), "within_sum_of_squares": 123456.789, "calinski_harabasz": None,
        "davies_bouldin": 0.123456, "davies_bouldin_error": 0.00123, "filled": 0, "notes": ("n",),
        "rare": (Some(rows=1234, center=dict(zip("abcde", range(5), strict=True)), examples=[7, 8, 9, 10]),),
    }  # fmt: skip
    return {
        **{name: one for name, one in vars(facts).items() if isinstance(one, type)},
        "told": told, "BASE": BASE, "replace": replace, "np": np, "pd": pd, "finding": finding,
        "G": guaranteed(), "Hardened": Hardened, "BoundForecast": BoundForecast, "three": three,
        "split": split, "Some": Some, "all_rows": all_rows, "assumed": assumed, "page": page,
        "divisions": divisions, "first": first_screen, "screen": screen, "tested": import_module("sortal.study.wording.tested"),
        "phrases": phrases, "wording": wording, "alternatives": alternatives,
        "alternative": alternative, "described": described, "DataView": DataView,
        "E": facts.Recovery, "rows": lambda **changes: Some(**(rows | changes)),
        "differences": lambda labels, **more: Some(
            pairs=pairs, features=features, labels=np.array(labels), premises=("premise",), **more
        ),
        "level": lambda **options: facts.LevelCandidate(**({
            "name": "average k=5", "n_clusters": 5, "recovery": facts.Recovery(0.5, 0.4, 0.6),
            "agreement": 0.81, "shared": ("1", "2"), "nested": 0.9, "united": split,
        } | options)),
        "own": lambda n, level=(): tuple(
            facts.OwnClustering(f"own {i}", 2 + i, facts.Recovery(0.3, 0.2, 0.4) if i else None,
                                1 - i / 10, i in level) for i in range(n)),
        "resampled": lambda **options: facts.StabilityFacts(**({
            "clusterer": "ward", "numbers": (2, 6), "selected": 3, "kept": 0.987, "null": 0.812,
            "found": (), "found_in_null": (), "n_stable": 3, "worst": "1", "dissolved": 0.43,
            "n_judged": 1200,
        } | options)),
        "votes": lambda *firsts: tuple(
            facts.Family(f"family {i}", ("a", "b")[: 1 + i % 2], f"other {i}", first)
            for i, first in enumerate(firsts)),
        "measured": lambda **options: {"measured": facts.Measured(**({
            "title": "Dunn index", "value": 0.123456, "greater_is_better": True, "n_known": 0,
            "inside_error": (),
        } | options)), "recovery": None},
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
