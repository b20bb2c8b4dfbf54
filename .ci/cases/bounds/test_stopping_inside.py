"""The boundary of a target: chances of a false stop, from all orders."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import naive_bounds
from sortal.bounds import LabelSequence, sample, stopping_line
from sortal.bounds.stopping import allowed_errors, false_stop_chances


def chances_of(N, checks, target, rate=0.2):
    checks = np.array(checks, dtype=np.int64)
    allowed = allowed_errors(N - checks, target)
    return false_stop_chances(N, checks, allowed, rate, np.arange(N + 1))


@pytest.mark.parametrize("checks", [[1, 2, 3], [2, 5], [3, 4, 8, 9], [9], [1, 4, 7]])
@pytest.mark.parametrize("target", [0.1, 0.25, 0.5])
def test_a_false_stop_is_as_likely_as_all_orders_say(checks, target):
    computed = chances_of(9, checks, target)
    for E in range(10):
        reference = naive_bounds.false_stop(9, E, checks, Fraction(str(target)))
        assert computed[E] == pytest.approx(float(reference), abs=1e-13)
        assert reference == naive_bounds.false_stop_by_steps(9, E, checks, Fraction(str(target)))


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.6])
def test_the_rate_of_the_dynamic_programming_does_not_matter(rate):
    assert chances_of(60, [9, 17, 30, 41], 0.15, rate) == pytest.approx(
        chances_of(60, [9, 17, 30, 41], 0.15), abs=1e-12
    )


@pytest.mark.long
@pytest.mark.parametrize(("N", "target", "delta"), [(300, 0.1, 0.09), (1000, 0.1, 0.09)])
def test_every_number_of_wrong_objects_of_larger_populations(N, target, delta):
    line = stopping_line(N, target, delta)
    chances = false_stop_chances(N, line.checks, line.allowed, 0.05, np.arange(N + 1))
    assert chances.max() == pytest.approx(line.risk, rel=1e-8)
    for E in (int(target * N) - 1, int(chances.argmax())):
        reference = naive_bounds.false_stop_by_steps(N, E, line.checks.tolist(), Fraction("0.1"))
        assert chances[E] == pytest.approx(float(reference), rel=1e-9)


def test_allowed_errors_are_those_whose_share_is_at_most_the_target():
    for n, target in itertools.product(range(1, 120), (0.07, 0.1, 0.29, 0.3, 0.58, 0.999)):
        most = int(allowed_errors(np.array([n]), target)[0])
        assert most / n <= target
        assert most == n or (most + 1) / n > target
    assert allowed_errors(np.array([0]), 0.3).tolist() == [0]


def test_labels_before_the_test_are_no_part_of_it():
    truth, codes = design(2)
    order = sample(160, 160, random_state=0)
    keeps = LabelSequence(codes, target=0.3)
    guarantee = keeps.update(labelled(truth, order, 60), order[:60])
    part = next(p for p in guarantee.parts if p.method == "target")
    (test, *_) = (s for s in keeps._tests._starts._starts if s.line is not None)
    assert test.at > 0
    assert part.tested == 60 - test.at
    assert test.line.n == test.n == 160 - test.at
    assert test.line.risk <= 0.9 * 0.1
    before = test.classifier.predicted.copy()
    changed = truth.copy()
    changed[order[test.at : 60]] = 1 - changed[order[test.at : 60]]
    other = LabelSequence(codes, target=0.3)
    other.update(labelled(changed, order, 60), order[:60])
    (again, *_) = (s for s in other._tests._starts._starts if s.line is not None)
    assert again.at == test.at
    # classes are numbered by first appearance, the same for both
    assert again.classifier.predicted.tolist() == before.tolist()


def labelled(truth, order, m):
    y = np.full(len(truth), None, dtype=object)
    y[order[:m]] = truth[order[:m]]
    return y


def design(seed, n=160, noise=0.12):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    flips = rng.random((3, n)) < noise
    return truth, np.where(flips, 1 - truth, truth)
