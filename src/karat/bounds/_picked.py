"""Labels of objects that were picked by a rule, which no bound may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Picked:
    """Labels of objects that are no random draw: medoids, uncertain or striking objects.

    They may train a classifier and may never enter a bound: an object that was picked for what it
    is tells nothing certain about the others. Every bound rejects them, and so does everything
    that takes an array.

    Parameters
    ----------
    rows : array-like of int, shape (m,)
        Positions of the objects.
    labels : array-like, shape (m,)
        Their classes.
    how : str
        The rule that picked them.

    Raises
    ------
    InputError
        Unless there is one label for each of the rows, which are all different.

    Examples
    --------
    >>> import karat
    >>> medoids = karat.bounds.Picked([0, 3], ["ham", "spam"], how="cluster medoids")
    >>> medoids.labels.tolist()
    ['ham', 'spam']
    >>> karat.guarantee([0, 0, 1, 1], medoids)
    Traceback (most recent call last):
    ...
    karat.runtime.validation.InputError: these 2 labels were picked (cluster medoids), ...
    """

    rows: NDArray[np.intp]
    labels: NDArray[np.object_]
    how: str = "picked by a rule"

    def __post_init__(self) -> None:
        rows = np.asarray(self.rows)
        labels = np.empty(len(list(self.labels)), dtype=object)
        labels[:] = list(self.labels)
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(rows) != len(labels):
            raise InputError(
                f"picked labels need one position each: {len(labels)} labels for rows of shape "
                f"{rows.shape}"
            )
        if len(np.unique(rows)) < len(rows):
            raise InputError("an object was picked twice; give each position once")
        object.__setattr__(self, "rows", rows.astype(np.intp))
        object.__setattr__(self, "labels", labels)

    def __len__(self) -> int:
        return len(self.rows)

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Never: these labels do not pass for a random draw."""
        self.reject()

    def reject(self) -> NoReturn:
        """Say why no bound may use them.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(
            f"these {len(self)} labels were picked ({self.how}), not drawn at random, and a bound "
            "holds for random draws only. Train a classifier with them (rows and labels), and draw "
            "others with karat.bounds.sample for the guarantee"
        )
