"""The measures of other packages, run beside sortal's on the same clusterings."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import math
import os
import re
import shutil
import subprocess
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.stats import entropy

import sortal
from sortal_lab import ExperimentResult
from sortal_lab.java import with_jar
from sortal_lab.peers import PEERS, Peer

if TYPE_CHECKING:
    from sortal.typing import Floats, Ints, RandomState

EQUAL, CONVENTION, WRONG = "equal", "other convention", "peer wrong"
UNEXPLAINED, NOT_RUN, ABSENT = "unexplained", "not run", "not in sortal"
VERDICTS = (EQUAL, CONVENTION, WRONG, UNEXPLAINED, NOT_RUN, ABSENT)
#: relative difference of equal values: R prints 15 digits, and sums have other orders
TOLERANCE = 1e-7
#: random clusterings of each package
RANDOM_CASES = 12


@dataclass(frozen=True)
class PeerCase:
    """Objects with a gold standard and a clustering.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n, d)
    truth, labels : ndarray of int, shape (n,)
    is_random : bool
        False for degenerate clusterings.
    """

    name: str
    X: Floats
    truth: Ints
    labels: Ints
    is_random: bool = True

    @property
    def names(self) -> dict[str, Any]:
        """What the expressions of the tables read; ``A`` is a graph, and ``Z`` has codes."""
        labelings = {"truth": self.truth, "labels": self.labels}
        D = cdist(self.X, self.X)
        is_edge = (D > 0) & (np.median(D) > D)
        return {
            "X": self.X,
            "Z": np.round(self.X).astype(np.int64),
            "A": np.where(is_edge, 1 / (1 + D), 0.0),
            "truth": self.truth,
            "labels": self.labels,
            "labelings": labelings,
            "k": len(np.unique(self.labels)),
            "n": len(self.labels),
            **vars(sortal.pair_counts(self.truth, self.labels)),
        }


def cases(number: int = RANDOM_CASES, random_state: RandomState = 0) -> Iterator[PeerCase]:
    """Random clusterings, every second one with ties, then degenerate ones."""
    rng = np.random.default_rng(random_state)
    for at in range(number):
        n, d, k = int(rng.integers(30, 80)), int(rng.integers(2, 5)), int(rng.integers(2, 6))
        truth = _in_pairs(rng.integers(0, k, n), k)
        X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(k, d))[truth]
        width = k + at % 2
        labels = _in_pairs(np.where(rng.random(n) < 0.3, rng.integers(0, width, n), truth), width)
        yield PeerCase(f"random {at}", X.round(1) if at % 2 else X, truth, labels)
    n = 24
    X, truth = rng.normal(size=(n, 2)), np.repeat([0, 1, 2], n // 3)
    for name, labels in (
        ("the gold standard", truth),
        ("one cluster", np.zeros(n, dtype=np.int64)),
        ("singletons", np.arange(n)),
        ("a singleton", np.r_[[3], truth[1:]]),
    ):
        yield PeerCase(name, X, truth, labels, is_random=False)


def _in_pairs(labels: Ints, k: int) -> Ints:
    """Labels in which each of k clusters has two objects at least."""
    labels = np.asarray(labels, dtype=np.int64)
    labels[: 2 * k] = np.arange(2 * k) % k
    return labels


# -- values of the packages -----------------------------------------------------------------------


@cache
def _module_names(*modules: str) -> dict[str, Any]:
    """The names of modules, the later ones first."""
    names: dict[str, Any] = {}
    for module in modules:
        names |= vars(importlib.import_module(module))
    return names


def _scikit_learn(peer: Peer, case: PeerCase) -> Any:
    names = _module_names("sklearn.metrics.cluster", "sklearn.metrics") | case.names
    first = "X" if "(X" in peer.call else "truth"
    return eval(peer.run or f"{peer.name}({first}, labels)", dict(names))


def _clusim(peer: Peer, case: PeerCase) -> Any:
    clustering = importlib.import_module("clusim.clustering").Clustering
    T, C = (
        clustering().from_membership_list(list(map(int, side)))
        for side in (case.truth, case.labels)
    )
    names = _module_names("clusim.sim") | {"T": T, "C": C}
    return eval(peer.run or f"{peer.name}(T, C)", dict(names))


def _genieclust(peer: Peer, case: PeerCase) -> Any:
    modules = ("genieclust.compare_partitions", "genieclust.cluster_validity")
    names = _module_names(*modules) | case.names
    first = "X" if "(X" in peer.call else "truth"
    return eval(peer.run or f"{peer.name}({first}, labels)", dict(names))


def _permetrics(peer: Peer, case: PeerCase) -> Any:
    metric = importlib.import_module("permetrics").ClusteringMetric
    judge = metric(X=case.X, y_true=case.truth, y_pred=case.labels)
    return eval(peer.run or f"judge.{peer.name}()", {"judge": judge})


def _elki(peer: Peer, case: PeerCase) -> Any:
    table = _elki_table(case.truth, case.labels)
    names = {
        "pairs": table.getPaircount(),
        "entropies": table.getEntropy(),
        "bcubed": table.getBCubed(),
        "matching": table.getSetMatching(),
    }
    return float(eval(peer.run, names))


def _elki_table(truth: Ints, labels: Ints) -> Any:
    """ELKI's table of two clusterings."""
    jpype = with_jar(_without_index(Path(os.environ[ELKI_JAR])))
    base = jpype.JPackage("de").lmu.ifi.dbs.elki
    sides = []
    for side in (truth, labels):
        clustering = base.data.Clustering("clustering", "clustering")
        for label in np.unique(side):
            ids = base.database.ids.DBIDUtil.newArray()
            for row in np.flatnonzero(side == label).tolist():
                ids.add(base.database.ids.DBIDUtil.importInteger(row))
            clustering.addToplevelCluster(base.data.Cluster(str(label), ids, False))
        sides.append(clustering)
    table = base.evaluation.clustering.ClusterContingencyTable(False, False)
    table.process(*sides)
    return table


