"""cvi 0.7.2 itself (Petrenko 2022): the labeling of the greatest Calinski-Harabasz index.

The package computes indices and chooses nothing; its first batch index decides here, and outliers
are a cluster. Install it beside sortal: ``pip install cvi``.
"""

import cvi
import numpy as np


def choose(X, labelings):
    """The labeling of the greatest index, as the package computes it."""
    values = [
        cvi.CH().get_cvi(X, np.unique(labels, return_inverse=True)[1]) for labels in labelings
    ]
    return np.argmax(np.nan_to_num(values, nan=-np.inf))
