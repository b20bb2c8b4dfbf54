"""Write the made-up files of this folder anew: python make.py (needs anndata for cells.h5ad).

customers.csv, wine-40-labels.csv, names.txt and friends.csv are kept as they are.
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
MAILS = {
    "delivery": (
        "parcel arrived late|courier left the box outside|tracking number shows no movement"
        "|delivery was promised for Monday|package went to the wrong address|box was damaged"
    ),
    "billing": (
        "invoice shows the wrong amount|card was charged twice|refund has not reached my account"
        "|discount code was not applied to the bill|payment was declined"
        "|invoice lacks our tax number"
    ),
    "login": (
        "password reset link has expired|sign-in page stays blank|two-factor code never comes"
        "|username is not recognised|browser forgets my login"
        "|account is locked after three attempts"
    ),
    "product": (
        "battery is empty after an hour|screen has a dead pixel|charger does not fit the socket"
        "|speaker crackles at high volume|keyboard misses the letter e|screen flickers on battery"
    ),
}
OPENINGS = (
    "Hello, the {}",
    "Again: the {}",
    "Since yesterday the {}",
    "My {}",
    "Sorry, but the {}",
)


def mails(rng: np.random.Generator) -> None:
    """160 mails to a shop, of four subjects."""
    lines = []
    for number in range(160):
        subject = list(MAILS)[rng.integers(4)]
        first, second = rng.choice(MAILS[subject].split("|"), 2, replace=False)
        text = f"{OPENINGS[rng.integers(len(OPENINGS))].format(first)}, and the {second}."
        lines.append({"id": f"M{number:03}", "text": text, "subject": subject})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (HERE / "mails.jsonl").write_text(text, encoding="utf8")
    pd.DataFrame(lines)[["id", "subject"]].to_csv(HERE / "mails-subjects.csv", index=False)


def customers(rng: np.random.Generator) -> None:
    """Customers of the next month: some of the old ones, a year older."""
    table = pd.read_csv(HERE / "customers.csv").sample(80, random_state=1)
    table["customer"] = [f"N{number:04}" for number in range(len(table))]
    table["age"] += 1
    table["income"] = (table["income"] * rng.normal(1.03, 0.03, len(table))).round(-2).astype(int)
    table.to_csv(HERE / "new-customers.csv", index=False)


def wines() -> None:
    """Clusterings of the wines by three programs, and their cultivars."""
    data = load_wine()
    X = StandardScaler().fit_transform(data.data)
    mine = {f"kmeans{k}": KMeans(k, n_init=5, random_state=0).fit_predict(X) for k in (2, 3)}
    mine["average5"] = AgglomerativeClustering(5, linkage="average").fit_predict(X)
    pd.DataFrame(mine).to_csv(HERE / "wine-clusterings.csv", index=False)
    names = np.array(["Barolo", "Grignolino", "Barbera"])[data.target]
    pd.DataFrame({"cultivar": names}).to_csv(HERE / "wine-cultivars.csv", index=False)


def digits() -> None:
    """300 handwritten digits as vectors."""
    data = load_digits()
    rows = np.sort(np.random.default_rng(0).permutation(len(data.target))[:300])
    np.save(HERE / "vectors.npy", data.data[rows].astype(np.float32))
    pd.DataFrame({"digit": data.target[rows]}).to_csv(HERE / "vectors-digits.csv", index=False)


def names() -> None:
    """How little spellings of names have in common."""
    words = (HERE / "names.txt").read_text(encoding="utf8").split()
    ratio = [[SequenceMatcher(None, *sorted((a, b))).ratio() for b in words] for a in words]
    np.save(HERE / "names-distances.npy", 1 - np.array(ratio))


def cells(rng: np.random.Generator) -> None:
    """240 cells by counts of 40 genes: three kinds, two of them near each other."""
    import anndata

    pd.set_option("future.infer_string", False)  # anndata cannot write such strings
    genes = ["CD3D", "CD8A", "CD4", "MS4A1", "CD79A", "LYZ", "S100A8", "FCGR3A"]
    genes += [f"GENE{number}" for number in range(1, 33)]
    kind = rng.integers(0, 3, 240)
    rates = np.full((3, len(genes)), 1.5)
    rates[0, [0, 2]], rates[1, [0, 1]], rates[2, [5, 6, 7]] = 9.0, 9.0, 12.0
    counts = rng.poisson(rates[kind]).astype(np.float32)
    log = np.log1p(counts)
    U, S, _ = np.linalg.svd(log - log.mean(0), full_matrices=False)
    near = U[:, :5] * S[:5]
    obs = pd.DataFrame(index=[f"cell{number:03}" for number in range(240)])
    for name, k in (("leiden_0.2", 2), ("leiden_0.5", 3), ("leiden_1.5", 7)):
        labels = KMeans(k, n_init=5, random_state=0).fit_predict(near)
        obs[name] = pd.Categorical(labels.astype(str))
    adata = anndata.AnnData(X=counts, obs=obs, var=pd.DataFrame(index=genes))
    adata.obsm["X_pca"] = near.astype(np.float32)
    adata.write_h5ad(HERE / "cells.h5ad", compression="gzip")


def race() -> None:
    """Labels of four methods on nine small sets."""
    for number in range(9):
        folder = HERE / "race" / f"set{number + 1}"
        folder.mkdir(parents=True, exist_ok=True)
        spread = 0.8 + 0.2 * number
        X, y = make_blobs(60, centers=3, cluster_std=spread, random_state=number)
        np.savetxt(folder / "truth.csv", y, "%d")
        methods = {
            "k-means": KMeans(3, n_init=5, random_state=0),
            "ward": AgglomerativeClustering(3),
            "single": AgglomerativeClustering(3, linkage="single"),
        }
        for name, method in methods.items():
            np.savetxt(folder / f"{name}.csv", method.fit_predict(X), "%d")
        guess = np.random.default_rng(number).integers(0, 3, 60)
        np.savetxt(folder / "guess.csv", guess, "%d")


if __name__ == "__main__":
    random = np.random.default_rng(2026)
    mails(random)
    customers(random)
    wines()
    digits()
    names()
    race()
    cells(random)
