// The page: reads the fields, says beside a field what is wrong with it, draws the rest.
"use strict";

const MAX_LISTED_ARMS = 100;
const EPSILONS = { low: 0.01, high: 10, infinity: 30 };
const SPAN = { low: 0.05, simulated: 12 }; // of T / H_eps
const SHOWN_BOUND = 0.01; // the budget axis reaches to where the printed bound falls to this
const LEAST_ERROR = 1e-5;
const CHUNK = 100; // runs between two drawings
const MOST_RUNS = 1000;
const LEAST_DELTA = 1e-300; // below, K / δ overflows
const MOST_BUDGET = 1e15; // beyond, a double cannot count pulls
const SHAPES = { printed: "cross", hoeffding: "diamond", mixture: "square", onesided: "triangle", coin: "circle" };
const RADIUS_NOTES = {
  printed: "as in the paper; can promise too much",
  hoeffding: "the paper's with a constant that holds",
  mixture: "valid at all times, for any rewards",
  onesided: "the same, with the variance at the threshold",
  coin: "exact likelihood of yes and no",
};
const LEAST_ERRORS = 10; // wrong runs below which a simulated curve is too rough to be drawn
const STORIES = [
  { name: "The counterexample", means: [0.95], threshold: 0.9, epsilon: 1, delta: 0.1, text: failureText },
  {
    name: "A dose study", means: [0.05, 0.12, 0.25, 0.4, 0.55, 0.68], threshold: 0.3, epsilon: 1, delta: 0.05,
    text: (settings) => `${settings.means.length} doses: at which of them do more than ${shown(100 * settings.threshold)} % of people have a side effect? No single response can be trusted, and the answer is still right with probability ${shown(1 - settings.delta)}.`,
  },
  {
    name: "When does privacy cost more?", means: [0.97, 0.99], threshold: 0.98, epsilon: 2, delta: 0.1,
    text: (settings) => `Near 0 and 1 coins vary little, and randomised response hides that. Here the lower bound grows by ${shown(confidenceLower(settings, settings.epsilon, settings.delta) / confidenceLower(settings, Infinity, settings.delta), 2)}, although tanh(ε/2)⁻² is only ${shown(shrinkage(settings.epsilon) ** -2, 2)}: no private method can avoid it.`,
  },
];

// One arm above its threshold: its first response is 0 with some chance, and may end the study at once.
function firstResponse({ means, threshold, epsilon, delta }) {
  const tau = privateMean(threshold, epsilon);
  const chance = 1 - privateMean(means[0], epsilon);
  const radius = Math.sqrt(Math.log(4 / delta) / 8);
  return { tau, chance, radius, decisive: radius < tau };
}

// Whether that alone breaks the promise of the printed radius.
function printedFails(settings) {
  const { chance, decisive } = firstResponse(settings);
  return settings.means.length === 1 && settings.means[0] > settings.threshold && decisive && chance > settings.delta;
}

// Why the printed radius fails: one response can be enough for a wrong answer.
function failureText(settings) {
  const { tau, chance, radius, decisive } = firstResponse(settings);
  const start = `One arm, mean ${settings.means[0]}, threshold ${settings.threshold}. Its first response is 0 with probability ${shown(chance, 2)}; the estimate is then ${shown(tau)} below the private threshold, and the printed radius is ${shown(radius)}.`;
  return decisive
    ? `${start} So Algorithm 2 stops after one response, wrong; it promises an error of at most ${shown(100 * settings.delta)} %.`
    : `${start} So one response is not enough here; the count below says how often the answer is wrong.`;
}
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i; // Number() also takes 0x1 and the empty text
const TYPED = "custom";
const field = (name) => document.getElementById(name);
const settingsKey = (settings) => JSON.stringify([settings.means, settings.threshold, String(settings.epsilon), settings.delta]);

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
  if (epsilon === Infinity) return "var(--ink)";
  const known = DATA.colours.map((one) => one.epsilon);
  const nearest = known.reduce((a, b) => (Math.abs(Math.log(a / epsilon)) < Math.abs(Math.log(b / epsilon)) ? a : b));
  const { colour } = DATA.colours.find((one) => one.epsilon === nearest);
  return `light-dark(${colour}, color-mix(in oklab, ${colour} 60%, white))`;
};

// --- fixed confidence ---------------------------------------------------------------------------

// Curves of expected pulls against epsilon, kept while only epsilon moves.
let costs = { key: "" };

