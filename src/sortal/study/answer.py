"""The answer of a study: facts with their words and their model, and how it is made."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from sortal.model import assign_rows
from sortal.runtime.output import check_output
from sortal.runtime.validation import InputError
from sortal.study import wording
from sortal.study.decision import best_candidate, current_facts, evaluate_needed
from sortal.study.facts import AnswerFacts, plain
from sortal.study.fitted import fitted_of
from sortal.study.jobs import one_line
from sortal.study.perturbed import measure_steadiness
from sortal.study.stability import (
    candidate_stability,
    kept_assessment,
    sample_agreement,
    why_not,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pandas import DataFrame

    from sortal.datasets.partitioned.partitions import LabelFolder
    from sortal.model import AssignedRows, Assignment, Changes, Model
    from sortal.study.fitted import Fitted
    from sortal.study.state import StudyState
    from sortal.typing import ArrayLike

#: derived: version of the keys that :meth:`Answer.to_dict` gives
SCHEMA = 4


@dataclass(frozen=True, kw_only=True)
class Answer(AnswerFacts):
    """The clustering to use, and the facts about how good it is; None where one does not apply.

    Attributes
    ----------
    name, clusterer : str
        The candidate; ``study.labels(answer.name)`` are its labels.
    k, n_clusters : int
        The number of clusters asked for, where one was, and that it has, outliers not counted.
    labels : ndarray of int32, shape (n,)
        ``-1`` for outliers.
    sizes : tuple of int
        Objects of each cluster, the largest first.
    outliers, reached_by : int
        Objects that it excludes; candidates that are this clustering.
    decided_by : str
        ``"judge-7"``, ``"consensus"``, ``"guarantee"``, the key of a measure, ...
    score : float
        The value of the measure, the probability or the guarantee, where one of these decided. A
        judge has ``recovery`` instead, and a vote orders candidates and values none.
    tied : tuple of str
        Candidates that have the same score.
    tried, runner_up : CandidateCounts, Candidate
    own : tuple of OwnClustering
        The clusterings that the user supplied, the best first.
    judge : JudgedBy
    judge_skipped : {"graph", "objects", "equal", "candidates"}
        Why the judge did not decide where it would have: edges alone, too few or equal objects, no
        clustering of two clusters beside another.
    structure : Structure
        Whether the data have separate groups, groups that overlap, or are one cloud.
    recovery, near_best : Recovery, float
        How near it is to the groups that made the data, if groups made them; it does not depend on
        the other candidates. And the probability that no candidate is better by more than 0.05.
    splits : SplitFacts
        The groups that the data divide into, as a tree: each split with its probability, given
        those above it. The data and their distance alone make it. It decides how many clusters the
        answer has, if a candidate with as many fits it, and unless the groups overlap.
    numbers : tuple of Number
        How likely each number of groups is by this tree: that of the answer, then the most likely
        first. Empty where the answer has the one number that was asked for.
    number_range : tuple of int
        The shortest range of numbers with a probability of 80 %, that of the tree within it.
    level : tuple of LevelCandidate
        Candidates whose recovery differs by less than its error. Each has its agreement with the
        answer, and the clusters that it splits or joins.
    granularities : tuple of Granularity
        Clusterings that divide each other as the tree does, the answer among them, the coarsest
        first.
    open_above : int
        The largest number of clusters tried, where the tree has more groups.
    steadiness : Steadiness
        How well the answer comes back on 90 % of the rows.
    reference, reference_skipped : ReferenceClustering, {"asked", "graph", "objects", "equal"}
        What sortal finds itself, where all candidates were made elsewhere; why it did not look.
    average, contributions : float, tuple of Contribution
        The expectation without evidence, and what each kind of evidence adds, the greatest first.
    votes, measured, labelled, pairs : tuple of Family, Measured, LabelEvidence, PairEvidence
        What a vote, a measure, labels or known pairs said, where they decided.
    guarantee, by_clusters : Guarantee, Rate
        With some labels: the guarantee about the other objects, and the same if each cluster had
        one class.
    more_labels : MoreLabels
        What more labels would buy, and the rows to label next.
    silhouette : float
        Mean silhouette.
    sample, memberships, stability : Sample, Hardened, StabilityFacts
    stability_skipped : str
        Why it was not judged.
    notes, findings : tuple
        What was done to the data, and what looks wrong with them.
    data, noun, n_columns, source : str, str, int, str
        Their name, what an object is called, the number of columns or terms in use, and the file.
    n_rows : int
        Rows of the table, where the objects are a sample of them.
    fitted : Fitted
        The fit, from which its model is made.
    """

    fitted: Fitted | None = field(default=None, repr=False, compare=False)

    @property
    def model(self) -> Model:
        """The model that assigns further objects to the clusters; made on first access.

        Its ``extension_agreement`` says how far predictions agree with clustering the objects
        themselves: the clusterer is fitted five times more, to four fifths of (at most 5,000)
        objects.
        """
        return self._fit.model

    def predict(self, X: ArrayLike | Mapping[str, Any]) -> Assignment:
        """The clusters of further objects, with confidence, see :meth:`sortal.Model.predict`.

        Parameters
        ----------
        X : DataFrame, mapping, array-like, sparse, or list of str
            Rows as the data were before they were prepared; tables are matched by name.

        Returns
        -------
        Assignment
            ``labels``, ``names``, ``confidence``, ``unlike``, ``distances``; ``table`` is all.

        Examples
        --------
        >>> import sortal
        >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
        >>> study = sortal.Study(X).sweep(["average"], k=range(2, 5))
        >>> study.best().predict([[5.2], [70.0]]).table[["cluster", "unlike"]]
           cluster  unlike
        0        1   False
        1        2    True
        """
        return self.model.predict(X)

    @property
    def assignment(self) -> Assignment:
        """The objects of the data in their clusters, with confidence and distance to the centre.

        Nothing is predicted; the confidence is that from the other objects.
        """
        return self._fit.assignment

    def assign_all(self, folder: str | LabelFolder | None = None, **options: Any) -> AssignedRows:
        """All rows of the table that the data are a sample of, in the clusters of this answer.

        Parameters
        ----------
        folder : str or LabelFolder, optional
            Folder or address for the labels, a Parquet file for each part of the table.
        **options
            ``executor`` and ``progress``, see :func:`sortal.model.assign_rows`.

        Returns
        -------
        AssignedRows
            Sizes, sums and means that are exact over all rows, and the rows unlike all clusters.
        """
        dataset = self._fit.dataset
        if dataset.whole is None:
            raise InputError("the data are no sample of a table in parts: all objects have labels")
        id_column = dataset.options.get("id_column")
        return assign_rows(
            self.model, dataset.whole.partitions, folder, id_column=id_column, **options
        )

    @property
    def classes(self) -> DataFrame:
        """The class that the guarantee is about: a row for each object.

        Its columns:

        - ``class``: the label where there is one, otherwise a prediction
        - ``class_guaranteed``: least share of right predictions among the unlabelled objects of the
          class
        - ``confidence``: an estimate, no guarantee
        - ``labelled``, and ``label_next``: 1, 2, ... for the objects to label next

        ``answer.labels`` are clusters; the guarantee says nothing about them.
        """
        import numpy as np

        if self.guarantee is None or self.guarantee.refused:
            raise InputError(
                self.guarantee.sentence
                if self.guarantee is not None
                else "no class is known, so objects have clusters only; give y, None elsewhere"
            )
        table, more = self.guarantee.row_classes.table, self.more_labels
        place = np.full(len(table), np.nan)
        if more is not None:
            place[list(more.objects)] = np.arange(len(more.objects)) + 1
        table["label_next"] = place
        return table.astype({"label_next": "Int64"})

    def against(
        self, model: Model, X: ArrayLike | Mapping[str, Any] | None = None, **options: Any
    ) -> Changes:
        """Changes since an older model: clusters that came back, grew, split, vanished, or are new.

        Parameters
        ----------
        model : Model
            See :func:`sortal.load_model`.
        X : DataFrame, mapping, array-like, sparse, or list of str, optional
            The rows of this answer's data before they were prepared; of arrays those of the study.
        **options
            ``n_resamples`` and ``random_state`` of the reference.
        """
        return self._fit.against(model, X, **options)

    @property
    def _fit(self) -> Fitted:
        """The fit; InputError for an answer that no study made."""
        if self.fitted is None:
            raise InputError("this answer was not made by a study, so it has no model and no data")
        return self.fitted

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Store the model that assigns further objects, for :func:`sortal.load_model`.

        Parameters
        ----------
        path : path-like
            ``segments.sortal-model``, say; see :meth:`sortal.Model.save`.
        overwrite : bool, default False
            Replace a file that is there.
        """
        check_output(path, overwrite=overwrite, inputs=self._fit.dataset.inputs)
        self.model.save(path, overwrite=overwrite)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in words: the finding, then one sentence for each further fact."""
        return wording.sentences(self)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons behind the answer, which specialists read."""
        return wording.reasons(self)

    def to_dict(self) -> dict[str, Any]:
        """All facts but the labels, for JSON, with the sentences made of them.

        Returns
        -------
        dict
            ``schema`` is the version of its keys.
        """
        words = {"sentences": list(self.sentences), "reasons": list(self.reasons)}
        return {"schema": SCHEMA, **plain(self), **words}

    def __str__(self) -> str:
        return "\n".join((wording.data_line(self), *self.sentences))

    def _repr_html_(self) -> str:
        """The answer in a notebook."""
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(head)}</th>"
            f"<td style='text-align:left'>{escape(text)}</td></tr>"
            for head, text in wording.lines(self)
        )
        more = (*wording.findings(self.findings), *self.reasons)
        listed = "".join(f"<li>{escape(sentence)}</li>" for sentence in more)
        return (
            f"<p>{escape(wording.data_line(self))}<br>"
            f"<strong>{escape(wording.headline(self))}</strong></p><table>{rows}</table>"
            f"<details><summary>Why</summary><ul>{listed}</ul></details>"
        )


def best_answer(
    state: StudyState,
    *,
    stability: bool | None = None,
    second_sample: bool = True,
    executor: object = None,
    progress: bool | None = None,
) -> Answer:
    """The clustering to use, see :meth:`sortal.Study.best`."""
    evaluate_needed(state, executor=executor, progress=progress)
    name = best_candidate(state)
    if second_sample and state.storage.candidate(name)["fitted_on"] is not None:
        with suppress(InputError):  # the answer says why
            sample_agreement(state, name, executor=executor, progress=progress)
    skipped = None
    if stability is not False:
        measure_steadiness(state, name, many=bool(stability), executor=executor, progress=progress)
    if stability is not False and kept_assessment(state, name) is None:
        try:
            skipped = None if stability else why_not(state, name)
            if skipped is None:
                candidate_stability(state, name, executor=executor, progress=progress)
        except Exception as error:
            if stability:
                raise
            # a clusterer that fits all objects may fail on a part of them
            skipped = str(error) if isinstance(error, InputError) else one_line(error)
    facts = replace(current_facts(state), stability_skipped=skipped)
    return Answer(**vars(facts), fitted=fitted_of(state, name))
