"""What comparisons of methods give and say for small tables and folders, so that none changes unseen.

``PYTHONPATH=tests python tests/bench/test_bench_pinned.py`` writes ``test_bench_pinned.json`` anew.
"""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.bench import (
    Benchmark,
    agreement,
    benchmark,
    collection,
    comparison,
    diagram,
    folder,
    page,
    paper,
    permutation,
    rank_tests,
    results,
    runs,
    statistics,
)
from pinning import Pins


def folder_of(files: dict[str, str]) -> Any:
    """The tables of a folder of label files, or what is wrong with it."""
    with tempfile.TemporaryDirectory() as place:
        for name, content in files.items():
            path = Path(place, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace(" ", "\n"), "utf-8")
        try:
            race = Benchmark.from_folder(place, ["adjusted_rand_index", "purity"])
        except karat.InputError as error:
            return str(error).replace(place, "HERE")
        entries = {key: [sorted(one.references), {m: sorted(t) for m, t in one.tries.items()}, one.ids is None,
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
    return Benchmark(sets, ["ward", "average", "genie"], **options).run()


def told(sets: dict[str, Any]) -> list[str]:
    """What a benchmark says while it runs."""
    lines: list[str] = []
    Benchmark(sets, ["ward", "average"]).run(lines.append)
    return lines


def reported(name: str) -> list[Any]:
    """The files of a report, of CSV the first line."""
    with tempfile.TemporaryDirectory() as place:
        race().report(Path(place, name))
        return [
            [path.name, path.read_text("utf-8").split("\n")[0][:60]]
            for path in sorted(Path(place).iterdir())
        ]


def still(text: str) -> str:
    """A page without the machine that made it, and without seconds."""
    return re.sub(r"[\d.]+ s\b", "SECONDS", text.split("How this was made")[0])


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    three = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.8, 0.9], "b": [0.8, 0.7, 0.7, 0.9, 0.4], "c": [0.1, 0.2, 0.1, 0.3, 0.2]},
                         index=["x/1", "x/2", "y/1", "y/2", "y/3"])  # fmt: skip
    return {
        **{module.__name__.rpartition(".")[2]: module for module in (
            agreement, benchmark, collection, comparison, diagram, folder, page, paper, permutation,
            rank_tests, results, runs, statistics)},
        "np": np, "pd": pd, "karat": karat, "Some": Some, "F": folder_of, "race": race, "still": still, "three": three,
        "C": lambda *a, **k: karat.bench.compare_methods(*a, **k), "many": pd.DataFrame(rng.normal(size=(12, 4)), columns=list("pqrs")),
        "ties": pd.DataFrame({"a": [1, 1, 2.0], "b": [1, 1, 2.0], "c": [1, 1, 2.0]}), "big": pd.DataFrame(rng.normal(size=(90, 9))), "Benchmark": Benchmark,
        "told": told, "reported": reported, "clear": pd.DataFrame({"a": np.arange(9) + 2.0, "b": np.arange(9) + 1.0, "c": np.arange(9) + 0.0}), "rng": np.random.default_rng,
    }  # fmt: skip


def of_comparison(table: str, more: str = "") -> str:
    return (f"[(c.words, c.leaders, c.cliques, c.ranks, c.critical_difference, c.friedman, c.pairs, c.groups, str(c), [c.different_from(n) for n in c.ranks.index])"
            f" for c in [C({table}{more})]]")  # fmt: skip


