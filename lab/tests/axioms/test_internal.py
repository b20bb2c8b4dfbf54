"""Measures made to break one property are caught, those made to keep it pass; known results."""

import itertools
import json
import lzma
import math

import numpy as np
import pytest

import sortal
from sortal import UndefinedMeasureError
from sortal.measures.properties import stored_verdicts
from sortal_lab.axioms import (
    PROPERTIES,
    Case,
    Situation,
    Valuation,
    is_broken,
    known,
    properties,
    replays,
)
from sortal_lab.axioms.point_sets import embedded, is_metric, random_distances
from sortal_lab.axioms.small_metrics import small

EVERY = list(PROPERTIES)


def _means(D, labels):
    rows, of = D.tolist(), labels.tolist()  # of few objects, and called a hundred thousand times
    apart = {True: [], False: []}
    for i, j in itertools.combinations(range(len(of)), 2):
        apart[of[i] == of[j]].append(rows[i][j])
    if not (apart[True] and apart[False]):
        raise UndefinedMeasureError("no pair is within a cluster, or none between")
    return [math.fsum(apart[inside]) / len(apart[inside]) for inside in (False, True)]


def good(D, labels):
    """Mean distance between over mean distance within."""
    between, within = _means(D, labels)
    return between / within if within else float("inf")


def difference(D, labels):
    between, within = _means(D, labels)
    return between - within


def by_name(D, labels):
    return good(D, labels) * (1 + 0.01 * labels[0])


def by_number(D, labels):
    return good(D, labels) / len(labels)


def steps(D, labels):
    return np.floor(4 * good(D, labels))


def within_only(D, labels):
    return -_means(D, labels)[1]


def largest_within(D, labels):
    i, j = np.triu_indices(len(labels), 1)
    inside = labels[i] == labels[j]
    return 1 / good(D, labels) if D[i, j].max() in D[i, j][inside] else good(D, labels)


def constant(D, labels):
    return 1.0


ASKED = (
    "consistency",
    "improving_within",
    "improving_within_weak",
    "improving_between",
    "improving_between_weak",
    "scale_invariance",
    "permutation_invariance",
    "continuity",
)
STRICT = {"improving_within", "improving_between"}


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("measure", "lacks"),
    [
        (good, set()),
        (difference, {"scale_invariance"}),
        (by_name, {"permutation_invariance"}),
        (steps, {"continuity", *STRICT}),
        (within_only, {"scale_invariance", "improving_between"}),
        (constant, STRICT),
    ],
)
def test_what_is_broken_is_found_and_nothing_else(measure, lacks):
    found = properties(measure, takes="distances", names=ASKED)
    assert {v.property for v in found.verdicts if v.outcome != "holds"} == lacks
    for example in found.counterexamples.values():
        assert replays(example, measure)
        assert example.case.n <= 4
        for situation in example.case.situations:
            assert is_metric(situation.data)


def test_a_direction_turned_round_breaks_the_weak_forms():
    names = ["improving_within_weak", "improving_between_weak", "consistency"]
    found = properties(good, takes="distances", names=names, greater_is_better=False)
    assert set(found.table["outcome"]) == {"violated"}


def test_a_rare_fault_is_found():
    found = properties(largest_within, takes="distances", names="consistency")
    assert found["consistency"].outcome == "violated"


def test_duplicates():
    assert properties(
        by_number, takes="distances", names=["duplication_invariance", "duplication_order"]
    ).table["outcome"].to_dict() == {
        "duplication_invariance": "violated",
        "duplication_order": "violated",
    }


def test_measures_of_points():
    def spread(X, labels):
        return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))

    names = ["improving_within", "improving_between", "scale_invariance", "scale_order"]
    found = properties(spread, names=names, greater_is_better=False)
    outcomes = ["holds", "violated", "violated", "holds"]
    assert list(found.table["outcome"]) == outcomes


def test_dunn_is_scale_invariant_and_between_may_grow_unseen():
    names = ["scale_invariance", "consistency", "improving_between", "improving_between_weak"]
    found = known("dunn_index", names=names)
    assert list(found.table["outcome"]) == ["holds", "holds", "violated", "holds"]


def test_kleinbergs_impossibility_is_not_of_measures():
    """Scale invariance, consistency and richness exclude each other for clusterers only."""
    found = known("baker_hubert_gamma", names=["scale_invariance", "consistency", "richness"])
    assert set(found.table["outcome"]) == {"holds"}


