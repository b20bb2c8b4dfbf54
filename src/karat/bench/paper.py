"""A comparison for a paper: LaTeX tables and the critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.bench.comparison import Comparison, p_text
from karat.bench.diagram import bars_of, escaped, rank_drawing, tikz
from karat.bench.environment import environment
from karat.bench.page import GROUPS, group_rows, half_widths, tries_of

if TYPE_CHECKING:
    from karat.bench.scored import Scored

#: of the diagram, in units of which 640 are as wide as a text
WIDTH = 640


def latex(race: Scored, found: Comparison, options: dict[str, Any]) -> str:
    """Floats with the scores, the pairs, the groups of sets and the diagram, and how it was made.

    The document needs the packages ``booktabs`` and ``tikz``.
    """
    made = "; ".join(f"{name}: {value}" for name, value in environment(race))
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,tikz}; the scores of all tries are in the .csv file",
            _scores(race, found, options),
            _pairs(found),
            _groups(found),
            r"\begin{figure}",
            r"\centering",
            tikz(rank_drawing(found, WIDTH)),
            rf"\caption{{Average ranks of the methods; {escaped(bars_of(found))}}}",
            r"\label{fig:ranks}",
            r"\end{figure}",
            rf"\paragraph{{How this was made.}} {escaped(made)}.",
            "",
        ]
    )


def _float(heads: list[str], rows: list[list[str]], caption: str, label: str) -> str:
    """A table; what stands in the cells is LaTeX."""
    import pandas as pd

    made = pd.DataFrame(rows, columns=heads).to_latex(
        index=False,
        escape=False,
        column_format="l" + "r" * (len(heads) - 1),
        caption=caption,
        label=f"tab:{label}",
    )
    return made.replace(r"\begin{tabular}", "\\centering\n\\begin{tabular}", 1)


def _scores(race: Scored, found: Comparison, options: dict[str, Any]) -> str:
    from karat.measures import catalogue

    record = catalogue[options.get("measure") or race.measures[0]]
    spread = half_widths(race, options)

    def cell(name: Any, column: str, value: float) -> str:
        half = spread.get((name, column))
        return f"${value:z.3f}$" if half is None else f"${value:z.3f} \\pm {half:.3f}$"

    bold = [
        name for name in found.leaders if len(found.different_from(name)) == len(found.ranks) - 1
    ]
    heads = [rf"\textbf{{{escaped(n)}}}" if n in bold else escaped(n) for n in found.ranks.index]
    rows = [
        [escaped(name), *(cell(name, str(column), value) for column, value in row.items())]
        for name, row in found.scores.iterrows()
    ]
    turned = "" if record.sign > 0 else " (signs are turned, so that greater is better)"
    about = escaped(
        f"{record.title}{turned}. {tries_of(race, options.get('tries', 'mean'))} "
        f"{' '.join(found.words)}"
    )
    if spread:
        about += r" $\pm$: half the width of the 95\,\% interval of a mean over the tries."
    if bold:
        about += " Bold: different from all others."
    rows.append(["mean", *(f"${value:z.3f}$" for value in found.scores.mean())])
    rows.append(["average rank", *(f"{value:.2f}" for value in found.ranks)])
    return _float(["data set", *heads], rows, about, "scores")


def _pairs(found: Comparison) -> str:
    rows = [
        [
            f"{escaped(r['one'])} -- {escaped(r['other'])}", f"${r['difference']:+.3f}$",
            f"${r['effect']:+.2f}$", f"{r['wins']}/{r['losses']}", f"${p_text(r['p'])}$",
            f"${p_text(r['p_holm'])}$",
        ]
        for _, r in found.pairs.iterrows()
    ]  # fmt: skip
    about = (
        "Pairs of methods: mean difference, effect size (rank-biserial correlation), data sets won "
        "and lost, and $p$ of Wilcoxon's signed-rank test, alone and corrected by Holm."
    )
    heads = ["pair", "difference", "effect", "won/lost", "$p$", "$p$ (Holm)"]
    return _float(heads, rows, about, "pairs")


def _groups(found: Comparison) -> str:
    rows = [[escaped(name), *cells] for name, *cells in group_rows(found, "${:z.3f}$ ({:.2f})")]
    heads = ["group", "data sets", *map(escaped, found.scores.columns)]
    return _float(heads, rows, GROUPS, "groups") if rows else ""
