"""The evidence of a study's clusterings, and what the learned judge makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge.labelled import TEMPERATURE
from karat.judge.learned import set_back
from karat.labelings.partitions import canonical_codes
from karat.study import large
from karat.study.answer import Contribution, Expected
from karat.study.large import part_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.judge import Evidence, Judge, Judgement
    from karat.study.study import Study

#: of fewer the answer says that they are few; the judge itself takes one
FEWEST_CANDIDATES = 3


@dataclass(frozen=True)
class Judged:
    """What the judge said of a study's distinct clusterings.

    Attributes
    ----------
    judge : Judge
    judgement : Judgement
        In the order of ``names``.
    evidence : Evidence
    names : tuple of str
    shortlist : tuple of (str, str)
        Really different clusterings, the best first, and what each is good for: a key of
        :data:`karat.study.wording.GOOD_FOR`.
    weighed : int or None
        How many of the objects the evidence is of, if not of all.
    """

    judge: Judge
    judgement: Judgement
    evidence: Evidence
    names: tuple[str, ...]
    shortlist: tuple[tuple[str, str], ...]
    weighed: int | None

    @property
    def lead(self) -> NDArray[np.float64]:
        """Log of the prior, up to a constant; none for all but a few objects against these."""
        return set_back(self.judgement.predicted, self.evidence) / TEMPERATURE

    def expected(self, name: str) -> Expected:
        """Predicted agreement of a clustering with experts, and its interval."""
        i, said = self.names.index(name), self.judgement
        return Expected(float(said.predicted[i]), float(said.low[i]), float(said.high[i]))

    def contributions(self, name: str) -> tuple[Contribution, ...]:
        """What each kind of evidence added to the prediction, the greatest first."""
        i = self.names.index(name)
        parts = [
            Contribution(k, float(part[i])) for k, part in self.judgement.contributions.items()
        ]
        return tuple(sorted(parts, key=lambda part: -abs(part.value)))


def judged(study: Study, distinct: pd.DataFrame) -> Judged | None:
    """Judge the clusterings with two clusters or more; None where there is too little to see."""
    from karat.judge import gather
    from karat.judge.features import FEWEST_OBJECTS
    from karat.judge.learned import good_for, shortlist

    usable = distinct[(distinct["n_clusters"] > 1).to_numpy(dtype=bool)]
    too_few = study.n_objects < FEWEST_OBJECTS or len(usable) < FEWEST_CANDIDATES
    if too_few or study.metric == "graph":
        return None
    codes = np.stack([study.labels(str(name)) for name in usable.index])
    X, metric = study.objects.points
    sampled = _weighs_sample(study)
    if sampled:
        # evidence is weighed on the objects that clusterers which do not scale are fitted to
        X, codes = (
            part_of(X, study.objects.sample_rows, metric),
            codes[:, study.objects.sample_rows],
        )
        kept = np.array([len(np.unique(row[row >= 0])) > 1 for row in codes])
        usable, codes = usable[kept], codes[kept]
        if usable.empty:
            return None
        codes = np.stack([canonical_codes(row) for row in codes])
    evidence = gather(X, codes, metric=metric)
    judge = study.judge
    said = judge(evidence)
    names = tuple(map(str, usable.index))
    places = shortlist(evidence.agreement, said.score)
    short = tuple((names[i], good_for(evidence, i, places)) for i in places)
    if not said.has_structure:
        # what a kind of structure is good for means nothing where none was found
        short = tuple((names[i], "parts") for i in places)
    n_weighed = len(study.objects.sample_rows) if sampled else None
    return Judged(judge, said, evidence, names, short, n_weighed)


def _weighs_sample(study: Study) -> bool:
    return study.n_objects > large.WEIGH_AT_MOST and not study.settings.exact


def judged_shares(study: Study) -> dict[str, float] | None:
    """Shares of the distinct partitions by what the judge said; None where it said nothing."""
    found = study.judged()
    if found is None:
        return None
    # what is left of 1 is for clusterings of one cluster, which the judge does not see
    part = found.judgement.prior * (1 - 1e-6)
    partitions = study.candidates.loc[list(found.names), "partition"]
    return dict(zip(map(str, partitions), part.tolist(), strict=True))


def most_probable(study: Study, inputs: dict[str, Any]) -> Callable[[Any, Any], int]:
    """What chooses a candidate from some labels: the judge as prior, as where all labels do."""
    from karat.judge.labelled import log_likelihood

    found = study.judged()
    assert found is not None
    candidates = list(inputs["labelings"])
    rows = [candidates.index(name) for name in found.names]
    codes = np.stack([study.labels(name) for name in found.names])
    lead = found.lead

    def chooser(labelled: Any, classes: Any) -> int:
        return rows[int(np.argmax(log_likelihood(codes[:, labelled], classes) + lead))]

    return chooser
