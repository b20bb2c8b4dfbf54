"""Benchmarks and comparisons of few scores by hand: tests, pages, draws, stored fits."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClusterMixin

from sortal import InputError, bench
from sortal.bench import Benchmark

MEASURES = ["adjusted_rand_index", "purity"]


def folder(path: Path, table: dict[str, dict[str, str]]) -> Benchmark:
    """A benchmark of label files: labels of each method by the set, one character an object."""
    for name, methods in table.items():
        (path / name).mkdir(parents=True)
        for method, labels in methods.items():
            (path / name / f"{method}.csv").write_text("\n".join([*labels, ""]))
    return Benchmark.from_folder(path, MEASURES)


def race(path: Path, n_methods: int = 3, n_sets: int = 4, name: str = "s{}") -> Benchmark:
    """Methods of which each is a bit worse than the one before it."""
    truth = "0011" * 6
    table = {}
    for j in range(n_sets):
        labels = {f"m{i:02d}": "2" * i + truth[i:] for i in range(n_methods)}
        table[name.format(j)] = {"truth": truth, **labels}
    return folder(path, table)


# -- tests of ranks ---------------------------------------------------------------------------


def permutation_p(ranks, statistic):
    """Share of all orders of each row with a statistic that is as large."""
    seen = statistic(ranks)
    orders = [list(set(itertools.permutations(row))) for row in ranks]
    values = [statistic(np.array(rows)) for rows in itertools.product(*orders)]
    return np.mean(np.array(values) >= seen - 1e-9)


@pytest.mark.parametrize(
    "scores",
    [[[3, 2, 1], [3, 1, 2], [3, 2, 1]], [[1, 1, 2], [3, 1, 2], [1, 2, 2]], [[1, 2], [1, 2], [2, 1]],
     [[1, 2, 3], [1, 1, 1], [1, 2, 3], [3, 2, 1]], [[4, 3, 2, 1], [4, 3, 1, 2]]],
)  # fmt: skip
def test_friedman_by_all_orders(scores):
    table = pd.DataFrame(scores, columns=list("abcd")[: len(scores[0])], dtype=float)
    n, k = table.shape
    ranks = table.rank(axis=1, ascending=False).to_numpy()

    def between(rows):
        return ((rows.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()

    test = bench.friedman_test(table)
    spread = ((ranks - (k + 1) / 2) ** 2).sum()
    chi = (k - 1) * between(ranks) / spread
    assert test.chi_square == pytest.approx(chi)
    rest = n * (k - 1) - chi
    assert test.statistic == (math.inf if rest < 1e-9 else pytest.approx((n - 1) * chi / rest))
    assert test.p_value == pytest.approx(permutation_p(ranks, between))
    best = np.sort(ranks, axis=1)
    assert test.least == pytest.approx(permutation_p(best, between))
    assert test.method == "exact"
    assert bench.average_ranks(table).to_dict() == pytest.approx(
        dict(zip(table, ranks.mean(axis=0), strict=True))
    )
    for alpha in (0.05, 0.5, 0.9):
        found = bench.critical_difference(table, alpha)
        ranges = sorted({
            np.ptp(np.array(rows).sum(axis=0))
            for rows in itertools.product(*[set(itertools.permutations(r)) for r in ranks.tolist()])
        })  # fmt: skip
        wanted = [r for r in ranges if permutation_p_of_range(ranks, r) <= alpha + 1e-12]
        assert found == (pytest.approx(wanted[0] / n) if wanted else math.inf)


def permutation_p_of_range(ranks, least):
    """Share of all orders with a range of the rank sums that is as large."""
    orders = [list(set(itertools.permutations(row))) for row in ranks.tolist()]
    ranges = [np.ptp(np.array(rows).sum(axis=0)) for rows in itertools.product(*orders)]
    return np.mean(np.array(ranges) >= least - 1e-9)


def test_large_tables_take_distributions():
    rng = np.random.default_rng(0)
    many = rng.normal(size=(61, 10))
    test = bench.friedman_test(many)
    assert test.method == "F distribution"
    assert test.chi_square == pytest.approx(stats.friedmanchisquare(*many.T).statistic)
    assert test.p_value == pytest.approx(stats.f.sf(test.statistic, 9, 540))
    assert bench.critical_difference(many) == bench.nemenyi_difference(10, 61)
    drawn = bench.friedman_test(many[:60])
    assert drawn.method == "20,000 permutations"
    assert abs(drawn.p_value - stats.f.sf(drawn.statistic, 9, 531)) < 0.02
    assert drawn.p_value == pytest.approx(0.3017849107544623)
    clear = bench.friedman_test(np.arange(600.0).reshape(60, 10))
    assert (clear.p_value, clear.statistic) == (1 / 20_001, math.inf)
    clear = bench.friedman_test(np.arange(610.0).reshape(61, 10))
    assert (clear.p_value, clear.least) == (0, 0)
    # Demšar 2006, table 5
    for k, q in ((2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)):
        found = bench.nemenyi_difference(k, 6)
        assert found == pytest.approx(q * math.sqrt(k * (k + 1) / 36), rel=5e-4)
    for k, q in ((2, 1.645), (4, 2.291)):
        assert bench.nemenyi_difference(k, 6, 0.1) == pytest.approx(
            q * math.sqrt(k * (k + 1) / 36), rel=5e-4
        )
    for alpha in (0, 1):
        with pytest.raises(InputError, match=str(alpha)):
            bench.nemenyi_difference(3, 6, alpha)


@pytest.mark.parametrize(
    "differences", [[1, 2, 3, -4, 5], [1, 1, -1, 0, 2], [0, 0, 3], [-1, -2, 3, 3]]
)
def test_signed_ranks_by_all_signs(differences):
    d = np.array(differences, dtype=float)
    row = bench.pairwise_wilcoxon({"a": d, "b": d * 0}).iloc[0]
    ranks = stats.rankdata(abs(d))
    used = ranks[d != 0]
    sums = [used @ np.array(s) for s in itertools.product((1, -1), repeat=len(used))]
    seen = ranks @ np.sign(d)
    assert row["p"] == pytest.approx(min(1, np.mean(np.abs(sums) >= abs(seen) - 1e-9)))
    assert row["effect"] == pytest.approx(seen / (len(d) * (len(d) + 1) / 2))
    assert (row["wins"], row["losses"]) == ((d > 0).sum(), (d < 0).sum())
    assert row["difference"] == pytest.approx(d.mean())


def test_signed_ranks_of_many_sets_are_normal():
    d = np.random.default_rng(0).normal(size=201) + 0.15
    row = bench.pairwise_wilcoxon({"a": d, "b": d * 0}).iloc[0]
    ranks = stats.rankdata(abs(d))
    z = ranks @ np.sign(d) / math.sqrt((ranks**2).sum())
    assert row["p"] == pytest.approx(2 * stats.norm.sf(abs(z)))
    near = bench.pairwise_wilcoxon({"a": d[:200], "b": d[:200] * 0}).iloc[0]["p"]
    assert near == pytest.approx(stats.wilcoxon(d[:200], method="exact").pvalue)


def test_scores_tie_to_twelve_digits():
    table = {"a": [1.0, 1e80, -1e-80], "b": [1 + 1e-13, 1e80 * (1 + 1e-11), -1e-80 * (1 + 1e-11)]}
    assert bench.average_ranks(table).to_dict() == {"b": pytest.approx(5.5 / 3 - 1 / 3), "a": 1.5}
    assert bench.pairwise_wilcoxon(table).iloc[0][["wins", "losses"]].tolist() == [1, 1]


# -- what is said -----------------------------------------------------------------------------


def test_words_at_their_limits():
    table = {"a": [2, 2, 2, 1], "b": [1, 1, 1, 2]}
    at = bench.compare_methods(table, alpha=0.125)
    assert at.friedman.least == 0.125
    below = bench.compare_methods(table, alpha=0.124)
    said = [[sentence for sentence in one.words if "0.12" in sentence] for one in (at, below)]
    assert (len(said[0]), len(said[1])) == (0, 1)
    best = bench.compare_methods({"a": [2, 2, 2, 2], "b": [1, 1, 1, 1]}, alpha=0.125)
    assert best.critical_difference == 1
    assert best.pairs["different"].tolist() == [True]
    assert best.different_from("a") == ["b"]
    assert (best.leaders, best.cliques) == (["a"], [])
    assert (
        not bench.compare_methods({"a": [2] * 4, "b": [1] * 4}, alpha=0.1249)
        .pairs["different"]
        .any()
    )
    tied = bench.compare_methods({"a": [1, 2], "b": [2, 1], "c": [0, 0]})
    assert (tied.leaders, tied.cliques) == (["a", "b"], [("a", "b", "c")])
    assert tied.groups.empty
    named = bench.compare_methods(
        pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 1, 1]}, index=["g/x", "g/y", "z"])
    )
    assert named.groups.to_numpy().tolist() == [
        ["g", 2, "a", 1.5, 1.5], ["g", 2, "b", 1.5, 1.5],
        ["", 1, "a", 3.0, 1.0], ["", 1, "b", 1.0, 2.0],
    ]  # fmt: skip
    for alpha, n in ((0.2, 4), (0.7, 4)):
        cliques = bench.compare_methods(np.array([[4.0, 3, 2, 1]] * n), alpha=alpha)
        ranks = cliques.ranks.to_numpy()
        near = [
            (i, j) for i in range(4) for j in range(i + 1, 4)
            if ranks[j] - ranks[i] < cliques.critical_difference - 1e-9
        ]  # fmt: skip
        covered = {
            pair for one in cliques.cliques for pair in itertools.combinations(map(int, one), 2)
        }
        names = [int(name) for name in cliques.ranks.index]
        assert {frozenset((names[i], names[j])) for i, j in near} == set(map(frozenset, covered))


# -- pages ------------------------------------------------------------------------------------


def paths(text):
    """Points of the lines of a drawing."""
    return [
        [tuple(map(float, point.split())) for point in path.split("L")]
        for path in re.findall(r'<path d="M([^"]+)"', text)
    ]


def shown(text):
    """Places and sides of the texts of a drawing."""
    found = re.findall(r'<text x="([-\d.]+)" y="([-\d.]+)" text-anchor="(\w+)">([^<]*)<', text)
    return [(float(x), float(y), anchor, words) for x, y, anchor, words in found]


@pytest.mark.parametrize(("n_methods", "n_sets"), [(3, 4), (5, 8), (4, 2)])
def test_the_diagram_of_average_ranks(tmp_path, n_methods, n_sets):
    made = race(tmp_path / "f", n_methods, n_sets)
    comparison = made.compare()
    made.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    drawing = page[page.index("<svg") : page.index("</svg>")]
    width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', drawing).groups())
    size = float(re.search(r'font-size="(\d+)"', drawing)[1])
    lines, texts = paths(drawing), shown(drawing)
    (left, top), (right, same) = lines[0]
    assert top == same == 46
    assert (width, size) == (860, 13)
    names = [f"m{i:02d} {i + 1}.00" for i in range(n_methods)]
    room = 0.62 * size * len(names[0]) + 26
    assert (left, right) == (pytest.approx(room, abs=0.06), pytest.approx(width - room, abs=0.06))
    step = (right - left) / (n_methods - 1)
    for i in range(n_methods):
        x = pytest.approx(left + i * step, abs=0.11)
        assert lines[1 + i] == [(x, 46), (x, 40)]
        assert texts[i] == (x, 36, "middle", str(i + 1))
    critical = comparison.critical_difference
    if math.isinf(critical):
        assert texts[n_methods][:3] == (left, 16, "start")
        bar = n_methods + 1
    else:
        end = pytest.approx(left + min(critical, n_methods - 1) * step, abs=0.11)
        assert lines[1 + n_methods] == [(left, 12), (end, 12)]
        x, y, anchor, words = texts[n_methods]
        assert (x - 6, y, anchor) == (end, 16, "start")
        assert words.endswith(f"{critical:.2f}")
        bar = n_methods + 2
    for number, clique in enumerate(comparison.cliques):
        low, high = int(clique[0][1:]), int(clique[-1][1:])
        y = 60 + 12 * number
        ends = (left + low * step - 4, left + high * step + 4)
        assert lines[bar + number] == [(pytest.approx(end, abs=0.11), y) for end in ends]
    first = 68 + 12 * len(comparison.cliques)
    rows = (n_methods + 1) // 2
    assert height == first + 20 * rows + 10
    for i, words in enumerate(names):
        y = first + 20 * (i if i < rows else n_methods - 1 - i)
        end, anchor, at = (left - 10, "end", -4) if i < rows else (right + 10, "start", 4)
        x = pytest.approx(left + i * step, abs=0.11)
        assert lines[-n_methods + i] == [(x, 46), (x, y - 4), (pytest.approx(end), y - 4)]
        assert texts[-n_methods + i] == (pytest.approx(end + at), y, anchor, words)
    strokes = re.findall(r'stroke-width="([\d.]+)"', drawing)
    assert strokes.count("4") == drawing.count("#0072B2") == len(comparison.cliques)
    assert strokes.count("2") == (not math.isinf(critical))
    assert strokes.count("0.8") == n_methods
    made.report(tmp_path / "r.tex")
    text = (tmp_path / "r.tex").read_text("utf-8")
    assert text.count(r"\draw[") == len(lines)
    assert text.count(r"\node[") == len(texts)
    assert "[x=0.6pt,y=-0.6pt" in text
    assert text.count("line width=2.40pt") == len(comparison.cliques)
    axis = re.search(r"line width=0.60pt\] \(([\d.]+),46.0\) -- \(([\d.]+),46.0\)", text)
    assert float(axis[1]) == pytest.approx(room, abs=0.06)
    assert float(axis[2]) == pytest.approx(640 - room, abs=0.06)


def test_long_names_take_a_third_of_the_drawing(tmp_path):
    truth = "0011" * 6
    names = {"a" * 90: truth, "b" * 90: "2" + truth[1:]}
    made = folder(tmp_path / "f", {f"s{j}": {"truth": truth, **names} for j in range(3)})
    made.report(tmp_path / "r.html")
    (left, _), (right, _) = paths((tmp_path / "r.html").read_text("utf-8"))[0]
    assert (left, right) == (pytest.approx(860 / 3, abs=0.06), pytest.approx(860 * 2 / 3, abs=0.06))


@pytest.mark.parametrize(("n_methods", "is_small"), [(3, False), (9, False), (10, True)])
def test_wide_tables_are_small_and_shaded(tmp_path, n_methods, is_small):
    made = race(tmp_path / "f", n_methods, 2)
    made.measures = made.measures[:1]
    made.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert ("many" in re.search(r'<table class="([^"]+)"', page)[1]) == is_small
    shades = re.findall(r"rgba\(0,114,178,([\d.]+)\)", page)
    scores = made.scores()[made.compare().ranks.index]
    low, high = max(scores.min().min(), 0), scores.max().max()
    expected = 0.6 * ((scores - low) / (high - low)).clip(0, 1)
    assert shades == [f"{value:.2f}" for value in expected.to_numpy().ravel()]


def test_groups_have_tables(tmp_path):
    race(tmp_path / "g", 3, 2, "x/s{}")
    grouped, plain = race(tmp_path / "g", 3, 1, "y/s{}"), race(tmp_path / "f", 3, 2)
    texts = []
    for name, made in (("g", grouped), ("f", plain)):
        for suffix in ("html", "tex"):
            made.report(tmp_path / f"{name}.{suffix}")
            texts.append((tmp_path / f"{name}.{suffix}").read_text("utf-8"))
    assert texts[0].count("<h2>") == texts[2].count("<h2>") + 1
    assert "<td>x</td><td>2</td><td>1.000 (1.00)</td>" in texts[0]
    assert [texts[i].count(r"\begin{table}") for i in (1, 3)] == [3, 2]
    assert r"$1.000$ (1.00)" in texts[1]


# -- runs -------------------------------------------------------------------------------------


class Column(ClusterMixin, BaseEstimator):
    """The first column are the clusters, as many as are wanted, if it has so many values."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit(self, X, y=None):
        values, self.labels_ = np.unique(np.asarray(X)[:, 0], return_inverse=True)
        if len(values) != self.n_clusters:
            raise RuntimeError(f"{len(values)} classes")
        return self


