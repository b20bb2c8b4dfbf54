"""Which scaling finds the classes of tables: ``python -m benchmarks.scaling FOLDER``.

FOLDER has tables of points (CSV, classes in the column ``label``). k-means gets the number of
classes; the adjusted Rand index is averaged over the tables, and the scaling chosen with each
collection excluded is judged on that collection.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

import sortal
import sortal.datasets

SCALES = ("none", "standard", "robust", "minmax")
MOST = 1500  # objects of each table
THRESHOLDS = (2.0, 3.0, 5.0, 10.0, 30.0)
#: ratio of spreads from which on the library standardises
OWN_THRESHOLD = 5.0
#: tables of one source are excluded together
COLLECTIONS = {"digits_test": "digits", "optdigits": "digits", "pendigits_test": "pendigits",
               "pendigits_train": "pendigits"}  # fmt: skip


def measured(folder: Path) -> pd.DataFrame:
    """A row for each table: the agreement by scaling, and how far the spreads are apart."""
    rows = {}
    for path in sorted(folder.glob("*.csv.gz")):
        table = pd.read_csv(path, dtype={"label": str}, keep_default_na=False, na_values=[""])
        if len(table) > MOST:
            table = table.sample(MOST, random_state=0)
        table = table.reset_index(drop=True)
        row = {}
        for scale in SCALES:
            data = sortal.datasets.from_table(table, label_column="label", scale=scale)
            k = len(set(data.y))
            labels = KMeans(k, n_init=5, random_state=0).fit_predict(data.X)
            row[scale] = sortal.adjusted_rand_index(data.y, labels)
            if scale == "none":
                spread = np.sort(data.X.std(axis=0))
                spread = spread[spread > 0]
                row["apart"] = spread[-1] / spread[(len(spread) - 1) // 4]
        rows[path.name.partition(".")[0]] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def by_rule(table: pd.DataFrame, scale: str, threshold: float) -> pd.Series:
    return table[scale].where(table["apart"] > threshold, table["none"])


def main() -> None:
    if len(sys.argv) < 2:
        print("python -m benchmarks.scaling FOLDER, with tables of points")
        return
    table = measured(Path(sys.argv[1]))
    rules = {
        f"{scale} from {threshold:g}": by_rule(table, scale, threshold)
        for scale in SCALES[1:]
        for threshold in THRESHOLDS
    }
    every = pd.DataFrame({**{scale: table[scale] for scale in SCALES}, **rules})
    own = f"standard from {OWN_THRESHOLD:g}"
    print(table.assign(rule=every[own]).round(2).to_string())
    print(every.mean().sort_values(ascending=False).round(3).to_string())
    collection = np.array([COLLECTIONS.get(name, name) for name in table.index])
    out = []
    for one in np.unique(collection):
        inside = collection == one
        chosen = every[~inside].mean().idxmax()
        out.append((one, chosen, *every.loc[inside, [chosen, own]].mean()))
    left = pd.DataFrame(out, columns=["excluded", "chosen on the others", "agreement", "the rule"])
    print(left.round(2).to_string(index=False))
    print(left[["agreement", "the rule"]].mean().round(3).to_string())


if __name__ == "__main__":
    main()
