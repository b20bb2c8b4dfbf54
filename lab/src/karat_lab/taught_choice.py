"""What a network that was taught to cluster adds to the sweep and to the choice.

The network (:mod:`karat_lab.taught_network`) is trained on generated tables only. Decoding is
chosen on further generated tables. The real collections are opened once, with the trained network:
its own answer, the best candidate and the judge's choice are compared with and without it.

The rule, written before the result: the library gets the clusterer only where the judge's choice
on real tables is better with it by more than the error, or the best candidate by 0.03. The mean of
the judge's score and of the network's expected agreement is a way of choosing that was not tuned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import HDBSCAN

from karat import InputError
from karat.judge import Judge, load_judge
from karat.study.judgement import by_expected_agreement
from karat_lab import ExperimentResult
from karat_lab.cases import TrainingCase
from karat_lab.choice_corpus import (
    NUMBERS,
    agreement,
    case_of,
    case_path,
    keep,
    kept,
    outliers_alone,
)
from karat_lab.choice_generated import GROUP_OF
from karat_lab.choice_shapes import CLOUDS
from karat_lab.choice_table import GROUPS, mean_of_collections, members, table_of, with_interval
from karat_lab.choice_tasks import build, plan
from karat_lab.rivals import RIVALS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.types import Floats, Ints

#: seconds of training at most, and steps over which the learning rate falls
SECONDS, STEPS = 7200.0, 10_000
#: short trainings, which show what the kinds of tables are worth: groups that are left out
FEWER_STEPS = 1_500
ABLATED = {
    "all kinds": (),
    "no mixtures": ("mixtures", "many"),
    "no curves": ("curves", "densities"),
    "no tables": ("warped", "tables", "categories", "counts"),
}
#: generated tables on which decoding is chosen, and their seed, apart from training's
TABLES, SEED = 400, 977
SOURCE = "taught"
#: a clusterer and the rule that chooses among its partitions
CLASSICAL = (
    ("gaussian-mixture", "likelihood (BIC, full covariances)"),
    ("kmeans", "silhouette"),
)


@dataclass(frozen=True)
class Reading:
    """What the network says about a table: pairs (n, n), numbers of clusters (16,)."""

    both: Floats
    numbers: Floats

    @cached_property
    def tree(self) -> Floats:
        """Average linkage of the probabilities to be apart."""
        apart = squareform(np.clip(1 - self.both, 0, 1), checks=False)
        return np.asarray(linkage(apart, "average"))

    def cuts(self, numbers: Sequence[int]) -> dict[int, Ints]:
        """Partition by number of clusters."""
        possible = [k for k in numbers if k <= len(self.both)]
        return dict(zip(possible, cut_tree(self.tree, possible).T.astype(np.int64), strict=True))

    def expected(self, codes: NDArray[Any]) -> float:
        """Expected adjusted Rand index of a partition, from the probabilities of pairs."""
        n = len(codes)
        labels = outliers_alone(codes)
        member = np.zeros((n, labels.max() + 1))
        member[np.arange(n), labels] = 1
        sizes = member.sum(axis=0)
        together = (sizes * (sizes - 1)).sum() / 2
        hit = (np.einsum("ic,ic->", self.both @ member, member) - np.trace(self.both)) / 2
        truth = (self.both.sum() - np.trace(self.both)) / 2
        chance = together * truth / (n * (n - 1) / 2)
        most = (together + truth) / 2
        return float((hit - chance) / (most - chance)) if most > chance else 1.0

    def answer(self, way: str) -> Ints:
        """Its own partition, k by the distribution of numbers or by the expected agreement."""
        cuts = self.cuts(range(1, 17))
        if way == "number":
            return cuts[min(int(np.argmax(self.numbers)) + 1, len(self.both))]
        some = [codes for k, codes in cuts.items() if k > 1]
        return max(some, key=self.expected)


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Train, choose the decoding, and open the real collections.

    ``samples``: seconds of training; in full those of 10,000 steps. ``storage`` keeps the network
    and the cases.

    Returns mean adjusted Rand index with and without the network's partitions, by family.
    """
    if find_spec("torch") is None:
        raise InputError("The experiment 'taught' needs PyTorch: pip install './lab[taught]'")
    from karat_lab.taught_training import DRAWN_KINDS, train

    say = progress or (lambda line: None)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary if storage is None else storage)
        folder.mkdir(parents=True, exist_ok=True)
        network = folder / "network.pt"
        curve = train(
            network, SECONDS if samples is None else samples, seed=random_state, planned=STEPS
        )
        say(f"trained: {curve[-1]}")
        read = reader(network)
        way, notes = decoding(read, TABLES if samples is None else 20, say)
        short = {}
        for words, groups in ABLATED.items() if samples is None else ():
            file = folder / f"short-{'-'.join(groups) or 'all'}.pt"
            kinds = [kind for kind in DRAWN_KINDS if GROUP_OF.get(kind) not in groups]
            train(file, SECONDS, seed=random_state, kinds=kinds, planned=FEWER_STEPS)
            short[f"own answer after {FEWER_STEPS:,} steps, {words}"] = reader(file)
            say(words)
        trials = list(_trials(read, way, folder / "cases", say, samples, short))
    return ExperimentResult(name, table_of(trials), (*notes, _about(curve), *_compared(trials)))


