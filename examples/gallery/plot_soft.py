"""
Soft clusters: what if objects belong to two?
=============================================

Memberships instead of labels, from a file to a report. A study compares all clusterings by their
hard labels, which every one of them has, and says how much that leaves out; measures that take
memberships judge them as they are.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/soft.png'
import tempfile
from pathlib import Path

import numpy as np

import karat
from karat.clusterers import FuzzyCMeans

# %%
# Three groups, and a bridge of objects between two of them. A file with memberships from elsewhere
# has an array (n, k) whose rows sum to 1:

rng = np.random.default_rng(0)
centers = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 6.0]])
X = np.vstack([c + rng.normal(scale=0.7, size=(50, 2)) for c in centers])
X = np.vstack([X, np.column_stack([np.linspace(1, 4, 20), rng.normal(scale=0.3, size=20)])])
folder = Path(tempfile.mkdtemp())
np.save(folder / "X.npy", X)
mine = FuzzyCMeans(3, fuzzifier=1.5, random_state=0).fit(X).memberships_
np.savez(folder / "mine.npz", fuzzy=mine, alike=np.full((len(X), 3), 1 / 3) + 0.01 * (mine - 1 / 3))

# %%
# On the command line: ``karat run X.npy --labelings mine.npz -c fuzzy-cmeans -c gaussian-mixture``.
# Fuzzy c-means and mixtures bring their memberships.

study = karat.Study(karat.datasets.read(folder / "X.npy"))
study.add(karat.datasets.read_labelings(folder / "mine.npz"))
study.sweep(["fuzzy-cmeans", "gaussian-mixture", "kmeans"], k=range(2, 6), n_init=1, workers=1)
print(study.best())

# %%
# Equal hard labels can hide very different memberships; these columns see them.

soft = {name: study.memberships(name) for name in study.rank().index}
soft = {name: one for name, one in soft.items() if one is not None}
karat.evaluate(X, soft, measures=["xie_beni_index", "pbm_index"]).table.head(8)

# %%
# The bridge is between two clusters:

memberships = study.memberships("fuzzy").memberships
print(f"largest membership in the groups {memberships[:150].max(axis=1).mean():.2f}, ", end="")
print(f"on the bridge {memberships[150:].max(axis=1).mean():.2f}")

# %%
# In one call without a study, ``hardened`` says which values are those of hard labels:

given = {"fuzzy": karat.labelings.SoftPartition(mine), "hard": mine.argmax(axis=1)}
print(karat.evaluate(X, given, measures=["silhouette", "xie_beni_index", "pbm_index"]))

# %%

karat.write_report(study, folder / "soft.html")
