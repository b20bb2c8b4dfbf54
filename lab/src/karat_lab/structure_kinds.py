"""Kinds of data with and without clusters, for judging tests of structure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

Rng: TypeAlias = np.random.Generator
Draw: TypeAlias = "Callable[[Rng, int], Points]"


@dataclass(frozen=True)
class Kind:
    """Kind of simulated data: its group in the table, and whether there are clusters."""

    name: str
    group: str
    clusters: bool
    draw: Draw


def _correlated(rng: Rng, n: int, d: int) -> Points:
    """Correlated Gaussian data."""
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d))


def _sheet(rng: Rng, n: int) -> Points:
    """Points on a bent sheet."""
    angle = rng.uniform(0, np.pi, n)
    sheet = np.column_stack([np.cos(angle), np.sin(angle), rng.uniform(size=n)])
    return sheet + 0.05 * rng.normal(size=(n, 3))


def _roll(rng: Rng, n: int) -> Points:
    """Points on a Swiss roll."""
    angle = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([angle * np.cos(angle), 21 * rng.uniform(size=n), angle * np.sin(angle)])


def _ring(rng: Rng, n: int) -> Points:
    """Points on a ring."""
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.1 * rng.normal(size=(n, 2))


def _bent(rng: Rng, n: int) -> Points:
    """Points on a bent surface in eight dimensions."""
    W = rng.normal(size=(2, 8)) * 0.6
    bent = np.sin(rng.normal(size=(n, 2)) @ W + rng.uniform(0, 6, 8))
    return bent + 0.1 * rng.normal(size=(n, 8))


def _sphere(rng: Rng, n: int) -> Points:
    """Points on a sphere."""
    Z = rng.normal(size=(n, 3))
    return Z / np.linalg.norm(Z, axis=1, keepdims=True) + 0.05 * rng.normal(size=(n, 3))


def _counts(rng: Rng, n: int) -> Points:
    """Poisson counts."""
    rates = np.exp(rng.normal(-1.5, 1, size=(1, 40)))
    return rng.poisson(rates, size=(n, 40)).astype(np.float64)


def _answers(rng: Rng, n: int) -> Points:
    """Answers on a scale from 1 to 5."""
    return np.clip(np.round(rng.normal(3, 1, size=(n, 6))), 1, 5)


def _binary(rng: Rng, n: int) -> Points:
    """Binary features."""
    return (rng.uniform(size=(n, 20)) < rng.uniform(0.1, 0.9, 20)).astype(np.float64)


def _multivariate_t(rng: Rng, n: int) -> Points:
    """Data of a multivariate t distribution."""
    return rng.normal(size=(n, 5)) / np.sqrt(rng.chisquare(3, (n, 1)) / 3)


def mixture(rng: Rng, n: int, *, k: int, d: int, apart: float, row: bool = False) -> Points:
    """Gaussians of unit variance; the nearest centres are so many standard deviations apart."""
    centres = rng.normal(size=(k, d))
    if row:
        centres[:] = 0
        centres[:, 0] = np.arange(k)
    gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    centres *= apart / gaps[np.triu_indices(k, 1)].min()
    return centres[np.arange(n) % k] + rng.normal(size=(n, d))


def _simplex(rng: Rng, n: int, *, k: int, d: int, apart: float) -> Points:
    """Gaussian clusters on the corners of a simplex."""
    centres = np.eye(k, d) * apart / np.sqrt(2)
    return centres[np.arange(n) % k] + rng.normal(size=(n, d))


def _moons(rng: Rng, n: int) -> Points:
    """Two half moons."""
    angle, side = rng.uniform(0, np.pi, n), np.arange(n) % 2
    x = np.where(side == 1, 1 - np.cos(angle), np.cos(angle))
    y = np.where(side == 1, 0.5 - np.sin(angle), np.sin(angle))
    return np.column_stack([x, y]) + 0.06 * rng.normal(size=(n, 2))


def _rings(rng: Rng, n: int) -> Points:
    """Two rings."""
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(np.arange(n) % 2, 1.0, 0.4)
    ring = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return ring + 0.06 * rng.normal(size=(n, 2))


def _null(name: str, group: str, draw: Draw) -> Kind:
    """Kind of data without clusters."""
    return Kind(name, group, False, draw)


NULLS = (
    *(
        _null(f"Gaussian, d = {d}", "Gaussian", partial(lambda r, n, d: r.normal(size=(n, d)), d=d))
        for d in (2, 10, 100)
    ),
    _null("long Gaussian", "correlated", lambda r, n: r.normal(size=(n, 5)) * [10, 3, 1, 1, 1]),
    _null("correlated, d = 20", "correlated", partial(_correlated, d=20)),
    _null("uniform, d = 2", "uniform", lambda r, n: r.uniform(size=(n, 2))),
    _null("uniform, d = 10", "uniform", lambda r, n: r.uniform(size=(n, 10))),
    _null("t, 3 degrees", "t", lambda r, n: r.standard_t(3, size=(n, 2))),
    _null("multivariate t", "t", _multivariate_t),
    _null("exponential", "exponential", lambda r, n: r.exponential(size=(n, 3))),
    _null("lognormal, d = 2", "lognormal", lambda r, n: np.exp(r.normal(size=(n, 2)))),
    _null("lognormal, d = 10", "lognormal", lambda r, n: np.exp(r.normal(size=(n, 10)))),
    _null("cubed normal, d = 2", "cubed normal", lambda r, n: r.normal(size=(n, 2)) ** 3),
    _null("cubed normal, d = 10", "cubed normal", lambda r, n: r.normal(size=(n, 10)) ** 3),
    _null("curved sheet", "curved sheet", _sheet),
    _null("rolled sheet", "rolled sheet", _roll),
    _null("bent plane, d = 8", "curved sheet", _bent),
    _null("sphere", "sphere", _sphere),
    _null("ring", "ring", _ring),
    _null(
        "duplicates", "duplicates", lambda r, n: np.repeat(r.normal(size=(n // 5, 3)), 5, axis=0)
    ),
    _null("sparse counts", "sparse counts", _counts),
    _null("answers from 1 to 5", "grids", _answers),
    _null("binary", "grids", _binary),
)

CLUSTERED = (
    *(
        Kind(
            f"{k} Gaussians, d = {d}, {apart:g} sd",
            f"mixture, {apart:g} sd",
            True,
            partial(mixture, k=k, d=d, apart=apart),
        )
        for k, d, apart in (
            (2, 2, 3.0), (2, 10, 3.0), (3, 5, 3.0), (5, 5, 3.0),
            (2, 2, 4.0), (2, 10, 4.0), (2, 100, 4.0), (3, 2, 4.0), (5, 50, 4.0), (10, 10, 4.0),
            (20, 2, 4.0), (20, 10, 4.0),
            (2, 2, 5.0), (2, 500, 5.0), (5, 5, 5.0), (10, 100, 5.0), (20, 500, 8.0),
        )
    ),
    Kind(
        "5 in a simplex, d = 10, 4 sd",
        "mixture, 4 sd",
        True,
        partial(_simplex, k=5, d=10, apart=4.0),
    ),
    Kind(
        "4 in a row, d = 2, 4 sd",
        "mixture, 4 sd",
        True,
        partial(mixture, k=4, d=2, apart=4.0, row=True),
    ),
    Kind("two moons", "shapes", True, _moons),
    Kind("two rings", "shapes", True, _rings),
)  # fmt: skip
