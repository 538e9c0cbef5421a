// The race: the same responses, read by Algorithm 2 as printed and with the radius `coin`.
"use strict";

const RACE = { radii: ["printed", "coin"], mostPulls: 2e5, mostTotal: 2e7, studies: 100, seconds: 3 };

// The edges of a radius as a function of n and t; those of `coin` from tangents at eight knots an octave.
function edgesOf(radius, problem, epsilon, delta) {
  const edge = edgeOf(radius, problem, epsilon, delta);
  if (edge.family !== "COIN") return { timed: edge.family === "UNION", up: (n, t) => upper(edge, n, t), down: (n, t) => lower(edge, n, t) };
  const tangents = (side) => {
    const lines = [];
    const line = (k) => {
      if (lines[k] === undefined) {
        const knot = 2 ** (k / 8);
        const d = coinEdge(side, edge.term, knot);
        const { slope } = coinEvidence(side, knot, d);
        lines[k] = [d - slope * knot, slope];
      }
      return lines[k];
    };
    return (n) => {
      if (side === null || side.sure) return coinEdge(side, edge.term, n);
      const k = Math.floor(8 * Math.log2(n));
      const [[a, slope], [b, next]] = [line(k), line(k + 1)];
      return Math.min(a + slope * n, b + next * n);
    };
  };
  return { timed: false, up: tangents(edge.above), down: tangents(edge.below) };
}

// One study with Algorithm 2, pull by pull. Arm k reads tape k of this seed, whatever the radius. With
// `trace` it also returns, for each arm, points [n, d / edge, t] that grow apart by 3 %.
function runStudy(problem, epsilon, edges, seed, trace = false) {
  const arms = problem.means.length;
  const tau = privateMean(problem.threshold, epsilon);
  const tapes = problem.means.map((_, k) => generator(seed * 1009 + k));
  const means = problem.means.map((mean) => privateMean(mean, epsilon));
  const [pulls, sums, decided] = [new Float64Array(arms), new Float64Array(arms), new Uint8Array(arms)];
  const traces = problem.means.map(() => []);
  let t = 0;
  const height = (k) => {
    const d = sums[k] - pulls[k] * tau;
    return d >= 0 ? d / edges.up(pulls[k], t) : d / edges.down(pulls[k], t);
  };
  const note = (k) => {
    const last = traces[k].at(-1);
    if (trace && (last === undefined || pulls[k] >= 1.03 * last[0])) traces[k].push([pulls[k], height(k), t]);
  };
  const pull = (k) => {
    sums[k] += tapes[k]() < means[k] ? 1 : 0;
    pulls[k] += 1;
    t += 1;
  };
  const undecided = (k) => {
    if (decided[k]) return false;
    const y = height(k);
    const open = y >= -1 && y < 1;
    if (!open && !edges.timed) decided[k] = 1; // these edges do not move with t
    return open;
  };
  for (let k = 0; k < arms; k += 1) pull(k);
  for (let k = 0; k < arms; k += 1) note(k);
  for (;;) {
    let next = -1;
    for (let k = 0; k < arms; k += 1) if ((next < 0 || pulls[k] < pulls[next]) && undecided(k)) next = k;
    if (next < 0 || t >= 50 * RACE.mostPulls) break;
    pull(next);
    note(next);
  }
  if (trace) traces.forEach((points, k) => points.push([pulls[k], height(k), t]));
  const wrong = problem.means.map((mean, k) => (sums[k] - pulls[k] * tau >= 0) !== (mean >= problem.threshold));
  return { time: t, wrong, traces };
}

const raceRadii = () => RACE.radii.map((name) => RADII.find((one) => one.name === name));

// Whether a study is short enough to be shown, by the cost of the more expensive radius.
function raceCost(settings) {
  return Math.max(...raceRadii().map((radius) => expectedPulls(settings, settings.epsilon, settings.delta, radius)));
}

