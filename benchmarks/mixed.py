"""What a category counts beside numbers: ``python -m benchmarks.mixed FOLDER``.

A third or two thirds of the columns of tables of points (CSV, classes in the column ``label``) are
cut into four categories at their quartiles. k-means and Ward's method get the number of classes;
the adjusted Rand index is averaged over tables, by the value of a column of 0 and 1, beside Gower's
distance with average linkage and k-medoids.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import AgglomerativeClustering, KMeans

import sortal
import sortal.datasets
from sortal.clusterers import catalogue
from sortal.datasets import gower_features
from sortal.distances import distance_matrix

WEIGHTS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.1)
MOST = 600  # objects of each table


def cut(table: pd.DataFrame, share: float, rng: np.random.Generator) -> pd.DataFrame:
    """The table with a share of its columns as categories."""
    made = table.copy()
    names = [name for name in table.columns if name != "label"]
    for name in rng.choice(names, max(1, round(share * len(names))), replace=False):
        codes = pd.qcut(table[name].rank(method="first"), 4, labels=False)
        made[name] = [f"q{code:.0f}" for code in codes.fillna(0)]
    return made


def agreements(table: pd.DataFrame) -> dict[str, float]:
    data = sortal.datasets.from_table(
        table, label_column="label", scale="standard", accept=["id", "code", "sparse"]
    )
    k, made = len(set(data.y)), {}
    categorical = np.array(["=q" in name for name in data.feature_names])
    for weight in WEIGHTS:
        X = np.where(categorical, weight * (data.X != 0), data.X)
        labels = KMeans(k, n_init=3, random_state=0).fit_predict(X)
        made[f"k-means {weight:g}"] = sortal.adjusted_rand_index(data.y, labels)
        labels = AgglomerativeClustering(k).fit_predict(X)
        made[f"ward {weight:g}"] = sortal.adjusted_rand_index(data.y, labels)
    gower = gower_features(data)
    D = distance_matrix(gower.X, "cityblock")
    labels = catalogue["kmedoids"].make(k, 0).set_params(metric="precomputed").fit_predict(D)
    made["gower k-medoids"] = sortal.adjusted_rand_index(data.y, labels)
    average = AgglomerativeClustering(k, metric="precomputed", linkage="average")
    made["gower average"] = sortal.adjusted_rand_index(data.y, average.fit_predict(D))
    return made


def main() -> None:
    if len(sys.argv) < 2:
        print("python -m benchmarks.mixed FOLDER, with tables of points")
        return
    rows = {}
    for path in sorted(Path(sys.argv[1]).glob("*.csv.gz")):
        table = pd.read_csv(path, dtype={"label": str}, keep_default_na=False, na_values=[""])
        if table.shape[1] > 70:
            continue
        table = table.sample(min(MOST, len(table)), random_state=0).reset_index(drop=True)
        for share in (1 / 3, 2 / 3):
            rng = np.random.default_rng(0)
            rows[path.name.partition(".")[0], f"{share:.2f}"] = agreements(cut(table, share, rng))
    found = pd.DataFrame.from_dict(rows, orient="index")
    print(found.round(2).to_string())
    print(found.groupby(level=1).mean().T.round(3).to_string())


if __name__ == "__main__":
    main()
