"""Search for counterexamples to properties of measures, and their simplification."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.extension import Registry
from sortal.measures.properties import Case, Counterexample, Outcome, Verdict
from sortal.measures.properties import Property as Definition
from sortal_lab.axioms.cases import rotated, without_object
from sortal_lab.axioms.valuation import Valuation

if TYPE_CHECKING:
    from sortal.measures import Measure
    from sortal.typing import Floats, RandomState
    from sortal_lab.axioms.valuation import MeasureLike


#: differences below this share of the values are rounding
TOLERANCE = 1e-9
#: values below this are rounding where they should be 0
ZERO = 1e-12


def gain(before: Any, after: Any, sign: int = 1, *, tolerance: float = TOLERANCE) -> Any:
    """Gain of the second value, relative to the larger; 0 within rounding.

    Parameters
    ----------
    sign : {1, -1}
        1 where greater is better.
    tolerance : float
        What is taken for rounding, as a share of the larger value.

    Returns
    -------
    float or ndarray
        Positive where ``after`` is better, NaN where a value is.
    """
    before, after = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.maximum(np.abs(before), np.abs(after))
        change = np.where(before == after, 0.0, sign * (after - before))
        share = np.where(size > ZERO, change / np.where(size > 0, size, 1.0), 0.0)
        share = np.where(np.isinf(change), np.sign(change), share)
        share = np.where((np.abs(share) <= tolerance) | (np.abs(change) <= ZERO), 0.0, share)
        return np.where(np.isnan(before) | np.isnan(after), np.nan, share)


def unequal(before: Any, after: Any) -> Any:
    """Minus the share by which two values differ: a margin for "must be equal"."""
    return -np.abs(gain(before, after))


@dataclass(frozen=True)
class Trial:
    """Result of several cases.

    Attributes
    ----------
    n_cases : int
        Cases in which every value is defined.
    undefined : int
        Cases in which a value is undefined; they say nothing of the property.
    exhaustive_to : int, optional
        With this trial all cases of up to so many objects have been judged.
    case : Case, optional
        One that seems to break the property; the search judges it again, alone.
    open : str
        What should exist and was not found.
    """

    n_cases: int
    undefined: int = 0
    exhaustive_to: int | None = None
    case: Case | None = None
    open: str = ""


def _always(case: Case) -> bool:
    """The premise that holds for every case."""
    return True


def _everything(measure: Measure) -> str:
    """No reason why a measure is excluded."""
    return ""


@dataclass(frozen=True, kw_only=True)
class Property(Definition):
    """A property, and how counterexamples to it are found.

    Attributes
    ----------
    trials : callable
        ``trials(judge, rng)`` judges cases, the smallest first, and yields :class:`Trial`.
    margin : callable
        ``margin(values, case, sign)``: negative where the values of the case's situations break
        the property; where the property is strict, 0 breaks it too.
    strict : bool
    premise : callable
        ``premise(case)``: whether the property says anything of this case. What shrinking makes
        must still pass.
    applies : callable
        ``applies(measure)``: why it says nothing of a measure, or nothing.
    simpler : callable, optional
        ``simpler(case)`` gives smaller or rounder cases; by default one object less.
    """

    trials: Callable[[Valuation, np.random.Generator], Iterator[Trial]]
    margin: Callable[[Floats, Case, int], float]
    strict: bool = False
    premise: Callable[[Case], bool] = _always
    applies: Callable[[Measure], str] = _everything
    simpler: Callable[[Case], Iterator[Case]] = without_object

    def breaks(self, values: Floats, case: Case, sign: int) -> bool:
        """Whether these values of the case's situations break the property."""
        if np.isnan(values).any():
            return False
        margin = float(self.margin(values, case, sign))
        return margin <= 0 if self.strict else margin < 0


#: properties by key; other packages add theirs by the entry point ``sortal.properties``
PROPERTIES: Registry[Property] = Registry("property", "sortal.properties")


