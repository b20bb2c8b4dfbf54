"""The facts of a study that the report draws on, gathered once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sortal.labelings.labels import NOISE
from sortal.measures import Measure, catalogue
from sortal.measures.measure_map import grouped
from sortal.report._map import ObjectMap, embedded, object_map
from sortal.report._parts import LIMITS
from sortal.runtime.validation import NothingToRankError
from sortal.study.deciders import Decider, deciders
from sortal.text import telling_terms

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.datasets import Dataset
    from sortal.study import Answer, Study


@dataclass(frozen=True)
class Chosen:
    """The chosen clustering, and facts about its clusters."""

    study: Study
    answer: Answer

    @cached_property
    def feature_names(self) -> list[str]:
        """Names of the features; a bare number becomes "feature 3"."""
        names = [str(name) for name in self.embedded.feature_names]
        return [f"feature {name}" if name.isdigit() else name for name in names]

    @cached_property
    def embedded(self) -> Dataset:
        """The data with coordinates that fit the distance."""
        return embedded(self.study)

    @property
    def labels(self) -> NDArray[np.int64]:
        """Cluster of each object, -1 for outliers."""
        return np.asarray(self.answer.labels).astype(np.int64)

    @cached_property
    def names(self) -> list[str]:
        """Title of each cluster, by number: its given name, or characteristic terms."""
        names = list(self.short_names)
        named = [c for c in self.study.describe(self.answer.name) if c.named_by is not None]
        for cluster in named:
            names[cluster.cluster] += f": {cluster.name}"
        if not named and self.terms is not None:
            for number, words in self.terms.groupby("cluster")["term"]:
                names[int(str(number))] += f": {', '.join(map(str, words[:3]))}"
        return names

    @cached_property
    def short_names(self) -> list[str]:
        """Name of each cluster, by number."""
        return [str(name) for name in self.study.cluster_names(self.answer.name)]

    @cached_property
    def map(self) -> ObjectMap:
        """The map of the objects."""
        return object_map(self.study, self.labels)

    @cached_property
    def terms(self) -> pd.DataFrame | None:
        """Characteristic terms of the clusters of documents."""
        data = self.study.dataset
        if not data.of_documents:
            return None
        return telling_terms(data.X, self.labels, self.feature_names)

    @cached_property
    def clusters(self) -> list[int]:
        """The numbers of the clusters."""
        return [int(c) for c in np.unique(self.labels) if c != NOISE]


@dataclass(frozen=True)
class Facts:
    """Everything that the sections of the report draw on."""

    study: Study
    scores: pd.DataFrame
    reasons: Mapping[str, Mapping[str, str]]
    measures: tuple[Measure, ...]
    leading: tuple[Measure, ...]
    ranked: pd.DataFrame | None
    chosen: Chosen | None
    no_choice: str | None

    @property
    def decided_by(self) -> str:
        """``"consensus"`` or the key of the measure that decided."""
        return "consensus" if self.chosen is None else self.chosen.answer.decided_by

    @property
    def families(self) -> list[str]:
        """The families that voted; none where one measure decided."""
        if self.ranked is None or self.decided_by != "consensus":
            return []
        columns = list(map(str, self.ranked.columns))
        return columns[columns.index("votes") + 1 :]

    @property
    def choice(self) -> Chosen:
        """The chosen clustering; only for studies that have one."""
        assert self.chosen is not None
        return self.chosen

    @property
    def decider(self) -> Decider | None:
        """The decider, where it is not a measure of the catalogue."""
        decided = self.ranked is not None and self.decided_by in deciders
        return deciders[self.decided_by] if decided else None

    @cached_property
    def by_k(self) -> tuple[pd.DataFrame, tuple[Measure | Decider, ...]]:
        """Scores and measures to draw against k, the decider first."""
        if self.decider is None or self.ranked is None:
            return self.scores, self.measures
        score = self.ranked.set_index("partition")[self.decider.shown]
        values = self.scores["partition"].map(score).astype(float)
        if self.decider.unit == "guarantee":
            values = (values * 1000 - 1e-9).map(np.ceil) / 1000
        return self.scores.assign(**{self.decider.key: values}), (self.decider, *self.measures)

    @property
    def leading_by_k(self) -> tuple[Measure | Decider, ...]:
        """The measures whose curves are shown first."""
        return self.leading if self.decider is None else (self.decider, *self.leading)

    @cached_property
    def distinct(self) -> pd.DataFrame:
        """Scores of the distinct partitions, best first."""
        index = self.scores.index[:0] if self.ranked is None else self.ranked.index
        return self.scores.loc[index]


def gather(study: Study) -> Facts:
    """The facts of a study; where nothing can be ranked, they hold the reason."""
    scores = study.scores()
    reasons = study.reasons()
    measures = tuple(
        catalogue[column]
        for column in scores.columns
        if column in catalogue and scores[column].notna().any()
    )
    ranked, chosen, no_choice = None, None, None
    try:
        ranked, chosen = study.rank(), Chosen(study, study.best())
    except NothingToRankError as error:
        if scores.empty:
            raise
        no_choice = str(error)
    return Facts(
        study=study,
        scores=scores,
        reasons=reasons,
        measures=measures,
        leading=_leading(measures, chosen.answer.decided_by if chosen else None),
        ranked=ranked,
        chosen=chosen,
        no_choice=no_choice,
    )


def _leading(measures: Sequence[Measure], decided_by: str | None) -> tuple[Measure, ...]:
    """The measures shown first: the one that decided, then one of each family."""
    first = [m for m in measures if m.key == decided_by]
    voting = {m.key: m.family for m in measures if m.kind == "internal" and m.compares_k}
    home = {m.key: m.family for m in measures}
    home |= {key: name for name, keys in grouped(voting).items() for key in keys}
    seen = {home[m.key] for m in first}
    # of the measures that compare numbers of clusters: first those of the data alone
    for measure in sorted(measures, key=lambda m: m.kind == "external"):
        if measure.compares_k and home[measure.key] not in seen:
            seen.add(home[measure.key])
            first.append(measure)
    return tuple(first[: LIMITS.listed]) or tuple(measures[: LIMITS.listed])


def snippet(text: str, most: int = 280) -> str:
    r"""The beginning of a text on one line, cut between words.

    >>> snippet("One  two\nthree", 9)
    'One two …'
    """
    line = " ".join(text[: 8 * most].split())
    return line if len(line) <= most else line[:most].rpartition(" ")[0] + " …"
