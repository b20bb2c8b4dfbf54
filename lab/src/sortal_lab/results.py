"""The result of an experiment in one form, and a page of many."""

from __future__ import annotations

import html
import json
import math
import os
import re
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import sortal
from sortal.runtime.output import write_output
from sortal_lab import EXPERIMENTS, ExperimentResult, run
from sortal_lab.comparison import (
    AGREES,
    BOTH_ZERO,
    DIFFERS,
    NO_EFFECT,
    OTHER_DATA,
    REPEATED,
    SAME_DATA,
    comparisons,
)
from sortal_lab.data import DRAWN, absent, data_in
from sortal_lab.explanations import SHOWN, STATUSES, explanations, reason, statuses
from sortal_lab.scale import Quick, Scale, quick_of

SCHEMA = 1
Say = Callable[[str], None]


def result_of(
    name: str,
    *,
    scale: Scale = "quick",
    samples: int | None = None,
    seed: int = 0,
    storage: Path | None = None,
    folder: Path | None = None,
    data: Path | None = None,
    simulated: Path | None = None,
    progress: Say | None = None,
) -> dict[str, Any]:
    """Run an experiment and say what it found, as JSON has it.

    Parameters
    ----------
    name : str
        A key of ``EXPERIMENTS``.
    scale : {"quick", "paper"}
        At quick scale data sets that are not there are simulated.
    samples : int, optional
        Another number of repetitions than that of the scale.
    storage : path, optional
        Where the experiment keeps finished work.
    folder : path, optional
        In its place for many experiments: finished work, and finished results, which are read
        again.
    data, simulated : path, optional
        Folders of the data sets, and of those drawn in their place.
    progress : callable, optional
        Called with a line of text now and then.

    Returns
    -------
    dict
        ``verdict`` is what the comparisons come to, in words; ``comparisons`` has each published
        figure with ours, our interval, the difference and a verdict.
    """
    quick, is_quick = quick_of(name), scale == "quick"
    request = {"scale": scale, "samples": samples, "seed": seed, "sortal": sortal.__version__}
    with tempfile.TemporaryDirectory() as empty:
        drawn = simulated or Path(empty)
        (drawn / DRAWN).unlink(missing_ok=True)
        only = quick.sets if is_quick else ()
        with data_in(data, simulated=drawn if is_quick else None, only=only):
            # work on simulated data is never taken for work on the data
            missing = zlib.crc32(" ".join(absent()).encode()) if is_quick else 0
            request["absent"] = missing
            finished = None if folder is None else folder / "results" / f"{name}.json"
            stored = _finished(finished, request)
            if stored is not None:
                return stored
            kept = storage if folder is None else _kept(folder, name, quick, missing)
            begun = time.perf_counter(), _processor()
            experiment_result = run(
                name,
                samples=samples if samples is not None or not is_quick else quick.samples,
                random_state=seed,
                storage=kept,
                progress=progress,
            )
        invented = _names(drawn / DRAWN)
    if folder is not None and missing:
        # what an earlier experiment drew and left its work of, too
        place = _kept(folder, name, quick, missing)
        beside = place.with_name(f"{place.name}.simulated")
        invented = sorted({*invented, *_names(beside)})
        beside.write_text("\n".join(invented), encoding="utf-8")
    spent = time.perf_counter() - begun[0], _processor() - begun[1]
    result = _as_json(experiment_result, request, spent, invented)
    if finished is not None:
        finished.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(result, ensure_ascii=False, indent=1)
        write_output(finished, f"{text}\n", overwrite=True)
    return result


def _is_full(samples: int, repeats: str) -> bool:
    """Whether a number of samples is that of the full experiment, which has no other number.

    >>> _is_full(3, "3 draws of the columns"), _is_full(20, "20 draws and 19 numbers of clusters")
    (True, False)
    """
    return re.findall(r"[\d,]+", repeats) == [f"{samples:,}"]


