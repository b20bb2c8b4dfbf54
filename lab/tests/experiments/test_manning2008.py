"""Table 16.2 of manning2008 and its exercise, by counting pairs and by scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score, rand_score

from sortal_lab import EXPERIMENTS, run
from sortal_lab.manning2008 import CLASSES, CLUSTERS


def test_the_published_figures():
    found = run("manning2008-table16.2").table.set_index("measure")
    # the book cuts its figures to two or three digits
    assert (found["ours"] - found["published"]).abs().max() < 0.0061
    assert found.loc["purity", "ours"] == 12 / 17
    assert found.loc["F1", "ours"] == pytest.approx(10 / 21)


def test_the_exercise_by_counting():
    found = run("manning2008-exercise").table.set_index("measure")
    classes, clusters = np.repeat(list(CLASSES), 2), np.repeat(CLUSTERS, 2)
    pairs = list(itertools.combinations(range(34), 2))
    same_class = np.array([classes[i] == classes[j] for i, j in pairs])
    together = np.array([clusters[i] == clusters[j] for i, j in pairs])
    tp = (same_class & together).sum()
    assert tp == 4 * 20 + 17  # each pair has four copies, and each point its own
    recall, precision = tp / same_class.sum(), tp / together.sum()
    assert found.loc["F5", "34 points"] == pytest.approx(
        26 * precision * recall / (25 * precision + recall)
    )
    assert found.loc["RI", "34 points"] == pytest.approx(rand_score(classes, clusters))
    nmi = normalized_mutual_info_score(classes, clusters)
    assert found.loc["NMI"].iloc[:2].tolist() == pytest.approx([nmi, nmi])
    assert found.iloc[:, -1].tolist() == ["the same"] * 2 + ["greater"] * 4


def test_both_are_listed():
    assert {"manning2008-table16.2", "manning2008-exercise"} <= set(EXPERIMENTS)
