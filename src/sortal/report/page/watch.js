function drawAll() {
  for (const element of all(".plot[data-figure]")) {
    const spec = data.figures[element.dataset.figure];
    DRAW[spec.kind](element, spec, element.closest("figure").getAttribute("aria-label"));
    settle(element);
  }
}
let waiting = 0;
addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(drawAll, 200); });
drawAll();
