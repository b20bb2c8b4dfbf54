"""Judging what was tried: scores, and tables of them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import NOISE, NoisePolicy
from karat.labelings.partitions import Labelings
from karat.labelings.structures import Memberships, as_given
from karat.measures import Measure, catalogue
from karat.measures.computation import compute
from karat.measures.evaluation import applicable
from karat.measures.inputs import Inputs
from karat.measures.passes.estimates import sampled_by, why_not_sampled
from karat.runtime.executors import Workers
from karat.runtime.progress import progress_bar
from karat.runtime.validation import InputError, NothingToRankError, unknown_name
from karat.runtime.version import __version__
from karat.study import large
from karat.study.notes import derived
from karat.study.store import Score

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.bounds import PacMdlBound, PacMdlBounds
    from karat.study.study import Study


NO_LABELS = ("failed", "excluded")
EXTERNAL_NOISE: NoisePolicy = "singletons"
CHUNK = 256  # partitions judged at a time; fixed, because sums depend on what is judged together


def evaluate(
    study: Study,
    measures: Iterable[str] | None = None,
    *,
    executor: Any = None,
    progress: bool | None = None,
) -> None:
    """Judge every clustering that is not judged yet, many at once.

    Parameters
    ----------
    measures : iterable of str, optional
        Catalogue keys; by default those that :func:`karat.evaluate` computes.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where passes over the data are computed, see :func:`karat.evaluate`.
    progress : bool, optional
        Show a bar; by default on a terminal.
    """
    chosen = applicable(measures, has_truth=study.truth is not None, metric=study.metric)
    storage = study.storage
    there = _scored(study)
    todo = [
        partition
        for partition in storage.partitions()
        if any((partition, measure.key) not in there for measure in chosen)
    ]
    with progress_bar("Judging", len(todo), show=progress) as advance:
        for start in range(0, len(todo), CHUNK):
            chunk = todo[start : start + CHUNK]
            missing = [m for m in chosen if any((p, m.key) not in there for p in chunk)]
            _judge(study, chunk, missing, study.fits.workers_of(executor))
            advance(len(chunk))


@derived(without=("by", "judge", "notes", "candidates"))
def _scored(study: Study) -> dict[tuple[str, str], Score]:
    """All scores by partition and measure."""
    found = (score for context in _contexts(study) for score in study.storage.scores(context))
    return {(score.partition, score.measure): score for score in found}


def _judge(
    study: Study, partitions: Sequence[str], measures: Sequence[Measure], workers: Workers | None
) -> None:
    labelings = _labelings(study, partitions)
    data, metric = study.objects.points
    estimated = study.objects.is_estimated
    reads = (
        ("internal", partial(Inputs.read, data, metric=metric, noise=study.settings.noise)),
        ("external", partial(Inputs.read, None, truth=study.truth, noise=EXTERNAL_NOISE)),
    )
    for context, (kind, read) in zip(_contexts(study), reads, strict=True):
        chosen = [measure for measure in measures if measure.kind == kind]
        if not chosen:
            continue
        judged = chosen
        if kind == "internal" and estimated:
            judged = [measure for measure in chosen if sampled_by(measure, study.metric)]
        found = compute(
            read(labelings),
            judged,
            precision=large.PRECISION if estimated else None,
            random_state=study.settings.random_state,
            executor=workers,
        )
        scores = [
            Score(partition, measure.key, math.nan, why_not_sampled(measure))
            for measure in chosen
            if measure not in judged
            for partition in partitions
        ]
        errors = found.standard_errors
        for key, partition in product((measure.key for measure in judged), partitions):
            error = float(errors[key].loc[partition]) if key in errors else None
            reason = found.reasons.get(partition, {}).get(key)
            scores.append(Score(partition, key, float(found[key].loc[partition]), reason, error))
        study.storage.add_scores(context, scores)


def _labelings(study: Study, partitions: Sequence[str]) -> Labelings:
    codes = np.stack(study.storage.labels(partitions))
    n_clusters = codes.max(axis=1).astype(np.int64) + 1
    names = tuple(np.arange(k).astype(object) for k in n_clusters)
    return Labelings(codes, tuple(partitions), n_clusters, names)


def _contexts(study: Study) -> tuple[str, str]:
    """What internal and external scores depend on; another karat judges again."""
    settings = study.settings
    internal = ["internal", __version__, settings.metric, settings.noise, settings.exact]
    return (
        json.dumps(internal),
        json.dumps(["external", __version__, settings.truth, EXTERNAL_NOISE]),
    )


# -- tables ----------------------------------------------------------------------------------


@derived(without=("by", "judge", "scores", "notes"))
def candidate_table(study: Study) -> pd.DataFrame:
    """What was tried and what came of it: :attr:`Study.candidates`."""
    import pandas as pd

    rows = [c for c in study.storage.candidates() if c["status"] != "planned"]
    columns = [
        "name", "clusterer", "k", "start", "status", "reason", "n_clusters", "noise_share",
        "seconds", "fitted_on", "partition",
    ]  # fmt: skip
    for row in rows:
        row["k"] = row["value"] if row["parameter"] == "n_clusters" else None
        noise = row["n_noise"]
        row["noise_share"] = None if noise is None else noise / study.n_objects
    whole = dict.fromkeys(["k", "n_clusters", "fitted_on"], "Int64") | {"noise_share": "Float64"}
    return pd.DataFrame(rows, columns=columns).astype(whole).set_index("name")


@derived(without=("by", "judge", "notes"))
def score_table(study: Study) -> tuple[pd.DataFrame, dict[str, dict[str, str]], pd.DataFrame]:
    """A row per distinct partition, the reasons for what is undefined, and standard errors."""
    import pandas as pd

    values: dict[str, dict[str, float]] = {}
    errors: dict[str, dict[str, float]] = {}
    reasons: dict[str, dict[str, str]] = {}
    for (partition, measure), score in _scored(study).items():
        values.setdefault(measure, {})[partition] = score.value
        if score.reason is not None:
            reasons.setdefault(partition, {})[measure] = score.reason
        if score.error is not None:
            errors.setdefault(measure, {})[partition] = score.error
    table, error = (
        pd.DataFrame({m: found[m] for m in catalogue if m in found}) for found in (values, errors)
    )
    return table.reindex(study.storage.partitions()), reasons, error


def scores(study: Study, *, progress: bool | None = None) -> pd.DataFrame:
    """Every candidate with every measure.

    Returns
    -------
    DataFrame
        A row per candidate, by name, in the order of planning: ``clusterer``, ``k`` (as asked
        for), ``start``, ``status`` (``ok``, ``flagged``, ``failed``, ``excluded``), ``reason``,
        ``n_clusters``, ``noise_share``, ``seconds``, ``fitted_on`` (how many objects,
        where that is a sample), ``partition`` (equal for equal clusterings), then a column per
        measure. :meth:`reasons` says why a value is NaN.
    """
    study.evaluate(progress=progress)
    return study.candidates.join(score_table(study)[0], on="partition")


def standard_errors(study: Study) -> pd.DataFrame:
    """Standard errors of the scores that are estimates, a row per candidate.

    Returns
    -------
    DataFrame
        Columns only for measures that were estimated; none where every score is exact.
    """
    study.evaluate()
    table = score_table(study)[2]
    return study.candidates[["partition"]].join(table, on="partition").drop(columns="partition")


def reasons(study: Study) -> dict[str, dict[str, str]]:
    """Why scores are missing: candidate -> measure -> sentence."""
    study.evaluate()
    why = score_table(study)[1]
    partitions = study.candidates["partition"].items()
    return {str(name): dict(why[at]) for name, at in partitions if at in why}


def why_nothing(study: Study) -> str:
    """What kept candidates from being clusterings, or clusterings from having scores."""
    tried, planned = study.candidates, study.storage.planned()
    failed = tried[tried["status"].isin(NO_LABELS)]
    if failed.empty and tried.empty and not planned:
        return "nothing was tried; call sweep or add first"
    if planned and failed.empty:
        return "no fit was finished within the budget; allow a larger one (budget=, --budget)"
    if failed.empty:
        reasons = [r for why in score_table(study)[1].values() for r in why.values()]
    else:
        reasons = failed["reason"].tolist()
    return "; ".join(list(dict.fromkeys(reasons))[:3])


# -- labels ----------------------------------------------------------------------------------


def labels(study: Study, name: str) -> NDArray[np.int32]:
    """Labels of a candidate: ``0..k-1`` by first appearance, ``-1`` for outliers."""
    table = study.candidates
    if name not in table.index:
        raise unknown_name(name, table.index, "candidate")
    row = table.loc[name]
    if row["status"] in NO_LABELS:
        raise InputError(f"{name} has no labels: {row['reason']}")
    return study.storage.labels([str(row["partition"])])[0]


def memberships(study: Study, name: str) -> Memberships | None:
    """Memberships of a candidate that is soft or overlaps; None for a hard one.

    Returns
    -------
    SoftPartition or OverlappingPartition or None
        Column c is that of cluster c in :meth:`Study.labels`. Kept in single precision.
    """
    study.labels(name)  # says what is wrong with the name
    kept = study.storage.memberships(name)
    return None if kept is None else as_given(kept)


def cluster_names(study: Study, name: str) -> list[str]:
    """What each cluster of a candidate is called, by its number in :meth:`Study.labels`."""
    given = study.storage.cluster_names(name)
    return given or [str(i) for i in range(int(study.labels(name).max()) + 1)]


def labelings(study: Study, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Labels of several candidates as they were given: the clusters by their names.

    Parameters
    ----------
    names : iterable of str
        Candidates.

    Returns
    -------
    dict of str to ndarray, shape (n,)
        Integers where all names of clusters are whole numbers, otherwise text; ``-1`` for
        outliers.
    """
    out: dict[str, NDArray[Any]] = {}
    tried = study.candidates
    for name in names:
        if tried.at[name, "status"] in NO_LABELS:
            out[name] = np.full(study.n_objects, NOISE)
            continue
        clusters: list[Any] = study.cluster_names(name)
        if all(one.isdecimal() and str(int(one)) == one for one in clusters):
            clusters = [int(cluster) for cluster in clusters]
        out[name] = np.array([*clusters, NOISE], dtype=object)[study.labels(name)]
    return out