class Failing(Column):
    """No fit ends well."""

    def fit(self, X, y=None):
        raise RuntimeError("no luck")


def test_each_try_draws_so_many_classes(tmp_path):
    y = np.repeat(np.arange(5), [3, 4, 5, 6, 7])
    X = np.column_stack([y, np.arange(25.0)])
    sets = {"b": (X, y), "a": (X[:12], y[:12])}
    made = Benchmark(
        sets, {"one": Column(), "two": "ward"}, k=(2, 3, 5), draw="classes", n_init=4
    ).run()
    one = made.table[made.table["method"] == "one"]
    assert one["reason"].isna().all()
    assert one["adjusted_rand_index"].eq(1).all()
    counts = one.groupby("set")["k"].value_counts()
    assert counts.to_dict() == {("a", 2): 4, ("a", 3): 4, ("b", 2): 4, ("b", 3): 4, ("b", 5): 4}
    assert [*made.scores().index] == ["b", "a"]
    assert [*made.intervals().index.get_level_values(0)] == ["b", "b", "a", "a"]
    assert made.tries()["set"].drop_duplicates().tolist() == ["b", "a"]
    assert made.intervals()["tries"].tolist() == [4] * 4
    with pytest.raises(InputError):
        made.scores(tries=2)
    again = Benchmark(
        sets, {"one": Column(), "two": "ward"}, k=(2, 3, 5), draw="classes", n_init=4
    ).run()
    pd.testing.assert_frame_equal(
        made.table.drop(columns="seconds"), again.table.drop(columns="seconds")
    )


