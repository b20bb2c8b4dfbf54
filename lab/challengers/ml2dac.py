"""The choice of ML2DAC (Treder-Tschechlov et al. 2023): the index is chosen for the data set.

Of each data set to learn from, the best index is the one whose values have the greatest Spearman
correlation with the agreement; a random forest learns it from features of the data, and of a new
data set the predicted index decides. The published code states no licence and needs Python 3.9,
so this is the rule written anew: five of its seven indices (COP and Coggins-Jain are not in
sortal), and a dozen of its statistical features (those of pymfe are under the GPL).
"""

import numpy as np
from scipy.stats import kurtosis, skew, spearmanr
from sklearn.ensemble import RandomForestClassifier

import sortal

INDICES = ("calinski_harabasz_index", "davies_bouldin_index", "silhouette", "dunn_index", "dbcv")
_known: dict[bytes, np.ndarray] = {}
_forest = RandomForestClassifier(random_state=0)


def _values(X, labelings, indices=INDICES):
    """Values of indices (M, indices), greater is better, undefined ones last."""
    key = labelings.tobytes() + " ".join(indices).encode()
    if key not in _known:
        found = sortal.evaluate(X, labelings, measures=list(indices), noise="drop").table
        signs = [sortal.measures.catalogue[index].sign for index in indices]
        values = found[list(indices)].to_numpy(float) * signs
        _known[key] = np.where(np.isnan(values), -np.inf, values)
    return _known[key]


def _features(X):
    n, d = X.shape
    parts = [X.mean(axis=0), X.std(axis=0), skew(X), kurtosis(X), np.median(X, axis=0)]
    R = np.nan_to_num(np.corrcoef(X, rowvar=False)).reshape(d, d)
    parts.append(np.abs(R[np.triu_indices(d, 1)]) if d > 1 else np.zeros(1))
    axes = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    return [n, d, n / d, axes[0] / axes.sum(), *(f(p) for p in parts for f in (np.mean, np.std))]


def train(tasks):
    """Learn which index is best on what data."""
    features, best = [], []
    for X, labelings, agreements in tasks:
        columns = _values(X, labelings).T
        rho = [spearmanr(agreements, c)[0] if len(set(c)) > 1 else -1 for c in columns]
        features.append(_features(X))
        best.append(int(np.argmax(np.nan_to_num(rho, nan=-1))))
    _forest.fit(np.nan_to_num(features), best)


def choose(X, labelings):
    """The labeling that the predicted index puts first."""
    index = INDICES[int(_forest.predict(np.nan_to_num([_features(X)]))[0])]
    return np.argmax(_values(X, labelings, (index,))[:, 0])