function costCurves(settings) {
  const low = Math.min(EPSILONS.low, settings.epsilon);
  const key = JSON.stringify([settings.means, settings.threshold, settings.delta, low]);
  if (costs.key === key) return costs;
  const grid = Array.from({ length: 45 }, (_, i) => low * (EPSILONS.high / low) ** (i / 44));
  const free = [EPSILONS.infinity / 1.2, EPSILONS.infinity * 1.15]; // a stroke, behind a break
  const curve = (value) => [...grid.map((epsilon) => [epsilon, value(epsilon)]), ...free.map((place) => [place, value(Infinity)])];
  costs = {
    key, low,
    radii: RADII.map((radius) => curve((e) => expectedPulls(settings, e, settings.delta, radius))),
    upper: curve((e) => confidenceUpper(settings, e, settings.delta)),
    lower: curve((e) => confidenceLower(settings, e, settings.delta)),
  };
  return costs;
}

const epsilonPlace = (epsilon) => (epsilon === Infinity ? EPSILONS.infinity : epsilon);

function showConfidence(settings) {
  const host = field("confidence-chart");
  if (settings.unresolvable) {
    host.textContent = "An arm lies exactly at the threshold, so no number of responses is enough.";
    field("confidence-table").replaceChildren();
    field("confidence-note").textContent = "";
    return;
  }
  const ghost = pinned && !pinned.unresolvable ? costCurves(pinned).radii[RADII.findIndex((one) => one.name === "coin")] : null;
  const curves = costCurves(settings);
  const rows = measuredConfidence(settings);
  const series = [
    { kind: "line", name: "upper", text: "proved upper bound on the mean, coin", colour: "var(--ink)", dash: "6 3 2 3", points: curves.upper },
    ...RADII.map((radius, i) => ({ kind: "line", name: radius.name, text: radius.label, mark: SHAPES[radius.name] ?? "circle", colour: `var(--${radius.name})`, points: curves.radii[i] })),
    { kind: "line", name: "lower", text: "lower bound, any private algorithm", colour: "var(--ink)", dash: "6 3", points: curves.lower },
    ...(ghost ? [{ kind: "line", name: "pinned", text: "coin, pinned setting", colour: "var(--coin)", ghost: true, points: ghost }] : []),
    ...RADII.map((radius) => ({
      kind: "points", name: `${radius.name} measured`, mark: SHAPES[radius.name] ?? "circle", colour: `var(--${radius.name})`,
      points: rows.filter((row) => row.radius === radius.name && row.delta === settings.delta).map((row) => ({
        x: epsilonPlace(row.epsilon), value: row.mean_pulls, low: row.mean_pulls_low, high: row.mean_pulls_high,
        title: `${radius.label}, ε = ${epsilonText(row.epsilon)}: ${shown(row.mean_pulls)} responses measured`,
      })),
    })),
  ];
  const heights = series.filter((one) => one.kind === "line").flatMap((one) => one.points.map(([, v]) => v)).filter((v) => v > 0 && Number.isFinite(v));
  const low = Math.min(curves.low, ...(ghost ? [ghost[0][0]] : []));
  drawChart(host, {
    x: { log: true, domain: [low / 1.15, EPSILONS.infinity * 1.15], last: EPSILONS.high * 1.1, infinity: EPSILONS.infinity, label: "privacy level ε" },
    y: { log: true, domain: [Math.max(1, Math.min(...heights) / 2), Math.max(...heights) * 2], label: "expected number of responses" },
    series, mark: epsilonPlace(settings.epsilon), label: "Expected responses of each radius against epsilon, between bounds; the table below holds the numbers",
    readout: (epsilon) => `ε = ${epsilon > 15 ? "∞" : shown(epsilon, 2)}: ${[...RADII.map((radius, i) => [radius.label, curves.radii[i]]), ["lower bound", curves.lower]].map(([text, points]) => `${text} ${shown(heightAt(points, Math.max(epsilon, points[0][0])), 2)}`).join(", ")}`,
  });
  confidenceTable(settings, rows);
  field("confidence-note").textContent = approximationNote(settings, rows);
}

const NARROW = [0, 2, 4]; // columns that a narrow screen keeps

