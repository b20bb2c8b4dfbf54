"""Checks of the data of a table: missing values, units, repeats, sorted and reproduced labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.findings import Finding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.datasets._dataset import Dataset
    from karat.datasets._draft import DatasetDraft
    from karat.datasets._options import ReadingOptions
    from karat.datasets.reading_plan import ReadingPlan
    from karat.runtime.types import Bools, Floats, Labels

#: ratio of the largest spread to the lower quartile of spreads above which units differ
MAX_SPREAD_RATIO = 5.0
#: smallest spread whose squared differences keep their digits
MIN_SPREAD = 1e-140
COORDINATE_NAMES = frozenset((
    "x", "y", "z", "lon", "long", "longitude", "lat", "latitude", "lng", "easting", "northing",
))  # fmt: skip
MIN_REPRODUCED_SHARE = 0.98  # share of the objects whose value determines their cluster
MIN_REPEATED_SHARE = 0.01  # least share of repeated rows that is reported


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


def chosen_scale(
    draft: DatasetDraft, spread: Floats, flags: Bools, options: ReadingOptions
) -> tuple[str, Finding | None]:
    """Scaling of the numbers, and the finding that explains it, if any.

    The units differ where the largest spread of a column is :data:`MAX_SPREAD_RATIO` times the
    lower quartile of the spreads. Columns of two values, ``flags``, are categories.
    """
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
        elif ratio > MAX_SPREAD_RATIO and not are_coordinates:
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


def repeats(draft: DatasetDraft) -> list[Finding]:
    """Findings about repeated rows of continuous numbers, and repeated columns."""
    return [*_repeated_rows(draft), *_repeated_columns(draft)]


def _repeated_rows(draft: DatasetDraft) -> list[Finding]:
    """Finding about repeated rows, where numbers rarely coincide."""
    X = draft.X
    n, d = X.shape
    if d < 2 or n < 20 or X.size > 2e7:
        return []
    numeric = [j for j in range(d) if not draft.categorical[j]]
    if not any(len(np.unique(X[:, j])) > n / 4 for j in numeric[:50]):
        # rows of grids and categories repeat naturally
        return []
    rows = np.ascontiguousarray(X + 0.0).view(np.dtype((np.void, X.itemsize * d))).ravel()
    count = n - len(np.unique(rows))
    if count < max(2, MIN_REPEATED_SHARE * n):
        return []
    return [
        Finding(
            "duplicate-rows", "notable", {"count": count, "n": n},
            option={"accept": ("duplicate-rows",)},
        )
    ]  # fmt: skip


def _repeated_columns(draft: DatasetDraft) -> list[Finding]:
    """Finding about columns that equal others up to their unit."""
    X = draft.X
    if X.shape[0] < 5 or X.size > 2e7:
        return []
    column_of_key: dict[bytes, int] = {}
    pairs: list[tuple[str, str]] = []
    for j in range(X.shape[1]):
        if draft.categorical[j]:
            continue
        x = np.asarray(X[:, j], dtype=np.float64)
        power = np.frexp(np.abs(x).max())[1]
        x = np.ldexp(x, -power)
        spread = x.std()
        if spread == 0:
            continue
        z = (x - x.mean()) / spread
        z *= np.sign(z[np.argmax(np.abs(z) > 1e-6)])
        key = (np.round(z, 5) + 0.0).tobytes()
        if key in column_of_key:
            pairs.append((draft.names[j], draft.names[column_of_key[key]]))
        column_of_key.setdefault(key, j)
    two_valued = len(pairs) > 0 and all(
        len(np.unique(X[:, draft.names.index(name)])) <= 2 for name, _ in pairs
    )
    if not pairs or (two_valued and X.shape[0] < 100):
        return []
    names = tuple(name for name, _ in pairs)
    facts = {"pairs": pairs}
    return [Finding("duplicate-columns", "notable", facts, names, {"drop": names})]


def sorted_labels(draft: DatasetDraft, y: NDArray[Any]) -> list[Finding]:
    """Finding that only the first of sorted rows have classes, if so."""
    labelled = np.array([value is not None for value in y], dtype=bool)
    n_labelled = int(labelled.sum())
    is_prefix = 0 < n_labelled < len(labelled) and labelled[:n_labelled].all()
    if not is_prefix or draft.sparse or len(labelled) < 20:
        return []
    for j in range(min(draft.X.shape[1], 1000)):
        steps = np.diff(draft.X[:, j])
        if ((steps >= 0).all() or (steps <= 0).all()) and (steps != 0).sum() >= 10:
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
        if share >= MIN_REPRODUCED_SHARE:
            option = {"drop": (column.name,)}
            facts = {"share": float(share)}
            findings.append(Finding("reproduced", "harmful", facts, (column.name,), option))
    return findings