def test_a_failed_fit_is_stored_and_not_tried_again(tmp_path):
    y = np.arange(8) % 2
    sets = {"a": (np.column_stack([y, y]), y)}
    options = {"n_init": 2, "storage": tmp_path / "s.db"}
    tables = [
        Benchmark(sets, {"fails": Failing(), "one": Column()}, **options).run().table
        for _ in range(2)
    ]
    assert tables[0]["seconds"].tolist() == tables[1]["seconds"].tolist()
    assert tables[0]["try"].tolist() == [0, 1, 0, 1]
    assert tables[0]["reason"].tolist()[:2] == ["RuntimeError: no luck"] * 2
    assert tables[0]["k"].tolist() == [2] * 4
    made = Benchmark(sets, {"fails": Failing(), "one": Column()}, n_init=2).run()
    assert made.failures[["fits", "failed"]].to_numpy().tolist() == [[2, 2], [2, 0]]
    assert made.scores(failed=0).to_numpy().tolist() == [[0, 1]]
    assert made.scores().isna().to_numpy().tolist() == [[True, False]]
    for wrong in (1, 2):
        with pytest.raises(InputError, match=f"failed={wrong}"):
            made.scores(failed=wrong)


def test_scores_of_tries(tmp_path):
    truth, far = "0011" * 6, "0101" * 6
    tries = {"m.1": truth, "m.2": far, "m.3": "2" + truth[1:], "one": "33" + truth[2:]}
    made = folder(tmp_path / "f", {f"s{j}": {"truth": truth, **tries} for j in (1, 0)})
    table = made.table.set_index(["set", "method", "try"])["adjusted_rand_index"]
    values = table.loc["s0", "m"].to_numpy()
    assert made.scores().loc["s0", "m"] == pytest.approx(values.mean())
    for m in (1, 2, 3):
        best = np.mean([max(some) for some in itertools.combinations(values, m)])
        assert made.scores(tries=m).loc["s0", "m"] == pytest.approx(best)
        assert bench.expected_best(values, m) == pytest.approx(best)
        assert made.scores(tries=m)["one"].equals(made.scores()["one"])
    row = made.intervals().loc[("s0", "m")]
    half = stats.t.ppf(0.975, 2) * values.std(ddof=1) / math.sqrt(3)
    assert row[["low", "high"]].tolist() == pytest.approx(
        [values.mean() - half, values.mean() + half]
    )
    assert made.intervals().loc[("s0", "one"), ["low", "high"]].isna().all()
    assert made.agreement()["tau"].tolist() == [1.0]
    made.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert page.count(f"<small>±{half:.3f}</small>") == 2
    assert "best of" not in page
    made.report(tmp_path / "b.html", tries=2)
    page = (tmp_path / "b.html").read_text("utf-8")
    assert "best of 2 tries" in page
    assert "±" not in page


def test_draws_in_which_all_methods_tie_have_no_ranking():
    u, v = {"a": [1, 1], "b": [0, 1]}, {"a": [1, 1], "b": [0, 0]}
    row = bench.rank_agreement({"u": u, "v": v}, n_resamples=99).iloc[0]
    assert row[["tau", "low", "high"]].tolist() == [1, 1, 1]


def test_the_first_reason_of_several_failures_is_said():
    y = np.arange(8) % 2
    sets = {name: (np.column_stack([y, y]), y) for name in "ab"}
    made = Benchmark(sets, {"one": Failing(), "two": Column()}, k=(2, 3), n_init=1).run()
    with pytest.raises(InputError, match=r"one failed in 4 of 4.*two failed in 2 of 4.*no luck"):
        made.compare()
