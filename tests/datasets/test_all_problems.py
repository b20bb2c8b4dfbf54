"""A file with a fault: a message that names it, and a command that works."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sortal
import sortal.datasets
from sortal import InputError, cli

# what is rejected unless an option says what to do, and nothing assumed
read = partial(sortal.datasets.read, strict=True)
from_table = partial(sortal.datasets.from_table, strict=True)
FAST = ["-c", "kmeans", "-k", "2", "--n-init", "1", "--workers", "1", "--quiet",
        "--no-stability"]  # fmt: skip
N = 30


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["sortal", *map(str, arguments)])
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
    repeated_ids: "'id': ids must differ, but 105 occurs 2 times",
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


@pytest.mark.quick(4)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_command_at_the_end_works(
    fault: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad file.csv"
    path.write_text(table([fault]))
    arguments = ["run", path, "--id-column", "id", "--label-column", "class", "--strict", *FAST]
    assert run(monkeypatch, *arguments) == 2
    message, _, command = capsys.readouterr().err.rstrip().rpartition("\nTry: ")
    assert FAULTS[fault] in message
    words = shlex.split(command)
    assert words[0] == "sortal"
    assert "--quiet" in words
    assert run(monkeypatch, *words[1:]) == 0, command


def test_lines_with_other_numbers_of_cells_are_dropped_by_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('n,x,y\na,1,2\nb,2\n\nc,"3\n",4\nd,5,6,7\ne,8,\nf,9,1\n')
    data = read(path, id_column="n", impute="drop", y=["u", "v", "u", "w", "w", "v"])
    assert data.ids.tolist() == ["a", "c", "f"]
    assert data.rows is not None
    assert data.rows.tolist() == [0, 2, 5]
    assert data.y is not None
    assert data.y.tolist() == ["u", "u", "v"]
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [9, 1]])
    assert any("2 of 6 objects" in note and "rows 2, 4" in note for note in data.notes)
    with pytest.raises(InputError, match=r"(?s)line 3: .*--impute drop"):
        read(path, id_column="n")


def test_a_row_number_that_a_short_line_lacks_is_none(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(",x,y\n0,1,2\n1,2\n2,3,4\n3,4,4\n")
    assert read(path, impute="drop").feature_names == ("x", "y")


def test_two_columns_of_one_name_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,a,a\n1,2,3,4\n4,5,6,7\n")
    data = read(path)
    assert data.feature_names == ("a", "b", "a (3)", "a (4)")
    assert any("Columns 1 and 3 are both called 'a'" in note for note in data.notes)
    path.write_text("u,u\nu,v\nv,v\nw,u\n")
    data = read(path)
    assert data.n_objects == 4
    assert any("--header" in note for note in data.notes)


def test_all_columns_of_a_table_are_told() -> None:
    columns = {"u": ["1", "x", "2"], "v": ["3", "4", "y"], "w": [1, 2, 3]}
    with pytest.raises(InputError, match=r"(?s)'u'.*'x'.*'v'.*'y'"):
        from_table(columns)
