"""The whole house stands: names, lazy imports, one table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import karat


def test_public_names_resolve() -> None:
    for name in dir(karat):
        assert getattr(karat, name) is not None


def test_the_citation_names_this_version() -> None:
    citation = Path(__file__).resolve().parents[1] / "CITATION.cff"
    assert f"\nversion: {karat.__version__}\n" in citation.read_text()


def test_import_is_lazy() -> None:
    code = (
        "import sys, karat; print([m for m in ('numpy', 'pandas', 'sklearn') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
