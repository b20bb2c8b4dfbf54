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


def _noisy(rng: Rng, *columns: Points, sd: float = 0.1) -> Points:
    """Columns with normal noise."""
    X = np.column_stack(columns)
    return np.asarray(X + sd * rng.normal(size=X.shape))


def _s_curve(rng: Rng, n: int) -> Points:
    """Points on an S."""
    t = 1.5 * np.pi * rng.uniform(-1, 1, n)
    return _noisy(rng, np.sin(t), np.sign(t) * (np.cos(t) - 1))


def _spiral(rng: Rng, n: int) -> Points:
    """Points on a spiral of a turn and a half."""
    t = np.pi * rng.uniform(1, 4, n)
    return _noisy(rng, t * np.cos(t) / 10, t * np.sin(t) / 10, sd=0.05)


def _arc(rng: Rng, n: int) -> Points:
    """Points on half a circle."""
    t = rng.uniform(0, np.pi, n)
    return _noisy(rng, np.cos(t), np.sin(t))


def _trend(rng: Rng, n: int) -> Points:
    """A quadratic trend with noise."""
    x = rng.uniform(-2, 2, n)
    return np.column_stack([x, x**2 / 2 + 0.3 * rng.normal(size=n)])


def _wave(rng: Rng, n: int) -> Points:
    """Two periods of a sine, of the same density everywhere along it."""
    grid = np.linspace(0, 4 * np.pi, 2_001)
    length = np.concatenate([[0], np.hypot(np.diff(grid / 2), np.diff(np.sin(grid))).cumsum()])
    t = np.interp(rng.uniform(0, length[-1], n), length, grid)
    return _noisy(rng, t / 2, np.sin(t), sd=0.15)


def _helix(rng: Rng, n: int) -> Points:
    """Two turns of a helix."""
    t = rng.uniform(0, 4 * np.pi, n)
    return _noisy(rng, np.cos(t), np.sin(t), t / 6)


def _thin_end(rng: Rng, n: int) -> Points:
    """Three quarters of a circle, dense in the middle and thin at the ends."""
    t = 1.5 * np.pi * rng.beta(2, 2, n)
    return _noisy(rng, np.cos(t), np.sin(t))


def _banana(rng: Rng, n: int) -> Points:
    """Normal data bent along a parabola."""
    Z = rng.normal(size=(n, 4))
    Z[:, 1] += 0.7 * Z[:, 0] ** 2
    return Z


def _curve_of_many(rng: Rng, n: int) -> Points:
    """A smooth curve in twenty features."""
    t = rng.uniform(0, 1, (n, 1))
    rates, phases = rng.uniform(1, 6, 20), rng.uniform(0, 6, 20)
    return np.sin(t * rates + phases) + 0.1 * rng.normal(size=(n, 20))


def _branches(rng: Rng, n: int) -> Points:
    """Three arms that meet, as of cells that differentiate."""
    angle = 2 * np.pi * rng.integers(0, 3, n) / 3
    r = rng.uniform(0, 1.5, n)
    return _noisy(rng, r * np.cos(angle), r * np.sin(angle))


def _funnel(rng: Rng, n: int) -> Points:
    """Normal data whose spread depends on one of the features."""
    z = rng.normal(size=n)
    return np.column_stack([z, rng.normal(size=(n, 3)) * np.exp(z / 2)[:, None]])


def _plateau(rng: Rng, n: int) -> Points:
    """A flat top with normal flanks."""
    return rng.uniform(-2, 2, size=(n, 3)) * [1, 1, 0.2] + rng.normal(size=(n, 3)) * 0.7


def _torus(rng: Rng, n: int) -> Points:
    """Points on a torus."""
    a, b = rng.uniform(0, 2 * np.pi, (2, n))
    r = 1 + 0.4 * np.cos(b)
    return _noisy(rng, r * np.cos(a), r * np.sin(a), 0.4 * np.sin(b), sd=0.03)


def _factors(rng: Rng, n: int) -> Points:
    """Two uniform factors in forty features."""
    return rng.uniform(-1, 1, (n, 2)) @ rng.normal(size=(2, 40)) + rng.normal(size=(n, 40)) / 2


def _shares(rng: Rng, n: int) -> Points:
    """Shares that sum to 1."""
    return rng.dirichlet([0.8, 1, 2, 3, 4], size=n)


