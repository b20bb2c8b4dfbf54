"""Weights of terms from their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sortal.runtime.validation import InputError, check_choice, validated

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.typing import ArrayLike

Weight: TypeAlias = Literal["tf-idf", "tf", "binary", "bm25-tf", "bm25-tf-idf"]
#: weights of terms
WEIGHTS: tuple[Weight, ...] = get_args(Weight)


class TermWeighter(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Counts of terms to weights, with rows of length 1.

    Parameters
    ----------
    weight : {"tf-idf", "tf", "binary", "bm25-tf", "bm25-tf-idf"}
        ``tf`` is the count, ``binary`` is 1 where the count is not 0. ``bm25-tf`` is tf (k1 + 1) /
        (tf + k1 (1 - b + b dl/avgdl)), with dl the length of the document. ``-idf`` multiplies by
        log(n / n_j), n_j the number of documents with the term.
    k1, b : float, default 20 and 1
        Parameters of BM25: slowness of saturation by repetition, and penalty of long documents.
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
    O(stored counts). Whissell 2012, equations 5.8 and 5.9, recommends k1 = 20 and b = 1 for
    clustering. With ``-idf`` a term that every document has gets the weight 0.

    Examples
    --------
    >>> from sortal.text import TermWeighter
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

    def fit(self, X: ArrayLike, y: object = None) -> TermWeighter:
        """Learn the document frequency of each term, and the mean length of documents."""
        counts = self._counts(X, reset=True)
        n = counts.shape[0]
        having = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
        self.idf_ = np.log(n / np.where(having == 0, n, having))
        self.mean_length_ = float(counts.sum() / n)
        return self

    def transform(self, X: ArrayLike) -> csr_array:
        """Weigh counts: float32 for float32 data, else float64."""
        from sklearn.preprocessing import normalize

        check_is_fitted(self)
        counts = self._counts(X, reset=False)
        values = counts.data.astype(counts.dtype, copy=True)
        formula, _, idf = (
            self.weight.partition("-") if self.weight != "bm25-tf" else ("bm25", "", "")
        )
        if self.weight == "bm25-tf-idf":
            formula, idf = "bm25", "idf"
        if formula == "binary":
            values[:] = values > 0
        elif formula == "bm25":
            lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
            relative = lengths / self.mean_length_ if self.mean_length_ > 0 else lengths
            length_penalty = np.repeat(1 - self.b + self.b * relative, np.diff(counts.indptr))
            denominator = values + self.k1 * length_penalty
            with np.errstate(invalid="ignore"):
                values = np.where(values > 0, values * (self.k1 + 1) / denominator, 0)
        if idf:
            values *= self.idf_.astype(values.dtype)[counts.indices]
        weighted = counts.copy()
        weighted.data = values.astype(counts.dtype)
        weighted.eliminate_zeros()
        return normalize(weighted, norm="l2", copy=False) if self.norm == "l2" else weighted

    def _counts(self, X: ArrayLike, reset: bool) -> csr_array:
        """Validated counts, after a check of the options."""
        from scipy import sparse

        check_choice(self.weight, WEIGHTS, "weight")
        check_choice(str(self.norm), ("l2", "None"), "norm")
        if not self.k1 >= 0 or not 0 <= self.b <= 1:
            raise InputError(
                f"BM25 needs k1 of at least 0 and b from 0 to 1; got k1={self.k1!r}, b={self.b!r}"
            )
        counts = sparse.csr_array(
            validated(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        )
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


def presence(X: csr_array) -> NDArray[np.int64]:
    """Number of rows of a CSR matrix with a non-zero entry in each column."""
    return np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
