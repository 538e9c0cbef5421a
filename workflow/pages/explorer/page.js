// The page: reads the fields, says beside a field what is wrong with it, draws the rest.
"use strict";

const MAX_LISTED_ARMS = 100;
const EPSILONS = { low: 0.01, high: 10, infinity: 30 };
const SPAN = { low: 0.05, simulated: 12, high: 400 }; // of T / H_eps
const LEAST_ERROR = 1e-5;
const CHUNK = 100; // runs between two drawings
const MOST_RUNS = 1000;
const LEAST_DELTA = 1e-300; // below, K / δ overflows
const MOST_BUDGET = 1e15; // beyond, a double cannot count pulls
const SHAPES = { printed: "cross", hoeffding: "plus", mixture: "diamond", onesided: "wedge" };
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i; // Number() also takes 0x1 and the empty text
const TYPED = "typed by you";
const field = (name) => document.getElementById(name);

// --- reading the fields -------------------------------------------------------------------------

function number(text, what) {
  const trimmed = text.trim();
  const value = Number(trimmed);
  if (!DECIMAL.test(trimmed) || !Number.isFinite(value)) throw new RangeError(`${what} must be a number, got "${trimmed}"`);
  return value;
}

function readMeans(text) {
  const parts = text.replace(/\s*[x×]\s*(\d+)/g, "x$1").split(/[\s,;]+/).filter(Boolean);
  const means = parts.flatMap((part) => {
    const [mean, count, ...rest] = part.split("x");
    const value = number(mean, "a mean reward");
    if (!(value >= 0 && value <= 1)) throw new RangeError(`a mean reward lies in [0, 1], got ${mean}`);
    if (count === undefined) return [value];
    if (rest.length > 0 || !/^[1-9]\d*$/.test(count)) throw new RangeError(`after x comes a whole number of arms, got "${part}"`);
    return new Array(Math.min(Number(count), MAX_LISTED_ARMS + 1)).fill(value);
  });
  if (means.length === 0) throw new RangeError("at least one mean reward is needed");
  if (means.length > MAX_LISTED_ARMS) throw new RangeError(`at most ${MAX_LISTED_ARMS} arms here, got more`);
  return means;
}

function readEpsilon(text) {
  const none = /^(inf|infinity|∞)$/i.test(text.trim());
  const value = none ? Infinity : number(text, "ε");
  if (!(value > 0)) throw new RangeError(`ε must be positive (inf: no privacy), got ${text.trim()}`);
  if (value < 0.001) throw new RangeError(`ε must be at least 0.001 here, got ${text.trim()}`);
  return value;
}

function within(name, what, allowed, test) {
  return () => {
    const value = number(field(name).value, what);
    if (!test(value)) throw new RangeError(`${what} ${allowed}, got ${field(name).value.trim()}`);
    return value;
  };
}

const READERS = {
  means: () => readMeans(field("means").value),
  threshold: within("threshold", "the threshold", "lies in [0, 1]", (v) => v >= 0 && v <= 1),
  tolerance: within("tolerance", "the tolerance", "must be 0 or more", (v) => v >= 0 && Number.isFinite(v)),
  epsilon: () => readEpsilon(field("epsilon").value),
  delta: within("delta", "δ", `must lie strictly between 0 and 1, and be at least ${shown(LEAST_DELTA)}`, (v) => v >= LEAST_DELTA && v < 1),
  budget: within("budget", "the budget", `must be a whole number from 1 to ${shown(MOST_BUDGET)}`, (v) => Number.isInteger(v) && v > 0 && v <= MOST_BUDGET),
};

function complain(name, message) {
  field(`${name}-error`).textContent = message;
  field(name).setAttribute("aria-invalid", String(message !== ""));
}

