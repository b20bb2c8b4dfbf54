"""Descriptions of clusters for people: what each is called, and what sets it apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.distances import RELATIONS, check_points, embed
from karat.labelings.held_out import held_out
from karat.labelings.labels import encode
from karat.meaning import effects, places, rules
from karat.meaning.effects import Telling
from karat.meaning.features import Rule, Table, as_table
from karat.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["features", "terms", "objects"]
KINDS: tuple[Kind, ...] = ("features", "terms", "objects")
#: features or terms in the name of a cluster without a rule
NAMED_BY = 3


@dataclass(frozen=True)
class ClusterDescription:
    """What a cluster means.

    Attributes
    ----------
    cluster : int or str
        Its label.
    name : str
        What it is called, else proposed: from the rule, the telling features or the terms.
    size, share : int, float
        Objects, and their share of all.
    rule : Rule or None
        The shortest rule of up to three questions that tells it from the rest; it prints as a
        phrase. None where no rule is better than a constant answer on held-out objects.
    accuracy, precision, recall : float or None
        Of rules found in the same way without them, on held-out objects: how many the rule puts
        on the right side, how many of those that it includes are in the cluster, how many of the
        cluster it includes.
    n_held_out : int
        How many objects that was judged on; the standard error of the accuracy a is
        sqrt(a (1 - a) / n_held_out).
    telling : tuple of Telling
        Features by which it differs most, or terms, the strongest first.
    central : tuple of int
        Positions of three central objects, of copies one.
    edge : tuple of (int, cluster)
        Positions of the objects on the edge to another cluster and that cluster's label, the most
        doubtful first.
    named_by : str or None
        Who gave the name, where somebody did (:meth:`karat.Study.name_clusters`).
    note : str or None
        What was told of that name: by what members are recognised, and how often they were.
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
        told = f"{self.name}: {self.size:,} objects ({100 * self.share:.0f} %)"
        if self.rule is None:
            return told
        right = f"right for {100 * (self.accuracy or 0):.0f} % of held-out objects"
        return f"{told}; {self.rule} ({right})"

    def to_dict(self) -> dict[str, Any]:
        """For JSON, without the words for people that it repeats."""
        telling = ("feature", "within", "elsewhere", "effect", "interval")
        return vars(self) | {
            "rule": None if self.rule is None else str(self.rule),
            "telling": [{name: getattr(one, name) for name in telling} for one in self.telling],
        }


