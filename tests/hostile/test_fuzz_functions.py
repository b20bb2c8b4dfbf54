"""Every public function with odd arguments: a value, a reasoned error, nothing else."""

from __future__ import annotations

import importlib
import inspect
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from sortal import InputError

ROOMS = ("sortal", "sortal.bounds", "sortal.measures.clarity", "sortal.distances.neighbors")
# they take data that are checked already, or fit clusterers
OTHERS = {
    "as_distances", "distances_of_parts", "gap_statistic", "in_strips", "neighbors_of_some",
    "train_judge",
}  # fmt: skip


def public() -> dict[str, Any]:
    """The public functions by name that need nothing but what POOLS has."""
    found = {}
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in dir(module):
            function = getattr(module, name)
            if not inspect.isfunction(function) or name in OTHERS or name.startswith("_"):
                continue
            all_of_it = inspect.signature(function).parameters
            needed = {key for key, one in all_of_it.items() if one.default is one.empty}
            if needed <= set(POOLS) and set(all_of_it) & set(POOLS):
                found[name] = function
    return found


@st.composite
def dense(draw: Any) -> Any:
    n = draw(st.integers(0, 9))
    d = draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    X = rng.normal(size=(n, d)) * draw(st.sampled_from([1, 0, 1e-200, 1e-160, 1e100, 1e160, 1e300]))
    if draw(st.booleans()):
        X = np.round(X)
    if X.size and draw(st.integers(0, 4)) == 0:
        X.flat[draw(st.integers(0, X.size - 1))] = draw(st.sampled_from([np.nan, np.inf, 1e308]))
    kind = draw(st.sampled_from(["float64", "float32", "list", "frame", "fortran", "masked"]))
    if kind == "float32":
        with np.errstate(over="ignore"):
            return X.astype(np.float32)
    if kind == "list":
        return X.tolist()
    if kind == "frame":
        return pd.DataFrame(X)
    if kind == "masked":
        return np.ma.masked_array(X, mask=rng.random(X.shape) < 0.05)
    return np.asfortranarray(X) if kind == "fortran" else X


@st.composite
def malformed(draw: Any) -> Any:
    """A sparse matrix of which an index or a pointer may be anything."""
    n, d = draw(st.integers(2, 9)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    X = sparse.random_array((n, d), density=0.6, rng=rng, format="csr")
    X = getattr(X, f"to{draw(st.sampled_from(['csr', 'csr', 'csc', 'bsr', 'coo']))}")()
    if X.format == "coo":
        return X
    for _ in range(draw(st.integers(0, 2))):
        array = draw(st.sampled_from([X.indptr, X.indices]))
        if len(array):
            odd = st.sampled_from([-1, -(2**30), 2**30, 0, 1, n, d, 100])
            array[draw(st.integers(0, len(array) - 1))] = draw(odd)
    return X


@st.composite
def labels(draw: Any) -> Any:
    n = draw(st.integers(0, 9))
    values = draw(
        st.sampled_from(
            [[0, 1], [0], [0, 1, 2], [-1, 0, 1], ["a", "b"], ["a", None], [0.0, np.nan], [1, "a"],
             [True, False], [2**62, -(2**62)], [(0, 1), (1, 0)], [-1]]
        )
    )  # fmt: skip
    found = [draw(st.sampled_from(values)) for _ in range(n)]
    kind = draw(st.sampled_from(["list", "array", "series", "distinct", "masked", "mapping"]))
    if kind == "series":
        return pd.Series(found, dtype=object if n == 0 else None)
    if kind == "distinct":
        return list(range(n))
    if kind == "masked":
        return np.ma.masked_array(np.arange(n), mask=np.arange(n) == 1)
    if kind == "mapping":
        return dict(enumerate(found))
    return np.asarray(found, dtype=object) if kind == "array" else found


METRICS = [
    "euclidean",
    "cityblock",
    "cosine",
    "correlation",
    "sqeuclidean",
    "jaccard",
    "precomputed",
]
POOLS: dict[str, Any] = {
    "X": st.one_of(dense(), dense(), malformed(), st.just(None), st.just("text")),
    "affinity": st.one_of(dense(), malformed()),
    "graph": st.one_of(dense(), malformed(), st.just(None), st.just("text")),
    "memberships": dense(),
    "labels": labels(),
    "labels_true": labels(),
    "labels_pred": labels(),
    "labelings": st.one_of(labels(), st.lists(labels(), max_size=3)),
    "truth": st.one_of(st.none(), labels()),
    "y": labels(),
    "clusters": labels(),
    "guesses": st.lists(st.sampled_from([0.0, 1.0, 0.5, np.nan, 1e300]), max_size=9),
    "values": st.lists(st.sampled_from([0.0, 1.0, None, np.nan, 1e300]), max_size=9),
    "sizes": st.one_of(st.integers(-1, 30), st.just({0: 1}), st.lists(st.integers(-1, 4))),
    "predicted": labels(),
    "noise": st.sampled_from(["error", "drop", "cluster", "singletons"]),
    "metric": st.sampled_from(METRICS),
    "sample_weight": st.one_of(
        st.none(), st.lists(st.sampled_from([0, 1, 2.5, -1, np.nan, 1e300]), max_size=9)
    ),
    "delta": st.sampled_from([0.1, 0, 1, -1, float("nan"), 1e-300]),
    "classes": st.sampled_from([None, 3, 0, "open", ["a", "b"], [-1, 0, 1]]),
    "Z": dense(),
    "n_neighbors": st.sampled_from([1, 3, 0, 100]),
    "m": st.integers(-1, 30),
    "n": st.integers(-1, 30),
    "a": st.integers(-1, 30),
    "b": st.integers(-1, 30),
    "labelled": labels(),
    "n_objects": st.integers(-1, 30),
    "size": st.integers(-1, 30),
    "n_tested": st.integers(-1, 30),
    "errors": st.integers(-1, 30),
    "sigma": st.sampled_from([1.0, 0.0, -1.0, float("nan"), 1e-300]),
    "separation": st.sampled_from([1, 2, 0]),
    "measure": st.sampled_from(["adjusted_rand_index", "purity", "silhouette"]),
    "origins": st.just([None, None]),
    "random_state": st.just(0),
}


@st.composite
def call(draw: Any, function: Any) -> dict[str, Any]:
    """Arguments, of one length more often than chance would give."""
    given_ = {}
    for name, parameter in inspect.signature(function).parameters.items():
        needed = parameter.default is inspect.Parameter.empty
        if name in POOLS and (needed or draw(st.booleans())):
            given_[name] = draw(POOLS[name])
    length = next(
        (_length(v) for k, v in given_.items() if k in ("X", "labels_true", "graph")), None
    )
    if length is not None and draw(st.integers(0, 3)):
        for name in (
            "labels",
            "labels_pred",
            "y",
            "truth",
            "predicted",
            "labelings",
        ):
            if name in given_ and length:
                codes = st.lists(st.integers(0, 2), min_size=length, max_size=length)
                given_[name] = draw(codes)
    return given_


def _length(value: Any) -> int | None:
    if hasattr(value, "shape"):
        return int(value.shape[0])
    return len(value) if hasattr(value, "__len__") else None


def has_silent_nan(value: Any) -> bool:
    """Whether a plain number is NaN; tables tell their reasons beside."""
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(public()))
def test_a_value_or_a_reason(name: str) -> None:
    function = public()[name]

    @settings(
        max_examples=60,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    @given(call(function))
    def holds(arguments: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                value = function(**arguments)
            except InputError:
                return
        assert not has_silent_nan(value)

    holds()
