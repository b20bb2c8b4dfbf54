"""Rules, names, effects and places of clusters against planted truth and plain definitions."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

import sortal
from example_counts import examples
from sortal import InputError
from sortal.meaning import ClusterDescription, Condition, Feature, describe_clusters


def customers(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.integers(10, 90, n) * 1000,
            "plan": rng.choice(["monthly", "yearly", "single"], n),
            "member": rng.random(n) < 0.5,
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )


def coded(table: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """The table as it would be clustered: numbers, one column for each category."""
    numbers = pd.get_dummies(
        table.assign(joined=table["joined"].astype("int64")), prefix_sep="="
    ).astype(float)
    X = ((numbers - numbers.mean()) / numbers.std()).to_numpy()
    return X, list(numbers.columns)


# -- rules


@pytest.mark.parametrize(
    ("planted", "rule", "name"),
    [
        (lambda t: t["age"] > 50, "age over 50", "older"),
        (lambda t: t["age"] <= 30, "age at most 30", "younger"),
        (lambda t: t["plan"] == "monthly", "plan is monthly", "monthly plan"),
        (lambda t: t["plan"] != "monthly", "plan is not monthly", "plan not monthly"),
        (lambda t: t["member"], "member is yes", "member"),
        (
            lambda t: t["joined"] > "2021-06-01",
            "joined after 2021-06-0",
            "late joined",
        ),
        (
            lambda t: (t["age"] > 30) & (t["age"] <= 50),
            "age over 30 and at most 50",
            "middle-aged",
        ),
        (
            lambda t: (t["age"] > 40) & (t["income"] > 40_000) & (t["plan"] == "monthly"),
            None,
            None,
        ),
    ],
)
def test_planted_rules_are_found(planted, rule, name):
    table = customers()
    X, names = coded(table)
    members = np.asarray(planted(table))
    description = describe_clusters(X, members.astype(int), feature_names=names, original=table)[1]
    if rule is None:  # three questions, in any order
        conditions = {str(condition) for condition in description.rule.conditions}
        assert conditions == {"age over 39", "income over 40,000", "plan is monthly"}
        assert set(description.name.split(", ")) == {"older", "high income", "monthly plan"}
    else:
        assert str(description.rule).startswith(rule)
        assert description.name == name
    assert description.accuracy > 0.98
    assert description.precision > 0.9
    assert description.recall > 0.9
    assert description.n_held_out == len(table)


def test_labels_at_random_have_no_rule():
    broken = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(100, 4))
        clusters = describe_clusters(X, rng.integers(0, 2 + seed % 2, 100))
        broken += any(cluster.rule is not None for cluster in clusters)
    assert broken <= 4  # 1 expected at most; more than 4 has probability 0.003


def test_what_three_questions_do_not_tell_has_no_rule():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (600, 2))
    board = (np.floor(X).sum(axis=1) % 2).astype(int)
    assert all(cluster.rule is None for cluster in describe_clusters(X, board))


def test_accuracy_is_that_on_new_objects():
    def draw(n, seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 5))
        return X, ((X[:, 0] > 0.3) ^ (rng.random(n) < 0.15)).astype(int)

    X, labels = draw(2000, 1)
    description = describe_clusters(X, labels)[1]
    others, truth = draw(20_000, 2)
    held = np.ones(len(others), dtype=bool)
    for condition in description.rule.conditions:
        held &= condition.holds(others[:, int(condition.feature.source[1:]) - 1])
    right = (held == truth).mean()
    assert abs(description.accuracy - right) < 4 * math.sqrt(right * (1 - right) / 2000)
    assert abs(right - 0.85) < 0.02


def test_a_constant_answer_is_no_rule():
    # one in twenty, and no feature says more than a little about it
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1000, 3))
    labels = (rng.random(1000) < np.where(X[:, 0] > 1, 0.12, 0.04)).astype(int)
    assert all(cluster.rule is None for cluster in describe_clusters(X, labels))


@examples(25)
@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e6))
def test_thresholds_are_the_shortest_between(low, gap):
    high = low + gap
    if high <= low:
        return
    clusters = describe_clusters(np.repeat([[low], [high]], 20, axis=0), np.repeat([0, 1], 20))
    t = clusters[1].rule.conditions[0].low
    assert low <= t < high
    digits = len(Decimal(repr(t)).normalize().as_tuple().digits)
    for fewer in range(1, digits):  # the least number of so few digits is too large
        assert Context(prec=fewer, rounding=ROUND_CEILING).create_decimal(low) >= high


def test_a_missing_value_answers_no():
    age = Condition(Feature("age", "number"), low=3.0)
    assert age.holds(np.array([2.0, 4.0, np.nan])).tolist() == [False, True, False]
    values = np.array([[1.0], [np.nan], [9.0]] * 30)
    labels = np.array([0, 0, 1] * 30)
    clusters = describe_clusters(np.nan_to_num(values), labels, original=pd.DataFrame(values))
    assert str(clusters[1].rule) == "0 over 5"


def test_noise_belongs_to_the_rest():
    X = np.concatenate([np.linspace(0, 1, 40), np.linspace(5, 6, 40), np.linspace(9, 10, 20)])
    labels = np.repeat([0, 1, -1], [40, 40, 20])
    clusters = describe_clusters(X[:, None], labels)
    assert [cluster.size for cluster in clusters] == [40, 40]
    assert sum(cluster.share for cluster in clusters) == pytest.approx(0.8)
    assert str(clusters[1].rule) == "x1 over 3 and at most 8"


# -- effects


def test_means_against_pandas():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)).round(2)
    X[rng.random(X.shape) < 0.2] = np.nan
    labels = rng.integers(-1, 3, 60)
    frame = pd.DataFrame(X, columns=list("abcd"))
    clusters = describe_clusters(np.nan_to_num(X), labels, original=frame)
    assert any(cluster.telling for cluster in clusters)
    for c in range(3):
        for term in clusters[c].telling:
            within = frame.loc[labels == c, term.feature].mean()
            elsewhere = frame.loc[labels != c, term.feature].mean()
            spread = frame[term.feature].std(ddof=0)
            assert term.within == pytest.approx(within)
            assert term.elsewhere == pytest.approx(elsewhere)
            assert term.effect == pytest.approx((within - elsewhere) / spread)


def test_sparse_is_as_dense():
    rng = np.random.default_rng(1)
    X = rng.poisson(0.4, (120, 70)).astype(float)
    X[:60, 5] += 2
    labels = np.repeat([0, 1], 60)
    dense, thin = (describe_clusters(data, labels) for data in (X, sparse.csr_array(X)))
    for a, b in zip(dense, thin, strict=True):
        assert (str(a.rule), a.name, a.accuracy, a.central) == (
            str(b.rule), b.name, b.accuracy, b.central,
        )  # fmt: skip
        assert [term.feature for term in a.telling] == [term.feature for term in b.telling]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exponent", [-1000, 1020])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_unit_of_a_feature_changes_no_effect(exponent, form):
    """Squares of such values are more than any number, or 0."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 3)) + np.repeat([[0.0], [3.0], [6.0]], 30, axis=0)
    labels = np.repeat([0, 1, 2], 30)
    scaled, original = (
        describe_clusters(X, labels, original=form(values)) for values in (X, np.ldexp(X, exponent))
    )
    for a, b in zip(scaled, original, strict=True):
        assert b.rule is not None
        assert [(t.feature, t.effect, t.interval) for t in a.telling] == [
            (t.feature, t.effect, t.interval) for t in b.telling
        ]
        assert [math.ldexp(t.within, exponent) for t in a.telling] == [t.within for t in b.telling]


