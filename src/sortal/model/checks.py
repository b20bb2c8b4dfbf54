"""Check of a model that was read from a file: a forged one must not fail later, or mislead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances import check_metric
from sortal.runtime.validation import check_data
from sortal.text.vectorizer import TextVectorizer

if TYPE_CHECKING:
    from sortal.datasets.prepared.preparation import Preparation
    from sortal.model.rule import PlacementRule


def _is_whole(value: object) -> bool:
    """Whether a value is a whole number that is not negative."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62


def _is_real(value: object) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _are(kind: Callable[[object], bool]) -> Callable[[object], bool]:
    """A check that a value is a tuple of values of one kind."""
    return lambda value: isinstance(value, tuple) and all(map(kind, value))


def _is_text(value: object) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


#: annotation of a field -> check of its value; other fields have checks of their own
_KINDS: dict[str, Callable[[object], bool]] = {
    "str": _is_text,
    "bool": lambda value: isinstance(value, bool),
    "int": _is_whole,
    "float": _is_real,
    "str | None": lambda value: value is None or _is_text(value),
    "float | None": lambda value: value is None or _is_real(value),
    "tuple[str, ...]": _are(_is_text),
    "tuple[int, ...]": _are(_is_whole),
    "tuple[float, ...]": _are(_is_real),
    "dict[str, Any]": lambda value: isinstance(value, dict),
}


def check_model(model: Any) -> None:
    """Raise ValueError unless all parts of a model fit each other, and objects can be placed."""
    confidence, preparation = model.confidence, model.preparation
    for name in (model, confidence, model.extension_agreement, preparation, *preparation.columns):
        _check_fields(name)
    k = len(model.names)
    _require(len(model.sizes) == k and min(model.sizes, default=0) > 0, "sizes of the clusters")
    _require(sum(model.sizes) <= model.n_objects, "number of objects")
    _require(0 <= model.training_agreement <= 1, "training_agreement")
    _check_rule(model.rule, k)
    margins, shares = np.array(confidence.margins), np.array(confidence.shares)
    _require(len(margins) == len(shares) > 0 and bool((np.diff(margins) >= 0).all()), "confidence")
    _require(bool(((shares >= 0) & (shares <= 1)).all()), "confidence")
    _check_preparation(preparation, model.rule.X.shape[1])
    is_dense = isinstance(model.rule.X, np.ndarray)
    _require(not is_dense or (preparation.center is None) == (preparation.scale is None), "center")
    model.confidence(model.rule.place(model.rule.X[:3]).margins)
    str(model)


def _require(holds: bool, field_name: str) -> None:
    """Raise ValueError with the name of a part that does not fit the others."""
    if not holds:
        raise ValueError(f"its part {field_name!r} does not fit the others")


def _check_fields(record: object) -> None:
    """Raise unless each field of a dataclass has its annotated type."""
    for field in fields(record):  # type: ignore[arg-type]
        is_kind = _KINDS.get(str(field.type))
        _require(is_kind is None or is_kind(getattr(record, field.name)), field.name)


def _check_rule(rule: PlacementRule, k: int) -> None:
    """Raise unless a rule has finite objects and centres, and labels and limits that fit them."""
    check_metric(rule.metric)
    _require(isinstance(rule.metric, str) and isinstance(rule.by_centers, bool), "rule")
    for name, rows in (("X", rule.X), ("centers", rule.centers)):
        check_data(rows, name=name)
        _require(rows.dtype.kind == "f", name)
    labels, limits = rule.labels, rule.limits
    _require(labels.dtype.kind == "i" and labels.shape == (rule.X.shape[0],), "labels")
    _require(labels.min() >= -1 and 0 <= labels.max() < k, "labels")
    _require(rule.centers.shape[0] == k, "centers")
    _require(
        limits.dtype.kind == "f" and limits.shape == (k,) and bool((limits >= 0).all()), "limits"
    )


def _check_preparation(preparation: Preparation, d: int) -> None:
    """Raise unless a preparation leads to ``d`` features."""
    weights = preparation.weights
    if weights is not None:
        _require(weights.dtype.kind == "f" and weights.ndim == 1, "weights")
        _require(bool(np.isfinite(weights).all() and (weights >= 0).all()), "weights")
        _require(int((weights > 0).sum()) == d, "weights")
        d = len(weights)
    _require(len(preparation.feature_names) == d, "feature_names")
    n_kept = int(preparation.kept.sum())
    _require(preparation.dtype in ("<f4", "<f8"), "dtype")
    widths = [column.n_features for column in preparation.columns]
    _require(not widths or sum(widths) == d, "columns")
    _require(bool(widths) or not preparation.of_table, "columns")
    kinds = {column.kind for column in preparation.columns}
    _require(kinds <= {"number", "date", "category", "code"}, "columns")
    arrays = {"center": preparation.center, "scale": preparation.scale}
    if preparation.filler is not None:
        donors = preparation.filler.donors
        _require(donors.dtype.kind == "f" and donors.ndim == 2, "donors")
        _require(donors.shape[1] == n_kept, "donors")
        _require(donors.shape[0] > 0 and not np.isinf(donors).any(), "donors")
        arrays |= {"filler_center": preparation.filler.center}
        arrays |= {"filler_spread": preparation.filler.spread}
    for name, values in arrays.items():
        if values is None:
            continue
        _require(values.dtype.kind == "f" and values.ndim == 1, name)
        _require(len(values) == (n_kept if name.startswith("filler") else d), name)
        _require(bool(np.isfinite(values).all()), name)
        _require(name not in ("scale", "filler_spread") or bool((values > 0).all()), name)
    terms: Any = preparation.terms
    if terms is None:
        return
    weighter = terms.weighter_ if isinstance(terms, TextVectorizer) else terms
    idf = weighter.idf_
    _require(idf.dtype.kind == "f" and idf.shape == (d,) and np.isfinite(idf).all(), "idf")
    _require(_is_real(weighter.mean_length_), "mean_length")
    if isinstance(terms, TextVectorizer):
        _require(len(terms.vocabulary_) == len(terms.terms_) == d, "vocabulary")
        _require(all(isinstance(term, str) for term in terms.vocabulary_), "vocabulary")
        terms.transform([" ".join(map(str, terms.terms_[:3]))])
    else:
        terms.transform(np.ones((1, d)))
