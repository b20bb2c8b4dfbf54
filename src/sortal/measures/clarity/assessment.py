"""Clarity of many clusterings: can the clusters be learned, and which of them?"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.labelings.partitions import Labelings, as_labelings, canonical_codes
from sortal.measures.clarity._task import LeaveOneOut, PredictionTask, check_cv, stratified_folds
from sortal.measures.clarity.classifiers import Classifier, as_classifiers
from sortal.measures.clarity.scores import Baseline, Recognition, standard_error
from sortal.runtime.validation import InputError, check_data, check_random_state
from sortal.typing import Rows

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.runtime.executors import Workers
    from sortal.typing import ArrayLike, Bools, Floats, Metric, RandomState


@dataclass(frozen=True)
class Clarity:
    """Cross-validated predictions of M clusterings.

    Attributes
    ----------
    labelings : Labelings
        The clusterings.
    classifiers : tuple of str
        Names of the classifiers.
    predictions : ndarray of int32, shape (F, M, n)
        Code of the predicted cluster of each object, by a classifier trained without it; -1
        for excluded objects.
    folds : ndarray of int32, shape (M, n), or None
        The fold of each object, -1 for excluded objects; None for leave-one-out.
    """

    labelings: Labelings
    classifiers: tuple[str, ...]
    predictions: NDArray[np.int32]
    folds: NDArray[np.int32] | None

    def recognition(self, m: int, classifier: int) -> Recognition:
        """Recognised objects of clustering ``m`` by one classifier."""
        k = int(self.labelings.n_clusters[m])
        return Recognition.of_codes(self.labelings.codes[m], self.predictions[classifier, m], k)

    def best_classifier(self, m: int) -> int:
        """Index of the classifier with the largest AI on clustering ``m``."""
        information = [
            self.recognition(m, f).average_information for f in range(len(self.classifiers))
        ]
        return int(np.argmax(information))

    def _best(self, m: str | int) -> tuple[Any, NDArray[np.int32], NDArray[np.int32]]:
        """Names of the clusters, codes, and predictions of the best classifier."""
        if isinstance(m, str):
            if m not in self.labelings.names:
                raise InputError(
                    f"no clustering is called {m!r}; there are: "
                    f"{', '.join(self.labelings.names[:20])}"
                )
            m = self.labelings.names.index(m)
        predicted = self.predictions[self.best_classifier(m), m]
        return self.labelings.cluster_names[m], self.labelings.codes[m], predicted

    def values(self, baseline: Baseline = "uniform") -> Floats:
        """Informativeness (M,) by the best classifier; NaN for a single cluster."""
        out = np.full(len(self.labelings), np.nan)
        for m, k in enumerate(self.labelings.n_clusters):
            if k >= 2:
                best = self.recognition(m, self.best_classifier(m))
                out[m] = best.informativeness(baseline)
        return out

    def agreement(self, judge: Callable[..., float], sign: int = 1) -> Floats:
        """The best value (M,) of an external measure over the classifiers; NaN for one cluster."""
        values = np.full(len(self.labelings), np.nan)
        for m, k in enumerate(self.labelings.n_clusters):
            if k < 2:
                continue
            # objects that the classifier could not place form a further class
            is_judged = self.labelings.codes[m] != NOISE
            predicted = self.predictions[:, m, is_judged]
            labels_pred = np.where(predicted == NOISE, k, predicted)
            values[m] = sign * max(
                sign * judge(row, self.labelings.codes[m][is_judged]) for row in labels_pred
            )
        return values

    @property
    def table(self) -> pd.DataFrame:
        """One row per clustering.

        Its columns are NaN for a single cluster:

        - ``n_clusters``, and the best ``classifier``
        - ``informativeness`` and its ``standard_error`` over folds or objects
        - ``corrected``: relative to a guesser with the predicted sizes
        - ``accuracy``, ``normalized_accuracy``, ``macro_accuracy``
        """
        import pandas as pd

        rows = []
        for m, codes in enumerate(self.labelings.codes):
            f, is_judged = self.best_classifier(m), codes != NOISE
            seen, k = self.recognition(m, f), int(self.labelings.n_clusters[m])
            value = error = corrected = np.nan
            if k >= 2:
                value, corrected = seen.informativeness(), seen.informativeness("permutation")
                folds = None if self.folds is None else self.folds[m][is_judged]
                error = standard_error(
                    codes[is_judged], self.predictions[f, m][is_judged], seen, folds
                )
            rows.append(
                {
                    "n_clusters": k,
                    "informativeness": value,
                    "standard_error": error,
                    "corrected": corrected,
                    "accuracy": seen.accuracy,
                    "normalized_accuracy": seen.normalized_accuracy,
                    "macro_accuracy": seen.macro_accuracy,
                    "classifier": self.classifiers[f],
                }
            )
        return pd.DataFrame(rows, index=list(self.labelings.names))

    def per_cluster(self, m: str | int = 0) -> pd.DataFrame:
        """Recognition of each cluster of clustering ``m`` by its best classifier.

        One row per cluster:

        - ``size``
        - ``recall``: the share of its objects that are recognised
        - ``precision``: the share of correct predictions of the cluster
        - ``information``: its part of AI in nats
        - ``taken_for``: the most frequent wrong prediction, and ``taken_for_share``, its share
        """
        import pandas as pd

        names, codes, predicted = self._best(m)
        seen = Recognition.of_codes(codes, predicted, len(names))
        wrong = self.confusion(m).to_numpy(dtype=np.float64, copy=True)
        np.fill_diagonal(wrong, 0)
        share = wrong.max(axis=1) / seen.sizes
        taken_for = np.where(share > 0, names[wrong.argmax(axis=1)], None)
        return pd.DataFrame(
            {
                "size": seen.sizes,
                "recall": seen.recognised / seen.sizes,
                "precision": seen.recognised / np.maximum(seen.predicted_sizes, 1),
                "information": seen.recognised * seen.code_lengths / seen.n,
                "taken_for": taken_for,
                "taken_for_share": share,
            },
            index=pd.Index(names, name="cluster"),
        )

    def confusion(self, m: str | int = 0) -> pd.DataFrame:
        """Confusion matrix: objects by cluster (rows) and predicted cluster (columns)."""
        import pandas as pd

        names, codes, predicted = self._best(m)
        k, is_placed = len(names), (codes != NOISE) & (predicted != NOISE)
        cells = codes[is_placed].astype(np.int64) * k + predicted[is_placed]
        return pd.DataFrame(
            np.bincount(cells, minlength=k * k).reshape(k, k),
            index=pd.Index(names, name="cluster"),
            columns=pd.Index(names, name="predicted"),
        )

    def confused_pairs(self, m: str | int = 0) -> pd.DataFrame:
        """Pairs of confused clusters, the worst first.

        ``confusion`` is the share of the objects of both clusters that are predicted to be in the
        other cluster: (n_ab + n_ba)/(n_a + n_b). Pairs without confusion are excluded.
        """
        import pandas as pd

        names, codes, _ = self._best(m)
        table, sizes = self.confusion(m).to_numpy(), np.bincount(codes[codes != NOISE])
        a, b = np.triu_indices(len(names), 1)
        share = (table[a, b] + table[b, a]) / (sizes[a] + sizes[b])
        pairs = pd.DataFrame({"a": names[a], "b": names[b], "confusion": share})
        pairs = pairs.sort_values("confusion", ascending=False, kind="stable", ignore_index=True)
        return pairs[pairs["confusion"] > 0]

    def __str__(self) -> str:
        how = "leave-one-out" if self.folds is None else f"{int(self.folds.max()) + 1} folds"
        head = f"Clarity of {len(self.labelings)} clusterings by {', '.join(self.classifiers)}, "
        return f"{head}{how}\n{self.table.round(3).to_string()}"

    def _repr_html_(self) -> str:
        """The table as HTML."""
        return self.table.round(3).to_html()


def assess(
    X: ArrayLike,
    labels: object,
    *,
    classifiers: object = "5nn",
    cv: int | LeaveOneOut = "leave-one-out",
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
    executor: Executor | None = None,
) -> Clarity:
    """Train classifiers on each of many clusterings, and keep their predictions.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    labels : array-like (n,) or (M, n), mapping, DataFrame
        One or many clusterings, see :func:`sortal.labelings.as_labelings`.
    classifiers : str, classifier, estimator, or a list of them
        ``"5nn"``, ``"centroid"`` and ``"email"`` judge all clusterings together; others are
        trained for every clustering and fold. :data:`~sortal.measures.clarity.THESIS` has those
        of whissell2012.
    cv : "leave-one-out" or int
        Number of folds; they are stratified by cluster.
    metric : str or callable
        The distance of the neighbour classifiers.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means in a clustering.
    random_state : int, Generator or None, default 0
        Randomness of the folds and of randomised classifiers.
    executor : concurrent.futures.Executor, optional
        Runs the search for neighbours, and trains classifiers for several clusterings in
        parallel. The result does not depend on it.

    Notes
    -----
    ``"5nn"``: one neighbour search, then O(n) for each clustering. ``"centroid"``: as one
    iteration of k-means for each.

    A singleton can never be recognised: without it, its cluster is unknown. With
    ``noise="drop"``, the objects that a clustering excludes are neither training nor test
    objects.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.measures.clarity import assess
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (50, 2)), rng.normal(8, 1, (50, 2))])
    >>> halves, thirds = np.repeat([0, 1], 50), np.arange(100) % 3
    >>> clarity = assess(X, {"halves": halves, "thirds": thirds})
    >>> clarity.table[["informativeness", "classifier"]].round(2)
            informativeness classifier
    halves             1.00        5nn
    thirds            -0.12        5nn
    """
    data = check_data(X)
    labelings = as_labelings(labels, n_objects=data.shape[0], noise=noise)
    return assess_labelings(
        data,
        labelings,
        classifiers=classifiers,
        cv=cv,
        metric=metric,
        random_state=random_state,
        executor=executor,
    )


def assess_labelings(
    X: Rows,
    labelings: Labelings,
    *,
    classifiers: object = "5nn",
    cv: int | LeaveOneOut = "leave-one-out",
    metric: Metric = "euclidean",
    random_state: RandomState = 0,
    executor: Executor | Workers | None = None,
) -> Clarity:
    """Clarity of validated data and labelings; parameters are those of :func:`assess`."""
    chosen = as_classifiers(classifiers)
    rng = check_random_state(random_state)
    M, n = labelings.codes.shape
    shuffle, seed = rng.permutation(n), int(rng.integers(2**31 - 1))
    predictions = np.full((len(chosen), M, n), NOISE, dtype=np.int32)
    fold_ids = None if cv == "leave-one-out" else np.full((M, n), NOISE, dtype=np.int32)
    for rows, is_judged in _by_judged(labelings.codes):
        count = int(is_judged.sum())
        if count < 2:
            continue
        n_folds = check_cv(cv, count)
        all_judged = count == n
        codes = labelings.codes[rows] if all_judged else labelings.codes[np.ix_(rows, is_judged)]
        # renumbered by first appearance, so that results do not depend on clusters' names
        ranked = np.stack([canonical_codes(row) for row in codes])
        folds = None
        if n_folds is not None and fold_ids is not None:
            shuffled = (
                shuffle if all_judged else (np.cumsum(is_judged) - 1)[shuffle[is_judged[shuffle]]]
            )
            folds = np.stack([stratified_folds(row, n_folds, shuffled) for row in ranked])
            fold_ids[np.ix_(rows, is_judged)] = folds
        task = PredictionTask(
            _rows_of(X, is_judged, metric), ranked, labelings.n_clusters[rows], folds,
            metric=metric, seed=seed, executor=executor,
        )  # fmt: skip
        for f, classifier in enumerate(chosen):
            predicted = _checked(classifier, task)
            for m, row in enumerate(rows):
                predictions[f, row, is_judged] = _named_as(codes[m], ranked[m], predicted[m])
    names = tuple(classifier.name for classifier in chosen)
    return Clarity(labelings, names, predictions, fold_ids)


def _by_judged(codes: NDArray[np.int32]) -> list[tuple[NDArray[np.intp], Bools]]:
    """Clusterings grouped by the objects that they judge."""
    is_judged = codes != NOISE
    if is_judged.all():
        return [(np.arange(len(codes)), is_judged[0])]
    groups: dict[bytes, list[int]] = {}
    for m, mask in enumerate(is_judged):
        groups.setdefault(mask.tobytes(), []).append(m)
    return [(np.array(rows), is_judged[rows[0]]) for rows in groups.values()]


def _rows_of(X: Rows, is_judged: Bools, metric: Metric) -> Rows:
    """Rows of the judged objects; of a distance matrix also their columns."""
    if is_judged.all():
        return X
    return (
        np.ascontiguousarray(X[np.ix_(is_judged, is_judged)])
        if metric == "precomputed"
        else X[is_judged]
    )


def _checked(classifier: Classifier, task: PredictionTask) -> NDArray[np.int32]:
    """Out-of-fold predictions of a classifier, with their shape checked."""
    predicted = classifier.out_of_fold(task)
    if predicted.shape != task.codes.shape:
        raise InputError(
            f"classifier {classifier.name!r} predicted an array of shape {predicted.shape}; "
            f"it must predict {task.codes.shape} (clusterings × objects)"
        )
    return predicted


def _named_as(
    codes: NDArray[np.int32], ranked: NDArray[np.int32], ranks: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Predicted ranks of first appearance, translated to the codes of the labeling."""
    back = np.empty(int(ranked.max()) + 2, dtype=np.int32)
    back[ranked] = codes
    back[-1] = NOISE
    return back[ranks]
