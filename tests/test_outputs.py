"""No command replaces, changes or removes a file that it did not write."""

from __future__ import annotations

import hashlib
import os
import signal
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from pyarrow import fs

import sortal
from command_line import sortal_command
from sortal import InputError
from sortal.cli import app
from sortal.datasets import LabelFolder, read
from sortal.model import all_rows
from sortal.runtime.addresses import filesystem_of
from sortal.runtime.output import MANIFEST, draft

INPUT, FILE, FOLDER, GROWS = "input", "file", "file or folder", "grows"
#: what each command does with the paths that it is given
ROLES: dict[str, dict[str, str]] = {
    "run": {
        "data": INPUT, "truth": INPUT, "terms": INPUT, "labelings": INPUT, "constraints": INPUT,
        "distances": INPUT, "graph": INPUT, "against": INPUT, "report": FILE, "labels": FOLDER,
        "save_model": FILE, "storage": GROWS,
    },
    "assign": {"data": INPUT, "model": INPUT, "output": FOLDER},
    "watch": {"model": INPUT, "data": INPUT, "report": FILE},
    "check": {"data": INPUT, "truth": INPUT},
    "report": {"study_file": INPUT, "data": INPUT, "output": FILE},
    "compare": {"files": INPUT, "truth": INPUT},
    "bound": {"labels": INPUT, "few": INPUT, "predict": FILE},
    "label": {
        "data": INPUT, "labelings": INPUT, "constraints": INPUT, "take": INPUT, "output": GROWS,
        "storage": GROWS, "export": FILE, "predict": FILE,
    },
    "sample": {"data": INPUT, "output": FILE},
    "bench": {"folder": INPUT, "report": FILE},
    "measures": {},
}  # fmt: skip
#: options whose value is a text that is no path
TEXTS = {
    "id_column", "drop", "accept", "na_values", "one_row_per", "pivot", "encoding", "text_column",
    "label_column", "weight", "stemmer", "k", "clusterer", "grid", "budget", "dask", "by",
    "noise", "classes", "differences", "metric", "columns", "measure", "column", "reader",
    "key_variable", "price", "for_", "key", "unreadable",
}  # fmt: skip
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
HINTS = {name: typing.get_type_hints(command.callback) for name, command in COMMANDS.items()}


def takes_text(annotation: Any) -> bool:
    """Whether a value of this type may be any text or path."""
    inner = typing.get_args(annotation)
    if typing.get_origin(annotation) is typing.Literal:
        return False
    return annotation in (str, Path) or any(map(takes_text, inner))


def options_of(command: str) -> dict[str, Any]:
    """Options that take a text or a path, by name."""
    return {
        option.name: option
        for option in COMMANDS[command].params
        if takes_text(HINTS[command].get(option.name))
    }


def outputs_of(command: str) -> list[str]:
    return [name for name, role in ROLES[command].items() if role != INPUT]


def inputs_of(command: str) -> list[str]:
    return [name for name, role in ROLES[command].items() if role == INPUT]


def words(command: str, values: dict[str, object]) -> list[str]:
    """A command line: arguments, then options."""
    options = options_of(command)
    line = [command]
    for option in COMMANDS[command].params:
        if option.name not in values and not (option.required and option.name in options):
            continue
        value = str(values.get(option.name, f"{option.name}.csv"))
        line += [value] if option.param_type_name == "argument" else [option.opts[0], value]
    return [
        *line,
        *(["--force"] if any(o.name == "force" for o in COMMANDS[command].params) else []),
    ]


