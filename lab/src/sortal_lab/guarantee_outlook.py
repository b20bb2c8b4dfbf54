"""How often the realised bound lies in the interval of its forecast, on generated data.

Every draw is a population of 1,000 objects in three classes, four clusterings that err in a few to
a third of them, and a random order of labels. The bound is forecast at 40 labels for 80 and 140,
and computed there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sortal
from sortal.bounds import forecast_bounds, sample
from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal

DELTA, OBJECTS, PILOT, LATER, DRAWS = 0.1, 1_000, 40, (80, 140), 400
#: the forms of the guarantee, by their argument ``anytime``
FORMS = {"fixed number": False, "every number": True, "target of 15 %": 0.15}


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Forecast the bound, label on, and count where it comes to lie.

    ``samples``: draws of each form; 400 by default.
    """
    import pandas as pd

    draws = DRAWS if samples is None else samples
    journal = Journal(storage, f"random_state {random_state}")
    rows = []
    for form, anytime in FORMS.items():
        made = []
        for i in range(draws):
            row = journal.get((form, str(i)))
            if row is None:
                row = _draw(anytime, random_state + 7_919 * i)
                journal.put((form, str(i)), row)
            made.append(row)
        for labelled in LATER:
            inside, below = (
                float(np.mean([row[f"{where} at {labelled}"] for row in made]))
                for where in ("inside", "below")
            )
            rows.append({
                "form": form, "labels": labelled, "draws": draws, "inside": inside,
                "standard error": (inside * (1 - inside) / draws) ** 0.5,
                "below": below, "above": 1 - inside - below,
                "forecast": float(np.mean([row[f"forecast at {labelled}"] for row in made])),
                "bound": float(np.mean([row[f"bound at {labelled}"] for row in made])),
            })  # fmt: skip
        if progress is not None:
            progress(form)
    inside = float(np.mean([row["inside"] for row in rows]))
    return ExperimentResult(name, pd.DataFrame(rows), (
        f"Inside {inside:.2f} of the intervals, which are meant to hold 0.80.",
        f"{OBJECTS:,} objects, forecast from {PILOT} labels, delta = {DELTA}. 'inside', 'below', "
        "'above': where the realised bound lies to the interval; 'forecast', 'bound': means of the "
        "middle of the interval and of the realised bound.",
    ))  # fmt: skip


def _draw(anytime: bool | float, seed: int) -> dict[str, float]:
    """Where the bounds of one draw lie to their forecasts."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, OBJECTS)
    labelings = [
        np.where(rng.random(OBJECTS) < wrong, rng.integers(0, 3, OBJECTS), truth)
        for wrong in rng.uniform(0.03, 0.5, 4)
    ]
    order = sample(OBJECTS, max(LATER), random_state=rng)

    def guarantee_of(m: int) -> Any:
        y = np.full(OBJECTS, None, dtype=object)
        y[order[:m]] = truth[order[:m]]
        return sortal.guarantee(labelings, y, DELTA, anytime=anytime, order=order[:m])

    row: dict[str, float] = {}
    for forecast in forecast_bounds(guarantee_of(PILOT), LATER):
        rate = guarantee_of(forecast.labelled).bound_rate
        row |= {
            f"inside at {forecast.labelled}": float(forecast.low <= rate <= forecast.high),
            f"below at {forecast.labelled}": float(rate < forecast.low),
            f"forecast at {forecast.labelled}": forecast.rate,
            f"bound at {forecast.labelled}": rate,
        }
    return row
