"""A model's reading corrected by a person's of part of the same objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.bounds import Estimate, prediction_powered_mean
from karat.labeling.agreement import Agreement, agreement
from karat.labeling.reading.score import ClarityByReading
from karat.runtime.validation import InputError

#: kappa below which a model does not read as the person does
ALIKE = 0.4
#: for the limits of a mean of bounded values
DRAWS = 100_000


@dataclass(frozen=True)
class CorrectedClarity:
    """Clarity for a person, from a model's reading of many objects and the person's of a few.

    Attributes
    ----------
    agreement : Agreement
        Of model and person about the objects that both assigned.
    estimate : Estimate
        The person's score, of all the objects that the model assigned.
    interval : tuple of float
        Its limits; they do not suppose that the corrections are normal, as the estimate's own do.
    model, person : ClarityByReading
    """

    agreement: Agreement
    estimate: Estimate
    interval: tuple[float, float]
    model: ClarityByReading
    person: ClarityByReading

    @property
    def score(self) -> float:
        """The person's score, estimated."""
        return self.estimate.value

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        both = self.agreement
        told = {"common": both.common, "same": both.same, "kappa": both.kappa}
        low, high = self.interval
        own = {"score": self.score, "low": low, "high": high, "weight": self.estimate.weight}
        return {"model": self.model.by, "person": self.person.by, **own, **told}

    def __str__(self) -> str:
        both, (low, high) = self.agreement, self.interval
        told = (
            f"{self.model.by} and {self.person.by} assigned {both.same} of {both.common} objects "
            f"alike (kappa {both.kappa:.2f}). "
        )
        if both.kappa < ALIKE:
            told += "The model does not read as the person does; trust the person's answers. "
        own_low, own_high = self.person.interval
        return (
            f"{told}Clarity for {self.person.by}, {self.model.by} being corrected: "
            f"{self.score:.2f} ({low:.2f} to {high:.2f}); from the person's answers "
            f"alone {self.person.score:.2f} ({own_low:.2f} to {own_high:.2f})."
        )


def correct_reading(model: ClarityByReading, person: ClarityByReading) -> CorrectedClarity:
    """Correct a model's reading by a person's of part of the same objects.

    Parameters
    ----------
    model, person : ClarityByReading
        Of one clustering with the same ``random_state``, the person's round with fewer objects:
        they are then a draw from the model's.

    Returns
    -------
    CorrectedClarity

    Raises
    ------
    InputError
        If the rounds are of different clusterings or draws, or fewer than two objects have both
        answers.

    Notes
    -----
    :func:`karat.bounds.prediction_powered_mean` (Angelopoulos et al. 2023) of what each object that
    the model assigned adds to the score: 1, or -1/(k - 1) for a miss. A bad model does no harm, it
    is given no weight. A few corrections are far from normal, so the limits are Gaffke's (2005)
    for bounded values; that the objects are as many of each cluster, and part of a finite number,
    makes them conservative.

    Examples
    --------
    >>> import karat
    >>> from karat.labeling.reading import correct_reading
    >>> def reads(prompt):
    ...     if "belong?" not in prompt:
    ...         return "pets" if "dog" in prompt.split("other groups:")[0] else "fruit"
    ...     return "pets" if "dog" in prompt.split("<object>")[-1] else "fruit"
    >>> texts = [f"dog {i}" for i in range(90)] + [f"pear {i}" for i in range(90)]
    >>> labels = [0] * 90 + [1] * 90
    >>> model = karat.clarity_by_reading(texts, labels, reads, n_assignments=150, by="model")
    >>> person = karat.clarity_by_reading(texts, labels, reads, by="Ann")
    >>> found = correct_reading(model, person)
    >>> found.agreement.common, found.score
    (30, 1.0)
    """
    ours, theirs = model.round, person.round
    same = ours.clusters == theirs.clusters and ours.examples == theirs.examples
    if not same or not set(theirs.objects) <= set(ours.objects):
        raise InputError(
            "the rounds are not of one draw: read the same clustering with the same random_state, "
            "the person with at most as many assignments as the model"
        )
    own = dict(zip(theirs.objects, person.assigned, strict=True))
    told = [
        (given, own.get(at), true, draws)
        for at, given, true, draws in zip(
            ours.objects, model.assigned, ours.truth, ours.draws, strict=True
        )
        if given is not None
    ]
    k = ours.n_names
    repeated = [one for one in told for _ in range(one[3])]
    guesses = np.array([_worth(given, true, k) for given, _, true, _ in repeated])
    values = np.array([_worth(own, true, k) for _, own, true, _ in repeated])
    both = agreement([one[:2] for one in told if one[1] is not None], len(told), person.delta)
    estimate = prediction_powered_mean(guesses, values, person.delta)
    assert both is not None
    weight, miss, known = estimate.weight, -1 / (k - 1), np.isfinite(values)
    rest = bounded_interval(
        values[known] - weight * guesses[known], miss - weight, 1 - weight * miss, person.delta
    )
    low, high = (min(1.0, max(miss, end + weight * float(guesses.mean()))) for end in rest)
    return CorrectedClarity(both, estimate, (low, high), model, person)


def _worth(given: int | None, true: int, k: int) -> float:
    if given is None:
        return float("nan")
    return 1.0 if given == true else -1 / (k - 1)


def bounded_interval(values: Any, least: float, most: float, delta: float) -> tuple[float, float]:
    """Limits of the mean of independent values that lie between ``least`` and ``most``.

    Gaffke's (2005) bound at delta/2 on either side: the quantile of the mean of the sorted values
    and of the end of the range, weighted by the gaps between uniform numbers; by 100,000 draws of
    them. Of zeros and ones these are Clopper and Pearson's. That it always covers is conjectured
    (Learned-Miller & Thomas 2019), not proved.

    >>> [round(end, 1) for end in bounded_interval([1] * 8 + [0] * 2, 0, 1, 0.05)]
    [0.4, 1.0]
    """
    levels, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    rng = np.random.default_rng(0)

    def mean(end: float) -> Any:
        return rng.dirichlet([*counts, 1], DRAWS) @ np.array([*levels, end])

    low, high = np.quantile(mean(least), delta / 2), np.quantile(mean(most), 1 - delta / 2)
    return float(low), float(high)
