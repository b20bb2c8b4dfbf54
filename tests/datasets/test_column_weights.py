"""Weights of columns: which columns count, and that everything sees the same weighted data."""

import numpy as np
import pandas as pd
import pytest

import sortal
from command_line import sortal_command
from sortal import InputError, StorageError
from sortal.datasets import from_array, from_table, weighted


def four_groups(n=300, seed=0):
    """Four groups in four columns, and the group of each object."""
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=n)
    X = np.array([[0, 0], [8, 0], [0, 8], [8, 8]])[y] + rng.normal(size=(n, 2))
    return np.hstack([X, X + rng.normal(size=(n, 2))]), y


def noise(n=300, seed=1):
    """Columns that say nothing: normal, skewed, and a coin."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.normal(size=n), rng.lognormal(size=n), rng.integers(2, size=n)])


def test_columns_that_say_nothing_get_no_weight():
    X, _ = four_groups()
    dataset = weighted(from_array(np.hstack([X, noise()])))
    weights = list(dataset.column_weights.values())
    assert weights[4:] == [0, 0, 0]
    assert weights[:4] == [1, 1, 1, 1]
    assert dataset.feature_names == ("x1", "x2", "x3", "x4")
    np.testing.assert_array_equal(dataset.X, X)


def test_coin_beside_a_few_numbers_gets_no_weight_and_numbers_keep_theirs():
    X, _ = four_groups()
    coin = noise()[:, 2:]
    for numbers in (X[:, :2], noise()[:, :1], noise()[:, :2]):
        weights = weighted(from_array(np.hstack([numbers, coin]))).column_weights
        assert list(weights.values()) == [1.0] * numbers.shape[1] + [0.0]
    flag = (X[:, :1] > 4).astype(float)
    assert all(weighted(from_array(np.hstack([X[:, :2], flag]))).column_weights.values())


@pytest.mark.parametrize("draw", [
    lambda rng: rng.normal(size=(300, 8)),
    lambda rng: rng.uniform(size=(60, 5)),
    lambda rng: rng.lognormal(size=(200, 8)),
    lambda rng: rng.poisson(3, size=(300, 6)).astype(float),
    lambda rng: (rng.random((300, 8)) < 0.4).astype(float),
])  # fmt: skip
def test_independent_columns_all_count(draw):
    kept = [weighted(from_array(X := draw(np.random.default_rng(seed)))).n_features == X.shape[1]
            for seed in range(10)]  # fmt: skip
    assert sum(kept) >= 9


def test_flag_is_read_alike_however_it_is_written():
    X, _ = four_groups()
    flag = (X[:, 0] + np.random.default_rng(2).normal(size=300) > 4).astype(int)
    spellings = {"0/1": flag, "1/2": flag + 1, "text": np.where(flag, "yes", "no"),
                 "bool": flag.astype(bool)}  # fmt: skip
    squares = {}
    for name, values in spellings.items():
        table = pd.DataFrame(X[:, :3], columns=list("abc")).assign(flag=values)
        dataset = weighted(from_table(table))
        steps = dataset.X[:, None] - dataset.X[None, :60]
        squares[name] = (steps**2).sum(axis=2)
        assert dataset.column_weights["flag"] == 1
    for name, distances in squares.items():
        np.testing.assert_allclose(distances, squares["text"], atol=1e-12, err_msg=name)


def test_rubbish_beside_iris_changes_nothing():
    iris = sortal.datasets.load("iris")
    table = pd.DataFrame(iris.X, columns=list(iris.feature_names))
    rubbish = noise(150) * [1, 1e6, 1]
    more = table.assign(a=rubbish[:, 0], b=rubbish[:, 1], c=rubbish[:, 2])
    few, many = weighted(from_table(table)), weighted(from_table(more))
    np.testing.assert_allclose(many.X, few.X, rtol=1e-12)
    assert many.feature_names == few.feature_names
    assert many.plan.scale == few.plan.scale == "none"
    assert [finding.key for finding in many.findings] == ["independent"]
    assert {column.name: column.weight for column in many.plan.columns} == many.column_weights


def test_repeated_column_counts_once():
    X, _ = four_groups()
    dataset = weighted(from_array(np.column_stack([X, 3 * X[:, 0] - 1, -X[:, 0]])))
    assert dataset.weighing.repeated == ("x5", "x6")
    assert dataset.X.shape == X.shape
    assert dataset.findings[0].to_dict()["sentence"] == (
        "2 columns repeat others up to the unit and were given no weight: 'x5', 'x6'."
    )


def test_three_columns_that_depend_only_together_count():
    rng = np.random.default_rng(0)
    corners = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    X = corners[rng.integers(4, size=400)] + 0.35 * rng.normal(size=(400, 3))
    X = np.hstack([X, rng.normal(size=(400, 3))])
    assert list(weighted(from_array(X)).column_weights.values()) == [1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize(("X", "metric"), [
    (four_groups()[0][:, :1], None),
    (np.hstack([four_groups(40)[0], noise(40)]), None),
    (np.hstack([four_groups()[0], noise()]), "cosine"),
    (np.hstack([four_groups()[0], noise()]), lambda a, b: float(abs(a - b).sum())),
])  # fmt: skip
def test_not_weighed(X, metric):
    dataset = from_array(X)
    assert weighted(dataset, metric=metric) is dataset
    assert dataset.column_weights == {}


def test_equal_weights_leave_the_data():
    X = np.hstack([four_groups()[0], noise()])
    assert sortal.Study(X, column_weights="equal").X is not None
    np.testing.assert_array_equal(sortal.Study(X, column_weights="equal").X, X)
    strict = pd.DataFrame(X, columns=list("abcdefg"))
    np.testing.assert_array_equal(sortal.Study(from_table(strict, strict=True)).X, X)


def test_weights_of_the_user():
    X = np.hstack([four_groups()[0], noise()])
    study = sortal.Study(X, column_weights={"x1": 2, "x7": 0})
    np.testing.assert_allclose(study.X, (X * [2, 1, 1, 1, 1, 1, 0])[:, :6])
    assert sortal.Study(X, column_weights=[2, 1, 1, 1, 1, 1, 0]).X.tolist() == study.X.tolist()
    assert study.dataset.column_weights["x1"] == 2


@pytest.mark.parametrize(("weights", "words"), [
    ({"x9": 1}, "x9"), ([1, 2], "2 weights"), ({"x1": -1}, "x1"), ({"x1": "a"}, "'a'"),
    ([0] * 7, "all column_weights are 0"), ("equl", "'equal'"),
])  # fmt: skip
def test_wrong_weights_are_rejected(weights, words):
    with pytest.raises(InputError, match=words):
        sortal.Study(np.hstack([four_groups()[0], noise()]), column_weights=weights)


def test_weights_need_columns():
    with pytest.raises(InputError, match="relations"):
        sortal.Study(np.array([[0.0, 1], [1, 0]]), metric="precomputed", column_weights=[1, 1])


def test_model_weighs_further_rows_alike(tmp_path):
    X, _ = four_groups()
    table = pd.DataFrame(np.hstack([X, noise()]), columns=list("abcdefg"))
    study = sortal.Study(from_table(table)).sweep("kmeans", k=[4], n_init=1, progress=False)
    answer = study.best(stability=False)
    answer.save(tmp_path / "a.sortal-model")
    model = sortal.load_model(tmp_path / "a.sortal-model")
    for clusters in (answer.predict(table), model.predict(table)):
        assert (clusters.labels == answer.labels).all()
    gaps = table.copy()
    gaps.loc[0, ["a", "e"]] = np.nan
    assert model.predict(gaps).labels[0] == answer.labels[0]
    prepared = model.prepare(table)
    np.testing.assert_allclose(prepared.X, study.X)
    np.testing.assert_allclose(
        model.preparation.original(prepared.X)[:, :4], table.to_numpy()[:, :4]
    )


def test_stored_study_keeps_its_weights(tmp_path):
    X = np.hstack([four_groups()[0], noise()])
    for name, weights in {"auto": None, "equal": "equal", "user": {"x1": 0.5}}.items():
        with sortal.Study(X, storage=tmp_path / name, column_weights=weights) as study:
            fingerprint = study.dataset.fingerprint
        with sortal.Study(X, storage=tmp_path / name) as again:
            assert again.dataset.fingerprint == fingerprint
    with pytest.raises(StorageError, match="weights"):
        sortal.Study(X, storage=tmp_path / "auto", column_weights="equal")


def test_answer_says_what_got_no_weight():
    X = np.hstack([four_groups()[0], noise()])
    study = sortal.Study(X).sweep("kmeans", k=[3, 4], n_init=1, progress=False)
    best = study.best(stability=False)
    assert "'x5', 'x6', 'x7' ignored" in str(best)
    (finding,) = best.to_dict()["findings"]
    sentence = "3 columns depend on no other column and were given no weight: 'x5', 'x6', 'x7'."
    assert finding["sentence"] == sentence


def test_equal_weights_stay_equal_in_a_study():
    X = np.hstack([four_groups()[0], noise()])
    equal = weighted(from_array(X), "equal")
    assert sortal.Study(equal).X.shape == X.shape
    assert weighted(equal) is equal


def test_clusterings_of_the_user_are_judged_without_such_columns_too(tmp_path):
    X = np.hstack([four_groups()[0], noise()])
    pd.DataFrame(X, columns=list("abcdefg")).to_csv(tmp_path / "x.csv", index=False)
    pd.DataFrame({"mine": (X[:, 6] > 0).astype(int)}).to_csv(tmp_path / "mine.csv", index=False)
    command = [
        "run", tmp_path / "x.csv", "--labelings", tmp_path / "mine.csv", "--only-labelings",
        "--no-reference", "--no-stability", "--quiet",
    ]  # fmt: skip
    done = sortal_command(*command)
    assert done.returncode == 0, done.stderr
    assert "columns of weight 0 ('e', 'f', 'g') do not count" in done.stderr
    assert "weight 0" not in sortal_command(*command, "--weights", "equal").stderr


def test_many_columns_and_objects_are_sampled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6_000, 4))
    X[:3_000] += 4
    assert weighted(from_array(np.hstack([X, rng.normal(size=(6_000, 1))]))).weighing.sampled == (
        "5,000 objects"
    )
    wide = np.hstack([X[2_900:3_100], rng.normal(size=(200, 250))])
    assert "200 columns" in weighted(from_array(wide)).weighing.sampled


RUBBISH = {
    "a normal column": lambda rng, X: {"noise": rng.normal(size=len(X))},
    "three columns": lambda rng, X: {
        "noise 1": rng.exponential(size=len(X)), "noise 2": rng.choice(list("abc"), len(X)),
        "noise 3": rng.integers(2, size=len(X)),
    },
    "a duplicate": lambda rng, X: {"again": 2 * X.iloc[:, 0] + 1},
}  # fmt: skip


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", RUBBISH)
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_rubbish_columns_change_nothing(name, kind):
    data = sortal.datasets.load(name)
    X = pd.DataFrame(data.X, columns=data.feature_names)
    more = RUBBISH[kind](np.random.default_rng(0), X)
    before, after = (weighted(from_table(table)) for table in (X, X.assign(**more)))
    assert after.X.shape == before.X.shape
    # of a column and its duplicate either may be the one that counts, at any place
    places = [sorted(map(tuple, np.round(np.abs(X - X.mean(axis=0)), 7).T)) for X in
              (before.X, after.X)]  # fmt: skip
    np.testing.assert_allclose(*places, atol=1e-6)


def test_copies_of_all_rows_and_their_order_change_no_weight():
    rng = np.random.default_rng(5)
    for seed in range(6):
        X = np.hstack([0.6 * four_groups(90, seed)[0], noise(90, seed), rng.poisson(2, (90, 3))])
        weights = weighted(from_array(X)).column_weights
        for more in (np.vstack([X, X, X]), np.repeat(X, 2, axis=0), rng.permutation(X)):
            assert weighted(from_array(more)).column_weights == weights
    few = four_groups(40)[0]
    twice = from_array(np.vstack([few, few]))
    assert weighted(twice) is twice


def test_column_that_could_not_show_its_dependence_counts():
    X, _ = four_groups()
    rng = np.random.default_rng(0)
    for values in (np.arange(300) < 10, np.where(np.arange(300) < 10, rng.normal(size=300), 0)):
        table = np.column_stack([X, rng.permutation(values), noise()[:, 0]])
        assert list(weighted(from_array(table)).column_weights.values()) == [1, 1, 1, 1, 1, 0]


def test_columns_that_count_weakly_are_kept():
    rng = np.random.default_rng(0)
    means = rng.permuted(np.tile(np.arange(4.0)[:, None], 12), axis=0)
    kept = []
    for _ in range(5):
        X = 0.8 * means[rng.integers(4, size=150)] + rng.normal(size=(150, 12))
        kept.append(weighted(from_array(X)).n_features)
    assert np.mean(kept) > 9


def with_gaps(table, seed=0):
    rng = np.random.default_rng(seed)
    return table.mask(rng.random(table.shape) < 0.04)


@pytest.mark.parametrize("noisy", ["gaps in noise", "complete noise"])
def test_missing_values_are_filled_without_columns_of_no_weight(noisy):
    X, _ = four_groups()
    table = with_gaps(pd.DataFrame(X, columns=list("abcd")))
    more = table.assign(e=noise()[:, 0] * 1e3, f=noise()[:, 1], g=2 * table["a"] + 1)
    if noisy == "gaps in noise":
        more[["e", "f"]] = with_gaps(more[["e", "f"]], 1)
    few, many = weighted(from_table(table)), weighted(from_table(more))
    assert many.feature_names == few.feature_names
    np.testing.assert_allclose(many.X, few.X, rtol=1e-9, atol=1e-9)
    again = many.preparation.apply(more)
    np.testing.assert_allclose(again.X, many.X, rtol=1e-9, atol=1e-9)


def test_exclusive_flags_are_weighed_as_one_category():
    X, y = four_groups()
    table = pd.DataFrame(X, columns=list("abcd"))
    rng = np.random.default_rng(1)
    for of, weight in ((rng.integers(5, size=300), 0.0), (y, 1.0)):
        flags = {f"region_{j}": (of == j).astype(int) for j in range(of.max() + 1)}
        weights = weighted(from_table(table.assign(**flags))).column_weights
        assert [weights[name] for name in flags] == [weight] * len(flags)
        assert [weights[name] for name in "abcd"] == [1] * 4
