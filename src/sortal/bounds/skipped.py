"""Objects of a draw that have no label though later ones do: each counts as an error.

Whoever deletes or blanks labels may have looked at them, and at the clusters. So nothing that was
chosen after the first such object is tested, and every test counts them as errors. Then no bound is
below the one that all labels would have given, whatever these labels are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from sortal.typing import Ints


@dataclass(frozen=True)
class Skipped:
    """Objects without a label in a draw.

    Attributes
    ----------
    before : ndarray of int
        For each labelled object in the order of the draw, how many objects without a label were
        drawn before it. Empty if there is none.
    are_errors : bool
        Whether they count as errors; otherwise as right, for a comparison that guarantees nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.bounds.skipped import Skipped
    >>> skipped = Skipped(np.array([0, 0, 1, 3]))
    >>> skipped.count, skipped.first
    (3, 2)
    """

    before: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    are_errors: bool = True

    @classmethod
    def of(cls, skipped: npt.ArrayLike | None, order: npt.ArrayLike | None) -> Skipped:
        """After input validation; without an order there are none."""
        before = np.zeros(0, dtype=np.int64) if skipped is None else np.asarray(skipped)
        if not before.size or not before.any():
            return cls()
        if order is None or before.shape != np.shape(order) or before.dtype.kind not in "iu":
            raise InputError(
                "skipped has a whole number for each object of order: how many objects without a "
                f"label were drawn before it; its shape is {before.shape}"
            )
        if before[0] < 0 or (np.diff(before) < 0).any():
            raise InputError("skipped counts objects from the first one on, so it cannot fall")
        return cls(before.astype(np.int64))

    @property
    def count(self) -> int:
        """Number of objects without a label."""
        return int(self.before[-1]) if len(self.before) else 0

    @property
    def first(self) -> int:
        """Number of labelled objects before the first one without a label."""
        return int((self.before == 0).sum())

    @property
    def errors(self) -> int:
        """Number of errors that they count as."""
        return self.count if self.are_errors else 0

    def among(self, n_labelled: int) -> int:
        """Number of them before the last of so many labelled objects."""
        return int(self.before[n_labelled - 1]) if len(self.before) and n_labelled else 0

    def bound(self, tail: Callable[..., Any], m: Any, n: Any, errors: Any, **level: Any) -> Any:
        """Bound on the errors of the n objects, by m labels with some errors and these objects.

        They are among the n, and are tested in addition.
        """
        if not self.count:
            return tail(m, n, errors, **level)
        tested = np.minimum(self.count, n)
        wrong = tested if self.are_errors else 0 * tested
        return tail(m + tested, n - tested, errors + wrong, **level) + wrong

    def spread(self, values: Any, n_labelled: int, blank: bool | None = None) -> Any:
        """Values of the last of so many labelled objects, with ``blank`` for objects without one.

        By default whether these count as errors.
        """
        if not self.among(n_labelled):
            return values
        before = self.before[n_labelled - len(values) : n_labelled]
        places = np.repeat(np.arange(len(values)), np.diff(before, prepend=0))
        return np.insert(values, places, self.are_errors if blank is None else blank)


#: no object without a label
NONE_SKIPPED = Skipped()
