"""The page in a browser: any candidate opened, keyboard, dark, print, narrow, no request."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_wine

import sortal
from chromium import CHROMIUM, Chromium
from command_line import sortal_command
from sortal.report import render
from test_run_screen import KINDS, written

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here"),
]
#: axe.min.js of the npm package axe-core
AXE = os.environ.get("AXE_CORE")
WIDTHS = [400, 800, 1300, 1400]
ALL_DRAWN = (
    "Array.from(document.querySelectorAll('.plot')).filter((p) => !p.closest('[hidden]'))"
    ".every((p) => p.querySelector('svg'))"
)


@pytest.fixture(scope="module")
def study() -> sortal.Study:
    wine = load_wine()
    truth = wine.target_names[wine.target]
    X = pd.DataFrame(wine.data, columns=wine.feature_names)
    study = sortal.Study(sortal.datasets.from_table(X, y=truth, scale="standard"))
    study.sweep(["kmeans", "gaussian-mixture"], k=[9, 2, 3, 4], n_init=2, workers=1)
    study.by = "consensus"
    return study


@pytest.fixture(scope="module")
def page(study: sortal.Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
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
    browser.wait("document.querySelector('#map svg') !== null")
    if folds:
        browser.run("document.querySelectorAll('details.fold').forEach((d) => { d.open = true; })")
        browser.wait(ALL_DRAWN)


def texts(browser: Chromium, selector: str) -> list[str]:
    found: list[str] = browser.run(
        f"Array.from(document.querySelectorAll({selector!r})).map((e) => e.textContent.trim())"
    )
    return found


def choose(browser: Chromium, id: str, value: str) -> None:
    """Choose an entry of a list."""
    browser.run(
        f"(() => {{ const s = document.getElementById({id!r}); s.value = {value!r}; "
        "s.dispatchEvent(new Event('change')); })()"
    )


def marks(browser: Chromium) -> dict[str, int]:
    """How many marks each cluster has on the map."""
    found: dict[str, int] = browser.run(
        "Object.fromEntries(Array.from(document.querySelectorAll('#map .cluster')).map((g) => "
        "[g.dataset.cluster, Array.from(g.querySelectorAll('path:not(.ring)')).reduce((n, p) => "
        "n + p.getAttribute('d').split('M').length - 1, 0)]))"
    )
    return found


def test_the_first_screen_is_drawn(study: sortal.Study, browser: Chromium, page: Path) -> None:
    show(browser, page)
    answer = study.best()
    sizes = np.bincount(answer.labels)
    assert marks(browser) == {str(c): size for c, size in enumerate(sizes)}
    shown = [int(size) for size in texts(browser, ".card .size b")]
    assert shown == sorted(sizes.tolist(), reverse=True)
    browser.run("document.querySelector('.pick').click()")
    assert browser.run("document.querySelectorAll('#map .dim').length") == len(sizes) - 1


def test_a_row_of_the_ranking_opens_its_candidate(
    study: sortal.Study, browser: Chromium, page: Path
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
    study: sortal.Study, browser: Chromium, page: Path
) -> None:
    show(browser, page, folds=True)
    browser.run("document.getElementById('plot-by-k').scrollIntoView({ behavior: 'instant' })")
    x, y, told = browser.run(
        "(() => { const dots = Array.from(document.querySelectorAll('#plot-by-k .opens')).map((c) "
        "=> [c.getBoundingClientRect(), c]).sort((a, b) => b[0].left - a[0].left); const [box, dot]"
        " = dots[0]; return [box.left + box.width / 2, box.top + box.height / 2, "
        "dot.textContent]; })()"
    )
    browser.click(x, y)
    browser.wait("!document.getElementById('opened').hidden")
    name = next(
        name for name in study.scores().index if f" {name}," in texts(browser, "#opened-name")[0]
    )
    assert marks(browser) == {str(c): n for c, n in enumerate(np.bincount(study.labels(name)))}
    assert told
    assert len(marks(browser)) == 9


def test_choosing_a_candidate_changes_all_pictures_together(
    study: sortal.Study, browser: Chromium, page: Path
) -> None:
    show(browser, page, folds=True)
    ranked = study.rank()
    place = next(i for i, k in enumerate(ranked["n_clusters"]) if k == 4)
    choose(browser, "candidate", str(place))
    sizes = np.bincount(study.labels(str(ranked.index[place])))
    assert marks(browser) == {str(c): size for c, size in enumerate(sizes)}
    assert [int(size) for size in texts(browser, ".card .size b")] == sorted(sizes, reverse=True)
    bars = texts(browser, "[data-look=sizes] text")[1::2]
    assert [int(size) for size in bars] == sorted(sizes, reverse=True)
    mean = sortal.silhouette(study.X, study.labels(str(ranked.index[place])))
    told = texts(browser, "[data-look=silhouettes] text")[-1]
    assert float(told.removeprefix("mean ")) == pytest.approx(mean, abs=0.002)
    assert browser.run("document.querySelectorAll('[data-look=dots] circle').length") == 13 * 4
    assert browser.run("document.querySelectorAll('[data-look=histograms] button').length") == 13
    assert texts(browser, "[data-look=granularities] .axis") == ["2 groups", "3", "4", "9"]


def test_the_map_takes_colours_and_places_from_columns(browser: Chromium, page: Path) -> None:
    show(browser, page)
    fills = (
        "new Set(Array.from(document.querySelectorAll('#map .cluster path')).map((p) => "
        "p.getAttribute('fill'))).size"
    )
    choose(browser, "map-color", "class")
    assert texts(browser, "#map-key .entry") == ["class_0", "class_1", "class_2"]
    choose(browser, "map-color", "column 0")
    assert browser.run(fills) > 50
    choose(browser, "map-color", "sureness")
    assert 2 <= browser.run(fills) <= 11
    before = browser.run("document.querySelector('#map path').getAttribute('d')")
    choose(browser, "map-x", "1")
    assert browser.run("document.querySelector('#map path').getAttribute('d')") != before
    x, y = browser.run(
        "(() => { const b = document.querySelector('#map .cluster path').getBoundingClientRect(), "
        "p = document.querySelector('#map .cluster path').getPointAtLength(1).matrixTransform("
        "document.querySelector('#map svg').getScreenCTM()); return [p.x, p.y]; })()"
    )
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.wait("!document.getElementById('map-tip').hidden")
    assert len(texts(browser, "#map-tip .column")) == 6


def test_labels_and_pictures_can_be_saved(
    study: sortal.Study, browser: Chromium, page: Path
) -> None:
    show(browser, page, folds=True)
    browser.run(
        "window.saved = []; const old = URL.createObjectURL; URL.createObjectURL = (b) => { "
        "b.text().then((t) => window.saved.push(t)); return old(b); }; "
        "HTMLAnchorElement.prototype.click = () => {}; "
        "document.querySelectorAll('.save').forEach((b) => b.click());"
    )
    n = browser.run("document.querySelectorAll('.save').length")
    browser.wait(f"window.saved.length === {n}")
    table = next(text for text in browser.run("window.saved") if text.startswith("row,id,cluster"))
    lines = [line.replace('"', "").split(",") for line in table.splitlines()[1:]]
    labels = study.best().labels
    assert {int(row): cluster for row, _, cluster in lines} == {
        i: str(label) for i, label in enumerate(labels)
    }
    for text in browser.run("window.saved"):
        assert text == table or ET.fromstring(text).tag.endswith("svg")


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_pictures_can_be_read(browser: Chromium, page: Path, scheme: str) -> None:
    show(browser, page, folds=True, prefers_color_scheme=scheme)
    shades = browser.run(
        "Array.from(new Set(Array.from(document.querySelectorAll('svg text')).map((t) => "
        "getComputedStyle(t).fill))).concat(getComputedStyle(document.body).backgroundColor)"
        ".map((c) => c.match(/\\d+/g).map(Number))"
    )
    *inks, paper = (luminance(shade) for shade in shades)
    assert inks
    for ink in inks:
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5


def luminance(shade: list[int]) -> float:
    """Relative luminance of a colour as in WCAG 2."""
    parts = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in
             (part / 255 for part in shade[:3])]  # fmt: skip
    return float(np.dot([0.2126, 0.7152, 0.0722], parts))


def test_nothing_is_asked_of_a_network(browser: Chromium, page: Path) -> None:
    browser.requests.clear()
    browser.complaints.clear()
    show(browser, page, folds=True)
    assert browser.complaints == []
    assert {url.partition(":")[0] for url in browser.requests} <= {"file", "data", "blob"}
    assert sum(url.startswith("file:") for url in browser.requests) == 1


def barriers(browser: Chromium) -> list[list[str]]:
    """Violations and undecided cases of axe-core."""
    browser.run(Path(str(AXE)).read_text(encoding="utf-8") + "; 0")
    found: list[list[str]] = browser.run(
        "axe.run(document).then((r) => r.violations.concat(r.incomplete).map((v) => "
        "[v.id, v.nodes[0].html]))"
    )
    return found


@pytest.mark.skipif(AXE is None, reason="AXE_CORE does not name the axe.min.js of npm's axe-core")
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_bars_a_reader(browser: Chromium, page: Path, width: int) -> None:
    show(browser, page, width, folds=True)
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    browser.run("document.querySelector('#ranking-table [data-open=\"3\"]').click()")
    browser.run("document.getElementById('compare').click()")
    assert barriers(browser) == []


@pytest.mark.skipif(AXE is None, reason="AXE_CORE does not name the axe.min.js of npm's axe-core")
@pytest.mark.parametrize("kind", ["no groups", "own labelings", "texts"])
def test_nothing_bars_a_reader_of_further_reports(
    browser: Chromium, tmp_path: Path, kind: str
) -> None:
    written(tmp_path)
    done = sortal_command("run", *KINDS[kind], "--report", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for width in (400, 1300):
        show(browser, tmp_path / "page.html", width, folds=True)
        assert barriers(browser) == []
        assert browser.run("document.documentElement.scrollWidth") <= width


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
CUT_TEXTS = r"""Array.from(document.querySelectorAll(".plot text, #map text")).filter((t) => {
  const b = t.getBoundingClientRect(), frame = t.closest("svg").getBoundingClientRect();
  return b.height && (b.left < frame.left - 2 || b.right > frame.right + 2 || b.top < frame.top - 2
    || b.bottom > frame.bottom + 3);
}).map((t) => t.closest("figure").textContent.trim().slice(0, 20) + ": " + t.textContent)"""


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_or_written_over(browser: Chromium, page: Path, width: int) -> None:
    show(browser, page, width, folds=True)
    wide = "Array.from(document.querySelectorAll('{}')).map((e) => e.getBoundingClientRect().width)"
    by_reference = browser.run(wide.format("use"))
    browser.run(
        "document.querySelectorAll('use').forEach((u) => { "
        "u.replaceWith(document.querySelector(u.getAttribute('href'))); })"
    )
    # selectors with ancestors do not reach texts that are drawn by reference
    assert by_reference == pytest.approx(browser.run(wide.format("g[id^=texts-]")), rel=0.05)
    assert browser.run(OVERLAPS) == []
    assert browser.run(CUT_TEXTS) == []
    assert browser.run("document.documentElement.scrollWidth") <= width
    if width >= 1300:
        pane = "document.getElementById('ranking-table').parentElement"
        assert browser.run(f"{pane}.scrollWidth - {pane}.clientWidth") == 0


def test_controls_work(study: sortal.Study, browser: Chromium, page: Path) -> None:
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
    shown = texts(browser, "#plot-by-k title")
    assert len(shown) == len(scores)
    for text in shown:
        name, _, value = text.rpartition(": ")
        assert float(value) == pytest.approx(scores.at[name, "davies_bouldin_index"], rel=6e-3)
    low, high = browser.run(
        "(() => { const y = Array.from(document.querySelectorAll('#plot-by-k .opens')).map((c) => "
        "[c.textContent.split(': ')[1], Number(c.getAttribute('cy'))])"
        ".sort((a, b) => a[0] - b[0]); "
        "return [y[0][1], y[y.length - 1][1]]; })()"
    )
    assert low < high  # lower is better, so lower values stand higher
