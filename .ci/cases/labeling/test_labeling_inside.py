"""Keys of classes."""

from __future__ import annotations

from sortal.labeling.desk import keys_of


def test_keys_are_different():
    assert keys_of(["ham", "hum", "u", "hh"]) == {"h": "ham", "m": "hum", "1": "u", "2": "hh"}
