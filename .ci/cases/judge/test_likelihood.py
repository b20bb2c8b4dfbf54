"""What the classification likelihood must not depend on."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

from sortal.judge.evidence import coordinates
from sortal.judge.likelihood import (
    LIKELIHOOD_NAMES,
    likelihood_evidence,
    principal_axes,
)


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
