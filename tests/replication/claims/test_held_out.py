"""Evidence on the held-out problems, with planted opposites."""

import math
from typing import Any

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.instances import Instance
from ldpt.replication.claims import budget, confidence, held_out
from ldpt.replication.claims.register import FALSE, NOT_TESTED, SUPPORTED, UNDECIDED
from tests.replication.claims.judging import Plant, verdict

PROBLEMS = {f"skewed-{j}": Instance(f"skewed-{j}", [0.3, 0.6], 0.2) for j in range(12)}
LOSSES = {"apt": 0.2, "lsa": 0.1, "apt-clipped": 0.12, "lsa-clipped": 0.06, "uniform": 0.3}
RUNS = 4000


def losses(growth: dict[str, float] | None = None, **changed: float) -> dict[str, Any]:
    """Losses at T = H_eps of every policy at eps = .1, 1 and inf."""
    rows = []
    for instance in PROBLEMS:
        for policy, loss in (LOSSES | {k.replace("_", "-"): v for k, v in changed.items()}).items():
            for epsilon in (0.1, 1.0, math.inf):
                grown = (growth or {"apt": 1.5}).get(policy, 1.0) if epsilon < 1 else 1.0
                row = {"instance": instance, "policy": policy, "epsilon": epsilon, "budget": 50}
                rows.append(row | {"errors": round(RUNS * loss * grown), "scaled_budget": 1.02})
    table = pd.DataFrame(rows).assign(replicates=RUNS)
    return held_out.skewed_losses(table.assign(estimate=table["errors"] / RUNS))


def collapse(slower: float) -> dict[str, Any]:
    x, parts = np.linspace(0.1, 4, 30), []
    for epsilon, factor in ((0.5, slower), (1.0, slower), (math.inf, 1.0)):
        error = np.exp(-2 * x / factor)
        part = {"instance": "skewed-1", "policy": held_out.OURS, "epsilon": epsilon}
        limits = {"estimate": error, "low": error * 0.999, "high": error * 1.001}
        sizes = {"n_arms": 2, "complexity": 9.0, "budget": np.arange(30), "scaled_budget": x}
        parts.append(pd.DataFrame(part | limits | sizes))
    return budget.collapse(pd.concat(parts), held_out.OURS)


def costs(coin: float = 1.5, without_privacy: float = 1.5, onesided: float = 2.0) -> dict[str, Any]:
    rows = []
    for epsilon in (0.25, 1.0, math.inf):
        for radius, factor in (("coin", coin), ("onesided", onesided)):
            if radius == "coin" and math.isinf(epsilon):
                factor = without_privacy
            problem = PROBLEMS["skewed-1"]
            mean = factor * bounds.fixed_confidence_lower(problem, epsilon, 0.1, "reduction")
            row = {"instance": "skewed-1", "radius": radius, "epsilon": epsilon, "delta": 0.1}
            ends = {"mean_pulls_low": mean * 0.999, "mean_pulls_high": mean * 1.001}
            rows.append(row | {"mean_pulls": mean} | ends)
    return held_out.skewed_costs(pd.DataFrame(rows), PROBLEMS)


PLANTED: list[Plant] = [
    ("S1", SUPPORTED, losses, FALSE, lambda: losses(lsa=0.03)),
    ("S1", SUPPORTED, losses, UNDECIDED, lambda: losses(lsa=0.06)),
    ("S1-apt", SUPPORTED, losses, FALSE, lambda: losses(apt=0.02)),
    ("S1-lsa", SUPPORTED, losses, FALSE, lambda: losses(lsa=0.02)),
    ("S3", SUPPORTED, lambda: collapse(1.05), FALSE, lambda: collapse(1.3)),
    ("S4", SUPPORTED, losses, FALSE, lambda: losses(growth={"apt": 1.5, "apt-clipped": 1.4})),
    ("S5", SUPPORTED, costs, FALSE, lambda: costs(without_privacy=2.0)),
    ("S6", SUPPORTED, costs, FALSE, lambda: costs(without_privacy=1.9)),
    ("S8", SUPPORTED, costs, FALSE, lambda: costs(coin=3.0, without_privacy=3.0)),
]


def empty(*columns: str) -> pd.DataFrame:
    """A table of no run."""
    names = dict.fromkeys(("instance", "policy", "radius"), str) | {"epsilon": float}
    types = names | dict.fromkeys(columns, float)
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in types.items()})


def test_other_problems_give_no_verdict() -> None:
    losses = empty("errors", "budget", "scaled_budget", "replicates", "estimate")
    cells = empty("delta", "errors", "replicates", "estimate", "low", *confidence.ENDS)
    assert verdict("S1", held_out.skewed_losses(losses)) == NOT_TESTED
    assert verdict("S5", held_out.skewed_costs(cells, PROBLEMS)) == NOT_TESTED
