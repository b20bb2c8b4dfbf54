"""Damaged or odd files and odd options of every command: an answer or a reasoned error.

What fails is kept in ``corpus``, a file for each case, and replayed by the quick tests from then
on. ``SORTAL_FUZZ_SEED`` draws other cases, ``SORTAL_FUZZ`` so many.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
import pytest
from scipy import io as scipy_io
from scipy import sparse
from scipy.spatial.distance import cdist
from typer.main import get_command
from typer.models import OptionInfo
from typer.testing import CliRunner

from sortal import InputError
from sortal.cli import app

CORPUS = Path(__file__).with_name("corpus")
SEED = int(os.environ.get("SORTAL_FUZZ_SEED", "0"))
OBJECTS = 24
PARTS = 10
CASES = int(os.environ.get("SORTAL_FUZZ", "600")) // PARTS
FIT = "-c average -k 2 --n-init 1 --workers 1"
#: commands; what stands in braces is a file of this kind
COMMANDS = [
    f"run {{data}} {FIT}",
    f"run {{data}} {FIT} --json",
    f"run {{table}} {FIT} --truth {{labels}}",
    f"run {{mtx}} {FIT} --terms {{terms}}",
    f"run {{table}} {FIT} --labelings {{labelings}}",
    "run {table} --labelings {labelings} --only-labelings",
    f"run {{table}} {FIT} --distances {{distances}}",
    "run {table} -c spectral -k 2 --n-init 1 --workers 1 --graph {graph}",
    "run {graph} -c spectral -k 2 --n-init 1 --workers 1 --as graph",
    f"run {{distances}} {FIT} --as distances",
    f"run {{texts}} {FIT} --text-column text --min-df 1",
    f"run {{table}} {FIT} --storage {{study}}",
    f"run {{table}} {FIT} --against {{model}}",
    "assign {table} --model {model} --output a.csv",
    "watch {model} {table}",
    "measures silhouette",
    "sample {data} -n 2",
    "check {data}",
    "check {table} --truth {labels}",
    f"run {{table}} {FIT} --constraints {{constraints}}",
    "bound {labelings} {few}",
    "compare {labelings} {labelings}",
    "compare {labelings} --truth {labels}",
    "label {table} --labelings {labelings} --output {session}",
    "label {table} -k 2 -c average --storage {study} --output {session}",
    "label {table} --labelings {labelings} --output {session} --import {answers}",
    "label {table} -k 2 -c average --constraints {constraints} --output {session}",
    "clarity {table} --labels {labels} --by builtins:str -n 2 --output a.jsonl",
    "clarity {table} --study {study} --by builtins:str -n 2 --person {session} --output a.jsonl",
    "bench results",
    "report {study} --data {table} --output r.html",
]
#: what the folders of bench have: the file, and its kind
FOLDERS = {
    f"{folder}/{name}": kind
    for folder, found in {
        "results/one": {"labels.csv": "labels", "a.csv": "labels", "b.csv": "labels"},
        "results/two": {"labels.csv": "labels", "a.csv": "labels", "b.csv": "labels"},
    }.items()
    for name, kind in found.items()
}
#: values of options, by a part of their type
ODD = {
    "int": ["0", "-1", "1", "3", "1.5", "x", ""],
    "float": ["0", "-1", "0.1", "1", "1e999", "nan", "x", ""],
    "Path": ["missing.csv", ".", "", "new.html", "new.csv", "no/such/a.csv"],
    "str": ["", "x", "é ü", "a,b", "a=b", "p", "-1", "0", "2-4", "2,3", "nan", "*", "'", "cosine",
            "standard", "table", "u", "label", "builtins:str"],
}  # fmt: skip
#: options that open a page, ask a language model or wait for other machines
WAITING = {"page", "suggest", "teach", "reader", "dask", "timeout", "key_variable"}
#: options that take files which are written alone, or no file
WRITTEN = {"report", "labels", "output", "picture", "predict", "export", "save_model"}


def tables(rng: np.random.Generator) -> list[tuple[str, bytes]]:
    """Good data files of every format, by name."""
    n = OBJECTS
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(3),
            "b": rng.integers(0, 5, n),
            "c": rng.choice(["x", "y, z", 'q"q', "NA", ""], n),
            "label": rng.choice(["u", "v", ""], n),
        }
    )
    numbers = frame[["a", "b"]]
    X = numbers.to_numpy()
    plain, ints = numbers.to_csv(index=False), frame[["b"]].to_csv(index=False)
    arrays = [io.BytesIO() for _ in range(5)]
    np.save(arrays[0], X)
    np.save(arrays[1], frame["b"].to_numpy())
    np.savez(arrays[2], X=X, labels=frame["b"].to_numpy())
    frame.to_parquet(arrays[3])
    scipy_io.mmwrite(arrays[4], sparse.coo_array(X))
    arrays.append(io.BytesIO())
    sparse.save_npz(arrays[5], sparse.csr_array(X))
    npy, column, npz, parquet, mtx, csr = (array.getvalue() for array in arrays)
    text = frame.to_csv(index=False)
    return [
        ("x.csv", text.encode()),
        ("x.csv", plain.encode()),
        ("x.csv", frame.to_csv().encode()),
        ("x.tsv", frame.to_csv(index=False, sep="\t").encode("utf-16")),
        ("x.csv", plain.replace("\n", "\r").encode()),
        ("x.csv", plain.replace(",", ";").replace(".", ",").encode()),
        ("x.txt", ints.encode()),
        ("x.txt", plain.replace(",", "  ").encode("latin-1")),
        ("x.csv", (text + "1,2," + "long" * 40_000 + ",u\n").encode()),
        ("x.csv", ("a,a\n" + plain).encode()),
        ("x.csv", b"row,label\n" + b"".join(b"%d,u\n" % i for i in range(n))),
        ("x.csv.gz", gzip.compress(plain.encode())),
        ("x.csv.bz2", bz2.compress(plain.encode())),
        ("x.csv.xz", lzma.compress(plain.encode())),
        ("x.npy", npy),
        ("x.npy", column),
        ("x.npz", npz),
        ("x.npz", csr),
        ("x.parquet", parquet),
        ("x.mtx", mtx),
        ("x.jsonl", b'{"text": "a b"}\n{"text": "b c"}\n'),
        ("x.svm", b"1 1:2 3:4\n-1 2:1\n"),
    ]


def saved(function: Any, *arguments: Any, **options: Any) -> bytes:
    """What a function writes to a file."""
    file = io.BytesIO()
    function(file, *arguments, **options)
    return file.getvalue()


@lru_cache
def studied() -> list[bytes]:
    """A study of the table of ``goods``, the model of its answer, and a session of labelling."""
    with TemporaryDirectory() as folder:
        (path := Path(folder) / "x.csv").write_bytes(goods(0)["table"][0][1])
        study, model, session = (path.with_suffix(f".{end}") for end in ("sortal", "m", "jsonl"))
        for words in (
            f"run {path} {FIT} --storage {study} --save-model {model}",
            f"label {path} -k 2 -c average --storage {study} --output {session} --by a",
        ):
            assert CliRunner().invoke(app, words.split(), input="u\nv\n:q\n").exit_code == 0
        return [made.read_bytes() for made in (study, model, session)]


@lru_cache
def goods(seed: int) -> dict[str, list[tuple[str, bytes]]]:
    """Good files of every kind, of the same objects, each with a name."""
    # the table is that of the study whatever the seed
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], OBJECTS // 3, axis=0)
    X = (X + rng.normal(size=X.shape)).round(3)
    rng = np.random.default_rng(seed)
    y = np.repeat(["u", "v", "w"], OBJECTS // 3)
    frame = pd.DataFrame({"a": np.arange(OBJECTS) // 8, "b": rng.integers(0, 3, OBJECTS)})
    D, parquet = cdist(X, X), io.BytesIO()
    frame.to_parquet(parquet)
    drawn = pd.DataFrame({"row": [2, 9, 17, 20], "label": ["u", "v", "w", "w"]})
    some = pd.DataFrame({"label": np.where(np.arange(OBJECTS) % 5 == 0, y, "")})
    counts = sparse.coo_array(rng.poisson(1.0, size=(OBJECTS, 5)))
    texts = "".join(
        json.dumps(
            {
                "text": " ".join(
                    rng.choice(["tea", "sail", "rook", "mast", "pawn", "leaf", "king"], 3)
                )
            }
        )
        + "\n"
        for _ in range(OBJECTS)
    )
    lines = "\n".join(y)
    chosen = [{"type": "choices", "value": {"choices": ["u"]}}]
    task = {"data": {"row": 3}, "annotations": [{"completed_by": 1, "result": chosen}]}
    tasks = [task, {"row": 4, "label": "v", "annotator": "b"}]
    study, model, session = [b"", b"", b""] if seed == 0 else studied()
    return {
        "data": tables(rng),
        "table": [("t.csv", pd.DataFrame(X, columns=["p", "q"]).to_csv(index=False).encode())],
        "labels": [("y.csv", f"label\n{lines}\n".encode()), ("y.txt", lines.encode()),
                   ("y.npy", saved(np.save, y))],
        "labelings": [("l.csv", frame.to_csv(index=False).encode()),
                      ("l.npz", saved(np.savez, **{c: frame[c].to_numpy() for c in frame})),
                      ("l.parquet", parquet.getvalue())],
        "few": [("f.csv", drawn.to_csv(index=False).encode()),
                ("f.csv", some.to_csv(index=False).encode())],
        "distances": [("d.npy", saved(np.save, D))],
        "graph": [("g.npz", saved(sparse.save_npz, sparse.csr_array(D < 2) * 1.0)),
                  ("g.csv", b"source,target\n0,1\n1,2\n2,3\n")],
        "mtx": [("m.mtx", saved(scipy_io.mmwrite, counts))],
        "terms": [("terms.txt", b"tea\nsail\nrook\nmast\nking\n")],
        "texts": [("x.jsonl", texts.encode())],
        "study": [("s.sortal", study)],
        "model": [("s.sortal-model", model), ("s.sortal", study)],
        "answers": [("a.csv", drawn.to_csv(index=False).encode()),
                    ("a.json", json.dumps(tasks).encode()), ("a.jsonl", session)],
        "constraints": [("pairs.csv", b"one,other,kind\n0,1,must\n2,23,cannot\n")],
        "session": [("session.jsonl", session)],
    }  # fmt: skip


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """The content with a few bytes cut, repeated, changed or put in."""
    data = bytearray(content)
    for _ in range(int(rng.integers(0, 4))):
        if not data:
            break
        at = int(rng.integers(len(data)))
        kind = int(rng.integers(7))
        if kind == 0:
            del data[at:]
        elif kind == 1:
            data[at] ^= 1 << int(rng.integers(8))
        elif kind == 2:
            del data[at : at + int(rng.integers(1, 20))]
        elif kind == 3:
            data[at:at] = data[at : at + int(rng.integers(1, 50))]
        elif kind == 4:
            odd = [b"\x00", b'"', b"\r", b"\n\n", b",", b"-1", b"1e999", b"nan", b"\xff\xfe", b"'"]
            data[at:at] = odd[int(rng.integers(len(odd)))]
        elif kind == 5:
            data[at : at + 4] = rng.bytes(4)
        else:
            data[:0] = data[:at][-8:]
    return bytes(data)


Case = tuple[list[str], dict[str, bytes]]


def options_of(command: str) -> Iterator[tuple[str, str, Any, Any]]:
    """Options of a command: name of the parameter, option, its description and type."""
    group: Any = get_command(app)
    registered = next(
        each
        for each in app.registered_commands
        if each.callback is not None and (each.name or each.callback.__name__) == command
    )
    options = {str(param.name): param.opts[0] for param in group.commands[command].params}
    hints = get_type_hints(registered.callback, include_extras=True)
    for name, hint in hints.items():
        said = getattr(hint, "__metadata__", [None])[0]
        if isinstance(said, OptionInfo):
            yield name, options[name], said, hint.__origin__


def odd_options(command: str, files: dict[str, bytes], rng: np.random.Generator) -> Iterator[str]:
    """Up to three options of the command, with values that somebody may type."""
    options = [option for option in options_of(command) if option[0] not in WAITING]
    for _ in range(int(rng.integers(4)) if options else 0):
        _, option, _, kind = options[int(rng.integers(len(options)))]
        yield option
        if "bool" not in (name := str(kind)):
            values = [value for part, odd in ODD.items() if part in name for value in odd]
            values += re.findall(r"'(\S*?)'", name) if "Literal" in name else []
            values += list(files) if "Path" in name else []
            yield (values or ODD["str"])[int(rng.integers(len(values) or len(ODD["str"])))]


def draw(rng: np.random.Generator) -> Case:
    """A command with odd options and its files, one of them damaged or of another kind."""
    kinds = goods(1 + int(rng.integers(3)))
    words, files = [], {}
    for number, word in enumerate(COMMANDS[int(rng.integers(len(COMMANDS)))].split()):
        if word.startswith("{"):
            choices = kinds[word[1:-1]]
            name, content = choices[int(rng.integers(len(choices)))]
            word = f"{number}-{name}"
            files[word] = content
        words.append(word)
    if words[0] == "bench":
        files |= {name: kinds[kind][0][1] for name, kind in FOLDERS.items()}
    if rng.random() < 0.5:
        words += odd_options(words[0], files, rng)
    if not files:
        return words, files
    names = sorted(files)
    name = names[int(rng.integers(len(names)))]
    if rng.random() < 0.1:
        others = [content for kind in kinds.values() for _, content in kind]
        files[name] = others[int(rng.integers(len(others)))]
    files[name] = damaged(files[name], rng)
    return words, files


def wrong(case: Case) -> str | None:
    """What is wrong with what the command says in a folder with these files alone."""
    words, files = case
    with (
        TemporaryDirectory() as folder,
        warnings.catch_warnings(),
        pytest.MonkeyPatch.context() as m,
    ):
        m.chdir(folder)
        for name, content in files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(content)
        warnings.simplefilter("error", RuntimeWarning)
        error = CliRunner().invoke(app, words, input="u\nv\n:q\n").exception
    if error is None or isinstance(error, SystemExit):
        return None
    if not isinstance(error, InputError):
        return f"{error!r:.300}"
    return f"says only {error}" if len(str(error)) < 15 else None


def keep(case: Case) -> Path:
    """Put a case into the corpus."""
    words, files = case
    coded = {name: base64.b64encode(content).decode() for name, content in files.items()}
    text = json.dumps({"words": words, "files": coded}, indent=1) + "\n"
    CORPUS.mkdir(exist_ok=True)
    path = CORPUS / f"{words[0]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    path.write_text(text)
    return path


def kept(path: Path) -> Case:
    """A case of the corpus."""
    found = json.loads(path.read_text())
    return found["words"], {n: base64.b64decode(code) for n, code in found["files"].items()}


@pytest.mark.quick(7)
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.json")), ids=lambda path: path.stem)
def test_what_once_failed(path: Path) -> None:
    assert wrong(kept(path)) is None


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_commands_answer_or_say_why(part: int) -> None:
    rng = np.random.default_rng([SEED, part])
    failed = []
    for _ in range(CASES):
        case = draw(rng)
        told = wrong(case)
        if told is not None:
            failed.append(f"{keep(case)}: {' '.join(case[0])}: {told}")
    assert not failed, "\n".join(failed)


def file_options() -> Iterator[tuple[str, str]]:
    """Commands and those of their options that take a file to read."""
    for command in get_command(app).commands:  # type: ignore[attr-defined]
        for name, option, said, kind in options_of(command):
            if ("Path" in str(kind) or "FILE" in str(said.metavar)) and name not in WRITTEN:
                yield command, option


def test_every_option_that_reads_a_file_is_drawn() -> None:
    drawn = {(line.split()[0], word) for line in COMMANDS for word in line.split()}
    assert set(file_options()) <= drawn
