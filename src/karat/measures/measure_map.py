"""The map of the measures: which order clusterings alike, and which are near the truth."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures.families import cut
from karat.runtime.validation import InputError, StorageError, check_choice, check_data

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["GROUPS", "KINDS", "SAME", "MeasureMap", "grouped", "load_map", "recommend"]

FILE = Path(__file__).parent / "measure_map.json"
#: mean ρ above which measures are said to be the same
SAME = 0.98
#: kinds of data that are asked for; "whole tables" and "sub-tables" are the two parts of "tables"
KINDS = ("shapes", "tables", "texts")
#: benchmark shapes have up to three features
MOST_OF_SHAPES = 3
GROUPS = ("shapes", "tables", "whole tables", "sub-tables", "texts")
_MATRICES = ("rho", "together")


@dataclass(frozen=True)
class MeasureMap:
    """How K internal measures ordered the candidates of many studies.

    Attributes
    ----------
    rho : DataFrame, shape (K, K)
        Mean of Spearman's ρ of two measures over the candidates of a study: the mean over studies
        of a collection, then over collections.
    together : DataFrame, shape (V, V)
        Of the measures that compare numbers of clusters, the voters: share of bootstraps over
        collections in which two of them are of one family.
    agreement : mapping of str to DataFrame
        For each of ``"shapes"``, ``"tables"``, ``"whole tables"``, ``"sub-tables"`` and
        ``"texts"`` a row per measure: ``rho`` (mean of Spearman's correlation with the adjusted
        Rand index to the truth), ``low``, ``high`` (95 % bootstrap interval over collections),
        ``first`` (mean adjusted Rand index of what it puts first), ``collections``.
    apart : float
        Distance 1 − ρ at which the tree of measures is cut into families.
    studies : Series
        On how many studies each measure was computed.
    about : mapping of str to object
        The command, the corpus, and what was measured on excluded collections.
    """

    rho: pd.DataFrame
    together: pd.DataFrame
    agreement: Mapping[str, pd.DataFrame]
    apart: float
    studies: pd.Series[Any]
    about: Mapping[str, Any]

    @property
    def keys(self) -> list[str]:
        """The measures."""
        return [str(key) for key in self.rho.index]

    def families(self, keys: Iterable[str] | None = None) -> dict[str, list[str]]:
        """Families of these measures, named by what the catalogue calls most of their members.

        Parameters
        ----------
        keys : iterable of str, optional
            All measures of the map by default. One that is not in the map joins the family where
            most of those are that share its ``family`` in the catalogue, or stays alone under
            that name.

        Returns
        -------
        dict of str to list of str

        """
        from karat.measures import catalogue

        wanted = self.keys if keys is None else list(keys)
        return grouped({key: catalogue[key].family for key in wanted}, self)

    def same(self, above: float = SAME) -> list[list[str]]:
        """Groups of two or more measures every two of which have a mean ρ above this.

        Notes
        -----
        Complete linkage of 1 − ρ.
        """
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform

        apart = np.clip(1 - self.rho.to_numpy(), 0, 2)
        np.fill_diagonal(apart, 0)
        linked = linkage(squareform(apart, checks=False), "complete")
        labels = fcluster(linked, 1 - above - 1e-9, "distance")
        groups = [
            [k for k, at in zip(self.keys, labels, strict=True) if at == g]
            for g in dict.fromkeys(labels)
        ]
        return [group for group in groups if len(group) > 1]

    # -- keeping ---------------------------------------------------------------------------------

    def contents(self) -> dict[str, Any]:
        """Plain values for JSON, numbers in thousandths."""
        matrices = {name: _upper(getattr(self, name)) for name in _MATRICES}
        agreement = {
            group: {column: _thousandths(table[column].to_numpy()) for column in table}
            for group, table in self.agreement.items()
        }
        return {
            "about": dict(self.about),
            "apart": self.apart,
            "keys": self.keys,
            "voters": list(map(str, self.together.index)),
            "studies": [int(n) for n in self.studies],
            **matrices,
            "agreement": agreement,
        }

    def save(self, path: Any) -> None:
        """Write it to a file of JSON."""
        lines = ",\n".join(
            f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
            for name, value in self.contents().items()
        )
        Path(path).write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def grouped(declared: Mapping[str, str], known: MeasureMap | None = None) -> dict[str, list[str]]:
    """Families by the (packaged) map of these measures, with the families that they declare.

    See :meth:`MeasureMap.families`.
    """
    from karat.measures import catalogue

    known = known or load_map()
    inside = [key for key in declared if key in known.rho.index]
    groups: list[list[str]] = []
    if inside:
        R = known.rho.loc[inside, inside].to_numpy(dtype=np.float64)
        labels = cut(R, known.apart)
        groups = [[inside[i] for i in np.flatnonzero(labels == f)] for f in range(max(labels) + 1)]
    names = [" / ".join(_common(declared[key] for key in group)[:3]) for group in groups]
    twice = {name for name, times in Counter(names).items() if times > 1}
    families = {
        name if name not in twice else f"{name}: {catalogue[_centre(group, known)].title}": group
        for name, group in zip(names, groups, strict=True)
    }
    home = {key: name for name, group in families.items() for key in group}
    for key, family in declared.items():
        if key not in home:
            alike = _common(home[other] for other in inside if declared[other] == family)
            families.setdefault(alike[0] if alike else family, []).append(key)
    return families


def _common(values: Iterable[str]) -> list[str]:
    """The distinct ones, the most frequent first."""
    return [value for value, _ in Counter(values).most_common()]


def _centre(group: list[str], known: MeasureMap) -> str:
    """The measure that correlates most with the others."""
    return str(known.rho.loc[group, group].sum().round(9).idxmax())


@cache
def load_map(path: str | None = None) -> MeasureMap:
    """The packaged map, or one from a file.

    Returns
    -------
    MeasureMap

    Raises
    ------
    StorageError
        For a file that is no map.

    Examples
    --------
    >>> from karat.measures.measure_map import load_map
    >>> found = load_map()
    >>> bool(found.rho.loc["silhouette", "squared_euclidean_silhouette"] > 0.9)
    True
    """
    import pandas as pd

    file = FILE if path is None else Path(path)
    try:
        given = json.loads(file.read_text(encoding="utf-8"))
        keys = given["keys"]
        names = {"rho": keys, "together": given["voters"]}
        matrices = {name: _square(given[name], names[name]) for name in _MATRICES}
        agreement = {
            group: pd.DataFrame({name: _floats(row) for name, row in table.items()}, index=keys)
            for group, table in given["agreement"].items()
        }
        studies = pd.Series(given["studies"], index=keys)
        found = MeasureMap(
            **matrices, agreement=agreement, apart=given["apart"], studies=studies,
            about=given["about"],
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(
            f"{file} is no map of the measures ({error}); "
            "karat reproduce map-of-measures --storage FOLDER writes one"
        ) from None
    return found


def recommend(X: Any = None, *, kind: str | None = None) -> pd.DataFrame:
    """Three internal measures to report for some data: no two of one family.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), sequence of str, or a kind, optional
        The data. A sparse matrix and strings are texts, rows of up to three features are shapes,
        others are a table.
    kind : {"shapes", "tables", "texts"}, optional
        What the data are, where there are none or the rule above is wrong.

    Returns
    -------
    DataFrame
        A row per measure, the one nearest to the truth first: ``rho``, ``low``, ``high`` and
        ``first`` of :attr:`MeasureMap.agreement`, and ``instead_of``, the measures of its family.

    Raises
    ------
    InputError
        For an unknown kind, and where neither the data nor their kind are given.

    Notes
    -----
    Of the measures that compare numbers of clusters the best of the three best families, by
    the packaged map of the measures (:func:`load_map`).

    Examples
    --------
    >>> import karat
    >>> X = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]]
    >>> scores = karat.evaluate(X, [0, 0, 1, 1], measures=karat.recommend(X).index)
    """
    if kind is None:
        if X is None:
            raise InputError(f"give the data, or kind=, one of {', '.join(map(repr, KINDS))}")
        kind = _kind_of(X)
    check_choice(kind, KINDS, "kind")
    known = load_map()
    near = known.agreement[kind].loc[known.together.index]
    near = near[near["collections"] == near["collections"].max()]
    families = known.families(map(str, near.index))
    rows = {str(near.loc[keys, "rho"].idxmax()): keys for keys in families.values()}
    best = near.loc[[*rows], ["rho", "low", "high", "first"]].nlargest(3, "rho")
    others = [", ".join(other for other in rows[key] if other != key) for key in best.index]
    return best.assign(instead_of=others)


def _kind_of(X: Any) -> str:
    from scipy import sparse

    if isinstance(X, str):
        return X
    words = not hasattr(X, "shape") and len(X) and all(isinstance(value, str) for value in X)
    if sparse.issparse(X) or words:
        return "texts"
    return "shapes" if check_data(X).shape[1] <= MOST_OF_SHAPES else "tables"


def _upper(matrix: pd.DataFrame) -> list[int | None]:
    """What is above the diagonal, row by row."""
    return _thousandths(matrix.to_numpy()[np.triu_indices(len(matrix), 1)])


def _square(upper: list[int | None], names: list[str]) -> pd.DataFrame:
    import pandas as pd

    M = np.eye(len(names))
    M[np.triu_indices(len(names), 1)] = _floats(upper)
    return pd.DataFrame(np.triu(M) + np.triu(M, 1).T, index=names, columns=names)


def _thousandths(values: Floats) -> list[int | None]:
    return [None if np.isnan(v) else round(1000 * float(v)) for v in values]


def _floats(values: list[int | None]) -> Floats:
    return np.array([np.nan if v is None else v / 1000 for v in values])
