"""What the parts of a study give for small chosen inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

import sortal
from values import fails, table_test


def fixtures() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    P = np.column_stack([a, a + 0.3 * rng.normal(size=300), b, b * b, rng.normal(size=300), a > 0])
    return {"P": P}


# fmt: off
CASES = {
    "Study": [
        lambda P: fails(sortal.Study(P[:20]).add({"a": np.full(20, -1)}).best),
        lambda P: fails(sortal.Study(P[:20]).alternatives, 0),
        lambda P: fails(sortal.Study(P[:20]).alternatives, True),
        lambda P: fails(sortal.Study(P[:20]).alternatives, 1.5),
        lambda P: [fails(sortal.Study, P[:20], **options) for options in ({"noise": "x"}, {"delta":
            0}, {"delta": 1.1}, {"random_state": -1}, {"random_state": 1.5})],
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
