"""Pinned parts of reading data: small files of every fault and form, and what is said about them."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pinning import Pins
from scipy import sparse

import sortal
from sortal.datasets.labels.label_columns import studio_columns
from sortal.datasets.partitioned.partitions import LabelFolder, open_partitions
from sortal.datasets.prepared import column_weights
from sortal.datasets.readers import read_objects
from sortal.datasets.row_blocks import row_blocks
from sortal.datasets.values import column_kinds, findings
from sortal.datasets.values.findings import Finding
from sortal.datasets.values.reading_options import ReadingOptions

N = 60


def names() -> dict[str, Any]:
    """Files of given contents, columns of three groups, and what is told of either."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 3
    a, b, c = (9.0 * np.eye(3)[y] + rng.normal(size=(N, 3))).round(3).T
    base = {"a": a, "b": b, "c": c}

    def said(data: Any) -> Any:
        """Everything that a data set tells."""
        X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
        plan = data.plan
        columns = () if plan is None else plan.columns
        return {
            "shape": X.shape, "dtype": str(X.dtype), "means": X.mean(axis=0)[:12], "rows": X[:3, :12],
            "last": X[-1][:12], "names": data.feature_names[:40], "ids": [*data.ids[:3]],
            "y": None if data.y is None else [*data.y[:5]], "truth": data.truth_name,
            "notes": data.notes, "kept": None if data.rows is None else data.rows[-3:],
            "center": data.center, "scale": data.scale, "metric": data.metric, "kind": data.kind,
            "options": {**data.options}, "columns": [
                (o.name, o.kind, o.use, o.role, o.missing, o.n_values, o.spread, o.weight,
                 dict(o.facts.items())) for o in columns[:40]],
            "findings": [(f.key, f.severity, f.stops, f.option, findings.sentence(f))
                         for f in data.findings],
            "weights": data.column_weights, "str": str(data), "html": len(data._repr_html_()),
        }  # fmt: skip

    def file(
        text: Any, name: str = "t.csv", *, then: Any = None, beside: Any = (), **options: Any
    ) -> Any:
        """What is told of a file, or its error."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            for other, content in dict(beside).items():
                (path.parent / other).write_text(content)
            for key in ("y", "terms"):
                if isinstance(options.get(key), str):
                    options[key] = str(path.parent / options[key])
            read = sortal.datasets.read if then is None else then
            try:
                found = read(path, **options)
                found = found if then is not None else said(found)
                return json.loads(json.dumps(found, default=plain_of).replace(folder, "FOLDER"))
            except ValueError as error:
                repairs = getattr(error, "repairs", None)
                text = f"{type(error).__name__}: {error} {repairs or ''}"
                return text.replace(folder, "FOLDER")

    def plain_of(value: Any) -> Any:
        """What JSON does not know."""
        from pinning import plain

        return plain(value)

    def csv(
        more: Any = None, n: int = N, sep: str = ",", header: bool = True, **changed: Any
    ) -> str:
        """A table of three groups with further or other columns."""
        columns = {**{k: v[:n] for k, v in base.items()}, **dict(more or {}), **changed}
        frame = pd.DataFrame({k: pd.Series(v) for k, v in columns.items() if v is not None})
        return frame.to_csv(index=False, sep=sep, header=header)

    def table(more: Any = None, *, weigh: bool = False, **options: Any) -> Any:
        """What is told of a table in memory."""
        changed = {**base, **dict(more or {})}
        frame = pd.DataFrame({k: v for k, v in changed.items() if v is not None})
        data = sortal.datasets.from_table(frame, **options)
        return said(sortal.datasets.weighted(data) if weigh else data)

    def later(rows: Any, more: Any = None, **options: Any) -> Any:
        """Further rows, prepared as a table was, also by a preparation that was stored."""
        from sortal.datasets.prepared.preparation import Preparation

        frame = pd.DataFrame({**base, **dict(more or {})})
        data = sortal.datasets.from_table(frame, **options)
        again = Preparation.from_parts(*data.preparation.to_parts())
        told = [one.apply(rows) for one in (data.preparation, again)]
        return [(one.X, one.filled, one.notes) for one in told]

    def kind_of(values: Any, name: str = "q", **options: Any) -> Any:
        """Interpretation of a column."""
        column = pa.chunked_array([pa.array(values)])
        one, cells = column_kinds.interpret_column(column, name, ReadingOptions.of(**options))
        cells = getattr(cells, "codes", cells)
        return one, one.role, None if cells is None else np.asarray(cells)[:6]

    def finding(key: str, columns: Any = ("p",), **facts: Any) -> str:
        """The sentence of a finding."""
        return findings.sentence(Finding(key, "notable", facts, tuple(columns)))

    def labels_of(text: str, n: int = 4, name: str = "l.csv", **options: Any) -> Any:
        """Classes in a file."""
        then = sortal.datasets.read_labels
        return file(text, name, then=lambda path, **o: vars(then(path, n, **o)), **options)

    def labelings_of(text: str, name: str = "l.csv", **options: Any) -> Any:
        """Clusterings in a file."""

        def read(path: Any, **given: Any) -> Any:
            found = sortal.datasets.read_labelings(path, **given)
            return {k: [*v] for k, v in found.items()}, found.notes, found.rows, found.ids

        return file(text, name, then=read, **options)

    def weights_of(X: Any, weights: Any = None, **options: Any) -> Any:
        """Weights of the columns of an array."""
        found = sortal.datasets.weighted(sortal.datasets.from_array(X), weights, **options)
        return (
            found.column_weights,
            found.X.shape,
            found.X[0],
            [*map(findings.sentence, found.findings)],
        )

    def in_folder(files: Any, work: Any) -> Any:
        """What some work makes of files in a folder."""
        with tempfile.TemporaryDirectory() as outer:
            folder = f"{outer}/data"
            Path(folder).mkdir()
            for name, content in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(content, pd.DataFrame):
                    content.to_parquet(path, index=False)
                else:
                    path.write_text(content)
            try:
                told = work(folder)
            except ValueError as error:
                told = f"{type(error).__name__}: {error}"
            return json.loads(json.dumps(told, default=plain_of).replace(folder, "FOLDER"))

    def parts(files: Any, pattern: str = "", sample: int = 0, **options: Any) -> Any:
        """What is told of a table in parts, sampled where so many rows are asked for."""

        def read(folder: str) -> Any:
            with pytest.MonkeyPatch.context() as patch:
                if sample:
                    patch.setattr(sortal.datasets.reading_sizes, "max_whole", sample)
                    patch.setattr(sortal.datasets.reading_sizes, "sample_rows", sample)
                data = sortal.datasets.read(folder + pattern, **options)
            whole = data.whole
            sums = None if whole is None else (whole.sums.table, whole.sums.covariance,
                                               whole.n_rows, whole.is_sampled)  # fmt: skip
            return {**said(data), "all": sums}

        return in_folder(files, read)

    def pieces(folder: str, **options: Any) -> Any:
        """The parts of a table."""
        found = open_partitions(folder, every=True, **options)
        rows = found.rows(np.array([0, 2])).to_pylist(), found.drawn(np.array([3, 1])).to_pylist()
        return (found.name, found.columns, found.n_rows, found.notes, found.is_local, rows,
                [(one.name, one.start, one.n_rows) for one in found.parts])  # fmt: skip

    def labels_in(*steps: Any, before: Any = None, option: str = "--labels", **options: Any) -> Any:
        """Files of labels after they were written, with what was there before."""
        numbers = [pa.table({"row": [i], "name": ["n"]}) for i in range(3)]

        def write(folder: str) -> Any:
            it = LabelFolder(f"{folder}/out", **options)
            it.check(option)
            state = [it.is_local, it.stage.replace(it.run, "RUN"), sorted(it.parts())]
            try:
                with it.opened(f"{name.strip('!*')}.parquet" for name in steps) as written:
                    for name in steps:
                        file = it.write(name.strip("!*"), iter(numbers))
                        if not name.endswith("!"):
                            written[file.name] = file
                        if name.endswith("*"):
                            raise KeyboardInterrupt
            except KeyboardInterrupt:
                state.append("interrupted")
            found = sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*"))
            rows = [pd.read_parquet(p)["row"].tolist() for p in sorted(Path(folder).rglob("*.parquet"))
                    if p.stat().st_size > 99]  # fmt: skip
            return state, sorted(it.parts()), found, rows

        return in_folder(before or {}, write)

    def objects(text: str, metric: str, **options: Any) -> Any:
        """Distances between the objects of a file."""
        return file(text, then=lambda path, **o: said(read_objects(path, metric, **o)), **options)

    def studio(tasks: Any) -> Any:
        """Labels of Label Studio."""
        return file(json.dumps(tasks), "l.json", then=studio_columns)

    def blocks(text: str, name: str = "t.csv", **options: Any) -> Any:
        """Blocks of rows."""

        def read(path: Any, **given: Any) -> Any:
            return [
                (b.cells.to_pydict(), b.features.to_pydict()) for b in row_blocks(path, **given)
            ]

        return file(text, name, then=read, **options)

    def documents(later: Any, text: Any = None, **options: Any) -> Any:
        """Further documents, prepared as those of a file were, also by a stored preparation."""
        from sortal.datasets.prepared.preparation import Preparation

        lines = text or '{"text": "wine grape"}\n{"text": "wine soil"}\n{"text": "grape soil"}\n'

        def read(path: Any, **given: Any) -> Any:
            data = sortal.datasets.read(path, **given)
            again = Preparation.from_parts(*data.preparation.to_parts())
            told = [one.apply(later) for one in (data.preparation, again)]
            return [(one.X.toarray(), one.filled, one.notes) for one in told], again.needed

        return file(lines, "t.jsonl" if text is None else "t.csv", then=read, **options)

    def totals(*values: Any) -> str:
        """A table with sums after each half."""
        rows = csv(w=["u", "v"] * 30).splitlines()
        sums = [f"{a[:30].sum():.3f},{b[:30].sum():.3f},{c[:30].sum():.3f},Total",
                f"{a[30:].sum():.3f},{b[30:].sum():.3f},{c[30:].sum():.3f},Total"]  # fmt: skip
        sums = [text.replace(*values) if values else text for text in sums]
        return "\n".join([*rows[:31], sums[0], *rows[31:], sums[1]])

    def database(**options: Any) -> Any:
        """A table of a database of two."""

        def read(folder: str) -> Any:
            path = f"{folder}/t.sqlite"
            with sqlite3.connect(path) as connection:
                pd.DataFrame({k: v[:9] for k, v in base.items()}).to_sql("p", connection)
                pd.DataFrame({"x": [1, 2]}).to_sql('q "r"', connection, index=False)
            connection.close()
            return said(sortal.datasets.read(path + options.pop("table", ""), **options))

        return in_folder({}, read)

    def annotated(rep: Any = None, what: Any = None, most: int = 200, **parts: Any) -> Any:
        """What is read of an annotated matrix that is not in a file."""
        from sortal.datasets.formats import annotated_matrices as rooms

        values = np.arange(12.0).reshape(4, 3) ** 2 % 7
        obs = pd.DataFrame({"batch": list("aabb"), "leiden": [0, 1, 1, 0]}, index=list("wxyz"))
        adata = SimpleNamespace(**{
            "X": values, "obsm": {}, "var_names": list("uvw"), "obs": obs, "obs_names": obs.index,
            "file": SimpleNamespace(close=list), **parts})  # fmt: skip
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rooms, "open_annotated", lambda *_, **__: adata)
            patch.setattr(rooms, "require", lambda *_: None)
            patch.setattr(rooms, "MAX_VARIABLES", most)
            if what is not None:
                return what(Path("a.h5ad"))
            raw = vars(rooms.read_annotated(Path("a.h5ad"), rep))
            return {**raw, "content": getattr(raw["content"], "toarray", lambda: raw["content"])()}

    def made(name: str, make: Any, then: Any = None, **options: Any) -> Any:
        """What is told of a file that a function writes."""

        def read(folder: str) -> Any:
            make(f"{folder}/{name.partition('#')[0]}")
            if then is not None:
                return then(f"{folder}/{name}", **options)
            return said(sortal.datasets.read(f"{folder}/{name}", **options))

        return in_folder({}, read)

    def sheets(name: str = "t.xlsx", *, hide: Any = (), **rows: Any) -> Any:
        """A workbook of sheets of rows."""

        def make(path: str) -> None:
            with pd.ExcelWriter(path, engine="xlsxwriter") as book:
                for sheet, cells in rows.items():
                    if not isinstance(cells, pd.DataFrame):
                        cells = pd.DataFrame(cells)
                    cells.to_excel(book, sheet_name=sheet, index=False, header=False)
                    if sheet in hide:
                        book.sheets[sheet].hide()

        return make

    def downloaded(text: bytes, **limits: Any) -> Any:
        """What is copied of an answer, within limits."""
        from io import BufferedReader, BytesIO

        from sortal.datasets.formats import data_files as _downloads

        def copy(folder: str) -> Any:
            with pytest.MonkeyPatch.context() as patch:
                for key, value in limits.items():
                    patch.setattr(_downloads, f"_{key}", value)
                _downloads._copy(BufferedReader(BytesIO(text)), Path(folder, "a"), "http://a/b")  # type: ignore[arg-type]
            return Path(folder, "a").read_bytes().decode()

        return in_folder({}, copy)

    def edited(work: Any) -> Any:
        """What some work gives where edit distance is the difference of lengths."""

        def lengths(objects: Any) -> Any:
            sizes = np.array([len(one) for one in objects], float)
            return np.abs(sizes[:, None] - sizes)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sortal.distances._objects._edit", lengths)
            return work()

    def lists(key: str, rows: int) -> list[str]:
        """Texts by repeated words."""
        return [key.split()[i % len(key.split())] for i in range(rows)]

    long = pd.DataFrame({
        "customer": np.repeat([f"c{i}" for i in range(12)], 4), "item": lists("p q r s", 48),
        "value": np.arange(48) * 1.5,
    })  # fmt: skip
    series = pd.DataFrame({
        "sensor": np.repeat(np.arange(12), 9), "day": np.tile(np.arange(9), 12),
        "temp": np.sin(np.arange(108.0)), "mode": lists("u v v", 108),
    })  # fmt: skip
    ints = {"zip": [10000 + 137 * (i % 7) ** 3 for i in range(N)]}
    shared = {
        "N": N, "Counter": Counter, "SimpleNamespace": SimpleNamespace, "pa": pa, "Path": Path,
        "sparse": sparse, "Finding": Finding, "ReadingOptions": ReadingOptions, "json": json,
        "weighted": column_weights.weighted, "tempfile": tempfile, "sqlite3": sqlite3,
        "open_partitions": open_partitions,
    }  # fmt: skip
    return locals() | shared


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
