"""Files with titles, notes, totals, shifted rows, lists and foreign bytes; limits of reading."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal import InputError
from sortal.datasets import from_table, read, read_cells

ROWS = [[round(float(x), 3) for x in row] for row in np.random.default_rng(0).normal(size=(40, 3))]
LINES = [",".join(map(str, row)) for row in ROWS]


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def findings_by_key(data):
    return {finding.key: finding for finding in data.findings}


def test_lines_above_and_below_the_table_are_skipped_with_a_note(tmp_path):
    path = write(tmp_path / "x.csv", ["Report, 2024", "", "a,b,c", *LINES, "", "Source: us"])
    data = read(path)
    np.testing.assert_allclose(data.X, ROWS)
    assert any("'Report, 2024'" in note for note in data.notes)
    assert any("'Source: us'" in note for note in data.notes)
    # as many as ten lines above a table may be titles
    above = [f"Report {i}" for i in range(11)]
    data = read(write(tmp_path / "x.csv", [*above[:10], "a,b,c", *LINES]))
    np.testing.assert_allclose(data.X, ROWS)
    with pytest.raises(InputError):
        read(write(tmp_path / "x.csv", [*above, "a,b,c", *LINES]))
    # short lines within the table are still an error
    path = write(tmp_path / "x.csv", ["a,b,c", *LINES[:20], "1", *LINES[20:]])
    with pytest.raises(InputError, match="line 22"):
        read(path)


def test_headers_totals_and_blank_rows_are_no_objects(tmp_path):
    lines = [f"p{i:02},{line}" for i, line in enumerate(LINES)]
    path = write(
        tmp_path / "x.csv",
        ["who,a,b,c", ",,,", *lines[:20], "who,a,b,c", *lines[20:], "Total,3,4,5"],
    )
    data = read(path)
    np.testing.assert_allclose(data.X, ROWS)
    finding = findings_by_key(data)["rows"]
    assert finding.facts["rows"] == {"blank": [0], "header": [21], "total": [42]}
    assert "row 43 (a total)" in finding.to_dict()["sentence"]
    assert data.rows.tolist() == [*range(1, 21), *range(22, 42)]
    assert read(path, y=["x", "y"] * 20).y.tolist() == ["x", "y"] * 20
    y = np.array(["n"] + ["x"] * 20 + ["n"] + ["z"] * 20 + ["n"], dtype=object)
    assert set(read(path, y=y).y) == {"x", "z"}
    assert read(path, accept="rows").n_objects == 43


def test_another_header_in_the_middle_stops(tmp_path):
    path = write(tmp_path / "x.csv", ["a,b,c", *LINES[:20], "x,y,z", *LINES[20:]])
    (finding,) = [finding for finding in read(path).findings if finding.stops]
    assert finding.key == "stacked"
    assert "Row 21" in finding.to_dict()["sentence"]
    first = read(path, **finding.option)
    np.testing.assert_allclose(first.X, ROWS[:20])
    assert not [finding for finding in first.findings if finding.stops]


def test_a_category_called_total_is_kept():
    table = pd.DataFrame(ROWS, columns=list("abc")).assign(kind=["total", "part"] * 20)
    table = table.iloc[:-1]
    assert from_table(table[["kind", "a", "b", "c"]]).n_objects == 39


def test_sums_within_the_table_are_no_objects(tmp_path):
    numbers = np.random.default_rng(0).integers(1, 90, (40, 2))
    lines = ["name,a,b"]
    for start in range(0, 40, 8):
        block = numbers[start : start + 8]
        lines += [f"p{start + i},{a},{b}" for i, (a, b) in enumerate(block)]
        lines.append(f"Subtotal {start},{block[:, 0].sum()},{block[:, 1].sum()}")
    data = read(write(tmp_path / "x.csv", lines))
    np.testing.assert_array_equal(data.ids, [f"p{i}" for i in range(40)])
    assert [f.key for f in data.findings if f.key == "rows"] == ["rows"]


def test_shifted_rows_are_moved_back(tmp_path):
    lines = [f"p{i:02},{line}," for i, line in enumerate(LINES)]
    lines[7] = f"p07,,{LINES[7]}"
    data = read(write(tmp_path / "x.csv", ["who,a,b,c,remark", *lines]))
    np.testing.assert_allclose(data.X, ROWS)
    assert findings_by_key(data)["shifted"].facts == {"count": 1, "row": 8}


@pytest.mark.parametrize(
    "form", ["records", "columns", "pandas", "by id", "inside", "lines", "lists"]
)
def test_json_of_numbers_is_a_table(form, tmp_path):
    records = [dict(zip("abc", row, strict=True)) for row in ROWS]
    content = {
        "records": records, "columns": {name: [row[name] for row in records] for name in "abc"},
        "inside": {"count": 40, "data": records},
        "pandas": {name: {str(i): row[name] for i, row in enumerate(records)} for name in "abc"},
        "by id": {f"p{i}": row for i, row in enumerate(records)},
    }  # fmt: skip
    path = tmp_path / ("x.jsonl" if form in ("lines", "lists") else "x.json")
    rows = records if form == "lines" else ROWS
    text = (
        "\n".join(map(json.dumps, rows)) if path.suffix == ".jsonl" else json.dumps(content[form])
    )
    path.write_text(text, encoding="utf-8")
    np.testing.assert_allclose(read(path).X, ROWS)
    assert read_cells(path)[0].shape == (40, 3 + (form == "by id"))


def test_json_that_is_no_table_says_so(tmp_path):
    for text in ("{", "[1, 2]", '{"a": 3}', "[]", "3", "{}"):
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(InputError, match=r"JSON|records"):
            read(tmp_path / "x.json")


def test_lists_and_categories_become_columns(tmp_path):
    table = pd.DataFrame({"name": [f"p{i}" for i in range(40)], "embedding": ROWS})
    table.to_parquet(tmp_path / "x.parquet")
    data = read(tmp_path / "x.parquet")
    assert data.feature_names == ("embedding[1]", "embedding[2]", "embedding[3]")
    np.testing.assert_allclose(data.preparation.apply(table).X, ROWS)
    frame = pd.DataFrame(ROWS, columns=list("abc"))
    frame["colour"] = pd.Categorical(["red", "blue"] * 20)
    assert sortal.Study(frame).X.shape == (40, 5)


def test_polars_categories_are_read():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [row[0] for row in ROWS], "c": ["u", "v"] * 20})
    frame = frame.with_columns(polars.col("c").cast(polars.Categorical))
    assert from_table(frame).n_features == 3
    assert sortal.Study(frame).X.shape == (40, 3)


def test_bytes_in_the_other_order_are_read(tmp_path):
    np.save(tmp_path / "x.npy", np.array(ROWS, dtype=">f8"))
    np.testing.assert_array_equal(read(tmp_path / "x.npy").X, ROWS)


def test_a_database_cannot_read_other_files(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    secret = write(tmp_path / "secret.csv", ["a,b", *(f"{i},{i * i}" for i in range(30))])
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute(f"CREATE VIEW v AS SELECT * FROM read_csv('{secret}')")
        connection.execute("CREATE TABLE t AS SELECT range AS a, range * 2.5 AS b FROM range(30)")
    with pytest.raises(InputError, match="cannot be read"):
        read(f"{tmp_path / 'x.duckdb'}#v")
    assert read(f"{tmp_path / 'x.duckdb'}#t").n_objects == 30
