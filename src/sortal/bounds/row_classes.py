"""Class of every object under a guarantee, with what is guaranteed of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.confidence_sequence import b_always
from sortal.bounds.tails import b_max, log_level
from sortal.bounds.tuned import TUNED

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.bounds.classifiers import ComponentBound
    from sortal.bounds.population import LabelledPopulation
    from sortal.typing import Bools, Floats, Ints

#: methods whose bounds hold at every number of labels
FOLLOWED = ("start", "target", "mdl-sequence")


@dataclass(frozen=True, eq=False)
class RowClasses:
    """Class of every object: its label, or the prediction that the guarantee is about.

    Attributes
    ----------
    labels : ndarray of object, shape (n,)
        None where the clustering excludes the object.
    labelled : ndarray of bool, shape (n,)
        Whether the class is the object's label.
    guaranteed : ndarray of float64, shape (n,)
        Least share of right predictions among the unlabelled objects with the same predicted class.
        NaN for labelled objects, and without a guarantee for the class.
    confidence : ndarray of float64, shape (n,)
        Estimated probability that the prediction is right, no guarantee; NaN for labelled objects.
    """

    labels: NDArray[np.object_]
    labelled: Bools
    guaranteed: Floats
    confidence: Floats

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def by_class(self) -> dict[Any, float]:
        """Least share of the unlabelled objects of each class that are right, largest first."""
        limits = {
            name: limit
            for name, limit in zip(self.labels, self.guaranteed.tolist(), strict=True)
            if not np.isnan(limit)
        }
        return dict(sorted(limits.items(), key=lambda item: -item[1]))

    @property
    def table(self) -> pd.DataFrame:
        """A row for each object: class, class_guaranteed (rounded down), confidence, labelled."""
        import pandas as pd

        return pd.DataFrame({
            "class": self.labels,
            "class_guaranteed": np.floor(self.guaranteed * 1000 + 1e-9) / 1000,
            "confidence": np.round(self.confidence, 3),
            "labelled": self.labelled,
        })  # fmt: skip


def row_classes(component: ComponentBound, population: LabelledPopulation) -> RowClasses:
    """Classes of all objects by the classifier of one bound."""
    codes, predicted = population.truth.codes, component.classifier.predicted
    classified = np.where(codes >= 0, codes, predicted)
    limits = np.full(len(population.names) + 1, np.nan)
    for code, limit in class_limits(component, codes).items():
        limits[code] = limit
    guaranteed = population.spread(np.where(codes < 0, limits[predicted], np.nan), np.nan)
    confidence = np.where((codes < 0) & (predicted >= 0), _confidence(component, codes), np.nan)
    return RowClasses(
        population.of_all(classified),
        population.is_labelled,
        guaranteed,
        population.spread(confidence, np.nan),
    )


def class_limits(component: ComponentBound, codes: Ints) -> dict[int, float]:
    """Least share of right predictions among the unlabelled objects of each predicted class.

    The objects predicted to be of a class were fixed before the test, so the tested ones are a
    uniform draw from them. The classes share the level evenly. For a single class the bound itself
    is the answer.
    """
    predicted = component.classifier.predicted
    classes = np.unique(predicted[predicted >= 0])
    if component.n == 0:
        return {}
    if len(classes) == 1:
        return {int(classes[0]): 1 - component.bound / component.n}
    if component.test is None:
        return {}
    level = log_level(component.delta / len(classes), component.bits)
    tail = b_always if component.method in FOLLOWED else b_max
    limits = {}
    for code in classes.tolist():
        inside = predicted == code
        n, tested = int((inside & (codes < 0)).sum()), component.test[inside[component.test]]
        if n:
            errors = int((codes[tested] != code).sum())
            limits[code] = 1 - int(tail(len(tested), n, errors, log_delta=level)) / n
    return limits


def _confidence(component: ComponentBound, codes: Ints) -> Floats:
    """Estimated probability that each object's prediction is right.

    A classifier's own, scaled so that its mean on the test labels is the share that was right;
    where each cluster has one class, the share of the cluster's labelled objects that are of it,
    drawn towards the share of all.
    """
    classifier = component.classifier
    if classifier.clusters is None:
        test = np.zeros(0, dtype=np.intp) if component.test is None else component.test
        scale = (component.tested - component.errors + 0.5) / (
            classifier.certainty[test].sum() + 0.5
        )
        most = (component.tested + 0.5) / (component.tested + 1)
        scaled: Floats = np.minimum(classifier.certainty * scale, most)
        return scaled
    cells, seen = classifier.clusters + 1, codes >= 0
    right = seen & (classifier.predicted == codes)
    overall = (right.sum() + 0.5) / (seen.sum() + 1)
    n_seen = np.bincount(cells, weights=seen)
    n_right = np.bincount(cells, weights=right)
    prior = TUNED.prior_labels
    shares: Floats = (n_right + prior * overall) / (n_seen + prior)
    return shares[cells]