def _walks(rng: Rng, n: int) -> Points:
    """Random walks of thirty steps."""
    return rng.normal(size=(n, 30)).cumsum(axis=1)


def _mixed(rng: Rng, n: int) -> Points:
    """Measurements, counts and flags."""
    z = rng.normal(size=(n, 1))
    counts = rng.poisson(np.exp(0.5 * z + 1), (n, 2))
    flags = rng.uniform(size=(n, 2)) < 1 / (1 + np.exp(-z))
    X = np.column_stack([z + rng.normal(size=(n, 3)), counts, flags])
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def _unequal(rng: Rng, n: int, *, share: float, d: int, apart: float, spread: float = 1) -> Points:
    """Two Gaussians, of which the second has this share of the objects and this spread."""
    second = np.arange(n) < max(round(share * n), 2)
    X = rng.normal(size=(n, d)) * np.where(second, spread, 1.0)[:, None]
    X[second, 0] += apart
    return X


def _cigars(rng: Rng, n: int) -> Points:
    """Three long parallel Gaussians."""
    X = rng.normal(size=(n, 3)) * [6, 1, 1]
    X[:, 1] += 5 * (np.arange(n) % 3)
    return X @ np.linalg.qr(rng.normal(size=(3, 3)))[0]


def _heavy(rng: Rng, n: int) -> Points:
    """Three clusters of heavy tails."""
    centres = 6 * np.eye(3, 4)
    return centres[np.arange(n) % 3] + rng.standard_t(4, size=(n, 4))


