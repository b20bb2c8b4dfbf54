"""
Customers: how many segments, and what are they?
================================================

A table of customers with columns in different units. Which segmentation should marketing use, and
how do its segments differ?
"""

# sphinx_gallery_thumbnail_path = '_static/gallery/customers.png'
import numpy as np
import pandas as pd

import sortal

# %%
# Four kinds of customers: few large orders, many small ones, bargain hunters, and newcomers.

rng = np.random.default_rng(0)
kinds = [  # orders a year, euros per order, share bought at a discount, years
    ((4, 320, 0.10, 6), 150),
    ((30, 45, 0.20, 5), 250),
    ((12, 60, 0.70, 3), 200),
    ((2, 70, 0.30, 0.5), 100),
]
spread = np.array([1.5, 15, 0.06, 0.6])
customers = pd.DataFrame(
    np.vstack([rng.normal(center, spread, size=(size, 4)) for center, size in kinds]),
    columns=["orders", "order value", "discount share", "years"],
).clip(lower=0)
customers.describe().loc[["mean", "std", "min", "max"]].round(2)

# %%
# An order value in euros would outweigh a discount share a thousandfold, hence ``scale``. The study
# tries three clusterers and two to eight clusters, and the learned judge chooses.

data = sortal.datasets.from_table(customers, scale="standard", name="customers")
study = sortal.Study(data)
clusterers = ["kmeans", "ward", "gaussian-mixture"]
study.sweep(clusterers, k=range(2, 9), workers=1, progress=False)
choice = study.best()
choice

# %%
# The segments in the plane of the first two principal components:

sortal.plot.projection(data.X, choice.labels, feature_names=data.feature_names)

# %%
# What sets each segment apart, in standard deviations from the mean of all customers:

names = data.feature_names
sortal.plot.feature_profile(
    data.X, choice.labels, feature_names=names, center=data.center, scale=data.scale
)

# %%
# The labels belong beside the customers:

customers.assign(segment=choice.labels).groupby("segment").mean().round(2)
