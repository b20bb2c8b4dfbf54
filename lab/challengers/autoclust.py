"""The choice of AutoClust (Poulakis, Doulkeridis & Kyriazis 2020): a network reads the indices.

A multilayer perceptron learns the agreement with the classes from internal indices of clusterings
of other data sets. No code was published; layers and activation are those by which others repeat
it (Treder-Tschechlov et al. 2023). The indices are those of sortal that are quick, each by its
place among the labelings of a data set, because their scales differ between data sets.
"""

import numpy as np
from scipy.stats import rankdata
from sklearn.neural_network import MLPRegressor

import sortal

INDICES = (
    "silhouette", "calinski_harabasz_index", "davies_bouldin_index", "dunn_index", "s_dbw_index",
    "xie_beni_index", "ray_turi_index", "banfield_raftery_index", "ratkowsky_lance_index",
    "point_biserial_index", "c_index", "mcclain_rao_index",
)  # fmt: skip
_known: dict[bytes, np.ndarray] = {}
_network = MLPRegressor(hidden_layer_sizes=(60, 30, 10), random_state=0)


def _places(X, labelings):
    """Each index of each labeling as its place from 0 to 1, undefined ones last."""
    key = labelings.tobytes()
    if key not in _known:
        found = sortal.evaluate(X, labelings, measures=list(INDICES), noise="drop")
        signs = [sortal.measures.catalogue[key].sign for key in INDICES]
        values = found.table[list(INDICES)].to_numpy(float) * signs
        ranks = rankdata(np.where(np.isnan(values), -np.inf, values), axis=0)
        _known[key] = (ranks - 1) / (len(ranks) - 1)
    return _known[key]


def train(tasks):
    """Learn from clusterings whose agreement with the classes is known."""
    read = [(_places(X, labelings), agreements) for X, labelings, agreements in tasks]
    _network.fit(*(np.concatenate(part) for part in zip(*read, strict=True)))


def choose(X, labelings):
    """The labeling of the greatest predicted agreement."""
    return np.argmax(_network.predict(_places(X, labelings)))
