// ---- drawings: SVG of given values, without any library
const COLORS = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7"], GREY = "#8A8A8A";
const DASHES = ["", "7 4", "2 3", "8 3 2 3", "12 4"];
const NS = "http://www.w3.org/2000/svg";
function svg(tag, attributes, parent, text) {
  const element = document.createElementNS(NS, tag);
  for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}
function node(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}
const whole = (v) => v.toLocaleString("en-US");
const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
const short = (v) => number(v === null || !isFinite(v) || Math.abs(v) >= 1000 ? v : Number(v.toPrecision(3)));
const finite = (values) => values.filter((v) => v !== null && isFinite(v));
const ends = (values) => finite(values).reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
const hint = (element, text) => { svg("title", {}, element, text); return element; };

function ticks(low, high, wanted) {
  const raw = (high - low) / Math.max(wanted, 1) || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw), out = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step / 1e6 ? 0 : v);
  return out;
}
const roomOf = (element) => Math.max(260, Math.min(element.clientWidth || 720, 860));
// put a picture into its place: readers of the screen hear the description
function described(element, box, label) {
  box.setAttribute("aria-hidden", "true");
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label);
  element.replaceChildren(box);
  return box;
}
// texts are drawn by reference, on top: a picture is one image with one description, whose words
// readers of the screen do not hear one by one
let drawnTexts = 0;
function settle(element) {
  for (const box of all("svg", element)) {
    const texts = all("text", box);
    if (!texts.length || box.querySelector("use")) continue;
    const group = svg("g", { id: "texts-" + ++drawnTexts }, svg("defs", {}, box));
    group.append(...texts);
    svg("use", { href: "#" + group.id, class: "texts" }, box);
  }
}
// an empty picture with this description
function picture(element, W, H, label) {
  const box = svg("svg", { viewBox: `0 0 ${W} ${H}`, width: W, height: H });
  return described(element, box, label);
}
// names of lines in rows from the top; gives their height
function legend(box, W, names) {
  let x = 0, y = 12;
  names.forEach(([name, color, dash]) => {
    const text = cut(name, 40), wide = 30 + 6.7 * text.length;
    if (x && x + wide > W) { x = 0; y += 18; }
    svg("line", { x1: x, x2: x + 18, y1: y - 4, y2: y - 4, stroke: color, "stroke-width": 3, "stroke-dasharray": dash || "" }, box);
    svg("text", { x: x + 22, y }, box, text);
    x += wide;
  });
  return y + 14;
}
// axes with ticks; gives the places of values
function axes(box, { W, H, top, left, bottom }, xs, ys, titles, options) {
  const [x0, x1] = xs, [y0, y1] = ys, high = H - bottom, flip = options.flip;
  const X = (v) => left + (W - left - 12) * (x1 > x0 ? (v - x0) / (x1 - x0) : .5);
  const Y = (v) => { const t = y1 > y0 ? (v - y0) / (y1 - y0) : .5; return flip ? top + (high - top) * t : high - (high - top) * t; };
  const show = options.percent ? (v) => Math.round(100 * v) + " %" : short;
  for (const v of ticks(y0, y1, 5)) {
    svg("line", { x1: left, x2: W - 12, y1: Y(v), y2: Y(v), class: "grid" }, box);
    svg("text", { x: left - 6, y: Y(v) + 4, "text-anchor": "end" }, box, show(v));
  }
  for (const v of ticks(x0, x1, Math.min(10, (W - left) / 60)).filter((v) => !options.whole || Number.isInteger(v))) {
    svg("text", { x: X(v), y: high + 16, "text-anchor": "middle" }, box, short(v));
  }
  svg("text", { x: (left + W) / 2, y: H - 4, "text-anchor": "middle", class: "axis" }, box, titles[0]);
  svg("text", { x: 0, y: 0, transform: `translate(12 ${(top + high) / 2}) rotate(-90)`, "text-anchor": "middle", class: "axis" }, box, cut(titles[1], Math.floor((high - top) / 6.6)));
  return { X, Y };
}
const DRAW = {
  lines(element, spec, label) {
    const W = roomOf(element), all = spec.series;
    const box = picture(element, W, 10, label);
    let next = 0;
    const styled = all.map((s) => (s.grey ? [GREY, "6 4"] : [COLORS[next % 6], DASHES[Math.floor(next++ / 6) % 5]]));
    const top = all.length > 1 ? legend(box, W, all.map((s, i) => [s.name, ...styled[i]])) : 8, H = top + 300;
    box.setAttribute("viewBox", `0 0 ${W} ${H}`);
    box.setAttribute("height", H);
    const around = (s) => s.y.flatMap((v, i) => (s.error && s.error[i] !== null ? [v - s.error[i], v + s.error[i]] : [v])).concat((s.dots || []).map((d) => d[1]));
    let [low, high] = ends(all.flatMap(around).concat(spec.ring ? [spec.ring[1]] : []));
    if (!isFinite(low)) return;
    if (low > 0 && low < .5 * high) low = 0;
    const xs = ends(all.flatMap((s) => s.x.concat((s.dots || []).map((d) => d[0]))));
    const { X, Y } = axes(box, { W, H, top, left: 62, bottom: 40 }, xs, [low, high], [spec.x, spec.y], { ...spec, whole: true });
    all.forEach((s, i) => {
      const [color, dash] = styled[i], kept = s.x.map((x, j) => [x, s.y[j], j]).filter((p) => p[1] !== null);
      for (const [x, y, open, name] of s.dots || []) hint(svg("circle", { cx: X(x), cy: Y(y), r: 3.5, fill: color, "fill-opacity": .5, ...(open >= 0 ? { "data-open": open, class: "opens" } : {}) }, box), name + ": " + short(y));
      svg("path", { d: kept.map(([x, y], j) => (j ? "L" : "M") + X(x).toFixed(1) + " " + Y(y).toFixed(1)).join(""), fill: "none", stroke: color, "stroke-width": 2, "stroke-dasharray": dash, "pointer-events": "none" }, box);
      for (const [x, y, j] of kept) {
        if (s.error && s.error[j] !== null) svg("line", { x1: X(x), x2: X(x), y1: Y(y - s.error[j]), y2: Y(y + s.error[j]), stroke: color }, box);
        if (!s.dots) hint(svg("circle", { cx: X(x), cy: Y(y), r: 3.5, fill: color }, box), `${s.name}, ${short(x)}: ${spec.percent ? percentUp(y) : short(y)}`);
      }
    });
    if (spec.ring) svg("circle", { cx: X(spec.ring[0]), cy: Y(spec.ring[1]), r: 8, class: "ring", "pointer-events": "none" }, box);
  },
  heat(element, spec, label) {
    const W = roomOf(element), m = spec.z.length, k = (spec.z[0] || []).length, named = spec.rows !== null;
    const left = named ? Math.min(.4 * W, 40 + 6.7 * Math.max(...spec.rows.map((r) => Math.min(r.length, 30)))) : 0;
    const side = named ? Math.min(90, (W - left) / k) : Math.min(W, 460) / k, tall = named ? 28 : side, top = named ? 44 : 0;
    const box = picture(element, W, top + tall * m + 4, label);
    if (!named) {
      const canvas = document.createElement("canvas"), at = canvas.getContext("2d");
      canvas.width = k;
      canvas.height = m;
      spec.z.forEach((line, i) => line.forEach((v, j) => { at.fillStyle = `rgba(0,114,178,${v === null ? 0 : v})`; at.fillRect(j, i, 1, 1); }));
      svg("image", { href: canvas.toDataURL(), width: side * k, height: tall * m, style: "image-rendering: pixelated" }, box);
      return;
    }
    svg("text", { x: left + side * k / 2, y: 13, "text-anchor": "middle", class: "axis" }, box, spec.x);
    svg("text", { x: 0, y: 34, class: "axis" }, box, cut(spec.y, Math.floor(left / 7)));
    spec.columns.forEach((name, j) => svg("text", { x: left + side * (j + .5), y: 34, "text-anchor": "middle" }, box, cut(name, Math.max(2, Math.floor(side / 7)))));
    spec.z.forEach((line, i) => {
      svg("text", { x: left - 8, y: top + tall * (i + .5) + 4, "text-anchor": "end" }, box, cut(spec.rows[i], Math.max(4, Math.floor((left - 8) / 6.7))));
      line.forEach((v, j) => {
        const text = spec.text ? spec.text[i][j] : "";
        hint(svg("rect", { x: left + side * j + .5, y: top + tall * i + .5, width: side - 1, height: tall - 1, fill: COLORS[0], "fill-opacity": .5 * v }, box), `${spec.rows[i]}, ${spec.columns[j]}: ${text} (${percent(v)})`);
        if (text && side > 7 * text.length) svg("text", { x: left + side * (j + .5), y: top + tall * (i + .5) + 4, "text-anchor": "middle" }, box, text);
      });
    });
  },
  bars(element, spec, label) {
    const W = roomOf(element), left = Math.min(.4 * W, 20 + 6.7 * Math.max(...spec.rows.map((r) => Math.min(r.length, 32)))), box = picture(element, W, 10, label);
    const colors = [COLORS[0], COLORS[1], GREY], top = legend(box, W, spec.parts.map((p, i) => [p.name, colors[i]])) + 6, H = top + 26 * spec.rows.length;
    box.setAttribute("viewBox", `0 0 ${W} ${H}`);
    box.setAttribute("height", H);
    spec.rows.forEach((name, i) => {
      let x = left;
      svg("text", { x: left - 8, y: top + 26 * i + 16, "text-anchor": "end" }, box, cut(name, Math.max(4, Math.floor((left - 8) / 6.7))));
      spec.parts.forEach((part, p) => {
        const wide = (W - left - 12) * part.values[i];
        hint(svg("rect", { x, y: top + 26 * i + 3, width: Math.max(wide, 0), height: 18, fill: colors[p] }, box), `${name}: ${percent(part.values[i])} ${part.name}`);
        x += wide;
      });
    });
  },
  tree(element, spec, label) {
    const W = roomOf(element), H = 420, n = spec.leaves.length, box = picture(element, W, H, label);
    const high = Math.max(...spec.y.flat()), tall = Math.min(110, 10 + 6.7 * Math.max(...spec.leaves.map((l) => Math.min(l.length, 14))));
    const { Y } = axes(box, { W, H, top: 12, left: 62, bottom: tall }, [0, 10 * n], [0, high], ["", "Height"], { whole: true, percent: false });
    const X = (v) => 62 + (W - 74) * v / (10 * n);
    all("text", box).filter((t) => t.getAttribute("y") > H - tall).forEach((t) => t.remove());
    spec.x.forEach((xs, i) => svg("path", { d: xs.map((x, j) => (j ? "L" : "M") + X(x).toFixed(1) + " " + Y(spec.y[i][j]).toFixed(1)).join(""), fill: "none", "stroke-width": 1.6, ...(spec.cluster[i] < 0 ? { class: "ink" } : { stroke: COLORS[spec.cluster[i] % 6] }) }, box));
    spec.leaves.forEach((name, i) => svg("text", { x: 0, y: 0, transform: `translate(${X(10 * i + 5) + 4} ${H - tall + 6}) rotate(-90)`, "text-anchor": "end" }, box, cut(name, 14)));
    if (spec.cut !== null && isFinite(spec.cut)) {
      svg("line", { x1: 62, x2: W - 12, y1: Y(spec.cut), y2: Y(spec.cut), class: "ink", "stroke-dasharray": "6 4" }, box);
      svg("text", { x: 68, y: Y(spec.cut) - 6 }, box, spec.label);
    }
  },
};
// a picture as a file of its own
function save(element, name) {
  const box = element.querySelector("svg").cloneNode(true), use = box.querySelector("use"), style = getComputedStyle(document.documentElement), v = (key) => style.getPropertyValue(key);
  if (use) use.replaceWith(box.querySelector(use.getAttribute("href")));
  box.prepend(svg("style", {}, null, `text{font:12px sans-serif;fill:${v("--ink")}}.grid{stroke:${v("--rule")}}.ring{fill:none;stroke:${v("--ink")};stroke-width:2}.ink{stroke:${v("--ink")}}.band{fill-opacity:.3}`));
  download(name + ".svg", new XMLSerializer().serializeToString(box), "image/svg+xml");
}
function download(name, text, type) {
  const link = node("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
function savable(figure) {
  const button = node("button", "save", "Save picture");
  button.type = "button";
  button.addEventListener("click", () => { const plot = figure.querySelector("[data-figure]"); save(plot, plot.dataset.figure); });
  figure.append(button);
}
