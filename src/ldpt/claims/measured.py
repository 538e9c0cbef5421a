"""Evidence from tables: what the simulations, the exact chains and the bounds say about a claim.

Every function takes tables and returns a flat dictionary of numbers, plus ``tests``: one exact
binomial test a grid point, whose small p values speak against the statement. The correction for
their number is made over the whole register, in ``claims``.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.config import scaled_budgets
from ldpt.instances import Instance, budget_environments
from ldpt.privacy import private_mean
from ldpt.summarise import crossing

Evidence = dict[str, Any]
Instances = Mapping[str, Instance]
VALID_RADII = ("hoeffding", "mixture")
UPPER_VERSIONS = ("printed", "corrected", "rigorous", "paired")


def rows_of(table: pd.DataFrame) -> Iterator[Any]:
    """The rows as named tuples."""
    return iter(table.itertuples(index=False))


# --- the mechanism --------------------------------------------------------------------------------


def reward_laws(mechanism: pd.DataFrame) -> Evidence:
    """Lemma 2.1: whatever the law of the rewards, responses have the private mean (two-sided)."""
    from scipy.stats import binomtest

    tests = [
        {
            "where": f"{row.law}, eps = {row.epsilon:g}",
            "p": float(
                binomtest(
                    int(row.positives), int(row.draws), private_mean(row.mean, row.epsilon)
                ).pvalue
            ),
        }
        for row in rows_of(mechanism)
    ]
    expected = [private_mean(row.mean, row.epsilon) for row in rows_of(mechanism)]
    share = mechanism["positives"] / mechanism["draws"]
    return {"tests": tests, "largest_deviation": float(np.max(np.abs(share - expected)))}


# --- error of Algorithm 2 -------------------------------------------------------------------------


def delta_correctness(cells: pd.DataFrame, radius: str, delta_factor: float = 1.0) -> Evidence:
    """Theorem 4.1: an error probability of at most delta, tested one-sidedly in every cell."""
    from scipy.stats import binom

    chosen = cells[cells["radius"] == radius]
    if chosen.empty:
        raise ValueError(f"no run with the radius {radius!r} to test")
    allowed = np.minimum(1.0, delta_factor * chosen["delta"])
    p = np.asarray(binom.sf(chosen["errors"] - 1, chosen["replicates"], allowed))
    names = [
        f"{row.instance}, eps = {row.epsilon:g}, delta = {row.delta:g}" for row in rows_of(chosen)
    ]
    ratio = chosen["estimate"] / chosen["delta"]
    return {
        "tests": [{"where": w, "p": float(v)} for w, v in zip(names, p, strict=True)],
        "cells": len(chosen),
        "cells_above_delta": int((chosen["low"] > chosen["delta"]).sum()),
        "largest_error_over_delta": float(ratio.max()),
        "at": names[int(np.argmax(ratio))],
    }


def error_map(table: pd.DataFrame) -> Evidence:
    """How much of the map of error/delta fails with each radius, exact chains and runs apart."""
    found: Evidence = {}
    for radius, part in table.groupby("radius", sort=True):
        for method, cells in part.groupby("method", sort=True):
            prefix = f"{method}_{radius}"
            found[f"{prefix}_cells"] = len(cells)
            found[f"{prefix}_failing"] = int(cells["fails"].sum())
            found[f"{prefix}_largest_error_over_delta"] = float(cells["error_over_delta"].max())
    return found


def simulated_cells(table: pd.DataFrame, n_arms: int) -> pd.DataFrame:
    """The simulated part of the map in the form of the summaries."""
    return table[(table["method"] == "simulated") & (table["n_arms"] == n_arms)]


# --- cost of Algorithm 2 --------------------------------------------------------------------------


def stopping_time_bounds(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Theorem 4.1: measured mean stopping times against the bound as printed and as corrected."""
    printed, corrected, expected = [], [], []
    for row in rows_of(cells[cells["radius"] != "mixture"]):
        problem, radius = instances[row.instance], row.radius
        upper = [
            bounds.fixed_confidence_upper(problem, row.epsilon, row.delta, version, radius)
            for version in ("printed", "corrected")
        ]
        printed.append(row.mean_pulls_high / upper[0])
        corrected.append(row.mean_pulls_high / upper[1])
        if radius == "hoeffding":
            bound = expected_pulls_bound(problem, row.epsilon, row.delta)
            expected.append(row.mean_pulls_high / bound)
    return {
        "largest_over_printed": max(printed),
        "largest_over_corrected": max(corrected),
        "largest_over_expected_bound": max(expected, default=math.nan),
    }


