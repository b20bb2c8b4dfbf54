"""Laws that a measure breaks are found."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sortal import testing
from sortal.measures import catalogue


def test_weights_that_differ_from_repeated_objects_are_found(monkeypatch):
    values = iter([0.5, 0.6])
    monkeypatch.setattr(
        testing,
        "_table",
        lambda *_: pd.DataFrame({"silhouette": [next(values)]}, index=["a"]),
    )
    four = np.arange(4)
    with pytest.raises(AssertionError, match="repeated objects"):
        testing._check_weights(catalogue["silhouette"], np.zeros((4, 1)), four, {"a": four % 2})
