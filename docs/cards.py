"""The cards of the measures: what each rewards, good values, what fools it, and its cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles

import sortal
from sortal.measures import catalogue
from sortal.plot import style

N = 90


def _sets() -> dict[str, tuple[Any, Any]]:
    """Data with the right labels; of the cloud those of k-means, for it has none."""
    clear = make_blobs(N, centers=[[0, 0], [8, 0], [4, 7]], random_state=0)
    close = make_blobs(N, centers=[[0, 0], [3.2, 0], [1.6, 2.8]], random_state=0)
    round_, y = make_blobs(N, centers=[[0, 0], [0, 4], [0, 8]], cluster_std=0.5, random_state=0)
    circles = make_circles(N, factor=0.35, noise=0.04, random_state=0)
    cloud = np.random.default_rng(0).normal(size=(N, 2))
    return {"clear": clear, "close": close, "long": (round_ * [9, 1], y), "rings": circles,
            "cloud": (cloud, _kmeans(cloud, 3))}  # fmt: skip


def _kmeans(X: Any, k: int) -> Any:
    return KMeans(k, n_init=5, random_state=0).fit_predict(X)


SETS = _sets()


def _wrong(X: Any, y: Any) -> dict[str, Any]:
    """Wrong clusterings of data."""
    k = len(set(y))
    alone = np.where(np.arange(len(y)) == int(np.argmax(np.abs(X).sum(1))), 1, 0)
    halves = 2 * y + (X[:, 0] > np.array([np.median(X[y == c, 0]) for c in y]))
    return {"k-means": _kmeans(X, k), "clusters cut in half": halves, "one object alone": alone,
            "labels at random": np.random.default_rng(1).permutation(y)}  # fmt: skip


def shown(value: float) -> str:
    """A number of a card."""
    return "–" if value != value else f"{value:.3g}".replace("-", "−").replace("inf", "∞")


def picture(*parts: tuple[Any, Any, str]) -> str:
    """Points and labels with a caption each, side by side; labels alone are drawn as a strip."""
    drawn, strip = [], parts[0][0] is None
    for at, (X, labels, caption) in enumerate(parts):
        order = np.unique(labels, return_inverse=True)[1]
        x0, y0 = (0, 34 * at) if strip else (160 * at, 0)
        if strip:
            cells = np.column_stack([2 + np.arange(N) * 300 / N, np.full(N, y0 + 22)])
        else:
            cells = (X - X.min(0)) / np.ptp(X, axis=0).max() * [130, 80] + [x0 + 6, 36]
        for c in range(order.max() + 1):
            path = "".join(f"M{x:.0f} {y:.0f}h.1" for x, y in cells[order == c])
            drawn.append(f'<path d="{path}" stroke="{style.color(c)}"/>')
        drawn += [f'<text fill="currentColor" x="{x0}" y="{y0 + 12 + 13 * i}">{line}</text>'
                  for i, line in enumerate(caption.split("|"))]  # fmt: skip
    return (
        f'<svg viewBox="0 0 310 {34 * len(parts) if strip else 122}" width="100%" role="img" '
        'fill="none" stroke-width="5" stroke-linecap="round" font-size="11">'
        f"{''.join(drawn)}</svg>"
    )


def internal_rows() -> dict[str, list[tuple[str, str]]]:
    """For each internal measure of rows its picture and lines."""
    keys = [m.key for m in catalogue.select(kind="internal") if m.takes != "graph"]
    tables = {
        name: sortal.evaluate(X, {"right": y, **_wrong(X, y)}, measures=keys)
        for name, (X, y) in SETS.items()
    }
    rows = {}
    for key in keys:
        record, fooled, cases = catalogue[key], [], []
        values = {name: table[key].astype(float).to_dict() for name, table in tables.items()}
        for name in ("clear", "close", "long", "rings"):
            X, y = SETS[name]
            right, agree = values[name]["right"], sortal.adjusted_rand_index
            better = {
                wrong: labels
                for wrong, labels in _wrong(X, y).items()
                if record.sign * (values[name][wrong] - right) > 1e-9 * abs(right)
                and agree(y, labels) < 0.9
            }
            cases += [(wrong != "k-means", agree(y, labels), name, wrong, X, labels)
                      for wrong, labels in better.items()]  # fmt: skip
            if better:
                fooled.append(f"*{name}*: {', '.join(better)}")
        X, y = SETS["clear"]
        cases = cases or [
            (True, 0, "clear", "labels at random", X, _wrong(X, y)["labels at random"])
        ]
        _, _, name, wrong, other, labels = min(cases, key=lambda case: case[:2])
        drawn = picture(
            (X, y, f"clear|right: {shown(values['clear']['right'])}"),
            (other, labels, f"{name}, {wrong}|{shown(values[name][wrong])}"
             f" (right: {shown(values[name]['right'])})"),
        )  # fmt: skip
        rows[key] = [
            ("", drawn),
            ("values", f"clear {shown(values['clear']['right'])}, close "
             f"{shown(values['close']['right'])}, at random "
             f"{shown(values['clear']['labels at random'])}"),
            ("fooled by", "; ".join(fooled) or "none of these"),
            ("no groups", shown(values["cloud"]["right"])),
        ]  # fmt: skip
    return rows


def external_rows() -> dict[str, list[tuple[str, str]]]:
    """For each external measure its picture and lines, by three classes of unequal size."""
    truth = np.repeat([0, 1, 2], [50, 30, 10])
    rng = np.random.default_rng(0)
    cases = {
        "a tenth wrong": np.where(rng.random(N) < 0.1, rng.integers(0, 3, N), truth),
        "two classes merged": np.minimum(truth, 1),
        "classes cut in half": 2 * truth + np.arange(N) % 2,
        "every object alone": np.arange(N),
        "one cluster": np.zeros(N, int),
        "labels at random": rng.permutation(truth),
    }
    rows = {}
    for record in catalogue.select(kind="external"):
        values = {}
        for name, labels in cases.items():
            try:
                values[name] = float(record.function(truth, labels))
            except sortal.UndefinedMeasureError:
                values[name] = np.nan
        base = values["a tenth wrong"]
        fooled = [name for name, value in values.items() if record.sign * (value - base) > 0]
        strips = ["a tenth wrong", *fooled[:1]] if fooled else ["a tenth wrong", "labels at random"]
        drawn = picture(
            (None, truth, "known classes"),
            *((None, cases[name], f"{name}: {shown(values[name])}") for name in strips),
        )
        rows[record.key] = [
            ("", drawn),
            ("values", ", ".join(f"{name} {shown(value)}" for name, value in values.items())),
            ("fooled by", "; ".join(fooled) or "none of these"),
        ]  # fmt: skip
    return rows


def card(key: str, lines: list[tuple[str, str]]) -> str:
    """One card as reStructuredText."""
    record = catalogue[key]
    low, high = (f"{side:g}".replace("-", "−").replace("inf", "∞") for side in record.range)
    better = "greater" if record.greater_is_better else "lower"
    (_, drawn), *lines = lines
    fields = [("rewards", record.summary.replace("*", r"\*").replace("|", r"\|")), *lines,
              ("cost", record.cost.replace("|", r"\|")), ("source", record.source)]  # fmt: skip
    head = f"   **{record.title}** ``{key}``, {low} to {high}, {better} is better"
    text = [".. container:: card", "", head, "", "   .. raw:: html", "", f"      {drawn}", ""]
    return "\n".join(text + [f"   | *{name}*: {value}" for name, value in fields]) + "\n\n"


def write(folder: Path) -> None:
    """The cards of both kinds."""
    for kind, rows in (("internal", internal_rows()), ("external", external_rows())):
        families: dict[str, list[str]] = {}
        for key, lines in rows.items():
            families.setdefault(catalogue[key].family, []).append(card(key, lines))
        text = "".join(
            f".. rubric:: {family}\n\n.. container:: cards\n\n" + _indented("".join(found))
            for family, found in families.items()
        )
        (folder / f"cards-{kind}.inc").write_text(text, encoding="utf8")


def _indented(text: str) -> str:
    return "".join(f"   {line}\n" if line else "\n" for line in text.splitlines())
