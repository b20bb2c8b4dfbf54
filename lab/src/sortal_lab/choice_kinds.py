"""Kinds of generated data that a judge learns from, beside :mod:`sortal_lab.choice_shapes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm, rankdata

from sortal_lab.choice_shapes import Drawn, Points, Rng

if TYPE_CHECKING:
    from sortal.typing import Ints


def _sizes(rng: Rng, n: int, k: int, least: int = 8) -> Ints:
    """Random sizes, from equal to very unequal."""
    evenness = rng.choice([1.0, 3.0, 30.0])
    shares = rng.dirichlet(np.full(k, evenness))
    return np.maximum((shares * n).astype(np.int64), least)


def _standard(X: Points) -> Points:
    """Columns of mean 0 and variance 1, without constant ones."""
    X = X[:, X.std(axis=0) > 1e-9]
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def _apart(rng: Rng, k: int, d: int, low: float, high: float) -> Points:
    """Random centres whose median distance to the nearest is between low and high."""
    centres = rng.normal(size=(k, d))
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) + np.diag(np.full(k, np.inf))
    return np.asarray(centres * rng.uniform(low, high) / max(np.median(apart.min(axis=1)), 1e-9))


def _mixture(
    rng: Rng, n: int, *, most: int = 12, k: int | None = None, low: float = 2.2, high: float = 7.0
) -> Drawn:
    """Gaussian and t clusters, some stretched."""
    k = int(rng.integers(2, 9)) if k is None else k
    d = max(2, round(np.exp(rng.uniform(np.log(2), np.log(most)))))
    centres, sizes = _apart(rng, k, d, low, high), _sizes(rng, n, k)
    parts = []
    for centre, size in zip(centres, sizes, strict=True):
        basis = np.linalg.qr(rng.normal(size=(d, d)))[0]
        basis *= np.exp(rng.normal(size=d) * rng.choice([0, 0.3, 0.8]))
        noise = (
            rng.normal(size=(size, d))
            if rng.random() < 0.7
            else rng.standard_t(rng.uniform(3, 8), (size, d))
        )
        parts.append(centre + np.exp(rng.normal() * rng.choice([0, 0.3, 0.6])) * noise @ basis)
    return np.concatenate(parts), np.repeat(np.arange(k), sizes)


def _bend(rng: Rng, X: Points) -> Points:
    """Points after a few random residual layers."""
    X, d = _standard(X), X.shape[1]
    for _ in range(int(rng.integers(1, 5))):
        h = int(rng.integers(d, 3 * d + 2))
        weights = rng.normal(size=(d, h)) / np.sqrt(d) * rng.uniform(0.5, 2)
        inner = X @ weights + rng.normal(size=h)
        bent = np.tanh(inner) if rng.random() < 0.6 else np.sin(inner)
        X = X + rng.uniform(0.3, 1.4) * bent @ (rng.normal(size=(h, d)) / np.sqrt(h))
    return X


def _warped(rng: Rng, n: int) -> Drawn:
    """Mixtures after random residual layers."""
    X, y = _mixture(rng, n)
    return _bend(rng, X), y


def _odd(rng: Rng, x: Points) -> Points:
    """Column with an odd distribution."""
    way = rng.random()
    if way < 0.2:
        return np.exp(x * rng.uniform(0.4, 1.2))
    if way < 0.3:
        return np.round(x * rng.uniform(1, 4))
    if way < 0.38:
        return (x > rng.normal() * 0.5).astype(float)
    if way < 0.45:
        return np.maximum(x, np.quantile(x, rng.uniform(0.1, 0.5)))
    if way < 0.55:
        return np.asarray(np.sign(x) * np.abs(x) ** rng.uniform(0.4, 2))
    return x


def _table(rng: Rng, n: int) -> Drawn:
    """Odd marginals, irrelevant and dependent columns."""
    X, y = _mixture(rng, n, most=20)
    X = _standard(_bend(rng, X) if rng.random() < 0.5 else X)
    X = np.column_stack([_odd(rng, column) for column in X.T])
    if extra := int(rng.integers(0, X.shape[1] + 1)):
        factors = rng.normal(size=(len(X), max(1, extra // 3)))
        loads = rng.normal(size=(factors.shape[1], extra)) * rng.random()
        X = np.hstack([X, factors @ loads + rng.normal(size=(len(X), extra))])
    return _standard(X), y


def _merged(rng: Rng, n: int) -> Drawn:
    """Classes that consist of several clusters."""
    X, y = _warped(rng, n) if rng.random() < 0.6 else _mixture(rng, n)
    if (k := int(y.max()) + 1) > 3:
        group = rng.integers(0, max(2, int(rng.integers(2, k))), size=k)
        group[:2] = [0, 1]
        y = np.unique(group, return_inverse=True)[1][y]
    return X, y


def _uneven_curves(rng: Rng, n: int) -> Drawn:
    """Arcs, waves, segments, rings and blobs of unequal density and width."""
    parts, sizes = [], _sizes(rng, n, int(rng.integers(2, 6)))
    for size in sizes:
        t, a = rng.uniform(0, 1, size) ** rng.choice([0.5, 1, 2]), rng.uniform(0, 6.3)
        kind = int(rng.integers(5))
        if kind == 0:
            angle = np.pi * t * 1.3 + a
            P = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.uniform(0.4, 1.5)
        elif kind == 1:
            P = np.column_stack([t * 2 - 1, np.sin(t * 6 * rng.random())]) * rng.uniform(0.4, 1.4)
        elif kind == 2:
            P = rng.normal(size=(size, 2)) * rng.uniform(0.1, 0.4)
        elif kind == 3:
            P = np.column_stack([t, 0 * t]) * rng.uniform(0.8, 2)
        else:
            P = np.column_stack([np.cos(6.28 * t), np.sin(6.28 * t)]) * rng.uniform(0.3, 1.8)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        jitter = rng.normal(size=(size, 2)) * rng.uniform(0.01, 0.15)
        parts.append(P @ turn.T + jitter + rng.normal(size=2) * rng.uniform(0.2, 1.6))
    return np.concatenate(parts), np.repeat(np.arange(len(sizes)), sizes)


def _copulas(rng: Rng, n: int) -> Drawn:
    """Clusters with Gaussian copulas and gamma, uniform, log-normal or two-peaked columns."""
    k, d = int(rng.integers(2, 7)), int(rng.integers(2, 13))
    sizes, parts = _sizes(rng, n, k), []
    shape = rng.integers(4, size=d)
    apart = rng.uniform(0.7, 3.0) / np.sqrt(d) * 1.5
    for size in sizes:
        root = rng.normal(size=(d, d)) * rng.uniform(0, 1) + np.eye(d)
        Z = rng.normal(size=(size, d)) @ root.T
        U = norm.cdf(Z / np.sqrt((root**2).sum(axis=1)))
        X = np.empty_like(U)
        for j, form in enumerate(shape):
            if form == 0:
                X[:, j] = (-np.log1p(-U[:, j] * 0.9999)) ** rng.uniform(0.5, 1.5)
            elif form == 1:
                X[:, j] = U[:, j] * rng.uniform(1, 4)
            elif form == 2:
                X[:, j] = np.exp(norm.ppf(U[:, j].clip(1e-6, 1 - 1e-6)) * rng.uniform(0.2, 0.9))
            else:
                X[:, j] = norm.ppf(U[:, j].clip(1e-6, 1 - 1e-6)) + (U[:, j] > rng.random())
        parts.append(X * rng.uniform(0.6, 1.5, d) + apart * rng.normal(size=d) * 1.5)
    return _standard(np.concatenate(parts)), np.repeat(np.arange(k), sizes)


def _categories(rng: Rng, n: int, k: int, y: Ints, columns: int, sharp: float) -> Points:
    """One-hot columns of categories whose shares depend on the cluster."""
    parts = []
    for _ in range(columns):
        levels = int(rng.integers(2, 6))
        scores = rng.normal(size=levels) + rng.normal(size=(k, levels)) * sharp * rng.random()
        drawn = np.argmax(scores[y] + rng.gumbel(size=(n, levels)), axis=1)
        kept = np.eye(levels)[drawn]
        parts.append(kept[:, :1] if levels == 2 else kept / np.sqrt(2))
    return np.hstack(parts)


def _latent_classes(rng: Rng, n: int) -> Drawn:
    """Categorical columns that are independent in each class."""
    k = int(rng.integers(2, 7))
    y = np.repeat(np.arange(k), _sizes(rng, n, k))
    X = _categories(rng, len(y), k, y, int(rng.integers(4, 16)), rng.uniform(2, 6))
    return X[:, X.std(axis=0) > 1e-9], y


def _mixed(rng: Rng, n: int) -> Drawn:
    """Numeric and categorical columns, some of which say nothing."""
    X, y = _mixture(rng, n, most=10) if rng.random() < 0.5 else _copulas(rng, n)
    k = int(y.max()) + 1
    X = _standard(X)
    informative = _categories(rng, len(y), k, y, int(rng.integers(1, 7)), rng.uniform(1, 6))
    noise = _categories(rng, len(y), k, y, int(rng.integers(1, 5)), 0.0)
    kept = [X, informative] + ([noise] if rng.random() < 0.5 else [])
    scale = [1.0, *rng.uniform(0.5, 2.0, size=2)]
    X = np.hstack([part * factor for part, factor in zip(kept, scale, strict=False)])
    return X[:, X.std(axis=0) > 1e-9], y


def _series(rng: Rng, n: int) -> Drawn:
    """Time series: shapes with shifted, stretched events, or processes by their spectrum."""
    k, length = int(rng.integers(2, 7)), int(rng.integers(24, 150))
    sizes, grid = _sizes(rng, n, k), np.linspace(0, 1, length)
    shift, jitter = rng.uniform(0, 0.08), rng.uniform(0.05, 0.6)
    parts = []
    for size in sizes:
        events = int(rng.integers(1, 5))
        at, width = rng.random(events), rng.uniform(0.03, 0.2, events)
        height = rng.normal(size=events) * 1.5
        moved = at + rng.normal(size=(size, events)) * shift
        wide = width * np.exp(rng.normal(size=(size, events)) * 0.2)
        form = int(rng.integers(3))
        t = (grid - moved[:, :, None]) / wide[:, :, None]
        bump = np.exp(-0.5 * t**2) if form == 0 else (1 / (1 + np.exp(-4 * t)))
        bump = bump * np.clip(1 - np.abs(t), 0, 1) if form == 2 else bump
        scale = height * np.exp(rng.normal(size=(size, events)) * 0.2)
        parts.append((bump * scale[:, :, None]).sum(axis=1))
    X = np.concatenate(parts)
    noise = rng.normal(size=X.shape)
    for j in range(1, length):  # autocorrelated
        noise[:, j] += 0.7 * noise[:, j - 1]
    X = X + jitter * noise
    if rng.random() < 0.5:
        X = X - X.mean(axis=1, keepdims=True)
    return _standard(X) if rng.random() < 0.5 else X, np.repeat(np.arange(k), sizes)


def _processes(rng: Rng, n: int) -> Drawn:
    """Features of autoregressive processes: correlated, skewed and of few dimensions."""
    k, d = int(rng.integers(2, 6)), int(rng.integers(5, 25))
    y = np.repeat(np.arange(k), _sizes(rng, n, k))
    inner = int(rng.integers(1, 5))
    state = (
        _apart(rng, k, inner, 1.5, 6)[y]
        + rng.normal(size=(len(y), inner)) @ rng.normal(size=(inner, inner)) * 0.7
    )
    X = state @ rng.normal(size=(inner, d)) + rng.normal(size=(len(y), d)) * rng.uniform(0.3, 1.5)
    X = _standard(X)
    X[:, : d // 3] = np.exp(X[:, : d // 3] * rng.uniform(0.3, 1.0))
    return _standard(X), y


def _embeddings(rng: Rng, n: int) -> Drawn:
    """Directions as neural encoders give them: narrow cones, a common direction, decaying axes."""
    k = int(rng.integers(2, 21)) if rng.random() < 0.3 else int(rng.integers(2, 9))
    d = int(rng.choice([32, 64, 128, 256, 384]))
    decay = np.arange(1, d + 1) ** -rng.uniform(0.1, 0.8)
    sizes = _sizes(rng, n, k)
    centres = rng.normal(size=(k, d)) * decay * rng.uniform(0.4, 1.6)
    if rng.random() < 0.4:
        parents = rng.normal(size=(max(2, k // 3), d)) * decay
        centres += parents[rng.integers(len(parents), size=k)]
    inner = rng.normal(size=(k, 3, d)) * decay
    common = rng.normal(size=d) * decay * rng.uniform(0, 2)
    parts = []
    for c, size in enumerate(sizes):
        width = np.exp(rng.normal() * 0.3)
        along = rng.normal(size=(size, 3)) @ inner[c] * 0.5
        parts.append(common + centres[c] + width * (rng.normal(size=(size, d)) * decay + along))
    X = np.concatenate(parts)
    y = np.repeat(np.arange(k), sizes)
    if rng.random() < 0.4:  # objects between topics
        mixed = rng.random(len(X)) < rng.uniform(0.05, 0.3)
        share = rng.uniform(0, 0.5, (int(mixed.sum()), 1))
        X[mixed] = (1 - share) * X[mixed] + share * X[rng.integers(len(X), size=mixed.sum())]
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def _topics(rng: Rng, n: int) -> Drawn:
    """Documents as tf-idf in latent dimensions: topics over words of Zipf's law."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import normalize

    k, words = int(rng.integers(2, 13)), int(rng.integers(300, 1200))
    y = np.repeat(np.arange(k), _sizes(rng, n, k))
    base = rng.permutation(1.0 / np.arange(1, words + 1) ** rng.uniform(0.8, 1.1))
    subtopics = int(rng.integers(1, 4))
    peaks = rng.gamma(rng.uniform(0.02, 0.15), size=(k, subtopics, words))
    topics = base * (0.1 + peaks * rng.uniform(2, 12))
    topics /= topics.sum(axis=2, keepdims=True)
    base /= base.sum()
    focus = rng.beta(rng.uniform(1.5, 6), rng.uniform(1.5, 6), size=len(y))[:, None]
    own = topics[y, rng.integers(subtopics, size=len(y))]
    lengths = np.exp(rng.normal(rng.uniform(3.5, 5.5), 0.6, size=len(y))).astype(int) + 8
    counts = np.array([
        rng.multinomial(m, p / p.sum()) for m, p in zip(lengths, focus * own + (1 - focus) * base,
                                                        strict=True)
    ])  # fmt: skip
    Z = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    kept = min(100, len(y) - 1)
    Z = TruncatedSVD(kept, random_state=0).fit_transform(Z)
    return normalize(Z), y


