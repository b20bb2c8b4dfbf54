"""The evidence of a study's clusterings, and what the learned judge makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.distances import RELATIONS
from karat.judge import FEWEST_OBJECTS
from karat.judge.judgements import set_back
from karat.judge.label_likelihood import TEMPERATURE, prior
from karat.labelings.partitions import canonical_codes
from karat.study import large, work
from karat.study.answer import Contribution, Expected, JudgedBy
from karat.study.large import draw_sample, part_of
from karat.study.notes import derived
from karat.study.store import partition_hash
from karat.study.sweeping import Request

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.judge import Evidence, Judge, Judgement
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
#: of fewer the answer says that they are few, and karat looks beside them
FEWEST_CANDIDATES = 3


class Company(NamedTuple):
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
    fitting, _ = fits.under_distance(asked.chosen)
    jobs = [job for one in fitting for job in work.jobs_for(one, asked.candidates_of(one, seed))]
    data, metric = study.objects.points
    drawn = work.derived_seed(seed, "reference")
    sample = draw_sample(data, FIT_AT_MOST, metric=metric, random_state=drawn)
    whole = len(sample) == study.n_objects
    outcomes = fits.outcomes(jobs) if whole else fits.on_sample(jobs, sample)
    found: dict[str, Company] = {}
    for one in (one for group in outcomes for one in group):
        if one.labels is None:
            continue
        codes = canonical_codes(one.labels if whole else sample.extend(one.labels))
        if codes.max() >= 1:
            found.setdefault(partition_hash(codes), Company(one.name, codes))
    return found


@dataclass(frozen=True)
class Judged:
    """What the judge said of a study's distinct clusterings."""

    judge: Judge
    #: in the order of ``names``; its shares sum to 1 over these
    judgement: Judgement
    evidence: Evidence
    names: tuple[str, ...]
    #: how many of the objects the evidence is of, if not of all
    weighed: int | None
    #: the shares of all that was compared, by number of clusters, the greatest first
    numbers: dict[int, float]
    #: what karat found itself where nothing was swept, the best first; some of it may be what was
    #: added, too
    company: tuple[tuple[Company, Expected], ...] = ()
    #: log-likelihood of the pairs of objects that are known to be together, or apart
    pairs: NDArray[np.float64] | float = 0.0

    @property
    def lead(self) -> NDArray[np.float64]:
        """Log of the prior, up to a constant; none for all but a few objects against these."""
        return set_back(self.judgement.predicted, self.evidence) / TEMPERATURE + self.pairs

    @property
    def prior(self) -> NDArray[np.float64]:
        """Shares that sum to 1: the judge's, after what is known of pairs of objects."""
        return prior(TEMPERATURE * self.lead)

    @property
    def judged_by(self) -> JudgedBy:
        """Who judged, for an answer."""
        return JudgedBy(self.judge.version, self.judge.digest, self.weighed)

    def expected(self, name: str) -> Expected:
        """Predicted agreement of a clustering with experts, and its interval."""
        return _expected(self.judgement, self.names.index(name))

    def contributions(self, name: str) -> tuple[Contribution, ...]:
        """What each kind of evidence added to the prediction, the greatest first."""
        i = self.names.index(name)
        parts = [
            Contribution(k, float(part[i])) for k, part in self.judgement.contributions.items()
        ]
        return tuple(sorted(parts, key=lambda part: -abs(part.value)))


def judged(study: Study, distinct: pd.DataFrame) -> Judged | None:
    """Judge the clusterings with two clusters or more; None where there is too little to see."""
    usable = distinct[(distinct["n_clusters"] > 1).to_numpy(dtype=bool)]
    if why_not(study) is not None or usable.empty:
        return None
    others = _company(study, usable)
    seen = _gathered(study, usable, others)
    if seen is None:
        return None
    evidence, usable, others, codes = seen
    judge, m = study.judge, len(usable)
    said = judge(evidence)
    mine = evidence.take(np.arange(m))
    own = led_by_the_best(judge(mine) if others else said)
    k = np.array([*usable["n_clusters"], *(one.codes.max() + 1 for one in others)], dtype=int)
    numbers = {int(one): float(said.probability[k == one].sum()) for one in np.unique(k)}
    names = tuple(map(str, usable.index))
    place = dict(zip(usable["partition"], range(m), strict=True))
    both = company(study).items() if others else ()
    also = [(one, place[key]) for key, one in both if key in place]
    also += [(one, m + i) for i, one in enumerate(others)]
    also.sort(key=lambda one: -said.score[one[1]])
    return Judged(
        judge,
        own,
        mine,
        names,
        codes.shape[1] if codes.shape[1] < study.n_objects else None,
        dict(sorted(numbers.items(), key=lambda one: -one[1])),
        tuple((one, _expected(said, i)) for one, i in also),
    )


