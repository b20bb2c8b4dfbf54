"""Population of a guarantee: objects, labels, and the method that learns their classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds import wording
from sortal.bounds.classes import Classes, KnownClasses, known_classes
from sortal.bounds.classifiers import Learner
from sortal.bounds.contradictions import unordered
from sortal.bounds.languages import Language, Mixed, Prior
from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.labelings.partitions import Labelings, as_labelings
from sortal.runtime.validation import InputError, check_data, check_random_state

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray

    from sortal.bounds.classes import Clusterings
    from sortal.typing import ArrayLike, Bools, Ints, Labels, RandomState


@dataclass(frozen=True)
class Population:
    """Objects of a guarantee, at positions ``objects``, and those that teach, at ``taught``.

    ``all_objects`` are the clusterings of both, and ``batch`` those of the first.
    """

    all_objects: Labelings
    batch: Labelings
    learner: Learner
    language: Language
    objects: Ints
    taught: Ints

    @property
    def n_all(self) -> int:
        """Number of objects, the teaching ones included."""
        return self.all_objects.n_objects

    def read(self, y: Labels, classes: Classes) -> LabelledPopulation:
        """Labels of the population and of the objects that teach."""
        truth = known_classes(self.all_objects.in_order(y), self.n_all, classes)
        if not len(self.taught):
            return LabelledPopulation(self, self.learner, truth, truth.names)
        class_of = np.array([*truth.names, None], dtype=object)[truth.codes]
        missing = [int(i) for i in self.taught if class_of[i] is None]
        if missing:
            raise InputError(
                f"an object that is to teach has no label: position {missing[0]}, one of "
                f"{len(missing)}; label these first"
            )
        truth_of_draw = known_classes(class_of[self.objects], len(self.objects), classes)
        truth_of_draw = replace(
            truth_of_draw, premises=(wording.TAUGHT, *truth_of_draw.premises[1:])
        )
        lessons = class_of[self.taught]
        names = (
            *truth_of_draw.names,
            *dict.fromkeys(n for n in lessons if n not in truth_of_draw.names),
        )
        number = {name: i for i, name in enumerate(names)}
        codes = np.array([number[name] for name in lessons], dtype=np.int64)
        return LabelledPopulation(self, replace(self.learner, lessons=codes), truth_of_draw, names)

    def drawn(self, order: npt.ArrayLike | None, labelled: Ints, random_state: RandomState) -> Ints:
        """Labelled objects of the population in the order of the draw, as positions among them."""
        if order is not None and len(self.taught):
            positions = np.asarray(order)
            positions = positions[~np.isin(positions, self.taught)]
            order = np.searchsorted(self.objects, positions)
        return order_of(order, labelled, random_state)


@dataclass(frozen=True)
class LabelledPopulation:
    """Population with its labels."""

    population: Population
    learner: Learner
    truth: KnownClasses
    names: tuple[Any, ...]

    @property
    def is_labelled(self) -> Bools:
        """Whether each object has a label, the teaching ones included."""
        return self.spread(self.truth.codes >= 0, True)

    def spread(self, values: NDArray[Any], of_lessons: Any) -> NDArray[Any]:
        """Values of the population's objects among all, with one value for the lessons."""
        everywhere = np.full(self.population.n_all, of_lessons, dtype=values.dtype)
        everywhere[self.population.objects] = values
        return everywhere

    def halved(self, order: npt.ArrayLike | None, random_state: RandomState) -> Ints:
        """Labelled objects, the half that chooses first: drawn first, if the order is random."""
        draw = self.population.drawn(order, self.truth.labelled, random_state)
        if order is not None and unordered(draw, self.truth.codes[draw]):
            return order_of(None, self.truth.labelled, random_state)
        return draw

    def of_all(self, codes: Ints) -> NDArray[np.object_]:
        """Classes of all objects: ``codes`` for the population, the lessons as they are."""
        table = np.array([*self.names, None], dtype=object)
        labels = np.full(self.population.n_all, None, dtype=object)
        labels[self.population.objects] = table[codes]
        labels[self.population.taught] = table[self.learner.lessons]
        return labels


