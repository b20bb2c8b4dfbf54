"""Properties of external measures: definitions, exhaustive searches, and what the papers say."""

import itertools
import math

import numpy as np
import pytest

import sortal
from sortal import ContingencyTable
from sortal.measures.properties import stored_verdicts
from sortal_lab.axioms import PROPERTIES, Valuation, is_broken, replays, search
from sortal_lab.axioms import definitions as words
from sortal_lab.axioms import random_cases as _drawn
from sortal_lab.axioms.exhaustive import Values
from sortal_lab.axioms.partition_pairs import pairs_of_partitions
from sortal_lab.axioms.random_chance import as_case, expectations

EXTERNAL = [key for key, each in PROPERTIES.items() if each.kind == "external"]
MEASURES = [measure.key for measure in sortal.measures.catalogue.select(kind="external")]


def violated(measure, keys=EXTERNAL, to=5, **record):
    """The properties that a measure lacks, by all cases of few objects."""
    judge = Valuation.of(measure, kind="external", **record)
    found = set()
    for key in keys:
        for trial in PROPERTIES[key].trials(judge, np.random.default_rng(0)):
            if trial.case is not None:
                assert is_broken(PROPERTIES[key], judge, trial.case), key
                found.add(key)
                break
            families = key in ("rag_bag", "size_against_quantity")
            if trial.exhaustive_to is None or trial.exhaustive_to >= (16 if families else to):
                break
    return found


# -- pairs of partitions --------------------------------------------------------------------


def test_kinds_are_the_tables_up_to_the_order_of_rows_and_columns():
    # OEIS A007716
    numbers = [len(pairs_of_partitions(n).first) for n in range(1, 8)]
    assert numbers == [1, 4, 10, 33, 91, 298, 910]
    space = pairs_of_partitions(4)
    seen = {}
    for t, c in itertools.product(range(15), repeat=2):
        table = ContingencyTable(space.partitions[t], space.partitions[c]).to_array()
        least = min(
            tuple(map(tuple, table[list(rows)][:, list(columns)]))
            for rows in itertools.permutations(range(table.shape[0]))
            for columns in itertools.permutations(range(table.shape[1]))
        )
        assert seen.setdefault(least, space.kind[t, c]) == space.kind[t, c]
    assert len(seen) == len(set(seen.values())) == 33


def test_agreeing_pairs_of_each_kind():
    space = pairs_of_partitions(5)
    for i, (t, c) in enumerate(space.first):
        p = sortal.pair_counts(space.partitions[t], space.partitions[c])
        counts = [int(x[i]) for x in space.agreeing]
        assert counts == [p.both, p.only_pred, p.only_true, p.neither]
        pair = tuple(space.partitions[t].tolist()), tuple(space.partitions[c].tolist())
        assert words.pair_counts(pair) == (p.both, p.only_pred, p.only_true, p.neither)


# -- every verdict is that of the definition ------------------------------------------------


@pytest.mark.quick(9)
@pytest.mark.parametrize("measure", MEASURES)
def test_no_search_finds_what_the_definition_denies(measure):
    violated(measure, to=4)


def naive(key, judge, n):
    """Whether any case of two pairs with one T breaks a property, by its definition alone."""
    rows = [tuple(row) for row in pairs_of_partitions(n).partitions.tolist()]
    cases = (
        ([(T, C), (C, T)] for T in rows for C in rows)
        if key == "symmetry"
        else ([(T, C), (T, D)] for T in rows for C in rows for D in rows)
    )
    return any(is_broken(PROPERTIES[key], judge, as_case(pairs)) for pairs in cases)


@pytest.mark.quick(7)
@pytest.mark.parametrize(
    "key", ["symmetry", "homogeneity", "completeness", "monotonicity", "unique_optimum",
            "optimal_number"],
)  # fmt: skip
@pytest.mark.parametrize("measure", ["jaccard_index", "purity", "f_quality", "rand_index"])
def test_searches_miss_nothing_that_the_definition_finds(key, measure):
    judge = Valuation.of(measure)
    for n in (3, 4):
        trials = PROPERTIES[key].trials(judge, np.random.default_rng(0))
        found = any(t.case is not None for t in itertools.islice(trials, n - 1))
        assert found == any(naive(key, judge, m) for m in range(3, n + 1)), n


def test_exact_means_are_those_of_all_labelings():
    v = Values(Valuation.of("purity"), 5)
    E, chosen = expectations(v)
    i, j = 1, 2
    T, C = v.labels(chosen[i]), v.labels(chosen[j])
    mean = np.mean([sortal.purity(T, labels) for labels in itertools.permutations(C)])
    assert E[i, j] == pytest.approx(mean)


@pytest.mark.parametrize("key", EXTERNAL)
def test_random_cases_are_cases_of_the_property(key):
    rng = np.random.default_rng(0)
    draw = PROPERTIES[key].trials.keywords["draw"]
    pairs = [draw(rng, *_drawn.pair(rng)) for _ in range(60)] if draw is not None else []
    cases = [as_case(each) for each in pairs if each is not None]
    assert draw is None or sum(map(PROPERTIES[key].premise, cases)) >= 20


