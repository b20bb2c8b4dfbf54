"""
Own clusterings: which of mine is better, and do they agree?
============================================================

Labels from any program can be judged: pass them in a dict. No study is needed.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/own-clusterings.png'
import pandas as pd
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_moons

import sortal

# %%
# Two half moons, which k-means cuts in the wrong place:

X, moons = make_moons(600, noise=0.06, random_state=0)
mine = {
    "k-means 2": KMeans(2, n_init=10, random_state=0).fit_predict(X),
    "k-means 8": KMeans(8, n_init=10, random_state=0).fit_predict(X),
    "DBSCAN": DBSCAN(eps=0.15).fit_predict(X),
}

# %%
# Do they agree? The adjusted Rand index of each pair:

sortal.compare_labelings(mine, noise="singletons").round(2)

# %%
# Measures of compactness prefer k-means, measures of density and separation DBSCAN. The label -1 of
# DBSCAN marks outliers, and ``noise`` says how they are treated; nothing is assumed about them.

measures = ["silhouette", "dunn_index", "dbcv", "informativeness"]
scores = sortal.evaluate(X, mine, measures=measures, noise="drop")
pd.DataFrame({measure: scores[measure] for measure in measures}).round(3)

# %%
# The silhouette of each object shows why it misleads here: objects at the tips of a moon are close
# to the other moon.

labels = mine["DBSCAN"]
sortal.plot.silhouette(X, labels)

# %%
# Compared with the truth, which is known for this example:

table = sortal.ContingencyTable(moons, mine["k-means 8"])
sortal.plot.contingency(table)

# %%

for name, labels in mine.items():
    print(f"{name:10} {sortal.adjusted_rand_index(moons, labels, noise='singletons'):.3f}")
