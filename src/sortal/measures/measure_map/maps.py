"""The map of the measures: their correlations, families, and agreement with known classes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.measures.measure_map.families import cut
from sortal.measures.tuning import TUNING
from sortal.runtime.output import write_output
from sortal.runtime.validation import InputError, StorageError, check_choice, check_data

if TYPE_CHECKING:
    import pandas as pd

    from sortal.typing import ArrayLike, Floats

FILE = Path(__file__).parents[1] / "measure_map.json"
#: mean ρ above which measures count as the same
SAME_CORRELATION = TUNING.same_correlation
#: kinds of data; "whole tables" and "sub-tables" are the two parts of "tables"
DATA_KINDS = ("shapes", "tables", "texts")
#: kinds of data whose agreement the map has
DATA_GROUPS = ("shapes", "tables", "whole tables", "sub-tables", "texts")
_MATRICES = ("rho", "together")


@dataclass(frozen=True)
class MeasureMap:
    """Rank correlations of K internal measures over the candidates of many studies.

    Attributes
    ----------
    rho : DataFrame, shape (K, K)
        Mean of Spearman's ρ of two measures over the candidates of a study: the mean over studies
        of a collection, then over collections.
    together : DataFrame, shape (V, V)
        Share of bootstraps over collections in which two voters are in one family. Voters are
        the measures that compare numbers of clusters.
    agreement : mapping of str to DataFrame
        A row per measure, for each of ``"shapes"``, ``"tables"``, ``"whole tables"``,
        ``"sub-tables"`` and ``"texts"``:

        - ``rho``: mean of Spearman's correlation with the adjusted Rand index to the truth
        - ``low``, ``high``: its 95 % bootstrap interval over ``collections``
        - ``first``: mean adjusted Rand index of its first-ranked candidate
    apart : float
        Distance 1 − ρ at which the tree of measures is cut into families.
    studies : Series
        Number of studies in which each measure was computed.
    about : mapping of str to object
        The command, the corpus, and results on held-out collections.
    """

    rho: pd.DataFrame
    together: pd.DataFrame
    agreement: Mapping[str, pd.DataFrame]
    apart: float
    studies: pd.Series[Any]
    about: Mapping[str, Any]

    @property
    def keys(self) -> list[str]:
        """Keys of the measures."""
        return [str(key) for key in self.rho.index]

    def families(self, keys: Iterable[str] | None = None) -> dict[str, list[str]]:
        """Families of measures, named by the most frequent family of their catalogue records.

        Parameters
        ----------
        keys : iterable of str, optional
            All measures of the map by default. A measure outside the map joins the family with
            most measures of the same ``family`` in the catalogue. Without such measures it stays
            alone under that name.

        Returns
        -------
        dict of str to list of str
        """
        from sortal.measures import catalogue

        wanted = self.keys if keys is None else list(keys)
        return grouped({key: catalogue[key].family for key in wanted}, self)

    def same(self, above: float = SAME_CORRELATION) -> list[list[str]]:
        """Groups of measures whose pairwise mean ρ is above ``above``.

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
            [key for key, label in zip(self.keys, labels, strict=True) if label == group]
            for group in dict.fromkeys(labels)
        ]
        return [group for group in groups if len(group) > 1]

    # -- keeping ---------------------------------------------------------------------------------

    def contents(self) -> dict[str, Any]:
        """JSON-serializable contents, numbers in thousandths."""
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

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the map to a JSON file; ``overwrite`` replaces an earlier one."""
        lines = ",\n".join(
            f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
            for name, value in self.contents().items()
        )
        write_output(path, "{\n" + lines + "\n}\n", overwrite=overwrite)


def grouped(
    declared: Mapping[str, str], measure_map: MeasureMap | None = None
) -> dict[str, list[str]]:
    """Families of measures by a map (default: the packaged one) and their declared families.

    See :meth:`MeasureMap.families`.
    """
    from sortal.measures import catalogue

    measure_map = measure_map or load_map()
    inside = [key for key in declared if key in measure_map.rho.index]
    groups: list[list[str]] = []
    if inside:
        R = measure_map.rho.loc[inside, inside].to_numpy(dtype=np.float64)
        labels = cut(R, measure_map.apart)
        groups = [[inside[i] for i in np.flatnonzero(labels == f)] for f in range(max(labels) + 1)]
    names = [" / ".join(_common(declared[key] for key in group)[:3]) for group in groups]
    repeated = {name for name, times in Counter(names).items() if times > 1}
    families = {
        name
        if name not in repeated
        else f"{name}: {catalogue[_centre(group, measure_map)].title}": group
        for name, group in zip(names, groups, strict=True)
    }
    home = {key: name for name, group in families.items() for key in group}
    for key, family in declared.items():
        if key not in home:
            alike = _common(home[member] for member in inside if declared[member] == family)
            families.setdefault(alike[0] if alike else family, []).append(key)
    return families


def _common(values: Iterable[str]) -> list[str]:
    """Distinct values, the most frequent first."""
    return [value for value, _ in Counter(values).most_common()]


def _centre(group: list[str], measure_map: MeasureMap) -> str:
    """The measure with the largest sum of correlations with the group."""
    return str(measure_map.rho.loc[group, group].sum().round(9).idxmax())


@cache
def load_map(path: str | None = None) -> MeasureMap:
    """The packaged map, or one from a file.

    Raises
    ------
    StorageError
        For a file without a map.

    Examples
    --------
    >>> from sortal.measures.measure_map import load_map
    >>> measure_map = load_map()
    >>> bool(measure_map.rho.loc["silhouette", "squared_euclidean_silhouette"] > 0.9)
    True
    """
    import pandas as pd

    file = FILE if path is None else Path(path)
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        keys = stored["keys"]
        names = {"rho": keys, "together": stored["voters"]}
        matrices = {name: _square(stored[name], names[name]) for name in _MATRICES}
        agreement = {
            group: pd.DataFrame({name: _floats(row) for name, row in table.items()}, index=keys)
            for group, table in stored["agreement"].items()
        }
        studies = pd.Series(stored["studies"], index=keys)
        measure_map = MeasureMap(
            **matrices, agreement=agreement, apart=stored["apart"], studies=studies,
            about=stored["about"],
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(
            f"{file} is not a map of the measures ({error}); "
            "sortal reproduce map-of-measures --storage FOLDER writes one"
        ) from None
    return measure_map


def recommend(
    X: ArrayLike | Sequence[str] | None = None, *, kind: str | None = None
) -> pd.DataFrame:
    """Three internal measures to report, each of a different family.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), sequence of str, or a kind, optional
        The data. A sparse matrix and strings are texts, rows of up to three features are shapes,
        other data are a table.
    kind : {"shapes", "tables", "texts"}, optional
        Kind of the data, if ``X`` is omitted or the rule above is wrong.

    Returns
    -------
    DataFrame
        A row per measure, the best agreement with the truth first: ``rho``, ``low``, ``high`` and
        ``first`` of :attr:`MeasureMap.agreement`, and ``instead_of``, the measures of its family.

    Notes
    -----
    The packaged map (:func:`load_map`) gives the three best families of measures that compare
    numbers of clusters; the best measure of each is returned.

    Examples
    --------
    >>> import sortal
    >>> X = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]]
    >>> scores = sortal.evaluate(X, [0, 0, 1, 1], measures=sortal.recommend(X).index)
    """
    if kind is None:
        if X is None:
            raise InputError(f"give the data, or kind=, one of {', '.join(map(repr, DATA_KINDS))}")
        kind = _kind_of(X)
    check_choice(kind, DATA_KINDS, "kind")
    measure_map = load_map()
    near = measure_map.agreement[kind].loc[measure_map.together.index]
    near = near[near["collections"] == near["collections"].max()]
    families = measure_map.families(map(str, near.index))
    rows = {str(near.loc[keys, "rho"].idxmax()): keys for keys in families.values()}
    best = near.loc[[*rows], ["rho", "low", "high", "first"]].nlargest(3, "rho")
    others = [", ".join(member for member in rows[key] if member != key) for key in best.index]
    return best.assign(instead_of=others)


def _kind_of(X: Any) -> str:
    """Kind of some data: ``X`` itself if it is a name, else by its form."""
    from scipy import sparse

    if isinstance(X, str):
        return X
    words = not hasattr(X, "shape") and len(X) and all(isinstance(value, str) for value in X)
    if sparse.issparse(X) or words:
        return "texts"
    # benchmark shapes are in the plane or in space
    return "shapes" if check_data(X).shape[1] <= 3 else "tables"


def _upper(matrix: pd.DataFrame) -> list[int | None]:
    """Values above the diagonal, row by row, in thousandths."""
    return _thousandths(matrix.to_numpy()[np.triu_indices(len(matrix), 1)])


def _square(upper: list[int | None], names: list[str]) -> pd.DataFrame:
    """Symmetric matrix with unit diagonal from the values above the diagonal."""
    import pandas as pd

    M = np.eye(len(names))
    M[np.triu_indices(len(names), 1)] = _floats(upper)
    return pd.DataFrame(np.triu(M) + np.triu(M, 1).T, index=names, columns=names)


def _thousandths(values: Floats) -> list[int | None]:
    """Values in integer thousandths; None for NaN."""
    return [None if np.isnan(v) else round(1000 * float(v)) for v in values]


def _floats(values: list[int | None]) -> Floats:
    """Values from thousandths; NaN for None."""
    return np.array([np.nan if v is None else v / 1000 for v in values])
