"""Tables of a comparison: every cell is as dark as its value."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs

from sortal.bench import Benchmark, page
from sortal.bench.diagram import Drawing, svg, tikz


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


def test_bars_are_thick_lines_in_colour():
    """A line wider than 3 is a bar; TikZ has 0.6 points for each unit."""
    drawing = Drawing(100, 50, [([(0, 0), (9, 1)], 4), ([(0, 0), (9, 1)], 2)])
    bar, line = re.findall("<path[^>]*>", svg(drawing, "ranks"))
    assert 'stroke="#0072B2" stroke-linecap="round" stroke-width="4"' in bar
    assert 'stroke="currentColor" stroke-width="2"' in line
    path = "(0.0,0.0) -- (9.0,1.0);"
    assert tikz(drawing).splitlines()[2:4] == [
        rf"\draw[rankbar,line cap=round,line width=2.40pt] {path}",
        rf"\draw[line width=1.20pt] {path}",
    ]


def test_one_number_of_tries_is_written_once():
    X, y = make_blobs(30, centers=2, random_state=0)
    race = Benchmark({"a": (X, y), "b": (X, y)}, ["kmeans", "pca-kmeans"], n_init=2).run()
    assert page.tries_of(race).startswith("Tries on each data set: 2. A score is the mean")
    race = Benchmark({"a": (X, y), "b": (X, y)}, ["kmeans", "ward"], n_init=2).run()
    assert page.tries_of(race, 1).startswith(
        "Tries on each data set: kmeans 2; ward 1. A score is the expected best of 1 tries"
    )
