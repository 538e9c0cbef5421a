// The mathematics of the page: the same formulas as in ldpt.privacy, .instances, .radii, .policies and .bounds.
"use strict";

// What the pipeline put into the page: its tables of radii and policies, and what it measured.
const DATA = JSON.parse(document.getElementById("data").textContent, (key, value) => (value === "inf" ? Infinity : value));
const RADII = DATA.radii; // name, label, valid, family, factor: rows of ldpt.radii.KINDS
const POLICIES = DATA.policies; // name, label, log_weight, clipped, standardised: rows of ldpt.policies

const sum = (values) => values.reduce((total, value) => total + value, 0);

// tanh(eps / 2); Infinity means no privacy (Lemma 2.1).
const shrinkage = (epsilon) => Math.tanh(epsilon / 2);

const gapsOf = (problem, tolerance) =>
  problem.means.map((mean) => Math.abs(problem.threshold - mean) + tolerance);

// H_eps; Infinity when an arm lies at the threshold and there is no tolerance.
const complexity = (problem, epsilon, tolerance = problem.tolerance) =>
  sum(gapsOf(problem, tolerance).map((gap) => gap ** -2)) / shrinkage(epsilon) ** 2;

const bernoulliKl = (p, q) => {
  const term = (a, b) => (a === 0 ? 0 : b === 0 ? Infinity : a * Math.log(a / b));
  return term(p, q) + term(1 - p, 1 - q);
};

// --- fixed confidence ---------------------------------------------------------------------------

const privateMean = (mean, epsilon) => 0.5 + shrinkage(epsilon) * (mean - 0.5);

// Variance proxy of a coin that lies exactly at the private threshold (Kearns, Saul 1998).
function thresholdVariance(threshold, epsilon) {
  const x = shrinkage(epsilon) * (1 - 2 * threshold);
  return x === 0 || Math.abs(x) >= 1 ? 0.25 : (0.25 * x) / Math.atanh(x);
}

// psi_t(l) = log(1 - t + t e^l) - l t without cancellation; `rest` is 1 - t.
function psi(t, rest, l) {
  if (l < 2e-3) {
    const k2 = t * rest;
    const k3 = k2 * (rest - t);
    const k4 = k2 * (1 - 6 * k2);
    const k5 = k3 * (1 - 12 * k2);
    return l * l * (k2 / 2 + l * (k3 / 6 + l * (k4 / 24 + (l * k5) / 120)));
  }
  return t > 0.5 ? Math.log1p(rest * Math.expm1(-l)) + l * rest : Math.log1p(t * Math.expm1(l)) - l * t;
}

// The mixture of exact likelihood ratios on one side of `coin`: 400 nodes of a half-normal prior.
function coinSide(t, rest, sigma, level) {
  if (rest === 0) return null; // a response beyond a sure coin is impossible
  const nodes = Array.from({ length: 400 }, (_, j) => (8 + Math.sqrt(2 * level)) * sigma * 2 ** (-j / 8));
  const weights = nodes.map((l) => l * Math.exp((-l * l) / (2 * sigma * sigma)));
  const total = sum(weights);
  return {
    sure: t === 0, // at a threshold of 0 the first positive response decides
    lambda: Float64Array.from(nodes),
    kappa: Float64Array.from(nodes, (l) => psi(t, rest, l)),
    logWeight: Float64Array.from(weights, (w) => Math.log(w / total)),
  };
}

// log M(n, d), its derivative in d and the slope of its level set.
function coinEvidence(side, n, d) {
  const { lambda, kappa, logWeight } = side;
  let most = -Infinity;
  for (let j = 0; j < lambda.length; j += 1) most = Math.max(most, logWeight[j] + lambda[j] * d - n * kappa[j]);
  let [mass, first, cost] = [0, 0, 0];
  for (let j = 0; j < lambda.length; j += 1) {
    const weight = Math.exp(logWeight[j] + lambda[j] * d - n * kappa[j] - most);
    mass += weight;
    first += weight * lambda[j];
    cost += weight * kappa[j];
  }
  return { value: most + Math.log(mass), rise: first / mass, slope: cost / first };
}

// How far d must go for one side of `coin` to decide after n pulls: Newton's method from the right.
function coinEdge(side, level, n) {
  if (side === null) return Infinity;
  if (side.sure) return 0.5;
  let d = Infinity;
  side.lambda.forEach((l, j) => { d = Math.min(d, (level - side.logWeight[j] + side.kappa[j] * n) / l); });
  for (let step = 0; step < 60; step += 1) {
    const { value, rise } = coinEvidence(side, n, d);
    const move = (value - level) / rise;
    d -= move;
    if (Math.abs(move) < 1e-12 * (1 + Math.abs(d))) break;
  }
  return d;
}

