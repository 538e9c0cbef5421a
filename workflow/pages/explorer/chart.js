// A small chart in SVG: axes, lines, points with intervals, an upright mark, and a cursor with a readout.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const WIDEST = 640; // a wider place enlarges the chart; a narrower one gets fewer units, not smaller text
const NARROWEST = 300;
const HEIGHT = 380;
const FRAME = { left: 66, right: 16, top: 14, bottom: 48 };

function svg(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  if (parent) parent.append(element);
  return element;
}

function scale(axis, from, to) {
  const map = axis.log ? Math.log10 : (value) => value;
  const [low, high] = axis.domain.map(map);
  return (value) => from + ((map(value) - low) / (high - low)) * (to - from);
}

// The value at a place of an axis: the inverse of `scale`.
function valueAt(axis, from, to, place) {
  const map = axis.log ? Math.log10 : (value) => value;
  const [low, high] = axis.domain.map(map);
  const share = Math.min(1, Math.max(0, (place - from) / (to - from)));
  return axis.log ? 10 ** (low + share * (high - low)) : low + share * (high - low);
}

function ticks(axis) {
  const [low] = axis.domain;
  const high = axis.last ?? axis.domain[1]; // beyond `last` there is a place for infinity alone
  if (axis.log) {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / 8));
    const found = [];
    for (let power = first; power <= last; power += step) found.push(10 ** power);
    if (found.length >= 2) return found;
    return [1, 2, 5].flatMap((m) => [-1, 0, 1].map((p) => m * 10 ** (first + p)))
      .filter((value) => value >= low && value <= high).sort((a, b) => a - b);
  }
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
  const found = [];
  for (let n = Math.ceil(low / step); n * step <= high * (1 + 1e-9); n += 1) found.push(n * step);
  return found;
}

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const superscript = (power) => String(power).split("").map((c) => SUPERSCRIPTS[c]).join("");

// A number as a reader sees it, with three significant digits.
function shown(value, digits = 3) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  const power = Math.floor(Math.log10(Math.abs(rounded)));
  if (power < -3 || power > 6) {
    const mantissa = Number((rounded / 10 ** power).toPrecision(digits));
    return `${mantissa === 1 ? "" : `${mantissa}×`}10${superscript(power)}`;
  }
  if (power >= 3) return Math.round(rounded).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return String(rounded);
}

// A whole number in full as long as its digits can be read.
function whole(value) {
  return Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f") : shown(value);
}

// Powers of ten as such once their zeros would have to be counted.
function tickText(value) {
  const power = Math.round(Math.log10(value));
  return power >= 4 && Math.abs(value / 10 ** power - 1) < 1e-9 ? `10${superscript(power)}` : shown(value);
}

const MARKS = {
  circle: (r) => `M${-r},0A${r},${r} 0 1,1 ${r},0A${r},${r} 0 1,1 ${-r},0Z`,
  diamond: (r) => `M0,${-1.3 * r}L${1.3 * r},0L0,${1.3 * r}L${-1.3 * r},0Z`,
  cross: (r) => `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`,
  square: (r) => `M${-r},${-r}L${r},${-r}L${r},${r}L${-r},${r}Z`,
  triangle: (r) => `M${-1.2 * r},${r}L${1.2 * r},${r}L0,${-1.2 * r}Z`,
  down: (r) => `M${-r},${-0.7 * r}L${r},${-0.7 * r}L0,${1.1 * r}Z`,
};

function drawAxes(root, x, y, atX, atY, right) {
  const bottom = HEIGHT - FRAME.bottom;
  const group = svg("g", { class: "axes" }, root);
  ticks(y).forEach((value) => {
    const place = atY(value);
    svg("line", { x1: FRAME.left, x2: right, y1: place, y2: place, class: "grid" }, group);
    svg("text", { x: FRAME.left - 7, y: place + 4, "text-anchor": "end" }, group).textContent = tickText(value);
  });
  ticks(x).forEach((value) => {
    const place = atX(value);
    svg("line", { x1: place, x2: place, y1: bottom, y2: bottom + 5, class: "tick" }, group);
    svg("text", { x: place, y: bottom + 19, "text-anchor": "middle" }, group).textContent = tickText(value);
  });
  if (x.infinity !== undefined) {
    const place = atX(x.infinity);
    svg("line", { x1: place, x2: place, y1: bottom, y2: bottom + 5, class: "tick" }, group);
    svg("text", { x: place, y: bottom + 19, "text-anchor": "middle" }, group).textContent = "∞";
    const rule = atX(Math.sqrt(x.last * x.infinity));
    svg("line", { x1: rule, x2: rule, y1: FRAME.top, y2: bottom, class: "grid" }, group);
  }
  svg("line", { x1: FRAME.left, x2: right, y1: bottom, y2: bottom, class: "tick" }, group);
  const middle = (FRAME.left + right) / 2;
  svg("text", { x: middle, y: HEIGHT - 8, "text-anchor": "middle", class: "label" }, group).textContent = x.label;
  const turned = `translate(15,${(FRAME.top + bottom) / 2}) rotate(-90)`;
  svg("text", { transform: turned, "text-anchor": "middle", class: "label" }, group).textContent = y.label;
}

// No line joins a value at infinity, beyond the `last` place, to the others.
function drawLine(root, series, atX, atY, last = Infinity) {
  const points = series.points.filter(([, value]) => Number.isFinite(value) && value > 0);
  const joined = (i) => i > 0 && points[i - 1][0] > last === points[i][0] > last;
  const path = points.map(([a, b], i) => `${joined(i) ? "L" : "M"}${atX(a).toFixed(1)},${atY(b).toFixed(1)}`).join("");
  const attributes = { d: path, class: series.ghost ? "curve ghost" : "curve", stroke: series.colour, "data-series": series.name };
  if (series.dash) attributes["stroke-dasharray"] = series.dash;
  svg("path", attributes, root);
}

