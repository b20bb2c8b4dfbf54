"""Stored evidence of two data sets, and what the packaged judge makes of it.

``python tests/judge/golden.py`` writes ``golden.npz`` anew, for a new judge or new evidence.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

from karat.clusterers import catalogue
from karat.judge import Evidence, Judgement, gather, load_judge

FILE = Path(__file__).with_name("golden.npz")
SEEN = ("own", "sizes", "stability", "against_null", "data", "agreement")
TOLD = ("score", "ahead", "prior", "predicted", "low", "high", "structure", "average")
#: the cloud's evidence of structure is below the judge's limit and above half of it
DATA = {
    "iris": load_iris().data,
    "cloud": np.random.default_rng(4).uniform(size=(80, 2)),
}


def evidence_of(X: Any) -> Evidence:
    """Evidence of the clusterings by four clusterers, and of one object against the rest."""
    found: dict[tuple[int, ...], set[str]] = {}
    for key in ("kmeans", "ward", "average", "genie"):
        for k in (2, 3, 4, 5):
            labels = catalogue[key].make(k, 0).fit_predict(X)
            codes = np.unique(labels, return_inverse=True)[1]
            found.setdefault(tuple(codes.tolist()), set()).add(key)
    found[(1, *[0] * (len(X) - 1))] = {"average"}
    codes = np.array(list(found), dtype=np.int32)
    return gather(X, codes, [frozenset(names) for names in found.values()])


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
        arrays |= {f"{name} measure {key}": values for key, values in e.measures.items()}
        arrays[f"{name} clusterers"] = np.array(json.dumps([sorted(by) for by in e.clusterers]))
        arrays |= {f"{name} told {key}": v for key, v in told(load_judge()(e)).items()}
    np.savez_compressed(FILE, **arrays)


def stored(name: str) -> tuple[Evidence, dict[str, Any]]:
    """The evidence of a data set, and what was told of it."""

    def under(prefix: str) -> dict[str, Any]:
        start = f"{name} {prefix} "
        return {key[len(start) :]: arrays[key] for key in arrays.files if key.startswith(start)}

    with np.load(FILE) as arrays:
        by = json.loads(str(arrays[f"{name} clusterers"]))
        clusterers = tuple(frozenset(names) for names in by)
        evidence = Evidence(**under("seen"), measures=under("measure"), clusterers=clusterers)
        return evidence, under("told")


if __name__ == "__main__":
    write()
