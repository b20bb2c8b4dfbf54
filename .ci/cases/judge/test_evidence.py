"""The evidence against its definitions, object by object, on random partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from sortal.judge.evidence import (
    ANCHOR_METHODS,
    COLUMN_NAMES,
    OWN_NAMES,
    anchors,
    column_evidence,
    column_intervals,
    look_at,
    own_evidence,
    quick,
)
from sortal.labelings import canonical_codes


def partitions(rng, n, count):
    """Random partitions with outliers, of two to seven clusters."""
    rows = []
    for _ in range(count):
        code = rng.integers(0, rng.integers(2, 8), size=n)
        code[rng.random(n) < 0.1] = -1
        rows.append(canonical_codes(code))
    return np.stack(rows).astype(np.int32)


def naive(view, code):
    """Some of the evidence by loops over objects and clusters."""
    n, k = len(code), code.max() + 1
    members = [np.flatnonzero(code == c) for c in range(k)]
    shares = np.array([len(m) for m in members]) / (code >= 0).sum()
    out = {}
    for name, near in (("label information", view.near), ("wide label information", view.wide)):
        loss = [
            -np.log((np.sum(code[near[i]] == code[i]) + shares[code[i]]) / (near.shape[1] + 1))
            for i in range(n)
            if code[i] >= 0
        ]
        out[name] = max(1 - np.mean(loss) / entropy(shares), -2)
    alike = np.array([np.sum(code[view.near[i]] == code[i]) for i in range(n) if code[i] >= 0])
    out["lonely"], out["outnumbered"] = np.mean(alike == 0), np.mean(alike < 10 / 3)
    thin, low, above, borders = [], [], [], 0
    for c, rows in enumerate(members):
        core = view.core[rows]
        spread = core.std() + 0.05
        foreign = [[j for j in view.near[i] if code[j] >= 0 and code[j] != c] for i in rows]
        border = [i for i, others in zip(rows, foreign, strict=True) if others]
        borders += len(border)
        thin.append((view.core[border].mean() - core.mean()) / spread if border else 6.0)
        heights = [
            max(view.core[i], view.core[j])
            for i in range(n)
            for j in view.near[i]
            if min(code[i], code[j]) >= 0 and (code[i] == c) != (code[j] == c)
        ]
        low.append((min(heights) - core.mean()) / spread if heights else 6.0)
        kept = [h for (i, j), h in zip(view.edges, view.logs, strict=True)
                if code[i] == c and code[j] == c]  # fmt: skip
        cut = [h for (i, j), h in zip(view.edges, view.logs, strict=True)
               if (code[i] == c) != (code[j] == c) and min(code[i], code[j]) >= 0]  # fmt: skip
        shortest = min([*cut, view.logs.max()])
        some = len(kept) > 1
        above.append((shortest - np.mean(kept)) / (np.std(kept) + 0.1) if some else 0.0)
    for name, values in (("thin border", thin), ("low saddle", low), ("tree contrast", above)):
        values = np.clip(values, -6, 6)
        out[name], out[f"worst {name}"] = shares @ values, values.min()
    out["border share"] = borders / (code >= 0).sum()
    return out


@pytest.mark.parametrize("seed", range(4))
def test_the_evidence_is_what_it_says(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(70, 3))
    X[:35] += 2.5 * rng.random()
    view, codes = look_at(X), partitions(rng, 70, 6)
    table = own_evidence(view, codes)
    for row, code in zip(table, codes, strict=True):
        seen = dict(zip(OWN_NAMES, row, strict=True))
        for name, value in naive(view, code).items():
            assert seen[name] == pytest.approx(value, abs=1e-9), name


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_partitions_are_seen_alike_alone_and_together(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(25, 60)), 2))
    view, codes = look_at(X), partitions(rng, len(X), 5)
    alone = np.concatenate([own_evidence(view, code[None]) for code in codes])
    np.testing.assert_allclose(own_evidence(view, codes), alone, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_column_evidence_is_mutual_information_less_its_penalty(seed):
    rng = np.random.default_rng(seed)
    n = 80
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), rng.integers(0, 2, n)])
    codes = partitions(rng, n, 4)
    codes[0] = canonical_codes(X[:, 1].astype(int))
    parts = column_intervals(X)
    assert [len(np.unique(column)) for column in parts] == [4, 3, 2]  # the cube root of n, values
    for row, code in zip(column_evidence(parts, codes), codes, strict=True):
        inside = code >= 0
        m, k = inside.sum(), code.max() + 1
        gains = np.array([
            mutual_info_score(column[inside], code[inside])
            - (k - 1) * column.max() / 2 * np.log(n) / m
            for column in parts
        ])  # fmt: skip
        shares = np.bincount(code[inside]) / m
        expected = [gains.mean(), gains.max(), (gains > 0).mean(), gains.sum() - entropy(shares)]
        np.testing.assert_allclose(row, expected, atol=1e-9)
    first = dict(zip(COLUMN_NAMES, column_evidence(parts, codes)[0], strict=True))
    assert first["column share"] == pytest.approx(1 / 3)


def test_anchors_do_not_depend_on_the_order_or_on_chance():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(90, 4))
    order = rng.permutation(90)
    codes, _ = anchors(Z)
    again, _ = anchors(Z[order])
    first = {canonical_codes(code[order]).tobytes() for code in codes}
    assert first == {canonical_codes(code).tobytes() for code in again}
    parts = quick(Z, [2, 5, 9])
    assert list(parts) == list(ANCHOR_METHODS)
    for labels in parts.values():
        assert [len(np.unique(row)) for row in labels] == [2, 5, 9]


def test_a_lost_cluster_leaves_the_partition_it_came_from():
    # three of four means coincide, so k-means would lose clusters
    Z = np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0)
    labels = quick(Z, [4])["k-means"][0]
    assert len(np.unique(labels)) == 4
