"""Pinned parts of texts: words, weights, vectors, topics, messages, and files of documents."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from pinning import Pins
from scipy import sparse

from sortal.text import TermWeighter, TextVectorizer, documents, matrices


def names() -> dict[str, Any]:
    """Documents of three topics, counts, and files."""
    rng = np.random.default_rng(0)
    words = ["wine grape soil vine x", "ship harbour sea sail y2", "bread oven flour salt z"]
    subjects = [subject.split() for subject in words]
    texts = [" ".join(rng.choice(subjects[i % 3], 6)) + " the end's" for i in range(60)]
    y = np.arange(60) % 3
    counts = sparse.csr_array([[2.0, 0, 1, 0], [0, 3, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]])

    def dense(X: Any) -> Any:
        """Values and type of a sparse matrix."""
        return X.toarray(), str(X.dtype), type(X).__name__

    def vectors(given: Any = texts, then: Any = None, **options: Any) -> Any:
        """What a vectorizer makes of texts."""
        it = TextVectorizer(**options)
        X = it.fit_transform(given)
        more = None if then is None else dense(it.transform(then))
        return (X.shape, X.sum(axis=0), it.terms_.tolist(), it.vocabulary_, it.document_frequency_,
                it.weighter_.idf_, more, it.get_feature_names_out().tolist())  # fmt: skip

    def folder(files: Any) -> Any:
        """Documents in a folder of files."""
        with tempfile.TemporaryDirectory() as inside:
            for name, content in files.items():
                path = Path(inside) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            try:
                return documents.folder(Path(inside))
            except ValueError as error:
                return str(error).replace(inside, "FOLDER")

    def lines(content: bytes, column: Any = None) -> Any:
        """Documents in JSON lines."""
        return documents.json_lines(Path("t.jsonl"), column, lambda path: io.BytesIO(content))

    def cluto(content: bytes) -> Any:
        """A matrix in CLUTO's form."""
        return dense(matrices.cluto(Path("t.mat"), io.BytesIO(content)))

    def libsvm(content: bytes) -> Any:
        """A matrix in LIBSVM's form, and its labels."""
        X, labels = matrices.libsvm(Path("t.svm"), io.BytesIO(content))
        return dense(X), labels

    mail = "From: a@b\nSubject: tea\n\nAt five."
    shared = {
        "TextVectorizer": TextVectorizer, "TermWeighter": TermWeighter, "sparse": sparse,
        "Path": Path, "documents": documents, "matrices": matrices,
    }  # fmt: skip
    return locals() | shared


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
