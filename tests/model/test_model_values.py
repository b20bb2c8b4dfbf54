"""Values of models: rules, held-out objects, changes, watching, all rows, and forged files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import sortal
from sortal import datasets, model
from values import table_test

N = 120


def fixtures() -> dict[str, Any]:
    """A table of three groups with words and gaps, models of it, rows of later, and files."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 3
    X = 9.0 * np.eye(3)[y] + rng.normal(size=(N, 3))
    ring = np.stack([np.cos(np.arange(N) * 0.7), np.sin(np.arange(N) * 0.7)], 1) * (1 + y)[:, None]
    frame = pd.DataFrame(X.round(3), columns=list("abc")).assign(w=[("u", "v", "u")[i] for i in y])
    table = datasets.from_table(frame, scale="standard")
    counts = sparse.csr_array(rng.poisson(0.3 + 4.0 * np.eye(3, 8)[y]).astype(float))
    out = np.where(np.arange(N) % 30 == 4, -1, y)
    of = {
        "three": sortal.Model.of(X, y), "out": sortal.Model.of(X, out), "table": sortal.Model.of(table, y),
        "ring": sortal.Model.of(ring, y), "cosine": sortal.Model.of(counts, y, metric="cosine"),
        "city": sortal.Model.of(X, list("xyz") * 40, metric="cityblock"), "one": sortal.Model.of(X, y * 0),
        "few": sortal.Model.of(X[:6], y[:6]),
    }  # fmt: skip
    later = np.array([[9.2, 0.1, 0], [4.5, 4.6, 0.1], [0, 0.3, 9], [50, 50, 50], [0, 9, 0]])

    def told(placed: Any) -> Any:
        """Everything that is told of placed objects."""
        return (
            len(placed),
            np.asarray(placed),
            placed.names.tolist(),
            placed.confidence,
            placed.unlike,
            placed.distances,
            placed.notes,
            placed.table.shape,
        )

    def damaged(change: Any) -> Any:
        """What is said of a file that was changed."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.sortal-model"
            of["three"].save(path)
            path.write_bytes(change(path.read_bytes()))
            try:
                return str(sortal.load_model(path))
            except ValueError as error:
                return str(error).replace(folder, "")

    named = sortal.Model.of(pd.DataFrame(X, columns=["feature 1", "feature 2", "feature 3"]), y)

    def watched(*signals: Any, rows: Any = (40, 50, 60, 20), **options: Any) -> Any:
        """Watched clusters in words."""
        found = model.WatchedClusters(("a", "b", "c", "d"), rows, 2, signals, 0.05, **options)
        return found.headline, found.sentences

    def signal(kind: str, alarm: Any, since: Any, spread: float = 1.0) -> Any:
        """A signal."""
        values = np.array([0.1, 0.2, 0.5, np.nan])
        return model.Signal(kind, "x", values, values, values, values, alarm, since, spread)

    return {
        "told": told, "of": of, "later": later, "X": X, "ring": ring, "y": y, "damaged": damaged,
        "named": named, "watched": watched, "signal": signal,
    }  # fmt: skip


# fmt: off
CASES = {
    "told": [
        lambda told, of, later: told(of["three"].predict(later)),
        lambda told, of, later: told(of["out"].predict(later)),
        lambda told, of, later: told(of["city"].predict(later)),
        lambda told, of, later: told(of["one"].predict(later)),
        lambda told, of, later: told(of["few"].predict(later)),
        lambda told, of, later: told(of["ring"].predict(later[:, :2] / 9)),
        lambda told, of: told(of["cosine"].predict(sparse.csr_array(np.eye(4, 8)))),
        lambda told, of: told(of["cosine"].predict(np.zeros((1, 8)))),
        lambda told, of: told(of["table"].predict(pd.DataFrame({"a": [9, None, 7, 3], "b": [0, 9,
            None, 2], "c": [0, 0.1, None, 1], "w": ["u", "v", "what", None]}))),
        lambda told, of: told(of["table"].predict({"a": [9.0], "b": [0.0], "c": [0.0], "w": ["u"],
            "more": [1]})),
        lambda told, of: told(of["three"].predict(np.zeros((0, 3)))),
        lambda told, of, X: told(of["three"].placed(of["three"].prepare(X[:6]), own=np.array([0, 1,
            -1, 3, 4, 5]))),
        lambda told, of, X: told(of["three"].placed(of["three"].prepare(X[:6]), labels=np.array([0,
            0, 2, -1, 1, 2], dtype=np.int32))),
        lambda told, of, ring: told(of["ring"].placed(of["ring"].prepare(ring[:6]),
            own=np.arange(6))),
    ],
    "of": [
        lambda of: of["table"].predict(pd.DataFrame({"a": [1]})),
        lambda of: of["three"].predict([[1, 2]]),
        lambda of, later: vars(of["three"].placed(of["three"].prepare(later), named=False)),
        lambda of: of["three"].renamed(["p", "q", 5]).names,
        lambda of: of["three"].renamed(["p", "q"]),
    ],
    "Model": [
        lambda X, y: sortal.Model.of(X, y[:5]),
        lambda X: sortal.Model.of(X, np.full(N, -1)),
        lambda X, y: sortal.Model.of(X, y, metric="seuclidean"),
        lambda X, y: sortal.Model.of(X, y, metric="mahalanobis"),
        lambda X, y: sortal.Model.of(abs(X @ X.T), y, metric="precomputed"),
        lambda X, y: sortal.Model.of(X, y, metric=lambda a, b: abs(a - b).sum()).save("/nowhere/x"),
        lambda X, y: str(sortal.Model.of(X, y, refit=lambda rows: np.argmax(rows, axis=1))),
        lambda X, y: str(sortal.Model.of(X, y, refit=lambda rows: None)),
        lambda X, y: str(sortal.Model.of(X, y, refit=lambda rows: np.full(len(rows), -1))),
        lambda X, y: str(sortal.Model.of(X, y, reason="why not")),
        lambda X, y: str(sortal.Model.of(np.tile(X, (50, 1)), np.tile(y, 50))),
        lambda X, y: [sortal.Model.of(X, y, rows=np.arange(30)).rule.X.shape,
            sortal.Model.of(np.tile(X, (50, 1)), np.tile(y, 50)).rule.X.shape],
    ],
    "ExtensionAgreement": [
        lambda: [str(model.ExtensionAgreement(v, e, s, 1234, r, why)) for v, e, s, r, why in
            ((None, None, None, False, "why"), (.5, .123, .678, True, None), (.5, None, .678,
            False, "why"))],
    ],
    "Confidence": [
        lambda: [model.Confidence.of(np.linspace(0, 1, n), np.arange(n) % 3 > 0) for n in (0, 5,
            19, 40, 61)],
        lambda: len(model.Confidence.of(np.linspace(0, 1, 2000), np.linspace(0, 1, 2000) >
            .3).margins),
        lambda: model.Confidence((0.0, 1.0), (.5, .9))(np.array([-1, 0, .5, 2])),
    ],
    "damaged": [
        lambda damaged: [damaged(f) for f in (lambda b: b[:500], lambda b: b"what", lambda b: b"",
            lambda b: b.replace(b"manifest", b"menifest"))],
    ],
    "load_model": [
        lambda: sortal.load_model("/nowhere/x"),
    ],
    "watch": [
        lambda named: model.watch(named, "/nowhere/at.csv"),
    ],
    "watched": [
        lambda watched, signal: watched(signal("share", None, None)),
        lambda watched, signal: watched(signal("share", 3, 2), signal("unlike", 2, 1, 2.5),
            signal("distance", None, None)),
        lambda watched, signal: watched(signal("share", 3, 2), rows=(4000, 5000, 29, 30),
            without=1234),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
