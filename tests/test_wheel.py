"""What is installed with sortal is what a user of a verdict needs: nothing of the laboratory."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "sortal"
#: experiments, corpora, training, searches and tests, by the names of files and folders
FOREIGN = re.compile(
    r"(^|/)(sortal_lab|lab|tests?|benchmarks|examples|docs|axioms|corpus|rivals|training"
    r"|experiments?|datasets\.json|test_[^/]*|conftest\.py|[a-z]+\d{4}[^/]*)(\.py)?(/|$)"
)


def check(names):
    assert names
    assert not [name for name in names if FOREIGN.search(name)]
    wanted = {"sortal/__init__.py", "sortal/__init__.pyi", "sortal/judge/judge.npz",
              "sortal/measures/verdicts.jsonl.xz", "sortal/measures/properties.json",
              "sortal/datasets/data/iris.csv"}  # fmt: skip
    assert wanted <= set(names)


def test_the_package_has_nothing_of_the_laboratory():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    assert told["build"]["targets"]["wheel"] == {"packages": ["src/sortal"]}
    check([p.relative_to(ROOT / "src").as_posix() for p in PACKAGE.rglob("*") if p.is_file()])


def test_the_library_does_not_import_the_laboratory():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not [name for name in names if name.split(".")[0] == "sortal_lab"], path


def test_the_rule_sees_what_it_forbids():
    for name in ("sortal/axioms/search.py", "sortal_lab/choice.py", "sortal/judge/training.py",
                 "sortal/whissell2012.py", "sortal/study/test_a.py"):  # fmt: skip
        assert FOREIGN.search(name), name


@pytest.mark.skipif(find_spec("hatchling") is None, reason="hatchling is not installed")
def test_the_wheel(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation",
         "--quiet", "--disable-pip-version-check", "-w", str(tmp_path)],
        check=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("sortal-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert {name.split("/")[0] for name in names} == {"sortal"}
    check(names)
