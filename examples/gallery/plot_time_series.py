"""
Time series: which curves have one shape?
=========================================

Series of different lengths that run at different speeds, compared by dynamic time warping (the
extra ``sequences``), from a file to a report. The matrix of distances is computed once, for all
clusterers and measures.
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/time-series.png'
import json
import tempfile
from pathlib import Path

import numpy as np
import plotly.graph_objects as go

import karat

# %%
# A file of 45 series: humps, steps and waves that start at different times.

rng = np.random.default_rng(0)


def series(kind):
    length = int(rng.integers(40, 60))
    t = np.linspace(0, 1, length) ** rng.uniform(0.7, 1.4)  # some are slow at first
    shape = {
        "hump": np.exp(-60 * (t - 0.5) ** 2),
        "step": 1 / (1 + np.exp(-40 * (t - 0.5))),
        "wave": np.sin(6 * np.pi * t) / 2,
    }[kind]
    return shape + rng.normal(scale=0.05, size=length)


kinds = ["hump", "step", "wave"] * 15
folder = Path(tempfile.mkdtemp())
(folder / "series.json").write_text(json.dumps([series(kind).tolist() for kind in kinds]))

# %%
# From the file to the answer. k-means has no place here: the mean of warped series is none, so it
# is excluded with a reason, and k-medoids takes its part.

curves = [np.array(values) for values in json.loads((folder / "series.json").read_text())]
study = karat.Study(curves, metric="dtw")
study.sweep(k=range(2, 7), n_init=2, workers=1)
print(study.best())
print(study.candidates.loc["kmeans", "reason"])

# %%
# What was planted is found, whatever the speed:

labels = study.best().labels
print(karat.ContingencyTable(kinds, labels).to_frame())

figure = go.Figure()
for cluster, color in zip(np.unique(labels), ("#0072B2", "#D55E00", "#009E73"), strict=False):
    for i in np.flatnonzero(labels == cluster)[:8]:
        figure.add_scatter(y=curves[i], line_color=color, opacity=0.6, showlegend=False)
figure

# %%

karat.write_report(study, folder / "series.html")
