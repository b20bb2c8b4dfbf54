"""Kendall's τ between rankings against SciPy, by hand, and its intervals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from example_counts import examples
from sortal import InputError
from sortal.bench import compare_methods, rank_agreement

# whissell2012 table 5.7, by NMI and by FQ; table 5.8 has τ 0.279 for them
BY_NMI = [
    "Agglo-H1",
    "RB-I2",
    "Agglo-I2",
    "RB-H1",
    "NC-NMF",
    "Spect-Sy",
    "RB-K-means",
    "Spect-Un",
    "K-means",
    "Spect-RW",
    "Direct-I2",
    "UPGMA",
    "Direct-H1",
    "PCA-K",
    "PAM",
    "Clink",
    "Slink",
]
BY_FQ = [
    "Agglo-I2",
    "NC-NMF",
    "Agglo-H1",
    "UPGMA",
    "Direct-I2",
    "Direct-H1",
    "K-means",
    "Spect-Un",
    "RB-K-means",
    "Spect-RW",
    "Spect-Sy",
    "RB-H1",
    "Clink",
    "RB-I2",
    "PAM",
    "PCA-K",
    "Slink",
]


def test_a_published_tau():
    scores = pd.DataFrame([[-BY_NMI.index(m) for m in BY_FQ]] * 2, columns=BY_FQ)
    agreement = rank_agreement({"NMI": scores}, published={"FQ": BY_FQ}).iloc[0]
    assert agreement["tau"] == pytest.approx(0.279, abs=5e-4)
    assert agreement[["low", "high"]].tolist() == [agreement["tau"]] * 2  # both sets say the same


@examples(40)
@given(st.integers(2, 8), st.integers(2, 6), st.integers(0, 10**6), st.sampled_from([0, 6]))
def test_tau_by_scipy(n, m, seed, digits):
    first, second = np.random.default_rng(seed).normal(size=(2, n, m)).round(digits)
    mean = [-stats.rankdata(-table, axis=1).sum(axis=0) for table in (first, second)]
    wanted = stats.kendalltau(*mean).statistic
    if any(np.ptp(ranks) == 0 for ranks in mean):
        with pytest.raises(InputError, match="all methods tie"):
            rank_agreement({"one": first, "other": second}, n_resamples=3)
        return
    agreement = rank_agreement({"one": first, "other": second}, n_resamples=3).iloc[0]
    assert agreement["tau"] == pytest.approx(wanted)


def test_intervals_by_an_explicit_bootstrap():
    rng = np.random.default_rng(0)
    base = np.linspace(0, 1, 5)
    first, second = base + rng.normal(0, 0.5, (2, 9, 5))
    agreement = rank_agreement(
        {"one": first, "other": second}, n_resamples=200, random_state=3
    ).iloc[0]
    taus = []
    for draw in np.random.default_rng(3).integers(0, 9, (200, 9)):
        ranks = [stats.rankdata(table[draw], axis=1).sum(axis=0) for table in (first, second)]
        taus.append(stats.kendalltau(*ranks).statistic)
    low, high = np.quantile(taus, [0.025, 0.975])
    interval = [
        min(low, 2 * agreement["tau"] - high),
        max(high, min(2 * agreement["tau"] - low, 1)),
    ]
    assert [agreement["low"], agreement["high"]] == pytest.approx(interval)
    assert agreement["low"] < agreement["tau"] < agreement["high"]


def test_the_interval_covers_what_more_sets_would_show():
    """Of 30 sets; the truth is the agreement of the average ranks over very many."""
    base, noise = np.array([0.0, 0.15, 0.3, 0.8, 1.2]), 0.5
    swapped = base[[1, 0, 2, 3, 4]]  # one pair the other way round: τ is 0.8
    n_covered = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        first, second = (b + rng.normal(0, noise, (30, 5)) for b in (base, swapped))
        agreement = rank_agreement({"a": first, "b": second}, n_resamples=200).iloc[0]
        n_covered += agreement["low"] - 1e-9 <= 0.8 <= agreement["high"] + 1e-9
    assert n_covered >= 90


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_agreement({}), "one measure or more"),
        (
            lambda: rank_agreement({"a": np.eye(2), "b": np.eye(3)}),
            "differ in data sets or methods",
        ),
        (lambda: rank_agreement({"a": np.eye(3)[:2]}, published={"p": [0]}), "once: 0, 1, 2"),
        (lambda: rank_agreement({"a": np.eye(3)[:2]}, n_resamples=0), "at least 1"),
        (lambda: compare_methods({"a": [0.9], "b": [0.8, 0.7]}), "for each method as many"),
    ],
)
def test_rankings_that_cannot_be_compared(call, message):
    with pytest.raises(InputError, match=message):
        call()
