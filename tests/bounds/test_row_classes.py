"""The class of every row: labels kept, limits of classes that hold, forecasts in their interval."""

import numpy as np
import pandas as pd
import pytest

import sortal
from command_line import sortal_command
from sortal import InputError
from sortal.bounds import BoundForecast, RowClasses, forecast_bounds, sample, sample_more

N = 300


def noisy(rng, flips=0.1):
    """Classes, and a clustering that errs on some: twice as often in one of three classes."""
    y = rng.integers(3, size=N)
    wrong = rng.random(N) < np.where(y == 2, 2 * flips, flips / 2)
    return y, np.where(wrong, (y + 1) % 3, y)


def labelled(y, order):
    few = np.full(len(y), None, dtype=object)
    few[order] = y[order]
    return few


@pytest.mark.parametrize("anytime", [False, True])
def test_labelled_rows_have_their_label_and_the_others_the_prediction_that_is_bounded(anytime):
    y, clusters = noisy(np.random.default_rng(1))
    order = sample(N, 60, random_state=1)
    best = sortal.guarantee(clusters, labelled(y, order), anytime=anytime, order=order)
    table = best.row_classes.table
    assert list(table) == ["class", "class_guaranteed", "confidence", "labelled"]
    assert (table["class"][order] == y[order]).all()
    assert np.flatnonzero(table["labelled"]).tolist() == sorted(order)
    assert table.loc[order, ["class_guaranteed", "confidence"]].isna().all(axis=None)
    hidden = ~table["labelled"]
    assert (best.labels[hidden] != y[hidden]).sum() <= best.bound
    assert ((table["confidence"][hidden] > 0) & (table["confidence"][hidden] <= 1)).all()
    # the class whose cluster errs most is the least sure
    by_class = table[hidden].groupby("class")["class_guaranteed"].first()
    assert set(best.row_classes.by_class) == {0, 1, 2}
    assert by_class.between(0, 1).all()


def test_confidence_of_a_cluster_is_the_share_of_its_labels_drawn_towards_all():
    clusters = np.repeat([0, 1], 100)
    y = np.full(200, None, dtype=object)
    y[[*range(9), *range(100, 106)]] = [*"aaaaaaaab", *"cccccc"]
    best = sortal.guarantee(clusters, y)
    assert best.carrier == "clustering"
    overall = 14.5 / 16
    expected = {"a": (8 + 2 * overall) / 11, "c": (6 + 2 * overall) / 8}
    for name, confidence in expected.items():
        assert best.row_classes.confidence[best.labels == name][-1] == pytest.approx(confidence)


def test_confidence_of_a_classifier_is_on_average_that_of_its_test():
    y, clusters = noisy(np.random.default_rng(2), 0.2)
    order = sample(N, 80, random_state=2)
    several = {"first": clusters, "second": clusters // 2, "third": clusters % 2}
    best = sortal.guarantee(several, labelled(y, order), order=order)
    part, rows = best.parts[0], best.row_classes
    assert best.carrier == "clusterings"
    right = (part.tested - part.errors) / part.tested
    assert rows.confidence[~rows.labelled].mean() == pytest.approx(right, abs=0.03)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("anytime", "draws"), [(False, 60), (True, 25)])
def test_what_is_guaranteed_of_each_class_is_rarely_false(anytime, draws):
    false = 0
    for draw in range(draws):
        y, clusters = noisy(np.random.default_rng(7))
        order = sample(N, 45, random_state=draw)
        found = sortal.guarantee(clusters, labelled(y, order), 0.3, anytime=anytime, order=order)
        rows = found.row_classes
        hidden = ~rows.labelled
        false += any(
            (y[hidden & (rows.labels == name)] == name).mean() < limit - 1e-12
            for name, limit in rows.by_class.items()
        )
    assert false <= 0.3 * draws


def test_a_class_limit_is_the_exact_bound_inside_the_class():
    y, clusters = noisy(np.random.default_rng(3))
    order = sample(N, 90, random_state=3)
    found = sortal.guarantee(clusters, labelled(y, order), order=order)
    part, codes = found.parts[0], np.full(N, -1)
    names = list(dict.fromkeys(found.mdl.cluster_classes[0].tolist()))
    codes[order] = y[order]
    limits = found.row_classes.by_class
    for code in names:
        inside = part.classifier.predicted == code
        tested = part.test[inside[part.test]]
        n, a = int((inside & (codes < 0)).sum()), int((codes[tested] != code).sum())
        level = part.delta * 2.0**-part.bits / 3
        assert limits[code] == 1 - sortal.bounds.b_max(len(tested), n, a, level * (1 - 1e-11)) / n


