"""Memory that is free: of the machine, and of a control group."""

from __future__ import annotations

from pathlib import Path

import pytest

from sortal.runtime import resources


def test_available_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = resources.available_memory()
    assert real is None or real > 1_000_000
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9000 kB\nMemAvailable: 5000 kB\n")
    monkeypatch.setattr(resources, "_PROC", meminfo)
    monkeypatch.setattr(resources, "_CGROUP", tmp_path)
    assert resources.available_memory() == 5000 * 1024
    (tmp_path / "memory.max").write_text("max")
    assert resources.available_memory() == 5000 * 1024
    (tmp_path / "memory.max").write_text("3000000")
    (tmp_path / "memory.current").write_text("2500000")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 1000000\n")
    assert resources.available_memory() == 1_500_000
    monkeypatch.setattr(resources, "_PROC", tmp_path / "nothing")
    assert resources.available_memory() == 1_500_000
