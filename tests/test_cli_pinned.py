"""What each command prints for small files, whole, so that none changes unseen.

``PYTHONPATH=tests python tests/test_cli_pinned.py`` writes ``test_cli_pinned.json`` anew. Runs have
too few rows for the learned judge.
"""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from command_line import karat_command
from karat.cli import _label_files, _numbers, _output
from pinning import Pins

FILES = {
    "own.csv": "three,two\n" + "\n".join(f"{i % 3},{i % 3 > 0:d}" for i in range(12)),
    "named.csv": "id,group\n" + "\n".join(f"r{i},{'abc'[i % 3]}" for i in range(12)),
    "other.csv": "id,cut\n" + "\n".join(f"r{11 - i},{i // 6}" for i in range(12)),
    "short.csv": "0\n1\n1\n", "a.labels": "0\n0\n1\n1\n-1\n2", "b.labels": "0\n0\n1\n2\n2\n2",
    "few.csv": "row,label\n" + "\n".join(f"{i},kind {i % 3}" for i in range(0, 12, 2)),
    "empty.csv": "", "texts.jsonl": "\n".join(json.dumps({"text": t}) for t in ("ship sea", "sea sail", "bread oven", "oven flour")),
    "pairs.csv": "0,3,must\n0,1,cannot\n",
}  # fmt: skip


def said(line: str) -> list[Any]:
    """Exit code and output of a command in a folder of small files, and the files it writes."""
    with (
        tempfile.TemporaryDirectory() as place,
        mock.patch.dict("os.environ", {"COLUMNS": "100", "XDG_STATE_HOME": place + "/state"}),
    ):
        folder = Path(place, "here")
        folder.mkdir()
        for name, text in FILES.items():
            (folder / name).write_text(text + "\n", "utf-8")
        X = (
            np.random.default_rng(0).normal(size=(12, 3)).round(2)
            + 7.0 * np.eye(3)[np.arange(12) % 3]
        )
        pd.DataFrame(X, columns=["age", "size", "len"]).assign(
            id=[f"r{i}" for i in range(12)]
        ).to_csv(folder / "x.csv", index=False)
        told: list[Any] = []
        for words in line.split(" && "):
            done = karat_command(*shlex.split(words), cwd=folder)
            told += [done.returncode, still(done.stdout, place), still(done.stderr, place)]
        new = sorted(path.name for path in folder.iterdir() if path.name not in (*FILES, "x.csv"))
        told.append(
            {
                name: still((folder / name).read_text("utf-8"), place)
                if name.endswith((".csv", ".txt"))
                else None
                for name in new
            }
        )
        return told


def still(text: str, place: str) -> str:
    """A text without the clock, the folder and the version."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text.replace(place, "PLACE"))
    if "Usage:" in text:  # by the name of the program, in a box as wide as the terminal
        text = re.sub(r"[\s╭╮╰╯│─]+", " ", text.partition("Error")[2])
    text = re.sub(r'"(seconds|digest|partition|version)": [^,}]*', r'"\1": 0', text)
    return re.sub(r"\b(in )?\d+ s\b|\d+\.\d+\.\d+[\w.]*|#[0-9a-f]{8}", "TIME", text)


@cache
def names() -> dict[str, Any]:
    return {
        "said": said,
        "numbers": _numbers,
        "output": _output,
        "files": _label_files,
        "np": np,
        "pd": pd,
    }


test_the_answer_is_the_pinned_one = Pins(__file__, names, "cli").test()
