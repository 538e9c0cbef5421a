"""Evidence from tables: what simulations and importance sampling say about a claim.

Every function takes tables and returns a flat dictionary of numbers, plus ``tests``: one exact
binomial test per grid point, whose small p values speak against the statement. The correction for
their number is made over the whole register. Where a table holds nothing to test, the number of
cases is 0 and the claim is "not tested".
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.instances import Instance
from ldpt.privacy import private_mean
from ldpt.radii import RADII, VALID_RADII
from ldpt.summarise import crossing

Evidence = dict[str, Any]
Instances = Mapping[str, Instance]
UPPER_VERSIONS = ("printed", "proved")  # of the bounds on the loss of Algorithm 1
TARGETS = (0.2, 0.1, 0.05)  # error probabilities at which budgets are compared
RANGES = {"all": math.inf, "small": 1.0, "half": 0.5}  # largest epsilon that is compared
NEW = "new-"  # how the names of problems begin that nobody had looked at
SURELY = 5.0  # standard errors: an estimate this far above a bound contradicts it


def rows_of(table: pd.DataFrame) -> Iterator[Any]:
    """The rows as named tuples."""
    return iter(table.itertuples(index=False))


def over_lower_bound(value: float, bound: float) -> float:
    """Ratio to a lower bound; one that is 0 or negative says nothing."""
    return value / bound if bound > 0 else math.inf


# --- the mechanism --------------------------------------------------------------------------------


def reward_laws(mechanism: pd.DataFrame) -> Evidence:
    """Lemma 2.1: whatever the law of the rewards, responses have the private mean (two-sided)."""
    from scipy.stats import binomtest

    expected = [private_mean(row.mean, row.epsilon) for row in rows_of(mechanism)]
    tests = [
        {
            "where": f"{row.law}, eps = {row.epsilon:g}",
            "p": float(binomtest(int(row.positives), int(row.draws), mean).pvalue),
        }
        for row, mean in zip(rows_of(mechanism), expected, strict=True)
    ]
    share = mechanism["positives"] / mechanism["draws"]
    return {"tests": tests, "largest_deviation": float(np.max(np.abs(share - expected)))}


# --- error of Algorithm 2 -------------------------------------------------------------------------


def delta_correctness(cells: pd.DataFrame, radius: str) -> Evidence:
    """Theorem 4.1: an error probability of at most delta, tested one-sidedly in every cell."""
    from scipy.stats import binom

    chosen = cells[cells["radius"] == radius]
    p = binom.sf(chosen["errors"] - 1, chosen["replicates"], chosen["delta"])
    ratio = (chosen["estimate"] / chosen["delta"]).to_numpy()
    tests = [
        {
            "where": f"{row.instance}, eps = {row.epsilon:g}, delta = {row.delta:g}",
            "p": float(value),
        }
        for row, value in zip(rows_of(chosen), p, strict=True)
    ]
    return {
        "tests": tests,
        "cells": len(chosen),
        "cells_above_delta": int((chosen["low"] > chosen["delta"]).sum()),
        "largest_error_over_delta": float(ratio.max(initial=0.0)),
        "at": tests[int(ratio.argmax())]["where"] if tests else "",
    }


def error_map(table: pd.DataFrame) -> Evidence:
    """How much of the map of error/delta fails with each radius, exact chains and runs apart."""
    found: Evidence = {}
    for radius, method in itertools.product(RADII, ("exact", "simulated")):
        cells = table[(table["radius"] == radius) & (table["method"] == method)]
        prefix = f"{method}_{radius}"
        found[f"{prefix}_cells"] = len(cells)
        found[f"{prefix}_failing"] = int(cells["fails"].sum())
        found[f"{prefix}_largest_error_over_delta"] = float(cells["error_over_delta"].max())
    return found


def simulated_cells(table: pd.DataFrame, n_arms: int) -> pd.DataFrame:
    """The simulated part of the map."""
    return table[(table["method"] == "simulated") & (table["n_arms"] == n_arms)]


def sampled_errors(table: pd.DataFrame) -> Evidence:
    """Theorem 4.1 against importance-sampled errors: cells above delta by five standard errors."""
    chosen = table[table["reliable"]]
    found: Evidence = {}
    for radius in RADII:
        part = chosen[chosen["radius"] == radius]
        surely = part["estimate"] * (1 - SURELY * part["relative_error"])
        found[f"{radius}_estimates"] = len(part)
        found[f"{radius}_failing"] = int((surely > part["delta"]).sum())
        ratio = part["estimate"] / part["delta"]
        found[f"{radius}_largest_error_over_delta"] = float(ratio.max())
    return found


# --- cost of Algorithm 2 --------------------------------------------------------------------------


def stopping_time_quantiles(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Theorem 4.1: (1 - delta)-quantiles of stopping times with the printed radius.

    The bound is 499 H~ log(4 K H~/delta) + 2 K with H~ = max(H_eps/36, 1) (Appendix D), which
    holds with probability 1 - delta. A run that had not stopped counts as infinite.
    """
    ratios = [
        row.quantile_pulls
        / bounds.fixed_confidence_upper(instances[row.instance], row.epsilon, row.delta, "printed")
        for row in rows_of(cells[cells["radius"] == "printed"])
    ]
    return {"cases": len(ratios), "largest_over_bound": max(ratios, default=math.nan)}


