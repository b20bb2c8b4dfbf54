"""What comparisons of methods give and say for small tables and folders."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sortal
from sortal import bench
from values import fails, table_test


def folder_of(files: dict[str, str]) -> Any:
    """The tables of a folder of label files, or what is wrong with it."""
    with tempfile.TemporaryDirectory() as place:
        for name, content in files.items():
            path = Path(place, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace(" ", "\n"), "utf-8")
        try:
            race = sortal.Benchmark.from_folder(place, ["adjusted_rand_index", "purity"])
        except sortal.InputError as error:
            return str(error).replace(place, "HERE")
        entries = {key: [sorted(one.references), {m: sorted(t) for m, t in one.tries.items()}, one.rows is None,
                         [file.replace(place, "HERE") for file in one.by_row]] for key, one in race.sets.items()}  # fmt: skip
        return [entries, race.table, race.failures]


@cache
def race(**options: Any) -> Any:
    """A benchmark of two sets and three methods, one of which fails."""
    rng = np.random.default_rng(0)
    y = np.arange(18) % 3
    X = rng.normal(size=(18, 3)) + 2.5 * np.eye(3)[y]
    sets = {
        "a/one": (X, y),
        "a/two": (X * [1, 1, 0], {"true": y, "merged": y // 2}),
        "b/three": (X[:9], y[:9]),
    }
    return sortal.Benchmark(sets, ["ward", "average", "genie"], **options).run()


def told(sets: dict[str, Any]) -> list[str]:
    """What a benchmark says while it runs."""
    lines: list[str] = []
    sortal.Benchmark(sets, ["ward", "average"]).run(lines.append)
    return lines


def reported(name: str) -> list[Any]:
    """The files of a report, of CSV the first line."""
    with tempfile.TemporaryDirectory() as place:
        race().report(Path(place, name))
        return [
            [path.name, path.read_text("utf-8").split("\n")[0][:60]]
            for path in sorted(Path(place).iterdir())
        ]


def fixtures() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    three = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.8, 0.9], "b": [0.8, 0.7, 0.7, 0.9, 0.4], "c": [0.1, 0.2, 0.1, 0.3, 0.2]},
                         index=["x/1", "x/2", "y/1", "y/2", "y/3"])  # fmt: skip
    return {
        "C": lambda *a, **k: bench.compare_methods(*a, **k),
        "three": three,
        "many": pd.DataFrame(rng.normal(size=(12, 4)), columns=list("pqrs")),
        "ties": pd.DataFrame({"a": [1, 1, 2.0], "b": [1, 1, 2.0], "c": [1, 1, 2.0]}),
        "clear": pd.DataFrame(
            {"a": np.arange(9) + 2.0, "b": np.arange(9) + 1.0, "c": np.arange(9) + 0.0}
        ),
        "F": folder_of,
    }


# fmt: off
CASES = {
    "three": [
        lambda C, three: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(three)]],
        lambda C, three: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(three, alpha=.2, notes=["Noted."])]],
        lambda C, three: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(three.iloc[:2])]],
        lambda C, three: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(three[["a", "b"]])]],
        lambda C, three: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(-three * 1e80)]],
        lambda C, three: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(three * 1e-80)]],
        lambda C, three: (fails(C, three, alpha=0), fails(C, three, alpha=1)),
    ],
    "C": [
        lambda C, many: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(many)]],
        lambda C, many: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(many, alpha=.9)]],
        lambda C, ties: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(ties)]],
        lambda C, clear: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(clear)]],
        lambda C, clear: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(clear, alpha=.001)]],
        lambda C, clear: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference,
            c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])
            for c in [C(clear.iloc[:5])]],
        lambda C: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference, c.friedman,
            c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index]) for c in
            [C({"a": [1, 2, 3.0], "b": [1, 3, 2.0], "c": [1, 1, 1.0]})]],
        lambda C: [(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference, c.friedman,
            c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index]) for c in
            [C(np.arange(12.0).reshape(4, 3))]],
    ],
    "fails": [
        lambda C: fails(C, {"a": [1, 2]}),
        lambda C: fails(C, {"a": [1], "b": [2]}),
        lambda C: fails(C, {"a": [1, np.nan], "b": [1, 2]}),
        lambda C: fails(C, {"a": [1, 2], "b": [np.inf, -np.inf]}),
        lambda C: fails(C, {"a": ["x", "y"], "b": [1, 2]}),
        lambda C: fails(C, pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])),
        lambda C: fails(C, {"a": [1, 2], "b": [3]}),
    ],
    "mean_interval": [
        lambda: ([bench.mean_interval(x) for x in ([1], [1, 2], [1, 2, 4, 4])],
            [bench.expected_best([.3, .1, .9], m) for m in (1, 2, 3)], fails(bench.expected_best,
            [1], 0), fails(bench.expected_best, [1], 2)),
    ],
    "rank_agreement": [
        lambda three: bench.rank_agreement({"u": three, "v": -three, "w":
            three[::-1].set_axis(three.index)}, published={"book": ["a", "c", "b"], "page": ["b",
            "a", "c"]}, n_resamples=50),
        lambda: fails(bench.rank_agreement, {}),
        lambda three: fails(bench.rank_agreement, {"u": three, "v": three.iloc[:3]}),
        lambda three: fails(bench.rank_agreement, {"u": three, "v": three[["b", "a", "c"]]}),
        lambda ties: fails(bench.rank_agreement, {"u": ties, "v": ties}),
        lambda three: fails(bench.rank_agreement, {"u": three}, published={"p": ["a", "b"]}),
        lambda three: fails(bench.rank_agreement, {"u": three}, n_resamples=0),
    ],
    "F": [
        lambda F: F({"s/truth.csv": "0 1 1", "s/m.csv": "id,l x,1 b,1 a,0"}),
        lambda F: F({"s/truth.csv": "id,class a,0 b,1 c,1", "s/m.csv": "id,l a,1 b,1"}),
        lambda F: F({"x": "1"}),
        lambda F: F({"s/truth.csv": "0 1 1"}),
        lambda F: F({"s/truth.csv": "0 1 1", "s/a.csv": "0 1"}),
        lambda F: F({"s/truth.csv": "0 1 1", "t/a.csv": "0 1 1"}),
        lambda F: F({"s/truth.csv": "0 1 1", "s/a.1.csv": "0 1 1", "s/a.01.csv": "0 1 1"}),
        lambda F: F({"s.labels0": "1 1", "s.labels0.txt": "1 1", "m/s.txt": "1 1"}),
        lambda F: F({"s.labels0": "1 1 2 2", "m/s.result2": "p,q 1,1 1 2,2 2,2"}),
        lambda F: F({"s.labels0": "1 1 2 2", "m/s.result2": "p"}),
        lambda F: F({"s/truth.csv": "a,b,c 1,2,3 1,2,3"}),
        lambda F: F({"s/truth": "0 1 1", "s/a": "0\n\n1 1"}),
        lambda F: F({"s.labels0": "1 1 2 2", "m/s.result2": "p 1 1 2 2", "m/x/s.result2":
            "p 1 1 2 2", "n/s.result2": "p 1 1 2 2"}),
        lambda F: F({"s/truth.csv": "0 0 1 1", "s/a.csv": "0 0 1 1", "s/b.1.csv": "1 1 1 0",
            "s/b.2.csv": "1 1 0 0", "t/labels0.csv": "x x y y", "t/labels1.csv": "x y y -1",
            "t/a.csv": "0 1 1 1", "t/.hidden": "x", "t/b.1.csv": "1 1 1 0"}),
        lambda F: F({"s.labels0": "1 1 2 0", "s.labels1": "1 2 2 2", "s.data": "9 9", "m/s.1.txt":
            "1 1 2 2", "n/s.txt": "1 2 2 1", "m/t.txt": "1"}),
        lambda F: F({"s.labels0": "1 1 2 2", "m/s.result2": "p,q 1,1 1,2 2,2 2,2", "m/s.result3":
            "p,q 1,1 1,2 2,2 2,2"}),
        lambda F: F({"b/s.labels0": "1 1 2 2", "m/b/s.txt": "1 1 2 2"}),
        lambda F: F({"s/truth.csv": "id,class a,0 b,1 c,1", "s/m.csv": "id,l c,1 b,1 a,0",
            "s/n.csv": "0 1 1"}),
        lambda F: F({"s/truth.csv": "0 1 1", "s/m.csv": "id,l 0,1 1,1 2,0"}),
        lambda F: F({"s/truth": "0 1 -1", "s/a": "x y z"}),
    ],
    "race": [
        lambda: [race().table.drop(columns="seconds"), race().scores(), race().intervals(),
            race().tries(), race().contestants, race().failures],
        lambda: (race(k=(10,)).failures, fails(race(k=(10,)).compare),
            race(k=(10,)).compare(failed=0).words, fails(race(k=(10,)).compare, failed=1)),
    ],
    "Benchmark": [
        lambda: fails(lambda: sortal.Benchmark({}).table),
        lambda: fails(sortal.Benchmark, {"a": (np.eye(3), None)}),
        lambda: fails(sortal.Benchmark, {"a": (np.eye(3), [1, 2])}),
        lambda: fails(sortal.Benchmark, {"a": ({"r": np.eye(3)}, [1, 2])}),
        lambda: fails(sortal.Benchmark, {"a": (np.eye(3), [1, 2, 2])}, k=()),
        lambda: fails(sortal.Benchmark, {"a": (np.eye(3), [1, 2, 2])}, n_init=0),
        lambda: fails(sortal.Benchmark, {}, measures=["silhouette"]),
        lambda: fails(sortal.Benchmark, {}, measures=[]),
        lambda: fails(sortal.Benchmark, {}, "odd"),
        lambda: fails(sortal.Benchmark, {"a": (np.eye(3), [1, 2, 2])}, k=(0,)),
        lambda: fails(sortal.Benchmark, {"a": (np.eye(3), [1, 2, 2])}, draw="odd"),
        lambda: fails(sortal.Benchmark, {"a": (np.eye(3), [1, 2, 2])}, draw="classes"),
    ],
    "told": [
        lambda: (told({"a": (np.eye(4), [0, 0, 1, 1]), "b": ({"p": np.eye(4), "q": np.eye(4)}, [0,
            0, 1, 1])}), [reported(n) for n in ("r.html", "r.csv", "r.tex", "r.odd")]),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