function confidenceTable(settings, rows) {
  const table = document.createElement("table");
  const heads = ["radius", "guarantee", "responses (approximate)", "responses measured", "error measured"];
  table.innerHTML = `<caption>At the chosen ε and δ</caption><thead><tr>${heads.map((head, i) => `<th scope="col"${NARROW.includes(i) ? "" : ' class="wide"'}>${head}</th>`).join("")}</tr></thead>`;
  const body = table.createTBody();
  RADII.forEach((radius) => {
    const row = rows.find((one) => one.radius === radius.name && one.delta === settings.delta && one.epsilon === settings.epsilon);
    const line = body.insertRow();
    line.id = `radius-${radius.name}`;
    const pulls = expectedPulls(settings, settings.epsilon, settings.delta, radius);
    [radius.label, radius.valid ? "holds" : "not in general", shown(pulls), row ? shown(row.mean_pulls) : "–",
      row ? `${shown(row.estimate)} [${shown(row.low, 2)}, ${shown(row.high, 2)}]` : "–",
    ].forEach((text, i) => {
      const cell = line.insertCell();
      cell.textContent = text;
      if (!NARROW.includes(i)) cell.className = "wide";
    });
    const note = document.createElement("small");
    note.textContent = RADIUS_NOTES[radius.name] ?? "";
    line.cells[0].append(note);
    if (row && row.low > settings.delta) line.cells[4].className = "broken";
    line.dataset.pulls = pulls;
  });
  field("confidence-table").replaceChildren(table);
}

// How far the approximation is off wherever this problem was measured.
function approximationNote(settings, rows) {
  const method = "Expected responses are an approximation: each arm's drift is followed to its boundary, with a first-order correction for its fluctuations.";
  if (rows.length === 0) return `${method} This problem was not measured.`;
  const kind = (name) => RADII.find((one) => one.name === name);
  const ratios = rows.map((row) => expectedPulls(settings, row.epsilon, row.delta, kind(row.radius)) / row.mean_pulls);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => shown(ratio));
  return `${method} Over the ${rows.length} settings in which this problem was measured it is ${least} to ${most} times the mean. Errors carry 95 % Clopper-Pearson intervals. Measured values: results/summaries/fixed_confidence.csv.`;
}

// --- fixed budget -------------------------------------------------------------------------------

let simulated = { key: "" };

function showBudget(settings) {
  const scaled = document.querySelector("input[name=axis]:checked").value === "scaled";
  const total = complexity(settings, settings.epsilon);
  const least = 2 * settings.means.length;
  const place = (budget, epsilon) => (scaled ? budget / complexity(settings, epsilon) : budget);
  const policy = chosenPolicy();
  const run = simulate(settings, policy, total, least);
  const rows = measuredBudget(settings);
  const low = Math.max(least, SPAN.low * total);
  const high = 1.1 * Math.max(
    SPAN.simulated * total, settings.budget, ...rows.filter((row) => row.epsilon === settings.epsilon).map((row) => row.budget),
    root((budget) => SHOWN_BOUND - budgetUpper(settings, settings.epsilon, budget, "printed")),
  );
  const grid = Array.from({ length: 80 }, (_, i) => low * (high / low) ** (i / 79));
  const level = epsilonText(settings.epsilon);
  const simulatedCurve = (one, curve = one.curve) => curve.filter(([, e]) => e >= LEAST_ERRORS).map(([b, e]) => [place(b, one.settings.epsilon), e / one.runs]);
  const mine = run.runs ? simulatedCurve(run) : [];
  const reference = run.runs && policy.name !== REFERENCE ? simulatedCurve(run, run.reference) : [];
  const bounds = upperBounds(settings, policy, grid).map((one) => ({ ...one, points: one.points.map(([b, e]) => [place(b, settings.epsilon), e]) }));
  const series = [
    ...bounds,
    ...(policy.name === REFERENCE ? [] : [{ kind: "line", name: "reference", text: `${referencePolicy().label}, for comparison${settings.means.length === 1 ? " (one arm: the same line)" : ""}`, colour: `var(--${REFERENCE})`, points: reference }]),
    { kind: "line", name: "simulated", text: `${policy.label}, ${run.runs} runs in this browser, ε = ${level}`, colour: `var(--${policy.name})`, points: mine },
    ...(pinnedCurve && pinned ? [{ kind: "line", name: "pinned", text: "pinned setting", colour: `var(--${pinnedCurve.policy.name})`, ghost: true, points: simulatedCurve(pinnedCurve) }] : []),
    ...[...new Set(rows.map((row) => row.epsilon))].sort((a, b) => (a < b ? -1 : 1)).map((epsilon) => ({
      kind: "points", name: `measured ${epsilonText(epsilon)}`, mark: "circle", colour: colourOf(epsilon),
      text: `measured, ε = ${epsilonText(epsilon)}`, opacity: scaled || epsilon === settings.epsilon ? 1 : 0.35,
      points: rows.filter((row) => row.epsilon === epsilon).map((row) => ({
        x: place(row.budget, epsilon), value: row.estimate, low: row.low, high: row.high,
        title: `ε = ${epsilonText(epsilon)}, T = ${shown(row.budget)}: error ${row.estimate === 0 ? `below ${shown(row.high)}` : shown(row.estimate)} measured`,
      })),
    })),
  ];
  const span = [Math.min(low, settings.budget), high].map((budget) => place(budget, settings.epsilon));
  drawChart(field("budget-chart"), {
    x: { log: true, domain: span, label: scaled ? "scaled budget T / Hε" : "budget T" },
    y: { log: true, domain: [LEAST_ERROR, 1.6], label: "error probability" },
    series, mark: place(settings.budget, settings.epsilon), label: `Error probability of ${policy.label} against the budget, with bounds; the sentence below gives the number at T`,
    readout: (value) => `${scaled ? "T / Hε" : "T"} = ${shown(value, 2)}: ${[[policy.label, mine], [referencePolicy().label, reference], ...bounds.map((one) => [one.text, one.points])].map(([text, points]) => [text, heightAt(points, value)]).filter(([, height]) => Number.isFinite(height)).map(([text, height]) => `${text} ${shown(Math.min(1, height), 2)}`).join(", ") || "no curve here"}`,
  });
  budgetAnswer(settings, run, total);
}

