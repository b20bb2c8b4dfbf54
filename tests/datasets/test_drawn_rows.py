"""Labels that survive: what spreadsheets and people do to a drawn table is seen or said."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.command_line import Done, sortal_command

import sortal
from sortal import InputError
from sortal.datasets import KnownLabels, from_table, read_labelings, read_labels, table_of_draw

N, M = 40, 12


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    amounts = np.random.default_rng(0).random(N).round(4)
    return pd.DataFrame({"ticket": [f"T{i}" for i in range(N)], "amount": amounts})


@pytest.fixture(scope="module")
def draw(data: pd.DataFrame) -> pd.DataFrame:
    """A drawn table with a label in every row."""
    rows = sortal.bounds.sample(N, M, random_state=1)
    table = table_of_draw(data.iloc[rows].reset_index(drop=True), rows, ["ticket"])
    table["label"] = np.where(rows % 3 == 0, "a", "b")
    return table


def read(table: pd.DataFrame, folder: Path, **options: object) -> KnownLabels:
    path = folder / "few.csv"
    table.to_csv(path, index=False)
    return read_labels(path, N, rows=range(N), **options)


# -- what is written -------------------------------------------------------------------------


def test_cells_of_a_draw_are_no_number_and_no_date(draw: pd.DataFrame) -> None:
    assert draw["draw"].tolist()[:2] == ["01 of 12", "02 of 12"]
    assert draw["draw"].is_monotonic_increasing  # as text, so that a spreadsheet sorts it
    for check in draw["check"]:
        assert set(check) <= set("bcdfghjkmnpqrstv-")
        assert check[0].isalpha()


def test_the_sample_names_each_column_that_names_a_row(tmp_path: Path) -> None:
    lines = [f"T{i:03d},{i % 5},{i / 7:.3f},{i * 1.5}" for i in range(50)]
    (tmp_path / "d.csv").write_text("\n".join(["ticket,group,share,price", *lines]) + "\n")
    out = tmp_path / "few.csv"
    sortal_command("sample", tmp_path / "d.csv", "-n", "9", "-o", out)
    table = pd.read_csv(out)
    assert list(table)[:4] == ["draw", "row", "label", "check"]
    assert {check.count("-") for check in table["check"]} == {4}  # list, number, data, row, ticket


def check_of(*values: object) -> str:
    """The check of a drawn row with these cells."""
    cells = pd.DataFrame([values], columns=[f"c{j}" for j in range(len(values))], dtype=object)
    return table_of_draw(cells, np.array([0]))["check"][0]


@given(st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-(10**12), 10**12))
def test_forms_of_a_number_are_one(value: float) -> None:
    texts = {repr(value), f" {value!r} ", repr(value).replace(".", ","), str(float(value))}
    assert len({check_of(value), *map(check_of, texts)}) == 1


@given(st.text(max_size=12))
def test_forms_of_a_text_are_one(text: str) -> None:
    forms = (text, f"  {text}\t", *(unicodedata.normalize(f, text) for f in ("NFC", "NFD")))
    assert len(set(map(check_of, forms))) == 1


def test_blank_cells_are_one_and_other_cells_differ() -> None:
    blanks = (None, np.nan, "", "  ", "NaN", "nan", pd.NA, pd.NaT)
    assert len(set(map(check_of, blanks))) == 1
    assert len({check_of(v) for v in ("7", "7.5", "seven", "-7", "70", "T7", "7 7", "")}) == 8


def test_another_cell_is_another_check(draw: pd.DataFrame) -> None:
    cells, rows = draw[["ticket", "amount"]], draw["row"].to_numpy()
    before = table_of_draw(cells, rows, ["ticket"])["check"].tolist()
    swapped = table_of_draw(cells[["amount", "ticket"]], rows, ["ticket"])
    assert before == swapped["check"].tolist()
    changed = cells.assign(amount=cells["amount"].where(cells.index != 3, 7.0))
    after = table_of_draw(changed, rows, ["ticket"])["check"]
    assert before[3].split("-")[2] != after[3].split("-")[2]
    assert before[0].split("-")[0] != after[0].split("-")[0]


# -- what is read ----------------------------------------------------------------------------


def through_a_spreadsheet(draw: pd.DataFrame) -> pd.DataFrame:
    """The table sorted, with decimal commas, blanks, upper case of its checks, and 1.0 for 1."""
    table = draw.sample(frac=1, random_state=3)
    table["amount"] = [f"{v:.4f}".replace(".", ",") for v in table["amount"]]
    table["ticket"] = [f" {v} " for v in table["ticket"]]
    table["row"] = [f"{v}.0" if v else v for v in table["row"]]
    return table


def test_a_spreadsheet_changes_nothing(draw: pd.DataFrame, tmp_path: Path) -> None:
    plain = read(draw, tmp_path)
    again = read(through_a_spreadsheet(draw).assign(row=draw["row"]), tmp_path)
    assert plain.order == again.order == tuple(draw["row"])
    assert plain.skipped == ()
    assert "Verified without the data" in plain.draw.notes[0]
    assert "'row' and 'ticket'" in plain.draw.notes[0]


@pytest.mark.parametrize("number", ["{n} of 12", "{n}/12", "{n}", "{n}.0", "00{n} OF 12"])
def test_forms_of_the_number(number: str, draw: pd.DataFrame, tmp_path: Path) -> None:
    table = draw.drop(columns="check").sample(frac=1, random_state=1)
    table["draw"] = [number.format(n=int(text[:2])) for text in table["draw"]]
    assert read(table, tmp_path).order == tuple(draw["row"])


def edited(draw: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    table = draw.astype({column: object})
    table.loc[4, column] = value
    return table


def test_rows_that_were_changed_or_added_are_named(draw: pd.DataFrame, tmp_path: Path) -> None:
    fresh = next(row for row in range(N) if row not in set(draw["row"]))
    copy = draw.iloc[[0]].assign(draw="13 of 13", row=fresh, check="")
    other = table_of_draw(draw[["ticket", "amount"]], draw["row"].to_numpy()[::-1], ["ticket"])
    swapped = draw.assign(draw=draw["draw"].to_numpy()[::-1])
    for table, words in (
        (edited(draw, "row", fresh), ["'row' was changed in 1 of 12", "draw 5 has"]),
        (edited(draw, "ticket", "T99"), ["'ticket' was changed in 1 of 12"]),
        (edited(draw, "check", ""), ["draw 5 is no row of this draw"]),
        (edited(draw, "check", other["check"][4]), ["draw 5 is no row of this draw"]),
        (draw.assign(row=draw["row"] + 1), ["'row' was changed in 12 of 12"]),
        (swapped, ["'draw' was changed"]),
        (pd.concat([draw, copy]), ["draws of 12, 13 rows"]),
        (pd.concat([draw, copy.assign(draw="12 of 12")]), ["2 objects with draw 12"]),
        (edited(draw, "draw", "Jul-60"), ["draw Jul-60 is no number"]),
        (edited(draw, "draw", "13 of 12"), ["draw 13 of 12 is no number"]),
    ):
        with pytest.raises(InputError) as error:
            read(table, tmp_path)
        for word in words:
            assert word in str(error.value)


def test_the_data_are_verified(draw: pd.DataFrame, data: pd.DataFrame, tmp_path: Path) -> None:
    known = read(draw, tmp_path)
    assert "12 drawn rows are unchanged" in known.verified(data.iloc[:, ::-1]).notes[-1]
    as_text = data.assign(amount=[f"{v:.4f}".replace(".", ",") for v in data["amount"]])
    assert "unchanged" in known.verified(as_text).notes[-1]
    row = int(draw["row"][2])
    changed = data.assign(amount=data["amount"].where(data.index != row, 9.0))
    words = f"1 of 12 drawn rows were changed .*row {row} of the data"
    with pytest.raises(InputError, match=words):
        known.verified(changed)
    with pytest.raises(InputError, match="another order"):
        known.verified(data.sort_values("amount").reset_index(drop=True))


def test_blank_and_deleted_rows_are_skipped(draw: pd.DataFrame, tmp_path: Path) -> None:
    blank = draw.assign(label=draw["label"].where(~draw.index.isin([2, 5, 11]), ""))
    assert read(blank, tmp_path).skipped == (0, 0, 1, 1, 2, 2, 2, 2, 2)
    deleted = read(draw.drop([2, 5]), tmp_path)
    assert deleted.skipped == (0, 0, 1, 1, 2, 2, 2, 2, 2, 2)
    assert deleted.draw.n_lost == 2
    assert "2 of which are missing" in deleted.draw.notes[0]
    assert read(draw.iloc[:7], tmp_path).skipped == ()  # stopped early
    gone = [row for row in range(N) if row != draw["row"][3]]
    path = tmp_path / "few.csv"
    draw.to_csv(path, index=False)
    assert read_labels(path, N - 1, rows=gone, on="inner").skipped[-1] == 1
    known = read_labels(path, N - 1, rows=gone, on="inner", is_subset=True)
    assert known.skipped == ()


def test_unreadable_rows_are_excused(draw: pd.DataFrame, tmp_path: Path) -> None:
    blank = draw.assign(label=draw["label"].where(~draw.index.isin([2, 5]), ""))
    assert read(blank, tmp_path, unreadable=[3]).skipped == (0, 0, 0, 0, 1, 1, 1, 1, 1, 1)
    assert read(blank, tmp_path, unreadable=[3, 6]).skipped == ()
    words = draw.assign(label=draw["label"].where(~draw.index.isin([2, 5]), " Unreadable"))
    known = read(words, tmp_path)
    assert known.skipped == ()
    assert known.draw.unreadable == (3, 6)
    assert sum(value is not None for value in known.values) == 10
    as_class = read(words, tmp_path, classes=["a", "b", "unreadable"])
    assert as_class.values[draw["row"][2]] == "Unreadable"
    with pytest.raises(InputError, match="unreadable 13 is no number"):
        read(blank, tmp_path, unreadable=[13])


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sets(st.integers(1, 30)), st.sets(st.integers(1, 30), min_size=1))
def test_skipped_objects_by_definition(
    tmp_path: Path, excused: set[int], labelled: set[int]
) -> None:
    numbers = range(1, 31)
    labels = ["a" if number in labelled else "" for number in numbers]
    draws = [f"{number} of 30" for number in numbers]
    table = pd.DataFrame({"draw": draws, "row": range(30), "label": labels})
    naive = [sum(k not in labelled | excused for k in range(1, n)) for n in sorted(labelled)]
    skipped = read(table, tmp_path, unreadable=excused).skipped
    assert list(skipped) == (naive if any(naive) else [])


def test_clusterings_without_names_are_not_joined_by_row(
    draw: pd.DataFrame, tmp_path: Path
) -> None:
    few, bare = tmp_path / "few.csv", tmp_path / "k.csv"
    draw.drop(columns=["ticket", "amount"]).to_csv(few, index=False)
    pd.DataFrame({"k": np.arange(N) % 2}).to_csv(bare, index=False)
    with pytest.raises(InputError, match="--in-order"):
        read_labelings(bare).known(few)
    assert read_labelings(bare).known(few, in_order=True).order == tuple(draw["row"])
    order = np.random.default_rng(0).permutation(N)
    pd.DataFrame({"row": order, "k": order % 2}).to_csv(bare, index=False)
    known = read_labelings(bare).known(few)
    assert [order[i] for i in known.order] == draw["row"].tolist()


# -- unknown labels --------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["", "nan", "NaN", " "])
def test_texts_of_missing_labels_are_unknown(blank: str, tmp_path: Path) -> None:
    y = np.array(["a", blank, "b", blank, "a", "none"])
    assert sortal.guarantee([0, 0, 1, 1, 0, 0], y).n == 2
    study = sortal.Study(np.arange(12.0).reshape(6, 2), y=y)
    assert [value is None for value in study.y] == [False, True, False, True, False, False]
    (tmp_path / "few.csv").write_text("label\n" + "\n".join(y) + "\n")
    assert [v is None for v in read_labels(tmp_path / "few.csv", 6).values] == [
        value == blank for value in y
    ]
    (tmp_path / "few.csv").write_text("label\na\nnan\n")
    assert read_labels(tmp_path / "few.csv", 2, classes=["a", "nan"]).values.tolist() == [
        "a",
        "nan",
    ]


def test_none_is_a_class_and_said(tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("row,label\n0,none\n1,b\n")
    known = read_labels(tmp_path / "few.csv", 4)
    assert known.values.tolist() == ["none", "b", None, None]
    assert any("'none' is a class" in note for note in known.notes)
    assert "'none' is a class" in str(sortal.guarantee([0, 1, 0, 1], ["none", "b", None, None]))


# -- data that have the columns of a draw themselves ---------------------------------------------


def with_marks(data: pd.DataFrame, draw: pd.DataFrame) -> pd.DataFrame:
    """The data with the columns of the draw beside their own, blank where not drawn."""
    return data.merge(draw[["ticket", "draw", "label", "check"]], on="ticket", how="left")


def run_on(table: pd.DataFrame, folder: Path) -> Done:
    table.to_csv(folder / "d.csv", index=False)
    options = ["-k", "2:2", "-c", "kmeans", "--no-stability", "--why", "--label-column", "label"]
    return sortal_command("run", folder / "d.csv", *options)


def test_data_with_a_draw_are_verified(
    draw: pd.DataFrame, data: pd.DataFrame, tmp_path: Path
) -> None:
    table = with_marks(data, draw)
    labelled = table.index[table["label"].notna()]
    edited = table.assign(amount=table["amount"].where(table.index != labelled[0], 99))
    marks = ["draw", "label", "check"]
    moved = table.assign(**{name: np.roll(table[name], 1) for name in marks})
    renumbered = table.assign(draw=table["draw"].replace({"01 of 12": "13 of 12"}))
    for spoilt, message in (
        (edited, "1 of 12 drawn rows were changed"),
        (moved, "12 of 12 drawn rows are not as"),
        (renumbered, "13 of 12 is no number of a draw"),
    ):
        result = run_on(spoilt, tmp_path)
        assert (result.returncode, message in result.stderr) == (2, True), result.stderr


def test_unreadable_rows_and_blanks_in_data_with_a_draw(
    draw: pd.DataFrame, data: pd.DataFrame, tmp_path: Path
) -> None:
    table = with_marks(data, draw)
    first = table.index[table["draw"].isin(["01 of 12", "02 of 12"])]
    table.loc[first, "label"] = ["Unreadable", None]
    result = run_on(table, tmp_path)
    assert "Verified: the 12 drawn rows are unchanged" in result.stderr
    said = " ".join(result.stdout.split())
    assert "1 labels in 'label' are 'unreadable'" in said


def test_rows_that_the_reader_excludes_excuse_no_other_row(
    draw: pd.DataFrame, data: pd.DataFrame, tmp_path: Path
) -> None:
    labels = draw.assign(label=draw["label"].where(draw.index != 3))
    labels.drop(columns="ticket").to_csv(tmp_path / "l.csv", index=False)
    gap = data["amount"].where(data.index != draw["row"][0])
    dataset = from_table({"amount": gap, "again": gap**2}, impute="drop")
    assert dataset.n_objects == N - 1
    labelled = read_labels(tmp_path / "l.csv", dataset, is_subset=True)
    assert labelled.skipped == (0, 0, *[1] * (M - 4))