# -- fullness as it is printed cannot hold --------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_definition_9_is_broken_by_renaming_alone(measure):
    T = [0, 0, 0, 1, 1, 1]
    one, two = [0, 0, 1, 2, 2, 2], [0, 1, 1, 2, 2, 2]
    value = sortal.measures.catalogue[measure].function
    assert value(T, one) == pytest.approx(value(T, two))
    case = as_case([(tuple(T), tuple(one)), (tuple(T), tuple(two))])
    assert not PROPERTIES["fullness"].premise(case)


# -- what the papers say --------------------------------------------------------------------

AMIGO = ["homogeneity", "completeness", "rag_bag", "size_against_quantity"]


@pytest.mark.parametrize(
    ("measure", "lacks"),
    [
        ("bcubed_f_measure", set()),
        ("v_measure", {"rag_bag"}),
        ("variation_of_information", {"rag_bag"}),
        ("rand_index", {"rag_bag", "size_against_quantity"}),
        ("purity", {"completeness", "rag_bag", "size_against_quantity"}),
    ],
)
def test_constraints_of_amigo(measure, lacks):
    assert violated(measure, AMIGO) == lacks


GOSGENS = ["maximal_agreement", "minimal_agreement", "symmetry", "triangle_inequality",
           "monotonicity", "strong_monotonicity", "constant_baseline"]  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "lacks"),
    [
        ("rand_index", {"constant_baseline"}),
        ("adjusted_rand_index", {"minimal_agreement", "triangle_inequality",
                                 "strong_monotonicity"}),
        ("pair_precision", set(GOSGENS)),
    ],
)  # fmt: skip
def test_properties_of_gosgens(measure, lacks):
    assert violated(measure, GOSGENS) == lacks


def correlation(T, C):
    p = sortal.pair_counts(T, C)
    a, b, c, d = p.both, p.only_pred, p.only_true, p.neither
    return (a * d - b * c) / math.sqrt((a + b) * (a + c) * (d + b) * (d + c))


def sokal_sneath(T, C):
    p = sortal.pair_counts(T, C)
    a, b, c, d = p.both, p.only_pred, p.only_true, p.neither
    return (a / (a + b) + a / (a + c) + d / (d + b) + d / (d + c)) / 4


@pytest.mark.parametrize("measure", [correlation, sokal_sneath])
def test_the_two_that_have_all_but_the_triangle_inequality(measure):
    # undefined for trivial partitions, so that minimal agreement has nothing to compare with
    keys = [key for key in GOSGENS if key != "minimal_agreement"]
    assert violated(measure, keys, to=6) == {"triangle_inequality"}


def test_jaccard_stays_at_zero_where_no_pair_is_found():
    lacks = violated("jaccard_index", GOSGENS)
    assert lacks == {"minimal_agreement", "monotonicity", "strong_monotonicity",
                     "constant_baseline"}  # fmt: skip
    T, before, after = [0, 0, 1], [0, 1, 1], [0, 1, 2]
    assert sortal.jaccard_index(T, before) == sortal.jaccard_index(T, after) == 0


@pytest.mark.parametrize("measure", ["normalized_mutual_information", "v_measure", "rand_index",
                                     "jaccard_index", "variation_of_information"])  # fmt: skip
def test_these_favour_some_numbers_of_clusters_by_chance(measure):
    assert "chance_over_clusterings" in violated(measure, ["chance_over_clusterings"])


@pytest.mark.parametrize("measure", ["adjusted_rand_index", "adjusted_mutual_information",
                                     "standardized_mutual_information"])  # fmt: skip
def test_adjusted_measures_have_a_constant_baseline(measure):
    keys = ["chance_over_clusterings", "chance_over_truths", "constant_baseline"]
    assert violated(measure, keys) == set()


def test_baselines_in_the_limit():
    keys = ["asymptotic_baseline"]
    for measure in ("normalized_mutual_information", "adjusted_rand_index",
                    "standardized_mutual_information", "v_measure"):  # fmt: skip
        assert violated(measure, keys) == set()
    for measure in ("rand_index", "purity", "variation_of_information", "mirkin_distance"):
        assert violated(measure, keys) == set(keys)


def test_variation_of_information_is_local_and_convexly_additive():
    keys = ["convex_additivity", "locality", "symmetry", "triangle_inequality"]
    assert violated("variation_of_information", keys) == set()
    # Mirkin's is local as well, but weights the parts by their squares
    assert violated("mirkin_distance", keys) == {"convex_additivity"}


@pytest.mark.parametrize("measure", ["normalized_mutual_information", "adjusted_rand_index",
                                     "jaccard_index"])  # fmt: skip
def test_normalised_measures_are_not_local(measure):
    assert violated(measure, ["locality"]) == {"locality"}


