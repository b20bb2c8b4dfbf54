"""The page in a browser: figures drawn, controls working, nothing on the console."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import load_wine

import karat
from karat.report import render

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here"),
]

PROBE = """<script>
const faults = [];
addEventListener("error", (e) => faults.push(e.message));
addEventListener("securitypolicyviolation", (e) => faults.push(e.blockedURI));
setTimeout(() => {
  const $ = (id) => document.getElementById(id), rows = () =>
    Array.from(document.querySelectorAll("#ranking-table tbody th")).map((th) => th.textContent);
  const seen = { faults, rows: rows() };
  seen.drawn = Array.from(document.querySelectorAll(".plot"))
    .filter((p) => p.querySelector(".main-svg")).length;
  const filter = $("ranking-filter");
  filter.value = "ward k=4";
  filter.dispatchEvent(new Event("input"));
  seen.filtered = rows();
  filter.value = "";
  filter.dispatchEvent(new Event("input"));
  const heading = () =>
    document.querySelector('#ranking-table thead button[data-key="n_clusters"]');
  heading().click();
  seen.fewest = rows()[0];
  seen.focus = document.activeElement === heading();
  heading().click();
  seen.sort = heading().parentElement.getAttribute("aria-sort");
  seen.most = rows()[0];
  $("by-k-measure").value = "davies_bouldin_index";
  $("by-k-measure").dispatchEvent(new Event("change"));
  const plot = $("plot-by-k");
  seen.best = Object.fromEntries(plot.data.filter((t) => t.meta.role === "line")
    .map((t) => [t.meta.clusterer, t.x.map((k, i) => [k, t.y[i]])]));
  seen.turned = plot.layout.yaxis.range[0] > plot.layout.yaxis.range[1];
  $("theme").click();
  seen.theme = document.documentElement.dataset.theme;
  document.body.replaceChildren();
  document.body.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
}, 5000);
</script></body>"""


LAYOUT = r"""<script>
setTimeout(() => {
  const box = (e) => e.getBoundingClientRect(), hit = [];
  for (const plot of document.querySelectorAll(".plot")) {
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
  const pane = document.getElementById("ranking-table").parentElement;
  const ticks = Array.from(document.querySelectorAll("#plot-by-k .xtick text"));
  const seen = {
    hit, width: innerWidth, beyond: pane.scrollWidth - pane.clientWidth,
    ticks: ticks.map((t) => t.textContent), page: document.documentElement.scrollWidth,
  };
  document.body.replaceChildren();
  document.body.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
}, 5000);
</script></body>"""


def seen_by(page: str, folder: Path, *options: str) -> tuple[dict[str, Any], str]:
    """What the script in the page found, and what the browser wrote."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    command = [
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", *options,
        "--virtual-time-budget=15000", "--dump-dom", (folder / "page.html").as_uri(),
    ]  # fmt: skip
    out = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    found = re.search("SEEN(.*)SEEN", out.stdout)
    assert found is not None
    return json.loads(found[1].replace("&lt;", "<").replace("&amp;", "&")), out.stderr


@pytest.mark.parametrize("width", [1400, 500])
def test_nothing_is_cut_or_written_over(tmp_path: Path, width: int) -> None:
    wine = load_wine()
    truth = wine.target_names[wine.target]
    X = pd.DataFrame(wine.data, columns=wine.feature_names)
    study = karat.Study(karat.datasets.from_table(X, truth=truth, scale="standard"))
    study.sweep(["kmeans", "gaussian-mixture"], k=[9, 2, 4], n_init=2, workers=1)
    study.by = "consensus"
    page = render(study).replace("</body>", LAYOUT)
    seen, _ = seen_by(page, tmp_path, f"--window-size={width},900")
    assert seen["width"] == width
    assert seen["hit"] == []
    assert seen["ticks"] == [str(k) for k in range(2, 10)]
    assert seen["page"] <= width
    if width == 1400:
        assert seen["beyond"] == 0


@pytest.mark.parametrize("old", [False, True], ids=["new browser", "without DecompressionStream"])
def test_page_works(tmp_path: Path, old: bool) -> None:
    X = load_wine().data
    study = karat.Study((X - X.mean(axis=0)) / X.std(axis=0))
    study.sweep(["kmeans", "ward"], k=range(2, 6), n_init=2, workers=1)
    page = render(study).replace("</body>", PROBE)
    if old:
        page = page.replace('"use strict";', '"use strict"; window.DecompressionStream = null;', 1)
    seen, log = seen_by(page, tmp_path)
    assert "CONSOLE" not in log
    assert seen["faults"] == []
    ranked, scores = study.rank(), study.scores()
    assert seen["rows"] == list(ranked.index[:15])
    assert seen["drawn"] >= 6
    assert seen["filtered"] == ["ward k=4"]
    assert ranked.at[seen["fewest"], "n_clusters"] == 2
    assert ranked.at[seen["most"], "n_clusters"] == 5
    assert seen["focus"]
    assert seen["sort"] == "descending"
    lowest = scores.groupby(["clusterer", "n_clusters"])["davies_bouldin_index"].min()
    for clusterer, points in seen["best"].items():
        for k, value in points:
            assert value == pytest.approx(lowest[clusterer, k], rel=1e-4)
    assert seen["turned"]
    assert seen["theme"] == "dark"