def test_clusters_of_noise_have_no_effect_on_other_objects():
    broken = 0
    for seed in range(12):
        X = np.random.default_rng(seed).normal(size=(200, 4))
        labels = KMeans(3, n_init=1, random_state=seed).fit_predict(X)
        clusters = describe_clusters(X, labels)
        assert any(abs(term.effect) > 0.8 for cluster in clusters for term in cluster.telling)
        intervals = [term.interval for cluster in clusters for term in cluster.telling]
        broken += any(
            interval is not None and (interval[0] > 0 or interval[1] < 0) for interval in intervals
        )
    assert broken <= 3  # 0.6 expected; more than 3 has probability 0.003


def test_clusters_that_are_there_have_effects_on_other_objects():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0] * 4, [4.0] * 4, [8.0, 0.0, 8.0, 0.0]])
    truth = rng.integers(0, 3, 600)
    X = centers[truth] + rng.normal(size=(600, 4))
    labels = KMeans(3, n_init=5, random_state=0).fit_predict(X)
    for each in describe_clusters(X, labels):
        for term in each.telling:
            low, high = term.interval
            assert low < term.effect < high
        assert each.telling[0].interval[0] > 0 or each.telling[0].interval[1] < 0


def test_categories_of_a_column_are_left_out_together():
    # a category that is a copy of the cluster, and nothing else that tells it
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 200)
    X = np.column_stack([kind == 0, kind == 1, rng.normal(size=200) * 0.1]).astype(float)
    clusters = describe_clusters(X, kind, feature_names=["kind=a", "kind=b", "x"])
    assert clusters[0].telling[0].feature == "kind is a"
    assert clusters[0].telling[0].text == "100 %"
    low, high = clusters[0].telling[0].interval
    assert low < 0 < high


