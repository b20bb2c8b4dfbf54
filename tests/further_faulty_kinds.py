"""Further kinds of faults, written before anybody looked at how they are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dirty_tables import Dirty
from faulty_kinds import STOPS, Fault, as_cells, rows_of, write_lines

FURTHER: dict[str, tuple[Fault, frozenset[str]]] = {}


def kind(*marks: str) -> Callable[[Fault], Fault]:
    """Register a fault; with ``stops`` the only right reply is to stop."""

    def register(fault: Fault) -> Fault:
        FURTHER[fault.__name__] = (fault, frozenset(marks))
        return fault

    return register


@kind(STOPS)
def two_encodings(t: Dirty, folder: Path) -> str:
    t.put_in("city", t.rng.choice(["Köln", "Zürich", "Genève", "Bern"], t.n).tolist())
    path = folder / write_lines(folder / "data.csv", rows_of(t))
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    half = len(lines) // 2
    path.write_bytes("".join(lines[:half]).encode() + "".join(lines[half:]).encode("cp1252"))
    return path.name


@kind()
def thousands_in_some_rows(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    t.columns[name] = [round(100 * x) for x in t.columns[name]]
    as_cells(t, name, lambda x: f"{x:,}", 0.4)


@kind()
def dates_in_two_orders(t: Dirty, folder: Path) -> None:
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(t.rng.integers(0, 900, t.n), unit="D")
    forms = t.rng.choice(["%d/%m/%Y", "%m/%d/%Y"], t.n, p=[0.7, 0.3])
    t.put_in("visited", [day.strftime(form) for day, form in zip(days, forms, strict=True)])


@kind()
def merged_header(t: Dirty, folder: Path) -> str:
    names = list(t.columns)
    top = ["Body measures", *[None] * (len(names) - 1)]
    sheet = pd.DataFrame([top, *rows_of(t)])
    sheet.to_excel(folder / "data.xlsx", header=False, index=False, engine="xlsxwriter")
    return "data.xlsx"


@kind()
def subtotals(t: Dirty, folder: Path) -> str:
    t.columns = {"name": [f"p{i:04}" for i in range(t.n)], **t.columns}
    rows = rows_of(t)
    out = [rows[0]]
    for start in range(1, len(rows), 40):
        block = rows[start : start + 40]
        sums = np.array([row[1:] for row in block], dtype=float).sum(axis=0).round(3)
        out += [*block, ["Subtotal", *sums.tolist()]]
    return write_lines(folder / "data.csv", out)


@kind()
def several_sentinels(t: Dirty, folder: Path) -> None:
    for name, mark in zip(list(t.columns)[:2], (-999, 9999), strict=True):
        for i in t.rng.choice(t.n, t.n // 15, replace=False):
            t.columns[name][i] = mark


@kind()
def inches_at_one_site(t: Dirty, folder: Path) -> None:
    name, at = t.numeric(), t.rng.random(t.n) < 0.4
    t.columns[name] = [
        round(x / 2.54, 3) if there else x for x, there in zip(t.columns[name], at, strict=True)
    ]
    t.put_in("site", np.where(at, "Boston", "Berlin").tolist())


@kind()
def printed_pages(t: Dirty, folder: Path) -> str:
    rows, out = rows_of(t), []
    for page, start in enumerate(range(1, len(rows), 50), 1):
        out += [[f"Page {page}"], rows[0], *rows[start : start + 50], []]
    return write_lines(folder / "data.csv", out)


@kind()
def three_currencies(t: Dirty, folder: Path) -> None:
    signs = t.rng.choice(["$", "€", "£"], t.n)
    cells = [f"{sign}{x:.2f}" for sign, x in zip(signs, t.rng.gamma(4, 20, t.n), strict=True)]
    t.put_in("paid", cells)


@kind()
def truth_values_mixed(t: Dirty, folder: Path) -> None:
    words = np.where(
        t.rng.random(t.n) < 0.5,
        t.rng.choice(["T", "1", "yes", "TRUE"], t.n),
        t.rng.choice(["F", "0", "no", "FALSE"], t.n),
    )
    t.put_in("member", words.tolist())


@kind()
def notes_in_cells(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x:.2f} (estimated)", 0.15)


@kind()
def stars_in_cells(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x:.2f}*", 0.2)


@kind()
def rows_of_units_and_words(t: Dirty, folder: Path) -> str:
    rows = rows_of(t)
    units = [["cm", "kg", "mm", "l", "g"][j % 5] for j in range(len(t.columns))]
    words = [f"measured at visit {j}" for j in range(len(t.columns))]
    return write_lines(folder / "data.csv", [rows[0], words, units, *rows[1:]])


@kind()
def percent_by_word(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x:.1f} percent")


@kind()
def leading_zeros(t: Dirty, folder: Path) -> None:
    t.put_in("customer", [f"{i:06}" for i in t.rng.permutation(t.n)])
    t.put_in("plant", t.rng.choice(["007", "012", "101", "044"], t.n).tolist())


@kind()
def excel_exponents(t: Dirty, folder: Path) -> None:
    t.put_in("barcode", [f"{x:.2E}" for x in t.rng.integers(10**12, 9 * 10**12, t.n)])


@kind()
def swapped_cells(t: Dirty, folder: Path) -> None:
    first, second = list(t.columns)[:2]
    t.columns[first] = [x / 10 for x in t.columns[first]]
    for i in t.rng.choice(t.n, 8, replace=False):
        a, b = t.columns[first][i], t.columns[second][i]
        t.columns[first][i], t.columns[second][i] = b, a


@kind(STOPS)
def transposed(t: Dirty, folder: Path) -> str:
    rows = [[name, *cells] for name, cells in t.columns.items()]
    return write_lines(folder / "data.csv", [["", *[f"p{i:03}" for i in range(t.n)]], *rows])


@kind()
def fixed_width(t: Dirty, folder: Path) -> str:
    lines = ["".join(f"{cell:>12}" for cell in row) for row in rows_of(t)]
    (folder / "data.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "data.txt"


@kind()
def broken_lines(t: Dirty, folder: Path) -> str:
    rows = [",".join(map(str, row)) for row in rows_of(t)]
    for i in 1 + t.rng.choice(t.n, 4, replace=False):
        rows[i] = rows[i].replace(",", "\n,", 1)
    (folder / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return "data.csv"


@kind()
def lost_points_often(t: Dirty, folder: Path) -> None:
    name = t.numeric()
    for i in t.rng.choice(t.n, t.n // 20, replace=False):
        t.columns[name][i] = round(1000 * t.columns[name][i])


@kind()
def ranges_in_cells(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x - 1:.1f}-{x + 1:.1f}")


@kind()
def durations(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{int(x) // 60}:{int(x) % 60:02}:{int(60 * x) % 60:02}")


@kind()
def spreadsheet_errors(t: Dirty, folder: Path) -> None:
    for name in t.columns:
        for i in t.rng.choice(t.n, 4, replace=False):
            t.columns[name][i] = str(t.rng.choice(["#DIV/0!", "#REF!", "#VALUE!", "#NAME?"]))


@kind()
def table_twice(t: Dirty, folder: Path) -> None:
    t.columns = {name: [*cells, *cells] for name, cells in t.columns.items()}
    t.classes = np.tile(t.classes, 2)


@kind()
def spellings(t: Dirty, folder: Path) -> None:
    t.put_in("sex", t.rng.choice(["Male", "male", "M", "m ", "Female", "F", "f"], t.n).tolist())


@kind()
def sum_column(t: Dirty, folder: Path) -> None:
    sums = np.sum(list(t.columns.values()), axis=0).round(3)
    t.put_in("total", sums.tolist())


@kind()
def running_total(t: Dirty, folder: Path) -> None:
    t.put_in("cumulated", np.cumsum(t.rng.gamma(2, 30, t.n)).round(1).tolist())


@kind()
def no_answer_codes(t: Dirty, folder: Path) -> None:
    for j in range(4):
        t.put_in(f"q{j}", t.rng.choice([1, 2, 3, 4, 5, 99], t.n, p=[0.19] * 5 + [0.05]).tolist())


@kind()
def text_numbers_in_sheet(t: Dirty, folder: Path) -> str:
    frame = pd.DataFrame(t.columns)
    name = t.numeric()
    frame[name] = [f"{x}" if t.rng.random() < 0.5 else x for x in frame[name]]
    frame.to_excel(folder / "data.xlsx", index=False, engine="xlsxwriter")
    return "data.xlsx"


@kind()
def index_again(t: Dirty, folder: Path) -> None:
    t.columns = {"Unnamed: 0": list(range(t.n)), "Unnamed: 0.1": list(range(t.n)), **t.columns}


@kind()
def html_blanks(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"&nbsp;{x:.2f}")


@kind()
def plus_minus(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x:.2f} ± 0.3")


@kind()
def decimal_comma_in_quotes(t: Dirty, folder: Path) -> None:
    as_cells(t, t.numeric(), lambda x: f"{x:.2f}".replace(".", ","))


@kind()
def one_column_of_lists(t: Dirty, folder: Path) -> str:
    vectors = np.array(list(t.columns.values())).T.round(3).tolist()
    rows: list[list[Any]] = [["id", "vector"], *([i, str(v)] for i, v in enumerate(vectors))]
    return write_lines(folder / "data.csv", rows)


assert len(FURTHER) >= 30