def test_rand_changes_by_two_in_n():
    one, (T, C) = [0, 0, 0, 0, 0], ([0] * 5, [0, 0, 0, 0, 1])
    change = sortal.rand_index(T, one) - sortal.rand_index(T, C)
    assert change == pytest.approx(2 / 5)
    assert violated("rand_index", ["noise_tolerance"]) == set()
    worst = ((0, 0, 0, 0, 0), (0, 1, 2, 3, 4))
    case = as_case([(tuple(T), tuple(one)), (tuple(T), tuple(C)), (tuple(T), tuple(T)), worst])
    assert PROPERTIES["noise_tolerance"].premise(case)
    assert not is_broken(PROPERTIES["noise_tolerance"], Valuation.of("rand_index"), case)
    squared = Valuation.of(lambda T, C: sortal.rand_index(T, C) ** 2, kind="external")
    assert is_broken(PROPERTIES["noise_tolerance"], squared, case)


# -- measures made to violate one property --------------------------------------------------


def entropies(T, C):
    def entropy(*sides):
        _, counts = np.unique(np.stack(sides), axis=1, return_counts=True)
        return float(-(counts / len(T)) @ np.log(counts / len(T)))

    return entropy(T), entropy(C), entropy(T, C)


def vi(T, C):
    one, two, both = entropies(T, C)
    return 2 * both - one - two


def rand(T, C):
    return sortal.rand_index(T, C)


def unsymmetric(T, C):
    one, two, _ = entropies(T, C)
    return vi(T, C) + 0.1 * (two - one)


def with_entropies(T, C):
    one, two, _ = entropies(T, C)
    return vi(T, C) - 0.1 * (one + two)


def divided(T, C):
    return vi(T, C) / math.log(len(T) + 1)


def nvi_squared(T, C):
    return sortal.normalized_variation_of_information(T, C) ** 2


def with_a_cliff(T, C):
    return rand(T, C) + (rand(T, C) == 1)


def rand_squared(T, C):
    return rand(T, C) ** 2


def uneven_minimum(T, C):
    return rand_squared(T, C) - 1e-4 * len(T) * (rand(T, C) == 0)


LOWER = {"greater_is_better": False}


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("base", "made", "record", "extra"),
    [
        (vi, unsymmetric, LOWER, "symmetry"),
        (vi, with_entropies, LOWER, "maximal_agreement"),
        (vi, divided, LOWER, "convex_additivity"),
        ("normalized_variation_of_information", nvi_squared, LOWER, "triangle_inequality"),
        (rand, with_a_cliff, {}, "noise_tolerance"),
        (rand_squared, uneven_minimum, {}, "minimal_agreement"),
    ],
)
def test_a_measure_made_to_violate_one_property(base, made, record, extra):
    before = violated(base, to=4, **record)
    assert extra not in before
    assert violated(made, to=4, **record) == before | {extra}


def test_a_measure_that_reads_names_is_caught():
    assert violated(lambda T, C: float(T[0]), ["names_and_order"]) == {"names_and_order"}


def test_a_scenario_of_chance_alone():
    def tilted(T, C):
        value = sortal.adjusted_rand_index(T, C)
        return value + 0.1 * (1 - value) / len(set(np.asarray(T).tolist()))

    keys = ["chance_over_clusterings", "chance_over_truths", "constant_baseline"]
    assert violated(tilted, keys) == {"chance_over_truths", "constant_baseline"}
    assert violated(lambda T, C: tilted(C, T), keys) == {
        "chance_over_clusterings",
        "constant_baseline",
    }


# -- searches end to end --------------------------------------------------------------------


def test_a_counterexample_is_small_stored_and_replayed():
    found = search(PROPERTIES["minimal_agreement"], Valuation.of("adjusted_rand_index"))
    assert found.outcome == "violated"
    example = found.counterexample
    again = type(example).from_dict(example.to_dict())
    assert replays(again)
    assert not replays(again, "rand_index")
    assert max(each.n for each in example.case.situations) <= 3


def test_a_property_that_holds_says_how_many_cases():
    found = search(PROPERTIES["symmetry"], Valuation.of("rand_index"))
    assert found.outcome == "holds"
    assert found.exhaustive_to == 7
    assert found.n_cases >= 1346
    assert search(PROPERTIES["symmetry"], Valuation.of("dunn_index")).outcome == "not applicable"


def test_random_counterexamples_shrink():
    """Wrong for many objects only, so that no exhaustive search sees it."""

    def late(T, C):
        return rand(T, C) + 0.1 * (len(T) > 9) * (len(set(C.tolist())) > 2)

    found = search(PROPERTIES["symmetry"], Valuation.of(late, kind="external"))
    assert found.outcome == "violated"
    assert found.counterexample.case.n == 10


@pytest.mark.parametrize("measure", MEASURES)
def test_stored_counterexamples_are_seen_again(measure):
    verdicts = [v for v in stored_verdicts() if v.measure == measure]
    assert {v.property for v in verdicts} == set(EXTERNAL)
    for verdict in verdicts:
        assert verdict.outcome in ("holds", "violated")
        if verdict.counterexample is not None:
            assert replays(verdict.counterexample), verdict
            case = verdict.counterexample.case
            assert PROPERTIES[verdict.property].premise(case), verdict


def test_no_measure_is_full_in_the_strict_form():
    full = {
        v.measure for v in stored_verdicts() if (v.property, v.outcome) == ("fullness", "holds")
    }
    assert full == set()
