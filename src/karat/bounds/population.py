"""The objects that a guarantee is about, what learns their classes, and what was labelled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds import wording
from karat.bounds.classes import Classes, KnownClasses, known_classes
from karat.bounds.classifiers import Learner
from karat.bounds.languages import Language, Mixed, Prior
from karat.labelings.labels import NOISE, NoisePolicy
from karat.labelings.partitions import Labelings, as_labelings
from karat.runtime.validation import InputError, check_data, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Population:
    """All objects but those that teach, at positions ``objects`` and ``taught`` of all."""

    batch: Labelings
    learner: Learner
    language: Language
    objects: NDArray[np.intp]
    taught: NDArray[np.intp]

    @property
    def n_all(self) -> int:
        """Number of these objects and of those that teach."""
        return len(self.objects) + len(self.taught)

    def read(self, y_few: Any, classes: Classes) -> Labelled:
        """What was labelled of both."""
        truth = known_classes(y_few, self.n_all, classes)
        if not len(self.taught):
            return Labelled(self, self.learner, truth, truth.names)
        given = np.array([*truth.names, None], dtype=object)[truth.codes]
        missing = [int(i) for i in self.taught if given[i] is None]
        if missing:
            raise InputError(
                f"an object that is to teach has no label: position {missing[0]}, one of "
                f"{len(missing)}; label these first"
            )
        drawn = known_classes(given[self.objects], len(self.objects), classes)
        drawn = replace(drawn, premises=(wording.TAUGHT, *drawn.premises[1:]))
        lessons = given[self.taught]
        names = (*drawn.names, *dict.fromkeys(n for n in lessons if n not in drawn.names))
        number = {name: i for i, name in enumerate(names)}
        codes = np.array([number[name] for name in lessons], dtype=np.int64)
        return Labelled(self, replace(self.learner, lessons=codes), drawn, names)

    def drawn(self, order: Any, known: NDArray[np.intp], random_state: Any) -> NDArray[np.intp]:
        """The labelled of these objects, as positions among them, in the order of the draw."""
        if order is not None and len(self.taught):
            given = np.asarray(order)
            given = given[~np.isin(given, self.taught)]
            order = np.searchsorted(self.objects, given)
        return order_of(order, known, random_state)


@dataclass(frozen=True)
class Labelled:
    """The labels of a population."""

    population: Population
    learner: Learner
    truth: KnownClasses
    names: tuple[Any, ...]

    def of_all(self, codes: NDArray[np.int64]) -> NDArray[np.object_]:
        """The classes of all objects: these for the population, and the lessons as they are."""
        table = np.array([*self.names, None], dtype=object)
        labels = np.full(self.population.n_all, None, dtype=object)
        labels[self.population.objects] = table[codes]
        labels[self.population.taught] = table[self.learner.lessons]
        return labels


def population_of(
    labelings: Any, X: Any, prior: Any, noise: NoisePolicy, taught: Any = None
) -> Population:
    """The population of a guarantee, once its parts are known to fit."""
    batch = as_labelings(labelings, noise=noise)
    language = Mixed() if prior is None else Mixed(prior_of(prior, batch))
    bits = np.asarray(language.choice_bits(batch.names, batch.n_clusters), dtype=np.float64)
    learner = Learner(batch, bits, features(X, batch.n_objects))
    every = np.arange(batch.n_objects)
    rows = np.zeros(0, dtype=np.intp) if taught is None else np.asarray(taught)
    if not len(rows):
        return Population(batch, learner, language, every, rows.astype(np.intp))
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(np.unique(rows)) < len(rows):
        raise InputError("taught must be positions of objects: different whole numbers from 0")
    if rows.min() < 0 or rows.max() >= len(every) or len(rows) == len(every):
        raise InputError(
            f"taught must be positions of some of the {len(every)} objects; got {rows.min()} to "
            f"{rows.max()}"
        )
    objects = np.setdiff1d(every, rows)
    of = batch.take(objects)
    # clusters that only have objects that teach are gone: to these no other object is alike
    codes = np.full((len(batch), len(rows)), NOISE, dtype=batch.codes.dtype)
    for row, before, after in zip(codes, batch.codes, of.codes, strict=True):
        number = np.full(int(before.max(initial=0)) + 2, NOISE, dtype=before.dtype)
        number[before[objects]] = after
        row[:] = np.where(before[rows] >= 0, number[before[rows]], NOISE)
    behind = replace(of, codes=np.ascontiguousarray(np.hstack([of.codes, codes])))
    X = None if X is None else learner.X[np.concatenate([objects, rows])]
    lessons = np.full(len(rows), -1, dtype=np.int64)  # their classes come with the labels
    learner = replace(learner, batch=behind, X=X, lessons=lessons)
    return Population(of, learner, language, objects, rows.astype(np.intp))


def check_delta(delta: float) -> None:
    """An allowed chance is in (0, 1]."""
    if not 0 < delta <= 1:
        raise InputError(f"delta must be in (0, 1]; got {delta!r}")


def features(X: Any, n: int) -> Any:
    """Features of all objects, checked; None where there are none."""
    if X is None:
        return None
    data = check_data(X)
    if data.shape[0] != n:
        raise InputError(f"X has {data.shape[0]} rows, and the clusterings have {n} objects")
    return data


def prior_of(prior: Any, batch: Labelings) -> Prior:
    """The shares of clusterings, by name or in their order."""
    if not isinstance(prior, Mapping):
        shares = np.asarray(prior, dtype=np.float64)
        if shares.shape != (len(batch),):
            raise InputError(
                f"prior must have a share for each of the {len(batch)} clusterings; its shape is "
                f"{shares.shape}"
            )
        prior = dict(zip(batch.names, shares.tolist(), strict=True))
    return Prior({str(name): float(share) for name, share in prior.items()})


def order_of(order: Any, known: NDArray[np.intp], random_state: Any) -> NDArray[np.intp]:
    """The labelled objects in the order of the draw, or in any random order."""
    if order is None:
        shuffled: NDArray[np.intp] = check_random_state(random_state).permutation(known)
        return shuffled
    given = np.asarray(order)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise InputError("order must be positions of objects: whole numbers from 0")
    if not np.array_equal(np.sort(given), known):
        raise InputError(
            f"order must have each labelled object once: {len(known)} are labelled, and it has "
            f"{len(given)} positions, {len(np.setdiff1d(given, known))} of them unlabelled"
        )
    return given.astype(np.intp)
