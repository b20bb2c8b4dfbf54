"""Descriptions of clusters for people: names, and the differences from other clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sortal.distances import RELATIONS, check_points, embed
from sortal.labelings.held_out import held_out
from sortal.labelings.labels import encode
from sortal.meaning import effects, places, rules
from sortal.meaning.effects import Telling
from sortal.meaning.features import LIMITS, Rule, Table, as_table
from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import ArrayLike, Labels, Metric, Rows

Kind = Literal["features", "terms", "objects"]
COLUMN_KINDS: tuple[Kind, ...] = ("features", "terms", "objects")


@dataclass(frozen=True)
class ClusterDescription:
    """Meaning of a cluster.

    Attributes
    ----------
    cluster : int or str
        Its label.
    name : str
        The given name, or a proposed one from the rule, the telling features or the terms.
    size, share : int, float
        Number of objects, and their share of all.
    rule : Rule or None
        The shortest rule of up to three questions that separates the cluster from the rest; it
        prints as a phrase. None where no rule beats a constant answer on held-out objects.
    accuracy, precision, recall : float or None
        Quality on held-out objects, of rules learned without them. Accuracy is the share on the
        right side of the rule. Precision is the share of included objects that are in the cluster,
        recall the included share of the cluster.
    n_held_out : int
        Number of held-out objects; the standard error of the accuracy a is
        sqrt(a (1 - a) / n_held_out).
    telling : tuple of Telling
        Features or terms by which the cluster differs most, the strongest first.
    central : tuple of int
        Positions of three central objects, without copies.
    edge : tuple of (int, cluster)
        Positions of the objects on the edge to another cluster and that cluster's label, the most
        doubtful first.
    named_by : str or None
        Author of the name, if someone gave it (:meth:`sortal.Study.name_clusters`).
    note : str or None
        Note on that name: how to recognise members, and how often readers did.
    """

    cluster: Any
    name: str
    size: int
    share: float
    rule: Rule | None = None
    accuracy: float | None = None
    precision: float | None = None
    recall: float | None = None
    n_held_out: int = 0
    telling: tuple[Telling, ...] = ()
    central: tuple[int, ...] = ()
    edge: tuple[tuple[int, Any], ...] = ()
    named_by: str | None = None
    note: str | None = None

    def __str__(self) -> str:
        text = f"{self.name}: {self.size:,} objects ({percent(self.share, 0)})"
        if self.rule is None:
            return text
        right = f"right for {percent(self.accuracy or 0, 0)} of held-out objects"
        return f"{text}; {self.rule} ({right})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without sentences that repeat them."""
        telling = ("feature", "within", "elsewhere", "effect", "interval")
        return vars(self) | {
            "rule": None if self.rule is None else str(self.rule),
            "telling": [{name: getattr(term, name) for name in telling} for term in self.telling],
        }


