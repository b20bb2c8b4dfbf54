"""Fixtures of the laboratory's tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sortal_lab.data import VARIABLE

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture
def real_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real data sets: those of SORTAL_DATA, or beside the checkout; users need not have any."""
    folder = Path(os.environ.get(VARIABLE) or BESIDE)
    if not (folder / "points" / "segment.csv.gz").exists():
        pytest.skip(f"the real data sets are not in {folder}")
    monkeypatch.setenv(VARIABLE, str(folder))