// The boundary of a radius with the numbers of a problem filled in, as ldpt.radii.Radius.at does it.
function edgeOf(radius, problem, epsilon, delta) {
  const arms = problem.means.length;
  const { family, factor } = radius;
  if (family === "UNION") return { family, factor, term: Math.log((4 * arms) / delta), rho: DATA.rho };
  if (family === "TWO_SIDED") return { family, factor, term: 2 * Math.log(arms / delta), rho: DATA.rho };
  const variance = thresholdVariance(problem.threshold, epsilon);
  const term = Math.log(arms / delta);
  const scale = variance / (shrinkage(epsilon) * DATA.priorGap);
  if (family === "ONE_SIDED") return { family, factor: variance, term, rho: scale ** 2 };
  const half = shrinkage(epsilon) * (problem.threshold - 0.5);
  const [t, rest] = [0.5 + half, 0.5 - half];
  return { family, term, above: coinSide(t, rest, 1 / scale, term), below: coinSide(rest, t, 1 / scale, term) };
}

// An arm with n pulls is decided above the threshold when s - n tau_eps reaches upper(edge, n, t).
function upper(edge, n, t) {
  if (edge.family === "COIN") return coinEdge(edge.above, edge.term, n);
  if (edge.family === "UNION") return Math.sqrt(edge.factor * n * (edge.term + 3 * Math.log(t)));
  const width = edge.factor * n + edge.rho;
  if (edge.family === "TWO_SIDED") return Math.sqrt(width * (Math.log(width / edge.rho) + edge.term));
  // log((A + 1) / 2) from log A, because A itself overflows for a small delta
  const logarithm = edge.term + 0.5 * Math.log(width / edge.rho);
  return Math.sqrt(2 * width * (logarithm + Math.log1p(Math.exp(-logarithm)) - Math.LN2));
}

// The same for a decision below; only `coin` has two different edges.
function lower(edge, n, t) {
  return edge.family === "COIN" ? coinEdge(edge.below, edge.term, n) : upper(edge, n, t);
}

// Where a value that is negative at first turns positive for good: bisection in log n.
function root(value) {
  let low = 0;
  let high = 80;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (value(Math.exp(middle)) > 0) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}

// Every private gap and side with the number of arms that have them.
function countedGaps(problem, epsilon) {
  const counted = new Map();
  problem.means.forEach((mean) => {
    const gap = Math.abs(mean - problem.threshold) * shrinkage(epsilon);
    const above = mean >= problem.threshold;
    const key = `${gap} ${above}`;
    counted.set(key, { gap, above, count: (counted.get(key)?.count ?? 0) + 1 });
  });
  return [...counted.values()];
}

// The pulls n at which n gap exceeds the edge by `excess`.
function meeting(edge, { gap, above }, time, excess = 0) {
  if (edge.family !== "COIN") return root((n) => n * gap - upper(edge, n, time) - excess);
  const side = above ? edge.above : edge.below;
  if (side === null) return Infinity;
  if (side.sure) return root((n) => n * gap - 0.5 - excess);
  return root((n) => coinEvidence(side, n, n * gap - excess).value - edge.term);
}

// Where the drift of one arm crosses its boundary: n gap = b(n). The second term is what fluctuations
// add to that to first order: gap e = b' e + b'' Var(N) / 2, with Var(N) of a walk that leaves a line.
function crossing(edge, arm, time, variance) {
  const bound = (n) => (arm.above ? upper(edge, n, time) : lower(edge, n, time));
  const n = meeting(edge, arm, time);
  const h = Math.max(0.02 * n, 1e-6);
  const slope = (bound(n + h) - bound(n - h)) / (2 * h);
  const bend = (bound(n + h) - 2 * bound(n) + bound(n - h)) / h ** 2;
  const lead = Math.max(arm.gap - slope, 0.05 * arm.gap);
  const correction = (bend * n * variance) / (2 * lead ** 3);
  return Math.max(1, n + Math.max(correction, -n / 2));
}

// Approximate E[T] of Algorithm 2: each arm separately, all at the time at which the last one ends.
function expectedPulls(problem, epsilon, delta, radius) {
  const arms = countedGaps(problem, epsilon);
  if (arms.some(({ gap }) => gap === 0)) return Infinity;
  const edge = edgeOf(radius, problem, epsilon, delta);
  const variance = (arm) => {
    const p = privateMean(problem.threshold, epsilon) + (arm.above ? arm.gap : -arm.gap);
    return p * (1 - p);
  };
  let total = Math.max(problem.means.length, complexity(problem, epsilon, 0));
  for (let round = 0; round < 40; round += 1) {
    const time = total;
    total = sum(arms.map((arm) => arm.count * crossing(edge, arm, time, variance(arm))));
    if (edge.family !== "UNION" || Math.abs(total - time) < 1e-9 * total) break;
  }
  return total;
}

