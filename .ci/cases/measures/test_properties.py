"""Stored verdicts on properties: what is read and told, and what is refused."""

from __future__ import annotations

import pytest

import sortal


def test_a_measure_without_verdicts_says_how_to_find_them(monkeypatch):
    monkeypatch.setattr("sortal.measures.properties.verdicts.stored_verdicts", list)
    with pytest.raises(sortal.InputError, match=r"sortal_lab.axioms.properties\('dunn_index'\)"):
        sortal.properties("dunn_index")
