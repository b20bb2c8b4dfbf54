"""Progress off a terminal: lines on standard error, or nothing."""

from __future__ import annotations

import re
import time

import pytest

from sortal import cli
from sortal.runtime import doing, progress_bar


def test_a_line_now_and_then_even_if_nothing_advances(capsys):
    with progress_bar("Judging", 1200, every=0.02) as advance:
        advance(1100)
        lines, ends = "", time.monotonic() + 60
        while lines.count("\n") < 3 and time.monotonic() < ends:
            time.sleep(0.01)
            shown = capsys.readouterr()
            assert shown.out == ""
            lines += shown.err
    assert lines.count("\n") > 1
    assert re.search("^sortal: judging, 1,100 of 1,200 after 0:[0-9]{2}$", lines, re.MULTILINE)


def test_a_line_says_what_is_being_done(capsys):
    with progress_bar("Judging", 3, every=0.02), doing("pass of pairs"):
        with doing("sample of pairs"):
            pass
        capsys.readouterr()  # lines of before, if the machine was slow
        shown, ends = "", time.monotonic() + 60
        while "(pass of pairs)" not in shown and time.monotonic() < ends:
            time.sleep(0.01)
            shown += capsys.readouterr().err
    line = "^sortal: judging, 0 of 3 after 0:[0-9]{2} [(]pass of pairs[)]$"
    assert re.search(line, shown, re.MULTILINE)


def test_a_bar_says_what_is_being_done(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("COLUMNS", "120")
    with progress_bar("Judging", 3, show=True), doing("pass of pairs"):
        shown, ends = "", time.monotonic() + 60
        while "pass of pairs" not in shown and time.monotonic() < ends:
            time.sleep(0.01)
            shown += capsys.readouterr().err
    assert "pass of pairs" in shown


@pytest.mark.parametrize(("show", "total"), [(False, 10), (None, 0)])
def test_quiet(capsys, show, total):
    with progress_bar("Judging", total, show=show, every=0.01) as advance:
        advance(1)
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("quiet", [False, True])
def test_a_command_off_a_terminal(tmp_path, monkeypatch, capsys, quiet):
    path = tmp_path / "x.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7},{i * i % 11}\n" for i in range(200)))
    options = ["-c", "kmeans", "-k", "2:8", "--n-init", "2", "--workers", "1", "--json"]
    monkeypatch.setattr("sys.argv", ["sortal", "run", str(path), *options, *["--quiet"] * quiet])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 0
    out, err = capsys.readouterr()
    assert out.startswith("{")
    assert err == ""