def _as_json(
    experiment_result: ExperimentResult,
    request: dict[str, Any],
    spent: tuple[float, float],
    invented: list[str],
) -> dict[str, Any]:
    """A result as JSON has it."""
    experiment = EXPERIMENTS[experiment_result.name]
    found = comparisons(experiment_result.table, is_random=bool(experiment.repeats))
    compared = [comparison.as_dict() for comparison in found]
    smaller, samples = quick_of(experiment.name).leaves_out, request["samples"]
    if smaller and samples is not None:
        full = f"; in full {experiment.repeats}" if experiment.repeats else ""
        smaller = "" if _is_full(samples, experiment.repeats) else f"--samples {samples}{full}"
    elif request["scale"] == "paper":
        smaller = ""
    return {
        "schema": SCHEMA,
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        **request,
        "seconds": round(spent[0], 1),
        "processor_seconds": round(spent[1], 1),
        "simulated": invented,
        "leaves_out": smaller,
        "verdict": verdict_of(
            [comparison["verdict"] for comparison in compared], simulated=bool(invented)
        ),
        "explanation": explanations(experiment.name, _differing({"comparisons": compared})),
        "comparisons": compared,
        "table": json.loads(
            _flat(experiment_result.table).to_json(orient="records", double_precision=15)
        ),
        "notes": list(experiment_result.notes),
    }


def _processor() -> float:
    """Seconds of processor time of this process and of those that it waited for."""
    return sum(os.times()[:4])


def _finished(path: Path | None, request: dict[str, Any]) -> dict[str, Any] | None:
    """Stored result of the same request, or None."""
    if path is None or not path.is_file():
        return None
    stored: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return stored if {key: stored.get(key) for key in request} == request else None


def _kept(folder: Path, name: str, quick: Quick, missing: int) -> Path:
    """Storage of an experiment; experiments that share work have the same one."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder / ((quick.shared or name) + (f"-without-{missing:08x}" if missing else ""))


def _names(path: Path) -> list[str]:
    """Names in a text file, sorted."""
    return sorted(set(path.read_text("utf-8").split())) if path.is_file() else []


def _flat(table: Any) -> Any:
    """A table whose columns have one name each."""
    flat = table.reset_index() if table.index.nlevels > 1 or table.index.name else table.copy()
    flat.columns = [
        " ".join(str(part) for part in column if part) if isinstance(column, tuple) else str(column)
        for column in flat.columns
    ]
    return flat


def verdict_of(verdicts: Sequence[str], *, simulated: bool) -> str:
    """Summary of the comparisons, in words."""
    if not verdicts:
        return "Nothing is published that it could be compared with."
    count = Counter(verdicts)
    if count[SAME_DATA]:
        return f"{count[SAME_DATA]} of {len(verdicts)} published sizes are those of our data."
    if count[OTHER_DATA] == len(verdicts):
        return f"The published figures, {len(verdicts)}, are of other data than ours."
    figures = len(verdicts) - count[REPEATED]
    if not figures:
        return f"The published figures, {len(verdicts)}, repeat others, which are counted instead."
    parts = [f"{count[AGREES]} of {figures} published figures agree with ours"]
    if count[DIFFERS]:
        parts.append(f"{count[DIFFERS]} {'differs' if count[DIFFERS] == 1 else 'differ'}")
    if count[NO_EFFECT]:
        parts.append(f"{count[NO_EFFECT]} cannot be told from no effect")
    if count[BOTH_ZERO]:
        parts.append(f"{count[BOTH_ZERO]} {'is' if count[BOTH_ZERO] == 1 else 'are'} 0 in both")
    rest = figures - sum(count[kind] for kind in (AGREES, DIFFERS, NO_EFFECT, BOTH_ZERO))
    if rest:
        parts.append(f"of {rest} no error is known or no case decides")
    end = ". On simulated data this says nothing of the publication." if simulated else "."
    return ", ".join(parts) + end


def as_text(result: dict[str, Any]) -> str:
    """Result as text for a terminal."""
    lines = [result["name"]]
    if result["simulated"]:
        lines.insert(0, f"Simulated data, no result: {', '.join(result['simulated'])}.")
    if result["leaves_out"]:
        lines.append(f"{SMALLER}: {result['leaves_out']}.")
    if result["comparisons"]:
        lines += ["", _aligned(result["comparisons"])]
    else:
        import pandas as pd

        lines += ["", pd.DataFrame(result["table"]).to_string(float_format="{:.4g}".format)]
    lines += ["", result["verdict"], *result["notes"]]
    return "\n".join(lines)


SMALLER = "Smaller than the full experiment"
HEADS = ("quantity", "ours", "interval", "published", "difference", "verdict")


def _cells(comparison: dict[str, Any]) -> tuple[str, ...]:
    """One row of the printed comparison."""
    low, high = comparison["low"], comparison["high"]
    interval = "" if low is None else f"{low:.4g} to {high:.4g}"
    return (
        comparison["quantity"],
        _number(comparison["ours"]),
        interval,
        _number(comparison["published"]),
        _number(comparison["difference"]),
        comparison["verdict"],
    )


def _number(value: Any) -> str:
    """Number with four digits, or text unchanged."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else f"{value:.4g}"


