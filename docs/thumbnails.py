"""Thumbnails of the pages of the gallery: python docs/thumbnails.py, where chromium is."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import plotly.io as pio
from PIL import Image

import sortal
from sortal.plot import style

OUT = Path(__file__).parent / "_static" / "gallery"
WIDTH, HEIGHT = 400, 280
RNG = np.random.default_rng(0)


def cells() -> Any:
    """Groups of points of many sizes."""
    centers = RNG.normal(0, 6, (7, 2))
    labels = RNG.choice(7, 700, p=RNG.dirichlet(np.full(7, 3.0)))
    return sortal.plot.projection(centers[labels] + RNG.normal(0, 1, (700, 2)), labels)


def documents() -> Any:
    """Words and their shares."""
    words = ["trade", "market", "shares", "storm", "coast", "rain", "court", "judge"]
    x = [71, 58, 44, 66, 52, 37, 61, 48]
    colours = [style.color(i) for i in (0, 0, 0, 1, 1, 1, 2, 2)]
    bars = {"type": "bar", "orientation": "h", "y": words, "x": x, "marker": {"color": colours}}
    return style.figure([bars], yaxis={"autorange": "reversed"})


def graph() -> Any:
    """Three communities and their edges."""
    labels = np.repeat([0, 1, 2], 14)
    points = np.array([[0, 0], [5, 1], [2, 5]])[labels] + RNG.normal(0, 0.9, (42, 2))
    same = labels[:, None] == labels
    i, j = np.nonzero(np.triu(RNG.random((42, 42)) < np.where(same, 0.35, 0.02), 1))
    lines = np.stack([points[i], points[j], np.full((len(i), 2), np.nan)], axis=1).reshape(-1, 2)
    edges = {"type": "scatter", "x": lines[:, 0], "y": lines[:, 1], "mode": "lines",
             "line": {"color": "#bbb", "width": 1}}  # fmt: skip
    nodes = {"type": "scatter", "x": points[:, 0], "y": points[:, 1], "mode": "markers",
             "marker": {"size": 11, "color": [style.color(c) for c in labels]}}  # fmt: skip
    return style.figure([edges, nodes])


def soft() -> Any:
    """Points between two centres, coloured by their membership."""
    points = np.concatenate([RNG.normal([0, 0], 1.1, (150, 2)), RNG.normal([4, 1], 1.1, (150, 2))])
    near = [((points - c) ** 2).sum(axis=1) for c in ([0, 0], [4, 1])]
    colour = near[0] / (near[0] + near[1])
    scale = [[0, style.COLORS[0]], [0.5, "#cccccc"], [1, style.COLORS[1]]]
    marks = {"color": colour, "colorscale": scale, "size": 8}
    dots = {"type": "scatter", "x": points[:, 0], "y": points[:, 1], "mode": "markers"}
    return style.figure([{**dots, "marker": marks}])


def strings() -> Any:
    """The tree of spellings."""
    from pictures import distances

    return distances()[0]


def main() -> None:
    """Draw all on one page, photograph it, and cut it up."""
    names = ["cells", "documents", "graph", "soft", "strings"]
    parts = []
    for name in names:
        drawn = globals()[name]()
        drawn.update_layout(
            width=WIDTH, height=HEIGHT, showlegend=False, annotations=[], title=None,
            margin={"l": 10, "r": 10, "t": 10, "b": 10},
        )  # fmt: skip
        drawn.update_xaxes(title=None, showticklabels=False)
        drawn.update_yaxes(title=None, showticklabels=name == "documents")
        parts.append(
            pio.to_html(
                drawn, full_html=False, include_plotlyjs=not parts,
                config={"displayModeBar": False},
            )
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        page, picture = Path(folder) / "all.html", Path(folder) / "all.png"
        page.write_text("<body style='margin:0;background:#fff'>" + "".join(parts))
        browser = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
        flags = "--headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=8000"
        size = f"--window-size={WIDTH},{HEIGHT * len(names)}"
        command = [browser, *flags.split(), size, f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        image = Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=48)
        for i, name in enumerate(names):
            box = (0, i * HEIGHT, WIDTH, (i + 1) * HEIGHT)
            image.crop(box).save(OUT / f"{name.replace('_', '-')}.png", optimize=True)


if __name__ == "__main__":
    main()
