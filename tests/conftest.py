"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test asserts a time, nor how long it takes to draw an example. The same examples in every run,
# so that a failure belongs to a change; `make test-all` draws fresh ones.
timeless = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", timeless, derandomize=True)
settings.register_profile("fresh", timeless, print_blob=True)
settings.load_profile("same")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the checkout; users do not have it."""
    if not (SHARED_DATA / "datasets.json").exists():
        pytest.skip(f"the real data sets are not at {SHARED_DATA}")
    return SHARED_DATA
