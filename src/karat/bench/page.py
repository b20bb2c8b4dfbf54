"""The page of a benchmark: words, a critical-difference diagram, and the table of scores."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from karat.bench.statistics import Comparison, _p

if TYPE_CHECKING:
    from karat.bench.benchmark import Benchmark

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1d2126;background:#fff;max-width:60rem;
margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .6rem;text-align:right}
th:first-child,td:first-child{text-align:left}thead th{border-bottom:1px solid #999}
.wide{overflow-x:auto}small{color:#666}
@media (prefers-color-scheme:dark){body{color:#e6e6e3;background:#16181b}small{color:#aaa}}
"""


def rank_diagram(found: Comparison, width: int = 720) -> str:
    """Average ranks on a line, and bars over methods that do not differ (Demšar 2006), as SVG."""
    ranks, k = found.ranks, len(found.ranks)
    left, right = 150, width - 150
    bars = found.cliques
    top = 46
    first = top + 22 + 12 * len(bars)
    rows = (k + 1) // 2
    height = first + 20 * rows + 10

    def x(rank: float) -> float:
        return left + (rank - 1) / max(k - 1, 1) * (right - left)

    line = 'stroke="currentColor" fill="none"'
    out = [
        f'<svg viewBox="0 0 {width} {height}" role="img" font-size="13" fill="currentColor" '
        'style="max-width:100%"><title>Critical-difference diagram of average ranks</title>',
        f'<path d="M{x(1):.1f} {top}H{x(k):.1f}" {line}/>',
    ]
    for rank in range(1, k + 1):
        out.append(f'<path d="M{x(rank):.1f} {top}v-6" {line}/>')
        out.append(f'<text x="{x(rank):.1f}" y="{top - 10}" text-anchor="middle">{rank}</text>')
    width_cd = min(found.critical_difference / max(k - 1, 1) * (right - left), right - left)
    out.append(f'<path d="M{left} 12h{width_cd:.1f}" stroke-width="2" {line}/>')
    out.append(
        f'<text x="{left + width_cd + 6:.1f}" y="16">critical difference '
        f"{found.critical_difference:.2f}</text>"
    )
    for i, names in enumerate(bars):
        y = top + 14 + 12 * i
        low, high = x(float(ranks[names[0]])), x(float(ranks[names[-1]]))
        out.append(
            f'<path d="M{low - 4:.1f} {y}H{high + 4:.1f}" stroke-width="4" '
            'stroke-linecap="round" stroke="#0072B2"/>'
        )
    for i, (name, rank) in enumerate(ranks.items()):
        best = i < rows
        y = first + 20 * (i if best else k - 1 - i)
        end, anchor = (left - 10, "end") if best else (right + 10, "start")
        out.append(f'<path d="M{x(rank):.1f} {top}V{y - 4}H{end}" {line} stroke-width=".8"/>')
        text = f"{html.escape(str(name))} {rank:.2f}"
        at = end - 4 if best else end + 4
        out.append(f'<text x="{at}" y="{y}" text-anchor="{anchor}">{text}</text>')
    return "".join([*out, "</svg>"])


def _score_table(found: Comparison) -> str:
    scores = found.scores
    span = max(float(scores.to_numpy().max() - scores.to_numpy().min()), 1e-12)
    low = float(scores.to_numpy().min())
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in scores.columns)
    body = []
    for name, row in scores.iterrows():
        cells = []
        for value in row:
            strength = 0.6 * (value - low) / span
            style = f"background:rgba(0,114,178,{strength:.2f})"
            cells.append(f'<td style="{style}">{value:.3f}</td>')
        body.append(f"<tr><td>{html.escape(str(name))}</td>{''.join(cells)}</tr>")
    means = "".join(f"<td>{value:.3f}</td>" for value in scores.mean())
    ranks = "".join(f"<td>{found.ranks[name]:.2f}</td>" for name in scores.columns)
    foot = f"<tr><td>mean</td>{means}</tr><tr><td>average rank</td>{ranks}</tr>"
    return (
        f'<div class="wide"><table><thead><tr><th>data set</th>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody><tfoot>{foot}</tfoot></table></div>"
    )


