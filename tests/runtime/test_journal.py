"""Finished work in a file: found again after a kill, and no other file is taken for one."""

import pytest

from karat.runtime.journal import KeptLines
from karat.runtime.validation import StorageError


def test_a_line_that_a_kill_cut_short_is_dropped(tmp_path):
    path = tmp_path / "kept.jsonl"
    kept = KeptLines(path)
    for name in "abc":
        kept.put(name, {"score": 0.5})
    text = path.read_text()
    path.write_text(text[:-10])
    again = KeptLines(path)
    assert again.get("b") == {"score": 0.5}
    assert again.get("c") is None
    again.put("c", {"score": 0.5})
    assert path.read_text() == text


@pytest.mark.parametrize("content", [b"my notes\nmore", b"my only note", b"\xfd7zXZ\n", b"5\n"])
def test_another_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StorageError, match="line 1 is no finished work"):
        KeptLines(path)
    assert path.read_bytes() == content


def test_without_a_file_values_are_found_in_memory():
    kept = KeptLines(None)
    kept.put("a", [1])
    assert (kept.get("a"), kept.get("b")) == ([1], None)
