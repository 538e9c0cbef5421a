"""Evidence beside the study's simulations: exact losses of Algorithm 1, errors of Algorithm 2.

A bound is informative where it could have been contradicted: an upper bound where it is below 1, a
lower bound where it is positive.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import numpy as np
import pandas as pd

from ldpt import bounds, exact
from ldpt.checks import supporting
from ldpt.config.grid import scaled_budgets
from ldpt.instances import Instance, budget_environments
from ldpt.radii import KINDS
from ldpt.replication.certificate import certified_error_lower_bound
from ldpt.replication.claims.budget import UPPER_VERSIONS, Losses, collapse, compare_with_bounds
from ldpt.replication.claims.evidence import Evidence, cases, check, counted, ratio_to
from ldpt.util.reproducible import exp, log

RADII = supporting(KINDS, "exact")
VALID_RADII = tuple(name for name in RADII if KINDS[name].valid)
COUNTEREXAMPLE = Instance("counterexample", [0.95], 0.9)
# several checks need the same chains
one_arm_chain = cache(exact.fixed_confidence_error)
index_losses = cache(exact.fixed_budget_losses)


# --- Algorithm 2 ----------------------------------------------------------------------------------


def one_armed_failure(epsilon: float = 1.0, delta: float = 0.1) -> Evidence:
    """Compute the counterexample to Theorem 4.1: one arm at .95, threshold .9, all radii."""
    errors = {r: one_arm_chain(COUNTEREXAMPLE, epsilon, delta, r).error for r in RADII}
    return {
        "delta": delta,
        "certificates": 1,
        "valid_chains": len(VALID_RADII),
        **{f"{radius}_error": error for radius, error in errors.items()},
        "largest_valid_error": max(errors[radius] for radius in VALID_RADII),
        "first_zero": 1 - float(COUNTEREXAMPLE.private_means(epsilon)[0]),
        "distance": COUNTEREXAMPLE.private_threshold(epsilon),  # of an estimate of 0
        "printed_radius": math.sqrt(log(4 / delta) / 8),
        "certified_lower_bound": certified_error_lower_bound(COUNTEREXAMPLE, epsilon, delta),
    }


def confidence_lower_bounds(scale: float = 1.0) -> Evidence:
    """Compare Theorem 4.2 with exact costs, and with algorithms that answer without a pull.

    "Always accept", "always reject" and the toss of a coin need no pull. On one arm each of them is
    delta-correct, in the environments in which the mean is not the threshold, for some thresholds
    or error levels that the theorem admits; under the hypotheses 0 < tau < 1 and delta < 1/2 none
    is. Exact runs of one arm cannot undercut the bound of the proof, times ``scale``.
    """
    means = np.linspace(0, 1, 21)  # environments of one arm

    def errs(answer: str, tau: float, delta: float) -> bool:
        above = means[~np.isclose(means, tau)] > tau
        errors = {"always accept": float(not above.all()), "always reject": float(above.any())}
        return errors.get(answer, 0.5) > delta

    def costs(radius: str, mean: float, tau: float, epsilon: float, delta: float) -> bool:
        problem = Instance("single-arm", [mean], tau)
        pulls = one_arm_chain(problem, epsilon, delta, radius).expected_pulls
        return pulls >= scale * bounds.fixed_confidence_lower(problem, epsilon, delta, "printed")

    answers = ("always accept", "always reject", "toss of a coin")
    blind = [
        (answer, tau, delta)
        for tau, delta in itertools.product((0.3, 0.5, 1.0, 1.2), (0.01, 0.1, 0.6))
        for answer in answers
    ]
    arms = ((0.95, 0.9, 1.0), (0.8, 0.5, 0.5), (0.35, 0.3, math.inf))
    runs = [(r, *arm, delta) for arm in arms for delta in (0.1, 0.01) for r in VALID_RADII]
    played = list(cases("{}, mu = {:g}, tau = {:g}, eps = {:g}, delta = {:g}", runs, costs))
    admitted = [point for point in blind if point[1] < 1 and point[2] < 0.5]
    name = "{}, tau = {:g}, delta = {:g}"
    return counted([*cases(name, blind, errs), *played], [*cases(name, admitted, errs), *played])


# --- Algorithm 1: upper bounds --------------------------------------------------------------------


def upper_bounds(
    policy: str = "apt",
    versions: Sequence[str] = UPPER_VERSIONS,
    losses: Losses | None = None,
    scale: float = 1.0,
) -> Evidence:
    """Compare bounds on the loss of an index policy with exact losses, however small.

    ``losses`` are by default those of :func:`exact_losses`, and ``scale`` divides the bounds. The
    rate is -log(loss)/(T/H_eps).
    """
    losses = list(exact_losses(policy) if losses is None else losses)
    rates = [
        -log(loss) * problem.complexity(epsilon) / budget
        for problem, epsilon, budget, loss in losses
        if loss > 0
    ]
    return compare_with_bounds(losses, versions, scale) | {
        "losses": len(rates),
        "least_rate": min(rates, default=math.nan),
    }


PAIRS = Instance("two", [0.05, 0.95], 0.5), Instance("two-band", [0.1, 0.9], 0.5, 0.1)


def exact_losses(policy: str) -> Losses:
    """Yield exact losses of an index policy on one and two arms where the bounds are small.

    On the pairs a clipped policy has the index of the policy that it clips: without privacy every
    estimate lies in [0, 1], and at threshold 1/2 the standardised weight is that of ``lsa``.
    """
    singles = [Instance("one-far", [0.9], 0.5), Instance("one-edge", [0.95], 0.7)]
    for problem, epsilon, multiples in (
        *((single, epsilon, (4, 16, 64, 150)) for single in singles for epsilon in (1.0, math.inf)),
        *((pair, math.inf, (4, 16, 32)) for pair in PAIRS),
    ):
        complexity = problem.complexity(epsilon)
        budgets = [max(2 * problem.n_arms, math.ceil(m * complexity)) for m in multiples]
        same = policy.removesuffix("-clipped") if problem in PAIRS else policy
        losses = index_losses(problem, epsilon, tuple(budgets), same)
        for budget, loss in zip(budgets, losses, strict=True):
            yield problem, epsilon, budget, loss


# --- Algorithm 1: lower bounds --------------------------------------------------------------------


def _problem(means: Sequence[float], tau: float, zeta: float) -> Instance:
    return Instance(f"mu = {[*means]}, tau = {tau:g}, zeta = {zeta:g}", means, tau, zeta)


# they satisfy the hypotheses of the corrected Theorem 3.2
PROPER = (
    _problem([0.8], 0.5, 0.0),
    _problem([0.2, 0.7], 0.5, 0.0),
    _problem([0.8], 0.5, 0.1),
    _problem([0.3, 0.9], 0.6, 0.05),
    _problem([1.0], 0.85, 0.1),
    _problem([0.0], 0.1, 0.1),
)
# a mean at the threshold, tau + zeta >= 1, tau - zeta < 0
DEGENERATE = (
    _problem([0.5], 0.5, 0.1),
    _problem([0.95], 0.9, 0.1),
    _problem([0.1], 0.05, 0.1),
)
WORST = "{}, {.name}, eps = {:g}, T = {}"  # a policy, a problem, epsilon, a budget


def lower_bounds(scale: float = 1.0, degenerate: Sequence[Instance] = DEGENERATE) -> Evidence:
    """Compare Theorem 3.2 with the exact worst loss over B^0..B^K, of one and two arms.

    It bounds all algorithms, so "always accept" and "always reject" play beside Algorithm 1. The
    bounds are multiplied by ``scale``.
    """
    points = [
        (who, problem, epsilon, budget, worst)
        for problem in (*PROPER, *degenerate)
        for epsilon, budget in itertools.product((0.1, 0.5, 1.0, 4.0), (2 * problem.n_arms, 20, 60))
        for who, worst in worst_losses(problem, epsilon, budget)
    ]
    bound = bounds.fixed_budget_lower

    def holds(who: str, problem: Instance, epsilon: float, budget: int, worst: float) -> bool:
        return worst >= scale * bound(problem, epsilon, budget, "printed")

    general = [p for p in points if p[1].threshold != 0.5 or p[1].tolerance > 0]
    counts = check(WORST, general, holds)
    stronger = all(
        bound(*point[1:4], "corrected") >= bound(*point[1:4], "printed")
        for point in points
        if point[1] in PROPER
    )
    return check(WORST, points, holds, holds, lambda *point: point[1] in PROPER) | {
        "general_cases": counts["cases"],
        "general_violations": counts["violations"],
        "corrected_is_stronger": int(stronger),
    }


def budget_reduction(scale: float = 1.0) -> Evidence:
    """Compare both bounds of the article with the exact worst losses of several policies."""
    points, over_bound, over_corrected = [], [], []
    for problem, epsilon, budget in itertools.product(PROPER, (0.1, 1.0, 4.0, math.inf), (20, 60)):
        corrected, reduction, genie = (
            scale * bounds.fixed_budget_lower(problem, epsilon, budget, version)
            for version in ("corrected", "reduction", "genie")
        )
        bound = max(reduction, genie)
        over_corrected.append(ratio_to(bound, corrected))
        for who, worst in worst_losses(problem, epsilon, budget, ("apt", "lsa")):
            over_bound.append(ratio_to(worst, bound))
            points.append((who, problem, epsilon, budget, worst >= bound))
    return check(WORST, points, lambda *point: point[-1]) | {
        "least_over_bound": min(over_bound),
        "least_over_corrected": min(over_corrected),
    }


def worst_losses(
    instance: Instance, epsilon: float, budget: int, policies: Sequence[str] = ("apt",)
) -> Iterator[tuple[str, float]]:
    """Yield the largest loss over the environments, of policies and of two blind answers."""
    environments = budget_environments(instance)
    for policy in policies:
        losses = [exact.fixed_budget_loss(e, epsilon, budget, policy) for e in environments]
        yield policy, max(losses)
    yield "always accept", max(float(e.must_reject.any()) for e in environments)
    yield "always reject", max(float(e.must_accept.any()) for e in environments)


# --- why error curves part ------------------------------------------------------------------------


UNIFORM = (
    Instance("three-groups", [0.1] * 3 + [0.35, 0.45, 0.55, 0.65] + [0.9] * 3, 0.5, 0.1),
    Instance("dose-finding", [0.05, 0.12, 0.25, 0.40, 0.55, 0.68], 0.3, 0.02),
    Instance("arithmetic", [0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8], 0.5, 0.1),
    Instance("wide-pair", [0.1, 0.9], 0.5),
)


def uniform_collapse(
    targets: Sequence[float] = (0.2, 0.1, 0.05), problems: Sequence[Instance] = UNIFORM
) -> Evidence:
    """Compare exact error curves of arms pulled in turn, for eps up to 1, as ``collapse`` does."""
    curves = pd.DataFrame(
        {
            "instance": problem.name,
            "policy": "uniform",
            "epsilon": epsilon,
            "scaled_budget": budget / problem.complexity(epsilon),
            "n_arms": problem.n_arms,
            "complexity": problem.complexity(epsilon),
            "estimate": uniform_loss(problem, epsilon, budget),
        }
        for problem in problems
        for epsilon in (0.1, 0.25, 0.5, 1.0)
        for budget in sorted(scaled_budgets(problem, epsilon, np.arange(0.5, 8.1, 0.25).tolist()))
    )
    curves = curves.assign(low=curves["estimate"], high=curves["estimate"])  # exact
    rest = collapse(curves[curves["instance"] != "wide-pair"], "uniform", targets)
    every = collapse(curves, "uniform", targets)
    return {
        "comparisons_small": every["comparisons_small"],
        "spread_small": every["spread_small"],
        "spread_small_without_two": rest["spread_small"],
    }


def uniform_loss(instance: Instance, epsilon: float, budget: int) -> float:
    """Return the exact loss when the arms are pulled in turn: the arms err independently."""
    from scipy.stats import binom

    means = instance.private_means(epsilon)
    tau = instance.private_threshold(epsilon)
    arms = np.arange(instance.n_arms)
    pulls = budget // arms.size + (arms < budget % arms.size)
    below = binom.cdf(np.floor(pulls * tau), pulls, means)  # s <= n tau
    judged = [instance.must_accept, instance.must_reject]
    return 1 - math.prod(np.select(judged, [1 - below, below], 1.0).tolist())


MODEL_RUNS = 2000
LSA_WEIGHT = 0.5  # of log n


def drift_limit(weight: float = 0.0) -> Evidence:
    """Simulate the loss at T = H_eps/2 of two arms with private gaps exp(-3), exp(-30), exp(-300).

    Theorem B is about eps -> 0, and the loss follows log log T, so its limit is out of reach for
    coins. The proof also covers a model in which a budget of exp(600) is within reach: responses
    are normal with variance 1/4, and every pull of an arm doubles the number of its responses.
    ``weight`` is that of log n in the index, which Algorithm 1 does not have.
    """
    from ldpt.summarise import clopper_pearson

    losses = {log_gap: _model_loss(exp(log_gap), weight) for log_gap in (-3, -30, -300)}
    low, _ = clopper_pearson(round(losses[-300] * MODEL_RUNS), MODEL_RUNS)
    steps = [later / earlier for earlier, later in itertools.pairwise(losses.values())]
    return {f"loss_at_e_minus_{-log_gap}": loss for log_gap, loss in losses.items()} | {
        "cases": MODEL_RUNS,
        "least_step": min(steps),
        "loss_at_smallest_gap": losses[-300],
        "loss_at_smallest_gap_low": float(low),
        "lsa_loss_at_smallest_gap": _model_loss(exp(-300), LSA_WEIGHT),
    }


def _model_loss(gap: float, weight: float) -> float:
    rng = np.random.default_rng(1)
    each = np.arange(MODEL_RUNS)
    pulls = np.ones((MODEL_RUNS, 2))
    distance = gap + rng.standard_normal((MODEL_RUNS, 2)) / 2  # d_n, positive on the right side
    while (running := each[pulls.sum(axis=1) < 1 / (gap * gap)]).size:  # H_eps / 2
        index = np.square(distance[running]) / pulls[running] + weight * log(pulls[running])
        arm = running, index.argmin(axis=1)
        more = pulls[arm]
        distance[arm] += gap * more + np.sqrt(more) / 2 * rng.standard_normal(running.size)
        pulls[arm] += more
    return float((distance <= 0).any(axis=1).mean())


def clipped_upper_bounds() -> Evidence:
    """Compare the bounds of both clipped policies with exact losses."""
    apt = upper_bounds("apt-clipped", ["apt-clipped"])
    return apt | upper_bounds("lsa-clipped", ["lsa-clipped"])


CHECKS: dict[str, Callable[[], Evidence]] = {
    "one_armed_failure": one_armed_failure,
    "confidence_lower_bounds": confidence_lower_bounds,
    "upper_bounds": upper_bounds,
    "lsa_upper_bounds": partial(upper_bounds, "lsa", ["lsa"]),
    "clipped_upper_bounds": clipped_upper_bounds,
    "lower_bounds": lower_bounds,
    "budget_reduction": budget_reduction,
    "uniform_collapse": uniform_collapse,
    "drift_limit": drift_limit,
}
