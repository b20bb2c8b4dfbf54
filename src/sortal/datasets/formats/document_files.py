"""Files with documents or term counts, as weighted terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal import text as vectors
from sortal.datasets.formats import delimited
from sortal.datasets.formats.data_files import (
    check_file,
    explained,
    read_lines,
    read_raw,
    split_name,
)
from sortal.datasets.values.drafts import RawData
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.runtime.validation import InputError, unknown_name
from sortal.text import documents as forms
from sortal.text import matrices

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: :class:`sortal.text.TextVectorizer`, or parameters of it
Vectorizer: TypeAlias = "vectors.TextVectorizer | Mapping[str, Any] | None"

#: suffixes of files of documents
DOCUMENT_SUFFIXES = forms.JSON_LINES
#: suffixes of files of term counts, and of both
COUNT_SUFFIXES = (".mat", *matrices.LIBSVM)
TEXT_DATA_SUFFIXES = (*DOCUMENT_SUFFIXES, *COUNT_SUFFIXES)


@dataclass
class WeightedTerms:
    """Weighted terms of documents, and what prepares further documents."""

    raw: RawData
    #: those of the user, with the columns of ids and classes that the documents have
    options: ReadingOptions
    terms: vectors.TextVectorizer | vectors.TermWeighter
    texts: tuple[str, ...] | None = None
    preparation: dict[str, Any] = field(default_factory=dict)  # what a preparation says of texts


def read_documents(path: Path, options: ReadingOptions) -> WeightedTerms:
    """Weighted terms of documents."""
    with explained(path):
        unstripped = documents_of(path, options)
    documents = forms.bodies(unstripped, options.messages)
    vectorizer = _vectorizer(options.vectorizer)
    X = vectorizer.fit_transform(documents.texts)
    notes = [*documents.notes, _texts_note(vectorizer, X)]
    terms = tuple(str(term) for term in vectorizer.get_feature_names_out())
    name, suffix = (path.name, "") if path.is_dir() else split_name(path)
    raw = RawData(name, str(path), X, terms, documents.fields, notes, owned=True, of_terms=True)
    if options.id_column is None:
        options = replace(options, id_column=_id_column(documents))
    if options.label_column is None and options.y is None and "folder" in documents.fields:
        options = replace(options, label_column="folder")
        notes.append("The subfolders are taken for the classes.")
    return WeightedTerms(
        raw,
        options,
        vectorizer,
        tuple(documents.texts),
        {
            "messages": documents is not unstripped,
            "text_column": (options.text_column or "text") if suffix else None,
        },
    )


def documents_of(path: Path, options: ReadingOptions) -> forms.Documents:
    """Texts of a folder, JSON lines or a column, with their other fields."""
    text_column = options.text_column
    if path.is_dir():
        return forms.folder(path)
    check_file(path)
    if split_name(path)[1] in forms.JSON_LINES:
        return forms.json_lines(path, text_column, delimited.open_binary)
    assert text_column is not None
    table = read_raw(path, options).content
    if not hasattr(table, "column_names"):
        raise InputError(f"{path} holds numbers; texts come from a column of a table or a folder")
    if text_column not in table.column_names:
        raise unknown_name(text_column, table.column_names, "column")
    fields = {
        name: np.array(table.column(name).to_pylist(), dtype=object) for name in table.column_names
    }
    texts = ["" if v is None else str(v) for v in fields.pop(text_column)]
    return forms.Documents(texts, fields)


def _id_column(documents: forms.Documents) -> str | None:
    """Field of file names or ids, where they differ."""
    for name in ("file", "id"):
        values = documents.fields.get(name, ())
        if len(values) and None not in values and len(set(values)) == len(values):
            return name
    return None


def _texts_note(vectorizer: vectors.TextVectorizer, X: csr_array) -> str:
    """Note on the number of texts and terms, and on empty texts."""
    empty = int((np.diff(X.indptr) == 0).sum())
    note = (
        f"{X.shape[0]:,} texts became {X.shape[1]:,} terms with the weight "
        f"{vectorizer.weight}, rows of length 1; distances are cosine."
    )
    if empty == 1:
        note += " 1 text has none of the terms; it is kept as an empty object."
    elif empty:
        note += f" {empty:,} texts have none of the terms; they are kept as empty objects."
    return note


def read_counts(path: Path, options: ReadingOptions) -> WeightedTerms:
    """Weighted terms of a matrix of term counts, weighted as texts are."""
    check_file(path)
    name, suffix = split_name(path)
    labels: Any = None
    with explained(path):
        if suffix == ".mat":
            with delimited.open_binary(path) as stream:
                counts = matrices.cluto(path, stream)
            classes = matrices.beside(path, (".rclass",))
            labels = None if classes is None else read_lines(classes)
        elif suffix in matrices.LIBSVM:
            with delimited.open_binary(path) as stream:
                counts, labels = matrices.libsvm(path, stream)
            labels = labels if len(set(labels)) > 1 else None
        else:
            counts = read_raw(path, ReadingOptions()).content
    if not hasattr(counts, "indptr"):
        raise InputError(f"{path} is not a sparse matrix; terms belong to a sparse matrix")
    vectorizer = _vectorizer(options.vectorizer)
    weighter = vectors.TermWeighter(
        vectorizer.weight, k1=vectorizer.k1, b=vectorizer.b, norm=vectorizer.norm
    )
    try:
        X = weighter.fit_transform(counts)
    except InputError as error:
        raise InputError(f"{path} is not counts of terms: {error}") from None
    note = f"Counts of terms were given the weight {vectorizer.weight}; distances are cosine."
    default_file = matrices.beside(path, (".clabel", ".terms.txt"))
    term_file = Path(options.terms) if options.terms else default_file
    terms = None
    if term_file is not None:
        terms = matrices.term_names(term_file, read_lines(term_file), counts.shape[1])
    raw = RawData(name, str(path), X, terms, notes=[note], owned=True, of_terms=True)
    if labels is not None and options.y is None and options.label_column is None:
        raw.beside = {"class": np.asarray(labels, dtype=object)}
        options = replace(options, label_column="class")
    return WeightedTerms(raw, options, weighter)


def has_terms(path: Path, terms: str | None) -> bool:
    """Whether a sparse matrix counts terms: they are named, or lie beside it."""
    if split_name(path)[1] not in (".npz", ".mtx"):
        return False
    return terms is not None or matrices.beside(path, (".clabel", ".terms.txt")) is not None


def _vectorizer(vectorizer: Vectorizer) -> vectors.TextVectorizer:
    """Vectorizer with the user's parameters."""
    if isinstance(vectorizer, vectors.TextVectorizer):
        return vectorizer
    parameters = vectors.TextVectorizer().get_params()
    for name in vectorizer or ():
        if name not in parameters:
            raise unknown_name(name, parameters, "parameter of TextVectorizer")
    return vectors.TextVectorizer(**(vectorizer or {}))
