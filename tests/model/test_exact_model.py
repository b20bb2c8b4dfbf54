"""Models of few objects by naive computations: limits, margins, confidence, all rows, evidence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.special import betaln
from sklearn.metrics import calinski_harabasz_score

import sortal
from sortal import InputError, model
from sortal.model import PlacementRule


def test_results_are_compared_by_identity() -> None:
    by_identity = {
        model.Assignment, model.AssignedRows, model.Changes, model.Model, model.PlacementRule,
        model.Signal, model.WatchedClusters,
    }  # fmt: skip
    for kind in by_identity:
        assert kind.__eq__ is object.__eq__, kind
    for kind in (model.Confidence, model.ExtensionAgreement, model.ResamplingReference):
        assert kind.__eq__ is not object.__eq__, kind
    hidden = {name for name, field in model.AssignedRows.__dataclass_fields__.items()
              if not field.repr}  # fmt: skip
    assert hidden == {"features", "means", "deviations"}
    assert not model.WatchedClusters.__dataclass_fields__["signals"].repr


# -- the rule ---------------------------------------------------------------------------------


def spacings(X: Any) -> Any:
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    return np.sort(D.min(axis=1))


def test_limits_are_quantiles_of_the_distances_to_the_next_object() -> None:
    rng = np.random.default_rng(0)
    sizes = [250, 100, 99, 3, 2, 1]
    labels = np.repeat(np.arange(6), sizes).astype(np.int32)
    X = rng.normal(size=(len(labels), 2)) * (1.0 + labels[:, None]) + 100.0 * labels[:, None]
    limits = PlacementRule.of(X, labels).limits
    parts = [spacings(X[labels == c]) for c in range(5)]
    # an ordinary object exceeds the j-th smallest of n with probability 1 - j/(n + 1)
    assert limits[0] == pytest.approx(parts[0][248])
    assert limits[1] == pytest.approx(parts[1][-1])
    shared = np.sort(np.concatenate(parts[2:]))
    assert limits[2:] == pytest.approx(shared[math.ceil(0.99 * 105) - 1])
    alone = PlacementRule.of(X[labels == 5], np.zeros(1, np.int32))
    assert np.isinf(alone.limits).all()
    pair = PlacementRule.of(X[labels == 4], np.zeros(2, np.int32))
    assert pair.limits == pytest.approx(parts[4][0])


def test_the_nearest_centre_decides_if_one_of_a_thousand_is_nearer_to_another() -> None:
    X = np.r_[np.zeros(600), np.full(400, 10.0)][:, None] + np.linspace(-1, 1, 1000)[:, None]
    labels = np.repeat([0, 1], [600, 400]).astype(np.int32)
    assert PlacementRule.of(X, labels).by_centers
    one = labels.copy()
    one[0] = 1
    assert PlacementRule.of(X, one).by_centers
    assert not PlacementRule.of(X[1:], np.r_[1, one[2:]].astype(np.int32)).by_centers
    two = one.copy()
    two[1] = 1
    assert not PlacementRule.of(X, two).by_centers
    assert PlacementRule.of(X, two, by_centers=True).by_centers
    out = labels.copy()
    out[3] = -1
    assert not PlacementRule.of(X, out).by_centers
    assert not PlacementRule.of(X, labels, "cityblock").by_centers


def placed(rule: Any, Z: Any, D: Any, own: Any = None) -> Any:
    """Labels and margins from the distances to all objects, or to all centres."""
    labels, margins = [], []
    for i, row in enumerate(D):
        row = row.copy()
        groups = np.arange(D.shape[1]) if rule.by_centers else rule.labels
        nearest = groups[row.argmin()]
        labels.append(nearest)
        if own is not None and own[i] >= 0:
            row[own[i]] = np.inf
        home = row[groups == nearest].min(initial=np.inf)
        other = row[groups != nearest].min(initial=np.inf)
        margins.append(1.0 if np.isinf(other) else 0.0 if other == 0 else max(0, 1 - home / other))
    return labels, margins


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine", "sqeuclidean"])
@pytest.mark.parametrize("by_centers", [False, True])
def test_further_objects_by_all_distances(metric: str, by_centers: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 3)) + 3.0 * np.eye(3)[np.arange(70) % 3] + 1
    labels = (np.arange(70) % 3).astype(np.int32)
    if not by_centers:
        labels[::11] = -1
    elif metric == "cityblock":
        return
    Z = rng.normal(size=(40, 3)) * 3
    Z[3], Z[4] = X[3], 90.0
    rule = PlacementRule.of(X, labels, metric, by_centers=by_centers)
    forms = (X, Z)
    if metric == "cosine":
        forms = tuple(rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (X, Z))
    if metric == "cityblock":
        D = cdist(Z, X, "cityblock")
        inside = [cdist(X[labels == c], X[labels == c], "cityblock").sum(axis=1) for c in range(3)]
        centers = np.array([X[labels == c][s.argmin()] for c, s in enumerate(inside)])
        to_centers = cdist(Z, centers, "cityblock")
    else:
        D = cdist(forms[1], X if metric != "cosine" else forms[0])
        D = {"cosine": D**2 / 2, "sqeuclidean": D**2}.get(metric, D)
        centers = np.array([forms[0][labels == c].mean(axis=0) for c in range(3)])
        to_centers = cdist(forms[1], centers)
    np.testing.assert_allclose(rule.centers[:, :3], centers)
    expected, margins = placed(rule, Z, to_centers if by_centers else D)
    found = rule.place(Z)
    assert found.labels.tolist() == expected
    np.testing.assert_allclose(found.margins, margins, atol=1e-9)
    wanted = to_centers[np.arange(40), expected]
    wanted[np.array(expected) < 0] = np.nan
    np.testing.assert_allclose(found.distances, wanted, atol=1e-9)
    near = np.array([[row[labels == c].min() for c in range(3)] for row in D])
    unlike = near.min(axis=1) > rule.limits[near.argmin(axis=1)] * (1 + 1e-9)
    assert found.unlike.tolist() == unlike.tolist()
    assert found.unlike.any()
    assert not found.unlike.all()
    slow = rule.place(Z, labels=np.array(expected, dtype=np.int32))
    for one, other in zip(found, slow, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    if metric == "cosine":
        thin = PlacementRule.of(sparse.csr_array(X), labels, metric, by_centers=by_centers)
        for one, other in zip(found, thin.place(sparse.csr_array(Z)), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-7)
    own = np.where(np.arange(40) % 4 == 1, -1, np.arange(40))
    if metric in ("euclidean", "cityblock") and not by_centers:
        D = cdist(X[:40], X, metric)
        expected, margins = placed(rule, X[:40], D, own)
        found = rule.place(X[:40], own)
        assert found.labels.tolist() == expected
        np.testing.assert_allclose(found.margins, margins, atol=1e-9)
    assert rule != PlacementRule.of(X, labels, metric, by_centers=by_centers)
    empty = rule.place(Z[:0])
    assert [len(part) for part in empty] == [0] * 4


def test_the_only_cluster_and_objects_at_one_place() -> None:
    X = np.array([[0.0], [1.0], [2.0], [2.0]])
    one = PlacementRule.of(X, np.zeros(4, np.int32)).place(np.array([[0.5], [9.0]]))
    assert one.margins.tolist() == [1, 1]
    assert one.unlike.tolist() == [False, True]
    assert one.distances.tolist() == [0.75, 7.75]
    two = PlacementRule.of(X, np.array([0, 0, 0, 1], np.int32), by_centers=False)
    assert two.place(np.array([[2.0]])).margins.tolist() == [0]
    with pytest.raises(InputError, match="every object is an outlier"):
        PlacementRule.of(X, np.full(4, -1, np.int32))


# -- held-out objects -------------------------------------------------------------------------


def test_shares_of_groups_of_margins() -> None:
    def of(*groups: tuple[int, int]) -> Any:
        """Confidence of groups of objects, of which some agree."""
        agree = np.concatenate([np.arange(n) < right for n, right in groups])
        return model.Confidence.of(np.arange(len(agree)) / len(agree), agree)

    assert of((19, 5)).shares == (6 / 21,)
    assert of((20, 20)).shares == (21 / 22,)
    assert of((20, 10), (20, 18)).shares == (11 / 22, 19 / 22)
    assert of((20, 18), (20, 10)).shares == (29 / 42, 29 / 42)
    # 41 objects are 21 and 20
    uneven = of((21, 11), (20, 11))
    assert uneven.shares == (12 / 23, 12 / 22)
    np.testing.assert_allclose(uneven.margins, (10 / 41, 30.5 / 41))
    many = model.Confidence.of(np.linspace(0, 1, 1500), np.ones(1500, bool))
    assert len(many.margins) == 50
    assert set(many.shares) == {1501 / 1502}
    none = model.Confidence.of(np.empty(0), np.empty(0, bool))
    assert (none.margins, none.shares) == ((0.0, 1.0), (0.5, 0.5))
    assert of((20, 10), (20, 18))(np.array([-1, 9.5 / 40, 19.5 / 40, 2])).tolist() == [
        0.5, 0.5, pytest.approx(15 / 22), 19 / 22,
    ]  # fmt: skip


def test_a_clusterer_that_finds_one_cluster_has_clustered() -> None:
    X = np.arange(20.0)[:, None] // 10 * 50 + np.arange(20.0)[:, None] % 10
    y = np.arange(20) // 10
    said = sortal.Model.of(X, y, refit=lambda rows: np.zeros(len(rows), int)).extension_agreement
    assert said.refitted
    assert said.reason is None
    assert said.value == 0
    again = sortal.Model.of(X, y, refit=lambda rows: (rows[:, 0] > 25) * 1).extension_agreement
    assert (again.value, again.standard_error, again.share, again.n_objects) == (1, 0, 1, 20)
    for wrong in (
        lambda rows: None,
        lambda rows: np.zeros(3, int),
        lambda rows: -np.ones(len(rows), int),
    ):
        said = sortal.Model.of(X, y, refit=wrong).extension_agreement
        assert (said.refitted, said.value) == (False, 1)
        assert said.reason
    few = sortal.Model.of(X[6:15], y[6:15]).extension_agreement
    assert (few.value, few.share, few.n_objects) == (None, None, 0)
    assert "9" in few.reason
    assert sortal.Model.of(X[5:15], y[5:15]).extension_agreement.value is not None


# -- all rows and periods ---------------------------------------------------------------------


def written(folder: Path, X: Any, parts: int = 2) -> Path:
    """Rows in some files."""
    for i, rows in enumerate(np.array_split(np.arange(len(X)), parts)):
        pd.DataFrame(X[rows], columns=["a", "b"]).to_csv(folder / f"p{i}.csv", index=False)
    return folder


def test_all_rows_by_hand(tmp_path: Path) -> None:
    X = np.array([[0.0, 0], [0, 2], [2, 0], [10, 10], [10, 12], [50, 60]])
    labels = np.array([0, 0, 0, 1, 1, 1])
    made = sortal.Model.of(pd.DataFrame(X[:5], columns=["a", "b"]), labels[:5])
    rows = model.assign_rows(made, written(tmp_path, X))
    assert (rows.n_rows, rows.sizes, rows.outliers, rows.filled, rows.left) == (6, (3, 3), 0, 0, 0)
    assert rows.unlike == (0, 1)
    assert rows.features == ("a", "b")
    means = np.array([X[labels == c].mean(axis=0) for c in range(2)])
    np.testing.assert_allclose(rows.means, means)
    np.testing.assert_allclose(rows.deviations, [X[labels == c].std(axis=0) for c in range(2)])
    assert rows.within_sum_of_squares == pytest.approx(((X - means[labels]) ** 2).sum())
    assert rows.calinski_harabasz == pytest.approx(calinski_harabasz_score(X, labels))
    centers = np.array([X[:3].mean(axis=0), X[3:5].mean(axis=0)])
    spread = [np.linalg.norm(X[labels == c] - centers[c], axis=1).mean() for c in range(2)]
    apart = np.linalg.norm(means[0] - means[1])
    assert rows.davies_bouldin == pytest.approx(sum(spread) / apart)
    moved = np.linalg.norm(means - centers, axis=1).sum()
    assert rows.davies_bouldin_error == pytest.approx(moved / apart)
    table = rows.table
    assert table["rows"].tolist() == [3, 3]
    assert table["unlike"].tolist() == [0, 1]
    assert table[["a", "b"]].to_numpy().tolist() == rows.means.tolist()
    assert rows != model.AssignedRows(**vars(rows))
    assert "means" not in repr(rows)
    assert "deviations" not in repr(rows)
    plain = rows.to_dict()
    assert (plain["means"], plain["rare"]) == (rows.means.tolist(), [])
    assert rows.unsure == int(
        (made.predict(pd.DataFrame(X, columns=["a", "b"])).confidence < 0.8).sum()
    )


def test_all_rows_of_one_cluster_and_under_another_distance(tmp_path: Path) -> None:
    X = np.array([[1.0, 2], [2, 1], [1, 3], [5, 1], [6, 1], [7, 2]])
    frame = pd.DataFrame(X, columns=["a", "b"])
    folder = written(tmp_path, X)
    one = model.assign_rows(sortal.Model.of(frame, [0] * 6), folder)
    assert (one.sizes, one.calinski_harabasz, one.davies_bouldin) == ((6,), None, None)
    assert one.within_sum_of_squares == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    every = model.assign_rows(sortal.Model.of(frame, range(6)), folder)
    assert every.calinski_harabasz is None
    assert every.within_sum_of_squares == 0
    angles = model.assign_rows(sortal.Model.of(frame, [0, 0, 0, 1, 1, 1], metric="cosine"), folder)
    assert angles.sizes == (3, 3)
    assert (
        angles.within_sum_of_squares is angles.davies_bouldin is angles.davies_bouldin_error is None
    )
    assert (angles.means.shape, angles.deviations.shape, angles.features) == ((2, 0), (2, 0), ())
    assert [*angles.table] == ["name", "rows", "unlike"]
    frame[["a"]].to_csv(tmp_path / "q.csv", index=False)
    with pytest.raises(InputError, match="b"):
        model.assign_rows(sortal.Model.of(frame, [0, 0, 0, 1, 1, 1]), tmp_path / "q.csv")


COUNTS = np.array([[30, 10], [10, 30], [20, 20], [22, 18], [0, 40], [0, 40]])


def periods(folder: Path, counts: Any) -> Path:
    """Rows of two clusters, at 0 and at 100, half of them near; a file a period."""
    for day, of_day in enumerate(counts):
        rows = [100.0 * c + (0.2 if i % 2 else 2.0) for c, n in enumerate(of_day) for i in range(n)]
        pd.DataFrame({"a": rows, "b": 0.0}).to_csv(folder / f"d{day}.csv", index=False)
    return folder


def evidence_of(counts: Any, n_reference: int) -> Any:
    """Evidence against equal shares: mixtures over the begin of a change, over the likeliest."""

    def mixture(x: Any) -> float:
        return float(betaln(x[0] + 0.5, x[1] + 0.5) - betaln(0.5, 0.5))

    values = []
    for t in range(len(counts)):
        total = counts[: t + 1].sum(axis=0)
        if t < n_reference:
            values.append(1.0)
            continue
        terms = [1 / (t - n_reference + 2) * math.exp(mixture(total))]
        for start in range(n_reference, t + 1):
            place = start - n_reference + 1
            split = mixture(counts[:start].sum(axis=0)) + mixture(counts[start : t + 1].sum(axis=0))
            terms.append(math.exp(split) / (place * (place + 1)))
        most = sum(x * math.log(x / total.sum()) for x in total if x)
        values.append(sum(terms) / math.exp(most))
    return values


@pytest.mark.parametrize("n_reference", [2, 3])
def test_the_evidence_that_shares_changed(tmp_path: Path, n_reference: int) -> None:
    rng = np.random.default_rng(0)
    # one cluster is narrow, so that its rows at 0.2 and 2.0 are far, and the other one wide
    widths = np.where(np.arange(300) % 2, 3.5, 1.0)
    X = np.column_stack([100.0 * (np.arange(300) % 2) + 1.1 + widths * (rng.random(300) - 0.5),
                         np.zeros(300)])  # fmt: skip
    made = sortal.Model.of(pd.DataFrame(X, columns=["a", "b"]), np.arange(300) % 2)
    found = model.watch(made, periods(tmp_path, COUNTS), n_reference=n_reference, alpha=0.1)
    assert (found.rows, found.without, found.alpha) == ((40,) * 6, 0, 0.1)
    assert found.periods == tuple(f"d{day}" for day in range(6))
    shares = {(s.kind, s.cluster): s for s in found.signals}
    assert [*shares] == [("unlike", ""), ("share", "0"), ("distance", "0"), ("share", "1"),
                         ("distance", "1")]  # fmt: skip
    signal = shares["share", "0"]
    counts = COUNTS[:, ::-1].astype(float)
    assert signal.values.tolist() == (COUNTS[:, 0] / 40).tolist()
    reference = counts[:n_reference]
    expected = reference.sum(axis=1, keepdims=True) * reference.sum(axis=0) / reference.sum()
    spread = ((reference - expected) ** 2 / expected).sum() / (n_reference - 1)
    assert signal.spread == pytest.approx(spread)
    evidence = evidence_of(counts / spread, n_reference)
    np.testing.assert_allclose(signal.evidence, evidence, rtol=1e-6)
    over = [t for t, value in enumerate(evidence) if value >= 5 / 0.1]
    assert signal.alarm == (over[0] if over else None)
    assert (signal.since is None) == (not over)
    before = reference.sum(axis=0) + 0.5
    usual = before[1] / before.sum()
    width = 2.3263478740408408 * math.sqrt(
        spread * usual * (1 - usual) * (1 / 40 + 1 / before.sum())
    )
    np.testing.assert_allclose(signal.low, [max(usual - width, 0)] * 6)
    np.testing.assert_allclose(signal.high, [min(usual + width, 1)] * 6)
    for c in range(2):
        rows = X[c::2, 0] - X[c::2, 0].mean()
        limit = np.quantile(abs(rows), 0.75)
        off = [abs(100.0 * c + x - X[c::2, 0].mean()) > limit for x in (0.2, 2.0)]
        far = shares["distance", str(c)].values
        expected = [(off[0] * (n // 2) + off[1] * (n - n // 2)) / n if n else np.nan
                    for n in COUNTS[:, c]]  # fmt: skip
        np.testing.assert_allclose(far, expected)
        assert off == [c == 0, c == 0]
    assert found.table["rows"].tolist() == [40] * 6
    assert found != model.WatchedClusters(**vars(found))
    assert signal != model.Signal(**vars(signal))
    assert found.table[signal.name].tolist() == signal.values.tolist()


def test_a_change_is_dated_by_its_first_period(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = np.array([[100.0 * (i % 2) + x, 0.0] for i, x in enumerate(rng.random(300) * 2.5)])
    made = sortal.Model.of(pd.DataFrame(X, columns=["a", "b"]), np.arange(300) % 2)
    folder = periods(tmp_path, [[20, 20]] * 4 + [[2, 38]] * 3)
    found = model.watch(made, folder, n_reference=2)
    assert {(s.kind, s.cluster, s.since) for s in found.alarms} == {("share", "0", 4),
                                                                    ("share", "1", 4)}  # fmt: skip
    assert all(s.alarm in (4, 5) and s.spread == 1 for s in found.alarms)
    assert [s.alarm for s in found.alarms] == sorted(s.alarm for s in found.alarms)
    plain = found.to_dict()
    assert plain["signals"][1]["since"] == 4
    assert plain["n_reference"] == 2
    with pytest.raises(InputError, match="7"):
        model.watch(made, folder, n_reference=7)
    assert len(model.watch(made, folder, n_reference=6).signals) == 5
    for wrong in ({"alpha": 0}, {"alpha": 1}, {"n_reference": 0}):
        with pytest.raises(InputError, match=r"[01]"):
            model.watch(made, folder, **wrong)


def test_changes_by_the_clusters_of_today() -> None:
    rng = np.random.default_rng(0)
    X = 9.0 * np.eye(3)[np.arange(150) % 3] + rng.normal(size=(150, 3))
    made = sortal.Model.of(X, np.arange(150) % 3)
    today = np.concatenate([X + rng.normal(size=X.shape) * 0.3, [[60.0, 0, 0]] * 30,
                            [[4.5, 4.5, 0]] * 6])  # fmt: skip
    labels = np.r_[np.arange(150) % 3, [3] * 30, [-1] * 6]
    found = model.changes(made, made.prepare(today), labels, ["p", "q", "r", "s"], reason="why")
    placed = made.predict(today)
    sure = placed.confidence >= 0.8
    assert found.placed == (sure & ~placed.unlike).mean() < (sure | ~placed.unlike).mean()
    assert found.unlike == placed.unlike.mean()
    assert (found.n_objects, found.reference, found.reason, found.changed) == (
        186,
        None,
        "why",
        None,
    )
    assert found.agreement == pytest.approx(
        sortal.adjusted_rand_index(placed.labels, labels, noise="cluster")
    )
    old = np.where(placed.unlike, 4, placed.labels)
    flows = np.zeros((5, 5), int)
    np.add.at(flows, (old, np.where(labels < 0, 4, labels)), 1)
    assert found.flows.to_numpy().tolist() == flows.tolist()
    assert [*found.flows.columns] == ["p", "q", "r", "s", "outlier"]
    assert [*found.flows.index] == ["0", "1", "2", "outlier", "unlike"]
    table = found.table
    assert table["now"].tolist() == ["p", "q", "r", "s"]
    assert table["before"].tolist() == ["0", "1", "2", ""]
    sizes = flows[:3].sum(axis=1)
    np.testing.assert_allclose(table["share_now"], [*(sizes / sizes.sum()), 30 / 186])
    np.testing.assert_allclose(table["share_before"][:3], 1 / 3)
    np.testing.assert_allclose(table["overlap"][:3], flows[range(3), range(3)] / sizes)
    assert found != model.Changes(**vars(found))
    assert placed != model.Assignment(**vars(placed))
    assert made != made.renamed(made.names)
    with pytest.raises(InputError, match=r"3.*186"):
        model.changes(made, made.prepare(today), labels[:3], ["p"])


def test_groups_that_are_rare_and_tails_that_are_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    made = sortal.Model.of(pd.DataFrame(X, columns=["a", "b"]), [0] * 400)
    angles = np.linspace(0, 2 * np.pi, 80)
    ring = 4.4 * np.column_stack([np.cos(angles), np.sin(angles)])
    groups = [[50.0, 50] + rng.normal(size=(40, 2)), [90.0, 0] + rng.normal(size=(20, 2))]
    for order in ([ring, *groups], [*groups, ring], [groups[0], ring, groups[1]]):
        rows = np.concatenate([X[:100], *order])
        found = model.assign_rows(made, written(tmp_path, rows))
        assert [group.rows for group in found.rare] == [40, 20]
        assert [group.seen for group in found.rare] == [40, 20]
        for group, points in zip(found.rare, groups, strict=True):
            assert group.center == pytest.approx(dict(zip("ab", points.mean(axis=0), strict=True)))
            inside = cdist(points, points).sum(axis=1) / (len(points) - 1)
            outside = cdist(points, X).min(axis=1)
            assert group.separation == pytest.approx(np.mean(1 - inside / outside))
            first = int(np.flatnonzero((rows == points[0]).all(axis=1))[0])
            assert group.examples == tuple(range(first, first + 5))
