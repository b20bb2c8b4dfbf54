"""Labelings in files, for ``karat compare``: two that may be larger than memory, or many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.labelings.contingency import ContingencyTable


def split_columns(columns: str | None) -> list[str] | None:
    import csv

    from karat.runtime.validation import InputError

    names = next(csv.reader([columns])) if columns else None
    if names is not None and len(names) < 2:
        raise InputError(f"--columns takes two or more names separated by commas; got {columns!r}")
    return names


def shared_id(paths: list[Path], header: bool | None) -> tuple[str | None, list[str]]:
    """The column by which files of labels are joined, if all have it, and a note.

    Files are taken row by row only where none of them names its objects.
    """
    from karat.datasets import joining, read_columns
    from karat.datasets.label_files import LabelFile, connect
    from karat.runtime.validation import InputError

    paths = list(dict.fromkeys(paths))
    if len(paths) < 2:
        return None, []
    connection = connect(paths)
    called: dict[Path, dict[str, LabelFile]] = {path: {} for path in paths}
    for i, path in enumerate(paths):
        if path.suffix not in (".npy", ".npz"):
            file = LabelFile(connection, path, view=f"ids{i}", header=header)
            if len(file.columns) > 1:
                called[path] = {name: file for name in file.columns if joining.is_id_name(name)}
    for name in sorted(next(iter(called.values())), key=lambda one: one.lower() != "id"):
        if all(name in own for own in called.values()) and all(
            own[name].names_objects(name) for own in called.values()
        ):
            told = f"The files are joined by the column {name!r}, which names the objects."
            return name, [told]
    named: dict[Path, dict[str, Any]] = {path: {} for path in called}
    for path, own in called.items():
        if own:
            columns = read_columns(path, n=None, header=header, plain=True)[0]
            named[path] = {name: columns[name] for name in joining.id_columns(columns)}
    for path, given in named.items():
        for name, values in given.items():
            if not any(joining.are_positions(values, start) for start in (0, 1)):
                listed = ", ".join(repr(str(value)) for value in values[:3])
                others = [
                    f"{other} {_ids_of(ids)}" for other, ids in named.items() if other != path
                ]
                raise InputError(
                    f"{path} names its objects in {name!r} ({listed}, ...), and "
                    f"{'; '.join(others)}: give all files the same column of ids, or drop it"
                )
    return None, ["The files are taken row by row: they have no ids."]


def _ids_of(own: dict[str, Any]) -> str:
    if not own:
        return "has no ids"
    name, values = next(iter(own.items()))
    return f"in {name!r} ({', '.join(repr(str(value)) for value in values[:3])}, ...)"


def lone_columns(files: list[Path], id_column: str | None, header: bool | None) -> list[str] | None:
    """The label column of each of two files if they have no other."""
    from karat.datasets.label_files import LabelFile, connect

    connection = connect(files)
    found = [
        LabelFile(connection, path, view=f"look{i}", header=header).columns
        for i, path in enumerate(files)
    ]
    labels = [[name for name in columns if name != id_column] for columns in found]
    return [names[0] for names in labels] if [len(n) for n in labels] == [1, 1] else None


def read_two(
    files: list[Path], names: list[str], id_column: str | None, header: bool | None, noise: Any
) -> tuple[ContingencyTable, dict[str, int], list[str]]:
    """The table of two labelings, and how many objects of either file have no partner."""
    from karat.datasets.label_files import (
        LabelFile,
        connect,
        count_columns,
        count_joined,
        count_rows,
    )
    from karat.labelings.contingency import ContingencyTable

    connection = connect(files)
    gold = LabelFile(connection, files[0], header=header)
    left_out = {}
    notes = [f"{files[0]}: {note}" for note in gold.notes]
    if len(files) == 1:
        if id_column is not None:
            gold.check_ids(id_column)
        groups = count_columns(gold, names[0], names[1])
    else:
        found = LabelFile(connection, files[1], view="found", header=header)
        notes += [f"{files[1]}: {note}" for note in found.notes]
        if id_column is None:
            groups = count_rows(gold, found, names[0], names[1])
        else:
            groups, sizes = count_joined(gold, found, names[0], names[1], id_column)
            both = int(groups[0].sum())
            left_out = {str(path): size - both for path, size in zip(files, sizes, strict=True)}
    return ContingencyTable.from_counts(*groups, noise=noise), left_out, notes


def read_many(
    files: list[Path],
    names: list[str] | None,
    truth: str | None,
    id_column: str | None,
    header: bool | None,
) -> tuple[dict[str, Any], str | None, dict[str, int], list[str]]:
    """Labelings by name, the gold standard among them, excluded objects per file, notes."""
    from karat.datasets import read_labelings
    from karat.runtime.validation import InputError, unknown_name

    paths = list(dict.fromkeys(files))
    ids, left_out = (None, {}) if id_column is None else _common(paths, id_column, header)
    read = {
        path: read_labelings(path, id_column=id_column, ids=ids, header=header).hardened()
        for path in paths
    }
    if truth is not None and not any(truth in found for found in read.values()):
        path = Path(truth)
        if not path.is_file():
            known = [name for found in read.values() for name in found]
            raise InputError(
                f"--truth {truth} is no file, and {unknown_name(truth, known, 'column')}"
            )
        if id_column is not None:
            ids, left_out = _common([path, *paths], id_column, header)
            read = {
                one: read_labelings(one, id_column=id_column, ids=ids, header=header).hardened()
                for one in paths
            }
        gold = read_labelings(path, id_column=id_column, ids=ids, header=header).hardened()
        if len(gold) != 1:
            raise InputError(
                f"--truth {truth} has {len(gold)} columns ({', '.join(gold)}); give a file of one"
            )
        read = {path: gold, **read}
        truth = next(iter(_unique(read)))
    notes = [f"{path}: {note}" for path, found in read.items() for note in found.notes]
    labelings = _unique(read)
    if truth is not None and truth not in labelings:
        among = [name for name in labelings if name.endswith(f":{truth}")]
        raise InputError(f"{len(among)} files have a column {truth!r}; give --truth a file")
    if names is not None:
        for name in names:
            if name not in labelings:
                raise unknown_name(name, labelings, "column")
        labelings = {name: labelings[name] for name in dict.fromkeys([*names, truth or names[0]])}
    lengths = {name: len(labels) for name, labels in labelings.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {n:,}" for name, n in lengths.items())
        raise InputError(
            f"the labelings have different numbers of labels ({listed}); all must name the same "
            "objects in the same order, or share a column to join by (--id-column)"
        )
    if len(labelings) < 2:
        raise InputError(
            f"there is one labeling, {next(iter(labelings))!r}; give another file, or --truth"
        )
    return labelings, truth, left_out, notes


def _common(
    paths: list[Path], id_column: str, header: bool | None
) -> tuple[list[Any], dict[str, int]]:
    """Ids that all files have, in the order of the first, and how many others each has."""
    from karat.datasets import read_columns
    from karat.runtime.validation import InputError, unknown_name

    found = {}
    for path in paths:
        columns = read_columns(path, n=None, header=header, wanted=(id_column,))[0]
        if id_column not in columns:
            raise InputError(f"{path}: {unknown_name(id_column, columns, 'column')}")
        found[path] = columns[id_column]
    shared = set.intersection(*({str(value) for value in ids} for ids in found.values()))
    if not shared:
        raise InputError(f"the files share no {id_column!r}, so there is no object to compare")
    ids = [value for value in found[paths[0]] if str(value) in shared]
    return ids, {str(path): len(given) - len(ids) for path, given in found.items()}


def _unique(read: dict[Path, Any]) -> dict[str, Any]:
    """The labelings by column, or by file where two files have a column of one name."""
    columns = [name for found in read.values() for name in found]
    if len(set(columns)) == len(columns):
        return {name: labels for found in read.values() for name, labels in found.items()}
    stems = [path.stem for path in read]
    files = [str(path) for path in read] if len(set(stems)) < len(stems) else stems
    return {
        file if len(found) == 1 else f"{file}:{name}": labels
        for file, found in zip(files, read.values(), strict=True)
        for name, labels in found.items()
    }
