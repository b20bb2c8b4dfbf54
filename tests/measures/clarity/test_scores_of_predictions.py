"""Scores of predictions: the published example, the definition, and what cannot change them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_clarity as naive
from sortal import InputError, UndefinedMeasureError
from sortal.measures.clarity import informativeness_of_predictions, recognition_of_predictions

# figures 6.5 and 6.6 of whissell2012; the two objects of cluster 2 are predicted wrongly
LABELS = [3, 1, 2, 1, 2, 3, 3, 3]
PREDICTED = [3, 1, 1, 1, 3, 3, 3, 3]


def test_figure_6_6() -> None:
    seen = recognition_of_predictions(LABELS, PREDICTED)
    bit = math.log(2)
    assert seen.average_information / bit == pytest.approx(1.0, abs=1e-15)
    assert seen.entropy / bit == pytest.approx(1.5, abs=1e-15)
    assert seen.informativeness() == pytest.approx(0.5, abs=1e-15)
    assert seen.accuracy == 0.75
    assert seen.normalized_accuracy == 1.5
    assert seen.macro_accuracy == pytest.approx(2 / 3)


labellings = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 5), min_size=n, max_size=n),
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
    )
)


@given(labellings)
def test_definition(pair: tuple[list[int], list[int]]) -> None:
    labels, predicted = pair
    if len(set(labels)) < 2:
        with pytest.raises(UndefinedMeasureError, match="at least 2"):
            informativeness_of_predictions(labels, predicted)
        return
    assert informativeness_of_predictions(labels, predicted) == pytest.approx(
        naive.informativeness(labels, predicted), abs=1e-12
    )
    assert informativeness_of_predictions(
        labels, predicted, baseline="permutation"
    ) == pytest.approx(naive.corrected(labels, predicted), abs=1e-12)


@given(labellings)
def test_names_and_order_do_not_matter(pair: tuple[list[int], list[int]]) -> None:
    labels, predicted = pair
    if len(set(labels)) < 2:
        return
    value = informativeness_of_predictions(labels, predicted)
    words = {code: f"cluster {9 - code}" for code in range(7)}
    renamed = informativeness_of_predictions(
        [words[c] for c in labels][::-1], [words[c] for c in predicted][::-1]
    )
    assert renamed == pytest.approx(value, abs=1e-12)


@given(labellings, st.data())
def test_lemma_3_one_more_right_never_lowers(
    pair: tuple[list[int], list[int]], data: st.DataObject
) -> None:
    labels, predicted = pair
    if len(set(labels)) < 2:
        return
    i = data.draw(st.integers(0, len(labels) - 1))
    better = [*predicted[:i], labels[i], *predicted[i + 1 :]]
    assert informativeness_of_predictions(labels, better) >= (
        informativeness_of_predictions(labels, predicted) - 1e-12
    )


@given(st.lists(st.integers(1, 50), min_size=2, max_size=8))
def test_all_right_is_one_whatever_the_sizes(sizes: list[int]) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    assert informativeness_of_predictions(labels, labels) == 1.0
    assert informativeness_of_predictions(labels, labels, baseline="permutation") == 1.0


@given(st.lists(st.integers(1, 50), min_size=2, max_size=8))
def test_naming_one_cluster_always_is_worth_nothing(sizes: list[int]) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    constant = np.zeros_like(labels)
    value = informativeness_of_predictions(labels, constant, baseline="permutation")
    assert value == pytest.approx(0.0, abs=1e-12)


def test_the_corrected_baseline_is_the_mean_over_permutations() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [70, 20, 10])
    predicted = np.repeat([0, 1, 2], [50, 40, 10])
    seen = recognition_of_predictions(labels, predicted)
    drawn = [
        recognition_of_predictions(labels, rng.permutation(predicted)).average_information
        for _ in range(2000)
    ]
    error = np.std(drawn) / math.sqrt(2000)
    assert abs(np.mean(drawn) - seen.expected_information("permutation")) < 4 * error


def test_errors_say_the_way_out() -> None:
    with pytest.raises(InputError, match="8 labels and predicted 2"):
        informativeness_of_predictions(LABELS, [1, 2])
    with pytest.raises(InputError, match="baseline must be one of"):
        informativeness_of_predictions(LABELS, PREDICTED, baseline="none")  # type: ignore[arg-type]
    with pytest.raises(InputError, match='noise="cluster"'):
        informativeness_of_predictions([0, 1, -1], [0, 1, 1])


def test_outliers() -> None:
    labels, predicted = [0, 0, 1, 1, -1], [0, 0, 1, 0, 1]
    dropped = informativeness_of_predictions(labels, predicted, noise="drop")
    assert dropped == pytest.approx(naive.informativeness(labels[:4], predicted[:4]))
    as_cluster = informativeness_of_predictions(labels, predicted, noise="cluster")
    assert as_cluster == pytest.approx(naive.informativeness(labels, predicted))