def test_more_rows_go_on_with_the_draw_or_come_from_the_unlabelled():
    order = sample(50, 30, random_state=2)
    assert sample_more(50, order[:20], 10, random_state=2).tolist() == order[20:].tolist()
    others = np.setdiff1d(np.arange(50), order[:20])
    places = np.concatenate([sample_more(50, others, 5, random_state=s) for s in range(400)])
    counts = np.bincount(places, minlength=50)
    assert counts[others].sum() == 0
    assert counts[order[:20]].min() > 50  # 100 each are expected
    assert len(sample_more(50, order, 100)) == 20


def simulated(draws, at, anytime):
    """Shares of realised bounds below, in and above the forecast interval."""
    places = []
    for draw in range(draws):
        rng = np.random.default_rng([draw, at])
        y, clusters = noisy(rng, rng.uniform(0.02, 0.3))
        order = sample(N, N, random_state=draw)

        def bound(m, y=y, clusters=clusters, order=order):
            few = labelled(y, order[:m])
            return sortal.guarantee(clusters, few, anytime=anytime, order=order[:m])

        for future in forecast_bounds(bound(at)):
            rate = bound(future.labelled).bound_rate
            places.append(int(rate > future.high + 1e-12) - int(rate < future.low - 1e-12))
    return [float(np.mean(np.array(places) == place)) for place in (-1, 0, 1)]


@pytest.mark.parametrize(("draws", "anytime"), [
    (25, False), pytest.param(150, False, marks=pytest.mark.long),
    pytest.param(60, True, marks=pytest.mark.long),
])  # fmt: skip
def test_realised_bounds_lie_in_the_interval_about_as_often_as_stated(draws, anytime):
    below, inside, above = simulated(draws, 40, anytime)
    assert inside >= 0.66, (below, inside, above)
    assert max(below, above) <= 0.3


def test_forecasts_fall_and_are_where_they_are_asked_for():
    y, clusters = noisy(np.random.default_rng(0))
    found = sortal.guarantee(clusters, labelled(y, sample(N, 40, random_state=0)))
    first, second = forecast_bounds(found)
    assert (first.labelled, second.labelled) == (80, 140)
    assert second.rate < first.rate < found.bound_rate
    assert all(one.low <= one.rate <= one.high for one in (first, second))
    assert isinstance(first, BoundForecast)
    assert [one.labelled for one in forecast_bounds(found, [100, N, N + 9])] == [100]
    with pytest.raises(InputError, match="40 objects are labelled already"):
        forecast_bounds(found, [39])


def test_files_of_run_have_the_class_before_the_cluster(tmp_path):
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=80)
    table = pd.DataFrame({"u": 9.0 * y + rng.normal(size=80), "v": rng.normal(size=80)})
    table["kind"] = [["ham", "spam"][c] if i % 2 else None for i, c in enumerate(y)]
    table.to_csv(tmp_path / "data.csv", index=False)
    done = sortal_command(
        "run", "data.csv", "--label-column", "kind", "--labels", "out.csv", "--clusterer", "kmeans",
        "-k", "2:3", "--n-init", "1", "--no-stability", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "unlabelled rows have a wrong class." in text
    assert "Label next rows" in text
    out = pd.read_csv(tmp_path / "out.csv")
    names = [
        "row", "id", "class", "class_guaranteed", "confidence", "labelled", "label_next", "cluster",
        "cluster_name", "cluster_confidence",
    ]  # fmt: skip
    assert list(out)[: len(names)] == names
    assert (out["class"][1::2] == table["kind"][1::2]).all()
    assert (out["class"] == np.where(y, "spam", "ham")).all()
    places = out["label_next"].dropna()
    assert sorted(places) == list(range(1, len(places) + 1))
    assert not out["labelled"][places.index].any()


def test_limits_in_the_table_are_rounded_down_but_whole_thousandths_stay():
    limits = np.array([0.29, 0.95, 0.9509, np.nan])
    names = np.array(["a", "b", "c", "d"], dtype=object)
    table = RowClasses(names, np.isnan(limits), limits, np.full(4, 0.5)).table
    assert table["class_guaranteed"].tolist()[:3] == [0.29, 0.95, 0.95]
