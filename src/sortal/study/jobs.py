"""Jobs: fits that run together, and the outcome of whatever a clusterer does in them."""

from __future__ import annotations

import hashlib
import signal
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TextIO

import numpy as np

from sortal.clusterers import configured, memberships_of
from sortal.labelings.labels import encode
from sortal.labelings.partitions import SoftPartition
from sortal.labelings.structures import as_kept
from sortal.runtime.threads import thread_pools
from sortal.runtime.validation import InputError
from sortal.study.store import Finished, Planned

if TYPE_CHECKING:
    from types import FrameType

    from numpy.typing import NDArray

    from sortal.clusterers import Clusterer
    from sortal.typing import Labels, Rows


def derived_seed(root: int, name: str) -> int:
    """A seed for one candidate that depends on the study's seed and its name alone."""
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype=np.uint32)
    return int(np.random.SeedSequence([root, *words.tolist()]).generate_state(1)[0])


@dataclass(frozen=True)
class Job:
    """Fits of a clusterer that run together: a single one, or all cuts of one tree."""

    clusterer: Clusterer
    candidates: tuple[Planned, ...]
    #: where the data are means of cells: how many objects each has
    sizes: NDArray[np.int64] | None = None


def jobs_for(clusterer: Clusterer, candidates: Sequence[Planned]) -> list[Job]:
    """The jobs for the candidates of a clusterer."""
    if clusterer.every_k:
        return [Job(clusterer, tuple(candidates))] if candidates else []
    return [Job(clusterer, (candidate,)) for candidate in candidates]


# a fit may call sys.exit, or raise KeyboardInterrupt without anybody having pressed Ctrl-C
FROM_A_FIT = (Exception, SystemExit, KeyboardInterrupt)
_stop_requested = threading.Event()


def _reraise_if_stopped(error: BaseException) -> None:
    """Raise an error again if Ctrl-C or SIGTERM came, not the clusterer."""
    if _stop_requested.is_set():
        raise error


