"""Random data sets of known structure, in as many shapes as the literature's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.stats import ortho_group

if TYPE_CHECKING:
    from numpy.typing import NDArray

Points: TypeAlias = "NDArray[np.float64]"
Drawn: TypeAlias = "tuple[Points, NDArray[np.int64]]"
Rng: TypeAlias = np.random.Generator


def draw_shapes(form: str, rng: Rng, *, largest: int = 800) -> Drawn:
    """Random data set of a kind in :data:`SHAPES` or :data:`CLOUDS`.

    Parameters
    ----------
    largest : int
        Upper bound of the number of objects.

    Returns
    -------
    X : ndarray of float64, shape (n, d)
    labels : ndarray of int64, shape (n,)
        ``-1`` for background noise; all 0 for a single cloud.
    """
    n = int(np.exp(rng.uniform(np.log(90), np.log(largest))))
    X, labels = {**SHAPES, **CLOUDS}[form](rng, n)
    order = rng.permutation(len(X))
    return X[order], labels[order]


def _sizes(rng: Rng, n: int, k: int) -> NDArray[np.int64]:
    """Random cluster sizes."""
    evenness = rng.choice([1.0, 3.0, 30.0])
    shares = rng.dirichlet(np.full(k, evenness))
    return np.maximum((shares * n).astype(np.int64), min(8, max(3, n // (2 * k))))


def _count(rng: Rng, n: int) -> int:
    """Random number of clusters."""
    most = 50 if rng.random() < 0.15 else 12
    return int(rng.integers(2, max(3, min(most, n // 15) + 1)))


def _dimension(rng: Rng, most: int = 500) -> int:
    """Random number of features."""
    return round(np.exp(rng.uniform(np.log(2), np.log(most))))


def _noise(form: str, rng: Rng, n: int, d: int) -> Points:
    """Standardised points of one cluster."""
    if form == "gaussian":
        return rng.normal(size=(n, d))
    if form == "uniform":
        return rng.uniform(-1.73, 1.73, size=(n, d))
    if form == "skewed":
        shape = rng.uniform(1.0, 4.0)
        return (rng.gamma(shape, size=(n, d)) - shape) / np.sqrt(shape)
    if form == "lognormal":
        Z = np.exp(rng.uniform(0.3, 0.9) * rng.normal(size=(n, d)))
        return (Z - Z.mean(axis=0)) / Z.std(axis=0)
    freedom = rng.uniform(2.5, 8.0)
    scale = np.sqrt(rng.chisquare(freedom, size=(n, 1)) / freedom)
    return rng.normal(size=(n, d)) / scale


def _stretch(rng: Rng, d: int, strength: float) -> Points:
    """A random linear map of determinant 1."""
    logs = rng.normal(size=d) * strength
    basis = ortho_group.rvs(d, random_state=rng) if 1 < d <= 40 else np.eye(d)
    return basis * np.exp(logs - logs.mean())


def _mixture(rng: Rng, n: int, form: str) -> Drawn:
    """Mixture of clusters of one form."""
    k = _count(rng, n)
    d = _dimension(rng)
    sizes = _sizes(rng, n, k)
    strength = rng.choice([0.0, 0.3, 0.7])
    common = _stretch(rng, d, strength)
    stretched = rng.random() < 0.6
    spread = np.exp(rng.normal(size=k) * rng.choice([0.0, 0.3, 0.6]))
    # the distance between neighbouring centres, in standard deviations along their line
    wanted = rng.uniform(2.0, 9.0)
    lives = min(d, max(1, round(np.exp(rng.uniform(0, np.log(d + 1))))))
    centres = np.zeros((k, d))
    centres[:, :lives] = rng.normal(size=(k, lives))
    if rng.random() < 0.3:  # nested: groups of clusters
        parents = rng.normal(size=(max(2, k // 3), lives)) * 3
        centres[:, :lives] += parents[rng.integers(len(parents), size=k)]
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    apart[np.diag_indices(k)] = np.inf
    near = np.median(apart.min(axis=1))
    centres *= wanted / max(near, 1e-9)
    parts = []
    for c in range(k):
        A = _stretch(rng, d, strength) if stretched else common
        parts.append(centres[c] + spread[c] * _noise(form, rng, sizes[c], d) @ A.T)
    X = np.concatenate(parts)
    labels = np.repeat(np.arange(k), sizes)
    return _with_nuisance(rng, X, labels)


def _with_nuisance(rng: Rng, X: Points, labels: NDArray[np.int64]) -> Drawn:
    """Data with noise features and outliers at random."""
    if rng.random() < 0.2 and X.shape[1] < 60:
        extra = int(rng.integers(1, 1 + max(1, X.shape[1])))
        X = np.hstack([X, rng.normal(size=(len(X), extra)) * X.std() * rng.uniform(0.2, 1.0)])
    if rng.random() < 0.2:
        m = max(1, int(rng.uniform(0.01, 0.12) * len(X)))
        low, high = X.min(axis=0), X.max(axis=0)
        X = np.concatenate([X, rng.uniform(low, high, size=(m, X.shape[1]))])
        labels = np.concatenate([labels, np.full(m, -1)])
    if rng.random() < 0.1:
        X = np.round(X / (X.std() * 0.1)) * X.std() * 0.1
    return X, labels


def _curves(rng: Rng, n: int, form: str) -> Drawn:
    """Rings, arcs, moons, spirals, lines and boxes in the plane or on a plane in space."""
    k = int(rng.integers(2, 6))
    sizes = _sizes(rng, n, k)
    jitter = rng.uniform(0.01, 0.12)
    parts = []
    for c in range(k):
        t = rng.uniform(0, 1, sizes[c])
        if form == "rings":
            radius = 1.0 + 0.9 * c
            P = radius * np.column_stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)])
            if c == 0 and rng.random() < 0.5:
                P *= np.sqrt(rng.uniform(0, 1, sizes[c]))[:, None]
        elif form == "moons":
            side = 1 - 2 * (c % 2)
            P = np.column_stack([np.cos(np.pi * t), side * np.sin(np.pi * t)])
            P += np.array([c * rng.uniform(0.9, 1.1), side * -0.25])
        elif form == "spirals":
            turn = 2 * np.pi * (t * rng.uniform(1.0, 1.6) + c / k)
            P = (0.25 + t)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]) * 3
        elif form == "lines":
            slope = rng.normal() * 0.3
            P = np.column_stack([6 * t, slope * t + c * rng.uniform(0.6, 1.2)])
        elif form == "chains":
            steps = rng.normal(size=(12, 2)) * 0.5 + rng.normal(size=2) * 0.4
            knots = np.cumsum(steps, axis=0) + rng.normal(size=2) * 5
            at = t * 11
            i = at.astype(int)
            P = knots[i] + (at - i)[:, None] * (knots[np.minimum(i + 1, 11)] - knots[i])
        else:  # blobs and curves together
            angle = 2 * np.pi * t
            P = rng.normal(size=(sizes[c], 2)) * rng.uniform(0.1, 0.4)
            if c % 2:
                P = rng.uniform(0.8, 1.5) * np.column_stack([np.cos(angle), np.sin(angle)])
            P += rng.normal(size=2) * 3
        parts.append(P + rng.normal(size=P.shape) * jitter)
    X = np.concatenate(parts)
    labels = np.repeat(np.arange(k), sizes)
    d = int(rng.choice([2, 2, 3, 10]))
    if d > 2:
        plane = ortho_group.rvs(d, random_state=rng)[:2]
        X = X @ plane + rng.normal(size=(len(X), d)) * jitter
    return _with_nuisance(rng, X, labels)


def _boxes(rng: Rng, n: int) -> Drawn:
    """Uniform boxes on a grid."""
    k = int(rng.integers(2, 9))
    d = int(rng.choice([2, 2, 3, 5]))
    cells = rng.permutation(int(np.ceil(k ** (1 / d)) + 1) ** d)[:k]
    base = int(np.ceil(k ** (1 / d)) + 1)
    corners = np.array([[cell // base**f % base for f in range(d)] for cell in cells], float)
    sizes = _sizes(rng, n, k)
    fill = rng.uniform(0.5, 0.97)
    parts = [corners[c] + rng.uniform(0, fill, (sizes[c], d)) for c in range(k)]
    return _with_nuisance(rng, np.concatenate(parts), np.repeat(np.arange(k), sizes))


def _manifolds(rng: Rng, n: int) -> Drawn:
    """Smooth nonlinear images of low-dimensional clusters, as images and spectra are."""
    k = int(rng.integers(2, 11))
    d = _dimension(rng, 300) + 3
    inner = int(rng.integers(1, 5))
    sizes = _sizes(rng, n, k)
    parts = []
    apart = rng.uniform(0.5, 3.0)
    for c in range(k):
        latent = rng.uniform(-1, 1, (sizes[c], inner))
        W = rng.normal(size=(inner, d)) * rng.uniform(0.5, 1.5)
        phase = rng.uniform(0, 2 * np.pi, d)
        parts.append(np.sin(latent @ W + phase) + apart * rng.normal(size=d) * 0.5)
    X = np.concatenate(parts) + rng.normal(size=(sizes.sum(), d)) * rng.uniform(0.01, 0.3)
    return X, np.repeat(np.arange(k), sizes)


def _spectra(rng: Rng, n: int) -> Drawn:
    """Smooth curves with features that stay together, as time series are."""
    k = int(rng.integers(2, 9))
    d = int(rng.integers(20, 430))
    sizes = _sizes(rng, n, k)
    grid = np.linspace(0, 1, d)

    def smooth(m: int) -> Points:
        waves = np.array([np.sin(np.pi * f * grid + rng.uniform(0, 6)) / f for f in range(1, 9)])
        return rng.normal(size=(m, 8)) @ waves

    within = rng.uniform(0.2, 1.2)
    parts = [smooth(1) * 1.5 + within * smooth(int(s)) for s in sizes]
    X = np.concatenate(parts)
    return X + rng.normal(size=X.shape) * rng.uniform(0.01, 0.3), np.repeat(np.arange(k), sizes)


def _binary(rng: Rng, n: int) -> Drawn:
    """Yes-or-no and counted features, as questionnaires have."""
    k = int(rng.integers(2, 9))
    d = int(rng.integers(6, 60))
    sizes = _sizes(rng, n, k)
    sharp = rng.uniform(0.5, 3)
    logits = rng.normal(size=(k, d)) * sharp
    most = int(rng.choice([1, 1, 3]))
    parts = [
        rng.binomial(most, 1 / (1 + np.exp(-logits[c])), (sizes[c], d)).astype(float)
        for c in range(k)
    ]
    return np.concatenate(parts), np.repeat(np.arange(k), sizes)


def _cloud(rng: Rng, n: int, form: str) -> Drawn:
    """Data without clusters."""
    d = _dimension(rng, 200)
    Z = _noise(form, rng, n, d)
    strength = rng.choice([0.0, 0.3, 0.7, 1.0])
    if rng.random() < 0.3:  # few directions carry the variance
        Z *= (np.arange(1, d + 1) ** -rng.uniform(0.3, 1.2))[None]
    X = Z @ _stretch(rng, d, strength).T
    return X, np.zeros(n, dtype=np.int64)


def _bent(rng: Rng, n: int) -> Drawn:
    """A curved sheet without a gap."""
    d = _dimension(rng, 60) + 1
    latent = rng.normal(size=(n, int(rng.integers(1, 4))))
    W = rng.normal(size=(latent.shape[1], d)) * rng.uniform(0.2, 0.8)
    X = np.sin(latent @ W + rng.uniform(0, 6, d)) + rng.normal(size=(n, d)) * rng.uniform(0.05, 0.5)
    return X, np.zeros(n, dtype=np.int64)


def _of(draw: Callable[[Rng, int, str], Drawn], form: str) -> Callable[[Rng, int], Drawn]:
    """Drawing function for one form."""
    return lambda rng, n: draw(rng, n, form)


FORMS = ("gaussian", "uniform", "skewed", "lognormal", "heavy")
CURVES = ("rings", "moons", "spirals", "lines", "chains", "blobs and rings")
#: data sets with clusters
SHAPES: dict[str, Callable[[Rng, int], Drawn]] = {
    **{f"{form} mixture": _of(_mixture, form) for form in FORMS},
    **{form: _of(_curves, form) for form in CURVES},
    "boxes": _boxes,
    "manifolds": _manifolds,
    "spectra": _spectra,
    "binary": _binary,
}
#: data sets without any
CLOUDS: dict[str, Callable[[Rng, int], Drawn]] = {
    **{f"{form} cloud": _of(_cloud, form) for form in FORMS},
    "bent cloud": _bent,
}
