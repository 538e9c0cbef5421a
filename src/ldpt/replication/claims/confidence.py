"""Evidence on the mechanism and on Algorithm 2, from simulations and importance sampling."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.privacy import private_mean
from ldpt.radii import KINDS, RADII, VALID_RADII
from ldpt.replication.claims.evidence import (
    MIN_STANDARD_ERRORS,
    NORMAL,
    Checks,
    Evidence,
    Instances,
    bootstrap,
    geometric_mean,
    log_deviation,
    median,
    ratio_to,
    widest,
)
from ldpt.util.reproducible import log

OWN_RESPONSES = tuple(name for name in VALID_RADII if not KINDS[name].timed)  # Theorem E
STRICTEST = 1e-6  # level of a single test when Holm's method has about a thousand to correct
SERIES = ["instance", "radius", "delta"]
SETTING = ["instance", "delta", "epsilon"]
ENDS = ["mean_pulls", "mean_pulls_low", "mean_pulls_high"]
LIMITS = ["ratio", "low", "high"]


def reward_laws(mechanism: pd.DataFrame) -> Evidence:
    """Test Lemma 2.1: whatever the law of the rewards, responses have the private mean."""
    from scipy.stats import binomtest, norm

    expected = [private_mean(row.mean, row.epsilon) for row in mechanism.itertuples()]
    tests = [
        {
            "where": f"{row.law}, eps = {row.epsilon:g}",
            "p": float(binomtest(row.positives, row.draws, mean).pvalue),
        }
        for row, mean in zip(mechanism.itertuples(), expected, strict=True)
    ]
    share = mechanism["positives"] / mechanism["draws"]
    return {
        "tests": tests,
        "largest_deviation": float(np.max(np.abs(share - expected))),
        "detects": float(norm.isf(STRICTEST / 2) * 0.5 / math.sqrt(mechanism["draws"].min())),
    }


# --- error ----------------------------------------------------------------------------------------


def delta_correctness(cells: pd.DataFrame, radius: str) -> Evidence:
    """Test an error probability of at most delta, one-sidedly, in every setting.

    ``detects`` is the error over delta that one test at ``STRICTEST`` rejects half of the time.
    """
    from scipy.stats import binom

    rows = cells[cells["radius"] == radius]
    runs, delta = rows["replicates"], rows["delta"]
    p_values = binom.sf(rows["errors"] - 1, runs, delta)
    detects = (binom.isf(STRICTEST, runs, delta) + 1) / (runs * delta)
    return {
        "tests": [
            {"where": f"{r.instance}, eps = {r.epsilon:g}, delta = {r.delta:g}", "p": float(p)}
            for r, p in zip(rows.itertuples(), p_values, strict=True)
        ],
        "cells": len(rows),
        "cells_above_delta": int((rows["low"] > delta).sum()),
        "largest_error_over_delta": float((rows["estimate"] / delta).to_numpy().max(initial=0.0)),
        "detects_least": float(detects.min()),
        "detects_largest": float(detects.max()),
    }


def error_map(table: pd.DataFrame) -> Evidence:
    """Return how much of the exact map of error/delta fails with each radius."""
    evidence: Evidence = {}
    for radius in RADII:
        cells = table[(table["radius"] == radius) & (table["method"] == "exact")]
        evidence |= {
            f"exact_{radius}_cells": len(cells),
            f"exact_{radius}_failing": int(cells["fails"].sum()),
            f"exact_{radius}_largest_error_over_delta": float(cells["error_over_delta"].max()),
        }
    return evidence


def sampled_errors(table: pd.DataFrame) -> Evidence:
    """Count importance-sampled errors that exceed delta by five standard errors."""
    rows = table[table["reliable"]]
    evidence: Evidence = {"detects": MIN_STANDARD_ERRORS * rows["relative_error"].median()}
    for radius in RADII:
        part = rows[rows["radius"] == radius]
        safe_estimate = part["estimate"] * (1 - MIN_STANDARD_ERRORS * part["relative_error"])
        largest = float((part["estimate"] / part["delta"]).max())
        evidence |= {
            f"{radius}_estimates": len(part),
            f"{radius}_failing": int((safe_estimate > part["delta"]).sum()),
            f"{radius}_largest_error_over_delta": largest,
        }
    return evidence


def one_of_ten(cells: pd.DataFrame) -> Evidence:
    """Test the error of the printed radius with one hard arm among ten, at each privacy level."""
    cells = cells[cells["instance"] == "one-of-ten"]
    private = cells[(cells["epsilon"] == 1) & (cells["radius"] == "printed")]
    over = private["estimate"] / private["delta"]
    return delta_correctness(cells, "printed") | {
        "private_error_over_delta": float(over.max()) if len(over) else math.nan
    }


# --- cost: upper bounds ---------------------------------------------------------------------------


def stopping_time_quantiles(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Compare (1 - delta)-quantiles of stopping times with Theorem 4.1, for the printed radius.

    The bound is 499 H~ log(4 K H~/delta) + 2 K with H~ = max(H_eps/36, 1) (Appendix D). A run that
    had not stopped counts as infinite. The printed H_eps log(4 K H_eps/delta) at threshold 10, one
    arm with mean 1/2, no privacy and delta = .1 is less than one pull.
    """
    rows = cells[cells["radius"] == "printed"]
    bound = _bounds(bounds.fixed_confidence_upper, rows, instances, "printed")
    far = 1 / ((10.0 - 0.5) * (10.0 - 0.5))
    return {
        "cases": len(rows),
        "largest_over_bound": float((rows["quantile_pulls"] / bound).max()),
        "bound_at_far_threshold": far * log(4 * far / 0.1),
    }