def reader(path: Path) -> Callable[[Floats], Reading]:
    """Function from a table to what the network of a file says."""
    import torch

    from karat_lab.taught_network import TaughtNetwork, read_tables

    network = TaughtNetwork()
    network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["network"])
    network.eval()
    return lambda X: Reading(*read_tables(network, X))


# -- generated tables --------------------------------------------------------------------------


def decoding(
    read: Callable[[Floats], Reading], tables: int, say: Callable[[str], None]
) -> tuple[str, list[str]]:
    """Way of choosing k that is best on generated tables, and notes on their agreement."""
    rows = list(_generated(read, tables))
    ways = ("number", "expected")
    means = {way: float(np.mean([row[way] for row in rows])) for way in ways}
    way = max(means, key=means.__getitem__)
    groups = sorted({str(row["group"]) for row in rows})
    by_group = ", ".join(
        f"{group} {_mean(rows, group, way):.2f} ({_mean(rows, group, 'ward'):.2f})"
        for group in groups
    )
    at_k, ward = (float(np.mean([row[key] for row in rows])) for key in ("at k", "ward"))
    say(f"decoding: {means}")
    return way, [
        f"{len(rows)} generated tables, other seeds than in training: k by the network's "
        f"distribution {means['number']:.3f}, by its expected agreement {means['expected']:.3f}. "
        f"With the true k {at_k:.3f}, Ward's method {ward:.3f}.",
        f"By group of kinds, in brackets Ward's method with the true k: {by_group}.",
    ]


def _mean(rows: Sequence[dict[str, Any]], group: str, key: str) -> float:
    """Mean of a column in a group."""
    return float(np.mean([row[key] for row in rows if row["group"] == group]))


def _generated(read: Callable[[Floats], Reading], tables: int) -> Iterator[dict[str, Any]]:
    """Agreement of the network's partitions on generated tables with classes."""
    from karat_lab.taught_training import DRAWN_KINDS, draw

    rng = np.random.default_rng(SEED)
    with_classes = [kind for kind in DRAWN_KINDS if kind not in CLOUDS]
    for number in range(tables):
        kind = with_classes[number % len(with_classes)]
        drawn = draw(kind, rng, int(np.exp(rng.uniform(np.log(60), np.log(400)))))
        if drawn is None:
            continue
        X, truth = drawn
        k = len(np.unique(truth[truth >= 0]))
        reading = read(X)
        ward = cut_tree(linkage(X, "ward"), k)[:, 0]
        yield {
            "group": GROUP_OF[kind],
            "number": agreement(reading.answer("number"), truth),
            "expected": agreement(reading.answer("expected"), truth),
            "at k": agreement(reading.cuts([k])[k], truth),
            "ward": agreement(ward, truth),
        }


# -- real collections --------------------------------------------------------------------------


@dataclass(frozen=True)
class TaughtTrial:
    """A collection: its case with the network's candidates, and agreements by way of choosing."""

    case: TrainingCase
    reached: dict[str, float]
    seconds: float


