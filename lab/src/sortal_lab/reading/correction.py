"""Correction of a model's reading by a person's reading of part of the same objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal.labeling import Agreement, agreement
from sortal_lab.reading.estimates import Estimate, prediction_powered_mean
from sortal_lab.reading.score import ClarityByReading

if TYPE_CHECKING:
    import numpy.typing as npt

    from sortal.typing import Floats

#: kappa below which a model does not read as the person does
MIN_KAPPA = 0.4
#: for the limits of a mean of bounded values
GAFFKE_DRAWS = 100_000


@dataclass(frozen=True)
class CorrectedClarity:
    """A person's clarity, estimated from a model's many answers and the person's few.

    Attributes
    ----------
    agreement : Agreement
        Agreement of model and person about the objects that both assigned.
    estimate : Estimate
        The person's score over all objects that the model assigned.
    interval : tuple of float
        Limits of the score. Unlike the estimate's limits they do not assume normal corrections.
    model, person : ClarityByReading
    """

    agreement: Agreement
    estimate: Estimate
    interval: tuple[float, float]
    model: ClarityByReading
    person: ClarityByReading

    @property
    def score(self) -> float:
        """Estimate of the person's score."""
        return self.estimate.value

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        common = self.agreement
        counts = {"common": common.common, "same": common.same, "kappa": common.kappa}
        low, high = self.interval
        corrected = {"score": self.score, "low": low, "high": high, "weight": self.estimate.weight}
        return {"model": self.model.by, "person": self.person.by, **corrected, **counts}

    def __str__(self) -> str:
        common, (low, high) = self.agreement, self.interval
        text = (
            f"{self.model.by} and {self.person.by} assigned {common.same} of {common.common} "
            f"objects alike (kappa {common.kappa:.2f}). "
        )
        if common.kappa < MIN_KAPPA:
            text += "The model does not read as the person does; trust the person's answers. "
        person_low, person_high = self.person.interval
        return (
            f"{text}Clarity for {self.person.by}, {self.model.by} being corrected: "
            f"{self.score:.2f} ({low:.2f} to {high:.2f}); from the person's answers "
            f"alone {self.person.score:.2f} ({person_low:.2f} to {person_high:.2f})."
        )


def correct_reading(model: ClarityByReading, person: ClarityByReading) -> CorrectedClarity:
    """Correct a model's reading by a person's reading of part of the same objects.

    Parameters
    ----------
    model, person : ClarityByReading
        Readings of one clustering with the same ``random_state``, the person's of fewer objects;
        these are then a draw from the model's objects.

    Raises
    ------
    InputError
        For rounds of different clusterings or draws, or if fewer than two objects have both
        answers.

    Notes
    -----
    :func:`prediction_powered_mean` (Angelopoulos et al. 2023) of each object's
    contribution to the score: 1 for a hit, -1/(k - 1) for a miss. A bad model does no harm, since
    it gets no weight. A few corrections are far from normal, so the limits are Gaffke's (2005) for
    bounded values. They are conservative, because the draw takes equally many objects of each
    cluster from a finite number.

    Examples
    --------
    >>> from sortal_lab.reading import clarity_by_reading, correct_reading
    >>> def reads(prompt):
    ...     if "belong?" not in prompt:
    ...         return "pets" if "dog" in prompt.split("other groups:")[0] else "fruit"
    ...     return "pets" if "dog" in prompt.split("<object>")[-1] else "fruit"
    >>> texts = [f"dog {i}" for i in range(90)] + [f"pear {i}" for i in range(90)]
    >>> labels = [0] * 90 + [1] * 90
    >>> model = clarity_by_reading(texts, labels, reads, n_assignments=150, by="model")
    >>> person = clarity_by_reading(texts, labels, reads, by="Ann")
    >>> corrected = correct_reading(model, person)
    >>> corrected.agreement.common, corrected.score
    (30, 1.0)
    """
    model_round, person_round = model.round, person.round
    same = (
        model_round.clusters == person_round.clusters
        and model_round.examples == person_round.examples
    )
    if not same or not set(person_round.objects) <= set(model_round.objects):
        raise InputError(
            "the rounds are not of one draw: read the same clustering with the same random_state, "
            "the person with at most as many assignments as the model"
        )
    by_person = dict(zip(person_round.objects, person.assigned, strict=True))
    guessed = [
        (guess, by_person.get(at), truth, draws)
        for at, guess, truth, draws in zip(
            model_round.objects, model.assigned, model_round.truth, model_round.draws, strict=True
        )
        if guess is not None
    ]
    k = model_round.n_names
    repeated = [row for row in guessed for _ in range(row[3])]
    guesses = np.array([_worth(guess, truth, k) for guess, _, truth, _ in repeated])
    values = np.array([_worth(answer, truth, k) for _, answer, truth, _ in repeated])
    common = agreement(
        [row[:2] for row in guessed if row[1] is not None], len(guessed), person.delta
    )
    estimate = prediction_powered_mean(guesses, values, person.delta)
    assert common is not None
    weight, miss, labelled = estimate.weight, -1 / (k - 1), np.isfinite(values)
    limits = bounded_interval(
        values[labelled] - weight * guesses[labelled],
        miss - weight,
        1 - weight * miss,
        person.delta,
    )
    low, high = (min(1.0, max(miss, end + weight * float(guesses.mean()))) for end in limits)
    return CorrectedClarity(common, estimate, (low, high), model, person)


def _worth(assigned: int | None, truth: int, k: int) -> float:
    """Contribution of an assignment to the score; NaN without an answer."""
    if assigned is None:
        return float("nan")
    return 1.0 if assigned == truth else -1 / (k - 1)


def bounded_interval(
    values: npt.ArrayLike, least: float, most: float, delta: float
) -> tuple[float, float]:
    """Limits of the mean of independent values that lie between ``least`` and ``most``.

    Gaffke's (2005) bound at delta/2 on either side, by 100,000 draws. It is a quantile of the mean
    of the sorted values and the end of the range, weighted by the gaps between uniform numbers. For
    zeros and ones these are Clopper and Pearson's limits. Their coverage is conjectured
    (Learned-Miller & Thomas 2019), not proved.

    >>> [round(end, 1) for end in bounded_interval([1] * 8 + [0] * 2, 0, 1, 0.05)]
    [0.4, 1.0]
    """
    levels, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    rng = np.random.default_rng(0)

    def mean(end: float) -> Floats:
        return np.asarray(rng.dirichlet([*counts, 1], GAFFKE_DRAWS) @ np.array([*levels, end]))

    low, high = np.quantile(mean(least), delta / 2), np.quantile(mean(most), 1 - delta / 2)
    return float(low), float(high)
