"""How low the guarantee is beside its rivals, how many labels it needs, and what it sees.

``python -m benchmarks.guarantee [TASK ...] [DRAWS]`` from ``../shared/data``; the tasks are in
``main``, by default all of them. Candidates are those of a study with k = 2 to 10, one
start each; delta = 0.1.

What was seen when: the settings of the classifier (:class:`karat.bounds.Learner`), the prior and
the shares of the sequences, and that half of the labels teach were chosen on SEEN and simulations;
of the tables in KEPT the results of logistic regression on the features and on the memberships
were known.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import karat
from karat.bounds import (
    LabelSequence,
    b_always,
    b_max,
    doubted_draw,
    forecast_labels,
    sample,
)
from karat.labeling import teaching_objects
from karat.labelings.partitions import Labelings, as_labelings

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SEEN = ("glass", "ionosphere", "segment", "satimage", "spambase", "optdigits")
KEPT = ("breast_w", "dermatology", "ecoli", "seeds", "wdbc", "wine", "vehicle", "yeast")
MOST = 1_500
DELTA = 0.1
#: objects that teach before a sequence, as in karat label
TEACH = 20


@cache
def read(name: str) -> tuple[np.ndarray, np.ndarray, Labelings]:
    """At most 1,500 objects with standardised features, their classes, and the candidates."""
    entry = next(e for e in json.loads((DATA / "datasets.json").read_text()) if e["name"] == name)
    options = {"label_column": "label", "scale": "standard", "impute": "median"}
    data = karat.datasets.read(DATA / entry["path"], **options)
    X, y = np.asarray(data.X, float), pd.factorize(np.array([str(v) for v in data.truth]))[0]
    rows = np.arange(len(X))
    if len(X) > MOST:
        rows = np.random.default_rng(0).permutation(len(X))[:MOST]
    study = karat.Study(X[rows])
    with threadpool_limits(1):
        study.sweep(k=range(2, 11), n_init=1)
    fitted = study.candidates.index[study.candidates["status"] != "failed"]
    return X[rows], y[rows], as_labelings({c: study.labels(c) for c in fitted}, noise="cluster")


def partly(y: np.ndarray, order: np.ndarray) -> np.ndarray:
    few = np.full(len(y), None, dtype=object)
    few[order] = y[order]
    return few


def after(taught: np.ndarray, n: int, seed: int) -> np.ndarray:
    """All objects but those that teach, in the order of a draw."""
    order = sample(n, n, random_state=seed)
    return order[~np.isin(order, taught)]


def on_half(features: object, y: np.ndarray, order: np.ndarray, penalty: float) -> tuple[int, int]:
    """Logistic regression on one half of the labels, tested on the other: bound and true errors."""
    train, test = order[: len(order) // 2], order[len(order) // 2 :]
    rest = np.setdiff1d(np.arange(len(y)), order)
    predicted = np.full(len(y), y[train][0])
    if len(set(y[train])) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(max_iter=300, C=penalty).fit(features[train], y[train])
        predicted = model.predict(features)
    bound = b_max(len(test), len(rest), int((predicted[test] != y[test]).sum()), DELTA)
    return bound, int((predicted[rest] != y[rest]).sum())


def one_draw(name: str, m: int, seed: int) -> dict[str, object]:
    X, y, batch = read(name)
    order = sample(len(y), m, random_state=seed)
    few, rest = partly(y, order), np.setdiff1d(np.arange(len(y)), order)
    blocks = [sparse.csr_matrix((np.ones(len(y)), (np.arange(len(y)), c))) for c in batch.codes]
    memberships = sparse.hstack(blocks).tocsr() * (10 / len(batch))
    found = {
        "clusters": karat.guarantee(batch, few, DELTA, order=order),
        "and features": karat.guarantee(batch, few, DELTA, X=X, order=order),
        "anytime": karat.guarantee(batch, few, DELTA, True, order=order),
    }
    row: dict[str, object] = {"set": name, "m": m, "seed": seed}
    taught = teaching_objects(batch, m // 2)
    drawn = after(taught, len(y), seed)[: m - len(taught)]
    both = partly(y, np.concatenate([taught, drawn]))
    for key, with_X in (("half of them teach", None), ("half of them teach, and features", X)):
        found[key] = karat.guarantee(batch, both, DELTA, X=with_X, order=drawn, taught=taught)
    for key, one in found.items():
        hidden = rest
        if "teach" in key:
            hidden = np.setdiff1d(np.arange(len(y)), np.concatenate([taught, drawn]))
        row[key] = one.bound_rate
        row[f"{key} broken"] = (one.labels[hidden] != y[hidden]).sum() > one.bound
        row[f"{key} wrong"] = (one.labels[hidden] != y[hidden]).mean()
    with threadpool_limits(1):
        rivals = {
            "LR memberships": on_half(memberships, y, order, 100),
            "LR features": on_half(X, y, order, 1),
        }
    rivals["largest class"] = on_half(np.zeros((len(y), 1)), y, order, 1)
    for key, (bound, errors) in rivals.items():
        row[key], row[f"{key} broken"] = bound / len(rest), errors > bound
    row["pac-mdl"] = karat.pac_mdl_bound(batch, few, DELTA).best.bound_rate
    return row


def tightness(draws: int, names: tuple[str, ...] = KEPT) -> pd.DataFrame:
    """Mean bounds, their standard errors over the draws within each set, and broken shares."""
    rows = []
    for name in names:
        y = read(name)[1]
        sizes = [m for m in (20, 50, 100) if m <= 0.6 * len(y)]
        rows += [one_draw(name, m, seed) for m in sizes for seed in range(draws)]
    table = pd.DataFrame(rows)
    by_set = table.drop(columns="seed").groupby(["m", "set"])
    means = by_set.mean()
    errors = (by_set.std(ddof=1) / draws**0.5).pow(2).groupby("m").sum().pow(0.5)
    errors = errors.div(means.groupby("m").size(), axis=0)
    shown = [c for c in means if not c.endswith("broken")]
    told = pd.DataFrame(
        {
            f"m = {m}": [f"{means.loc[m, c].mean():.3f} ± {errors.loc[m, c]:.3f}" for c in shown]
            for m in means.index.levels[0]
        },
        index=shown,
    )
    broken = table[[c for c in table if c.endswith("broken")]].mean()
    told["broken"] = [f"{broken.get(f'{c} broken', np.nan):.3f}" for c in shown]
    print(f"{len(names)} tables, {draws} draws each, delta = {DELTA}: mean bound ± standard error")
    print(told.to_string())
    return table


def stopping(draws: int) -> None:
    """Labels until a target is met, beside the best number fixed beforehand (in hindsight)."""
    print(
        f"set, target: labels at the stop (mean ± error) with {TEACH} that teach, without; "
        "reached, broken; fixed numbers that reach it in half of the draws, half of them teaching, "
        "none of them"
    )
    for name, target in (("breast_w", 0.1), ("wdbc", 0.1), ("wine", 0.15), ("dermatology", 0.2)):
        X, y, batch = read(name)
        most = min(200, len(y) // 2)
        stops: dict[int, list[int]] = {TEACH: [], 0: []}
        broken, steps = 0, [m for m in (round(16 * 1.1**i) for i in range(40)) if m <= most]
        met = {True: np.zeros((draws, len(steps))), False: np.zeros((draws, len(steps)))}
        for seed in range(draws):
            for k, list_ in stops.items():
                taught = teaching_objects(batch, k)
                order = after(taught, len(y), seed)
                keeps = LabelSequence(batch, DELTA, target, X=X, taught=taught)
                for m in range(max(1, 10 - k), most - k + 1):
                    said = partly(y, np.concatenate([taught, order[:m]]))
                    found = keeps.update(said, order[:m])
                    if found.bound_rate <= target:
                        break
                rest = order[m:]
                broken += (found.labels[rest] != y[rest]).sum() > found.bound
                list_.append(k + m)
            for teaches, i in ((t, i) for t in met for i in range(len(steps))):
                taught = teaching_objects(batch, steps[i] // 2 if teaches else 0)
                order = after(taught, len(y), seed)[: steps[i] - len(taught)]
                said = partly(y, np.concatenate([taught, order]))
                fixed = karat.guarantee(batch, said, X=X, order=order, taught=taught)
                met[teaches][seed, i] = fixed.bound_rate <= target
        fixed = [next((m for m, r in zip(steps, some.mean(axis=0), strict=True) if r >= 0.5), None)
                 for some in met.values()]  # fmt: skip
        told = [f"{np.mean(v):.0f} ± {np.std(v, ddof=1) / draws**0.5:.0f}" for v in stops.values()]
        reached = np.mean(np.array(stops[TEACH]) < most)
        print(f"{name}, {target:.0%}: {told[0]}, {told[1]}; {reached:.0%}, "
              f"{broken} of {2 * draws}; {fixed[0]}, {fixed[1]}", flush=True)  # fmt: skip


def forecasts(draws: int) -> None:
    """How often the number of further labels is in the interval of the forecast."""
    inside, never, told = 0, 0, 0
    for name, target in (("breast_w", 0.1), ("wdbc", 0.12), ("wine", 0.15), ("seeds", 0.2)):
        X, y, batch = read(name)
        most = len(y) // 2
        for seed in range(draws):
            order = sample(len(y), most, random_state=seed)
            m = 30
            found = karat.guarantee(batch, partly(y, order[:m]), X=X, order=order[:m])
            said = forecast_labels(found, target)
            if said.more == 0:
                continue
            reached = None
            for k in range(m + 5, most + 1, 5):
                later = karat.guarantee(batch, partly(y, order[:k]), X=X, order=order[:k])
                if later.bound_rate <= target:
                    reached = k
                    break
            told += 1
            low, high = said.low or np.inf, said.high or np.inf
            if reached is None:
                inside += high >= most - m
            else:
                inside += low - 5 <= reached - m <= high
                never += said.low is None
    print(f"forecasts from 30 labels: {inside} of {told} in their interval; {never} spoke against "
          "a target that was reached")  # fmt: skip


def draws_by_design(draws: int) -> None:
    """Labelled objects that are no random draw, and how often they are seen."""
    for name in ("wine", "breast_w", "vehicle"):
        X, y, batch = read(name)
        m, n = 60, len(y)
        codes = batch.codes[next(i for i, k in enumerate(batch.n_clusters) if k == 4)]
        centers = np.array([X[codes == c].mean(axis=0) for c in range(4)])[codes]
        far = ((X - centers) ** 2).sum(axis=1)
        sizes = np.bincount(codes)
        two = np.flatnonzero(np.isin(codes, np.argsort(-sizes)[:2]))
        easy = np.where(far < np.median(far), 5.0, 1.0)
        rng = np.random.default_rng(0)
        for title in ("nearest", "two clusters", "easy ones", "as many in each", "random"):
            refused = warned = 0
            for _ in range(draws):
                rows = {
                    "nearest": np.argsort(far)[:m],
                    "two clusters": rng.choice(two, m, replace=False),
                    "easy ones": rng.choice(n, m, replace=False, p=easy / easy.sum()),
                    "as many in each": np.concatenate(
                        [rng.permutation(np.flatnonzero(codes == c))[: m // 4] for c in range(4)]
                    ),
                    "random": rng.choice(n, m, replace=False),
                }[title]
                found = doubted_draw(batch.codes, rows)
                refused += found is not None and found.refuses
                warned += found is not None and not found.refuses
            print(f"{name}, {title}: {refused} refused, {warned} warned of {draws}", flush=True)


def speed() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 2_000)
    many = np.array(
        [np.where(rng.random(2_000) < 0.7, truth, rng.integers(0, 12, 2_000)) for _ in range(1_000)]
    )
    batch, order = as_labelings(many), sample(2_000, 100, random_state=0)
    few = partly(truth, order)
    karat.guarantee(batch, few, order=order)
    for title, anytime in (("fixed", False), ("anytime", True)):
        began = time.process_time()
        karat.guarantee(batch, few, anytime=anytime, order=order)
        took = time.process_time() - began
        print(f"1,000 candidates, 2,000 objects, 100 labels, {title}: {took * 1e3:.0f} ms of CPU")
    codes = rng.integers(0, 8, (120, 100_000))
    keeps, order = LabelSequence(codes, target=0.1), sample(100_000, 60, random_state=0)
    y, took = np.full(100_000, None, dtype=object), []
    for m, i in enumerate(order):
        y[i] = str(codes[0, i] // 3)
        began = time.process_time()
        keeps.update(y, order[: m + 1])
        took.append(time.process_time() - began)
    print(f"100,000 objects, 120 candidates, a further label: median {np.median(took):.2f} s, "
          f"most {max(took):.2f} s of CPU")  # fmt: skip
    m = np.arange(1, 2_001)
    began = time.process_time()
    b_always(m, 100_000 - m, m // 10, DELTA)
    print(f"b_always for m = 1..2,000 of 100,000: {(time.process_time() - began) * 1e3:.0f} ms")


def main() -> None:
    asked = [word for word in sys.argv[1:] if not word.isdigit()]
    draws = next((int(word) for word in sys.argv[1:] if word.isdigit()), 10)
    tasks = {
        "speed": speed,
        "tightness": lambda: tightness(draws),
        "stopping": lambda: stopping(draws),
        "forecasts": lambda: forecasts(draws),
        "draws": lambda: draws_by_design(draws),
    }
    for task in asked or tasks:
        tasks[task]()


if __name__ == "__main__":
    main()