def _counts(rng: Rng, n: int) -> Drawn:
    """Overdispersed counts, raw, as roots or as logarithms of shares."""
    k, d = int(rng.integers(2, 8)), int(rng.integers(8, 80))
    sizes = _sizes(rng, n, k)
    y = np.repeat(np.arange(k), sizes)
    base = np.exp(rng.normal(rng.uniform(-1, 3), 1.2, size=d))
    marked = rng.random((k, d)) < rng.uniform(0.1, 0.6)
    rate = base * np.exp(marked * rng.normal(size=(k, d)) * rng.uniform(0.5, 1.8))
    depth = np.exp(rng.normal(size=(len(y), 1)) * rng.uniform(0, 0.6))
    shape = rng.uniform(0.8, 8)
    X = rng.poisson(rate[y] * depth * rng.gamma(shape, 1 / shape, (len(y), d))).astype(float)
    X = X[:, X.std(axis=0) > 0]
    way = rng.integers(3)
    if way == 0:
        return _standard(X), y
    if way == 1:
        return np.sqrt(X), y
    share = X / np.maximum(X.sum(axis=1, keepdims=True), 1) * np.median(X.sum(axis=1))
    return np.log1p(share), y


def _nested(rng: Rng, n: int) -> Drawn:
    """Groups of groups; the classes are those of the upper or of the lower level."""
    upper, d = int(rng.integers(2, 5)), int(rng.integers(2, 13))
    lower = rng.integers(1, 5, size=upper)
    parent = np.repeat(np.arange(upper), lower)
    centres = _apart(rng, upper, d, 6, 14)[parent] + _apart(rng, len(parent), d, 1.5, 5)
    y = np.repeat(np.arange(len(parent)), _sizes(rng, n, len(parent)))
    X = (
        centres[y]
        + rng.normal(size=(len(y), d))
        * np.exp(rng.normal(size=len(parent)) * rng.choice([0, 0.4]))[y, None]
    )
    return X, parent[y] if rng.random() < 0.5 else y