def _boxes(rng: Rng, n: int) -> Points:
    """Four uniform squares with a gap."""
    code = np.arange(n) % 4
    return np.column_stack([code % 2, code // 2]) * 1.5 + rng.uniform(size=(n, 2))


def _skewed(rng: Rng, n: int) -> Points:
    """Three skewed clusters."""
    centres = 7 * np.eye(3, 3)
    return centres[np.arange(n) % 3] + rng.gamma(2, 0.7, size=(n, 3))


def _classes(rng: Rng, n: int) -> Points:
    """Three latent classes of binary features."""
    p = np.where(rng.uniform(size=(3, 24)) < 0.5, 0.1, 0.9)
    return (rng.uniform(size=(n, 24)) < p[np.arange(n) % 3]).astype(np.float64)


def _counted(rng: Rng, n: int) -> Points:
    """Four clusters of Poisson counts."""
    rates = np.exp(rng.normal(1.5, 0.8, size=(4, 15)))
    return np.sqrt(rng.poisson(rates[np.arange(n) % 4]).astype(np.float64))


def _turns(rng: Rng, n: int) -> Points:
    """Two arms of a spiral."""
    t, side = np.pi * rng.uniform(1, 3, n), np.where(np.arange(n) % 2, 1.0, -1.0)
    return _noisy(rng, side * t * np.cos(t), side * t * np.sin(t), sd=0.35)


def _curves(rng: Rng, n: int) -> Points:
    """Two arcs beside each other in ten features, one with a third of the objects."""
    t, first = rng.uniform(0, np.pi, n), np.arange(n) % 3 > 0
    X = np.zeros((n, 10))
    X[:, 0], X[:, 1] = np.cos(t), np.sin(t) + np.where(first, 0.9, 0.0)
    return X + 0.08 * rng.normal(size=(n, 10))


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
    _null("one normal column", "one column", lambda r, n: r.normal(size=(n, 1))),
    _null("one uniform column", "one column", lambda r, n: r.uniform(size=(n, 1))),
    _null("one skewed column", "one column", lambda r, n: r.gamma(2, size=(n, 1))),
    _null("S-curve", "curves", _s_curve),
    _null("spiral", "curves", _spiral),
    _null("arc", "curves", _arc),
    _null("trend", "curves", _trend),
    _null("wave", "curves", _wave),
    _null("helix", "curves", _helix),
    _null("thin ends", "curves", _thin_end),
    _null("banana", "curves", _banana),
    _null("curve, d = 20", "curves", _curve_of_many),
    _null("branches", "branches", _branches),
    _null("funnel", "funnel", _funnel),
    _null("plateau", "plateau", _plateau),
    _null("torus", "sphere", _torus),
    _null("two factors, d = 40", "correlated", _factors),
    _null("shares", "shares", _shares),
    _null("random walks", "correlated", _walks),
    _null("mixed columns", "grids", _mixed),
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
    *(
        Kind(f"2 Gaussians, d = 1, {apart:g} sd", f"mixture, {apart:g} sd", True,
             partial(mixture, k=2, d=1, apart=apart, row=True))
        for apart in (3.0, 4.0)
    ),
    Kind("1 to 4, d = 2, 5 sd", "unequal", True, partial(_unequal, share=0.2, d=2, apart=5.0)),
    Kind("1 to 20, d = 2, 6 sd", "1 to 20", True, partial(_unequal, share=1 / 21, d=2, apart=6.0)),
    Kind("1 to 20, d = 8, 8 sd", "1 to 20", True, partial(_unequal, share=1 / 21, d=8, apart=8.0)),
    Kind("of unequal spread", "unequal", True,
         partial(_unequal, share=0.4, d=3, apart=7.0, spread=2.5)),
    Kind("long and parallel", "unequal", True, _cigars),
    Kind("heavy tails", "marginals", True, _heavy),
    Kind("boxes", "marginals", True, _boxes),
    Kind("skewed", "marginals", True, _skewed),
    Kind("latent classes", "discrete", True, _classes),
    Kind("counts", "discrete", True, _counted),
    Kind("two spirals", "shapes", True, _turns),
    Kind("two arcs, d = 10", "shapes", True, _curves),
)  # fmt: skip

#: kinds on which nothing was chosen or fitted, drawn from all by seed 41
LEFT_OUT = {
    "S-curve", "answers from 1 to 5", "banana", "correlated, d = 20", "cubed normal, d = 2",
    "curved sheet", "duplicates", "exponential", "one skewed column", "one uniform column",
    "shares", "t, 3 degrees", "trend", "wave",
    "10 Gaussians, d = 100, 5 sd", "2 Gaussians, d = 10, 3 sd", "2 Gaussians, d = 10, 4 sd",
    "20 Gaussians, d = 2, 4 sd", "20 Gaussians, d = 500, 8 sd", "4 in a row, d = 2, 4 sd", "boxes",
    "heavy tails", "of unequal spread", "skewed", "two arcs, d = 10",
}  # fmt: skip


def _columns(
    rng: Rng, n: int, *, k: int, d: int, apart: float, df: float = 0, shared: float = 0
) -> Points:
    """Unequal groups whose nearest centres are so many standard deviations apart."""
    centres = rng.normal(size=(k, d))
    gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    centres *= apart / gaps[np.triu_indices(k, 1)].min()
    group = rng.choice(k, n, p=rng.dirichlet(np.full(k, 3.0)))
    noise = rng.standard_t(df, size=(n, d)) if df else rng.normal(size=(n, d))
    common = rng.normal(size=(n, 1)) * rng.choice([-1, 1], d)
    return centres[group] + np.sqrt(1 - shared) * noise + np.sqrt(shared) * common


def _bent_columns(rng: Rng, n: int, *, k: int, d: int, apart: float) -> Points:
    """The same groups with columns of long tails."""
    X = _columns(rng, n, k=k, d=d, apart=apart)
    return np.sinh(X / X.std(axis=0))


def _wide_and_narrow(rng: Rng, n: int) -> Points:
    """Two groups on two shared factors in thirty columns, one wider and apart from the other."""
    wide = rng.uniform(size=(n, 1)) < 0.4
    factors = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 30))
    X = factors * np.where(wide, 1.6, 0.8) + wide * rng.normal(size=30) * 1.35
    return X + 0.6 * rng.normal(size=(n, 30))


def _yes_or_no(rng: Rng, n: int, *, k: int, d: int) -> Points:
    """Binary columns of latent classes."""
    shares = rng.beta(0.8, 0.8, size=(k, d))
    return (rng.uniform(size=(n, d)) < shares[rng.integers(k, size=n)]).astype(np.float64)


def _graded(rng: Rng, n: int, *, k: int, d: int) -> Points:
    """Answers from 0 to 4 of groups."""
    X = 0.9 * rng.normal(size=(k, d))[rng.integers(k, size=n)] + rng.normal(size=(n, d))
    return np.digitize(X, [-1.5, -0.5, 0.5, 1.5]).astype(np.float64)


def _rates(rng: Rng, n: int, *, k: int, d: int) -> Points:
    """Poisson counts of groups."""
    rates = np.exp(rng.normal(0.5, 0.7, size=(k, d)))
    return rng.poisson(rates[rng.integers(k, size=n)]).astype(np.float64)


