"""
AnnData: how do I choose the resolution?
========================================

Leiden was run at several resolutions, and each gave another number of clusters. The columns of
``obs`` are candidates like any others: sortal says which to use.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/cells.png'
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage

import sortal

# %%
# In place of ``anndata.read_h5ad("cells.h5ad")``: 300 cells of five types in ten principal
# components, and five columns that a sweep of resolutions left. ``study.add`` takes the columns of
# ``obs`` that are called as clusterings are.

rng = np.random.default_rng(0)
kind = rng.choice(5, 300, p=[0.35, 0.25, 0.2, 0.12, 0.08])
pca = 3.5 * rng.normal(size=(5, 10))[kind] + rng.normal(size=(300, 10))
tree = sortal.Dendrogram(linkage(pca, "ward"), cuts=[2, 4, 5, 9, 14])
cells = [f"cell {i}" for i in range(300)]
resolutions = zip((0.1, 0.3, 0.5, 1.0, 2.0), tree.labelings().values(), strict=True)
obs = pd.DataFrame({f"leiden_{r}": labels.astype(str) for r, labels in resolutions}, cells)
adata = SimpleNamespace(obs=obs, obs_names=obs.index, obsm={"X_pca": pca})

# %%

study = sortal.Study(adata.obsm["X_pca"])
study.add(adata)
study.sweep(["kmeans", "ward"], k=range(2, 9), n_init=2, workers=1)  # others beside them
print(study.best())

# %%
# How far do the resolutions divide one another? 1: no finer cluster has cells of two coarser ones.

pairs = pairwise(adata.obs.columns)
pd.Series({fine: sortal.purity(adata.obs[coarse], adata.obs[fine]) for coarse, fine in pairs})

# %%
# The answer goes back as one more column.

resolutions = list(adata.obs.columns)
adata.obs["sortal"] = pd.Categorical(study.best().labels.astype(str))
print(adata.obs["sortal"].value_counts())
study.scores().loc[resolutions, ["n_clusters", "silhouette"]]