@cache
def _without_index(jar: Path) -> str:
    """A copy of a jar without its index, which names jars that are elsewhere."""
    copy = Path(tempfile.mkdtemp()) / "elki.jar"
    with zipfile.ZipFile(jar) as source, zipfile.ZipFile(copy, "w") as target:
        for entry in source.infolist():
            if entry.filename != "META-INF/INDEX.LIST":
                target.writestr(entry.filename, source.read(entry))
    return str(copy)


def _networkx(peer: Peer, case: PeerCase) -> Any:
    networkx = importlib.import_module("networkx")
    graph = networkx.from_numpy_array(case.names["A"])
    parts = [set(np.flatnonzero(case.labels == c).tolist()) for c in np.unique(case.labels)]
    return eval(peer.run, {"networkx": networkx, "np": np, "G": graph, "parts": parts})


def _kmodes(peer: Peer, case: PeerCase) -> Any:
    dissim = importlib.import_module("kmodes.util.dissim")
    return eval(peer.run, {"dissim": dissim, "np": np} | case.names)


def _others(peer: Peer, case: PeerCase) -> Any:
    """Packages whose tables hold the whole expression."""
    names = {"import_module": importlib.import_module} | case.names
    return eval(peer.run, names)


PYTHON: Mapping[str, Callable[[Peer, PeerCase], Any]] = {
    "scikit-learn": _scikit_learn,
    "clusim": _clusim,
    "genieclust": _genieclust,
    "permetrics": _permetrics,
    "hdbscan": _others,
    "validclust": _others,
    "networkx": _networkx,
    "kmodes": _kmodes,
    "ELKI": _elki,
}
#: packages that only CRAN has
ELSEWHERE = ("clusterCrit", "NbClust")
#: names the jar of ELKI 0.7, as Debian's package elki has it
ELKI_JAR = "ELKI_JAR"
#: packages of R, run by one script
IN_R = ("fpc", "clue", "mclust")