// Algorithm 1 is drawn beside every other policy.
const REFERENCE = "apt";
const referencePolicy = () => POLICIES.find((one) => one.name === REFERENCE);

// The printed bound, which is that of Algorithm 1, and the proved one of a policy at some of the budgets, kept while the page redraws itself. That of
// LSA compares every two arms, so that many arms get fewer points.
let bounded = { key: "" };

function upperBounds(settings, policy, budgets) {
  const key = JSON.stringify([settings.means, settings.threshold, settings.tolerance, String(settings.epsilon), policy.name, budgets.at(-1)]);
  if (bounded.key === key) return bounded.series;
  const { epsilon } = settings;
  const line = (name, text, dash, colour, points) => ({ kind: "line", name, text, dash, colour: `var(--${colour})`, points });
  const bound = (version) => budgets.map((b) => [b, budgetUpper(settings, epsilon, b, version)]);
  const series = [line("printed", "upper bound for Algorithm 1, printed", "5 3", "printed", bound("printed"))];
  if (policy.name === REFERENCE) {
    series.push(line("proved", "upper bound, proved", "2 2", "ink", bound("proved")));
  } else if (logWeight(policy, settings, epsilon) > 0) {
    const every = new Set(settings.means).size > 20 ? 8 : 1;
    const some = budgets.filter((_, i) => i % every === 0);
    series.push(line(policy.name, `upper bound for ${policy.label}, proved`, "2 2", "ink", some.map((b) => [b, errorBound(settings, policy, b)])));
  }
  bounded = { key, series };
  return series;
}

// The proved bound at one budget; NaN for a policy whose bound this page does not compute.
function errorBound(settings, policy, budget) {
  if (policy.name === REFERENCE) return budgetUpper(settings, settings.epsilon, budget, "proved");
  const weight = logWeight(policy, settings, settings.epsilon);
  return weight > 0 ? lsaUpper(settings, settings.epsilon, budget, weight) : NaN;
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
  const curve = points.map((budget) => [budget, 0]);
  simulated = { key, settings, policy, runs: 0, wanted, curve, reference: curve };
  setTimeout(simulateMore, 0, simulated);
  return simulated;
}

// Another chunk of runs, until there are enough or the settings have changed; the page stays responsive.
function simulateMore(run) {
  if (run !== simulated || run.runs >= run.wanted) return;
  const budgets = run.curve.map(([budget]) => budget);
  const more = (curve, policy) => {
    const errors = simulateBudget(run.settings, run.settings.epsilon, policy, budgets, CHUNK, run.runs / CHUNK);
    return curve.map(([budget, seen], i) => [budget, seen + errors[i]]);
  };
  run.curve = more(run.curve, run.policy);
  if (run.policy.name !== REFERENCE) run.reference = more(run.reference, referencePolicy());
  run.runs += CHUNK;
  showBudget(run.settings);
  setTimeout(simulateMore, 0, run);
}

