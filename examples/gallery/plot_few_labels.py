"""
Few labels: what do they guarantee?
===================================

An expert can name the classes of a few dozen objects. How wrong can a clustering be on all the
others?
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/few-labels.png'
import numpy as np

import karat

# %%
# 178 wines. ``sample`` draws the 40 to taste; here the answers are known.

wine = karat.datasets.load("wine", label_column="cultivar", scale="standard")
tasted = karat.bounds.sample(wine.n_objects, 40, random_state=0)
few = np.full(wine.n_objects, None, dtype=object)
few[tasted] = np.asarray(wine.truth, dtype=object)[tasted]

# %%
# Everything that is tried shares the allowed risk of 10 %, so the best may be chosen after seeing
# the labels.

study = karat.Study(wine.X, truth=few, delta=0.1)
study.sweep(["kmeans", "ward"], k=range(2, 9), workers=1, progress=False)
choice = study.best()
choice

# %%
# More clusters mix fewer classes but cost more bits. The guarantee finds the balance:

bounds = study.bounds()
karat.plot.bound_by_k(bounds)

# %%
# In this example all cultivars are known, so the guarantee can be compared with the truth:

hidden = np.setdiff1d(np.arange(wine.n_objects), tasted)
wrong = np.sum(np.asarray(bounds.best.predicted)[hidden] != np.asarray(wine.truth)[hidden])
print(f"guaranteed: at most {bounds.best.bound} of {len(hidden)}; in truth: {wrong}")

# %%
# The alternative use of the same labels is to train a classifier on half of them and test it on the
# other half:

karat.bounds.supervised_yardstick(wine.X, few, delta=0.1, random_state=0).round(3)
