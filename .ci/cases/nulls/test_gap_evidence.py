"""What the contrast of a gap is worth as evidence."""

from __future__ import annotations

import pytest

from sortal.nulls.settings import GAPS
from sortal.nulls.structure import gap_evidence, probability_of


@pytest.mark.parametrize("linear", [0.2, 0.5, 0.9])
def test_a_contrast_that_is_enough_is_as_much_as_is_needed(linear):
    for n in (100, 400, 1600):
        evidence = gap_evidence(GAPS.enough_contrast, n, linear) / max(n / 400, 1) ** 0.5
        probability = probability_of(evidence, n, linear)[0]
        assert probability == pytest.approx(0.9, abs=0.02)
        assert gap_evidence(0.3, n, linear) == 0
    assert gap_evidence(1e9, 400, linear) == 50
