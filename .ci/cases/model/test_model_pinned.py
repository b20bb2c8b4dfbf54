"""Pinned parts of models: rules, held-out objects, changes, watching, all rows, and forged files."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pinning import Pins
from scipy import sparse

import sortal
from sortal.model import (
    Confidence,
    Model,
    PlacementRule,
    archive,
    assign_rows,
    changes,
    rare,
    watch,
)
from sortal.model.changes import ResamplingReference
from sortal.model.holdout import ExtensionAgreement
from sortal.model.watch import Signal, WatchedClusters

#: the package has functions of these names
sortal_watch, sortal_changes = (
    import_module("sortal.model.watch"),
    import_module("sortal.model.changes"),
)
sortal_rows = import_module("sortal.model.all_rows")
N = 120


def names() -> dict[str, Any]:
    """A table of three groups with words and gaps, models of it, rows of later, and files."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 3
    X = 9.0 * np.eye(3)[y] + rng.normal(size=(N, 3))
    ring = np.stack([np.cos(np.arange(N) * 0.7), np.sin(np.arange(N) * 0.7)], 1) * (1 + y)[:, None]
    frame = pd.DataFrame(X.round(3), columns=list("abc")).assign(w=[("u", "v", "u")[i] for i in y])
    table = sortal.datasets.from_table(frame, scale="standard")
    counts = sparse.csr_array(rng.poisson(0.3 + 4.0 * np.eye(3, 8)[y]).astype(float))
    out = np.where(np.arange(N) % 30 == 4, -1, y)
    of = {
        "three": Model.of(X, y), "out": Model.of(X, out), "table": Model.of(table, y),
        "ring": Model.of(ring, y), "cosine": Model.of(counts, y, metric="cosine"),
        "city": Model.of(X, list("xyz") * 40, metric="cityblock"), "one": Model.of(X, y * 0),
        "few": Model.of(X[:6], y[:6]),
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

    def about(model: Any) -> Any:
        """Everything that a model tells."""
        rule = model.rule
        return (
            repr(model),
            str(model),
            model.names,
            model.sizes,
            model.confidence,
            model.extension_agreement,
            model.training_agreement,
            model.training_checked,
            model.facts.keys(),
            rule.by_centers,
            rule.limits,
            rule.metric,
            np.asarray(getattr(rule.centers, "toarray", lambda: rule.centers)()),
        )

    def again(model: Any, **changed: Any) -> Any:
        """What a file of a model with other content says."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.sortal-model"
            model.save(path)
            content, arrays = archive.parse_members(archive.read_members(path))
            for key, value in changed.items():
                of_part, _, inner = key.partition("__")
                if of_part == "A":
                    arrays[inner.replace("__", "/")] = value
                elif inner:
                    content[of_part][inner] = value
                else:
                    content[of_part] = value
            archive.write_archive(path, content, arrays, overwrite=True)
            try:
                return str(sortal.load_model(path))
            except ValueError as error:
                return str(error).replace(folder, "")

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

    def fitted(rows: Any) -> Any:
        """Clusters of rows, as the true ones."""
        return np.argmax(rows, axis=1).astype(np.int32)

    def changed(X: Any, labels: Any, names: Any, model: str = "three", **options: Any) -> Any:
        """Everything that is told of changes."""
        found = changes(of[model], of[model].prepare(X), np.asarray(labels), names, **options)
        return found.to_dict(), str(found), found.changed

    shifted = 9.0 * np.eye(3)[y[:60] * (np.arange(60) % 4 > 0)] + rng.normal(size=(60, 3))

    def files(n_days: int = 6, n: int = 40, **options: Any) -> Any:
        """Signals of days in files, where the shares change from the fourth day on."""
        rng = np.random.default_rng(3)
        with tempfile.TemporaryDirectory() as folder:
            for day in range(n_days):
                truth = rng.choice(3, n, p=[0.2, 0.2, 0.6] if day < 3 else [0.6, 0.2, 0.2])
                rows = 9.0 * np.eye(3)[truth] + rng.normal(size=(n, 3)) * (1 + (day > 4))
                frame = pd.DataFrame(rows, columns=["feature 1", "feature 2", "feature 3"])
                frame = frame.assign(key=[f"k{i}" for i in range(n)], day=f"2024-01-0{day % 9}")
                frame.to_csv(Path(folder) / f"d{day}.csv", index=False)
            try:
                if options.pop("watched", True):
                    found = watch(named, folder, progress=False, **options)
                    return (
                        found.to_dict(),
                        found.headline,
                        found.table.shape,
                        [one.name for one in found.alarms],
                    )
                rows = assign_rows(named, folder, progress=False, **options)
                return rows.to_dict() | {"folder": None}, rows.table.shape
            except ValueError as error:
                return str(error).replace(folder, "FOLDER")

    def interrupted(after: int) -> Any:
        """Rows assigned where Ctrl-C comes after so many parts."""
        done: list[int] = []

        @contextmanager
        def bar(*_: Any, **__: Any) -> Any:
            def advance(n: int) -> None:
                done.append(n)
                if len(done) == after:
                    raise KeyboardInterrupt

            yield advance

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sortal.model.all_rows.progress_bar", bar)
            try:
                return files(watched=False)
            except KeyboardInterrupt:
                return "interrupted"

    named = Model.of(pd.DataFrame(X, columns=["feature 1", "feature 2", "feature 3"]), y)

    def watched(*signals: Any, rows: Any = (40, 50, 60, 20), **options: Any) -> Any:
        """Watched clusters in words."""
        found = WatchedClusters(("a", "b", "c", "d"), rows, 2, signals, 0.05, **options)
        return found.headline, found.sentences

    def signal(kind: str, alarm: Any, since: Any, spread: float = 1.0) -> Any:
        """A signal."""
        values = np.array([0.1, 0.2, 0.5, np.nan])
        return Signal(kind, "x", values, values, values, values, alarm, since, spread)

    def prep(**values: Any) -> Any:
        """A preparation of two numbers."""
        columns = [Some(n_features=1, kind="number") for _ in range(2)]
        usual = {"weights": None, "feature_names": ["a", "b"], "kept": np.ones(2, bool),
                 "dtype": "<f8", "columns": columns, "of_table": True, "center": np.zeros(2),
                 "scale": np.ones(2), "filler": None, "terms": None}  # fmt: skip
        return Some(**{**usual, **values})

    def moved(cells: Any) -> Any:
        """What became of three clusters, by today's objects in each pair of clusters."""
        names = ["p", "q", "r"]
        flows = pd.DataFrame(np.c_[np.array(cells), np.zeros(5, int)], columns=[*names, "outlier"])
        return sortal_changes._transitions(of["three"], flows).to_dict("list")

    def changes_flows() -> Any:
        """Flows of placed objects, some unlike all and some outliers."""
        labels = np.array([0, 1, -1, 2, -1, 0])
        placed = Some(unlike=np.arange(6) == 3, labels=np.array([0, 1, 2, 0, -1, -1]))
        return sortal_changes._flows(of["three"], placed, labels, ["p", "q", "r"]).to_dict("split")

    def summed(key: str, rows: Any, first: int) -> Any:
        """Sums over rows of a batch."""
        prepared = of[key].prepare(rows)
        return sortal_rows._sums(of[key], prepared, of[key].placed(prepared, named=False), first)

    def part_of(rows: Any) -> Any:
        """A part of a table with these rows, of two days."""
        columns = {f"feature {j + 1}": rows[:, j] for j in range(3)}
        table = pa.table(columns | {"day": ["a", "b", "a"] * 2 + ["b"] * (len(rows) - 6)}
                         if len(rows) > 5 else columns)  # fmt: skip
        return Some(name="one", tables=lambda names: [(0, table.select(names))])

    unlike_rows = np.concatenate([rng.normal(size=(30, 3)) + 40, rng.uniform(60, 300, (12, 3))])
    shared = {
        "N": N, "Confidence": Confidence, "PlacementRule": PlacementRule, "Model": Model,
        "ExtensionAgreement": ExtensionAgreement, "sparse": sparse, "rare": rare,
        "ResamplingReference": ResamplingReference, "Some": Some, "pa": pa, "datetime": datetime,
        "sortal_watch": sortal_watch,
    }  # fmt: skip
    return locals() | shared


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
