"""External rows of table 4.1."""

import pytest

from sortal_lab import whissell2012_chapter4_external as chapter4

SOME = {"EQ", "NMI 2", "Rand"}


@pytest.fixture(scope="module")
def found():
    rows = tuple(row for row in chapter4.ROWS if row.title in SOME)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chapter4, "ROWS", rows)
        table, notes = chapter4.claims_beside()
    return {(row["measure"], row["column"]): row for row in table} | {"notes": notes}


def test_every_measure_has_the_same_cells(found):
    rows = [row for key, row in found.items() if key != "notes"]
    assert len(rows) == 5 * len(SOME)
    assert all(row["verdict"].startswith(("confirmed", "not refuted", "refuted")) for row in rows)


def test_refinements_that_are_all_optimal_are_not_told_apart(found):
    """A measure cannot be full where k >= t clusters may be optimal."""
    for title, number in (("EQ", "k >= t"), ("NMI 2", "1 <= k <= n")):
        assert found[title, "Optimal number of clusters"]["found"] == number
        full = found[title, "Fullness"]
        assert (full["published"], full["found"], full["verdict"]) == ("yes", "no", "refuted")
        note = next(note for note in found["notes"] if note.startswith(f"{title}, Fullness, is"))
        assert note.count(" = 1") == 3


def test_rand_is_full_in_the_weak_form_alone(found):
    assert found["Rand", "Fullness"]["verdict"].startswith("not refuted in ")
    assert found["Rand", "Fullness, every change"]["verdict"] == "refuted"


def test_chance_of_eq_varies_with_the_classes_alone_in_the_limit(found):
    assert found["EQ", "Asymptotic random chance, with"]["found"] == "T"
    assert found["EQ", "Variable random chance"]["found"] == "yes"
    assert found["NMI 2", "Asymptotic random chance, with"]["found"] == "none"
