"""
AnnData: how do I choose the resolution?
========================================

Leiden was run at several resolutions, and each gave another number of clusters. The columns of
``obs`` are candidates like any others: karat says which to use, and writes scores back to ``uns``.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/cells.png'
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage

import karat

# %%
# In place of ``anndata.read_h5ad("cells.h5ad")``: 300 cells of five types in ten principal
# components, and five columns that a sweep of resolutions left. :meth:`karat.Study.from_anndata`
# uses ``obs``, ``obsm``, ``obsp`` and ``uns`` of an AnnData object and nothing else; it takes a
# path, too.

rng = np.random.default_rng(0)
kind = rng.choice(5, 300, p=[0.35, 0.25, 0.2, 0.12, 0.08])
pca = 3.5 * rng.normal(size=(5, 10))[kind] + rng.normal(size=(300, 10))
tree = karat.Dendrogram(linkage(pca, "ward"), cuts=[2, 4, 5, 9, 14])
cells = [f"cell {i}" for i in range(300)]
resolutions = zip((0.1, 0.3, 0.5, 1.0, 2.0), tree.labelings().values(), strict=True)
obs = pd.DataFrame({f"leiden_{r}": labels.astype(str) for r, labels in resolutions}, cells)
adata = SimpleNamespace(obs=obs, obs_names=obs.index, obsm={"X_pca": pca}, obsp={}, uns={})

# %%

study = karat.Study.from_anndata(adata, rep="X_pca", clusterings=["leiden_*"])
study.sweep(["kmeans", "ward"], k=range(2, 9), n_init=2, workers=1)  # others beside them
print(study.best())

# %%
# Where do the clusters come from? An edge is as strong as its share of the finer cluster.

karat.plot.clustree(adata.obs, title="resolution")

# %%
# The answer goes back: labels to ``obs``, scores, ranking and reasons to ``uns``.

study.write_anndata(adata)
print(adata.obs["karat"].value_counts())
adata.uns["karat"]["scores"].loc[list(adata.obs.columns[:-1]), ["n_clusters", "silhouette"]]
