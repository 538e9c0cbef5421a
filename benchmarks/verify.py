"""Check the laws of the engines on random settings: `make verify`, about ten minutes.

    python benchmarks/verify.py [--minutes 10] [--seed N] [--only CHECK ...] [--rounds N]

Tapes show that a fast engine takes the literal engine's path; they cannot see a wrong probability.
This script draws random settings (thresholds .02 to .98, tolerances, means 0 and 1, up to 2000
arms, epsilon .001 to inf, one and many budgets, every policy and radius) and compares the fast with
the literal engines, both with exact chains, importance sampling with exact chains, and each random
primitive with its law at the sizes where it is used. Every comparison gives a p-value; the exit
status is 1 if the least of them, adjusted by Holm's method, is below 0.001. The seed is the day,
so that every day checks other settings. ``benchmarks/faults.py`` plants faults and shows that they
are found.
"""

import argparse
import datetime
import math
import sys
import time
from collections.abc import Callable, Iterator

import mpmath
import numpy as np
from scipy.stats import binom, binomtest, chi2_contingency, chisquare, hypergeom, kstest, norm

from ldpt import exact
from ldpt import rare_events as rare
from ldpt.engines import blocks, sources
from ldpt.engines.boundaries import Arms
from ldpt.engines.budget_runs import fast_losses, literal_losses, uniform_losses
from ldpt.engines.confidence_runs import Runs, fixed_confidence_runs
from ldpt.engines.fast_budget import fixed_budget_fast
from ldpt.engines.indices import LossCriterion
from ldpt.engines.jit import compiled
from ldpt.engines.literal_budget import fixed_budget_literal
from ldpt.instances import Instance
from ldpt.policies import INDEX_POLICIES, POLICIES
from ldpt.radii import RADII, Radius

ALARM = 1e-3  # Holm-adjusted p-value below which a law counts as wrong
LITERAL_STEPS = 2 * 10**7  # of one comparison: the literal engines look at every arm for each pull
EPSILONS = (0.001, 0.02, 0.1, 0.5, 1.0, 4.0, math.inf)
NO_LIMIT = np.iinfo(np.int64).max
PValues = Iterator[tuple[str, float]]  # what was compared, and the p-value


def same_law(first: np.ndarray, second: np.ndarray) -> float:
    """Return the p-value of a chi-squared test on quantile bins of both samples together."""
    pooled = np.concatenate([first, second])
    cuts = np.unique(np.quantile(pooled, np.linspace(0, 1, 13)[1:-1], method="inverted_cdf"))
    table = np.array([np.bincount(np.searchsorted(cuts, x), minlength=cuts.size + 1)
                      for x in (first, second)])  # fmt: skip
    table = table[:, table.sum(axis=0) > 0]
    return float(chi2_contingency(table).pvalue) if table.shape[1] > 1 else 1.0