def expected_cost_bounds(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Divide lower limits of mean stopping times by the proved bounds over ``scale``."""
    evidence: Evidence = {}
    for version, radius in bounds.MEAN_COSTS.items():
        rows = cells[cells["radius"] == radius]
        bound = _bounds(bounds.fixed_confidence_upper, rows, instances, version)
        evidence[f"{radius}_cells"] = len(rows)
        evidence[f"{radius}_largest_over_bound"] = float(
            (scale * rows["mean_pulls_low"] / bound).max()
        )
    return evidence


def _bounds(
    bound: Callable[..., float], cells: pd.DataFrame, instances: Instances, version: str
) -> np.ndarray:
    """Return a bound for each setting."""
    rows = cells.itertuples()
    return np.array([bound(instances[r.instance], r.epsilon, r.delta, version) for r in rows])


# --- cost: lower bounds ---------------------------------------------------------------------------


def cost_over_bound(cells: pd.DataFrame, instances: Instances, version: str) -> pd.DataFrame:
    """Return the settings with ``ratio``, ``low`` and ``high``: mean pulls over a lower bound."""
    bound = _bounds(bounds.fixed_confidence_lower, cells, instances, version)
    bound = np.where(bound > 0, bound, 0.0)  # a bound of 0 or less says nothing: the ratio is inf
    ratios = {name: cells[end] / bound for name, end in zip(LIMITS, ENDS, strict=True)}
    return cells[["instance", "radius", "delta", "epsilon"]].assign(**ratios)


def along_epsilon(table: pd.DataFrame, levels: int = 2) -> dict[str, np.ndarray]:
    """Return the ratios of each series with enough privacy levels, with limits, by its name."""
    return {
        _series(key): part[LIMITS].to_numpy()
        for key, part in table.groupby(SERIES)
        if part["epsilon"].nunique() >= levels and np.isfinite(part["ratio"]).all()
    }


def _series(key: Sequence[Any]) -> str:
    instance, radius, delta = key
    return f"{instance}, {radius}, delta = {delta:g}"


def lower_bounds(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Divide the cost of every radius by Theorem 4.2 and Theorem D, which ``scale`` multiplies.

    The comparisons with a bound take the valid radii and the upper limits of the means, so that
    chance does not contradict it.
    """
    reduction = cost_over_bound(cells, instances, "reduction")
    evidence: Evidence = {}
    for radius, part in reduction.groupby("radius"):
        evidence[f"{radius}_least_over_reduction"] = float(part["ratio"].min())
        evidence[f"{radius}_median_over_reduction"] = float(part["ratio"].median())
        evidence[f"{radius}_largest_over_reduction"] = float(part["ratio"].max())
    valid = cells["radius"].isin(VALID_RADII)
    printed = cost_over_bound(cells[valid], instances, "printed")
    along = along_epsilon(reduction[valid])
    for radius in VALID_RADII:
        part = [along[name] for name in along if f", {radius}, " in name]
        evidence |= widest(part, f"{radius}_spread") if part else {}
    return evidence | {
        "printed_informative": int(np.isfinite(printed["ratio"]).sum()),
        "least_over_printed": float(printed["high"].min()) / scale,
        "least_over_reduction": float(reduction[valid]["high"].min()) / scale,
        "series": len(along),
        **widest([*along.values()], "reduction_spread"),
        "violating_point": max(along, key=lambda name: np.ptp(log(along[name][:, 0])), default=""),
    }


def reduction_dominates(instances: Instances, epsilons: Sequence[float]) -> Evidence:
    """Compare Theorem D with the printed bound at every point of a grid."""
    ratios = [
        ratio_to(
            bounds.fixed_confidence_lower(problem, epsilon, delta, "reduction"),
            bounds.fixed_confidence_lower(problem, epsilon, delta, "printed"),
        )
        for problem in instances.values()
        if problem.strict.complexity() < math.inf
        for epsilon in epsilons
        for delta in (0.1, 0.01, 1e-4)
    ]
    return {"cases": sum(map(math.isfinite, ratios)), "least_ratio": min(ratios)}


EPSILONS = (0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def reduction_bound(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Compare Theorem D with the printed bound on a grid, and with simulated costs."""
    least = lower_bounds(cells, instances)["least_over_reduction"]
    return reduction_dominates(instances, EPSILONS) | {"least_over_reduction": least}


def decoupled(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Divide the cost of radii that decide an arm by its own responses by Theorem E."""
    rows = cells[cells["radius"].isin(OWN_RESPONSES) & (cells["delta"] < 0.5)]
    table = cost_over_bound(rows, instances, "decoupled")
    return {
        "cases": len(table),
        "least_over_bound": float(table["high"].min()) / scale,
        "median_over_bound": table["ratio"].median(),
        "largest_over_bound": float(table["ratio"].max()),
    }


def many_arms(cells: pd.DataFrame, instances: Instances, scale: float = 1.0) -> Evidence:
    """Divide the cost of valid radii on equal gaps at tau = 1/2 by the bound that grows with log K.

    It bounds the average over mirror images, which by symmetry cost the same there.
    """
    rows = cells[
        cells["radius"].isin(VALID_RADII)
        & cells["instance"].map(lambda name: instances[name].family == "equal-gap")
        & cells["instance"].map(lambda name: instances[name].threshold == 0.5)
        & (cells["delta"] < 0.5)
    ]
    high = cost_over_bound(rows, instances, "many_arms")["high"]
    return {"cases": len(rows), "least_over_bound": float(high.min()) / scale}


# --- cost: comparisons ----------------------------------------------------------------------------


def privacy_raises_the_cost(cells: pd.DataFrame) -> Evidence:
    """Divide mean pulls at one epsilon by those at the next larger one, in every series."""
    ordered = cells.sort_values("epsilon", kind="stable")
    before = ordered.set_index([*SERIES, "epsilon"])[ENDS]
    after = ordered.groupby(SERIES)[ENDS].shift(-1).set_axis(before.index)
    paired = after.notna().all(axis=1)
    if not paired.any():
        return {"cases": 0}
    ratio, deviation = _ratio(before[paired].to_numpy().T, after[paired].to_numpy().T)
    *series, epsilon = before[paired].index[ratio.argmin()]
    return {
        "cases": len(ratio),
        **bootstrap("least_ratio", lambda logs: logs.min(axis=-1), ratio, deviation),
        "violating_point": f"{_series(series)}, eps = {epsilon:g} and the next",
    }


def _ratio(above: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ratios of estimates (value, low, high), and the deviations of their logarithms."""
    deviations = [log_deviation(low, high) for _, low, high in (above, below)]
    return above[0] / below[0], np.sqrt(np.square(deviations[0]) + np.square(deviations[1]))


COMPARED = [
    ("mixture", "printed"), ("hoeffding", "printed"), ("hoeffding", "mixture"),
    ("onesided", "mixture"), ("coin", "onesided"), ("coin", "printed"),
]  # fmt: skip


def pulls_by_radius(cells: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield mean pulls, their lower and their upper limits by setting, one column per radius."""
    for end in ENDS:
        wide = cells.pivot_table(index=SETTING, columns="radius", values=end)
        yield wide.reindex(columns=[*RADII])


def cost_of_radii(cells: pd.DataFrame, pairs: Sequence[tuple[str, str]] = COMPARED) -> Evidence:
    """Compare mean pulls with two radii over the settings that both were run on."""
    mean, low, high = pulls_by_radius(cells)
    evidence: Evidence = {}
    for above, below in pairs:
        both = mean[[above, below]].dropna().index
        ends = [
            [table.loc[both, radius] for table in (mean, low, high)] for radius in (above, below)
        ]
        ratio, deviation = _ratio(*(np.array(values, float) for values in ends))
        name = f"{above}_over_{below}"
        evidence |= {
            f"least_{name}": float(ratio.min(initial=math.inf)),
            **bootstrap(f"median_{name}", median, ratio, deviation),
            **bootstrap(f"mean_{name}", geometric_mean, ratio, deviation),
            **bootstrap(f"largest_{name}", lambda logs: logs.max(axis=-1), ratio, deviation),
        }
    return evidence | {
        "cells": len(mean[["printed", "hoeffding", "mixture"]].dropna()),
        "onesided_cells": len(mean[["mixture", "onesided"]].dropna()),
        "coin_cells": len(mean[["coin", "onesided"]].dropna()),
    }


def surveys(table: pd.DataFrame, radius: str = "coin") -> Evidence:
    """Return how many of the published answers a sequential study would have needed."""
    rows = table[table["radius"] == radius]
    undecided = rows["verdict"] == "undecided"
    sides = np.where(rows["estimate"] >= rows["threshold"], "above", "below")
    # of a mean over orders, from the quantiles at 5 and 95 % of one order
    errors = (rows["high_answers"] - rows["low_answers"]) / (2 * 1.645) / np.sqrt(rows["orders"])
    share = rows["mean_answers"].sum()
    all_answers = max(rows["answers"].sum(), 1)
    margin = NORMAL * math.sqrt(np.square(errors).sum())
    return {
        "questions": len(rows),
        "undecided": int(undecided.sum()),
        "share_of_answers": float(share / all_answers),
        "share_of_answers_low": float((share - margin) / all_answers),
        "share_of_answers_high": float((share + margin) / all_answers),
        "changed_verdicts": int((~undecided & (rows["verdict"] != sides)).sum()),
    }


CHECKS: Checks = {
    "reward_laws": lambda m: reward_laws(m.mechanism),
    "delta_correct_printed": lambda m: delta_correctness(m.confidence, "printed"),
    "delta_correct_printed_two_arms": lambda m: delta_correctness(m.two_arms, "printed"),
    "delta_correct_one_of_ten": lambda m: one_of_ten(m.confidence),
    "delta_correct_hoeffding": lambda m: delta_correctness(m.tested, "hoeffding"),
    "delta_correct_mixture": lambda m: delta_correctness(m.tested, "mixture"),
    "delta_correct_onesided": lambda m: delta_correctness(m.tested, "onesided"),
    "delta_correct_coin": lambda m: delta_correctness(m.tested, "coin"),
    "error_map": lambda m: error_map(m.error_map),
    "sampled_errors": lambda m: sampled_errors(m.rare_confidence),
    "stopping_time_quantiles": lambda m: stopping_time_quantiles(m.confidence, m.problems),
    "expected_cost_bounds": lambda m: expected_cost_bounds(m.confidence, m.problems),
    "privacy_raises_the_cost": lambda m: privacy_raises_the_cost(m.confidence),
    "lower_bounds": lambda m: lower_bounds(m.confidence, m.problems),
    "reduction_bound": lambda m: reduction_bound(m.confidence, m.problems),
    "decoupled_bound": lambda m: decoupled(m.confidence, m.problems),
    "many_arms": lambda m: many_arms(m.confidence, m.problems),
    "cost_of_radii": lambda m: cost_of_radii(m.confidence),
    "surveys": lambda m: surveys(m.surveys),
}
