"""What the first run of the command line compiles beside its own work."""

import subprocess

import pytest

from karat.study import first_run


@pytest.mark.parametrize("compiled", [True, False])
def test_the_first_run_compiles_in_another_process(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(first_run, "_is_compiled", lambda: compiled)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: started.append(command))
    monkeypatch.setattr("karat.runtime.threads.available_cores", lambda: 2)
    assert first_run.compile_ahead() == (not compiled) == bool(started)
    for command in started:
        compile(command[-1], "the other process", "exec")


def test_what_the_judge_calls_is_compiled_for_the_types_of_a_run() -> None:
    from karat._kernels.dip import pair_valleys

    first_run.compile_what_judges()
    assert first_run._is_compiled()
    assert len(pair_valleys.signatures) == 1
