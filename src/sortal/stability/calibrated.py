"""Calibrated stability: which number of clusters is far more stable than one cloud is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from sortal.nulls.references import Null, NullKind
from sortal.nulls.settings import VALLEYS
from sortal.nulls.structure import Structure, StructureSearch
from sortal.runtime.validation import InputError
from sortal.stability._agreement import least_kept
from sortal.stability.curves import overlapping
from sortal.stability.engine import Engine, ResamplingOptions, check_draws, check_numbers, prepare
from sortal.stability.result import StabilityCurve, curve_table

if TYPE_CHECKING:
    import pandas as pd

    from sortal.stability.engine import ClustererLike
    from sortal.typing import ArrayLike, Floats


@dataclass(frozen=True)
class CalibrationSettings:
    """Tuned constants of calibrated stability."""

    #: tuned: Gaussian clusters and single clouds; instability relative to the null up to which a
    #: number of clusters counts
    max_ratio: float = 1 / 3
    #: tuned: the same; standard errors of the ratio that make it clear
    clear_errors: float = 2.0
    #: tuned: by eye; objects of each cluster that two halves must share, otherwise more are drawn
    min_shared: int = 8
    #: tuned: by eye; share of the objects that is drawn then
    larger_share: float = 0.7


CALIBRATION = CalibrationSettings()


def n_null_resamples(n_resamples: int) -> int:
    """Pairs of subsamples of each reference set: fewer, since the sets are averaged over."""
    return max(2, round(0.4 * n_resamples))


def share_drawn(n: int, most: int) -> float:
    """Share of n objects in each subsample, for up to ``most`` clusters."""
    is_enough = n / 4 >= CALIBRATION.min_shared * most
    return 0.5 if is_enough else CALIBRATION.larger_share


def kinds_beside(kinds: tuple[NullKind, ...], structure: Structure | None) -> tuple[NullKind, ...]:
    """The kinds of null that the data are compared with, of those available."""
    if "gaussian" not in kinds or structure is None:
        return kinds
    return ("within",) if structure.decision == "yes" else ("within", *kinds)


def calibrated_stability(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 20,
    n_references: int = 10,
    everywhere: bool = True,
    **options: Unpack[ResamplingOptions],
) -> StabilityCurve:
    """Survival of the worst cluster in another half, compared with null data.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
        Numbers of clusters from 2 upward; the answer may be 1.
    n_resamples : int
        Pairs of subsamples, each half of the objects (0.7 of them where two halves share fewer
        than eight for each cluster); 0.4 times as many of each reference set.
    n_references : int
        Reference data sets of each kind. 0 for none; no k is selected then.
    everywhere : bool
        Whether to compute the null of every k, or only those that the answer depends on. A k is
        unstable for any null if its worst cluster loses more than a third of its objects. No k
        below a stable one is selected.
    **options
        As for :func:`prediction_strength`.

    Returns
    -------
    StabilityCurve
        ``value``: of the objects of a cluster, the share that one cluster of another subsample
        holds, for the worst cluster, over the objects in both. ``ratio``: 1 − value over
        1 − null, with ``ratio_error``. The largest k with a ratio that is clearly (by two standard
        errors) at most a third is selected, otherwise 1. ``details["structure"]``: whether the data
        have clusters at all (:func:`sortal.assess_structure`).

    Notes
    -----
    After Ben-Hur, Elisseeff & Guyon 2002 (overlapping subsamples), Tibshirani & Walther 2005 (the
    worst cluster), and Dudoit & Fridlyand 2002 (data without clusters); the rule is sortal's own.

    The null depends on the evidence for clusters:

    - beyond doubt: one Gaussian with the covariance *within* the clusters
    - in doubt: the more stable of this one, a Gaussian with the covariance of all data, and a
      uniform box with their extent
    - no evidence: the answer is 1

    Sparse

    data have their values shuffled within features instead. No object is drawn twice.
    2·n_resamples·(1 + 0.4·n_references) fits for each k, three times the second term in doubt.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import calibrated_stability
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> calibrated_stability(X, k=range(2, 6), everywhere=False).selected
    3
    >>> calibrated_stability(rng.normal(size=(60, 2)), k=range(2, 6), everywhere=False).selected
    1
    """
    engine = prepare(X, clusterer, **options)
    check_draws(n_resamples)
    numbers = [n for n in check_numbers(k, engine.n // 2) if n > 1]
    if not numbers:
        raise InputError("calibrated stability compares numbers from 2 upward with 1; k has only 1")
    if n_references:
        check_draws(n_references)
    share = share_drawn(engine.n, numbers[-1])

    survival = pairs_of_subsamples(engine, numbers, n_resamples, share)
    null = Null(engine.X, engine.metric)
    kinds = null.kinds if n_references else ()
    structure = labels = None
    if "gaussian" in kinds:
        search = StructureSearch(engine.X, engine.metric, engine.generator(2**31 + 7))
        structure = search.separation()
        kinds = kinds_beside(kinds, structure)
        number = min(max(structure.n_clusters, 2), numbers[-1])
        labels = engine.fit(None, [number], engine.generator(2**31 + 5))[0]
    #: mean of each reference set, NaN where the null is not needed
    sets = np.full((max(len(kinds), 1), max(n_references, 1), len(numbers)), np.nan)

    def reference(index: int, r: int) -> Engine:
        seed = np.random.default_rng([engine.random_state, 2**31, index, r])
        return replace(engine, X=null.draw(kinds[index], seed, labels), _lists=[])

    samples = {k: survival[:, i] for i, k in enumerate(numbers)}
    for positions in _in_turn(engine, 1 - survival.mean(axis=0), everywhere) if kinds else ():
        ks = [numbers[i] for i in positions]
        for index in range(len(kinds)):
            for r in range(n_references):
                n_pairs = n_null_resamples(n_resamples)
                null_survival = pairs_of_subsamples(reference(index, r), ks, n_pairs, share)
                sets[index, r, positions] = null_survival.mean(axis=0)
        if not everywhere and _stable(_table(samples, sets)):
            break
    table = _table(samples, sets) if kinds else curve_table(samples, [], greater_is_better=True)
    selected = max(_stable(table), default=1) if kinds else None
    if structure is not None and structure.evidence < VALLEYS.close_look:
        selected = 1
    return StabilityCurve(
        "Calibrated stability",
        table,
        samples,
        True,
        selected,
        "the largest k clearly at most a third as unstable as the null, otherwise 1",
        engine.n,
        {} if structure is None else {"structure": structure},
    )


def pairs_of_subsamples(engine: Engine, ks: list[int], n_pairs: int, share: float) -> Floats:
    """Share kept by the worst cluster in the other subsample of each pair, (B, K)."""

    def pair(b: int) -> list[float]:
        return overlapping(engine, ks, engine.generator(b), share, least_kept)

    return np.array(engine.map(pair, range(n_pairs)))


def _table(samples: dict[int, Floats], sets: Floats) -> pd.DataFrame:
    """The curve beside the mean of each reference set, the ratio of both, and its error."""
    references = [dict(zip(samples, rows.T, strict=True)) for rows in sets]
    table = curve_table(samples, references, greater_is_better=True)
    lost, unstable = 1 - table["null"], 1 - table["value"]
    ratio = (unstable / lost).mask(lost <= 0, 1.0)
    of_null = table["null_error"] / np.sqrt(sets.shape[1])
    error = np.hypot(table["standard_error"], ratio * of_null) / lost.where(lost > 0, 1.0)
    return table.assign(ratio=ratio, ratio_error=error)


def _stable(table: pd.DataFrame) -> list[int]:
    """Numbers of clusters that are clearly more stable than their null."""
    clear = table["ratio"] + CALIBRATION.clear_errors * table["ratio_error"]
    clear = clear <= CALIBRATION.max_ratio
    return list(map(int, table.index[clear]))


def _in_turn(engine: Engine, lost: Floats, everywhere: bool) -> list[list[int]]:
    """Positions of the numbers to compare with their null, in the order of the comparisons."""
    if everywhere:
        return [list(range(len(lost)))]
    hopeful = [i for i in range(len(lost)) if lost[i] <= CALIBRATION.max_ratio]
    if engine.clusterer.every_k:  # one tree serves them all
        return [hopeful] if hopeful else []
    return [[i] for i in reversed(hopeful)]