def describe_clusters(
    X: ArrayLike,
    labels: Labels,
    *,
    feature_names: Sequence[object] | None = None,
    original: pd.DataFrame | NDArray[Any] | None = None,
    kind: Kind = "features",
    names: Sequence[object] | None = None,
    metric: Metric = "euclidean",
    random_state: int = 0,
) -> tuple[ClusterDescription, ...]:
    """Describe each cluster: a rule, a name, telling features, central and doubtful objects.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The clustered data, or distances or a graph, see ``metric``.
    labels : array-like, shape (n,)
        Cluster of each object, -1 for outliers, which belong to the rest.
    feature_names : sequence of length d, optional
        Names of the columns, or the terms. ``column=value`` of a column of 0 and 1 is a category.
    original : DataFrame or array-like, shape (n, p), optional
        The objects in original units, by default X. A DataFrame may have texts (categories) and
        dates. An array has the columns of X.
    kind : {"features", "terms", "objects"}
        Whether the columns are features, terms of documents, or meaningless.
    names : sequence, optional
        Names of the clusters, in the order of their sorted labels.
    metric : str or callable, default "euclidean"
        Decides which objects are central or on an edge.
    random_state : int, default 0
        Seed of the parts of the objects on which rules and effects are learned and checked.

    Returns
    -------
    tuple of ClusterDescription
        In the order of the sorted labels.

    Notes
    -----
    A beam search looks for the rule with the highest F1 among conjunctions of up to three
    questions; a further question must add 0.02. The same search with each fifth held out in turn
    gives the accuracy. It uses at most 3,000 objects, drawn at random, and the 50 features that
    differ most. A rule is reported if it is right for most held-out objects that it includes, and
    for most that it excludes. Both are exact sign tests at 5 % over the number of clusters.

    Effects and their means describe the objects that formed the clusters. Intervals describe
    others. Each half of at most 4,000 objects is clustered alone (k-means). The other half joins
    its clusters by all features but the one in question. Neighbours are sought among at most 10,000
    objects.

    Examples
    --------
    >>> from sortal.meaning import describe_clusters
    >>> ages = [[20.0], [21.0], [23.0], [24.0], [25.0], [26.0], [22.0], [27.0]]
    >>> ages += [[60.0], [61.0], [63.0], [64.0], [65.0], [66.0], [62.0], [67.0]]
    >>> clusters = describe_clusters(ages, [0] * 8 + [1] * 8, feature_names=["age"])
    >>> [cluster.name for cluster in clusters], str(clusters[1].rule)
    (['younger', 'older'], 'age over 40')
    """
    check_choice(kind, COLUMN_KINDS, "kind")
    points = check_points(X, metric)
    encoded = encode(labels)
    codes = encoded.codes
    if len(codes) != points.shape[0]:
        raise InputError(f"there are {len(codes)} labels for {points.shape[0]} objects of X")
    if len(encoded.names) == 0:
        raise InputError("no object is in a cluster: every label is -1")
    if names is not None and len(names) != len(encoded.names):
        raise InputError(f"there are {len(names)} names for {len(encoded.names)} clusters")
    central = places.central(points, codes, metric, random_state)
    edge = places.edges(points, codes, metric, random_state)
    rules_of: dict[int, rules.CheckedRule] = {}
    if kind == "terms":
        telling = _terms(points, codes, feature_names, random_state)
    elif kind == "features" and (metric not in RELATIONS or original is not None):
        of_objects = original if metric in RELATIONS else points
        table = as_table(of_objects, None if metric in RELATIONS else feature_names, original)
        rules_of = rules.find_rules(table, codes, random_state)
        telling = _features(table, points, codes, metric, random_state)
    else:
        telling = {}
    names_of = _names(encoded.names, names, rules_of, telling)
    sizes = np.bincount(codes[codes >= 0]).tolist()
    return tuple(
        ClusterDescription(
            cluster=label,
            name=names_of[c],
            size=sizes[c],
            share=sizes[c] / len(codes),
            telling=telling.get(c, ()),
            central=central[c],
            edge=tuple((at, encoded.names[neighbor]) for at, neighbor in edge[c]),
            **(vars(rules_of[c]) if c in rules_of else {}),
        )
        for c, label in enumerate(encoded.names)
    )


def _terms(
    points: Rows, codes: NDArray[Any], terms: Sequence[object] | None, random_state: int
) -> dict[int, tuple[Telling, ...]]:
    """Characteristic terms of each cluster, the strongest first."""
    from sortal.text import telling_terms

    telling: dict[int, list[Telling]] = {}
    table = telling_terms(points, codes, terms, random_state=random_state)
    for row in table.to_dict("records"):
        word, interval = str(row["term"]), (float(row["low"]), float(row["high"]))
        within, elsewhere = float(row["share"]), float(row["rest"])
        term = Telling(
            feature=word,
            within=within,
            elsewhere=elsewhere,
            text=percent(within, 0),
            text_elsewhere=percent(elsewhere, 0),
            direction="higher",
            effect=within - elsewhere,
            interval=None if np.isnan(interval[0]) else interval,
            word=word,
            clear=True,
        )
        telling.setdefault(int(row["cluster"]), []).append(term)
    return {c: tuple(of_cluster) for c, of_cluster in telling.items()}


def _features(
    table: Table, points: Rows, codes: NDArray[Any], metric: Metric, random_state: int
) -> dict[int, tuple[Telling, ...]]:
    """Features by which each cluster differs most, the strongest first."""
    halves = None
    # other forms have columns that are not the features
    if metric in ("euclidean", "sqeuclidean", "cosine") and isinstance(metric, str):
        by_direction = metric == "cosine"
        rows = embed(points, metric)
        halves = held_out(rows, codes, by_direction=by_direction, random_state=random_state)
    means = effects.Means(table, codes)
    k = int(codes.max()) + 1
    return {c: means.telling(c, halves, k * len(table.features)) for c in range(k)}


def _names(
    labels: NDArray[Any],
    names: Sequence[object] | None,
    rules_of: dict[int, rules.CheckedRule],
    telling: dict[int, tuple[Telling, ...]],
) -> list[str]:
    """Unique names of the clusters."""
    if names is not None:
        return [str(name) for name in names]
    unique_names: list[str] = []
    for c, label in enumerate(labels):
        if not isinstance(label, (int, np.integer)):
            unique_names.append(str(label))
            continue
        of_cluster = telling.get(c, ())
        if c in rules_of:
            words = [feature.word for feature in rules_of[c].rule.conditions]
        else:
            words = [feature.word for feature in of_cluster[: LIMITS.n_items] if feature.clear]
        further_words = [feature.word for feature in of_cluster if feature.word not in words]
        while ", ".join(words) in unique_names and further_words:
            words.append(further_words.pop(0))
        name = ", ".join(words) or f"cluster {label}"
        unique_names.append(f"{name} ({label})" if name in unique_names else name)
    return unique_names
