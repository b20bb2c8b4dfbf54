"""Parts of the learned judge: evidence of odd data, places, shares, trees, few labels and pairs."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

import sortal
from values import table_test


def fixtures() -> dict[str, Any]:
    """Data with four groups, wide ones, counts, and ones with repeated values."""
    judge = sortal.judge.load_judge()

    def broken(**changed: Any) -> Any:
        """A judge's file with other arrays."""
        file = io.BytesIO()
        arrays = {k: v for k, v in (judge.arrays() | changed).items() if v is not None}
        np.savez(file, **arrays)
        file.seek(0)
        return sortal.judge.load_judge(file)

    return {"judge": judge, "broken": broken}


# fmt: off
CASES = {
    "judge": [
        lambda judge: [judge.near_best(p, a) for p, a in ((np.ones(1), np.ones(1)), (np.array([.5,
            .5]), np.array([1, .95])), (np.array([.2, .8]), np.array([1, .5])))],
        lambda judge: judge.name,
        lambda judge: judge.digest,
        lambda judge: judge.signed().digest == judge.digest,
        lambda judge: len(judge.columns),
        lambda judge: [judge.between, judge.within, judge.steps, judge.below, judge.above,
            judge.nearness, judge.near],
        lambda judge: [judge.near_best(np.array(p), np.array(a)) for p, a in (([.6, .4], [1.0,
            .99]), ([.4, .6], [.99, 1.0]), ([.34, .33, .33], [1.0, .9, .5]), ([0.0, 1.0], [.2,
            1.0]), ([.5, .3, .2], [1.0, .95, .94]))],
    ],
    "broken": [
        lambda broken, judge: broken().digest == judge.digest,
        lambda broken: broken(version=np.array("6")).version,
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