def test_halves_need_objects():
    clusters = describe_clusters(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    assert [cluster.telling[0].interval for cluster in clusters] == [None, None]


# -- places


def test_central_and_edge_against_the_definition():
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(2.5, 1, (60, 2))])
    labels = np.repeat([0, 1], 60)
    clusters = describe_clusters(X, labels)
    near = NearestNeighbors(n_neighbors=11).fit(X).kneighbors(X)[1][:, 1:]
    for c in (0, 1):
        members = np.flatnonzero(labels == c)
        far = np.linalg.norm(X[members] - X[members].mean(axis=0), axis=1)
        assert clusters[c].central == tuple(members[np.argsort(far)[:3]])
        share = (labels[near[members]] != c).mean(axis=1)
        expected = members[share >= 0.4]
        assert {i for i, _ in clusters[c].edge} == set(expected)
        doubts = [(labels[near[i]] != c).mean() for i, _ in clusters[c].edge]
        assert doubts == sorted(doubts, reverse=True)
        assert all(neighbor == 1 - c for _, neighbor in clusters[c].edge)


def test_copies_are_central_once():
    X = [[0.0], [0.0], [0.1], [0.2], [9.0], [9.0], [9.0]]
    clusters = describe_clusters(X, [0, 0, 0, 0, 1, 1, 1])
    assert clusters[0].central == (2, 0, 3)
    assert clusters[1].central == (4,)


@pytest.mark.parametrize("metric", ["precomputed", "cityblock", "cosine", "graph"])
def test_objects_by_distances(metric):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal([5, 0], 0.3, (15, 2)), rng.normal([0, 5], 0.3, (15, 2))])
    labels = np.repeat([0, 1], 15)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    data = {"precomputed": D, "graph": sparse.csr_array((D < 1.5) & (D > 0), dtype=float)}
    clusters = describe_clusters(data.get(metric, X), labels, metric=metric, kind="objects")
    assert [cluster.name for cluster in clusters] == ["cluster 0", "cluster 1"]
    assert all(len(cluster.central) == 3 and cluster.rule is None for cluster in clusters)
    if metric == "precomputed":
        assert clusters[0].central == tuple(np.argsort(D[:15, :15].sum(axis=0))[:3])
        in_units = describe_clusters(
            D, labels, metric=metric, original=pd.DataFrame(X, columns=["a", "b"])
        )
        assert str(in_units[0].rule).startswith(("a over", "b at most"))
        assert in_units[0].telling[0].interval is None


# -- names and errors


def test_names_differ_and_given_ones_stay():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0], [5.0], [10.0]], 30, axis=0) + rng.normal(0, 0.1, (90, 1))
    labels = np.repeat([0, 1, 2], 30)
    proposed = [cluster.name for cluster in describe_clusters(X, labels, feature_names=["spend"])]
    assert proposed == ["low spend", "medium spend", "high spend"]
    named = describe_clusters(X, labels, names=["few", "some", "many"])
    assert [cluster.name for cluster in named] == ["few", "some", "many"]
    texts = describe_clusters(X, np.array(["lo", "mid", "hi"])[labels])
    assert [(cluster.cluster, cluster.name) for cluster in texts] == [
        ("hi", "hi"),
        ("lo", "lo"),
        ("mid", "mid"),
    ]
    same = describe_clusters(np.zeros((40, 1)), np.repeat([0, 1], 20), kind="features")
    assert [cluster.name for cluster in same] == ["cluster 0", "cluster 1"]
    assert same[0].telling == ()


def test_what_is_over_a_value_need_not_be_high():
    rng = np.random.default_rng(0)
    income = np.repeat([10.0, 50.0, 50.0, 90.0], 50) + rng.normal(0, 3, 200)
    orders = np.repeat([3.0, 2.0, 20.0, 3.0], 50) + rng.normal(0, 1, 200)
    age = np.repeat([60.0, 30.0, 60.0, 30.0], 50) + rng.normal(0, 3, 200)
    labels = np.repeat([0, 1, 2, 3], 50)
    X = np.column_stack([income, orders, age])
    clusters = describe_clusters(X, labels, feature_names=["income", "orders", "age"])
    for cluster in clusters:
        for condition in cluster.rule.conditions:
            column = X[:, ["income", "orders", "age"].index(condition.feature.source)]
            within, elsewhere = column[labels == cluster.cluster], column[labels != cluster.cluster]
            shift = (within.mean() - elsewhere.mean()) / column.std()
            if condition.word.startswith(("high", "older")):
                assert shift >= 0.2
            if condition.word.startswith(("low", "younger")):
                assert shift <= -0.2
    assert Condition(Feature("net_income", "number"), 3.0, apart=False).word == "net income not low"
    assert Condition(Feature("age", "number"), high=3.0, apart=False).word == "age not old"


