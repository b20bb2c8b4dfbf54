"""Under other locales the same answer: decimal commas, a dotted I and 8-bit encodings."""

from __future__ import annotations

import json
import locale
import os
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from command_line import sortal_command

if sys.platform == "win32":
    pytest.skip("Windows has no LC_ALL", allow_module_level=True)

OPTIONS = ["-c", "average", "-k", "2:3", "--workers", "1", "--no-stability"]
TIMES = ("seconds", "started", "ended")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Decimals, and column names and classes that ASCII lacks."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["İstanbul", "ırmak", "Größe"], 12)
    X = rng.normal(size=(36, 2)) + 5 * np.repeat(np.arange(3), 12)[:, None]
    frame = pd.DataFrame(X.round(3), columns=["Länge", "IŞIK"]).assign(art=kind)
    path = tmp_path_factory.mktemp("table") / "tablo.csv"
    frame.to_csv(path, index=False, encoding="utf8")
    return path


def answer(told: str):
    """What was told, without times."""

    def timeless(value):
        if isinstance(value, dict):
            return {key: timeless(one) for key, one in value.items() if key not in TIMES}
        return [timeless(one) for one in value] if isinstance(value, list) else value

    return timeless(json.loads(told))


@pytest.fixture(scope="module")
def expected(table):
    done = sortal_command("run", table, "--label-column", "art", *OPTIONS, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    return answer(done.stdout)


@contextmanager
def under(name: str):
    """This process in a locale."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        pytest.skip(f"the locale {name} is not installed")
    try:
        yield
    finally:
        locale.setlocale(locale.LC_ALL, before)


@pytest.mark.parametrize(
    "name", [pytest.param("de_DE.UTF-8", marks=pytest.mark.long), "tr_TR.UTF-8"]
)
def test_a_program_of_another_locale(name, table, expected, tmp_path):
    with under(name):
        done = sortal_command(
            "run", table, "--label-column", "art", *OPTIONS, "--json", "--quiet",
            "--report", tmp_path / "r.html", "--labels", tmp_path / "l.csv",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert answer(done.stdout) == expected
    assert "Größe" in (tmp_path / "r.html").read_text(encoding="utf8")
    assert len(pd.read_csv(tmp_path / "l.csv", encoding="utf8")) == 36


#: the command for machines and for people, one after the other
BOTH = """
import sys
from sortal.cli import main

words = sys.argv[1:]
for more in (["--json"], ["--report", "r.html"]):
    sys.argv = ["sortal", *words, *more]
    try:
        main()
    except SystemExit as stop:
        assert not stop.code, stop.code
"""


@pytest.mark.parametrize(
    "name", ["de_DE.ISO-8859-1", pytest.param("tr_TR.ISO-8859-9", marks=pytest.mark.long)]
)
def test_a_shell_of_eight_bits(name, table, expected, tmp_path):
    with under(name):
        encoding = locale.getencoding()
    assert encoding.startswith("ISO")
    done = subprocess.run(
        [sys.executable, "-c", BOTH, "run", str(table), "--label-column", "art", *OPTIONS,
         "--quiet"],
        env={**os.environ, "LC_ALL": name, "PYTHONUTF8": "0", "PYTHONIOENCODING": ""},
        capture_output=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode(encoding)
    machine, person = done.stdout.decode(encoding).split("\n", 1)
    assert answer(machine) == expected
    assert "3 groups" in person
    assert "Größe" in (tmp_path / "r.html").read_text(encoding="utf8")