# -- what known labels guarantee -------------------------------------------------------------


@derived(without=("by", "judge", "scores", "notes"))
def bounds(study: Study) -> PacMdlBounds:
    """What the known labels guarantee about every candidate, all at once.

    Returns
    -------
    PacMdlBounds
        With probability ``1 - delta`` over which objects were labelled, every bound in it
        holds, the lowest of them too: each candidate pays for the choice among everything
        that was planned. Outliers count as one cluster.

    Raises
    ------
    InputError
        If no class is known, or nothing was tried.
    """
    from karat.bounds import study_bounds

    return study_bounds(**bound_inputs(study), noise="cluster")


def bound_inputs(study: Study, shares: Mapping[str, float] | None = None) -> dict[str, Any]:
    """What the bounds of a study are called with."""
    from karat.bounds import Searched

    if study.truth is None:
        raise InputError("a bound needs the class of some objects; give truth, None elsewhere")
    planned = [(c, _origin(c)) for c in study.storage.candidates() if c["status"] != "excluded"]
    tried = [(c, origin) for c, origin in planned if c["partition"] is not None]
    if not tried:
        raise NothingToRankError(f"there is no clustering: {why_nothing(study)}")
    partitions = [c["partition"] for c, _ in tried]
    codes = study.storage.labels(partitions)
    return {
        "labelings": {c["name"]: row for (c, _), row in zip(tried, codes, strict=True)},
        "y": study.truth,
        "delta": study.settings.delta,
        "classes": study.settings.classes,
        "searched": Searched.from_origins([origin for _, origin in planned]),
        "origins": [origin for _, origin in tried],
        "random_state": study.settings.random_state,
    } | ({} if shares is None else {"prior": _prior(partitions, shares)})


def bound_of(study: Study, name: str, bounds: PacMdlBounds | None = None) -> PacMdlBound:
    """What is guaranteed about a candidate: the lowest bound of those that are the same."""
    found = study.bounds() if bounds is None else bounds
    tried = study.candidates["partition"]
    rows = found.table[found.table.index.isin(tried.index[tried == tried[name]])]
    return found[str(rows["bound_rate"].idxmin())]


def _prior(partitions: Sequence[str], shares: Mapping[str, float]) -> NDArray[np.float64]:
    """Shares of candidates: copies of a partition have equal parts of its share."""
    copies = Counter(partitions)
    others = len(set(partitions) - set(shares))
    rest = (1 - sum(shares.values())) / max(others, 1)
    return np.array([shares.get(p, rest) / copies[p] for p in partitions])


def _origin(candidate: dict[str, Any]) -> tuple[str, int] | None:
    """What the search for it consisted of; None for a clustering that the user supplied."""
    if candidate["parameter"] is None:
        return None
    return candidate["clusterer"], candidate["value"]
