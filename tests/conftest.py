"""Fixtures that every test may use."""

from __future__ import annotations

import os
import random
import secrets
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

if "PYTEST_XDIST_WORKER" in os.environ:
    # beside other workers, more threads of linear algebra only wait, and burn the cores meanwhile
    os.environ.setdefault("OMP_NUM_THREADS", "1")
# rewritten assertions are kept for the next run, whatever the shell says
sys.dont_write_bytecode = False

# No test asserts a time, nor how long it takes to draw an example. The same examples in every run,
# so that a failure belongs to a change; `make test-all` draws fresh ones, and more of them.
timeless = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", timeless, derandomize=True, max_examples=30)
settings.register_profile("fresh", timeless, print_blob=True, max_examples=100)
settings.load_profile("same")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave tests that cannot run here, and mark the cases long that ``quick`` does not draw."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("quick") and not item.get_closest_marker("long"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, of_test in cases.items():
        number = of_test[0].get_closest_marker("quick").args[0]
        # the same draw in every run and worker
        drawn = random.Random(name).sample(of_test, min(number, len(of_test)))
        for item in of_test:
            if item not in drawn:
                item.add_marker(pytest.mark.long)
    if os.name != "posix":
        for item in items:
            if "posix" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="not on this system"))


@pytest.fixture(autouse=True)
def no_questions_before(tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> None:
    """Each test counts its own questions about labels, not those of the user."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / secrets.token_hex(8)))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the checkout; users do not have it."""
    if not (SHARED_DATA / "datasets.json").exists():
        pytest.skip(f"the real data sets are not at {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Python's handler of Ctrl-C, which jobs in a shell's background lack."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
