"""Rows of an experiment are found again by their title and by what was asked for."""

from sortal_lab.journal import Journal


def test_rows_are_those_of_what_was_asked(tmp_path):
    path = tmp_path / "kept.sortal"
    Journal(path, "asked").put(("set", "b"), {"score": 0.5})
    assert Journal(path, "asked").get(("set", "b")) == {"score": 0.5}
    assert Journal(path, "asked").get(("set", "c")) is None
    assert Journal(path, "something else").get(("set", "b")) is None