@contextmanager
def stops_noted() -> Iterator[None]:
    """Tell Ctrl-C and SIGTERM from what a fit raises, and let SIGTERM end tidily."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    signals: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        _stop_requested.set()
        signals.append(number)
        earlier = before[signal.Signals(number)]
        if callable(earlier):
            earlier(number, frame)
        else:
            raise SystemExit(128 + number)

    for number, handler in before.items():
        if handler not in (signal.SIG_IGN, None):
            signal.signal(number, stop)
    try:
        yield
        if signals:  # raised where exceptions are ignored: in a callback of C, or a finalizer
            stop(signals[-1], None)
    except Exception:
        if signals:  # compiled code makes a SystemError of it
            stop(signals[-1], None)
        raise
    finally:
        _stop_requested.clear()
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


def is_own(clusterer: Clusterer) -> bool:
    """Whether sortal itself makes its estimators, and not a user or another package."""
    maker = getattr(clusterer.make, "func", clusterer.make)
    module = getattr(maker, "__module__", None) or ""
    return module.startswith("sortal.") and maker is not configured


def _lent(X: Rows, clusterer: Clusterer) -> Rows:
    """The data as a clusterer gets them: one that is not ours cannot write to them."""
    if is_own(clusterer):
        return X
    if isinstance(X, np.ndarray):
        lent = X.view()
        lent.flags.writeable = False
        return lent
    arrays = [array.view() for array in (X.data, X.indices, X.indptr)]
    for array in arrays:
        array.flags.writeable = False
    return type(X)(tuple(arrays), shape=X.shape, copy=False)


def run_job(X: Rows, job: Job) -> list[Finished]:
    """Fit, and never raise for what a clusterer does."""
    n = X.shape[0]
    if job.clusterer.parameter == "n_clusters":
        too_many = [c for c in job.candidates if (c.value or 0) > n]
        if too_many:
            rejected = [
                Finished(c.name, "failed", f"{c.value} clusters of {n} objects", None, 0.0)
                for c in too_many
            ]
            fine = tuple(c for c in job.candidates if c not in too_many)
            return rejected + (run_job(X, replace(job, candidates=fine)) if fine else [])
    # the candidates are what runs side by side; sums inside a fit also stay in one order
    with thread_pools().limit(limits=1):
        if job.clusterer.every_k:
            return _cut_tree(X, job)
        return [_fit(X, job.clusterer, candidate) for candidate in job.candidates]


#: ``caught`` collects the warnings of a thread; threads without it warn as usual
_of_thread = threading.local()


@contextmanager
def shared_threads() -> Iterator[None]:
    """Let fits run in threads of this process: one thread each, and separate warnings.

    ``warnings.catch_warnings`` works on the whole process: fits that enter and leave it in turn
    would get each other's warnings.
    """
    with thread_pools().limit(limits=1), warnings.catch_warnings():
        show = warnings.showwarning

        def note(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not hasattr(_of_thread, "caught"):
                show(message, category, filename, lineno, file, line)
            else:
                warning = warnings.WarningMessage(message, category, filename, lineno)
                _of_thread.caught.append(warning)

        warnings.simplefilter("always")
        warnings.showwarning = note
        yield


def run_in_thread(X: Rows, job: Job) -> list[Finished]:
    """:func:`run_job` in one of several threads, within :func:`shared_threads`."""
    _of_thread.caught = []
    return run_job(X, job)


@contextmanager
def _caught() -> Iterator[list[warnings.WarningMessage]]:
    """The warnings of a fit."""
    if hasattr(_of_thread, "caught"):
        _of_thread.caught.clear()
        yield _of_thread.caught
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def _fit(X: Rows, clusterer: Clusterer, candidate: Planned) -> Finished:
    """Fit one candidate."""
    assert candidate.value is not None
    value, seed = candidate.value, candidate.seed or 0
    began = time.perf_counter()
    with _caught() as caught:
        try:
            estimator, lent = clusterer.make(value, seed), _lent(X, clusterer)
            labels = estimator.fit_predict(lent)
            memberships = memberships_of(estimator, lent, labels)
        except FROM_A_FIT as error:
            _reraise_if_stopped(error)
            seconds = time.perf_counter() - began
            return Finished(candidate.name, "failed", one_line(error), None, seconds)
    seconds = time.perf_counter() - began
    outcome = _outcome(clusterer, candidate, labels, X.shape[0], seconds, caught)
    if memberships is None or outcome.labels is None:
        return outcome
    return replace(outcome, memberships=as_kept(SoftPartition(memberships)))


def _cut_tree(X: Rows, job: Job) -> list[Finished]:
    """Fit a tree once, and cut it for each candidate."""
    began = time.perf_counter()
    with _caught() as caught:
        try:
            model, lent = job.clusterer.make(1, 0), _lent(X, job.clusterer)
            tree = model.fit(lent) if job.sizes is None else model.fit_cells(lent, job.sizes)
        except FROM_A_FIT as error:
            _reraise_if_stopped(error)
            share = (time.perf_counter() - began) / len(job.candidates)
            return all_failed(job, one_line(error), share)
    share = (time.perf_counter() - began) / len(job.candidates)
    outcomes = []
    for candidate in job.candidates:
        began = time.perf_counter()
        try:
            labels = tree.cut(candidate.value)
        except FROM_A_FIT as error:
            _reraise_if_stopped(error)
            outcomes.append(Finished(candidate.name, "failed", one_line(error), None, share))
            continue
        seconds = share + time.perf_counter() - began
        outcomes.append(
            _outcome(job.clusterer, candidate, labels, X.shape[0], seconds, caught, job.sizes)
        )
    return outcomes


def all_failed(job: Job, reason: str, seconds: float = 0.0) -> list[Finished]:
    """The outcomes of a job that failed as a whole."""
    return [Finished(c.name, "failed", reason, None, seconds) for c in job.candidates]


def _outcome(
    clusterer: Clusterer,
    candidate: Planned,
    labels: Labels,
    n: int,
    seconds: float,
    caught: Sequence[warnings.WarningMessage],
    sizes: NDArray[np.int64] | None = None,
) -> Finished:
    """The outcome of a fit that gave labels: usable, flagged or failed."""
    try:
        encoded = encode(labels)
    except InputError as error:
        return Finished(candidate.name, "failed", one_line(error), None, seconds)
    if len(encoded.codes) != n:
        reason = f"it gave {len(encoded.codes):,} labels for {n:,} objects"
        return Finished(candidate.name, "failed", reason, None, seconds)
    if encoded.n_clusters == 0:
        reason = "every object is an outlier"
        return Finished(candidate.name, "failed", reason, None, seconds)
    flags = []
    if clusterer.parameter == "n_clusters" and encoded.n_clusters != candidate.value:
        flags.append(f"{encoded.n_clusters} clusters where {candidate.value} were asked for")
    flags += lopsided(encoded.codes, sizes)
    flags += dict.fromkeys(one_line(w.message) for w in caught if _matters(w))
    status = "flagged" if flags else "ok"
    return Finished(candidate.name, status, "; ".join(flags) or None, encoded.codes, seconds)


def lopsided(codes: NDArray[np.int32], each: NDArray[np.int64] | None = None) -> list[str]:
    """The flag of a clustering that only splits off single objects, if it is one.

    ``each`` is how many objects a code stands for, by default one.
    """
    inside = codes >= 0
    weights = None if each is None else each[inside]
    sizes = np.sort(np.bincount(codes[inside], weights).astype(np.int64))
    if len(sizes) < 2 or sizes[-2] > 1 or sizes[-1] < 0.9 * sizes.sum():
        return []
    apart = "1 object" if len(sizes) == 2 else f"{len(sizes) - 1:,} single objects"
    return [f"it only sets {apart} apart from {sizes[-1]:,} others"]


def _matters(warning: warnings.WarningMessage) -> bool:
    """Whether a warning says something about the clustering."""
    from sklearn.exceptions import ConvergenceWarning

    if issubclass(warning.category, (DeprecationWarning, FutureWarning)):
        return False
    return issubclass(warning.category, (ConvergenceWarning, UserWarning, RuntimeWarning))


def one_line(error: object) -> str:
    """What an error says, on one line."""
    text = " ".join(str(error).split()) or "no message"
    prefix = "" if isinstance(error, (InputError, Warning)) else f"{type(error).__name__}: "
    return prefix + (text if len(text) <= 300 else text[:297] + "...")
