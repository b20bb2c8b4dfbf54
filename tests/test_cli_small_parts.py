"""Small parts of the command line: errors, threads, a closed output."""

from __future__ import annotations

import sys

import pytest

from command_line import sortal_command
from sortal import InputError, StorageError, cli
from sortal.datasets import DoubtfulError
from sortal.study import NothingToRankError

MEMORY = "raise the limit (ulimit -v)"


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("odd"), 2, "sortal: odd"),
        (NothingToRankError("none"), 1, "sortal: none"),
        (StorageError("full"), 3, "sortal: full"),
        (DoubtfulError("unclear"), 4, "sortal: unclear"),
        (MemoryError(), 2, "out of memory; give a sample of the rows, or fewer columns"),
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

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit if code else ImportError) as caught:
        cli.main()
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
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    value: str | None,
    valid: bool,
) -> None:
    if value is None:
        monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("NUMBA_NUM_THREADS", value)
    monkeypatch.setattr(cli, "app", lambda: None)
    with pytest.raises(SystemExit):
        cli.main()
    assert ("NUMBA_NUM_THREADS is" in capsys.readouterr().err) != valid


def test_a_closed_standard_output_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit):
        cli.main()
    assert "the standard output is closed" in capsys.readouterr().err


def test_a_finding_that_there_is_not_cannot_be_accepted() -> None:
    done = sortal_command("check", "nowhere.csv", "--accept", "nonsense")
    assert done.returncode == 2
    assert "--accept must be one of" in done.stderr