def _aligned(compared: Sequence[dict[str, Any]]) -> str:
    """Comparisons as aligned text."""
    rows = [HEADS, *map(_cells, compared)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


# -- the page ------------------------------------------------------------------------------------

UNDECIDED = "undecided"
#: verdicts on figures that count nowhere
NOT_COUNTED = (BOTH_ZERO, REPEATED, SAME_DATA)
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: .5rem 0 } td, th { padding: .15rem .6rem;
border-bottom: 1px solid #ddd; text-align: left; vertical-align: top } small { color: #555 }
.agrees { background: #d7f0d7 } .differs { background: #f8d9d4 } .undecided { background: #eee }
.simulated { color: #a33 } summary { cursor: pointer; font-weight: 600 } .n { text-align: right }
details { overflow-x: auto }
"""
#: more rows than this are folded
FOLDED = 30


def page(results: Sequence[dict[str, Any]], failed: dict[str, str]) -> str:
    """One HTML page: each published figure beside ours, green where it is in our interval."""
    published = [r for r in results if r["comparisons"]]
    unpublished = [r for r in results if not r["comparisons"]]
    real, sure = Counter[str](), Counter[str]()
    for result in published:
        if not result["simulated"]:
            real += _counts(result)
            sure += statuses(result["name"], _differing(result))
    scales = " and ".join(sorted({r["scale"] for r in results}))
    spent = math.ceil(sum(r["processor_seconds"] for r in results) / 60)
    simulated = sum(bool(r["simulated"]) for r in results)
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Published figures, rerun'
        f"</title><style>{STYLE}</style><h1>Published figures, rerun</h1>",
        f"<p><b>Of {real.total():,} published figures {real[AGREES]:,} agree with ours, "
        f"{real[DIFFERS]:,} differ ({_reasons(sure)}), {real[NO_EFFECT]:,} cannot be told from no "
        f"effect, and {real[UNDECIDED]:,} cannot be decided at this scale. {_share(real, sure)}"
        "</b> A figure that is "
        "printed twice counts once, a row of counts is one figure, and figures that are 0 in both "
        "or describe the data do not count. "
        f"sortal {sortal.__version__}, {scales} scale; experiments: {len(results)}, minutes of "
        f"processor time: {spent}.</p>",
        '<p><span class="agrees">Agrees</span>: the published figure lies in our 95 % interval, or '
        'is the same where nothing is random. <span class="differs">Differs</span>: it does not. '
        "The reason is <i>shown</i> by a stored result, <i>likely</i>, or <i>unknown</i>; or a "
        "stored result <i>fits a reading that the text excludes</i>, or that another figure of "
        "the source refutes. "
        '<span class="undecided">Undecided</span>: '
        "with one sample no error is known, a search has found neither a proof nor a "
        "counterexample, or the published figure is of other data. A change or a correlation that "
        "agrees is no evidence where our interval holds 0 too: it <i>cannot be told from no "
        "effect</i>.</p>",
    ]
    if simulated:
        parts.append(
            f'<p class="simulated">{simulated} of them ran on simulated data, because the real '
            "ones are not there: this shows that the code runs, and counts nowhere. "
            "sortal lab fetch --all downloads the data.</p>"
        )
    for name, why in failed.items():
        parts.append(f'<p class="differs">{name} stopped: {html.escape(why)}</p>')
    counts = (AGREES, DIFFERS, NO_EFFECT, UNDECIDED)
    for title, group, verdicts in (
        ("Beside published figures", published, counts),
        ("Without a published figure", unpublished, ()),
    ):
        if group:
            heads = ("experiment", "source", *verdicts, "smaller than the full one", "seconds")
            rows = "".join(_index_row(result, verdicts) for result in group)
            parts.append(f"<h2>{title}</h2><table>{_head(heads)}{rows}</table>")
    return "".join([*parts, *map(_section, results)]) + "</html>\n"


def _differing(result: dict[str, Any]) -> list[str]:
    """Quantities whose published figure is outside our interval."""
    return [c["quantity"] for c in result["comparisons"] if c["verdict"] == DIFFERS]


def _reasons(count: Counter[str]) -> str:
    """How many reasons are of each status."""
    return ", ".join(f"{count[status]:,} {words}" for status, words in STATUSES.items())


def _share(verdicts: Counter[str], sure: Counter[str]) -> str:
    """Share of the decidable figures that agree or whose reason is shown, as a sentence."""
    decidable = verdicts[AGREES] + verdicts[DIFFERS]
    if not decidable:
        return ""
    share = (verdicts[AGREES] + sure[SHOWN]) / decidable
    return f"Of those that can be decided {share:.0%} agree or have a shown reason."


def _kind(verdict: str) -> str:
    """Verdict, with everything undecided taken together."""
    decided = (AGREES, DIFFERS, NO_EFFECT, *NOT_COUNTED)
    return verdict if verdict in decided else UNDECIDED


def _colour(verdict: str) -> str:
    """The class of a cell on the page."""
    return verdict if verdict in (AGREES, DIFFERS) else UNDECIDED


def _counts(result: dict[str, Any]) -> Counter[str]:
    """Number of distinct comparisons by verdict, of those that count."""
    kinds = (_kind(comparison["verdict"]) for comparison in result["comparisons"])
    return Counter(kind for kind in kinds if kind not in NOT_COUNTED)


def _index_row(result: dict[str, Any], counts: Sequence[str]) -> str:
    """HTML row of the index for one experiment."""
    cells = [
        f'<a href="#{result["name"]}">{result["name"]}</a><br><small>'
        f"{html.escape(result['title'])}</small>",
        html.escape(result["source"]),
    ]
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    if counts and result["simulated"]:
        row += '<td colspan="4" class="simulated">simulated data</td>'
    elif counts:
        count = _counts(result)
        for kind in counts:
            row += f'<td class="n {_colour(kind) if count[kind] else ""}">{count[kind] or ""}</td>'
    seconds = f"{result['processor_seconds']:.0f}"
    remarks = [result["leaves_out"]] if result["leaves_out"] else []
    if not counts and result["simulated"]:
        remarks.insert(0, "on simulated data")
    smaller = f"<td><small>{html.escape('; '.join(remarks))}</small></td>"
    return f'<tr>{row}{smaller}<td class="n">{seconds}</td></tr>'


def _section(result: dict[str, Any]) -> str:
    """HTML section of one experiment."""
    parts = [f'<h2 id="{result["name"]}">{result["name"]}</h2>']
    parts.append(f"<p>{html.escape(result['title'])} ({html.escape(result['source'])}).</p>")
    if result["simulated"]:
        names = html.escape(", ".join(result["simulated"]))
        parts.append(f'<p class="simulated">Simulated data, no result: {names}.</p>')
    if result["leaves_out"]:
        parts.append(f"<p>{SMALLER}: {html.escape(result['leaves_out'])}.</p>")
    parts.append(f"<p><b>{html.escape(result['verdict'])}</b></p>")
    if result["comparisons"]:
        heads: Sequence[str] = (*HEADS, "reason")
        rows = [
            (
                "" if result["simulated"] else _colour(comparison["verdict"]),
                (*_cells(comparison), _why(result, comparison)),
            )
            for comparison in result["comparisons"]
        ]
    else:
        heads = list(result["table"][0])
        rows = [("", tuple(_number(row[h]) for h in heads)) for row in result["table"]]
    is_open = "" if len(rows) > FOLDED else " open"
    table = _html_table(heads, rows)
    parts.append(f"<details{is_open}><summary>{len(rows)} rows</summary>{table}</details>")
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in result["notes"])
    return "".join(parts) + (f"<ul>{notes}</ul>" if notes else "")


def _why(result: dict[str, Any], comparison: dict[str, Any]) -> str:
    """Reason for a figure outside our interval."""
    differs = comparison["verdict"] == DIFFERS
    return str(reason(result["name"], comparison["quantity"])) if differs else ""


def _head(heads: Sequence[str]) -> str:
    """HTML head row."""
    return "<tr>" + "".join(f"<th>{html.escape(h)}</th>" for h in heads) + "</tr>"


def _html_table(heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """HTML table with coloured rows."""
    body = "".join(
        f'<tr class="{colour}">' + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>"
        for colour, cells in rows
    )
    return f"<table>{_head(heads)}{body}</table>"
