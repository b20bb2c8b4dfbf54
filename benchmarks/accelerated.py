"""The pass over pairs on a GPU beside the compiled one: ``python -m benchmarks.accelerated``.

Where torch or CuPy finds no GPU, its tiles are computed on the processors, by NumPy and (where it
is installed) torch, and seconds are of processor time.
"""

from __future__ import annotations

import time
from importlib.util import find_spec

import numpy as np
from sklearn.datasets import make_blobs

from karat.distances import as_distances
from karat.labelings.partitions import as_labelings
from karat.measures.passes import accelerated
from karat.measures.passes.pairs import PairResults, pair_pass
from karat.runtime.accelerators import Accelerator, find_accelerator

N, K = 8000, 8
SUMS = {"sums": True}
ALL = {"sums": True, "minima": True, "maxima": True, "inverses": True, "objects": True}


def places() -> list[Accelerator]:
    found = find_accelerator()
    if found is not None:
        return [found]
    accelerated.ROWS = accelerated.WIDTH = 1024  # fits the caches better
    here = [Accelerator(np, "cpu")]
    if find_spec("torch") is not None:
        import array_api_compat.torch as torch

        here.append(Accelerator(torch, torch.device("cpu")))
    return here


def error(found: PairResults, exact: PairResults) -> float:
    """Largest relative error of an object's sums and minima."""
    with np.errstate(invalid="ignore"):
        ratio = np.abs(found.objects / exact.objects - 1)[..., 2:6]
    return float(np.nanmax(np.where(found.objects[..., 2:6] == exact.objects[..., 2:6], 0, ratio)))


def main() -> None:
    rng = np.random.default_rng(0)
    others = places()
    print(f"{N:,} objects, 3 clusterings; million pairs a second\n")
    clock = time.perf_counter if "cpu" not in str(others[0]) else time.process_time
    names = ["compiled", *(str(place) for place in others)]
    print(f"{'features':>8} {'wanted':>6}" + "".join(f"{name:>22}" for name in names) + "  error")
    for d in (2, 10, 64, 768):
        X, y = make_blobs(N, d, centers=K, random_state=0)
        batch = as_labelings([y, y // 2, rng.integers(0, K, N)])
        distances = as_distances(X)
        for name, wanted in (("sums", SUMS), ("all", ALL)):
            speeds, found = [], []
            for place in (None, *others):
                pair_pass(distances, batch, on=place, **wanted)  # compiles, and warms up
                began = clock()
                found.append(pair_pass(distances, batch, on=place, **wanted))
                speeds.append(N * N / (clock() - began) / 1e6)
            told = "".join(f"{speed:22.0f}" for speed in speeds)
            worst = ""
            if wanted is ALL:
                worst = f"{max(error(one, found[0]) for one in found[1:]):9.1e}"
            print(f"{d:8} {name:>6}{told}{worst}", flush=True)


if __name__ == "__main__":
    main()
