"""The evidence of a study's clusterings, and what the learned judge makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge import FEWEST_OBJECTS
from karat.labelings.partitions import canonical_codes
from karat.study import large
from karat.study.answer import Contribution, Expected
from karat.study.large import part_of
from karat.study.reference import Company, company
from karat.study.scoring import found_by

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.judge import Evidence, Judge, Judgement
    from karat.study.study import Study

#: it compares candidates with one another; of two it chose no better than the consensus
FEWEST_CANDIDATES = 3
#: by how much the expected lead of a partition over the average one may err
UNSURE = 0.1


@dataclass(frozen=True)
class Judged:
    """What the judge said of a study's distinct clusterings.

    Attributes
    ----------
    judge : Judge
    judgement : Judgement
        In the order of ``names``; its shares sum to 1 over these.
    evidence : Evidence
    names : tuple of str
    shortlist : tuple of (str, str)
        Really different clusterings, the best first, and what each is good for: a key of
        :data:`karat.study.wording.GOOD_FOR`.
    weighed : int or None
        How many of the objects the evidence is of, if not of all.
    numbers : dict of int to float
        The shares of all that was compared, by number of clusters, the greatest first.
    company : tuple of (Company, Expected)
        What karat found itself where nothing was swept, the best first; some of it may be what was
        added, too.
    """

    judge: Judge
    judgement: Judgement
    evidence: Evidence
    names: tuple[str, ...]
    shortlist: tuple[tuple[str, str], ...]
    weighed: int | None
    numbers: dict[int, float]
    company: tuple[tuple[Company, Expected], ...] = ()

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


def judged(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Judged | None:
    """Judge the clusterings with two clusters or more; None where there is too little to see."""
    from karat.judge.learned import good_for, shortlist

    usable = distinct[(distinct["n_clusters"] > 1).to_numpy(dtype=bool)]
    if why_not(study) is not None or usable.empty:
        return None
    others = _company(study, usable)
    if len(usable) + len(others) < FEWEST_CANDIDATES:
        return None
    seen = _gathered(study, usable, others, values)
    if seen is None:
        return None
    evidence, usable, others, codes = seen
    judge, m = study.judge, len(usable)
    said = judge(evidence)
    own = _of_first(said, m)
    shares = shares_of(said)
    k = np.array([*usable["n_clusters"], *(one.codes.max() + 1 for one in others)], dtype=int)
    numbers = {int(one): float(shares[k == one].sum()) for one in np.unique(k)}
    names = tuple(map(str, usable.index))
    places = shortlist(evidence.agreement[:m, :m], own.score)
    # what a kind of structure is good for means nothing where none was found
    use = [good_for(evidence, i, places) if said.has_structure else "parts" for i in places]
    mine = dict(zip(usable["partition"], range(m), strict=True))
    both = company(study).items() if others else ()
    also = [(one, mine[key]) for key, one in both if key in mine]
    also += [(one, m + i) for i, one in enumerate(others)]
    also.sort(key=lambda one: -said.score[one[1]])
    return Judged(
        judge,
        own,
        evidence.take(np.arange(m), evidence.clusterers[:m]),
        names,
        tuple((names[i], one) for i, one in zip(places, use, strict=True)),
        codes.shape[1] if codes.shape[1] < study.n_objects else None,
        dict(sorted(numbers.items(), key=lambda one: -one[1])),
        tuple((one, _expected(said, i)) for one, i in also),
    )


def shares_of(said: Judgement) -> NDArray[np.float64]:
    """How likely each partition is the right one; the prior is made flat for a few labels."""
    if hasattr(said, "probability"):
        return np.asarray(said.probability)
    weights = np.exp((said.ahead - said.ahead.max()) / UNSURE)
    return np.asarray(weights / weights.sum())


def why_not(study: Study) -> str | None:
    """Why the judge cannot see enough of the data; None where it can."""
    if study.metric == "graph":
        return "graph"
    return "objects" if study.n_objects < FEWEST_OBJECTS else None


def _company(study: Study, usable: pd.DataFrame) -> list[Company]:
    """What karat found itself beside what was made elsewhere, or beside too few."""
    few = len(usable) < FEWEST_CANDIDATES or not study.record.sweeps
    if not study.settings.reference or not few:
        return []
    there = set(usable["partition"])
    return [one for key, one in company(study).items() if key not in there]


def _gathered(
    study: Study, usable: pd.DataFrame, others: list[Company], values: pd.DataFrame
) -> tuple[Evidence, pd.DataFrame, list[Company], NDArray[np.int32]] | None:
    """The evidence of the clusterings and of their company, those that it is of, their labels."""
    from karat.judge import gather

    by = found_by(study)
    if others:
        by = {p: names | _finders(study, p) for p, names in by.items()}
    clusterers = [by[partition] for partition in usable["partition"]]
    clusterers += [one.clusterers for one in others]
    given_labels = [study.labels(str(name)) for name in usable.index]
    codes = np.stack([*given_labels, *(one.codes for one in others)])
    given = {}
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
        clusterers = list(compress(clusterers, kept))
    elif study.settings.noise == "drop" and not others:
        table = values.loc[usable.index]
        given = {str(key): table[key].to_numpy(dtype=np.float64) for key in table}
    return gather(X, codes, clusterers, metric=metric, measures=given), usable, others, codes


def _finders(study: Study, partition: str) -> frozenset[str]:
    """Which of karat's own clusterers find a partition, too."""
    found = company(study).get(partition)
    return frozenset() if found is None else found.clusterers


def _of_first(said: Judgement, m: int) -> Judgement:
    """What is said of the first m partitions, their shares among themselves."""
    own: dict[str, Any] = {
        one.name: value[:m]
        for one in fields(said)
        if isinstance(value := getattr(said, one.name), np.ndarray)
    }
    for name in {"prior", "probability"} & {*own}:
        own[name] = own[name] / own[name].sum()
    parts = {kind: values[:m] for kind, values in said.contributions.items()}
    return replace(said, contributions=parts, **own)


def _expected(said: Judgement, i: int) -> Expected:
    return Expected(float(said.predicted[i]), float(said.low[i]), float(said.high[i]))


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
    lead = found.judgement.ahead / found.judge.prior_temperature

    def chooser(labelled: Any, classes: Any) -> int:
        return rows[int(np.argmax(log_likelihood(codes[:, labelled], classes) + lead))]

    return chooser
