"""Check the laws of the engines on random settings: `make verify`, about ten minutes.

    python benchmarks/verify.py [--minutes 10] [--seed N] [--only CHECK ...] [--fault NAME]

Tapes show that a fast engine takes the literal engine's path; they cannot see a wrong probability.
This script draws random settings (thresholds .02 to .98, tolerances, means 0 and 1, up to 2000
arms, epsilon .001 to inf, one and many budgets, every policy and radius) and compares the fast with
the literal engines, both with exact chains, importance sampling with exact chains, and each random
primitive with its law at the sizes where it is used. Every comparison gives a p-value; the exit
status is 1 if the least of them, adjusted by Holm's method, is below 0.001. The seed is the day,
so that every day checks other settings. ``--fault`` plants a fault in a copy of the package first,
to show that it is found.
"""

import argparse
import datetime
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.stats import binomtest, chi2_contingency, chisquare, hypergeom, kstest, norm

from ldpt import exact, rare
from ldpt.engines import sources
from ldpt.engines.boundaries import Arms
from ldpt.engines.budget_runs import index_losses
from ldpt.engines.confidence_runs import Runs, fixed_confidence_runs
from ldpt.engines.fast_budget import fixed_budget_fast
from ldpt.engines.indices import Judge
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

FAULTS = {  # file, line as it is, line with the fault
    "touches 1 % too rare": (
        "engines/sources.py",
        "    ratio = 1.0\n",
        "    ratio = 0.99\n",
    ),
    "mode's weight 1 % too large": (
        "engines/sources.py",
        "    p = m / total\n    return math.exp(\n",
        "    p = m / total\n    return 1.01 * math.exp(\n",
    ),
    "blocks of Algorithm 2 end one pull early": (
        "engines/blocks.py",
        "    first = first_touch(source, arm, n, m, ones, edge)\n",
        "    first = max(2, first_touch(source, arm, n, m, ones, edge)) - 1\n",
    ),
    "edges one response too wide": (
        "engines/fast_budget.py",
        "    limit = min(limit, n)\n    d, slack = s - n * rule.tau, rounding_slack(n)\n",
        "    limit = min(limit, n)\n    d, slack = s - n * rule.tau, -1.0\n",
    ),
    "responses drawn again after an undone window": (
        "engines/fast_budget.py",
        "        state.head[k], state.tail[k] = start, filled\n",
        "        state.head[k], state.tail[k] = filled, filled\n",
    ),
}


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


def draw_problem(rng: np.random.Generator, most_arms: int) -> Instance:
    """Draw a problem: few arms mostly, near the threshold, sometimes with means 0 and 1."""
    n_arms = int(rng.integers(2, 8)) if rng.random() < 0.8 else int(rng.integers(8, most_arms + 1))
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
    judge = Judge(budgets, problem.must_accept, problem.must_reject)
    losses = [np.empty((factor * runs, budgets.size), np.bool_) for factor in (1, 4)]
    for fast in (False, True):
        index_losses(rng, fast, means, rule, judge, losses[fast])
    yield f"losses of {where}", same_patterns(*losses)


def confidence_engines(rng: np.random.Generator) -> PValues:
    """Compare stopping times, pulls, sums and answers of the two engines of Algorithm 2."""
    problem, epsilon = draw_problem(rng, 200), float(rng.choice(EPSILONS))
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
    problem, budget = Instance("verify", means.tolist(), tau), int(rng.integers(2 * n_arms, 80))
    loss = exact.fixed_budget_loss(problem, epsilon, budget, policy)
    rule = POLICIES[policy].rule(tau, 0.0, epsilon)
    judge = Judge(np.array([budget]), problem.must_accept, problem.must_reject)
    for fast in (False, True):
        losses = np.empty((20_000, 1), np.bool_)
        index_losses(rng, fast, problem.private_means(epsilon), rule, judge, losses)
        where = f"{'fast' if fast else 'literal'} {policy} {means.round(2)}, T = {budget}"
        yield f"exact loss, {where}", binomtest(int(losses.sum()), losses.size, loss).pvalue


