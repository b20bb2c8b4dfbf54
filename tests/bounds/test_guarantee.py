"""The guarantee holds: exact enumeration of small populations, many draws of larger ones."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from tests import naive_bounds

import sortal
from sortal import InputError
from sortal.bounds import LabelSequence, b_always, most_errors

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


@pytest.mark.parametrize(("m", "n"), [(3, 6), pytest.param(4, 7, marks=pytest.mark.long)])
@pytest.mark.parametrize(("truth", "delta"), [(TRUTHS[0], 0.5), (TRUTHS[1], 0.2)])
def test_no_truth_breaks_the_guarantee_more_often_than_delta(truth, delta, m, n):
    truth, labelings = truth[:n], [labels[:n] for labels in LABELINGS]
    broken = draws = 0
    for first in itertools.combinations(range(n), m // 2):
        rest = [i for i in range(n) if i not in first]
        for second in itertools.combinations(rest, m - m // 2):
            order = [*first, *second]
            y = partial(truth, order)
            guarantee = sortal.guarantee(labelings, y, delta, order=order, classes=[0, 1, 2])
            broken += wrong(guarantee, (truth, y))
            draws += 1
    assert broken <= delta * draws


@pytest.mark.parametrize("delta", [0.01, 0.05, 0.1, 0.2, 0.5])
def test_the_sequence_ever_fails_with_a_chance_of_at_most_delta(delta):
    worst = Fraction(0)
    for N in range(1, 13):
        m, a = np.divmod(np.arange((N + 1) * (N + 1)), N + 1)
        usable = a <= m
        bounds = np.full((N + 1) * (N + 1), N)
        bounds[usable] = b_always(m[usable], N - m[usable], a[usable], delta)
        bounds = bounds.reshape(N + 1, N + 1)
        for E in range(N + 1):
            worst = max(worst, _ever_broken(bounds, N, E))
    assert worst <= Fraction(delta)
    assert delta < 0.1 or worst > 0


def _ever_broken(bounds, N, E):
    """Chance that some bound is below the hidden errors, exactly, over all orders."""
    chances = {0: Fraction(1)}
    broken = Fraction(0)
    for m in range(N):
        after: dict[int, Fraction] = {}
        for a, p in chances.items():
            for error, share in ((1, Fraction(E - a, N - m)), (0, 1 - Fraction(E - a, N - m))):
                if share <= 0:
                    continue
                a_then = a + error
                if bounds[m + 1, a_then] < E - a_then:
                    broken += p * share
                else:
                    after[a_then] = after.get(a_then, Fraction(0)) + p * share
        chances = after
    return broken


def naive_evidence(m, n, a, E):
    """The mean of L_E'/L_E over E' < E, by its definition."""
    N = m + n

    def likelihood(errors):
        if errors < a or N - errors < m - a:
            return Fraction(0)
        ways = comb(errors, a) * comb(N - errors, m - a)
        return Fraction(ways, comb(N, m) * comb(m, a))

    if likelihood(E) == 0:
        return None
    return sum(likelihood(e) for e in range(E)) / E / likelihood(E)


@pytest.mark.parametrize(
    ("m", "n", "a"), [(5, 7, 0), (5, 7, 2), (9, 30, 4), (20, 60, 3), (1, 4, 0)]
)
def test_the_sequence_is_the_largest_that_evidence_leaves(m, n, a):
    for delta in (0.01, 0.1, 0.3, 0.9):
        kept = []
        for b in range(n + 1):
            E = a + b
            evidence = Fraction(0) if E == 0 else naive_evidence(m, n, a, E)
            if evidence is not None and evidence < 1 / Fraction(delta):
                kept.append(b)
        assert b_always(m, n, a, delta) == max(kept)


@pytest.mark.quick(4)
@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 5.0), (2.0, 0.5)])
@pytest.mark.parametrize(("m", "n", "a"), [(5, 7, 0), (6, 9, 2), (9, 20, 4), (3, 4, 3)])
def test_evidence_under_a_prior_by_its_definition(prior, m, n, a):
    N, (alpha, beta) = m + n, prior

    def weight(E):
        with mpmath.workdps(30):
            return mpmath.binomial(N, E) * mpmath.beta(E + alpha, N - E + beta)

    def likelihood(E):
        return mpmath.mpf(comb(E, a) * comb(N - E, m - a))

    for delta in (0.05, 0.2, 0.6):
        kept = []
        for E in range(a, N - (m - a) + 1):
            total = sum(weight(e) for e in range(E))
            seen = sum(weight(e) * likelihood(e) for e in range(E))
            if E == 0 or seen / total / likelihood(E) < 1 / delta:
                kept.append(E)
        assert most_errors(m, n, a, np.log(delta), prior) == max(kept)


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 5.0)])
@pytest.mark.parametrize("delta", [0.1, 0.3])
def test_a_sequence_with_a_prior_ever_fails_with_a_chance_of_at_most_delta(prior, delta):
    worst = Fraction(0)
    for N in range(1, 11):
        bounds = np.full((N + 1, N + 1), N)
        for m in range(1, N + 1):
            for a in range(m + 1):
                bounds[m, a] = most_errors(m, N - m, a, np.log(delta), prior) - a
        for E in range(N + 1):
            worst = max(worst, _ever_broken(bounds, N, E))
    assert 0 < worst <= Fraction(delta)


def test_the_bound_of_half_is_the_exact_tail():
    truth = [0] * 30 + [1] * 30
    order = sortal.bounds.sample(60, 20, random_state=4)
    y = partial(truth, order)
    guarantee = sortal.guarantee([[0] * 30 + [1] * 30, [0, 1] * 30], y, 0.1, order=order)
    half = next(part for part in guarantee.parts if part.method == "half")
    assert half.tested == 10
    assert half.bound == naive_bounds.b_max(10, 40, half.errors, Fraction(0.1 * 0.9))


def population(seed, n=400, n_classes=3, noise=0.25):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n)
    labelings = {}
    for k in (2, 3, 5, 8):
        codes = truth * 10 + rng.integers(0, max(1, k // n_classes), n)
        stray = rng.random(n) < noise
        codes[stray] = rng.permutation(codes)[stray]
        labelings[f"k{k}"] = np.unique(codes % max(k, 2) if k < 3 else codes, return_inverse=True)[
            1
        ]
    return labelings, truth.tolist()


def test_the_choice_does_not_see_the_test():
    labelings, truth = population(0)
    order = sortal.bounds.sample(400, 40, random_state=0)
    y = partial(truth, order)
    guarantee = sortal.guarantee(labelings, y, order=order)
    relabelled = y.copy()
    relabelled[order[20:]] = [(truth[i] + 1) % 3 for i in order[20:]]
    changed = sortal.guarantee(labelings, relabelled, order=order)
    half = [next(p for p in g.parts if p.method == "half") for g in (guarantee, changed)]
    assert half[0].classifier.row == half[1].classifier.row
    assert half[0].classifier.predicted.tolist() == half[1].classifier.predicted.tolist()
    assert half[0].errors < half[1].errors


def test_order_of_objects_and_names_do_not_matter():
    labelings, truth = population(1)
    order = sortal.bounds.sample(400, 60, random_state=0)
    y = partial(truth, order)
    guarantee = sortal.guarantee(labelings, y, order=order)
    turned = {name: np.asarray(codes)[::-1] for name, codes in labelings.items()}
    again = sortal.guarantee(turned, y[::-1], order=399 - order)
    assert (guarantee.name, guarantee.bound) == (again.name, again.bound)
    assert guarantee.labels[::-1].tolist() == again.labels.tolist()


def test_a_prior_moves_the_choice():
    truth = [0] * 50 + [1] * 50
    twins = {"a": [0] * 50 + [1] * 50, "b": [0] * 49 + [1] * 51}
    y = partial(truth, sortal.bounds.sample(100, 20, random_state=0))
    for name in twins:
        prior = {twin: 0.98 if twin == name else 0.02 for twin in twins}
        assert LabelSequence(twins, prior=prior).update(y).name == name
    assert LabelSequence(twins, prior=[0.02, 0.98]).update(y).name == "b"


def test_what_is_wrong_is_said():
    y = [0, 1, None, None, 0, 1]
    labels = [0, 1, 0, 1, 0, 1]
    with pytest.raises(InputError, match="each labelled object once"):
        sortal.guarantee(labels, y, order=[0, 1, 4])
    with pytest.raises(InputError, match="positions"):
        sortal.guarantee(labels, y, order=[0.5])
    with pytest.raises(InputError, match="delta"):
        sortal.guarantee(labels, y, 0)
    with pytest.raises(InputError, match="a share for each"):
        LabelSequence([labels, labels], prior=[1.0])
    with pytest.raises(InputError, match="Kraft"):
        LabelSequence([labels, labels], prior=[1.0, 0.5])


def test_one_label_and_all_labels():
    labels = [0, 0, 1, 1]
    assert sortal.guarantee(labels, [0, None, None, None]).bound == 3
    assert sortal.guarantee(labels, [0, None, None, None], anytime=True, order=[0]).bound == 3
    full = sortal.guarantee(labels, [0, 0, 1, 1])
    assert (full.bound, full.bound_rate) == (0, 0.0)
    assert "nothing is left" in str(full)


def test_excluded_objects_are_not_among_those_bounded():
    labelings, truth = population(2)
    codes = np.asarray(labelings["k3"]).copy()
    codes[:100] = -1
    y = partial(truth, sortal.bounds.sample(400, 80, random_state=0))
    guarantee = sortal.guarantee({"some": codes, "all": labelings["k5"]}, y, noise="drop")
    assert guarantee.n == 320  # the other clustering tells their classes
    assert all(value is not None for value in guarantee.labels)
    single = sortal.guarantee(codes, y, noise="drop")
    assert single.n == int(((codes >= 0) & (y == None)).sum())  # noqa: E711
    assert (single.labels[:100] == y[:100]).all()  # None but for labels


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("kind", ["clear", "noisy", "adversarial"])
def test_coverage_over_many_draws(delta, kind):
    labelings, truth = population(3, n=150, noise=0.1 if kind == "clear" else 0.4)
    if kind == "adversarial":
        truth = np.random.default_rng(5).integers(0, 3, 150).tolist()
    broken = 0
    for seed in range(2000):
        y = partial(truth, sortal.bounds.sample(150, 30, random_state=seed))
        guarantee = sortal.guarantee(labelings, y, delta, classes=[0, 1, 2], random_state=seed)
        broken += wrong(guarantee, (truth, y))
    assert broken <= 2000 * delta + 3 * (2000 * delta * (1 - delta)) ** 0.5


@pytest.mark.long
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.1, 0.2])
def test_coverage_when_stopping_at_a_target(delta):
    labelings, truth = population(4, n=200, noise=0.3)
    broken = 0
    for seed in range(2000):
        order = sortal.bounds.sample(200, 100, random_state=seed)
        for m in range(10, 101, 10):
            y = partial(truth, order[:m])
            guarantee = sortal.guarantee(
                labelings, y, delta, anytime=True, order=order[:m], classes=[0, 1, 2]
            )
            if guarantee.bound_rate <= 0.35:
                break
        broken += wrong(guarantee, (truth, y))
    assert broken <= 2000 * delta + 3 * (2000 * delta * (1 - delta)) ** 0.5


def test_what_is_not_refused_keeps_its_bounds_and_what_is_keeps_the_first_reason():
    X = np.repeat([0, 1], 100)
    y = np.where(np.random.default_rng(0).random(200) < 0.4, X, None)
    mdl = sortal.guarantee({"halves": X}, y).mdl
    assert mdl.refused == ""
    assert mdl.table["bound"].iloc[0] < mdl.table["unlabelled"].iloc[0]
    refused = mdl.refusing("the draw")
    assert refused.table["bound"].iloc[0] == mdl.table["unlabelled"].iloc[0]
    assert refused.refusing("something else").refused == "the draw"


def test_the_premise_of_one_question_is_that_of_sequences_alone():
    X = np.repeat([0, 1], 100)
    y = np.where(np.random.default_rng(0).random(200) < 0.4, X, None)
    only = "this is the only question about these labels (ledger= counts several)"
    assert only in sortal.guarantee({"halves": X}, y, anytime=True).premises
    assert only not in sortal.guarantee({"halves": X}, y).premises
