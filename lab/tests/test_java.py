"""One virtual machine has the classes of several files."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sortal_lab import java


def test_a_second_file_goes_into_the_machine_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    jpype = SimpleNamespace(
        addClassPath=done.append,
        startJVM=lambda: done.append("started"),
        isJVMStarted=lambda: "started" in done,
    )
    monkeypatch.setattr(java.importlib, "import_module", lambda name: jpype)
    java.with_jar.cache_clear()
    for jar in ("first.jar", "second.jar", "first.jar"):
        assert java.with_jar(jar) is jpype
    java.with_jar.cache_clear()
    assert done == ["first.jar", "started", "second.jar"]
