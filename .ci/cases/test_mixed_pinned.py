"""Answers for data with 1, 3 and 5 groups, wide data and counts of terms."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from pinning import Pins

import sortal


@cache
def names() -> dict[str, Any]:
    """What the expressions may use: data with 1, 3 and 5 groups, wide data, counts of terms."""
    from sortal.nulls import coordinates, references, structure, valleys
    from sortal.text import TextVectorizer

    rng = np.random.default_rng(0)
    three, five, four = (np.arange(n) % k for n, k in ((90, 3), (240, 5), (150, 4)))
    topics = ["wine grape soil vine cork", "ship harbour sea sail wind", "bread oven flour salt"]
    words = [topic.split() for topic in topics]
    documents = [" ".join(rng.choice(words[i % 3], 6)) for i in range(60)]
    return {
        "sortal": sortal, "np": np, "rng": np.random.default_rng,
        "ONE": rng.normal(size=(80, 2)),
        "X": rng.normal(size=(90, 2)) + 4.0 * np.eye(3)[three][:, :2] + 1.0, "y": three,
        "FIVE": rng.normal(size=(240, 4)) + 2.5 * rng.normal(size=(5, 4))[five], "y5": five,
        "WIDE": rng.normal(size=(150, 60)) + rng.normal(size=(4, 60))[four], "y4": four,
        "RING": np.column_stack([np.cos(np.arange(200.0)), np.sin(np.arange(200.0))]),
        "S": TextVectorizer().fit_transform(documents), "texts": documents, "y3": np.arange(60) % 3,
        "coordinates": coordinates.coordinates, "valleys": valleys, "structure": structure,
        "references": references, "WARD": sortal.clusterers.catalogue["ward"].make(3, 0),
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
