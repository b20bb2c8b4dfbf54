"""Seventy kinds of faults that people's tables have, each planted alone into a known table."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import dirty_tables
from dirty_tables import Dirty, clean

#: a fault changes a table in place, or writes its file and returns its name
Fault = Callable[[Dirty, Path], str | None]
STOPS = "stops"
KINDS: dict[str, tuple[Fault, frozenset[str]]] = {}


@dataclass
class FaultyFile:
    """A file with one fault, the options that name its companions, and its known classes."""

    path: Path
    options: list[str]
    classes: np.ndarray


def kind(*marks: str) -> Callable[[Fault], Fault]:
    """Register a fault; with ``stops`` the only right reply is to stop."""

    def register(fault: Fault) -> Fault:
        KINDS[fault.__name__] = (fault, frozenset(marks))
        return fault

    return register


for old in (*dirty_tables.TOGETHER, *dirty_tables.ALONE):
    stopping = old.__name__ in ("matrix", "edges")
    KINDS[old.__name__] = (
        lambda t, folder, fault=old: fault(t),
        frozenset({STOPS} if stopping else ()),
    )


def plant(name: str, seed: int, folder: Path) -> FaultyFile:
    """Write a table with one fault."""
    from further_faulty_kinds import FURTHER

    table = clean(np.random.default_rng([40, seed]))
    written = {**KINDS, **FURTHER}[name][0](table, folder)
    path, options = folder / (written or "data.csv"), []
    if written is None:
        options = dirty_tables.write(table, path)
    return FaultyFile(path, options, table.classes)


def write_lines(path: Path, rows: Sequence[Sequence[Any]], delimiter: str = ",") -> str:
    """Write rows of cells as they are; return the file's name."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path.name


def rows_of(t: Dirty) -> list[list[Any]]:
    """Header and rows of a table."""
    return [list(t.columns), *map(list, zip(*t.columns.values(), strict=True))]


def as_cells(t: Dirty, name: str, form: Callable[[float], str], share: float = 1.0) -> None:
    """Write a share of a column's cells in a form."""
    chosen = t.rng.random(t.n) < share
    t.columns[name] = [
        form(x) if here else str(x) for x, here in zip(t.columns[name], chosen, strict=True)
    ]


def comma(x: float) -> str:
    """Number with a decimal comma."""
    return f"{x:.3f}".replace(".", ",")


@kind()
def comma_once(t: Dirty, folder: Path) -> str:
    name = t.numeric()
    i = int(t.rng.integers(t.n))
    t.columns[name] = [comma(x) if j == i else f"{x:.3f}" for j, x in enumerate(t.columns[name])]
    return write_lines(folder / "data.csv", rows_of(t), ";")


@kind()
def commas_everywhere(t: Dirty, folder: Path) -> str:
    for name in t.columns:
        as_cells(t, name, comma)
    return write_lines(folder / "data.csv", rows_of(t), ";")


@kind()
def commas_and_points(t: Dirty, folder: Path) -> str:
    as_cells(t, t.numeric(), comma, 0.4)
    return write_lines(folder / "data.csv", rows_of(t), ";")


@kind()
def points_between_thousands(t: Dirty, folder: Path) -> str:
    as_cells(t, t.numeric(), lambda x: f"{22 * x:,.0f}".replace(",", "."))
    return write_lines(folder / "data.csv", rows_of(t), ";")


@kind()
def european(t: Dirty, folder: Path) -> str:
    for name in t.columns:
        as_cells(t, name, lambda x: f"{40 * x:,.2f}".translate(str.maketrans(",.", ".,")))
    return write_lines(folder / "data.csv", rows_of(t), ";")


