"""What the README says of its example is so, and its Python can be pasted."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from sklearn.datasets import load_wine
from typer.main import get_command

import karat
from karat.cli import app

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf8")


def test_readme_tells_the_truth_of_its_example():
    told = float(
        re.search(r"adjusted Rand index of (0\.\d+)\. Where", README.replace("\n", " "))[1]
    )
    study = karat.Study(karat.datasets.read("wine"))
    study.sweep(["kmeans"], k=[3], n_init=5, workers=1)
    found = karat.adjusted_rand_index(load_wine().target, study.labels("kmeans k=3 start=3"))
    assert round(found, 2) == told
    assert f"adjusted Rand index of {told}." in (ROOT / "docs" / "index.rst").read_text("utf8")


def test_readme_repeats_the_table_of_choices():
    table = (ROOT / "docs" / "choice_table.rst").read_text(encoding="utf8")
    reached = []
    for name in (r"\*\*the judge\*\*", "silhouette"):
        row = re.search(rf"\* - {name}\n((?:     - .*\n)+)", table)[1]
        benchmark, tables, *_ = re.findall(r"- (0\.\d+)", row)
        assert f"-->{benchmark}<!--" in README
        assert f"-->{tables}<!--" in README
        reached.append((float(benchmark), float(tables)))
    assert all(judge > silhouette for judge, silhouette in zip(*reached, strict=True))


def test_readme_s_commands_have_their_options():
    known = {option for command in get_command(app).commands.values() for one in command.params
             for option in one.opts}  # fmt: skip
    commands = re.findall(r"`(karat [^`]+)`|^\$ (karat .+)$", README, re.MULTILINE)
    assert len(commands) > 5
    for command in commands:
        for word in shlex.split(command[0] or command[1]):
            assert not word.startswith("--") or word in known, word


def test_readme_s_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    code = code.replace("sweep()", "sweep(['kmeans', 'ward'], k=[2, 3], n_init=1, workers=1)")
    wine = karat.datasets.load("wine", scale="standard")
    exec(code, {"X": wine.X, "labels": load_wine().target})
    assert (tmp_path / "report.html").exists()


def test_readme_s_pages_are_there():
    for path in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / path).exists(), path


def test_readme_is_one_screen():
    assert len(README.splitlines()) <= 66
