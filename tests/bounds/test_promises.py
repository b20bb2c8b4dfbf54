"""What a guarantee once said and did not keep, and what it says now."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_wine, make_blobs
from sklearn.preprocessing import scale

import sortal
from sortal import InputError
from sortal.bounds import LabelSequence, claims, doubted_draw, forecast_labels, sample


def partly(truth, rows):
    y = np.full(len(truth), None, dtype=object)
    y[rows] = np.asarray(truth, dtype=object)[rows]
    return y


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    labelings = {f"kmeans {k}": KMeans(k, n_init=1, random_state=0).fit_predict(X)
                 for k in range(2, 9)}  # fmt: skip
    labelings |= {f"ward {k}": AgglomerativeClustering(k).fit_predict(X) for k in range(2, 9)}
    return X, y, labelings


@pytest.mark.quick(1)
@pytest.mark.parametrize("m", [20, 40])
def test_many_small_classes_do_not_break_it(m):
    truth, broken = np.arange(1000) // 2, 0
    for seed in range(20):
        rows = sample(1000, m, random_state=seed)
        guarantee = sortal.guarantee({"one": np.zeros(1000, int)}, partly(truth, rows), 0.1)
        hidden = np.setdiff1d(np.arange(1000), rows)
        broken += (guarantee.labels[hidden] != truth[hidden]).sum() > guarantee.bound
    assert broken <= 2 + 3 * (20 * 0.09) ** 0.5
    assert not any("list of classes" in premise for premise in guarantee.premises)
    listed = sortal.guarantee(np.zeros(1000, int), partly(truth, rows), classes=list(range(500)))
    assert any("list of classes" in premise for premise in listed.mdl.premises)


def test_one_statement_under_one_probability(wine):
    _, y, labelings = wine
    guarantee = sortal.guarantee(labelings, partly(y, sample(178, 40, random_state=0)))
    for bound in (guarantee, guarantee.mdl.best):
        assert not hasattr(bound, "constant_bound")
        assert bound.sentence.count("At most") == 1
        assert "largest" not in bound.sentence
        assert "Premises: the labelled objects were drawn" in bound.sentence


@pytest.mark.parametrize("anytime", [False, True])
def test_the_largest_class_is_the_answer_where_it_is_lower(anytime):
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(600) < 0.3, "rare", "usual")
    rows = sample(600, 200, random_state=1)
    guarantee = sortal.guarantee(
        rng.integers(0, 40, (5, 600)), partly(truth, rows), anytime=anytime, order=rows
    )
    (largest,) = (part for part in guarantee.parts if part.method == "largest class")
    assert guarantee.bound <= largest.bound < 0.45 * largest.n
    if not anytime:
        assert guarantee.carrier == "largest class"
        assert set(guarantee.labels[~guarantee.row_classes.labelled]) == {"usual"}
        assert "the largest class for every object" in guarantee.reason


def test_a_target_that_is_reached_was_not_called_out_of_reach(wine):
    X, y, labelings = wine
    reached = 0
    for seed in range(3):
        order = sample(178, 88, random_state=seed)
        early = sortal.guarantee(labelings, partly(y, order[:20]), X=X, order=order[:20])
        forecast = forecast_labels(early, 0.25)
        late = sortal.guarantee(labelings, partly(y, order), X=X, order=order)
        assert "however many" not in str(forecast) + str(forecast_labels(early))
        if late.bound_rate <= 0.25:
            reached += 1
            assert forecast.low is not None
            assert forecast.low <= 68
    assert reached >= 2


@pytest.fixture(scope="module")
def blobs():
    X, _ = make_blobs([250, 150, 70, 30], 2, centers=None, cluster_std=2.0, random_state=4)
    codes = [KMeans(k, n_init=1, random_state=0).fit_predict(X) for k in range(2, 13)]
    four = codes[2]
    centers = np.array([X[four == c].mean(axis=0) for c in range(4)])
    return np.array(codes), four, ((X - centers[four]) ** 2).sum(axis=1)


@pytest.mark.quick(2)
@pytest.mark.parametrize("design", ["nearest", "two clusters", "easy", "as many of each", "first"])
def test_labels_that_are_no_draw_are_refused(blobs, design):
    codes, four, far = blobs
    rng = np.random.default_rng(0)
    sizes = np.bincount(four)
    rows = {
        "nearest": lambda: np.argsort(far)[:60],
        "two clusters": lambda: rng.choice(
            np.flatnonzero(np.isin(four, np.argsort(-sizes)[:2])), 60, replace=False
        ),
        "easy": lambda: rng.choice(500, 60, replace=False, p=(w := np.exp(-far)) / w.sum()),
        "as many of each": lambda: np.concatenate(
            [rng.permutation(np.flatnonzero(four == c))[:15] for c in range(4)]
        ),
        "first": lambda: np.lexsort([far, four])[:60],
    }[design]()
    guarantee = sortal.guarantee(codes, partly(four, rows))
    assert guarantee.bound_rate == 1.0
    assert "sortal sample" in guarantee.refused
    assert guarantee.sentence.startswith("Nothing is guaranteed")
    assert guarantee.mdl.best.bound_rate == 1.0
    assert "No forecast" in str(forecast_labels(guarantee, 0.1))
    assert claims(codes, partly(four, rows)).refused
    if design == "two clusters":
        ordered = sortal.guarantee(
            codes, partly(four, rows), 0.1, anytime=True, order=rng.permutation(rows)
        )
        assert ordered.refused


def test_honest_draws_are_hardly_ever_doubted(blobs):
    codes = blobs[0]
    doubts = [doubted_draw(codes, sample(500, 60, random_state=seed)) for seed in range(100)]
    assert sum(doubt is not None for doubt in doubts) <= 1 + 3
    assert not any(doubt is not None and doubt.refuses for doubt in doubts)


def test_all_clusterings_together_guarantee_more_than_one(wine):
    X, y, labelings = wine
    rates = np.empty((3, 4))
    for seed in range(4):
        order = sample(178, 50, random_state=seed)
        few = partly(y, order)
        single = [sortal.guarantee(labelings[name], few, order=order).bound_rate
                  for name in ("kmeans 3", "ward 5")]  # fmt: skip
        together = sortal.guarantee(labelings, few, order=order)
        with_features = sortal.guarantee(labelings, few, X=X, order=order)
        assert with_features.carrier == "clusterings and features"
        rates[:, seed] = np.mean(single), together.bound_rate, with_features.bound_rate
    alone, together, with_features = rates.mean(axis=1)
    assert together < alone
    assert with_features < alone


def test_stopping_takes_hardly_more_labels_than_a_test_without_errors():
    order, truth = sample(1000, 80, random_state=0), np.arange(1000) % 2
    keeps = LabelSequence(truth, target=0.1)
    for m in range(1, 81):
        guarantee = keeps.update(partly(truth, order[:m]), order[:m])
        if guarantee.bound_rate <= 0.1:
            break
    # 24 labels choose; 35 errorless ones are the first stop of the boundary
    assert m <= 24 + 35
    assert guarantee.method == "target"
    again = sortal.guarantee(truth, partly(truth, order[:m]), 0.1, anytime=0.1, order=order[:m])
    assert again.bound == guarantee.bound
    assert "every number of labels" in guarantee.reason


def test_a_label_that_is_taken_back_starts_anew():
    order, truth = sample(300, 60, random_state=0), np.arange(300) % 3
    keeps = LabelSequence([truth, np.roll(truth, 1)])
    keeps.update(partly(truth, order), order)
    shorter = keeps.update(partly(truth, order[:40]), order[:40])
    few, labelings = partly(truth, order[:40]), [truth, np.roll(truth, 1)]
    fresh = sortal.guarantee(labelings, few, 0.1, anytime=True, order=order[:40])
    assert shorter.bound == fresh.bound


@pytest.mark.parametrize(
    ("delta", "said"),
    [
        (0.1, "Of ten random draws like yours, at most one would"),
        (0.05, "Of twenty random draws like yours, at most one would"),
        (0.01, "Of 100 random draws like yours, at most one would"),
        (0.15, "Of 100 random draws like yours, at most 15 would"),
        (0.0015, "Of 1,000 random draws like yours, at most two would"),
    ],
)
def test_chances_are_told_as_draws(delta, said):
    bound = sortal.pac_mdl_bound([0, 0, 1, 1], ["a", None, "b", None], delta)
    assert f" {said}" in bound.sentence


def test_a_ranking_by_labels_is_not_called_the_probability_of_being_best(wine):
    X, y, _ = wine
    study = sortal.Study(X, y=partly(y, sample(178, 20, random_state=0)))
    study.sweep(["kmeans", "ward"], k=range(2, 5), n_init=2)
    best = study.best()
    reasons = " ".join(best.reasons)
    assert "probability among the candidates" not in f"{best} {reasons}"
    assert re.search("the 20 labels (favour|speak against) it .* without them", str(best))
    assert "This ranks the candidates and guarantees nothing." in reasons


# claims -------------------------------------------------------------------------------------------


def broken_claims(statements, truth, labelings, y):
    """Whether any claim is false, from the truth."""
    labelled = np.array([value is not None for value in y])
    filled = np.where(labelled, truth, statements.labels)
    codes = labelings[statements.name]
    wrong = 0
    for claim in statements.claims:
        if claim.about == "clusters":
            wrong += (truth[codes == claim.subject] == claim.says).mean() < claim.low - 1e-12
        elif claim.about == "classes":
            wrong += (filled[truth == claim.subject] == claim.subject).mean() < claim.low - 1e-12
        elif claim.about == "counts":
            wrong += not claim.low <= (truth == claim.subject).sum() <= claim.high
        else:
            held = ~labelled & np.array([value is not None for value in statements.labels])
            wrong += (statements.labels != truth)[held].mean() > claim.high + 1e-12
    return wrong > 0


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "about",
    [["clusters"], ["classes"], ["counts"], ["abstain"], ["error"],
     ["clusters", "classes", "counts", "error"]],
)  # fmt: skip
def test_claims_fail_together_with_a_chance_of_at_most_delta(about):
    rng = np.random.default_rng(3)
    truth = np.array(["a", "b", "c"], dtype=object)[rng.choice(3, 120, p=[0.6, 0.3, 0.1])]
    codes = np.where(rng.random(120) < 0.25, rng.integers(0, 4, 120), (truth == "a") + 0)
    labelings, broken, draws = {"one": codes}, 0, 150
    for seed in range(draws):
        rows = sample(120, 40, random_state=seed)
        y = partly(truth, rows)
        statements = claims(labelings, y, 0.2, about=about, abstain=0.3, order=rows)
        broken += broken_claims(statements, truth, labelings, y)
    assert broken <= 0.2 * draws + 3 * (0.16 * draws) ** 0.5


def test_claims_in_words(wine):
    _, y, labelings = wine
    names = np.array(["Barolo", "Grignolino", "Barbera"], dtype=object)[y]
    few = partly(names, sample(178, 100, random_state=0))
    statements = claims(labelings, few, about=["error", "clusters", "classes", "counts", "abstain"])
    text = str(statements)
    assert "All of these hold at once: of ten random draws like yours" in text
    assert "% Barolo (" in text
    assert "of all Barbera are found" in text
    assert "of the 178 objects are Grignolino" in text
    assert "that get an answer are wrong" in text
    assert "Premises: the labelled objects were drawn" in text
    assert sum(value is None for value in statements.labels) == pytest.approx(0.2 * 78, abs=9)
    with pytest.raises(InputError, match="about must name"):
        claims(labelings, few, about=["nothing"])
    with pytest.raises(InputError, match="abstain"):
        claims(labelings, few, abstain=1.0)


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", range(2))
def test_the_number_that_may_be_wrong_never_rises_while_labels_come(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = 90, 3
    truth = rng.integers(0, k, n).astype(object)
    codes = np.array([np.where(rng.random(n) < 0.7, truth, rng.integers(0, 5, n)) for _ in "abc"])
    taught = rng.permutation(n)[: 4 * (seed > 0)]
    order = sortal.bounds.sample(n, n, random_state=seed)
    order = order[~np.isin(order, taught)]
    y = np.full(n, None, dtype=object)
    y[taught] = truth[taught]
    keeps = sortal.bounds.LabelSequence(codes.astype(int), 0.5, 0.3, taught=taught)
    before, last = n, None
    for m in range(1, 40):
        y[order[m - 1]] = truth[order[m - 1]]
        guarantee = keeps.update(y, order[:m])
        assert guarantee.refused or guarantee.bound <= before, m
        before, last = guarantee.bound, guarantee
    assert last is not None
    assert last.bound < n - 39 - len(taught)
    # other labels are another sequence
    y[order[0]] = (truth[order[0]] + 1) % k
    assert (
        keeps.update(y, order[:39]).bound
        == sortal.guarantee(
            codes.astype(int), y, 0.5, anytime=0.3, taught=taught, order=order[:39]
        ).bound
    )
