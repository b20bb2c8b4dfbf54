"""Every door that takes two things about the same objects, through the same cases."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sortal
from command_line import sortal_command
from sortal import ContingencyTable, InputError
from sortal.bench import Benchmark
from sortal.cli._input import LabelledInputOptions, read_dataset
from sortal.datasets import read, read_labelings, read_labels, with_relation
from sortal.labeling import LabelSession, import_labels

N = 12
OBJECTS = np.arange(N)
TICKETS = np.array([f"t{i * 7 % N:02d}x" for i in OBJECTS], dtype=object)
NUMBERS = OBJECTS * 7 % N + 101
CLASSES = OBJECTS % 3
SHUFFLED = np.random.default_rng(3).permutation(N)


@dataclass
class Case:
    """Keys of two inputs, the object of each row on the right, and what must come out."""

    left: dict[str, Any]
    right: dict[str, Any]
    of: Any = field(default_factory=lambda: OBJECTS)
    key: str | None = None
    on: str = "same"
    refused: bool = False


def both(key: Any, *, name: str = "ticket", right: Any = None, **options: Any) -> Case:
    """Case of a key in both inputs, shuffled on the right."""
    written = np.array(key if right is None else right, dtype=object)[SHUFFLED]
    return Case({name: key}, {name: written}, SHUFFLED, **options)


def changed(values: Any, place: int, value: Any) -> Any:
    copied = np.array(values, dtype=object)
    copied[place] = value
    return copied


FEW = np.r_[SHUFFLED[:9], -1, -2, -3]
FOREIGN = {-1: "u1", -2: "u2", -3: "u3"}
PARTLY = np.array([FOREIGN[i] if i < 0 else TICKETS[i] for i in FEW], dtype=object)
ACCENTS = np.array([f"Zoë{i}" for i in OBJECTS], dtype=object)
CASES: dict[str, Case] = {
    "same order": Case({"ticket": TICKETS}, {"ticket": TICKETS}),
    "permuted key": both(TICKETS),
    "permuted whole numbers": both(NUMBERS, name="sku"),
    "permuted numbers from 1": both(OBJECTS + 1, name="patient_no"),
    "number forms": both(NUMBERS, right=[f"{i}.0" for i in NUMBERS]),
    "white space": both(TICKETS, right=[f"  {text} " for text in TICKETS]),
    "leading zeros": both(NUMBERS, right=[f"00{i}" for i in NUMBERS]),
    "Unicode form": both(ACCENTS, right=[unicodedata.normalize("NFD", a) for a in ACCENTS]),
    "partial overlap": Case({"ticket": TICKETS}, {"ticket": PARTLY}, FEW, refused=True),
    "partial overlap, inner": Case({"ticket": TICKETS}, {"ticket": PARTLY}, FEW, on="inner"),
    "disjoint": Case({"ticket": TICKETS}, {"ticket": [f"v{i}" for i in OBJECTS]}, refused=True),
    "repeated on the right": both(TICKETS, right=changed(TICKETS, 2, TICKETS[5]), refused=True),
    "repeated on the left": both(changed(TICKETS, 2, TICKETS[5]), right=TICKETS, refused=True),
    "blank on the right": both(TICKETS, right=changed(TICKETS, 2, ""), refused=True),
    "two keys agree": Case(
        {"ticket": TICKETS, "sku": NUMBERS},
        {"ticket": TICKETS[SHUFFLED], "sku": NUMBERS[SHUFFLED]},
        SHUFFLED,
    ),
    "two keys disagree": Case(
        {"ticket": TICKETS, "sku": NUMBERS},
        {"ticket": TICKETS[SHUFFLED], "sku": NUMBERS},
        SHUFFLED,
        refused=True,
    ),
    "two keys disagree, one is said": Case(
        {"ticket": TICKETS, "sku": NUMBERS},
        {"ticket": TICKETS[SHUFFLED], "sku": NUMBERS},
        SHUFFLED,
        key="ticket",
    ),
    "no key": Case({}, {}),
    "no key, other number": Case({}, {}, OBJECTS[:9], refused=True),
    "key on the left alone": Case({"ticket": TICKETS}, {}),
    "key on the right alone": Case({}, {"ticket": TICKETS[SHUFFLED]}, SHUFFLED, refused=True),
    "said key is missing": Case(
        {"ticket": TICKETS}, {"sku": NUMBERS[SHUFFLED]}, SHUFFLED, key="ticket", refused=True
    ),
    "written values are no key": Case({"distance": NUMBERS}, {"distance": NUMBERS[SHUFFLED]}),
    "row numbers on the right": Case({}, {"row": SHUFFLED}, SHUFFLED),
}


def table(case: Case, folder: Path, side: str, name: str, values: Any) -> Path:
    """One side of a case as a CSV file."""
    keys = getattr(case, side)
    frame = pd.DataFrame({**keys, name: values})
    frame.to_csv(folder / f"{side}.csv", index=False)
    return folder / f"{side}.csv"


def values_on_the_right(case: Case) -> list[Any]:
    """Class of each row on the right."""
    return [f"k{CLASSES[i]}" if i >= 0 else "foreign" for i in case.of]


def data_file(case: Case, folder: Path) -> Path:
    frame = pd.DataFrame({**case.left, "x": CLASSES * 5.5 + OBJECTS / 100, "y": OBJECTS / 7.3})
    frame.to_csv(folder / "data.csv", index=False)
    return folder / "data.csv"


def agree(case: Case, values: Any) -> None:
    """Raise unless each object has its class, or none where the right input lacks it."""
    wanted = [f"k{CLASSES[i]}" if i in set(case.of) else None for i in OBJECTS]
    assert list(values) == wanted


def truth(case: Case, folder: Path) -> None:
    """``sortal run`` and ``check`` with ``--truth``."""
    right = table(case, folder, "right", "kind", values_on_the_right(case))
    options = {"id_column": case.key, "on": case.on}
    reading = LabelledInputOptions(data=str(data_file(case, folder)), truth=str(right), **options)
    agree(case, read_dataset(reading, stop=False).y)


def labelings(case: Case, folder: Path) -> None:
    """``--labelings`` of ``run`` and ``label``, ``--labels`` of ``clarity``."""
    right = table(case, folder, "right", "kind", values_on_the_right(case))
    dataset = read(data_file(case, folder), id_column=case.key)
    agree(case, read_labelings(right, ids=dataset, id_column=case.key)["kind"])


def bound(case: Case, folder: Path) -> None:
    """``sortal bound``."""
    left = table(case, folder, "left", "group", CLASSES)
    right = table(case, folder, "right", "label", values_on_the_right(case))
    clusterings = read_labelings(left, id_column=case.key)
    agree(case, read_labels(right, clusterings, id_column=case.key, on=case.on).values)  # type: ignore[arg-type]


def compare(case: Case, folder: Path) -> None:
    left = table(case, folder, "left", "group", CLASSES)
    right = table(case, folder, "right", "kind", values_on_the_right(case))
    options = ["--on", case.on, *(["--id-column", case.key] if case.key else [])]
    measure = ("--measure", "adjusted_rand_index", "--json")
    done = sortal_command("compare", left, right, *options, *measure)
    if done.returncode:
        raise InputError(done.stderr)
    answer = json.loads(done.stdout)
    assert answer["measures"][0]["values"]["group"]["kind"] == 1
    assert answer["objects"] == sum(i >= 0 for i in case.of)


def imported(case: Case, folder: Path) -> None:
    """``sortal label --import``."""
    right = table(case, folder, "right", "label", values_on_the_right(case))
    dataset = read(data_file(case, folder))
    session = LabelSession(folder / "answers.jsonl", OBJECTS, [f"o{i}" for i in OBJECTS], by="me")
    import_labels(session, right, dataset, id_column=case.key)
    agree(case, session.y)


def bench(case: Case, folder: Path) -> None:
    (folder / "bench" / "set").mkdir(parents=True)
    table(case, folder, "left", "group", CLASSES).rename(folder / "bench" / "set" / "truth.csv")
    right = table(case, folder, "right", "kind", values_on_the_right(case))
    right.rename(folder / "bench" / "set" / "method.csv")
    keys = {"id_column": case.key}
    race = Benchmark.from_folder(folder / "bench", ["adjusted_rand_index"], **keys)
    assert race.table["adjusted_rand_index"].tolist() == [1.0]


def series(case: Case, side: str, values: Any) -> Any:
    """A side of a case as a series whose index is the key, or as a list."""
    keys = getattr(case, side)
    return list(values) if not keys else pd.Series(list(values), index=list(*keys.values()))


def study_y(case: Case, folder: Path) -> None:
    right = series(case, "right", values_on_the_right(case))
    agree(case, sortal.Study(read(data_file(case, folder)), y=right).state.y)


def study_add(case: Case, folder: Path) -> None:
    study = sortal.Study(read(data_file(case, folder)))
    study.add({"mine": series(case, "right", values_on_the_right(case))})
    assert sortal.adjusted_rand_index(CLASSES, study.labelings(["mine"])["mine"]) == 1


def evaluated(case: Case, folder: Path) -> None:
    left, right = series(case, "left", CLASSES), series(case, "right", values_on_the_right(case))
    scores = sortal.evaluate(None, {"a": left}, y=right, measures=["adjusted_rand_index"])
    assert scores.table.iloc[0, 0] == 1


def compared(case: Case, folder: Path) -> None:
    left, right = series(case, "left", CLASSES), series(case, "right", values_on_the_right(case))
    on: Any = "inner" if case.on == "inner" else "both"
    assert (sortal.compare_labelings({"a": left, "b": right}, on=on) == 1).all(axis=None)


def guaranteed(case: Case, folder: Path) -> None:
    left, right = series(case, "left", CLASSES), series(case, "right", values_on_the_right(case))
    agree(case, sortal.guarantee(left, right).labels)


FILES: dict[str, Callable[[Case, Path], None]] = {
    "truth": truth,
    "labelings": labelings,
    "bound": bound,
    "compare": compare,
    "import": imported,
    "bench": bench,
}
MEMORY: dict[str, Callable[[Case, Path], None]] = {
    "Study(y=)": study_y,
    "Study.add": study_add,
    "evaluate": evaluated,
    "compare_labelings": compared,
    "guarantee": guaranteed,
}
#: doors that take no such input: distances may be a clustering there, labels need a key
NOT_FOR = {
    ("compare", "written values are no key"),
    ("bench", "written values are no key"),
    ("import", "no key"),
    ("import", "key on the left alone"),
    # of two files of labels neither is the first, so one that names its rows is enough to refuse
    ("compare", "key on the left alone"),
    # arrays have no names that an index could be compared with
    *((key, "key on the right alone") for key in MEMORY),
}
TAKES_COMMON = {"truth", "bound", "compare", "compare_labelings"}


def in_memory(case: Case) -> bool:
    """Whether an index can stand for the keys of a case."""
    columns = [*case.left, *case.right]
    one_each = max(len(case.left), len(case.right)) < 2
    return one_each and case.key is None and not {"row", "distance"} & set(columns)


RUNS = [
    pytest.param(door, CASES[name], id=f"{key}: {name}")
    for doors, is_memory in ((FILES, False), (MEMORY, True))
    for key, door in doors.items()
    for name in CASES
    if (key, name) not in NOT_FOR
    and (not is_memory or in_memory(CASES[name]))
    and (CASES[name].on == "same" or key in TAKES_COMMON)
]


@pytest.mark.quick(72)
@pytest.mark.parametrize(("door", "case"), RUNS)
def test_every_door_joins_or_refuses(
    door: Callable[[Case, Path], None], case: Case, tmp_path: Path
) -> None:
    if not case.refused:
        door(case, tmp_path)
        return
    with pytest.raises(InputError):
        door(case, tmp_path)


def test_files_of_labels_with_names_and_without_are_not_compared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"left\.csv names its rows by 'ticket'"):
        compare(CASES["key on the left alone"], tmp_path)


def test_an_error_has_counts_and_examples(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        bound(CASES["partial overlap"], tmp_path)
    message = str(caught.value)
    for words in (
        "'ticket'",
        "9 in both",
        "3 of 12 objects only in",
        "'u1', 'u2', 'u3'",
        "--on inner",
    ):
        assert words in message


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("number forms", "'101.0' is read as '101'"),
        ("white space", "is read as 't00x'"),
        ("leading zeros", "'00101' is read as '101'"),
    ],
)
def test_changed_forms_are_said(name: str, note: str, tmp_path: Path) -> None:
    case = CASES[name]
    left = table(case, tmp_path, "left", "group", CLASSES)
    right = table(case, tmp_path, "right", "label", values_on_the_right(case))
    assert any(note in text for text in read_labels(right, read_labelings(left)).notes)


def test_two_keys_that_disagree_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'ticket' and 'sku', which disagree in \d+ rows"):
        compare(CASES["two keys disagree"], tmp_path)


def test_pairs_are_joined_by_any_key(tmp_path: Path) -> None:
    case = Case({"ticket": TICKETS}, {})
    study = sortal.Study(read(data_file(case, tmp_path)))
    study.constrain([(TICKETS[3], f" {TICKETS[0]}", "must")])
    with pytest.raises(InputError, match="'nobody'"):
        study.constrain([(TICKETS[3], "nobody", "must")])


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(N)), st.permutations(range(N)), st.sampled_from(["text", "whole"]))
def test_the_order_of_the_rows_changes_nothing(left: Any, right: Any, form: str) -> None:
    key = TICKETS if form == "text" else NUMBERS
    sides = [pd.Series(np.asarray(order), index=key[list(order)]) for order in (left, right)]
    assert sortal.adjusted_rand_index(*sides) == 1
    table = ContingencyTable(*sides)
    assert table.to_array().tolist() == np.eye(N, dtype=int).tolist()


def test_a_range_in_another_order_is_an_index() -> None:
    left = pd.Series(CLASSES[SHUFFLED], index=SHUFFLED)
    right = pd.Series(CLASSES[SHUFFLED[::-1]], index=SHUFFLED[::-1])
    assert sortal.adjusted_rand_index(left, right) == 1
    assert (sortal.compare_labelings({"a": left, "b": right}) == 1).all(axis=None)
    with pytest.raises(InputError, match="different indexes"):
        sortal.compare_labelings({"a": left, "b": pd.Series(CLASSES)})


def test_polars_series_have_no_index_and_are_taken_in_order() -> None:
    polars = pytest.importorskip("polars")
    labels = polars.Series(CLASSES.tolist())
    assert (sortal.compare_labelings({"a": labels, "b": CLASSES}) == 1).all(axis=None)


def test_rows_that_are_no_objects_may_have_labels(tmp_path: Path) -> None:
    case = both(TICKETS)
    frame = pd.read_csv(data_file(case, tmp_path))
    frame.loc[4, "x"] = np.nan
    frame.to_csv(tmp_path / "data.csv", index=False)
    right = table(case, tmp_path, "right", "kind", values_on_the_right(case))
    data = read(tmp_path / "data.csv", y=right, impute="drop")
    assert data.y is not None
    assert list(data.y) == [f"k{CLASSES[i]}" for i in OBJECTS if i != 4]


def test_relations_in_files_are_joined_by_the_names_of_the_objects(tmp_path: Path):
    x = CLASSES * 5.5 + OBJECTS / 100
    pd.DataFrame({"ticket": TICKETS, "x": x}).to_csv(tmp_path / "data.csv", index=False)
    D = pd.DataFrame(np.abs(np.subtract.outer(x, x)), TICKETS, TICKETS)
    mixed = D.loc[TICKETS[SHUFFLED], TICKETS[SHUFFLED]]
    mixed.to_csv(tmp_path / "far.csv", index_label="ticket")
    pairs = [(a, b) for a in OBJECTS for b in OBJECTS[:a] if CLASSES[a] == CLASSES[b]]
    edges = pd.DataFrame([(TICKETS[a], TICKETS[b]) for a, b in pairs], columns=["from", "to"])
    edges.to_csv(tmp_path / "edges.csv", index=False)
    dataset = read(tmp_path / "data.csv")
    np.testing.assert_allclose(with_relation(dataset, tmp_path / "far.csv", "precomputed").X, D)
    graph = with_relation(dataset, tmp_path / "edges.csv", "graph").X.toarray()
    np.testing.assert_array_equal(graph > 0, (CLASSES[:, None] == CLASSES) & ~np.eye(N, dtype=bool))
    edges[[CLASSES[a] == 0 for a, _ in pairs]].to_csv(tmp_path / "few.csv", index=False)
    with pytest.raises(InputError, match="8 of 12 objects only in data"):
        with_relation(dataset, tmp_path / "few.csv", "graph")


def test_clusterings_read_without_a_data_set_are_joined_when_they_are_added(tmp_path: Path):
    data = pd.DataFrame({"sku": NUMBERS, "x": CLASSES * 5.5 + OBJECTS / 100})
    data.to_csv(tmp_path / "data.csv", index=False)
    mine = pd.DataFrame({"sku": NUMBERS, "mine": CLASSES}).iloc[SHUFFLED]
    mine.to_csv(tmp_path / "mine.csv", index=False)
    with sortal.Study(read(tmp_path / "data.csv")) as study:
        study.add(read_labelings(tmp_path / "mine.csv"))
        assert list(study.candidates.index) == ["mine"]
        assert sortal.adjusted_rand_index(study.labels("mine"), CLASSES) == 1


def test_a_clustering_of_fewer_objects_says_what_inner_does_not_do(tmp_path: Path):
    data = pd.DataFrame({"ticket": TICKETS, "x": CLASSES * 5.5, "y": OBJECTS / 3})
    data.to_csv(tmp_path / "data.csv", index=False)
    mine = pd.DataFrame({"ticket": TICKETS, "mine": CLASSES}).iloc[SHUFFLED[:9]]
    mine.to_csv(tmp_path / "mine.csv", index=False)
    options = ["--labelings", tmp_path / "mine.csv", "--only-labelings", "--on", "inner"]
    result = sortal_command("run", tmp_path / "data.csv", *options)
    assert result.returncode == 2
    wanted = "3 of 12 objects only in data", "-1 for objects in no cluster (--on inner leaves out"
    assert all(" ".join(part.split()) in " ".join(result.stderr.split()) for part in wanted)
