"""The page in a browser: any candidate opened, keyboard, dark, print, narrow, no request."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_wine

import karat
from chromium import CHROMIUM, Chromium
from karat.report import render

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here"),
]
#: axe.min.js of the npm package axe-core
AXE = os.environ.get("AXE_CORE")
WIDTHS = [400, 800, 1300, 1400]
ALL_DRAWN = (
    "Array.from(document.querySelectorAll('.plot')).filter((p) => !p.closest('[hidden]'))"
    ".every((p) => p.querySelector('.main-svg'))"
)


@pytest.fixture(scope="module")
def study() -> karat.Study:
    wine = load_wine()
    truth = wine.target_names[wine.target]
    X = pd.DataFrame(wine.data, columns=wine.feature_names)
    study = karat.Study(karat.datasets.from_table(X, y=truth, scale="standard"))
    study.sweep(["kmeans", "gaussian-mixture"], k=[9, 2, 3, 4], n_init=2, workers=1)
    study.by = "consensus"
    return study


@pytest.fixture(scope="module")
def page(study: karat.Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "wine.html"
    file.write_text(render(study), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


def show(
    browser: Chromium, page: Path, width: int = 1400, *, folds: bool = False, **features: Any
) -> None:
    browser.open(page, width, **features)
    browser.wait("window.Plotly !== undefined && document.querySelector('#map svg') !== null")
    if folds:
        browser.run("document.querySelectorAll('details.fold').forEach((d) => { d.open = true; })")
        browser.wait(ALL_DRAWN)


def texts(browser: Chromium, selector: str) -> list[str]:
    found: list[str] = browser.run(
        f"Array.from(document.querySelectorAll({selector!r})).map((e) => e.textContent.trim())"
    )
    return found


def marks(browser: Chromium) -> dict[str, int]:
    """How many marks each cluster has on the map."""
    found: dict[str, int] = browser.run(
        "Object.fromEntries(Array.from(document.querySelectorAll('#map .cluster')).map((g) => "
        "[g.dataset.cluster, Array.from(g.querySelectorAll('path:not(.ring)')).reduce((n, p) => "
        "n + p.getAttribute('d').split('M').length - 1, 0)]))"
    )
    return found


def test_the_first_screen_is_drawn(study: karat.Study, browser: Chromium, page: Path) -> None:
    show(browser, page)
    answer = study.best()
    sizes = np.bincount(answer.labels)
    assert marks(browser) == {str(c): size for c, size in enumerate(sizes)}
    shown = [int(size) for size in texts(browser, ".card .size b")]
    assert shown == sorted(sizes.tolist(), reverse=True)
    browser.run("document.querySelector('.pick').click()")
    assert browser.run("document.querySelectorAll('#map .dim').length") == len(sizes) - 1


def test_a_row_of_the_ranking_opens_its_candidate(
    study: karat.Study, browser: Chromium, page: Path
) -> None:
    show(browser, page)
    ranked, answer = study.rank(), study.best()
    browser.run("document.getElementById('candidates').open = true")
    place = next(i for i, k in enumerate(ranked["n_clusters"]) if k != answer.n_clusters)
    browser.run(
        f"document.querySelector('#ranking-table [data-open=\"{place}\"]').closest('tr').click()"
    )
    other = study.labels(str(ranked.index[place]))
    assert str(ranked.index[place]) in texts(browser, "#opened-name")[0]
    assert marks(browser) == {str(c): size for c, size in enumerate(np.bincount(other))}
    shown = [int(size) for size in texts(browser, ".card .size b")]
    assert shown == sorted(np.bincount(other).tolist(), reverse=True)
    means = pd.DataFrame(load_wine().data).groupby(other).mean()
    largest = int(np.argsort(-np.bincount(other), kind="stable")[0])
    feature = load_wine().feature_names.index(texts(browser, ".card .what")[0])
    told = float(texts(browser, ".card .value")[0].split()[0].replace(",", ""))
    assert told == pytest.approx(means.loc[largest, feature], rel=6e-3)

    browser.run("document.getElementById('compare').click()")
    table = pd.crosstab(answer.labels, other).to_numpy()
    rows, columns = linear_sum_assignment(-table)
    moved = len(other) - table[rows, columns].sum()
    assert texts(browser, "#moved")[0].startswith(f"{moved} of 178 rows")
    rings = browser.run(
        "Array.from(document.querySelectorAll('#map .ring')).reduce((n, p) => n + "
        "p.getAttribute('d').split('M').length - 1, 0)"
    )
    assert rings == moved
    assert browser.run("document.querySelectorAll('#flows .band').length") == (table > 0).sum()
    assert texts(browser, "#for-chosen li")
    browser.run("document.getElementById('back').click()")
    assert marks(browser) == {str(c): size for c, size in enumerate(np.bincount(answer.labels))}
    assert not browser.run("document.getElementById('comparison').checkVisibility()")


def test_a_point_of_a_curve_opens_its_candidate(
    study: karat.Study, browser: Chromium, page: Path
) -> None:
    show(browser, page)
    browser.run("document.getElementById('why').open = true")
    browser.wait("document.querySelector('#plot-by-k .main-svg') !== null")
    browser.run("document.getElementById('plot-by-k').scrollIntoView({ behavior: 'instant' })")
    x, y = browser.run(
        "(() => { const boxes = Array.from(document.querySelectorAll('#plot-by-k .point'), (p) => "
        "p.getBoundingClientRect()).sort((a, b) => b.left - a.left); return [boxes[0].left + "
        "boxes[0].width / 2, boxes[0].top + boxes[0].height / 2]; })()"
    )
    browser.click(x, y)
    browser.wait("!document.getElementById('opened').hidden")
    told = texts(browser, "#opened-name")[0]
    name = next(name for name in study.scores().index if f" {name}," in told)
    assert marks(browser) == {str(c): n for c, n in enumerate(np.bincount(study.labels(name)))}
    assert len(marks(browser)) == 9


def test_everything_can_be_done_with_the_keyboard(browser: Chromium, page: Path) -> None:
    show(browser, page)
    browser.press("Tab")
    assert browser.run("document.activeElement.className") == "skip"
    stops = []
    for _ in range(40):
        browser.press("Tab")
        stops.append(browser.run("document.activeElement.id || document.activeElement.className"))
        if browser.run("document.activeElement.parentElement.id") == "candidates":
            break
    assert "theme" in stops
    assert "pick" in stops
    browser.press("Enter")
    browser.wait("document.getElementById('candidates').open")
    browser.run("document.querySelector('#ranking-table [data-open=\"2\"]').focus()")
    browser.press("Enter")
    browser.wait("document.activeElement.id === 'compare'")
    browser.press("Enter")
    assert browser.run("document.getElementById('compare').getAttribute('aria-expanded')") == "true"
    browser.press("Tab")
    assert browser.run("document.activeElement.id") == "back"
    browser.press("Space")
    assert browser.run("document.getElementById('opened').hidden")


def test_dark_where_the_reader_has_it_so(browser: Chromium, page: Path) -> None:
    show(browser, page, prefers_color_scheme="dark")
    shade = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]"
    assert browser.run(shade) < 60
    browser.run("document.getElementById('theme').click()")
    assert browser.run(shade) > 200
    browser.run("document.getElementById('theme').click()")


def test_printed_with_everything_in_it(browser: Chromium, page: Path) -> None:
    show(browser, page)
    browser.complaints.clear()
    browser.run(f"addEventListener('beforeprint', () => {{ window.printed = {ALL_DRAWN}; }})")
    pdf = browser.printed()
    assert browser.run("window.printed")
    browser.wait("!document.querySelector('details.fold[open]')")
    browser.run("document.querySelectorAll('details.fold').forEach((d) => { d.open = true; })")
    browser.wait(ALL_DRAWN)
    assert browser.complaints == []
    assert 4 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 14


def test_nothing_is_asked_of_a_network(browser: Chromium, page: Path) -> None:
    browser.requests.clear()
    browser.complaints.clear()
    show(browser, page, folds=True)
    assert browser.complaints == []
    assert {url.partition(":")[0] for url in browser.requests} <= {"file", "data", "blob"}
    assert sum(url.startswith("file:") for url in browser.requests) == 1


@pytest.mark.skipif(AXE is None, reason="AXE_CORE does not name the axe.min.js of npm's axe-core")
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_bars_a_reader(browser: Chromium, page: Path, width: int) -> None:
    assert AXE is not None
    show(browser, page, width, folds=True)
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    browser.run("document.querySelector('#ranking-table [data-open=\"3\"]').click()")
    browser.run("document.getElementById('compare').click()")
    browser.run(Path(AXE).read_text(encoding="utf-8") + "; 0")
    found = browser.run(
        "axe.run(document).then((r) => r.violations.map((v) => [v.id, v.nodes[0].html]))"
    )
    assert found == []


OVERLAPS = r"""(() => {
  const box = (e) => e.getBoundingClientRect(), hit = [];
  for (const plot of document.querySelectorAll(".plot, #map")) {
    const texts = Array.from(plot.querySelectorAll("svg text"))
      .filter((t) => t.textContent.trim() && box(t).width && !t.closest(".legend")
        && !/rotate\((?!0)/.test(t.getAttribute("transform")));
    texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
      const p = box(a), q = box(b);
      const x = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (x > 1 && y > 4) hit.push([plot.id, a.textContent, b.textContent, x, y]);
    }));
  }
  return hit;
})()"""
CUT_TITLES = r"""Array.from(document.querySelectorAll(".plot")).filter((plot) => {
  const frame = plot.getBoundingClientRect();
  return Array.from(plot.querySelectorAll(".ytitle, .xtitle")).some((t) => {
    const b = t.getBoundingClientRect();
    const outside = b.top < frame.top - 1 || b.bottom > frame.bottom + 1 || b.left < frame.left;
    return b.height && outside;
  });
}).map((plot) => plot.id)"""


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_or_written_over(browser: Chromium, page: Path, width: int) -> None:
    show(browser, page, width, folds=True)
    assert browser.run(OVERLAPS) == []
    assert browser.run(CUT_TITLES) == []
    assert browser.run("document.documentElement.scrollWidth") <= width
    ticks = texts(browser, "#plot-by-k .xtick text")
    assert ticks == [str(k) for k in range(2, 10)]
    if width >= 1300:
        pane = "document.getElementById('ranking-table').parentElement"
        assert browser.run(f"{pane}.scrollWidth - {pane}.clientWidth") == 0


def test_controls_work(study: karat.Study, browser: Chromium, page: Path) -> None:
    show(browser, page, folds=True)
    ranked, scores = study.rank(), study.scores()

    def rows() -> list[str]:
        return texts(browser, "#ranking-table tbody th")

    def typed(text: str) -> None:
        browser.run(
            f"(() => {{ const f = document.getElementById('ranking-filter'); f.value = {text!r}; "
            "f.dispatchEvent(new Event('input')); })()"
        )

    assert rows() == list(ranked.index[:15])
    typed("mixture k=4")
    assert rows()
    assert all("k=4" in name for name in rows())
    typed("")
    heading = "document.querySelector('#ranking-table thead button[data-key=\"n_clusters\"]')"
    browser.run(f"{heading}.click()")
    assert ranked.at[rows()[0], "n_clusters"] == 2
    assert browser.run(f"document.activeElement === {heading}")
    browser.run(f"{heading}.click()")
    assert ranked.at[rows()[0], "n_clusters"] == 9
    browser.run(
        "(() => { const s = document.getElementById('by-k-measure'); s.value = "
        "'davies_bouldin_index'; s.dispatchEvent(new Event('change')); })()"
    )
    best: dict[str, Any] = browser.run(
        "Object.fromEntries(document.getElementById('plot-by-k').data.filter((t) => t.meta.role "
        "=== 'line').map((t) => [t.meta.clusterer, Array.from(t.x).map((k, i) => [k, t.y[i]])]))"
    )
    lowest = scores.groupby(["clusterer", "n_clusters"])["davies_bouldin_index"].min()
    for clusterer, points in best.items():
        for k, value in points:
            assert value == pytest.approx(lowest[clusterer, k], rel=1e-4)
    low, high = browser.run("document.getElementById('plot-by-k').layout.yaxis.range")
    assert low > high
