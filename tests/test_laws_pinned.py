"""What the laws give to measures and clusterers, and what they say of broken ones.

``PYTHONPATH=tests python tests/test_laws_pinned.py`` writes ``test_laws_pinned.json`` anew.
"""

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
import pytest

import karat
from karat import __main__, testing
from karat.clusterers import catalogue as clusterers
from karat.measures import catalogue
from pinning import Pins, fails


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
    return {"given": given, "broken": broken, "judged": judged, "ends": ends, "np": np, "karat": karat, "least": __main__.LEAST_ADDRESS_SPACE,
            "f": {"largest": largest, "few": few, "seeded": seeded, "one": one, "short": short}, "S": catalogue["silhouette"].function,
            "A": catalogue["adjusted_rand_index"].function, "testing": testing, "main": __main__}  # fmt: skip


EXPRESSIONS = [
    "given('silhouette')", "given('silhouette', random_state=3, order_matters=True)", "given('adjusted_rand_index')", "given('modularity')", "given('dunn_index')",
    *(f"broken({key!r}, {function})" for key, function in (
        ("silhouette", "lambda X, y: 3.0"), ("silhouette", "lambda X, y: -S(X, y)"), ("silhouette", "lambda X, y: 5 * S(X, y)"), ("silhouette", "lambda X, y: S(X, y) + 1e-6 * (str(np.asarray(y)[0]) > '9')"), ("silhouette", "lambda X, y: S(X, y) - .01 * (X[0, 0] > 1)"),
        ("silhouette", "lambda X, y: S(X, y) - .01 * isinstance(y, list)"), ("adjusted_rand_index", "lambda t, y: A(t, y) - .01 * isinstance(y, list)"), ("adjusted_rand_index", "lambda t, y: 0.0"), ("adjusted_rand_index", "lambda t, y: A(t, y) ** 2"))),
    *(f"judged(f[{name!r}]{more})" for name, more in (("largest", ""), ("seeded", ""), ("seeded", ", seeded=True"), ("largest", ", seeded=True"), ("one", ""), ("short", ""), ("largest", ", every_k=True"), ("few", ", every_k=True"), ("largest", ", parameter='eps', values=(4.0, 9.0)"), ("largest", ", parameter='eps', values=()"))),
    "[ends(x) for x in (None, least, least - 1)], fails(testing._check_equal, karat.measures.catalogue['silhouette'], 1.0, 1 + 2e-9, 'x'), testing._check_equal(karat.measures.catalogue['silhouette'], 1.0, 1 + 5e-10, 'x')",
    "testing._check_range(karat.measures.catalogue['silhouette'], {'a': 1 + 5e-13, 'b': -1 - 5e-13}), [fails(testing._check_range, karat.measures.catalogue['silhouette'], {'a': v}) for v in (1 + 2e-12, -1 - 2e-12)]",
    "karat._homes.__wrapped__()['Study']",
    "testing._graph_of(np.array([[0, 0.0], [1, 0], [0, 3], [9, 9]])).toarray(), testing._graph_of(np.eye(2)).data.flags.writeable",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write(EXPRESSIONS)