def _trials(
    read: Callable[[Floats], Reading], way: str, folder: Path, say: Callable[[str], None],
    samples: int | None, short: Mapping[str, Callable[[Floats], Reading]],
) -> Iterator[TaughtTrial]:  # fmt: skip
    """Every whole collection, or three of them in a short trial."""
    judge = load_judge()
    folder.mkdir(parents=True, exist_ok=True)
    todo = plan(0) if samples is None or samples > 60 else plan(0)[:3]
    for number, task in enumerate(todo):
        drawn = build(task)
        X, truths = np.asarray(drawn.X, dtype=np.float64), drawn.truths
        start = time.perf_counter()
        reading = read(X)
        own = reading.answer(way)
        seconds = time.perf_counter() - start
        density = agreement(HDBSCAN(copy=True).fit_predict(X), truths[0])
        path = case_path(folder, task)
        if path.exists():
            case = kept(path)
        else:
            partitions = [*reading.cuts(NUMBERS).values(), own]
            case = case_of(task, [(SOURCE, codes) for codes in partitions])
            keep(case, path)
        say(f"{number + 1} of {len(todo)} collections: {task[1]}")
        if case is not None:
            reached = _reached(case, judge, reading, own, truths[0])
            reached["HDBSCAN, defaults"] = density
            for words, read_less in short.items():
                reached[words] = agreement(read_less(X).answer(way), truths[0])
            yield TaughtTrial(case, reached, seconds)


def _reached(
    whole: TrainingCase, judge: Judge, reading: Reading, own: Ints, truth: Ints
) -> dict[str, float]:
    """Agreement of the choices with and without the network's candidates."""
    case = whole.sweep
    others = case.take(np.flatnonzero([bool(by - {SOURCE}) for by in case.sources]))
    out = {"the network's own answer": agreement(own, truth)}
    for words, some in (("with", case), ("without", others)):
        chosen = by_expected_agreement(judge, judge(some.evidence), some.evidence, some.repeatable)
        assert some.codes is not None
        expected = np.array([reading.expected(codes) for codes in some.codes])
        out |= {
            f"judge, {words}": float(some.first[int(np.argmax(chosen.score))]),
            f"expected agreement by the network, {words}": float(some.first[np.argmax(expected)]),
            f"mean of judge and network, {words}": float(
                some.first[int(np.argmax(chosen.score + expected))]
            ),
            f"best candidate, {words}": float(some.first.max()),
        }
    for source, rival in CLASSICAL:
        alone = case.take(np.flatnonzero([source in by for by in case.sources]))
        if len(alone.first):
            out[f"{source} by {rival}"] = float(alone.first[int(np.argmax(RIVALS[rival](alone)))])
    return out


def _compared(trials: Sequence[TaughtTrial]) -> list[str]:
    """Differences that the rule is about, with intervals, and the cost."""
    cases = [trial.case for trial in trials]
    notes = []
    for way, before in (("judge", "judge"), ("mean of judge and network", "judge"),
                        ("best candidate", "best candidate")):  # fmt: skip
        differences = np.array(
            [t.reached[f"{way}, with"] - t.reached[f"{before}, without"] for t in trials]
        )
        parts = [
            f"{title} {with_interval(mean_of_collections(cases, selected, differences), '+.3f')}"
            for title, family, whole in GROUPS
            if len(selected := members(cases, family, whole))
        ]
        notes.append(f"{way} with it, less {before} without: {'; '.join(parts)}.")
    notes.append(
        f"Median time of the network's answer {np.median([t.seconds for t in trials]):.2f} s."
    )
    return notes


def _about(curve: Sequence[dict[str, float]]) -> str:
    """Length of the training and its curve, in words."""
    from karat_lab.taught_training import TABLES_OF_STEP

    at = [curve[round(share * (len(curve) - 1))] for share in (0, 0.25, 0.5, 1)]
    losses = ", ".join(f"step {line['step']} {line['pairs']:.3f}" for line in at)
    return (
        f"Trained on {curve[-1]['step']} steps of {TABLES_OF_STEP} generated tables in "
        f"{curve[-1]['seconds'] / 60:.0f} minutes. "
        f"Cross-entropy of pairs over the last hundred steps: {losses}."
    )
