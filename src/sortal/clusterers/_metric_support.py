"""Clusterers under the study's distance: unchanged, on transformed rows, or excluded."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sortal.clusterers._metric_adapter import OnForm
from sortal.clusterers._record import Clusterer, Make
from sortal.distances import FORMS, metric_name
from sortal.runtime.types import Metric
from sortal.runtime.validation import InputError


class ExcludedError(InputError):
    """A clusterer cannot take the distance; the message says why."""


def under(clusterer: Clusterer, metric: Metric) -> Clusterer:
    """The clusterer under a distance.

    Parameters
    ----------
    clusterer : Clusterer
    metric : str or callable
        As :func:`sortal.distances.check_metric` returns it, or ``"graph"``.

    Returns
    -------
    Clusterer
        A clusterer for Euclidean space gets transformed rows, whose Euclidean distance is the
        metric, if there are such rows. Its key says so: ``"kmeans on unit rows"`` for cosine.

    Raises
    ------
    ExcludedError
        If it cannot take the distance.

    Examples
    --------
    >>> from sortal.clusterers import catalogue, under
    >>> under(catalogue["kmeans"], "cosine").key
    'kmeans on unit rows'
    """
    takes, name = clusterer.distances, metric if isinstance(metric, str) else None
    if name == "kl" and "features" not in takes:
        raise ExcludedError(
            f"{clusterer.title} needs one distance for a pair of objects, and kl depends on the "
            "direction; use symmetric_kl"
        )
    if name in takes or ("any" in takes and name != "graph"):
        if len(takes) == 1 and "any" not in takes:
            return clusterer
        return replace(clusterer, make=partial(clusterer.make, metric=metric))
    if "features" in takes and name not in ("precomputed", "graph"):
        return clusterer
    form = FORMS.get(name) if name and "euclidean" in takes else None
    if form == "":
        return clusterer
    if name and form is not None:
        return replace(
            clusterer,
            key=f"{clusterer.key} on {form}",
            title=f"{clusterer.title} on {form}",
            cells=False,
            make=partial(_on_form, clusterer.make, name),
        )
    raise ExcludedError(_exclusion_reason(clusterer, metric))


def _on_form(make: Make, metric: str, value: float, seed: int) -> OnForm:
    """Estimator on rows whose Euclidean distance is that of a metric."""
    return OnForm(make(value, seed), metric)


def _exclusion_reason(clusterer: Clusterer, metric: Metric) -> str:
    """Why a clusterer cannot take a metric."""
    title, takes = clusterer.title, clusterer.distances
    if metric == "graph":
        return f"{title} needs objects with distances, and a graph has edges alone"
    if takes == ("graph",):
        return f'{title} clusters the nodes of a graph; give one with metric="graph"'
    if metric == "precomputed":
        return f"{title} needs the objects' features, and a matrix of distances has none"
    if "euclidean" in takes:
        return f"{title} forms means of the objects, which {metric_name(metric)} distance has not"
    return f"{title} takes {' or '.join(takes)} distance, not {metric_name(metric)}"