// Proved upper bound on E[T] of `coin`: for every arm the root of n gap = b(n) + overshoot, where one
// response overshoots by at most 1 - tau_eps above and tau_eps below.
function confidenceUpper(problem, epsilon, delta) {
  const edge = edgeOf(RADII.find((one) => one.name === "coin"), problem, epsilon, delta);
  const t = privateMean(problem.threshold, epsilon);
  return sum(countedGaps(problem, epsilon).map((arm) => arm.count * meeting(edge, arm, 1, arm.above ? 1 - t : t)));
}

// What every eps-LDP algorithm pays: the bound without privacy at the private means (Theorem D).
function confidenceLower(problem, epsilon, delta) {
  const evidence = delta < 0.5 ? (1 - 2 * delta) * Math.log((1 - delta) / delta) : 0; // kl(delta, 1 - delta)
  const t = privateMean(problem.threshold, epsilon);
  return evidence * sum(problem.means.map((mean) => 1 / bernoulliKl(privateMean(mean, epsilon), t)));
}

// --- fixed budget -------------------------------------------------------------------------------

// Theorem 3.1 as printed, and what is proved in the report: two arms must deviate together. The bound
// holds for every q in (0, 1); the least value on a grid is taken (as in bounds.py).
function budgetUpper(problem, epsilon, budget, version) {
  const arms = problem.means.length;
  const total = complexity(problem, epsilon);
  if (version === "printed") {
    return Math.exp(-budget / (4 * total) + 2 * arms * Math.log(Math.log(budget) + 1));
  }
  const { means, threshold, tolerance } = problem;
  const judged = means.filter((mean) => mean > threshold + tolerance || mean <= threshold - tolerance);
  const x = (arms === 1 ? budget : budget - arms) / total;
  const alone = sum(judged.map((mean) => {
    const gap = Math.abs(mean - threshold);
    return Math.exp(-2 * x * (gap / (gap + tolerance)) ** 2);
  }));
  if (arms === 1) return alone;
  let pair = Infinity;
  for (let step = 0; step < 200; step += 1) {
    const q = 10 ** (-3 + (3 * step) / 200);
    const scales = 1 + Math.log(budget - arms) / (4 * q);
    const z = (2 * (1 - q ** 2) * x) / (2 - q ** 2);
    pair = Math.min(pair, 2 * scales * (1 + z) * Math.exp(-z));
  }
  return alone + judged.length * (arms - 1) * pair;
}

// Pulls nu_k of the policy `lsa`: nu_k gap_k^2 + weight log nu_k is the same for all arms, and they sum
// to `pulls`. `arms` holds [gap, count]; Newton's method falls to the root from log(pulls).
function lsaShares(arms, pulls, weight) {
  const share = (level, gap) => {
    let u = Math.log(pulls);
    if (pulls * gap ** 2 + weight * u < level) return 2 * pulls; // too many, whatever the root
    for (let step = 0; step < 200; step += 1) {
      const grown = Math.exp(u) * gap ** 2;
      const move = (grown + weight * u - level) / (grown + weight);
      u -= move;
      if (Math.abs(move) < 1e-14 * Math.max(1, Math.abs(u))) break;
    }
    return Math.exp(u);
  };
  const heights = arms.map(([gap]) => pulls * gap ** 2);
  let [low, high] = [-100 * weight, Math.max(...heights) + weight * Math.log(pulls)];
  for (let step = 0; step < 100; step += 1) {
    const middle = (low + high) / 2;
    if (sum(arms.map(([gap, count]) => count * share(middle, gap))) > pulls) high = middle;
    else low = middle;
  }
  return arms.map(([gap]) => share(low, gap));
}

