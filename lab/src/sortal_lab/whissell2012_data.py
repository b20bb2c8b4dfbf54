"""whissell2012 tables 5.1 and 6.3: the sizes of the data sets, beside those of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab import ExperimentResult
from sortal_lab.data import index, points, term_counts
from sortal_lab.whissell2012_chapter6_samples import REAL, TESTED
from sortal_lab.whissell2012_tables import COLLECTIONS, REAL_SETS

if TYPE_CHECKING:
    from pathlib import Path

#: the columns of the tables
OF_COLLECTIONS = ("documents", "terms", "classes")
OF_REAL_SETS = ("objects", "features", "classes", "objects in the largest class")


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int | None = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Sizes of the data sets of a table; all of it in any case."""
    import pandas as pd

    of_terms = name.endswith("5.1")
    printed = COLLECTIONS if of_terms else REAL_SETS
    heads = OF_COLLECTIONS if of_terms else OF_REAL_SETS
    rows: list[dict[str, Any]] = []
    absent = []
    for which, figures in printed.items():
        if of_terms and which not in index():
            absent.append(which)
            continue
        sizes = _of_collection(which) if of_terms else _of_real_set(which)
        rows += [
            {"data": which, "figure": head, "size": size, "published": figure}
            for head, size, figure in zip(heads, sizes, figures, strict=True)
        ]
    notes = [f"{which} cannot be had." for which in absent]
    notes += [f"{which}: {REAL[which][1]}." for which in printed if REAL.get(which, ("", ""))[1]]
    return ExperimentResult(name, pd.DataFrame(rows), tuple(notes))


def _of_collection(which: str) -> tuple[int, ...]:
    """Documents, terms and classes of a collection."""
    counts, classes = term_counts(which)
    return (*counts.shape, len(np.unique(classes)))


def _of_real_set(which: str) -> tuple[int, ...]:
    """Objects, features, classes and the objects of the largest class, of all objects."""
    X, classes = (part[-TESTED.get(which, 0) :] for part in points(REAL[which][0], scale="none"))
    sizes = np.unique(classes, return_counts=True)[1]
    return (*X.shape, len(sizes), int(sizes.max()))
