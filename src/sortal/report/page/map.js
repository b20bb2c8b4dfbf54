// ---- the map, the cards, and any candidate on them
const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "cross", "star", "hexagon", "bowtie"];
// corners of each mark around its middle, one up to the edge
const CORNERS = {
  "square": [-.85, -.85, .85, -.85, .85, .85, -.85, .85],
  "triangle-up": [0, -1.1, 1.05, .8, -1.05, .8],
  "diamond": [0, -1.2, 1.2, 0, 0, 1.2, -1.2, 0],
  "cross": [-.4, -1.1, .4, -1.1, .4, -.4, 1.1, -.4, 1.1, .4, .4, .4, .4, 1.1, -.4, 1.1, -.4, .4, -1.1, .4, -1.1, -.4, -.4, -.4],
  "star": [0, -1.25, .32, -.4, 1.2, -.4, .5, .15, .75, 1, 0, .5, -.75, 1, -.5, .15, -1.2, -.4, -.32, -.4],
  "hexagon": [-.55, -1, .55, -1, 1.1, 0, .55, 1, -.55, 1, -1.1, 0],
  "bowtie": [-1.1, -.9, 0, -.15, 1.1, -.9, 1.1, .9, 0, .15, -1.1, .9],
  "x-thin-open": [-1, -.75, -.25, 0, -1, .75, -.75, 1, 0, .25, .75, 1, 1, .75, .25, 0, 1, -.75, .75, -1, 0, -.25, -.75, -1],
};
const slotColor = (slot) => (slot < 0 ? GREY : COLORS[slot % 6]);
const slotSymbol = (slot) => (slot < 0 ? "x-thin-open" : SYMBOLS[Math.floor(slot / 6) % 8]);
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);

const opening = { now: 0, packed: null, from: null, picked: null, compared: false };
const candidateName = (i) => table.name[table.rows[i]];
function labelsOf(i) {
  const m = data.map.x.length;
  return opening.packed.subarray(i * m, (i + 1) * m);
}
// whether the objects of the map are in another group than in the choice
function movedOf(i) {
  const slots = data.candidates[i].slots, own = data.candidates[0].slots, a = labelsOf(0), b = labelsOf(i);
  const slot = (s, v) => ((v >> 1) ? s[(v >> 1) - 1] : -1);
  return Array.from(a, (v, j) => slot(own, v) !== slot(slots, b[j]));
}

