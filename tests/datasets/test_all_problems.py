"""A file with many faults: all of them in one message, and a command that works."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
import karat.datasets
from karat import cli
from karat.datasets.problems import as_flags
from karat.runtime.validation import InputError

# what is rejected unless an option says what to do, and nothing assumed
read = partial(karat.datasets.read, strict=True)
from_table = partial(karat.datasets.from_table, strict=True)
FAST = ["-c", "kmeans", "-k", "2", "--n-init", "1", "--workers", "1", "--quiet"]
N = 30


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["karat", *map(str, arguments)])
    try:
        cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def ragged(lines: list[list[str]]) -> None:
    lines[7] = lines[7][:-2]
    lines[11] += ["7", "7"]


def not_numbers(lines: list[list[str]]) -> None:
    lines[0].append("size, mm")
    for i, line in enumerate(lines[1:]):
        line.append("oops" if i == 4 else str(i))


def dates(lines: list[list[str]]) -> None:
    lines[0].append("when")
    for i, line in enumerate(lines[1:]):
        line.append(f"2020-01-{i % 28 + 1:02}")


def names(lines: list[list[str]]) -> None:
    lines[0].append("who")
    for i, line in enumerate(lines[1:]):
        line.append(f"p{i}")


def missing(lines: list[list[str]]) -> None:
    lines[3][1] = ""


def infinite(lines: list[list[str]]) -> None:
    lines[4][2] = "-inf"


def repeated_ids(lines: list[list[str]]) -> None:
    lines[5][0] = lines[6][0]


def huge(lines: list[list[str]]) -> None:
    lines[9][2] = "1e200"


def huger(lines: list[list[str]]) -> None:
    lines[9][2] = "1e301"


FAULTS: dict[Any, str] = {
    ragged: "2 lines do not have the",
    not_numbers: "'oops'",
    dates: "holds dates",
    names: "different values in",
    missing: "1 missing",
    infinite: "1 infinite",
    repeated_ids: "occurs 2 times in 'id'",
    huge: "1e+200",
    huger: "1e+301",
}


def table(faults: list[Any]) -> str:
    rng = np.random.default_rng(0)
    lines = [["id", "x", "y", "z", "class"]]
    for i in range(N):
        x, y = rng.normal(10 * (i % 2), 1, 2).round(3)
        lines.append([str(100 + i), str(x), str(y), str(i % 5), "ab"[i % 2]])
    for fault in sorted(faults, key=lambda fault: fault is ragged):
        fault(lines)
    # quoted where a cell has a comma
    return "".join(",".join(f'"{c}"' if "," in c else c for c in line) + "\n" for line in lines)


@pytest.mark.parametrize("seed", range(12))
def test_the_command_at_the_end_works(
    seed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rng = np.random.default_rng(seed)
    every = list(FAULTS)
    faults = every if seed == 0 else [f for f in every if rng.random() < 0.5] or every[:1]
    if huge in faults and huger in faults:
        faults.remove(huge)
    path = tmp_path / "bad file.csv"
    path.write_text(table(faults))
    given = ["run", path, "--id-column", "id", "--label-column", "class", "--strict", *FAST]
    assert run(monkeypatch, *given) == 2
    err = capsys.readouterr().err
    for fault in faults:
        assert FAULTS[fault] in err
    told, _, command = err.rstrip().rpartition("\nThis works: ")
    assert told
    words = shlex.split(command)
    assert words[0] == "karat"
    assert "--quiet" in words
    assert run(monkeypatch, *words[1:]) == 0, command
    capsys.readouterr()
    # and the call that Python is told
    with pytest.raises(InputError) as caught:
        read(path, id_column="id", label_column="class")
    call = str(caught.value).rpartition("This works: ")[2]
    assert eval(call, {"karat": karat}).n_objects >= N - 4


def test_lines_with_other_numbers_of_cells_are_dropped_by_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('n,x,y\na,1,2\nb,2\n\nc,"3\n",4\nd,5,6,7\ne,8,\nf,9,1\n')
    found = read(path, id_column="n", impute="drop", truth=["u", "v", "u", "w", "w", "v"])
    assert found.ids.tolist() == ["a", "c", "f"]
    assert found.rows is not None
    assert found.rows.tolist() == [0, 2, 5]
    assert found.truth is not None
    assert found.truth.tolist() == ["u", "u", "v"]
    np.testing.assert_array_equal(found.X, [[1, 2], [3, 4], [9, 1]])
    assert any("2 of 6 objects" in note and "rows 2, 4" in note for note in found.notes)
    # rows after a skipped line keep their numbers in messages
    with pytest.raises(InputError, match=r"(?s)line 3: .*'y': 1 missing \(row 5\)"):
        read(path, id_column="n")


def test_a_row_number_that_a_short_line_lacks_is_none(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(",x,y\n0,1,2\n1,2\n2,3,4\n3,4,4\n")
    assert read(path, impute="drop").feature_names == ("x", "y")


def test_two_columns_of_one_name_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,a,a\n1,2,3,4\n4,5,6,7\n")
    found = read(path)
    assert found.feature_names == ("a", "b", "a (3)", "a (4)")
    assert any("Columns 1 and 3 are both called 'a'" in note for note in found.notes)
    path.write_text("u,u\nu,v\nv,v\nw,u\n")
    found = read(path)
    assert found.n_objects == 4
    assert any("--header" in note for note in found.notes)


def test_what_options_do_not_settle_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,\n,2\n5\n")  # the short line needs drop, and drop leaves none
    with pytest.raises(InputError, match=r"(?s)1 cell.*leaves none.*Options alone do not"):
        read(path)


def test_all_columns_of_a_table_are_told() -> None:
    columns = {"u": ["1", "x", "2"], "v": ["3", "4", "y"], "w": [1, 2, 3]}
    with pytest.raises(InputError, match=r"(?s)'u'.*'x'.*'v'.*'y'"):
        from_table(columns)


def test_options_as_words_of_the_command_line() -> None:
    options = {
        "drop": ("a, b", "c"),
        "scale": "auto",
        "messages": False,
        "header": True,
        "vectorizer": {"weight": "tf", "stemmer": None, "stop_words": None},
    }
    assert as_flags(options) == [
        "--drop", '"a, b"', "--drop", "c", "--no-messages", "--header", "--weight", "tf",
        "--stemmer", "none",
    ]  # fmt: skip
