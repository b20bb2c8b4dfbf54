"""What is installed with sortal is what a user of a verdict needs: nothing of the laboratory."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "sortal"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    if find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    command = ["wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--quiet"]
    subprocess.run([*PIP, *command, "-w", str(folder)], check=True)
    (path,) = folder.glob("sortal-*.whl")
    return path


def test_the_wheel(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert {name.split("/")[0] for name in names} == {"sortal"}
    check(names)


@pytest.mark.long
@pytest.mark.parametrize("dependencies", ["of the tests", "from the registry"])
def test_the_wheel_answers_in_an_empty_environment(wheel, tmp_path, dependencies):
    environment = tmp_path / "empty"
    venv.create(environment, with_pip=False)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [*PIP, "--python", str(python), "install", "--quiet", str(wheel)]
    if dependencies == "of the tests":
        subprocess.run([*install, "--no-deps"], check=True)
        (site,) = environment.rglob("site-packages")
        # a folder that a .pth file adds comes after the wheel, and its own .pth files add nothing
        (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    elif subprocess.run(install, capture_output=True).returncode:
        pytest.skip("the registry cannot be reached")
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(python.with_name("sortal")), "run", "wine"],
        cwd=tmp_path, env=variables, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "3 groups" in done.stdout
    where = [str(python), "-c", "import sortal; print(sortal.__file__)"]
    file = subprocess.run(where, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert Path(file.stdout.strip()).is_relative_to(environment)


def test_workflows_are_whole():
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with Dask, an extra")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert [path.stem for path in workflows] == ["release", "tests", "weekly"]
    for path in workflows:
        jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
        steps = [step for job in jobs.values() for step in job["steps"]]
        assert {need for job in jobs.values() for need in [job.get("needs", path.stem)]} <= {
            *jobs, path.stem,
        }  # fmt: skip
        # an action is named by its commit, which nobody can move
        actions = [step["uses"] for step in steps if "uses" in step]
        assert all(re.fullmatch(r"[\w/.-]+@[0-9a-f]{40}", action) for action in actions), path
        text = "\n".join(step.get("run", "") for step in steps)
        assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= targets, path
        assert all((ROOT / script).exists() for script in re.findall(r"\.ci/\w+\.py", text)), path


def test_the_steps_of_a_release_are_those_of_the_workflow():
    steps = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Release\n")[2]
    named = re.findall(r"`((?:src|\.github)/[^`]+)`", steps)
    assert len(named) == 2
    assert all((ROOT / name).exists() for name in named)
    version = (ROOT / "src" / "sortal" / "runtime" / "version.py").read_text("utf-8")
    assert "__version__" in version
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    for part in ("python -m build", "hatch version", "run wine", "id-token: write",
                 "environment: release", "make docs", 'tags: ["v*"]', "test_wheel.py"):  # fmt: skip
        assert part in release, part
