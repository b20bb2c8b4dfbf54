"""The result of an experiment in one form, and a page of many."""

from __future__ import annotations

import html
import json
import math
import os
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import karat
from karat.runtime.output import write_output
from karat_lab import EXPERIMENTS, run
from karat_lab.comparison import AGREES, DIFFERS, NO_ERROR, comparisons
from karat_lab.data import DRAWN, absent, data_in
from karat_lab.explanations import explanations
from karat_lab.scale import Quick, Scale, quick_of

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
    experiment, quick = EXPERIMENTS[name], quick_of(name)
    is_quick = scale == "quick"
    asked = {"scale": scale, "samples": samples, "seed": seed, "karat": karat.__version__}
    with tempfile.TemporaryDirectory() as empty:
        drawn = simulated or Path(empty)
        (drawn / DRAWN).unlink(missing_ok=True)
        only = quick.sets if is_quick else ()
        with data_in(data, simulated=drawn if is_quick else None, only=only):
            # work on simulated data is never taken for work on the data
            missing = zlib.crc32(" ".join(absent()).encode()) if is_quick else 0
            asked["absent"] = missing
            finished = None if folder is None else folder / "results" / f"{name}.json"
            known = _finished(finished, asked)
            if known is not None:
                return known
            kept = storage if folder is None else _kept(folder, name, quick, missing)
            begun = time.perf_counter(), _processor()
            found = run(
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
    compared = [one.as_dict() for one in comparisons(found.table)]
    result = {
        "schema": SCHEMA,
        "name": name,
        "title": experiment.title,
        "source": experiment.source,
        **asked,
        "seconds": round(time.perf_counter() - begun[0], 1),
        "processor_seconds": round(_processor() - begun[1], 1),
        "simulated": invented,
        "leaves_out": quick.leaves_out if is_quick and samples is None else "",
        "verdict": verdict_of([one["verdict"] for one in compared], simulated=bool(invented)),
        "explanation": explanations(
            name, [one["quantity"] for one in compared if one["verdict"] == DIFFERS]
        ),
        "comparisons": compared,
        "table": json.loads(_flat(found.table).to_json(orient="records", double_precision=15)),
        "notes": list(found.notes),
    }
    if finished is not None:
        finished.parent.mkdir(parents=True, exist_ok=True)
        write_output(finished, json.dumps(result, ensure_ascii=False, indent=1), overwrite=True)
    return result


def _processor() -> float:
    """Seconds of processor time of this process and of those that it waited for."""
    return sum(os.times()[:4])


def _finished(path: Path | None, asked: dict[str, Any]) -> dict[str, Any] | None:
    if path is None or not path.is_file():
        return None
    known: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return known if {key: known.get(key) for key in asked} == asked else None


def _kept(folder: Path, name: str, quick: Quick, missing: int) -> Path:
    """Where an experiment keeps finished work: experiments that share it name one place."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder / ((quick.shared or name) + (f"-without-{missing:08x}" if missing else ""))


def _names(path: Path) -> list[str]:
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
    """What the comparisons come to, in words."""
    if not verdicts:
        return "Nothing is published that it could be compared with."
    count = Counter(verdicts)
    told = [f"{count[AGREES]} of {len(verdicts)} published figures agree with ours"]
    if count[DIFFERS]:
        told.append(f"{count[DIFFERS]} differ")
    rest = len(verdicts) - count[AGREES] - count[DIFFERS]
    if rest:
        told.append(f"of {rest} no error is known or no case decides")
    end = ". On simulated data this says nothing of the publication." if simulated else "."
    return ", ".join(told) + end


def as_text(result: dict[str, Any]) -> str:
    """What a terminal shows."""
    lines = [result["name"]]
    if result["simulated"]:
        lines.insert(0, f"Simulated data, no result: {', '.join(result['simulated'])}.")
    if result["leaves_out"]:
        lines.append(f"Quick scale: {result['leaves_out']}.")
    if result["comparisons"]:
        lines += ["", _aligned(result["comparisons"])]
    else:
        import pandas as pd

        lines += ["", pd.DataFrame(result["table"]).to_string(float_format="{:.4g}".format)]
    lines += ["", result["verdict"], *result["notes"]]
    return "\n".join(lines)


HEADS = ("quantity", "ours", "interval", "published", "difference", "verdict")


def _cells(one: dict[str, Any]) -> tuple[str, ...]:
    low, high = one["low"], one["high"]
    interval = "" if low is None else f"{low:.4g} to {high:.4g}"
    return (
        one["quantity"],
        *(_number(value) for value in (one["ours"],)),
        interval,
        _number(one["published"]),
        _number(one["difference"]),
        one["verdict"],
    )


def _number(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else f"{value:.4g}"


def _aligned(compared: Sequence[dict[str, Any]]) -> str:
    rows = [HEADS, *map(_cells, compared)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


# -- the page ------------------------------------------------------------------------------------

COLOURS = {AGREES: "agrees", DIFFERS: "differs", NO_ERROR: "unknown"}
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: .5rem 0 } td, th { padding: .15rem .6rem;
border-bottom: 1px solid #ddd; text-align: left } .agrees { background: #d7f0d7 }
.differs { background: #f8d9d4 } .unknown { background: #eee } .simulated { color: #a33 }
summary { cursor: pointer; font-weight: 600 }
"""


def page(results: Sequence[dict[str, Any]], failed: dict[str, str]) -> str:
    """One HTML page: each published figure beside ours, green where it is in our interval."""
    rows = "".join(
        f'<tr><td><a href="#{r["name"]}">{r["name"]}</a></td><td>{html.escape(r["title"])}</td>'
        f"<td>{r['processor_seconds']:.0f}&nbsp;s</td><td>{html.escape(r['verdict'])}</td></tr>"
        for r in results
    )
    rows += "".join(
        f"<tr><td>{name}</td><td></td><td></td><td class='differs'>stopped: {html.escape(why)}</td>"
        "</tr>"
        for name, why in failed.items()
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Published figures, rerun'
        f"</title><style>{STYLE}</style><h1>Published figures, rerun</h1>"
        f"<p>karat {karat.__version__}. Green: the published figure lies in our 95 % interval, or "
        "is the same where nothing is random. Red: it does not. Grey: no error is known.</p>"
        "<table><tr><th>experiment</th><th></th><th>processor time</th><th>verdict</th></tr>"
        f"{rows}</table>" + "".join(map(_section, results)) + "</html>\n"
    )


def _section(result: dict[str, Any]) -> str:
    parts = [f'<h2 id="{result["name"]}">{result["name"]}</h2>']
    parts.append(f"<p>{html.escape(result['title'])} ({html.escape(result['source'])}).</p>")
    if result["simulated"]:
        names = html.escape(", ".join(result["simulated"]))
        parts.append(f'<p class="simulated">Simulated data, no result: {names}.</p>')
    if result["leaves_out"]:
        parts.append(f"<p>Quick scale: {html.escape(result['leaves_out'])}.</p>")
    parts.append(f"<p><b>{html.escape(result['verdict'])}</b></p>")
    if result["explanation"]:
        parts.append(f"<p>{html.escape(result['explanation'])}</p>")
    if result["comparisons"]:
        rows = [(COLOURS.get(one["verdict"], "unknown"), _cells(one)) for one in
                result["comparisons"]]  # fmt: skip
        parts.append(_html_table(HEADS, rows))
    elif result["table"]:
        heads = list(result["table"][0])
        rows = [("", tuple(_number(row[h]) for h in heads)) for row in result["table"]]
        table = _html_table(heads, rows)
        parts.append(f"<details><summary>{len(rows)} rows</summary>{table}</details>")
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in result["notes"])
    return "".join(parts) + (f"<ul>{notes}</ul>" if notes else "")


def _html_table(heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    head = "".join(f"<th>{html.escape(h)}</th>" for h in heads)
    body = "".join(
        f'<tr class="{colour}">' + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>"
        for colour, cells in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"
