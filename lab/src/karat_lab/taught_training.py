"""Training of :class:`karat_lab.taught_network.TaughtNetwork` on generated tables only."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

from karat_lab.choice_kinds import KINDS
from karat_lab.choice_shapes import CLOUDS, SHAPES, Drawn, Rng
from karat_lab.taught_network import COMPONENTS, LARGEST_K, TaughtNetwork, describe, loss_of

#: kinds of tables by name; "mixed tables" go through a table's reading and cost too much
MAKERS = {**SHAPES, **CLOUDS, **KINDS}
DRAWN_KINDS = tuple(kind for kind in MAKERS if kind != "mixed tables")
#: tables of a step, rows of a table at least and at most
TABLES_OF_STEP, FEWEST, MOST = 8, 60, 300


def draw(kind: str, rng: Rng, n: int) -> Drawn | None:
    """Table of n rows, or None where this kind gave too few."""
    X, labels = MAKERS[kind](rng, int(n * 1.15) + 5)
    X = np.nan_to_num(np.asarray(X, dtype=np.float64))
    spread = X.std(axis=0)
    X = X[:, spread > 1e-9]
    if len(X) < n or X.shape[1] < 1:
        return None
    rows = rng.permutation(len(X))[:n]
    X = X[rows]
    if rng.random() < 0.7:
        X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    return X, labels[rows]


def batch(rng: Rng, kinds: Sequence[str]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Rows, pairs, labels and classes of k of one step's tables, all of one length."""
    n = int(np.exp(rng.uniform(np.log(FEWEST), np.log(MOST))))
    rows: list[Any] = []
    pairs, codes, numbers = [], [], []
    while len(rows) < TABLES_OF_STEP:
        drawn = draw(kinds[int(rng.integers(len(kinds)))], rng, n)
        if drawn is None:
            continue
        X, labels = drawn
        one, two = describe(X)
        one[:, :COMPONENTS] *= rng.choice([-1, 1], COMPONENTS)
        rows.append(one)
        pairs.append(two)
        codes.append(labels)
        numbers.append(min(len(np.unique(labels[labels >= 0])), LARGEST_K) - 1)
    stacked = (np.stack(rows), np.stack(pairs), np.stack(codes), np.array(numbers))
    first, second, third, fourth = (torch.from_numpy(array) for array in stacked)
    return first, second, third, fourth


class _Batches(IterableDataset[Any]):
    """Endless batches from seeds that depend on where the training is."""

    def __init__(self, seed: int, start: int, kinds: Sequence[str]) -> None:
        self.seed, self.start, self.kinds = seed, start, kinds

    def __iter__(self) -> Iterator[Any]:
        """Batches of this worker."""
        info = torch.utils.data.get_worker_info()
        step, stride = (info.id, info.num_workers) if info else (0, 1)
        torch.set_num_threads(1)
        position = self.start + step
        while True:
            yield batch(np.random.default_rng([self.seed, position]), self.kinds)
            position += stride


def train(
    path: Path, seconds: float, *, seed: int = 0, kinds: Sequence[str] = DRAWN_KINDS,
    planned: int = 10_000, workers: int = 1, rate: float = 8e-4,
) -> list[dict[str, float]]:  # fmt: skip
    """Train for some seconds, or go on where the last call stopped; losses by hundred steps.

    The file at ``path`` keeps the network, the optimiser and the losses. The learning rate falls to
    zero over ``planned`` steps.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    network = TaughtNetwork().to(device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    curve: list[dict[str, float]] = []
    if path.exists():
        kept = torch.load(path, map_location=device, weights_only=True)
        network.load_state_dict(kept["network"])
        optimiser.load_state_dict(kept["optimiser"])
        curve = kept["curve"]
    step, spent = (int(curve[-1]["step"]), curve[-1]["seconds"]) if curve else (0, 0.0)
    if step >= planned:
        return curve
    loader = DataLoader(_Batches(seed, step, kinds), batch_size=None, num_workers=workers,
                        prefetch_factor=4 if workers else None)  # fmt: skip
    began, losses = time.perf_counter(), []
    for drawn in loader:
        for group in optimiser.param_groups:
            group["lr"] = _rate(step, planned, rate)
        with torch.autocast(device, dtype=torch.bfloat16):
            loss, parts = loss_of(network, *(part.to(device) for part in drawn))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        step += 1
        losses.append(parts)
        now = time.perf_counter() - began
        over = now > seconds or step >= planned
        if step % 100 == 0 or over:
            means = {name: sum(part[name] for part in losses) / len(losses) for name in parts}
            curve.append({"step": step, "seconds": spent + now, **means})
            losses = []
        if step % 500 == 0 or over:
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict()}
            part_path = path.with_suffix(".part")
            torch.save({**state, "curve": curve}, part_path)
            part_path.replace(path)
        if over:
            break
    return curve


def _rate(step: int, planned: int, rate: float) -> float:
    """Learning rate of a step: it rises for 200 steps, then falls along half a cosine."""
    return rate * min(1.0, (step + 1) / 200) * 0.5 * (1 + math.cos(math.pi * step / planned))
