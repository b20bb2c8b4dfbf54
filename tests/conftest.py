"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# No test asserts a time. The same examples in every run, so that a failure belongs to a change;
# `make test-all` draws fresh ones.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("fresh", deadline=None, print_blob=True)
settings.load_profile("same")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the checkout; users do not have it."""
    if not (SHARED_DATA / "datasets.json").exists():
        pytest.skip(f"the real data sets are not at {SHARED_DATA}")
    return SHARED_DATA
