"""How long the guarantee takes: ``python -m benchmarks.guarantee``."""

from __future__ import annotations

import time

import numpy as np

import sortal
from sortal.bounds import LabelSequence, b_always, sample
from sortal.labelings import as_labelings

DELTA = 0.1


def partly(y: np.ndarray, order: np.ndarray) -> np.ndarray:
    few = np.full(len(y), None, dtype=object)
    few[order] = y[order]
    return few


def main() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 2_000)
    many = np.array(
        [np.where(rng.random(2_000) < 0.7, truth, rng.integers(0, 12, 2_000)) for _ in range(1_000)]
    )
    batch, order = as_labelings(many), sample(2_000, 100, random_state=0)
    few = partly(truth, order)
    sortal.guarantee(batch, few, order=order)
    for title, anytime in (("fixed", False), ("anytime", True)):
        began = time.process_time()
        sortal.guarantee(batch, few, anytime=anytime, order=order)
        took = time.process_time() - began
        print(f"1,000 candidates, 2,000 objects, 100 labels, {title}: {took * 1e3:.0f} ms of CPU")
    codes = rng.integers(0, 8, (120, 100_000))
    taught = np.arange(0, 100_000, 5_000)
    keeps = LabelSequence(codes, target=0.1, taught=taught)
    order = np.setdiff1d(sample(100_000, 80, random_state=0), taught, assume_unique=True)[:60]
    y, took = np.full(100_000, None, dtype=object), []
    y[taught] = [str(code // 3) for code in codes[0, taught]]
    for m, i in enumerate(order):
        y[i] = str(codes[0, i] // 3)
        began = time.process_time()
        keeps.update(y, order[: m + 1])
        took.append(time.process_time() - began)
    print(f"100,000 objects, 120 candidates, 20 teaching, a further label: median "
          f"{np.median(took):.2f} s, most {max(took):.2f} s of CPU")  # fmt: skip
    m = np.arange(1, 2_001)
    began = time.process_time()
    b_always(m, 100_000 - m, m // 10, DELTA)
    print(f"b_always for m = 1..2,000 of 100,000: {(time.process_time() - began) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