def tree() -> dict[str, str]:
    """Digest of each file below the current folder."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in Path().rglob("*")
        if path.is_file()
    }


def refused(command: str, values: dict[str, object]) -> str:
    """The error of a command line, without the work of building the command line anew."""
    with pytest.raises(InputError) as error:
        COMMANDS[command].main(words(command, values)[1:], standalone_mode=False)
    return str(error.value)


def clashes(*, addresses: bool) -> Iterator[tuple[str, str, str]]:
    """How an output touches an input, and the names of both."""
    yield "same", "in/a.csv", "in/a.csv"
    yield "dots", "in/a.csv", "./in/../in/./a.csv"
    yield "link", "in/a.csv", "link.csv"
    yield "through a linked folder", "in/a.csv", "linked/a.csv"
    yield "hard link", "in/a.csv", "hard.csv"
    yield "above", "in/a.csv", "in"
    yield "inside", "in", "in/new.csv"
    yield "inside, by a link", "linked", "in/new.csv"
    yield "hard link of a file inside", "in", "hard.csv"
    yield "file of a pattern", "in/*.csv", "in/a.csv"
    yield "new file of a pattern", "in/*.csv", "in/new.csv"
    yield "folder of a pattern", "in/*.csv", "in"
    if addresses:
        yield "address", "memory://b/rows", "memory://b/x/../rows"
        yield "inside an address", "memory://b/rows", "memory://b/rows/labels"
        yield "above an address", "memory://b/rows", "memory://b/"
        yield "address of a file", "in/a.csv", f"file://{os.path.abspath('in')}/labels/../a.csv"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an input, and links to it."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/a.csv").write_text("x,y\n1,2\n3,4\n5,6\n")
    Path("in/b.csv").write_text("x,y\n7,8\n")
    Path("link.csv").symlink_to("in/a.csv")
    Path("linked").symlink_to("in")
    os.link("in/a.csv", "hard.csv")
    return tmp_path


def test_each_option_that_takes_a_path_is_in_the_table() -> None:
    assert set(ROLES) == set(COMMANDS)
    for command, roles in ROLES.items():
        options = set(options_of(command))
        assert set(roles) <= options, command
        assert options - set(roles) <= TEXTS, (command, options - set(roles) - TEXTS)


@pytest.mark.posix
@pytest.mark.parametrize("command", [name for name in ROLES if outputs_of(name)])
def test_an_output_never_touches_an_input(command: str, files: Path) -> None:
    before = tree()
    for output in outputs_of(command):
        for source in inputs_of(command):
            addresses = ROLES[command][output] == FOLDER and source == "data"
            for how, named, written in clashes(addresses=addresses):
                said = refused(command, {source: named, output: written})
                case = f"{output} on {source}, {how}: {said}"
                assert "an input is never replaced" in said, case
                assert tree() == before, case


@pytest.mark.parametrize("command", [name for name in ROLES if len(outputs_of(name)) > 1])
def test_two_outputs_never_share_a_place(command: str, files: Path) -> None:
    outputs = outputs_of(command)
    before = tree()
    for number, first in enumerate(outputs):
        for second in outputs[number + 1 :]:
            for name in ("new.csv", "./x/../new.csv", "NEW.csv"):
                said = refused(command, {first: "new.csv", second: name})
                assert "a place of its own" in said, (first, second, said)
                assert tree() == before


# -- what may be replaced --------------------------------------------------------------------------


def sample(*more: str) -> Any:
    """Draw two rows into ``drawn.csv``."""
    return sortal_command("sample", "in/a.csv", "-n", 2, "-o", "drawn.csv", *more)


def test_an_unchanged_output_is_replaced_on_request(files: Path) -> None:
    assert sample().returncode == 0
    assert "exists already" in sample().stderr
    assert sample("--force", "--seed", "1").returncode == 0
    assert sorted(map(str, Path().iterdir())) == [
        "drawn.csv",
        "hard.csv",
        "in",
        "link.csv",
        "linked",
    ]


@pytest.mark.parametrize("whose", ["edited", "another program's", "another account's"])
def test_any_other_file_stays(whose: str, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = Path("drawn.csv")
    if whose == "another program's":
        target.write_text("by hand")
    else:
        assert sample().returncode == 0
    if whose == "edited":
        target.write_text(target.read_text().replace(",,", ",good,"))
    elif whose == "another account's":
        monkeypatch.setenv("XDG_STATE_HOME", str(files / "second"))
    before = tree()
    done = sample("--force")
    assert done.returncode == 2
    assert "Choose another name, or delete the file yourself" in done.stderr
    assert tree() == before


def test_without_a_record_the_file_is_the_users(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("state").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(files / "state"))
    assert sample().returncode == 0
    assert sample("--force").returncode == 2


def test_a_file_that_comes_meanwhile_stays(files: Path) -> None:
    def write() -> None:
        with draft("new.html") as file:
            file.write(b"ours")
            Path("new.html").write_text("theirs")

    with pytest.raises(InputError, match="exists already"):
        write()
    assert Path("new.html").read_text() == "theirs"
    assert not list(Path().glob(".new*"))


# -- folders ---------------------------------------------------------------------------------------


def write_labels(folder: LabelFolder, *parts: str, value: int = 0) -> None:
    """Write a table of a row for each part."""
    with folder.opened(f"{part}.parquet" for part in parts) as written:
        for part in parts:
            file = folder.write(part, iter([pa.table({"row": [value], "name": ["a"]})]))
            written[file.name] = file


def values_in(place: str) -> dict[str, int]:
    """The value in each file of labels."""
    filesystem, path = filesystem_of(place)
    return {
        os.path.relpath(info.path, path): pq.read_table(
            info.path, filesystem=filesystem
        )["row"][0].as_py()
        for info in filesystem.get_file_info(fs.FileSelector(path, recursive=True))
        if info.path.endswith(".parquet")
    }  # fmt: skip


@pytest.fixture(params=["disk", "address"])
def place(request: pytest.FixtureRequest, files: Path) -> Iterator[str]:
    """A path or address for a folder of labels."""
    if request.param == "disk":
        yield str(files / "labels")
        return
    memory = pytest.importorskip("fsspec").filesystem("memory")
    yield f"memory://{files.name}/labels"
    memory.rm(f"/{files.name}", recursive=True)


def put(place: str, name: str, content: bytes) -> None:
    """Write a file into a folder, as another program does."""
    filesystem, path = filesystem_of(place)
    filesystem.create_dir(path, recursive=True)
    with filesystem.open_output_stream(f"{path}/{name}") as stream:
        stream.write(content)


def test_only_earlier_labels_are_replaced(place: str) -> None:
    write_labels(LabelFolder(place), "a", "day=1/b", "c")
    put(place, "mine.txt", b"mine")
    with pytest.raises(InputError, match="exists already"):
        write_labels(LabelFolder(place), "a", value=1)
    write_labels(LabelFolder(place, overwrite=True), "a", "d", value=1)
    assert values_in(place) == {"a.parquet": 1, "d.parquet": 1}
    write_labels(LabelFolder(place, append=True), "e", value=2)
    assert values_in(place) == {"a.parquet": 1, "d.parquet": 1, "e.parquet": 2}
    filesystem, path = filesystem_of(place)
    assert filesystem.open_input_stream(f"{path}/mine.txt").read() == b"mine"
    assert LabelFolder(place).parts() == {"a", "d", "e"}
    is_there = filesystem.get_file_info(f"{path}/_SUCCESS").is_file
    assert is_there == ("://" in place)


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_folders_of_others_are_refused(place: str, mode: str) -> None:
    put(place, "mine.parquet", b"mine")
    with pytest.raises(InputError, match="no earlier output"):
        write_labels(LabelFolder(place, **{mode: True}), "a")
    filesystem, path = filesystem_of(place)
    assert filesystem.open_input_stream(f"{path}/mine.parquet").read() == b"mine"


def test_labels_that_changed_are_not_replaced(place: str) -> None:
    write_labels(LabelFolder(place), "a", "b")
    put(place, "b.parquet", b"edited")
    put(place, "c.parquet", b"mine")
    for mode in ("overwrite", "append"):
        with pytest.raises(InputError, match=r"'b.parquet' .* changed"):
            write_labels(LabelFolder(place, **{mode: True}), "c", value=1)
    filesystem, path = filesystem_of(place)
    filesystem.delete_file(f"{path}/b.parquet")
    with pytest.raises(InputError, match=r"'c.parquet' .* would be replaced"):
        write_labels(LabelFolder(place, overwrite=True), "a", "c", value=1)
    assert filesystem.open_input_stream(f"{path}/c.parquet").read() == b"mine"


def test_a_changed_manifest_is_refused(place: str) -> None:
    write_labels(LabelFolder(place), "a")
    filesystem, path = filesystem_of(place)
    text = filesystem.open_input_stream(f"{path}/{MANIFEST}").read()
    put(place, MANIFEST, text.replace(b"a.parquet", b"b.parquet"))
    with pytest.raises(InputError, match="is damaged or was changed"):
        write_labels(LabelFolder(place, overwrite=True), "a")


@pytest.mark.parametrize("stop", [ZeroDivisionError, KeyboardInterrupt])
def test_a_failure_leaves_the_earlier_labels(place: str, stop: type[BaseException]) -> None:
    write_labels(LabelFolder(place), "a", "b")
    folder = LabelFolder(place, overwrite=True)

    def write() -> None:
        """Fail in the second part, or end with the first alone."""
        with folder.opened(["a.parquet", "b.parquet"]) as written:
            file = folder.write("a", iter([pa.table({"row": [1], "name": ["a"]})]))
            written[file.name] = file
            if stop is ZeroDivisionError:
                raise stop

    with pytest.raises(stop):
        write()
    assert values_in(place) == {"a.parquet": 0, "b.parquet": 0}
    assert not folder.is_written


@pytest.mark.posix
@pytest.mark.parametrize("step", range(3))
def test_a_kill_during_the_moves_can_be_repeated(
    place: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_labels(LabelFolder(place), "a", "b", "c")
    moves = iter(range(9))

    def opened(target: str) -> Any:
        """A file system on which a step of the moves ends the process."""
        filesystem, path = filesystem_of(target)

        class Killed:
            def __getattr__(self, name: str) -> Any:
                return getattr(filesystem, name)

            def move(self, source: str, target: str) -> None:
                is_staged = any(mark in source for mark in (".part/", "_unfinished-"))
                is_placed = not any(mark in target for mark in (".part/", "_unfinished-"))
                if is_staged and is_placed and next(moves) == step:
                    raise SystemExit
                filesystem.move(source, target)

        return Killed(), path

    with monkeypatch.context() as patched:
        patched.setattr("sortal.runtime.output.folders.filesystem_of", opened)
        with pytest.raises(SystemExit):
            write_labels(LabelFolder(place, overwrite=True), "a", "b", "d", value=1)
    write_labels(LabelFolder(place, overwrite=True), "a", "b", "d", value=2)
    assert values_in(place) == {"a.parquet": 2, "b.parquet": 2, "d.parquet": 2}


def test_folders_that_were_written_are_no_data(files: Path) -> None:
    Path("texts").mkdir()
    for name, text in zip("abcd", ("tea rain", "rain sun", "tea leaf", "leaf sun"), strict=True):
        Path("texts", f"{name}.txt").write_text(text)
    write_labels(LabelFolder("in/labels"), "a")
    write_labels(LabelFolder("texts/labels"), "a")
    dataset = read("in")
    assert dataset.n_objects == 4
    assert any("'labels' is not read" in note for note in dataset.notes)
    texts = read("texts")
    assert texts.n_objects == 4
    assert any("'labels' is not read" in note for note in texts.notes)


@pytest.mark.posix
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_late_stop_says_that_the_labels_are_there(
    name: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.read_csv("in/a.csv").astype(float)
    sortal.Model.of(frame, np.array([0, 0, 1])).save("m.sortal-model")
    monkeypatch.setattr(all_rows, "_facts", lambda *_: signal.raise_signal(getattr(signal, name)))
    done = sortal_command("assign", "in", "--model", "m.sortal-model", "-o", "labels")
    assert done.returncode == 130, done
    assert "all labels are in labels" in done.stderr
    assert LabelFolder("labels").parts() == {"a", "b"}