def expected_cost_bounds(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Mean stopping times over the proved bounds on E[T]; ``scale`` divides these."""
    found: Evidence = {}
    for radius in filter(bounds.has_expected_cost, RADII):
        ratios = [
            scale
            * row.mean_pulls_high
            / bounds.expected_cost_upper(instances[row.instance], row.epsilon, row.delta, radius)
            for row in rows_of(cells[cells["radius"] == radius])
        ]
        found[f"{radius}_cells"] = len(ratios)
        found[f"{radius}_largest_over_bound"] = max(ratios, default=math.nan)
        found[f"{radius}_median_over_bound"] = float(np.median(ratios)) if ratios else math.nan
    return found


def lower_bounds(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Theorem 4.2 and its sharpening: measured cost over each lower bound, times ``scale``.

    ``RADIUS_least_over_sharp``, ``_median_`` and ``_largest_`` say how near-optimal each radius is
    over all cells. The comparisons with the bounds take the valid radii and, so that chance
    does not contradict a bound, the upper limits of the means.
    """
    table = cost_over_bounds(cells, instances, scale)
    limits = cost_over_bounds(cells, instances, scale, "mean_pulls_high")
    found: Evidence = {}
    for radius, part in table.groupby("radius"):
        found[f"{radius}_least_over_sharp"] = float(part["sharp"].min())
        found[f"{radius}_median_over_sharp"] = float(part["sharp"].median())
        found[f"{radius}_largest_over_sharp"] = float(part["sharp"].max())
    valid = table[table["radius"].isin(VALID_RADII)]
    least = limits[limits["radius"].isin(VALID_RADII)].min(numeric_only=True)
    series = valid.groupby(["instance", "radius", "delta"])
    spread = (series["sharp"].max() / series["sharp"].min())[series.size() > 1]
    finite = valid[np.isfinite(valid["epsilon"])]
    return found | {
        "printed_informative": int(np.isfinite(valid["printed"]).sum()),
        "least_over_printed": float(least["printed"]),
        "least_over_sharp": float(least["sharp"]),
        "least_over_privbern": float(least["privbern"]),
        "largest_over_sharp": float(valid["sharp"].max()),
        "series": len(spread),
        "sharp_spread": float(spread.max()),
        "printed_growth": _growth(finite, "printed"),
        "sharp_growth": _growth(finite, "sharp"),
    }


def cost_over_bounds(
    cells: pd.DataFrame, instances: Instances, scale: float = 1.0, column: str = "mean_pulls"
) -> pd.DataFrame:
    """One row per cell: mean cost over each lower bound, times ``scale``."""
    versions = ("printed", "sharp", "privbern")
    rows = [
        {"instance": row.instance, "radius": row.radius, "delta": row.delta, "epsilon": row.epsilon}
        | {
            version: over_lower_bound(
                getattr(row, column),
                scale
                * bounds.fixed_confidence_lower(
                    instances[row.instance], row.epsilon, row.delta, version
                ),
            )
            for version in versions
        }
        for row in rows_of(cells)
    ]
    columns = ["instance", "radius", "delta", "epsilon", *versions]
    return pd.DataFrame(rows, columns=columns)


def _growth(table: pd.DataFrame, column: str) -> float:
    """Ratio at the largest over the ratio at the smallest epsilon, least over the series."""
    ends = table.sort_values("epsilon").groupby(["instance", "radius", "delta"])[column]
    ends = ends.agg(["first", "last", "size"])
    ends = ends[ends["size"] > 1]
    return float((ends["last"] / ends["first"]).min())


def sharp_lower_bound_dominates(instances: Instances, epsilons: Sequence[float]) -> Evidence:
    """The sharp fixed-confidence bound is above the printed one at every point of a grid."""
    ratios = [
        (
            over_lower_bound(
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
    finite = [ratio for ratio, _ in ratios if math.isfinite(ratio)]
    least, where = min(ratios)
    return {
        "cases": len(finite),
        "least_ratio": least,
        "least_at": where,
        "largest_finite_ratio": max(finite),
    }


def many_arms(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Cost of valid radii on equal gaps at tau = 1/2 over the bound that grows with log K.

    It bounds the average over mirror images, which by symmetry cost the same there.
    """
    chosen = cells[
        cells["radius"].isin(VALID_RADII) & cells["instance"].str.startswith("equal-gap-")
    ]
    ratios = [
        row.mean_pulls_high
        / (scale * bounds.fixed_confidence_lower(problem, row.epsilon, row.delta, "many_arms"))
        for row in rows_of(chosen)
        if (problem := instances[row.instance]).threshold == 0.5 and row.delta < 0.5
    ]
    return {"cases": len(ratios), "least_over_bound": min(ratios, default=math.nan)}


def privacy_raises_the_cost(cells: pd.DataFrame) -> Evidence:
    """Mean pulls at one epsilon over those at the next larger one, in every series."""
    steps = []
    for key, part in cells.groupby(["instance", "radius", "delta"]):
        for before, after in itertools.pairwise(rows_of(part.sort_values("epsilon"))):
            where = f"{', '.join(map(str, key))}, eps {before.epsilon:g} to {after.epsilon:g}"
            steps.append((before.mean_pulls / after.mean_pulls, where))
    least, where = min(steps, default=(math.nan, ""))
    return {"cases": len(steps), "least_ratio": least, "violating_point": where}


def cost_of_radii(cells: pd.DataFrame) -> Evidence:
    """Ratios of mean pulls with two radii, over the cells that both were run on."""
    keys = ["instance", "epsilon", "delta"]
    wide = cells.pivot_table(index=keys, columns="radius", values="mean_pulls")
    wide = wide.reindex(columns=list(RADII))
    found: Evidence = {}
    for above, below in COMPARED:
        ratio = (wide[above] / wide[below]).dropna()
        found[f"least_{above}_over_{below}"] = float(ratio.min())
        found[f"median_{above}_over_{below}"] = float(ratio.median())
        found[f"largest_{above}_over_{below}"] = float(ratio.max())
    return found | {
        "cells": len(wide[["printed", "hoeffding", "mixture"]].dropna()),
        "onesided_cells": len(wide[["mixture", "onesided"]].dropna()),
    }


COMPARED = [
    ("mixture", "printed"), ("hoeffding", "printed"), ("hoeffding", "mixture"),
    ("onesided", "mixture"), ("onesided", "printed"), ("hoeffding", "onesided"),
]  # fmt: skip


def onesided_flat(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """How the cost of ``onesided`` over the sharp bound varies along epsilon at tau = 1/2.

    A series is one problem and delta; those that reach from eps <= .01 to infinity count.
    """
    chosen = cells[
        (cells["radius"] == "onesided")
        & cells["instance"].map(lambda name: instances[name].threshold == 0.5)
    ]
    table = cost_over_bounds(chosen, instances)
    spreads = [(0.0, "")]
    for key, part in table.groupby(["instance", "delta"]):
        if part["epsilon"].min() <= 0.01 and np.isinf(part["epsilon"].max()):
            spread = float(part["sharp"].max() / part["sharp"].min())
            spreads.append((spread, f"{key[0]}, delta = {key[1]:g}"))
    largest, where = max(spreads)
    return {"series": len(spreads) - 1, "largest_spread": largest, "violating_point": where}


# --- Algorithm 1 and lsa --------------------------------------------------------------------------


def budget_upper_bounds(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Theorem 3.1: measured losses of Algorithm 1, tested one-sidedly against the printed bound.

    Only cells in which the bound is below 1 can contradict it.
    """
    from scipy.stats import binom

    tests = []
    for row in rows_of(cells[cells["policy"] == "apt"]):
        upper = bounds.fixed_budget_upper(instances[row.instance], row.epsilon, row.budget)
        if upper < 1:
            where = f"{row.instance}, eps = {row.epsilon:g}, T = {row.budget}"
            p = float(binom.sf(row.errors - 1, row.replicates, upper))
            tests.append({"where": where, "p": p})
    return {"tests": tests, "informative_cells": len(tests)}


def sampled_losses(
    table: pd.DataFrame,
    instances: Instances,
    scale: float = 1.0,
    policy: str = "apt",
    versions: Sequence[str] = UPPER_VERSIONS,
) -> Evidence:
    """Upper bounds against losses far below the floor of plain simulation.

    Reliable estimates only; a bound is contradicted by one that exceeds it by five standard errors.
    Only a bound below 1 can be. ``scale`` divides the bounds.
    """
    chosen = table[table["reliable"] & (table["estimate"] > 0) & (table["policy"] == policy)]
    found: Evidence = {"estimates": len(chosen)}
    for version in versions:
        violations = informative = 0
        for row in rows_of(chosen):
            problem = instances[row.instance]
            upper = bounds.fixed_budget_upper(problem, row.epsilon, row.budget, version)
            if upper < 1:
                informative += 1
                surely = row.estimate * (1 - SURELY * row.relative_error)
                violations += surely > upper / scale
        found |= {f"{version}_violations": violations, f"{version}_informative": informative}
    if len(chosen):
        smallest = chosen.loc[chosen["estimate"].idxmin()]
        found["smallest_estimate"] = float(smallest["estimate"])
        rate = -math.log(smallest["estimate"]) / smallest["scaled_budget"]
        found["rate_at_the_smallest"] = float(rate)
    return found


def collapse(
    cells: pd.DataFrame, policy: str = "apt", targets: Sequence[float] = TARGETS
) -> Evidence:
    """Budget in units of H_eps at which the error passes each target: how it varies with epsilon.

    The spread is the largest over the smallest, over the epsilons of each range of ``RANGES``, on
    the problem and at the target where it is widest.
    """
    spreads: dict[str, list[tuple[float, str]]] = {name: [] for name in RANGES}
    for instance, part in cells[cells["policy"] == policy].groupby("instance"):
        for target in targets:
            found = budgets_at(part, target)
            where = f"{instance}, error {target:g}"
            for name, most in RANGES.items():
                chosen = [at for epsilon, at in found.items() if epsilon <= most]
                if len(chosen) > 1:
                    spreads[name].append((max(chosen) / min(chosen), where))
    result: Evidence = {}
    for name, chosen_spreads in spreads.items():
        widest, where = max(chosen_spreads, default=(math.nan, ""))
        values = [value for value, _ in chosen_spreads] or [math.nan]
        result[f"comparisons_{name}"] = len(chosen_spreads)
        result[f"spread_{name}"], result[f"spread_{name}_at"] = widest, where
        result[f"median_spread_{name}"] = float(np.median(values))
    return result


def budgets_at(curves: pd.DataFrame, target: float) -> dict[float, float]:
    """By epsilon, the budget in units of H_eps at which the error curve passes the target."""
    found = {
        float(epsilon): crossing(curve["scaled_budget"], curve["estimate"], target)
        for epsilon, curve in curves.sort_values("budget").groupby("epsilon")
    }
    return {epsilon: at for epsilon, at in found.items() if math.isfinite(at)}


def new_problems(cells: pd.DataFrame, level: float = 0.01) -> Evidence:
    """``lsa`` against Algorithm 1 on problems whose names begin with ``new-``.

    Two cells differ when Fisher's exact test says so at ``level``. The price is the largest ratio
    of the error of ``lsa`` to that of Algorithm 1 over the cells in which ``lsa`` is not better,
    those without a significant difference included; it is 0 if there is no such cell. Budget ratios
    come from :func:`budget_ratios`.
    """
    from scipy.stats import fisher_exact

    keys = ["instance", "epsilon", "budget"]
    chosen = cells[cells["instance"].str.startswith(NEW)]
    apt, lsa = (chosen[chosen["policy"] == name] for name in ("apt", "lsa"))
    pairs = apt.merge(lsa, on=keys, suffixes=("_apt", "_lsa"))
    ratios = list(budget_ratios(apt, lsa))
    better = worse = 0
    price, where = 0.0, ""
    for row in rows_of(pairs):
        table = np.array(
            [
                [row.errors_apt, row.replicates_apt - row.errors_apt],
                [row.errors_lsa, row.replicates_lsa - row.errors_lsa],
            ]
        )
        differs = bool(fisher_exact(table).pvalue < level)
        if differs and row.estimate_lsa < row.estimate_apt:
            better += 1
            continue
        worse += differs
        ratio = row.estimate_lsa / max(row.estimate_apt, 1 / row.replicates_apt)
        if ratio > price:
            price, where = ratio, f"{row.instance}, eps = {row.epsilon:g}, T = {row.budget}"
    return {
        "cells": len(pairs),
        "differing": better + worse,
        "better": better,
        "worse": worse,
        "share_better": better / (better + worse) if better + worse else math.nan,
        "worst_error_ratio": price,
        "worst_at": where,
        "median_budget_ratio": float(np.median(ratios)) if ratios else math.nan,
        "worst_budget_ratio": float(max(ratios, default=math.nan)),
    }


def budget_ratios(apt: pd.DataFrame, lsa: pd.DataFrame) -> Iterator[float]:
    """Budget of ``lsa`` over that of Algorithm 1 for equal errors, by problem and epsilon.

    The error is that of Algorithm 1 at the largest budget at which it was seen to err. Between
    budgets, and beyond the last, the logarithm of the error is taken as straight. Where ``lsa``
    errs less often already at its smallest budget, that one is taken, which is more than it needs.
    """
    others = dict(list(lsa.groupby(["instance", "epsilon"])))
    for key, curve in apt[apt["errors"] > 0].groupby(["instance", "epsilon"]):
        if key in others:
            last = curve.sort_values("budget").iloc[-1]
            yield _budget_at(others[key].sort_values("budget"), last["estimate"]) / last["budget"]


def _budget_at(curve: pd.DataFrame, target: float) -> float:
    budgets, errors = curve["budget"].to_numpy(float), curve["estimate"].to_numpy(float)
    if errors[0] <= target:
        return float(budgets[0])
    found = crossing(budgets, errors, target)
    if math.isfinite(found) or len(errors) < 2 or errors[-1] >= errors[0] or errors[-1] == 0:
        return found if math.isfinite(found) else float(budgets[-1])
    slope = math.log(errors[0] / errors[-1]) / (budgets[-1] - budgets[0])
    return float(budgets[-1] + math.log(errors[-1] / target) / slope)


# --- the article's appendix -----------------------------------------------------------------------


def appendix_checks(table: pd.DataFrame) -> dict[str, Evidence]:
    """What the tapes with a wrong answer and the exact chains say about the article's proofs.

    Returns the entries ``erring_tapes`` (statements about every tape, for Algorithm 1 and ``lsa``)
    and ``exact_chains`` (inequalities for one tape); ``cases`` is that of the statement checked
    least often.
    """
    played = table["statement"].str.match("(apt|lsa): ")
    return {
        name: {
            "statements": len(part),
            "cases": int(part["cases"].min()),
            "violations": int(part["violations"].sum()),
            "largest_ratio": float(part["largest_ratio"].max()),
        }
        for name, part in (("erring_tapes", table[played]), ("exact_chains", table[~played]))
    }