// --- drawing --------------------------------------------------------------------------------------

const LANE = { narrowest: 280, widest: 420, height: 240, left: 12, right: 12, top: 26, bottom: 34, reach: 1.45 };

function drawLane(host, radius, study, mostPulls, until) {
  const width = Math.max(LANE.narrowest, Math.min(LANE.widest, host.clientWidth || LANE.widest));
  const root = svg("svg", { viewBox: `0 0 ${width} ${LANE.height}`, role: "img", "aria-label": laneText(radius, study, true) });
  const end = width - LANE.right;
  const floor = LANE.height - LANE.bottom;
  const atX = scale({ log: true, domain: [0.8, Math.max(mostPulls, 2) * 1.15] }, LANE.left, end);
  const atY = scale({ domain: [-LANE.reach, LANE.reach] }, floor, LANE.top);
  const held = (y) => Math.min(Math.max(y, -LANE.reach), LANE.reach);
  [[LANE.reach, 1, "decide: above"], [-1, -LANE.reach, "decide: below"]].forEach(([high, low, text]) => {
    svg("rect", { x: LANE.left, y: atY(high), width: end - LANE.left, height: atY(low) - atY(high), class: "beyond" }, root);
    svg("text", { x: LANE.left + 4, y: atY((high + low) / 2) + 4 }, root).textContent = text;
  });
  [1, -1].forEach((y) => svg("line", { x1: LANE.left, x2: end, y1: atY(y), y2: atY(y), stroke: `var(--${radius.name})`, "stroke-width": 1.5 }, root));
  svg("line", { x1: LANE.left, x2: end, y1: atY(0), y2: atY(0), class: "grid" }, root);
  svg("text", { x: LANE.left, y: 15, class: "label" }, root).textContent = laneTitle(radius);
  ticks({ log: true, domain: [0.8, Math.max(mostPulls, 2) * 1.15] }).forEach((value) => {
    svg("text", { x: atX(value), y: floor + 14, "text-anchor": "middle" }, root).textContent = tickText(value);
  });
  svg("text", { x: (LANE.left + end) / 2, y: LANE.height - 4, "text-anchor": "middle" }, root).textContent = "responses of the arm";
  study.traces.forEach((points, k) => {
    const seen = points.filter(([, , t]) => t <= until);
    if (seen.length === 0) return;
    const path = seen.map(([n, y], i) => `${i ? "L" : "M"}${atX(n).toFixed(1)},${atY(held(y)).toFixed(1)}`).join("");
    svg("path", { d: path, class: "curve", stroke: `var(--${radius.name})`, "stroke-opacity": 0.8 }, root);
    const [n, y] = seen.at(-1);
    const mark = svg("g", { transform: `translate(${atX(n)},${atY(held(y))})` }, root);
    if (seen.length < points.length || !study.wrong[k]) svg("path", { d: MARKS.circle(3.5), fill: `var(--${radius.name})` }, mark);
    else svg("path", { d: MARKS.cross(6), stroke: "var(--wrong)", "stroke-width": 3 }, mark);
  });
  host.replaceChildren(root);
}

const laneTitle = (radius) => (radius.name === "printed" ? "Algorithm 2 as printed" : `Exact coins (radius ${radius.label})`);

function laneText(radius, study, ended) {
  if (!ended) return `${laneTitle(radius)}: running`;
  const wrong = study.wrong.filter(Boolean).length;
  const people = study.time === 1 ? "1 response" : `${whole(study.time)} responses`;
  return `${laneTitle(radius)}: stops after ${people}, ${wrong ? `WRONG on ${wrong === 1 ? "one arm" : `${wrong} arms`}` : "right"}.`;
}

let race = { seed: 0, frame: 0 };

