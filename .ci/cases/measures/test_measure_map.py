"""The packaged map of measures, and measures that it lacks."""

from __future__ import annotations

from sortal.measures.measure_map import FILE, grouped, load_map


def test_a_measure_that_is_not_in_the_map_joins_those_it_declares():
    declared = {"silhouette": "silhouette", "mine": "silhouette", "other": "own"}
    families = grouped(declared)
    assert sorted(families.values()) == [["other"], ["silhouette", "mine"]]


def test_saved_and_read_again(tmp_path):
    load_map().save(tmp_path / "map.json")
    assert (tmp_path / "map.json").read_text() == FILE.read_text(encoding="utf-8")
    assert FILE.stat().st_size < 300_000
