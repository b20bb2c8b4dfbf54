"""The table of properties and a page of counterexamples for each, from the stored verdicts."""

from __future__ import annotations

import html
import math
from pathlib import Path

import numpy as np

from sortal.measures import catalogue
from sortal.measures.properties import (
    Counterexample,
    Property,
    Situation,
    Verdict,
    cluster_name,
    definitions,
    stored_verdicts,
)
from sortal.plot.style import color, number
from sortal_lab import run
from sortal_lab.whissell2012_chapter4 import INTERNAL, TEXT

#: objects of a picture, and pixels of a panel
MOST, WIDE, HIGH = 12, 340, 250
WORDS = {"holds": "yes", "undecided": "?", "not applicable": "–"}


def anchor(measure: str, property: str) -> str:
    """The label of a counterexample."""
    return f"why-{measure}-{property}".replace("_", "-")


def of_property(key: str) -> str:
    """The label of a property's page."""
    return f"property-{key}".replace("_", "-")


def outcome_table(kind: str) -> str:
    """A row for each measure, a column for each property; each no is a link to why."""
    verdicts = {(v.measure, v.property): v for v in stored_verdicts()}
    asked = [p for p in definitions().values() if p.kind == kind]
    keys = [m.key for m in catalogue.select(kind=kind)]
    keys = [key for key in keys if any((key, p.key) in verdicts for p in asked)]
    if not keys:
        return "No verdicts are stored.\n"
    lines = [".. list-table::", "   :header-rows: 1", "   :class: properties", ""]
    for i, cell in enumerate(
        ["measure", *(f":ref:`{p.name} <{of_property(p.key)}>`" for p in asked)]
    ):
        lines.append(f"   {'*' if i == 0 else ' '} - {cell}")
    for key in keys:
        lines.append(f"   * - ``{key}``")
        lines += [f"     - {_cell(verdicts.get((key, p.key)))}" for p in asked]
    return "\n".join(lines) + "\n"


def _cell(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    if verdict.outcome == "violated":
        return f":ref:`no <{anchor(verdict.measure, verdict.property)}>`"
    return WORDS[verdict.outcome]


def published_table() -> str:
    """Table 4.1 of whissell2012, and what the search says of each cell."""
    found = run("whissell2012-table4.1").table
    there = {anchor(v.measure, v.property) for v in stored_verdicts() if v.counterexample}
    properties = {**INTERNAL, TEXT[0]: TEXT[1]}
    parts = []
    for columns in (list(properties), [c for c in found["column"].unique() if c not in properties]):
        own = found[found["column"].isin(columns)]
        if own.empty:
            continue
        lines = [".. list-table::", "   :header-rows: 1", ""]
        for i, cell in enumerate(["measure", *columns]):
            lines.append(f"   {'*' if i == 0 else ' '} - {cell}")
        for measure, rows in own.groupby("measure", sort=False):
            lines.append(f"   * - {measure}")
            for column in columns:
                row = rows[rows["column"] == column].iloc[0]
                said = f"{row['published'] or 'no claim'}: {row['verdict']}"
                why = anchor(row["key"], properties.get(column, ""))
                lines.append(f"     - {f':ref:`{said} <{why}>`' if why in there else said}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def property_page(property: Property) -> str:
    """Its definition, and the counterexample of every measure that lacks it."""
    title = property.name
    lines = [
        f".. _{of_property(property.key)}:",
        "",
        title,
        "=" * len(title),
        "",
        property.definition,
        "",
    ]
    lines += [f"*Source*: {property.reference}", ""]
    if property.scope:
        lines += [f"Exhaustive over {property.scope}; then random cases.", ""]
    verdicts = [v for v in stored_verdicts() if v.property == property.key]
    for verdict in sorted(verdicts, key=lambda v: v.measure):
        found = verdict.counterexample
        if found is None:
            continue
        lines += [f".. _{anchor(verdict.measure, property.key)}:", ""]
        lines += [verdict.measure, "-" * len(verdict.measure), ""]
        lines += [".. raw:: html", "", f"   {picture(found)}", ""]
        lines += [".. code-block:: none", ""]
        lines += [f"   {line}".rstrip() for line in str(found).splitlines()[1:]] + [""]
    rest = [v for v in verdicts if v.counterexample is None and v.outcome != "not applicable"]
    if rest:
        lines += ["Without a counterexample", "-" * 24, ""]
        lines += [f"* ``{v.measure}``: {v.outcome}. {v.reason}" for v in rest]
    return "\n".join(lines) + "\n"


def write_pages(folder: Path) -> None:
    """The tables, and ``properties/``."""
    (folder / "properties").mkdir(parents=True, exist_ok=True)
    for kind in ("internal", "external"):
        (folder / f"properties-{kind}.inc").write_text(outcome_table(kind))
    (folder / "properties-published.inc").write_text(published_table())
    for property in definitions().values():
        (folder / "properties" / f"{property.key}.rst").write_text(property_page(property))
    names = "\n".join(f"   properties/{p.key}" for p in definitions().values())
    title = "Counterexamples"
    (folder / "properties.rst").write_text(
        f"{title}\n{'=' * len(title)}\n\n.. toctree::\n   :maxdepth: 1\n\n{names}\n"
    )


def picture(found: Counterexample) -> str:
    """The situations side by side, as one SVG without line breaks."""
    panels = []
    for p, (name, each, value) in enumerate(
        zip(found.case.names, found.case.situations, found.values, strict=True)
    ):
        heading = _text(WIDE / 2, 18, f"{name}: {number(value)}", size=14)
        other = found.case.situations[-1 if p == 0 else 0]
        body = _too_many(each) if each.n > MOST else _panel(each, other)
        panels.append(f'<g transform="translate({p * WIDE},0)">{heading}{body}</g>')
    width = WIDE * len(panels)
    label = html.escape(f"{found.measure}, {definitions()[found.property].name}")
    return (
        f'<svg viewBox="0 0 {width} {HIGH}" style="max-width:{width}px;width:100%" role="img" '
        f'aria-label="{label}" font-family="sans-serif">{"".join(panels)}</svg>'
    )


def _too_many(situation: Situation) -> str:
    return _text(WIDE / 2, HIGH / 2, f"{situation.n} objects: see the table")


def _text(x: float, y: float, words: str, size: int = 11, fill: str = "currentColor") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" '
        f'fill="{fill}" paint-order="stroke" stroke-width="{3 * (fill != "white")}" '
        f'stroke="var(--color-background-primary, white)">{html.escape(words)}</text>'
    )


def _panel(situation: Situation, other: Situation) -> str:
    if situation.data is None:
        return _labels(situation)
    if situation.metric == "euclidean" and situation.data.shape[1] <= 2:
        return _points(situation)
    return _distances(situation, other)


def _dot(x: float, y: float, code: int) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{color(code)}"/>'
        f"{_text(x, y + 4, cluster_name(code), fill='white')}"
    )


