"""Annotated matrices (AnnData) in ``.h5ad`` files: representations and clusterings.

Nothing of anndata is imported but to read a file: what is used are the attributes ``X``, ``obs``,
``obsm`` and ``obs_names``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets._work import Raw, quoted
from karat.labelings.candidates import CLUSTERINGS
from karat.runtime.extras import require
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pyarrow as pa

ANNOTATED = (".h5ad",)


def open_annotated(path: Path, *, only_obs: bool = False) -> Any:
    """What an ``.h5ad`` file holds; maybe with its matrix left in the file."""
    require("anndata", "an .h5ad file")
    import anndata

    try:
        return anndata.read_h5ad(path, backed="r" if only_obs else None)
    except Exception as error:  # h5py and anndata raise errors of many kinds for damaged files
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path} cannot be read as an annotated matrix: {reason}") from None


def representation(adata: Any, rep: str) -> tuple[Any, tuple[str, ...] | None]:
    """A matrix of ``obsm``, or ``"X"``, and the names of its columns, unless it has them."""
    if rep != "X" and rep not in adata.obsm:
        raise unknown_name(rep, list(adata.obsm.keys()), "representation in obsm")
    X = adata.X if rep == "X" else adata.obsm[rep]
    if X is None:
        raise InputError('this annotated matrix has no X; name a representation, e.g. "X_pca"')
    if rep == "X" and hasattr(adata, "var_names"):
        return X, tuple(str(one) for one in adata.var_names)
    if hasattr(X, "columns"):
        return X, None
    return X, tuple(f"{rep.removeprefix('X_')} {i + 1}" for i in range(X.shape[1]))


def read_annotated(path: Path, rep: str | None) -> Raw:
    """The representation that was named, else ``X_pca`` if there is one, else ``X``."""
    adata = open_annotated(path)
    chosen = rep or ("X_pca" if "X_pca" in adata.obsm else "X")
    X, names = representation(adata, chosen)
    others = [name for name in ("X", *adata.obsm) if name != chosen]
    note = f"The objects are by {chosen}."
    if rep is None and others:
        note = f"The objects are by {chosen}; {path.name}#NAME takes another ({quoted(others)})."
    beside = {str(name): adata.obs[name].to_numpy() for name in adata.obs.columns}
    ids = np.asarray(adata.obs_names, dtype=object)
    return Raw("", None, X, names=names, beside=beside, notes=[note], ids=ids)


def obs_table(path: Path) -> pa.Table:
    """The columns of ``obs``, and ``id``, the names of the objects."""
    from karat.datasets._columns import to_arrow

    adata = open_annotated(path, only_obs=True)
    table = adata.obs.copy()
    adata.file.close()
    for name in table.columns:
        if table[name].dtype == "category":
            table[name] = table[name].astype(object)
    table.insert(0, "id", table.index.astype(str), allow_duplicates=True)
    return to_arrow(table.reset_index(drop=True))


def clusterings_in(path: str | Path) -> list[str]:
    """The columns of ``obs`` in a file that are called as clusterings are and have no gap.

    Examples
    --------
    >>> from karat.datasets.annotated_matrices import clusterings_in
    >>> clusterings_in("customers.csv")
    []
    """
    file = Path(str(path).partition("#")[0])
    if file.suffix.lower() not in ANNOTATED:
        return []
    table = obs_table(file)
    return [
        name
        for name in table.column_names
        if CLUSTERINGS.search(name) and table.column(name).null_count == 0
    ]


def no_clusterings(file: Path, columns: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """The columns of ``obs`` that are neither ids, nor wanted, nor called as clusterings are."""
    if file.suffix.lower() not in ANNOTATED:
        return []
    called = [*clusterings_in(file), *wanted]
    if not called:
        raise InputError(f"no column of obs in {file} is called as clusterings are (leiden, ...)")
    return [name for name in columns if name not in ("id", *called)]
