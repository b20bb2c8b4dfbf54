"""Families of measures, judged on a collection that they were not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from sortal.measures import catalogue
from sortal.measures.measure_map import cut, rank_correlation
from sortal_lab.choice_table import interval

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray

    from sortal.typing import Floats
    from sortal_lab.measure_values import MeasuredTask


#: distances 1 − ρ at which the tree of measures may be cut
CUTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
#: share of the tasks on which a measure has values if it is computed on all of them
MOST = 0.9
GROUPS_OF = {
    "shapes": ("shapes",),
    "tables": ("whole tables", "sub-tables"),
    "whole tables": ("whole tables",),
    "sub-tables": ("sub-tables",),
    "texts": ("texts",),
}


@dataclass(frozen=True)
class Corpus:
    """Tasks, and measures that have values on all of them."""

    tasks: Sequence[MeasuredTask]
    keys: Sequence[str]

    @cached_property
    def collection(self) -> NDArray[Any]:
        """Collection of each task."""
        return np.array([task.collection for task in self.tasks])

    def members(self, group: str | None = None) -> NDArray[np.bool_]:
        """Mask of the tasks of a group, by default all."""
        wanted = None if group is None else GROUPS_OF[group]
        return np.array([wanted is None or task.group in wanted for task in self.tasks])

    def mean(self, values: Floats, group: str | None = None, without: str | None = None) -> Floats:
        """Mean over tasks of a collection, then over collections, of values (tasks, ...)."""
        return np.nanmean(self.by_collection(values, group, without), axis=0)

    def by_collection(
        self, values: Floats, group: str | None = None, without: str | None = None
    ) -> Floats:
        """Mean over the tasks of each collection (collections, ...)."""
        inside = self.members(group)
        names = [n for n in np.unique(self.collection[inside]) if n != without]
        with np.errstate(invalid="ignore"):
            return np.array(
                [_nanmean(values[inside & (self.collection == name)]) for name in names]
            )

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Whether a measure has values in a task (tasks, K)."""
        return np.array(
            [[not np.isnan(task.values[key]).all() for key in self.keys] for task in self.tasks]
        )

    @cached_property
    def partly(self) -> NDArray[np.bool_]:
        """Measures that were computed on some tasks only (K,)."""
        return self.present.mean(axis=0) < MOST

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Tasks on which those were computed, too."""
        return np.asarray(self.present[:, self.partly].any(axis=1) | ~self.partly.any())

    def levelled(
        self, values: Floats, group: str | None = None, without: str | None = None
    ) -> Floats:
        """:meth:`by_collection`, with all measures on one level.

        What was computed on some tasks of a collection only is moved by how much the mean of the
        other measures differs between all tasks of the collection and those.
        """
        by = self.by_collection(values, group, without)
        if self.partly.any() and not self.partly.all():
            complete_values = np.where(self.complete[:, None], values, np.nan)
            moved = by - self.by_collection(complete_values, group, without)
            by[:, self.partly] += _nanmean(moved[:, ~self.partly].T)[:, None]
        return by

    @cached_property
    def places(self) -> list[Floats]:
        """Place of each candidate by each measure (M, K), from 0 to 1, undefined ones last."""
        return [_places(task, self.keys, penalised=False) for task in self.tasks]

    @cached_property
    def penalised(self) -> list[Floats]:
        """Corpus whose values are penalised by the share of excluded objects."""
        return [_places(task, self.keys, penalised=True) for task in self.tasks]

    @cached_property
    def correlation(self) -> Floats:
        """Spearman's ρ of the measures in each task (tasks, K, K)."""
        return np.stack([rank_correlation(places) for places in self.places])

    @cached_property
    def nearness(self) -> Floats:
        """Spearman's ρ of each measure with the truth in each task (tasks, K)."""
        return np.stack(
            [
                rank_correlation(np.column_stack([places, task.truth]))[-1, :-1]
                for places, task in zip(self.penalised, self.tasks, strict=True)
            ]
        )

    @cached_property
    def first(self) -> Floats:
        """Adjusted Rand index of what each measure puts first in each task (tasks, K)."""
        return np.stack(
            [
                task.truth[places.argmax(axis=0)]
                for places, task in zip(self.penalised, self.tasks, strict=True)
            ]
        )


def _nanmean(values: Floats) -> Any:
    """Mean of each column without NaN, NaN for empty columns."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(defined, values, 0).sum(axis=0) / np.where(count > 0, count, np.nan)


def _places(task: MeasuredTask, keys: Sequence[str], *, penalised: bool) -> Floats:
    """Ranks of the candidates by each measure, scaled to [0, 1]."""
    V = np.column_stack([task.values[key] for key in keys])
    if penalised:
        signs = np.array([catalogue[key].sign for key in keys])
        factors = [
            catalogue[key].penalty(V[:, j] * signs[j], task.coverage) for j, key in enumerate(keys)
        ]
        V = V * np.column_stack(factors)
    ranks = rankdata(np.where(np.isnan(V), -np.inf, V), axis=0)
    places: Floats = (ranks - 1) / (len(ranks) - 1)
    return places


# -- the consensus -------------------------------------------------------------------------------


def weights(labels: npt.ArrayLike) -> Floats:
    """Weight of each measure where each family has one vote."""
    labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels)
    family_weights: Floats = 1 / (len(sizes) * sizes[labels])
    return family_weights


def voted(corpus: Corpus, W: Floats) -> Floats:
    """Adjusted Rand index of the consensus by weights (K, W), in each task (tasks, W)."""
    return np.stack(
        [
            task.truth[((places @ W) * task.coverage[:, None]).argmax(axis=0)]
            for places, task in zip(corpus.places, corpus.tasks, strict=True)
        ]
    )


def best_cut(corpus: Corpus, without: str | None = None) -> float:
    """Cut whose consensus is best on all collections but one."""
    R = corpus.mean(corpus.correlation, without=without)
    W = np.column_stack([weights(cut(R, apart)) for apart in CUTS])
    return CUTS[int(corpus.mean(voted(corpus, W), without=without).argmax())]


def consensus_trial(
    corpus: Corpus, cut_of: Callable[[str], float], say: Callable[[str], None]
) -> dict[str, dict[str, list[float]]]:
    """The consensus by the catalogue's families, and by families fitted to other collections.

    Parameters
    ----------
    corpus : Corpus
        The measures that vote.
    cut_of : callable
        The cut that was fitted to all collections but this one.

    Returns
    -------
    dict
        Mean and interval by way and group of data; ``"difference"`` is that of the map's families
        less those of the catalogue.
    """
    declared = weights([catalogue[key].family for key in corpus.keys])
    alone = np.full(len(corpus.keys), 1 / len(corpus.keys))
    before = voted(corpus, np.column_stack([declared, alone]))
    fitted = np.empty(len(corpus.tasks))
    for name in np.unique(corpus.collection):
        labels = cut(corpus.mean(corpus.correlation, without=str(name)), cut_of(str(name)))
        inside = corpus.collection == name
        fitted[inside] = voted(corpus, weights(labels)[:, None])[inside, 0]
    say(f"consensus of {len(corpus.keys)} measures tried on excluded collections")
    ways = {
        "families of the catalogue": before[:, 0],
        "families of the map": fitted,
        "each measure a vote": before[:, 1],
        "difference": fitted - before[:, 0],
    }
    return {
        way: {
            group: [round(v, 3) for v in interval(corpus.by_collection(values, of))]
            for group, of in (("all", None), *((group, group) for group in GROUPS_OF))
            if corpus.members(of).any()
        }
        for way, values in ways.items()
    }
