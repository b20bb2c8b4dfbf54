"""Steps inside a guarantee: shares of delta, orders, draws with gaps, lists of classes, forecasts."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sortal
from example_counts import examples
from naive_bounds import label_shares
from sortal._kernels.pac_mdl import _lead_of, mixed_label_bits
from sortal.bounds import (
    ComponentBound,
    Learner,
    Starts,
    b_max,
    sample,
    sequential,
    stopping_line,
    wording,
)
from sortal.bounds.classes import KnownClasses, known_classes, naming_bits
from sortal.bounds.components import half
from sortal.bounds.contradictions import is_grouped, refuted, unordered
from sortal.bounds.exact import _log_factorial
from sortal.bounds.forecast import _Futures, _Plan
from sortal.bounds.guarantees import _split
from sortal.bounds.languages import log2_factorials, log2_spreads
from sortal.bounds.sampling import same_number_of_each
from sortal.bounds.skipped import Skipped
from sortal.bounds.tuned import TunedBounds
from sortal.cli._input import LabelledInputOptions
from sortal.cli._questions import apart_from_draw, count_questions
from sortal.labelings import as_labelings
from sortal.study import guarantees

N = 300
LABELINGS = [[0, 0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1, 0], [0, 0, 0, 0, 1, 1, 1]]


TRUTHS = [
    [0, 1, 1, 0, 1, 0, 0],
    [0, 1, 2, 0, 1, 2, 0],
]


def wrong(guarantee, truth):
    """Whether the guarantee is broken, from the labels that it gives."""
    hidden = guarantee.n
    labelled = np.array([value is not None for value in truth[1]])
    errors = int((guarantee.labels[~labelled] != np.array(truth[0], dtype=object)[~labelled]).sum())
    assert hidden == int((~labelled).sum())
    return errors > guarantee.bound


def partial(truth, rows):
    y = np.full(len(truth), None, dtype=object)
    y[rows] = np.array(truth, dtype=object)[rows]
    return y


@pytest.mark.parametrize("begun", [0, 60])
def test_a_test_of_a_target_stops_as_walks_over_all_labels_do(begun):
    line = stopping_line(2_900 + begun, 0.1, 0.09)
    errors, n_futures = 3 if begun else 0, 4_000
    plan = _Plan(80, 2_900, errors, begun, 1.0, 80 - begun, 0.0, True, False, line, 0.1)
    rng = np.random.default_rng(1)
    luck = rng.random(n_futures)
    stops = plan.stops(luck, rng)
    rates = rng.beta(errors + 0.5, begun - errors + 0.5, n_futures)
    most = 500
    wrong = errors + (rng.random((n_futures, most)) < rates[:, None]).cumsum(axis=1)
    checks = line.checks[(line.checks > begun) & (line.checks <= begun + most)]
    allowed = np.searchsorted(line.checks, checks)
    met = wrong[:, checks - begun - 1] <= allowed
    walked = np.where(met.any(axis=1), 80 - begun + checks[met.argmax(axis=1)], np.inf)
    for m in (100, 150, 250, 400):
        assert (stops <= m).mean() == pytest.approx((walked <= m).mean(), abs=0.04)


@pytest.mark.parametrize("sizes", [(30, 20, 10), (58, 1, 1), (20, 20, 20)])
def test_the_share_of_a_list_holds_for_the_population(sizes: tuple[int, ...]) -> None:
    """The bits are as few as those of the true numbers, but for one draw in delta/10."""

    truth, fewer = np.repeat(list("abc"), sizes).astype(object), 0
    for seed in range(200):
        y = np.full(60, None, dtype=object)
        rows = sortal.bounds.sample(60, 20, random_state=seed)
        y[rows] = truth[rows]
        classes = known_classes(y, 60)
        class_sizes = np.array([sizes["abc".index(name)] for name in classes.names])
        paid = classes.bits_once(0.5) - math.log2(10 / 9)
        fewer += paid < naming_bits(60, class_sizes) - 1e-9
        assert paid <= classes.bits + 1e-9
    assert fewer <= 0.05 * 200 + 3 * (200 * 0.05) ** 0.5


def test_every_order_of_the_labels_keeps_the_anytime_guarantee(monkeypatch):
    monkeypatch.setattr(sequential, "PLANNED", {1: 0.6, 2: 0.4})
    labelings, truth, delta = [[0, 0, 0, 1, 1], [0, 1, 0, 1, 0]], [0, 0, 1, 1, 0], 0.4
    broken = draws = 0
    for order in itertools.permutations(range(5), 3):
        broken_once = False
        for m in range(1, 4):
            y = partial(truth, list(order[:m]))
            guarantee = sortal.guarantee(
                labelings, y, delta, anytime=True, order=order[:m], classes=[0, 1]
            )
            broken_once |= wrong(guarantee, (truth, y))
        broken += broken_once
        draws += 1
    assert broken <= delta * draws


@pytest.mark.parametrize("X", [None, np.array([[1.0], [2], [9], [4], [7], [6], [8], [3]])])
def test_every_split_of_eight_objects_keeps_the_promise_of_half(X, monkeypatch):
    truth = np.array([0, 0, 1, 0, 1, 1, 0, 1])
    batch = sortal.labelings.as_labelings([[0] * 4 + [1] * 4, [0, 1] * 4, [0, 0, 1, 1, 2, 2, 0, 0]])
    learner = Learner(batch, np.zeros(3), X, tuned=TunedBounds(n_trees=5))
    broken, draws = dict.fromkeys((0.1, 0.3, 0.5), 0), 0
    for first in itertools.combinations(range(8), 3):
        rest = np.setdiff1d(np.arange(8), first)
        classifier = learner.fit(np.array(first), truth[list(first)])
        monkeypatch.setattr(Learner, "fit", lambda *_, classifier=classifier: classifier)
        for second in itertools.combinations(rest, 3):
            order, y = np.array([*first, *second]), np.full(8, -1)
            y[order] = truth[order]
            classes = KnownClasses(y, np.sort(order), (0, 1), 0, 0.0, "", (), ())
            for delta in broken:
                part = half(learner, classes, order, delta)
                hidden = np.setdiff1d(rest, second)
                errors = (part.classifier.predicted[hidden] != truth[hidden]).sum()
                broken[delta] += errors > part.bound
            draws += 1
        monkeypatch.undo()
    assert all(count <= delta * draws for delta, count in broken.items())


def test_the_same_number_of_each_class_is_odd_for_many() -> None:

    assert same_number_of_each(Counter(dict.fromkeys(range(12), 30)))
    assert not same_number_of_each(Counter({0: 31} | dict.fromkeys(range(1, 12), 30)))
    assert not same_number_of_each(Counter({0: 500}))
    assert not same_number_of_each(Counter({0: 3, 1: 3}))


@examples(200)
@given(st.integers(1, 8), st.data())
def test_kernel_writes_labels_as_the_codes_do(n_classes: int, data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(0, n_classes - 1), min_size=1, max_size=25))
    c = len(labels)
    array = np.array(labels, dtype=np.int32)
    got = mixed_label_bits(
        np.bincount(array, minlength=n_classes),
        _lead_of(array, np.arange(c)),
        log2_factorials(c + n_classes),
        log2_spreads(c, n_classes),
    )
    share = sum(label_shares(tuple(labels), n_classes)) / 5
    assert got == pytest.approx(-math.log2(share), abs=1e-9)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Clusterings, and 50 labels in the order of the draw."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], N // 3)
    noisy = {f"k{k}": np.where(rng.random(N) < 0.15, rng.integers(0, 3, N), truth % k)
             for k in (3, 2, 4)}  # fmt: skip
    pd.DataFrame({"row": range(N), **noisy}).to_csv(tmp_path / "k.csv", index=False)
    rows = sample(N, 50, random_state=1)
    few = {"draw": range(1, 51), "row": rows, "label": truth[rows]}
    pd.DataFrame(few).to_csv(tmp_path / "few.csv", index=False)
    return tmp_path


def test_a_part_of_the_draw_is_said(files: Path) -> None:
    truth = np.repeat([0, 1, 2], N // 3)
    X = np.random.default_rng(0).normal(truth[:, None] * 6.0, 1.0, (N, 2))
    few = pd.read_csv(files / "few.csv")
    data = pd.DataFrame(X, columns=["a", "b"]).assign(draw=np.nan, label=None)
    data.loc[few["row"], ["draw", "label"]] = few[["draw", "label"]].to_numpy()
    reading = LabelledInputOptions(data=str(files / "x.csv"), label_column="label")
    for missing in (0, 5):
        data["draw"] = data["draw"].where(data["draw"] > missing)
        data.to_csv(files / "x.csv", index=False)
        dropped, numbers = apart_from_draw(reading)
        assert dropped.drop == ["draw"]
        study = sortal.Study(
            sortal.datasets.read(files / "x.csv", label_column="label", drop=["draw"])
        )
        study.add({"k3": truth, "k2": truth > 0}, reference=False)
        count_questions(study, reading, numbers)
        guarantee = study.guarantee()
        assert guarantee.anytime == (not missing)
        assert (f"{missing} labelled rows without a number" in guarantee.sentence) == bool(missing)
    data["draw"] = 1  # a feature of this name
    data.to_csv(files / "x.csv", index=False)
    assert apart_from_draw(reading) == (reading, None)


def part(errors: int, tested: int, bound: int, n: int):
    """A component with these numbers, of no particular classifier."""
    return ComponentBound("start", None, bound, n, errors, tested, 0.1)


def test_a_bound_that_its_errors_refute() -> None:
    assert refuted(part(22, 30, 105, 302))  # 105 of 302 beside 22 errors on 30
    assert refuted(part(4, 60, -1, 300))  # no number of errors is left
    assert not refuted(part(4, 60, 40, 300))
    assert not refuted(part(30, 50, 300, 300))
    assert not refuted(part(0, 0, 0, 0))


def test_sorted_and_grouped_orders() -> None:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, 60)
    assert is_grouped(np.sort(classes))
    assert is_grouped(np.sort(classes)[::-1])
    assert not any(is_grouped(rng.permutation(classes)) for _ in range(100))
    assert unordered(np.array([3, 8, 9, 12, 40]), classes[:5])
    assert not unordered(np.array([3, 8, 9, 12]), classes[:4])
    # rows that were shuffled before they were labelled from the first on
    assert not unordered(np.arange(50), classes[:50])


def test_bounds_with_skipped_objects_by_definition() -> None:
    skipped = Skipped(np.array([0, 1, 3]))
    assert skipped.bound(b_max, 20, 100, 2, delta=0.1) == b_max(23, 97, 5, 0.1) + 3
    right = Skipped(np.array([0, 1, 3]), are_errors=False)
    assert right.bound(b_max, 20, 100, 2, delta=0.1) == b_max(23, 97, 2, 0.1)
    assert skipped.spread(np.array([False, False, False]), 3).tolist() == [0, 1, 0, 1, 1, 0]
    assert skipped.spread(np.array([False]), 2).tolist() == [True, False]
    many = Skipped(np.array([500]))
    assert many.bound(b_max, 20, 100, 2, delta=0.1) == 100  # all may be wrong


def test_a_counted_question_need_not_be_the_only_one():
    y = np.repeat([0, 1], 40)
    few = np.full(80, None, dtype=object)
    few[::5] = y[::5]
    found = sortal.guarantee(y, few, anytime=True)
    kept = []
    for number in (None, 2):
        asked = SimpleNamespace(number=number, keep=lambda: kept.append(1), sentence="the second")
        counted = found.counted(asked, 0.2)
        wanted = found.premises if number is None else wording.of_counted(found.premises)
        assert (counted.premises, counted.question) == (wanted, "the second")
    assert wording.of_counted(found.premises) != found.premises
    assert len(kept) == 2


@pytest.mark.parametrize("target", [0.02, 0.1])
def test_the_prior_of_a_test_has_the_expected_error_rate_as_its_mean(target):
    starts = Starts(0.1, target)
    classifier = SimpleNamespace(hidden=lambda drawn: (100, 0))
    starts._start(classifier, np.arange(3), 0.5, 0.3)
    a, b = starts._starts[0].prior
    assert a / (a + b) == pytest.approx(target, rel=0.1)
    starts = Starts(0.1)
    starts._start(classifier, np.arange(3), 0.5, target)
    assert starts._starts[0].prior == (a, b)


def test_a_test_to_come_begins_with_its_first_label():
    line = stopping_line(900, 0.1, 0.05)
    drawn = []

    def right(counts, rates):
        drawn.append(np.asarray(counts).sum())
        return np.zeros((len(rates), len(counts)), dtype=int)

    plan = _Plan(50, 900, 4, 40, 1.0, 50, 0.0, True, True, line, 0.1)
    stops = plan.stops(np.full(3, 0.5), SimpleNamespace(binomial=right))
    assert drawn == [line.checks[-1]]
    assert stops.tolist() == [50 + line.checks[0]] * 3


def test_only_a_bound_at_every_number_of_labels_keeps_its_lowest():
    rng = np.random.default_rng(0)
    clusters, y = np.arange(2000) % 2, np.full(2000, None, dtype=object)
    drawn = rng.permutation(2000)[:20]
    y[drawn] = [clusters[i] if at % 2 else 1 - clusters[i] for at, i in enumerate(drawn)]
    bound = sortal.pac_mdl_bound(clusters, y, classes=[0, 1])
    assert _Futures(bound, 500).rates(25)[2] > bound.bound / 1975
    always = sortal.guarantee(clusters, y, anytime=True, order=drawn)
    assert _Futures(always, 500).rates(25)[2] <= always.bound / 1975


def test_the_larger_share_goes_to_the_bound_that_is_expected_to_be_lower():
    chosen = []
    for m in range(4, 50):
        n, half = 50 - m, m // 2
        described = b_max(m, n, m // 10, log_delta=np.log(0.05) - 2 * np.log(2))
        tested = b_max(half, n, half // 10, log_delta=np.log(0.05))
        shares = _split(as_labelings(np.arange(50) % 2), m, half, 0.1)
        chosen.append(shares["pac-mdl"] > shares["half"])
        assert chosen[-1] == (described < tested)
        assert sum(shares.values()) == pytest.approx(1)
    assert 0 < sum(chosen) < len(chosen)


def test_a_learner_of_few_objects_uses_one_thread(monkeypatch):
    asked = []
    pools = SimpleNamespace(limit=lambda limits: asked.append(limits) or nullcontext())
    monkeypatch.setattr("sortal.bounds.classifiers.thread_pools", lambda: pools)
    batch = as_labelings([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    Learner(batch, np.zeros(2), None).fit(np.arange(6), np.array([0, 0, 0, 1, 1, 1]))
    assert asked == [1]


def test_what_is_kept_of_factorials_has_all_digits_whoever_asks_first() -> None:
    _log_factorial.cache_clear()
    assert float(_log_factorial(10)) == pytest.approx(math.lgamma(11))
    assert b_max(1, 9, 0, 0.5) == 5


def test_pairs_of_labelled_objects_do_not_enter_the_prior(files: Path) -> None:
    truth = np.repeat([0, 1, 2], N // 3)
    X = np.random.default_rng(0).normal(truth[:, None] * 6.0, 1.0, (N, 2))
    table = pd.read_csv(files / "few.csv")
    y = np.full(N, None, dtype=object)
    y[table["row"]] = table["label"]
    rows = table["row"].tolist()
    free = [int(i) for i in range(N) if i not in rows]
    middle = min(free, key=lambda i: abs(i - N // 2))
    priors = []
    for pairs in (None, [(a, b, "must" if truth[a] == truth[b] else "cannot")
                         for a, b in zip(rows[:20], rows[20:40], strict=True)],
                  [(free[0], middle, "must"), (middle, free[-1], "must")]):  # fmt: skip
        study = sortal.Study(X, y=y)
        study.sweep(["kmeans"], k=range(2, 5), n_init=1)
        study.constrain(pairs)
        priors.append(guarantees.judged_shares(study.state))
    assert priors[0] == priors[1]
    assert priors[0] != priors[2]
