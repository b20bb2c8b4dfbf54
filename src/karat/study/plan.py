"""What a sweep will take: time and memory for each clusterer, before any of it is done."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import distance_matrix
from karat.runtime.resources import readable
from karat.runtime.validation import InputError
from karat.study import large, work
from karat.study.sweeping import Request, candidates_of

if TYPE_CHECKING:
    import pandas as pd

    from karat.clusterers import Clusterer
    from karat.runtime.validation import Data
    from karat.study.study import Study

#: numbers of objects that the clusterers are timed on
TRIALS = (300, 900)
#: where a function of two objects gives the distances, and may take long
TRIALS_OF_FUNCTION = (60, 180)
#: those whose time grows linearly, on more: as many as have so many numbers
LINEAR_NUMBERS = 200_000


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep will do.

    Attributes
    ----------
    table : DataFrame
        A row per clusterer: ``candidates``, ``fits`` (one tree serves every k), ``on`` (objects in
        each fit), ``cells`` (whether these are cells of all objects), ``seconds`` (of processor
        time, for all its fits) and ``bytes`` (of one fit, beside the data).
    n_objects, workers : int
    judging : str
        How candidates will be judged.
    excluded : mapping of str to str
        Why clusterers will not be tried.
    matrix_seconds : float
        Of processor time for the distances of all pairs, where a function gives them.
    """

    table: pd.DataFrame
    n_objects: int
    workers: int
    judging: str
    excluded: Mapping[str, str] = field(default_factory=dict)
    matrix_seconds: float = 0.0

    @property
    def seconds(self) -> float:
        """Predicted time of the fits on all workers."""
        return (float(self.table["seconds"].sum()) + self.matrix_seconds) / self.workers

    def __str__(self) -> str:
        lines = [
            f"Plan for {self.n_objects:,} objects: {int(self.table['candidates'].sum())} "
            f"candidates, about {duration(self.seconds)} on {self.workers} "
            f"worker{'s' * (self.workers != 1)}"
        ]
        if self.matrix_seconds:
            lines.append(
                f"  distances of all pairs, once: {duration(self.matrix_seconds)} of processor "
                f"time, {readable(8.0 * self.n_objects**2)}"
            )
        rows: dict[str, dict[str, Any]] = self.table.to_dict("index")  # type: ignore[assignment]
        for name, row in rows.items():
            where = "all objects"
            if row["cells"]:
                where = f"{row['on']:,} cells of all objects"
            elif row["on"] < self.n_objects:
                where = f"{row['on']:,} of {self.n_objects:,}, extended by nearest object"
            lines.append(
                f"  {name}: {row['candidates']} candidates from {row['fits']} "
                f"fit{'s' * (row['fits'] != 1)} on {where}; {duration(row['seconds'])} of "
                f"processor time, {readable(row['bytes'])} a fit"
            )
        lines += [f"  {name}: not tried; {why}" for name, why in self.excluded.items()]
        lines.append(f"  judged: {self.judging}")
        return "\n".join(lines)


