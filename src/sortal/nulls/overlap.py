"""Groups that overlap: modularity of the graph of neighbours, beside twins without groups."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree
from scipy.special import ndtri

from sortal._kernels.modes import FEWEST
from sortal.nulls.settings import OVERLAP, OverlapSettings
from sortal.runtime.draws import draw_rows
from sortal.typing import Floats

#: limit of cost: saves further objects, twins, principal components, and rounds of their ties
MAX_OBJECTS, N_TWINS, MAX_COMPONENTS, N_ROUNDS = 700, 12, 12, 3
#: limit of cost: saves normal numbers that the correlations of tied columns are estimated from
N_DRAWN = 2_000
#: derived: from rounding; largest correlation, whose inverse hyperbolic tangent is finite
NEARLY_ONE = 0.995


def overlap_evidence(
    X: Floats, rng: np.random.Generator, settings: OverlapSettings = OVERLAP
) -> float:
    """How far the graph of neighbours is more modular than that of twins without groups.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        Columns in units that can be compared. At most 700 rows are drawn.
    rng : Generator
    settings : OverlapSettings

    Returns
    -------
    float
        Standard deviations of the twins above their mean, for the graph and the resolution where
        it is most; 0 where there are too few rows.

    Notes
    -----
    A twin has the values of each column and the rank correlations of the table, and is otherwise
    normal (a Gaussian copula), so it is one cloud. Modularity (Newman & Girvan 2004) is that of the
    communities that Leiden finds (Traag, Waltman & van Eck 2019) in the graph of 25 and 50
    neighbours. Groups along one column leave no trace here, since twins have them, too; a bent
    cloud has some evidence. Time is that of 39 runs of Leiden, about a second.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.nulls import overlap_evidence
    >>> rng = np.random.default_rng(0)
    >>> cloud = rng.normal(size=(300, 8))
    >>> kinds = cloud + 2 * rng.normal(size=(4, 8))[rng.integers(4, size=300)]
    >>> overlap_evidence(cloud, rng) < 1.5, overlap_evidence(kinds, rng) > 4
    (True, True)
    """
    rows = draw_rows(len(X), MAX_OBJECTS, rng)
    X = X[rows][:, np.ptp(X[rows], axis=0) > 0] if len(X) else X
    if len(X) < 2 * FEWEST or X.shape[1] < 2:
        return 0.0
    twins = CopulaTwins(X, rng)
    own = modularities(X, rng, settings)
    others = np.array([modularities(twins.draw(rng), rng, settings) for _ in range(N_TWINS)])
    spread = others.std(axis=0, ddof=1) + settings.least_spread
    return float(((own - others.mean(axis=0)) / spread).max())


class CopulaTwins:
    """Tables with the columns and the rank correlations of another, which are one cloud.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        At least two columns, none of them constant.
    rng : Generator
        Draws what corrects correlations for ties.

    Notes
    -----
    A twin is a Gaussian copula with the margins of X. Ties lower correlations. So those of the
    normal variables are raised until columns with as many ties have the correlations of X. Time
    and memory are O(n d + d³) and O(n d + d²).

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.nulls import CopulaTwins
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3))
    >>> twin = CopulaTwins(X, rng).draw(rng)
    >>> bool((np.sort(twin, axis=0) == np.sort(X, axis=0)).all())
    True
    """

    def __init__(self, X: Floats, rng: np.random.Generator) -> None:
        n, d = X.shape
        self.ascending = np.sort(X, axis=0)
        scores = _normal_scores(X)
        wanted = _correlations(scores)
        latent = wanted
        self._root = _square_root(latent)
        if np.diff(self.ascending, axis=0).all():
            return
        values = np.sort(scores, axis=0)
        for _ in range(N_ROUNDS):
            draws = [
                _correlations(self._placed(rng.normal(size=(n, d)), values))
                for _ in range(max(1, N_DRAWN // n))
            ]
            seen = np.mean(draws, axis=0)
            raised = np.arctanh(latent) + np.arctanh(wanted) - np.arctanh(seen)
            latent = np.clip(np.tanh(raised), -NEARLY_ONE, NEARLY_ONE)
            self._root = _square_root(latent)

    def draw(self, rng: np.random.Generator) -> Floats:
        """One twin, of the shape of X."""
        return self._placed(rng.normal(size=self.ascending.shape), self.ascending)

    def _placed(self, normal: Floats, ascending: Floats) -> Floats:
        """Columns of ascending values in the order that correlated normal variables have."""
        out = np.empty_like(ascending)
        order = np.argsort(normal @ self._root.T, axis=0)
        np.put_along_axis(out, order, ascending, axis=0)
        return out


def _normal_scores(X: Floats) -> Floats:
    """Mean quantile of the normal distribution at the ranks of each value."""
    quantiles = ndtri((np.arange(len(X)) + 0.5) / len(X))
    scores = np.empty_like(X)
    for j, column in enumerate(X.T):
        _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        scores[:, j] = (np.add.reduceat(quantiles, first) / counts)[place]
    return scores


def _correlations(scores: Floats) -> Floats:
    """Correlations off the diagonal, away from -1 and 1."""
    return np.clip(np.corrcoef(scores.T), -NEARLY_ONE, NEARLY_ONE)


def _square_root(correlations: Floats) -> Floats:
    """Matrix whose product with independent normal variables has these correlations."""
    matrix = correlations.copy()
    np.fill_diagonal(matrix, 1.0)
    powers, axes = np.linalg.eigh(matrix)
    root = axes * np.sqrt(np.maximum(powers, 0.0))
    return np.asarray(root / np.sqrt(np.square(root).sum(axis=1, keepdims=True)))


def modularities(
    X: Floats, rng: np.random.Generator, settings: OverlapSettings = OVERLAP
) -> Floats:
    """Modularity of the communities in each graph of neighbours, at each of its resolutions."""
    from graspologic_native import leiden

    Z = _leading_components(X)
    Z = Z + np.finfo(np.float32).eps * Z.std() * rng.normal(size=Z.shape)  # breaks ties
    n, narrow, wide = len(Z), settings.neighbors, 2 * settings.neighbors
    _, nearest = cKDTree(Z).query(Z, min(wide, n - 1) + 1)
    names = [str(i) for i in range(n)]
    out: list[float] = []
    for m, resolutions in ((narrow, (1.0,)), (wide, (settings.coarse_resolution, 1.0))):
        m = min(m, n - 1)
        ends = np.arange(0, n * m + 1, m)
        directed = sparse.csr_array(
            (np.ones(n * m), nearest[:, 1 : m + 1].ravel(), ends), shape=(n, n)
        )
        graph = sparse.triu(directed + directed.T, format="coo")
        first, second = (map(names.__getitem__, end.tolist()) for end in graph.coords)
        edges = list(zip(first, second, graph.data.tolist(), strict=True))
        out += [leiden(edges=edges, resolution=r, seed=1)[0] for r in resolutions]
    return np.array(out)


def _leading_components(X: Floats) -> Floats:
    """Scores along the leading principal axes."""
    Z = X - X.mean(axis=0)
    n, d = Z.shape
    powers, axes = np.linalg.eigh(Z.T @ Z if d <= n else Z @ Z.T)
    powers, axes = powers[::-1][:MAX_COMPONENTS], axes[:, ::-1][:, :MAX_COMPONENTS]
    is_axis = powers > np.finfo(np.float64).eps * len(Z) * powers[0]
    powers, axes = powers[is_axis], axes[:, is_axis]
    return np.asarray(Z @ axes if d <= n else axes * np.sqrt(powers))
