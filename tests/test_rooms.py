"""The plan of the house: few rooms, few arrows between them, and nothing private taken across.

The order of the rooms is held by import-linter (``[tool.importlinter]`` in pyproject.toml).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import sortal

HOME = Path(sortal.__file__).parent
ROOMS, ARROWS = 26, 120


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of each import of sortal in a file, function-local ones too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sortal."):
            for one in node.names:
                yield node.module or "", one.name


@cache
def edges() -> frozenset[tuple[str, str, str, str]]:
    """Room and file that imports, module and name that is imported from another room."""
    found = set()
    for path in HOME.rglob("*.py"):
        parts = path.relative_to(HOME).with_suffix("").parts
        for module, name in imports(path):
            room = module.split(".")[1]
            if room != parts[0] and parts[0] != "__init__":
                found.add((parts[0], "/".join(parts), module, name))
    return frozenset(found)


def test_few_rooms_and_few_arrows() -> None:
    rooms = {path.stem for path in HOME.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert len(rooms - {"__pycache__"}) <= ROOMS
    arrows = {(room, module.split(".")[1]) for room, _, module, _ in edges()}
    # types for annotations are below everything
    assert len({(room, of) for room, of in arrows if of != "typing"}) <= ARROWS


def test_nothing_private_is_taken_across_rooms() -> None:
    private = [
        f"{file} takes {module}.{name}"
        for room, file, module, name in edges()
        if module.split(".")[1] != "_kernels"
        and ((name.startswith("_") and not name.endswith("__")) or "._" in module)
    ]
    assert not private, "\n".join(sorted(private))


# -- one writer ------------------------------------------------------------------------------------

#: the only code that creates, replaces or removes files, folders and objects at addresses
WRITER = "runtime/output/"
#: methods and functions that change a disk whatever they are called on
CHANGING = {
    "rmtree", "unlink", "rmdir", "removedirs", "write_text", "write_bytes", "mkdir", "makedirs",
    "touch", "symlink_to", "hardlink_to", "truncate", "ftruncate", "copyfile", "copytree",
    "copyfileobj", "open_output_stream", "open_append_stream", "delete_file", "delete_dir",
    "delete_dir_contents", "create_dir", "copy_file", "mkstemp", "mkdtemp", "TemporaryDirectory",
    "NamedTemporaryFile", "write_html", "savefig", "savetxt",
}  # fmt: skip
#: functions of ``os`` and ``shutil`` whose names other methods share
OF_SYSTEM = {"remove", "replace", "rename", "link", "symlink", "move", "copy", "copy2", "open"}
#: functions that write to a path or to an open file, and their argument that says which
TO_FILE = {
    "to_csv": 0, "to_parquet": 0, "to_excel": 0, "to_json": 0, "to_feather": 0, "to_pickle": 0,
    "save": 0, "savez": 0, "savez_compressed": 0, "dump": 1, "ZipFile": 0, "ParquetWriter": 0,
    "write_table": 1, "ExcelWriter": 0, "write_csv": 1,
}  # fmt: skip
#: arguments of these that are files in memory, or files that the writer opened
OPENED = {"file", "content", "buffer", "book", "path", "model"}
#: what is neither an output nor a temporary file
NO_OUTPUT = {
    ("cli/__init__.py", "open"),  # the null device, for a standard output that is closed
}


#: the laboratory, and its files that write without the writer, with the place where they do
LABORATORY = Path(__file__).parents[1] / "lab/src/sortal_lab"
LABORATORY_FILES = {
    "choice_corpus.py": "the storage", "conformance.py": "a temporary folder",
    "data.py": "the list of simulated sets", "fetch.py": "the folder of downloads",
    "guarantee_files.py": "a temporary folder", "guarantee_paths.py": "a temporary folder",
    "large_tables.py": "a temporary folder", "measure_values.py": "the storage",
    "peer_times.py": "a temporary folder", "results.py": "beside the storage",
}  # fmt: skip
#: what replaces and removes nothing
HARMLESS = ("mkdir", "mkdtemp", "TemporaryDirectory", "ZipFile")


def changes(path: Path, home: Path = HOME) -> Iterator[str]:
    """Calls in a file that may create, replace or remove something on a disk."""
    name = path.relative_to(home).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        called = change_of(node) if isinstance(node, ast.Call) else ""
        if called and (name, called) not in NO_OUTPUT:
            yield f"{name}:{node.lineno} {called}"  # type: ignore[attr-defined]


def change_of(call: ast.Call) -> str:
    """The name of a call that may change a disk; empty for others."""
    function = call.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    if called in CHANGING or (called in OF_SYSTEM and owner in ("os", "shutil")):
        return called
    if called == "rename" and owner and call.args and not call.keywords:
        return called  # of a path; pandas takes keywords
    if called == "open":
        modes = [
            *call.args[owner == "" :][:1],
            *(k.value for k in call.keywords if k.arg == "mode"),
        ]
        constants = [mode.value for mode in modes if isinstance(mode, ast.Constant)]
        return called if any(set(str(mode)) & set("wax+") for mode in constants) else ""
    position = TO_FILE.get(called)
    is_own = called == "save" and owner not in ("np", "numpy", "torch")
    if position is not None and owner and not is_own and len(call.args) > position:
        target = ast.unparse(call.args[position])
        if not target.startswith(("{", "[")) and target not in OPENED:
            return called
    return ""


def test_one_module_writes() -> None:
    elsewhere = [
        change
        for path in sorted(HOME.rglob("*.py"))
        if not path.relative_to(HOME).as_posix().startswith(WRITER)
        for change in changes(path)
    ]
    assert not elsewhere, "\n".join(elsewhere)


def test_few_files_of_the_laboratory_write_themselves() -> None:
    writing = {
        change.partition(":")[0]
        for path in LABORATORY.rglob("*.py")
        for change in changes(path, LABORATORY)
        if not change.endswith(HARMLESS)
    }
    assert writing == LABORATORY_FILES.keys()


def test_the_rule_notices_what_writes() -> None:
    for line in (
        "shutil.rmtree(a)", "path.unlink()", "os.remove(a)", "os.replace(a, b)", "path.rename(b)",
        "open(a, 'w')", "path.open('ab')", "open(a, mode='x')", "path.write_text(b)",
        "filesystem.delete_dir(a)", "table.to_csv(target)", "np.save(target, array)",
        "joblib.dump(value, self.path)", "TemporaryDirectory()",
    ):  # fmt: skip
        (statement,) = ast.parse(line).body
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        assert change_of(statement.value), line
    for line in (
        "open(a)", "open(a, 'rb')", "frame.rename(columns=a)", "table.to_csv()", "a.replace(b, c)"
    ):  # fmt: skip
        (statement,) = ast.parse(line).body
        assert not change_of(statement.value), line  # type: ignore[attr-defined]