function markPath(symbol, x, y, r) {
  if (symbol === "circle") return "M" + (x - r).toFixed(1) + " " + y.toFixed(1) + "a" + r + " " + r + " 0 1 0 " + 2 * r + " 0a" + r + " " + r + " 0 1 0 " + -2 * r + " 0";
  const at = CORNERS[symbol];
  let path = "";
  for (let i = 0; i < at.length; i += 2) path += (i ? "L" : "M") + (x + r * at[i]).toFixed(1) + " " + (y + r * at[i + 1]).toFixed(1);
  return path + "Z";
}
// values along an axis of the map: its own, or a column's
function along(id, own) {
  const column = columns[Number($(id).value)];
  if ($(id).value === "" || !column) return own;
  const [low, high] = ends(column.values);
  return column.values.map((v) => (v === null ? 0 : 2000 * (v - low) / (high - low || 1)));
}
function places() {
  const x = along("map-x", data.map.x), y = along("map-y", data.map.y), other = x !== data.map.x || y !== data.map.y, high = Math.max(...y, 1), wide = Math.max(...x, 1), W = 600;
  const H = Math.round(Math.min(470, Math.max(340, W * high / wide)));
  const pad = 18, scale = Math.min((W - 2 * pad) / wide, (H - 2 * pad) / high);
  const free = other || (data.map.axes[0] && !data.map.equal);
  const sx = free ? (W - 2 * pad) / wide : scale, sy = free ? (H - 2 * pad) / high : scale;
  const left = (W - sx * wide) / 2, low = (H + sy * high) / 2;
  return { W, H, at: x.map((v, i) => [left + sx * v, low - sy * y[i]]) };
}
// ---- colours of the map: groups, classes, sureness or a column
const RAMP = [[44, 95, 158], [79, 163, 199], [155, 191, 133], [232, 177, 58], [212, 85, 42]];
function ramp(t) {
  const at = Math.max(0, Math.min(3.999, 4 * t)), i = Math.floor(at), f = at - i;
  return "rgb(" + RAMP[i].map((v, c) => Math.round(v + f * (RAMP[i + 1][c] - v))).join(",") + ")";
}
// share of an object's ten nearest that are in its group
function sureness(i) {
  const labels = labelsOf(i), k = opening.near.length / labels.length;
  return Array.from(labels, (v, j) => {
    if (!(v >> 1)) return null;
    let same = 0;
    for (let p = 0; p < k; p++) same += (labels[opening.near[j * k + p]] >> 1) === (v >> 1);
    return same / k;
  });
}
// colour of each object and the entries of the key; null for colours by group
function colouring(i) {
  const wanted = $("map-color").value;
  if (wanted === "groups") return null;
  if (wanted === "class") {
    const names = Array.from(new Set(data.map.classes.filter((c) => c !== null))).sort(), at = (c) => names.indexOf(c);
    return { of: (j) => slotColor(data.map.classes[j] === null ? -1 : at(data.map.classes[j])), key: names.slice(0, 12).map((c) => [c, slotColor(at(c))]) };
  }
  const column = wanted === "sureness" ? { kind: "number", values: sureness(i) } : columns[Number(wanted.slice(7))];
  const [low, high] = ends(column.values);
  const share = (v) => (v - low) / (high - low || 1);
  return { of: (j) => (column.values[j] === null ? GREY : ramp(share(column.values[j]))), key: [0, .5, 1].map((t) => [wanted === "sureness" ? percent(low + t * (high - low)) : column.kind === "number" || column.kind === "date" ? valueText(column, low + t * (high - low)) : ["no", "", "yes"][2 * t], ramp(t)]).filter((e) => e[0]) };
}
function drawMap(i) {
  const coloured = colouring(i);
  const one = data.candidates[i], labels = labelsOf(i), { W, H, at } = places();
  const r = Math.round(10 * Math.min(5, Math.max(2, 30 / Math.sqrt(at.length) + 1.6))) / 10;
  const moved = opening.compared && i ? movedOf(i) : null;
  const box = svg("svg", { viewBox: "0 0 " + W + " " + H });
  const label = "Map of " + whole(at.length) + " " + data.noun + " in " + whole(one.sizes.length) + " groups of " + one.sizes.map(whole).slice(0, 20).join(", ");
  const groups = new Map();
  labels.forEach((v, j) => {
    const key = v >> 1;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(j);
  });
  const tags = [];
  for (const [key, own] of Array.from(groups).sort((a, b) => a[0] - b[0])) {
    const c = key - 1, slot = c < 0 ? -1 : one.slots[c], group = svg("g", { class: "cluster", "data-cluster": c, fill: slotColor(slot) }, box);
    for (const pale of [1, 0]) {
      const path = own.filter((j) => (labels[j] & 1) === pale).map((j) => markPath(slotSymbol(slot), at[j][0], at[j][1], r)).join("");
      if (path && !coloured) svg("path", { d: path, "fill-opacity": pale ? .32 : .85 }, group);
    }
    if (coloured) {
      const same = new Map();
      own.forEach((j) => { const c = coloured.of(j); same.set(c, (same.get(c) || "") + markPath(slotSymbol(slot), at[j][0], at[j][1], r)); });
      same.forEach((path, c) => svg("path", { d: path, fill: c, "fill-opacity": .9 }, group));
    }
    if (moved) {
      const rings = own.filter((j) => moved[j]).map((j) => markPath("circle", at[j][0], at[j][1], r + 2.5)).join("");
      if (rings) svg("path", { d: rings, class: "ring" }, group);
    }
    if (c >= 0 && groups.size <= 60) {
      const middle = (k) => own.map((j) => at[j][k]).sort((a, b) => a - b)[own.length >> 1];
      tags.push({ x: middle(0), y: middle(1), text: one.names[c].length > 16 ? one.names[c].slice(0, 15) + "…" : one.names[c] });
    }
  }
  keepApart(tags, H);
  for (const tag of tags) svg("text", { x: tag.x.toFixed(1), y: (tag.y + 6).toFixed(1), class: "tag" }, box, tag.text);
  $("map-key").replaceChildren(...(coloured ? coloured.key : []).map(([text, color]) => { const entry = node("span", "entry", text), mark = node("span", "mark circle"); mark.style.setProperty("--mark", color); entry.prepend(mark); return entry; }));
  described($("map"), box, label);
  settle($("map"));
  point(box, at, labels, one, r);
}
// shift labels up and down until none lies on an earlier one
function keepApart(tags, H) {
  const LINE = 22;
  tags.sort((a, b) => a.y - b.y).forEach((tag, n) => {
    const half = 5 * tag.text.length + 6, from = tag.y;
    tag.half = half;
    tag.x = Math.min(Math.max(tag.x, half), 600 - half);
    for (let step = 0; step < 2 * tags.length; step++) {
      tag.y = from + LINE * ((step + 1) >> 1) * (step % 2 ? 1 : -1);
      if (tag.y < LINE / 2 || tag.y > H - LINE / 2) continue;
      if (tags.slice(0, n).every((o) => Math.abs(o.x - tag.x) > half + o.half || Math.abs(o.y - tag.y) >= LINE)) break;
    }
  });
}
function point(box, at, labels, one, r) {
  const tip = $("map-tip"), holder = box.parentElement;
  box.addEventListener("pointermove", (event) => {
    const rect = box.getBoundingClientRect(), scale = 600 / rect.width;
    const x = (event.clientX - rect.left) * scale, y = (event.clientY - rect.top) * scale;
    let best = -1, least = (r + 8) ** 2;
    at.forEach(([a, b], j) => { const d = (a - x) ** 2 + (b - y) ** 2; if (d < least) { least = d; best = j; } });
    tip.hidden = best < 0;
    if (best < 0) return;
    const c = (labels[best] >> 1) - 1, known = data.map.classes && data.map.classes[best];
    const more = columns.slice(0, 6).map((column) => node("span", "column", column.name + ": " + valueText(column, column.values[best])));
    tip.replaceChildren(node("b", "", data.map.ids[best]), node("span", "", (c < 0 ? "in no group" : "group " + one.names[c]) + (labels[best] & 1 ? ", on the edge" : "") + (known ? ", " + known : "")), ...more);
    tip.style.left = Math.min(at[best][0] / scale + 12, Math.max(0, rect.width - 230)) + "px";
    tip.style.top = at[best][1] / scale + 14 + holder.offsetTop + "px";
  });
  box.addEventListener("pointerleave", () => { tip.hidden = true; });
}

