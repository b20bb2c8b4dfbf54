"""
Many data sets: which clusterer, and which measure, can be trusted?
===================================================================

A benchmark asks the same question of many data sets: how good are the clusterings of each
clusterer, and which internal measure would have chosen well without knowing the classes?
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/many-data-sets.png'
import pandas as pd
from sklearn.datasets import make_blobs, make_moons

import sortal

# %%
# Two packaged data sets and three synthetic ones:

sets = {}
sets["iris"] = sortal.datasets.load("iris", label_column="species", scale="standard")
sets["wine"] = sortal.datasets.load("wine", label_column="cultivar", scale="standard")
X, y = make_blobs(300, centers=5, n_features=6, random_state=1)
sets["blobs"] = sortal.datasets.from_array(X, y=y, name="blobs")
X, y = make_blobs(300, centers=4, cluster_std=[0.4, 1, 2, 3], random_state=3)
sets["unequal"] = sortal.datasets.from_array(X, y=y, name="unequal")
X, y = make_moons(300, noise=0.05, random_state=0)
sets["moons"] = sortal.datasets.from_array(X, y=y, name="moons")

# %%
# One study per data set. With ``storage="name.sortal"`` each would survive an interruption.

clusterers = ["kmeans", "ward", "average", "single", "gaussian-mixture"]
measures = ["silhouette", "calinski_harabasz_index", "davies_bouldin_index", "dunn_index"]
by_clusterer, by_measure = {}, {}
for name, data in sets.items():
    study = sortal.Study(data)
    study.sweep(clusterers, k=range(2, 8), n_init=2, workers=1, progress=False)
    labelings = {one: study.labels(one) for one in study.scores().index}
    ari = sortal.evaluate(
        None, labelings, y=data.y, measures=["adjusted_rand_index"], noise="drop"
    )["adjusted_rand_index"]
    by_clusterer[name] = ari.groupby(lambda one: one.split()[0]).max()
    internal = sortal.evaluate(data.X, labelings, measures=measures, noise="drop")
    by_measure[name] = {
        m: ari[(sortal.measures.catalogue[m].sign * internal[m]).idxmax()] for m in measures
    }

# %%
# The best that each clusterer reaches over the numbers of clusters (adjusted Rand index):

pd.DataFrame(by_clusterer).round(2)

# %%
# What each measure chooses without knowing the classes; the last column is its mean:

chosen = pd.DataFrame(by_measure)
chosen.assign(mean=chosen.mean(axis=1)).round(2)

# %%
# No measure is best everywhere, and many say much the same. A study is therefore decided by a
# learned judge, or on request by a consensus with one vote per family of measures.

data = sets["moons"]
study = sortal.Study(data.X)
study.sweep(clusterers, k=range(2, 8), n_init=2, workers=1, progress=False)
scores = study.scores()[measures]
signs = [sortal.measures.catalogue[m].sign for m in measures]
sortal.plot.agreement((scores * signs).corr("kendall"))
