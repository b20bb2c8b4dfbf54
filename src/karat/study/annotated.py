"""Annotated matrices (AnnData): a study of one, and its answer written back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import Dataset, from_array, from_graph
from karat.datasets.annotated_matrices import open_annotated, representation
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from karat.study.study import Study


def study_from(
    cls: type[Study],
    /,
    adata: Any,
    *,
    rep: str = "X_pca",
    graph: str | None = None,
    clusterings: str | Iterable[str] = (),
    truth: Any = None,
    **options: Any,
) -> Study:
    """Make a study of the objects of an annotated matrix, as scanpy has them.

    Parameters
    ----------
    adata : AnnData, or path of an ``.h5ad`` file
        Or anything with its attributes ``obs``, ``obsm``, ``obsp``, ``obs_names`` and ``uns``.
    rep : str, default "X_pca"
        The representation: a key of ``obsm``, or ``"X"``.
    graph : str, optional
        A key of ``obsp``, such as ``"connectivities"``: the nodes of this graph are then
        clustered and judged by its edges, not by the representation.
    clusterings : str or iterable of str
        Columns of ``obs`` that are clusterings to compare, or patterns such as
        ``"leiden_*"``.
    truth : array-like or str, optional
        Classes, or the column of ``obs`` that has them.
    **options
        As for :class:`Study`: ``storage``, ``metric``, ...

    Returns
    -------
    Study
        :meth:`write_anndata` puts its scores and answer back.

    Raises
    ------
    InputError
        For a key or a column that is not there.

    Examples
    --------
    >>> import karat, numpy as np, pandas as pd
    >>> from types import SimpleNamespace
    >>> names = [f"cell {i}" for i in range(6)]
    >>> obs = pd.DataFrame({"leiden_0.5": list("000111"), "leiden_1.0": list("001223")}, names)
    >>> pca = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> adata = SimpleNamespace(obs=obs, obs_names=obs.index, obsm={"X_pca": pca}, uns={})
    >>> study = karat.Study.from_anndata(adata, clusterings="leiden_*")
    >>> study.best().name
    'leiden_0.5'
    >>> study.write_anndata(adata)
    >>> adata.uns["karat"]["chosen"], adata.obs["karat"].tolist()[:2]
    ('leiden_0.5', ['0', '0'])
    """
    adata = open_annotated(adata)
    study = cls(dataset_from(adata, rep, graph, truth), **options)
    if clusterings:
        study.add(columns_like(adata, clusterings))
    return study


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
        if graph not in adata.obsp:
            raise unknown_name(graph, list(adata.obsp.keys()), "graph in obsp")
        data = from_graph(adata.obsp[graph], truth=truth, ids=ids)
        note = f"The graph is obsp[{graph!r}]."
    else:
        X, names = representation(adata, rep)
        data = from_array(X, truth=truth, ids=ids, feature_names=names)
        note = f"The objects are by {'X' if rep == 'X' else f'obsm[{rep!r}]'}."
    return replace(data, name="annotated data", truth_name=name, notes=(note, *data.notes))


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


def write_back(study: Study, adata: Any, *, key: str = "karat") -> None:
    """Put the scores and the answer into an annotated matrix.

    Parameters
    ----------
    adata : AnnData
        What the study was made of, see :meth:`from_anndata`.
    key : str, default "karat"
        ``adata.obs[key]`` are the chosen labels; ``adata.uns[key]`` has ``chosen``,
        ``decided_by``, ``reasons``, ``metric`` and the tables ``scores`` and ``ranking``.

    Raises
    ------
    InputError
        For other objects, or where nothing can be chosen.
    """
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
