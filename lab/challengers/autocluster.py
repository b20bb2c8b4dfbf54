"""The choice of autocluster 0.5.3 (Wong 2019): silhouette, but no clustering with a tiny cluster.

By default a clustering counts only if its least cluster has 1 % of the objects and 5 % of the size
of the greatest; noise is a cluster. The rule is applied to the given labelings; the package does
not install on Python 3.11, because it needs the withdrawn distribution ``sklearn`` (and ``smac``
of that time, without which it cannot be imported).
"""

import numpy as np

import sortal


def choose(X, labelings):
    """The labeling of the greatest silhouette among those that count, of all where none does."""
    labelings = np.where(labelings < 0, labelings.max() + 1, labelings)
    score = sortal.evaluate(X, labelings, measures=["silhouette"])["silhouette"].to_numpy(float)
    sizes = [np.unique(labels, return_counts=True)[1] for labels in labelings]
    counts = [s.min() >= 0.01 * s.sum() and s.min() >= 0.05 * s.max() for s in sizes]
    return np.argmax(np.where(np.isnan(score), -2, score) + 2 * np.array(counts))
