"""Two groups on a line, told from one flat, skewed or long-tailed group."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import norm, uniform

from sortal import assess_structure
from sortal._kernels import modes
from sortal._kernels.dip import dip_evidence
from sortal._kernels.modes import _bimodal, line_evidence, two_against_one
from sortal.datasets.values.dependence import mode_p_value

ONE = {
    "normal": lambda r: r.normal(size=200),
    "uniform": lambda r: r.uniform(size=200),
    "flat with tails": lambda r: r.uniform(-2, 2, 200) + 0.7 * r.normal(size=200),
    "exponential": lambda r: r.exponential(size=200),
    "log-normal": lambda r: np.exp(r.normal(size=200)),
    "t of 3 degrees": lambda r: r.standard_t(3, 200),
}


@pytest.mark.parametrize("kind", ONE)
def test_one_group_is_not_taken_for_two(kind):
    values = [line_evidence(ONE[kind](np.random.default_rng([3, i]))) for i in range(40)]
    assert np.quantile(values, 0.9) < 3.0


@pytest.mark.parametrize(("share", "apart"), [(0.5, 4.0), (0.15, 5.0), (0.06, 7.0)])
def test_two_groups_are_seen_whatever_their_sizes(share, apart):
    rng = np.random.default_rng(0)
    second = np.arange(300) < share * 300
    x = rng.normal(size=300) + apart * second
    assert two_against_one(x) > 5
    assert line_evidence(x) == pytest.approx(dip_evidence(np.sort(x)) + two_against_one(x))


def test_a_small_group_has_no_deep_valley_and_is_seen():
    rng = np.random.default_rng(3)
    x = np.r_[rng.normal(size=340), rng.normal(5, 1, size=60)]
    assert dip_evidence(np.sort(x)) < 3 < 20 < two_against_one(x)


def test_shift_scale_direction_and_order_do_not_matter():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200) + 3.5 * (np.arange(200) % 3 == 0)
    value = two_against_one(x)
    assert value > 1
    for changed in (5 - 100 * x, rng.permutation(x), x + 1e-7 * rng.normal(size=200)):
        assert two_against_one(changed) == pytest.approx(value, abs=0.02)


def test_evidence_of_many_values_grows_with_their_square_root(monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.normal(size=1500) + 3.5 * (np.arange(1500) % 3 == 0)
    of_quantiles = two_against_one(x)
    monkeypatch.setattr(modes, "MOST_VALUES", 10_000)
    assert of_quantiles == pytest.approx(two_against_one(x) / (1500 / 400) ** 0.5, rel=0.1)


def likelihood(family, at, x):
    """Log-likelihood and its slopes."""
    slopes = np.empty(4)
    return modes.log_likelihood(family, np.array(at), x, slopes, np.empty((4, 4))), slopes


def test_likelihoods_are_those_of_the_densities():
    x = np.random.default_rng(4).normal(size=50)
    two = 0.25 * norm.pdf(x, -0.5, 0.8) + 0.75 * norm.pdf(x, 1.5, 0.8)
    at = [0.5, 0.0, np.log(0.8), np.log(1 / 3)]
    assert likelihood(modes.TWO_GROUPS, at, x)[0] == pytest.approx(np.log(two).sum())
    grid = np.linspace(-1.5, 2.5, 40_001)
    of_grid = uniform.pdf(grid, -1.5, 4) * (1 + np.tanh(0.3) * (grid - 0.5) / 2)
    flat = [np.trapezoid(of_grid * norm.pdf(v, grid, 0.6), grid) for v in x]
    at = [0.5, np.log(2), np.log(0.6), 0.3]
    assert likelihood(modes.TRAPEZIUM, at, x)[0] == pytest.approx(np.log(flat).sum(), abs=1e-3)
    z = np.sinh(1.3 * np.arcsinh((x - 0.2) / 0.7) - 0.4)  # normal, by definition
    steep = np.log(1.3 * np.sqrt(1 + z * z) / np.sqrt(0.49 + np.square(x - 0.2)))
    at = [0.2, np.log(0.7), 0.4, np.log(1.3)]
    expected = (norm.logpdf(z) + steep).sum()
    assert likelihood(modes.BENT_NORMAL, at, x)[0] == pytest.approx(expected)


@pytest.mark.parametrize("family", [modes.TWO_GROUPS, modes.TRAPEZIUM, modes.BENT_NORMAL])
def test_slopes_are_those_of_the_likelihood(family):
    rng = np.random.default_rng(6)
    x = rng.normal(size=30)
    for _ in range(20):
        at = rng.normal(size=4) * [1, 0.5, 0.5, 1]
        slopes = likelihood(family, at, x)[1]
        numeric = approx_fprime(at, lambda at: likelihood(family, at, x)[0], 1e-7)
        assert numeric == pytest.approx(slopes, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8, 1e200])
@pytest.mark.parametrize("kind", ["atoms", "outlier", "few and an outlier", "heavy tails", "steps"])
def test_odd_values_have_a_finite_evidence(kind, scale):
    rng = np.random.default_rng(7)
    values = {
        "atoms": (rng.random(100) < 0.3).astype(float),
        "outlier": np.r_[rng.normal(size=99), 1e9],
        "few and an outlier": np.r_[rng.normal(size=15), 100],
        "heavy tails": rng.standard_cauchy(100) ** 3,
        "steps": np.repeat(np.exp(np.arange(10.0)), 10),
    }[kind]
    with np.errstate(over="ignore"):
        assert np.isfinite(line_evidence(values * scale))


@pytest.mark.parametrize("odds", [0.0, 1.0, 2.5, -2.5, 4.0])
@pytest.mark.parametrize("half", [0.9, 1.2, 1.7, 2.5])
def test_modes_are_those_of_the_density(half, odds):
    low = 1 / (1 + np.exp(-odds))
    x = np.linspace(-6, 6, 20_001)
    density = low * norm.pdf(x, -half) + (1 - low) * norm.pdf(x, half)
    modes = (np.diff(np.sign(np.diff(density))) < 0).sum()
    assert _bimodal(np.array([0.0, np.log(half), 0.0, odds])) == (modes == 2)


def test_few_or_equal_values_are_no_evidence():
    assert two_against_one(np.ones(50)) == 0
    assert two_against_one(np.arange(10.0)) == 0
    # fewer than eight outliers are no group
    x = np.r_[np.random.default_rng(0).normal(size=200), 20 + np.arange(5)]
    assert two_against_one(x) == 0


def test_a_column_with_a_small_group_counts_and_a_flat_one_does_not():
    rng = np.random.default_rng(5)
    small = rng.normal(size=600) + 6 * (np.arange(600) < 60)
    assert mode_p_value(small, rng, fitted=True) < 1e-4 < mode_p_value(small, rng, fitted=False)
    assert mode_p_value(rng.uniform(size=600), rng, fitted=True) > 0.01


@pytest.mark.parametrize(("share", "apart"), [(0.2, 5.0), (1 / 21, 7.0)])
def test_a_small_group_in_two_features_is_structure(share, apart):
    X = np.random.default_rng(0).normal(size=(300, 2))
    X[: round(share * 300), 0] += apart
    structure = assess_structure(X)
    assert (structure.decision, structure.n_clusters) == ("yes", 2)
