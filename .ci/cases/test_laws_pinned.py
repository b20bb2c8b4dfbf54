"""What the laws give to measures and clusterers, and what they say of broken ones."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stderr
from dataclasses import replace
from functools import cache
from types import SimpleNamespace as Some
from typing import Any, ClassVar
from unittest import mock

import numpy as np
from pinning import Pins, fails

import sortal
from sortal import __main__, testing
from sortal.clusterers import catalogue as clusterers
from sortal.measures import catalogue


def given(key: str, **options: Any) -> list[Any]:
    """Everything that a measure gets while its laws are checked."""
    calls: list[Any] = []
    record = catalogue[key]

    def noted(first: Any, labels: Any, **more: Any) -> Any:
        dense = first.toarray() if hasattr(first, "toarray") else np.asarray(first)
        numbers = dense.round(3).sum(axis=0) if dense.dtype.kind == "f" else dense
        calls.append(
            [
                numbers,
                list(map(str, np.asarray(labels).tolist())),
                getattr(first, "flags", Some(writeable=None)).writeable,
            ]
        )
        return record.function(first, labels, **more)

    testing.check_measure(replace(record, function=noted), **options)
    return calls


def broken(key: str, function: Any) -> str:
    """What the laws say of a measure with another function, without further digits."""
    changed = replace(catalogue[key], function=function, compute=None)
    return re.sub(r"(\.\d{6})\d+", r"\1", fails(testing.check_measure, changed))


class Recorded:
    """A clusterer that notes what it gets, and finds the clusters of the largest feature."""

    calls: ClassVar[list[Any]] = []

    def __init__(self, value: Any, seed: int, does: Any) -> None:
        self.value, self.seed, self.does = value, seed, does

    def fit_predict(self, X: Any) -> Any:
        Recorded.calls.append([self.value, self.seed, X.shape, float(X.sum()), X.flags.writeable])
        return self.does(X, self)

    def fit(self, X: Any) -> Any:
        Recorded.calls.append(["fit", self.value, self.seed])
        return self

    def cut(self, k: int) -> Any:
        return np.arange(60) % (k - (self.does is few))


def largest(X: Any, made: Any) -> Any:
    return X.argmax(axis=1) if X.shape[1] == 3 else np.zeros(len(X), dtype=int)


def few(X: Any, made: Any) -> Any:
    return largest(X, made)


def seeded(X: Any, made: Any) -> Any:
    return largest(X, made) if X.shape[1] == 3 else (X[:, 0] * 97 * (1 + made.seed) % 2).astype(int)


def one(X: Any, made: Any) -> Any:
    return np.zeros(len(X), dtype=int)


def short(X: Any, made: Any) -> Any:
    return np.zeros(3, dtype=int)


def make(value: Any, seed: int, does: Any) -> Recorded:
    return Recorded(value, seed, does)


def judged(does: Any, **changes: Any) -> Any:
    """The calls of a clusterer whose laws are checked, and what is said of it."""
    from functools import partial

    Recorded.calls = []
    record = replace(
        clusterers["kmeans"],
        key="mine",
        make=partial(make, does=does),
        **({"seeded": False} | changes),
    )
    said = None
    try:
        testing.check_clusterer(record)
    except AssertionError as error:
        said = str(error)
    return [said, Recorded.calls]


def ends(limit: int | None) -> Any:
    """Exit code of the program where the address space has a limit, and what it says."""
    import resource

    limits = (resource.RLIM_INFINITY if limit is None else limit, 0)
    said = io.StringIO()
    with mock.patch.object(resource, "getrlimit", return_value=limits), redirect_stderr(said):
        try:
            return __main__._check_address_space()
        except SystemExit as stop:
            return stop.code, said.getvalue()


@cache
def names() -> dict[str, Any]:
    return {"given": given, "broken": broken, "judged": judged, "ends": ends, "np": np, "sortal": sortal, "least": __main__.LEAST_ADDRESS_SPACE,
            "f": {"largest": largest, "few": few, "seeded": seeded, "one": one, "short": short}, "S": catalogue["silhouette"].function,
            "A": catalogue["adjusted_rand_index"].function, "testing": testing, "main": __main__}  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
