"""Evidence on the mechanism and on Algorithm 2, from simulations and importance sampling."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.claims.evidence import (
    STRICTEST,
    SURELY,
    Evidence,
    Instances,
    detectable,
    median,
    ratio_to,
    rows_of,
    spread,
    widest,
)
from ldpt.privacy import private_mean
from ldpt.radii import KINDS, RADII, VALID_RADII

OWN_RESPONSES = tuple(name for name in VALID_RADII if not KINDS[name].timed)  # Theorem E


def reward_laws(mechanism: pd.DataFrame) -> Evidence:
    """Lemma 2.1: whatever the law of the rewards, responses have the private mean (two-sided)."""
    from scipy.stats import binomtest, norm

    expected = [private_mean(row.mean, row.epsilon) for row in rows_of(mechanism)]
    tests = [
        {
            "where": f"{row.law}, eps = {row.epsilon:g}",
            "p": float(binomtest(int(row.positives), int(row.draws), mean).pvalue),
        }
        for row, mean in zip(rows_of(mechanism), expected, strict=True)
    ]
    share = mechanism["positives"] / mechanism["draws"]
    return {
        "tests": tests,
        "largest_deviation": float(np.max(np.abs(share - expected))),
        "detects": float(norm.isf(STRICTEST / 2) * 0.5 / math.sqrt(mechanism["draws"].min())),
    }


# --- error ----------------------------------------------------------------------------------------


def delta_correctness(cells: pd.DataFrame, radius: str) -> Evidence:
    """Theorem 4.1: an error probability of at most delta, tested one-sidedly in every setting."""
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
    found = [detectable(int(row.replicates), row.delta) for row in rows_of(chosen)]
    return {
        "tests": tests,
        "cells": len(chosen),
        "cells_above_delta": int((chosen["low"] > chosen["delta"]).sum()),
        "largest_error_over_delta": float(ratio.max(initial=0.0)),
        "at": tests[int(ratio.argmax())]["where"] if tests else "",
        "detects_least": min(found, default=math.nan),
        "detects_largest": max(found, default=math.nan),
    }


def error_map(table: pd.DataFrame) -> Evidence:
    """Return how much of the map of error/delta fails with each radius, exact and simulated."""
    found: Evidence = {}
    for radius, method in itertools.product(RADII, ("exact", "simulated")):
        cells = table[(table["radius"] == radius) & (table["method"] == method)]
        prefix = f"{method}_{radius}"
        found[f"{prefix}_cells"] = len(cells)
        found[f"{prefix}_failing"] = int(cells["fails"].sum())
        found[f"{prefix}_largest_error_over_delta"] = float(cells["error_over_delta"].max())
    return found


def simulated_cells(table: pd.DataFrame, n_arms: int) -> pd.DataFrame:
    """Return the simulated part of the map."""
    return table[(table["method"] == "simulated") & (table["n_arms"] == n_arms)]


def sampled_errors(table: pd.DataFrame) -> Evidence:
    """Theorem 4.1 against importance-sampled errors: above delta by five standard errors."""
    chosen = table[table["reliable"]]
    found: Evidence = {"detects": SURELY * median(chosen["relative_error"])}
    for radius in RADII:
        part = chosen[chosen["radius"] == radius]
        surely = part["estimate"] * (1 - SURELY * part["relative_error"])
        found[f"{radius}_estimates"] = len(part)
        found[f"{radius}_failing"] = int((surely > part["delta"]).sum())
        found[f"{radius}_largest_error_over_delta"] = float(
            (part["estimate"] / part["delta"]).max()
        )
    return found


# --- cost: upper bounds ---------------------------------------------------------------------------


def stopping_time_quantiles(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Theorem 4.1: (1 - delta)-quantiles of stopping times with the printed radius.

    The bound is 499 H~ log(4 K H~/delta) + 2 K with H~ = max(H_eps/36, 1) (Appendix D). A run that
    had not stopped counts as infinite. The printed H_eps log(4 K H_eps/delta) at threshold 10, one
    arm with mean 1/2, no privacy and delta = .1 is less than one pull.
    """
    ratios = [
        row.quantile_pulls
        / bounds.fixed_confidence_upper(instances[row.instance], row.epsilon, row.delta, "printed")
        for row in rows_of(cells[cells["radius"] == "printed"])
    ]
    far = (10.0 - 0.5) ** -2
    return {
        "cases": len(ratios),
        "largest_over_bound": max(ratios, default=math.nan),
        "bound_at_far_threshold": far * math.log(4 * far / 0.1),
    }


