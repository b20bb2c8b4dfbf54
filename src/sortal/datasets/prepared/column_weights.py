"""Weights of columns: one that depends on no other says nothing about groups and gets none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal.datasets.prepared.data_checks import MAX_COMPARED_CELLS, repeated_columns
from sortal.datasets.prepared.dataset import Weighing, round_columns
from sortal.datasets.prepared.pipeline import scale_columns
from sortal.datasets.prepared.preparation import preparation_of_features
from sortal.datasets.values.drafts import DatasetDraft
from sortal.datasets.values.feature_scaling import SCALING_NOTES
from sortal.datasets.values.findings import Finding, ordered
from sortal.datasets.values.limits import LIMITS, MAX_ROWS
from sortal.datasets.values.missing_values import Filler, fill_missing
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.datasets.prepared.dataset import Dataset
    from sortal.datasets.prepared.preparation import Preparation
    from sortal.typing import Bools, Floats, Ints, Metric, Rows

#: the weights of a user: by column, of all in order, or "equal"; None for those of the data
ColumnWeights: TypeAlias = "Mapping[str, float] | Sequence[float] | str | None"
#: distances to which each column contributes by its differences
WEIGHABLE = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski")


def weighted(
    dataset: Dataset, column_weights: ColumnWeights = None, metric: Metric | None = None
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
        if len(rows) < LIMITS.min_objects:
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
    if X.size > MAX_COMPARED_CELLS:
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
    most = min(MAX_ROWS, max(10 * LIMITS.min_objects, MAX_CELLS // d))
    sampled = ""
    if len(rows) > most:
        rows = np.sort(rng.choice(rows, most, replace=False))
        sampled = f"{most:,} objects"
    if d > MAX_PARTNERS:
        sampled += f"{' and ' * bool(sampled)}{MAX_PARTNERS} columns to compare with"
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
    counts[keeps] = informative(values[:, keeps], is_numeric[keeps], rng)
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
        round_columns(X * scale + center, digits=14)[:, counted].astype(X.dtype),
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


#: derived: objects of a code in a test by χ² (Cochran 1954: five expected in each cell)
MIN_CODE_COUNT = 5
#: limit of cost: columns are compared with as many others, drawn at random where there are more
MAX_PARTNERS = 200
#: limit of cost: cells that the comparison takes
MAX_CELLS = 2_000_000
#: limit of cost: columns up to which triples are tested, and modes by likelihoods
MAX_FITTED = 60


def code_values(values: Floats) -> Ints:
    """Codes of a numeric column: its few values, else its quarters and its two best parts."""
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) > LIMITS.max_coded:
        edges = np.unique([*np.quantile(values, (0.25, 0.5, 0.75)), _best_split(values)])
        codes = np.searchsorted(edges, values)
    return merge_rare(codes.astype(np.int64))


def _best_split(values: Floats) -> float:
    """Last value of the lower of the two parts with the least squares within (Otsu 1979)."""
    ordered = np.sort(values)
    below = np.arange(1, len(ordered))
    between = np.cumsum(ordered - ordered.mean())[:-1] ** 2 / (below * below[::-1])
    return float(ordered[np.argmax(np.where(np.diff(ordered) > 0, between, -1.0))])


def merge_rare(codes: Ints) -> Ints:
    """Codes from 0 without gaps, where all rare ones are one code."""
    counts = np.bincount(codes)
    is_rare = counts < max(MIN_CODE_COUNT, LIMITS.min_code_share * len(codes))
    if is_rare.sum() > 1 or (is_rare.any() and counts[is_rare].sum() < MIN_CODE_COUNT):
        common = np.flatnonzero(~is_rare)
        n_rare = counts[is_rare].sum()
        # too few to be a code of their own: they join the most frequent
        target = -1 if n_rare >= MIN_CODE_COUNT else int(np.argmax(counts))
        codes = np.where(is_rare[codes], target, codes)
        if len(common) == 0:
            return np.zeros(len(codes), dtype=np.int64)
    return np.unique(codes, return_inverse=True)[1]


def pair_tests(codes: Sequence[Ints], partners: Ints) -> tuple[Floats, Floats]:
    """p-value of independence (χ²) of each column and each partner; 1 for a column with itself.

    Also the p-value of independence from all partners together, by the sum of the χ². Two of its
    moments follow from the dependence among the partners.

    Objects without a value have the code -1, and are in no test of the column. Time O(n D P) for
    D codes of all columns and P codes of the partners.
    """
    from scipy import stats

    sizes = np.array([max(1, int(code.max()) + 1) for code in codes])
    of_rows, of_columns = sizes, sizes[partners]
    rows = _indicators(codes, of_rows)
    columns = _indicators([codes[j] for j in partners], of_columns)
    starts = np.r_[0, np.cumsum(of_rows)[:-1]]
    partner_starts = np.r_[0, np.cumsum(of_columns)[:-1]]
    has_row = np.add.reduceat(rows, starts, axis=1)
    has_column = np.add.reduceat(columns, partner_starts, axis=1)
    counts = (rows.T @ columns).astype(np.float64)
    expected = np.repeat(rows.T @ has_column, of_columns, axis=1).astype(np.float64)
    expected *= np.repeat(has_row.T @ columns, of_rows, axis=0)
    shares = counts**2 / np.maximum(expected, 1)
    sums = np.add.reduceat(np.add.reduceat(shares, starts, axis=0), partner_starts, axis=1)
    strength = np.maximum(sums - 1, 0.0)
    statistic = (has_row.T @ has_column) * strength
    freedom = np.outer(of_rows - 1, of_columns - 1)
    p_values = np.where(freedom > 0, stats.chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)
    p_values[partners, np.arange(len(partners))] = 1.0
    is_other = (partners != np.arange(len(codes))[:, None]).astype(np.float64)
    between = strength[partners]
    np.fill_diagonal(between, of_columns - 1)
    mean = np.maximum(is_other @ (of_columns - 1), 1)
    ratio = np.maximum(((is_other @ between) * is_other).sum(axis=1) / mean, 1)
    together = (statistic * is_other).sum(axis=1) / ratio
    return p_values, np.asarray(stats.chi2.sf(together, np.maximum(of_rows - 1, 1) * mean / ratio))


def _indicators(codes: Sequence[Ints], sizes: Ints) -> NDArray[np.float32]:
    """Columns of 0 and 1, one for each code of each column."""
    out = np.zeros((len(codes[0]), int(sizes.sum())), dtype=np.float32)
    start = 0
    for code, size in zip(codes, sizes, strict=True):
        rows = np.flatnonzero(code >= 0)
        out[rows, start + code[rows]] = 1.0
        start += size
    return out


def mode_p_value(values: Floats, rng: np.random.Generator, *, fitted: bool) -> float:
    """p-value of one mode by Hartigan's dip; if ``fitted`` also by the likelihood of two groups."""
    values = np.sort(values)
    distinct = np.unique(values)
    if len(distinct) <= LIMITS.max_coded:
        return 1.0
    if len(distinct) < 0.8 * len(values):
        steps = np.diff(distinct)
        reach = np.minimum(steps, 3 * np.median(steps)) / 2
        at = np.searchsorted(distinct, values)
        below, above = np.r_[reach[0], reach][at], np.r_[reach, reach[-1]][at]
        values = values + rng.uniform(-below, above)
    from sortal._kernels.dip import dip_evidence  # starts Numba
    from sortal._kernels.modes import line_evidence

    evidence = line_evidence(values) if fitted else dip_evidence(np.sort(values))
    return float(np.exp(-evidence))


