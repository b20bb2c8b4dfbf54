"""Clusterings in NumPy files, those of more than one label for each object among them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.datasets import _columns, _files
from karat.labelings.partitions import OverlappingPartition, SoftPartition
from karat.labelings.structures import Dendrogram
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Structure: TypeAlias = SoftPartition | OverlappingPartition | Dendrogram


def structures_in(path: Path) -> dict[str, Structure]:
    """The two-dimensional arrays of an ``.npz`` file, by name, as the clusterings that they are.

    A linkage matrix in SciPy's form, floats (n-1, 4), is a dendrogram; True and False (n, k) are
    clusters that may overlap; other numbers (n, k), whose rows must sum to 1, are memberships.
    """
    if path.suffix != ".npz":
        return {}
    with np.load(path, allow_pickle=False) as loaded:
        arrays = {name: loaded[name] for name in loaded.files}
    return {name: _structure(path, name, a) for name, a in arrays.items() if a.ndim != 1}


def _structure(path: Path, name: str, array: NDArray[Any]) -> Structure:
    from scipy.cluster.hierarchy import is_valid_linkage

    if array.ndim == 2 and array.dtype == bool:
        return OverlappingPartition(array)
    is_tree = array.ndim == 2 and array.shape[1] == 4 and array.dtype.kind == "f"
    if is_tree and is_valid_linkage(array):
        return Dendrogram(array)
    try:
        return SoftPartition(array)
    except (InputError, ValueError) as error:
        raise InputError(
            f"{path}: {name!r} is no clustering: {error}. It may be labels (n,), memberships "
            "(n, k) whose rows sum to 1, True and False (n, k) where clusters overlap, or a "
            "linkage matrix (n-1, 4)"
        ) from None


def in_order(
    path: Path, structures: dict[str, Structure], order: NDArray[np.intp] | None, n: int
) -> dict[str, Structure]:
    """The structures of the objects ``order`` of the file's ``n``, in that order."""
    out: dict[str, Structure] = {}
    for name, one in structures.items():
        if isinstance(one, Dendrogram):
            has: int = one.n_objects
        else:
            has = len(one.memberships)
        if has != n:
            raise InputError(f"{path}: {name!r} is of {has:,} objects, and there are {n:,}")
        if order is None or np.array_equal(order, np.arange(n)):
            out[name] = one
        elif isinstance(one, Dendrogram):
            raise InputError(
                f"{path}: the leaves of the dendrogram {name!r} are in another order than the "
                "objects; write the file in the order of the data"
            )
        elif isinstance(one, SoftPartition):
            out[name] = SoftPartition(one.memberships[order])
        else:
            out[name] = OverlappingPartition(one.memberships[order])
    return out


def numpy_columns(path: Path, stem: str, suffix: str, plain: bool) -> dict[str, NDArray[Any]]:
    """The labelings of an ``.npy`` or ``.npz`` file, one-dimensional arrays, by name."""
    loaded = np.load(path, allow_pickle=False)
    if suffix == ".npz":
        with loaded:
            arrays = _files.members(loaded, path)
        wrong = [name for name, array in arrays.items() if array.ndim != 1]
        if plain:  # these are structures, which read_labelings reads
            for name in wrong:
                del arrays[name]
        elif wrong:
            raise InputError(
                f"{path}: {wrong[0]!r} is not one-dimensional, so it has no labels; karat run "
                "--labelings takes memberships and trees"
            )
        return {name: _boxed(array, name, plain) for name, array in arrays.items()}
    if loaded.ndim == 1:
        return {stem: _boxed(loaded, stem, plain)}
    if loaded.ndim == 2:
        return {f"{stem}-{m + 1}": _boxed(row, stem, plain) for m, row in enumerate(loaded)}
    raise InputError(f"{path} has shape {loaded.shape}; expected (n,) or (clusterings, n)")


def _boxed(array: NDArray[Any], name: str, plain: bool) -> NDArray[Any]:
    if plain and array.dtype.kind in "iu":
        return array
    return _columns.objects(_columns.column_array(array), name, plain=plain)
