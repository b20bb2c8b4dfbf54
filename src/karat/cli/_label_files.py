"""Labelings in files, for ``karat compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from karat.runtime.validation import InputError, unknown_name


def split_columns(columns: str | None) -> list[str] | None:
    import csv

    names = next(csv.reader([columns])) if columns else None
    if names is not None and len(names) < 2:
        raise InputError(f"--columns takes two or more names separated by commas; got {columns!r}")
    return names


def read_files(
    files: list[Path],
    names: list[str] | None,
    truth: str | None,
    id_column: str | None,
    header: bool | None,
) -> tuple[dict[str, Any], str | None, dict[str, int], list[str]]:
    """Labelings by name, the gold standard among them, excluded objects per file, notes."""
    from karat.datasets import read_labelings

    gold_file = Path(truth) if truth is not None and Path(truth).is_file() else None
    paths = list(dict.fromkeys([*([gold_file] if gold_file else []), *files]))
    notes: list[str] = []
    if id_column is None and len(paths) > 1:
        id_column, told = _shared_id(paths, header)
        notes.append(told)
    ids, excluded = (None, {}) if id_column is None else _common(paths, id_column, header)
    read = {
        path: read_labelings(path, id_column=id_column, ids=ids, header=header) for path in paths
    }
    notes += [f"{path}: {note}" for path, found in read.items() for note in found.notes]
    labelings = _unique(read)
    if names is not None and len(names) == len(paths) == 2:
        given = zip(names, read.values(), strict=True)
        labelings |= {name: found[name] for name, found in given if name in found}
    gold = _gold(read, labelings, names, truth, gold_file)
    if names is not None:
        labelings = {name: labelings[name] for name in dict.fromkeys([gold or names[0], *names])}
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
    return labelings, gold, excluded, notes


def _gold(
    read: dict[Path, Any],
    labelings: dict[str, Any],
    names: list[str] | None,
    truth: str | None,
    gold_file: Path | None,
) -> str | None:
    """Which labeling is the gold standard, once all that are named are found."""
    for name in names or ():
        if name not in labelings:
            raise unknown_name(name, labelings, "column")
    if gold_file is not None:
        if len(read[gold_file]) != 1:
            raise InputError(
                f"--truth {truth} has {len(read[gold_file])} columns "
                f"({', '.join(read[gold_file])}); give a file of one"
            )
        return next(iter(labelings))
    if truth is not None and truth not in labelings:
        raise InputError(
            f"--truth {truth} is no file, and {unknown_name(truth, labelings, 'column')}"
        )
    if truth is None and names is not None and len(names) == 2:
        return names[0]
    if truth is None and len(read) == 2 and all(len(found) == 1 for found in read.values()):
        return next(iter(labelings))
    return truth


def _shared_id(paths: list[Path], header: bool | None) -> tuple[str | None, str]:
    """The column by which files of labels are joined, if all have it, and a note.

    Files are taken row by row only where none of them names its objects.
    """
    from karat.datasets import object_ids, read_columns

    named: dict[Path, dict[str, Any]] = {}
    for path in paths:
        columns = read_columns(path, n=None, header=header, plain=True)[0]
        own = object_ids.id_columns(columns) if len(columns) > 1 else []
        named[path] = {name: columns[name] for name in own}
    for name in sorted(named[paths[0]], key=lambda one: one.lower() != "id"):
        if all(name in own for own in named.values()):
            return name, f"The files are joined by the column {name!r}, which names the objects."
    for path, given in named.items():
        for values in given.values():
            if not any(object_ids.are_positions(values, start) for start in (0, 1)):
                told = "; ".join(f"{other} {_ids_of(ids)}" for other, ids in named.items())
                raise InputError(
                    f"{path} names its objects, and not all files do so in the same column: "
                    f"{told}. Give all files the same column of ids, or drop it"
                )
    return None, "The files are taken row by row: they have no ids."


def _ids_of(own: dict[str, Any]) -> str:
    if not own:
        return "has no ids"
    name, values = next(iter(own.items()))
    return f"has them in {name!r} ({', '.join(repr(str(value)) for value in values[:3])}, ...)"


def _common(
    paths: list[Path], id_column: str, header: bool | None
) -> tuple[list[Any], dict[str, int]]:
    """Ids that all files have, in the order of the first, and how many others each has."""
    from karat.datasets import object_ids, read_columns

    found = {}
    for path in paths:
        columns = read_columns(path, n=None, header=header, wanted=(id_column,))[0]
        if id_column not in columns:
            raise InputError(f"{path}: {unknown_name(id_column, columns, 'column')}")
        object_ids.check_ids(columns[id_column], f"{path}: {id_column!r}")
        found[path] = columns[id_column]
    shared = set.intersection(*({str(value) for value in ids} for ids in found.values()))
    if not shared:
        some = " and ".join(repr(str(ids[0])) for ids in found.values())
        raise InputError(
            f"the files share no {id_column!r} (they have for example {some}), so there is no "
            "object to compare"
        )
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
