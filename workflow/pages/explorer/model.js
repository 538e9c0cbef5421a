// The mathematics of the page: the same formulas as ldpt.privacy, .instances, .radii and .bounds.
"use strict";

// What the pipeline put into the page: its tables of radii and policies, and what it measured.
const DATA = JSON.parse(document.getElementById("data").textContent, (key, value) => (value === "inf" ? Infinity : value));
const RADII = DATA.radii; // name, label, valid, family, factor: rows of ldpt.radii.KINDS
const POLICIES = DATA.policies; // name, label, log_weight: index policies of ldpt.policies.POLICIES

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

// Variance proxy of a coin that lies exactly at the private threshold (Kearns, Saul 1998).
function thresholdVariance(threshold, epsilon) {
  const x = shrinkage(epsilon) * (1 - 2 * threshold);
  return x === 0 || Math.abs(x) >= 1 ? 0.25 : (0.25 * x) / Math.atanh(x);
}

// The boundary of a radius with the numbers of a problem filled in, as ldpt.radii.Radius.at does it.
function edgeOf(radius, problem, epsilon, delta) {
  const arms = problem.means.length;
  const { family, factor } = radius;
  if (family === "UNION") return { family, factor, term: Math.log((4 * arms) / delta), rho: DATA.rho };
  if (family === "TWO_SIDED") return { family, factor, term: 2 * Math.log(arms / delta), rho: DATA.rho };
  const variance = thresholdVariance(problem.threshold, epsilon);
  return { family, factor: variance, term: Math.log(arms / delta), rho: (variance / (shrinkage(epsilon) * DATA.priorGap)) ** 2 };
}

// b(n, t): how far s - n tau_eps must be from 0 for an arm with n pulls to be decided at time t.
function boundary(edge, n, t) {
  if (edge.family === "UNION") return Math.sqrt(edge.factor * n * (edge.term + 3 * Math.log(t)));
  const width = edge.factor * n + edge.rho;
  if (edge.family === "TWO_SIDED") return Math.sqrt(width * (Math.log(width / edge.rho) + edge.term));
  // log((A + 1) / 2) from log A, because A itself overflows for a small delta
  const logarithm = edge.term + 0.5 * Math.log(width / edge.rho);
  return Math.sqrt(2 * width * (logarithm + Math.log1p(Math.exp(-logarithm)) - Math.LN2));
}

// Where a value that is negative at first turns positive for good: bisection in log n.
function root(value) {
  let low = 0;
  let high = 80;
  for (let step = 0; step < 100; step += 1) {
    const middle = (low + high) / 2;
    if (value(Math.exp(middle)) > 0) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}

// Every gap with the number of arms that have it.
function countedGaps(problem, epsilon) {
  const counted = new Map();
  gapsOf(problem, 0).forEach((gap) => {
    const shrunk = gap * shrinkage(epsilon);
    counted.set(shrunk, (counted.get(shrunk) ?? 0) + 1);
  });
  return [...counted];
}

// Where the drift of one arm crosses its boundary: n gap = b(n). The second term is what fluctuations
// add to that to first order: gap e = b' e + b'' Var(N) / 2, with Var(N) of a walk of variance 1/4
// per step that leaves a line.
function crossing(gap, bound) {
  const n = root((pulls) => pulls * gap - bound(pulls));
  const h = Math.max(1e-3 * n, 1e-6);
  const slope = (bound(n + h) - bound(n - h)) / (2 * h);
  const bend = (bound(n + h) - 2 * bound(n) + bound(n - h)) / h ** 2;
  const lead = Math.max(gap - slope, 0.05 * gap);
  const correction = (bend * n) / (8 * lead ** 3);
  return Math.max(1, n + Math.max(correction, -n / 2));
}

// Approximate E[T] of Algorithm 2: every arm on its own, all at the time at which the last one ends.
function expectedPulls(problem, epsilon, delta, radius) {
  const gaps = countedGaps(problem, epsilon);
  if (gaps.some(([gap]) => gap === 0)) return Infinity;
  const edge = edgeOf(radius, problem, epsilon, delta);
  let total = Math.max(problem.means.length, complexity(problem, epsilon, 0));
  for (let round = 0; round < 40; round += 1) {
    const time = total;
    total = sum(gaps.map(([gap, count]) => count * crossing(gap, (n) => boundary(edge, n, time))));
    if (edge.family !== "UNION" || Math.abs(total - time) < 1e-9 * total) break;
  }
  return total;
}

// Proved upper bound on E[T] of the radius `onesided`: for every arm the root of n gap = b(n) + 1.
function confidenceUpper(problem, epsilon, delta) {
  const edge = edgeOf(RADII.find((one) => one.name === "onesided"), problem, epsilon, delta);
  const pulls = (gap) => root((n) => n * gap - boundary(edge, n, 1) - 1);
  return sum(countedGaps(problem, epsilon).map(([gap, count]) => count * pulls(gap)));
}

// What every eps-LDP algorithm pays (contraction of divergence by tanh(eps/2)^2).
function confidenceLower(problem, epsilon, delta) {
  const evidence = delta < 0.5 ? (1 - 2 * delta) * Math.log((1 - delta) / delta) : 0; // kl(delta, 1 - delta)
  const contraction = shrinkage(epsilon) ** 2;
  const cost = problem.means.map((mean) => contraction * bernoulliKl(mean, problem.threshold));
  return evidence * sum(cost.map((c) => 1 / c));
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

// The bound on the error of `lsa` (ldpt.bounds, version "lsa"): as above, with its own shares. Arms with
// the same gap and the same say are counted together.
function lsaUpper(problem, epsilon, budget) {
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
  const weight = POLICIES.find((one) => one.name === "lsa").log_weight;
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

// Theorem 3.2 with the contraction of divergence; over the environments B^0..B^K.
function budgetLower(problem, epsilon, budget) {
  const clip = (value) => Math.min(1, Math.max(0, value));
  const contraction = shrinkage(epsilon) ** 2;
  const cost = problem.means.map((mean) => {
    const half = Math.abs(mean - problem.threshold) / 2 + problem.tolerance;
    return contraction * bernoulliKl(clip(problem.threshold + half), clip(problem.threshold - half));
  });
  return 0.25 * Math.exp(-budget / sum(cost.map((c) => 1 / c)));
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
    const plain = Math.abs(drift[k]) / Math.sqrt(pulls[k]) + tolerance * Math.sqrt(pulls[k]);
    index[k] = plain * plain + policy.log_weight * Math.log(pulls[k]);
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