@kind()
def blanks_between_thousands(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{500 * x:,.0f}".replace(",", "\u00a0"))


@kind()
def percent_and_share(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    t.columns[name] = [x / 100 for x in t.columns[name]]
    as_cells(t, name, lambda x: f"{100 * x:.2f}%", 0.3)


@kind()
def percent_once(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    i = int(t.rng.integers(t.n))
    t.columns[name] = [
        f"{x:.2f}%" if j != i else f"{x / 100:.5f}" for j, x in enumerate(t.columns[name])
    ]


@kind()
def typing_error(t: Dirty, folder: Path) -> None:
    name, i = t.numeric(), int(t.rng.integers(t.n))
    t.columns[name][i] *= 1e5


@kind()
def lost_point(t: Dirty, folder: Path) -> None:
    name, i = t.numeric(), int(t.rng.integers(t.n))
    t.columns[name][i] *= 1000


def change_unit(t: Dirty, form: Callable[[float], float]) -> None:
    """Another unit in one column, from a row on."""
    name, row = t.numeric(), int(t.rng.integers(t.n // 3, 2 * t.n // 3))
    t.columns[name] = [x if i < row else round(form(x), 4) for i, x in enumerate(t.columns[name])]


@kind()
def inches(t: Dirty, folder: Path) -> None:
    change_unit(t, lambda x: x / 2.54)


@kind()
def grams(t: Dirty, folder: Path) -> None:
    change_unit(t, lambda x: x * 1000)


@kind()
def fahrenheit(t: Dirty, folder: Path) -> None:
    change_unit(t, lambda x: 32 + 1.8 * x)


@kind(STOPS)
def long_format(t: Dirty, folder: Path) -> str:
    rows: list[list[Any]] = [
        [f"c{i:03}", name, cells[i]] for i in range(t.n) for name, cells in t.columns.items()
    ]
    return write_lines(folder / "data.csv", [["customer", "variable", "value"], *rows])


@kind(STOPS)
def three_visits(t: Dirty, folder: Path) -> str:
    rows = [
        [f"c{i:03}", *(round(cells[i] + t.rng.normal(0, 0.5), 3) for cells in t.columns.values())]
        for i in range(t.n)
        for _ in range(3)
    ]
    return write_lines(folder / "data.csv", [["customer", *t.columns], *rows])


@kind(STOPS)
def meters(t: Dirty, folder: Path) -> str:
    times = pd.date_range("2024-01-01", periods=24, freq="h").astype(str)
    rows = [
        [i, time, round(3 + 2 * np.sin((h - 6 * t.classes[i]) / 4) + t.rng.normal(0, 0.2), 3)]
        for i in range(60)
        for h, time in enumerate(times)
    ]
    return write_lines(folder / "data.csv", [["meter", "time", "kW"], *rows])


@kind(STOPS)
def stacked(t: Dirty, folder: Path) -> str:
    rows = rows_of(t)
    other = [f"measure {j + 1}" for j in range(len(t.columns))]
    more = t.rng.normal(5000, 900, (t.n // 2, len(other))).round(1).tolist()
    return write_lines(folder / "data.csv", [*rows, other, *more])


@kind()
def header_again(t: Dirty, folder: Path) -> str:
    rows = rows_of(t)
    return write_lines(folder / "data.csv", [*rows[: t.n // 2], rows[0], *rows[t.n // 2 :]])


@kind()
def shifted(t: Dirty, folder: Path) -> str:
    t.put_in("name", [f"p{i:04}" for i in t.rng.permutation(t.n)])
    t.columns = {"name": t.columns.pop("name"), **t.columns, "note": [""] * t.n}
    rows = rows_of(t)
    for i in 1 + t.rng.choice(t.n, 6, replace=False):
        rows[i] = [rows[i][0], "", *rows[i][1:-1]]
    return write_lines(folder / "data.csv", rows)


@kind()
def hidden_sheet(t: Dirty, folder: Path) -> str:
    import xlsxwriter

    with xlsxwriter.Workbook(folder / "data.xlsx") as book:
        hidden, shown = book.add_worksheet("lists"), book.add_worksheet("measured")
        for i in range(40):
            hidden.write_row(i, 0, [f"code{i}" if i else "code", float(t.rng.normal())])
        for i, row in enumerate(rows_of(t)):
            shown.write_row(i, 0, row)
        shown.activate()
        hidden.hide()
    return "data.xlsx"


@kind()
def multiples(t: Dirty, folder: Path) -> None:
    noise = t.rng.normal(0, 10, t.n)
    for j in range(6):
        t.put_in(f"rate{j}", (noise * (j + 1)).round(3).tolist())


@kind()
def exclusive_flags(t: Dirty, folder: Path) -> None:
    of = t.rng.integers(0, 5, t.n)
    for j in range(5):
        t.put_in(f"region_{j}", [int(x == j) for x in of])


@kind()
def outcome(t: Dirty, folder: Path) -> None:
    name = str(t.rng.choice(["is_churned", "churn", "defaulted", "survived", "converted"]))
    t.put_in(name, [int(x) for x in t.rng.integers(0, 2, t.n)])


@kind()
def outcome_in_truth(t: Dirty, folder: Path) -> str:
    words = [f"k{c}" for c in t.classes]
    write_lines(folder / "truth.csv", [("kind",), *((word,) for word in words)])
    t.put_in("kind", t.rng.choice(["u", "v", "w"], t.n).tolist())
    return write_lines(folder / "data.csv", rows_of(t))


@kind()
def units_in_cells(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x:.2f} kg")


@kind()
def two_units_in_cells(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    t.columns[name] = [
        f"{x:.2f} kg" if t.rng.random() < 0.6 else f"{1000 * x:.0f} g" for x in t.columns[name]
    ]


@kind()
def thousands_by_letter(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    t.columns[name] = [f"{x / 50:.3f}k" if x > 50 else f"{20 * x:.0f}" for x in t.columns[name]]


@kind()
def detection_limit(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    low = float(np.quantile(t.columns[name], 0.2))
    t.columns[name] = [f"<{low:.1f}" if x < low else str(x) for x in t.columns[name]]


@kind()
def parentheses(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    t.columns[name] = [f"({50 - x:.2f})" if x < 50 else f"{x - 50:.2f}" for x in t.columns[name]]


@kind()
def unicode_minus(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x - 50:.2f}".replace("-", "\u2212"))


@kind()
def apostrophe(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"'{x:.2f}")


@kind()
def currency_behind(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x:.2f} EUR")


@kind()
def degrees(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x:.1f}\u00b0C")


@kind()
def title_lines(t: Dirty, folder: Path) -> str:
    rows = rows_of(t)
    return write_lines(folder / "data.csv", [["Report of the year 2024"], [], *rows])


@kind()
def footnotes(t: Dirty, folder: Path) -> str:
    more = [[], ["Source: our own survey"], ["* estimated"]]
    return write_lines(folder / "data.csv", [*rows_of(t), *more])


@kind()
def total_row(t: Dirty, folder: Path) -> str:
    t.columns = {"name": [f"p{i:04}" for i in range(t.n)], **t.columns}
    sums: list[Any] = [round(sum(cells), 2) for name, cells in t.columns.items() if name != "name"]
    return write_lines(folder / "data.csv", [*rows_of(t), ["Total", *sums]])


@kind()
def unit_row(t: Dirty, folder: Path) -> str:
    rows = rows_of(t)
    return write_lines(folder / "data.csv", [rows[0], ["cm"] * len(t.columns), *rows[1:]])


@kind()
def comment_lines(t: Dirty, folder: Path) -> str:
    rows = rows_of(t)
    return write_lines(folder / "data.csv", [["# made by a machine"], ["# version 2"], *rows])


@kind()
def blank_rows(t: Dirty, folder: Path) -> str:
    rows, gap = rows_of(t), [""] * len(t.columns)
    return write_lines(folder / "data.csv", [*rows[:50], gap, gap, *rows[50:], gap])


@kind()
def trailing_commas(t: Dirty, folder: Path) -> str:
    return write_lines(folder / "data.csv", [[*row, "", ""] for row in rows_of(t)])


@kind()
def double_names(t: Dirty, folder: Path) -> str:
    rows = rows_of(t)
    rows[0][1] = rows[0][0]
    return write_lines(folder / "data.csv", rows)


@kind()
def constant_column(t: Dirty, folder: Path) -> None:
    t.put_in("year", [2024] * t.n)


@kind()
def row_numbers(t: Dirty, folder: Path) -> None:
    t.columns = {"": list(range(1, t.n + 1)), **t.columns}


@kind()
def mostly_missing(t: Dirty, folder: Path) -> None:
    t.put_in("extra", [x if t.rng.random() < 0.1 else "" for x in t.rng.normal(size=t.n).round(2)])


@kind()
def comments(t: Dirty, folder: Path) -> None:
    words = [
        "good",
        "late",
        "asked twice",
        "no reply",
        "sent, again",
        'so-called "best"',
        "new\nline",
    ]
    t.put_in("remark", [f"{t.rng.choice(words)} {t.rng.integers(90)}" for _ in range(t.n)])


@kind()
def survey_weight(t: Dirty, folder: Path) -> None:
    t.put_in("sample_weight", t.rng.gamma(1, 900, t.n).round(2).tolist())


@kind()
def timestamps(t: Dirty, folder: Path) -> None:
    start = pd.Timestamp("2024-03-01T08:00:00Z")
    t.put_in("created_at", [str(start + pd.Timedelta(minutes=7 * i)) for i in range(t.n)])


@kind()
def phone_numbers(t: Dirty, folder: Path) -> None:
    t.put_in("phone", [f"+49 {x}" for x in t.rng.integers(10**8, 10**9, t.n)])


@kind()
def postcodes(t: Dirty, folder: Path) -> None:
    t.put_in("postcode", [f"{x:05}" for x in t.rng.integers(1000, 99999, t.n)])


@kind()
def infinite(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    for i in t.rng.choice(t.n, 3, replace=False):
        t.columns[name][i] = "inf"


@kind()
def many_marks(t: Dirty, folder: Path) -> None:
    for name in t.columns:
        for i in t.rng.choice(t.n, 4, replace=False):
            t.columns[name][i] = str(t.rng.choice(["n.d.", "unknown", "k.A.", "not available"]))


@kind()
def padded_names(t: Dirty, folder: Path) -> None:
    t.columns = {f"  {name}\u00a0": [f" {x} " for x in cells] for name, cells in t.columns.items()}


@kind()
def wrong_encoding(t: Dirty, folder: Path) -> str:
    t.put_in("größe", t.columns.pop(next(iter(t.columns))))
    name = write_lines(folder / "data.csv", rows_of(t))
    text = (folder / name).read_text(encoding="utf-8")
    (folder / name).write_bytes(text.encode("cp1252"))
    return name


@kind()
def utf16(t: Dirty, folder: Path) -> str:
    name = write_lines(folder / "data.csv", rows_of(t), "\t")
    text = (folder / name).read_text(encoding="utf-8")
    (folder / name).write_bytes(text.encode("utf-16"))
    return name


@kind()
def byte_order_mark(t: Dirty, folder: Path) -> str:
    name = write_lines(folder / "data.csv", rows_of(t))
    text = (folder / name).read_bytes()
    (folder / name).write_bytes(b"\xef\xbb\xbf" + text)
    return name


def records_of(t: Dirty) -> list[dict[str, Any]]:
    """Rows as mappings."""
    return pd.DataFrame(t.columns).to_dict("records")


@kind()
def json_records(t: Dirty, folder: Path) -> str:
    (folder / "data.json").write_text(json.dumps(records_of(t)), encoding="utf-8")
    return "data.json"


@kind()
def json_lines(t: Dirty, folder: Path) -> str:
    lines = "\n".join(map(json.dumps, records_of(t)))
    (folder / "data.jsonl").write_text(lines + "\n", encoding="utf-8")
    return "data.jsonl"


@kind()
def parquet_lists(t: Dirty, folder: Path) -> str:
    vectors = np.array(list(t.columns.values())).T.tolist()
    names = [f"p{i}" for i in range(t.n)]
    pd.DataFrame({"name": names, "embedding": vectors}).to_parquet(folder / "data.parquet")
    return "data.parquet"


@kind()
def parquet_categories(t: Dirty, folder: Path) -> str:
    import polars

    frame = polars.DataFrame(t.columns).with_columns(
        polars.Series("colour", [f"c{x}" for x in t.classes % 2]).cast(polars.Categorical)
    )
    frame.write_parquet(folder / "data.parquet")
    return "data.parquet"


@kind()
def big_endian(t: Dirty, folder: Path) -> str:
    np.save(folder / "data.npy", np.array(list(t.columns.values())).T.astype(">f8"))
    return "data.npy"


@kind()
def sheet_with_title(t: Dirty, folder: Path) -> str:
    gap = [None] * (len(t.columns) - 1)
    rows = [["Report", *gap], ["of the year 2024", *gap], [None, *gap], *rows_of(t)]
    pd.DataFrame(rows).to_excel(
        folder / "data.xlsx", header=False, index=False, engine="xlsxwriter"
    )
    return "data.xlsx"


assert len(KINDS) >= 70, len(KINDS)
