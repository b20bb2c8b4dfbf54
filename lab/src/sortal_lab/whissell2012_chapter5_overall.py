"""The "Overall" rows of tables 5.5 and 5.12 to 5.14: means over two groups of clusterers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab import whissell2012_tables as published

if TYPE_CHECKING:
    import pandas as pd

#: those that the thesis calls hierarchical; the others are partitional
HIERARCHICAL = (
    "UPGMA", "RB-K-means", "Agglo-H1", "Agglo-I2", "RB-H1", "RB-I2", "Slink", "Clink",
)  # fmt: skip


def overall_rows(table: pd.DataFrame, number: str) -> list[dict[str, Any]]:
    """Mean change of each group of clusterers beside the printed one, by measure.

    The half width is the mean of the clusterers' half widths, and that of their mean is at most
    this: a standard deviation of a mean is at most the mean of the standard deviations. The
    printed rows of the clusterers are counted, so their means repeat them.
    """
    of_rows = table[~table["repeats"]]
    rows = []
    for group, printed in published.OVERALL[number].items():
        names = _members(number, group)
        for measure, figure in zip(published.MEASURES, printed, strict=True):
            own = of_rows[of_rows["algorithm"].isin(names) & (of_rows["measure"] == measure)]
            if len(own) == len(names) and figure is not None:
                row: dict[str, Any] = {"algorithm": f"overall, {group}", "measure": measure}
                row |= {"change": own["change"].mean(), "±": own["±"].mean()}
                rows.append(row | {"published": figure, "repeats": True})
    return rows


def overall_notes(rows: list[dict[str, Any]], number: str) -> list[str]:
    """How many printed means are in our intervals, and which are no means of their rows."""
    if not rows:
        return []
    inside = sum(abs(row["change"] - row["published"]) <= row["±"] for row in rows)
    return [
        f"{inside} of {len(rows)} printed overall means lie within our interval, whose half width "
        "is an upper bound. They repeat the rows, which are counted.",
        *(
            f"The printed overall {measure} of the {group} clusterers is {figure:.1f}, and the "
            f"mean of its printed rows is {mean:.1f}."
            for group, measure, figure, mean in unlike_their_rows(number)
        ),
    ]


def unlike_their_rows(number: str) -> list[tuple[str, str, float, float]]:
    """Printed overall figures that are no mean of the printed rows: group, measure, both.

    >>> unlike_their_rows("5.12")
    []
    """
    unlike = []
    for group, printed in published.OVERALL[number].items():
        rows = [published.BY_ALGORITHM[number][name] for name in _members(number, group)]
        for measure, figure, mean in zip(
            published.MEASURES, printed, np.mean(rows, axis=0).tolist(), strict=True
        ):
            # the rows are rounded, and so is their mean
            if figure is not None and not math.isclose(figure, mean, abs_tol=0.1):
                unlike.append((group, measure, figure, mean))
    return unlike


def _members(number: str, group: str) -> list[str]:
    """Clusterers of a group in a table."""
    is_first = group == "hierarchical"
    return [name for name in published.BY_ALGORITHM[number] if (name in HIERARCHICAL) == is_first]
