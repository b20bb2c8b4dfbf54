"""Sphinx configuration; the pages under ``generated/`` are written from the catalogues."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import plotly
import plotly.io as pio
from plotly.io.base_renderers import MimetypeRenderer
from sphinx.application import Sphinx

import sortal
from sortal import clusterers, measures
from sortal.measures.evaluation import applicable

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import cards  # noqa: E402
import measure_map  # noqa: E402
import pictures  # noqa: E402
import rooms  # noqa: E402
from axioms_pages import write_pages  # noqa: E402
from measured import RESULTS  # noqa: E402

from sortal_lab.peers import PEERS  # noqa: E402

project = "sortal"
author = "The sortal developers"
copyright = "2026, the sortal developers"
version = release = sortal.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "numpydoc",
    "mathml",
    "measured",
    "claims",
    "shown",
]
# a table that other pages include
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "sortal"
html_math_renderer = "mathml"
html_static_path = ["_static", "generated/static"]
html_css_files = ["doors.css"]
autosummary_generate = True
numpydoc_show_class_members = False
nitpicky = False
GENERATED = HERE / "generated"

# the pages of the gallery are run at every build; a page that fails fails the build
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "image_scrapers": (),
    "reset_modules": (),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "within_subsection_order": "FileNameSortKey",
}


class LocalRenderer(MimetypeRenderer):
    """Figures that share one plotly.js, which is a file of the documentation."""

    def to_mimebundle(self, figure: dict[str, Any]) -> dict[str, str]:
        script = "../_static/plotly.min.js"
        html = pio.to_html(figure, full_html=False, include_plotlyjs=script, validate=False)
        return {"text/html": html}


pio.renderers["docs"] = LocalRenderer()
pio.renderers.default = "docs"


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
        sortal.ContingencyTable(classes, clusters),
        sortal.ContingencyTable(classes * 2, clusters * 2),
        sortal.ContingencyTable(classes, classes),
    ]
    return [
        [m.title, "greater" if m.greater_is_better else "lower"]
        + [f"{m.function(one):.4g}" for one in tables]
        for m in measures.catalogue.select(kind="external")
    ]


def structure_rows() -> list[list[str]]:
    """What each measure judges of clusterings that are not hard."""
    kinds = {"soft": "hard labels", "overlapping": "hard labels", "dendrogram": "each cut"}
    return [
        [m.title, *("as it is" if kind in m.structures else rest for kind, rest in kinds.items())]
        for m in measures.catalogue.values()
        if m.structures
    ]


def kind_rows() -> tuple[list[str], list[list[str]]]:
    """Which internal measures judge which kind of data."""
    kinds = {
        "rows, Euclidean": "euclidean",
        "rows, cosine": "cosine",
        "rows, another distance": "cityblock",
        "matrix of distances": "precomputed",
        "graph": "graph",
    }
    able = {
        kind: {m.key for m in applicable(None, has_truth=False, metric=metric, every=True)}
        for kind, metric in kinds.items()
    }
    rows = [
        [m.title, *("yes" if m.key in able[kind] else "" for kind in kinds)]
        for m in measures.catalogue.select(kind="internal")
    ]
    return ["measure", *kinds], rows


def peer_rows(package: str) -> list[list[str]]:
    stored = json.loads((RESULTS / "conformance.json").read_text("utf-8"))["table"]
    verdicts = {
        row["name"]: row
        for row in stored
        if row["package"] == package and row["clusterings"] in ("random", "")
    }
    rows = []
    for peer in PEERS[package]:
        row = verdicts[peer.name]
        times = f", {row['equal']} of {row['compared']}" if row["verdict"] == "unexplained" else ""
        call = f"``{peer.call}``" if peer.call else "not there"
        note = row["reason"] if row["verdict"] == "not run" else peer.note
        rows.append([f"``{peer.name}``", call, f"{row['verdict']}{times}", note])
    return rows


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
    header = ["measure", "soft", "overlapping", "dendrogram"]
    (GENERATED / "structures.inc").write_text(table(header, structure_rows()))
    (GENERATED / "kinds.inc").write_text(table(*kind_rows()))
    header = ["measure", "better", "figure 16.4", "doubled", "the classes themselves"]
    (GENERATED / "external-example.inc").write_text(table(header, external_example()))
    for package in PEERS:
        header = [
            f"in {package}",
            "in sortal",
            "beside each other",
            "where they differ, or why not",
        ]
        (GENERATED / f"peers-{package}.inc").write_text(table(header, peer_rows(package)))
    write_pages(GENERATED)
    (GENERATED / "rooms.rst").write_text(rooms.reference())
    functions = sorted(n for n in measures.__all__ if n[0].islower() and n != "catalogue")
    listing = "\n".join(f"   {name}" for name in functions)
    (GENERATED / "functions.rst").write_text(
        "Functions of the measures\n=========================\n\n"
        f".. currentmodule:: sortal\n\n.. autosummary::\n   :toctree: api\n\n{listing}\n"
    )


def copy_plotly() -> None:
    static = GENERATED / "static"
    static.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", static)


def check_offline(app: Sphinx, error: Exception | None) -> None:
    """Fail where a page would load anything from a network."""
    loads = re.compile(
        r"""<(?:script|img|iframe)[^>]+src=["']?https?:|<link[^>]+href=["']?https?:"""
    )
    online = [
        str(page.relative_to(app.outdir))
        for page in Path(app.outdir).rglob("*.html")
        if error is None and loads.search(page.read_text())
    ]
    if online:
        raise RuntimeError(f"pages load from a network: {', '.join(online)}")


def unlink_inherited(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Methods of scikit-learn refer to its manual, which is not here: keep the words alone."""
    if str(getattr(obj, "__module__", "")).startswith("sklearn."):
        lines[:] = [re.sub(r":ref:`([^`<]*?)\s*<[^`>]*>`", r"\1", line) for line in lines]


def setup(app: Sphinx) -> None:
    app.connect("build-finished", check_offline)
    app.connect("autodoc-process-docstring", unlink_inherited)


def write_report() -> None:
    """The report of the front page, from the command above it; its picture where chromium is."""
    page = GENERATED / "static" / "wine.html"
    page.unlink(missing_ok=True)
    command = [sys.executable, "-m", "sortal", "run", "wine", "--report", str(page)]
    subprocess.run([*command, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is not None:
        flags = "--headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1400,900"
        picture = f"--screenshot={HERE / '_static' / 'report.png'}"
        subprocess.run(
            [browser, *flags.split(), "--virtual-time-budget=8000", picture, page.as_uri()],
            check=True, capture_output=True, timeout=300,
        )  # fmt: skip


write_generated()
measure_map.write(GENERATED, table)
copy_plotly()
write_report()
pictures.write(GENERATED)
cards.write(GENERATED)
