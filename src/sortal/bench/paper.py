"""A comparison for a paper: LaTeX tables and the critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortal.bench.comparison import Comparison
from sortal.bench.diagram import bar_caption, escape, rank_drawing, tikz
from sortal.bench.page import (
    GROUPS_CAPTION,
    environment,
    group_rows,
    half_widths,
    pair_rows,
    tries_of,
)

if TYPE_CHECKING:
    from sortal.bench.results import BenchmarkResults


def latex(race: BenchmarkResults, comparison: Comparison, options: dict[str, Any]) -> str:
    """LaTeX floats with scores, pairs, groups of sets and the diagram, and the provenance.

    The document needs the packages ``booktabs`` and ``tikz``.
    """
    provenance = "; ".join(f"{name}: {value}" for name, value in environment(race))
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,tikz}; the scores of all tries are in the .csv file",
            _scores(race, comparison, options),
            _pairs(comparison),
            _groups(comparison),
            r"\begin{figure}",
            r"\centering",
            tikz(rank_drawing(comparison, width=640)),
            rf"\caption{{Average ranks of the methods; {escape(bar_caption(comparison))}}}",
            r"\label{fig:ranks}",
            r"\end{figure}",
            rf"\paragraph{{How this was made.}} {escape(provenance)}.",
            "",
        ]
    )


def _float(heads: list[str], rows: list[list[str]], caption: str, label: str) -> str:
    """A floating table whose cells are LaTeX."""
    import pandas as pd

    table = pd.DataFrame(rows, columns=heads).to_latex(
        index=False,
        escape=False,
        column_format="l" + "r" * (len(heads) - 1),
        caption=caption,
        label=f"tab:{label}",
    )
    return table.replace(r"\begin{tabular}", "\\centering\n\\begin{tabular}", 1)


def _scores(race: BenchmarkResults, comparison: Comparison, options: dict[str, Any]) -> str:
    """The table of scores with means and average ranks; clear winners are bold."""
    from sortal.measures import catalogue

    record = catalogue[options.get("measure") or race.measures[0]]
    spread = half_widths(race, options)

    def cell(name: str, column: str, value: float) -> str:
        half = spread.get((name, column))
        return f"${value:z.3f}$" if half is None else f"${value:z.3f} \\pm {half:.3f}$"

    bold = [
        name
        for name in comparison.leaders
        if len(comparison.different_from(name)) == len(comparison.ranks) - 1
    ]
    heads = [rf"\textbf{{{escape(n)}}}" if n in bold else escape(n) for n in comparison.ranks.index]
    rows = [
        [
            escape(name),
            *(cell(str(name), str(column), value) for column, value in row.items()),
        ]
        for name, row in comparison.scores.iterrows()
    ]
    direction_note = "" if record.sign > 0 else " (signs are turned, so that greater is better)"
    caption = escape(
        f"{record.title}{direction_note}. {tries_of(race, options.get('tries', 'mean'))} "
        f"{' '.join(comparison.words)}"
    )
    if spread:
        caption += r" $\pm$: half the width of the 95\,\% interval of a mean over the tries."
    if bold:
        caption += " Bold: different from all others."
    rows.append(["mean", *(f"${value:z.3f}$" for value in comparison.scores.mean())])
    rows.append(["average rank", *(f"{value:.2f}" for value in comparison.ranks)])
    return _float(["data set", *heads], rows, caption, "scores")


def _pairs(comparison: Comparison) -> str:
    """The table of tests of each pair."""
    rows = pair_rows(comparison, escape, "--", "${}$")
    caption = (
        "Pairs of methods: mean difference, effect size (rank-biserial correlation), data sets won "
        "and lost, and $p$ of Wilcoxon's signed-rank test, alone and corrected by Holm."
    )
    heads = ["pair", "difference", "effect", "won/lost", "$p$", "$p$ (Holm)"]
    return _float(heads, rows, caption, "pairs")


def _groups(comparison: Comparison) -> str:
    """The table of groups of data sets; empty without groups."""
    rows = [[escape(name), *cells] for name, *cells in group_rows(comparison, "${:z.3f}$ ({:.2f})")]
    heads = ["group", "data sets", *map(escape, comparison.scores.columns)]
    return _float(heads, rows, GROUPS_CAPTION, "groups") if rows else ""
