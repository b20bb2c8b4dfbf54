"""What further labels would buy: a forecast, not a guarantee."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds._bound import PacMdlBound
from karat.bounds._forecast import plan_of, rate_of
from karat.bounds._guarantee import Guarantee
from karat.bounds._supervised import supervised_yardstick
from karat.bounds._words import percent_up
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class LabelAdvice:
    """What labels buy, if the share of errors stays what it is.

    Attributes
    ----------
    curve : DataFrame
        By the number of labels: ``bound``, the bound that is expected, and ``low`` and ``high``,
        if the true share of errors is one standard error lower or higher than seen.
    floor : float
        The error rate as estimated from the labels: no number of labels brings the bound below.
    standard_error : float
    classifier : str or None
        The classifier that guarantees most from the same labels, where the data were given.
    classifier_bound : float or None
    advice : tuple of str
        Sentences.
    """

    curve: pd.DataFrame
    floor: float
    standard_error: float
    classifier: str | None = None
    classifier_bound: float | None = None
    advice: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return " ".join(self.advice)


def advise(
    found: Guarantee | PacMdlBound,
    X: Any = None,
    y_few: Any = None,
    *,
    sizes: Any = None,
    random_state: Any = 0,
) -> LabelAdvice:
    """What more labels would buy, whether a classifier serves better, and what is out of reach.

    Parameters
    ----------
    found : Guarantee or PacMdlBound
        What a pilot of labels guarantees.
    X : array-like or sparse, shape (n, d), optional
        The data, to compare with classifiers that are trained on half of the same labels.
    y_few : array-like, shape (n,), optional
        The pilot's labels; with X.
    sizes : iterable of int, optional
        Numbers of labels, the pilot's among them; by default its own and 1.5, 2, 4 and 8 times it,
        as far as there are objects.
    random_state : int, Generator or None
        Seed of the classifiers' halves.

    Returns
    -------
    LabelAdvice
        It prints as a few sentences.

    Raises
    ------
    InputError
        If nothing is labelled, a size is not between 1 and the number of objects, or only one of
        X and y_few is given.

    See Also
    --------
    karat.bounds.forecast_labels : How many labels a target takes.

    Notes
    -----
    The bound is computed for each size with the errors that the rate seen would make. The choice
    of the clustering is taken as it is; with more labels a better one may be found, so the curve
    tends to be too high. O(sizes · log n) bounds of the tail.

    Examples
    --------
    >>> import karat
    >>> y = [None] * 2000
    >>> for i in karat.bounds.sample(2000, 60, random_state=0): y[i] = i < 900
    >>> print(karat.bounds.advise(karat.guarantee([0] * 1000 + [1] * 1000, y)))
    Forecast (no guarantee): with 60 labels at most 16.8 % wrong, with 90 14.4 %, with 120 13.1 %,
    with 240 11.0 %, with 480 9.8 %. However many are labelled, hardly below 8.1 ± 3.4 %.
    """
    import pandas as pd

    if (X is None) != (y_few is None):
        raise InputError("to compare with classifiers, give both X and y_few")
    if found.m == 0:
        raise InputError("nothing is labelled, so there is nothing to forecast from")
    plan, total = plan_of(found), found.m + found.n
    if sizes is None:
        sizes = [s for s in (found.m, *(int(found.m * g) for g in (1.5, 2, 4, 8))) if s < total]
    m = np.array(sorted({int(size) for size in sizes} or {found.m}), dtype=np.int64)
    if m[0] < 1 or m[-1] > total:
        raise InputError(f"sizes must be between 1 and the {total:,} objects; got {m.tolist()}")
    floor, error = rate_of(plan)
    seen = plan.errors / plan.tested if plan.tested else floor
    curve = pd.DataFrame(
        {
            "bound": plan.rates(m, seen),
            "low": plan.rates(m, max(0.0, seen - error)),
            "high": plan.rates(m, min(1.0, seen + error)),
        },
        index=pd.Index(m, name="labels"),
    )
    first, *rest = (f"{size:,} {percent_up(rate)}" for size, rate in curve["bound"].items())
    start = first.replace(" ", " labels at most ", 1).replace(" %", " % wrong")
    sentences = [
        f"Forecast (no guarantee): with {start}{''.join(f', with {one}' for one in rest)}. However "
        f"many are labelled, hardly below {100 * floor:.1f} ± {100 * error:.1f} %."
    ]
    if floor >= found.constant_bound_rate - error:
        sentences.append(
            "That is hardly less than always guessing the largest class errs: a useful guarantee "
            "is out of reach for these clusterings; try others."
        )
    name, rate = None, None
    if X is not None and found.m >= 4:
        table = supervised_yardstick(X, y_few, found.delta, random_state=random_state)
        name = str(table["bound_rate"].astype(float).idxmin())
        rate = float(table["bound_rate"].min())
        wins = rate < found.bound_rate
        sentences.append(
            f"A classifier ({name.replace('-', ' ')}) trained on half of the same labels "
            f"guarantees {'more' if wins else 'no more'}: at most {percent_up(rate)} wrong"
            + (". To predict the classes, use that; to see the structure, the clustering."
               if wins else ".")
        )  # fmt: skip
    return LabelAdvice(curve, floor, error, name, rate, tuple(sentences))
