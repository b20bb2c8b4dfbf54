"""
A graph: which communities has it?
==================================

Edges between nodes and nothing else, from a file to a report: clusterers of graphs, yours among
them, and measures of graphs, which need no distances.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/graph.png'
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin

import sortal

# %%
# A file with the edges of 120 nodes in four communities of different sizes:

rng = np.random.default_rng(0)
community = np.repeat([0, 1, 2, 3], [45, 35, 25, 15])
likely = np.where(community[:, None] == community, 0.25, 0.01)
edges = np.triu(rng.random(likely.shape) < likely, 1)
folder = Path(tempfile.mkdtemp())
sparse.save_npz(folder / "G.npz", sparse.csr_array((edges + edges.T).astype(float)))

# %%
# Any estimator that takes the edges is a clusterer. This one is label propagation with a
# resolution; one that calls igraph and leidenalg looks the same, and sortal depends on neither.


class Propagation(ClusterMixin, BaseEstimator):
    """Each node takes the label of most of its neighbours, less the size of the community."""

    distances = "graph"

    def __init__(self, resolution=1.0, random_state=None):
        self.resolution, self.random_state = resolution, random_state

    def fit(self, A, y=None):
        rng, labels = np.random.default_rng(self.random_state), np.arange(A.shape[0])
        degrees = np.diff(A.indptr)
        for _ in range(30):
            for i in rng.permutation(len(labels)):
                near = labels[A.indices[A.indptr[i] : A.indptr[i + 1]]]
                if len(near):
                    names, counts = np.unique(near, return_counts=True)
                    sizes = np.array([degrees[labels == name].sum() for name in names])
                    gain = counts - self.resolution * degrees[i] * sizes / degrees.sum()
                    labels[i] = names[np.argmax(gain)]
        self.labels_ = labels
        return self


# %%
# On the command line ``sortal run G.npz --metric graph`` does this with the clusterers of sortal.

study = sortal.Study(folder / "G.npz", metric="graph")
study.sweep(["spectral"], k=range(2, 8), n_init=2, workers=1)
study.sweep(Propagation(), grid={"resolution": [0.5, 1.0, 2.0]}, n_init=3, workers=1)
print(study.best())

# %%
# Modularity and the map equation compare numbers of communities and vote; conductance does not.

keys = ["modularity", "map_equation", "conductance"]
study.scores().loc[study.rank().index[:6], ["n_clusters", *keys]].round(3)

# %%

print(sortal.ContingencyTable(community, study.best().labels).to_frame())
sortal.write_report(study, folder / "graph.html")
