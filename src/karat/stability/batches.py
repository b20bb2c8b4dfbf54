"""Resamples in batches that are kept when they are finished, so that a killed call resumes."""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.stability.engine import Engine

    Arrays = tuple[NDArray[Any], ...]

#: resamples of a batch
BATCH = 10


def in_batches(
    engine: Engine,
    function: Callable[[int], Arrays],
    count: int,
    kept: MutableMapping[str, Any] | None,
    name: str,
) -> list[Arrays]:
    """``function`` of 0..count − 1; a batch that is in ``kept`` under its name is read."""
    if kept is None:
        return engine.map(function, range(count))
    found: list[Arrays] = []
    for start in range(0, count, BATCH):
        key = f"{name} {start}"
        if key not in kept:
            batch = engine.map(function, range(start, min(start + BATCH, count)))
            kept[key] = [[to_text(array) for array in arrays] for arrays in batch]
        found += [tuple(from_text(text) for text in texts) for texts in kept[key]]
    return found


def to_text(array: NDArray[Any]) -> str:
    """An array as JSON takes it."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return base64.b64encode(zlib.compress(file.getvalue())).decode()


def from_text(text: str) -> NDArray[Any]:
    """The array that :func:`to_text` wrote."""
    file = io.BytesIO(zlib.decompress(base64.b64decode(text)))
    array: NDArray[Any] = np.load(file, allow_pickle=False)
    return array