def describe_clusters(
    X: Any,
    labels: Any,
    *,
    feature_names: Sequence[object] | None = None,
    original: Any = None,
    kind: Kind = "features",
    names: Sequence[object] | None = None,
    metric: Any = "euclidean",
    random_state: int = 0,
) -> tuple[ClusterDescription, ...]:
    """Say what each cluster is: a rule, a name, telling features, central and doubtful objects.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data that was clustered, or distances or a graph, see ``metric``.
    labels : array-like, shape (n,)
        Cluster of each object, -1 for outliers, which belong to the rest.
    feature_names : sequence of length d, optional
        ``column=value`` of a column of 0 and 1 is a category. Of terms, the words.
    original : DataFrame or array-like, shape (n, p), optional
        The objects in original units: a DataFrame may have texts (categories) and dates. An array
        has the columns of X. By default X.
    kind : {"features", "terms", "objects"}
        Whether the columns are features, terms of documents, or nothing that has a meaning.
    names : sequence, optional
        What the clusters are called, in the order of their sorted labels.
    metric : str or callable, default "euclidean"
        Decides which objects are central or on an edge.
    random_state : int, default 0
        For the parts of the objects that rules and effects are learned and judged on.

    Returns
    -------
    tuple of ClusterDescription
        In the order of the sorted labels.

    Raises
    ------
    InputError
        For sizes that do not fit, or an unknown kind.

    Notes
    -----
    A rule is found by a beam search for the highest F1 among conjunctions of up to three
    questions; a further one must add 0.02. The same search in five parts that exclude a fifth
    each gives the accuracy. At most 3,000 objects take part, drawn at random, and the 50 features
    that differ most. A rule is given if, of the held-out objects, those it includes are more often
    in the cluster than not, and those it excludes are not: exact sign tests at 5 % over the
    number of clusters.

    Effects and their means describe the objects that formed the clusters. Intervals are of
    others: each half of at most 4,000 objects is clustered alone (k-means), and the other half put
    into its clusters by all features but the one in question. Neighbours are sought among at most
    10,000 objects.

    Examples
    --------
    >>> from karat.meaning import describe_clusters
    >>> ages = [[20.0], [21.0], [23.0], [24.0], [25.0], [26.0], [22.0], [27.0]]
    >>> ages += [[60.0], [61.0], [63.0], [64.0], [65.0], [66.0], [62.0], [67.0]]
    >>> found = describe_clusters(ages, [0] * 8 + [1] * 8, feature_names=["age"])
    >>> [one.name for one in found], str(found[1].rule)
    (['younger', 'older'], 'age over 40')
    """
    check_choice(kind, KINDS, "kind")
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
    found: dict[int, rules.Judged] = {}
    if kind == "terms":
        telling = _terms(points, codes, feature_names, random_state)
    elif kind == "features" and (metric not in RELATIONS or original is not None):
        of_objects = original if metric in RELATIONS else points
        table = as_table(of_objects, None if metric in RELATIONS else feature_names, original)
        found = rules.find_rules(table, codes, random_state)
        telling = _features(table, points, codes, metric, random_state)
    else:
        telling = {}
    called = _names(encoded.names, names, found, telling)
    sizes = np.bincount(codes[codes >= 0]).tolist()
    return tuple(
        ClusterDescription(
            cluster=label,
            name=called[c],
            size=sizes[c],
            share=sizes[c] / len(codes),
            telling=telling.get(c, ()),
            central=central[c],
            edge=tuple((at, encoded.names[other]) for at, other in edge[c]),
            **(vars(found[c]) if c in found else {}),
        )
        for c, label in enumerate(encoded.names)
    )


def _terms(
    points: Any, codes: NDArray[Any], terms: Any, random_state: int
) -> dict[int, tuple[Telling, ...]]:
    from karat.text import telling_terms

    found: dict[int, list[Telling]] = {}
    table = telling_terms(points, codes, terms, random_state=random_state)
    for row in table.to_dict("records"):
        term = str(row["term"])
        share, rest = float(row["share"]), float(row["rest"])
        ends = float(row["low"]), float(row["high"])
        one = Telling(
            feature=term,
            within=share,
            elsewhere=rest,
            text=f"{100 * share:.0f} %",
            text_elsewhere=f"{100 * rest:.0f} %",
            direction="higher",
            effect=share - rest,
            interval=None if np.isnan(ends[0]) else ends,
            word=term,
            clear=True,
        )
        found.setdefault(int(row["cluster"]), []).append(one)
    return {c: tuple(own) for c, own in found.items()}


def _features(
    table: Table, points: Any, codes: NDArray[Any], metric: Any, random_state: int
) -> dict[int, tuple[Telling, ...]]:
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
    found: dict[int, rules.Judged],
    telling: dict[int, tuple[Telling, ...]],
) -> list[str]:
    """What each cluster is called, no two alike."""
    if names is not None:
        return [str(name) for name in names]
    called: list[str] = []
    for c, label in enumerate(labels):
        if not isinstance(label, (int, np.integer)):
            called.append(str(label))
            continue
        own = telling.get(c, ())
        if c in found:
            words = [one.word for one in found[c].rule.conditions]
        else:
            words = [one.word for one in own[:NAMED_BY] if one.clear]
        rest = [one.word for one in own if one.word not in words]
        while ", ".join(words) in called and rest:
            words.append(rest.pop(0))
        name = ", ".join(words) or f"cluster {label}"
        called.append(f"{name} ({label})" if name in called else name)
    return called