// The settings, or null when a field is wrong; then the field says so.
function readSettings() {
  const settings = {};
  let sound = true;
  Object.entries(READERS).forEach(([name, read]) => {
    try {
      settings[name] = read();
      complain(name, "");
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      complain(name, error.message);
      sound = false;
    }
  });
  if (!sound) return null;
  const least = 2 * settings.means.length;
  if (settings.budget < least) {
    complain("budget", `the budget must be at least 2K = ${least}, got ${settings.budget}`);
    return null;
  }
  const hit = settings.means.indexOf(settings.threshold);
  settings.unresolvable = hit >= 0;
  if (hit >= 0) complain("means", `arm ${hit + 1} lies exactly at the threshold: fixed confidence never ends`);
  if (hit >= 0 && settings.tolerance === 0) {
    complain("tolerance", "with an arm at the threshold the complexity is infinite unless the tolerance is positive");
    return null;
  }
  return settings;
}

const chosenPolicy = () => POLICIES.find((one) => one.name === field("policy").value);

// --- measured points ----------------------------------------------------------------------------

const same = (one, other) => one.length === other.length && one.every((value, i) => value === other[i]);

function namesOf(settings, withTolerance) {
  return DATA.instances
    .filter((one) => same(one.means, settings.means) && one.threshold === settings.threshold)
    .filter((one) => !withTolerance || one.tolerance === settings.tolerance)
    .map((one) => one.name);
}

const measuredConfidence = (settings) => {
  const names = namesOf(settings, false);
  return DATA.confidence.filter((row) => names.includes(row.instance) && row.undecided === 0);
};
const measuredBudget = (settings) => {
  const names = namesOf(settings, true);
  return DATA.budget.filter((row) => names.includes(row.instance) && row.policy === chosenPolicy().name);
};

const epsilonText = (epsilon) => (epsilon === Infinity ? "∞" : shown(epsilon));
const colourOf = (epsilon) => {
  if (epsilon === Infinity) return "var(--accent)";
  const known = DATA.colours.map((one) => one.epsilon);
  const nearest = known.reduce((a, b) => (Math.abs(Math.log(a / epsilon)) < Math.abs(Math.log(b / epsilon)) ? a : b));
  const { colour } = DATA.colours.find((one) => one.epsilon === nearest);
  return `light-dark(${colour}, color-mix(in oklab, ${colour} 60%, white))`;
};

// --- fixed confidence ---------------------------------------------------------------------------

function showConfidence(settings) {
  const host = field("confidence-chart");
  if (settings.unresolvable) {
    host.textContent = "An arm lies exactly at the threshold, so no number of pulls is enough.";
    field("confidence-table").replaceChildren();
    field("confidence-note").textContent = "";
    return;
  }
  const place = (epsilon) => (epsilon === Infinity ? EPSILONS.infinity : epsilon);
  const low = Math.min(EPSILONS.low, settings.epsilon);
  const grid = Array.from({ length: 60 }, (_, i) => low * (EPSILONS.infinity / low) ** (i / 59));
  const curve = (value) => grid.map((epsilon) => [epsilon, value(epsilon)]);
  const rows = measuredConfidence(settings);
  const series = [
    { kind: "line", name: "upper", text: "proved upper bound on the mean, radius one-sided", colour: "var(--upper)", dash: "6 3 2 3", points: curve((e) => confidenceUpper(settings, e, settings.delta)) },
    ...RADII.map((radius) => ({
      kind: "line", name: radius.name, text: `radius ${radius.label}`, colour: `var(--${radius.name})`,
      points: curve((e) => expectedPulls(settings, e, settings.delta, radius)),
    })),
    { kind: "line", name: "lower", text: "sharp lower bound, any private algorithm", colour: "var(--lower)", dash: "6 3", points: curve((e) => confidenceLower(settings, e, settings.delta)) },
    ...RADII.map((radius) => ({
      kind: "points", name: `${radius.name} measured`, mark: SHAPES[radius.name] ?? "circle", colour: `var(--${radius.name})`,
      points: rows.filter((row) => row.radius === radius.name && row.delta === settings.delta).map((row) => ({
        x: place(row.epsilon), value: row.mean_pulls, low: row.mean_pulls_low, high: row.mean_pulls_high,
        title: `${radius.label}, ε = ${epsilonText(row.epsilon)}: ${shown(row.mean_pulls)} pulls measured`,
      })),
    })),
  ];
  const heights = series.filter((one) => one.kind === "line").flatMap((one) => one.points.map(([, v]) => v)).filter((v) => v > 0 && Number.isFinite(v));
  drawChart(host, {
    x: { log: true, domain: [low / 1.15, EPSILONS.infinity * 1.15], label: "privacy level ε (30: as without privacy)" },
    y: { log: true, domain: [Math.max(1, Math.min(...heights) / 2), Math.max(...heights) * 2], label: "expected number of pulls" },
    series, mark: place(settings.epsilon), label: "Expected pulls of each radius against epsilon, between bounds; the table below holds the numbers",
  });
  confidenceTable(settings, rows);
  field("confidence-note").textContent = approximationNote(settings, rows);
}

