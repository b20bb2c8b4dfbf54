"""Random cases for the properties of external measures, of up to 40 objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sortal_lab.axioms.definitions import (
    DISJOINT,
    EQUAL,
    Labels,
    Pair,
    components,
    named,
    restricted,
    without_shared,
)

if TYPE_CHECKING:
    Rng: TypeAlias = np.random.Generator

#: from a generator and a pair (T, C) the pairs of a case, or None where this pair makes none
Draw: TypeAlias = Callable[[np.random.Generator, Labels, Labels], list[Pair] | None]


def pair(rng: Rng, least: int = 8, most: int = 40) -> Pair:
    """A random T, and a C that is near it or not."""
    n = int(rng.integers(least, most + 1))
    T = rng.integers(0, rng.integers(2, min(n, 9) + 1), n)
    C = np.where(rng.random(n) < rng.choice([0.0, 0.2, 0.5, 1.0]), rng.integers(0, 9, n), T)
    return named(T.tolist()), named(C.tolist())


def names_and_order(rng: Rng, T: Labels, C: Labels) -> list[Pair]:
    """A pair, and the same pair renamed and reversed."""
    return [(T, C), (tuple(99 - t for t in T[::-1]), tuple(99 - c for c in C[::-1]))]


def symmetry(rng: Rng, T: Labels, C: Labels) -> list[Pair]:
    """A pair, and the pair exchanged."""
    return [(T, C), (C, T)]


def maximal_agreement(rng: Rng, T: Labels, C: Labels) -> list[Pair]:
    """An equal pair, and another pair."""
    return [EQUAL, (T, T if rng.random() < 0.3 else C)]


def minimal_agreement(rng: Rng, T: Labels, C: Labels) -> list[Pair]:
    """A disjoint pair, and another pair."""
    n = len(T)
    return [DISJOINT, ((0,) * n, tuple(range(n))) if rng.random() < 0.3 else (T, C)]


def unique_optimum(rng: Rng, T: Labels, C: Labels) -> list[Pair]:
    """A pair, and the equal pair."""
    return [(T, C), (T, T)]


def triangle(rng: Rng, T: Labels, C: Labels) -> list[Pair]:
    """Pairs of three partitions for the triangle inequality."""
    B = list(T)
    for i in rng.integers(0, len(T), 3):
        B[int(i)] = int(rng.integers(0, 10))
    A, B2 = T, tuple(B)
    return [(A, B2), (B2, C), (B2, B2), (A, C)]


def _moved(rng: Rng, labels: Labels, objects: list[int]) -> Labels:
    """Labels with some objects moved to a random cluster."""
    changed = list(labels)
    target = int(rng.integers(0, max(labels) + 2))
    for i in objects:
        changed[i] = target
    return tuple(changed)


def fullness(rng: Rng, T: Labels, C: Labels) -> list[Pair]:
    """A pair, and the pair after one object moved."""
    i = int(rng.integers(0, len(T)))
    if rng.random() < 0.5:
        return [(T, C), (T, _moved(rng, C, [i]))]
    return [(T, C), (_moved(rng, T, [i]), C)]


def weak_fullness(rng: Rng, T: Labels, C: Labels) -> list[Pair] | None:
    """A pair, and the pairs after one and two alike objects moved."""
    x = int(rng.integers(0, len(T)))
    cell = [i for i in range(len(T)) if i != x and T[i] == T[x] and C[i] == C[x]]
    if not cell:
        return None
    y = int(rng.choice(cell))
    double = _moved(rng, C, [x, y])
    single = (*double[:y], C[y], *double[y + 1 :])
    return [(T, C), (T, single), (T, double)]


def split(rng: Rng, T: Labels, C: Labels) -> list[Pair] | None:
    """A cluster of several classes, split so that no class is."""
    mixed = [c for c in set(C) if len({T[i] for i in range(len(T)) if C[i] == c}) > 1]
    if not mixed:
        return None
    c = int(rng.choice(mixed))
    classes = sorted({T[i] for i in range(len(T)) if C[i] == c})
    leaving = set(rng.permutation(classes)[: int(rng.integers(1, len(classes)))].tolist())
    new = max(C) + 1
    D = tuple(new if C[i] == c and T[i] in leaving else C[i] for i in range(len(T)))
    return [(T, C), (T, D)]


def split_of_two(rng: Rng, T: Labels, C: Labels) -> list[Pair] | None:
    """Two pure clusters of different classes, before that together."""
    meet = named([t * len(T) + c for t, c in zip(T, C, strict=True)])
    class_of = dict(zip(meet, T, strict=True))
    first, second = (
        rng.choice(len(class_of), 2, replace=False).tolist() if len(class_of) > 1 else (0, 0)
    )
    if class_of[first] == class_of[second]:
        return None
    return [(T, tuple(first if c == second else c for c in meet)), (T, meet)]


def merger(rng: Rng, T: Labels, C: Labels) -> list[Pair] | None:
    """Two pure clusters of one class, then together."""
    meet = named([t * len(T) + c for t, c in zip(T, C, strict=True)])
    class_of = dict(zip(meet, T, strict=True))
    candidates = [
        (a, b) for a in class_of for b in class_of if a < b and class_of[a] == class_of[b]
    ]
    if not candidates:
        return None
    first, second = candidates[int(rng.integers(0, len(candidates)))]
    return [(T, meet), (T, tuple(first if c == second else c for c in meet))]


def improvement(rng: Rng, T: Labels, C: Labels) -> list[Pair] | None:
    """A pair before and after a random improvement."""
    return (split if rng.random() < 0.5 else merger)(rng, T, C)


def convex_additivity(rng: Rng, T: Labels, C: Labels) -> list[Pair] | None:
    """A pair, its unrelated parts, and the equal pairs."""
    cut = int(rng.integers(1, len(T)))
    D = (*C[:cut], *(c + len(T) for c in C[cut:]))
    U = (*T[:cut], *(t + len(T) for t in T[cut:]))
    whole = U, D
    parts = [whole, *(restricted(whole, block) for block in components(U, D))]
    return [*parts, *((A, A) for A, _ in parts)] if len(parts) > 2 else None


def locality(rng: Rng, T: Labels, C: Labels) -> list[Pair]:
    """A pair extended by shared clusters in two ways, and the equal pairs."""
    changed = without_shared((T, C))
    extended = []
    for _ in range(2):
        shared = tuple(int(c) + len(T) for c in rng.integers(0, 4, 8))
        extended.append((changed[0] + shared, changed[1] + shared))
    return [*extended, *((A, A) for A, _ in extended)]
