"""Files of documents, or of counts of terms, to data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat import text as vectors
from karat.datasets import _layout
from karat.datasets._dataset import Dataset
from karat.datasets._files import check_file, explained, read_lines, read_raw, split_name
from karat.datasets._prepare import prepare
from karat.datasets._work import Options, Raw
from karat.runtime.validation import InputError, unknown_name
from karat.text import documents as forms
from karat.text import matrices

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: :class:`karat.text.TextVectorizer`, or parameters of it
Vectorizer: TypeAlias = "vectors.TextVectorizer | Mapping[str, Any] | None"

#: endings of files that hold documents
DOCUMENTS = forms.JSON_LINES
#: endings of files that hold documents, or counts of their terms, and nothing else
ENDINGS = (*DOCUMENTS, *matrices.LIBSVM, ".mat")


def read_documents(
    path: Path,
    options: Options,
    *,
    text_column: str | None,
    messages: bool | None,
    vectorizer: Vectorizer,
    header: bool | None,
    encoding: str,
) -> Dataset:
    """Texts of any form, vectorised; the metric of what comes out is the cosine."""
    with explained(path):
        documents = documents_of(path, options, text_column, header, encoding)
    whole = documents
    documents = forms.bodies(whole, messages)
    chosen = _vectorizer(vectorizer)
    X = chosen.fit_transform(documents.texts)
    notes = [*documents.notes, _made_of_texts(chosen, X)]
    named = tuple(str(term) for term in chosen.get_feature_names_out())
    name, suffix = (path.name, "") if path.is_dir() else split_name(path)
    raw = Raw(name, str(path), X, named, documents.fields, notes, owned=True, of_terms=True)
    raw.options = _given(text_column=text_column, messages=messages, vectorizer=vectorizer)
    if options.id_column is None:
        options = replace(options, id_column=_id_column(documents))
    if options.label_column is None and options.truth is None and "folder" in documents.fields:
        options = replace(options, label_column="folder")
        notes.append("The subfolders are taken for the classes.")
    dataset = prepare(raw, options)
    assert dataset.preparation is not None
    name_of_texts = (text_column or "text") if suffix else None
    preparation = replace(
        dataset.preparation,
        columns=(),
        terms=chosen,
        messages=documents is not whole,
        text_column=name_of_texts,
    )
    texts = tuple(documents.texts)
    return replace(dataset, texts=texts, metric="cosine", preparation=preparation)


def documents_of(
    path: Path, options: Options, text_column: str | None, header: bool | None, encoding: str
) -> forms.Documents:
    """The texts of a folder, JSON lines or a column, with what stands beside them."""
    suffix = split_name(path)[1]
    if path.is_dir():
        return forms.folder(path)
    check_file(path)
    if suffix in forms.JSON_LINES:
        return forms.json_lines(path, text_column, _layout.open_binary)
    assert text_column is not None
    table = read_raw(path, options, header=header, encoding=encoding).content
    if not hasattr(table, "column_names"):
        raise InputError(f"{path} holds numbers; texts come from a column of a table or a folder")
    if text_column not in table.column_names:
        raise unknown_name(text_column, table.column_names, "column")
    texts = ["" if v is None else str(v) for v in table.column(text_column).to_pylist()]
    fields = {
        name: np.array(table.column(name).to_pylist(), dtype=object)
        for name in table.column_names
        if name != text_column
    }
    return forms.Documents(texts, fields)


def _id_column(documents: forms.Documents) -> str | None:
    """The names of files, or a field called id, where they differ."""
    for name in ("file", "id"):
        values = documents.fields.get(name, ())
        if len(values) and None not in values and len(set(values)) == len(values):
            return name
    return None


def _made_of_texts(vectorizer: vectors.TextVectorizer, X: csr_array) -> str:
    empty = int((np.diff(X.indptr) == 0).sum())
    note = (
        f"{X.shape[0]:,} texts became {X.shape[1]:,} terms with the weight "
        f"{vectorizer.weight}, rows of length 1; distances are cosine."
    )
    if empty:
        are = "has none of the terms; it is kept as an empty object"
        if empty > 1:
            are = "have none of the terms; they are kept as empty objects"
        note += f" {empty:,} text{'s' if empty > 1 else ''} {are}."
    return note


def read_counts(
    path: Path,
    options: Options,
    *,
    terms: str | None,
    vectorizer: Vectorizer,
) -> Dataset:
    """A matrix of counts of terms, weighed as texts are."""
    name, suffix = split_name(path)
    labels: Any = None
    with explained(path):
        if suffix == ".mat":
            with _layout.open_binary(path) as stream:
                counts = matrices.cluto(path, stream)
            classes = matrices.beside(path, (".rclass",))
            labels = None if classes is None else read_lines(classes)
        elif suffix in matrices.LIBSVM:
            with _layout.open_binary(path) as stream:
                counts, labels = matrices.libsvm(path, stream)
            labels = None if len(set(labels)) < 2 else labels
        else:
            counts = read_raw(path, Options()).content
    names = Path(terms) if terms else matrices.beside(path, (".clabel", ".terms.txt"))
    if not hasattr(counts, "indptr"):
        raise InputError(f"{path} is not a sparse matrix; terms belong to a sparse matrix")
    chosen = _vectorizer(vectorizer)
    weighter = vectors.TermWeighter(chosen.weight, k1=chosen.k1, b=chosen.b, norm=chosen.norm)
    try:
        X = weighter.fit_transform(counts)
    except InputError as error:
        raise InputError(f"{path} is not counts of terms: {error}") from None
    note = f"Counts of terms were given the weight {chosen.weight}; distances are cosine."
    named = None
    if names is not None:
        named = matrices.term_names(names, read_lines(names), counts.shape[1])
    raw = Raw(name, str(path), X, named, notes=[note], owned=True, of_terms=True)
    raw.options = _given(terms=terms, vectorizer=vectorizer)
    if labels is not None and options.truth is None and options.label_column is None:
        raw.beside = {"class": np.asarray(labels, dtype=object)}
        options = replace(options, label_column="class")
    dataset = prepare(raw, options)
    assert dataset.preparation is not None
    preparation = replace(dataset.preparation, columns=(), terms=weighter)
    return replace(dataset, metric="cosine", preparation=preparation)


def has_terms(path: Path, terms: str | None) -> bool:
    """Whether a sparse matrix is one of terms: its terms were named, or lie beside it."""
    if split_name(path)[1] not in (".npz", ".mtx"):
        return False
    return terms is not None or matrices.beside(path, (".clabel", ".terms.txt")) is not None


def _vectorizer(given: Vectorizer) -> vectors.TextVectorizer:
    if isinstance(given, vectors.TextVectorizer):
        return given
    known = vectors.TextVectorizer().get_params()
    for name in given or ():
        if name not in known:
            raise unknown_name(name, known, "parameter of TextVectorizer")
    return vectors.TextVectorizer(**(given or {}))


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
