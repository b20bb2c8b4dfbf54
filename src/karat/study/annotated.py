"""Annotated matrices (AnnData): a study of one, and its answer written back.

Nothing of anndata is imported but to read a file: what is used are the attributes ``X``, ``obs``,
``obsm``, ``obsp``, ``obs_names`` and ``uns``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import Dataset, from_array, from_graph
from karat.runtime.extras import require
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from karat.study.study import Study


def dataset_from(adata: Any, rep: str, graph: str | None, truth: Any) -> Dataset:
    """The objects of an annotated matrix, by a representation or by a graph."""
    if isinstance(truth, str):
        if truth not in adata.obs:
            raise unknown_name(truth, adata.obs.columns, "column of obs")
        name, truth = truth, adata.obs[truth]
    else:
        name = None
    ids = np.asarray(adata.obs_names, dtype=object)
    if graph is not None:
        data = from_graph(_of(adata.obsp, graph, "graph in obsp"), truth=truth, ids=ids)
        note = f"The graph is obsp[{graph!r}]."
    else:
        X = adata.X if rep == "X" else _of(adata.obsm, rep, "representation in obsm")
        if X is None:
            raise InputError('this annotated matrix has no X; name a representation, e.g. "X_pca"')
        names = None
        if rep == "X" and hasattr(adata, "var_names"):
            names = [str(one) for one in adata.var_names]
        elif not hasattr(X, "columns"):
            names = [f"{rep.removeprefix('X_')} {i + 1}" for i in range(X.shape[1])]
        data = from_array(X, truth=truth, ids=ids, feature_names=names)
        note = f"The objects are by {'X' if rep == 'X' else f'obsm[{rep!r}]'}."
    return replace(data, name="annotated data", truth_name=name, notes=(note, *data.notes))


def _of(there: Any, key: str, what: str) -> Any:
    if key not in there:
        raise unknown_name(key, list(there.keys()), what)
    return there[key]


def opened(adata: Any) -> Any:
    """The object itself, or that of an ``.h5ad`` file."""
    if not isinstance(adata, (str, Path)):
        for part in ("obs", "obsm", "obs_names", "uns"):
            if not hasattr(adata, part):
                raise InputError(
                    f"from_anndata takes an AnnData object or the path of an .h5ad file; "
                    f"{type(adata).__name__} has no {part}"
                )
        return adata
    require("anndata", "an .h5ad file")
    if not Path(adata).is_file():
        raise InputError(f"there is no file {adata}")
    import anndata

    return anndata.read_h5ad(adata)


def columns_like(adata: Any, patterns: str | Iterable[str]) -> pd.DataFrame:
    """The columns of ``obs`` that match the patterns, in the order of the patterns."""
    patterns = [patterns] if isinstance(patterns, str) else list(patterns)
    names: list[str] = []
    for pattern in patterns:
        found = [name for name in adata.obs.columns if fnmatchcase(str(name), pattern)]
        if not found:
            raise unknown_name(pattern, map(str, adata.obs.columns), "column of obs")
        names += [name for name in found if name not in names]
    return adata.obs[names]


def write_back(study: Study, adata: Any, key: str) -> None:
    """Put scores and answer into ``uns[key]`` and the chosen labels into ``obs[key]``."""
    import pandas as pd

    names = [str(one) for one in adata.obs_names]
    if names != [str(one) for one in study.dataset.ids]:
        raise InputError(
            f"these {len(names):,} objects are not those of the study, in this order; give what "
            "the study was made of"
        )
    choice = study.best()
    clusters = np.array([*study.cluster_names(choice.name), "outlier"], dtype=object)
    adata.obs[key] = pd.Categorical(clusters[choice.labels])
    adata.uns[key] = {
        "chosen": choice.name,
        "decided_by": choice.decided_by,
        "sentences": np.array(choice.sentences, dtype=object),
        "metric": study.settings.metric,
        "scores": _plain(study.scores()),
        "ranking": _plain(study.rank()),
    }


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers as floats and texts as objects, which every version of the file format holds."""
    import pandas as pd

    out = {}
    for name in table.columns:
        column = table[name]
        if pd.api.types.is_numeric_dtype(column):
            out[str(name)] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            out[str(name)] = np.array(["" if pd.isna(v) else str(v) for v in column], dtype=object)
    index = pd.Index([str(name) for name in table.index], dtype=object, name="clustering")
    return pd.DataFrame(out, index).astype(
        {name: object for name, values in out.items() if values.dtype == object}
    )
