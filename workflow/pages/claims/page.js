"use strict";
// Search and folding. A row shows if it or one of its children matches; its ancestors then open.
const rows = [...document.querySelectorAll("details.row")];
const query = document.getElementById("query");
const verdict = document.getElementById("verdict");

function textOf(row) {
  // the row without its children, so that a child's words do not count for its root
  const own = [...row.children].filter((part) => !part.matches(".children"));
  return own.map((part) => part.textContent).join(" ").toLowerCase();
}
const texts = new Map(rows.map((row) => [row, textOf(row)]));

function search() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const asked = words.length > 0 || verdict.value !== "";
  const found = new Set(rows.filter((row) =>
    words.every((word) => texts.get(row).includes(word)) &&
    (verdict.value === "" || row.dataset.verdict === verdict.value)));
  const visible = new Set();
  for (const row of found) {
    for (let at = row; at; at = at.parentElement.closest("details.row")) visible.add(at);
  }
  for (const row of rows) {
    row.hidden = asked && !visible.has(row);
    if (asked && visible.has(row) && !found.has(row)) row.open = true;
  }
  for (const block of document.querySelectorAll("main section, main .level")) {
    block.hidden = asked && !block.querySelector("details.row:not([hidden])");
  }
  document.getElementById("nothing").hidden = found.size > 0;
  document.getElementById("shown").textContent = `${found.size} of ${rows.length} rows`;
}

function foldAll(open) {
  for (const row of rows) row.open = open;
}

// what the bar hides when a link leads to a row
const bar = document.getElementById("tools");
new ResizeObserver(() =>
  document.documentElement.style.setProperty("--tools", `${bar.offsetHeight}px`)).observe(bar);

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at && at.closest; at = at.parentElement && at.parentElement.closest("details.row")) {
    if (at.matches("details.row")) at.open = true;
  }
  if (target) target.scrollIntoView();
}

query.addEventListener("input", search);
verdict.addEventListener("change", search);
document.getElementById("unfold").addEventListener("click", () => foldAll(true));
document.getElementById("fold").addEventListener("click", () => foldAll(false));
window.addEventListener("hashchange", openTarget);
document.documentElement.style.setProperty("--tools", `${bar.offsetHeight}px`);
search();
openTarget();
