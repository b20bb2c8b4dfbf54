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

const percent = (v) => (v > 0 && v < 0.0995 ? (100 * v).toFixed(1) : Math.round(100 * v)) + "\u00a0%";
// a guarantee is never written tighter than it is
const percentUp = (v) => (Math.ceil(1000 * v - 1e-6) / 10).toFixed(1) + " %";

// ---- bytes from gzip in base64
async function unpack(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// ---- dark and light
const root = document.documentElement, themeButton = $("theme");
const dark = window.matchMedia("(prefers-color-scheme: dark)");
function remembered(value) {
  try {
    if (value === undefined) return localStorage.getItem("sortal-theme");
    localStorage.setItem("sortal-theme", value);
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