// ---- cards
const chosenCards = $("cards") && Array.from($("cards").children);
function drawCard(one, c) {
  const card = $("card").content.firstElementChild.cloneNode(true), n = data.n;
  card.dataset.cluster = c;
  card.style.setProperty("--mark", slotColor(one.slots[c]));
  card.querySelector(".mark").classList.add(slotSymbol(one.slots[c]));
  card.querySelector(".label").textContent = one.names[c];
  const size = card.querySelector(".size"), edge = one.edge[c];
  size.append(node("b", "", whole(one.sizes[c])), " " + (one.sizes[c] === 1 ? data.noun.slice(0, -1) : data.noun) + ", " + percent(one.sizes[c] / n));
  if (one.sizes.length > 1) size.append(" · ", node("small", "", percent(edge) + " on the edge"));
  for (const [j, value, length, elsewhere] of one.told[c] || []) {
    const line = node("li"), bar = node("span", data.terms ? "bar-line whole" : "bar-line"), inner = node("span");
    const share = Math.abs(length) / (data.terms ? 1 : 2);
    inner.style.width = share + "%";
    inner.style.left = (data.terms ? 0 : length > 0 ? 50 : 50 - share) + "%";
    bar.setAttribute("aria-hidden", "true");
    bar.append(inner);
    const told = node("span", "value", value + " ");
    told.append(node("small", "", "elsewhere " + elsewhere));
    line.append(node("span", "what", data.features[j]), bar, told);
    card.querySelector(".tells").append(line);
  }
  return card;
}
function drawCards(i) {
  const one = data.candidates[i];
  const order = one.sizes.map((_, c) => c).sort((a, b) => one.sizes[b] - one.sizes[a]).slice(0, 60);
  $("cards").replaceChildren(...(i ? order.map((c) => drawCard(one, c)) : chosenCards));
  $("cards").classList.toggle("many", one.sizes.length > 3);
  $("cards").classList.toggle("long", one.sizes.length > 10);
}
function pick(cluster) {
  opening.picked = opening.picked === cluster ? null : cluster;
  all(".pick", $("cards")).forEach((b) => b.setAttribute("aria-pressed", String(opening.picked !== null && b.closest(".card").dataset.cluster === opening.picked)));
  all(".cluster", $("map")).forEach((g) => g.classList.toggle("dim", opening.picked !== null && g.dataset.cluster !== opening.picked));
}

