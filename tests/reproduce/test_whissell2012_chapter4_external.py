"""External rows of table 4.1."""

import pytest

from karat.reproduce._chapter4_external import ROWS, cells

SOME = {"EQ", "NMI 2", "Rand"}


@pytest.fixture(scope="module")
def found():
    rows = cells(tuple(row for row in ROWS if row.title in SOME))
    return {(cell["measure"], cell["property"]): cell for cell in rows}


def test_every_measure_has_the_same_cells(found):
    assert len(found) == 5 * len(SOME)
    assert all(cell["verdict"] in ("confirmed", "refuted") for cell in found.values())


def test_refinements_that_are_all_optimal_are_not_told_apart(found):
    """A measure cannot be full where k >= t clusters may be optimal."""
    for title, number in (("EQ", "k >= t"), ("NMI 2", "1 <= k <= n")):
        assert found[title, "Optimal number of clusters"]["found"] == number
        full = found[title, "Fullness, weak: no cell is ignored"]
        assert (full["published"], full["found"], full["verdict"]) == ("yes", "no", "refuted")
        assert full["because"].count(": 1") == 3


def test_rand_is_full_in_the_weak_form_alone(found):
    assert found["Rand", "Fullness, weak: no cell is ignored"]["verdict"] == "confirmed"
    assert found["Rand", "Fullness, strict"]["verdict"] == "refuted"


def test_chance_of_eq_varies_with_the_classes_alone_in_the_limit(found):
    assert found["EQ", "Asymptotic random chance"]["found"] == "T"
    assert found["EQ", "Variable random chance"]["found"] == "yes"
    assert found["NMI 2", "Asymptotic random chance"]["found"] == "none"