function budgetAnswer(settings, run, total) {
  const at = run.curve.find(([budget]) => budget === settings.budget);
  const bound = errorBound(settings, run.policy, settings.budget);
  const small = bound < 1e-300 ? "below 10⁻³⁰⁰" : `at most ${shown(bound)}`;
  const proved = Number.isNaN(bound) ? "" : bound < 1 ? `; proved: ${small}` : "; the proved bound is above 1 here";
  const seen = at
    ? `${at[1]} of ${run.runs} runs were wrong`
    : `this budget is beyond the ${SPAN.simulated} Hε up to which this page simulates`;
  field("budget-answer").textContent = `At T = ${whole(settings.budget)}, ${shown(settings.budget / total)} times Hε, with ${run.policy.label}: ${seen}${proved}.`;
  field("budget-answer").dataset.errors = at ? at[1] : "";
  field("budget-answer").dataset.finished = String(run.runs >= run.wanted);
  const batch = Math.max(...batchSizes(settings, settings.epsilon));
  const method = batch === 1 ? "The runs in this browser are exact." : `The runs in this browser are an approximation: up to ${shown(batch)} pulls of an arm are drawn at once.`;
  field("budget-note").textContent = `${method} Points carry 95 % Clopper-Pearson intervals; an open triangle stands at the upper limit where no error was seen. Curves end where fewer than ten runs were wrong. Measured values: results/summaries/fixed_budget.csv.`;
}

// --- a pinned setting ---------------------------------------------------------------------------

let pinned = null;
let pinnedCurve = null; // its simulated error curve, if there was one

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
  ];
  if (settings.unresolvable) return rows;
  const pulls = RADII.map((one) => [`responses, ${one.label}`, expectedPulls(settings, settings.epsilon, settings.delta, one)]);
  return [...rows, ...pulls, ["lower bound", confidenceLower(settings, settings.epsilon, settings.delta)]];
}

function showComparison(settings) {
  field("comparison").hidden = pinned === null;
  if (pinned === null) return;
  const now = new Map(quantities(settings));
  const table = document.createElement("table");
  table.innerHTML = "<caption>What differs from the pinned setting</caption><thead><tr><th scope=\"col\">quantity</th><th scope=\"col\">pinned</th><th scope=\"col\">now</th><th scope=\"col\">now / pinned</th></tr></thead>";
  const body = table.createTBody();
  quantities(pinned).filter(([name, before]) => now.has(name) && now.get(name) !== before).forEach(([name, before]) => {
    const line = body.insertRow();
    const after = now.get(name);
    const ratio = after / before;
    const text = (value) => (typeof value === "string" ? value : whole(value));
    [name, text(before), text(after), Number.isFinite(ratio) ? shown(ratio) : "–"].forEach((cell) => { line.insertCell().textContent = cell; });
  });
  if (body.rows.length === 0) body.insertRow().insertCell().textContent = "nothing: change a field";
  field("comparison-table").replaceChildren(table);
}

// --- the view in the address --------------------------------------------------------------------

const STATE = ["means", "threshold", "tolerance", "epsilon", "delta", "budget", "policy"];

function writeAddress() {
  const state = new URLSearchParams(STATE.map((name) => [name, field(name).value]));
  state.set("axis", document.querySelector("input[name=axis]:checked").value);
  if (pinned !== null) state.set("pinned", JSON.stringify({ ...pinned, epsilon: String(pinned.epsilon) }));
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
  pinned = readPinned(state.get("pinned"));
  if (state.has("budget")) {
    const given = field("budget").value;
    following = true;
    followComplexity();
    following = field("budget").value === given;
    field("budget").value = given;
  }
}

