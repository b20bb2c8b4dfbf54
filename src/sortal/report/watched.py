"""The page of watched clusters: a picture of each signal over the periods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sortal.report._page import environment
from sortal.report._parts import Picture, Section, lines, series
from sortal.report._sections import page_file, script_json
from sortal.runtime.output import check_output, write_output

if TYPE_CHECKING:
    from sortal.model import Signal, WatchedClusters

#: programs of the page
SCRIPTS = ("script.js", "draw.js", "watch.js")
TITLES = {
    "share": "Shares of the clusters", "distance": "Rows far from their centre",
    "unlike": "Rows unlike all clusters",
}  # fmt: skip


def write_watch(watch: WatchedClusters, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the page of watched clusters to a file, whole or not at all."""
    from sortal.runtime.version import __version__, package_versions

    check_output(path, overwrite=overwrite)
    groups = [
        (title, [_picture(watch, i) for i, s in enumerate(watch.signals) if s.kind == signal_kind])
        for signal_kind, title in TITLES.items()
    ]
    values = {"heading": watch.headline, "sentences": watch.sentences, "groups": groups}
    figures = {picture.id: picture.drawing for _, pictures in groups for picture in pictures}
    text = environment().get_template("page.html").render(
        title="sortal watch", first=Section("answer", "Answer", "watch.html", values), folds=(),
        payload=script_json({"figures": figures, "table": {"values": {}}}),
        style=page_file("style.css"), script="".join(map(page_file, SCRIPTS)),
        version=__version__, versions=package_versions("numpy", "scipy"),
    )  # fmt: skip
    write_output(path, text, overwrite=overwrite)


def _picture(watch: WatchedClusters, i: int) -> Picture:
    """A signal over the periods, with its range, and a ring at its alarm."""
    signal, place = watch.signals[i], np.arange(1, len(watch.periods) + 1)
    curves = [
        series("share", place, signal.values),
        series("lowest expected", place, signal.low, grey=True),
        series("highest expected", place, signal.high, grey=True),
    ]
    ring = None
    if signal.alarm is not None and np.isfinite(signal.values[signal.alarm]):
        ring = signal.alarm + 1.0, float(signal.values[signal.alarm])
    title = f"{signal.name[0].upper()}{signal.name[1:]}"
    axis = f"Period ({watch.periods[0]} to {watch.periods[-1]})"
    drawing = lines(curves, axis, "Share", ring=ring, percent=True)
    return Picture(f"signal-{i}", drawing, title, f"{title}: {_verdict(watch, signal)}.")


def _verdict(watch: WatchedClusters, signal: Signal) -> str:
    """The alarm of a signal in words."""
    if signal.alarm is None or signal.since is None:
        return "no alarm"
    began, alarm = watch.periods[signal.since], watch.periods[signal.alarm]
    return f"alarm on {alarm}, changed since about {began}"
