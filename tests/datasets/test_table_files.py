"""Spreadsheets, databases, addresses, whole objects; and files and outputs that are hostile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sortal.datasets
from sortal import InputError
from sortal.datasets import from_table, read


def findings_by_key(data: Any) -> dict[str, Any]:
    return {finding.key: finding for finding in data.findings}


def groups(n: int = 150, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, 3)) + 9 * np.eye(3)[y]
    return pd.DataFrame(X.round(3), columns=["height", "width", "depth"]), y


def test_databases(tmp_path):
    import sqlite3

    table, _ = groups(30)
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        table.to_sql("people", connection, index=False)
        table.head(5).to_sql("few", connection, index=False)
    data = read(f"{tmp_path}/shop.db#people")
    np.testing.assert_array_equal(data.X, table.to_numpy())
    assert read(data.source, **data.options).fingerprint == data.fingerprint
    with pytest.raises(InputError, match="'few', 'people': name one"):
        read(tmp_path / "shop.db")
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    np.testing.assert_array_equal(read(tmp_path / "shop.duckdb").X, table.to_numpy())
    command = [sys.executable, "-m", "sortal", "check", str(tmp_path / "shop.duckdb")]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    assert made.stderr == ""  # DuckDB does not tell of what Python leaves to the system
    for name in ("no.db", "no.duckdb", "no.xlsx"):
        (tmp_path / name).write_text("nothing of the kind")
        with pytest.raises(InputError):
            read(tmp_path / name)


def test_a_file_at_an_address(tmp_path):
    import functools
    import http.server
    import threading

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    groups(30)[0].to_csv(tmp_path / "web.csv", index=False)
    handler = functools.partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        data = read(f"{address}/web.csv")
        assert data.source == f"{address}/web.csv"
        assert data.notes[0].startswith("Downloaded")
        assert len(sortal.datasets.read_cells(f"{address}/web.csv")[0]) == 30
        with pytest.raises(InputError, match="cannot be downloaded"):
            read(f"{address}/nothing.csv")
        server.shutdown()


def write_xlsx(path: Path, sheets: dict[str, list[list[Any]]]) -> None:
    """The least that a spreadsheet needs."""
    import zipfile
    from xml.sax.saxutils import escape

    head = '<?xml version="1.0" encoding="UTF-8"?>'
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    numbered = list(enumerate(sheets.items(), 1))
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("[Content_Types].xml", f'{head}<Types xmlns="{package}/content-types"/>')
        file.writestr("_rels/.rels", f'{head}<Relationships xmlns="{package}/relationships">'
            f'<Relationship Id="r0" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
            "</Relationships>")  # fmt: skip
        named = "".join(
            f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, (name, _) in numbered
        )
        file.writestr(
            "xl/workbook.xml",
            f'{head}<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{named}</sheets>'
            "</workbook>",
        )
        targets = "".join(
            f'<Relationship Id="r{i}" Type="{office}/worksheet" Target="worksheets/sheet{i}.xml"/>'
            for i, _ in numbered
        )
        file.writestr("xl/_rels/workbook.xml.rels",
            f'{head}<Relationships xmlns="{package}/relationships">{targets}</Relationships>',
        )  # fmt: skip
        for i, (_, rows) in numbered:
            cells = "".join(
                "<row>" + "".join(
                    f"<c><v>{value}</v></c>" if isinstance(value, (int, float)) else
                    f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>' for value in row
                ) + "</row>" for row in rows
            )  # fmt: skip
            file.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'{head}<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
            )


def test_a_workbook(tmp_path):
    pytest.importorskip("python_calamine")
    table, _ = groups(30)
    rows = [list(table.columns), *table.to_numpy().tolist()]
    rows[4][1] = "n/a"
    path = tmp_path / "x.xlsx"
    write_xlsx(path, {"empty": [], "people": rows, "more": [["p", "q"], [1, 2], [3, 5], [8, 8]]})
    data = read(path)
    assert data.feature_names == tuple(table.columns)
    np.testing.assert_allclose(np.delete(data.X, 3, axis=0), np.delete(table.to_numpy(), 3, axis=0))
    assert findings_by_key(data)["missing"].facts["count"] == 1
    assert any("'people'" in note for note in data.notes)
    assert read(f"{path}#more").X.tolist() == [[1, 2], [3, 5], [8, 8]]
    with pytest.raises(InputError, match="no sheet 'other'"):
        read(f"{path}#other")
    assert read(f"{path}#more").source == f"{path}#more"
    path.write_text("nothing of the kind")
    with pytest.raises(InputError, match="as a spreadsheet"):
        read(path)


def test_the_output_is_written_or_said(tmp_path):
    path = tmp_path / "x.csv"
    groups(30)[0].to_csv(path, index=False)
    command = [sys.executable, "-m", "sortal", "check", str(path)]
    with Path("/dev/full").open("w") as full:
        made = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (made.returncode, "Traceback" in made.stderr) == (2, False)
    assert "cannot be used" in made.stderr


@pytest.mark.long
def test_a_closed_output_is_told(tmp_path):
    path = tmp_path / "x.csv"
    groups(30)[0].to_csv(path, index=False)
    closed = f"{sys.executable} -m sortal check {path} >&-"
    made = subprocess.run(closed, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert made.returncode == 2
    assert "closed" in made.stderr


def test_hostile_files(tmp_path):
    import os

    fifo = tmp_path / "pipe.csv"
    os.mkfifo(fifo)
    np.save(tmp_path / "x.npy", np.eye(5) + np.arange(5))
    for act in (
        lambda: read(fifo),
        lambda: read(tmp_path / "x.npy", y=fifo),
        lambda: read(fifo, text_column="t"),
        lambda: sortal.datasets.read_cells(fifo, text_column="t"),
        lambda: sortal.datasets.read_lines(fifo),
        lambda: sortal.datasets.with_relation(read(tmp_path / "x.npy"), fifo, "precomputed"),
        lambda: sortal.datasets.with_relation(read(tmp_path / "x.npy"), fifo, "graph"),
    ):
        with pytest.raises(InputError, match="pipe or a device"):
            act()
    with pytest.raises(InputError, match="too long"):
        read("a" * 300 + ".csv")
    (tmp_path / "deep.jsonl").write_text('{"text": ' + "[" * 100_000 + "]" * 100_000 + "}\n")
    with pytest.raises(InputError, match=r"nested|JSON"):
        read(tmp_path / "deep.jsonl")
    folder = tmp_path / "texts"
    folder.mkdir()
    for i in range(6):
        (folder / f"{i}.txt").write_text("tea and bread " * 3 + "rain" * (i % 2))
    (folder / "link.txt").symlink_to("/etc/passwd")
    documents = read(folder, vectorizer={"min_df": 1, "max_df": 1.0})
    assert documents.n_objects == 6
    assert any("'link.txt'" in note for note in documents.notes)
    loud = from_table({"x": [1.0, 2, 3], "c": ["\x1b[31mred", "a", "a"]}, label_column="c")
    assert "\x1b" not in "".join(map(str, loud.y))


def test_names_do_not_colour_a_terminal(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 2)), columns=["\x1b[31mred", "b\x1b[2J"])
    table["kind"] = [f"\x1b[32m{'xy'[i % 2]}" for i in range(40)]
    table.to_csv(tmp_path / "x.csv", index=False)
    data = read(tmp_path / "x.csv")
    assert "\x1b" not in "".join([*data.feature_names, str(data), *map(str, data.findings)])
    # a name is given as it is shown
    assert len(read(tmp_path / "x.csv", drop=data.feature_names[0]).feature_names) == 3
    labels = pd.DataFrame({"\x1b[31mk": [0, 1] * 20})
    labels.to_csv(tmp_path / "k.csv", index=False)
    assert list(sortal.datasets.read_labelings(tmp_path / "k.csv")) == ["\ufffd[31mk"]


LIMITED = """
import resource, sys
import sortal.cli, sortal.datasets, pyarrow.csv, pandas
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 30_000_000,) * 2)
sys.argv = ["sortal", "check", sys.argv[1]]
sortal.cli.main()
"""


@pytest.mark.posix
@pytest.mark.parametrize("ending", [pytest.param("csv", marks=pytest.mark.long), "npy"])
def test_a_memory_limit_is_told_in_a_sentence(tmp_path, ending):
    if not Path("/proc/self/statm").exists():
        pytest.skip("only Linux tells how much is used")
    path = tmp_path / f"x.{ending}"
    if ending == "npy":
        np.save(path, np.tile(np.arange(20.0), (200_000, 1)))
    else:
        rows = (",".join(["1.25"] * 20) + "\n" + ",".join(["2.5"] * 20) + "\n") * 100_000
        path.write_text(",".join("abcdefghijklmnopqrst") + "\n" + rows)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 2, done.stderr
    assert "memory" in done.stderr
    assert "Traceback" not in done.stderr


def test_distances_between_whole_objects(tmp_path):
    from scipy.spatial.distance import cdist

    from sortal.datasets import read_objects
    from sortal.distances import distance_matrix

    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        "size": rng.normal(5, 2, 40).round(2),
        "colour": rng.choice(["red", "blue", "green"], 40),
        "price": rng.normal(900, 80, 40).round(1),
    })  # fmt: skip
    path = tmp_path / "x.csv"
    table.to_csv(path, index=False)
    data = read_objects(path, "gower")
    apart = [cdist(table[[c]], table[[c]]) / np.ptp(table[c]) for c in ("size", "price")]
    colours = table["colour"].to_numpy()
    want = (apart[0] + apart[1] + (colours[:, None] != colours)) / 3
    np.testing.assert_allclose(distance_matrix(data.X, data.metric), want, atol=1e-12)
    pytest.importorskip("rapidfuzz")
    pd.DataFrame({"word": ["abc", "abd", "xyz"]}).to_csv(path, index=False)
    assert read_objects(path, "edit").X.tolist() == [[0, 1, 3], [1, 0, 3], [3, 3, 0]]
