"""
Embeddings: are these groups real?
==================================

Embeddings of texts or images are compared by the angle between them. sortal takes ``"cosine"``
wherever it takes a distance, and estimates measures where all pairs would take too long.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/embeddings.png'
import numpy as np
import plotly.graph_objects as go
from sklearn.cluster import KMeans

import sortal

# %%
# Unit vectors in 64 dimensions around twelve topics of unequal sizes, in place of the output of a
# language model.

rng = np.random.default_rng(0)
topics = rng.normal(size=(12, 64))
sizes = rng.integers(100, 400, size=12)
X = np.repeat(topics, sizes, axis=0) + 1.3 * rng.normal(size=(sizes.sum(), 64))
X /= np.linalg.norm(X, axis=1, keepdims=True)

# %%
# On unit vectors k-means by Euclidean distance follows the angle. All clusterings are judged in one
# call: distances are computed once for all of them.

labelings = {
    str(k): KMeans(k, n_init=3, random_state=0).fit_predict(X) for k in (4, 8, 10, 12, 14, 16, 24)
}
measures = ["silhouette", "davies_bouldin_index", "informativeness"]
scores = sortal.evaluate(X, labelings, measures=measures, metric="cosine")
silhouette = scores["silhouette"]
silhouette.round(3)

# %%

figure = go.Figure(go.Scatter(x=[int(k) for k in labelings], y=list(silhouette)))
figure.update_layout(xaxis_title="clusters", yaxis_title="silhouette (cosine)")

# %%
# Have these embeddings clusters at all, whatever clusterer is used?

print(sortal.assess_structure(X, metric="cosine"))

# %%
# For millions of vectors ``precision`` draws objects until the standard error is small enough:

estimate = sortal.evaluate(
    X, labelings["12"], measures=["silhouette"], metric="cosine", precision=0.01, random_state=0
)
print(estimate)
