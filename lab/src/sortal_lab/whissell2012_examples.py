"""whissell2012 in small: the objects of figures 6.1 to 6.3, and equations 2.7 to 2.9."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import sortal
from sortal.distances import as_distances
from sortal_lab import ExperimentResult

if TYPE_CHECKING:
    from pathlib import Path

    from sortal.typing import RandomState

FIGURE = "whissell2012-figure6.1"
#: the values of each feature, and how many objects have each combination
COLOURS, EDGES, SHAPES, COPIES = 3, 3, 3, 10


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """The toy example of clarity, or the divergences between distributions.

    ``samples``: not used: it takes a second.
    """
    rng = np.random.default_rng(random_state)
    return _clarity(name, rng) if name == FIGURE else _divergences(name, rng)


def _clarity(name: str, rng: np.random.Generator) -> ExperimentResult:
    """Informativeness of clusterings by one feature, and of one by none."""
    import pandas as pd

    combinations = list(itertools.product(range(COLOURS), range(EDGES), range(SHAPES)))
    objects = np.repeat(np.array(combinations), COPIES, axis=0)
    # one column for each value: no value is nearer to one than to another
    X = np.concatenate([np.eye(3)[objects[:, j]] for j in range(3)], axis=1)
    clusterings = {
        "by colour (figure 6.2)": (objects[:, 0], "high"),
        "by number of edges (figure 6.2)": (objects[:, 1], "high"),
        "by shape (figure 6.2)": (objects[:, 2], "high"),
        "by no feature (figure 6.3)": (rng.permutation(objects[:, 0]), "low"),
    }
    rows = []
    for title, (labels, published) in clusterings.items():
        value = float(
            sortal.informativeness(X, labels, classifiers=("svm",), cv=10, random_state=0)
        )
        rows.append(
            {
                "clustering": title,
                "informativeness": value,
                "found": "high" if value > 0.9 else "low" if value < 0.1 else "?",
                "published": published,
            }
        )
    return ExperimentResult(
        name,
        pd.DataFrame(rows),
        (
            "The figures are drawings; of their objects the text (p. 120) says that they have all "
            f"combinations of features. Here {COLOURS} values of three features, {COPIES} objects "
            "of each combination; a linear classifier, ten folds. high: informativeness above 0.9 "
            "(1 is perfect), low: below 0.1.",
        ),
    )


def _divergences(name: str, rng: np.random.Generator) -> ExperimentResult:
    """Equations 2.7 to 2.9 as printed, and as distances of sortal."""
    import pandas as pd

    P = rng.dirichlet(np.ones(5), size=2)
    p, q = P.tolist()
    average = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    printed = {
        ("2.7", "kl"): _kl(p, q),
        ("2.8", "symmetric_kl"): _kl(p, q) + _kl(q, p),
        ("2.9", "js_divergence"): 0.5 * _kl(p, average) + 0.5 * _kl(q, average),
    }
    # a block has a column for the object that a distance begins at
    rows = [
        {
            "equation": equation,
            "distance": metric,
            "ours": round(float(as_distances(P, metric).block(slice(1, 2), slice(0, 1))[0, 0]), 12),
            "published": round(value, 12),
        }
        for (equation, metric), value in printed.items()
    ]
    return ExperimentResult(
        name,
        pd.DataFrame(rows),
        (
            "published: the printed equation (section 2.3), summed term by term for two "
            "distributions over five terms; natural logarithms. 2.7 is not symmetric: what needs a "
            "symmetric distance asks for symmetric_kl.",
        ),
    )


def _kl(p: list[float], q: list[float]) -> float:
    """Kullback–Leibler divergence of two distributions."""
    return math.fsum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
