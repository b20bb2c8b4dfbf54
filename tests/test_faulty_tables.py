"""A hundred kinds of faulty tables: answered with the right groups, or stopped with the option."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import dirty_tables
import faulty_kinds
import faulty_verdicts
from further_faulty_kinds import FURTHER
from sortal import InputError
from sortal.datasets import read, weighted

SEEDS = 20
#: largest share of faulty tables that may be stopped
MAX_STOPPED = 0.15
#: encodings are not guessed: the error names the likely one
REJECTED = frozenset(("wrong_encoding", "utf16", "two_encodings"))
#: further kinds that are stopped although they could be answered
UNREAD = frozenset(("printed_pages", "broken_lines"))
WHOLE = ("percent_and_share", "header_again", "exclusive_flags", "multiples")
#: a small sweep: whole answers of 20 seeds take hours with all clusterers
SWEEP = ("-k", "2:6", "-c", "kmeans", "-c", "ward", "-c", "mixed-mixture", "--n-init", "2",
         "--workers", "1")  # fmt: skip


ALL = {**faulty_kinds.KINDS, **FURTHER}


@pytest.mark.quick(56)
@pytest.mark.parametrize("kind", ALL)
def test_a_fault_is_read_around_or_stops(kind: str, tmp_path: Path) -> None:
    faulty = faulty_kinds.plant(kind, 3, tmp_path)
    y = faulty.options[1] if faulty.options else None
    try:
        data = weighted(read(faulty.path, y=y))
    except InputError:
        if kind not in REJECTED | UNREAD:
            raise
        return
    assert kind not in REJECTED
    stops = [finding.key for finding in data.findings if finding.stops]
    assert bool(stops) == (faulty_kinds.STOPS in ALL[kind][1] or kind in UNREAD), stops
    if not stops:
        assert data.n_objects == len(faulty.classes)
        assert dirty_tables.agreement(data.X, faulty.classes) > 0.9


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_answer_is_right(kind: str, tmp_path: Path) -> None:
    assert faulty_verdicts.verdict(kind, 0, tmp_path, SWEEP) == "right"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_whole_answer_is_silently_wrong(seed: int, tmp_path: Path) -> None:
    verdicts = {}
    for kind in ALL:
        (tmp_path / kind).mkdir()
        verdicts[kind] = faulty_verdicts.verdict(kind, seed, tmp_path / kind, SWEEP)
    assert not [kind for kind, verdict in verdicts.items() if verdict == "silent"]
    assert Counter(verdicts.values())["stopped"] <= MAX_STOPPED * len(verdicts)
