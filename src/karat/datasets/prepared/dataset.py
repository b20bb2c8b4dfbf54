"""Data sets: objects, their features, and how they were read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

    from karat.datasets.partitioned.sampled_tables import WholeTable
    from karat.datasets.prepared.preparation import Preparation
    from karat.datasets.prepared.row_keys import RowKeys
    from karat.datasets.tables.reading_plan import ReadingPlan
    from karat.datasets.values.dependence import Weighing
    from karat.datasets.values.findings import Finding
    from karat.runtime.types import Bools, Floats, Rows


@dataclass(frozen=True, eq=False)
class Dataset:
    """Objects to cluster, with the facts that reports show about them.

    Attributes
    ----------
    X : ndarray (float64 or float32, C-contiguous) or csr_array, shape (n, d)
        Objects in rows, features in columns; finite.
    name : str
        Stem of the file, or name of the packaged set.
    feature_names : tuple of str, length d
        One name per column of ``X``; a one-hot column is called ``column=value``.
    ids : ndarray of object or int, shape (n,)
        Unique: the id column as written, else 0 to n - 1.
    y : ndarray of object, shape (n,), or None
        Class of each object, None where unknown.
    truth_name : str or None
        Column with the classes.
    notes : tuple of str
        Sentences on what was dropped, encoded, imputed and scaled.
    rows : ndarray of int, shape (n,), or None
        Row of the source of each object, from 0; None without a source.
    center, scale : ndarray, shape (d,), or None
        Undo the scaling: original = ``X * scale + center``.
    source : str or None
        Path or name of the source.
    options : mapping
        Options that reproduce the data set.
    texts : tuple of str, or None
        Documents behind ``X``.
    metric : str
        Distance that suits the data, ``"cosine"`` for terms of documents. With
        ``"precomputed"``, ``X`` holds the (n, n) distances; with ``"graph"``, the (n, n)
        affinities of a graph. Neither has features.
    findings : tuple of Finding
        Suspicious or assumed properties of the data, the most harmful first.
    plan : ReadingPlan or None
        Interpretation of a table's columns.
    preparation : Preparation or None
        Preparation of further objects in the same way.
    weighing : Weighing or None
        Weights of the columns, where ``X`` is weighted; see :func:`karat.datasets.weighted`.
    variables : DataFrame or None
        What describes the clusters if ``X`` is a representation of it: genes of cells.
    whole : WholeTable or None
        The table that the objects are a uniform sample of, with exact sums over all its rows.
    gaps : ndarray of bool, shape (n, d), or None
        Values that were missing and are imputed; None where none were.
    keys : RowKeys or None
        Columns with another value for each object, as written: other inputs about the same objects
        are joined by them, whatever else they are.
    """

    X: Rows
    name: str
    feature_names: tuple[str, ...]
    ids: NDArray[Any]
    y: NDArray[np.object_] | None = None
    truth_name: str | None = None
    notes: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None
    center: Floats | None = None
    scale: Floats | None = None
    source: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    texts: tuple[str, ...] | None = None
    metric: str = "euclidean"
    findings: tuple[Finding, ...] = ()
    plan: ReadingPlan | None = None
    preparation: Preparation | None = None
    weighing: Weighing | None = None
    variables: pd.DataFrame | None = None
    whole: WholeTable | None = None
    gaps: Bools | None = None
    keys: RowKeys | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features, d; 0 for distances and graphs."""
        return 0 if self.metric in ("precomputed", "graph") else int(self.X.shape[1])

    @property
    def inputs(self) -> dict[str, Any]:
        """Paths and addresses of the inputs by their option; no output goes there."""
        data = self.source if self.whole is None else self.whole.partitions.inputs
        names = {"y": "the classes", "terms": "the terms"}
        files = {text: self.options.get(name) for name, text in names.items()}
        paths = {text: path for text, path in files.items() if isinstance(path, (str, os.PathLike))}
        return {"the data": data, **paths}

    @property
    def column_weights(self) -> dict[str, float]:
        """Weight of each column; empty where the columns are not weighed."""
        return {} if self.weighing is None else dict(self.weighing.weights)

    @property
    def of_documents(self) -> bool:
        """Whether the features are weighted terms of documents."""
        return self.metric == "cosine" and not isinstance(self.X, np.ndarray)

    @property
    def kind(self) -> str:
        """Number of objects, and of their features, nodes or edges, in words."""
        n = f"{self.n_objects:,}"
        if self.metric == "precomputed":
            return f"distances of {n} objects"
        if self.metric == "graph":
            return f"a graph of {n} nodes and {self.X.nnz // 2:,} edges"  # type: ignore[union-attr]
        sparse = "" if isinstance(self.X, np.ndarray) else "sparse "
        return f"{n} objects, {self.n_features:,} {sparse}features"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of ``X`` (shape, dtype, values, sparse structure), in hexadecimal.

        Classes, names and ids are ignored. O(n d), computed once.
        """
        X = self.X
        digest = hashlib.sha256(f"{X.shape} {X.dtype.str}".encode())
        parts = [X]
        if not isinstance(X, np.ndarray):
            parts = [X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data]
        for part in parts:
            digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        """HTML for notebooks: a summary, and the findings, most harmful first."""
        from html import escape

        from karat.datasets.values.findings import sentence

        summary, *notes = str(self).split("\n")
        sentences = [sentence(text) for text in self.findings] + [note.strip() for note in notes]
        items = "".join(f"<li>{escape(text)}</li>" for text in sentences)
        return f"<p><b>{escape(summary)}</b></p><ul>{items}</ul>"

    def __str__(self) -> str:
        text = f"{self.name}: {self.kind}"
        if self.y is not None:
            classes = [value for value in self.y if value is not None]
            text += f", {len(set(classes))} classes in {self.truth_name or 'truth'}"
            if len(classes) < self.n_objects:
                text += f" ({len(classes):,} objects labelled)"
        return "\n".join([text, *(f"  {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"<Dataset {self.name!r}, {self.n_objects} × {self.n_features}>"
