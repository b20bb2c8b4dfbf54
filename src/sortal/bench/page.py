"""The page of a benchmark: verdict, diagram, and tables."""

from __future__ import annotations

import html
import math
import platform
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortal.bench.comparison import Comparison, p_text
from sortal.bench.diagram import bar_caption, rank_drawing, svg
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from sortal.bench.results import BenchmarkResults

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1d2126;background:#fff;max-width:62rem;
margin:2rem auto;padding:0 1rem}
h1{line-height:1.2}h2{margin-top:2.4rem}p{max-width:46rem}
table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
td,th{padding:.2rem .6rem;text-align:right}td{white-space:nowrap}
th:first-child,td:first-child{text-align:left}thead th{border-bottom:1px solid #999;
vertical-align:bottom}tbody th{font-weight:normal;white-space:nowrap}
tfoot tr:first-child>*{border-top:1px solid #999}tfoot th{font-weight:normal}
.many{font-size:.78em}.many td,.many th{padding:.15rem .3rem}.many td small{display:block;
line-height:1}.wide{overflow-x:auto}small,td small{color:#555}td small{font-size:.75em}
summary{cursor:pointer}svg{display:block;margin:1rem 0}
@media (prefers-color-scheme:dark){body{color:#e6e6e3;background:#16181b}small,td small{color:#bbb}}
@media print{body{max-width:none;margin:0;font-size:10pt}h2{break-after:avoid}
svg,tr{break-inside:avoid}.wide{overflow:visible}.many{font-size:6pt}}
"""
#: caption of the table of groups
GROUPS_CAPTION = (
    "Mean score (average rank) on the data sets of a group; nothing is tested within a group."
)
#: tuned: by eye, tables with more columns use smaller type
_MAX_NORMAL_COLUMNS = 9


def _escape(value: object) -> str:
    """Text with HTML's special characters escaped."""
    return html.escape(str(value))


def _table(heads: list[str], rows: list[list[str]]) -> str:
    """A plain table whose cells are HTML."""
    head = "".join(f"<th>{_escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _note(text: str) -> str:
    """A paragraph in small type."""
    return f"<p><small>{text}</small></p>"


def _shade(value: float, low: float, high: float) -> str:
    """Style attribute of a cell, darker for greater values; empty for NaN."""
    if math.isnan(value):
        return ""
    strength = 0.6 * min(max((value - low) / max(high - low, 1e-12), 0.0), 1.0)
    return f' style="background:rgba(0,114,178,{strength:.2f})"'


def half_widths(race: BenchmarkResults, options: dict[str, Any]) -> dict[tuple[str, str], float]:
    """Half widths of the 95 % intervals of means over tries, by data set and contestant."""
    if options.get("tries", "mean") != "mean":
        return {}
    intervals = race.intervals(options.get("measure"), failed=options.get("failed"))
    half = ((intervals["high"] - intervals["low"]) / 2).dropna()
    return dict(zip(half.index, half, strict=True))


def heat_table(scores: pd.DataFrame, spread: dict[tuple[str, str], float], foot: str = "") -> str:
    """Table of scores and the half widths of their intervals; better cells are darker."""
    low, high = max(float(scores.to_numpy().min()), 0.0), float(scores.to_numpy().max())
    rows = []
    for name, row in scores.iterrows():
        cells = []
        for column, value in row.items():
            half = spread.get((str(name), str(column)))
            more = "" if half is None else f" <small>±{half:.3f}</small>"
            cells.append(f"<td{_shade(value, low, high)}>{value:z.3f}{more}</td>")
        rows.append(f"<tr><th>{_escape(name)}</th>{''.join(cells)}</tr>")
    heads = "".join(f"<th>{_escape(name)}</th>" for name in scores.columns)
    kind = "heat many" if scores.shape[1] > _MAX_NORMAL_COLUMNS else "heat"
    return (
        f'<div class="wide"><table class="{kind}"><thead><tr><th>data set</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody>{foot}</table></div>"
    )


def _scores(race: BenchmarkResults, comparison: Comparison, options: dict[str, Any]) -> str:
    """The table of scores with means and average ranks, and a note on the intervals."""
    scores, spread = comparison.scores, half_widths(race, options)
    means = "".join(f"<td>{value:.3f}</td>" for value in scores.mean())
    ranks = "".join(f"<td>{comparison.ranks[name]:.2f}</td>" for name in comparison.ranks.index)
    foot = f"<tfoot><tr><th>mean</th>{means}</tr><tr><th>average rank</th>{ranks}</tr></tfoot>"
    caption = "Contestants from the best average rank to the worst; darker is better."
    if spread:
        caption += (
            " ±: half the width of the 95 % interval of the mean over the tries (Student's t); "
            "without it there is one try."
        )
    return heat_table(scores, spread, foot) + _note(caption)


def _pairs(comparison: Comparison) -> str:
    """All tests of each pair."""
    different = ("yes" if value else "" for value in comparison.pairs["different"])
    rows = [
        [*row, text]
        for row, text in zip(pair_rows(comparison, _escape, "–"), different, strict=True)
    ]
    heads = ["pair", "mean difference", "effect", "won/lost", "p", "p (Holm)", "different"]
    return _table(heads, rows) + _note(
        "p: Wilcoxon's signed-rank test, corrected by Holm. Effect: rank-biserial correlation, 1 "
        f"where all ranks speak for the first. Different: by Friedman's test and that of the pair, "
        f"at {comparison.alpha:g}."
    )


def pair_rows(
    comparison: Comparison, escape: Callable[[object], str], dash: str, number: str = "{}"
) -> list[list[str]]:
    """Cells of each pair: names, mean difference, effect, won/lost, p, and p by Holm."""
    return [
        [
            f"{escape(row['one'])} {dash} {escape(row['other'])}",
            number.format(f"{row['difference']:+.3f}"),
            number.format(f"{row['effect']:+.2f}"),
            f"{row['wins']}/{row['losses']}",
            number.format(p_text(row["p"])),
            number.format(p_text(row["p_holm"])),
        ]
        for row in comparison.pairs.to_dict("records")
    ]


def group_rows(comparison: Comparison, cell: str) -> list[list[str]]:
    """Cells of each group of data sets: name, number of sets, score and rank of each method."""
    by_group = comparison.groups.groupby(["group", "sets"], sort=False)
    rows = [
        [str(name or "others"), str(sets), *map(cell.format, group["score"], group["rank"])]
        for (name, sets), group in by_group
    ]
    return rows if len(rows) > 1 else []


def _groups(comparison: Comparison) -> str:
    """The table of groups of data sets; empty without groups."""
    rows = [list(map(_escape, row)) for row in group_rows(comparison, "{:z.3f} ({:.2f})")]
    if not rows:
        return ""
    table = _table(["group", "data sets", *comparison.scores.columns], rows)
    return f"<h2>Groups of data sets</h2>{table}{_note(GROUPS_CAPTION)}"


def _span_text(bounds: pd.Series) -> str:
    """The least and the greatest number, or the single one if they are equal."""
    low, high = int(bounds["min"]), int(bounds["max"])
    return f"{low}" if low == high else f"{low}–{high}"


def _agreements(race: BenchmarkResults, options: dict[str, Any]) -> str:
    """Rank correlations between the measures; empty for a single measure."""
    from sortal.measures import catalogue

    if len(race.measures) < 2:
        return ""
    scoring = {key: options[key] for key in ("tries", "failed") if key in options}
    try:
        taus = race.agreement(**scoring)
    except InputError as error:
        body = f"<p>The measures' rankings cannot be compared: {_escape(error)}.</p>"
    else:
        title = {key: _escape(catalogue[key].title) for key in race.measures}
        rows = [
            [
                f"{title[r['one']]} – {title[r['other']]}",
                f"{r['tau']:.2f}", f"{r['low']:.2f} to {r['high']:.2f}",
            ]
            for _, r in taus.iterrows()
        ]  # fmt: skip
        heads = ["Kendall's τ", "of average ranks", "95 %"]
        body = _table(heads, rows)
    return f"<h2>Do rankings agree?</h2>{body}" + _note(
        "Kendall's τ-b; intervals by 1,000 draws of the data sets with replacement."
    )


def _failures(race: BenchmarkResults) -> str:
    """The table of failed fits and their reasons; empty without failures."""
    table = race.table.assign(contestant=race.contestants)
    failed = table[table["reason"].notna()]
    if not len(failed):
        return ""
    counts = failed.groupby(["contestant", "set", "reason"], sort=False).size().reset_index()
    rows = [
        [_escape(name), _escape(on), f"{number}", _escape(reason)]
        for name, on, reason, number in counts.to_numpy().tolist()
    ]
    return f"<h2>What failed</h2>{_table(['', 'data set', 'fits', 'reason'], rows)}"


def tries_of(race: BenchmarkResults, tries: int | str = "mean") -> str:
    """Sentences on the number of tries, the score of several tries, and failures."""
    table = race.table.assign(contestant=race.contestants)
    counts = table.groupby(["set", "contestant"])["try"].nunique().groupby("contestant")
    span = counts.agg(["min", "max"])
    spans = "; ".join(f"{name} {_span_text(bounds)}" for name, bounds in span.iterrows())
    if span.nunique().eq(1).all():
        spans = _span_text(span.iloc[0])
    score = f"the expected best of {tries} tries, for all the same number"
    if tries == "mean":
        score = "the mean over the tries, never the best"
    text = f"Tries on each data set: {spans}. A score is {score}."
    failed = int(race.failures["failed"].sum())
    if failed:
        text += f" Failed or missing: {failed}; the reasons are in the table."
    return text


def environment(race: BenchmarkResults) -> list[tuple[str, str]]:
    """Names and values of everything that a rerun needs."""
    from sortal.runtime.threads import available_cores
    from sortal.runtime.version import __version__, package_versions

    packages = [("sortal", __version__), *package_versions("numpy", "scipy", "scikit-learn")]
    entries = [
        ("versions", ", ".join(f"{name} {version}" for name, version in packages)),
        ("machine", f"{platform.platform()}, {_processor()}, {available_cores()} cores used"),
    ]
    if race.table["seconds"].isna().all():
        return [*entries, ("clusterings", "read from files, which do not tell how they were made")]
    rules = race.rules
    first = rules.random_state
    k = "as many as classes" if rules.k == "classes" else ", ".join(map(str, rules.k))
    return [
        *entries,
        ("seeds", f"{first} to {first + rules.n_init - 1}, one for each of {rules.n_init} tries"),
        ("numbers of clusters", k),
        ("objects of each try", "all" if rules.draw is None else "those of k of the classes"),
    ]


def _processor() -> str:
    """The processor's model if the system reports it, else its architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8", errors="replace") if cpuinfo.exists() else ""
    model = re.search(r"^model name\s*:\s*(.+)", text, re.MULTILINE)
    return model[1] if model else platform.processor() or platform.machine()


def _environment(race: BenchmarkResults) -> str:
    """The section on how the comparison was made."""
    rows = [[_escape(name), _escape(value)] for name, value in environment(race)]
    body = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return f"<h2>How this was made</h2><dl>{body}</dl>"


def html_page(race: BenchmarkResults, comparison: Comparison, options: dict[str, Any]) -> str:
    """The page of a comparison, a single file that needs no network."""
    from sortal.measures import catalogue

    measure = options.get("measure") or race.measures[0]
    tries = options.get("tries", "mean")
    record = catalogue[measure]
    words = "".join(f"<p>{_escape(text)}</p>" for text in comparison.words)
    direction_note = "" if record.sign > 0 else " Less is better; signs are turned."
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Benchmark: {_escape(record.title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{len(comparison.ranks)} contestants on {len(comparison.scores)} data sets, by "
        f"{_escape(record.title)}</h1>{words}"
        f"<p><small>{_escape(tries_of(race, tries))} Outliers count as clusters of one."
        f"{direction_note}</small></p>"
        f"<h2>Average ranks</h2>{svg(rank_drawing(comparison), 'Critical-difference diagram')}"
        + _note(f"Contestants by average rank; {bar_caption(comparison)}")
        + f"<h2>Scores</h2>{_scores(race, comparison, options)}{_groups(comparison)}"
        f"<h2>Pairs</h2>{_pairs(comparison)}{_agreements(race, options)}"
        f"{_failures(race)}{_environment(race)}</body></html>"
    )
