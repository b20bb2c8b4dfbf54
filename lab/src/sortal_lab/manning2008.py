"""manning2008 §16.3: table 16.2 and the exercise that doubles every point."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

import sortal
from sortal_lab import ExperimentResult

if TYPE_CHECKING:
    from pathlib import Path

    from sortal.typing import Ints, RandomState

#: figure 16.4: class and cluster of each of the 17 points
CLASSES = "xxxxxo" + "xoooo◇" + "xx◇◇◇"
CLUSTERS = np.repeat([1, 2, 3], [6, 6, 5])
PUBLISHED = {"purity": 0.71, "NMI": 0.36, "RI": 0.68, "F5": 0.46}
#: figures of the running text, where P, R and F1 stand too
IN_THE_TEXT = {"TP": 20, "FP": 20, "FN": 24, "TN": 72, "P": 0.5, "R": 0.455, "F1": 0.48}
TABLE, EXERCISE = "manning2008-table16.2", "manning2008-exercise"


def scores(classes: Ints, clusters: Ints) -> dict[str, float]:
    """The measures of the section, by their names there."""
    pairs = sortal.pair_counts(classes, clusters)
    return {
        "purity": sortal.purity(classes, clusters),
        "NMI": sortal.normalized_mutual_information(classes, clusters, normalizer="arithmetic"),
        "RI": sortal.rand_index(classes, clusters),
        "F5": sortal.pair_f_measure(classes, clusters, beta=5),
        "TP": pairs.both,
        "FP": pairs.only_pred,
        "FN": pairs.only_true,
        "TN": pairs.neither,
        "P": sortal.pair_precision(classes, clusters),
        "R": sortal.pair_recall(classes, clusters),
        "F1": sortal.pair_f_measure(classes, clusters),
        "ARI": sortal.adjusted_rand_index(classes, clusters),
    }


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Table 16.2, or its exercise; nothing in them is random.

    Returns our figures beside the published, or with 17 points beside 34.
    """
    import pandas as pd

    classes = np.array(list(CLASSES))
    once = scores(classes, CLUSTERS)
    if name == TABLE:
        rows = [
            {"measure": key, "ours": once[key], "published": value, "where": where}
            for where, values in (("table 16.2", PUBLISHED), ("text", IN_THE_TEXT))
            for key, value in values.items()
        ]
        return ExperimentResult(name, pd.DataFrame(rows), (_READING,))
    twice = scores(np.repeat(classes, 2), np.repeat(CLUSTERS, 2))
    rows = [
        {
            "measure": key,
            "17 points": once[key],
            "34 points": twice[key],
            "": _change(once[key], twice[key]),
        }
        for key in ("purity", "NMI", "RI", "F5", "F1", "ARI")
    ]
    return ExperimentResult(name, pd.DataFrame(rows), _ANSWERS)


def _change(once: float, twice: float) -> str:
    """Direction of a change, in words."""
    if abs(twice - once) < 1e-12:
        return "the same"
    return "greater" if twice > once else "less"


_READING = (
    "NMI divides by the arithmetic mean of the entropies (equation 183). Purity is "
    f"{Fraction(12, 17)}, F1 {Fraction(10, 21)}."
)
_ANSWERS = (
    "(i) Equally difficult for whoever knows that copies belong together, who decides about the "
    "same 17 points; a clusterer that treats each copy for itself has more that it can do wrong.",
    "(ii) Purity and NMI depend on shares of the points alone, which doubling leaves as they are. "
    "RI, F5, F1 and ARI rise: of the pairs, those of a point and its copy are new, and all of them "
    "are true positives.",
    "(iii) Where doubled sets count as equally difficult, purity and NMI are suited to compare "
    "the two; measures of pairs are not, even with correction for chance, because its model takes "
    "copies for independent points.",
)
