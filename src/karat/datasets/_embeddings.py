"""Embeddings beside terms: both representations of the same objects in one data set."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from karat.datasets import joining
from karat.datasets._dataset import Dataset
from karat.datasets._files import check_file
from karat.distances import embed
from karat.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: pairs of objects that tell whether terms and embeddings are of the same objects
PAIRS = 2_000


def with_embeddings(dataset: Dataset, embeddings: Any, *, ids: Any = None) -> Dataset:
    """The same objects, described by their features and by embeddings.

    Parameters
    ----------
    dataset : Dataset
        Its metric is ``"cosine"``.
    embeddings : array-like, shape (n, q), DataFrame, or path of an ``.npy`` or ``.npz`` file
        A row per object. An NPZ file has the rows as ``embeddings`` and may have ``ids``; a
        DataFrame's index, unless it counts from 0, are the ids. Without ids the rows are taken in
        the order of the objects.
    ids : array-like, shape (n,), optional
        The id of each row; rows are put into the order of the data set's ids.

    Returns
    -------
    Dataset
        ``X`` has the embeddings as its last ``n_embedded`` columns. Its cosine distance is a
        weighted mean of the two representations' own, with weights that make both contribute the
        same on average, so that neither has the greater say. Rows of zeros in one of the two get a
        column of their own there: distance 1 from all others.

    Raises
    ------
    InputError
        If ids are missing, repeated or unknown, the numbers of rows differ, or the metric is not
        the cosine.

    Notes
    -----
    The mean cosine distance of rows is their variance, so that both blocks of columns get the same
    variance: block scaling, as before a joint principal component analysis.

    O(n (d + q)). A note says if the objects that are near by terms are not near by embeddings,
    which is what rows in another order look like.

    Examples
    --------
    >>> from karat.datasets import from_array, with_embeddings
    >>> from dataclasses import replace
    >>> counts = from_array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], ids=["a", "b", "c"])
    >>> terms = replace(counts, metric="cosine")
    >>> both = with_embeddings(terms, [[9, 1], [1, 2], [3, 1]], ids=["c", "a", "b"])
    >>> both.n_embedded, both.representations["embeddings"].argmax(axis=1).tolist()
    (2, [1, 0, 0])
    """
    if dataset.metric != "cosine":
        raise InputError(
            "embeddings stand beside terms, which are compared by the cosine; "
            f"{dataset.name} has the metric {dataset.metric!r}"
        )
    if dataset.n_embedded:
        raise InputError(f"{dataset.name} has embeddings already")
    given, ids, source = _read(embeddings, ids)
    E: Any = check_data(given, name="embeddings")
    E = np.asarray(E.toarray() if hasattr(E, "toarray") else E)
    notes = []
    if ids is not None:
        E = E[_order(ids, dataset, len(E))]
    elif len(E) != dataset.n_objects:
        raise InputError(
            f"there are {len(E):,} embeddings and {dataset.n_objects:,} objects in {dataset.name}; "
            "give a row for each object, in the same order, or ids (an NPZ file with embeddings "
            "and ids)"
        )
    else:
        notes.append("The embeddings have no ids; their rows are taken in the order of the data.")
    terms, rows = embed(dataset.X, "cosine"), embed(E, "cosine")
    share = _balance(terms, rows)
    notes.insert(
        0,
        f"Terms ({dataset.n_features:,}) and embeddings ({E.shape[1]:,} columns) are clustered "
        "each on their own, and judged by the same distance: the mean of the two cosine "
        f"distances with weights {share:.2f} and {1 - share:.2f}, by which both contribute alike.",
    )
    if not _related(terms, rows):
        notes.append(
            "Warning: texts that share terms are no nearer to each other by their embeddings than "
            "others; are the rows in the order of the texts?"
        )
    weights = np.sqrt(share), np.sqrt(1 - share)
    names = [*dataset.feature_names, *["(no terms)"] * (terms.shape[1] - dataset.n_features)]
    names += [f"embedding {j + 1}" for j in range(E.shape[1])]
    names += ["(no embedding)"] * (rows.shape[1] - E.shape[1])
    return replace(
        dataset,
        preparation=None,
        X=_beside(terms * weights[0], rows * weights[1]),
        n_embedded=rows.shape[1],
        feature_names=tuple(names),
        notes=(*dataset.notes, *notes),
        center=None,
        scale=None,
        # an array cannot be read again
        source=dataset.source if source else None,
        options={**dataset.options, "embeddings": source} if source else {},
    )


def _read(given: Any, ids: Any) -> tuple[Any, Any, str | None]:
    """The rows, their ids, and where they can be read again."""
    if not isinstance(given, (str, os.PathLike)):
        if ids is None and hasattr(given, "index") and hasattr(given, "columns"):
            counted = list(given.index) == list(range(len(given)))
            ids = None if counted else list(given.index)
        return given, ids, None
    path = Path(given)
    check_file(path)
    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False), ids, str(path)
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                own = file["ids"] if ids is None and "ids" in file else ids
                return file["embeddings"], own, str(path)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, RuntimeError) as error:
        raise InputError(
            f"{path} holds no embeddings ({error}); wanted is an NPY file with a row for each "
            "object, or np.savez(path, embeddings=..., ids=...) with ids as text or numbers"
        ) from None
    raise InputError(f"embeddings come from .npy or .npz files; got {path.name}")


def _order(ids: Any, dataset: Dataset, n: int) -> NDArray[np.intp]:
    """Which row belongs to each object."""
    if len(ids) != n:
        raise InputError(f"there are {len(ids):,} ids of {n:,} embeddings")
    own = np.array([str(name) for name in ids], dtype=object)
    joining.check_ids(own, "the ids of the embeddings")
    return joining.order(own, dataset.ids, "the embeddings")


def _balance(terms: Any, rows: Any) -> float:
    """The weight of the terms by which both contribute the same mean distance."""
    of_terms, of_rows = _mean_distance(terms), _mean_distance(rows)
    return of_rows / (of_terms + of_rows) if of_terms + of_rows > 0 else 0.5


def _mean_distance(unit: Any) -> float:
    n = unit.shape[0]
    whole = np.asarray(unit.sum(axis=0), dtype=np.float64).ravel()
    return max(0.0, 1 - float(whole @ whole - n) / (n * (n - 1)))


def _related(terms: Any, rows: Any) -> bool:
    """Whether the cosines of the two representations go together over pairs of objects."""
    from scipy.stats import spearmanr

    n = terms.shape[0]
    rng = np.random.default_rng(0)
    i = rng.integers(n, size=PAIRS)
    j = (i + rng.integers(1, n, size=PAIRS)) % n
    cosines = []
    for unit in (terms, rows):
        product = unit[i] * unit[j] if isinstance(unit, np.ndarray) else unit[i].multiply(unit[j])
        cosines.append(np.asarray(product.sum(axis=1)).ravel())
    if any(np.ptp(values) == 0 for values in cosines):
        return True
    found = spearmanr(*cosines, alternative="greater")
    return bool(found.pvalue < 0.05) or n < 30


def _beside(terms: Any, rows: NDArray[Any]) -> Any:
    from scipy import sparse

    if isinstance(terms, np.ndarray):
        return np.hstack([terms, rows])
    joined = sparse.hstack([terms, sparse.csr_array(rows.astype(terms.dtype))], format="csr")
    return sparse.csr_array(joined)
