"""P-values of several tests at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sortal.typing import Floats


def holm(p_values: Floats) -> Floats:
    """P-values corrected by Holm (1979); NaN stays NaN and is not counted."""
    adjusted = np.full(len(p_values), np.nan)
    defined = np.flatnonzero(~np.isnan(p_values))
    order = defined[np.argsort(p_values[defined], kind="stable")]
    stepped = p_values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