def test_one_cluster_has_no_rest():
    (cluster,) = describe_clusters(np.arange(10.0)[:, None], [0] * 10)
    assert (cluster.size, cluster.share, cluster.rule, cluster.telling) == (10, 1.0, None, ())


def test_input_is_checked():
    X = np.arange(8.0)[:, None]
    with pytest.raises(InputError, match="3 labels for 8 objects"):
        describe_clusters(X, [0, 1, 1])
    with pytest.raises(InputError, match="every label is -1"):
        describe_clusters(X, [-1] * 8)
    with pytest.raises(InputError, match="1 names for 2 clusters"):
        describe_clusters(X, [0, 1] * 4, names=["a"])
    with pytest.raises(InputError, match="2 feature names for 1 columns"):
        describe_clusters(X, [0, 1] * 4, feature_names=["a", "b"])
    with pytest.raises(InputError, match="a row for each of the 8 objects"):
        describe_clusters(X, [0, 1] * 4, original=X[:4])
    with pytest.raises(InputError, match="kind"):
        describe_clusters(X, [0, 1] * 4, kind="pictures")


# -- studies


def test_a_study_describes_in_original_units(tmp_path):
    table = customers(120)
    table["income"] += np.where(table["age"] > 48, 200_000, 0)
    table.to_csv(tmp_path / "customers.csv", index=False)
    data = sortal.datasets.read(tmp_path / "customers.csv")
    assert data.scale is not None
    labels = (table["age"] > 48).astype(int).to_numpy()
    # the columns were drawn independently, so that weights would set the date aside
    study = sortal.Study(data, column_weights="equal")
    study.add({"mine": labels})
    clusters = study.describe("mine")
    by_size = {cluster.size: cluster for cluster in clusters}
    old = by_size[int(labels.sum())]
    assert str(old.rule) in ("income over 200,000", "income over 100,000", "age over 48")
    income = next(term for term in old.telling if term.feature == "income")
    assert income.within == pytest.approx(table.loc[labels == 1, "income"].mean())
    assert income.elsewhere == pytest.approx(table.loc[labels == 0, "income"].mean())
    late = np.asarray(table["joined"] > "2021-04-01").astype(int)
    study.add({"by date": late})
    rules = [str(cluster.rule) for cluster in study.describe("by date")]
    assert any("2021-0" in rule for rule in rules)
    assert study.describe("mine") is clusters


def test_a_study_describes_documents_distances_and_coordinates():
    texts = ["red wine and cheese", "white wine, old cheese", "the ship sails", "a ship at sea"] * 8
    from sortal.text import TextVectorizer

    vectorizer = TextVectorizer(min_df=1)
    X = vectorizer.fit_transform(texts)
    data = sortal.datasets.from_array(X, feature_names=vectorizer.terms_)
    from dataclasses import replace

    study = sortal.Study(replace(data, metric="cosine"))
    study.add({"mine": [0, 0, 1, 1] * 8})
    first, second = study.describe("mine")
    assert "wine" in first.name
    assert "ship" in second.name
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(40, 30))
    study = sortal.Study(vectors)
    study.add({"mine": np.repeat([0, 1], 20)})
    assert [cluster.telling for cluster in study.describe("mine")] == [(), ()]
    D = np.abs(np.arange(12.0)[:, None] - np.arange(12.0))
    study = sortal.Study(D, metric="precomputed")
    study.add({"named": ["left"] * 6 + ["right"] * 6})
    assert [cluster.name for cluster in study.describe("named")] == ["left", "right"]


def test_a_description_in_words_and_as_plain_values():
    plain = ClusterDescription(0, "small", 30, 0.25)
    assert str(plain) == "small: 30 objects (25 %)"
    assert plain.to_dict()["rule"] is None
    described = describe_clusters(customers()[["age"]], (customers()["age"] > 50).astype(int))
    with_rule = next(one for one in described if one.rule is not None)
    assert with_rule.to_dict()["rule"] == str(with_rule.rule)