def _points(situation: Situation) -> str:
    """Points in a line or a plane."""
    points = np.asarray(situation.data)
    if points.shape[1] == 1:
        points = np.column_stack([points, np.zeros(len(points))])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = min(
        (WIDE - 60) / max(high[0] - low[0], 1e-9), (HIGH - 80) / max(high[1] - low[1], 1e-9)
    )
    x = WIDE / 2 + scale * (points[:, 0] - (low[0] + high[0]) / 2)
    y = 30 + (HIGH - 40) / 2 - scale * (points[:, 1] - (low[1] + high[1]) / 2)
    return "".join(_dot(a, b, int(c)) for a, b, c in zip(x, y, situation.labels, strict=True))


def _distances(situation: Situation, other: Situation) -> str:
    """Objects on a circle with their distances; those that changed are thick."""
    n, D = situation.n, situation.distances
    comparable = other.n == n
    angles = 2 * math.pi * np.arange(n) / n - math.pi / 2
    x, y = WIDE / 2 + 120 * np.cos(angles), 25 + (HIGH - 30) / 2 + 90 * np.sin(angles)
    lines, words = [], []
    for i in range(n):
        for j in range(i):
            changed = comparable and not np.isclose(D[i, j], other.distances[i, j], rtol=1e-9)
            style = 'stroke="#D55E00" stroke-width="3"' if changed else 'stroke="#999"'
            lines.append(
                f'<line x1="{x[i]:.1f}" y1="{y[i]:.1f}" x2="{x[j]:.1f}" y2="{y[j]:.1f}" {style}/>'
            )
            if n <= 5 or changed:
                share = 0.5 if (i - j) * 2 != n else 0.38
                at = (x[i] * share + x[j] * (1 - share), y[i] * share + y[j] * (1 - share) - 3)
                words.append(_text(*at, f"{D[i, j]:.3g}", fill="#D55E00" if changed else "gray"))
    dots = [_dot(a, b, int(c)) for a, b, c in zip(x, y, situation.labels, strict=True)]
    return "".join([*lines, *words, *dots])


def _labels(situation: Situation) -> str:
    """The classes above the clusters, an object below the other."""
    assert situation.truth is not None
    step = (WIDE - 60) / max(situation.n, 1)
    rows = [_text(WIDE / 2, 60, "classes"), _text(WIDE / 2, 150, "clusters")]
    for i, (true, code) in enumerate(zip(situation.truth, situation.labels, strict=True)):
        x = 30 + step * (i + 0.5)
        rows += [_dot(x, 85, int(true)), _dot(x, 175, int(code))]
    return "".join(rows)
