"""Seventy kinds of faulty tables: answered with the right groups, or stopped with the option."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import dirty_tables
import faulty_kinds
import faulty_verdicts
from karat.datasets import read
from karat.runtime.validation import InputError

SEEDS = 20
#: largest share of faulty tables that may be stopped
MAX_STOPPED = 0.15
#: encodings are not guessed: the error names the likely one
REJECTED = frozenset(("wrong_encoding", "utf16"))
#: a noise column that only weights of columns can silence
BLURRED = frozenset(("mixed", "multiples"))
WHOLE = ("percent_and_share", "header_again", "exclusive_flags")


@pytest.mark.parametrize("kind", faulty_kinds.KINDS)
def test_a_fault_is_read_around_or_stops(kind: str, tmp_path: Path) -> None:
    faulty = faulty_kinds.plant(kind, 3, tmp_path)
    if kind in REJECTED:
        with pytest.raises(InputError, match="encoding"):
            read(faulty.path)
        return
    y = faulty.options[1] if faulty.options else None
    data = read(faulty.path, y=y)
    stops = [finding.key for finding in data.findings if finding.stops]
    assert bool(stops) == (faulty_kinds.STOPS in faulty_kinds.KINDS[kind][1]), stops
    if not stops:
        assert data.n_objects == len(faulty.classes)
        if kind not in BLURRED:
            assert dirty_tables.agreement(data.X, faulty.classes) > 0.9


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_answer_is_right(kind: str, tmp_path: Path) -> None:
    assert faulty_verdicts.verdict(kind, 0, tmp_path) == "right"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_whole_answer_is_silently_wrong(seed: int, tmp_path: Path) -> None:
    verdicts = {}
    for kind in faulty_kinds.KINDS:
        (tmp_path / kind).mkdir()
        verdicts[kind] = faulty_verdicts.verdict(kind, seed, tmp_path / kind)
    silent = [kind for kind, verdict in verdicts.items() if verdict == "silent"]
    assert not set(silent) - BLURRED, silent
    assert Counter(verdicts.values())["stopped"] <= MAX_STOPPED * len(verdicts)
