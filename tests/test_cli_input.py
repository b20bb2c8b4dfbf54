"""Bad files and options at the command line: one line, no traceback, exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from sortal import cli

FAST = ["-c", "kmeans", "-k", "2:3", "--n-init", "1", "--workers", "1",
        "--no-stability"]  # fmt: skip
GOOD = "name,x,y,colour,class\n" + "".join(
    f"p{i},{i % 5},{i * 3 % 7},{'red' if i % 2 else 'blue'},{'ab'[i % 2] if i % 3 else ''}\n"
    for i in range(12)
)


def sortal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["sortal", *map(str, arguments)])
    code = 0
    try:
        cli.main()
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


CASES: dict[str, tuple[str, list[str], tuple[str, ...]]] = {
    "empty": ("", [], ("is empty",)),
    "header only": ("x,y\n", [], ("no rows",)),
    "one row": ("x,y\n1,2\n", [], ("one object",)),
    "ragged": ("x,y\n1,2\n3\n", [], ("line 3", "1 cell")),
    "text among numbers": ("x,y\n1,2\n3,oops\n4,5\n", [], ("'y'", "row 2", "'oops'")),
    "missing": ("x,y\n1,2\n,4\n4,5\n", [], ("'x'", "row 2", "--impute median")),
    "infinite": ("x,y\n1,2\n-inf,4\n4,5\n", [], ("1 infinite", "--impute")),
    "label column unknown": (GOOD, ["--label-column", "clas"], ("did you mean 'class'",)),
    "labels all missing": (
        "x,c\n1,\n2,\n3,\n",
        ["--label-column", "c"],
        ("'c'", "class of no object"),
    ),
    "ids repeated": ("n,x\na,1\na,2\nb,3\n", ["--id-column", "n"], ("'a' occurs 2 times",)),
    "names as a feature": (GOOD, [], ("'name'", "12 different values", "--id-column 'name'")),
    "not utf-8": ("x,größe\n1,2\n3,4\n", ["--encoding", "ascii"], ("ASCII", "byte 4")),
}


@pytest.mark.parametrize("case", CASES)
def test_rejected(
    case: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text, options, parts = CASES[case]
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    code, out, err = sortal(monkeypatch, capsys, "run", path, "--strict", *options, *FAST)
    assert code == 2
    assert out == ""
    assert "sortal: " in err
    assert "Traceback" not in err
    for part in parts:
        assert part in err


def test_a_name_that_no_file_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("customers.csv").write_text(GOOD)
    code, _, err = sortal(monkeypatch, capsys, "run", "customer.csv", *FAST)
    assert code == 2
    assert "did you mean 'customers.csv'" in err
    code, _, err = sortal(monkeypatch, capsys, "run", "wime", *FAST)
    assert code == 2
    assert "did you mean 'wine'" in err


def test_a_file_larger_than_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("x,y\n" + "1,2\n" * 1000)
    monkeypatch.setattr("sortal.runtime.resources.available_memory", lambda: 10_000)
    code, _, err = sortal(monkeypatch, capsys, "run", path, *FAST)
    assert code == 2
    assert "needs about 32 kB of memory, and 10 kB are free" in err


@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("x\n" + "1\n2\n4\n9\n7\n", "2:3"),
        ("x,y\n" + "1,1\n1,2\n1,4\n1,9\n1,7\n", "2:3"),
        ("x,y\n" + "1,1\n" * 5, "2:3"),
        ("x,y\n1,1\n2,2\n9,9\n", "2:7"),
        ("x,y\n1,1\n2,2\n9,9\n5,4\n", "1:2"),
    ],
    ids=["one column", "constant column", "all duplicates", "k ≥ n", "k = 1"],
)
def test_odd_data_end_in_words(
    text: str,
    k: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    options = ["-c", "kmeans", "-k", k, "--n-init", "1", "--workers", "1",
        "--no-stability"]  # fmt: skip
    code, out, err = sortal(monkeypatch, capsys, "run", path, *options)
    assert code in (0, 1, 2)
    assert (out if code == 0 else err).strip()
    assert "Traceback" not in out + err
