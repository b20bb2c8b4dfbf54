"""Informative priors of a description language, by hand and by Kraft's inequality."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sortal.bounds import b_max
from sortal_lab.banerjee2004_prior import (
    BOTH,
    DELTA,
    KS,
    PAPER,
    PRIORS,
    SHARES,
    Fits,
    label_bits,
    language_of,
    outcome,
)

STARTS = 2


def fits() -> Fits:
    """Clusterings of 60 objects in two classes, of which one in ten is class 1."""
    truth = np.repeat([0, 1], [54, 6])
    codes = [
        np.where(truth == 1, k - 1, np.arange(60) % (k - 1)) for k in KS for _ in range(STARTS)
    ]
    names = tuple(f"{k} clusters, start {start}" for k in KS for start in range(STARTS))
    return Fits(names, np.array(codes), np.repeat(KS, STARTS), truth)


@pytest.mark.parametrize("prior", PRIORS)
def test_a_prior_is_a_valid_language(prior: str) -> None:
    given = fits()
    bits = language_of(prior, given, 2).choice_bits(given.names, given.ks)
    assert np.exp2(-bits).sum() <= 1 + 1e-12
    # the number of classes is 2, and equal numbers have equal shares
    assert bits[0] == bits[1]


def test_the_codes_of_the_classes_sum_to_one() -> None:
    shares = np.array([0.7, 0.2, 0.1])
    total = sum(
        2 ** -label_bits(np.array(classes), shares)
        for classes in itertools.product(range(3), repeat=4)
    )
    assert total == pytest.approx(1)


def test_a_bound_by_hand() -> None:
    given, train = fits(), np.arange(60) % 2 == 0
    bound, bits, clusters, error, broken = outcome(given, train, PAPER)
    # two clusters without an error: log2 of the starts, of 2 · 1, and a bit for each cluster
    assert bits == pytest.approx(1 + 1 + 2)
    by_hand = b_max(30, 30, 0, log_delta=math.log(DELTA) - math.log(2) * bits)
    assert bound == pytest.approx(100 * by_hand / 30)
    assert (clusters, error, broken) == (2, 0, False)
    # the shares of the classes are those of all objects, in training and test part alike
    assert outcome(given, train, SHARES)[1] == pytest.approx(2 - math.log2(0.9) - math.log2(0.1))
    with_both = language_of(BOTH, given, 2).choice_bits(given.names, given.ks)
    assert with_both[0] < with_both[-1]
