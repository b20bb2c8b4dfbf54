"""``sortal reproduce`` is the laboratory's command where it is installed, and says so where not."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sortal
from sortal.cli import app
from sortal.cli import main as sortal_main
from sortal_lab import EXPERIMENTS, __main__


def test_it_lists_and_runs_experiments() -> None:
    listed = CliRunner().invoke(app, ["reproduce", "--json"])
    assert {each["name"] for each in json.loads(listed.stdout)} == set(EXPERIMENTS)
    names = CliRunner().invoke(app, ["reproduce"], env={"COLUMNS": "80"}).stdout
    assert all(name in names for name in EXPERIMENTS)
    told = CliRunner().invoke(app, ["reproduce", "table 16.2", "--json"])
    assert json.loads(told.stdout)["name"] == "manning2008-table16.2"


def test_its_help_is_the_laboratorys() -> None:
    told = CliRunner().invoke(app, ["reproduce", "--help"])
    assert told.exit_code == 0
    assert "Usage: sortal reproduce" in told.stdout
    assert "--data" in told.stdout


def test_the_list_of_commands_names_it_without_loading_it() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from sortal.cli import app;"
        "told = CliRunner().invoke(app, ['--help']).stdout;"
        "print([name in told for name in ('clarity', 'reproduce')], 'sortal_lab' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[True, True] False\n"


def test_data_are_looked_for_where_the_option_says(tmp_path: Path) -> None:
    asked = ["reproduce", "banerjee2004-figure1", "--samples", "1", "--data", str(tmp_path)]
    told = CliRunner().invoke(app, asked)
    assert isinstance(told.exception, sortal.InputError)
    assert "texts/20newsgroups.jsonl.gz" in str(told.exception)
    assert str(tmp_path) in str(told.exception)


def test_its_own_entry_ends_without_a_traceback(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["sortal_lab", "reproduce", "nothing"])
    with pytest.raises(SystemExit) as end:
        __main__.main()
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("sortal: no experiment is called 'nothing'")


def test_where_it_is_missing_one_sentence_says_how_to_install_it(monkeypatch, capsys) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: ())
    monkeypatch.setattr("sys.argv", ["sortal", "reproduce", "abul2003"])
    with pytest.raises(SystemExit) as end:
        sortal_main()
    assert end.value.code == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "pip install -e lab" in told


@pytest.mark.parametrize("command", ["reproduce", "lab", "clarity"])
def test_every_command_of_the_laboratory_says_so(command, monkeypatch) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: ())
    assert f"│ {command} " not in CliRunner().invoke(app, ["--help"]).stdout
    told = CliRunner().invoke(app, [command])
    assert f"sortal {command} is part of sortal-lab" in str(told.exception)


def test_lab_lists_the_data_sets_and_what_is_there(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["lab", "data", "--json", "--data", str(tmp_path)])
    rows = {row["name"]: row for row in json.loads(told.stdout)}
    assert rows["iris"]["state"] == "packaged"
    assert rows["wap"]["state"] == "absent"
    assert all(row["licence"] and row["citation"] and row["bytes"] for row in rows.values())


def test_lab_fetch_wants_a_name(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["lab", "fetch", "--data", str(tmp_path)])
    assert "--all" in str(told.exception)
    told = CliRunner().invoke(app, ["lab", "fetch", "iris", "nothing", "--data", str(tmp_path)])
    assert "iris: packaged" in told.stdout
    assert "no data set is called 'nothing'" in str(told.exception)
