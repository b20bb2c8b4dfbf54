"""Every code block of README and documentation runs in ``examples/data`` as it stands.

The Python blocks of a page share a namespace, and the console blocks of a page share a copy of the
folder; both run in the order of the page. A block after the comment ``.. long`` (``<!-- long -->``)
is run by ``make test-all`` only. ``.. needs NAME`` skips a block where a package is not installed.
``.. elsewhere: REASON`` precedes what cannot run in a test, such as an installation.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import pytest
from typer.main import get_command

from command_line import sortal_command
from sortal.cli import app
from sortal.extension import one_core

ROOT = Path(__file__).resolve().parents[1]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.rst"))]
RST = re.compile(
    r"^(?:\.\. (long|elsewhere: [^\n]+|needs \S+)\n\n)?"
    r"\.\. (code-block:: (?:python|console)|console-session::) *\n"
    r"((?: +:.*\n)*)\n((?: +.*\n|\n)+)",
    re.M,
)
MARKDOWN = re.compile(
    r"^(?:<!-- (long|elsewhere: [^\n]+|needs \S+) -->\n)?```(python|console)\n()(.*?)^```",
    re.M | re.S,
)
#: languages that are shown: files, programs of R, and examples that test_docs_pages.py runs
FOREIGN = {"r", "toml", "text", "pycon"}


class Block(NamedTuple):
    """A block of code, how it is run, and the mark before it."""

    language: str
    mark: str
    text: str


#: commands of another distribution
LABORATORY = ("clarity", "lab", "reproduce")


def blocks(page: Path) -> list[Block]:
    pattern = RST if page.suffix == ".rst" else MARKDOWN
    return [
        Block("python" if "python" in kind else "console", mark, textwrap.dedent(text))
        for mark, kind, _, text in pattern.findall(page.read_text("utf-8"))
    ]


PAGES = {page: blocks(page) for page in FILES if blocks(page)}
LONG = [page for page, parts in PAGES.items() if any(part.mark == "long" for part in parts)]
#: pages that run in make test, with what is read first; of the others the names are checked
FIRST = ("README", "index", "quickstart", "table", "few_labels", "own_clusterings", "distances",
         "bound", "input", "model", "external", "internal")  # fmt: skip
CASES = [
    pytest.param(page, False, id=page.stem, marks=[] if page.stem in FIRST else [pytest.mark.long])
    for page in PAGES
]
CASES += [pytest.param(page, True, id=f"{page.stem}-long", marks=pytest.mark.long) for page in LONG]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples" / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "data"


def commands(text: str) -> list[list[str]]:
    """The commands of a console block, with continued lines joined."""
    joined = re.sub(r"\\\n\s*", " ", text)
    return [shlex.split(line[2:], comments=True) for line in joined.splitlines()
            if line.startswith("$ ")]  # fmt: skip


def run_console(text: str) -> None:
    for words in commands(text):
        if words[0] == "sortal":
            done = sortal_command(*words[1:])
            assert done.returncode == 0, (words, done.stderr)
        else:
            assert words[0] in ("cd", "pip", "git", "make"), words
            assert words[0] != "cd" or Path(words[1]).is_dir() or words[1] == "examples/data"


def check_metrics(metrics: dict[str, float]) -> None:
    assert all(isinstance(float(value), float) for value in metrics.values())


def check_json(facts: dict[str, object], name: str) -> None:
    assert json.loads(json.dumps(facts))
    assert name.endswith(".json")


#: packages that send functions to other processes
ENGINES = ("pyspark", "ray")
#: packages of which the pages use little, and whose calls are checked where they are not installed
STAND_INS = {"mlflow": {"log_metrics": check_metrics, "log_dict": check_json}}


def run_page(parts: list[Block], monkeypatch: pytest.MonkeyPatch, *, long: bool) -> None:
    """Run the blocks in order; without ``long``, those that are quick."""
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    for part in parts:
        package = part.mark.removeprefix("needs ") if part.mark.startswith("needs ") else None
        if part.mark.startswith("elsewhere") or (part.mark == "long" and not long):
            continue
        if package is not None and find_spec(package) is None:
            if package not in STAND_INS:
                continue
            monkeypatch.setitem(sys.modules, package, SimpleNamespace(**STAND_INS[package]))
        if package in ENGINES:  # whose processes cannot import the page
            monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
            import_module(f"{package}.cloudpickle").register_pickle_by_value(module)
        if part.language == "python":
            exec(compile(part.text, "page", "exec"), module.__dict__)
        else:
            run_console(part.text)


@pytest.mark.parametrize(("page", "long"), CASES)
@pytest.mark.usefixtures("folder")
def test_the_blocks_of_a_page_run(page: Path, long: bool, monkeypatch) -> None:
    with one_core():
        run_page(PAGES[page], monkeypatch, long=long)


def missing_names(tree: ast.Module) -> list[str]:
    """Names of sortal that code imports or reaches and that are not there."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sortal":
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names.append(ast.unparse(node))
    return [
        name
        for name in names
        if re.fullmatch(r"sortal(\.\w+)+", name) and not is_there(name.split("."))
    ]


def is_there(parts: list[str]) -> bool:
    """Whether a chain of modules and attributes leads somewhere."""
    value: object = import_module(parts[0])
    for i, part in enumerate(parts[1:], 2):
        if not hasattr(value, part):
            try:
                import_module(".".join(parts[:i]))
            except ModuleNotFoundError:
                return False
        value = getattr(value, part)
    return True


def test_the_rule_sees_names_that_are_missing() -> None:
    code = "import sortal\nfrom sortal.bounds import nothing, claims\nsortal.Study.code\n"
    assert missing_names(ast.parse(code)) == ["sortal.bounds.nothing", "sortal.Study.code"]


@pytest.mark.parametrize("page", list(PAGES), ids=lambda page: page.stem)
def test_the_blocks_of_a_page_can_be_read(page: Path) -> None:
    """What runs rarely is compiled, and its options are those of the commands."""
    known = get_command(app).commands
    for part in PAGES[page]:
        if part.language == "python":
            assert not missing_names(ast.parse(part.text, page.name)), page.name
            continue
        for words in commands(part.text):
            if words[0] != "sortal" or words[1].startswith("-") or words[1] in LABORATORY:
                continue
            options = {o for p in known[words[1]].params for o in (*p.opts, *p.secondary_opts)}
            assert {w for w in words if w.startswith("--")} <= options, words


def test_no_code_escapes() -> None:
    """Every marked block is one of those above, and nothing else looks like code."""
    for page in FILES:
        text = page.read_text("utf-8")
        marked = re.findall(r"^```(\w*)$|^\.\. code-block:: (\w+)", text, re.M)
        languages = [one or other for one, other in marked if one or other]
        ours = [one for one in languages if one in ("python", "console")]
        assert set(languages) - set(ours) <= FOREIGN, page.name
        assert len(ours) + len(re.findall(r"^\.\. console-session::", text, re.M)) == len(
            PAGES.get(page, [])
        ), page.name
        assert not re.search(r"^::$|[^:]::\n\n", re.sub(r"^\.\. .*", "", text, flags=re.M)), (
            page.name
        )


def test_the_folder_of_examples_is_small() -> None:
    sizes = subprocess.run(["git", "ls-files", "-z", "examples/data"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\0")  # fmt: skip
    assert sum((ROOT / name).stat().st_size for name in sizes if name) < 2**20
