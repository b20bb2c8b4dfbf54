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

#: largest spread by the lower quartile of spreads, from which on columns are in different units
MAX_SPREAD_RATIO = 5.0
#: below it squares of differences, and sums of them, lose digits or vanish
MIN_SPREAD = 1e-140
COORDINATE_NAMES = frozenset((
    "x", "y", "z", "lon", "long", "longitude", "lat", "latitude", "lng", "easting", "northing",
))  # fmt: skip
MIN_REPRODUCED_SHARE = 0.98  # share of the objects whose value tells their cluster
MIN_REPEATED_SHARE = 0.01  # least share of repeated rows that is reported


def missing_values(plan: ReadingPlan, n: int, options: ReadingOptions) -> list[Finding]:
    """What is missing in the features."""
    gaps = [one for one in plan.columns if one.use == "feature" and one.missing]
    if not gaps or options.impute is not None:
        return []
    count = sum(one.missing for one in gaps)
    features = sum(one.use == "feature" for one in plan.columns)
    marks = {mark for one in gaps for mark in one.facts.get("marks", ())}
    facts = {
        "count": count,
        "share": count / (n * features),
        "impute": "neighbors",
        "marks": sorted(marks),
    }
    names = tuple(one.name for one in sorted(gaps, key=lambda one: -one.missing))
    return [Finding("missing", "notable", facts, names, {"impute": "drop"})]


def chosen_scale(
    work: DatasetDraft, spread: NDArray[np.float64], options: ReadingOptions
) -> tuple[str, Finding | None]:
    """What the numbers are scaled to, and the finding that says so, if any.

    The spreads of the columns decide: where the largest is :data:`MAX_SPREAD_RATIO` times the lower quartile,
    the units differ.
    """
    finding = None
    numeric = np.flatnonzero((spread > 0) & ~work.categorical)
    if len(numeric) and "units" not in options.accept:
        order = numeric[np.argsort(spread[numeric], kind="stable")]
        largest, low = order[-1], order[(len(order) - 1) // 4]
        ratio = float(spread[largest] / spread[low])
        plain = options.scale == "none"
        if spread[largest] < MIN_SPREAD:
            facts = {"spread": float(spread[largest])}
            names: tuple[str, ...] = (work.names[largest],)
            finding = Finding("magnitude", "notable", facts, names, {"scale": "none"})
        elif (
            ratio > MAX_SPREAD_RATIO
            and not {name.lower() for name in work.names} <= COORDINATE_NAMES
        ):
            named = {"ratio": ratio, "scale": "none" if plain else "standard"}
            names = (work.names[largest], work.names[low])
            option = {"scale": "standard" if plain else "none"}
            finding = Finding("units", "notable", named, names, option)
        elif work.categorical.any():
            names = tuple(dict.fromkeys(work.columns[j] for j in work.origin[work.categorical]))
            option = {"scale": "none"}
            finding = Finding("mixed", "notable", {"numeric": len(numeric)}, names, option)
    if options.scale == "auto":
        return "none" if finding is None else "standard", finding
    return options.scale, finding if options.scale == "none" else None


def repeats(work: DatasetDraft) -> list[Finding]:
    """Rows that repeat others though numbers hardly meet, and columns that repeat others."""
    return [*_repeated_rows(work), *_repeated_columns(work)]


def _repeated_rows(work: DatasetDraft) -> list[Finding]:
    X = work.X
    n, d = X.shape
    if d < 2 or n < 20 or X.size > 2e7:
        return []
    fine = [j for j in range(d) if not work.categorical[j]]
    if not any(len(np.unique(X[:, j])) > n / 4 for j in fine[:50]):
        # grids and categories repeat rows by their nature
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


def _repeated_columns(work: DatasetDraft) -> list[Finding]:
    X = work.X
    if X.shape[0] < 5 or X.size > 2e7:
        return []
    first: dict[bytes, int] = {}
    pairs: list[tuple[str, str]] = []
    for j in range(X.shape[1]):
        if work.categorical[j]:
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
        if key in first:
            pairs.append((work.names[j], work.names[first[key]]))
        first.setdefault(key, j)
    two_valued = len(pairs) > 0 and all(
        len(np.unique(X[:, work.names.index(name)])) <= 2 for name, _ in pairs
    )
    if not pairs or (two_valued and X.shape[0] < 100):
        return []
    names = tuple(name for name, _ in pairs)
    facts = {"pairs": pairs}
    return [Finding("duplicate-columns", "notable", facts, names, {"drop": names})]


def sorted_labels(work: DatasetDraft, truth: NDArray[Any]) -> list[Finding]:
    """Classes of the first rows alone, where the rows are in the order of a column."""
    known = np.array([value is not None for value in truth], dtype=bool)
    m = int(known.sum())
    if not 0 < m < len(known) or not known[:m].all() or work.sparse or len(known) < 20:
        return []
    for j in range(min(work.X.shape[1], 1000)):
        steps = np.diff(work.X[:, j])
        if ((steps >= 0).all() or (steps <= 0).all()) and (steps != 0).sum() >= 10:
            name = (work.names[j],)
            option = {"accept": ("order",)}
            return [Finding("order", "harmful", {"labelled": m}, name, option)]
    return []


def reproduced(dataset: Dataset, labels: Any) -> list[Finding]:
    """The columns of few values that alone give the clusters, value for cluster."""
    if dataset.plan is None or not isinstance(dataset.X, np.ndarray):
        return []
    labels = np.asarray(labels)
    clusters, of_object = np.unique(labels, return_inverse=True)
    k = int((clusters >= 0).sum())
    found = []
    for column in dataset.plan.columns:
        if column.use != "feature" or column.n_values not in (k, k + 1) or k < 2:
            continue
        at = [
            j for j, name in enumerate(dataset.feature_names)
            if name == column.name or name.startswith(f"{column.name}=")
        ]  # fmt: skip
        values, code = np.unique(dataset.X[:, at], axis=0, return_inverse=True)
        table = np.zeros((len(values), len(clusters)), dtype=np.int64)
        np.add.at(table, (code.ravel(), of_object), 1)
        share = min(table.max(axis=0).sum(), table.max(axis=1).sum()) / len(labels)
        if share >= MIN_REPRODUCED_SHARE:
            option = {"drop": (column.name,)}
            facts = {"share": float(share)}
            found.append(Finding("reproduced", "harmful", facts, (column.name,), option))
    return found