def same_patterns(first: np.ndarray, second: np.ndarray) -> float:
    """Return the p-value of a chi-squared test on rows of flags; rare rows count together."""
    rows, numbers = np.unique(np.vstack([first, second]), axis=0, return_inverse=True)
    counts = np.array([
        np.bincount(part, minlength=len(rows))
        for part in np.split(numbers.ravel(), [len(first)])
    ])  # fmt: skip
    scarce = counts.sum(axis=0) < 20
    table = np.column_stack([counts[:, ~scarce], counts[:, scarce].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return float(chi2_contingency(table).pvalue) if table.shape[1] > 1 else 1.0


def fits(sample: np.ndarray, chances: np.ndarray) -> float:
    """Return the p-value of a chi-squared test of whole numbers against their probabilities."""
    counts = np.bincount(sample, minlength=chances.size)
    if counts[chances == 0].sum() > 0 or counts.size > chances.size:
        return 0.0
    bins = (np.cumsum(chances) * 0.999999 * 20).astype(int)  # about 20 of equal probability
    observed, expected = (np.bincount(bins, part) for part in (counts, chances * sample.size))
    common = expected >= 5
    if common.sum() < 2:
        return 1.0
    for part in (observed, expected):  # what is rare counts with the last common bin
        part[np.flatnonzero(common)[-1]] += part[~common].sum()
    return float(chisquare(observed[common], expected[common]).pvalue)


def equals(value: float, expected: float) -> float:
    """Return 1 if a number has ten digits in common with the expected one, else 0."""
    return float(abs(value - expected) <= 1e-10 * abs(expected))


def draw_problem(rng: np.random.Generator, most_arms: int) -> Instance:
    """Draw a problem: few arms mostly, near the threshold, sometimes with means 0 and 1."""
    n_arms = int(rng.integers(1, 8)) if rng.random() < 0.8 else int(rng.integers(8, most_arms + 1))
    tau = float(rng.choice([0.02, 0.1, 0.3, 0.5, 0.9, 0.98, rng.uniform(0.02, 0.98)]))
    means = np.clip(tau + rng.choice([0.02, 0.1, 0.4]) * rng.standard_normal(n_arms), 0, 1)
    if rng.random() < 0.2:
        means[rng.integers(n_arms)] = rng.integers(2)
    means[np.abs(means - tau) < 1e-3] = tau + (0.05 if tau < 0.9 else -0.05)
    return Instance("verify", means.tolist(), tau, float(rng.choice([0.0, 0.0, 0.01, 0.1])))


def literal_size(n_arms: int, pulls: int) -> tuple[int, int]:
    """Return pulls and number of runs that the literal engine makes in a second or two."""
    steps = LITERAL_STEPS // n_arms
    pulls = min(pulls, max(3 * n_arms, steps // 50))
    return pulls, int(np.clip(steps // pulls, 50, 2000))


def budget_engines(rng: np.random.Generator) -> PValues:
    """Compare pulls, sums and losses of the two engines of Algorithm 1."""
    problem, epsilon = draw_problem(rng, 2000), float(rng.choice(EPSILONS))
    policy, n_arms = str(rng.choice(INDEX_POLICIES)), problem.n_arms
    last, runs = literal_size(n_arms, int(rng.choice([10, 100, 1000])) * n_arms)
    budgets = np.unique(np.append(rng.integers(2 * n_arms, last + 1, rng.integers(0, 9)), last))
    means = problem.private_means(epsilon)
    rule = POLICIES[policy].rule(problem.threshold, problem.tolerance, epsilon)
    projection = rng.standard_normal((2, budgets.size, n_arms)) / np.sqrt(budgets)[:, None]
    states: list[np.ndarray] = []
    for engine in (fixed_budget_literal, fixed_budget_fast):
        pulls, sums = np.zeros((2, budgets.size, n_arms), np.int64)
        made = []
        for _ in range(runs):
            engine(rng, means, rule, budgets, pulls, sums)
            moves = sums - pulls * rule.tau
            made.append(((pulls * projection[0]).sum(), (moves * projection[1]).sum()))
        states.append(np.array(made))
    where = f"{policy}, K = {n_arms}, epsilon = {epsilon:g}, T = {last}"
    yield f"pulls of {where}", same_law(states[0][:, 0], states[1][:, 0])
    yield f"sums of {where}", same_law(states[0][:, 1], states[1][:, 1])
    criterion = LossCriterion(budgets, problem.must_accept, problem.must_reject)
    losses = [np.empty((factor * runs, budgets.size), np.bool_) for factor in (1, 4)]
    literal_losses(rng, means, rule, criterion, sums, losses[0])
    fast_losses(rng, means, rule, criterion, losses[1])
    yield f"losses of {where}", same_patterns(*losses)


def confidence_engines(rng: np.random.Generator) -> PValues:
    """Compare stopping times, pulls, sums and answers of the two engines of Algorithm 2."""
    problem, epsilon = draw_problem(rng, 2000), float(rng.choice(EPSILONS))
    name, delta = str(rng.choice(RADII)), float(rng.choice([0.3, 0.1, 0.01, 1e-4]))
    edge = Radius(name).at(problem.n_arms, delta, problem.threshold, epsilon)
    arms = Arms(problem.private_means(epsilon), problem.private_threshold(epsilon))
    cap = problem.n_arms * int(rng.choice([300, 3000, 10**5]))
    cap, runs = literal_size(problem.n_arms, cap)
    made = []
    for fast in (False, True):
        size = 4 * runs if fast else runs
        run = Runs(np.empty(size, np.int64), *np.empty((2, size, problem.n_arms), np.int64))
        fixed_confidence_runs(rng, fast, arms, edge, cap, run)
        made.append(run)
    where = f"{name}, K = {problem.n_arms}, epsilon = {epsilon:g}, delta = {delta:g}, cap {cap}"
    yield f"times of {where}", same_law(made[0].stopping_times, made[1].stopping_times)
    weights = rng.standard_normal((2, problem.n_arms))
    moves = [run.sums - run.pulls * arms.tau for run in made]
    yield f"pulls of {where}", same_law(*(run.pulls @ weights[0] for run in made))
    yield f"sums of {where}", same_law(*(move @ weights[1] for move in moves))
    yield f"answers of {where}", same_patterns(*(move[:, :12] >= 0 for move in moves))


def budget_chains(rng: np.random.Generator) -> PValues:
    """Compare both engines of Algorithm 1 with exact losses of one or two arms."""
    n_arms, policy = int(rng.integers(1, 3)), str(rng.choice(INDEX_POLICIES))
    tau, epsilon = float(rng.choice([0.1, 0.5, 0.9])), float(rng.choice([0.5, 1.0, 4.0, math.inf]))
    means = np.clip(tau + rng.choice([-0.3, -0.1, 0.05, 0.1, 0.3], n_arms), 0, 1)
    problem = Instance("verify", means.tolist(), tau)
    budgets = np.unique(rng.integers(2 * n_arms, 80, 3))
    chances = exact.fixed_budget_losses(problem, epsilon, budgets.tolist(), policy)
    rule = POLICIES[policy].rule(tau, 0.0, epsilon)
    criterion = LossCriterion(budgets, problem.must_accept, problem.must_reject)
    literal, fast = np.empty((2, 20_000, budgets.size), np.bool_)
    responses, sums = problem.private_means(epsilon), np.zeros((budgets.size, n_arms), np.int64)
    literal_losses(rng, responses, rule, criterion, sums, literal)
    fast_losses(rng, responses, rule, criterion, fast)
    for name, losses in (("literal", literal), ("fast", fast)):
        for c, budget in enumerate(budgets):
            where = f"{name} {policy} {means.round(2)}, T = {budget}"
            errors = int(losses[:, c].sum())
            yield f"exact loss, {where}", binomtest(errors, len(losses), chances[c]).pvalue


def baselines(rng: np.random.Generator) -> PValues:
    """Compare uniform allocation with binomials, and the Laplace baseline with a NumPy loop."""
    problem, epsilon = draw_problem(rng, 10), float(rng.choice(EPSILONS[1:-1]))
    n_arms, budget = problem.n_arms, int(rng.integers(2, 60)) * problem.n_arms
    criterion = LossCriterion(np.array([budget]), problem.must_accept, problem.must_reject)
    tau, means = problem.private_threshold(epsilon), problem.private_means(epsilon)
    losses, share = np.empty((20_000, 1), np.bool_), budget // n_arms
    uniform_losses(rng, means, tau, criterion, losses)
    low = binom.cdf(math.floor(share * tau), share, means)  # s > n tau is returned
    right = np.where(criterion.must_accept, 1 - low, np.where(criterion.must_reject, low, 1.0))
    chance = float(np.clip(1 - np.prod(right), 0, 1))
    where = f"K = {n_arms}, epsilon = {epsilon:g}, T = {budget}"
    yield f"uniform, {where}", binomtest(int(losses.sum()), losses.size, chance).pvalue
    rule = POLICIES["laplace"].rule(problem.threshold, problem.tolerance, epsilon)
    rewards, noisy = np.array(problem.means), losses[:2000]
    source = sources.LaplaceRewards(rng, 1 / epsilon)
    literal_losses(source, rewards, rule, criterion, np.zeros((1, n_arms)), noisy)
    runs = np.arange(2000)
    n, s = np.zeros((2, runs.size, n_arms))
    for t in range(budget):
        arm = np.full(runs.size, t)
        if t >= n_arms:
            reach = np.abs(s - n * rule.tau) + n * rule.zeta
            arm = np.argmin(reach * reach / n, axis=1)
        n[runs, arm] += 1
        s[runs, arm] += rng.random(runs.size) < rewards[arm]
        s[runs, arm] += rng.laplace(0, 1 / epsilon, runs.size)
    above = s > n * rule.tau
    wrong = (above & criterion.must_reject) | (~above & criterion.must_accept)
    yield f"laplace, {where}", same_patterns(noisy, wrong.any(axis=1, keepdims=True))


def confidence_chains(rng: np.random.Generator) -> PValues:
    """Compare both engines of Algorithm 2 with exact errors and stopping times of one arm."""
    tau, name = float(rng.choice([0.1, 0.5, 0.9])), str(rng.choice(RADII))
    problem = Instance("verify", [min(1.0, tau + float(rng.choice([-0.1, 0.06, 0.1])))], tau)
    epsilon, delta = float(rng.choice([1.0, 4.0, math.inf])), float(rng.choice([0.3, 0.1]))
    caps = (10, 30, 100, 200, 400, 700, 1000, 1500, 2000, 3000)
    chains = [exact.fixed_confidence_error(problem, epsilon, delta, name, cap) for cap in caps]
    chances = -np.diff([1.0, *(chain.undecided for chain in chains), 0.0])
    edge = Radius(name).at(1, delta, tau, epsilon)
    arms = Arms(problem.private_means(epsilon), problem.private_threshold(epsilon))
    above = problem.means[0] >= tau
    for fast in (False, True):
        run = Runs(np.empty(4000, np.int64), *np.empty((2, 4000, 1), np.int64))
        fixed_confidence_runs(rng, fast, arms, edge, caps[-1], run)
        stopped = run.stopping_times >= 0
        wrong = stopped & ((run.sums[:, 0] - run.pulls[:, 0] * arms.tau >= 0) != above)
        where = f"{'fast' if fast else 'literal'} {name}, tau = {tau}, epsilon = {epsilon:g}"
        error = chains[-1].error
        yield f"exact error, {where}", binomtest(int(wrong.sum()), wrong.size, error).pvalue
        times = np.where(stopped, run.stopping_times, caps[-1] + 1)
        yield f"exact times, {where}", fits(np.searchsorted(caps, times), np.maximum(chances, 0))


def rare_chains(rng: np.random.Generator) -> PValues:
    """Compare importance sampling with exact chains."""
    tau, gap = 0.5, float(rng.choice([0.1, 0.2, 0.3]))
    problem = Instance("verify", [tau - gap, tau + gap], tau)
    policy, budget = str(rng.choice(INDEX_POLICIES)), int(rng.integers(40, 90))
    loss = exact.fixed_budget_loss(problem, 2.0, budget, policy)
    seed = int(rng.integers(2**32))
    estimate = rare.fixed_budget_error(problem, 2.0, budget, 20_000, seed, policy)
    if estimate.reliable:
        z = (estimate.probability - loss) / estimate.standard_error
        yield f"importance sampling of {policy}, T = {budget}", float(2 * norm.sf(abs(z)))
    one, name = Instance("verify", [0.6], 0.5), str(rng.choice(RADII))
    delta = float(rng.choice([0.1, 1e-3, 1e-6]))
    error = exact.fixed_confidence_error(one, 2.0, delta, name).error
    estimate = rare.fixed_confidence_error(one, 2.0, delta, 20_000, seed, name)
    if estimate.reliable:
        z = (estimate.probability - error) / estimate.standard_error
        yield f"importance sampling of {name}, delta = {delta:g}", float(2 * norm.sf(abs(z)))


@compiled
def draw_parts(rng: np.random.Generator, m: int, ones: int, total: int, size: int) -> np.ndarray:
    """Return draws of :func:`ldpt.engines.sources.hypergeometric`."""
    sample = np.empty(size, np.int64)
    for i in range(size):
        sample[i] = sources.hypergeometric(rng, m, ones, total)
    return sample


@compiled
def draw_words(rng: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """Return draws of :func:`ldpt.engines.sources.bernoulli_word`."""
    sample = np.empty(size, np.int64)
    for i in range(size):
        sample[i] = sources.bernoulli_word(rng, mean)
    return sample


@compiled
def draw_edges(
    rng: np.random.Generator, m: int, ones: int, inner: int, outer: int, size: int
) -> tuple[int, np.ndarray]:
    """Return touches of one edge and of two by :func:`ldpt.engines.sources.reflected_edges`."""
    touches, nested = 0, np.zeros(3, np.int64)
    near = sources.Edges(inner, sources.NO_EDGE)
    far = sources.Edges(outer, sources.NO_EDGE)
    for _ in range(size):
        touches += sources.reflected_edges(rng, m, ones, near, near) != 0
        nested[sources.reflected_edges(rng, m, ones, near, far)] += 1
    return touches, nested


@compiled
def draw_first_touches(
    rng: np.random.Generator, m: int, ones: int, edge: int, size: int
) -> np.ndarray:
    """Return the pulls at which blocks are cut by :func:`ldpt.engines.blocks.end_before_touch`."""
    sample, active = np.empty(size, np.int64), np.zeros(1, blocks.ARM)
    for i in range(size):
        active[0].urn = 0
        active[0].pulls, active[0].ones = m, ones
        blocks.end_before_touch(rng, 0, 0, edge, active)
        sample[i] = active[0].pulls + 1
    return sample


def log_choose(n: int, k: int) -> mpmath.mpf:
    """Return the logarithm of n over k in many digits."""
    return mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)


def touch_chance(m: int, ones: int, edge: int) -> float:
    """Return the probability that a walk of m steps which ends below the edge touches it."""
    with mpmath.workdps(50):
        return float(mpmath.exp(log_choose(m, m - ones + edge) - log_choose(m, ones)))


def first_touch_chances(m: int, ones: int, edge: int) -> np.ndarray:
    """Return the law of the first touch, from 0 on, given that there is one (ballot theorem)."""
    weights = [0] * (m + 1)
    for k in range(edge, m + 1, 2):
        before = (k + edge) // 2
        if 0 <= ones - before <= m - k:
            weights[k] = edge * math.comb(k, before) * math.comb(m - k, ones - before) // k
    return np.array([weight / sum(weights) for weight in weights])


def sums_and_parts(rng: np.random.Generator) -> PValues:
    """Compare words, binomials and hypergeometrics with their laws, up to 10^13 responses."""
    mean = float(rng.choice([0.5, 0.515, 0.02, rng.random()]))
    words = draw_words(rng, mean, 50_000)
    ones, chances = np.zeros(words.size, np.int64), binom.pmf(np.arange(63), 62, mean)
    for j in range(62):
        ones += words >> j & 1
    yield f"word of mean {mean:.3g}", fits(ones, chances)
    pairs = np.outer([1 - mean, mean], [1 - mean, mean]).ravel()
    j = int(rng.integers(61))
    yield f"bits {j}, {j + 1} of mean {mean:.3g}", fits(words >> j & 3, pairs)
    total = int(rng.choice([100, 1000, 10_000]))
    ones_in_all, m = int(total * rng.choice([0.5, 0.3, 0.02])), total // 2
    chances = hypergeom.pmf(np.arange(m + 1), total, ones_in_all, m)
    sample = draw_parts(rng, m, ones_in_all, total, 100_000)
    yield f"hypergeometric, {total} responses", fits(sample, np.maximum(chances, 1e-300))
    total = int(10 ** rng.uniform(6, 13))
    share = float(rng.choice([0.5, 0.3, 0.02]))
    many, m = int(total * share), int(total * rng.choice([0.5, 0.01]))
    mode = (m + 1) * (many + 1) // (total + 2)
    with mpmath.workdps(50):
        log_weight = log_choose(many, mode) + log_choose(total - many, m - mode)
        expected = float(mpmath.exp(log_weight - log_choose(total, m)))
    weight = sources.hypergeometric_weight(mode, m, many, total)
    yield f"weight of the mode, {total} responses", equals(weight, expected)
    sample = draw_parts(rng, m, many, total, 300)
    spread = math.sqrt(m / total * many * (total - many) / (total - 1) * (1 - m / total))
    z = (sample + rng.random(sample.size) - 0.5 - many * (m / total)) / spread
    yield f"hypergeometric, {total} responses", kstest(z, "norm").pvalue
    sample = np.array([sources.binomial(rng, total, share) for _ in range(3000)])
    z = (sample + rng.random(sample.size) - 0.5 - total * share) / math.sqrt(
        total * share * (1 - share)
    )
    yield f"binomial, {total} responses", kstest(z, "norm").pvalue


def edges_of_walks(rng: np.random.Generator) -> PValues:
    """Compare touches of edges and cuts of blocks with their laws, up to 10^13 responses."""
    m = int(10 ** rng.uniform(2.5, 13))
    edge, ones = int(rng.choice([0.7, 1.0, 1.5]) * math.sqrt(m)), m // 2 - int(rng.integers(9))
    chance = sources.touch_probability(m, ones, edge)
    yield f"chance to touch {edge} in {m} steps", equals(chance, touch_chance(m, ones, edge))
    m = int(rng.choice([62, 300, 3000, 30_000]))
    inner, ones, draws = int(rng.choice([0.7, 1.0]) * math.sqrt(m)), m // 2, 400_000
    outer = inner + int(rng.integers(1, inner))
    touches, nested = draw_edges(rng, m, ones, inner, outer, draws)
    near, far = touch_chance(m, ones, inner), touch_chance(m, ones, outer)
    yield f"touch of {inner} in {m} steps", binomtest(int(touches), draws, near).pvalue
    expected = draws * np.array([1 - near, near - far, far])
    where = f"{inner} and {outer} in {m} steps"
    yield f"touches of {where}", float(chisquare(nested, expected).pvalue)
    m, edge = int(rng.choice([300, 301, 1000])), int(rng.integers(9, 30))
    ones = m // 2 + int(rng.integers(-4, 20))
    drawn = draw_first_touches(rng, m, ones, edge, 50_000)
    yield f"cut before {edge} in {m} steps", fits(drawn, first_touch_chances(m, ones, edge))
    m = int(10 ** rng.uniform(8, 13))
    a = float(rng.choice([0.5, 1.0]))
    drawn = draw_first_touches(rng, m, m // 2, int(a * math.sqrt(m)), 300)
    yield f"cut of {m} steps", kstest(drawn / m, lambda t: bridge_touch(t, a)).pvalue


def bridge_touch(t: np.ndarray, a: float) -> np.ndarray:
    """Return the law of the first touch of a by a Brownian bridge from 0 to 0 that touches it."""
    spread = np.sqrt(t * (1 - t))
    return norm.cdf(a * (2 * t - 1) / spread) + math.exp(2 * a * a) * norm.cdf(-a / spread)


CHECKS: dict[str, Callable[[np.random.Generator], PValues]] = {
    check.__name__: check
    for check in (
        budget_engines,
        confidence_engines,
        budget_chains,
        confidence_chains,
        baselines,
        rare_chains,
        sums_and_parts,
        edges_of_walks,
    )
}


def holm(values: list[float]) -> float:
    """Return the least p-value adjusted for their number."""
    return min(1.0, min(values) * len(values))


def run(
    seed: int, minutes: float, names: list[str], rounds: int = 10**9
) -> list[tuple[str, float]]:
    """Run the checks in turn until the time or the number of rounds is used up."""
    results: list[tuple[str, float]] = []
    end = time.monotonic() + 60 * minutes
    for number in range(rounds):
        for place, name in enumerate(names):
            results.extend(CHECKS[name](np.random.default_rng([seed, number, place])))
            if time.monotonic() > end:
                return results
    return results


def main() -> int:
    """Run the checks, print the least p-values and a verdict; return 1 if a law is wrong."""
    today = datetime.date.today()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(f"{today:%Y%m%d}"))
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=list(CHECKS))
    parser.add_argument("--rounds", type=int, default=10**9, help="end after so many rounds")
    options = parser.parse_args()
    results = run(options.seed, options.minutes, options.only, options.rounds)
    results.sort(key=lambda result: result[1])
    for what, value in results[:5]:
        print(f"p = {value:.2g}  {what}")
    least = holm([value for _, value in results])
    verdict = "a law is wrong" if least < ALARM else "no law is wrong"
    print(f"seed {options.seed}: {len(results)} comparisons, least p {least:.2g} (Holm): {verdict}")
    return int(least < ALARM)


if __name__ == "__main__":
    sys.exit(main())