def _pair_table(found: Comparison) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(str(r['one']))} – {html.escape(str(r['other']))}</td>"
        f"<td>{r['difference']:+.3f}</td><td>{r['wins']:.0f}/{r['losses']:.0f}</td>"
        f"<td>{_p(r['p'])}</td><td>{_p(r['p_holm'])}</td><td>{r['better']:.2f}</td>"
        f"<td>{r['equivalent']:.2f}</td><td>{r['worse']:.2f}</td></tr>"
        for _, r in found.pairs.iterrows()
    )
    return (
        '<div class="wide"><table><thead><tr><th>pair</th><th>mean difference</th><th>won/lost</th>'
        "<th>p</th><th>p (Holm)</th><th>P(better)</th><th>P(equivalent)</th><th>P(worse)</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def tries_of(race: Benchmark) -> str:
    """How often each method tried, and how many cells failed, in words."""
    table = race.table
    ran = table[table["reason"].isna()]
    counts = ran.groupby(["set", "method"])["try"].nunique().groupby("method").agg(["min", "max"])
    told = "; ".join(
        f"{name} {int(low)}" + ("" if low == high else f"–{int(high)}")
        for name, (low, high) in zip(counts.index, counts.to_numpy(), strict=True)
    )
    failed = table[table["reason"].notna()]
    text = f"Tries on each data set: {told}. A score is the mean over the tries, never the best."
    if len(failed):
        text += f" {len(failed)} tries failed or are missing; their reasons are in the table."
    return text


def html_page(race: Benchmark, found: Comparison, measure: str | None) -> str:
    """The page, in one file that needs no network."""
    from karat.measures import catalogue

    key = measure or race.measures[0]
    title = catalogue[key].title
    words = "".join(f"<p>{html.escape(text)}</p>" for text in found.words)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Benchmark: {html.escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{html.escape(title)}</h1>{words}<p><small>{html.escape(tries_of(race))} Outliers "
        "count as clusters of one.</small></p>"
        f"<h2>Average ranks</h2>{rank_diagram(found)}"
        f"<p><small>Blue bars join methods that do not differ by Nemenyi's test at "
        f"{found.alpha:g}.</small></p><h2>Scores</h2>{_score_table(found)}"
        f"<h2>Pairs</h2>{_pair_table(found)}<p><small>p: Wilcoxon's signed-rank test, corrected by "
        f"Holm. P: Bayesian signed-rank test; equivalent within {found.rope:g}.</small></p></html>"
    )


def latex_table(race: Benchmark, found: Comparison, measure: str | None) -> str:
    """The scores as a LaTeX table (booktabs); only differences that hold are in bold."""
    scores = found.scores
    best = str(found.ranks.index[0])
    worse = {
        str(row["other"] if row["one"] == best else row["one"])
        for _, row in found.pairs.iterrows()
        if best in (row["one"], row["other"]) and row["p_holm"] <= found.alpha
    }
    told_apart = len(worse) == scores.shape[1] - 1
    lines = [
        r"\begin{tabular}{l" + "r" * scores.shape[1] + "}",
        r"\toprule",
        " & ".join(["data set", *map(_tex, scores.columns)]) + r" \\",
        r"\midrule",
    ]
    for name, row in scores.iterrows():
        lines.append(" & ".join([_tex(name), *(f"{v:.3f}" for v in row)]) + r" \\")
    lines.append(r"\midrule")
    for title, values in (("mean", scores.mean()), ("average rank", found.ranks[scores.columns])):
        cells = [
            f"\\textbf{{{v:.3f}}}" if told_apart and name == best else f"{v:.3f}"
            for name, v in zip(scores.columns, np.asarray(values), strict=True)
        ]
        lines.append(" & ".join([title, *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", ""]
    return "\n".join(lines)


def _tex(value: object) -> str:
    text = str(value).replace("\\", r"\textbackslash ")
    for sign in "&%$#_{}":
        text = text.replace(sign, f"\\{sign}")
    return text