def _values_in_r(chosen: list[PeerCase]) -> tuple[dict[str, str], dict[tuple[str, str, str], Any]]:
    """Versions of R's packages, and values by package, name and case; nothing without R."""
    if shutil.which("Rscript") is None:
        return {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for at, case in enumerate(chosen):
            rows = np.column_stack([case.truth + 1, case.labels + 1, case.X])
            np.savetxt(Path(folder) / f"{at}.csv", rows, delimiter=",", fmt="%.17g")
        script, out = Path(folder) / "run.R", Path(folder) / "values.tsv"
        script.write_text(files("sortal_lab").joinpath("conformance.R").read_text("utf-8"))
        finished = subprocess.run(
            ["Rscript", "--vanilla", script, folder, str(len(chosen)), out],
            capture_output=True,
            text=True,
            check=False,
        )
        if not out.is_file():
            raise RuntimeError(f"R stopped: {finished.stderr.strip()[-500:]}")
        versions: dict[str, str] = {}
        values: dict[tuple[str, str, str], Any] = {}
        with out.open(encoding="utf-8", newline="") as lines:
            for package, name, place, text in csv.reader(lines, delimiter="\t"):
                if not name:
                    versions[package] = text
                    continue
                parts = [math.nan if part == "NA" else float(part) for part in text.split()]
                values[package, name, chosen[int(place)].name] = np.array(parts)
    return versions, values


def onmi_of_clusim(truth: Ints, labels: Ints) -> float:
    """What clusim's ``onmi`` computes: 1 − P(1, 1) stands for P(0, 0) in the condition."""
    T, C = ((side[:, None] == np.unique(side)).astype(float) for side in (truth, labels))
    t, c, both = T.mean(axis=0)[:, None], C.mean(axis=0), T.T @ C / len(truth)
    pure = _entropy(both) + _entropy(1 - both)
    mixed = _entropy(t - both) + _entropy(c - both)
    whole_t, whole_c = (_entropy(side) + _entropy(1 - side) for side in (t, c))
    with np.errstate(all="ignore"):
        given_c = np.where(pure > mixed, (pure + mixed - whole_c) / whole_t, np.inf).min(axis=1)
        given_t = np.where(pure > mixed, (pure + mixed - whole_t) / whole_c, np.inf).min(axis=0)
    sides = [np.where(np.isfinite(side), side, 1).mean() for side in (given_c, given_t)]
    return float(1 - sum(sides) / 2)


def _entropy(p: Floats) -> Floats:
    """Part −p log₂ p of an entropy."""
    with np.errstate(all="ignore"):
        return np.where(p > 0, -p * np.log2(p), 0.0)


#: what the expressions of the tables call beside sortal
FORMULAS = {
    "np": np,
    "math": math,
    "pdist": pdist,
    "squareform": squareform,
    "cdist": cdist,
    "entropy": entropy,
    "onmi_of_clusim": onmi_of_clusim,
}


# -- the comparison --------------------------------------------------------------------------------


def ours(expression: str, case: PeerCase) -> Any:
    """Value of an expression of sortal's functions; the message where there is none."""
    names = {name: getattr(sortal, name) for name in dir(sortal)} | FORMULAS | case.names
    try:
        value = eval(expression, names)
    except (ArithmeticError, ValueError) as error:  # sortal's errors of input are ValueErrors
        return str(error)
    return value


def _flat(value: Any) -> Floats:
    """The numbers of a value; empty where it is no number."""
    if isinstance(value, sortal.Scores):
        value = value.table.iloc[:, 0]
    try:
        return np.ravel(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        return np.empty(0)


def _same(a: Any, b: Any) -> bool:
    """Whether two values are finite, and equal within the tolerance."""
    one, two = _flat(a), _flat(b)
    return (
        is_number(a)
        and is_number(b)
        and one.shape == two.shape
        and np.allclose(one, two, rtol=TOLERANCE, atol=1e-9)
    )


def is_number(value: Any) -> bool:
    """Whether it is a finite value, and no message."""
    numbers = np.empty(0) if value is None or isinstance(value, str) else _flat(value)
    return len(numbers) > 0 and bool(np.isfinite(numbers).all())


def run(
    *,
    name: str = "conformance",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Compare every name of the tables of other packages with sortal's call for it.

    ``samples``: random clusterings, 12 by default. Packages that are not installed are not run.

    Returns a row for each name on the random clusterings, with the number of equal values, and a
    row for each degenerate one.
    """
    import pandas as pd

    chosen = list(cases(samples or RANDOM_CASES, random_state))
    versions, in_r = _values_in_r(chosen)
    rows: list[dict[str, Any]] = []
    for package, peers in PEERS.items():
        release = versions.get(package) or release_of(package)
        if progress is not None:
            progress(f"{package} {release or 'is not installed'}")
        rows += rows_of(package, peers, chosen, release, in_r)
    table = pd.DataFrame(rows)
    counts = table["verdict"].value_counts()
    note = ", ".join(f"{verdict} {counts.get(verdict, 0)}" for verdict in VERDICTS)
    return ExperimentResult(name, table, (f"Rows: {note}.",))


def rows_of(
    package: str,
    peers: Iterable[Peer],
    chosen: list[PeerCase],
    release: str | None,
    in_r: Mapping[tuple[str, str, str], Any] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """The rows of one package; ``release`` is None where it is not installed."""
    rows: list[dict[str, Any]] = []
    for peer in peers:
        head = {"package": package, "version": release or "", "name": peer.name}
        # later releases of ELKI have the names without a call
        is_run = release and not peer.is_skipped and (package != "ELKI" or peer.run)
        if not is_run:
            verdicts = _not_run(peer, why_not_run(package, peer, release))
        elif package in PYTHON:
            verdicts = _compared(peer, _values_in_python(package, peer, chosen), chosen)
        else:
            of_case = {case.name: in_r.get((package, peer.name, case.name)) for case in chosen}
            verdicts = _compared(peer, of_case, chosen)
        rows += [head | {"sortal": peer.call} | row for row in verdicts]
    return rows


def _release_of_jar(jar: Path) -> str:
    """Release that a jar states."""
    with zipfile.ZipFile(jar) as entries:
        manifest = entries.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    stated = re.search(r"^Implementation-Version: (\S+)", manifest, re.MULTILINE)
    return stated[1] if stated else "unknown"


def _values_in_python(package: str, peer: Peer, chosen: list[PeerCase]) -> dict[str, Any]:
    """Values of one name by case, in a process apart, since a peer may abort it."""
    try:
        results = _in_process(package, peer, chosen)
    except BrokenProcessPool:
        results = []
        for case in chosen:
            try:
                results += _in_process(package, peer, [case])
            except BrokenProcessPool:
                results.append("aborts the process")
    return {case.name: value for case, value in zip(chosen, results, strict=True)}


_POOLS: list[ProcessPoolExecutor] = []


def _in_process(package: str, peer: Peer, chosen: list[PeerCase]) -> list[Any]:
    """Values of one name, by the process that runs the peers."""
    if not _POOLS:
        _POOLS.append(ProcessPoolExecutor(1, mp_context=get_context("spawn")))
    try:
        return _POOLS[0].submit(_called, package, peer, chosen).result()
    except BrokenProcessPool:
        _POOLS.pop().shutdown()
        raise


def _called(package: str, peer: Peer, chosen: list[PeerCase]) -> list[Any]:
    """Values of one name as arrays, or the error in words."""
    values: list[Any] = []
    for case in chosen:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                values.append(_flat(PYTHON[package](peer, case)))
            except Exception as error:  # a peer may fail in any way
                values.append(f"{type(error).__name__}: {error}")
    return values


def release_of(package: str) -> str | None:
    """Installed version of a package; None where it is not installed."""
    if package == "ELKI":
        jar = os.environ.get(ELKI_JAR)
        able = jar and importlib.util.find_spec("jpype")
        return _release_of_jar(Path(jar)) if jar and able else None
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def why_not_run(package: str, peer: Peer, release: str | None) -> str:
    """Why a package was not asked for a name."""
    if package in ELSEWHERE:
        return "neither in Debian nor in PyPI"
    if not release:
        return "not installed"
    return "judges no given clustering" if peer.is_skipped else f"not in release {release}"


def _not_run(peer: Peer, why: str = "") -> Iterator[dict[str, Any]]:
    """The row of a name that is not compared."""
    verdict, reasons = (NOT_RUN, [why, peer.note]) if peer.call else (ABSENT, [peer.note])
    reason = "; ".join(filter(None, reasons))
    yield {"clusterings": "", "verdict": verdict, "equal": 0, "compared": 0, "reason": reason}


def _compared(
    peer: Peer, of_case: Mapping[str, Any], chosen: list[PeerCase]
) -> Iterator[dict[str, Any]]:
    """Verdicts on one name: one for all random clusterings, one for each degenerate one."""
    if not peer.call and not peer.there:
        yield from _not_run(peer)
        return
    random = [_one_case(peer, of_case[case.name], case) for case in chosen if case.is_random]
    verdicts = {verdict for verdict, _ in random}
    worst = next(v for v in (UNEXPLAINED, WRONG, CONVENTION, EQUAL) if v in verdicts)
    yield {
        "clusterings": "random",
        "verdict": worst,
        "equal": sum(verdict == EQUAL for verdict, _ in random),
        "compared": len(random),
        "reason": peer.note,
    }
    for case in chosen:
        if not case.is_random:
            verdict, reason = _one_case(peer, of_case[case.name], case)
            yield {
                "clusterings": case.name,
                "verdict": verdict,
                "equal": int(verdict == EQUAL),
                "compared": 1,
                "reason": reason,
            }


def _one_case(peer: Peer, theirs: Any, case: PeerCase) -> tuple[str, str]:
    """Verdict on the values of one clustering, and the reason of a difference."""
    value = ours(peer.call or peer.there, case)
    if not is_number(value) and not is_number(theirs):
        return EQUAL, "no value in both"
    both = f"{_short(value)} here, {_short(theirs)} there"
    if not is_number(theirs):
        return CONVENTION, f"{both}: {_message(theirs)}"
    if _same(theirs, value):
        return (EQUAL if peer.call else CONVENTION), "" if peer.call else peer.note
    if peer.there and _same(theirs, ours(peer.there, case)):
        return (WRONG if peer.is_wrong else CONVENTION), peer.note
    if not is_number(value):
        return CONVENTION, f"{both}: {_message(value)}"
    return UNEXPLAINED, both


def _message(value: Any) -> str:
    """Why there is no value."""
    if isinstance(value, str):
        return value.partition("\n")[0]
    return "nothing is returned" if value is None else "not a finite number"


def _short(value: Any) -> str:
    if not is_number(value):
        return "no value"
    numbers = _flat(value)
    return f"{numbers[0]:.6g}" if len(numbers) == 1 else f"{len(numbers)} values"