def population_of(
    labelings: Clusterings,
    X: ArrayLike | None,
    prior: Mapping[str, float] | npt.ArrayLike | None,
    noise: NoisePolicy,
    taught: npt.ArrayLike | None = None,
) -> Population:
    """Population of a guarantee, after checking that its parts fit together."""
    batch = as_labelings(labelings, noise=noise)
    language = Mixed() if prior is None else Mixed(prior_of(prior, batch))
    bits = np.asarray(language.choice_bits(batch.names, batch.n_clusters), dtype=np.float64)
    X = batch.in_order(X, name="X", on="both")
    learner = Learner(batch, bits, features(X, batch.n_objects))
    all_objects = np.arange(batch.n_objects)
    rows = np.zeros(0, dtype=np.intp) if taught is None else np.asarray(taught)
    if not len(rows):
        return Population(batch, batch, learner, language, all_objects, rows.astype(np.intp))
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(np.unique(rows)) < len(rows):
        raise InputError("taught must be positions of objects: different whole numbers from 0")
    if rows.min() < 0 or rows.max() >= len(all_objects) or len(rows) == len(all_objects):
        raise InputError(
            f"taught must be positions of some of the {len(all_objects)} objects; got "
            f"{rows.min()} to {rows.max()}"
        )
    objects = np.setdiff1d(all_objects, rows)
    remaining = batch.take(objects)
    # clusters of teaching objects only are dropped: no object of the population is in them
    codes = np.full((len(batch), len(rows)), NOISE, dtype=batch.codes.dtype)
    for row, before, after in zip(codes, batch.codes, remaining.codes, strict=True):
        number = np.full(int(before.max(initial=0)) + 2, NOISE, dtype=before.dtype)
        number[before[objects]] = after
        row[:] = np.where(before[rows] >= 0, number[before[rows]], NOISE)
    extended = replace(remaining, codes=np.ascontiguousarray(np.hstack([remaining.codes, codes])))
    X = None if X is None else learner.X[np.concatenate([objects, rows])]
    lessons = np.full(len(rows), -1, dtype=np.int64)  # their classes come with the labels
    learner = replace(learner, batch=extended, X=X, lessons=lessons)
    return Population(batch, remaining, learner, language, objects, rows.astype(np.intp))


def features(X: ArrayLike | None, n: int) -> Any:
    """Validated features of all objects, or None."""
    if X is None:
        return None
    data = check_data(X)
    if data.shape[0] != n:
        raise InputError(f"X has {data.shape[0]} rows, and the clusterings have {n} objects")
    return data


def prior_of(prior: Mapping[str, float] | npt.ArrayLike, batch: Labelings) -> Prior:
    """Prior shares of the clusterings, given by name or in their order."""
    if not isinstance(prior, Mapping):
        shares = np.asarray(prior, dtype=np.float64)
        if shares.shape != (len(batch),):
            raise InputError(
                f"prior must have a share for each of the {len(batch)} clusterings; its shape is "
                f"{shares.shape}"
            )
        prior = dict(zip(batch.names, shares.tolist(), strict=True))
    return Prior({str(name): float(share) for name, share in prior.items()})


def order_of(order: npt.ArrayLike | None, labelled: Ints, random_state: RandomState) -> Ints:
    """Labelled objects in the order of the draw, or in random order if there is none."""
    if order is None:
        shuffled: Ints = check_random_state(random_state).permutation(labelled)
        return shuffled
    positions = np.asarray(order)
    if positions.ndim != 1 or positions.dtype.kind not in "iu":
        raise InputError("order must be positions of objects: whole numbers from 0")
    if not np.array_equal(np.sort(positions), labelled):
        raise InputError(
            f"order must have each labelled object once: {len(labelled)} are labelled, and it has "
            f"{len(positions)} positions, {len(np.setdiff1d(positions, labelled))} of them "
            "unlabelled"
        )
    return positions.astype(np.intp)
