"""How good is the choice without labels? Real and synthetic sets whose classes are known.

The default sweep on every set of points with at most 1,100 objects; then each way of choosing
(the consensus, and every measure that compares numbers of clusters) picks one clustering without
the classes, and its adjusted Rand index against them is averaged over the sets.

``python -m benchmarks.choice [folder]`` keeps its studies in the folder and resumes from there.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import sortal
from sortal import InputError
from sortal.measures import catalogue
from sortal_lab.data import data_folder, index

DATA = data_folder()
MOST_OBJECTS = 1100


def data_sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, features (real ones standardised) and classes (None for noise points)."""
    for entry in sorted(index().values(), key=lambda e: e["n"]):
        if entry["kind"] != "points" or entry["n"] > MOST_OBJECTS:
            continue
        path = DATA / entry["path"]
        if path.parent.name == "points":
            data = sortal.datasets.read(
                path, label_column="label", scale="standard", impute="median"
            )
            yield entry["name"], data.X, data.y
        else:
            labels = pd.read_csv(str(path).replace(".data.", ".labels0."))["label"]
            truth = np.array([None if v == 0 else v for v in labels], dtype=object)
            yield entry["name"], pd.read_csv(path).to_numpy(dtype=float), truth


def choices(study: sortal.Study) -> dict[str, float]:
    """Adjusted Rand index of what each way of choosing picks; outliers are singletons."""
    ari = study.scores()["adjusted_rand_index"]
    voters = [m.key for m in catalogue.values() if m.kind == "internal" and m.compares_k]
    found = {}
    for way in ["consensus", *(key for key in voters if key in study.scores())]:
        try:
            found[way] = float(ari[study.rank(by=way).index[0]])
        except InputError:
            found[way] = float("nan")
    return found | {"the best candidate": float(ari.max()), "a candidate at random": ari.mean()}


def main() -> None:
    if not DATA.exists():
        print(f"needs the data sets in {DATA}")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        rows = {}
        for name, X, truth in data_sets():
            classes = len({v for v in truth if v is not None})
            with sortal.Study(X, y=truth, storage=folder / f"{name}.sortal") as study:
                study.sweep(k=range(2, max(10, classes * 3 // 2) + 1), n_init=2)
                rows[name] = choices(study)
    table = pd.DataFrame(rows).T
    mean, error = table.mean(), table.std() / np.sqrt(len(table))
    better = (table.lt(table["consensus"], axis=0)).sum()
    worse = (table.gt(table["consensus"], axis=0)).sum()
    print(f"{len(table)} sets; ARI of the choice, mean ± standard error; sets on which the")
    print("consensus is better : worse")
    for way in mean.sort_values(ascending=False).index:
        print(f"{way:32s} {mean[way]:.3f} ± {error[way]:.3f}   {better[way]:3d} : {worse[way]}")


if __name__ == "__main__":
    main()