def _densities(rng: Rng, n: int) -> Drawn:
    """Clusters of very unequal size, density and form close to each other."""
    k, d = int(rng.integers(2, 7)), int(rng.choice([2, 2, 3, 5, 8]))
    sizes = _sizes(rng, n, k, least=6)
    widths = np.exp(rng.normal(size=k) * rng.uniform(0.5, 1.1))
    centres, parts = [np.zeros(d)], []
    for c in range(1, k):
        way = rng.normal(size=d)
        reach = (widths[c] + widths[c - 1]) * rng.uniform(1.6, 3.2)
        centres.append(centres[int(rng.integers(c))] + way / np.linalg.norm(way) * reach)
    for c, size in enumerate(sizes):
        P = rng.normal(size=(size, d))
        if rng.random() < 0.3:
            P = P / np.linalg.norm(P, axis=1, keepdims=True) * rng.uniform(0, 1, (size, 1)) ** 0.5
            P *= 2
        parts.append(centres[c] + widths[c] * P * np.exp(rng.normal(size=d) * 0.3))
    X, y = np.concatenate(parts), np.repeat(np.arange(k), sizes)
    if rng.random() < 0.3:
        m = int(rng.uniform(0.02, 0.15) * len(X)) + 1
        X = np.concatenate([X, rng.uniform(X.min(axis=0), X.max(axis=0), size=(m, d))])
        y = np.concatenate([y, np.full(m, -1)])
    return X, y


