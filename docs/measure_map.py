"""Tables and figures of the page on the map of the measures, from the packaged map."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import sortal
from sortal.measures import catalogue
from sortal.measures.measure_map import DATA_GROUPS, DATA_KINDS, SAME_CORRELATION, load_map
from sortal.measures.properties import definitions, stored_verdicts
from sortal_lab.map_of_measures import fit_and_unfit, stability

Table = Callable[[list[str], list[list[str]]], str]


def number(value: float, digits: int = 2) -> str:
    return "–" if value != value else f"{value:.{digits}f}".replace("-", "−")


def interval(row: Any) -> str:
    if row["rho"] != row["rho"]:
        return "–"
    return f"{number(row['rho'])} ({number(row['low'])} to {number(row['high'])})"


def by_property(found: Any) -> tuple[list[str], list[list[str]]]:
    """How near measures with and without each property are to the truth."""
    verdicts = [v for v in stored_verdicts() if v.measure in found.keys]
    rows = []
    for key, item in definitions().items():
        for outcome in ("holds", "violated"):
            keys = [v.measure for v in verdicts if v.property == key and v.outcome == outcome]
            if keys:
                means = [number(found.agreement[kind]["rho"][keys].mean()) for kind in DATA_KINDS]
                rows.append([item.name, outcome, str(len(keys)), *means])
    return ["property", "outcome", "measures", *(f"mean ρ, {kind}" for kind in DATA_KINDS)], rows


def write(folder: Path, table: Table) -> None:
    """Write every part of the page into a folder."""
    found = load_map()
    families = found.families(found.together.index)
    home = {key: name for name, members in families.items() for key in members}

    def put(name: str, text: str) -> None:
        (folder / f"measure_map_{name}.inc").write_text(text, encoding="utf-8")

    whole = found.studies.max()
    truth = [
        [
            catalogue[key].title + "*" * bool(found.studies[key] < whole),
            home.get(key, "improves with k"),
            *(
                interval(found.agreement[group].loc[key])
                for group in DATA_GROUPS
                if group != "tables"
            ),
        ]
        for key in [*home, *(key for key in found.keys if key not in home)]
    ]
    put("fit", "".join(f"- {line}\n" for line in fit_and_unfit(found)))
    put("truth", table(["measure", "family", *(g for g in DATA_GROUPS if g != "tables")], truth))

    figure = sortal.plot.agreement(found.rho, symbol="ρ")
    html = figure.to_html(full_html=False, include_plotlyjs="_static/plotly.min.js")
    (folder / "measure_map_heat.html").write_text(html, encoding="utf-8")

    same = [f"- {', '.join(catalogue[key].title for key in group)}" for group in found.same()]
    put("same", f"These say the same (ρ > {SAME_CORRELATION} for every two), "
        "so one of each is enough:\n\n" + "\n".join(same) + "\n")  # fmt: skip

    rows = [
        [name, ", ".join(catalogue[key].title for key in members), stability(found, members)]
        for name, members in families.items()
    ]
    put("families", table(["family", "measures", "stability"], rows))

    put("properties", table(*by_property(found)))
    rows = []
    for voters, ways in found.about["consensus"].items():
        for way, row in ways.items():
            cells = [
                f"{number(v, 3)} ({number(a, 3)} to {number(b, 3)})"
                for v, a, b in (row[g] for g in ("all", *DATA_GROUPS) if g != "tables")
            ]
            rows.append([voters, way, *cells])
    header = ["voters", "families", "all", *(g for g in DATA_GROUPS if g != "tables")]
    put("consensus", table(header, rows))
    put(
        "about",
        f"{found.about['tasks']:,} tasks, {found.about['collections']} collections, tree cut at "
        f"1 − ρ = {found.apart:g}.\n",
    )
