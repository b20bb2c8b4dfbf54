"""clusteval 2.2.7 itself (Taskesen 2020): Ward's tree, cut where the silhouette is greatest.

The package clusters the data with its defaults, 2 to 25 clusters, and returns its labels. Install
it beside sortal: ``pip install clusteval``.
"""

import numpy as np
from clusteval import clusteval


def cluster(X):
    """The labels that the package returns; one cluster where it returns none."""
    found = clusteval(cluster="agglomerative", evaluate="silhouette", verbose="silent").fit(X)
    labels = None if found is None else found["labx"]
    return np.zeros(len(X), dtype=int) if labels is None else np.asarray(labels, dtype=int)
