// ---- measures against the number of clusters
function byK(plotly) {
  const plot = $("plot-by-k"), select = $("by-k-measure");
  if (!plot) return;
  function pick(key) {
    const detail = data.measures[key], values = table.values[key];
    select.value = key;
    $("by-k-note").textContent = detail.note;
    const xs = [], ys = [], texts = [];
    for (const trace of plot.data) {
      const own = table.name.map((_, i) => i).filter((i) => values[i] !== null && table.n_clusters[i] !== null &&
        (trace.meta.role === "chosen" ? i === table.rows[0] : table.clusterer[i] === trace.meta.clusterer));
      let x = own.map((i) => table.n_clusters[i]), y = own.map((i) => values[i]);
      if (trace.meta.role === "line") {
        const best = new Map();
        for (const i of own) {
          if (!table.swept[i]) continue;
          const k = table.n_clusters[i], v = values[i];
          if (!best.has(k) || (detail.up ? v > best.get(k) : v < best.get(k))) best.set(k, v);
        }
        x = Array.from(best.keys()).sort((a, b) => a - b);
        y = x.map((k) => best.get(k));
      }
      xs.push(x);
      ys.push(y);
      texts.push(own.map((i) => escaped(table.name[i])));
    }
    if (drawn.includes(plot)) plotly.update(plot, { x: xs, y: ys, text: texts }, {
      "yaxis.title.text": escaped(detail.title),
      "yaxis.autorange": detail.up ? true : "reversed",
    });
    plot.setAttribute("aria-label", detail.title + " against the number of clusters, a line for each clusterer");
  }
  select.addEventListener("change", () => pick(select.value));
  $("by-k-note").textContent = data.measures[select.value].note;
  $("by-k-controls").hidden = false;
}

// ---- figures
const touch = window.matchMedia("(pointer: coarse)").matches;
const drawn = [];
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
function draw(plotly, element, size) {
  const figure = data.figures[element.dataset.figure];
  if (!figure || drawn.includes(element)) return;
  element.replaceChildren();
  element.style.minHeight = "";
  figure.layout.dragmode = false;
  // on a narrow page the legend has rows of its own, so that the panel keeps its height
  const named = figure.data.filter((trace) => trace.name && trace.showlegend !== false).length;
  if (!size && element.clientWidth < 560 && figure.layout.showlegend !== false && named > 3) figure.layout.height += 22 * Math.ceil(named / 2);
  Object.assign(figure.layout, size);
  plotly.newPlot(element, figure.data, figure.layout, {
    responsive: true, displaylogo: false, displayModeBar: touch ? false : "hover", modeBarButtons: [["toImage"]],
  });
  drawn.push(element);
  // a point of a curve opens its candidate
  if (element.id === "plot-by-k" && data.candidates) {
    element.on("plotly_click", (event) => {
      const text = event.points[0].text, i = table.name.findIndex((name) => escaped(name) === text);
      if (i >= 0 && data.opens[i] >= 0) open(data.opens[i], element.closest("section"));
    });
  }
}
async function drawIn(plotly, root) {
  for (const element of all(".plot", root)) {
    if (element.closest("[hidden]")) continue;
    draw(plotly, element);
    await pause();
  }
}
function forPrint(plotly) {
  let opened = [], printed = [];
  addEventListener("beforeprint", () => {
    // a browser may announce a print twice
    const closed = all("main details:not([open]):not(.chooser):not(.alternative)");
    closed.forEach((d) => { d.open = true; });
    opened = opened.concat(closed);
    for (const element of all(".plot")) {
      const figure = data.figures[element.dataset.figure];
      if (!figure || element.closest("[hidden]") || printed.includes(element)) continue;
      const { height } = figure.layout, low = (figure.data[0] || {}).type === "scatter" && height < 500 ? 300 : 440;
      const wanted = { width: 680, height: Math.min(height, low), autosize: false };
      element.dataset.height = height;
      if (drawn.includes(element)) plotly.relayout(element, wanted);
      else {
        draw(plotly, element, wanted);
        printed.push(element);
      }
    }
  });
  addEventListener("afterprint", () => {
    for (const element of drawn.slice()) {
      const height = Number(element.dataset.height);
      if (!printed.includes(element)) {
        plotly.relayout(element, { width: null, height, autosize: true });
        continue;
      }
      // what was drawn for print alone is drawn again where its fold is opened
      plotly.purge(element);
      drawn.splice(drawn.indexOf(element), 1);
      const { layout } = data.figures[element.dataset.figure];
      Object.assign(layout, { height, autosize: true });
      delete layout.width;
    }
    opened.forEach((d) => { d.open = false; });
    opened = [];
    printed = [];
  });
}
const pause = () => new Promise((resolve) => setTimeout(resolve));
async function figures() {
  try {
    const source = new TextDecoder().decode(await unpack($("plotly").textContent));
    const element = document.createElement("script");
    element.textContent = source;
    document.head.append(element);
    const plotly = window.Plotly;
    byK(plotly);
    forPrint(plotly);
    for (const fold of all("details.fold")) {
      fold.addEventListener("toggle", () => { if (fold.open) drawIn(plotly, fold); });
      if (fold.open) drawIn(plotly, fold);
    }
  } catch (error) {
    console.error(error);
    say("The figures could not be drawn in this browser; the tables have their values.");
  }
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
  folds.forEach((d) => d.addEventListener("toggle", name));
  name();
}

ranking();
unfolding();
startMap().then(figures);
