"""Texts to a sparse matrix of weighted terms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sortal.runtime.validation import InputError, check_choice
from sortal.text import _tokens
from sortal.text._weights import TermWeighter, Weight, presence

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray
    from scipy.sparse import csr_array


class TextVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts to weighted terms, rows of length 1.

    Parameters
    ----------
    weight : {"tf-idf", "tf", "binary", "bm25-tf", "bm25-tf-idf"}
        See :class:`TermWeighter`.
    analyzer : {"words", "bytes"}
        Lower-case words without stop words, cut to their stems; or all runs of bytes.
    stop_words : {"english", None} or iterable of str
        Words to ignore.
    stemmer : str or None, default "porter"
        A stemmer of PyStemmer (``"porter"``, ``"german"``, ...), or none.
    min_df, max_df : int or float, default 2 and 0.5
        Terms that fewer or more documents have are dropped; a float is a share of the documents.
    ngram : int, default 4
        Bytes in a run, for ``analyzer="bytes"``.
    max_bytes : int, optional
        Number of first bytes of each text to use, for ``analyzer="bytes"``.
    k1, b : float, default 20 and 1
        Parameters of BM25.
    norm : {"l2", None}
        Whether rows get the length 1.
    dtype : {numpy.float64, numpy.float32}

    Attributes
    ----------
    vocabulary_ : dict from str to int
        Column of each stem (or run of bytes).
    terms_ : ndarray of object, shape (d,)
        Names of the columns: the most frequent word of each stem.
    document_frequency_ : ndarray of int64, shape (d,)
        Number of fitted texts with each term.
    weighter_ : TermWeighter

    Notes
    -----
    O(characters). Tokens as doc2mat makes them, weights of whissell2012 §5.1; its chapter 7 uses
    ``TextVectorizer("binary", analyzer="bytes", min_df=20, max_df=1.0, max_bytes=2500)``. A text
    without any remaining term is an empty row, not an error.

    Examples
    --------
    >>> from sortal.text import TextVectorizer
    >>> texts = ["Dogs bark.", "The dog barks!", "Stars shine", "A star, shining"]
    >>> vectorizer = TextVectorizer().fit(texts)
    >>> vectorizer.get_feature_names_out()
    array(['bark', 'dogs', 'shine', 'stars'], dtype=object)
    >>> vectorizer.transform(["the dog star"]).toarray().round(3)
    array([[0.   , 0.707, 0.   , 0.707]])
    """

    def __init__(
        self,
        weight: Weight = "tf-idf",
        *,
        analyzer: Literal["words", "bytes"] = "words",
        stop_words: str | Iterable[str] | None = "english",
        stemmer: str | None = "porter",
        min_df: float = 2,
        max_df: float = 0.5,
        ngram: int = 4,
        max_bytes: int | None = None,
        k1: float = 20.0,
        b: float = 1.0,
        norm: str | None = "l2",
        dtype: npt.DTypeLike = np.float64,
    ) -> None:
        self.weight = weight
        self.analyzer = analyzer
        self.stop_words = stop_words
        self.stemmer = stemmer
        self.min_df = min_df
        self.max_df = max_df
        self.ngram = ngram
        self.max_bytes = max_bytes
        self.k1 = k1
        self.b = b
        self.norm = norm
        self.dtype = dtype

    def fit(self, X: Iterable[str], y: object = None) -> TextVectorizer:
        """Learn the terms."""
        self._weigh(self._learn(X))
        return self

    def fit_transform(self, X: Iterable[str], y: object = None) -> csr_array:
        """Learn the terms and weigh them, in one pass over the texts."""
        return self._weigh(self._learn(X))

    def transform(self, X: Iterable[str]) -> csr_array:
        """Weigh the terms of other texts; unknown ones are ignored."""
        check_is_fitted(self)
        return self.weighter_.transform(self._count(X))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Names of the columns, see ``terms_``."""
        check_is_fitted(self)
        return self.terms_

    def _weigh(self, counts: csr_array) -> csr_array:
        """Learn the weights and weigh the counts."""
        self.weighter_ = TermWeighter(self.weight, k1=self.k1, b=self.b, norm=self.norm)
        return self.weighter_.fit_transform(counts)

    def _learn(self, texts: Iterable[str]) -> csr_array:
        """Learn the terms; returns their counts."""
        counted = self._tokens(texts)
        n = len(counted.indptr) - 1
        least, most = _limit(self.min_df, n, "min_df"), _limit(self.max_df, n, "max_df")
        stems, of_token = self._stems(counted.tokens)
        counts = _matrix(counted, of_token, len(stems), self.dtype)
        frequency = presence(counts)
        columns = np.flatnonzero((frequency >= least) & (frequency <= most))
        if len(columns) == 0:
            raise InputError(
                f"no term is left: {len(stems):,} terms in {n:,} texts, none of them in at least "
                f"{least:g} and at most {most:g} texts; lower min_df or raise max_df"
            )
        columns = columns[np.argsort(np.array([stems[j] for j in columns], dtype=object))]
        names = _names(counted, of_token, len(stems))
        self.vocabulary_ = {stems[j]: i for i, j in enumerate(columns)}
        self.terms_ = np.array([names[j] for j in columns], dtype=object)
        self.document_frequency_ = frequency[columns]
        return counts[:, columns]

    def _count(self, texts: Iterable[str]) -> csr_array:
        """Counts of the learned terms in other texts."""
        counted = self._tokens(texts)
        stems, of_token = self._stems(counted.tokens)
        # one more for the stop words, whose number is -1
        columns = np.array([*(self.vocabulary_.get(s, -1) for s in stems), -1], dtype=np.int64)
        return _matrix(counted, columns[of_token], len(self.vocabulary_), self.dtype)

    def _tokens(self, texts: Iterable[str]) -> _tokens.TokenCounts:
        """Counts of the tokens of each text."""
        check_choice(self.analyzer, ("words", "bytes"), "analyzer")
        if isinstance(texts, str):
            raise InputError("got one str; give a list of texts, one for each document")

        def cut(text: str) -> list[str]:
            if self.analyzer == "words":
                return _tokens.words(text)
            return _tokens.byte_ngrams(text, self.ngram, self.max_bytes)

        counted = _tokens.count(cut(_text(text, i)) for i, text in enumerate(texts))
        if len(counted.indptr) == 1:
            raise InputError("there are no texts")
        return counted

    def _stems(self, tokens: list[str]) -> tuple[list[str], NDArray[np.int64]]:
        """Distinct stems, and the stem's number for each token; -1 for stop words."""
        if self.analyzer == "bytes":
            return tokens, np.arange(len(tokens))
        stop = _tokens.stop_list(self.stop_words)
        numbers_of: dict[str, int] = {}
        of_token = np.full(len(tokens), -1, dtype=np.int64)
        for i, stem in enumerate(_tokens.stemmer(self.stemmer)(tokens)):
            if tokens[i] not in stop:
                of_token[i] = numbers_of.setdefault(stem, len(numbers_of))
        return list(numbers_of), of_token

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _text(text: object, i: int) -> str:
    """A text; the empty one for a missing value."""
    if text is None or (isinstance(text, float) and np.isnan(text)):
        return ""
    if not isinstance(text, str):
        raise InputError(f"text {i} is {text!r:.60}, which is not a str")
    return text


