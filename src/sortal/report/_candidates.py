"""Values with which the page opens any candidate: clusters on the map, cards, and flows."""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.labels import NOISE
from sortal.meaning.effects import Means
from sortal.report._cards import object_titles, strength
from sortal.report._parts import LIMITS, rounded
from sortal.runtime.draws import draw_rows
from sortal.runtime.validation import InputError
from sortal.study.descriptions import features_of
from sortal.study.samples import part_of
from sortal.study.wording import first_screen

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from sortal.report._facts import Chosen, Facts

    Describe = Callable[[NDArray[np.int64], int], list[list[Any]]]


def candidates(facts: Facts) -> dict[str, Any]:
    """The map and the distinct candidates on it, best first; the choice comes first."""
    chosen = facts.chosen
    if chosen is None or facts.ranked is None:
        return {}
    object_map, n = chosen.map, len(chosen.labels)
    most = int(np.clip(LIMITS.labels // n, 20, LIMITS.opened))
    describe, features = _describer(chosen)
    opened, codes, silhouettes = [], [], _silhouettes(chosen)
    profiles: list[NDArray[np.int8]] = []
    for name in map(str, facts.ranked.index[:most]):
        labels = np.asarray(facts.study.labels(name)).astype(np.int64)
        opened.append(_candidate(chosen, name, labels, describe))
        edge = object_map.edge(labels)
        codes.append(2 * (labels[object_map.rows] + 1) + edge)
        profiles.append(silhouettes(labels))
    places = {str(p): i for i, p in enumerate(facts.ranked["partition"][:most])}
    return {
        "map": _map(facts, chosen),
        "candidates": opened,
        "features": list(features),
        "labels": _packed(np.array(codes, dtype="<u2")),
        "silhouettes": _packed(np.array(profiles)),
        "profiled": _profiled(chosen).tolist(),
        "columns": columns(chosen),
        "opens": [places.get(str(p), -1) for p in facts.scores["partition"]],
        "noun": chosen.answer.noun,
        "n": n,
        "described": min(n, LIMITS.rows),
        "terms": chosen.terms is not None,
        "words": first_screen.OPENED,
    }


def _packed(values: NDArray[Any]) -> str:
    """The bytes of an array, gzip in base64."""
    return base64.b64encode(gzip.compress(values.tobytes(), 9, mtime=0)).decode()


def _profiled(chosen: Chosen) -> NDArray[np.intp]:
    """Places of the drawn objects that have silhouettes."""
    return draw_rows(len(chosen.map.rows), LIMITS.profiled, 0)


def _silhouettes(chosen: Chosen) -> Callable[[NDArray[np.int64]], NDArray[np.int8]]:
    """A function of labels: silhouettes in hundredths among some drawn objects, -128 for none."""
    from sortal.measures import silhouette_samples

    rows = chosen.map.rows[_profiled(chosen)]
    X, metric = chosen.study.state.objects.points
    X = part_of(X, rows, metric)

    def silhouettes(labels: NDArray[np.int64]) -> NDArray[np.int8]:
        try:
            values = silhouette_samples(X, labels[rows], metric=metric, noise="drop")
        except InputError:
            values = np.full(len(rows), np.nan)
        return np.where(np.isnan(values), -128, np.rint(100 * np.nan_to_num(values))).astype("i1")

    return silhouettes


def _map(facts: Facts, chosen: Chosen) -> dict[str, Any]:
    """Places, names and classes of the objects on the map."""
    points = chosen.map.layout.points.astype(np.float64)
    low = points.min(axis=0)
    spread = np.maximum(np.ptp(points, axis=0), 1e-12)
    if chosen.map.layout.kept is not None:  # distances count: both axes have one scale
        spread = np.full(2, spread.max())
    places = np.rint((points - low) / spread * LIMITS.places).astype(int)
    titles, truth = object_titles(facts.study.dataset), facts.study.y
    rows, data = chosen.map.rows, facts.study.dataset
    return {
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "ids": [str(titles[i]) for i in rows],
        "classes": None
        if truth is None
        else [None if truth[i] is None else str(truth[i]) for i in rows],
        "rows": rows.tolist() if data.rows is None else [int(data.rows[i]) for i in rows],
        "near": _packed(chosen.map.near.astype("<u2")),
        "axes": list(chosen.map.layout.axes),
        "equal": chosen.map.layout.kept is not None,
    }


def _candidate(
    chosen: Chosen, name: str, labels: NDArray[np.int64], describe: Describe
) -> dict[str, Any]:
    """Clusters, cards and flows of one candidate."""
    k = int(labels.max()) + 1
    shares = chosen.map.edge_shares(labels)
    flows = _flows(chosen.labels, labels)
    names = [str(cluster) for cluster in chosen.study.cluster_names(name)]
    return {
        "names": names[:k],
        "sizes": np.bincount(labels[labels != NOISE], minlength=k).tolist(),
        "outliers": int((labels == NOISE).sum()),
        "edge": [round(shares.get(c, 0.0), 3) for c in range(k)],
        "told": describe(labels, k) if k <= LIMITS.cards else [],
        "flows": flows,
        "slots": _slots(flows, k),
    }


def _flows(chosen: NDArray[np.int64], opened: NDArray[np.int64]) -> list[list[int]]:
    """Number of objects in each pair of clusters of the choice and of another; -1 is none."""
    width = int(opened.max()) + 2
    pairs, counts = np.unique((chosen + 1) * width + opened + 1, return_counts=True)
    return np.column_stack([pairs // width - 1, pairs % width - 1, counts]).tolist()


def _slots(flows: list[list[int]], k: int) -> list[int]:
    """For each cluster the best match in the choice, whose colour it takes; else a free one."""
    from scipy.optimize import linear_sum_assignment

    clustered = [flow for flow in flows if flow[0] != NOISE and flow[1] != NOISE]
    first = 1 + max((flow[0] for flow in clustered), default=-1)
    table = np.zeros((first, k), dtype=np.int64)
    for a, b, count in clustered:
        table[a, b] = count
    slots = [-1] * k
    for a, b in zip(*linear_sum_assignment(-table), strict=True):
        if table[a, b]:
            slots[b] = int(a)
    free = iter(range(first, first + k))
    return [next(free) if slot < 0 else slot for slot in slots]


def _describer(chosen: Chosen) -> tuple[Describe, dict[str, int]]:
    """A function that describes clusters, and the numbers of the features it names.

    Each entry is the feature, its value in the cluster, the length of its bar in hundredths, and
    its value elsewhere.
    """
    n, named = len(chosen.labels), dict[str, int]()
    rows = draw_rows(n, LIMITS.rows, 0)
    table, of_terms = features_of(chosen.study.state, rows), chosen.terms is not None

    def describe(labels: NDArray[np.int64], k: int) -> list[list[Any]]:
        codes, described = labels[rows], [list[Any]() for _ in range(k)]
        if table is None or codes.max() < 0:
            return described
        means = Means(table, codes)
        for c in range(codes.max() + 1):
            telling = [t for t in means.telling(c) if t.effect > 0 or not of_terms]
            for t in telling[: LIMITS.few]:
                length = t.within if of_terms else strength(t.effect)
                place = named.setdefault(t.feature, len(named))
                described[c].append([place, t.text, round(100 * length), t.text_elsewhere])
        return described

    return describe, named


def columns(chosen: Chosen) -> list[dict[str, Any]]:
    """The columns that tell the chosen clusters apart best, then the others, for the drawn rows."""
    rows, place_of = np.unique(chosen.map.rows, return_inverse=True)
    table = features_of(chosen.study.state, rows)
    if table is None:
        return []
    most = int(np.clip(LIMITS.values // len(rows), 4, LIMITS.columns))
    codes, places = chosen.labels[rows], {f.name: j for j, f in enumerate(table.features)}
    picked: dict[int, None] = {}
    if codes.max() >= 0:
        means = Means(table, codes)
        features = [means.telling(c) for c in range(codes.max() + 1)]
        for place in range(max(map(len, features))):
            picked |= {places[t[place].feature]: None for t in features if place < len(t)}
    if len(table.features) <= most:
        picked |= dict.fromkeys(range(len(table.features)))
    listed = np.array(list(picked)[:most], dtype=np.intp)
    if not len(listed):
        return []
    values = table.columns(place_of, listed)
    return [
        {
            "name": table.features[j].name,
            "kind": "term" if chosen.terms is not None else table.features[j].kind,
            "values": rounded(values[:, i]),
        }
        for i, j in enumerate(listed)
    ]
