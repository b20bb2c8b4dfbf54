"""Stored verdicts on properties: what is read and told, and what is refused."""

from __future__ import annotations

import json

import pytest

import sortal
from sortal.measures import catalogue
from sortal.measures.properties import Verdict, definitions, stored_verdicts


def test_every_property_of_the_kind_is_told_in_one_order():
    for key, kind in (("silhouette", "internal"), ("purity", "external")):
        found = sortal.properties(key)
        asked = [p.key for p in definitions().values() if p.kind == kind]
        assert [v.property for v in found.verdicts] == asked == list(found.table.index)
        assert found.to_dict()["measure"] == key
        told = str(found)
        for example in found.counterexamples.values():
            assert str(example) in told


def test_each_verdict_survives_storing():
    for verdict in stored_verdicts():
        again = Verdict.from_dict(json.loads(json.dumps(verdict.to_dict(), allow_nan=False)))
        assert again.to_dict() == verdict.to_dict()
        assert str(again) == str(verdict)


def test_what_is_unknown_names_what_there_is():
    with pytest.raises(sortal.InputError, match="silhouette"):
        sortal.properties("silhouete")
    with pytest.raises(sortal.InputError, match="richness"):
        sortal.properties("dunn_index")["richnes"]


def test_a_measure_of_the_catalogue_has_verdicts():
    assert {v.measure for v in stored_verdicts()} == set(catalogue)
