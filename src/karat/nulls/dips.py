"""Hartigan's dip of projections and of uniform samples."""

from __future__ import annotations

from functools import cache

import numpy as np

from karat._kernels.dip import dip, dip_evidence
from karat.runtime.types import Floats

#: number of simulated uniform samples
UNIFORM_SAMPLES = 1_999


def evidence(t: Floats) -> float:
    """Approximate -log p of the dip."""
    return float(dip_evidence(np.sort(t)))


def dip_p_value(t: Floats) -> float:
    """P-value of the dip among those of uniform samples of the same size."""
    null = _uniform_dips(len(t))
    above = len(null) - np.searchsorted(null, dip(np.sort(t)) * (1 - 1e-12))
    return float((1 + above) / (1 + len(null)))


@cache
def _uniform_dips(m: int) -> Floats:
    """Sorted dips of simulated uniform samples of size m."""
    rng = np.random.default_rng(m)
    return np.sort([dip(np.sort(rng.random(m))) for _ in range(UNIFORM_SAMPLES)])
