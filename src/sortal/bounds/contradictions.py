"""Evidence in the labels against the premise of a random order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sortal.bounds import wording
from sortal.bounds.sampling import REFUSED, SIMULATED, WARNED
from sortal.bounds.tails import bucket

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sortal.bounds.classifiers import ComponentBound
    from sortal.typing import Bools, Floats, Ints

#: tuned: by eye; a bound is refuted if so many errors on its own test labels are less likely
REFUTED = 0.02
#: tuned: by eye; an order is refuted if it is less likely than this among random ones
UNORDERED = 5e-4
#: derived: of five rows one random order in 60 is sorted, of four one in 12
SORTED_FROM = 5
#: derived: a normal score of the correlation of rows and draw that one order in 16,000 exceeds
CORRELATED = 4.0


def refuted(component: ComponentBound) -> bool:
    """Whether a bound's own test errors make it improbable, or leave no number of errors at all."""
    if component.bound < 0:
        return True
    m, n = component.tested, component.n
    if m == 0 or component.bound >= n:
        return False
    return bool(bucket(m, n, m - component.errors, n - component.bound) < REFUTED)


def is_sorted(rows: Ints) -> bool:
    """Whether five or more rows come in ascending or descending order."""
    steps = np.diff(rows)
    return len(rows) >= SORTED_FROM and bool((steps > 0).all() or (steps < 0).all())


def is_grouped(classes: Ints) -> bool:
    """Whether equal classes follow each other more often than in almost any random order."""
    counts = np.bincount(classes - classes.min(initial=0))
    m = len(classes)
    together = int((classes[1:] == classes[:-1]).sum())
    expected = float((counts * (counts - 1)).sum()) / max(m, 1)
    # few orders are simulated: most are clearly random
    if m < SORTED_FROM or together - expected <= 2.5 * math.sqrt(max(expected, 1) / 2):
        return False
    shuffled = np.random.default_rng(0).permuted(np.tile(classes, (SIMULATED, 1)), axis=1)
    as_many = (shuffled[:, 1:] == shuffled[:, :-1]).sum(axis=1) >= together
    return bool((1 + as_many.sum()) / (1 + SIMULATED) < UNORDERED)


def is_correlated(rows: Ints) -> bool:
    """Whether rows rise or fall along the order as in no random one."""
    m = len(rows)
    if m < 2:
        return False
    ranks = np.empty(m)
    ranks[np.argsort(rows)] = np.arange(m)
    correlation = float(np.corrcoef(ranks, np.arange(m))[0, 1])
    return abs(correlation) * math.sqrt(m - 1) > CORRELATED


def unordered(rows: Ints, classes: Ints) -> str:
    """Reason why labels in this order were not drawn in it; empty without one."""
    beginning = bool((rows == np.arange(len(rows))).all())
    if is_sorted(rows) and not beginning:
        return wording.sorted_order(len(rows))
    if is_grouped(classes) or (is_correlated(rows) and not beginning):
        return wording.NO_RANDOM_ORDER
    return ""


def picked_pairs(pairs: Ints, together: Bools, names: tuple[str, ...], codes: Ints) -> str:
    """Reason why pairs of objects were not drawn from all pairs; empty without one.

    ``together`` says which pairs each clustering has in one cluster. Their number is
    hypergeometric in a random draw, as is the number of pairs of any object.
    """
    from scipy.stats import hypergeom

    m, n = len(pairs), codes.shape[1]
    total = n * (n - 1) // 2
    at, count = max(enumerate(np.bincount(pairs.ravel())), key=lambda pair: pair[1])
    if n * hypergeom.sf(count - 1, total, n - 1, m) < REFUSED:
        return wording.picked_pairs(count, m, f"have object {at} in them", m * (n - 1) / total)
    for name, row, clusters in zip(names, together.sum(axis=1).tolist(), codes, strict=True):
        sizes = np.bincount(clusters[clusters >= 0])
        inside = int((sizes * (sizes - 1) // 2).sum())
        draw = hypergeom(total, inside, m)
        if 2 * len(codes) * min(draw.cdf(row), draw.sf(row - 1)) < REFUSED:
            return wording.picked_pairs(row, m, f"are in one cluster of {name!r}", draw.mean())
    return ""


def picked_values(guesses: Floats, observed: Bools) -> str:
    """Reason why objects with known values are no random draw by their guesses; empty without."""
    m, n = int(observed.sum()), len(guesses)
    mean, spread = float(guesses.mean()), float(guesses.std())
    error = spread * math.sqrt((1 - m / n) / m)
    away = abs(float(guesses[observed].mean()) - mean)
    if m < SORTED_FROM or not error or math.erfc(away / error / math.sqrt(2)) >= WARNED:
        return ""
    rng = np.random.default_rng(0)
    draws = [guesses[rng.choice(n, m, replace=False)].mean() for _ in range(SIMULATED)]
    further = int((np.abs(np.array(draws) - mean) >= away * (1 - 1e-12)).sum())
    if (1 + further) / (1 + SIMULATED) >= REFUSED:
        return ""
    return wording.picked_values(m, float(guesses[observed].mean()), mean)


def contradiction(parts: Iterable[ComponentBound]) -> str:
    """Reason why nothing is guaranteed if a bound contradicts its own test; empty without one."""
    component = max(
        (component for component in parts if refuted(component)),
        key=lambda component: component.errors,
        default=None,
    )
    return "" if component is None else wording.contradicted(component)