def triple_tests(values: Floats, candidates: Bools) -> Floats:
    """Smallest p-value of each candidate with two columns: of its sign and their product's sign.

    Values above their median are 1, others -1. A column whose sign goes with the product of two
    others' signs depends on the two together, though it may depend on neither alone (XOR).
    """
    from scipy import stats

    n, d = values.shape
    signs = np.where(values > np.nanmedian(values, axis=0), 1.0, -1.0)
    signs[np.isnan(values)] = np.nan
    share = (1 + np.nanmean(signs, axis=0)) / 2
    has_two_sides = np.minimum(share, 1 - share) >= LIMITS.min_side
    spread = np.where(has_two_sides, np.nanstd(signs, axis=0), np.inf)
    standardized = np.nan_to_num((signs - np.nanmean(signs, axis=0)) / spread)
    squares = standardized**2
    spread = np.sqrt(np.maximum(squares.T @ squares / n, 1))  # of the product of two columns
    p_values = np.ones(d)
    for i in np.flatnonzero(candidates & has_two_sides):
        means = standardized.T @ (standardized * standardized[:, [i]]) / (n * spread)
        np.fill_diagonal(means, 0.0)
        means[i] = means[:, i] = 0.0
        p_values[i] = 2 * stats.norm.sf(np.sqrt(n) * float(np.abs(means).max()))
    return p_values


def informative(values: Floats, is_numeric: Bools, rng: np.random.Generator) -> Bools:
    """Mask of the columns that count: all, unless some depend on others or have several modes.

    ``values`` has a number per column, for categories their codes, and NaN for missing values. Then
    those count, and those of so few unusual values that dependence could not show.
    """
    from scipy import stats

    d = values.shape[1]
    codes = [_coded(column, numeric) for column, numeric in zip(values.T, is_numeric, strict=True)]
    partners = np.arange(d)
    if d > MAX_PARTNERS:
        partners = np.sort(rng.choice(d, MAX_PARTNERS, replace=False))
    by_pair, together = pair_tests(codes, partners)
    p_values = 2 * np.minimum(by_pair.min(axis=1) * max(1, len(partners) - 1), together)
    mask: Bools = stats.false_discovery_control(np.minimum(p_values, 1)) <= LIMITS.level
    for j in np.flatnonzero(is_numeric & ~mask):
        column = values[:, j]
        fitted = d <= MAX_FITTED
        mask[j] = mode_p_value(column[~np.isnan(column)], rng, fitted=fitted) * d <= LIMITS.level
    if 3 <= d <= MAX_FITTED and not mask.all():
        n_triples = d * (d - 1) * (d - 2) / 6
        mask |= triple_tests(values, ~mask) * n_triples <= LIMITS.level
    if d < LIMITS.min_columns:
        distinct = [len(np.unique(column[~np.isnan(column)])) for column in values.T]
        mask |= is_numeric & (np.array(distinct) > LIMITS.max_coded)
    if not mask.any():
        return ~mask
    for j in np.flatnonzero(~mask):
        counts = np.unique(values[~np.isnan(values[:, j]), j], return_counts=True)[1]
        mask[j] = 0 < counts.sum() - counts.max() < LIMITS.min_unusual
    return mask


def _coded(values: Floats, is_numeric: bool) -> Ints:
    """Codes of a column, -1 for missing values."""
    codes = np.full(len(values), -1, dtype=np.int64)
    seen = ~np.isnan(values)
    if seen.any():
        observed = values[seen]
        codes[seen] = code_values(observed) if is_numeric else merge_rare(observed.astype(np.int64))
    return codes
