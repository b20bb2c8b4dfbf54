"""Tables of a comparison: every cell is as dark as its value."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from karat.bench import page


def test_cells_are_as_dark_as_their_values():
    values = pd.DataFrame([[0.0, 0.5], [1.0, -0.2]], ["<a>", "b"], ["u", "v&w"])
    text = page.heat_table(values, {("b", "u"): 0.25})
    shades = re.findall(r"<td([^>]*)>(.*?)</td>", text)
    assert [re.findall(r"0\.\d\d", style) for style, _ in shades] == [
        ["0.00"], ["0.30"], ["0.60"], ["0.00"]
    ]  # fmt: skip
    assert [shown for _, shown in shades] == [
        "0.000", "0.500", "1.000 <small>±0.250</small>", "-0.200"
    ]  # fmt: skip
    assert "<th>&lt;a&gt;</th>" in text
    assert "<th>v&amp;w</th>" in text
    nine, ten = (pd.DataFrame(np.zeros((1, n))) for n in (9, 10))
    tables = [page.heat_table(table, {}) for table in (nine, ten)]
    assert ['class="heat many"' in table for table in tables] == [False, True]
