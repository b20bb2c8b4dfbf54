"""Training a judge: the same bytes twice, and a protocol that cannot find what is not there."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import sortal
from sortal import InputError
from sortal.judge import gather, load_judge
from sortal.labelings import encode
from sortal_lab import choice_ablations, choice_expected, choice_training
from sortal_lab.cases import OWN, TrainingCase
from sortal_lab.choice import tried
from sortal_lab.choice_candidates import without_each
from sortal_lab.choice_corpus import agreement, keep, kept, measured
from sortal_lab.choice_generated import GROUP_OF, case_of, cases_in, draw, kinds, make_shards
from sortal_lab.choice_labelings import above_itself, own_labelings
from sortal_lab.choice_shapes import CLOUDS, SHAPES, draw_shapes
from sortal_lab.choice_table import above_noise, notes_on, table_of
from sortal_lab.favourable import favourable, sign_of
from sortal_lab.rivals import RIVALS
from sortal_lab.training import Fit, every_fold, folds_of, train, train_judge
from sortal_lab.trees import Boosting

SMALL = Boosting(bags=2, trees=15, leaves=8, least=5)


@cache
def case(kind, seed):
    X, y = draw_shapes(kind, np.random.default_rng(seed), largest=130)
    study = sortal.Study(X)
    study.sweep(["kmeans", "ward", "genie"], k=range(2, 6), n_init=1, workers=1)
    table = study.rank()
    codes = np.stack([study.labels(name) for name in table.index])
    sources = [{str(name).split()[0]} for name in table.index]
    own = own_labelings(X, y, np.random.default_rng(seed))
    for what, labels in own:
        codes = np.vstack([codes, encode(labels).codes])
        sources.append({OWN + what})
    cloud = kind in CLOUDS
    reached = np.array([[0.0 if cloud else agreement(code, y) for code in codes]])
    family = "cloud" if cloud else "benchmark"
    codes = codes.astype(np.int32)
    return TrainingCase(
        f"{kind} {seed}", family, f"{kind} {seed}", gather(X, codes), reached,
        tuple(map(frozenset, sources)), measured(X, codes), True, codes, y,
    )  # fmt: skip


@cache
def cases(seeds=4):
    kinds = ["gaussian mixture", "boxes", "moons", "gaussian cloud"]
    return [case(kind, seed) for kind in kinds for seed in range(seeds)]


def few_cases():
    """For tests that compare nothing between many."""
    return cases(2)


@pytest.mark.long
def test_training_twice_gives_the_same_bytes(tmp_path):
    paths = [tmp_path / "one.npz", tmp_path / "two.npz"]
    judges = [train(cases(), boosting=SMALL, n_jobs=n) for n in (1, 2)]
    for judge, path in zip(judges, paths, strict=True):
        judge.save(path)
    assert judges[0].digest == judges[1].digest
    assert paths[0].read_bytes() == paths[1].read_bytes()
    again = load_judge(paths[0])
    assert again.digest == judges[0].digest
    evidence = cases()[0].evidence
    np.testing.assert_array_equal(again(evidence).score, judges[0](evidence).score)


def lowered(forest):
    """Names of the favourable columns that lower what a forest expects where they improve."""
    names = load_judge().columns
    rng = np.random.default_rng(0)
    F = np.concatenate([one.table for one in few_cases()])
    F = F[rng.permutation(len(F))[:60]]
    before, out = forest.predict(F), []
    for j, name in enumerate(names):
        if sign_of(name):
            better = F.copy()
            better[:, j] += sign_of(name) * rng.exponential(F[:, j].std(), len(F))
            if (forest.predict(better) < before - 1e-9).any():
                out.append(name)
    return out


@pytest.mark.long
def test_no_favourable_evidence_lowers_what_is_expected():
    judge = load_judge()
    assert lowered(judge.expected) == []
    assert len(lowered(judge.level)) > 50  # the trees that choose may do so


def test_what_is_expected_reads_signed_columns():
    judge = load_judge()
    read, signs = favourable(judge.columns)
    assert set(judge.expected.feature.tolist()) - {-1} <= set(read.tolist())
    assert {judge.columns[j] for j in read[signs == 0]} > {"size clusters", "data log n"}


def test_what_is_expected_is_learned_from_the_stated_cases():
    some = few_cases()
    other = [replace(one, agreement=1 - one.agreement) for one in some[6:]]
    stated = np.arange(8) < 6
    forests = [
        Fit(every, SMALL, 0, 1, stated).expected(np.arange(8)) for every in (some, some[:6] + other)
    ]
    np.testing.assert_array_equal(*(forest.value for forest in forests))
    assert lowered(forests[0]) == []
    every = Fit(some, SMALL, 0, 1).expected(np.arange(8))
    assert not np.array_equal(every.value, forests[0].value)


@pytest.mark.long
def test_what_is_excluded_is_excluded():
    fold = folds_of(cases(), 3)
    for one, at in zip(cases(), fold, strict=True):
        assert (at < 0) == (one.family == "cloud")
    together = [replace(one, collection=one.name.split()[0]) for one in cases()]
    fold = folds_of(together, 3)
    of = {}
    for one, at in zip(together, fold, strict=True):
        if at >= 0:
            assert of.setdefault(one.collection, at) == at


@pytest.mark.long
def test_what_a_clusterer_is_worth():
    def told(one, names):
        one = one.sweep
        return replace(one, sources=tuple(names(j) for j in range(len(one.first))))

    def all_by_two(one):
        return told(one, lambda j: frozenset({"a", "b"}))

    def best_by_one(one):
        best = int(np.argmax(one.sweep.first))
        return told(one, lambda j: frozenset({"a" if j == best else "b"}))

    judge = train(cases(), boosting=SMALL)
    lost = without_each([all_by_two(one) for one in cases()], judge)
    for values in lost["a"] + lost["b"]:
        assert (values == 0).all()  # the other one found them, too
    lost = without_each([best_by_one(one) for one in cases()], judge)
    for at, one in enumerate(cases()):
        first, second = np.sort(one.sweep.first)[::-1][:2]
        assert lost["a"][1][at] == pytest.approx(first - second)


@pytest.mark.long
def test_a_judge_of_meaningless_agreement_is_no_better_than_chance():
    boosting = Boosting(trees=30, leaves=8, least=5)
    swept = [one.sweep for one in cases()]
    tested = [i for i, one in enumerate(swept) if one.is_tested]
    chance = np.mean([swept[i].first.mean() for i in tested])
    best = np.mean([swept[i].first.max() for i in tested])

    def gained(reached):
        return (np.mean([reached[i] for i in tested]) - chance) / (best - chance)

    def chosen(learned):
        """Agreement of choices on collections that the judges did not see."""
        fold, reached = folds_of(learned, 2), {}
        for f in range(2):
            some = [one for one, at in zip(learned, fold, strict=True) if at != f]
            judge = train(some, boosting=boosting)
            for i in np.flatnonzero(fold == f):
                # what is told has the meaning of the evidence built in; what chooses learns it
                reached[i] = swept[i].first[int(np.argmax(judge(swept[i].evidence).ahead))]
        return reached

    assert gained(chosen(swept)) > 0.3
    # agreement of each case dealt out to its candidates at random, for training only
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(4):
        dealt = [replace(one, agreement=rng.permuted(one.agreement, axis=1)) for one in swept]
        gains.append(gained(chosen(dealt)))
    assert abs(np.mean(gains)) < 0.2


def test_a_case_survives_keeping(tmp_path):
    one = few_cases()[0]
    keep(one, tmp_path / "a.npz")
    again = kept(tmp_path / "a.npz")
    assert (again.name, again.family, again.whole) == (one.name, one.family, one.whole)
    assert again.sources == one.sources
    np.testing.assert_array_equal(again.agreement, one.agreement)
    np.testing.assert_array_equal(again.table, one.table)
    keep(None, tmp_path / "b.npz")
    assert kept(tmp_path / "b.npz") is None


@pytest.mark.parametrize("rival", RIVALS)
def test_every_rival_scores_every_candidate(rival):
    for one in few_cases()[:6]:
        score = RIVALS[rival](one)
        assert score.shape == (len(one.first),)
        assert not np.isnan(score).any()


@pytest.mark.long
def test_a_trial_has_every_way_of_choosing():
    judge = train(cases(), boosting=SMALL)
    trials = [tried(one, judge) for one in cases()[:3]]
    table = table_of(trials)
    assert {"judge", "best candidate", *RIVALS} <= set(table.index)
    assert any("labelings at random" in note for note in notes_on(trials))


def test_generated_sets_are_what_they_say():
    for kind in [*SHAPES, *CLOUDS]:
        X, labels = draw_shapes(kind, np.random.default_rng(1))
        assert np.isfinite(X).all()
        assert len(X) == len(labels)
        assert (labels.max() == 0) == (kind in CLOUDS)
        again, _ = draw_shapes(kind, np.random.default_rng(1))
        np.testing.assert_array_equal(X, again)


def test_the_truth_is_compared_with_itself_with_noise():
    names = [{"ward"}, {"own: truth with 10 % noise"}, {"own: truth with 0 % noise", "genie"}]
    assert above_itself(np.array([0.9, 0.4, 0.5]), names, 10) is True
    assert above_itself(np.array([0.9, 0.5, 0.5]), names, 10) is False
    assert above_itself(np.array([0.9, 0.4, 0.5]), names, 5) is None
    assert above_noise(lambda noise: [True, False, None] if noise < 20 else []) == (
        "the truth is predicted above itself with noise: with 5 % in 50.0 % of 2, with 10 % in "
        "50.0 % of 2 tasks."
    )


def test_agreement_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    for _ in range(50):
        labels, truth = rng.integers(-1, 4, 30), rng.integers(-1, 3, 30)
        alone = np.where(labels < 0, 10 + np.arange(30), labels)
        counts = truth >= 0
        expected = adjusted_rand_score(truth[counts], alone[counts])
        assert agreement(labels, truth) == pytest.approx(expected)


def test_users_labelings_are_what_they_say():
    rng = np.random.default_rng(0)
    X, y = draw_shapes("gaussian mixture", rng, largest=400)
    found = list(own_labelings(X, y, rng))
    reached = {what: agreement(np.asarray(labels), y) for what, labels in found}
    assert reached["truth with 0 % noise"] == 1
    assert reached["truth with 50 % noise"] < reached["truth with 20 % noise"] < 0.95
    assert abs(reached["random 2"]) < 0.05
    assert all("truth" not in what for what, _ in own_labelings(X, 0 * y, rng))


@pytest.mark.parametrize("kind", kinds())
def test_a_generated_task_is_made_again_from_its_number(kind):
    X, y, _ = draw(kind, 3)
    again = draw(kind, 3)
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])
    assert np.isfinite(X).all()
    assert len(X) == len(y) >= 20
    assert X.std(axis=0).max() > 0
    assert (y.max() > 0) == (kind in GROUP_OF)
    assert not np.array_equal(X, draw(kind, 4)[0])


def test_shards_resume(tmp_path, monkeypatch):
    monkeypatch.setattr("sortal_lab.choice_generated.kinds", lambda: ["boxes", "gaussian cloud"])
    said = []
    make_shards(tmp_path, range(1), said.append)
    make_shards(tmp_path, range(2), said.append)
    assert said == ["shard 0", "shard 1"]
    names = [one.name for one in cases_in(tmp_path)]
    assert names == [f"{kind}/{i}" for i in range(2) for kind in ("boxes", "gaussian cloud")]
    stored, made = next(iter(cases_in(tmp_path, [1]))), case_of("boxes", 1)
    np.testing.assert_allclose(stored.first, made.first, atol=1e-6)
    np.testing.assert_allclose(stored.evidence.traits.own, made.evidence.traits.own, rtol=1e-5)


@pytest.mark.long
def test_ways_of_choosing_are_compared_on_excluded_groups(monkeypatch, tmp_path):
    groups = ["gaussian mixture", "boxes", "moons"]
    for module in (choice_ablations, choice_training):
        monkeypatch.setattr(module, "GROUPS", dict.fromkeys(groups))
    some = [replace(one, collection=one.name.rsplit(" ", 1)[0]) for one in cases()]
    fit = Fit(some, SMALL, 0, 1)
    unseen = fit.unseen(every_fold(some), storage=tmp_path)
    expected = fit.of_folds(fit.expected, every_fold(some))
    monkeypatch.setattr(fit, "forest_of", None)  # predictions are kept
    again = fit.unseen(every_fold(some), storage=tmp_path)
    np.testing.assert_array_equal(unseen.ahead[0], again.ahead[0])
    table, notes = choice_training.compared(fit, unseen)
    assert list(table.columns) == ["mean of groups", *groups]
    values = table.loc[["a candidate at random", "judge", "best candidate"]].astype(float)
    assert (values.loc["judge"] <= values.loc["best candidate"]).all()
    assert "log loss" in notes[1]
    errors = choice_expected.held(some, every_fold(some), expected)
    assert (errors["share in the 80 % interval"] > 0.3).all()
    exact = choice_expected.held(some, every_fold(some), [one.first for one in some])
    assert (exact["root mean squared error"] < 0.01).all()
    assert (exact["share in the 80 % interval"] > 0.95).all()
    changes, errors = choice_ablations._ablations(some, Boosting(trees=2, leaves=4), 0, print)
    assert set(changes["16 tasks without: moons"]) == {"mean of groups", *groups[:2]}
    assert len(errors) == len(changes)


def test_the_expected_agreement_is_learned_from_all_cases_if_none_is_stated():
    some, every = few_cases()[:4], np.arange(4)
    of_none, of_all = (
        Fit(some, SMALL, 0, 1, stated).expected(every) for stated in (np.zeros(4, dtype=bool), None)
    )
    np.testing.assert_array_equal(of_none.threshold, of_all.threshold)


def test_columns_have_few_steps_in_the_order_of_their_values():
    fit = choice_ablations._coarse(few_cases()[:4], SMALL, 0)
    exact = np.concatenate([one.table for one in few_cases()[:4]])
    assert len(np.unique(fit.table)) <= choice_ablations.STEPS
    for coarse, values in zip(fit.table.T, exact.T, strict=True):
        assert (np.diff(coarse[np.argsort(values, kind="stable")]) >= 0).all()


def test_your_own_judge_decides():
    studies = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 3)) + 6 * (np.arange(60) % 3)[:, None]
        studies.append(sortal.Study(X, y=np.arange(60) % 3))
        studies[-1].sweep(["ward", "kmeans", "genie"], k=range(2, 6), n_init=1, workers=1)
    own = train_judge(studies, version="lab")
    fresh = sortal.Study(studies[0].X)
    fresh.sweep(["ward", "kmeans", "genie"], k=range(2, 6), n_init=1, workers=1)
    fresh.judge = own
    assert any("judge lab" in reason for reason in fresh.best().reasons)
    with pytest.raises(InputError, match="at least two collections; got 1"):
        train_judge(studies, collections=["a", "a", "a"])
    unlabelled = sortal.Study(studies[0].X)
    with pytest.raises(InputError, match="lacks the class of some objects"):
        train_judge([unlabelled, studies[1]])
