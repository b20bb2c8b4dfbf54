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
  const STEP = 25, narrow = ["rank", "name", "n_clusters", "score", "values." + data.decidedBy];
  // a narrow page shows what fits; further columns can be chosen
  if (innerWidth < 640) table.columns.forEach((column) => { column.shown = column.shown && narrow.includes(column.key); });
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
    if (column.kind === "text") {
      td.scope = "row";
      if (!data.candidates || i >= data.candidates.length) td.textContent = v;
      else {
        const button = node("button", "link", v);
        button.type = "button";
        button.dataset.open = i;
        td.append(button);
      }
      return td;
    }
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
  element.addEventListener("click", (event) => {
    const button = !event.target.closest("button, thead") && event.target.closest("tr").querySelector("[data-open]");
    if (button) button.click();
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