def expected_pulls_bound(instance: Instance, epsilon: float, delta: float) -> float:
    """Bound on E[T] of Algorithm 2 with ``hoeffding``: t0 + 4 delta/(t0 - 1), beyond the paper.

    t0 is the least t >= 12 H_eps with t/2 - 1 > 2 H_eps L(t) + K; proof in the report's appendix.
    """
    complexity, n_arms = instance.strict.complexity(epsilon), instance.n_arms

    def needed(t: float) -> float:
        log_term = math.log(4 * n_arms / delta) + 3 * math.log(t)
        return 2 * (2 * complexity * log_term + n_arms + 1)

    t = max(12 * complexity, 2.0)
    while needed(t) >= t:
        t = math.floor(needed(t)) + 1.0
    return t + 4 * delta / (t - 1)


def lower_bounds(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Theorem 4.2 and its sharpening: measured cost of the valid radii over each lower bound."""
    rows = []
    for row in rows_of(cells[cells["radius"].isin(VALID_RADII)]):
        problem = instances[row.instance]
        ratio = {
            version: _over(
                row.mean_pulls_high,
                scale * bounds.fixed_confidence_lower(problem, row.epsilon, row.delta, version),
            )
            for version in ("printed", "sharp", "privbern")
        }
        key = (row.instance, row.radius, row.delta)
        rows.append({"key": str(key), "epsilon": row.epsilon} | ratio)
    table = pd.DataFrame(rows)
    finite = table[np.isfinite(table["epsilon"])]
    return {
        "least_over_printed": float(table["printed"].min()),
        "least_over_sharp": float(table["sharp"].min()),
        "least_over_privbern": float(table["privbern"].min()),
        "largest_over_sharp": float(table["sharp"].max()),
        "sharp_spread": _spread(table, "sharp"),
        "printed_growth": _growth(finite, "printed"),
        "sharp_growth": _growth(finite, "sharp"),
    }


def _over(value: float, bound: float) -> float:
    """Ratio to a lower bound; one that is 0 or negative says nothing."""
    return value / bound if bound > 0 else math.inf


def _spread(table: pd.DataFrame, column: str) -> float:
    """Largest over smallest ratio along epsilon, in the series where it is widest."""
    series = table.groupby("key")[column]
    return float((series.max() / series.min()).max())


def _growth(table: pd.DataFrame, column: str) -> float:
    """Ratio at the largest over the ratio at the smallest epsilon, least over the series."""
    ends = table.sort_values("epsilon").groupby("key")[column].agg(["first", "last", "size"])
    ends = ends[ends["size"] > 1]
    return float((ends["last"] / ends["first"]).min())


def cost_of_radii(cells: pd.DataFrame) -> Evidence:
    """Mean pulls with the three radii on the same cells, as ratios."""
    keys = ["instance", "epsilon", "delta"]
    wide = cells.pivot_table(index=keys, columns="radius", values="mean_pulls").dropna()
    if wide.empty:
        raise ValueError("no cell was run with all three radii")
    mixture, hoeffding = wide["mixture"] / wide["printed"], wide["hoeffding"] / wide["printed"]
    saving = wide["hoeffding"] / wide["mixture"]
    return {
        "cells": len(wide),
        "largest_mixture_over_printed": float(mixture.max()),
        "median_mixture_over_printed": float(mixture.median()),
        "median_hoeffding_over_printed": float(hoeffding.median()),
        "least_hoeffding_over_mixture": float(saving.min()),
        "median_hoeffding_over_mixture": float(saving.median()),
        "largest_hoeffding_over_mixture": float(saving.max()),
    }


# --- Algorithm 1 ----------------------------------------------------------------------------------


def budget_upper_bounds(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Theorem 3.1: measured losses of Algorithm 1, tested one-sidedly against the printed bound.

    Only cells in which the bound is below 1 can contradict it.
    """
    from scipy.stats import binom

    tests, informative = [], 0
    for row in rows_of(cells[cells["policy"] == "apt"]):
        upper = bounds.fixed_budget_upper(instances[row.instance], row.epsilon, row.budget)
        if upper < 1:
            informative += 1
            where = f"{row.instance}, eps = {row.epsilon:g}, T = {row.budget}"
            tests.append(
                {"where": where, "p": float(binom.sf(row.errors - 1, row.replicates, upper))}
            )
    return {"tests": tests, "informative_cells": informative}


def collapse(cells: pd.DataFrame, levels: Sequence[float] = (0.2, 0.1, 0.05)) -> Evidence:
    """Budget in units of H_eps at which the error passes each level: how it varies with epsilon.

    The spread is the largest over the smallest, over all epsilons and over those up to 1, in the
    instance and at the level where it is widest.
    """
    spreads: dict[str, list[tuple[float, str]]] = {"all": [], "small": []}
    for instance, part in cells[cells["policy"] == "apt"].groupby("instance"):
        for level in levels:
            found = {
                float(epsilon): crossing(curve["scaled_budget"], curve["estimate"], level)
                for epsilon, curve in part.sort_values("budget").groupby("epsilon")
            }
            found = {epsilon: at for epsilon, at in found.items() if math.isfinite(at)}
            where = f"{instance}, error {level:g}"
            for name, most in (("all", math.inf), ("small", 1.0)):
                chosen = [at for epsilon, at in found.items() if epsilon <= most]
                if len(chosen) > 1:
                    spreads[name].append((max(chosen) / min(chosen), where))
    if not spreads["small"]:
        raise ValueError("no instance has error curves at two epsilons up to 1 that pass a level")
    (widest, where), (small, small_where) = max(spreads["all"]), max(spreads["small"])
    return {
        "spread_all": widest,
        "spread_all_at": where,
        "spread_small": small,
        "spread_small_at": small_where,
        "median_spread_all": float(np.median([value for value, _ in spreads["all"]])),
        "comparisons": len(spreads["all"]),
    }


# --- importance sampling --------------------------------------------------------------------------

SURELY = 5.0  # standard errors: an estimate this far above a bound contradicts it


def sampled_losses(table: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Theorem 3.1 against losses of Algorithm 1 far below the floor of plain simulation.

    Reliable estimates only; a bound is contradicted by one that exceeds it by five standard errors.
    ``scale`` divides the bounds.
    """
    chosen = table[table["reliable"] & (table["estimate"] > 0)]
    if chosen.empty:
        raise ValueError("no reliable estimate of a rare loss")
    violations, informative = dict.fromkeys(UPPER_VERSIONS, 0), dict.fromkeys(UPPER_VERSIONS, 0)
    for row in rows_of(chosen):
        surely = row.estimate * (1 - SURELY * row.relative_error)
        for version in UPPER_VERSIONS:
            problem = instances[row.instance]
            upper = bounds.fixed_budget_upper(problem, row.epsilon, row.budget, version) / scale
            informative[version] += upper < 1
            violations[version] += surely > upper
    rate = -np.log(chosen["estimate"]) / chosen["scaled_budget"]
    return {
        "estimates": len(chosen),
        "smallest_estimate": float(chosen["estimate"].min()),
        "rate_at_the_smallest": float(rate[chosen["estimate"].idxmin()]),
        **{f"{version}_violations": violations[version] for version in UPPER_VERSIONS},
        **{f"{version}_informative": informative[version] for version in UPPER_VERSIONS},
    }


def sampled_errors(table: pd.DataFrame) -> Evidence:
    """Theorem 4.1 against importance-sampled errors: cells above delta by five standard errors."""
    chosen = table[table["reliable"]]
    found: Evidence = {}
    for radius in ("printed", *VALID_RADII):
        part = chosen[chosen["radius"] == radius]
        surely = part["estimate"] * (1 - SURELY * part["relative_error"])
        found[f"{radius}_estimates"] = len(part)
        found[f"{radius}_failing"] = int((surely > part["delta"]).sum())
        ratio = part["estimate"] / part["delta"]
        found[f"{radius}_largest_error_over_delta"] = float(ratio.max())
    return found


# --- exact chains ---------------------------------------------------------------------------------


def one_armed_failure(epsilon: float = 1.0, delta: float = 0.1) -> Evidence:
    """The counterexample to Theorem 4.1: one arm at .95, threshold .9, all three radii."""
    from ldpt import exact

    problem = Instance("counterexample", [0.95], 0.9)
    found: Evidence = {"delta": delta}
    for radius in ("printed", *VALID_RADII):
        chain = exact.fixed_confidence_error(problem, epsilon, delta, radius)
        found[f"{radius}_error"] = chain.error
        found[f"{radius}_undecided"] = chain.undecided
        found[f"{radius}_expected_pulls"] = chain.expected_pulls
    found["certified_lower_bound"] = float(
        exact.certified_error_lower_bound(problem, epsilon, delta, "printed")
    )
    found["hoeffding_cost"] = found["hoeffding_expected_pulls"] / found["printed_expected_pulls"]
    found["mixture_cost"] = found["mixture_expected_pulls"] / found["printed_expected_pulls"]
    return found


def exact_losses_and_upper_bounds(scale: float = 1.0) -> Evidence:
    """Theorem 3.1 against exact losses of one and two arms, far below any simulation's floor.

    A bound says something where it is below 1; ``scale`` divides the bounds.
    """
    violations = dict.fromkeys(UPPER_VERSIONS, 0)
    informative = dict.fromkeys(UPPER_VERSIONS, 0)
    rates = []
    for problem, epsilon, budget, loss in exact_losses():
        scaled = budget / problem.complexity(epsilon)
        if loss > 0:
            rates.append(-math.log(loss) / scaled)
        for version in UPPER_VERSIONS:
            upper = bounds.fixed_budget_upper(problem, epsilon, budget, version) / scale
            informative[version] += upper < 1
            violations[version] += loss > upper
    return {
        **{f"{version}_violations": violations[version] for version in UPPER_VERSIONS},
        **{f"{version}_informative": informative[version] for version in UPPER_VERSIONS},
        "least_rate": min(rates),
        "largest_rate": max(rates),
    }


def exact_losses() -> Iterable[tuple[Instance, float, int, float]]:
    """Exact losses of Algorithm 1: one arm deep in the bounds' region, two as far as is cheap."""
    from ldpt import exact

    singles = [Instance("one-far", [0.9], 0.5), Instance("one-edge", [0.95], 0.7)]
    pairs = [Instance("two", [0.05, 0.95], 0.5), Instance("two-band", [0.1, 0.9], 0.5, 0.1)]
    for problem, epsilons, multiples in (
        *((single, (1.0, math.inf), (4, 16, 64, 150)) for single in singles),
        *((pair, (math.inf,), (4, 16, 32)) for pair in pairs),
    ):
        for epsilon in epsilons:
            for multiple in multiples:
                budget = max(2 * problem.n_arms, math.ceil(multiple * problem.complexity(epsilon)))
                yield problem, epsilon, budget, exact.fixed_budget_loss(problem, epsilon, budget)


def collapse_of_uniform_allocation(levels: Sequence[float] = (0.2, 0.1, 0.05)) -> Evidence:
    """Exact error curves of round-robin allocation for eps up to 1, compared as in ``collapse``."""
    problems = [
        Instance("three-groups", [0.1] * 3 + [0.35, 0.45, 0.55, 0.65] + [0.9] * 3, 0.5, 0.1),
        Instance("dose-finding", [0.05, 0.12, 0.25, 0.40, 0.55, 0.68], 0.3, 0.02),
    ]
    curves = [
        {
            "instance": problem.name,
            "policy": "apt",  # judged like Algorithm 1
            "epsilon": epsilon,
            "budget": budget,
            "scaled_budget": budget / problem.complexity(epsilon),
            "estimate": uniform_loss(problem, epsilon, budget),
        }
        for problem in problems
        for epsilon in (0.1, 0.25, 0.5, 1.0)
        for budget in sorted(scaled_budgets(problem, epsilon, np.arange(0.5, 8.1, 0.25).tolist()))
    ]
    return collapse(pd.DataFrame(curves), levels)


def uniform_loss(instance: Instance, epsilon: float, budget: int) -> float:
    """Exact loss when the arms are pulled in turn: the arms err independently."""
    from scipy.stats import binom

    means, tau = instance.private_means(epsilon), instance.private_threshold(epsilon)
    right = 1.0
    for arm, (accept, reject) in enumerate(
        zip(instance.must_accept, instance.must_reject, strict=True)
    ):
        pulls = budget // instance.n_arms + (arm < budget % instance.n_arms)
        below = float(binom.cdf(math.floor(pulls * tau), pulls, means[arm]))  # s <= n tau
        right *= 1 - below if accept else below if reject else 1.0
    return 1 - right


def drift_of_algorithm_1(epsilons: Sequence[float] = (2.0, 1.0, 0.7, 0.5)) -> Evidence:
    """Exact loss of Algorithm 1 on two arms at T = H_eps: it grows as eps falls."""
    from ldpt import exact

    problem = Instance("two", [0.1, 0.9], 0.5)
    losses = [
        exact.fixed_budget_loss(problem, epsilon, round(problem.complexity(epsilon)))
        for epsilon in epsilons
    ]
    steps = [later / earlier for earlier, later in itertools.pairwise(losses)]
    found = {f"loss_at_{e:g}": v for e, v in zip(epsilons, losses, strict=True)}
    return found | {"least_step": min(steps), "total_growth": losses[-1] / losses[0]}


LOWER_VERSIONS = ("printed", "corrected", "sharp")


def exact_losses_and_lower_bounds(scale: float = 1.0) -> Evidence:
    """Theorem 3.2 against the exact worst loss of Algorithm 1 over B^0..B^K, one and two arms."""
    from ldpt import exact

    worst_ratio = dict.fromkeys(LOWER_VERSIONS, math.inf)
    stronger = True
    for means in ([0.8], [0.2, 0.7]):
        problem = Instance(f"{len(means)}-armed", means, 0.5)
        for epsilon in (0.1, 0.5, 1.0, 4.0):
            for budget in (2 * len(means), 20, 60):
                losses = [
                    exact.fixed_budget_loss(environment, epsilon, budget)
                    for environment in budget_environments(problem)
                ]
                lower = {
                    version: scale * bounds.fixed_budget_lower(problem, epsilon, budget, version)
                    for version in LOWER_VERSIONS
                }
                stronger &= lower["printed"] <= lower["corrected"] <= lower["sharp"]
                for version in LOWER_VERSIONS:
                    ratio = _over(max(losses), lower[version])
                    worst_ratio[version] = min(worst_ratio[version], ratio)
    return {f"least_over_{version}": worst_ratio[version] for version in LOWER_VERSIONS} | {
        "each_version_is_stronger": stronger
    }


def sharp_lower_bound_dominates(instances: Instances, epsilons: Sequence[float]) -> Evidence:
    """The sharp fixed-confidence bound is above the printed one at every point of a grid."""
    ratios = [
        (
            _over(
                bounds.fixed_confidence_lower(problem, epsilon, delta, "sharp"),
                bounds.fixed_confidence_lower(problem, epsilon, delta, "printed"),
            ),
            f"{problem.name}, eps = {epsilon:g}, delta = {delta:g}",
        )
        for problem in instances.values()
        if problem.strict.complexity() < math.inf
        for epsilon in epsilons
        for delta in (0.1, 0.01, 1e-4)
    ]
    least, where = min(ratios)
    finite = [ratio for ratio, _ in ratios if math.isfinite(ratio)]
    return {"least_ratio": least, "least_at": where, "largest_finite_ratio": max(finite)}


def matching_exponents(largest_small: float = 0.5) -> Evidence:
    """Printed lower over printed upper exponent: 32 (e^eps + 1)^2 min{4, e^(2 eps)} (Section 3)."""

    def mismatch(epsilon: float) -> float:
        return 32 * (math.exp(epsilon) + 1) ** 2 * min(4.0, math.exp(2 * epsilon))

    base = mismatch(0.01)
    return {
        "mismatch_at_0.01": base,
        "growth_to_4": mismatch(4.0) / base,
        "growth_to_small": mismatch(largest_small) / base,
    }


# --- the protocol ---------------------------------------------------------------------------------


def learners_take_responses_only() -> Evidence:
    """Both algorithms refuse anything but 0/1 responses, so a raw reward cannot reach them."""
    from ldpt.learners import FixedBudget, FixedConfidence

    refused = 0
    learners = [FixedBudget(1, 0.5, 0.0, 1.0, 4), FixedConfidence(1, 0.5, 1.0, 0.1)]
    rewards = (0.5, 0.25, 2, -1)
    for learner in learners:
        for reward in rewards:
            try:
                learner.record(0, reward)  # type: ignore[arg-type]
            except (ValueError, TypeError):
                refused += 1
    return {"offered": len(learners) * len(rewards), "refused": refused}
