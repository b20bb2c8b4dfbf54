"""karat's own sweep of bounded size, beside clusterings that were made elsewhere.

They are company for the judge, which compares, and tell what else the data have; none of them is a
candidate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.distances import RELATIONS
from karat.labelings.partitions import canonical_codes
from karat.study import work
from karat.study.derived import derived
from karat.study.large import draw_sample
from karat.study.store import partition_hash
from karat.study.sweeping import Request

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.study.study import Study

#: of the usual clusterers those that take about a second together
QUICK = (
    "kmeans", "ward", "average", "genie", "gaussian-mixture", "hdbscan-filled", "kmedoids",
    "spherical-kmeans-refined", "kl-kmeans",
)  # fmt: skip
#: and those of these only up to so many features
FEW_FEATURES = {"gaussian-mixture": 50, "hdbscan-filled": 50}
NUMBERS = range(2, 11)
#: they are fitted to so many objects at most, and extended to the others
FIT_AT_MOST = 2_000


@dataclass(frozen=True)
class Company:
    """One of these clusterings: what it is called, and its labels."""

    name: str
    codes: NDArray[np.int32]


@derived(without=("by", "judge", "scores", "notes"))
def company(study: Study) -> dict[str, Company]:
    """The distinct clusterings with two clusters or more, by the hash of their partition.

    They follow from the data, their distance and the seed alone.
    """
    seed, fits = study.settings.random_state, study.fits
    d = 1 if study.metric in RELATIONS else study.X.shape[1]
    names = [
        name for name in fits.default_clusterers if name in QUICK and d <= FEW_FEATURES.get(name, d)
    ]
    asked = Request.checked(names, NUMBERS, None, 1)
    fitting, _ = fits.under_distance(asked.chosen, asked.grid)
    jobs = [job for one in fitting for job in work.jobs_for(one, asked.candidates_of(one, seed))]
    data, metric = study.objects.points
    drawn = work.derived_seed(seed, "reference")
    sample = draw_sample(data, FIT_AT_MOST, metric=metric, random_state=drawn)
    options: dict[str, Any] = {"workers": 1, "executor": None, "deadline": math.inf}
    whole = len(sample) == study.n_objects
    outcomes = fits.outcomes(jobs, **options) if whole else fits.on_sample(jobs, sample, **options)
    found: dict[str, Company] = {}
    for one in (one for group in outcomes for one in group):
        if one.labels is None:
            continue
        codes = canonical_codes(one.labels if whole else sample.extend(one.labels))
        if codes.max() >= 1:
            found.setdefault(partition_hash(codes), Company(one.name, codes))
    return found