def _limit(bound: object, n: int, name: str) -> float:
    """A number of documents, converted from a share if it is a float up to 1."""
    if isinstance(bound, (int, np.integer)) and not isinstance(bound, bool) and bound >= 0:
        return float(bound)
    if isinstance(bound, (float, np.floating)) and 0 <= bound <= 1:
        return float(bound) * n
    raise InputError(
        f"{name} must be a number of documents (int) or a share of them (float from 0 to 1); got "
        f"{bound!r}"
    )


def _names(counted: _tokens.TokenCounts, of_token: NDArray[np.int64], n_stems: int) -> list[str]:
    """The most frequent token of each stem."""
    occurrences = np.bincount(counted.indices, counted.counts, minlength=len(counted.tokens))
    names = [""] * n_stems
    for i in np.argsort(-occurrences, kind="stable"):
        if of_token[i] >= 0 and not names[of_token[i]]:
            names[of_token[i]] = counted.tokens[i]
    return names


def _matrix(
    counted: _tokens.TokenCounts, of_token: NDArray[np.int64], d: int, dtype: npt.DTypeLike
) -> csr_array:
    """Counts by document and column, without the tokens of column -1."""
    from scipy import sparse

    n = len(counted.indptr) - 1
    columns = of_token[counted.indices]
    has_column = columns >= 0
    small = np.int32 if max(len(columns), d) < 2**31 else np.int64
    rows = np.repeat(np.arange(n, dtype=small), np.diff(counted.indptr))[has_column]
    places = (rows, columns[has_column].astype(small))
    matrix = sparse.coo_array(
        (counted.counts[has_column].astype(dtype), places), shape=(n, d)
    ).tocsr()
    matrix.sum_duplicates()
    return matrix
