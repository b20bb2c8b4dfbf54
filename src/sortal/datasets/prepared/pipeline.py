"""Steps from raw data to a :class:`Dataset`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sortal.datasets.partitioned.part_summaries import unlike_finding
from sortal.datasets.prepared.data_checks import (
    chosen_scale,
    missing_values,
    outcome_columns,
    repeats,
    sorted_labels,
    successive,
)
from sortal.datasets.prepared.dataset import Dataset, RowKeys, possible_keys, row_keys
from sortal.datasets.prepared.preparation import preparation_of
from sortal.datasets.tables.object_rows import object_rows
from sortal.datasets.tables.reading_plan import (
    InterpretedTable,
    distances_finding,
    interpret_table,
    looks_like_distances,
)
from sortal.datasets.values import column_arrays, names_and_ids
from sortal.datasets.values.drafts import DatasetDraft, RawData
from sortal.datasets.values.feature_scaling import (
    center_spread,
    check_range,
    rescale,
    two_valued,
    weigh_categories,
)
from sortal.datasets.values.findings import Finding, ordered
from sortal.datasets.values.missing_values import fill_missing
from sortal.datasets.values.names_and_ids import (
    check_names,
    quoted,
    row_numbers,
    visible,
    with_visible_names,
)
from sortal.datasets.values.reading_options import ReadingOptions, RepairableError
from sortal.labelings.indexes import in_order_of
from sortal.labelings.labels import UNREADABLE, count_labels, is_unreadable, known_labels, none_note
from sortal.labelings.row_join import Rows
from sortal.runtime.validation import InputError, as_numbers

if TYPE_CHECKING:
    from sortal.datasets.partitioned.sampled_tables import TableSample
    from sortal.datasets.tables.reading_plan import ReadingPlan
    from sortal.datasets.values.names_and_ids import Ids
    from sortal.typing import Bools, Floats


#: reads the classes of rows from a file: their values, the name of their column, and notes
ClassReader: TypeAlias = Callable[[Rows], tuple[NDArray[np.object_], str, list[str]]]


def prepare(
    raw: RawData,
    options: ReadingOptions,
    ids: Ids | None = None,
    *,
    classes: ClassReader | None = None,
) -> Dataset:
    """Data set of raw data; ``classes`` reads the file of classes that the options name."""
    table: InterpretedTable | None = None
    findings: list[Finding] = []
    if isinstance(raw.content, pa.Table):
        draft, table = _from_table(raw, options)
        findings += table.findings
    else:
        draft = _from_matrix(raw, options)
        if raw.source is not None and options.kind is None and looks_like_distances(draft.X):
            findings.append(distances_finding(draft.X.shape[0]))
    n_read = draft.X.shape[0]
    _describe(draft, raw, options, ids, classes)
    more, plan = _completed(draft, raw.name, None if table is None else table.plan, options, n_read)
    findings += more
    scaling, center, scale, finding = scale_columns(draft, options, plan, check=True)
    findings += [] if finding is None else [finding]
    findings += successive(draft.X)
    if plan is not None:
        imputed_by = None if draft.filler is None else "neighbors"
        plan = replace(plan, scale=scaling, impute=options.impute or imputed_by)
    preparation = preparation_of(draft, plan, center, scale, options, aside=raw.names or ())
    y = None
    if draft.labels is not None:
        y = _truth(draft.labels, options.label_column or "truth", draft.notes)
        findings += sorted_labels(draft, y)
    assert draft.ids is not None
    rows = np.arange(n_read) if draft.rows is None else draft.rows
    return Dataset(
        X=draft.X,
        name=raw.name,
        feature_names=draft.names,
        ids=draft.ids,
        y=y,
        truth_name=None if y is None else options.label_column or "truth",
        notes=tuple(draft.notes),
        rows=rows,
        center=center,
        scale=scale,
        source=raw.source,
        options=options.non_defaults(),
        findings=ordered(finding for finding in findings if finding.key not in options.accept),
        plan=plan,
        preparation=preparation,
        variables=None if raw.variables is None else raw.variables.iloc[rows],
        gaps=draft.gaps,
        keys=row_keys(draft.keys, draft.rows, draft.n_source or n_read),
    )


def prepare_sample(sample: TableSample, options: ReadingOptions) -> Dataset:
    """Data set of the sampled rows of a table in parts."""
    ids = None if options.id_column is not None else sample.rows
    dataset = prepare(sample.raw, replace(options, header=None, encoding="utf-8"), ids=ids)
    assert dataset.rows is not None
    n_source = sample.whole.n_rows
    unlike = unlike_finding(sample.whole.differences)
    findings = dataset.findings
    if unlike is not None and unlike.key not in options.accept:
        findings = ordered((*findings, unlike))
    return replace(
        dataset,
        rows=sample.rows[dataset.rows].astype(np.intp),
        notes=dataset.notes + sample.notes,
        findings=findings,
        options=options.non_defaults(),
        keys=replace(dataset.keys or RowKeys(), aside={}, n_source=n_source),
        whole=sample.whole,
    )


def _completed(
    draft: DatasetDraft, name: str, plan: ReadingPlan | None, options: ReadingOptions, n_read: int
) -> tuple[list[Finding], ReadingPlan | None]:
    """Exclude outcomes and repeated columns, and impute; return the findings and the plan."""
    findings: list[Finding] = []
    assumed = None if options.strict else plan
    if assumed is not None:
        findings, outcomes = outcome_columns(draft, assumed, options)
        assumed = assumed.without(outcomes, kind="label")
        findings += missing_values(assumed, draft.X.shape[0], options)
        more, repeated = repeats(draft, options)
        findings, assumed = findings + more, assumed.without(repeated)
    fill_missing(draft, options.impute or ("neighbors" if assumed is not None else None))
    if draft.X.shape[0] < 2:
        raise InputError(
            f"{name} has one object{'' if n_read < 2 else ' left'}; a clustering needs at least two"
        )
    return findings, assumed or plan


def scale_columns(
    draft: DatasetDraft, options: ReadingOptions, plan: ReadingPlan | None, *, check: bool
) -> tuple[str, Floats | None, Floats | None, Finding | None]:
    """Scale the columns; return the scaling, what undoes it (center and scale), and a finding."""
    may_assume = plan is not None and not options.strict
    is_auto = may_assume and options.scale == "auto"
    flags = two_valued(draft) if is_auto else np.zeros(draft.X.shape[1], dtype=bool)
    scaling, finding = _scale(draft, options, may_assume, flags)
    if check:
        check_range(draft, scaling)
    center, scale = rescale(draft, scaling, flags)
    if plan is not None and options.scale == "auto":
        center, scale = weigh_categories(draft, flags, center, scale)
    return scaling, center, scale, finding


def _scale(
    draft: DatasetDraft, options: ReadingOptions, may_assume: bool, flags: Bools
) -> tuple[Any, Finding | None]:
    """Scaling to apply, by the units of the columns where ``auto``, and a finding about it."""
    if may_assume:
        return chosen_scale(draft, center_spread(draft.X, "standard")[1], flags, options)
    return "none" if options.scale == "auto" else options.scale, None


def _describe(
    draft: DatasetDraft,
    raw: RawData,
    options: ReadingOptions,
    ids: Ids | None,
    classes: ClassReader | None,
) -> None:
    """Exclude the objects of ragged lines, and set the ids and classes of the others."""
    if draft.X.shape[1] == 0:
        raise InputError(
            f"{raw.name} has no feature left: every column is a label, an id or dropped"
        )
    draft.n_source = draft.n_source or draft.X.shape[0]
    excluded = np.flatnonzero(False if raw.ragged is None else raw.ragged)
    if raw.ragged is not None:
        draft.keep_objects(~raw.ragged)
    n = draft.X.shape[0]
    ids = raw.ids if ids is None and options.id_column is None else ids
    if ids is not None:
        draft.ids = _per_object(ids, "ids", n, draft.rows, draft.n_source)
    if classes is not None:
        draft.labels, draft.label_name, notes = classes(_rows(raw.name, draft, options))
        draft.notes += notes
    elif options.y is not None:
        rows = _rows(raw.name, draft, options)
        y = in_order_of(rows, options.y, name=raw.name, other_name="y", on="right")
        draft.labels = _per_object(y, "y", n, draft.rows, draft.n_source)
    if len(excluded):
        draft.notes.append(
            f"Excluded {len(excluded):,} of {draft.n_source:,} objects whose lines have too few or "
            f"too many cells ({row_numbers(excluded)})."
        )
    if draft.ids is not None:
        _check_ids(draft, options.id_column)
    else:
        draft.ids = np.arange(n) if draft.rows is None else draft.rows


def _from_table(raw: RawData, options: ReadingOptions) -> tuple[DatasetDraft, InterpretedTable]:
    """Draft of a table whose columns were interpreted."""
    table = column_arrays.plain_columns(with_visible_names(raw.content))
    raw.names = tuple(table.column_names if raw.names is None else map(visible, raw.names))
    options.check_columns([*raw.names, *table.column_names])
    if table.num_rows < 2:
        rows = "one object" if table.num_rows else "no rows"
        raise InputError(f"{raw.name} has {rows}; a clustering needs at least two objects")
    n_source = table.num_rows
    objects = object_rows(table, raw, options)
    interpreted = interpret_table(objects.table, options, raw.decimal)
    interpreted.findings = [*objects.findings, *interpreted.findings]
    if not interpreted.features:
        kinds = ", ".join(
            f"{column.name!r} as {column.kind}" for column in interpreted.plan.columns[:6]
        )
        raise InputError(
            f"{raw.name} has no feature left: every column is a label, an id or dropped"
            f"{', or was interpreted differently: ' * bool(kinds)}{kinds}; name columns to "
            "use with accept (--accept KEY)"
        )
    keys = possible_keys(table)
    raw.content = table = objects.table = None  # its memory is wanted
    flags = {column.name for column in interpreted.plan.columns if column.kind == "category"}
    draft = column_arrays.features(interpreted.features, flags)
    draft.rows, draft.n_source, draft.keys = objects.rows, n_source, keys
    keys.pop(options.label_column or "", None)
    of_sets = {c.name for c in interpreted.plan.columns if c.facts.get("indicator")}
    draft.categorical |= np.isin(np.array(draft.columns)[draft.origin], sorted(of_sets))
    interpreted.features = {}
    id_values = objects.columns_aside.get(options.id_column or "", interpreted.ids)
    draft.ids = id_values if objects.ids is None else objects.ids
    draft.labels = objects.columns_aside.get(options.label_column or "")
    draft.notes = [*_initial_notes(raw, options), *objects.notes, *draft.notes]
    return draft, interpreted


def _initial_notes(raw: RawData, options: ReadingOptions) -> list[str]:
    """Notes of the reader and on dropped columns."""
    dropped = [f"Excluded as requested: {quoted(options.drop)}."] if options.drop else []
    return [*raw.notes, *dropped]


def _from_matrix(raw: RawData, options: ReadingOptions) -> DatasetDraft:
    """Draft of an array or a sparse matrix."""
    X = as_numbers(raw.content, name=raw.name)
    d = X.shape[1]
    names = raw.names if raw.names is not None else tuple(f"x{j + 1}" for j in range(d))
    if len(names) != d:
        raise InputError(f"there are {len(names)} feature names and {d} columns")
    check_names(names)
    droppable = () if raw.of_terms else names
    options.check_columns([*droppable, *raw.beside])
    notes, flags = _initial_notes(raw, options), np.zeros(d, dtype=bool)
    draft = DatasetDraft(X, names, np.arange(d), names, flags, notes, raw.owned)
    draft.ids = _aside(raw, draft, options.id_column)
    draft.labels = _aside(raw, draft, options.label_column)
    keep = np.array([name not in options.columns() for name in names], dtype=bool)
    if droppable and not keep.all():
        draft.keep_features(keep)
    return draft


def _aside(raw: RawData, draft: DatasetDraft, name: str | None) -> NDArray[np.object_] | None:
    """Label or id column of an array: an array beside it, or one of its columns."""
    if name is None:
        return None
    if name in raw.beside:
        values = raw.beside[name]
        if len(values) != draft.X.shape[0]:
            raise InputError(f"{name!r} has {len(values)} values for {draft.X.shape[0]} objects")
    else:
        column = draft.X[:, [draft.names.index(name)]]
        values = (column.toarray() if draft.sparse else column).ravel()
    return column_arrays.objects(column_arrays.column_array(values), name)


def _rows(name: str, draft: DatasetDraft, options: ReadingOptions) -> Rows:
    """The rows of a draft, as other inputs about its objects are joined to them."""
    keys = row_keys(draft.keys, draft.rows, draft.n_source)
    columns = dict(keys.columns)
    if draft.ids is not None:
        columns.setdefault(options.id_column or "id", draft.ids)
    return Rows(
        name, draft.X.shape[0], columns, index=draft.ids, numbers=draft.rows,
        n_source=draft.n_source, aside=keys.aside, is_data=True,
    )  # fmt: skip


def index_ids(table: object) -> NDArray[Any] | None:
    """Ids in the index of a pandas table or series; None where it only counts the rows."""
    index = getattr(table, "index", None)
    if index is None or callable(index) or getattr(index, "nlevels", 2) > 1:
        return None
    values = np.asarray(index, dtype=object)
    return None if names_and_ids.are_positions(values) else values


def _per_object(
    values: Ids, name: str, n: int, rows: NDArray[np.intp] | None, n_source: int
) -> NDArray[np.object_]:
    """Labels or ids that a user supplies beside the data, one per object or row of the source."""
    if isinstance(values, (bytes, str)) or not hasattr(values, "__len__"):
        raise InputError(f"{name} must be a sequence, one value per object; got {values!r}")
    array = column_arrays.column_array(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if rows is not None and len(array) == n_source:
        array = array.take(rows)
    if len(array) != n:
        raise InputError(f"{name} has {len(array)} values, but there are {n} objects")
    return column_arrays.objects(array, name)


def _check_ids(draft: DatasetDraft, id_column: str | None) -> None:
    """Raise for missing or repeated ids, and suggest to drop the column."""
    name = id_column or "id"
    assert draft.ids is not None
    try:
        names_and_ids.check_ids(draft.ids, f"id column {name!r}", draft.row_numbers)
    except InputError as error:
        if id_column is None:
            raise
        raise RepairableError(
            f"{error}. Choose another column, or exclude it with drop={name!r} (--drop {name!r}), "
            "and the objects are numbered",
            id_column=None,
            drop=(name,),
        ) from None


def _truth(labels: NDArray[np.object_], name: str, notes: list[str]) -> NDArray[np.object_]:
    """Classes, None where unknown; notes describe them."""
    unreadable = [i for i, label in enumerate(labels) if is_unreadable(label)]
    if unreadable:
        labels = labels.copy()
        labels[unreadable] = None
        notes.append(
            f"{len(unreadable):,} labels in {name!r} are {UNREADABLE!r}: their classes are unknown."
        )
    y = known_labels(labels, name=repr(name))
    notes.append(f"In {name!r} are {count_labels(y)}.")
    notes += none_note(y)
    classes = [value for value in y if value is not None]
    n_classes = len(set(classes))
    if n_classes == 1:
        notes.append(f"{name!r} names one class only, so it cannot distinguish clusterings.")
    elif len(classes) > 10 and 2 * n_classes > len(classes):
        notes.append(
            f"{name!r} has {n_classes:,} classes for {len(classes):,} objects: is it a class?"
        )
    return y
