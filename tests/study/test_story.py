"""What a thoughtful statistician would say of data that people bring, asserted on the facts."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris, make_moons
from typer.testing import CliRunner

import sortal
from sortal.cli import app

RNG = np.random.default_rng(7)


def judged(X, labelings, reference=True, **options):
    study = sortal.Study(X, **options)
    study.add(labelings, reference=reference)
    return study.best()


def swept(X, k=range(2, 6), names=("kmeans", "ward", "genie")):
    study = sortal.Study(X)
    study.sweep(list(names), k=k, n_init=1, workers=1, progress=False)
    return study


def customers():
    """Age, income and visits of four segments, standardised."""
    segment = np.arange(240) % 4
    means = np.array([[25, 20, 2], [40, 60, 8], [60, 35, 20], [35, 110, 30]])
    X = means[segment] + np.random.default_rng(0).normal(size=(240, 3)) * [4, 8, 2]
    return (X - X.mean(axis=0)) / X.std(axis=0), segment


def topics(n, d, k):
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    return rng.normal(size=(k, d))[y] + rng.normal(size=(n, d)), y


def with_noise(y, share=0.05):
    rng, noisy = np.random.default_rng(1), y.copy()
    moved = rng.random(len(y)) < share
    noisy[moved] = rng.integers(0, y.max() + 1, moved.sum())
    return noisy


def test_segments_of_customers_are_good_and_halves_by_age_are_not():
    X, segment = customers()
    good = judged(X, {"mine": segment})
    assert good.structure.decision == "yes"
    assert good.recovery.value > 0.45
    bad = judged(X, {"by age": X[:, 0] > 0, "drawn": RNG.integers(0, 4, 240)})
    assert bad.structure.decision == "yes"
    assert bad.recovery.value < 0.45
    assert bad.recovery.value < good.recovery.value - 0.3
    assert bad.reference.recovery.value > bad.recovery.value + 0.3


def test_where_too_little_was_tried_more_is_the_next_step():
    X, segment = customers()
    answer = swept(X, k=[2], names=["kmeans"]).best()
    assert answer.reference.n_clusters == segment.max() + 1
    assert f"sortal's own: {segment.max() + 1} groups, better" in str(answer)
    assert "widen -k or --clusterer" in str(answer)
    assert "20 groups are single rows" in str(replace(answer, sizes=(1,) * 20))


def test_moons_are_two():
    X, y = make_moons(400, noise=0.05, random_state=0)
    answer = swept(X, k=range(2, 5)).best()
    assert answer.structure.decision == "yes"
    assert answer.n_clusters == answer.numbers[0].k == 2
    assert sortal.adjusted_rand_index(y, answer.labels, noise="singletons") > 0.9
    assert (answer.reference, answer.reference_skipped) == (None, None)


def test_one_blob_is_not_divided():
    X = np.random.default_rng(3).normal(size=(250, 4))
    answer = swept(X).best()
    assert answer.structure.decision != "yes"
    assert answer.recovery.value < 0.3
    halves = judged(X, {"halves": X[:, 0] > 0})
    assert halves.structure.decision != "yes"
    assert halves.recovery.value < 0.25


def granularities(n, d, k):
    X, y = topics(n, d, k)
    hers = with_noise(y)
    split = 2 * hers + (np.random.default_rng(2).random(n) < 0.5)
    return judged(X, {"hers": hers, "merged": hers // 2, "split": split})


def test_topics_are_found_and_hers_are_the_best_of_three_granularities():
    answer = granularities(400, 60, 8)
    assert answer.structure.decision == "yes"
    assert answer.name == "hers"
    assert answer.reference.agreement > 0.8
    assert answer.reference.n_clusters == 8


@pytest.mark.long
def test_twenty_topics_of_two_thousand_documents():
    answer = granularities(2000, 384, 20)
    assert answer.structure.decision == "yes"
    assert answer.name == "hers"
    assert answer.reference.n_clusters == answer.numbers[0].k == 20


def test_terms():
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 4, 200)
    words = 0.7 * rng.dirichlet(np.full(300, 0.05), size=4) + 0.3 / 300
    X = sparse.csr_array(np.stack([rng.multinomial(60, words[t]) for t in topic]).astype(float))
    answer = judged(X, {"topics": topic}, metric="cosine")
    assert answer.structure.decision == "yes"
    assert answer.recovery.value > 0.45
    drawn = judged(X, {"drawn": rng.integers(0, 4, 200)}, metric="cosine")
    assert drawn.structure.decision == "yes"
    assert drawn.recovery.value < 0.1


def test_python_and_the_command_line_tell_the_same(tmp_path):
    X, y = load_iris(return_X_y=True)
    own = pd.DataFrame({"species": y, "drawn": np.random.default_rng(0).integers(0, 3, 150)})
    own.to_csv(tmp_path / "own.csv", index=False)
    pd.DataFrame(X, columns=list("abcd")).to_csv(tmp_path / "x.csv", index=False)
    words = ["run", str(tmp_path / "x.csv"), "--labelings", str(tmp_path / "own.csv")]
    words += ["--only-labelings", "--scale", "none", "--json", "--quiet"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    told = json.loads(done.stdout)["best"]
    answer = judged(X, dict(own.items())).to_dict()
    where = {"data", "source", "findings", "notes", "sentences", "reasons"}
    assert {key: told[key] for key in {*told} - where} == json.loads(
        json.dumps({key: answer[key] for key in {*answer} - where})
    )
    assert told["sentences"][0] == answer["sentences"][0]
    done = CliRunner().invoke(app, [*words, "--no-reference"], catch_exceptions=False)
    told = json.loads(done.stdout)["best"]
    assert (told["reference"], told["reference_skipped"]) == (None, "asked")


def test_the_reference_is_in_record_and_file(tmp_path):
    X, y = load_iris(return_X_y=True)
    with sortal.Study(X, storage=tmp_path / "s.sortal") as study:
        study.add({"mine": y})
        first = study.best()
    with sortal.load_study(tmp_path / "s.sortal", X) as study:
        assert study.best() == first
        study.add({"mine": y}, reference=False)
        assert study.best().reference_skipped == "asked"
    with sortal.load_study(tmp_path / "s.sortal", X) as study:
        assert study.best().reference is None


def test_features_and_their_distances_choose_alike():
    X, y = load_iris(return_X_y=True)
    labelings = {"species": y, "two": y > 0, "drawn": RNG.integers(0, 3, 150)}
    for metric in ("euclidean", "cosine"):
        condensed = pdist(X, metric)
        given = [
            judged(X, labelings, reference=False, metric=metric),
            judged(squareform(condensed), labelings, reference=False, metric="precomputed"),
            judged(sortal.datasets.from_distances(condensed), labelings, reference=False),
        ]
        # the species and setosa against the rest are level
        assert {answer.name for answer in given} <= {"species", "two"}
        assert {answer.structure.decision for answer in given} == {"yes"}
        assert given[1].recovery == given[2].recovery
        assert abs(given[0].splits.probability - given[1].splits.probability) < 0.05


@pytest.mark.parametrize("data", [lambda: load_iris(return_X_y=True), customers])
def test_a_bad_candidate_raises_no_other(data):
    X, _ = data()
    study = swept(X)
    before, decision = study.rank()["recovery"], study.best().structure.decision
    study.add({"drawn": np.random.default_rng(0).integers(0, 4, len(X))})
    after = study.rank()["recovery"]
    assert study.best().structure.decision == decision
    assert (after[before.index] - before).max() <= 0.02


def test_numbers_sum_to_one_and_say_how_they_go_together():
    X, _ = load_iris(return_X_y=True)
    answer = swept(X).best()
    assert sum(one.probability for one in answer.numbers) == pytest.approx(1)
    first, *others = answer.numbers
    assert len({one.k for one in answer.numbers}) == len(answer.numbers)
    tried = [one for one in others if one.name is not None]
    assert tried
    for one in tried:
        parts = [part for _, of in one.united for part in of]
        assert len(one.united) == min(first.k, one.k)
        assert len(parts) == len(set(parts)) <= max(first.k, one.k)
        assert 0.4 < one.nested <= 1


def test_a_number_that_was_asked_for_has_no_probability():
    X, _ = load_iris(return_X_y=True)
    study = sortal.Study(X)
    study.sweep(["average", "genie", "ward"], k=3, workers=1)
    answer = study.best(stability=False)
    assert answer.judge is not None
    assert answer.numbers == ()
    assert "\n3 separate groups; " in str(answer)


def test_the_headline_has_no_probability_of_a_number():
    X, _ = load_iris(return_X_y=True)
    answer = swept(X).best()
    low, high = answer.number_range
    unsure = answer.numbers[0].probability < 0.5
    number = f"{low} to {high}" if unsure else answer.n_clusters
    assert f"\n{number} separate groups; gaps between groups are almost" in str(answer)
