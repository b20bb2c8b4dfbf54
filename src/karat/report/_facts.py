"""What the report is about, asked from the study once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import NOISE
from karat.measures import Measure, catalogue
from karat.measures.measure_map import grouped
from karat.report._map import ObjectMap, drawn, object_map
from karat.runtime.validation import InputError, NothingToRankError
from karat.study.deciders import Decider, deciders
from karat.study.samples import draw_rows
from karat.text import telling_terms

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.datasets import Dataset
    from karat.plot import FeatureProfile
    from karat.study import Answer, Study

MOST_LEADING = 12
# above this, silhouettes take long: they are then taken of a sample
MOST_SILHOUETTES = 20_000
SILHOUETTE_SAMPLE = 10_000


@dataclass(frozen=True)
class Chosen:
    """The clustering to use, and what can be said of its clusters."""

    study: Study
    answer: Answer

    @cached_property
    def feature_names(self) -> list[str]:
        """The features; a bare number is said to be one."""
        names = [str(name) for name in self.drawn.feature_names]
        return [f"feature {name}" if name.isdigit() else name for name in names]

    @cached_property
    def drawn(self) -> Dataset:
        """The data with coordinates that fit the distance."""
        return drawn(self.study)

    @property
    def labels(self) -> NDArray[np.int64]:
        """Cluster of each object, -1 for outliers."""
        return np.asarray(self.answer.labels).astype(np.int64)

    @cached_property
    def names(self) -> list[str]:
        """What each cluster is called, by number: as somebody named it, or by telling words."""
        names = list(self.short_names)
        given = [one for one in self.study.describe(self.answer.name) if one.named_by is not None]
        for one in given:
            names[one.cluster] += f": {one.name}"
        if not given and self.terms is not None:
            for cluster, words in self.terms.groupby("cluster")["term"]:
                names[int(str(cluster))] += f": {', '.join(map(str, words[:3]))}"
        return names

    @cached_property
    def short_names(self) -> list[str]:
        """What each cluster is called, by number."""
        return [str(name) for name in self.study.cluster_names(self.answer.name)]

    @property
    def noun(self) -> str:
        """What the objects are, for a reader: rows of a table, texts, or objects."""
        data = self.study.dataset
        if data.of_documents or data.texts is not None:
            return "texts"
        return "rows" if data.n_features else "objects"

    @cached_property
    def map(self) -> ObjectMap:
        """Where the objects are drawn."""
        return object_map(self.study, self.labels)

    @cached_property
    def terms(self) -> pd.DataFrame | None:
        """The terms that tell the clusters of documents apart."""
        data = self.study.dataset
        if not data.of_documents:
            return None
        return telling_terms(data.X, self.labels, self.feature_names)

    @cached_property
    def clusters(self) -> list[int]:
        """The numbers of the clusters."""
        return [int(c) for c in np.unique(self.labels) if c != NOISE]

    @cached_property
    def sampled(self) -> NDArray[np.intp]:
        """The objects whose silhouettes are taken: all, or a random sample of many."""
        n = len(self.labels)
        return draw_rows(n, n if n <= MOST_SILHOUETTES else SILHOUETTE_SAMPLE, 0)

    @cached_property
    def silhouettes(self) -> tuple[NDArray[np.float64] | None, str | None]:
        """Silhouette of each sampled object, or why there is none."""
        from karat.measures.internal.silhouette import silhouette_samples

        own, (X, metric) = self.labels[self.sampled], self.study.tried.objects.points
        given = isinstance(metric, str) and metric == "precomputed"
        X = X[np.ix_(self.sampled, self.sampled)] if given else X[self.sampled]
        try:
            values = silhouette_samples(X, own, metric=metric, noise="drop")
        except InputError as error:
            return None, str(error)
        return np.asarray(values, dtype=np.float64), None

    @cached_property
    def profile(self) -> FeatureProfile:
        """The clusters by their features."""
        from karat.plot import profile_features

        related = self.study.metric in ("precomputed", "graph")
        data = self.drawn if related else self.study.dataset
        return profile_features(
            data.X,
            self.labels,
            feature_names=self.feature_names,
            center=data.center,
            scale=data.scale,
        )


@dataclass(frozen=True)
class Facts:
    """All that the sections of the report draw on."""

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
        """The families that voted: columns of the ranking; none where one measure decided."""
        if self.ranked is None or self.decided_by != "consensus":
            return []
        columns = list(map(str, self.ranked.columns))
        return columns[columns.index("votes") + 1 :]

    @property
    def choice(self) -> Chosen:
        """The choice, where there is one."""
        assert self.chosen is not None
        return self.chosen

    @property
    def decider(self) -> Decider | None:
        """What decided, where it is not a measure of the catalogue."""
        known = self.ranked is not None and self.decided_by in deciders
        return deciders[self.decided_by] if known else None

    @cached_property
    def by_k(self) -> tuple[pd.DataFrame, tuple[Measure | Decider, ...]]:
        """Scores and measures to draw against k, what decided before all."""
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
    def table(self) -> dict[str, Any]:
        """What the script of the page reads."""
        from karat.report._tables import table_payload

        return table_payload(self)

    @cached_property
    def distinct(self) -> pd.DataFrame:
        """Scores of the distinct partitions, best first."""
        index = self.scores.index[:0] if self.ranked is None else self.ranked.index
        return self.scores.loc[index]


def gather(study: Study) -> Facts:
    """Ask the study; what cannot be ranked is told, not raised, unless nothing was tried."""
    scores = study.scores()
    reasons = study.reasons()
    measures = tuple(
        catalogue[column]
        for column in scores.columns
        if column in catalogue and scores[column].notna().any()
    )
    try:
        ranked, answer = study.rank(), study.best()
    except NothingToRankError as error:
        if scores.empty:
            raise
        leading = _leading(measures, None)
        return Facts(study, scores, reasons, measures, leading, None, None, str(error))
    leading, chosen = _leading(measures, answer.decided_by), Chosen(study, answer)
    return Facts(study, scores, reasons, measures, leading, ranked, chosen, None)


def _leading(measures: Sequence[Measure], decided_by: Any) -> tuple[Measure, ...]:
    """The measures shown first: what decided, then one of each family."""
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
    return tuple(first[:MOST_LEADING]) or tuple(measures[:MOST_LEADING])


def snippet(text: str, most: int = 280) -> str:
    r"""The beginning of a text on one line, cut between words.

    >>> snippet("One  two\nthree", 9)
    'One two …'
    """
    line = " ".join(text[: 8 * most].split())
    return line if len(line) <= most else line[:most].rpartition(" ")[0] + " …"