def with_pairs(study: Study, found: Judged | None) -> Judged | None:
    """The same, with how likely the known pairs are by each candidate."""
    from karat.judge.label_likelihood import pairs_log_likelihood
    from karat.study.constraints import constraints_of

    known = constraints_of(study)
    if known is None or found is None:
        return found
    codes = np.stack([study.labels(name) for name in found.names])
    return replace(found, pairs=pairs_log_likelihood(codes, known))


def led_by_the_best(said: Judgement) -> Judgement:
    """The same, nobody expected to be better than the one that the judge puts first."""
    first = int(np.argmax(said.score))
    # behind it by a hair, in the order of the scores: they are no ties
    most = said.predicted[first] - 1e-6 * (said.score[first] - said.score)
    lower = np.maximum(said.predicted - most, 0.0)
    return replace(
        said,
        predicted=said.predicted - lower,
        low=np.maximum(said.low - lower, -0.1),
        high=said.high - lower,
    )


def why_not(study: Study) -> str | None:
    """Why the judge cannot see enough of the data; None where it can."""
    if study.metric == "graph":
        return "graph"
    if study.n_objects < FEWEST_OBJECTS:
        return "objects"
    said = study.objects.structure
    return "equal" if said is not None and said.probability == 0 else None


def _company(study: Study, usable: pd.DataFrame) -> list[Company]:
    """What karat found itself beside what was made elsewhere, or beside too few."""
    few = len(usable) < FEWEST_CANDIDATES or not study.record.sweeps
    if not study.settings.reference or not few:
        return []
    there = set(usable["partition"])
    return [one for key, one in company(study).items() if key not in there]


def _gathered(
    study: Study, usable: pd.DataFrame, others: list[Company]
) -> tuple[Evidence, pd.DataFrame, list[Company], NDArray[np.int32]] | None:
    """The evidence of the clusterings and of their company, those that it is of, their labels."""
    from karat.judge import gather

    given = [study.labels(str(name)) for name in usable.index]
    codes = np.stack([*given, *(one.codes for one in others)])
    X, metric = study.objects.points
    if study.n_objects > large.WEIGH_AT_MOST and not study.settings.exact:
        # evidence is weighed on the objects that clusterers which do not scale are fitted to
        rows = study.objects.sample_rows
        X, codes = part_of(X, rows, metric), codes[:, rows]
        kept = np.array([len(np.unique(row[row >= 0])) > 1 for row in codes])
        m = len(usable)
        usable, others = usable[kept[:m]], list(compress(others, kept[m:]))
        if usable.empty:
            return None
        codes = np.stack([canonical_codes(row) for row in codes[kept]])
    return gather(X, codes, metric=metric), usable, others, codes


def _expected(said: Judgement, i: int) -> Expected:
    return Expected(float(said.predicted[i]), float(said.low[i]), float(said.high[i]))


def judged_shares(study: Study) -> dict[str, float] | None:
    """Shares of the distinct partitions by what the judge said; None where it said nothing."""
    found = study.judged()
    if found is None:
        return None
    # what is left of 1 is for clusterings of one cluster, which the judge does not see
    part = found.prior * (1 - 1e-6)
    partitions = study.candidates.loc[list(found.names), "partition"]
    return dict(zip(map(str, partitions), part.tolist(), strict=True))


def most_probable(study: Study, inputs: dict[str, Any]) -> Callable[[Any, Any], int]:
    """What chooses a candidate from some labels: the judge as prior, as where all labels do."""
    from karat.judge.label_likelihood import log_likelihood

    found = study.judged()
    assert found is not None
    candidates = list(inputs["labelings"])
    rows = [candidates.index(name) for name in found.names]
    codes = np.stack([study.labels(name) for name in found.names])
    lead = found.lead

    def chooser(labelled: Any, classes: Any) -> int:
        return rows[int(np.argmax(log_likelihood(codes[:, labelled], classes) + lead))]

    return chooser
