"""The whole house stands: names, lazy imports, one table."""

from __future__ import annotations

import subprocess
import sys

import karat


def test_public_names_resolve() -> None:
    for name in dir(karat):
        assert getattr(karat, name) is not None


def test_import_is_lazy() -> None:
    code = (
        "import sys, karat; print([m for m in ('numpy', 'pandas', 'sklearn') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
