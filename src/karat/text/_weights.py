"""Weights of terms: what a count is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from karat.runtime.validation import InputError, check_choice, validated
from karat.text._names import Weight

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

WEIGHTS: tuple[Weight, ...] = get_args(Weight)


class TermWeighter(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Counts of terms to weights, with rows of length 1.

    Parameters
    ----------
    weight : {"tf-idf", "tf", "binary", "bm25-tf", "bm25-tf-idf"}
        ``tf`` is the count itself, ``binary`` 1 where it is not 0, ``bm25-tf``
        tf (k1 + 1) / (tf + k1 (1 - b + b dl/avgdl)) with dl the length of the document.
        ``-idf`` multiplies by log(n / n_j), n_j the number of documents that have the term.
    k1, b : float, default 20 and 1
        Of BM25: how slowly repetition saturates, and how much long documents pay.
    norm : {"l2", None}
        Whether rows are divided by their length. Empty rows stay empty.

    Attributes
    ----------
    idf_ : ndarray of float64, shape (d,)
        log(n / n_j); 0 for a term that no document has.
    mean_length_ : float
        The mean sum of a row.
    n_features_in_ : int

    Notes
    -----
    O(stored counts). Whissell 2012, equations 5.8 and 5.9, who finds k1 = 20 and b = 1 right for
    clustering. A term that every document has gets the weight 0 from ``-idf``.

    Examples
    --------
    >>> from karat.text import TermWeighter
    >>> TermWeighter("tf-idf", norm=None).fit_transform([[2, 1], [0, 1]]).toarray().round(3)
    array([[1.386, 0.   ],
           [0.   , 0.   ]])
    """

    def __init__(
        self,
        weight: Weight = "tf-idf",
        *,
        k1: float = 20.0,
        b: float = 1.0,
        norm: str | None = "l2",
    ) -> None:
        self.weight = weight
        self.k1 = k1
        self.b = b
        self.norm = norm

    def fit(self, X: Any, y: Any = None) -> TermWeighter:
        """Learn how many documents have each term, and how long documents are.

        Parameters
        ----------
        X : array-like or sparse, shape (n, d)
            Counts, none negative.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        InputError
            For an unknown weight, k1 below 0, b outside [0, 1], or negative counts.
        """
        counts = self._counts(X, reset=True)
        n = counts.shape[0]
        having = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
        self.idf_ = np.log(n / np.where(having == 0, n, having))
        self.mean_length_ = float(counts.sum() / n)
        return self

    def transform(self, X: Any) -> csr_array:
        """Weigh counts.

        Parameters
        ----------
        X : array-like or sparse, shape (m, d)

        Returns
        -------
        csr_array, shape (m, d)
            float32 of float32, else float64.
        """
        from sklearn.preprocessing import normalize

        check_is_fitted(self)
        counts = self._counts(X, reset=False)
        values = counts.data.astype(counts.dtype, copy=True)
        kind, _, idf = self.weight.partition("-") if self.weight != "bm25-tf" else ("bm25", "", "")
        if self.weight == "bm25-tf-idf":
            kind, idf = "bm25", "idf"
        if kind == "binary":
            values[:] = values > 0
        elif kind == "bm25":
            lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
            relative = lengths / self.mean_length_ if self.mean_length_ > 0 else lengths
            pays = np.repeat(1 - self.b + self.b * relative, np.diff(counts.indptr))
            below = values + self.k1 * pays
            with np.errstate(invalid="ignore"):
                values = np.where(values > 0, values * (self.k1 + 1) / below, 0)
        if idf:
            values *= self.idf_.astype(values.dtype)[counts.indices]
        out = counts.copy()
        out.data = values.astype(counts.dtype)
        out.eliminate_zeros()
        return normalize(out, norm="l2", copy=False) if self.norm == "l2" else out

    def _counts(self, X: Any, reset: bool) -> csr_array:
        from scipy import sparse

        check_choice(self.weight, WEIGHTS, "weight")
        check_choice(str(self.norm), ("l2", "None"), "norm")
        if not self.k1 >= 0 or not 0 <= self.b <= 1:
            raise InputError(
                f"BM25 needs k1 of at least 0 and b from 0 to 1; got k1={self.k1!r}, b={self.b!r}"
            )
        X = validated(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        counts = sparse.csr_array(X)
        if counts.nnz and counts.data.min() < 0:
            raise InputError(
                "Negative values in data passed to TermWeighter: counts of terms are 0 or more"
            )
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def presence(X: Any) -> NDArray[np.int64]:
    """How many rows of a CSR matrix have each column."""
    return np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
