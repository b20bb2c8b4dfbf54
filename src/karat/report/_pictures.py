"""The pictures people know: elbow, dendrogram, consensus matrix, features across and in pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat import plot
from karat.clusterers import LinkageClustering
from karat.measures import gap_statistic
from karat.plot.results import MOST_IN_TREE, gap_figure, tree_figure
from karat.report._parts import Picture, Section, plain
from karat.runtime.draws import draw_rows
from karat.runtime.validation import InputError
from karat.study.wording import page

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.report._facts import Facts

#: values of the sample that k-means is run on, its objects at most, and the data beside it
ELBOW_VALUES, ELBOW_SAMPLE, REFERENCES = 12_000, 600, 10
#: largest number of clusters of the elbow by default; otherwise two more than the choice has
NUMBERS, MOST_NUMBERS = 10, 20
#: with more features, or clusters, lines and pairs are a thicket
MOST_FEATURES, MOST_CLUSTERS = 50, 12
LINKAGES = ("ward", "average", "complete", "single", "weighted", "centroid")


def elbow(facts: Facts) -> Section | None:
    """The within-cluster sum of squares and the gap statistic over the number of clusters."""
    from threadpoolctl import threadpool_limits

    study, chosen = facts.study, facts.choice
    X, metric = study.tried.objects.points
    if sparse.issparse(X) or not isinstance(metric, str) or metric != "euclidean":
        return None
    n, d = X.shape
    most = min(ELBOW_SAMPLE, ELBOW_VALUES // d)
    X = X[draw_rows(n, max(most, 1), 0)]
    top = min(max(NUMBERS, len(chosen.clusters) + 2), MOST_NUMBERS, len(X) // 2)
    if top < max(len(chosen.clusters), 2):
        return None
    try:
        with threadpool_limits(1):  # threads only cost for so few objects
            result = gap_statistic(X, k=range(1, top + 1), n_references=REFERENCES, random_state=0)
    except InputError:  # fewer distinct objects than clusters
        return None
    k = len(chosen.clusters)
    # the ring is the chosen clustering on the whole page; the caption says what the gap selects
    figure = gap_figure(result, k, title="Gap statistic", drawn=len(X), n=len(X))
    alt, caption = page.elbow(plot.table(figure), result.first_k, k, len(X), n)
    return plain("elbow", "Elbow and gap", [], Picture("elbow", figure, alt, caption, 560))


def parallel_coordinates(facts: Facts) -> Section | None:
    """Every object as a line across the features."""
    drawable = _features(facts)
    if drawable is None:
        return None
    X, shown = drawable
    chosen = facts.choice
    figure = plot.parallel_coordinates(
        X, chosen.labels, feature_names=chosen.feature_names, names=chosen.names, features=shown
    )
    alt, caption = page.parallel_coordinates(shown, X.shape[1], len(chosen.clusters))
    picture = Picture("parallel-coordinates", figure, alt, caption, 160 + 40 * shown)
    return plain("parallel", "Across the features", [], picture)


def pairs(facts: Facts) -> Section | None:
    """The objects by pairs of the features that distinguish the clusters."""
    drawable = _features(facts)
    if drawable is None or drawable[0].shape[1] < 3:
        return None
    X, chosen = drawable[0], facts.choice
    figure = plot.pairs(
        X, chosen.labels, feature_names=chosen.feature_names, names=chosen.names,
        features=min(4, X.shape[1]),
    )  # fmt: skip
    names = list(plot.table(figure).columns[1:])
    alt, caption = page.pairs(names, X.shape[1])
    return plain("pairs", "Pairs of features", [], Picture("pairs", figure, alt, caption, 560))


def dendrogram(facts: Facts) -> Section | None:
    """The tree of the choice, or else of the best clustering that cuts a tree."""
    study, n = facts.study, facts.study.n_objects
    if study.metric == "graph" or n > MOST_IN_TREE:
        return None
    X, metric = study.tried.objects.points
    clusterers = facts.scores["clusterer"]
    names = [facts.choice.answer.name, *map(str, facts.distinct.index)]
    name = next((candidate for candidate in names if clusterers.get(candidate) in LINKAGES), None)
    if name is None:
        return None
    labels = np.asarray(study.labels(name))
    k = len(np.unique(labels))
    try:
        model = LinkageClustering(k, method=str(clusterers[name]), metric=metric).fit(X)
    except InputError:  # the linkage was of other coordinates, those that fit the distance
        return None
    if len(np.unique(np.column_stack([labels, model.labels_]), axis=0)) != k:
        return None
    ids, linkage = list(map(str, study.dataset.ids)), f"{clusterers[name]} linkage"
    figure = tree_figure(model.linkage_, k, ids, linkage=linkage, n=n)
    span = plot.table(figure).set_index("k").reindex([k]).to_numpy()[0]
    alt, caption = page.dendrogram(name, k, span, chosen=name == names[0])
    return plain("dendrogram", "Dendrogram", [], Picture("dendrogram", figure, alt, caption, 560))


def consensus_matrix(facts: Facts) -> Section | None:
    """Share of subsamples in which pairs of objects share a cluster, where assessed."""
    from karat.study import kept_assessment

    assessment = kept_assessment(facts.study.tried, facts.choice.answer.name)
    if assessment is None or not len(assessment.shown):
        return None
    alt, caption = page.consensus(len(assessment.shown), facts.study.n_objects)
    picture = Picture("consensus", plot.consensus(assessment), alt, caption)
    return plain("consensus-matrix", "Consensus matrix", [], picture)


def _features(facts: Facts) -> tuple[NDArray[np.float64], int] | None:
    """The features in original units, and how many to draw; None where they cannot be drawn."""
    chosen = facts.choice
    data = facts.study.dataset
    if data.of_documents or facts.study.metric in ("precomputed", "graph"):
        return None
    X: Any = data.X
    if sparse.issparse(X) or not 2 <= X.shape[1] <= MOST_FEATURES:
        return None
    differ = int((chosen.profile.explained > 0).sum())
    if not 2 <= len(chosen.clusters) <= MOST_CLUSTERS or not differ:
        return None
    rows = np.asarray(X, dtype=np.float64) * (1 if data.scale is None else data.scale)
    return rows + (0 if data.center is None else data.center), min(13, X.shape[1])
