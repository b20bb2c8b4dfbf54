// ---- pictures that follow the opened candidate
const columns = data.columns || [];
const valueText = (column, v) => (v === null ? "missing" : column.kind === "date" ? new Date(864e5 * v).toISOString().slice(0, 10) : column.kind === "number" ? short(v) : v > 0 ? "yes" : "no");
// the groups of a candidate on the map: places of the objects of each, outliers aside
function groupsOf(i) {
  const out = data.candidates[i].sizes.map(() => []);
  labelsOf(i).forEach((v, j) => { if (v >> 1) out[(v >> 1) - 1].push(j); });
  return out;
}
const bySize = (one) => one.sizes.map((_, c) => c).sort((a, b) => one.sizes[b] - one.sizes[a]);
const tag = (one, c) => "Group " + one.names[c];

const LOOK = {
  sizes(element, one) {
    const order = bySize(one).slice(0, 40), W = roomOf(element), left = Math.min(.35 * W, 20 + 6.7 * Math.max(...order.map((c) => Math.min(tag(one, c).length, 24))));
    const box = picture(element, W, 26 * order.length + 4, "Sizes of the groups: " + order.map((c) => one.names[c] + " " + whole(one.sizes[c])).join(", ")), most = one.sizes[order[0]];
    order.forEach((c, i) => {
      const wide = Math.max(1, (W - left - 70) * one.sizes[c] / most);
      svg("text", { x: left - 8, y: 26 * i + 17, "text-anchor": "end" }, box, cut(tag(one, c), 24));
      svg("rect", { x: left, y: 26 * i + 4, width: wide, height: 18, fill: slotColor(one.slots[c]) }, box);
      svg("text", { x: left + wide + 6, y: 26 * i + 17 }, box, whole(one.sizes[c]));
    });
  },
  silhouettes(element, one, i) {
    const m = data.profiled.length, values = opening.profiles.subarray(i * m, (i + 1) * m), labels = labelsOf(i), rows = one.sizes.map(() => []);
    values.forEach((v, j) => { const c = (labels[data.profiled[j]] >> 1) - 1; if (c >= 0 && v > -128) rows[c].push(v / 100); });
    const shown = rows.flat();
    if (!shown.length) { element.replaceChildren(node("p", "waiting", "There are no silhouettes for this clustering.")); return; }
    const mean = shown.reduce((a, b) => a + b, 0) / shown.length, W = roomOf(element), step = Math.max(1, 300 / shown.length), H = 56 + step * shown.length + 8 * rows.length;
    const box = picture(element, W, H, "Silhouettes of the objects in each group; their mean is " + short(mean)), low = Math.min(-.1, ...shown);
    const { X } = axes(box, { W, H, top: 20, left: 90, bottom: 34 }, [low, 1], [0, 0], ["Silhouette", ""], {});
    all(".grid, text[text-anchor=end]", box).forEach((e) => e.remove());
    let y = 24;
    rows.forEach((own, c) => {
      if (!own.length) return;
      own.sort((a, b) => b - a);
      const d = own.map((v, j) => `M${X(Math.min(0, v)).toFixed(1)} ${(y + step * j).toFixed(1)}H${X(Math.max(0, v)).toFixed(1)}v${step}H${X(Math.min(0, v)).toFixed(1)}Z`).join("");
      hint(svg("path", { d, fill: slotColor(one.slots[c]), "fill-opacity": .85 }, box), `${tag(one, c)}: mean silhouette ${short(own.reduce((a, b) => a + b, 0) / own.length)}`);
      if (step * own.length > 9) svg("text", { x: 84, y: y + step * own.length / 2 + 4, "text-anchor": "end" }, box, cut(tag(one, c), 12));
      y += step * own.length + 8;
    });
    svg("line", { x1: X(mean), x2: X(mean), y1: 18, y2: H - 34, class: "ink", "stroke-dasharray": "6 4" }, box);
    svg("text", { x: X(mean), y: 13, "text-anchor": "middle" }, box, "mean " + short(mean));
  },
  histograms(element, one, i) {
    const groups = groupsOf(i).map((own, c) => [c, own]).filter(([, own]) => own.length).slice(0, 8);
    element.replaceChildren(...columns.map((column, place) => {
      const [low, high] = ends(column.values), W = 220, H = 84, binary = column.kind !== "number" && column.kind !== "date", bins = binary ? 2 : 16;
      const button = node("button", "small"), holder = node("span", "", "");
      button.type = "button";
      button.title = "Colour the map by this column";
      button.addEventListener("click", () => { $("map-color").value = "column " + place; $("map-color").dispatchEvent(new Event("change")); $("answer").scrollIntoView(); });
      const box = svg("svg", { viewBox: `0 0 ${W} ${H}`, "aria-hidden": "true" }, holder);
      const counts = groups.map(([, own]) => {
        const out = new Array(bins).fill(0), kept = own.map((j) => column.values[j]).filter((v) => v !== null);
        for (const v of kept) out[Math.min(bins - 1, Math.floor(bins * (v - low) / (high - low || 1)))] += 1 / kept.length;
        return out;
      });
      const most = Math.max(...counts.flat(), 1e-9);
      counts.forEach((own, g) => {
        const slot = one.slots[groups[g][0]];
        const d = "M0 " + (H - 16) + own.map((v, b) => `V${(H - 16 - (H - 20) * v / most).toFixed(1)}H${(W * (b + 1) / bins).toFixed(1)}`).join("") + "V" + (H - 16);
        svg("path", { d, fill: slotColor(slot), "fill-opacity": .14, stroke: slotColor(slot), "stroke-width": 1.6 }, box);
      });
      [[0, "start", low], [W, "end", high]].forEach(([x, anchor, v]) => svg("text", { x, y: H - 3, "text-anchor": anchor }, box, valueText(column, v)));
      button.append(node("span", "what", column.name), holder);
      return button;
    }));
  },
  dots(element, one, i) {
    const groups = groupsOf(i), order = bySize(one).filter((c) => groups[c].length).slice(0, 16), shown = columns.slice(0, 30), W = roomOf(element);
    const left = Math.min(.42 * W, 20 + 6.7 * Math.max(...shown.map((c) => Math.min(c.name.length, 30)))), side = Math.min(64, (W - left - 6) / order.length), H = 30 + 24 * shown.length;
    const box = picture(element, W, H, "Dots of columns by group: a large dot where most of the group is above the mean of all, blue where its own mean is above, orange where it is below");
    order.forEach((c, g) => svg("text", { x: left + side * (g + .5), y: 16, "text-anchor": "middle" }, box, cut(one.names[c], Math.max(2, Math.floor(side / 7)))));
    shown.forEach((column, r) => {
      const kept = finite(column.values), mean = kept.reduce((a, b) => a + b, 0) / kept.length, sd = Math.sqrt(kept.reduce((a, b) => a + (b - mean) ** 2, 0) / kept.length) || 1;
      svg("text", { x: left - 8, y: 30 + 24 * r + 16, "text-anchor": "end" }, box, cut(column.name, Math.max(4, Math.floor((left - 8) / 6.7))));
      order.forEach((c, g) => {
        const own = finite(groups[c].map((j) => column.values[j]));
        if (!own.length) return;
        const here = own.reduce((a, b) => a + b, 0) / own.length, effect = (here - mean) / sd, part = own.filter((v) => v > mean).length / own.length;
        hint(svg("circle", { cx: left + side * (g + .5), cy: 30 + 24 * r + 12, r: 2 + 9 * Math.sqrt(part), fill: effect < 0 ? COLORS[1] : COLORS[0], "fill-opacity": Math.min(1, .12 + Math.abs(effect) / 1.7) }, box),
          `${column.name}, ${tag(one, c)}: mean ${short(here)}, all ${short(mean)}; ${percent(part)} above the mean of all`);
      });
    });
  },
  parallel(element, one, i) {
    const shown = columns.filter((c) => c.kind === "number" || c.kind === "date").slice(0, 12), W = roomOf(element), H = 340;
    element.closest("figure").hidden = shown.length < 2;
    if (shown.length < 2) return;
    const box = picture(element, W, H, "Parallel coordinates: one line for each of some objects, a thick one for the mean of each group");
    const X = (c) => 48 + (W - 60) * c / (shown.length - 1), span = shown.map((c) => ends(c.values)), Y = (c, v) => H - 116 - (H - 130) * (v - span[c][0]) / (span[c][1] - span[c][0] || 1);
    const path = (values) => values.map((v, c) => (v === null ? "" : (c && values[c - 1] !== null ? "L" : "M") + X(c).toFixed(1) + " " + Y(c, v).toFixed(1))).join("");
    const groups = groupsOf(i), order = bySize(one).filter((c) => groups[c].length).slice(0, 12);
    for (const c of order) {
      const step = Math.max(1, Math.ceil(groups[c].length * order.length / 400));
      svg("path", { d: groups[c].filter((_, j) => j % step === 0).map((j) => path(shown.map((col) => col.values[j]))).join(""), fill: "none", stroke: slotColor(one.slots[c]), "stroke-opacity": .16 }, box);
    }
    for (const c of order) {
      const means = shown.map((col) => { const own = finite(groups[c].map((j) => col.values[j])); return own.length ? own.reduce((a, b) => a + b, 0) / own.length : null; });
      hint(svg("path", { d: path(means), fill: "none", stroke: slotColor(one.slots[c]), "stroke-width": 3.5 }, box), tag(one, c));
    }
    shown.forEach((column, c) => {
      svg("line", { x1: X(c), x2: X(c), y1: 14, y2: H - 116, class: "grid" }, box);
      svg("text", { x: 0, y: 0, transform: `translate(${X(c) + (c === shown.length - 1 ? -2 : 4)} ${H - 106}) rotate(-55)`, "text-anchor": "end" }, box, cut(column.name, 12));
    });
  },
  // the best candidate of each number of groups, and how its groups divide those of the number before
  granularities(element) {
    const best = new Map();
    data.candidates.forEach((one, i) => { const k = one.sizes.length; if (k > 1 && k <= 24 && !best.has(k)) best.set(k, i); });
    const levels = Array.from(best).sort((a, b) => a[0] - b[0]).slice(0, 7).map(([, i]) => i), W = roomOf(element), m = data.map.x.length;
    element.closest("figure").hidden = levels.length < 3;
    if (levels.length < 3) return;
    const H = 60 + 26 * Math.max(...levels.map((i) => data.candidates[i].sizes.length)) + 140, box = picture(element, W, H, "Tree of granularities: the best clusterings with " + levels.map((i) => data.candidates[i].sizes.length).join(", ") + " groups, and how their groups divide one another");
    const wide = (W - 90) / (levels.length - 1);
    let before = null;
    levels.forEach((i, level) => {
      const one = data.candidates[i], groups = groupsOf(i), k = groups.length, gap = 12, unit = (H - 40 - gap * k) / m, x = level * wide;
      const from = (c) => (before ? groups[c].reduce((s, j) => s + (before.middle[(before.labels[j] >> 1) - 1] || 0), 0) / (groups[c].length || 1) : -one.sizes[c]);
      const place = [], middle = [], used = [], texts = [];
      let y = 26;
      for (const c of groups.map((_, c) => c).sort((a, b) => from(a) - from(b))) {
        const tall = Math.max(2, unit * groups[c].length);
        place[c] = y; middle[c] = y + tall / 2; used[c] = 0;
        const first = data.columns && one.told[c] && one.told[c][0] ? (one.told[c][0][2] < 0 ? "low " : data.terms ? "" : "high ") + data.features[one.told[c][0][0]] : one.names[c];
        texts.push([x + 12, y + tall / 2 + 4, cut(first, Math.max(5, Math.floor((level === levels.length - 1 ? 74 : wide - 16) / 7)))]);
        const bar = hint(svg("rect", { x, y, width: 8, height: tall, fill: slotColor(one.slots[c]), "data-open": i, class: "opens" }, box), `${k} groups, ${tag(one, c)}: ${whole(one.sizes[c])} ${data.noun}, ${first}`);
        if (bar) y += tall + gap;
      }
      svg("text", { x, y: 14, class: "axis" }, box, k + (level || wide < 60 ? "" : " groups"));
      if (before) {
        const pairs = new Map();
        labelsOf(i).forEach((v, j) => { const a = (before.labels[j] >> 1) - 1, b = (v >> 1) - 1; if (a >= 0 && b >= 0) pairs.set(a * 1000 + b, (pairs.get(a * 1000 + b) || 0) + 1); });
        for (const [key, n] of Array.from(pairs).sort((p, q) => middle[p[0] % 1000] - middle[q[0] % 1000])) {
          const a = Math.floor(key / 1000), b = key % 1000, h0 = before.unit * n, h1 = unit * n, y0 = before.place[a] + before.used[a], y1 = place[b] + used[b], x0 = x - wide + 8, c = (x0 + x) / 2;
          before.used[a] += h0; used[b] += h1;
          box.prepend(svg("path", { class: "band", fill: slotColor(before.one.slots[a]), d: `M${x0} ${y0}C${c} ${y0} ${c} ${y1} ${x} ${y1}V${y1 + h1}C${c} ${y1 + h1} ${c} ${y0 + h0} ${x0} ${y0 + h0}Z` }));
        }
        used.fill(0);
      }
      texts.forEach(([a, b, text]) => svg("text", { x: a, y: b, class: "halo" }, box, text));
      before = { one, labels: labelsOf(i), middle, place, used: used.map(() => 0), unit };
    });
  },
};
function drawLook(i) {
  const fold = $("look-around");
  if (!fold || !fold.open || !opening.packed) return;
  all("[data-look]", fold).forEach((element) => { LOOK[element.dataset.look](element, data.candidates[i], i); settle(element); });
}
