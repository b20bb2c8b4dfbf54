"""Stored evidence of two data sets, and what the packaged judge makes of it.

``python tests/judge/golden.py`` writes ``golden.npz`` anew, for a new judge or new evidence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

from sortal.clusterers import catalogue
from sortal.judge import Evidence, Judgement, Traits, gather, load_judge
from sortal.labelings import canonical_codes

FILE = Path(__file__).with_name("golden.npz")
SEEN = ("data", "agreement", "to_anchors", "among_anchors", "found_by")
TRAITS = ("own", "sizes", "stability", "against_null", "likely", "columns")
TOLD = (
    "score", "predicted", "level", "low", "high", "probability", "prior", "near_best", "average",
)  # fmt: skip
DATA = {
    "iris": load_iris().data,
    "cloud": np.random.default_rng(4).uniform(size=(80, 2)),
}


def evidence_of(X: Any) -> Evidence:
    """Evidence of the clusterings by four clusterers, and of one object against the rest."""
    seen: set[tuple[int, ...]] = set()
    for key in ("kmeans", "ward", "average", "genie"):
        for k in (2, 3, 4, 5):
            labels = catalogue[key].make(k, 0).fit_predict(X)
            seen.add(tuple(canonical_codes(np.asarray(labels)).tolist()))
    seen.add((0, *[1] * (len(X) - 1)))
    return gather(X, np.array(sorted(seen), dtype=np.int32))


def told(judgement: Judgement) -> dict[str, Any]:
    """The numbers of a judgement."""
    return {key: np.asarray(getattr(judgement, key)) for key in TOLD} | {
        f"part {kind}": values for kind, values in judgement.contributions.items()
    }


def write() -> None:
    """Gather the evidence, judge it and store both."""
    arrays: dict[str, Any] = {}
    for name, X in DATA.items():
        e = evidence_of(X)
        arrays |= {f"{name} seen {key}": getattr(e, key) for key in SEEN}
        for of in ("traits", "anchors"):
            traits = getattr(e, of)
            arrays |= {f"{name} {of} {key}": getattr(traits, key) for key in TRAITS}
        arrays |= {f"{name} told {key}": v for key, v in told(load_judge()(e)).items()}
    np.savez_compressed(FILE, **arrays)


def stored(name: str) -> tuple[Evidence, dict[str, Any]]:
    """The evidence of a data set, and what was told of it."""

    def under(prefix: str) -> dict[str, Any]:
        start = f"{name} {prefix} "
        return {key[len(start) :]: arrays[key] for key in arrays.files if key.startswith(start)}

    def traits(of: str) -> Traits:
        return Traits(**under(of))

    with np.load(FILE) as arrays:
        evidence = Evidence(traits("traits"), traits("anchors"), **under("seen"))
        return evidence, under("told")


if __name__ == "__main__":
    write()