def _many(rng: Rng, n: int) -> Drawn:
    """Up to sixty clusters, on grids or at random."""
    k = int(np.exp(rng.uniform(np.log(9), np.log(max(10, min(60, n // 9))))))
    d = int(rng.choice([2, 2, 3, 6, 12]))
    y = np.repeat(np.arange(k), _sizes(rng, n, k, least=5))
    if rng.random() < 0.4:
        side = int(np.ceil(np.sqrt(k)))
        cells = rng.permutation(side**2)[:k]
        centres = np.zeros((k, d))
        centres[:, 0], centres[:, 1] = cells // side, cells % side
        centres[:, :2] += rng.normal(size=(k, 2)) * rng.uniform(0, 0.15)
        width = rng.uniform(0.1, 0.28)
    else:
        centres, width = _apart(rng, k, d, 3, 9), 1.0
    spread = width * np.exp(rng.normal(size=k) * rng.choice([0, 0.3]))
    return centres[y] + rng.normal(size=(len(y), d)) * spread[y, None], y


def _regions(rng: Rng, n: int) -> Drawn:
    """Classes that overlap or are regions of few clouds, as recorded classes often are."""
    if rng.random() < 0.6:
        X, y = _mixture(rng, n, low=1.0, high=2.6)
        return (_standard(_bend(rng, X)) if rng.random() < 0.5 else X), y
    X, _ = _mixture(rng, n, k=int(rng.integers(1, 4)))
    X = _standard(X)
    k = int(rng.integers(2, 5))
    hidden = np.tanh(X @ rng.normal(size=(X.shape[1], 8)) / np.sqrt(X.shape[1]))
    scores = hidden @ rng.normal(size=(8, k)) + rng.gumbel(size=(len(X), k)) * 0.2
    return X, np.unique(np.argmax(scores, axis=1), return_inverse=True)[1]


def _factors(rng: Rng, n: int) -> Drawn:
    """Many correlated measurements of a few latent dimensions, one of them size."""
    X, y = _mixture(rng, n, most=5)
    X = _standard(X)
    d = int(rng.integers(6, 40))
    loads = rng.normal(size=(X.shape[1], d)) * np.exp(rng.normal(size=(X.shape[1], 1)) * 0.7)
    scale = rng.normal(size=(len(X), 1)) * rng.uniform(0, 1.5)
    W = X @ loads + scale * rng.uniform(0.3, 1, d)
    W = W / W.std(axis=0) + rng.normal(size=W.shape) * rng.uniform(0.1, 0.9)
    W = _standard(W)
    few = rng.random(d) < rng.choice([0, 0.3, 0.8])
    W[:, few] = np.exp(W[:, few] * rng.uniform(0.2, 0.8))
    return _standard(W), y


def _glyphs(rng: Rng, n: int) -> Drawn:
    """Small images: strokes that are moved, widened and blurred."""
    k, side = int(rng.integers(2, 11)), int(rng.choice([8, 10, 12]))
    sizes = _sizes(rng, n, k)
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), axis=-1) / side
    move, width, parts = rng.uniform(0.01, 0.07), rng.uniform(0.05, 0.12), []
    for size in sizes:
        knots = np.cumsum(rng.normal(size=(5, 2)) * 0.22, axis=0)
        knots += 0.5 - knots.mean(axis=0)
        at = np.linspace(0, 3.999, 14)
        i, share = at.astype(int), (at % 1)[:, None]
        stroke = knots[i] * (1 - share) + knots[i + 1] * share
        shear = np.eye(2) + rng.normal(size=(size, 2, 2)) * move * 2
        moved = (stroke - 0.5) @ shear + 0.5 + rng.normal(size=(size, 1, 2)) * move
        squares = ((grid[None, :, :, None] - moved[:, None, None]) ** 2).sum(axis=-1)
        parts.append(np.exp(-0.5 * squares.min(axis=-1) / width**2).reshape(size, -1))
    X = np.concatenate(parts)
    X = X + rng.normal(size=X.shape) * rng.uniform(0, 0.3)
    return X, np.repeat(np.arange(k), sizes)


def _ranked(rng: Rng, n: int) -> Drawn:
    """Ordered answers: mixtures cut into a few grades, with individual levels."""
    X, y = _mixture(rng, n, most=25)
    X = _standard(X) + rng.normal(size=(len(X), 1)) * rng.uniform(0, 0.6)
    grades = int(rng.integers(3, 8))
    ranks = rankdata(X, axis=0) / len(X)
    X = np.floor(ranks ** rng.uniform(0.6, 1.6, X.shape[1]) * grades * 0.999)
    return _standard(X) if rng.random() < 0.5 else X[:, X.std(axis=0) > 1e-9], y


def _mixed_tables(rng: Rng, n: int) -> Drawn:
    """Tables of numbers, flags and categories as a study reads and weighs them."""
    from sortal.datasets import from_table, weighted
    from sortal_lab.mixed_tables import TRAINING, draw_mixed

    table, groups = draw_mixed(str(rng.choice(list(TRAINING))), rng)
    X = np.asarray(weighted(from_table(table)).X, dtype=np.float64)
    return X[: max(n, 100)], groups[: max(n, 100)].astype(np.int64)


#: kinds of data with classes
KINDS: dict[str, Callable[[Rng, int], Drawn]] = {
    "warped": _warped,
    "table": _table,
    "merged": _merged,
    "uneven curves": _uneven_curves,
    "copulas": _copulas,
    "latent classes": _latent_classes,
    "mixed": _mixed,
    "series": _series,
    "processes": _processes,
    "embeddings": _embeddings,
    "topics": _topics,
    "counts": _counts,
    "nested": _nested,
    "densities": _densities,
    "many": _many,
    "regions": _regions,
    "factors": _factors,
    "glyphs": _glyphs,
    "ranked": _ranked,
    "mixed tables": _mixed_tables,
}