function drawPoints(root, series, atX, atY) {
  series.points.forEach((point) => {
    const group = svg("g", { class: "measured", opacity: series.opacity ?? 1, "data-series": series.name }, root);
    const place = atX(point.x);
    if (point.low > 0) {
      svg("line", { x1: place, x2: place, y1: atY(point.low), y2: atY(point.high), stroke: series.colour }, group);
    }
    const limit = point.value === 0;
    const shape = limit ? "down" : series.mark;
    svg("path", {
      d: MARKS[shape](4), transform: `translate(${place},${atY(limit ? point.high : point.value)})`,
      stroke: series.colour, fill: limit ? "var(--paper)" : series.colour, "stroke-width": 1.6,
    }, group);
    svg("title", {}, group).textContent = point.title;
  });
}

// Draw everything into `host`; series are {kind: "line" | "points", name, colour, points, ...}.
// `readout(value)` says what stands at a value of x; pointer, touch and arrow keys move the cursor.
function drawChart(host, { x, y, series, mark, label, readout }) {
  const width = Math.max(NARROWEST, Math.min(WIDEST, host.clientWidth || WIDEST));
  const right = width - FRAME.right;
  const focused = host.contains(document.activeElement);
  const root = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label, tabindex: 0 });
  const atX = scale(x, FRAME.left, right);
  const atY = scale(y, HEIGHT - FRAME.bottom, FRAME.top);
  drawAxes(root, x, y, atX, atY, right);
  const id = `clip-${host.id}`;
  const clip = svg("clipPath", { id }, svg("defs", {}, root));
  const size = { width: right - FRAME.left, height: HEIGHT - FRAME.top - FRAME.bottom };
  svg("rect", { x: FRAME.left, y: FRAME.top, ...size }, clip);
  const body = svg("g", { "clip-path": `url(#${id})` }, root);
  if (mark !== undefined) {
    const place = atX(mark);
    svg("line", { x1: place, x2: place, y1: FRAME.top, y2: HEIGHT - FRAME.bottom, class: "mark" }, body);
  }
  series.forEach((one) => (one.kind === "line" ? drawLine : drawPoints)(body, one, atX, atY, x.last));
  host.replaceChildren(root, legend(series));
  addCursor(root, { x, right, start: mark === undefined ? FRAME.left : atX(mark), say: (value) => { field(host.id.replace("chart", "readout")).textContent = readout(value); } });
  if (focused) root.focus({ preventScroll: true });
}

function addCursor(root, { x, right, start, say }) {
  const line = svg("line", { y1: FRAME.top, y2: HEIGHT - FRAME.bottom, class: "cursor", visibility: "hidden" }, root);
  let place = start;
  const move = (to) => {
    place = Math.min(right, Math.max(FRAME.left, to));
    line.setAttribute("x1", place);
    line.setAttribute("x2", place);
    line.setAttribute("visibility", "visible");
    say(valueAt(x, FRAME.left, right, place));
  };
  const point = (event) => {
    const box = root.getBoundingClientRect();
    move(((event.clientX - box.left) / box.width) * root.viewBox.baseVal.width);
  };
  root.addEventListener("pointermove", point);
  root.addEventListener("pointerdown", point);
  root.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(place + (step * (right - FRAME.left)) / 60);
  });
}

// The height of a line at a value of x, between its points; NaN outside them.
function heightAt(points, value) {
  const after = points.findIndex(([x]) => x >= value);
  if (after < 0) return NaN;
  if (after === 0) return points[0][0] === value ? points[0][1] : NaN;
  const [[a, from], [b, to]] = [points[after - 1], points[after]];
  const share = Math.log(value / a) / Math.log(b / a);
  return from > 0 && to > 0 ? from * (to / from) ** share : NaN;
}

const PRINTED_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-size", "font-family", "text-anchor", "visibility"];

// Save a chart as an SVG file that looks as it does on the page.
function savePicture(host, name) {
  const drawn = host.querySelector("svg[role=img]");
  const copy = drawn.cloneNode(true);
  const [from, to] = [drawn, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    PRINTED_STYLES.forEach((key) => to[i].style.setProperty(key, style.getPropertyValue(key)));
  });
  copy.setAttribute("xmlns", SVG);
  copy.style.setProperty("background", getComputedStyle(document.body).backgroundColor);
  const link = document.createElement("a");
  link.download = `${name}.svg`;
  link.href = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  link.click();
}

function legend(series) {
  const list = document.createElement("ul");
  list.className = "legend";
  series.filter((one) => one.text).forEach((one) => {
    const item = document.createElement("li");
    const key = svg("svg", { viewBox: "0 0 26 12", width: 26, height: 12, "aria-hidden": "true", opacity: one.opacity ?? 1 }, item);
    if (one.kind === "line") {
      svg("path", { d: "M1,6L25,6", class: one.ghost ? "curve ghost" : "curve", stroke: one.colour, "stroke-dasharray": one.dash ?? "" }, key);
    }
    if (one.mark) {
      svg("path", { d: MARKS[one.mark](4), transform: "translate(13,6)", stroke: one.colour, fill: one.colour, "stroke-width": 1.6 }, key);
    }
    item.append(one.text);
    list.append(item);
  });
  return list;
}
