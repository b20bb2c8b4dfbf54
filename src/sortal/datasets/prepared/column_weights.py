"""Weights of columns: one that depends on no other says nothing about groups and gets none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal.datasets.prepared.data_checks import repeated_columns
from sortal.datasets.prepared.dataset import round_columns
from sortal.datasets.prepared.pipeline import scale_columns
from sortal.datasets.prepared.preparation import preparation_of_features
from sortal.datasets.values import dependence
from sortal.datasets.values.dependence import Weighing
from sortal.datasets.values.drafts import DatasetDraft
from sortal.datasets.values.feature_scaling import SCALING_NOTES
from sortal.datasets.values.findings import Finding, ordered
from sortal.datasets.values.missing_values import Filler, fill_missing
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    from sortal.datasets.prepared.dataset import Dataset
    from sortal.datasets.prepared.preparation import Preparation
    from sortal.runtime.types import Ints, Metric, Rows

#: the weights of a user: by column, of all in order, or "equal"; None for those of the data
ColumnWeights: TypeAlias = "Mapping[str, float] | Sequence[float] | str | None"
#: fewer objects are not weighed
MIN_OBJECTS = 50
#: cells up to which copies of all rows are sought
MAX_COMPARED = 20_000_000
#: digits that a scaling and its reversal leave
EXACT_DIGITS = 14
#: distances to which each column contributes by its differences
WEIGHABLE = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski")


def weighted(
    dataset: Dataset,
    column_weights: ColumnWeights = None,
    metric: Metric | None = None,
) -> Dataset:
    """Data set whose columns are multiplied by their weights.

    Parameters
    ----------
    dataset : Dataset
        As it was read.
    column_weights : "equal", mapping of str to float, or sequence of float, optional
        ``"equal"`` leaves the columns as they are. A mapping has weights by column, 1 for the
        others; a sequence those of all columns in order. By default they follow from the data.
    metric : str or callable, optional
        The distance; by default that of the data set.

    Returns
    -------
    Dataset
        :attr:`Dataset.weighing` has the weights; columns of weight 0 are no longer features. The
        same data set where nothing is weighed: ``"equal"``, documents, distances, graphs, sparse
        data, distances that are not sums over columns, one column, fewer than 50 objects.

    Raises
    ------
    InputError
        For weights that are no weights, unknown columns, and data that cannot be weighed.

    Notes
    -----
    A column counts for one of these reasons; the others get weight 0:

    - it depends on another column, or on all others together (χ² of its quarters and its two best
      parts, at a false discovery rate of 0.01)
    - it depends on two others together (signs about the medians, at level 0.01)
    - it has several modes (dip, at level 0.01)
    - fewer than 15 of its values are unusual, so dependence could not show
    - it has more than six distinct values, and there are fewer than four columns

    Among columns that repeat each other one counts, and exclusive flags count as one category. If
    no column counts, all do.

    Missing values are in no test, and columns without weight take no part in imputation and
    scaling. Copies of all rows change nothing. Decided on at most 5,000 objects, and comparisons
    with 200 columns, drawn at random: O(n d²), below 2 s.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.datasets import from_array, weighted
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> X[:100, :3] += 4
    >>> weighted(from_array(X)).column_weights
    {'x1': 1.0, 'x2': 1.0, 'x3': 1.0, 'x4': 0.0, 'x5': 0.0}
    """
    if dataset.weighing is not None:
        if column_weights is not None:
            raise InputError(
                f"the columns of {dataset.name} have weights already; give column_weights with the "
                "data as they were read"
            )
        return dataset
    obstacle = _obstacle(dataset, dataset.metric if metric is None else metric)
    if isinstance(column_weights, str):
        if column_weights != "equal":
            raise InputError(
                f"column_weights must be 'equal', a mapping or a sequence; got {column_weights!r}"
            )
        return replace(dataset, options={**dataset.options, "column_weights": "equal"})
    if column_weights is None and _keeps_columns(dataset):
        return dataset
    columns = _columns_of(dataset) if isinstance(dataset.X, np.ndarray) else {}
    if column_weights is not None:
        if obstacle:
            raise InputError(f"column_weights cannot be used: {obstacle}; leave it out")
        weighing = Weighing(_checked(column_weights, list(columns)), "user")
    elif obstacle or len(columns) < 2:
        return dataset
    else:
        rows = _rows_once(dataset.X)
        if len(rows) < MIN_OBJECTS:
            return dataset
        weighing = _decided(dataset, columns, rows)
    if weighing.by == "user":
        dataset = replace(
            dataset, options={**dataset.options, "column_weights": dict(weighing.weights)}
        )
    if dataset.plan is not None and 0 in weighing.weights.values():
        dataset = _prepared_anew(dataset, columns, weighing)
    return _apply(dataset, columns, weighing)


def _keeps_columns(dataset: Dataset) -> bool:
    """Whether earlier options leave the columns as they are."""
    options = dataset.options
    is_settled = options.get("strict") or options.get("column_weights") == "equal"
    return bool(is_settled or {"independent", "repeated"} & {*options.get("accept", ())})


def _obstacle(dataset: Dataset, metric: Metric) -> str:
    """Why columns cannot be weighed; "" if they can."""
    if dataset.n_features == 0:
        return "the objects are known by their relations, not by columns"
    if not isinstance(dataset.X, np.ndarray):
        return "sparse data have too many columns to weigh"
    name = metric.partition(":")[0] if isinstance(metric, str) else None
    if name not in WEIGHABLE:
        return "the distance is not a sum over columns"
    return ""


def _columns_of(dataset: Dataset) -> dict[str, Ints]:
    """Features of each column, by its name."""
    preparation = dataset.preparation
    if preparation is None or not preparation.columns:
        return {name: np.array([j]) for j, name in enumerate(dataset.feature_names)}
    origin = preparation.origin
    names = [column.name for column in preparation.columns]
    return {name: np.flatnonzero(origin == j) for j, name in enumerate(names)}


def _checked(column_weights: Mapping[str, float] | Sequence[float], names: list[str]) -> Any:
    """Weights of the user by column; InputError where they are none."""
    if isinstance(column_weights, Mapping):
        for name in column_weights:
            if name not in names:
                raise unknown_name(name, names, "column")
        weights = {name: column_weights.get(name, 1.0) for name in names}
    else:
        listed = list(column_weights)
        if len(listed) != len(names):
            raise InputError(
                f"column_weights has {len(listed)} weights, but there are {len(names)} columns"
            )
        weights = dict(zip(names, listed, strict=True))
    for name, weight in weights.items():
        if not isinstance(weight, (int, float, np.number)) or not 0 <= weight < np.inf:
            raise InputError(
                f"the weight of column {name!r} must be a number of at least 0; got {weight!r}"
            )
    if not any(weights.values()):
        raise InputError("all column_weights are 0; give at least one column a weight above 0")
    return {name: float(weight) for name, weight in weights.items()}


def _rows_once(X: Rows) -> Ints:
    """Objects, one of each m where every row occurs m times or a multiple of m."""
    n, d = X.shape
    if X.size > MAX_COMPARED:
        return np.arange(n)
    contents = np.ascontiguousarray(X + 0.0).view(np.dtype((np.void, X.itemsize * d))).ravel()
    _, first, counts = np.unique(contents, return_index=True, return_counts=True)
    copies = np.gcd.reduce(counts)
    return np.arange(n) if copies == 1 else np.sort(np.repeat(first, counts // copies))


def _decided(dataset: Dataset, columns: Mapping[str, Ints], rows: Ints) -> Weighing:
    """Weights from what the columns say about each other in these rows."""
    rng = np.random.default_rng(0)
    set_of = {name: name for name in columns}
    for column in () if dataset.plan is None else dataset.plan.columns:
        if "indicator" in column.facts and column.name in columns:  # flags are one category
            set_of[column.name] = column.facts["indicator"]
    sets = {
        key: np.concatenate([block for name, block in columns.items() if set_of[name] == key])
        for key in dict.fromkeys(set_of.values())
    }
    names, d = list(sets), len(sets)
    most = min(dependence.MAX_OBJECTS, max(dependence.MIN_SAMPLED, dependence.MAX_CELLS // d))
    sampled = ""
    if len(rows) > most:
        rows = np.sort(rng.choice(rows, most, replace=False))
        sampled = f"{most:,} objects"
    if d > dependence.MAX_PARTNERS:
        sampled += f"{' and ' * bool(sampled)}{dependence.MAX_PARTNERS} columns to compare with"
    X = dataset.X[rows]
    gaps = np.zeros(X.shape, dtype=bool) if dataset.gaps is None else dataset.gaps[rows]
    values = np.column_stack(
        [np.where(gaps[:, block[0]], np.nan, _values(X[:, block])) for block in sets.values()]
    )
    is_numeric = np.array([len(features) == 1 for features in sets.values()])
    order = np.concatenate(list(sets.values()))
    origin = np.repeat(np.arange(d), [len(features) for features in sets.values()])
    repeated = [name for name, _ in repeated_columns(X[:, order], origin, names)]
    keeps = ~np.isin(np.array(names, dtype=object), repeated)
    counts = np.zeros(d, dtype=bool)
    counts[keeps] = dependence.informative(values[:, keeps], is_numeric[keeps], rng)
    weights = dict(zip(names, counts.astype(float).tolist(), strict=True))
    excluded = [name for name in columns if weights[set_of[name]] == 0]
    return Weighing(
        {name: weights[set_of[name]] for name in columns},
        independent=tuple(name for name in excluded if set_of[name] not in repeated),
        repeated=tuple(name for name in excluded if set_of[name] in repeated),
        sampled=sampled,
    )


def _values(block: Rows) -> Any:
    """One number per object for a column: its value, or the code of its category."""
    return block[:, 0].astype(np.float64) if block.shape[1] == 1 else block.argmax(axis=1) * 1.0


def _prepared_anew(dataset: Dataset, columns: Mapping[str, Ints], weighing: Weighing) -> Dataset:
    """Data set of a table, imputed and scaled as if the columns without weight were not there."""
    assert dataset.plan is not None
    assert dataset.preparation is not None
    d = dataset.n_features
    center = np.zeros(d) if dataset.center is None else dataset.center.copy()
    scale = np.ones(d) if dataset.scale is None else dataset.scale.copy()
    names = [name for name, weight in weighing.weights.items() if weight > 0]
    counted = np.concatenate([columns[name] for name in names])
    origin = np.repeat(np.arange(len(names)), [len(columns[name]) for name in names])
    X, filler = np.array(dataset.X), dataset.preparation.filler
    draft = DatasetDraft(
        round_columns(X * scale + center, EXACT_DIGITS)[:, counted].astype(X.dtype),
        tuple(dataset.feature_names[j] for j in counted),
        origin, tuple(names), dataset.preparation.categorical[counted],
        [], owned=True,
    )  # fmt: skip
    if dataset.gaps is not None and dataset.plan.impute == "neighbors":
        draft.X[dataset.gaps[:, counted]] = np.nan
        fill_missing(draft, "neighbors")
        filler = draft.filler
    options = ReadingOptions.of(
        accept=dataset.options.get("accept", ()), scale=dataset.options.get("scale", "auto")
    )
    scaling, new_center, new_scale, finding = scale_columns(
        draft, options, dataset.plan, check=False
    )
    X[:, counted] = draft.X
    center[counted] = 0.0 if new_center is None else new_center
    scale[counted] = 1.0 if new_scale is None else new_scale
    findings = [f for f in dataset.findings if f.key not in ("units", "mixed", "magnitude")]
    notes = [note for note in dataset.notes if not note.startswith(SCALING_NOTES)]
    return replace(
        dataset,
        X=X,
        center=center,
        scale=scale,
        plan=replace(dataset.plan, scale=scaling),
        findings=tuple(findings) if finding is None else (*findings, finding),
        notes=(*notes, *draft.notes),
        preparation=replace(dataset.preparation, center=center, scale=scale, filler=filler),
    )


def _apply(dataset: Dataset, columns: Mapping[str, Ints], weighing: Weighing) -> Dataset:
    """Data set with weighted features, without those of weight 0."""
    plan = dataset.plan
    if plan is not None:
        columns_of_plan = tuple(
            replace(column, weight=weighing.weights.get(column.name)) for column in plan.columns
        )
        plan = replace(plan, columns=columns_of_plan)
    if all(weight == 1 for weight in weighing.weights.values()):
        return replace(dataset, weighing=weighing, plan=plan)
    X, d = dataset.X, dataset.n_features
    of_feature = np.ones(d)
    for name, features in columns.items():
        of_feature[features] = weighing.weights[name]
    keep = of_feature > 0
    factors = of_feature[keep]
    is_plain = dataset.scale is None and bool((factors == 1).all())
    center = np.zeros(d) if dataset.center is None else dataset.center
    scale = np.ones(d) if dataset.scale is None else dataset.scale
    preparation: Preparation = dataset.preparation or preparation_of_features(
        X, dataset.feature_names, dataset.center, dataset.scale
    )
    filler = preparation.filler
    if filler is not None and filler.donors.shape[1] == d:
        filler = Filler(filler.donors[:, keep], filler.center[keep], filler.spread[keep])
    findings = [
        finding
        for finding in dataset.findings
        if finding.key != "duplicate-columns" or not weighing.repeated
    ]
    return replace(
        dataset,
        X=np.ascontiguousarray((X[:, keep] * factors).astype(X.dtype, copy=False)),
        feature_names=tuple(np.array(dataset.feature_names, dtype=object)[keep]),
        center=None if is_plain else center[keep],
        scale=None if is_plain else scale[keep] / factors,
        preparation=replace(preparation, weights=of_feature, filler=filler),
        findings=ordered((*findings, *_findings(weighing))),
        plan=plan,
        weighing=weighing,
    )


def _findings(weighing: Weighing) -> list[Finding]:
    """Findings about columns that got no weight."""
    option = {"column_weights": "equal"}
    facts = {"sampled": weighing.sampled}
    return [
        Finding(key, "notable", facts, names, option)
        for key, names in (("independent", weighing.independent), ("repeated", weighing.repeated))
        if names
    ]
