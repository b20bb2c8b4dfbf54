"""
Soft clusters: what if objects belong to two?
=============================================

Memberships instead of labels, from an array to a report. A study compares all clusterings by their
hard labels, which every one of them has, and says how much that leaves out; measures that take
memberships judge them as they are.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/soft.png'
import tempfile
from pathlib import Path

import numpy as np
from sklearn.mixture import GaussianMixture

import sortal
from sortal.labelings import SoftPartition

# %%
# Three groups, and a bridge of objects between two of them. Memberships from elsewhere are an array
# (n, k) whose rows sum to 1:

rng = np.random.default_rng(0)
centers = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 6.0]])
X = np.vstack([c + rng.normal(scale=0.7, size=(50, 2)) for c in centers])
X = np.vstack([X, np.column_stack([np.linspace(1, 4, 20), rng.normal(scale=0.3, size=20)])])
mine = GaussianMixture(3, covariance_type="spherical", random_state=0).fit(X).predict_proba(X)
alike = np.full((len(X), 3), 1 / 3) + 0.01 * (mine - 1 / 3)

# %%
# Mixtures of a sweep bring their memberships.

study = sortal.Study(X)
study.add({"mine": SoftPartition(mine), "alike": SoftPartition(alike)})
study.sweep(["gaussian-mixture", "kmeans"], k=range(2, 6), n_init=1, workers=1)
print(study.best())

# %%
# Equal hard labels can hide very different memberships; these columns see them.

soft = {name: study.memberships(name) for name in study.rank().index}
soft = {name: one for name, one in soft.items() if one is not None}
sortal.evaluate(X, soft, measures=["xie_beni_index", "pbm_index"]).table.head(8)

# %%
# The bridge is between two clusters:

memberships = study.memberships("mine").memberships
print(f"largest membership in the groups {memberships[:150].max(axis=1).mean():.2f}, ", end="")
print(f"on the bridge {memberships[150:].max(axis=1).mean():.2f}")

# %%
# In one call without a study, ``hardened`` says which values are those of hard labels:

given = {"soft": SoftPartition(mine), "hard": mine.argmax(axis=1)}
print(sortal.evaluate(X, given, measures=["silhouette", "xie_beni_index", "pbm_index"]))

# %%

sortal.write_report(study, Path(tempfile.mkdtemp()) / "soft.html")
