"""Clarity by reading: who knows, who guesses, who lies, who fails; what is asked and kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

import sortal
import sortal_lab.reading
from readers import Oracle, guesser, objects_of
from sortal import InputError
from sortal_lab.reading import clarity_by_reading, draw_round, intruder_test
from sortal_lab.reading.answers import parse_choice, parse_name
from sortal_lab.reading.correction import bounded_interval
from sortal_lab.reading.score import exact_interval

LABELS = np.repeat([0, 1, 2], [40, 25, 20])


def read(labels=LABELS, reader=None, **options):
    reader = reader or Oracle(labels)
    return clarity_by_reading(objects_of(labels), labels, reader, by="reader", **options)


def test_one_who_knows_scores_one_whatever_the_names_and_the_order():
    for names in (None, {"0": "c", "1": "a", "2": "b"}, {"0": "same", "1": "same", "2": "same"}):
        for seed in range(3):
            clarity = read(reader=Oracle(LABELS, names=names), random_state=seed)
            assert (clarity.score, clarity.interval[1]) == (1, 1)
    turned = np.array(["z", "x", "y"])[LABELS]
    assert read(turned).score == 1


def test_one_who_guesses_scores_chance():
    scores = [read(reader=guesser(seed), random_state=seed).score for seed in range(200)]
    assert abs(np.mean(scores)) < 3 * np.std(scores) / np.sqrt(len(scores))


def test_one_who_always_says_the_same_scores_exactly_chance():
    for fixed in (1, 2, 3):
        clarity = read(reader=lambda prompt, n=fixed: "x" if "common" in prompt else str(n))
        assert clarity.score == pytest.approx(0, abs=1e-12)
    clarity = read(reader=lambda prompt: "x" if "common" in prompt else "none")
    assert (clarity.score, clarity.none) == (pytest.approx(-0.5), 30)


def test_one_who_lies_half_of_the_time_gets_what_is_expected():
    k = 3
    scores = [
        read(reader=Oracle(LABELS, lies=0.5, seed=seed), random_state=seed).score
        for seed in range(200)
    ]
    expected = (0.5 - 1 / k) / (1 - 1 / k)
    assert abs(np.mean(scores) - expected) < 3 * np.std(scores) / np.sqrt(len(scores))


@pytest.mark.parametrize("trouble", [{"fails": 0.5}, {"nonsense": 0.5}])
def test_one_who_fails_half_of_the_time_is_survived_and_counted(trouble):
    reader = Oracle(LABELS, **trouble, seed=2)
    clarity = read(reader=reader)
    answered = [hit for hit in clarity.hits if hit is not None]
    assert clarity.answered == len(answered) > 20
    assert clarity.cost.calls == len(reader.prompts) > 33
    assert (clarity.cost.failed > 5, clarity.cost.unreadable > 5) == (
        "fails" in trouble,
        "nonsense" in trouble,
    )
    # clusters that it named are recognised
    unnamed = [i for i, name in enumerate(clarity.names) if "those of" not in name]
    for hit, cluster in zip(clarity.hits, clarity.round.truth, strict=True):
        assert hit is not False or cluster in unnamed


def test_one_who_always_fails_is_an_error_that_says_why():
    with pytest.raises(InputError, match=r"reader gave no answer.*9 failed.*ConnectionError"):
        read(reader=Oracle(LABELS, fails=1))
    with pytest.raises(InputError, match="9 unreadable"):
        read(reader=lambda prompt: "")
    with pytest.raises(InputError, match="instead of text"):
        read(reader=lambda prompt: 3)
    with pytest.raises(InputError, match="callable"):
        read(reader="gpt")


@given(st.integers(2, 5), st.integers(1, 60), st.integers(0, 10**6))
def test_it_is_kappa_of_as_many_objects_of_each_cluster(k, rounds, seed):
    labels = np.repeat(np.arange(k), 200)
    clarity = read(labels, guesser(seed), n_assignments=k * min(rounds, 20), random_state=seed)
    assigned = clarity.assigned
    kappa = cohen_kappa_score(clarity.round.truth, assigned)
    assert clarity.score == pytest.approx(kappa, abs=1e-12)


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (5, 5), (3, 11), (29, 30)])
def test_the_interval_is_that_of_the_literature(hits, n):
    ends = binomtest(hits, n).proportion_ci(0.9, method="exact")
    assert exact_interval(hits, n, 0.1) == pytest.approx((ends.low, ends.high), abs=1e-12)


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (3, 11), (29, 30)])
def test_of_zeros_and_ones_the_bounded_interval_is_the_exact_one(hits, n):
    interval = bounded_interval([1] * hits + [0] * (n - hits), 0, 1, 0.1)
    assert interval == pytest.approx(exact_interval(hits, n, 0.1), abs=0.003)


@given(st.lists(st.integers(0, 6), min_size=4, max_size=80), st.integers(1, 40), st.integers(0, 99))
def test_a_round_is_drawn_as_it_says(labels, m, seed):
    sizes = np.bincount(labels)
    if (sizes >= 2).sum() < 2:
        with pytest.raises(InputError, match="two such clusters"):
            draw_round(str, labels, m)
        return
    drawn = draw_round(str, labels, m, random_state=seed)
    assert set(drawn.clusters) | set(drawn.too_small) == set(labels)
    for c, cluster in enumerate(drawn.clusters):
        shown = drawn.examples[c]
        assigned = [i for i, of in zip(drawn.objects, drawn.truth, strict=True) if of == c]
        assert all(labels[i] == cluster for i in (*shown, *assigned))
        assert all(labels[i] != cluster for i in drawn.others[c])
        assert not set(shown) & set(assigned)
        assert 1 <= len(shown) == len(set(shown)) == min(6, sizes[cluster] // 2)
    per = [sum(d for d, of in zip(drawn.draws, drawn.truth, strict=True) if of == c)
           for c in range(len(drawn.clusters))]  # fmt: skip
    assert sum(per) == m
    assert max(per) - min(per) <= 1
    assert len(set(drawn.objects)) == len(drawn.objects)
    longer = draw_round(str, labels, 2 * m, random_state=seed)
    assert set(drawn.objects) <= set(longer.objects)
    assert longer.examples == drawn.examples


def test_what_is_asked_shows_no_cluster():
    reader = Oracle(LABELS)
    clarity = read(reader=reader)
    prompts = [p for p in reader.prompts if "To which group" in p]
    assert len(prompts) == len(clarity.assigned) == 30
    assert len(reader.prompts) == 33
    for prompt in prompts:
        assert len(re.findall(r"object \d+", prompt.split("<object>")[-1])) == 1
    assert clarity.cost.sent == sum(map(len, reader.prompts))


def test_answers_are_kept_and_never_asked_for_twice(tmp_path):
    path = tmp_path / "answers.sortal"
    first = read(answers=path)
    again = read(answers=path, reader=Oracle(LABELS, fails=1))
    assert (again.assigned, again.cost.calls, again.cost.remembered) == (first.assigned, 0, 33)
    fresh = clarity_by_reading(
        objects_of(LABELS), LABELS, Oracle(LABELS), by="another", answers=path
    )
    assert fresh.cost.calls == 33


def test_answers_are_kept_in_a_study(tmp_path):
    X = np.concatenate([np.zeros((10, 1)), np.ones((10, 1)) * 9]) + np.arange(20)[:, None] / 99
    labels = np.repeat([0, 1], 10)
    with sortal.Study(X, storage=tmp_path / "a.sortal") as study:
        first = read(labels, answers=study)
    with sortal.load_study(tmp_path / "a.sortal", X) as study:
        again = read(labels, answers=study, reader=Oracle(labels, fails=1))
    assert (again.score, again.cost.calls, first.cost.calls) == (1, 0, 12)


def test_an_interruption_loses_no_answer(tmp_path):
    path = tmp_path / "answers.sortal"
    oracle, left = Oracle(LABELS), iter(range(17))

    def interrupted(prompt):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return oracle(prompt)

    with pytest.raises(KeyboardInterrupt):
        read(reader=interrupted, answers=path)
    again = read(reader=oracle, answers=path)
    assert (again.cost.remembered, again.cost.calls) == (17, 16)
    assert again.assigned == read().assigned


def test_calls_are_limited():
    clarity = read(max_calls=13)
    assert (clarity.cost.calls, clarity.answered) == (13, 10)
    assert "20 more have no answer" in str(clarity)
    with pytest.raises(InputError, match="max_calls"):
        read(max_calls=0)
    with pytest.raises(InputError, match="assigned none"):
        read(max_calls=3)


def test_clusters_of_one_object_take_no_part():
    labels = [*LABELS, 7]
    clarity = read(labels)
    assert clarity.round.too_small == (7,)
    assert "1 cluster of one object" in str(clarity)
    outliers = [*LABELS, -1, -1]
    assert set(read(outliers).cluster_names) == {0, 1, 2}


def test_of_a_small_cluster_an_object_stands_for_several_draws():
    labels = [0] * 50 + [1] * 2
    clarity = read(labels, n_assignments=10)
    assert sorted(clarity.round.draws)[-1] == 5
    wrong = read(labels, lambda p: "x" if "common" in p else "1", n_assignments=10)
    assert wrong.score == pytest.approx(0)


def test_each_cluster_has_its_own_score():
    confused = np.where(LABELS == 2, 1, LABELS)

    class Confuses(Oracle):  # takes cluster 2 for cluster 1
        def __call__(self, prompt):
            if "common" in prompt:
                return super().__call__(prompt)
            self.labels = [str(label) for label in confused]
            return super().__call__(prompt)

    table = read(reader=Confuses(LABELS)).per_cluster
    assert table.loc[2, "taken for"] == table.loc[1, "name"]
    assert table["score"].to_dict() == pytest.approx({0: 1, 1: 1, 2: -0.5})
    assert json.dumps(read().to_dict())


def test_whatever_can_be_shown_is_shown(tmp_path):
    seen = []

    def reader(prompt):
        seen.append(prompt)
        return "x" if "common" in prompt else "1"

    labels = [0, 0, 1, 1]
    table = pd.DataFrame(
        {"age": [1.23456789, 2, 3, 4], "sex=f": [1, 0, 0, 1], "sex=m": [0, 1, 1, 0]}
    )
    kinds = {
        "age: 1.235\nsex: f": table,
        "feature 2: 1": np.arange(8).reshape(4, 2),
        "plain text": ["plain text"] * 4,
        "a.png": [tmp_path / "a.png"] * 4,
        "colour: red": [{"colour": "red"}] * 4,
        "number 3": lambda at: f"number {at}",
    }
    for expected, objects in kinds.items():
        seen.clear()
        clarity_by_reading(objects, labels, reader, n_assignments=4)
        assert any(expected in prompt for prompt in seen), expected
    with pytest.raises(InputError, match="cannot be shown"):
        clarity_by_reading([1, 2, 3, 4], labels, reader)
    with pytest.raises(InputError, match="3 objects to show and 4 labels"):
        clarity_by_reading(["a"] * 3, labels, reader)


def test_a_table_is_shown_in_original_units():
    wine = sortal.datasets.load("wine", scale="standard")
    seen = []

    def reader(prompt):
        seen.append(prompt)
        return "x" if "common" in prompt else "1"

    clarity_by_reading(wine, wine.y, reader, n_assignments=3)
    shown = [float(v) for p in seen for v in re.findall(r"proline: ([\d.]+)", p)]
    assert 270 < min(shown) < max(shown) < 1700
    assert not any("cultivar" in p for p in seen)


def test_prompts_have_a_version():
    folder = Path(sortal_lab.reading.__file__).parent / "prompts"
    assert {file.name for file in folder.iterdir()} == {
        "name_1.txt", "assign_1.txt", "intruder_1.txt",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("2", 1),
        ("Group 2.", 1),
        ('{"group": "2"}', 1),
        ('Sure!\n```json\n{"group": 2}\n```', 1),
        ('{"number": 2}', 1),
        ('{"reason": "3 dogs", "group": 1}', 0),
        ("dogs", 0),
        ("It belongs to Dogs.", 0),
        ("hot dogs", 2),
        ("None", -1),
        ('{"group": null}', -1),
        ('{"group": "none"}', -1),
        ("2, not 99", None),
        ("1 or 2", None),
        ("4", None),
        ("0", None),
        ("dogs or cats", None),
        ("2.5", None),
        ("", None),
        ('{"a": 1, "b": 2}', None),
    ],
)
def test_what_an_answer_says(answer, expected):
    names = ["dogs", "cats", "hot dogs"]
    assert parse_choice(answer, names) == expected


@given(st.text(), st.lists(st.text(min_size=1), min_size=1, max_size=4))
@example("0:\x08", ["0"])
def test_no_answer_is_too_odd_to_be_read(answer, names):
    assert parse_choice(answer, names) in (None, *range(-1, len(names)))
    name = parse_name(answer)
    assert name is None or (name.isprintable() and any(map(str.isalnum, name)))


def test_intruders_are_found_by_one_who_knows_and_guessed_by_one_who_does_not():
    intrusion = intruder_test(objects_of(LABELS), LABELS, Oracle(LABELS))
    assert (intrusion.share, intrusion.hits, intrusion.chance) == (1, 30, 0.2)
    ends = binomtest(30, 30).proportion_ci(0.9, method="exact")
    assert intrusion.interval == pytest.approx((ends.low, ends.high))
    assert intrusion.per_cluster["answered"].to_dict() == {0: 10, 1: 10, 2: 10}
    shares = [
        intruder_test(objects_of(LABELS), LABELS, guesser(seed), random_state=seed).share
        for seed in range(100)
    ]
    assert abs(np.mean(shares) - 0.2) < 3 * np.std(shares) / 10


def test_a_word_of_both_lists_is_no_intruder():
    words = ["a", "b", "c", "d", "a", "b", "c", "x"]
    seen = []

    def reader(prompt):
        seen.append(prompt.split("<objects>")[-1].split("</objects>")[0])
        return "1"

    intruder_test(words, [0] * 4 + [1] * 4, reader, n_sets=20)
    assert all("x" in text for text in seen)
    with pytest.raises(InputError, match="has no intruder"):
        intruder_test(words[:4] * 2, [0] * 4 + [1] * 4, reader)
    with pytest.raises(InputError, match="cluster of 4 objects"):
        intruder_test(words[:6], [0] * 3 + [1] * 3, reader)
    with pytest.raises(InputError, match="largest of 0 has 0"):
        intruder_test(words, [-1] * 8, reader)
