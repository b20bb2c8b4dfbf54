"""Tables whose clusters are known, and faults that people's tables have, planted into them."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

NAMES = ["height", "weight", "width", "depth", "volume"]


@dataclass
class Dirty:
    """A table in the making: columns of cells, what was planted, what sortal must have said."""

    columns: dict[str, list[Any]]
    classes: np.ndarray
    rng: np.random.Generator
    planted: list[str] = field(default_factory=list)
    said: list[set[str]] = field(default_factory=list)  # one finding of each must be there
    header: bool = True
    order: np.ndarray | None = None  # which object each row is, where rows repeat
    truth: list[tuple[str, Any]] | None = None

    @property
    def n(self) -> int:
        return len(next(iter(self.columns.values())))

    def put_in(self, name: str, cells: list[Any]) -> None:
        """A column at a random place."""
        items = list(self.columns.items())
        items.insert(int(self.rng.integers(len(items) + 1)), (name, cells))
        self.columns = dict(items)

    def numeric(self) -> str:
        """One of the columns that are still plain numbers."""
        free = [c for c in NAMES if c in self.columns and isinstance(self.columns[c][0], float)]
        return str(self.rng.choice(free))


def clean(rng: np.random.Generator) -> Dirty:
    """Three or four groups, far apart in every direction."""
    k, d, n = int(rng.integers(3, 5)), int(rng.integers(3, 6)), int(rng.integers(120, 241))
    classes = np.arange(n) % k
    rng.shuffle(classes)
    centers = 12 * np.array([rng.permutation(k) for _ in range(d)]).T
    X = 40 + centers[classes] + rng.normal(size=(n, d))
    return Dirty({NAMES[j]: X[:, j].round(3).tolist() for j in range(d)}, classes, rng)


def units(t: Dirty) -> None:
    name = t.numeric()
    noise = "income"
    t.columns[name] = [round(x * 1e-3, 6) for x in t.columns[name]]
    t.put_in(noise, t.rng.normal(40_000, 9_000, t.n).round(1).tolist())
    t.said.append({"units"})


def ids(t: Dirty) -> None:
    t.put_in("customer_id", (1000 + t.rng.permutation(t.n)).tolist())
    t.said.append({"id"})


def names(t: Dirty) -> None:
    t.put_in("name", [f"p{i:04}" for i in t.rng.permutation(t.n)])
    t.said.append({"id", "text"})


def sentinel(t: Dirty) -> None:
    name, mark = t.numeric(), float(t.rng.choice([-999.0, 9999.0, -9999.0, 99999.0]))
    for i in t.rng.choice(t.n, max(5, t.n // 20), replace=False):
        t.columns[name][i] = mark
    t.columns[name] = [str(x) for x in t.columns[name]]
    t.said.append({"sentinel"})


def leak(t: Dirty) -> None:
    # of another division of the objects, which would be found instead
    name = str(t.rng.choice(["target", "class", "group", "cluster", "species", "label"]))
    t.put_in(name, [int(x) for x in 500 * t.rng.integers(0, 3, t.n)])
    t.said.append({"label"})


def text_leak(t: Dirty) -> None:
    t.put_in("Species", t.rng.choice(["lion", "lynx", "ocelot"], t.n).tolist())
    t.said.append({"label"})


def codes(t: Dirty) -> None:
    t.put_in("region_code", t.rng.choice([101, 205, 907, 412], t.n).tolist())
    t.said.append({"code"})


def dates(t: Dirty) -> None:
    days = np.datetime64("2019-01-01") + t.rng.integers(0, 700, t.n)
    form = int(t.rng.integers(4))
    if form == 0:
        cells = [int(str(day).replace("-", "")) for day in days]
    elif form == 1:
        cells = [str(day) for day in days]
    elif form == 2:
        cells = [int(day.astype("datetime64[s]").astype(int)) for day in days]
    else:
        cells = [".".join(reversed(str(day).split("-"))) for day in days]
    t.put_in("signup", cells)
    t.said.append({"date"})


def no_header(t: Dirty) -> None:
    t.header = False


def repeated_rows(t: Dirty) -> None:
    again = t.rng.choice(t.n, t.n // 5, replace=False)
    t.order = np.concatenate([np.arange(t.n), again])
    t.columns = {name: [cells[i] for i in t.order] for name, cells in t.columns.items()}
    t.classes = t.classes[t.order]
    t.said.append({"duplicate-rows", "id", "code", "text"})


def markers(t: Dirty) -> None:
    name, mark = t.numeric(), str(t.rng.choice(["n/a", "?", "-", "NULL", "empty", "", "NA"]))
    t.columns[name] = [str(x) for x in t.columns[name]]
    for i in t.rng.choice(t.n, max(4, t.n // 25), replace=False):
        t.columns[name][i] = mark
    t.said.append({"missing"})


def thousands(t: Dirty) -> None:
    name = t.numeric()
    form = int(t.rng.integers(4))
    make = [
        lambda x: f"{1000 * x:,.0f}",
        lambda x: f"{1000 * x:,.1f}".translate(str.maketrans(",.", ".,")),
        lambda x: f"{x:.2f} %",
        lambda x: f"€ {x:.2f}",
    ][form]
    t.columns[name] = [make(x) for x in t.columns[name]]
    t.said.append({"format"})


def mixed(t: Dirty) -> None:
    t.put_in("plan", t.rng.choice(["basic", "plus"], t.n).tolist())
    t.put_in("active", t.rng.choice(["True", "False"], t.n).tolist())
    t.said.append({"mixed", "units"})


def shuffled_truth(t: Dirty) -> None:
    own = [f"c{i}" for i in range(t.n)]
    t.put_in("id", own)
    pairs = list(zip(own, [f"k{c}" for c in t.classes], strict=True))
    t.truth = [pairs[i] for i in t.rng.permutation(t.n)]
    t.said.append({"id"})


def matrix(t: Dirty) -> None:
    X = np.array([t.columns[c] for c in t.columns]).T
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)).round(4)
    t.columns = {f"d{j}": D[:, j].tolist() for j in range(t.n)}
    t.said.append({"distances"})


def edges(t: Dirty) -> None:
    pairs = {
        (min(i, j), max(i, j))
        for i in range(t.n)
        for j in t.rng.choice(np.flatnonzero(t.classes == t.classes[i]), 4)
        if i != j
    }
    flat = t.rng.permutation(sorted(pairs))
    called = [("source", "target"), ("a", "b")][int(t.rng.integers(2))]
    t.columns = {called[0]: flat[:, 0].tolist(), called[1]: flat[:, 1].tolist()}
    t.said.append({"edges"})


#: faults that go together, and those that change everything
TOGETHER = [
    units, ids, names, sentinel, leak, text_leak, codes, dates, repeated_rows, markers, thousands,
    mixed, shuffled_truth,
]  # fmt: skip
ALONE = [matrix, edges, no_header]


def dirty(seed: int) -> Dirty:
    """One to three faults in a clean table; what is planted last is written last."""
    rng = np.random.default_rng([25, seed])
    table = clean(rng)
    if rng.random() < 0.12:
        chosen: list[Any] = [ALONE[int(rng.integers(len(ALONE)))]]
    else:
        size = int(rng.integers(1, 4))
        chosen = [TOGETHER[i] for i in rng.choice(len(TOGETHER), size, replace=False)]
    if repeated_rows in chosen and {ids, names, shuffled_truth} & set(chosen):
        chosen.remove(repeated_rows)  # an id that occurs twice is another fault
    # rows repeat when they are complete
    for fault in sorted(chosen, key=lambda f: f is repeated_rows):
        fault(table)
        table.planted.append(fault.__name__)
    return table


def write(table: Dirty, path: Path) -> list[str]:
    """Write the CSV file, and the file of classes if there is one; options that name it."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if table.header:
            writer.writerow(table.columns)
        writer.writerows(zip(*table.columns.values(), strict=True))
    if table.truth is None:
        return []
    truth = path.with_name("truth.csv")
    with truth.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "kind"), *table.truth])
    return ["--truth", str(truth)]


def agreement(X: Any, classes: np.ndarray) -> float:
    """How well the known number of clusters is found again in what was read."""
    k = len(np.unique(classes))
    return float(adjusted_rand_score(classes, KMeans(k, n_init=10, random_state=0).fit_predict(X)))
