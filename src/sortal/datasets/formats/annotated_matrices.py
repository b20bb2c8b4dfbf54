"""Annotated matrices (AnnData) in ``.h5ad`` files: representations and clusterings.

anndata is imported only to read a file; of the matrix only the attributes ``X``, ``obs``, ``obsm``,
``obs_names`` and ``var_names`` are used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sortal.datasets.values.column_arrays import to_arrow
from sortal.datasets.values.drafts import RawData
from sortal.datasets.values.names_and_ids import quoted
from sortal.labelings.candidates import CLUSTERINGS
from sortal.runtime.extras import require
from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd
ANNDATA_SUFFIXES = (".h5ad",)
#: limit of cost: variables that describe the clusters, those with the largest variance
MAX_VARIABLES = 200


def open_annotated(path: Path, *, only_obs: bool = False) -> Any:
    """Annotated matrix of an ``.h5ad`` file; with ``only_obs`` the matrix stays in the file."""
    require("anndata", "an .h5ad file")
    import anndata

    try:
        return anndata.read_h5ad(path, backed="r" if only_obs else None)
    except Exception as error:  # h5py and anndata raise errors of many kinds for damaged files
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path} cannot be read as an annotated matrix: {reason}") from None


def read_annotated(path: Path, rep: str | None) -> RawData:
    """Read the named representation, else ``X_pca`` if present, else ``X``."""
    adata = open_annotated(path)
    name = rep or ("X_pca" if "X_pca" in adata.obsm else "X")
    if name != "X" and name not in adata.obsm:
        raise unknown_name(name, list(adata.obsm.keys()), "representation in obsm")
    X = adata.X if name == "X" else adata.obsm[name]
    if X is None:
        raise InputError('this annotated matrix has no X; name a representation, e.g. "X_pca"')
    names = None
    if name == "X":
        names = tuple(map(str, adata.var_names))
    elif not hasattr(X, "columns"):
        names = tuple(f"{name.removeprefix('X_')} {i + 1}" for i in range(X.shape[1]))
    unused = [column for column in ("X", *adata.obsm) if column != name]
    note = f"The features are {name}."
    if rep is None and unused:
        note = f"The features are {name}; {path.name}#NAME reads another one: {quoted(unused)}."
    beside = {str(column): adata.obs[column].to_numpy() for column in adata.obs.columns}
    ids = np.asarray(adata.obs_names, dtype=object)
    variables = None if name == "X" or adata.X is None else _variables(adata)
    return RawData(
        "", None, X, names=names, beside=beside, notes=[note], ids=ids, variables=variables
    )


def _variables(adata: Any) -> pd.DataFrame:
    """The variables with the largest variance, a column each."""
    import pandas as pd
    from scipy import sparse

    X: Any = sparse.csc_array(adata.X) if sparse.issparse(adata.X) else np.asarray(adata.X)
    mean, square = X.mean(axis=0), (X**2).mean(axis=0)
    columns = np.sort(np.argsort(-np.asarray(square - mean**2), kind="stable")[:MAX_VARIABLES])
    block = X[:, columns]
    values = block.toarray() if sparse.issparse(block) else block
    names = np.asarray(adata.var_names, dtype=object)[columns]
    return pd.DataFrame(np.asarray(values, dtype=np.float32), columns=list(map(str, names)))


def clusterings_of(path: Path) -> pa.Table:
    """Table of ``id`` and the columns of ``obs`` that are named like clusterings and complete."""
    adata = open_annotated(path, only_obs=True)
    obs = adata.obs
    adata.file.close()
    columns = {"id": obs.index.astype(str).to_numpy()}
    for name in map(str, obs.columns):
        if CLUSTERINGS.search(name) and not obs[name].isna().any():
            columns[name] = obs[name].astype(object).to_numpy()
    if len(columns) == 1:
        raise InputError(f"no column of obs in {path} is named like a clustering (leiden, ...)")
    return to_arrow(columns)


def has_clusterings(path: str | Path) -> bool:
    """Whether a file is an annotated matrix with clusterings among its columns."""
    file = Path(str(path).partition("#")[0])
    if file.suffix.lower() not in ANNDATA_SUFFIXES:
        return False
    require("anndata", "an .h5ad file")
    try:
        return clusterings_of(file).num_columns > 1
    except InputError:
        return False
