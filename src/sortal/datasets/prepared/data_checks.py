"""Checks of the data of a table: missing values, units, repeats, sorted and reproduced labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets.values.feature_scaling import center_spread
from sortal.datasets.values.findings import Finding
from sortal.datasets.values.limits import LIMITS, MAX_ROWS, Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sortal.datasets.prepared.dataset import Dataset
    from sortal.datasets.tables.reading_plan import ReadingPlan
    from sortal.datasets.values.drafts import DatasetDraft
    from sortal.datasets.values.reading_options import ReadingOptions
    from sortal.typing import Bools, Floats, Labels, Rows

#: derived: above the root of the least float64, so that squared differences keep their digits
MIN_SPREAD = 1e-140
COORDINATE_NAMES = frozenset((
    "x", "y", "z", "lon", "long", "longitude", "lat", "latitude", "lng", "easting", "northing",
))  # fmt: skip
#: limit of cost: columns that are compared in pairs
MAX_COMPARED_COLUMNS = 1000
#: limit of cost: cells in which repeated rows and columns are sought
MAX_COMPARED_CELLS = 20_000_000
#: limit of cost: rows that are compared with rows below
MAX_SUCCESSIVE = 2000


def missing_values(plan: ReadingPlan, n: int, options: ReadingOptions) -> list[Finding]:
    """Finding about missing values in the features, if any."""
    incomplete = [column for column in plan.columns if column.use == "feature" and column.missing]
    if not incomplete or options.impute is not None:
        return []
    count = sum(column.missing for column in incomplete)
    features = sum(column.use == "feature" for column in plan.columns)
    marks = {mark for column in incomplete for mark in column.facts.get("marks", ())}
    facts = {
        "count": count,
        "share": count / (n * features),
        "impute": "neighbors",
        "marks": sorted(marks),
    }
    names = tuple(column.name for column in sorted(incomplete, key=lambda column: -column.missing))
    return [Finding("missing", "notable", facts, names, {"impute": "drop"})]


def outcome_columns(
    draft: DatasetDraft, plan: ReadingPlan, options: ReadingOptions
) -> tuple[list[Finding], tuple[str, ...]]:
    """Finding about columns that are the classes under another name; exclude them."""
    if draft.labels is None or draft.sparse or options.accepts("outcome"):
        return [], ()
    classes = {value: i for i, value in enumerate(dict.fromkeys(draft.labels.tolist()))}
    codes = np.array([classes[value] for value in draft.labels])
    is_complete = None not in classes and len(codes) >= LIMITS.min_rows and len(classes) > 1
    n_values = {column.name: column.n_values for column in plan.columns}
    names = []
    for j, name in enumerate(draft.columns):
        features = draft.X[:, draft.origin == j]
        is_copy = False
        if is_complete and n_values.get(name) == len(classes):
            values = np.unique(features, axis=0, return_inverse=True)[1].ravel()
            pairs = np.unique(np.column_stack([values, codes]), axis=0)
            is_copy = len(pairs) == len(classes)
        if is_copy or name == draft.label_name:
            names.append(name)
    if not names or len(names) == len(draft.columns):
        return [], ()
    draft.keep_features(~np.isin(np.array(draft.columns)[draft.origin], names))
    option = {"accept": ("outcome",)}
    return [Finding("outcome", "harmful", {}, tuple(names), option)], tuple(names)


def chosen_scale(
    draft: DatasetDraft, spread: Floats, flags: Bools, options: ReadingOptions
) -> tuple[str, Finding | None]:
    """Scaling of the numbers, but for ``flags``, and the finding that explains it, if any."""
    finding = None
    coded = draft.categorical | flags
    numeric = np.flatnonzero((spread > 0) & ~coded)
    if len(numeric) and "units" not in options.accept:
        by_spread = numeric[np.argsort(spread[numeric], kind="stable")]
        largest, lower_quartile = by_spread[-1], by_spread[(len(by_spread) - 1) // 4]
        ratio = float(spread[largest] / spread[lower_quartile])
        is_unscaled = options.scale == "none"
        are_coordinates = {name.lower() for name in draft.names} <= COORDINATE_NAMES
        if spread[largest] < MIN_SPREAD:
            facts = {"spread": float(spread[largest])}
            names: tuple[str, ...] = (draft.names[largest],)
            finding = Finding("magnitude", "notable", facts, names, {"scale": "none"})
        elif ratio > LIMITS.max_spread_ratio and not are_coordinates:
            unit_facts = {"ratio": ratio, "scale": "none" if is_unscaled else "standard"}
            names = (draft.names[largest], draft.names[lower_quartile])
            option = {"scale": "standard" if is_unscaled else "none"}
            finding = Finding("units", "notable", unit_facts, names, option)
        elif coded.any():
            names = tuple(dict.fromkeys(draft.columns[j] for j in draft.origin[coded]))
            option = {"scale": "none"}
            finding = Finding("mixed", "notable", {"numeric": len(numeric)}, names, option)
    if options.scale == "auto":
        return "none" if finding is None else "standard", finding
    return options.scale, finding if options.scale == "none" else None


def repeats(draft: DatasetDraft, options: ReadingOptions) -> tuple[list[Finding], tuple[str, ...]]:
    """Findings about repeated rows and columns; excludes the columns, and returns their names."""
    findings = _repeated_rows(draft)
    is_accepted = options.series or options.accepts("duplicate-columns")
    pairs = [] if is_accepted else repeated_columns(draft.X, draft.origin, draft.columns)
    if not pairs:
        return findings, ()
    names = tuple(name for name, _ in pairs)
    keep = ~np.isin(np.array(draft.columns)[draft.origin], names)
    draft.keep_features(keep)
    option = {"accept": ("duplicate-columns",)}
    return [
        *findings,
        Finding("duplicate-columns", "notable", {"pairs": pairs}, names, option),
    ], names


def _repeated_rows(draft: DatasetDraft) -> list[Finding]:
    """Finding about repeated rows, where numbers rarely coincide."""
    X = draft.X
    n, d = X.shape
    if d < 2 or n < LIMITS.min_rows or X.size > MAX_COMPARED_CELLS:
        return []
    numeric = [j for j in range(d) if not draft.categorical[j]]
    if not any(len(np.unique(X[:, j])) > n / 4 for j in numeric[:50]):
        # rows of grids and categories repeat naturally
        return []
    rows = np.ascontiguousarray(X + 0.0).view(np.dtype((np.void, X.itemsize * d))).ravel()
    count = n - len(np.unique(rows))
    if count < max(2, LIMITS.min_repeated * n):
        return []
    return [
        Finding(
            "duplicate-rows", "notable", {"count": count, "n": n},
            option={"accept": ("duplicate-rows",)},
        )
    ]  # fmt: skip


def repeated_columns(
    X: NDArray[Any], origin: NDArray[np.intp], columns: Sequence[str], limits: Limits = LIMITS
) -> list[tuple[str, str]]:
    """Columns whose features are all multiples of another column's, with that column."""
    n, d = X.shape
    if n < 10 or X.size > MAX_COMPARED_CELLS or not 2 <= d <= MAX_COMPARED_COLUMNS:
        return []
    rows = np.arange(n)[:: max(1, n // MAX_ROWS)]
    X = _with_means(X[rows])
    center, spread = center_spread(X, "standard")
    Z = (X - center) / np.where(spread > 0, spread, 1)
    with np.errstate(invalid="ignore"):
        is_multiple = np.abs(Z.T @ Z) / len(rows) > limits.min_collinearity
    two_valued = np.array([len(np.unique(X[:, j])) <= 2 for j in range(d)])
    if n < limits.min_rows_of_flags:  # columns of two values coincide by chance
        is_multiple &= ~two_valued
    is_multiple[:, spread == 0] = False
    is_original = np.zeros(d, dtype=bool)
    pairs: list[tuple[str, str]] = []
    # of several units the one whose spread is most like that of the other columns stays
    typical = np.log(np.where(spread > 0, spread, 1))
    distance = np.abs(typical - np.median(typical))
    first = [distance[origin == j].min(initial=np.inf) for j in range(len(columns))]
    for j in np.argsort(np.round(first, 6), kind="stable"):
        name, features = columns[j], np.flatnonzero(origin == j)
        repeated = is_multiple[np.ix_(features, np.flatnonzero(is_original))]
        if len(features) and repeated.size and repeated.any(axis=1).all():
            original = np.flatnonzero(is_original)[np.argmax(repeated[0])]
            pairs.append((name, columns[origin[original]]))
        else:
            is_original[features] = True
    return pairs


def _with_means(X: NDArray[Any]) -> NDArray[Any]:
    """Data with the mean of its column for each value that is missing; 0 in empty columns."""
    bad = ~np.isfinite(X)
    if not bad.any():
        return X
    sums = np.where(bad, 0.0, X).sum(axis=0)
    return np.where(bad, sums / np.maximum(1, (~bad).sum(axis=0)), X)


def sorted_labels(draft: DatasetDraft, y: NDArray[Any]) -> list[Finding]:
    """Finding that only the first of sorted rows have classes, if so."""
    labelled = np.array([value is not None for value in y], dtype=bool)
    n_labelled = int(labelled.sum())
    is_prefix = 0 < n_labelled < len(labelled) and labelled[:n_labelled].all()
    if not is_prefix or draft.sparse or len(labelled) < LIMITS.min_rows:
        return []
    for j in range(min(draft.X.shape[1], 1000)):
        steps = np.diff(draft.X[:, j])
        if _has_one_direction(steps) and (steps != 0).sum() >= 10:
            name = (draft.names[j],)
            option = {"accept": ("order",)}
            return [Finding("order", "harmful", {"labelled": n_labelled}, name, option)]
    return []


def reproduced(dataset: Dataset, labels: Labels) -> list[Finding]:
    """Findings about columns of few values that alone reproduce the clusters."""
    if dataset.plan is None or not isinstance(dataset.X, np.ndarray):
        return []
    labels = np.asarray(labels)
    clusters, cluster_of_object = np.unique(labels, return_inverse=True)
    k = int((clusters >= 0).sum())
    findings = []
    for column in dataset.plan.columns:
        if column.use != "feature" or column.n_values not in (k, k + 1) or k < 2:
            continue
        features = [
            j for j, name in enumerate(dataset.feature_names)
            if name == column.name or name.startswith(f"{column.name}=")
        ]  # fmt: skip
        if not features:
            continue  # without weight
        values, code = np.unique(dataset.X[:, features], axis=0, return_inverse=True)
        table = np.zeros((len(values), len(clusters)), dtype=np.int64)
        np.add.at(table, (code.ravel(), cluster_of_object), 1)
        share = min(table.max(axis=0).sum(), table.max(axis=1).sum()) / len(labels)
        if share >= LIMITS.min_reproduced:
            option = {"drop": (column.name,)}
            facts = {"share": float(share)}
            findings.append(Finding("reproduced", "harmful", facts, (column.name,), option))
    return findings


def successive(X: Rows, limits: Limits = LIMITS) -> list[Finding]:
    """Finding that most rows are nearer to the next one than to the tenth below, if so.

    So they are in a series, where chances that hold for independent rows do not. Of independent
    rows half are, and few more where a table is sorted by classes. Columns in ascending or
    descending order do not count, so it may be sorted by one.
    """
    n = X.shape[0] - limits.lag
    if n < limits.min_objects:
        return []
    rows = np.sort(np.random.default_rng(0).permutation(n)[:MAX_SUCCESSIVE])
    current, after, later = (X[rows + below] for below in (0, 1, limits.lag))
    if isinstance(current, np.ndarray):
        unsorted = [not _has_one_direction(steps) for steps in np.diff(current, axis=0).T]
        current, after, later = current[:, unsorted], after[:, unsorted], later[:, unsorted]
    near, far = _squared_distances(current, after), _squared_distances(current, later)
    share = float(np.mean((near < far) + (near == far) / 2))
    if share < limits.min_alike:
        return []
    return [Finding("successive", "harmful", {"share": share}, (), {"accept": ("successive",)})]


def _has_one_direction(steps: Floats) -> bool:
    """Whether a column with these steps from row to row never falls, or never rises."""
    return bool((steps >= 0).all() or (steps <= 0).all())


def _squared_distances(A: Any, B: Any) -> Floats:
    """Squared Euclidean distance of each row of A from the same row of B."""
    apart = A - B
    squares = np.square(apart) if isinstance(apart, np.ndarray) else apart.multiply(apart)
    return np.asarray(squares.sum(axis=1), dtype=np.float64).ravel()