function confidenceTable(settings, rows) {
  const table = document.createElement("table");
  const heads = ["radius", "guarantee", "expected pulls (approximate)", "pulls measured", "error measured"];
  table.innerHTML = `<caption>At the chosen ε and δ</caption><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>`;
  const body = table.createTBody();
  RADII.forEach((radius) => {
    const row = rows.find((one) => one.radius === radius.name && one.delta === settings.delta && one.epsilon === settings.epsilon);
    const line = body.insertRow();
    line.id = `radius-${radius.name}`;
    const pulls = expectedPulls(settings, settings.epsilon, settings.delta, radius);
    [radius.label, radius.valid ? "valid" : "not valid", shown(pulls), row ? shown(row.mean_pulls) : "–",
      row ? `${shown(row.estimate)} [${shown(row.low, 2)}, ${shown(row.high, 2)}]` : "–",
    ].forEach((text) => { line.insertCell().textContent = text; });
    line.dataset.pulls = pulls;
  });
  field("confidence-table").replaceChildren(table);
}

// How far the approximation is off wherever this problem was measured.
function approximationNote(settings, rows) {
  const method = "Expected pulls are an approximation: each arm's drift is followed to its boundary, with a first-order correction for its fluctuations.";
  if (rows.length === 0) return `${method} This problem was not measured; try one of the instances.`;
  const kind = (name) => RADII.find((one) => one.name === name);
  const ratios = rows.map((row) => expectedPulls(settings, row.epsilon, row.delta, kind(row.radius)) / row.mean_pulls);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => shown(ratio));
  return `${method} Over the ${rows.length} settings in which this problem was measured it is ${least} to ${most} times the mean. Errors carry 95 % Clopper-Pearson intervals. Measured values: ${DATA.files.confidence}.`;
}

// --- fixed budget -------------------------------------------------------------------------------

let simulated = { key: "" };

function showBudget(settings) {
  const scaled = document.querySelector("input[name=axis]:checked").value === "scaled";
  const total = complexity(settings, settings.epsilon);
  const least = 2 * settings.means.length;
  const place = (budget, epsilon) => (scaled ? budget / complexity(settings, epsilon) : budget);
  const grid = Array.from({ length: 80 }, (_, i) => Math.max(least, SPAN.low * total) * (SPAN.high * total / Math.max(least, SPAN.low * total)) ** (i / 79));
  const bound = (value) => grid.map((budget) => [place(budget, settings.epsilon), value(budget)]);
  const policy = chosenPolicy();
  const run = simulate(settings, policy, total, least);
  const rows = measuredBudget(settings);
  const series = [
    ...(policy.name === "apt" ? [
      { kind: "line", name: "printed", text: "upper bound, printed", colour: "var(--upper)", dash: "5 3", points: bound((b) => budgetUpper(settings, settings.epsilon, b, "printed")) },
      { kind: "line", name: "proved", text: "upper bound, proved in the article", colour: "var(--upper)", dash: "2 2", points: bound((b) => budgetUpper(settings, settings.epsilon, b, "proved")) },
    ] : [
      { kind: "line", name: "lsa", text: "upper bound, proved in the article", colour: "var(--upper)", dash: "2 2", points: lsaBound(settings, grid).map(([b, e]) => [place(b, settings.epsilon), e]) },
    ]),
    { kind: "line", name: "lower", text: "sharp lower bound (worst of B⁰…Bᴷ)", colour: "var(--lower)", dash: "6 3", points: bound((b) => budgetLower(settings, settings.epsilon, b)) },
    { kind: "line", name: "simulated", text: `${run.runs} runs in this browser, ε = ${epsilonText(settings.epsilon)}`, colour: "var(--accent)", points: run.runs ? run.curve.map(([b, e]) => [place(b, settings.epsilon), e / run.runs]) : [] },
    ...[...new Set(rows.map((row) => row.epsilon))].sort((a, b) => (a < b ? -1 : 1)).map((epsilon) => ({
      kind: "points", name: `measured ${epsilonText(epsilon)}`, mark: "circle", colour: colourOf(epsilon),
      text: `measured, ε = ${epsilonText(epsilon)}`, opacity: scaled || epsilon === settings.epsilon ? 1 : 0.4,
      points: rows.filter((row) => row.epsilon === epsilon).map((row) => ({
        x: place(row.budget, epsilon), value: row.estimate, low: row.low, high: row.high,
        title: `ε = ${epsilonText(epsilon)}, T = ${shown(row.budget)}: error ${row.estimate === 0 ? `below ${shown(row.high)}` : shown(row.estimate)} measured`,
      })),
    })),
  ];
  const span = scaled ? [SPAN.low, SPAN.high] : [Math.min(grid[0], settings.budget), Math.max(SPAN.high * total, settings.budget)];
  drawChart(field("budget-chart"), {
    x: { log: true, domain: span, label: scaled ? "scaled budget T / Hε" : "budget T" },
    y: { log: true, domain: [LEAST_ERROR, 1.6], label: "error probability" },
    series, mark: place(settings.budget, settings.epsilon), label: `Error probability of ${policy.label} against the budget, with bounds; the sentence below gives the number at T`,
  });
  budgetAnswer(settings, run, total);
}

