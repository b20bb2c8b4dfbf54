"""Collections that come as counts of terms beside a list of classes."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def term_counts(path: Path) -> tuple[Any, NDArray[np.object_]]:
    """Counts from ``NAME.npz`` as float64, and the classes from ``NAME.labels.txt.gz``."""
    from scipy import sparse

    counts = sparse.csr_array(sparse.load_npz(path)).astype(np.float64)
    with gzip.open(path.with_name(f"{path.stem}.labels.txt.gz"), "rt", encoding="utf-8") as file:
        return counts, np.array(file.read().split("\n")[:-1], dtype=object)