def plan_of(study: Study, asked: Request, workers: int) -> SweepPlan:
    """Time each clusterer on a few hundred objects, and extrapolate by its growth."""
    import pandas as pd

    rows = {}
    trials = _Trials(study)
    fitting, excluded = study.fits.under_distance(asked.chosen, asked.grid)
    for clusterer in fitting:
        candidates = asked.candidates_of(clusterer, study.settings.random_state)
        if not candidates:
            continue
        fits = 1 if clusterer.every_k else len(candidates)
        on = large.FIT_AT_MOST if study.fits.fits_sample(clusterer) else study.n_objects
        value = sorted(c.value for c in candidates if c.value is not None)[len(candidates) // 2]
        rows[clusterer.key] = {
            "candidates": len(candidates),
            "fits": fits,
            "on": on,
            "cells": study.fits.fits_cells(clusterer),
            "seconds": fits * _seconds(trials, clusterer, value, on),
            "bytes": _bytes(study, clusterer, value, on),
        }
    judging = "exactly, all measures"
    if study.objects.is_estimated:
        judging = (
            f"measures of pairs by samples, to a standard error of {large.PRECISION}; sums over "
            "the objects exactly; extremes not at all"
        )
    columns = ["candidates", "fits", "on", "cells", "seconds", "bytes"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return SweepPlan(table, study.n_objects, workers, judging, excluded, trials.matrix_seconds)


class _Trials:
    """Some of a study's objects, as clusterers get them."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.own_function = callable(study.metric)
        self.matrix_seconds = 0.0
        self._parts: dict[int, tuple[Any, Any]] = {}

    def sizes(self, clusterer: Clusterer, on: int) -> list[int]:
        """How many objects to time a clusterer on."""
        if self.own_function:
            return [min(size, on) for size in TRIALS_OF_FUNCTION]
        if clusterer.growth > 1:
            return [min(size, on) for size in TRIALS]
        most = max(LINEAR_NUMBERS * self.study.n_objects // _numbers(self.study.X), TRIALS[1])
        shares = zip(TRIALS, (most // 9, most), strict=True)
        return [min(max(size, share), on) for size, share in shares]

    def part(self, size: int, clusterer: Clusterer) -> Any:
        """What the clusterer gets of so many objects: rows, or their distances by a function."""
        if size not in self._parts:
            n = self.study.n_objects
            drawn = np.random.default_rng(0).choice(n, size, replace=False)
            rows = given = large.part_of(self.study.X, np.sort(drawn), self.study.metric)
            if self.own_function:
                began = time.perf_counter()
                given = distance_matrix(rows, self.study.metric)
                self.matrix_seconds = (time.perf_counter() - began) * (n / size) ** 2
            self._parts[size] = rows, given
        rows, given = self._parts[size]
        return rows if "features" in clusterer.distances else given


def _seconds(trials: _Trials, clusterer: Clusterer, value: Any, on: int) -> float:
    """Of one fit on so many objects: a constant and a power, through two trials."""
    sizes = trials.sizes(clusterer, on)
    times = []
    for size in (sizes[0], *sizes):  # what is loaded or compiled at first is none of its time
        part = trials.part(size, clusterer)
        candidate = candidates_of(clusterer, [min(value, size // 2)], 1, 0)[:1]
        began = time.process_time()  # other work on this machine would be extrapolated, too
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            work.run_job(part, work.Job(clusterer, tuple(candidate)))
        times.append(time.process_time() - began)
    _, few, many = times
    if sizes[0] == sizes[1] or on <= sizes[1]:
        return many
    powers = [size**clusterer.growth for size in sizes]
    slope = max(many - few, 0.0) / (powers[1] - powers[0])
    return many + slope * (on**clusterer.growth - powers[1])


def _numbers(X: Data) -> int:
    """Stored numbers, at least one."""
    return max(int(X.size if isinstance(X, np.ndarray) else X.nnz), 1)


def _bytes(study: Study, clusterer: Clusterer, value: Any, on: int) -> float:
    """What a fit takes beside the data: a copy, pairs, or of sparse rows what belongs to k."""
    X = study.X
    own = 8.0 * _numbers(X) * on / study.n_objects
    if not isinstance(X, np.ndarray):
        own += 8.0 * value * (on + 3 * X.shape[1])
    return own + (4.0 * on * on if clusterer.growth > 1 else 0.0)


def check_memory(study: Study, workers: int, limit: float) -> None:
    """Raise if a study of this data takes more memory than ``limit`` bytes at the least."""
    X = study.X
    size = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
    each = 2e8 + size + 8.0 * min(study.n_objects, large.FIT_AT_MOST) ** 2
    needed = 2e8 + 2 * size + workers * each
    if needed <= limit:
        return
    fewer = 2e8 + 2 * size + each
    way_out = f"allow {readable(needed)}"
    if fewer <= limit:
        way_out += ", or use fewer workers (--workers 1)"
    raise InputError(
        f"{study.n_objects:,} objects take about {readable(needed)} with {workers} "
        f"worker{'s' * (workers != 1)}, and {readable(limit)} are allowed; {way_out}"
    )


def duration(seconds: float) -> str:
    """A time as a person says it.

    >>> duration(0.2), duration(40), duration(400), duration(9000)
    ('1 s', '40 s', '7 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def order_of_work(jobs: Sequence[work.Job]) -> list[work.Job]:
    """Cheap families first, in each one start of every k before the next, and short fits first."""
    return sorted(
        jobs,
        key=lambda job: (
            job.clusterer.growth,
            not job.clusterer.every_k,
            job.candidates[0].start,
            job.candidates[0].value or 0,
        ),
    )


#: seconds that processes take to start
_START = 5.0


def least_budget(study: Study) -> str:
    """The budget that lets the shortest fit of the last sweep finish, in words."""
    last = study.record.sweeps[-1]
    swept = list(study.fits.known.values())
    table = study.plan(swept, k=last["k"], n_init=last["n_init"], workers=1).table
    each = float((table["seconds"] / table["fits"]).min())
    # processes start, the data are written for them, and a sample is extended
    seconds = 2 * (_START + each + 1e-9 * study.n_objects * large.FIT_AT_MOST)
    return f"{math.ceil(seconds)}s"
