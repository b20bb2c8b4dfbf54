"""Tests of differences between clusters in words, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.runtime.numerals import percent
from sortal.study.wording.phrases import LIMITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sortal.inference import Differences

#: derived: by convention, corrected p-values below which there are one, two, three stars
LEVELS = (0.05, 0.01, 0.001)
#: note below the table
KEY = "*, **, ***: p below 0.05, 0.01, 0.001, corrected for all tests of the table (Holm)."


@dataclass(frozen=True)
class Tested:
    """Tests of differences as rows of two tables, one of pairs and one of features."""

    pairs: tuple[tuple[str, str, str, str], ...]
    features: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]


def tested(differences: Differences, labels: NDArray[Any], names: Sequence[str]) -> Tested:
    """Tests on thinned data as tables; ``labels`` and ``names`` are of the shown clustering."""
    display_names = _display_names(differences.labels, labels, names)
    clearest: Any = differences.pairs.sort_values("p_holm", kind="stable").head(LIMITS.pairs)
    pairs = tuple(
        (
            display_names[row.cluster],
            display_names[row.other],
            _number(row.difference),
            _p(row.p_holm),
        )
        for row in clearest.itertuples()
    )
    features = []
    for cluster, rows in differences.features.groupby("cluster", sort=False):
        clear: Any = rows[rows["p_holm"] < LEVELS[0]].sort_values("p_holm", kind="stable")
        if len(clear):
            listed = [f"{row.feature}{stars(row.p_holm)}" for row in clear.itertuples()]
            n_further = len(listed) - LIMITS.examples
            more = f" and {n_further} more" if n_further > 0 else ""
            features.append((display_names[cluster], ", ".join(listed[: LIMITS.examples]) + more))
    k = len(display_names)
    first = (
        f"{k} clusters were found in one part of the values and compared in the other. Each is "
        "called after the cluster above that most of its objects are in, with their share."
        if k > 1
        else "One part of the values gave a single cluster: there is nothing to compare."
    )
    hidden = len(differences.pairs) - len(pairs)
    more_pairs = (f"{hidden} more pairs have larger p-values.",) if hidden else ()
    return Tested(pairs, tuple(features), (first, *more_pairs, KEY, *differences.premises))


def stars(p: float) -> str:
    """One star for each level that a p-value is below.

    >>> stars(0.004), stars(float("nan"))
    ('**', '')
    """
    return "*" * sum(p < level for level in LEVELS)


def _p(p: float) -> str:
    """A p-value with its stars."""
    if np.isnan(p):
        return "too few objects"
    text = f"{p:.3f}" if p >= LEVELS[-1] else f"below {LEVELS[-1]}"
    return f"{text} {stars(p)}".strip()


def _number(difference: float) -> str:
    """A difference to one decimal; a dash for NaN."""
    return "–" if np.isnan(difference) else f"{difference:.1f}"


def _display_names(
    first_labels: NDArray[Any], labels: NDArray[Any], names: Sequence[str]
) -> dict[Any, str]:
    """Names of the first part's clusters, after the shown clusters with most of their objects."""
    out: dict[Any, str] = {}
    matches: list[int] = []
    for cluster in np.unique(first_labels[first_labels != -1]).tolist():
        labels_inside = labels[first_labels == cluster]
        inside = np.bincount(labels_inside[labels_inside >= 0], minlength=len(names))
        most = int(np.argmax(inside))
        share = inside[most] / len(labels_inside)
        matches.append(most)
        suffix = f", no. {matches.count(most)}" if matches.count(most) > 1 else ""
        out[cluster] = f"{names[most]} ({percent(share, 0)}){suffix}"
    return out
