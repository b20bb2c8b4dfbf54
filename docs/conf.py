"""Sphinx configuration; the pages under ``generated/`` are written from the catalogues."""

from __future__ import annotations

from pathlib import Path

import karat
from karat import clusterers, measures
from karat.measures.peers import PEERS, Peer

project = "karat"
author = "The karat developers"
copyright = "2026, the karat developers"
version = release = karat.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "karat"
autosummary_generate = True
numpydoc_show_class_members = False
nitpicky = False
GENERATED = Path(__file__).parent / "generated"


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [header, *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def measure_rows(kind: str) -> list[list[str]]:
    return [
        [
            m.title,
            f"``{m.key}``",
            m.family,
            "greater" if m.greater_is_better else "lower",
            f"{m.range[0]:g} to {m.range[1]:g}",
            m.source,
            m.cost,
        ]
        for m in measures.catalogue.values()
        if m.kind == kind
    ]


def external_example() -> list[list[str]]:
    """manning2008's figure 16.4 by every external measure, once and with every point doubled."""
    classes, clusters = list("xxxxxoxoooo◇xx◇◇◇"), [1] * 6 + [2] * 6 + [3] * 5
    tables = [
        karat.ContingencyTable(classes, clusters),
        karat.ContingencyTable(classes * 2, clusters * 2),
        karat.ContingencyTable(classes, classes),
    ]
    return [
        [m.title, "greater" if m.greater_is_better else "lower"]
        + [f"{m.function(one):.4g}" for one in tables]
        for m in measures.catalogue.select(kind="external")
    ]


def peer_rows(peers: tuple[Peer, ...]) -> list[list[str]]:
    return [[p.name, f"``{p.call}``" if p.call else "not there", p.note] for p in peers]


def write_generated() -> None:
    GENERATED.mkdir(exist_ok=True)
    header = ["measure", "key", "family", "better", "range", "source", "cost"]
    for kind in ("external", "internal"):
        (GENERATED / f"{kind}.inc").write_text(table(header, measure_rows(kind)))
    rows = [
        [
            c.title,
            f"``{c.key}``",
            c.parameter,
            "yes" if c.depends_on_seed else "no",
            c.source,
            c.cost,
        ]
        for c in clusterers.catalogue.values()
    ]
    header = ["clusterer", "name", "swept", "depends on a seed", "source", "cost"]
    (GENERATED / "clusterers.inc").write_text(table(header, rows))
    header = ["measure", "better", "figure 16.4", "doubled", "the classes themselves"]
    (GENERATED / "external-example.inc").write_text(table(header, external_example()))
    for package, peers in PEERS.items():
        header = [f"in {package}", "in karat", "where they differ, or why it is not there"]
        (GENERATED / f"peers-{package}.inc").write_text(table(header, peer_rows(peers)))
    functions = sorted(n for n in measures.__all__ if n[0].islower() and n != "catalogue")
    listing = "\n".join(f"   {name}" for name in functions)
    (GENERATED / "functions.rst").write_text(
        "Functions of the measures\n=========================\n\n"
        f".. currentmodule:: karat\n\n.. autosummary::\n   :toctree: api\n\n{listing}\n"
    )


write_generated()
