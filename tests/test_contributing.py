"""CONTRIBUTING's path is walked: its code blocks make a package, whose tests run the laws."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
BLOCK = re.compile(
    r"^```(?:python|toml)\n# (?P<file>[\w./]+)(?P<variant>,[^\n]*)?\n(?P<code>.*?)^```$",
    re.M | re.S,
)


def make_package(folder: Path, *, shared: bool) -> None:
    """Write the blocks as files, and the metadata that an installer would write."""
    points: dict[str, dict[str, str]] = {}
    (folder / "my_package").mkdir()
    (folder / "my_package" / "__init__.py").touch()
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        if block["file"] == "pyproject.toml":
            points |= tomllib.loads(block["code"])["project"]["entry-points"]
        elif not block["variant"] or shared:
            (folder / block["file"]).write_text(block["code"], encoding="utf-8")
    metadata = folder / "my_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in points.items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))


def run(folder: Path, *command: str) -> str:
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")]), str(PAGE.parent / "src")]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "80"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# that of a function is installed by the test of the command line, too
@pytest.mark.parametrize(
    "shared",
    [pytest.param(False, id="a function", marks=pytest.mark.long),
     pytest.param(True, id="sharing the pass")],
)  # fmt: skip
def test_what_contributing_adds_obeys_the_laws(tmp_path: Path, shared: bool) -> None:
    make_package(tmp_path, shared=shared)
    told = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path))
    assert "4 passed" in told


def test_the_command_line_finds_what_contributing_adds(tmp_path: Path) -> None:
    make_package(tmp_path, shared=False)
    script = """
import sys
from typer.testing import CliRunner
from sortal.cli import app
for line in sys.stdin.read().splitlines():
    result = CliRunner().invoke(app, line.split())
    print(result.output)
    assert result.exit_code == 0, (line, result.exception)
"""
    lines = [
        "measures",
        "measures distance_contrast",
        "reproduce",
        "reproduce doe2026-table1 --samples 5",
        "run iris -c farthest-first -k 2:3 --n-init 2 --workers 1 --by distance_contrast",
    ]
    (tmp_path / "session.py").write_text(
        script.replace("sys.stdin.read().splitlines()", repr(lines))
    )
    told = run(tmp_path, "session.py")
    assert "Distance contrast (distance_contrast), internal, scatter" in told
    assert "A contrast of distances" in told  # the reference reached the documentation
    assert "Made by      farthest-first k=" in told
    assert "error: standard error over samples." in told


def test_the_measure_of_contributing_is_new() -> None:
    import sortal

    assert "distance_contrast" not in sortal.measures.catalogue
    assert "farthest-first" not in sortal.clusterers.catalogue
