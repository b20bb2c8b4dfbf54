"use strict";
(function () {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("payload").textContent);
  const table = data.table;
  // JSON has no infinity: it comes as text
  for (const key of Object.keys(table.values)) table.values[key] = table.values[key].map((v) => (v === null ? null : Number(v)));
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const say = (text) => { $("said").textContent = text; };

  function number(v, decimals) {
    if (v === null) return "–";
    if (!isFinite(v)) return v > 0 ? "∞" : "−∞";
    if (decimals !== undefined && decimals !== null) {
      return v.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).replace(/-/g, "−");
    }
    const size = Math.abs(v);
    let text;
    if (Number.isInteger(v) || size >= 1e4) text = Math.round(v).toLocaleString("en-US");
    else if (size >= 1e-4) text = String(Number(v.toPrecision(4)));
    else text = v.toPrecision(4).replace(/\.?0+e/, "e").replace("e+", "e");
    return text.replace(/-/g, "−");
  }

  const percent = (v) => (v > 0 && v < 0.0995 ? (100 * v).toFixed(1) : Math.round(100 * v)) + " %";
  // a guarantee is never written tighter than it is
  const percentUp = (v) => (Math.ceil(1000 * v - 1e-6) / 10).toFixed(1) + " %";

  // ---- dark and light
  const root = document.documentElement, themeButton = $("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  function remembered(value) {
    try {
      if (value === undefined) return localStorage.getItem("karat-theme");
      localStorage.setItem("karat-theme", value);
    } catch (error) { /* no storage here: the choice lasts as long as the page */ }
    return null;
  }
  function nowDark() { return (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark"; }
  function nameTheme() { themeButton.textContent = nowDark() ? "Light" : "Dark"; themeButton.setAttribute("aria-label", nowDark() ? "Use light colours" : "Use dark colours"); }
  if (remembered()) root.dataset.theme = remembered() === "dark" ? "dark" : "light";
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    root.dataset.theme = nowDark() ? "light" : "dark";
    remembered(root.dataset.theme);
    nameTheme();
  });
  dark.addEventListener("change", nameTheme);
  nameTheme();

  // ---- where the reader is
  if ("IntersectionObserver" in window) {
    const links = new Map(all("nav a").map((a) => [a.getAttribute("href").slice(1), a]));
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        links.forEach((a) => a.removeAttribute("aria-current"));
        links.get(entry.target.id).setAttribute("aria-current", "true");
      }
    }, { rootMargin: "-15% 0px -80% 0px" });
    all("main > section").forEach((section) => watch.observe(section));
  }

  // ---- copy
  for (const button of all(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const pre = $(button.dataset.copy);
      let copied = false;
      try { await navigator.clipboard.writeText(pre.textContent); copied = true; } catch (error) {
        const range = document.createRange();
        range.selectNodeContents(pre);
        const selection = getSelection();
        selection.removeAllRanges();
        selection.addRange(range);
        copied = document.execCommand("copy");
      }
      button.textContent = copied ? "Copied" : "Press Ctrl+C";
      say(button.textContent);
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // ---- the ranking
  function value(column, i) {
    const dot = column.key.indexOf(".");
    const group = dot < 0 ? column.key : column.key.slice(0, dot), key = column.key.slice(dot + 1);
    if (group === "values") return table.values[key][table.rows[i]];
    if (group === "votes" || group === "parts") return table[group][key][i];
    if (group === "rank" || group === "score" || group === "reached_by") return table[group][i];
    return table[group][table.rows[i]];
  }
  function ranking() {
    const element = $("ranking-table");
    if (!element) return;
    const STEP = 25;
    let shown = 15, sorted = table.columns[0], falling = false;
    const filter = $("ranking-filter"), clusterer = $("ranking-clusterer");
    function matching() {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = table.rows.map((_, i) => i).filter((i) => {
        const c = table.rows[i];
        const name = table.name[c].toLowerCase();
        return (!clusterer.value || table.clusterer[c] === clusterer.value) &&
          words.every((word) => name.includes(word));
      });
      const sign = falling ? -1 : 1;
      // what is not defined comes last in both directions; ties keep the order of the ranking
      return rows.map((i) => [value(sorted, i), i]).sort(([a, i], [b, j]) => {
        if (a === null || b === null) return (a === null) - (b === null) || i - j;
        return (a < b ? -sign : a > b ? sign : 0) || i - j;
      }).map(([, i]) => i);
    }
    function cell(column, i) {
      const v = value(column, i);
      const td = document.createElement(column.kind === "text" ? "th" : "td");
      if (column.kind === "text") { td.scope = "row"; td.textContent = v; return td; }
      td.className = column.kind === "vote" ? "number vote" : "number";
      if (v !== null && column.kind === "guarantee") td.textContent = percentUp(v);
      else if (v !== null && (column.kind === "vote" || column.kind === "percent")) {
        td.textContent = percent(v);
        if (column.kind === "vote") td.style.setProperty("--share", 100 * v + " %");
      } else td.textContent = number(v, column.decimals);
      return td;
    }
    function draw() {
      const columns = table.columns.filter((c) => c.shown), rows = matching();
      const head = document.createElement("tr"), body = document.createElement("tbody");
      for (const column of columns) {
        const th = document.createElement("th"), button = document.createElement("button");
        th.scope = "col";
        if (column.kind !== "text") th.className = "number";
        button.type = "button";
        button.textContent = column.title;
        button.dataset.key = column.key;
        if (column.group.includes(":")) button.title = column.group + (column.up ? "; greater is better" : "; lower is better");
        if (column === sorted) th.setAttribute("aria-sort", falling ? "descending" : "ascending");
        th.append(button);
        head.append(th);
      }
      for (const i of rows.slice(0, shown)) {
        const tr = document.createElement("tr");
        if (i === 0) tr.className = "best";
        tr.append(...columns.map((column) => cell(column, i)));
        body.append(tr);
      }
      element.tHead.replaceChildren(head);
      element.tBodies[0].replaceWith(body);
      const visible = Math.min(shown, rows.length);
      $("ranking-count").textContent = visible.toLocaleString("en-US") + " of " + rows.length.toLocaleString("en-US") + " shown" +
        (rows.length < table.rows.length ? " (" + table.rows.length.toLocaleString("en-US") + " without the filter)" : "");
      $("ranking-more").hidden = visible >= rows.length;
    }
    element.tHead.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const column = table.columns.find((c) => c.key === button.dataset.key);
      // the first choice of a heading puts the best on top
      falling = column === sorted ? !falling : column.kind !== "text" && column.up;
      sorted = column;
      draw();
      all("button", element.tHead).find((b) => b.dataset.key === column.key).focus();
    });
    filter.addEventListener("input", () => { shown = 15; draw(); });
    clusterer.addEventListener("change", () => { shown = 15; draw(); });
    $("ranking-more").addEventListener("click", () => { shown += shown >= 100 ? 200 : STEP; draw(); });
    const chooser = $("ranking-chooser"), box = chooser.querySelector("div");
    const groups = new Map();
    for (const column of table.columns) {
      if (column.key === "name") continue;
      if (!groups.has(column.group)) {
        const set = document.createElement("fieldset"), legend = document.createElement("legend");
        legend.textContent = column.group;
        set.append(legend);
        groups.set(column.group, set);
        box.append(set);
      }
      const label = document.createElement("label"), input = document.createElement("input");
      input.type = "checkbox";
      input.checked = column.shown;
      input.addEventListener("change", () => { column.shown = input.checked; draw(); });
      label.append(input, column.title);
      groups.get(column.group).append(label);
    }
    document.addEventListener("click", (event) => { if (!chooser.contains(event.target)) chooser.open = false; });
    chooser.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      chooser.open = false;
      chooser.querySelector("summary").focus();
    });
    $("ranking-controls").hidden = false;
    draw();
  }

  // ---- measures against the number of clusters
  function byK(plotly) {
    const plot = $("plot-by-k"), select = $("by-k-measure");
    if (!plot) return;
    function pick(key) {
      const detail = data.measures[key], values = table.values[key];
      select.value = key;
      all(".spark").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.measure === key)));
      $("by-k-note").textContent = detail.note;
      const xs = [], ys = [], texts = [];
      const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
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
      plotly.update(plot, { x: xs, y: ys, text: texts }, {
        "yaxis.title.text": escaped(detail.title),
        "yaxis.autorange": detail.up ? true : "reversed",
      });
      plot.setAttribute("aria-label", detail.title + " against the number of clusters, a line for each clusterer");
    }
    select.addEventListener("change", () => pick(select.value));
    all(".spark").forEach((b) => b.addEventListener("click", () => pick(b.dataset.measure)));
    $("by-k-note").textContent = data.measures[select.value].note;
    $("by-k-controls").hidden = false;
  }

  // ---- figures
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const drawn = [];
  function draw(plotly, id) {
    const element = $("plot-" + id), figure = data.figures[id];
    if (!figure || drawn.includes(element)) return;
    element.replaceChildren();
    element.style.minHeight = "";
    // dragging scrolls the page on a touch screen; elsewhere it zooms where there are points
    figure.layout.dragmode = id === "map" && !touch ? "zoom" : false;
    plotly.newPlot(element, figure.data, figure.layout, {
      responsive: true, displaylogo: false, displayModeBar: touch ? false : "hover",
      modeBarButtons: [id === "map" ? ["zoom2d", "pan2d", "resetScale2d", "toImage"] : ["toImage"]],
    });
    drawn.push(element);
  }
  function onDemand(plotly) {
    const which = $("agreement-which");
    if (!which) return;
    which.addEventListener("change", () => {
      const everything = which.value === "agreement-all";
      $("plot-agreement").closest("figure").hidden = everything;
      $("agreement-all-box").hidden = !everything;
      if (everything) draw(plotly, "agreement-all");
    });
    $("agreement-controls").hidden = false;
  }
  function forPrint(plotly) {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = all("main details:not([open]):not(.chooser):not(.alternative)");
      opened.forEach((d) => { d.open = true; });
      for (const element of drawn) {
        element.dataset.height = element.layout.height;
        plotly.relayout(element, { width: 680, height: Math.min(element.layout.height, element.data[0].type === "scatter" ? 430 : Infinity), autosize: false });
      }
    });
    addEventListener("afterprint", () => {
      opened.forEach((d) => { d.open = false; });
      for (const element of drawn) plotly.relayout(element, { width: null, height: Number(element.dataset.height), autosize: true });
    });
  }

  // ---- plotly.js from gzip in base64
  async function unpack(base64) {
    const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    if (window.DecompressionStream) {
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      return new Response(stream).text();
    }
    return new TextDecoder().decode(gunzip(packed));
  }
  // for browsers of before 2023: RFC 1951 and 1952
  function gunzip(source) {
    const size = new DataView(source.buffer).getUint32(source.length - 4, true);
    const out = new Uint8Array(size);
    let at = 10, bits = 0, held = 0, end = 0;
    function take(count) {
      while (held < count) { bits |= source[at++] << held; held += 8; }
      const value = bits & ((1 << count) - 1);
      bits >>>= count;
      held -= count;
      return value;
    }
    function tree(lengths) {
      const count = new Uint16Array(16), start = new Uint16Array(16);
      const symbols = new Uint16Array(lengths.length);
      lengths.forEach((l) => { count[l]++; });
      count[0] = 0;
      for (let l = 1; l < 16; l++) start[l] = start[l - 1] + count[l - 1];
      lengths.forEach((l, symbol) => { if (l) symbols[start[l]++] = symbol; });
      return { count, symbols };
    }
    function symbol(t) {
      let code = 0, first = 0, index = 0;
      for (let l = 1; l < 16; l++) {
        code |= take(1);
        const count = t.count[l];
        if (code - count < first) return t.symbols[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
      }
      throw new Error("damaged");
    }
    const BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
    const EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
    const FAR = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
    const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    for (let last = 0; !last;) {
      last = take(1);
      const kind = take(2);
      if (kind === 0) {
        bits = held = 0;
        const length = source[at] | (source[at + 1] << 8);
        out.set(source.subarray(at + 4, at + 4 + length), end);
        at += 4 + length;
        end += length;
        continue;
      }
      let literal, distance;
      if (kind === 1) {
        literal = tree(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)));
        distance = tree(new Array(30).fill(5));
      } else {
        const literals = take(5) + 257, distances = take(5) + 1, codes = take(4) + 4;
        const lengths = new Array(19).fill(0);
        for (let i = 0; i < codes; i++) lengths[ORDER[i]] = take(3);
        const coded = tree(lengths), given = [];
        while (given.length < literals + distances) {
          const s = symbol(coded);
          if (s < 16) { given.push(s); continue; }
          const what = s === 16 ? given[given.length - 1] : 0;
          const times = s === 16 ? 3 + take(2) : s === 17 ? 3 + take(3) : 11 + take(7);
          for (let i = 0; i < times; i++) given.push(what);
        }
        literal = tree(given.slice(0, literals));
        distance = tree(given.slice(literals));
      }
      for (let s = symbol(literal); s !== 256; s = symbol(literal)) {
        if (s < 256) { out[end++] = s; continue; }
        const length = BASE[s - 257] + take(EXTRA[s - 257]), d = symbol(distance);
        const from = end - FAR[d] - take(d < 4 ? 0 : (d >> 1) - 1);
        for (let i = 0; i < length; i++) out[end + i] = out[from + i];
        end += length;
      }
    }
    return out;
  }

  const pause = () => new Promise((resolve) => setTimeout(resolve));
  async function figures() {
    try {
      const source = await unpack($("plotly").textContent);
      const element = document.createElement("script");
      element.textContent = source;
      document.head.append(element);
      for (const plot of all(".plot")) {
        if (plot.closest("[hidden]")) continue;
        draw(window.Plotly, plot.dataset.figure);
        await pause();
      }
      byK(window.Plotly);
      onDemand(window.Plotly);
      forPrint(window.Plotly);
    } catch (error) {
      console.error(error);
      say("The figures could not be drawn in this browser; the tables have their values.");
    }
  }

  ranking();
  figures();
})();
