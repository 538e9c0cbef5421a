"""Evidence on the index policies, from tables, with planted opposites."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ldpt.instances import Instance
from ldpt.replication.claims import budget, evidence
from ldpt.replication.claims.register import FALSE, NOT_TESTED, SUPPORTED, TRUE, UNDECIDED
from tests.replication.claims.judging import Plant, verdict

PROBLEMS = {"one-arm": Instance("one-arm", [0.9], 0.5)}


def sampled_losses(
    estimate: float, relative_error: float = 0.1, policy: str = "apt", pulls: int = 1900
) -> dict[str, Any]:
    versions = ["printed", "proved"] if policy == "apt" else ["lsa"]
    row = {"instance": "one-arm", "epsilon": 1.0, "budget": pulls, "scaled_budget": 65.0}
    row |= {"estimate": estimate, "relative_error": relative_error, "reliable": True}
    useless = row | {"estimate": 0.9, "reliable": False}
    table = pd.DataFrame([row, useless]).assign(policy=policy)
    return budget.sampled_losses(table, PROBLEMS, policy, versions)


def error_curves(
    slower: dict[float, float], policy: str = "apt", width: float = 1e-3
) -> pd.DataFrame:
    """Curves exp(-2 x) against x = T/H_eps, stretched by a factor for some epsilons."""
    x = np.linspace(0.1, 4, 30)
    parts = []
    for epsilon in (0.1, 0.25, 1.0, 4.0):
        error = np.exp(-2 * x / slower.get(epsilon, 1.0))
        limits = {"low": error * (1 - width), "high": error * (1 + width)}
        part = {"instance": "one", "policy": policy, "epsilon": epsilon, "estimate": error}
        sizes = {"n_arms": 1, "complexity": 9.0, "budget": np.arange(30), "scaled_budget": x}
        parts.append(pd.DataFrame(part | limits | sizes))
    return pd.concat(parts)


def collapsed(slower: dict[float, float], policy: str = "apt", **options: Any) -> dict[str, Any]:
    return budget.collapse(error_curves(slower, policy, **options), policy)


def new_problems(lsa: int, apt: int = 200, cells: int = 10, lost: int = 0) -> dict[str, Any]:
    """So many settings with these errors of 1000; in the first ``lost`` they are exchanged."""
    rows = []
    for cell in range(cells):
        row = {"instance": f"new-{cell}", "epsilon": 1.0, "budget": 100, "scaled_budget": 1.0}
        errors = (apt, lsa) if cell >= lost else (lsa, apt)
        for policy, n in zip(("apt", "lsa"), errors, strict=True):
            rows.append(row | {"policy": policy, "errors": n, "estimate": n / 1000})
    return budget.compared(pd.DataFrame(rows).assign(replicates=1000))


def optimum(ratio: float) -> dict[str, Any]:
    """Losses that are this multiple of the least possible."""
    policies = ("apt", "lsa", "lsa-clipped")
    rows = [{"policy": policy, "estimate": 0.01 * ratio, "optimal": 0.01} for policy in policies]
    return budget.optimum(pd.DataFrame(rows))


def appendix(violations: int) -> pd.DataFrame:
    """Statements about tapes and about chains."""
    row = {"cases": 300, "violations": violations, "largest_ratio": 0.9}
    names = ["apt: some arm", "lsa-clipped: some arm", "Lemma Y: an index", "coin: a tape"]
    return pd.DataFrame([row | {"statement": name} for name in names])


PLANTED: list[Plant] = [
    ("T3.1-rare", SUPPORTED, lambda: sampled_losses(1e-80), FALSE, lambda: sampled_losses(0.5)),
    ("D14", SUPPORTED, lambda: collapsed({}), FALSE, lambda: collapsed({4.0: 1.2})),
    ("D14", SUPPORTED, lambda: collapsed({}), UNDECIDED,
     lambda: collapsed({4.0: 1.11}, width=0.1)),
    ("D14-small", SUPPORTED, lambda: collapsed({4.0: 1.2}), FALSE, lambda: collapsed({0.1: 1.2})),
    *(
        (name, SUPPORTED, lambda: collapsed({}, "lsa"), FALSE, lambda: collapsed({0.1: 1.3}, "lsa"))
        for name in ("X16", "X37", "X38", "S2")
    ),
    ("X16-half", SUPPORTED, lambda: collapsed({1.0: 1.2}, "lsa"), FALSE,
     lambda: collapsed({0.1: 1.2}, "lsa")),
    ("X17", SUPPORTED, lambda: new_problems(50, cells=60), FALSE, lambda: new_problems(50, lost=6)),
    ("X17", SUPPORTED, lambda: new_problems(50, cells=60), UNDECIDED,
     lambda: new_problems(50, cells=30)),
    ("X43", TRUE, lambda: optimum(1.2), FALSE, lambda: optimum(1.8)),
    ("X43", TRUE, lambda: optimum(1.2), FALSE, lambda: optimum(0.9)),
    *(
        (name, TRUE, lambda: budget.erring_tapes(appendix(0)), FALSE,
         lambda: budget.erring_tapes(appendix(1)))
        for name in ("X7", "X24")
    ),
    ("X25", TRUE, lambda: budget.exact_chains(appendix(0)), FALSE,
     lambda: budget.exact_chains(appendix(1))),
]  # fmt: skip


def test_a_vacuous_bound_gives_no_verdict() -> None:
    assert verdict("T3.1-rare", sampled_losses(0.9, 0.01, pulls=50)) == NOT_TESTED


def test_evidence_of_no_run_gives_no_verdict() -> None:
    assert verdict("X16", budget.collapse(error_curves({}), "lsa")) == NOT_TESTED


def test_sampled_losses_contradict_only_when_sure() -> None:
    assert verdict("T3.1-rare", sampled_losses(0.5, relative_error=0.3)) == SUPPORTED


def test_collapse_finds_the_widest_spread() -> None:
    found = collapsed({4.0: 1.2})
    assert found["spread_all"] == pytest.approx(1.2, rel=1e-6)
    assert 1.19 < found["spread_all_low"] < 1.2 <= found["spread_all_high"] < 1.21
    assert found["spread_small"] == pytest.approx(1.0, rel=1e-6)


def test_compared_reports_the_worst_price() -> None:
    found = new_problems(50, lost=1)
    assert (found["differing"], found["better"], found["worse"]) == (10, 9, 1)
    assert found["worst_error_ratio"] == pytest.approx(4.0)


def test_bootstrap_of_a_median_agrees_with_its_normal_theory_and_a_maximum_is_corrected() -> None:
    """The mean of 25 logarithms has a fifth of their deviation; a maximum of equals is too high."""
    values, deviations = np.full(25, 2.0), np.full(25, 0.1)
    found = evidence.bootstrap("mean", evidence.geometric_mean, values, deviations)
    half = math.log(found["mean_high"] / found["mean_low"]) / 2
    assert found["mean"] == pytest.approx(2.0)
    assert half == pytest.approx(1.96 * 0.1 / 5, rel=0.1)
    rng = np.random.default_rng(1)
    noisy = 2.0 * np.exp(0.1 * rng.standard_normal(25))
    largest = evidence.bootstrap("max", lambda logs: logs.max(axis=-1), noisy, deviations)
    assert largest["max_low"] < 2.0 < largest["max"]
