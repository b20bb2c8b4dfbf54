"""A folder of label files: references and clusterings of many data sets."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.bench.collection import Entry
from sortal.labelings.row_join import Rows
from sortal.runtime.output import without_outputs
from sortal.runtime.validation import InputError

_REFERENCE = re.compile(r"(?:truth|labels|reference)(\d*)")
_FLAT = re.compile(r"(.+)\.(labels\d*)")
_CUT = re.compile(r"(.+)\.result(\d+)")
_TRY = re.compile(r"(.+)\.(\d+)")
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
_TABLE_SUFFIXES = (".csv", ".tsv", ".txt", ".npy", ".parquet")


def read_folder(path: str | Path, *, id_column: str | None = None) -> dict[str, Entry]:
    """References and clusterings of every data set in a folder.

    Parameters
    ----------
    path : str or path
        A folder in one of two layouts; see Notes.
    id_column : str, optional
        The column that names the objects in all tables, if several do.

    Returns
    -------
    dict of str to Entry
        By the name of the data set, in order.

    Notes
    -----
    The first layout has a folder for each data set. The folder contains ``truth.csv``, or
    ``labels0.csv``, ``labels1.csv``, ... for several references. Beside it is a file for each
    method, ``method.csv``, or for each of its tries, ``method.1.csv``, ``method.2.csv``.

    The second layout has ``set.labels0.gz`` beside a folder for each method. A method's folder
    contains ``set.gz``, ``set.1.gz`` for each try, or ``set.result3.gz`` for three clusters
    (clustering-data-v1 and clustering-results-v1, Gagolewski 2022). In these references 0 is noise
    and is ignored. Each reference is compared with the result of the same number of clusters.

    Both layouts may be inside folders of batteries: a data set is then called ``battery/set``. A
    file has one label per line, with or without header, or is any table that
    :func:`sortal.datasets.read_labelings` reads. In a table of several columns each column is a
    method. Files are joined with the reference by the columns of one name that differ from row to
    row, one to one.
    """
    root = Path(path)
    if not root.is_dir():
        raise InputError(f"{root} is not a folder")
    names, _ = without_outputs(
        file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()
    )
    files = sorted(
        root / name for name in names if not any(p.startswith(".") for p in Path(name).parts)
    )
    nested = [file for file in files if file.parent != root]
    if any(map(_is_reference, nested)):
        entries = _set_folders(root, nested, id_column)
    else:
        entries = _method_folders(root, files, id_column)
    _check_entries(root, entries)
    return entries


def _set_folders(root: Path, files: list[Path], id_column: str | None) -> dict[str, Entry]:
    """Data sets of the layout with a folder for each data set."""
    entries: dict[str, Entry] = {}
    # in each folder the references first: they set the order of the objects
    for file in sorted(files, key=lambda path: (path.parent, not _is_reference(path), path)):
        entry = entries.setdefault(
            file.parent.relative_to(root).as_posix(), Entry(id_column=id_column)
        )
        if _is_reference(file):
            entry.references[_stem(file)] = _reference(entry, file)
        else:
            _add(entry, file, *_method_and_try(_stem(file)))
    return entries


def _method_folders(root: Path, files: list[Path], id_column: str | None) -> dict[str, Entry]:
    """Data sets of Gagolewski's layout: references of all sets, and a folder for each method."""
    entries: dict[str, Entry] = {}
    reference_folders = set()
    for file in files:
        if match := _FLAT.fullmatch(_stem(file)):
            battery = "" if file.parent == root else f"{file.parent.name}/"
            entry = entries.setdefault(battery + match[1], Entry(id_column=id_column))
            if match[2] in entry.references:
                raise InputError(f"{file}: there is another {match[2]} of {match[1]}")
            entry.references[match[2]] = _reference(entry, file, noise=(0, -1))
            reference_folders.add(file.parent)
    for file in files:
        if file.parent in reference_folders:
            continue  # matrices and descriptions lie beside the references
        stem, folder = _stem(file), file.parent
        cut = _CUT.fullmatch(stem)
        for method, battery in ((folder.name, ""), (folder.parent.name, f"{folder.name}/")):
            if cut is not None and battery + cut[1] in entries:
                _add_cuts(entries[battery + cut[1]], file, int(cut[2]))
            elif cut is None:
                name, number = (stem, 0) if battery + stem in entries else _method_and_try(stem)
                if battery + name in entries:
                    _add(entries[battery + name], file, method, number)
    return entries


def _is_reference(file: Path) -> bool:
    """Whether a file's name is that of a reference."""
    return _REFERENCE.fullmatch(_stem(file)) is not None


def _method_and_try(stem: str) -> tuple[str, int]:
    """Method and number of the try in a file's name; the number is a final ``.N``, else 0."""
    match = _TRY.fullmatch(stem)
    return (stem, 0) if match is None else (match[1], int(match[2]))