def test_silhouette_ignores_a_cluster_that_is_not_the_nearest():
    D = np.array([[0, 1, 1.5, 1.9], [1, 0, 1.5, 1.9], [1.5, 1.5, 0, 1.6], [1.9, 1.9, 1.6, 0]])
    changed = D.copy()
    changed[0, 3] = changed[3, 0] = 2.0
    labels = np.array([0, 0, 1, 2])
    case = Case(tuple(Situation(labels, data=M, metric="precomputed") for M in (D, changed)))
    judge = Valuation.of("silhouette")
    assert is_broken(PROPERTIES["improving_between"], judge, case)
    assert not is_broken(PROPERTIES["improving_between_weak"], judge, case)


def test_a_change_that_others_hide_is_not_taken_for_none():
    """1/d² of two near objects is so large that no double shows another distance change."""
    near, far = 1e-4, 1e4
    points = np.array([0.0, near, far, 2 * far, 3 * far])
    D = np.abs(points[:, None] - points[None])
    changed = D.copy()
    changed[0, 2] = changed[2, 0] = 0.999 * far
    changed[1, 2] = changed[2, 1] = 0.999 * far
    labels = np.array([0, 0, 0, 1, 1])
    case = Case(tuple(Situation(labels, data=M, metric="precomputed") for M in (D, changed)))
    values = Valuation.of("normalized_cut").values(case.situations)
    assert np.isclose(*values, rtol=1e-12)
    assert not is_broken(PROPERTIES["improving_within"], Valuation.of("normalized_cut"), case)


def test_graph_measures_are_asked_of_no_distances():
    found = known("modularity")
    assert set(found.table["outcome"]) == {"not applicable"}


def test_verdicts_are_kept_in_a_compressed_file_too(tmp_path):
    file = tmp_path / "kept.xz"
    one = known("rand_index", names=["symmetry"], random_state=3, storage=file)
    known("rand_index", names=["maximal_agreement"], random_state=3, storage=file)
    assert len(lzma.decompress(file.read_bytes()).splitlines()) == 2
    again = known("rand_index", names=["symmetry"], random_state=3, storage=file)
    assert one.to_dict() == again.to_dict()


def test_verdicts_are_kept_and_depend_on_the_seed_only(tmp_path):
    file = tmp_path / "kept"
    one = known("dunn_index", names="continuity", random_state=3, storage=file)
    assert len(file.read_text().splitlines()) == 1
    again = known("dunn_index", names="continuity", random_state=3, storage=file)
    assert one.to_dict() == again.to_dict()
    assert "continuity" in one.table.index
    with file.open("a") as torn:
        torn.write('{"key": "dunn_index')
    with pytest.raises(sortal.InputError, match="line 2 is no verdict"):
        known("dunn_index", names="continuity", random_state=3, storage=file)


def test_an_unknown_property_is_refused():
    with pytest.raises(sortal.InputError, match="richness"):
        known("dunn_index", names=["richnes"])


def test_small_metrics_are_all_of_them():
    """Graphs on n nodes up to their names, OEIS A000088."""
    assert [len(small(n).far) for n in (3, 4, 5)] == [4, 11, 34]
    for n in (3, 4):
        cases = small(n)
        for g, e, k in np.ndindex(*cases.renamed.shape):
            # distances within and between after the exchange agree under the other names
            flipped = cases.far[g].copy()
            flipped[e] ^= True
            there, other = cases.target[g, e], cases.renamed[g, e, k]
            for inside in (True, False):
                assert (flipped & (cases.within[k] == inside)).sum() == (
                    cases.far[there] & (cases.within[other] == inside)
                ).sum()


def test_metrics_and_points():
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert is_metric(random_distances(rng, 7))
    D = small(6).distances(100, far=1.4**0.5)
    X = embedded(D)
    assert np.allclose(np.linalg.norm(X[:, None] - X[None], axis=2), D)
    assert embedded(np.array([[0.0, 1, 5], [1, 0, 1], [5, 1, 0]])) is None


@pytest.mark.quick(11)
@pytest.mark.parametrize("key", EVERY)
def test_stored_counterexamples_replay(key):
    examples = [
        v.counterexample for v in stored_verdicts() if v.property == key and v.counterexample
    ]
    for example in examples:
        assert replays(example), str(example)
        json.dumps(example.to_dict(), allow_nan=False)
