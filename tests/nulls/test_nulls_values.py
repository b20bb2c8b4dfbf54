"""What null references and the search for valleys give for small inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

import sortal
from sortal import nulls
from values import fails, table_test


def fixtures() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    far = rng.normal(size=(240, 2)) + 30.0 * np.eye(3)[y][:, :2]
    return {
        "near": far / 9, "counts": sparse.csr_array(rng.poisson(0.5, size=(20, 9)).astype(float)),
        "rng": np.random.default_rng, "y": y, "cloud": rng.normal(size=(240, 4)),
        "line": np.sort(rng.normal(size=(90, 1)), axis=0), "far": far,
    }  # fmt: skip


# fmt: off
CASES = {
    "Null": [
        lambda near, counts: [nulls.Null(X, m).kinds for X, m in ((near, "euclidean"), (near,
            "graph"), (counts, "cosine"), (near, "precomputed"))],
        lambda near, rng: nulls.Null(near, "euclidean").draw("box", rng(3), None)[:3],
        lambda near, rng, y: nulls.Null(near, "euclidean").draw("within", rng(3), y - 1)[:3],
        lambda cloud, rng: nulls.Null(cloud, "euclidean").draw("gaussian", rng(3), None)[:3],
        lambda cloud, rng: nulls.Null(cloud, "euclidean").draw("uniform", rng(3), None)[:3],
        lambda line, rng: np.sort(nulls.Null(np.abs(line[:9] - line[:9].T),
            "precomputed").draw("uniform", rng(0)).sum(axis=0)),
        lambda near, rng, y, far: ([nulls.Null(near, "euclidean").draw(k, rng(0), y).std(axis=0)
            for k in ("gaussian", "uniform", "within", "box")], [nulls.Null(far + 5,
            "euclidean").draw(k, rng(0), y).mean(axis=0) for k in ("gaussian", "uniform", "within",
            "box")]),
    ],
    "draw_reference": [
        lambda near: fails(nulls.draw_reference, near, "shuffled", metric="euclidean"),
        lambda counts: fails(nulls.draw_reference, counts, "gaussian", metric="cosine"),
        lambda: fails(nulls.draw_reference, sparse.csr_array(np.eye(3)), "uniform", metric="graph"),
        lambda near: fails(nulls.draw_reference, near, "odd", metric="euclidean"),
        lambda near: [nulls.draw_reference(near[:5], k, random_state=s) for k in ("gaussian",
            "uniform") for s in (0, np.random.default_rng(1))],
        lambda near, line: [fails(nulls.draw_reference, X, k, metric=m) for X, k, m in ((near,
            "within", "euclidean"), (near[:0], "gaussian", "euclidean"),
            (sparse.csr_array(np.ones((3, 3)) - np.eye(3)), "uniform", "graph"), (np.abs(line[:5] -
            line[:5].T), "shuffled", "precomputed"))],
    ],
    "assess_structure": [
        lambda line: [sortal.assess_structure(X) for X in (np.ones((30, 2)), line[:31], line[:32])],
        lambda: fails(sortal.assess_structure, sparse.csr_array(np.eye(3)), metric="graph"),
        lambda line: sortal.assess_structure(np.r_[line, line + 9, line + 18]),
        lambda line: sortal.assess_structure(np.r_[line[:20], line[:20] + 9]),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
