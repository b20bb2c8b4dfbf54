"""The classification likelihood against its definition, and what it must not depend on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, multivariate_t

from sortal.judge import EvidenceSettings, columns, gather

VARIANCE_RIDGE = EvidenceSettings().variance_ridge
SHRINKING_RIDGE = EvidenceSettings().shrinking_ridge


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


@pytest.mark.parametrize("p", [1, 3, 7])
@pytest.mark.parametrize("outliers", [True, False])
def test_likelihood_is_that_of_scipy_and_its_penalty_that_of_bic(p, outliers):
    rng = np.random.default_rng(p)
    X = rng.normal(size=(80, p)) * np.arange(1, p + 1)
    code = rng.permutation(np.arange(80) % 3).astype(np.int32)
    if outliers:
        code[:10] = -1
    evidence = columns(gather(X, code[None]))
    # principal axes of mean square 1
    A = X - X.mean(axis=0)
    A = A @ np.linalg.svd(A, full_matrices=False)[2].T / np.sqrt(np.square(A).mean())
    single, many = naive(A, np.zeros(80, dtype=np.int32)), naive(A, code)
    for name, value in many.items():
        expected = pytest.approx((value - single[name]) / 80, abs=1e-9)
        assert evidence[f"likely {name}"][0] == expected, name
    basic = ["full", "diagonal", "spherical", "shared full", "shared spherical"]
    best = max(many[name] for name in basic) - max(single[name] for name in basic)
    assert evidence["likely best model"][0] == pytest.approx(best / 80, abs=1e-9)
