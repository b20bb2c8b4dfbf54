"""
Few labels: what do they guarantee?
===================================

An expert can name the classes of a few dozen objects. How wrong can a clustering be on all the
others?
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/few-labels.png'
import numpy as np

import sortal

# %%
# 178 wines. ``sample`` draws the 40 to taste; here the answers are known.

wine = sortal.datasets.load("wine", label_column="cultivar", scale="standard")
tasted = sortal.bounds.sample(wine.n_objects, 40, random_state=0)
few = np.full(wine.n_objects, None, dtype=object)
few[tasted] = np.asarray(wine.y, dtype=object)[tasted]

# %%
# Everything that is tried shares the allowed risk of 10 %, so the best may be chosen after seeing
# the labels.

study = sortal.Study(wine.X, y=few, delta=0.1)
study.sweep(["kmeans", "ward"], k=range(2, 9), workers=1, progress=False)
choice = study.best()
choice

# %%
# Half of the labels chose it, the other half tested it: the chosen clustering. Beside it, bounds
# that use all labels for both and pay for the choice: more clusters mix fewer classes, at a price.

found = study.guarantee()
found.table[["n_clusters", "errors", "bits", "bound_rate"]].round(3).head(10)

# %%
# In this example all cultivars are known, so the guarantee can be compared with the truth:

hidden = np.setdiff1d(np.arange(wine.n_objects), tasted)
wrong = np.sum(found.labels[hidden] != np.asarray(wine.y)[hidden])
print(f"guaranteed: at most {found.bound} of {len(hidden)}; in truth: {wrong}")

# %%
# What would more labels buy?

print(sortal.bounds.forecast_labels(found))
