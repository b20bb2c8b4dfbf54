// ---- pictures of given values, drawn where their fold opens and where the width changes
function drawIn(root) {
  for (const element of all(".plot[data-figure]", root)) {
    const spec = data.figures[element.dataset.figure];
    if (!spec || element.closest("[hidden]")) continue;
    const label = element.closest("figure").getAttribute("aria-label");
    if (spec.kind === "by-k") drawByK(element);
    else DRAW[spec.kind](element, spec, label);
    settle(element);
  }
}
const drawOpen = () => { all("details.fold[open]").forEach(drawIn); drawLook(opening.now); };
function drawByK(element) {
  const key = $("by-k-measure").value, detail = data.measures[key], values = table.values[key];
  $("by-k-note").textContent = detail.note;
  const series = Array.from(new Set(table.clusterer)).map((clusterer) => {
    const own = table.name.map((_, i) => i).filter((i) => table.clusterer[i] === clusterer && values[i] !== null && isFinite(values[i]) && table.n_clusters[i] !== null), best = new Map();
    for (const i of own.filter((j) => table.swept[j])) {
      const k = table.n_clusters[i], v = values[i];
      if (!best.has(k) || (detail.up ? v > best.get(k) : v < best.get(k))) best.set(k, v);
    }
    const x = Array.from(best.keys()).sort((a, b) => a - b);
    return { name: clusterer, x, y: x.map((k) => best.get(k)), dots: own.map((i) => [table.n_clusters[i], values[i], data.opens ? data.opens[i] : -1, table.name[i]]) };
  }).filter((s) => s.dots.length);
  const chosen = table.rows[0], ring = chosen !== undefined && values[chosen] !== null && isFinite(values[chosen]) ? [table.n_clusters[chosen], values[chosen]] : null;
  DRAW.lines(element, { series, x: "Number of clusters", y: detail.title, ring, flip: !detail.up }, detail.title + " against the number of clusters, a line for each clusterer");
}
function unfolding() {
  const button = $("unfold"), folds = all("details.fold");
  if (!folds.length) return;
  const name = () => { button.textContent = folds.every((d) => d.open) ? "Close all" : "Open all"; };
  button.hidden = false;
  button.addEventListener("click", () => {
    const wanted = !folds.every((d) => d.open);
    folds.forEach((d) => { d.open = wanted; });
    name();
  });
  folds.forEach((d) => d.addEventListener("toggle", () => { name(); if (d.open) { drawIn(d); if (d.id === "look-around") drawLook(opening.now); } }));
  name();
}
let closed = [], waiting = 0;
addEventListener("beforeprint", () => { closed = all("details.fold:not([open])"); closed.forEach((d) => { d.open = true; }); drawOpen(); });
addEventListener("afterprint", () => { closed.forEach((d) => { d.open = false; }); });
addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(drawOpen, 200); });

ranking();
unfolding();
all("figure").filter((f) => f.querySelector("[data-figure]:not(.grid-of)")).forEach(savable);
if ($("by-k-measure")) {
  $("by-k-measure").addEventListener("change", () => { drawByK($("plot-by-k")); settle($("plot-by-k")); });
  $("by-k-controls").hidden = false;
}
startMap().then(drawOpen);
