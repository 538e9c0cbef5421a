"""Where Algorithm 2 errs more often than it promises: error/delta over arms, delta, eps and gap.

One arm is computed exactly by a chain without randomness; two arms, one easy and one hard, are
simulated, with exact (Clopper-Pearson) limits. A cell fails when its lower limit is above delta.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ldpt.instances import Instance
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence
from ldpt.summarise import clopper_pearson

Constants = Mapping[str, float]  # of the radii
EASY_MEAN = 0.1  # far below any threshold of the map: decided within a few pulls
TAIL = 1e-4  # share of delta that a chain may leave undecided; it is shown, not dropped


def one_arm(threshold: float, gap: float) -> Instance:
    """A single arm this far above the threshold."""
    return Instance(f"one-arm-{threshold:g}-{gap:g}", [threshold + gap], threshold)


def two_arms(threshold: float, gap: float) -> Instance:
    """The same arm beside an easy one."""
    return Instance(f"two-arms-{threshold:g}-{gap:g}", [EASY_MEAN, threshold + gap], threshold)


def error_map(settings: Mapping[str, Any], constants: Constants, seed: int) -> pd.DataFrame:
    """The whole map, one row per cell and radius; ``settings`` lists the grids of both parts."""
    rows = [row for grid in settings["one_arm"] for row in _exact_rows(grid, constants)]
    rows += [row for grid in settings["two_arms"] for row in _simulated_rows(grid, constants, seed)]
    table = pd.DataFrame(rows)
    table["error_over_delta"] = table["estimate"] / table["delta"]
    table["fails"] = table["low"] > table["delta"]
    return table


def _cells(grid: Mapping[str, Any]) -> Iterator[tuple[str, float, float, float, float]]:
    return itertools.product(
        grid["radii"],
        grid["thresholds"],
        grid["gaps"],
        map(float, grid["epsilons"]),
        grid["deltas"],
    )


def _exact_rows(grid: Mapping[str, Any], constants: Constants) -> Iterator[dict[str, Any]]:
    from ldpt.exact import fixed_confidence_error

    for radius, threshold, gap, epsilon, delta in _cells(grid):
        problem = one_arm(threshold, gap)
        tail = TAIL * delta
        edge = Radius(radius, **constants)
        chain = fixed_confidence_error(problem, epsilon, delta, edge, tail=tail)
        yield _row(problem, radius, gap, epsilon, delta, "exact") | {
            "estimate": chain.error,
            "low": chain.error,
            "high": chain.error + chain.undecided,  # mass left undecided may still err
            "mean_pulls": chain.expected_pulls,
        }


def _simulated_rows(
    grid: Mapping[str, Any], constants: Constants, seed: int
) -> Iterator[dict[str, Any]]:
    for radius, threshold, gap, epsilon, delta in _cells(grid):
        problem, replicates = two_arms(threshold, gap), grid["replicates"]
        edge = Radius(radius, **constants)
        runs = fixed_confidence(problem, epsilon, delta, replicates, seed, edge)
        errors = int((~runs["correct"]).sum())
        low, high = clopper_pearson(errors, replicates)
        yield _row(problem, radius, gap, epsilon, delta, "simulated") | {
            "replicates": replicates,
            "errors": errors,
            "estimate": errors / replicates,
            "low": float(low),
            "high": float(high),
            "mean_pulls": float(runs["stopping_time"].mean()),
        }


def _row(
    problem: Instance, radius: str, gap: float, epsilon: float, delta: float, method: str
) -> dict[str, Any]:
    return {
        "instance": problem.name,
        "n_arms": problem.n_arms,
        "threshold": problem.threshold,
        "gap": gap,
        "epsilon": epsilon,
        "delta": delta,
        "radius": radius,
        "method": method,
    }