function readPinned(text) {
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

// The answer in a sentence: measured where this problem was measured, else approximate.
function showSentence(settings) {
  const host = field("sentence");
  if (settings.unresolvable) {
    host.textContent = "An arm lies exactly at the threshold: no number of responses decides it.";
    return;
  }
  const rows = measuredConfidence(settings).filter((row) => row.delta === settings.delta);
  const cost = (name, epsilon) => {
    const row = rows.find((one) => one.radius === name && one.epsilon === epsilon);
    return row ? row.mean_pulls : expectedPulls(settings, epsilon, settings.delta, RADII.find((one) => one.name === name));
  };
  const people = (value) => `<b>${whole(Number(value.toPrecision(2)))}</b>`;
  const [coin, free, printed] = [cost("coin", settings.epsilon), cost("coin", Infinity), cost("printed", settings.epsilon)];
  const factor = shrinkage(settings.epsilon) ** -2;
  const more = coin / free > 1.5 * factor && settings.threshold !== 0.5
    ? `, more than tanh(ε/2)⁻² = ${shown(factor, 2)}, because the threshold is far from ½` : "";
  const start = settings.epsilon === Infinity
    ? `Without privacy you need about ${people(free)} people on average.`
    : `With ε = ${epsilonText(settings.epsilon)} you need about ${people(coin)} people on average; without privacy about ${people(free)}. Privacy costs a factor of ${shown(coin / free, 2)}${more}.`;
  host.innerHTML = `${start} Algorithm 2 as printed would ask about ${people(printed)}, ${guarantee(settings, rows)}.`;
}

// What is known of the printed radius on this problem: a broken promise only where one was seen or follows.
function guarantee(settings, rows) {
  const broken = rows.some((row) => row.radius === "printed" && row.epsilon === settings.epsilon && row.low > settings.delta);
  if (broken || printedFails(settings)) return 'and its guarantee is <span class="false">false</span>';
  const counted = tally.key === settingsKey(settings) && tally.done === RACE.studies;
  if (!counted) return "and it has no general guarantee";
  return `and it has no general guarantee; ${tally.wrong[0] === 0 ? "no failure here" : `${tally.wrong[0]} failures here`} in ${RACE.studies} studies`;
}

// The command that answers the same question by simulation.
function showPlan(settings) {
  field("plan").hidden = settings.unresolvable;
  const epsilon = settings.epsilon === Infinity ? "inf" : settings.epsilon;
  field("plan-command").textContent = `ldpt plan --means ${settings.means.join(" ")} --threshold ${settings.threshold} --epsilon ${epsilon} --delta ${settings.delta}`;
}

function showFacts(settings) {
  const total = complexity(settings, Infinity);
  const facts = [
    ["K", "arms K", settings.means.length],
    ["shrinkage", "shrinkage c(ε)", shrinkage(settings.epsilon)],
    ["complexity", "complexity H", total],
    ["private-complexity", "with privacy, H<sub>ε</sub>", complexity(settings, settings.epsilon)],
    ["price", "H<sub>ε</sub> / H", shrinkage(settings.epsilon) ** -2],
    ["gap", "smallest gap", Math.min(...gapsOf(settings, 0))],
  ];
  field("facts").replaceChildren(...facts.map(([id, label, value]) => {
    const box = document.createElement("div");
    box.innerHTML = `<dt>${label}</dt><dd></dd>`;
    box.lastChild.textContent = shown(value);
    box.lastChild.id = `fact-${id}`;
    box.lastChild.dataset.value = value;
    return box;
  }));
}

// In place of the sentence: what is wrong with the first wrong field. On a telephone its form may be folded.
function showMistake() {
  const wrong = Object.keys(READERS).find((name) => field(`${name}-error`).textContent !== "" && !(name === "means" && field("tolerance-error").textContent !== ""));
  const message = field(`${wrong}-error`).textContent;
  field("sentence").textContent = `${message[0].toUpperCase()}${message.slice(1)}.`;
  field("story").textContent = "";
  field("own").open = true;
}

function update() {
  followComplexity();
  const settings = readSettings();
  document.querySelector(".results").classList.toggle("stale", settings === null);
  field("sentence").classList.toggle("error", settings === null);
  if (settings === null) {
    showMistake();
    return;
  }
  const match = namesOf(settings, true);
  if (!match.includes(field("instance").value)) field("instance").value = match[0] ?? TYPED;
  field("slider").value = Math.log10(Math.min(Math.max(settings.epsilon, EPSILONS.low), EPSILONS.high));
  field("slider-value").textContent = epsilonText(settings.epsilon);
  field("slider").setAttribute("aria-valuetext", `epsilon ${epsilonText(settings.epsilon)}`);
  showStory(settings);
  showSentence(settings);
  showRace(settings);
  showFacts(settings);
  showConfidence(settings);
  showPlan(settings);
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

// Twice H_eps, to two digits; NaN where that is not finite.
function usualBudget(problem, epsilon) {
  if (Math.min(...gapsOf(problem, problem.tolerance)) === 0) return NaN;
  return Math.max(2 * problem.means.length, Math.ceil(Number((2 * complexity(problem, epsilon)).toPrecision(2))));
}

let following = true; // until a budget is typed

// Let the budget follow the problem; a field that cannot be read is complained about later.
function followComplexity() {
  if (!following) return;
  try {
    const [means, threshold, tolerance, epsilon] = ["means", "threshold", "tolerance", "epsilon"].map((name) => READERS[name]());
    const budget = usualBudget({ means, threshold, tolerance }, epsilon);
    if (budget <= MOST_BUDGET) field("budget").value = budget;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

// Fill the fields with a problem; the budget follows it.
function fill(problem) {
  field("means").value = compact(problem.means);
  field("threshold").value = problem.threshold;
  field("tolerance").value = problem.tolerance ?? 0;
  if (problem.epsilon !== undefined) field("epsilon").value = problem.epsilon;
  if (problem.delta !== undefined) field("delta").value = problem.delta;
  following = true;
  followComplexity();
}

function showStory(settings) {
  const story = STORIES.find((one) => same(one.means, settings.means) && one.threshold === settings.threshold);
  [...field("stories").children].forEach((button, i) => button.setAttribute("aria-pressed", String(STORIES[i] === story)));
  field("story").textContent = story ? story.text(settings) : "";
}

async function copyCommand() {
  try {
    await navigator.clipboard.writeText(field("plan-command").textContent);
    field("plan-copy").textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(field("plan-command")); // for the reader's own copy command
  }
}

async function copyLink() {
  writeAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    field("share-note").textContent = "The link to this view is on the clipboard.";
  } catch {
    field("share-note").textContent = "This browser does not let a page copy: take the address from the address bar.";
  }
}

function pin(settings) {
  pinned = settings;
  pinnedCurve = settings === null || simulated.runs === undefined ? null : { ...simulated };
  update();
}

function paint() {
  Object.entries(DATA.palette).forEach(([name, colour]) => {
    document.documentElement.style.setProperty(`--${name}`, `light-dark(${colour}, ${DATA.darkPalette[name]})`);
  });
}

function listen() {
  window.addEventListener("hashchange", () => { readAddress(); update(); });
  field("skip").addEventListener("click", (event) => { event.preventDefault(); field("results").focus(); });
  field("copy").addEventListener("click", copyLink);
  field("plan-copy").addEventListener("click", copyCommand);
  field("budget").addEventListener("input", () => { following = false; });
  field("pin").addEventListener("click", () => pin(readSettings()));
  field("unpin").addEventListener("click", () => { pin(null); field("pin").focus(); });
  field("race-next").addEventListener("click", () => startRace(readSettings()));
  field("race-many").addEventListener("click", () => startTally(readSettings()));
  ["confidence", "budget"].forEach((name) => field(`${name}-save`).addEventListener("click", () => savePicture(field(`${name}-chart`), name)));
  field("instance").addEventListener("change", () => {
    if (field("epsilon").getAttribute("aria-invalid") === "true") field("epsilon").value = "1";
    const chosen = DATA.instances.find((one) => one.name === field("instance").value);
    if (chosen) fill(chosen);
  });
  // A problem that is typed has no tolerance unless one is typed too.
  ["means", "threshold"].forEach((name) => field(name).addEventListener("input", () => { field("tolerance").value = 0; }));
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
  const narrow = matchMedia("(max-width: 820px)"); // as in page.css: there the form is folded at first
  const fold = () => { field("own").open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
  field("form").addEventListener("submit", (event) => event.preventDefault());
}

function start() {
  paint();
  const listed = DATA.instances.filter((one) => one.means.length <= MAX_LISTED_ARMS).map((one) => one.name);
  field("instance").append(...[...listed, TYPED].map((name) => new Option(name, name)));
  field("policy").append(...POLICIES.map((one) => new Option(one.label, one.name)));
  field("policy").value = DATA.policy;
  field("stories").append(...STORIES.map((story) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = story.name;
    button.addEventListener("click", () => { fill(story); update(); });
    return button;
  }));
  fill(STORIES[0]);
  readAddress();
  listen();
  update();
}

start();