// ---- another candidate, and how it differs from the choice
function open(i, from) {
  if (!opening.packed || i < 0 || i >= data.candidates.length) return;
  opening.now = i;
  opening.picked = null;
  opening.compared = false;
  if (from) opening.from = from;
  $("opened").hidden = i === 0;
  $("return").hidden = !opening.from;
  $("opened-name").textContent = i ? fill(data.words.other, { name: candidateName(i) }) + (data.described < data.n ? " " + fill(data.words.sampled, { n: whole(data.described), noun: data.noun }) : "") : "";
  drawMap(i);
  drawCards(i);
  drawLook(i);
  $("candidate").value = i;
  compare(false);
  if ($("outliers")) $("outliers").hidden = i !== 0;
  say(i ? fill(data.words.other, { name: candidateName(i) }) : "");
  if (i && from && from.id !== "candidate") {
    $("opened").scrollIntoView({ block: "start" });
    $("compare").focus({ preventScroll: true });
  }
}
function compare(wanted) {
  opening.compared = wanted;
  $("compare").setAttribute("aria-expanded", String(wanted));
  $("comparison").hidden = !wanted;
  if (!wanted) return;
  const one = data.candidates[opening.now], own = data.candidates[0];
  const slot = (s, c) => (c < 0 ? -1 : s[c]);
  const moved = one.flows.filter(([a, b]) => slot(own.slots, a) !== slot(one.slots, b)).reduce((sum, f) => sum + f[2], 0);
  $("moved").textContent = moved ? fill(data.words.moved, { n: whole(moved), of: whole(data.n), noun: data.noun }) : fill(data.words.same, { noun: data.noun });
  drawFlows(own, one);
  speaks();
  drawMap(opening.now);
}
function drawFlows(own, one) {
  const W = 460, unit = 320 / data.n, GAP = 12, name = (x, c) => (c < 0 ? "no group" : x.names[c]);
  const side = (k, x) => {
    const total = new Map();
    one.flows.forEach((f) => total.set(f[k], (total.get(f[k]) || 0) + f[2]));
    // a cluster of the right side stands where most of its objects come from
    const rank = (c) => (k === 0 ? c : one.flows.filter((f) => f[1] === c).reduce((s, f) => s + f[0] * f[2], 0) / total.get(c));
    let y = 6;
    return new Map(Array.from(total.keys()).sort((a, b) => (a < 0) - (b < 0) || rank(a) - rank(b)).map((c) => {
      const place = { y, used: 0, h: Math.max(2, total.get(c) * unit), n: total.get(c), slot: c < 0 ? -1 : x.slots[c], name: name(x, c) };
      y += place.h + GAP;
      return [c, place];
    }));
  };
  const left = side(0, own), right = side(1, one);
  const end = (s) => Math.max(...Array.from(s.values(), (p) => p.y + p.h)) + 6;
  const box = svg("svg", { viewBox: "0 0 " + W + " " + Math.ceil(Math.max(end(left), end(right))) });
  const label = one.flows.slice().sort((a, b) => b[2] - a[2]).slice(0, 12).map((f) => fill(data.words.flow, { a: name(own, f[0]), b: name(one, f[1]), n: whole(f[2]), noun: data.noun })).join("; ");
  for (const [a, b, n] of one.flows.slice().sort((p, q) => p[0] - q[0] || p[1] - q[1])) {
    const p = left.get(a), q = right.get(b), h = n * unit, y = p.y + p.used, z = q.y + q.used;
    p.used += h;
    q.used += h;
    const band = svg("path", { class: "band" + (p.slot === q.slot ? "" : " moves"), fill: slotColor(p.slot), d: "M130 " + y + "C230 " + y + " 230 " + z + " 330 " + z + "V" + (z + h) + "C230 " + (z + h) + " 230 " + (y + h) + " 130 " + (y + h) + "Z" }, box);
    svg("title", {}, band).textContent = fill(data.words.flow, { a: name(own, a), b: name(one, b), n: whole(n), noun: data.noun });
  }
  for (const [places, x, anchor] of [[left, 120, "end"], [right, 330, "start"]]) {
    for (const p of places.values()) {
      svg("rect", { x, y: p.y, width: 10, height: p.h, fill: slotColor(p.slot) }, box);
      const cut = p.name.length > 10 ? p.name.slice(0, 9) + "…" : p.name;
      svg("text", { x: anchor === "end" ? x - 6 : x + 16, y: p.y + Math.max(p.h / 2, 4) + 4, "text-anchor": anchor }, box).textContent = cut + " (" + whole(p.n) + ")";
    }
  }
  described($("flows"), box, label);
  settle($("flows"));
}
function speaks() {
  const chosen = table.rows[0], other = table.rows[opening.now], lists = [[], []];
  for (const key of data.leading) {
    const a = table.values[key][chosen], b = table.values[key][other], detail = data.measures[key];
    if (!detail || a === null || b === null || a === b) continue;
    const first = detail.up ? a > b : a < b;
    lists[first ? 0 : 1].push(fill(data.words.better, { title: detail.title, own: short(first ? a : b), other: short(first ? b : a) }));
  }
  ["for-chosen", "for-other"].forEach((id, k) => {
    $(id).replaceChildren(...(lists[k].length ? lists[k] : [data.words.nothing]).map((text) => node("li", "", text)));
  });
}
function goBack() {
  const from = opening.from;
  opening.from = null;
  if (!from) return;
  const fold = from.closest && from.closest("details.fold");
  if (fold) fold.open = true;
  const there = document.contains(from) ? from : $("ranking-table");
  there.scrollIntoView({ block: "center" });
  if (there.focus) there.focus({ preventScroll: true });
}
function choices(id, entries) {
  $(id).replaceChildren(...entries.map(([value, text]) => { const option = node("option", "", text); option.value = value; return option; }));
}
function mapControls() {
  const named = columns.map((column, i) => [i, column.name]);
  choices("map-color", [["groups", "groups"], ...(data.map.classes ? [["class", "class"]] : []), ["sureness", "sureness"], ...named.map(([i, name]) => ["column " + i, name])]);
  choices("map-x", [["", "map"], ...named]);
  choices("map-y", [["", "map"], ...named]);
  choices("candidate", data.candidates.map((one, i) => [i, candidateName(i) + " (" + one.sizes.length + " groups)"]));
  ["map-color", "map-x", "map-y"].forEach((id) => $(id).addEventListener("change", () => drawMap(opening.now)));
  $("candidate").addEventListener("change", () => open(Number($("candidate").value), $("candidate")));
  $("labels-file").addEventListener("click", () => {
    const quoted = (text) => '"' + String(text).replace(/^[=+@\-]/, "'$&").replace(/"/g, '""') + '"', one = data.candidates[opening.now];
    const lines = Array.from(labelsOf(opening.now), (v, j) => quoted(data.map.rows[j]) + "," + quoted(data.map.ids[j]) + "," + quoted((v >> 1) ? one.names[(v >> 1) - 1] : ""));
    download("labels.csv", "row,id,cluster\n" + lines.join("\n") + "\n", "text/csv");
  });
  $("map-picture").addEventListener("click", () => save($("map"), "map"));
  $("map-controls").hidden = $("files").hidden = false;
}
async function startMap() {
  if (!data.map) return;
  opening.packed = new Uint16Array((await unpack(data.labels)).buffer);
  opening.near = new Uint16Array((await unpack(data.map.near)).buffer);
  opening.profiles = new Int8Array((await unpack(data.silhouettes)).buffer);
  mapControls();
  $("cards").addEventListener("click", (event) => {
    const button = event.target.closest(".pick");
    if (button) pick(button.closest(".card").dataset.cluster);
  });
  $("compare").addEventListener("click", () => { const wanted = !opening.compared; compare(wanted); if (!wanted) drawMap(opening.now); });
  $("back").addEventListener("click", () => { open(0); $("answer").focus({ preventScroll: true }); $("answer").scrollIntoView(); });
  $("return").addEventListener("click", goBack);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-open]");
    if (button) open(Number(button.dataset.open), button);
  });
  drawMap(0);
}
