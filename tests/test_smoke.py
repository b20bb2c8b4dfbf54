"""The whole house stands: names, lazy imports, one table, one run from data to a report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import sortal
from command_line import sortal_command


def test_public_names_resolve() -> None:
    for name in dir(sortal):
        assert getattr(sortal, name) is not None


def test_completion_finds_measures_and_rooms() -> None:
    assert {"Study", "evaluate", "silhouette", "plot", "__version__"} <= set(dir(sortal))
    rooms = {path.name.removesuffix(".py") for path in Path(sortal.__file__).parent.iterdir()}
    private = {"cli", "runtime", "py.typed", "__init__.pyi"}
    assert {room for room in rooms - private if not room.startswith("_")} <= set(dir(sortal))


def test_the_citation_names_this_version() -> None:
    citation = Path(__file__).resolve().parents[1] / "CITATION.cff"
    assert f"\nversion: {sortal.__version__}\n" in citation.read_text()


def test_import_is_lazy() -> None:
    code = (
        "import sys, sortal; print([m for m in ('numpy', 'pandas', 'sklearn') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_help_does_not_load_what_only_a_run_needs() -> None:
    code = (
        "import sys; from sortal.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: print([m for m in ('numba', 'pandas', 'sklearn') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, "run", "--help"]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


def test_a_run_from_data_to_a_report(tmp_path: Path) -> None:
    options = ["-c", "kmeans", "-c", "ward", "-k", "2:4", "--n-init", "1", "--workers", "1"]
    done = sortal_command("run", "iris", *options, "--report", "r.html", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "groups" in done.stdout
    assert "<html" in (tmp_path / "r.html").read_text(encoding="utf8")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
