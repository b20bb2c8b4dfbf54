"""What the cases for planted faults need beside the options of pyproject.toml."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def no_questions_before(tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> None:
    """Each case counts its own questions about labels, not those of the user."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / secrets.token_hex(8)))