// The bound of `lsa` at some of the budgets, kept while the page redraws itself. It compares every two
// arms, so that many arms get fewer points.
let bounded = { key: "" };

function lsaBound(settings, budgets) {
  const key = JSON.stringify([settings.means, settings.threshold, settings.tolerance, String(settings.epsilon)]);
  if (bounded.key !== key) {
    const every = new Set(settings.means).size > 20 ? 8 : 1;
    const points = budgets.filter((_, i) => i % every === 0).map((budget) => [budget, lsaUpper(settings, settings.epsilon, budget)]);
    bounded = { key, points };
  }
  return bounded.points;
}

// The curve of these settings as far as it has been simulated; a new one begins with no run. The marked
// budget is one of the checkpoints.
function simulate(settings, policy, total, least) {
  const key = JSON.stringify([policy.name, settings.means, settings.threshold, settings.tolerance, String(settings.epsilon), settings.budget]);
  if (simulated.key === key) return simulated;
  const start = Math.max(least, Math.ceil(SPAN.low * total));
  const budgets = Array.from({ length: 30 }, (_, i) => Math.ceil(start * (SPAN.simulated * total / start) ** (i / 29))).filter((b) => b >= least);
  if (settings.budget <= SPAN.simulated * total) budgets.push(settings.budget);
  const points = [...new Set(budgets)].sort((a, b) => a - b);
  const wanted = Math.max(100, Math.min(MOST_RUNS, CHUNK * Math.floor(6e3 / settings.means.length ** 2)));
  simulated = { key, settings, policy, runs: 0, wanted, curve: points.map((budget) => [budget, 0]) };
  setTimeout(simulateMore, 0, simulated);
  return simulated;
}

// Another chunk of runs, until there are enough or the settings have changed; the page stays responsive.
function simulateMore(run) {
  if (run !== simulated || run.runs >= run.wanted) return;
  const budgets = run.curve.map(([budget]) => budget);
  const errors = simulateBudget(run.settings, run.settings.epsilon, run.policy, budgets, CHUNK, run.runs / CHUNK);
  run.curve = run.curve.map(([budget, seen], i) => [budget, seen + errors[i]]);
  run.runs += CHUNK;
  showBudget(run.settings);
  setTimeout(simulateMore, 0, run);
}