def _overlapping(name: str, draw: Callable[..., Points], **options: float) -> Kind:
    """Kind of data with groups that overlap."""
    return Kind(name, "overlapping", True, partial(draw, **options))


OVERLAPPING = (
    *(
        _overlapping(f"{k} unequal, d = {d}, {apart:g} sd", _columns, k=k, d=d, apart=apart)
        for k, d, apart in (
            (2, 4, 3.0), (2, 10, 3.0), (3, 4, 3.0), (3, 10, 2.5), (3, 30, 3.0), (5, 4, 2.5),
            (5, 10, 2.5), (5, 30, 3.0), (8, 4, 2.0), (8, 10, 2.5), (8, 30, 3.0),
        )
    ),
    _overlapping("4 with tails, d = 8, 3 sd", _columns, k=4, d=8, apart=3.0, df=4),
    _overlapping("5 correlated, d = 15, 3 sd", _columns, k=5, d=15, apart=3.0, shared=0.4),
    _overlapping("4 skewed, d = 8, 3 sd", _bent_columns, k=4, d=8, apart=3.0),
    _overlapping("wide and narrow, d = 30", _wide_and_narrow),
    _overlapping("5 classes of 30 answers", _yes_or_no, k=5, d=30),
    _overlapping("3 groups of 10 grades", _graded, k=3, d=10),
    _overlapping("5 groups of 20 counts", _rates, k=5, d=20),
)  # fmt: skip


def _clayton(rng: Rng, n: int) -> Points:
    """Columns that agree in their lower tails (a Clayton copula)."""
    shared = rng.gamma(1, size=(n, 1))
    return (1 + rng.exponential(size=(n, 4)) / shared) ** -1.0


def _mixed_tails(rng: Rng, n: int) -> Points:
    """Columns with a common scale, from gamma variables."""
    return rng.gamma(2, size=(n, 1)) * rng.gamma(3, size=(n, 7))


def _one_trait(rng: Rng, n: int) -> Points:
    """Fifteen answers of one trait, with thresholds of their own."""
    X = rng.normal(size=(n, 1)) + rng.normal(size=(n, 15))
    return np.stack([np.digitize(x, np.sort(rng.normal(size=3))) for x in X.T], axis=1) * 1.0


def _zeros(rng: Rng, n: int) -> Points:
    """Counts with many zeros and a common rate."""
    rates = rng.gamma(1, size=(n, 1)) * rng.uniform(0.5, 3, 10)
    counts = rng.poisson(rates) * (rng.uniform(size=(n, 10)) < 0.6)
    return np.asarray(counts, dtype=np.float64)


def _ball(rng: Rng, n: int) -> Points:
    """A uniform ball in six dimensions."""
    Z = rng.normal(size=(n, 6))
    Z = Z / np.linalg.norm(Z, axis=1, keepdims=True) * rng.uniform(size=(n, 1)) ** (1 / 6)
    return np.asarray(Z, dtype=np.float64)


def _saddle(rng: Rng, n: int) -> Points:
    """A saddle with noise in five columns."""
    x, y = rng.normal(size=(2, n))
    return np.column_stack([x, y, x * y, *rng.normal(size=(2, n))]) + 0.3 * rng.normal(size=(n, 5))


#: kinds that were made after everything was chosen; groups and clouds
FRESH = (
    _null("Clayton", "fresh", _clayton),
    _null("common scale", "fresh", _mixed_tails),
    _null("answers of one trait", "fresh", _one_trait),
    _null("counts with zeros", "fresh", _zeros),
    _null("ball, d = 6", "fresh", _ball),
    _null("saddle", "fresh", _saddle),
    _overlapping("6 unequal, d = 7, 2.5 sd", _columns, k=6, d=7, apart=2.5),
    _overlapping("3 with tails, d = 12, 3 sd", _columns, k=3, d=12, apart=3.0, df=3),
    _overlapping("4 groups of 15 grades", _graded, k=4, d=15),
    _overlapping("3 classes of 25 answers", _yes_or_no, k=3, d=25),
    _overlapping("4 groups of 12 counts", _rates, k=4, d=12),
    _overlapping("7 skewed, d = 12, 3 sd", _bent_columns, k=7, d=12, apart=3.0),
)
