"""The pictures people know: elbow and gap, dendrogram, consensus matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sortal.clusterers import LinkageClustering
from sortal.measures import gap_statistic
from sortal.plot.results import MOST_IN_TREE, heights_of, scatter_over_k, tree_drawing
from sortal.report._parts import LIMITS, Picture, Section, heat, lines, plain, rounded, series
from sortal.runtime.draws import draw_rows
from sortal.runtime.validation import InputError
from sortal.study.wording import page

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.report._facts import Facts

LINKAGES = ("ward", "average", "complete", "single", "weighted", "centroid")


def elbow(facts: Facts) -> Section | None:
    """The within-cluster sum of squares and the gap statistic over the number of clusters."""
    from threadpoolctl import threadpool_limits

    study, chosen = facts.study, facts.choice
    X, metric = study.state.objects.points
    if sparse.issparse(X) or not isinstance(metric, str) or metric != "euclidean":
        return None
    n, d = X.shape
    most = min(LIMITS.elbow_objects, LIMITS.elbow_values // d)
    X = X[draw_rows(n, max(most, 1), 0)]
    # up to 10 clusters, or two more than the choice has
    top = min(max(10, len(chosen.clusters) + 2), 20, len(X) // 2)
    if top < max(len(chosen.clusters), 2):
        return None
    try:
        with threadpool_limits(1):  # threads only cost for so few objects
            result = gap_statistic(X, k=range(1, top + 1), n_references=10, random_state=0)
    except InputError:  # fewer distinct objects than clusters
        return None
    k = len(chosen.clusters)
    table, n_sampled = scatter_over_k(result), len(X)
    within, uniform = table["within"], table["uniform"]
    alt, caption = page.elbow(within, result.first_k, k, n_sampled, n)
    numbers = table.index
    scatter = [series("data", numbers, within), series("uniform data", numbers, uniform, grey=True)]
    gap = [series("data", numbers, table["gap"], error=table["standard_error"])]
    axis = "Number of clusters"
    pictures = (
        Picture("elbow", lines(scatter, axis, "Within-cluster sum of squares"), alt),
        # the ring is the chosen clustering on the whole page; the caption says what the gap selects
        Picture("gap", lines(gap, axis, "Gap", ring=(k, float(table["gap"][k]))), alt, caption),
    )
    return plain("elbow", "Elbow and gap", [], *pictures)


def dendrogram(facts: Facts) -> Section | None:
    """The tree of the choice, or else of the best clustering that cuts a tree."""
    study, n = facts.study, facts.study.n_objects
    if study.metric == "graph" or n > MOST_IN_TREE:
        return None
    X, metric = study.state.objects.points
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
    Z, ids = model.linkage_, list(map(str, study.dataset.ids))
    span = heights_of(Z, k)
    alt, caption = page.dendrogram(name, k, span, chosen=name == names[0])
    picture = Picture("dendrogram", _tree(Z, k, ids), alt, caption)
    return plain("dendrogram", "Dendrogram", [], picture)


def _tree(Z: NDArray[np.float64], k: int, ids: list[str]) -> dict[str, Any]:
    """The links of a tree, each with its cluster below the cut, and the cut."""
    tree = tree_drawing(Z, k, ids)
    return {
        "kind": "tree", "x": list(map(rounded, tree.x)), "y": list(map(rounded, tree.y)),
        "cluster": tree.clusters, "leaves": tree.leaves, "cut": tree.cut, "label": f"{k} clusters",
    }  # fmt: skip


def consensus_matrix(facts: Facts) -> Section | None:
    """Share of subsamples in which pairs of objects share a cluster, where assessed."""
    from sortal.study import kept_assessment

    assessment = kept_assessment(facts.study.state, facts.choice.answer.name)
    if assessment is None or not len(assessment.shown):
        return None
    alt, caption = page.consensus(len(assessment.shown), facts.study.n_objects)
    drawing = heat(assessment.consensus, None, None)
    picture = Picture("consensus", drawing, alt, caption)
    return plain("consensus-matrix", "Consensus matrix", [], picture)