// The bound on the error of LSA with a weight of log n (ldpt.bounds): as above, with its own shares. Arms
// with the same gap and the same role are counted together.
function lsaUpper(problem, epsilon, budget, weight) {
  const { means, threshold, tolerance } = problem;
  const total = means.length;
  if (total === 1 || complexity(problem, epsilon) === Infinity) return budgetUpper(problem, epsilon, budget, "proved");
  const groups = new Map();
  means.forEach((mean) => {
    const judged = mean > threshold + tolerance || mean <= threshold - tolerance;
    const key = `${Math.abs(mean - threshold)} ${judged}`;
    const group = groups.get(key) ?? { gap: Math.abs(mean - threshold) + tolerance, judged, count: 0 };
    groups.set(key, { ...group, count: group.count + 1 });
  });
  const arms = [...groups.values()];
  const gaps = arms.map((one) => shrinkage(epsilon) * one.gap);
  const shares = lsaShares(arms.map((one, i) => [gaps[i], one.count]), budget - total, weight);
  const squares = shares.map((pulls, i) => pulls * gaps[i] ** 2);
  const own = (i) => (arms[i].gap - tolerance) / arms[i].gap;
  const alone = sum(arms.map((one, i) => (one.judged ? one.count * Math.exp(-2 * squares[i] * own(i) ** 2) : 0)));
  let pairs = Infinity;
  for (let step = 0; step < 200; step += 1) {
    const q = 10 ** (-3 + (3 * step) / 200);
    const a = 2 * (1 - q ** 2);
    const factor = 2 / (1 - ((1 + q) / (1 - q)) ** (-2 * a * weight));
    let found = 0;
    arms.forEach((one, i) => one.judged && arms.forEach((other, k) => {
      const z = Math.max(0, a * squares[i] - (a ** 2 / (a + 2)) * squares[k]);
      found += one.count * (other.count - (i === k ? 1 : 0)) * (1 + z) * Math.exp(-z);
    }));
    pairs = Math.min(pairs, factor * found);
  }
  return alone + pairs;
}

// A small seeded generator (sfc32): the same page shows the same curve to everybody.
function generator(seed) {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, seed >>> 0];
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let i = 0; i < 20; i += 1) next();
  return next;
}

// How many pulls of an arm are drawn at once: 1 where that is affordable, else a fiftieth of what the
// arm gets by T = H_eps, with normal instead of binomial responses.
function batchSizes(problem, epsilon) {
  return gapsOf(problem, problem.tolerance).map((gap) => {
    const size = Math.floor((gap * shrinkage(epsilon)) ** -2 / 50);
    return size < 16 ? 1 : size;
  });
}

// Weight of log n in a policy's index on this problem.
function logWeight(policy, problem, epsilon) {
  const t = privateMean(problem.threshold, epsilon);
  return policy.log_weight * (policy.standardised ? 4 * t * (1 - t) : 1);
}

// Errors of `runs` runs of an index policy at each of the rising budgets.
function simulateBudget(problem, epsilon, policy, budgets, runs, seed) {
  const random = generator(seed);
  const normal = () =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const c = shrinkage(epsilon);
  const arms = problem.means.length;
  const means = problem.means.map((mean) => 0.5 + c * (mean - 0.5));
  const threshold = 0.5 + c * (problem.threshold - 0.5);
  const tolerance = c * problem.tolerance;
  const weight = logWeight(policy, problem, epsilon);
  const [capAbove, capBelow] = policy.clipped ? [c * (1 - problem.threshold), c * problem.threshold] : [Infinity, Infinity];
  const accept = problem.means.map((mean) => mean > problem.threshold + problem.tolerance);
  const reject = problem.means.map((mean) => mean <= problem.threshold - problem.tolerance);
  const sizes = batchSizes(problem, epsilon);
  const pulls = new Float64Array(arms);
  const drift = new Float64Array(arms); // s - n tau_eps
  const index = new Float64Array(arms);
  const errors = new Array(budgets.length).fill(0);

  const pull = (k, size) => {
    let positives = 0;
    if (size === 1) positives = random() < means[k] ? 1 : 0;
    else {
      const spread = Math.sqrt(size * means[k] * (1 - means[k]));
      positives = Math.min(size, Math.max(0, Math.round(size * means[k] + spread * normal())));
    }
    pulls[k] += size;
    drift[k] += positives - size * threshold;
    const cap = pulls[k] * (drift[k] > 0 ? capAbove : capBelow);
    const plain = (Math.min(Math.abs(drift[k]), cap) + tolerance * pulls[k]) / Math.sqrt(pulls[k]);
    index[k] = plain * plain + weight * Math.log(pulls[k]);
  };
  const wrong = () => {
    for (let k = 0; k < arms; k += 1) {
      if (drift[k] > 0 ? reject[k] : accept[k]) return 1;
    }
    return 0;
  };
  for (let run = 0; run < runs; run += 1) {
    pulls.fill(0);
    drift.fill(0);
    for (let k = 0; k < arms; k += 1) pull(k, 1);
    let made = arms;
    for (let place = 0; place < budgets.length; place += 1) {
      while (made < budgets[place]) {
        let least = 0;
        for (let k = 1; k < arms; k += 1) if (index[k] < index[least]) least = k;
        const size = Math.min(sizes[least], budgets[place] - made);
        pull(least, size);
        made += size;
      }
      errors[place] += wrong();
    }
  }
  return errors;
}
