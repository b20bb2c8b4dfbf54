"""Transductive PAC-Bayes bound, turned into one for the most probable classifier."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from karat.bounds.classifiers import ComponentBound, of_clusters
from karat.bounds.pac_mdl import PacMdlBounds

if TYPE_CHECKING:
    from karat.bounds.classes import KnownClasses
    from karat.labelings.partitions import Labelings
    from karat.runtime.types import Floats

#: sharpness of the posteriors, whose bounds hold together
SHARPNESS = (1.0, 2.0, 4.0, 10.0)
#: number of clusterings whose posteriors are tried
TRIED = 3


def parts(
    batch: Labelings, truth: KnownClasses, bits: Floats, delta: float, mdl: PacMdlBounds
) -> list[ComponentBound]:
    """Lowest bound over a few posteriors; empty where a clustering excludes objects.

    The prior: a clustering by ``bits``, then every vector of cluster labels alike. A posterior:
    one clustering, and each cluster's label by itself, class j with weight exp(β·count_j).
    """
    if (batch.codes < 0).any() or delta <= 0:
        return []
    labelled, y = truth.labelled, truth.codes[truth.labelled]
    m, n_classes = len(labelled), len(truth.names)
    level = log_xi(m) - math.log(delta)
    table = mdl.table
    best: ComponentBound | None = None
    for row in np.lexsort([table["bits"], table["bound"]])[:TRIED]:
        c = int(batch.n_clusters[row])
        counts = np.zeros((c, n_classes))
        np.add.at(counts, (batch.codes[row, labelled], y), 1.0)
        n = batch.n_objects - m
        sizes = np.bincount(batch.codes[row], minlength=c) - counts.sum(axis=1)
        naming = (bits[row] + truth.bits) * math.log(2)
        for beta in SHARPNESS:
            q = np.exp(beta * (counts - counts.max(axis=1, keepdims=True)))
            q /= q.sum(axis=1, keepdims=True)
            entropy = -float((q * np.log(np.maximum(q, 1e-300))).sum())
            divergence = naming + c * math.log(n_classes) - entropy
            seen = float((counts * (1 - q)).sum())
            rate = kl_inverse(seen / m, (divergence + level) / m)
            gibbs = rate * (m + n) - seen
            bound = min(n, votes_from_gibbs(gibbs, q.max(axis=1), sizes))
            if best is None or bound < best.bound:
                labels = q.argmax(axis=1)
                errors = int(m - counts[np.arange(c), labels].sum())
                chosen = of_clusters(batch, int(row), labels)
                best = ComponentBound("pac-bayes", chosen, bound, n, errors, m, delta)
    return [] if best is None else [best]


def log_xi(m: int) -> float:
    """Log of Σ_k C(m, k) (k/m)^k (1 − k/m)^(m−k), at most 2·sqrt(m) (Maurer 2004)."""
    from scipy.special import gammaln, xlogy

    k = np.arange(m + 1)
    logs = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
    logs = logs + xlogy(k, k / max(m, 1)) + xlogy(m - k, 1 - k / max(m, 1))
    return float(np.logaddexp.reduce(logs)) + 1e-9


def kl_inverse(q: float, level: float) -> float:
    """The largest p ≥ q with kl(q, p) ≤ level, rounded up."""
    from scipy.special import rel_entr

    low, high = q, 1.0
    for _ in range(60):
        p = (low + high) / 2
        if rel_entr(q, p) + rel_entr(1 - q, 1 - p) <= level:
            low = p
        else:
            high = p
    return high


def votes_from_gibbs(gibbs: float, top: Floats, sizes: Floats) -> int:
    """Most errors of the most probable labels, from a bound on the expected errors.

    In a cluster of n objects whose most probable label has the probability q, an object that it
    mislabels adds at least q to the expected errors, and any other 1 − q. So e errors there add
    at least n(1 − q) + e(2q − 1): few errors are cheapest where q is least.
    """
    spare = gibbs - float((sizes * (1 - top)).sum())
    price = 2 * top - 1
    errors = 0
    for i in np.argsort(price, kind="stable"):
        if price[i] <= 0:
            errors += int(sizes[i])
            spare -= float(sizes[i]) * float(price[i])
            continue
        more = min(int(sizes[i]), max(0, math.floor(spare / price[i] * (1 + 1e-12))))
        errors += more
        spare -= more * float(price[i])
        if more < sizes[i]:
            break
    return errors
