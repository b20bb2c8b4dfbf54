"""The classification likelihood against its definition, and what it must not depend on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, multivariate_t, ortho_group

from sortal.judge.evidence import coordinates
from sortal.judge.likelihood import (
    LIKELIHOOD_NAMES,
    SHRINKING_RIDGE,
    VARIANCE_RIDGE,
    likelihood_evidence,
    principal_axes,
)


def naive(A, code):
    """-BIC / 2 of each model by name, object by object."""
    n, p = A.shape
    k, m = code.max() + 1, min(p, 5)
    groups = [A[code == c] for c in range(k)]
    covariances = [np.cov(X.T, bias=True).reshape(p, p) for X in groups]
    pooled = sum(len(X) * S for X, S in zip(groups, covariances, strict=True)) / sum(
        map(len, groups)
    )
    full = p * (p + 1) // 2
    few = m * (m + 1) // 2

    def total(of, n_parameters, d):
        value = 0.0
        for X, S in zip(groups, covariances, strict=True):
            value += len(X) * np.log(len(X) / n) + of(X, S)
        out = (code < 0).sum()
        if out:
            value += out * (np.log(out / n) - np.log(np.ptp(A, axis=0)[:d] + VARIANCE_RIDGE).sum())
        return value - (n_parameters + k - 1) / 2 * np.log(n)

    def normal(X, S, d=p, ridge=VARIANCE_RIDGE):
        at = X.mean(axis=0)[:d]
        return multivariate_normal(at, S[:d, :d] + ridge * np.eye(d)).logpdf(X[:, :d]).sum()

    def heavy(X, S):
        scale = S[:m, :m] / 2 + VARIANCE_RIDGE * np.eye(m)
        return multivariate_t(X.mean(axis=0)[:m], scale, df=4).logpdf(X[:, :m]).sum()

    return {
        "full": total(normal, k * (p + full), p),
        "full shrunk": total(lambda X, S: normal(X, S, ridge=SHRINKING_RIDGE), k * (p + full), p),
        "leading full": total(lambda X, S: normal(X, S, m), k * (m + few), m),
        "leading heavy": total(heavy, k * (m + few), m),
        "diagonal": total(lambda X, S: normal(X, np.diag(np.diag(S))), k * 2 * p, p),
        "spherical": total(
            lambda X, S: normal(X, np.trace(S) / p * np.eye(p)), k * (p + 1), p
        ),
        "shared full": total(lambda X, S: normal(X, pooled), k * p + full, p),
        "shared spherical": total(
            lambda X, S: normal(X, np.trace(pooled) / p * np.eye(p)), k * p + 1, p
        ),
    }  # fmt: skip


def drawn(seed, n=40, p=3, k=3, outliers=True):
    rng = np.random.default_rng(seed)
    A = principal_axes(coordinates(rng.normal(size=(n, p)) * np.arange(1, p + 1)))
    code = rng.permutation(np.arange(n) % k).astype(np.int32)
    if outliers:
        code[: n // 8] = -1
    return A, code


@pytest.mark.parametrize("p", [1, 3, 7])
@pytest.mark.parametrize("outliers", [True, False])
def test_likelihood_is_that_of_scipy_and_its_penalty_that_of_bic(p, outliers):
    A, code = drawn(p, n=80, p=p, outliers=outliers)
    evidence = likelihood_evidence(A, code[None])[0]
    single, many = naive(A, np.zeros(80, dtype=np.int32)), naive(A, code)
    for name, value in zip(LIKELIHOOD_NAMES[:-1], evidence, strict=False):
        assert value == pytest.approx((many[name] - single[name]) / 80, abs=1e-9), name
    basic = ["full", "diagonal", "spherical", "shared full", "shared spherical"]
    best = max(many[name] for name in basic) - max(single[name] for name in basic)
    assert evidence[-1] == pytest.approx(best / 80, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_order_names_axes_origin_and_units_are_no_evidence(seed, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, p)) * np.arange(1, p + 1) ** 2
    code = rng.integers(-1, 3, size=50).astype(np.int32)
    code[:3] = 0, 1, 2
    turn = ortho_group.rvs(p, random_state=seed) if p > 1 else np.eye(1)
    order = rng.permutation(50)
    renamed = np.where(code < 0, -1, 2 - code).astype(np.int32)
    before = likelihood_evidence(principal_axes(coordinates(X)), code[None])
    Z = (X @ turn * 300 + 5)[order]
    after = likelihood_evidence(principal_axes(coordinates(Z)), renamed[order][None])
    np.testing.assert_allclose(after, before, atol=1e-7)


def test_the_true_clusters_are_likelier_than_one_and_than_others():
    rng = np.random.default_rng(0)
    long = rng.normal(size=(60, 2)) * [4, 0.3]
    X = np.concatenate([long, long[:, ::-1] + [0, 8]])
    truth = np.repeat([0, 1], 60).astype(np.int32)
    across = (X[:, 0] > 0).astype(np.int32)
    evidence = likelihood_evidence(principal_axes(coordinates(X)), np.stack([truth, across]))
    full = LIKELIHOOD_NAMES.index("full")
    assert evidence[0, full] > 0.5
    assert evidence[0, full] > evidence[1, full] + 0.5


def test_constant_data_and_clusters_of_one_have_values():
    codes = np.stack([np.arange(30) % 2, np.arange(30)]).astype(np.int32)
    for X in (np.zeros((30, 2)), np.repeat(np.eye(3)[:, :2], 10, axis=0)):
        assert np.isfinite(likelihood_evidence(principal_axes(coordinates(X)), codes)).all()