// The first study shown: where a single response can end it wrong, one in which the printed radius errs.
function firstSeed(settings) {
  if (!printedFails(settings)) return 1;
  const edges = edgesOf(raceRadii()[0], settings, settings.epsilon, settings.delta);
  const seeds = Array.from({ length: RACE.studies }, (_, i) => i + 1);
  return seeds.find((seed) => runStudy(settings, settings.epsilon, edges, seed).wrong[0]) ?? 1;
}

// Run and show the next study; without motion where the reader asked for none.
function startRace(settings, seed = race.seed + 1) {
  cancelAnimationFrame(race.frame);
  const studies = raceRadii().map((radius) => runStudy(settings, settings.epsilon, edgesOf(radius, settings, settings.epsilon, settings.delta), seed, true));
  race = { seed, frame: 0, studies };
  const last = Math.max(...studies.map((one) => one.time));
  const mostPulls = Math.max(...studies.flatMap((one) => one.traces.map((points) => points.at(-1)[0])));
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const began = performance.now();
  const frame = (now) => {
    const share = still ? 1 : Math.min(1, (now - began) / (1000 * RACE.seconds));
    const until = share === 1 ? last : Math.exp(share * Math.log(last + 1));
    raceRadii().forEach((radius, i) => {
      drawLane(field(`lane-${radius.name}`), radius, studies[i], mostPulls, until);
      field(`lane-${radius.name}-text`).textContent = laneText(radius, studies[i], until >= studies[i].time);
    });
    if (share < 1) race.frame = requestAnimationFrame(frame);
  };
  frame(began);
}

let tally = { key: "" };

// Count wrong answers over many studies, in steps, so that the page stays responsive.
function startTally(settings) {
  const edges = raceRadii().map((radius) => edgesOf(radius, settings, settings.epsilon, settings.delta));
  tally = { key: settingsKey(settings), settings, edges, done: 0, wrong: raceRadii().map(() => 0) };
  setTimeout(tallyMore, 0, tally);
}

function tallyMore(count) {
  if (count !== tally) return;
  const stop = performance.now() + 40;
  while (count.done < RACE.studies && performance.now() < stop) {
    count.done += 1;
    count.edges.forEach((edges, i) => {
      if (runStudy(count.settings, count.settings.epsilon, edges, count.done).wrong.some(Boolean)) count.wrong[i] += 1;
    });
  }
  showTally(count);
  if (count.done < RACE.studies) setTimeout(tallyMore, 0, count);
}

function showTally(count) {
  const [printed, coin] = count.wrong;
  const promised = shown(count.settings.delta * RACE.studies);
  field("race-count").textContent = `${count.done} studies: Algorithm 2 as printed was wrong in ${printed}, exact coins in ${coin}. Promised: at most about ${promised} of ${RACE.studies}.`;
  if (!field("sentence").classList.contains("error")) showSentence(count.settings); // a mistake stays
  field("race-count").dataset.done = count.done;
  field("race-count").dataset.wrong = JSON.stringify(count.wrong);
}

// The race of the present settings: cleared when they change, refused when it would take long.
function showRace(settings) {
  const cost = settings.unresolvable ? Infinity : raceCost(settings);
  const long = !(cost <= RACE.mostPulls);
  field("race-next").disabled = long;
  field("race-many").disabled = long || cost * RACE.studies * settings.means.length > RACE.mostTotal;
  field("race-note").textContent = long
    ? "A study of this setting takes too many responses to be shown; choose a larger ε or an easier problem."
    : `Each line is the evidence of one arm, in units of its edge. Both halves read the same responses; × marks a wrong answer.${printedFails(settings) ? " The first study shown is one in which the printed radius errs; the count is over all." : ""}`;
  if (tally.key === settingsKey(settings)) return;
  tally = { key: settingsKey(settings) };
  field("race-count").textContent = "";
  if (!long) startRace(settings, firstSeed(settings));
  else raceRadii().forEach(({ name }) => { field(`lane-${name}`).replaceChildren(); field(`lane-${name}-text`).textContent = ""; });
  if (!field("race-many").disabled) startTally(settings);
}
