"""What is known of pairs of objects: that they belong together, or apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MUST = ("must", "must-link")
CANNOT = ("cannot", "cannot-link")


@dataclass(frozen=True)
class Constraints:
    """Pairs of objects that must be in one cluster, or cannot be.

    Attributes
    ----------
    pairs : ndarray of int64, shape (m, 2)
        Positions of the objects, the lower first; the pairs in ascending order.
    must : ndarray of bool, shape (m,)
    """

    pairs: NDArray[np.int64]
    must: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.must)

    @property
    def rank(self) -> int:
        """How many of the pairs a spanning forest of them has: the others follow in part."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        nodes, at = np.unique(self.pairs, return_inverse=True)
        at = at.reshape(-1, 2)
        shape = len(nodes), len(nodes)
        edges = coo_array((np.ones(len(at)), (at[:, 0], at[:, 1])), shape=shape)
        return len(nodes) - int(connected_components(edges, directed=False)[0])

    def together(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Which pairs are in one cluster (M, m); outliers are clusters of one."""
        one, other = codes[:, self.pairs[:, 0]], codes[:, self.pairs[:, 1]]
        found: NDArray[np.bool_] = (one == other) & (one >= 0)
        return found

    def kept(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Which pairs each of M clusterings (M, n) keeps, (M, m)."""
        found: NDArray[np.bool_] = self.together(codes) == self.must
        return found


def as_constraints(given: Any, n: int, ids: Iterable[Any] | None = None) -> Constraints:
    """Check rows of two objects and ``"must"`` or ``"cannot"`` (``"must-link"``, ...).

    The ``ids`` of the n objects are by default their positions from 0. Repeated pairs count once;
    a contradiction is an error with the chain of pairs that makes it.

    Examples
    --------
    >>> as_constraints([("a", "b", "must"), ("c", "a", "cannot")], 3, ids="abc").pairs.tolist()
    [[0, 1], [0, 2]]
    """
    if isinstance(given, Constraints):
        return given
    rows = given.to_numpy(dtype=object).tolist() if hasattr(given, "to_numpy") else list(given)
    names = list(range(n)) if ids is None else list(ids)
    at = {str(name): i for i, name in enumerate(names)}
    kinds: dict[tuple[int, int], bool] = {}
    for number, row in enumerate(rows):
        place = f"constraint {number + 1}"
        if len(row) != 3:
            raise InputError(f"{place} has {len(row)} values; give two objects and must or cannot")
        one, other = (_object(value, at, place) for value in row[:2])
        word = str(row[2]).strip().lower()
        if word not in MUST + CANNOT:
            raise InputError(f"{place} says {row[2]!r}; give must or cannot")
        if one == other:
            raise InputError(f"{place} pairs {names[one]!r} with itself; give two objects")
        pair = min(one, other), max(one, other)
        if kinds.setdefault(pair, word in MUST) != (word in MUST):
            raise _contradiction([names[pair[0]], names[pair[1]]])
    found = sorted(kinds.items())
    pairs = np.array([pair for pair, _ in found], dtype=np.int64).reshape(-1, 2)
    out = Constraints(pairs, np.array([must for _, must in found], dtype=bool))
    _check_consistent(out, n, names)
    return out


def _object(value: Any, at: dict[str, int], place: str) -> int:
    text = str(value.item() if isinstance(value, np.generic) else value).strip()
    if text not in at:
        some = ", ".join([*at][:3])
        raise InputError(
            f"{place} names the object {text!r}, which is not there (there are {some})"
        )
    return at[text]


def _contradiction(chain: list[Any]) -> InputError:
    told = ", ".join(f"{a} must {b}" for a, b in pairwise(chain))
    return InputError(
        f"the constraints contradict each other: {told}, and {chain[0]} cannot {chain[-1]}; drop "
        "one of these pairs"
    )


def _check_consistent(found: Constraints, n: int, names: list[Any]) -> None:
    """Raise with the shortest chain of must-links between two objects that cannot be together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    a, b = found.pairs[found.must].T
    links = coo_array((np.ones(len(a)), (a, b)), shape=(n, n)).tocsr()
    group = connected_components(links, directed=False)[1]
    for one, other in found.pairs[~found.must]:
        if group[one] != group[other]:
            continue
        before = breadth_first_order(links, one, directed=False)[1]
        chain = [int(other)]
        while chain[-1] != one:
            chain.append(int(before[chain[-1]]))
        raise _contradiction([names[i] for i in reversed(chain)])