def _add(entry: Entry, file: Path, method: str, number: int) -> None:
    """Store the clusterings of a file; several columns are methods."""
    columns = _columns(entry, file)
    for column, labels in columns.items():
        name = method if len(columns) == 1 else column
        tries = entry.tries.setdefault(name, {})
        if number in tries:
            raise InputError(f"{file}: there is another file of try {number} of {name}")
        tries[number] = labels


def _add_cuts(entry: Entry, file: Path, k: int) -> None:
    """Store the clusterings into k clusters if a reference has k classes."""
    if k not in map(number_of_classes, entry.references.values()):
        return
    rows = list(csv.reader(_lines(file)))
    if len({len(row) for row in rows}) != 1 or len(rows) < 2:
        raise InputError(f"{file} is not a table: the first line must name the methods")
    for name, *labels in zip(*rows, strict=True):
        cuts = entry.tries.setdefault(name, {}).setdefault(0, {})
        if k in cuts:
            raise InputError(f"{file}: there is another result of {name} with {k} clusters")
        cuts[k] = _as_integers(labels)


def number_of_classes(values: NDArray[np.object_]) -> int:
    """Number of classes of a reference, without the objects of no class."""
    return len({value for value in values if value is not None})


def _check_entries(root: Path, entries: dict[str, Entry]) -> None:
    """Raise unless every data set has a reference and labelings of the same length."""
    if not any(entry.references for entry in entries.values()):
        raise InputError(
            f"{root} has no label files: expected a folder for each data set with truth.csv and a "
            "file for each method, or SET.labels0 files beside a folder for each method"
        )
    for name, entry in entries.items():
        if not entry.references:
            raise InputError(f"{root / name} has no reference: add truth.csv or labels0.csv")
        n = len(next(iter(entry.references.values())))
        labelings = [(f"reference {key}", values) for key, values in entry.references.items()]
        for key, tries in entry.tries.items():
            for labels in tries.values():
                cuts = labels.values() if isinstance(labels, dict) else [labels]
                labelings += [(key, cut) for cut in cuts]
        for key, values in labelings:
            if len(values) != n:
                raise InputError(
                    f"{name}: {key} has {len(values)} objects where the reference has {n}"
                )


def _uncompressed_name(path: Path) -> Path:
    """File name without the suffix of a compressed file."""
    return Path(path.stem) if path.suffix.lower() in _PACKED_SUFFIXES else Path(path.name)


def _stem(path: Path) -> str:
    """File name without the suffixes of tables and compressed files."""
    bare = _uncompressed_name(path)
    return bare.stem if bare.suffix.lower() in _TABLE_SUFFIXES else bare.name


def _columns(entry: Entry, file: Path) -> dict[str, Any]:
    """Columns of a file of labels in the references' order; plain lines are a single column."""
    from sortal.datasets import read_labelings

    is_table = _uncompressed_name(file).suffix.lower() in _TABLE_SUFFIXES
    if not entry.references:
        columns = read_labelings(file, id_column=entry.id_column) if is_table else None
        entry.rows = None if columns is None else columns.named
    else:
        rows = entry.rows or Rows("the reference", len(next(iter(entry.references.values()))))
        columns = (
            read_labelings(file, id_column=entry.id_column, ids=rows, on="both")
            if is_table
            else None
        )
        is_by_row = columns is None or (columns.join is not None and columns.join.by_position)
        if is_by_row and any(key.names_rows and not key.is_counter for key in rows.keys.values()):
            entry.by_row.append(str(file))
    return {"": _as_integers(_lines(file))} if columns is None else dict(columns)


def _lines(file: Path) -> list[str]:
    """Lines of a file, each with a label or a row of labels."""
    from sortal.datasets import read_lines

    lines = [line.strip() for line in "\n".join(read_lines(file)).strip().split("\n")]
    if not all(lines):
        raise InputError(f"{file}, line {lines.index('') + 1} has no label")
    return lines


def _as_integers(labels: list[str]) -> list[Any]:
    """Labels as integers if all are whole numbers, else unchanged."""
    are_integers = all(label.removeprefix("-").isdecimal() for label in labels)
    return [int(label) for label in labels] if are_integers else list(labels)


def _reference(entry: Entry, file: Path, noise: tuple[int, ...] = (-1,)) -> NDArray[np.object_]:
    """Labels of a reference; those in ``noise`` become None."""
    columns = _columns(entry, file)
    if len(columns) != 1:
        raise InputError(f"{file} has {len(columns)} columns of labels; expected one")
    labels = np.array(list(next(iter(columns.values()))), dtype=object)
    labels[[value in noise for value in labels]] = None
    return labels
