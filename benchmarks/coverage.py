"""Do the intervals of sampled measures cover the value, and what does an estimate cost?

``python -m benchmarks.coverage [--repetitions 200] [--objects 1000000]``: every measure that has an
estimate, to a standard error of 0.005 (times its value where its range has no bound), on the blobs
of ``benchmarks.internal``'s ``sampled``, and on settings of 20,000 objects. For each measure: the
reference, the mean difference from it, the standard deviation of the estimates, the mean of their
standard errors, the share of repetitions in which estimate ± 1.96 standard errors covers the
reference, and the share in which the estimate was refused for a heavy tail. Wanted is a cover of
0.90 to 0.99. Interrupted (Ctrl-C), a setting reports the repetitions that it has.

References are exact up to 50,000 objects. Beyond, those of totals over objects come from a pass
over all pairs, kept in a file as it goes and resumed (``--reference``), or over the first
``--reference-objects`` of the objects, which are in random order; those of ranks from 2^24 pairs
within and as many between. Where a reference is a sample its error is printed, as a share of the
estimates'.

``--cells``: only a table of the shares covered, five measures by six kinds of 6,000 objects.
Wanted are 0.93 to 0.97 over all cells and 0.90 in each.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

import karat
from benchmarks.internal import blobs
from karat.distances import as_distances
from karat.labelings.partitions import as_labelings
from karat.measures import catalogue
from karat.measures.passes.estimates import sampled_by
from karat.measures.passes.pairs import pair_pass
from karat.measures.passes.sampled_objects import TARGETS
from karat.measures.passes.sampled_pairs import MOST, PairSample
from karat.measures.passes.statistics import Statistics

EXACT = 50_000
MEASURES = {
    way: [m for m in catalogue.values() if m.kind == "internal" and sampled_by(m) == way]
    for way in ("objects", "pairs")
}
KEYS = [measure.key for measures in MEASURES.values() for measure in measures]


def uneven() -> tuple[Any, Any]:
    """Nine clusters of 1 to 15,000 objects in 3 dimensions, touching."""
    rng = np.random.default_rng(0)
    sizes = [15_000, 4_000, 800, 150, 40, 6, 2, 1, 1]
    labels = np.repeat(np.arange(9), sizes)
    return rng.normal(size=(9, 3))[labels] * 1.5 + rng.normal(size=(20_000, 3)), labels


def overlapping(d: int) -> tuple[Any, Any]:
    return blobs(20_000, d, k=5, spread=1.5)


SMALL = {
    "blobs, d = 16, k = 50": lambda: blobs(20_000, 16, k=50, spread=1.5),
    "uneven clusters, d = 3": uneven,
    "overlapping, d = 1": lambda: overlapping(1),
    "overlapping, d = 2": lambda: overlapping(2),
    "overlapping, d = 3": lambda: overlapping(3),
    "overlapping, d = 4": lambda: overlapping(4),
    "overlapping, d = 6": lambda: overlapping(6),
}


#: of totals over objects, of a ratio of them, and of the order of pairs
IN_CELLS = ["silhouette", "within_cluster_scatter", "mcclain_rao_index", "c_index", "aucc"]


def kinds(n: int) -> dict[str, tuple[Any, Any]]:
    """Data and labels that are hard in a way of their own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    X = rng.normal(size=(n, 4)) + 1.5 * rng.normal(size=(4, 4))[y]
    tiny, few = np.where(np.arange(n) < 5, 4, y), rng.integers(0, n // 5, n)
    uneven = np.minimum(rng.geometric(0.6, n) - 1, 6)
    return {
        "overlapping": (X, y),
        "uneven": (rng.normal(size=(n, 3)) + 1.5 * rng.normal(size=(7, 3))[uneven], uneven),
        "a tiny cluster": (X + 5.0 * (tiny == 4)[:, None], tiny),
        "integers": (np.round(X), y),
        "objects repeated": (X[few], y[few]),
        "heavy tails": (rng.standard_t(1.6, size=(n, 2)), rng.integers(0, 3, n)),
    }


def cells(repetitions: int, n: int = 6000, precision: float = 0.02) -> Any:
    """The shares of intervals that cover the value, by kind and measure, and of those refused."""
    import pandas as pd

    rows = {}
    for part, (kind, (X, labels)) in enumerate(kinds(n).items()):
        value = karat.evaluate(X, labels, measures=IN_CELLS).table.iloc[0]
        given, covered = 0 * value, 0 * value
        for seed in range(part * repetitions, (part + 1) * repetitions):
            found = karat.evaluate(
                X, labels, measures=IN_CELLS, precision=precision, random_state=seed
            )
            estimate, error = found.table.iloc[0], found.standard_errors.iloc[0]
            given += estimate.notna()
            covered += (estimate - value).abs() <= 1.96 * error + 1e-12 * value.abs()
        rows[kind] = {**covered / given, **(1 - given / repetitions).add_prefix("refused: ")}
    return pd.DataFrame.from_dict(rows, orient="index")


def exact(X: Any, labels: Any) -> dict[str, float]:
    return karat.evaluate(X, labels, measures=KEYS).table.iloc[0].to_dict()


def reference(X: Any, labels: Any, file: Path, wanted: int) -> dict[str, tuple[float, float, int]]:
    """For each measure its value, its standard error (0 if exact), and the objects it is from."""
    objects = object_values(X, labels, file, wanted)
    batch = as_labelings(labels)
    stats = Statistics(X, batch, ())
    codes, sizes = batch.codes[0, : len(objects)], stats.sizes[0]
    scale = sizes / np.bincount(codes, minlength=len(sizes))
    for name, _ in TARGETS.values():
        setattr(stats, name, [])
    for column, (name, times) in TARGETS.items():
        total = np.bincount(codes, objects[:, column], len(sizes))
        getattr(stats, name).append(scale * total / times)
    found: dict[str, tuple[float, float, int]] = {}
    for measure in MEASURES["objects"]:
        found[measure.key] = (float(measure.judge(stats)[0][0]), 0.0, len(objects))
    rng = np.random.default_rng(12345)
    sample = PairSample(X, as_distances(X, exact=True), batch, MEASURES["pairs"], rng)
    sample.grow(MOST)
    values, errors, _ = sample.estimates()
    for i, measure in enumerate(MEASURES["pairs"]):
        found[measure.key] = (float(values[0, i]), float(errors[0, i]), len(labels))
    return found


def object_values(X: Any, labels: Any, file: Path, wanted: int) -> Any:
    """The sums of the first objects over all objects, from the file or computed into it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        np.lib.format.open_memmap(file, "w+", np.float64, (len(X), 8))[:] = np.nan
    held = np.lib.format.open_memmap(file, "r+")
    if held.shape != (len(X), 8):
        raise SystemExit(f"{file} is of {held.shape[0]} objects; name another --reference")
    distances, batch = as_distances(X), as_labelings(labels)
    done = int(np.argmax(np.isnan(np.append(held[:, 0], np.nan))))
    for start in range(done, wanted, 10_000):
        rows = np.arange(start, min(start + 10_000, wanted))
        found = pair_pass(
            distances, batch, sums=True, minima=True, inverses=True, objects=True, sample=rows
        )
        assert found.objects is not None
        held[rows] = found.objects[0]
        held.flush()
        print(f"  reference: {rows[-1] + 1:,} of {wanted:,} objects", flush=True)
    return np.array(held[: max(done, wanted)])


def report(
    title: str,
    X: Any,
    labels: Any,
    known: dict[str, tuple[float, float, int]],
    repetitions: int,
    precision: float,
) -> None:
    karat.evaluate(X[:2000], labels[:2000], measures=KEYS, precision=0.1)  # loads compiled code
    tables, seconds = [], []
    try:
        for seed in range(repetitions):
            start = time.perf_counter()
            table = karat.evaluate(X, labels, measures=KEYS, precision=precision, random_state=seed)
            seconds.append(time.perf_counter() - start)
            tables.append(table.table)
            if (seed + 1) % 10 == 0 and len(X) > EXACT:
                print(f"  {seed + 1} repetitions", flush=True)
    except KeyboardInterrupt:
        if not tables:
            raise
    values = np.array([table.table.iloc[0] for table in tables])
    errors = np.array([table.standard_errors.iloc[0] for table in tables])
    drawn = [[table.sample_size[way] for way in ("objects", "pairs")] for table in tables]
    n_objects, n_pairs = np.mean(drawn, axis=0)
    print(
        f"\n{title}: n = {len(X):,}, {len(tables)} repetitions to {precision}; median "
        f"{np.median(seconds):.2f} s, {min(seconds):.2f} to {max(seconds):.2f}; mean "
        f"{n_objects:,.0f} objects and {n_pairs:,.0f} pairs drawn"
    )
    print(f"{'':36s}{'reference':>12s}{'its error':>10s}{'bias':>11s}{'sd':>11s}"
          f"{'mean SE':>11s}{'cover':>7s}{'refused':>8s}")  # fmt: skip
    for i, key in enumerate(KEYS):
        found, spread = values[:, i], errors[:, i]
        value, error, objects = known[key]
        given = ~np.isnan(found)
        refused = f"{1 - given.mean():8.3f}"
        if not given.any():
            print(f"{key:36s}{value:12.5g}{'':51s}{refused}")
            continue
        found, spread = found[given], spread[given]
        if np.isinf(value):
            print(f"{key:36s}{value:12.5g}{'':44s}{(found == value).mean():7.3f}{refused}")
            continue
        share = error / spread.mean() if spread.mean() else 0.0
        if objects < len(X):
            share = math.sqrt((1 / objects - 1 / len(X)) / (1 / n_objects - 1 / len(X)))
        cover = (np.abs(found - value) <= 1.96 * spread).mean()
        print(f"{key:36s}{value:12.5g}{share:10.3f}{found.mean() - value:11.2g}{found.std():11.3g}"
              f"{spread.mean():11.3g}{cover:7.3f}{refused}", flush=True)  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "karat"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--objects", type=int, default=10**6, help="of the large setting; 0: none")
    parser.add_argument("--cells", action="store_true", help="only the table of shares covered")
    parser.add_argument("--small", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--precision", type=float, default=0.005)
    parser.add_argument("--small-precision", type=float, default=0.02, help="of 20,000 objects")
    parser.add_argument("--reference", type=Path, help="file of the large setting's reference")
    parser.add_argument("--reference-objects", type=int, help="default: all, which is exact")
    chosen = parser.parse_args(arguments)
    if chosen.cells:
        table = cells(chosen.repetitions)
        shares = table[IN_CELLS].to_numpy()
        print(table.round(3).to_string())
        print(f"mean {np.nanmean(shares):.3f}, least {np.nanmin(shares):.3f}")
        return
    for title, make in SMALL.items() if chosen.small else ():
        X, labels = make()
        known = {key: (value, 0.0, len(X)) for key, value in exact(X, labels).items()}
        report(title, X, labels, known, chosen.repetitions, chosen.small_precision)
    if n := chosen.objects:
        X, labels = blobs(n, 16, k=50, spread=1.5)
        if n <= EXACT:
            known = {key: (value, 0.0, n) for key, value in exact(X, labels).items()}
        else:
            file = chosen.reference or cache / f"coverage-{n}.npy"
            known = reference(X, labels, file, chosen.reference_objects or n)
        report("blobs, d = 16, k = 50", X, labels, known, chosen.repetitions, chosen.precision)


if __name__ == "__main__":
    main()