function budgetAnswer(settings, run, total) {
  const at = run.curve.find(([budget]) => budget === settings.budget);
  const bound = run.policy.name === "apt" ? budgetUpper(settings, settings.epsilon, settings.budget, "proved") : lsaUpper(settings, settings.epsilon, settings.budget);
  const small = bound < 1e-300 ? "below 10⁻³⁰⁰" : `at most ${shown(bound)}`;
  const proved = bound < 1 ? `; proved: ${small}` : "; the proved bound is above 1 here";
  const seen = at
    ? `${at[1]} of ${run.runs} runs were wrong`
    : `this budget is beyond the ${SPAN.simulated} Hε up to which this page simulates`;
  field("budget-answer").textContent = `At T = ${whole(settings.budget)}, ${shown(settings.budget / total)} times Hε, with ${run.policy.label}: ${seen}${proved}.`;
  field("budget-answer").dataset.errors = at ? at[1] : "";
  field("budget-answer").dataset.finished = String(run.runs >= run.wanted);
  const batch = Math.max(...batchSizes(settings, settings.epsilon));
  const method = batch === 1 ? "The runs in this browser are exact." : `The runs in this browser are an approximation: up to ${shown(batch)} pulls of an arm are drawn at once.`;
  field("budget-note").textContent = `${method} Points carry 95 % Clopper-Pearson intervals; an open triangle stands at the upper limit where no error was seen. The lower bound is over the environments of Theorem 3.2, not for this problem alone. Measured values: ${DATA.files.budget}.`;
}

// --- two settings side by side ------------------------------------------------------------------

let kept = null;

// What is compared: one row per quantity, a name or a number.
function quantities(settings) {
  const rows = [
    ["problem", namesOf(settings, true)[0] ?? TYPED],
    ["arms K", settings.means.length],
    ["threshold τ", settings.threshold],
    ["tolerance ζ", settings.tolerance],
    ["privacy level ε", settings.epsilon],
    ["error level δ", settings.delta],
    ["budget T", settings.budget],
    ["complexity Hε", complexity(settings, settings.epsilon)],
    ["T / Hε", settings.budget / complexity(settings, settings.epsilon)],
  ];
  if (settings.unresolvable) return rows;
  const pulls = RADII.map((one) => [`pulls, radius ${one.label}`, expectedPulls(settings, settings.epsilon, settings.delta, one)]);
  return [...rows, ...pulls, ["sharp lower bound", confidenceLower(settings, settings.epsilon, settings.delta)]];
}

function showComparison(settings) {
  field("comparison").hidden = kept === null;
  if (kept === null) return;
  const now = new Map(quantities(settings));
  const table = document.createElement("table");
  table.innerHTML = "<caption>The kept setting and the present one</caption><thead><tr><th scope=\"col\">quantity</th><th scope=\"col\">kept</th><th scope=\"col\">now</th><th scope=\"col\">now / kept</th></tr></thead>";
  const body = table.createTBody();
  quantities(kept).filter(([name]) => now.has(name)).forEach(([name, before]) => {
    const line = body.insertRow();
    const after = now.get(name);
    const ratio = after / before;
    const text = (value) => (typeof value === "string" ? value : whole(value));
    [name, text(before), text(after), Number.isFinite(ratio) ? shown(ratio) : "–"].forEach((text) => { line.insertCell().textContent = text; });
  });
  field("comparison-table").replaceChildren(table);
}

// --- the view in the address --------------------------------------------------------------------

const STATE = ["means", "threshold", "tolerance", "epsilon", "delta", "budget", "policy"];

function writeAddress() {
  const state = new URLSearchParams(STATE.map((name) => [name, field(name).value]));
  state.set("axis", document.querySelector("input[name=axis]:checked").value);
  if (kept !== null) state.set("kept", JSON.stringify({ ...kept, epsilon: String(kept.epsilon) }));
  history.replaceState(null, "", `#${state}`);
}

// Fields named in the address are taken from it; what it says of nothing stays as it is.
function readAddress() {
  const state = new URLSearchParams(location.hash.slice(1));
  STATE.filter((name) => state.has(name)).forEach((name) => {
    const known = name !== "policy" || POLICIES.some((one) => one.name === state.get(name));
    if (known) field(name).value = state.get(name);
  });
  document.querySelectorAll("input[name=axis]").forEach((one) => {
    if (state.has("axis")) one.checked = one.value === state.get("axis") || (one.value === "budget" && state.get("axis") !== "scaled");
  });
  kept = readKept(state.get("kept"));
}