def expected_cost_bounds(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Lower limits of mean stopping times over the proved bounds; ``scale`` divides these."""
    found: Evidence = {}
    for radius in filter(bounds.has_expected_cost, RADII):
        ratios = [
            scale
            * row.mean_pulls_low
            / bounds.expected_cost_upper(instances[row.instance], row.epsilon, row.delta, radius)
            for row in rows_of(cells[cells["radius"] == radius])
        ]
        found[f"{radius}_cells"] = len(ratios)
        found[f"{radius}_largest_over_bound"] = max(ratios, default=math.nan)
        found[f"{radius}_median_over_bound"] = median(ratios)
    return found


# --- cost: lower bounds ---------------------------------------------------------------------------

LOWER_VERSIONS = ("printed", "reduction")
ENDS = ("mean_pulls", "mean_pulls_low", "mean_pulls_high")


def cost_over_bound(cells: pd.DataFrame, instances: Instances, version: str) -> pd.DataFrame:
    """Return the settings with ``ratio``, ``low`` and ``high``: mean pulls over a lower bound."""
    lower = [
        bounds.fixed_confidence_lower(instances[row.instance], row.epsilon, row.delta, version)
        for row in rows_of(cells)
    ]
    ratios = {
        name: [ratio_to(pulls, bound) for pulls, bound in zip(cells[end], lower, strict=True)]
        for name, end in zip(("ratio", "low", "high"), ENDS, strict=True)
    }
    return cells[["instance", "radius", "delta", "epsilon"]].assign(**ratios)


def spreads(table: pd.DataFrame, levels: int = 2) -> list[tuple[float, float, float, str]]:
    """Return how each series with enough privacy levels varies along eps."""
    return [
        spread(zip(part["ratio"], part["low"], part["high"], strict=True), _series(key))
        for key, part in table.groupby(["instance", "radius", "delta"])
        if part["epsilon"].nunique() >= levels and np.isfinite(part["ratio"]).all()
    ]


def _series(key: Sequence[Any]) -> str:
    instance, radius, delta = key
    return f"{instance}, {radius}, delta = {delta:g}"


def lower_bounds(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Theorem 4.2 and Theorem D: cost of every radius over the bounds, which ``scale`` multiplies.

    The comparisons with a bound take the valid radii and the upper limits of the means, so that
    chance does not contradict it.
    """
    tables = {name: cost_over_bound(cells, instances, name) for name in LOWER_VERSIONS}
    found: Evidence = {}
    for radius, part in tables["reduction"].groupby("radius"):
        found[f"{radius}_least_over_reduction"] = float(part["ratio"].min())
        found[f"{radius}_median_over_reduction"] = float(part["ratio"].median())
        found[f"{radius}_largest_over_reduction"] = float(part["ratio"].max())
    valid = {name: table[table["radius"].isin(VALID_RADII)] for name, table in tables.items()}
    along = spreads(valid["reduction"])
    for radius in VALID_RADII:
        part = [item for item in along if f", {radius}, " in item[3]]
        found |= widest(part, f"{radius}_spread") if part else {}
    return found | {
        "printed_informative": int(np.isfinite(valid["printed"]["ratio"]).sum()),
        "least_over_printed": float(valid["printed"]["high"].min()) / scale,
        "least_over_reduction": float(valid["reduction"]["high"].min()) / scale,
        "series": len(along),
        **widest(along, "reduction_spread"),
        "violating_point": max(along)[3] if along else "",
    }


def reduction_dominates(instances: Instances, epsilons: Sequence[float]) -> Evidence:
    """Theorem D is above the printed bound at every point of a grid."""
    ratios = [
        (
            ratio_to(
                bounds.fixed_confidence_lower(problem, epsilon, delta, "reduction"),
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
    return {"cases": len(finite), "least_ratio": least, "least_at": where}


def decoupled(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Theorem E: cost of the radii that decide an arm by its own responses, over the bound."""
    chosen = cells[cells["radius"].isin(OWN_RESPONSES) & (cells["delta"] < 0.5)]
    table = cost_over_bound(chosen, instances, "decoupled")
    return {
        "cases": len(table),
        "least_over_bound": float(table["high"].min()) / scale,
        "median_over_bound": median(table["ratio"]),
        "largest_over_bound": float(table["ratio"].max()),
    }


def many_arms(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Cost of valid radii on equal gaps at tau = 1/2 over the bound that grows with log K.

    It bounds the average over mirror images, which by symmetry cost the same there.
    """
    chosen = cells[
        cells["radius"].isin(VALID_RADII)
        & cells["instance"].str.startswith("equal-gap-")
        & cells["instance"].map(lambda name: instances[name].threshold == 0.5)
        & (cells["delta"] < 0.5)
    ]
    high = cost_over_bound(chosen, instances, "many_arms")["high"]
    return {"cases": len(chosen), "least_over_bound": float(high.min()) / scale}


# --- cost: comparisons ----------------------------------------------------------------------------


def privacy_raises_the_cost(cells: pd.DataFrame) -> Evidence:
    """Mean pulls at one epsilon over those at the next larger one, in every series."""
    steps = []
    for key, part in cells.groupby(["instance", "radius", "delta"]):
        for before, after in itertools.pairwise(rows_of(part.sort_values("epsilon"))):
            where = f"{_series(key)}, eps {before.epsilon:g} to {after.epsilon:g}"
            low = before.mean_pulls_low / after.mean_pulls_high
            high = before.mean_pulls_high / after.mean_pulls_low
            steps.append((before.mean_pulls / after.mean_pulls, low, high, where))
    if not steps:
        return {"cases": 0}
    least, _, _, where = min(steps)
    return {
        "cases": len(steps),
        "least_ratio": least,
        "least_ratio_low": min(step[1] for step in steps),
        "least_ratio_high": min(step[2] for step in steps),
        "violating_point": where,
    }


COMPARED = [
    ("mixture", "printed"), ("hoeffding", "printed"), ("hoeffding", "mixture"),
    ("onesided", "mixture"), ("onesided", "printed"), ("hoeffding", "onesided"),
    ("coin", "onesided"), ("coin", "printed"), ("hoeffding", "coin"),
]  # fmt: skip


def cost_of_radii(cells: pd.DataFrame) -> Evidence:
    """Ratios of mean pulls with two radii, over the settings that both were run on."""
    keys = ["instance", "epsilon", "delta"]
    wide = {
        end: cells.pivot_table(index=keys, columns="radius", values=end).reindex(columns=[*RADII])
        for end in ENDS
    }
    mean, low, high = (wide[end] for end in ENDS)
    found: Evidence = {}
    for above, below in COMPARED:
        name = f"{above}_over_{below}"
        if not {above, below} <= set(RADII):
            continue
        ratio = (mean[above] / mean[below]).dropna()
        found[f"least_{name}"] = float(ratio.min())
        found[f"median_{name}"] = float(ratio.median())
        found[f"largest_{name}"] = float(ratio.max())
        found[f"largest_{name}_low"] = float((low[above] / high[below]).max())
        found[f"largest_{name}_high"] = float((high[above] / low[below]).max())
    return found | {
        "cells": len(mean[["printed", "hoeffding", "mixture"]].dropna()),
        "onesided_cells": len(mean[["mixture", "onesided"]].dropna()),
        "coin_cells": len(mean.reindex(columns=["coin", "onesided"]).dropna()),
    }


FLAT_PROBLEMS = ("three-groups", "crowded", "hard-arm")  # threshold 1/2, the whole range of eps


def onesided_flat(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """How the cost of ``onesided`` over Theorem D varies along eps on three problems, delta .1."""
    chosen = cells[
        (cells["radius"] == "onesided")
        & cells["instance"].isin(FLAT_PROBLEMS)
        & (cells["delta"] == 0.1)
    ]
    along = [
        item
        for _, part in cost_over_bound(chosen, instances, "reduction").groupby("instance")
        if part["epsilon"].min() <= 0.01 and np.isinf(part["epsilon"].max())
        for item in spreads(part)
    ]
    return {"series": len(along), **widest(along, "largest_spread")}


def coin_flat(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """How the cost of ``coin`` over Theorem D varies along eps, on every problem at delta < 1/2."""
    chosen = cells[(cells["radius"] == "coin") & (cells["delta"] < 0.5)]
    along = spreads(cost_over_bound(chosen, instances, "reduction"))
    return {"series": len(along), **widest(along, "largest_spread")}


def migraine(cells: pd.DataFrame) -> Evidence:
    """Mean pulls of ``coin`` over ``onesided`` on the migraine trial, delta = .1."""
    chosen = cells[(cells["instance"] == "migraine") & (cells["delta"] == 0.1)]
    wide = chosen.pivot_table(index="epsilon", columns="radius", values=list(ENDS))
    if not {("mean_pulls", "coin"), ("mean_pulls", "onesided")} <= set(wide.columns):
        return {"cases": 0}
    found: Evidence = {"cases": 0, "ratio_at_1": math.nan}
    for epsilon, row in wide.iterrows():
        ratio = row["mean_pulls", "coin"] / row["mean_pulls", "onesided"]
        found[f"ratio_at_{epsilon:g}"] = ratio
        if math.isinf(epsilon):
            found |= {"cases": 1, "ratio": ratio}
            found["ratio_low"] = row["mean_pulls_low", "coin"] / row["mean_pulls_high", "onesided"]
            found["ratio_high"] = row["mean_pulls_high", "coin"] / row["mean_pulls_low", "onesided"]
    return found


def surveys(table: pd.DataFrame, radius: str = "coin") -> Evidence:
    """How many of the published answers a sequential study with this radius would have needed."""
    chosen = table[table["radius"] == radius]
    undecided = chosen["verdict"] == "undecided"
    sides = np.where(chosen["estimate"] >= chosen["threshold"], "above", "below")
    return {
        "questions": len(chosen),
        "undecided": int(undecided.sum()),
        "answers": int(chosen["answers"].sum()),
        "mean_answers": float(chosen["mean_answers"].sum()),
        "share_of_answers": float(chosen["mean_answers"].sum() / max(chosen["answers"].sum(), 1)),
        "changed_verdicts": int((~undecided & (chosen["verdict"] != sides)).sum()),
    }