def confidence_chains(rng: np.random.Generator) -> PValues:
    """Compare both engines of Algorithm 2 with exact error and pulls of one arm."""
    tau, name = float(rng.choice([0.1, 0.5, 0.9])), str(rng.choice(RADII))
    problem = Instance("verify", [min(1.0, tau + float(rng.choice([-0.1, 0.06, 0.1])))], tau)
    epsilon, delta = float(rng.choice([1.0, 4.0, math.inf])), float(rng.choice([0.3, 0.1]))
    cap = 3000
    chain = exact.fixed_confidence_error(problem, epsilon, delta, name, max_pulls=cap)
    edge = Radius(name).at(1, delta, tau, epsilon)
    arms = Arms(problem.private_means(epsilon), problem.private_threshold(epsilon))
    above = problem.means[0] >= tau
    for fast in (False, True):
        run = Runs(np.empty(4000, np.int64), *np.empty((2, 4000, 1), np.int64))
        fixed_confidence_runs(rng, fast, arms, edge, cap, run)
        stopped = run.stopping_times >= 0
        wrong = stopped & ((run.sums[:, 0] - run.pulls[:, 0] * arms.tau >= 0) != above)
        where = f"{'fast' if fast else 'literal'} {name}, tau = {tau}, epsilon = {epsilon:g}"
        yield f"exact error, {where}", binomtest(int(wrong.sum()), wrong.size, chain.error).pvalue


def rare_chains(rng: np.random.Generator) -> PValues:
    """Compare importance sampling with exact chains."""
    tau, gap = 0.5, float(rng.choice([0.1, 0.2, 0.3]))
    problem = Instance("verify", [tau - gap, tau + gap], tau)
    policy, budget = str(rng.choice(INDEX_POLICIES)), int(rng.integers(40, 90))
    loss = exact.fixed_budget_loss(problem, 2.0, budget, policy)
    found = rare.fixed_budget_error(problem, 2.0, budget, 20_000, int(rng.integers(2**32)), policy)
    if found.reliable:
        z = (found.estimate - loss) / found.standard_error
        yield f"importance sampling of {policy}, T = {budget}", float(2 * norm.sf(abs(z)))


@compiled
def draw_parts(rng: np.random.Generator, m: int, ones: int, total: int, size: int) -> np.ndarray:
    """Return draws of :func:`ldpt.engines.sources.hypergeometric`."""
    sample = np.empty(size, np.int64)
    for i in range(size):
        sample[i] = sources.hypergeometric(rng, m, ones, total)
    return sample


@compiled
def draw_touches(rng: np.random.Generator, m: int, ones: int, edge: int, size: int) -> int:
    """Return how many of the walks of :func:`ldpt.engines.sources.reflected_edge` touch."""
    touches = 0
    for _ in range(size):
        touches += sources.reflected_edge(rng, m, ones, edge, sources.NO_EDGE) != 0
    return touches


@compiled
def draw_first_touches(
    rng: np.random.Generator, m: int, ones: int, edge: int, size: int
) -> np.ndarray:
    """Return draws of :func:`ldpt.engines.sources.halved_touch`."""
    sample = np.empty(size, np.int64)
    for i in range(size):
        sample[i] = sources.halved_touch(rng, m, ones, edge)
    return sample


