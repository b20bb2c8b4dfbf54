"""A comparison for a paper: LaTeX tables and the critical-difference diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from karat.bench.comparison import Comparison, p_text
from karat.bench.diagram import escaped, pdf, rank_drawing, tikz
from karat.bench.environment import environment
from karat.bench.page import half_widths, tries_of

if TYPE_CHECKING:
    from karat.bench.scored import Scored

#: of the diagram, in units of which 640 are as wide as a text
_WIDTH = 640


def diagram_pdf(found: Comparison) -> bytes:
    """The critical-difference diagram as a PDF file."""
    return pdf(rank_drawing(found, _WIDTH))


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
            _float("figure", tikz(rank_drawing(found, _WIDTH)), _about_ranks(found), "ranks"),
            rf"\paragraph{{How this was made.}} {escaped(made)}.",
            "",
        ]
    )


def _float(kind: str, body: str, caption: str, label: str) -> str:
    # a caption stands above a table and below a figure
    told = f"\\caption{{{caption}}}\n\\label{{{kind[:3]}:{label}}}\n"
    first, last = (told, "") if kind == "table" else ("", told)
    return f"\\begin{{{kind}}}\n\\centering\n{first}{body}{last}\\end{{{kind}}}\n"


def _tabular(heads: Sequence[str], blocks: Sequence[Sequence[Sequence[str]]]) -> str:
    """Blocks of rows with a line between them; what stands in the cells is LaTeX."""
    lines = [f"\\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}", r"\toprule"]
    for rows in ([heads], *blocks):
        lines += [" & ".join(row) + r" \\" for row in rows]
        lines.append(r"\midrule")
    return "\n".join([*lines[:-1], r"\bottomrule", r"\end{tabular}", ""])


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
    foot = [
        ["mean", *(f"${value:z.3f}$" for value in found.scores.mean())],
        ["average rank", *(f"{value:.2f}" for value in found.ranks)],
    ]
    turned = (
        "greater is better" if record.sign > 0 else "signs are turned, so that greater is better"
    )
    about = f"{escaped(record.title)} ({turned}) of {len(heads)} methods on {len(rows)} data sets. "
    about += escaped(tries_of(race, options.get("tries", "mean")))
    if spread:
        about += r" $\pm$: half the width of the 95\,\% interval of a mean over the tries."
    about += "".join(f" {escaped(note)}" for note in found.notes) + f" {_friedman(found)}"
    if bold:
        about += " Bold: different from all others (Wilcoxon's test, corrected by Holm)."
    return _float("table", _tabular(["data set", *heads], [rows, foot]), about, "scores")


def _friedman(found: Comparison) -> str:
    test = found.friedman
    told = f"Friedman's test: {_p(test.p_value)} ({escaped(test.method)})."
    if test.least > found.alpha:
        told += f" On these data sets no $p$ can be below {test.least:.2g}."
    return told


def _p(value: float) -> str:
    text = p_text(value)
    return f"$p {text}$" if text.startswith("<") else f"$p = {text}$"


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
    if found.friedman.p_value > found.alpha:
        about += " Friedman's test finds no difference between the methods."
    heads = ["pair", "difference", "effect", "won/lost", "$p$", "$p$ (Holm)"]
    return _float("table", _tabular(heads, [rows]), about, "pairs")


def _groups(found: Comparison) -> str:
    own = found.groups
    if own["group"].nunique() < 2:
        return ""
    rows = []
    for name, group in own.groupby("group", sort=False):
        of = group.set_index("method").loc[found.ranks.index]
        cells = [f"${s:z.3f}$ ({r:.2f})" for s, r in zip(of["score"], of["rank"], strict=True)]
        rows.append([escaped(name or "others"), str(group["sets"].iloc[0]), *cells])
    about = "Mean scores (average ranks) by group of data sets; nothing is tested within a group."
    heads = ["group", "sets", *map(escaped, found.ranks.index)]
    return _float("table", _tabular(heads, [rows]), about, "groups")


def _about_ranks(found: Comparison) -> str:
    told = "Average ranks of the methods. "
    if math.isinf(found.critical_difference):
        return f"{told}On so few data sets no difference could be significant."
    return (
        f"{told}Bars join methods whose ranks differ by less than the critical difference of "
        f"Nemenyi's test at {found.alpha:g}, {found.critical_difference:.2f}."
    )
