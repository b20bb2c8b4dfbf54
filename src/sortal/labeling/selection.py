"""Selection of the objects whose labels teach most, from the clusterings alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sortal.labelings.partitions import as_labelings
from sortal.runtime.draws import draw_rows
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import ArrayLike, Labels, RandomState


def teaching_objects(
    labelings: ArrayLike | Mapping[str, Labels],
    size: int,
    *,
    prior: Mapping[str, float] | ArrayLike | None = None,
    random_state: RandomState = 0,
) -> NDArray[np.intp]:
    """The objects to label first: those that represent as many others as possible.

    Parameters
    ----------
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        The clusterings, made without labels; outliers are one cluster.
    size : int
        How many objects.
    prior : mapping of str to float or array-like (M,), optional
        Weights of the clusterings, such as the shares of the learned judge; even by default.
    random_state : int, Generator or None
        Seed of the sample of objects that are compared, where there are more than 1,500.

    Returns
    -------
    ndarray of intp, shape (size,)
        Positions, the object that represents most others first.

    Raises
    ------
    InputError
        If there are not more objects than ``size``.

    See Also
    --------
    sortal.guarantee : These labels teach the classifier (``taught``); a random draw from the other
        objects tests it.

    Notes
    -----
    The similarity of two objects is the weight of the clusterings that put them together. Each
    object in turn adds most to the sum, over all objects, of the similarity to the most similar
    chosen one (facility location; greedy choice reaches 1 − 1/e of the best sum, Nemhauser, Wolsey
    and Fisher 1978). O((M + size)·c²) for c compared objects.

    Examples
    --------
    >>> from sortal.labeling import teaching_objects
    >>> teaching_objects([[0, 0, 0, 1, 1], [0, 0, 0, 1, 2]], 2)
    array([0, 3])
    """
    batch = as_labelings(labelings, noise="cluster")
    n = batch.n_objects
    if not 0 <= size < n:
        raise InputError(f"of {n} objects fewer than {n} can teach; got {size}")
    weights = np.ones(len(batch))
    if prior is not None:
        import pandas as pd

        if isinstance(prior, Mapping | pd.Series):
            prior = [prior[name] for name in batch.names]
        weights = np.asarray(prior, dtype=np.float64)
    if weights.shape != (len(batch),) or not (weights >= 0).all() or not weights.sum() > 0:
        raise InputError(f"prior must be a weight for each of the {len(batch)} clusterings")
    rows = draw_rows(n, max(1_500, size), random_state)  # pairs of more cost too much
    similar = np.zeros((len(rows), len(rows)), dtype=np.float32)
    for codes, weight in zip(batch.codes[:, rows], weights / weights.sum(), strict=True):
        similar += np.float32(weight) * ((codes[:, None] == codes) & (codes >= 0))
    nearest = np.zeros(len(rows), dtype=np.float32)
    free = np.ones(len(rows), dtype=bool)
    chosen = []
    for _ in range(size):
        gain = np.maximum(similar - nearest[:, None], 0).sum(axis=0)
        best = int(np.where(free, gain, -1.0).argmax())
        free[best] = False
        chosen.append(rows[best])
        nearest = np.maximum(nearest, similar[:, best])
    return np.array(chosen, dtype=np.intp)