function readKept(text) {
  try {
    const found = JSON.parse(text);
    if (found === null) return null;
    const epsilon = readEpsilon(String(found.epsilon));
    const means = readMeans(found.means.join(" "));
    const rest = [found.threshold, found.tolerance, found.delta, found.budget];
    return rest.every(Number.isFinite) ? { ...found, means, epsilon } : null;
  } catch {
    return null; // an address that was cut or typed
  }
}

// --- everything ---------------------------------------------------------------------------------

function showFacts(settings) {
  const total = complexity(settings, Infinity);
  const facts = [
    ["K", "arms K", settings.means.length],
    ["shrinkage", "shrinkage c(ε)", shrinkage(settings.epsilon)],
    ["complexity", "complexity H", total],
    ["private-complexity", "with privacy, Hε", complexity(settings, settings.epsilon)],
    ["price", "price of privacy, Hε / H", shrinkage(settings.epsilon) ** -2],
    ["gap", "smallest gap", Math.min(...gapsOf(settings, 0))],
  ];
  field("facts").replaceChildren(...facts.map(([id, label, value]) => {
    const box = document.createElement("div");
    box.innerHTML = "<dt></dt><dd></dd>";
    box.firstChild.textContent = label;
    box.lastChild.textContent = shown(value);
    box.lastChild.id = `fact-${id}`;
    box.lastChild.dataset.value = value;
    return box;
  }));
}

function update() {
  const settings = readSettings();
  document.querySelector(".results").classList.toggle("stale", settings === null);
  if (settings === null) return;
  const match = namesOf(settings, true);
  if (!match.includes(field("instance").value)) field("instance").value = match[0] ?? TYPED;
  field("slider").value = Math.log10(Math.min(Math.max(settings.epsilon, EPSILONS.low), EPSILONS.high));
  showFacts(settings);
  showConfidence(settings);
  showBudget(settings);
  showComparison(settings);
  writeAddress();
}

function compact(means) {
  const runs = [];
  means.forEach((mean) => {
    if (runs.length && runs.at(-1)[0] === mean) runs.at(-1)[1] += 1;
    else runs.push([mean, 1]);
  });
  return runs.map(([mean, count]) => (count > 1 ? `${mean} x${count}` : `${mean}`)).join(", ");
}

function choose(name) {
  const chosen = DATA.instances.find((one) => one.name === name);
  if (!chosen) return;
  field("means").value = compact(chosen.means);
  field("threshold").value = chosen.threshold;
  field("tolerance").value = chosen.tolerance;
  if (Math.min(...gapsOf(chosen, chosen.tolerance)) > 0) {
    const epsilon = READERS.epsilon();
    field("budget").value = Math.max(2 * chosen.means.length, Math.ceil(2 * complexity(chosen, epsilon)));
  }
}

function start() {
  const shownNames = DATA.instances.filter((one) => one.means.length <= MAX_LISTED_ARMS).map((one) => one.name);
  field("instance").append(...[...shownNames, TYPED].map((name) => new Option(name, name)));
  field("policy").append(...POLICIES.map((one) => new Option(one.label, one.name)));
  field("policy").value = DATA.policy;
  field("epsilon").value = "1";
  field("delta").value = "0.1";
  field("instance").value = shownNames[0];
  choose(shownNames[0]);
  readAddress();
  window.addEventListener("hashchange", () => { readAddress(); update(); });
  field("skip").addEventListener("click", (event) => { event.preventDefault(); field("results").focus(); });
  field("keep").addEventListener("click", () => { kept = readSettings(); update(); });
  field("forget").addEventListener("click", () => { kept = null; update(); field("keep").focus(); });
  field("instance").addEventListener("change", () => {
    if (field("epsilon").getAttribute("aria-invalid") === "true") field("epsilon").value = "1";
    choose(field("instance").value);
  });
  field("slider").addEventListener("input", () => {
    field("epsilon").value = Number((10 ** Number(field("slider").value)).toPrecision(2));
  });
  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, 60);
  };
  document.addEventListener("input", soon);
  window.addEventListener("resize", soon);
  field("form").addEventListener("submit", (event) => event.preventDefault());
  update();
}

start();