def search(property: Property, judge: Valuation, *, random_state: RandomState = 0) -> Verdict:
    """Seek a counterexample: all small cases, then random ones; the first is shrunk.

    Parameters
    ----------
    judge : Valuation
        Of the measure.

    Returns
    -------
    Verdict
        The same for the same seed.
    """
    measure = judge.measure
    key = (property.key, measure.key)
    if measure.kind != property.kind:
        return Verdict(*key, "not applicable", f"It is a property of {property.kind} measures.")
    if why := property.applies(measure):
        return Verdict(*key, "not applicable", f"{why[0].upper()}{why[1:]}.")
    rng = np.random.default_rng(random_state)
    count = _Count()
    for trial in property.trials(judge, rng):
        count.add(trial)
        if trial.case is not None and is_broken(property, judge, trial.case):
            example = shrink(property, judge, trial.case)
            count.example = example
            return count.verdict(property, key, judge)
        if trial.open:
            count.open = trial.open
            break
    return count.verdict(property, key, judge)


@dataclass
class _Count:
    """Counts of a search."""

    n_cases: int = 0
    undefined: int = 0
    exhaustive_to: int | None = None
    open: str = ""
    example: Counterexample | None = field(default=None)

    def add(self, trial: Trial) -> None:
        """Add the cases of a trial."""
        self.n_cases += trial.n_cases
        self.undefined += trial.undefined
        if trial.exhaustive_to is not None:
            self.exhaustive_to = trial.exhaustive_to

    def verdict(self, property: Property, key: tuple[str, str], judge: Valuation) -> Verdict:
        """Verdict for the cases seen."""
        aside = ""
        if self.undefined:
            why = judge.commonest_reason
            aside = f" In {self.undefined:,} more it is undefined{f' ({why})' if why else ''}."
        outcome: Outcome = "holds"
        reason = f"No counterexample in {self.n_cases:,} cases"
        if self.example is not None:
            outcome, reason = "violated", f"Counterexample of {self.example.case.n} objects"
        elif self.open:
            outcome, reason = "undecided", self.open
        elif self.n_cases == 0:
            outcome, reason = "undecided", "It had a value in no case"
        elif self.exhaustive_to is not None:
            reason += f", exhaustive to n = {self.exhaustive_to}"
            reason += f" over {property.scope}" if property.scope else ""
        return Verdict(
            *key,
            outcome,
            f"{reason}.{'' if outcome == 'violated' else aside}",
            self.n_cases,
            self.undefined,
            self.exhaustive_to,
            self.example,
        )


def is_broken(property: Property, judge: Valuation, case: Case) -> bool:
    """Whether the measure breaks the property in one case that the property speaks of.

    Points must break it after a rotation too: a distance may tie in one rounding and not in
    another.
    """

    def broken(seen: Case) -> bool:
        return property.breaks(judge.values(seen.situations), seen, judge.sign)

    return property.premise(case) and broken(case) and broken(rotated(case))


def shrink(property: Property, judge: Valuation, case: Case) -> Counterexample:
    """The counterexample from which nothing more can be taken, one step at a time."""
    smaller = True
    while smaller:
        smaller = False
        for simpler in property.simpler(case):
            if is_broken(property, judge, simpler):
                case, smaller = simpler, True
                break
    values = tuple(float(value) for value in judge.values(case.situations))
    return Counterexample(
        property.key, judge.measure.key, case, values, judge.measure.greater_is_better
    )


def replays(example: Counterexample, measure: MeasureLike | None = None) -> bool:
    """Whether a measure gives the values of a counterexample, and they break the property.

    Parameters
    ----------
    measure : str, Measure or callable, optional
        By default the one of the catalogue that it was found for.
    """
    judge = Valuation.of(
        example.measure if measure is None else measure,
        greater_is_better=example.greater_is_better,
    )
    values = judge.values(example.case.situations)
    same = np.allclose(values, example.values, rtol=1e-6, atol=1e-9)
    return bool(same) and PROPERTIES[example.property].breaks(values, example.case, judge.sign)