def primitives(rng: np.random.Generator) -> PValues:
    """Compare random primitives with their laws, up to 10^13 responses."""
    total = int(rng.choice([100, 1000, 10_000]))
    ones = int(total * rng.choice([0.5, 0.3]))
    sample = draw_parts(rng, total // 2, ones, total, 100_000)
    cuts = np.unique(hypergeom.ppf(np.linspace(0, 1, 22)[1:-1], total, ones, total // 2))
    chances = np.diff(np.append(0, [*hypergeom.cdf(cuts, total, ones, total // 2), 1]))
    counts = np.bincount(np.searchsorted(cuts, sample), minlength=chances.size)
    yield f"hypergeometric, {total} responses", chisquare(counts, chances * sample.size).pvalue
    total = int(10 ** rng.uniform(6, 13))
    ones = int(total * rng.choice([0.5, 0.3, 0.02]))
    sample = draw_parts(rng, total // 2, ones, total, 300)
    spread = math.sqrt(ones * (total - ones) / (4 * (total - 1)))
    z = (sample + rng.random(sample.size) - 0.5 - ones * (total // 2) / total) / spread
    yield f"hypergeometric, {total} responses", kstest(z, "norm").pvalue
    sample = np.array([sources.binomial(rng, total, ones / total) for _ in range(3000)])
    z = (sample + rng.random(sample.size) - 0.5 - ones) / math.sqrt(ones * (1 - ones / total))
    yield f"binomial, {total} responses", kstest(z, "norm").pvalue
    m = int(rng.choice([300, 3000, 30_000]))
    edge = int(rng.choice([0.7, 1.0]) * math.sqrt(m))
    chance = math.exp(
        math.lgamma(m // 2 + 1) + math.lgamma(m - m // 2 + 1)
        - math.lgamma(m // 2 + edge + 1) - math.lgamma(m - m // 2 - edge + 1)
    )  # fmt: skip
    touches = draw_touches(rng, m, m // 2, edge, 10**6)
    yield f"touch of {edge} in {m} steps", binomtest(int(touches), 10**6, chance).pvalue
    orders = rng.permuted(np.tile(np.arange(300) < 150, (5000, 1)), axis=1)
    walks = np.cumsum(2 * orders - 1, axis=1)
    first = [int(np.argmax(walk == 12)) + 1 for walk in walks if walk.max() >= 12]
    drawn = draw_first_touches(rng, 300, 150, 12, 50_000)
    yield "first touch", same_law(np.array(first), drawn)


CHECKS: dict[str, Callable[[np.random.Generator], PValues]] = {
    check.__name__: check
    for check in (
        budget_engines,
        confidence_engines,
        budget_chains,
        confidence_chains,
        rare_chains,
        primitives,
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


def with_fault(name: str, arguments: list[str]) -> int:
    """Run this script on a copy of the package with a fault; return its exit status."""
    file, line, faulty = FAULTS[name]
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "ldpt"
        shutil.copytree(Path(exact.__file__).parent, package)
        text = (package / file).read_text()
        if text.count(line) != 1:
            raise ValueError(f"{file} does not have the line of the fault {name!r} once")
        (package / file).write_text(text.replace(line, faulty))
        environment = os.environ | {"PYTHONPATH": folder}
        return subprocess.run([sys.executable, __file__, *arguments], env=environment).returncode


def main() -> int:
    """Run the checks, print the least p-values and a verdict."""
    today = datetime.date.today()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(f"{today:%Y%m%d}"))
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=list(CHECKS))
    parser.add_argument("--fault", choices=FAULTS, help="plant this fault first")
    options = parser.parse_args()
    if options.fault:
        arguments = ["--minutes", str(options.minutes), "--seed", str(options.seed)]
        return with_fault(options.fault, [*arguments, "--only", *options.only])
    results = sorted(run(options.seed, options.minutes, options.only), key=lambda result: result[1])
    for what, value in results[:5]:
        print(f"p = {value:.2g}  {what}")
    least = holm([value for _, value in results])
    verdict = "a law is wrong" if least < ALARM else "no law was found wrong"
    print(f"seed {options.seed}: {len(results)} comparisons, least p {least:.2g} (Holm): {verdict}")
    return int(least < ALARM)


if __name__ == "__main__":
    sys.exit(main())
