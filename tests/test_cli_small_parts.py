"""Small parts of the command line: answers to questions, errors, settings, repaired commands."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import pytest
import typer

import karat.cli
from karat.cli import _input, _run_options
from karat.runtime.validation import InputError, NothingToRankError, StorageError

#: the package has commands of these names
label, bound = (import_module(f"karat.cli.{name}") for name in ("label", "bound"))
MEMORY = "raise the limit (ulimit -v)"


@pytest.mark.parametrize(
    ("answer", "is_same"),
    [(None, False), ("", False), ("n", False), ("y", True), ("Yes", True), ("no y", False)],
)
def test_two_spellings_are_one_class_on_yes_alone(
    monkeypatch: pytest.MonkeyPatch, answer: str | None, is_same: bool
) -> None:
    monkeypatch.setattr(label, "ask", lambda _: answer)
    assert label._is_same_class("a", "A") is is_same


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("odd"), 2, "karat: odd"),
        (NothingToRankError("none"), 1, "karat: none"),
        (StorageError("full"), 3, "karat: full"),
        (MemoryError(), 2, karat.cli.OUT_OF_MEMORY),
        (ImportError("x.so: failed to map segment"), 2, MEMORY),
        (ImportError("cannot allocate memory in static TLS"), 2, MEMORY),
        (ImportError("no module"), None, ""),
    ],
)
def test_errors_end_with_a_sentence_on_standard_error(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    code: int | None,
    said: str,
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(karat.cli, "app", fail)
    with pytest.raises(SystemExit if code else ImportError) as caught:
        karat.cli.main()
    if code:
        assert caught.value.args == (code,)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.rstrip().endswith(said)


@pytest.mark.parametrize(
    ("value", "valid"),
    [(None, True), ("1", True), ("12", True), ("0", False), ("-1", False), ("two", False),
     ("", False), ("²", False)],
)  # fmt: skip
def test_a_number_of_threads_is_checked(
    monkeypatch: pytest.MonkeyPatch, value: str | None, valid: bool
) -> None:
    if value is None:
        monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("NUMBA_NUM_THREADS", value)
    if valid:
        karat.cli._check_thread_count()
    else:
        with pytest.raises(InputError, match="NUMBA_NUM_THREADS is"):
            karat.cli._check_thread_count()


def test_options_become_arguments() -> None:
    usual = _run_options.SweepOptions().arguments
    assert (usual["k"], usual["budget"], usual["workers"]) == (None, None, None)
    given = _run_options.SweepOptions(k="2:4", budget="2m", workers=3).arguments
    assert [*given["k"]] == [2, 3, 4]
    assert (given["budget"], given["workers"]) == (120.0, 3)
    weighed = [_input.LabelledInputOptions(data="t.csv", weights=w) for w in ("auto", "equal")]
    assert [one.column_weights for one in weighed] == [None, "equal"]
    assert "weights" not in weighed[0].settings()
    with pytest.raises(TypeError):
        bound.BoundOptions("labels.csv", "few.csv")  # type: ignore[misc, call-arg, arg-type]


@pytest.mark.parametrize(
    ("words", "options", "repairs", "command"),
    [
        ("run t.csv", {}, {"impute": "median"}, "karat run t.csv --impute median"),
        ("run t.csv --drop a", {"drop": ["a"], "accept": []}, {"drop": ["a", "b"]},
         "karat run t.csv --drop a --drop b"),
        ("run t.csv --accept x", {"drop": [], "accept": ["x"]}, {"accept": ["x", "y"]},
         "karat run t.csv --accept x --accept y"),
        ("run t.csv --id-column a -k 3", {}, {"id_column": "b"},
         "karat run t.csv -k 3 --id-column b"),
        ("run t.csv --id-column=a -k 3", {}, {"id_column": "b"},
         "karat run t.csv -k 3 --id-column b"),
    ],
)  # fmt: skip
def test_a_command_is_repeated_with_its_repairs(
    monkeypatch: pytest.MonkeyPatch, words: str, options: Any, repairs: Any, command: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["karat", *words.split()])
    assert _input._repeated_command("t.csv", options, repairs) == command


def test_a_closed_standard_output_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit):
        karat.cli.main()
    assert "the standard output is closed" in capsys.readouterr().err


def test_findings_go_where_they_are_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(typer, "echo", lambda text, err=False: told.append((text[:1], err)))
    from karat.datasets.findings import Finding

    findings = [Finding("exclusive", severity, {}, ("u", "v"), {"accept": ("exclusive",)})
                for severity in ("harmful", "notable")]  # fmt: skip
    for err in (True, False):
        _input.print_findings(findings, err=err)
    assert told == [("!", True), ("-", True), ("!", False), ("-", False)]
