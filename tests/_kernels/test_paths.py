"""Lengths of paths between neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from sortal._kernels.spanning_trees import path_lengths


def test_a_path_along_an_arc_has_its_length():
    angle = np.sort(np.random.default_rng(0).uniform(0, np.pi, 400))
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    reach = np.full(400, 0.1**2)
    lengths = path_lengths(arc, reach, 0)
    assert lengths == pytest.approx(angle - angle[0], rel=0.01)
    apart = np.concatenate([arc, arc + 5])
    assert np.isinf(path_lengths(apart, np.full(800, 0.1**2), 0)[400:]).all()
