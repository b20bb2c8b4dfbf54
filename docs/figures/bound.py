"""Draw ``bound.svg``: the guarantee over the number of clusters, for the digits and 200 labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import sortal

LEFT, TOP, WIDTH, HEIGHT = 62, 16, 560, 270
KS = range(2, 41)


def curves() -> tuple[dict[str, list[float]], float, int]:
    X, truth = load_digits(return_X_y=True)
    y = np.full(len(X), -1)
    known = sortal.bounds.sample(len(X), 200, random_state=0)
    y[known] = truth[known]
    hidden = y < 0
    with threadpool_limits(1):
        labelings = {f"k={k}": KMeans(k, n_init=3, random_state=0).fit_predict(X) for k in KS}
    found = sortal.pac_mdl_bound(labelings, y, classes=10)
    wrong = [float((one.predicted[hidden] != truth[hidden]).mean()) for one in found]
    table = found.table
    lines = {
        "guaranteed (bound)": table["bound_rate"].tolist(),
        "on the unlabelled (in truth)": wrong,
        "on the 200 labelled": (table["errors"] / table["labelled"]).tolist(),
    }
    print(found.best)
    return lines, float(table["constant_error_rate"].iloc[0]), found.best.n_clusters


def x_of(k: float) -> float:
    return LEFT + (k - KS[0]) / (KS[-1] - KS[0]) * WIDTH


def y_of(rate: float) -> float:
    return TOP + (1 - rate) * HEIGHT


def text(x: float, y: float, words: str, **more: str) -> str:
    attributes = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in more.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{words}</text>'


def main() -> None:
    lines, constant, best = curves()
    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 890 340" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#555">'
    ]
    for tenth in range(0, 11, 2):
        y = y_of(tenth / 10)
        out.append(f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#8888" stroke-width="0.5"/>')
        out.append(text(LEFT - 8, y + 4, f"{tenth * 10} %", text_anchor="end"))
    for k in range(5, 41, 5):
        out.append(text(x_of(k), TOP + HEIGHT + 18, str(k), text_anchor="middle"))
    middle = LEFT + WIDTH / 2
    out.append(text(middle, TOP + HEIGHT + 40, "number of clusters", text_anchor="middle"))
    y = y_of(constant)
    out.append(f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#888" stroke-dasharray="6 4"/>')
    out.append(text(LEFT + WIDTH + 8, y + 4, "always guessing the largest class"))
    for (name, values), color in zip(lines.items(), ("#0072B2", "#D55E00", "#009E73"), strict=True):
        points = " ".join(f"{x_of(k):.1f},{y_of(v):.1f}" for k, v in zip(KS, values, strict=True))
        out.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        shift = {"#D55E00": -3, "#009E73": 11}.get(color, 4)
        out.append(text(LEFT + WIDTH + 8, y_of(values[-1]) + shift, name, fill=color))
    low = lines["guaranteed (bound)"][best - KS[0]]
    out.append(
        f'<circle cx="{x_of(best):.1f}" cy="{y_of(low):.1f}" r="6" fill="none" stroke="#0072B2" '
        'stroke-width="2"/>'
    )
    out.append(text(x_of(best), y_of(low) + 22, f"chosen: {best} clusters", text_anchor="middle"))
    out.append("</svg>")
    Path(__file__).with_suffix(".svg").write_text("\n".join(out) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
