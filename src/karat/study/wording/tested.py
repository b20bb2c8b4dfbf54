"""What tests of differences between clusters say, and why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from karat.inference import Differences

#: corrected p-values below which there are one, two, three stars
LEVELS = (0.05, 0.01, 0.001)
#: said below the table
KEY = "*, **, ***: p below 0.05, 0.01, 0.001, corrected for all tests of the table (Holm)."
#: pairs, and features of a cluster, that are shown
MOST_PAIRS, MOST_FEATURES = 40, 5


@dataclass(frozen=True)
class Tested:
    """Tests of differences, as they are shown: rows of a table of pairs, and of one of features."""

    pairs: tuple[tuple[str, str, str, str], ...]
    features: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]


def tested(found: Differences, labels: NDArray[Any], names: Sequence[str]) -> Tested:
    """Tests on thinned data; ``labels`` and ``names`` are those of the clustering that is shown."""
    called = _called(found.labels, labels, names)
    shown: Any = found.pairs.sort_values("p_holm", kind="stable").head(MOST_PAIRS)
    pairs = tuple(
        (called[one.cluster], called[one.other], _number(one.difference), _p(one.p_holm))
        for one in shown.itertuples()
    )
    features = []
    for cluster, own in found.features.groupby("cluster", sort=False):
        clear: Any = own[own["p_holm"] < LEVELS[0]].sort_values("p_holm", kind="stable")
        if len(clear):
            told = [f"{one.feature}{stars(one.p_holm)}" for one in clear.itertuples()]
            rest = len(told) - MOST_FEATURES
            more = f" and {rest} more" if rest > 0 else ""
            features.append((called[cluster], ", ".join(told[:MOST_FEATURES]) + more))
    k = len(called)
    first = (
        f"{k} clusters were found in one part of the values and compared in the other. Each is "
        "called after the cluster above that most of its objects are in, with their share."
        if k > 1
        else "One part of the values gave a single cluster: there is nothing to compare."
    )
    hidden = len(found.pairs) - len(pairs)
    more_pairs = (f"{hidden} more pairs have larger p-values.",) if hidden else ()
    return Tested(pairs, tuple(features), (first, *more_pairs, KEY, *found.premises))


def untested(why: str | None) -> str:
    """Why there are no p-values; None where nobody asked for them."""
    if why is not None:
        return f"There are no p-values, since no valid test is known here: {why}."
    return (
        "There are no p-values: a test on the values that made the clusters always finds a "
        "difference. Where it is known how values vary about their means, karat run --differences "
        "and Study.differences make a valid one."
    )


def stars(p: float) -> str:
    """One for each level that a p-value is below.

    >>> stars(0.004), stars(float("nan"))
    ('**', '')
    """
    return "*" * sum(p < level for level in LEVELS)


def _p(p: float) -> str:
    if np.isnan(p):
        return "too few objects"
    told = f"{p:.3f}" if p >= LEVELS[-1] else f"below {LEVELS[-1]}"
    return f"{told} {stars(p)}".strip()


def _number(difference: float) -> str:
    return "–" if np.isnan(difference) else f"{difference:.1f}"


def _called(found: NDArray[Any], labels: NDArray[Any], names: Sequence[str]) -> dict[Any, str]:
    """Clusters of the first part by those that are shown, where most of their objects are."""
    out: dict[Any, str] = {}
    seen: list[int] = []
    for cluster in np.unique(found[found != -1]).tolist():
        own = labels[found == cluster]
        inside = np.bincount(own[own >= 0], minlength=len(names))
        most = int(np.argmax(inside))
        part = 100 * inside[most] / len(own)
        seen.append(most)
        again = f", no. {seen.count(most)}" if seen.count(most) > 1 else ""
        out[cluster] = f"{names[most]} ({part:.0f} %){again}"
    return out