EXPRESSIONS = [
    *(of_comparison(*one) for one in (
        ("three",), ("three", ", alpha=.2, notes=['Noted.']"), ("three.iloc[:2]",), ("many",), ("many", ", alpha=.9"), ("ties",), ("big",), ("clear",), ("clear", ", alpha=.001"), ("clear.iloc[:5]",), ("three[['a', 'b']]",), ("-three * 1e80",), ("three * 1e-80",),
        ("{'a': [1, 2, 3.0], 'b': [1, 3, 2.0], 'c': [1, 1, 1.0]}",), ("np.arange(12.0).reshape(4, 3)",))),
    *(f"fails(C, {scores})" for scores in ("{'a': [1, 2]}", "{'a': [1], 'b': [2]}", "{'a': [1, np.nan], 'b': [1, 2]}", "{'a': [1, 2], 'b': [np.inf, -np.inf]}", "{'a': ['x', 'y'], 'b': [1, 2]}", "pd.DataFrame([[1, 2], [3, 4]], columns=['a', 'a'])", "{'a': [1, 2], 'b': [3]}")),
    "fails(C, three, alpha=0), fails(C, three, alpha=1)",
    # the tests
    "[rank_tests.nemenyi_difference(k, n, a) for k, n, a in ((2, 5, .05), (5, 10, .05), (5, 10, .1))], [rank_tests.friedman_test(t) for t in (three, many, ties, big, clear, three * 0)]",
    "[permutation.settled(np.array(v), np.array(s)) for v, s in (([1 / 3, 1 + 1e-14], [1.0, 1.0]), ([1e300, 1.2345678901234567], [1e300, 10.0]), ([0, 5.0], [0.0, 5.0]), ([1e-300], [1e-300]), ([123456789.0123456], [1e9]))]",
    "[permutation.scale_of_sets(np.array([[1, -5.0], [0, 0]]))], permutation.rank_sums(np.array([[1, 2, 3.0], [1.5, 1.5, 3]])), permutation.rank_sums(np.ones((3, 2)))",
    "[None if r is None else (r.exact, r.sums[:3], r.sums[-3:], r.chances[:3], len(r.chances)) for r in (permutation.rank_sums(np.tile(np.arange(1.0, k + 1), (n, 1))) for k, n in ((3, 4), (7, 3), (9, 3), (5, 120), (5, 121), (60, 10)))]",
    "[permutation.RankSums(None, np.array([.2, .3, .5]), e).tail(np.array([1, 2, 3]), v) for e in (True, False) for v in (0, 2, 2 + 1e-10, 3, 4)]",
    "[permutation.signed_ranks(np.array(p, dtype=float)) for p in ([[1, 2], [3, 1], [5, 5]], [[1, 1 + 1e-14], [2, 1]])]",
    "[permutation.signed_rank_p(np.array(r, dtype=float), np.array(s)) for r, s in (([1, 2, 3], [1, 1, 1]), ([1, 2.5, 2.5], [1, -1, 1]), ([], []), ([1], [-1]), (np.arange(1, 201), np.tile([1, -1], 100)), (np.arange(1, 202), np.r_[1, np.tile([1, -1], 100)]))]",
    "permutation._signed_sums((2, 4, 5))",
    # agreement and statistics
    "[karat.bench.mean_interval(x) for x in ([1], [1, 2], [1, 2, 4, 4])], [karat.bench.expected_best([.3, .1, .9], m) for m in (1, 2, 3)], fails(karat.bench.expected_best, [1], 0), fails(karat.bench.expected_best, [1], 2)",
    "karat.bench.rank_agreement({'u': three, 'v': -three, 'w': three[::-1].set_axis(three.index)}, published={'book': ['a', 'c', 'b'], 'page': ['b', 'a', 'c']}, n_resamples=50)",
    *(f"fails(karat.bench.rank_agreement, {arguments})" for arguments in ("{}", "{'u': three, 'v': three.iloc[:3]}", "{'u': three, 'v': three[['b', 'a', 'c']]}", "{'u': ties, 'v': ties}", "{'u': three}, published={'p': ['a', 'b']}", "{'u': three}, n_resamples=0")),
    "[agreement._interval(v, np.array(d)) for v, d in ((.5, [.4, .5, .9]), (.9, [.1, 1, .9]), (.5, [np.nan]), (.5, [np.nan, .5]))], agreement._tau(np.array([[1, -1, 0], [0, 0, 0]], dtype=np.int8), np.array([1, 1, 1], dtype=np.int8))",
    "[agreement._signs(np.array([3.0, 1, 1])), agreement._positions('p', ['b', 'a'], ['a', 'b']), agreement._draw_sets(3, 2, 0)]",
    # drawings
    *(f"[vars(d) for d in [diagram.rank_drawing(C({table}), {width})]]" for table, width in (("three", 860), ("many", 300), ("three.iloc[:2]", 860), ("three[['a', 'b']]", 640), ("big", 500))),
    "[f(diagram.rank_drawing(C(three.rename(columns={'a': '<&_a'}))), *more) for f, more in ((diagram.svg, ['<t>']), (diagram.tikz, []))], [diagram.bar_caption(C(t)) for t in (clear, three.iloc[:2])], diagram.escape('\\\\~^&%$#_{}x')",
    "[comparison.p_text(p) for p in (.5, 1e-4, 9.9e-5, 0)], [comparison._list(list(n)) for n in ('ab', 'abc')]",
    # folders
    *(f"F({files})" for files in (
        {"s/truth.csv": "0 0 1 1", "s/a.csv": "0 0 1 1", "s/b.1.csv": "1 1 1 0", "s/b.2.csv": "1 1 0 0", "t/labels0.csv": "x x y y", "t/labels1.csv": "x y y -1", "t/a.csv": "0 1 1 1", "t/.hidden": "x", "t/b.1.csv": "1 1 1 0"},
        {"s.labels0": "1 1 2 0", "s.labels1": "1 2 2 2", "s.data": "9 9", "m/s.1.txt": "1 1 2 2", "n/s.txt": "1 2 2 1", "m/t.txt": "1"},
        {"s.labels0": "1 1 2 2", "m/s.result2": "p,q 1,1 1,2 2,2 2,2", "m/s.result3": "p,q 1,1 1,2 2,2 2,2"}, {"b/s.labels0": "1 1 2 2", "m/b/s.txt": "1 1 2 2"},
        {"s/truth.csv": "id,class a,0 b,1 c,1", "s/m.csv": "id,l c,1 b,1 a,0", "s/n.csv": "0 1 1"}, {"s/truth.csv": "0 1 1", "s/m.csv": "id,l x,1 b,1 a,0"}, {"s/truth.csv": "id,class a,0 b,1 c,1", "s/m.csv": "id,l a,1 b,1"}, {"s/truth.csv": "0 1 1", "s/m.csv": "id,l 0,1 1,1 2,0"},
        {"x": "1"}, {"s/truth.csv": "0 1 1"}, {"s/truth.csv": "0 1 1", "s/a.csv": "0 1"}, {"s/truth.csv": "0 1 1", "t/a.csv": "0 1 1"}, {"s/truth.csv": "0 1 1", "s/a.1.csv": "0 1 1", "s/a.01.csv": "0 1 1"}, {"s.labels0": "1 1", "s.labels0.txt": "1 1", "m/s.txt": "1 1"},
        {"s.labels0": "1 1 2 2", "m/s.result2": "p,q 1,1 1 2,2 2,2"}, {"s.labels0": "1 1 2 2", "m/s.result2": "p"}, {"s/truth.csv": "a,b,c 1,2,3 1,2,3"}, {"s/truth": "0 1 1", "s/a": "0\n\n1 1"}, {"s/truth": "0 1 -1", "s/a": "x y z"}, {"s.labels0": "1 1 2 2", "m/s.result2": "p 1 1 2 2", "m/x/s.result2": "p 1 1 2 2", "n/s.result2": "p 1 1 2 2"})),
    "[folder._as_integers(x) for x in (['1', '-2'], ['1', 'a'], ['--1'])], folder.number_of_classes(np.array(['a', None, 'b'], dtype=object)), [folder._stem(karat_path) for karat_path in map(__import__('pathlib').Path, ('a.csv.gz', 'a.b.csv', 'a.labels0', 'x.txt', 'a.xz'))]",
    "[folder._method_and_try(s) for s in ('a.1', 'a.b', 'a.b.12', '1')], fails(folder.read_folder, '/nowhere')",
    # benchmarks
    *(f"[race({options}).table.drop(columns='seconds'), race({options}).scores(), race({options}).intervals(), race({options}).tries(), race({options}).contestants, race({options}).failures]" for options in ("", "k=(2, 3)", "draw='classes', k=(2,), n_init=3")),
    "[race().compare(m).words for m in (None, 'f_quality')], race().agreement(n_resamples=9), race().scores('f_quality', tries=1), fails(race().scores, 'odd'), fails(race().scores, tries='odd'), fails(race(draw='classes', k=(2,), n_init=3).scores, tries=1)",
    "race(k=(10,)).failures, fails(race(k=(10,)).compare), race(k=(10,)).compare(failed=0).words, fails(race(k=(10,)).compare, failed=1)", "fails(lambda: Benchmark({}).table)",
    *(f"fails(Benchmark, {arguments})" for arguments in ("{'a': (np.eye(3), None)}", "{'a': (np.eye(3), [1, 2])}", "{'a': ({'r': np.eye(3)}, [1, 2])}", "{'a': (np.eye(3), [1, 2, 2])}, k=()", "{'a': (np.eye(3), [1, 2, 2])}, n_init=0", "{}, measures=['silhouette']", "{}, measures=[]", "{}, 'odd'", "{'a': (np.eye(3), [1, 2, 2])}, k=(0,)",
        "{'a': (np.eye(3), [1, 2, 2])}, draw='odd'", "{'a': (np.eye(3), [1, 2, 2])}, draw='classes'")),
    "[[(None if s.rows is None else s.rows, s.tries, s.ks) for s in runs.subsets(Some(references={'t': np.array([0, 0, 1, 2, 2], dtype=object)}), runs.Rules(k, n, d, 0))] for k, n, d in (('classes', 2, None), ((2, 3), 1, None), ((2, 3, 4), 2, 'classes'))]",
    "told({'a': (np.eye(4), [0, 0, 1, 1]), 'b': ({'p': np.eye(4), 'q': np.eye(4)}, [0, 0, 1, 1])}), [reported(n) for n in ('r.html', 'r.csv', 'r.tex', 'r.odd')]",
    "still(paper.latex(race(), race().compare(), {})), still(paper.latex(race(), race().compare('f_quality'), {'measure': 'f_quality'}))",
    *(f"page.{f}(race().compare({m}), *{more})" for f, m, more in (("pair_rows", "", "[str, '-', '{}']"), ("group_rows", "", "['{:.3f} ({:.2f})']"))),
    *(f"[still(part(race(), race().compare({m!r}), {{'measure': {m!r}}})) for part in (page._scores, page.html_page)], page._pairs(race().compare({m!r})), page._groups(race().compare({m!r}))" for m in ("adjusted_rand_index", "f_quality")),
    "page._failures(race()), page._failures(race(k=(10,))), page._agreements(race(), {}), page.html_page(race(draw='classes', k=(2,), n_init=3), race(draw='classes', k=(2,), n_init=3).compare(), {}).split('How this')[0]",
    "[page._shade(v, 0, h) for v in (-1, 0, .5, 1) for h in (1, 0)], page.heat_table(three, {('x/1', 'a'): .25}, 'foot'), page.heat_table(pd.DataFrame(np.eye(2, 13)), {}), [page._span_text({'min': a, 'max': b}) for a, b in ((1, 1), (1, 3))]",
    "page.half_widths(race(), {}), page.tries_of(race(), 'mean'), page.tries_of(race(), 3), page.tries_of(race(draw='classes', k=(2,), n_init=3), 'mean')",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write(EXPRESSIONS)
