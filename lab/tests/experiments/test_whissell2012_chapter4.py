"""Table 4.1: what is confirmed, refuted and not decided."""

import pytest

from sortal import InputError
from sortal.measures import catalogue
from sortal_lab import run
from sortal_lab.axioms import PROPERTIES, Verdict
from sortal_lab.results import result_of
from sortal_lab.whissell2012_chapter4 import INTERNAL, found_beside, internal_claims


def test_every_cell_of_the_internal_measures_is_there():
    claims = internal_claims()
    assert len(claims) == 13 * 5
    assert all(catalogue[claim.key].kind == "internal" for claim in claims)
    assert all(PROPERTIES[claim.property].kind == "internal" for claim in claims)
    yes = [c for c in claims if c.published == "yes"]
    # columns of the thesis: 4 improve between, 8 within, 8 scale invariant, 13 relatively so
    numbers = [sum(c.column == column for c in yes) for column in INTERNAL]
    assert numbers == [4, 8, 8, 13]


@pytest.mark.parametrize(
    ("published", "outcome", "verdict"),
    [
        ("yes", "holds", "not refuted in 1,234 cases"),
        ("yes", "violated", "refuted"),
        ("yes", "undecided", "not decided"),
        ("no", "violated", "confirmed"),
        ("no", "holds", "not decided"),
    ],
)
def test_what_a_search_says_of_a_cell(published, outcome, verdict):
    claim = next(c for c in internal_claims() if c.published == published)
    row = found_beside(claim, Verdict(claim.property, claim.key, outcome, "", n_cases=1234))
    assert row["verdict"] == verdict


def test_one_measure():
    result = run("whissell2012-table4.1", samples=1)
    keys = ["average_within_cluster_scatter"] * 5 + ["matching_accuracy"] * 5
    assert list(result.table["key"]) == keys
    for published, verdict in result.table[["published", "verdict"]][:5].to_numpy():
        assert verdict == "confirmed" if published == "no" else "not refuted in" in verdict
    # a case shows that accuracy is not full and that its chance varies, none what it does not
    expected = ["confirmed", "confirmed", "no claim", "confirmed", "not refuted"]
    assert list(result.table["verdict"][5:]) == expected
    assert "within_cluster_scatter" in str(result)


def test_another_table_is_refused():
    from sortal_lab import whissell2012_chapter4

    with pytest.raises(InputError, match=r"got .whissell2012-table4\.2"):
        whissell2012_chapter4.run(name="whissell2012-table4.2")


def test_every_row_of_the_catalogue_names_its_measure():
    found = result_of("measure-properties", samples=1)
    assert found["table"][0]["measure"] in catalogue


def test_growth_is_measured():
    table = run("measure-times", samples=1).table
    assert list(table["key"]) == ["average_within_cluster_scatter", "matching_accuracy"]
    assert list(table["published"]) == ["O(n²)", "O(max(n, k³))"]
    assert (table["seconds"] > 0).all()
    assert (table["exponent of n"] >= 0).all()
