"""Constraints on pairs of objects: together in one cluster, or apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.row_values import plain_text
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
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
        """Number of pairs in a spanning forest of them; the other pairs follow in part."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        nodes, at = np.unique(self.pairs, return_inverse=True)
        at = at.reshape(-1, 2)
        shape = len(nodes), len(nodes)
        edges = coo_array((np.ones(len(at)), (at[:, 0], at[:, 1])), shape=shape)
        return len(nodes) - int(connected_components(edges, directed=False)[0])

    def together(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Mask of the pairs that are in one cluster, (M, m); outliers are clusters of one."""
        first, second = codes[:, self.pairs[:, 0]], codes[:, self.pairs[:, 1]]
        same: NDArray[np.bool_] = (first == second) & (first >= 0)
        return same

    def kept(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Mask of the pairs that each of M clusterings (M, n) keeps, (M, m)."""
        agrees: NDArray[np.bool_] = self.together(codes) == self.must
        return agrees


def as_constraints(
    constraints: Constraints | pd.DataFrame | Iterable[Sequence[object]],
    n: int,
    ids: Iterable[Any] | None = None,
) -> Constraints:
    """Check pairs of objects that must be in one cluster, or cannot be.

    Parameters
    ----------
    constraints : Constraints, DataFrame, or iterable of rows
        Two objects and ``"must"`` or ``"cannot"`` (``"must-link"``, ...). Repeated pairs count
        once.
    n : int
        Number of objects.
    ids : iterable, optional
        Their names; by default their positions from 0.

    Returns
    -------
    Constraints

    Raises
    ------
    InputError
        For a row that is no pair, an unknown object, and pairs that contradict each other, with
        the chain of pairs that does.

    Examples
    --------
    >>> from sortal.labelings import as_constraints
    >>> as_constraints([("a", "b", "must"), ("c", "a", "cannot")], 3, ids="abc").pairs.tolist()
    [[0, 1], [0, 2]]
    """
    if isinstance(constraints, Constraints):
        return constraints
    if hasattr(constraints, "to_numpy"):
        constraints = constraints.to_numpy(dtype=object).tolist()
    names = list(range(n)) if ids is None else list(ids)
    positions = {plain_text(name): i for i, name in enumerate(names)}
    kinds: dict[tuple[int, int], bool] = {}
    for number, row in enumerate(constraints):
        place = f"constraint {number + 1}"
        if len(row) != 3:
            raise InputError(f"{place} has {len(row)} values; give two objects and must or cannot")
        first, second = (_object(value, positions, place) for value in row[:2])
        word = str(row[2]).strip().lower()
        if word not in MUST + CANNOT:
            raise InputError(f"{place} says {row[2]!r}; give must or cannot")
        if first == second:
            raise InputError(f"{place} pairs {names[first]!r} with itself; give two objects")
        pair = min(first, second), max(first, second)
        if kinds.setdefault(pair, word in MUST) != (word in MUST):
            raise _contradiction([names[pair[0]], names[pair[1]]])
    ordered = sorted(kinds.items())
    pairs = np.array([pair for pair, _ in ordered], dtype=np.int64).reshape(-1, 2)
    out = Constraints(pairs, np.array([must for _, must in ordered], dtype=bool))
    _check_consistent(out, n, names)
    return out


def _object(value: object, positions: dict[str, int], place: str) -> int:
    """Position of the object that a constraint names."""
    text = plain_text(value)
    if text not in positions:
        examples = ", ".join([*positions][:3])
        raise InputError(
            f"{place} names the object {text!r}, which is not there (there are {examples})"
        )
    return positions[text]


def _contradiction(chain: list[Any]) -> InputError:
    """The error for must-links whose two ends cannot be together."""
    links = ", ".join(f"{a} must {b}" for a, b in pairwise(chain))
    return InputError(
        f"the constraints contradict each other: {links}, and {chain[0]} cannot {chain[-1]}; drop "
        "one of these pairs"
    )


def _check_consistent(constraints: Constraints, n: int, names: list[Any]) -> None:
    """Raise with the shortest chain of must-links between two objects that cannot be together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    a, b = constraints.pairs[constraints.must].T
    links = coo_array((np.ones(len(a)), (a, b)), shape=(n, n)).tocsr()
    group = connected_components(links, directed=False)[1]
    for first, second in constraints.pairs[~constraints.must]:
        if group[first] != group[second]:
            continue
        before = breadth_first_order(links, first, directed=False)[1]
        chain = [int(second)]
        while chain[-1] != first:
            chain.append(int(before[chain[-1]]))
        raise _contradiction([names[i] for i in reversed(chain)])
