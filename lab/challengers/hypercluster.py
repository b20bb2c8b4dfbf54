"""The choice of hypercluster and optuclust by default: silhouette, noise dropped.

hypercluster 0.1.13 and optuclust 0.0.2 install on Python 3.11. Each searches clusterers and their
parameters, and keeps the result of the greatest silhouette. hypercluster then fails with pandas 2,
whose tables have no ``append``, so the rule is applied to the given labelings. Objects that are
noise are dropped, whatever their share.
"""

import numpy as np

import sortal


def choose(X, labelings):
    """The labeling of the greatest silhouette of the objects that it assigns."""
    found = sortal.evaluate(X, labelings, measures=["silhouette"], noise="drop")
    return np.argmax(found["silhouette"].fillna(-2))
