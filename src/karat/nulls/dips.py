"""Hartigan's dip of projections."""

from __future__ import annotations

import numpy as np

from karat._kernels.dip import dip_evidence
from karat.runtime.types import Floats


def evidence(t: Floats) -> float:
    """Approximate -log p of the dip."""
    return float(dip_evidence(np.sort(t)))
