"""Figures of a comparison: every number is where its value puts it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from karat.bench import figures
from karat.plot import style


def drawn_paths(svg: str) -> list[tuple[list[float], str, str]]:
    """Curves: coordinates, attributes of the stroke, dashes."""
    found = re.findall(r'<path d="(M[^"]*V[^"]*)" ([^>]*) stroke-dasharray="([^"]*)"/>', svg)
    return [([float(v) for v in re.findall(r"[\d.]+", path)], rest, dash)
            for path, rest, dash in found]  # fmt: skip


def test_a_profile_is_drawn_to_scale():
    profile = pd.DataFrame({"a": [0.5, 1.0], "b": [0.25, 0.75]}, index=[0.0, 0.2])
    svg = figures.profile_plot(profile, ["a", "b"], "distance <")
    # 610 wide from 50, the last step 1/1.02 of it; 260 high from 12, a share of 1 above
    x = 50 + 610 / 1.02
    (b, _, dash), (a, stroke, solid) = drawn_paths(svg)
    assert a == pytest.approx([50, 142, x, 12, 660], abs=0.06)
    assert b == pytest.approx([50, 207, x, 77, 660], abs=0.06)
    assert solid == dash == ""
    assert f'stroke="{style.color(0)}"' in stroke
    assert 'stroke-width="2"' in stroke
    assert "distance &lt;" in svg
    ticks = re.findall(r'text-anchor="middle">([\d.]+)</text>', svg)
    assert ticks == ["0", "0.05", "0.1", "0.15", "0.2"]
    assert re.findall(r'text-anchor="end">(\d+)%', svg) == ["0", "25", "50", "75", "100"]


def test_curves_after_the_sixth_are_grey():
    names = [f"method {i}" for i in range(7)]
    profile = pd.DataFrame(1.0, index=[1.0, 10.0], columns=names)
    svg = figures.profile_plot(profile, names, "ratio", ratios=True)
    curves = drawn_paths(svg)
    assert [style.NOISE_COLOR in stroke for _, stroke, _ in curves] == [True] + [False] * 6
    assert svg.count("grey: the others") == 1
    assert [name in svg for name in names] == [True] * 6 + [False]
    assert re.findall(r'text-anchor="middle">(\d+)×', svg) == ["1", "2", "5", "10"]
    six = figures.profile_plot(profile, names[:6], "ratio", ratios=True)
    assert "grey" not in six


@pytest.mark.parametrize(("most", "ratios", "expected"), [
    (1.0, False, [0, 0.2, 0.4, 0.6, 0.8, 1]), (8.0, False, list(range(9))),
    (9.0, False, [0, 2, 4, 6, 8]), (1.6, False, [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6]),
    (2.5, True, np.log10([1, 2, 5, 10, 20, 50, 100, 200])), (3.0, True, [0, 1, 2, 3]),
])  # fmt: skip
def test_ticks(most, ratios, expected):
    assert figures._ticks(most, ratios) == pytest.approx(list(expected))


def test_cells_are_as_dark_as_their_values():
    values = pd.DataFrame([[0.0, 0.5], [2.0, np.nan]], ["<a>", "b"], ["u", "v&w"])
    page = figures.heat_table(
        values, "set", lambda row, column, v: f"{row[-1]}{column[0]}{v:g}", low=0.0, high=1.0
    )
    shades = re.findall(r"<td([^>]*)>([^<]*)</td>", page)
    assert [re.findall(r"0\.\d\d", style) for style, _ in shades] == [
        ["0.00"], ["0.30"], ["0.60"], []
    ]  # fmt: skip
    assert [text for _, text in shades] == [">u0", ">v0.5", "bu2", "bvnan"]
    assert "<th>&lt;a&gt;</th>" in page
    assert "<th>v&amp;w</th>" in page
    nine, ten = (pd.DataFrame(np.zeros((1, n))) for n in (9, 10))
    tables = [figures.heat_table(t, "", lambda *_: "", low=0, high=1) for t in (nine, ten)]
    assert ['class="heat many"' in table for table in tables] == [False, True]


def test_names_of_more_than_21_letters_are_cut():
    assert figures._short("x" * 21) == "x" * 21
    assert figures._short("x" * 22) == "x" * 20 + "…"
