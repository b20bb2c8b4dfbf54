"""The one way from what was read to a :class:`Dataset`."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.datasets import _columns, object_ids
from karat.datasets._dataset import Dataset
from karat.datasets._draft import DatasetDraft, RawData
from karat.datasets._labelings import KnownLabels, read_labels
from karat.datasets._missing_values import fill_missing
from karat.datasets._names import check_names, quoted, row_numbers, visible, with_visible_names
from karat.datasets._options import ReadingOptions
from karat.datasets._scaling import center_spread, check_range, rescale, weigh_categories
from karat.datasets.data_checks import chosen_scale, missing_values, repeats, sorted_labels
from karat.datasets.findings import Finding, ordered
from karat.datasets.preparation import preparation_of
from karat.datasets.problems import RepairableError
from karat.datasets.reading_plan import InterpretedTable, interpret_table
from karat.datasets.table_kinds import found_distances, looks_like_distances
from karat.labelings.labels import count_labels, known_labels
from karat.runtime.validation import InputError, as_numbers


def prepare(raw: RawData, options: ReadingOptions, ids: Any = None) -> Dataset:
    """Take out labels and ids, encode, impute, check and scale."""
    import pyarrow as pa

    reading: InterpretedTable | None = None
    findings: list[Finding] = []
    if isinstance(raw.content, pa.Table):
        work, reading = _from_table(raw, options)
        findings += reading.findings
    else:
        work = _from_matrix(raw, options)
        if raw.source is not None and options.kind is None and looks_like_distances(work.X):
            findings.append(found_distances(work.X.shape[0]))
    n_read = work.X.shape[0]
    _describe(work, raw, options, ids, reading)
    plan = None if reading is None else reading.plan
    assume = plan is not None and not options.strict
    if plan is not None and assume:
        findings += missing_values(plan, work.X.shape[0], options)
    fill_missing(work, options.impute or ("neighbors" if assume else None))
    if work.X.shape[0] < 2:
        raise InputError(
            f"{raw.name} has one object{'' if n_read < 2 else ' left'}; "
            "a clustering needs at least two"
        )
    if assume:
        findings += repeats(work)
    how, finding = _scale(work, options, assume)
    findings += [] if finding is None else [finding]
    check_range(work, how)
    center, scale = rescale(work, how)
    if plan is not None:
        if scale is not None and options.scale == "auto":
            weigh_categories(work, scale)
        filled = None if work.filler is None else "neighbors"
        plan = replace(plan, scale=how, impute=options.impute or filled)
    preparation = preparation_of(work, plan, center, scale, options, aside=raw.names or ())
    truth = None
    if work.labels is not None:
        truth = _known(work.labels, options.label_column or "truth", work.notes)
        findings += sorted_labels(work, truth)
    assert work.ids is not None
    return Dataset(
        X=work.X,
        name=raw.name,
        feature_names=work.names,
        ids=work.ids,
        truth=truth,
        truth_name=None if truth is None else options.label_column or "truth",
        notes=tuple(work.notes),
        rows=np.arange(n_read) if work.rows is None else work.rows,
        center=center,
        scale=scale,
        source=raw.source,
        options=options.given(),
        findings=ordered(one for one in findings if one.key not in options.accept),
        plan=plan,
        preparation=preparation,
    )


def _scale(work: DatasetDraft, options: ReadingOptions, assume: bool) -> tuple[Any, Finding | None]:
    """What to scale to, by rule where something may be assumed."""
    if assume:
        return chosen_scale(work, center_spread(work.X, "standard")[1], options)
    return "none" if options.scale == "auto" else options.scale, None


def _describe(
    work: DatasetDraft,
    raw: RawData,
    options: ReadingOptions,
    ids: Any,
    reading: InterpretedTable | None,
) -> None:
    """Give the objects their ids and classes, and take out those whose lines are ragged."""
    n, d = work.X.shape
    if d == 0:
        raise InputError(
            f"{raw.name} has no feature left: every column is a label, an id or dropped"
        )
    ids = raw.ids if ids is None and options.id_column is None else ids
    if ids is not None:
        work.ids = _per_object(ids, "ids", n)
    if isinstance(options.truth, str):
        found = _known_labels(options.truth, work, reading)
        work.labels = found.values
        work.notes += [*found.notes, *(f"Warning: {doubt}." for doubt in found.doubts)]
    elif options.truth is not None:
        work.labels = _per_object(_by_index(options.truth, work.ids), "truth", n)
    if raw.ragged is not None:
        work.keep_objects(~raw.ragged)
        lost = np.flatnonzero(raw.ragged)
        work.notes.append(
            f"Excluded {len(lost):,} of {n:,} objects whose lines have too few or too many "
            f"cells ({row_numbers(lost)})."
        )
    if work.ids is not None:
        _check_ids(work, options.id_column)
    else:
        work.ids = np.arange(n) if work.rows is None else work.rows


def _from_table(raw: RawData, options: ReadingOptions) -> tuple[DatasetDraft, InterpretedTable]:
    """The columns as numbers, by their plan."""
    table = with_visible_names(raw.content)
    raw.names = tuple(table.column_names if raw.names is None else map(visible, raw.names))
    options.check_columns(raw.names)
    if table.num_rows < 2:
        rows = "one object" if table.num_rows else "no rows"
        raise InputError(f"{raw.name} has {rows}; a clustering needs at least two objects")
    aside = {
        name: _columns.objects(table.column(name), name)
        for name in (options.label_column, options.id_column)
        if name is not None
    }
    notes = _told(raw, options)
    table = table.drop_columns([n for n in table.column_names if n in {*aside, *options.drop}])
    table, index = _columns.without_index(table)
    if index:
        notes.append(f"Excluded the index column that pandas wrote: {quoted(index)}.")
    table = _columns.without_row_numbers(table, notes)
    reading = interpret_table(table, options)
    if not reading.features:
        known = ", ".join(f"{one.name!r} as {one.kind}" for one in reading.plan.columns[:6])
        raise InputError(
            f"{raw.name} has no feature left: every column is a label, an id or dropped"
            f"{', or was understood as something else: ' * bool(known)}{known}; name columns to "
            "use with accept (--accept KEY)"
        )
    raw.content = table = None  # its memory is wanted
    flags = {one.name for one in reading.plan.columns if one.kind == "category"}
    work = _columns.features(reading.features, flags)
    reading.features = {}
    work.ids = reading.ids if options.id_column is None else aside[options.id_column]
    work.labels = aside.get(options.label_column or "")
    work.notes = notes + work.notes
    return work, reading


def _told(raw: RawData, options: ReadingOptions) -> list[str]:
    dropped = [f"Excluded as requested: {quoted(options.drop)}."] if options.drop else []
    return [*raw.notes, *dropped]


def _from_matrix(raw: RawData, options: ReadingOptions) -> DatasetDraft:
    X = as_numbers(raw.content, name=raw.name)
    d = X.shape[1]
    names = raw.names if raw.names is not None else tuple(f"x{j + 1}" for j in range(d))
    if len(names) != d:
        raise InputError(f"there are {len(names)} feature names and {d} columns")
    check_names(names)
    own = () if raw.of_terms else names
    options.check_columns([*own, *raw.beside])
    notes, flags = _told(raw, options), np.zeros(d, dtype=bool)
    work = DatasetDraft(X, names, np.arange(d), names, flags, notes, raw.owned)
    work.ids = _aside(raw, work, options.id_column)
    work.labels = _aside(raw, work, options.label_column)
    keep = np.array([name not in options.columns() for name in names], dtype=bool)
    if own and not keep.all():
        work.keep_features(keep)
    return work


def _aside(raw: RawData, work: DatasetDraft, name: str | None) -> NDArray[np.object_] | None:
    """The label or id column of an array: a one-dimensional neighbour, or one of its columns."""
    if name is None:
        return None
    if name in raw.beside:
        values = raw.beside[name]
        if len(values) != work.X.shape[0]:
            raise InputError(f"{name!r} has {len(values)} values for {work.X.shape[0]} objects")
    else:
        column = work.X[:, [work.names.index(name)]]
        values = (column.toarray() if work.sparse else column).ravel()
    return _columns.objects(_columns.column_array(values), name)


def _known_labels(path: str, work: DatasetDraft, reading: InterpretedTable | None) -> KnownLabels:
    """The classes in a file, joined by whichever column of the table has its ids."""
    n = work.X.shape[0]
    try:
        return read_labels(path, n, ids=work.ids)
    except InputError:
        for ids in () if reading is None else reading.other_ids.values():
            with contextlib.suppress(InputError):
                return read_labels(path, n, ids=ids)
        raise


def _by_index(values: Any, ids: Any) -> Any:
    """The values of a pandas series whose index has the ids, in their order."""
    own = index_ids(values)
    if own is None or ids is None:
        return values
    if not object_ids.all_different(own):
        raise InputError("truth: its index names an object twice")
    return values.to_numpy()[object_ids.order(own, ids, "truth")]


def index_ids(table: Any) -> NDArray[Any] | None:
    """The ids in the index of a pandas table or series; None where it only counts the rows."""
    index = getattr(table, "index", None)
    if index is None or callable(index) or getattr(index, "nlevels", 2) > 1:
        return None
    values = np.asarray(index, dtype=object)
    return None if object_ids.are_positions(values) else values


def _per_object(values: Any, name: str, n: int) -> NDArray[np.object_]:
    """Labels or ids that were given beside the data."""
    if isinstance(values, (bytes, str)) or not hasattr(values, "__len__"):
        raise InputError(f"{name} must be a sequence, one value per object; got {values!r}")
    array = _columns.column_array(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if len(array) != n:
        raise InputError(f"{name} has {len(array)} values, but there are {n} objects")
    return _columns.objects(array, name)


def _check_ids(work: DatasetDraft, id_column: str | None) -> None:
    name = id_column or "id"
    assert work.ids is not None
    try:
        object_ids.check_ids(work.ids, f"id column {name!r}", work.row_numbers)
    except InputError as error:
        if id_column is None:
            raise
        raise RepairableError(
            f"{error}. Choose another column, or exclude it with drop={name!r} (--drop {name!r}), "
            "and the objects are numbered",
            id_column=None,
            drop=(name,),
        ) from None


def _known(labels: NDArray[np.object_], name: str, notes: list[str]) -> NDArray[np.object_]:
    """Classes, None where unknown; notes say how many of which were read."""
    truth = known_labels(labels, name=repr(name))
    notes.append(f"In {name!r} are {count_labels(truth)}.")
    known = [value for value in truth if value is not None]
    n_classes = len(set(known))
    if n_classes == 1:
        notes.append(f"{name!r} names one class only, so it cannot tell clusterings apart.")
    elif len(known) > 10 and 2 * n_classes > len(known):
        notes.append(
            f"{name!r} has {n_classes:,} classes for {len(known):,} objects: is it a class?"
        )
    return truth
