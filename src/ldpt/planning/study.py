"""What a private study will cost before it starts: the science behind ``ldpt plan``.

Four methods can be planned. ``apt`` is Algorithm 1, whose cost is the smallest budget at which its
error probability has come down to delta. ``printed``, ``hoeffding`` and ``mixture`` are Algorithm 2
with that radius, whose cost is the expected stopping time. All costs are simulated on the fast
engine and carry 95 % intervals; the bounds of ``bounds`` stand beside them.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ldpt import bounds, simulate, summarise
from ldpt.instances import Instance
from ldpt.privacy import check_epsilon, shrinkage
from ldpt.radii import RADII, VALID_RADII, check_delta

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METHODS = ("apt", *RADII)
GUARANTEED = VALID_RADII  # wrong with probability at most delta, by proof
DEFAULT_EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
DEFAULT_REPLICATES = 400
LEAST_ERRORS = 20  # expected at error delta, so that the crossing of delta can be seen
GRID = 24  # budgets of a simulated error curve
MOST_DOUBLINGS = 6
MOST_SEARCH_STEPS = 12

Progress = Callable[[str], None]  # told what is about to be simulated


@dataclass(frozen=True)
class Cost:
    """Pulls a method needs: estimate with a 95 % interval, and how the pulls of runs spread.

    The spread (standard deviation and quantiles) is that of Algorithm 2's stopping times;
    Algorithm 1 has none, it uses its budget. ``error`` is the simulated error probability there.
    """

    pulls: float
    low: float
    high: float
    sd: float
    pulls_05: float
    pulls_50: float
    pulls_95: float
    error: float
    error_low: float
    error_high: float


@dataclass(frozen=True)
class Plan:
    """The tables of a plan; one that was not asked for is empty."""

    instance: Instance
    delta: float | None
    budget: int | None
    replicates: int
    seed: int
    cost: pd.DataFrame
    error: pd.DataFrame
    smallest: pd.DataFrame


def make_plan(
    instance: Instance,
    epsilons: Sequence[float] = DEFAULT_EPSILONS,
    delta: float | None = None,
    budget: int | None = None,
    methods: Sequence[str] = METHODS,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """Costs for an error level, errors for a budget, and for both the smallest epsilon.

    >>> two = Instance("two", [0.2, 0.8], 0.5)
    >>> plan = make_plan(two, [1.0], delta=0.1, methods=["mixture"], replicates=50)
    >>> plan.cost[["epsilon", "method"]].to_numpy().tolist()
    [[1.0, 'mixture'], [inf, 'mixture']]
    """
    if delta is None and budget is None:
        raise ValueError("a plan needs delta, a budget, or both")
    for method in methods:
        check_method(method)
    say = progress or (lambda task: None)
    levels = sorted({check_epsilon(epsilon) for epsilon in epsilons} | {math.inf})
    cost = error = smallest = pd.DataFrame()
    if delta is not None:
        cost = cost_table(instance, levels, delta, methods, replicates, seed, say)
    if budget is not None:
        error = error_table(instance, levels, budget, replicates, seed, say)
    if delta is not None and budget is not None:
        smallest = smallest_table(instance, budget, delta, methods, replicates, seed, say)
    return Plan(instance, delta, budget, replicates, seed, cost, error, smallest)


def check_method(method: str) -> str:
    """Return the method, or say which there are."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    return method


# --- costs


def cost_table(
    instance: Instance,
    epsilons: Sequence[float],
    delta: float,
    methods: Sequence[str],
    replicates: int,
    seed: int,
    progress: Progress,
) -> pd.DataFrame:
    """A row an epsilon and method: cost, spread, error, bounds, and the price of privacy."""
    rows = []
    for epsilon in epsilons:
        for method in methods:
            progress(f"{method} at epsilon {epsilon:g}")
            cost = pulls_needed(instance, epsilon, delta, method, replicates, seed)
            rows.append(
                {
                    "epsilon": epsilon,
                    "method": method,
                    "guaranteed": method in GUARANTEED,
                    **vars(cost),
                    "bound_low": least_pulls(instance, epsilon, delta, method),
                    "bound_high": most_pulls(instance, epsilon, delta, method),
                }
            )
    return _with_price(pd.DataFrame(rows))


def pulls_needed(
    instance: Instance, epsilon: float, delta: float, method: str, replicates: int, seed: int
) -> Cost:
    """Simulated cost of one method at one privacy level."""
    check_delta(delta)
    if check_method(method) == "apt":
        return budget_needed(instance, epsilon, delta, replicates, seed)
    runs = simulate.fixed_confidence(instance, epsilon, delta, replicates, seed, radius=method)
    times = runs["stopping_time"].to_numpy()
    mean, deviation, low, high = summarise.mean_interval(times)
    early, middle, late = (float(np.quantile(times, q)) for q in (0.05, 0.5, 0.95))
    errors = int((~runs["correct"]).sum())
    fewest, most = (float(limit) for limit in summarise.clopper_pearson(errors, replicates))
    return Cost(
        mean, low, high, deviation, early, middle, late, errors / replicates, fewest, most
    )  # fmt: skip


def budget_needed(
    instance: Instance, epsilon: float, delta: float, replicates: int, seed: int
) -> Cost:
    """Smallest budget at which Algorithm 1 errs with probability at most delta.

    One run to the largest budget gives the error at all smaller ones, so the crossing is read off
    a single simulated curve; the interval is where the curve's own limits cross delta.
    """
    _require_finite_complexity(instance)
    replicates = max(replicates, math.ceil(LEAST_ERRORS / delta))
    largest = instance.complexity(epsilon) * math.log(2 * instance.n_arms / delta) / 2
    for _ in range(MOST_DOUBLINGS):
        grid = budgets_up_to(instance, largest)
        curve = error_curve(instance, epsilon, grid, replicates, seed)
        if curve["high"].iloc[-1] <= delta:
            break
        largest *= 2
    pulls, low, high = (crossing(curve, name, delta) for name in ("estimate", "low", "high"))
    reached = curve[curve["budget"] >= min(pulls, grid[-1])].iloc[0]
    no_spread = (0.0, pulls, pulls, pulls)
    return Cost(pulls, low, high, *no_spread, reached["estimate"], reached["low"], reached["high"])


def budgets_up_to(instance: Instance, largest: float) -> list[int]:
    """The theorem's 2K, and budgets in equal ratios over a factor 60 up to the largest."""
    least = 2 * instance.n_arms
    steps = np.geomspace(largest / 60, largest, GRID)
    return sorted({least} | {math.ceil(step) for step in steps if step > least})


def error_curve(
    instance: Instance, epsilon: float, budgets: Sequence[int], replicates: int, seed: int
) -> pd.DataFrame:
    """Simulated error probability of Algorithm 1 at each budget, with its interval."""
    runs = simulate.fixed_budget(instance, epsilon, budgets, replicates, seed)
    return summarise.fixed_budget(runs, {"epsilon": epsilon}, instance.complexity(epsilon))


def crossing(curve: pd.DataFrame, column: str, delta: float) -> float:
    """The budget from which on a column stays at or below delta; inf if it does not get there.

    Between two budgets of the curve the logarithms are joined by a straight line.
    """
    budgets, values = curve["budget"].to_numpy(), curve[column].to_numpy()
    above = np.flatnonzero(values > delta)
    if above.size == 0:
        return float(budgets[0])
    last = int(above[-1])
    if last + 1 == len(values):
        return math.inf
    here, there = values[last], max(values[last + 1], delta / 10)  # a zero has no logarithm
    share = math.log(here / delta) / math.log(here / there)
    return float(budgets[last] * (budgets[last + 1] / budgets[last]) ** share)


def most_pulls(instance: Instance, epsilon: float, delta: float, method: str) -> float:
    """The proven upper bound on the cost: of E[T] for valid radii, else on the good event."""
    if method in VALID_RADII:
        return bounds.expected_cost_upper(instance, epsilon, delta, method)
    if method != "apt":
        return bounds.fixed_confidence_upper(instance, epsilon, delta, method)
    budget = float(2 * instance.n_arms)
    while most_error(instance, epsilon, budget) > delta:
        budget *= 1.01
    return budget


def most_error(instance: Instance, epsilon: float, budget: float) -> float:
    """The better of the two proven upper bounds on the error of Algorithm 1."""
    versions = ("rigorous", "paired")
    return min(1.0, *(bounds.fixed_budget_upper(instance, epsilon, budget, v) for v in versions))


def least_pulls(instance: Instance, epsilon: float, delta: float, method: str) -> float:
    """The sharp lower bound on the cost of any method (for ``apt``: on its worst environment)."""
    if method != "apt":
        return bounds.fixed_confidence_lower(instance, epsilon, delta, "sharp")
    floor = 2 * instance.n_arms
    at_floor = 4 * bounds.fixed_budget_lower(instance, epsilon, floor, "sharp")
    if at_floor == 0 or delta >= 0.25:  # a mean moved to 0 or 1 is told at once
        return 0.0
    return floor * math.log(4 * delta) / math.log(at_floor)


def _with_price(table: pd.DataFrame) -> pd.DataFrame:
    """Cost over the cost without privacy, with limits from the relative errors of both."""
    free = table[np.isinf(table["epsilon"])].set_index("method").loc[table["method"]]
    price = table["pulls"].to_numpy() / free["pulls"].to_numpy()
    reach = np.hypot(_log_reach(table), np.where(np.isinf(table["epsilon"]), 0, _log_reach(free)))
    reach = np.where(np.isinf(table["epsilon"]), 0.0, reach)
    low, high = price * np.exp(-reach), price * np.exp(reach)
    theory = [1 / shrinkage(epsilon) ** 2 for epsilon in table["epsilon"]]
    return table.assign(price=price, price_low=low, price_high=high, price_theory=theory)


def _log_reach(table: pd.DataFrame) -> np.ndarray:
    """Half the width of the cost's interval on the logarithmic scale."""
    low, high = table["low"].clip(lower=1).to_numpy(), table["high"].to_numpy()
    return np.log(high / low) / 2


def _require_finite_complexity(instance: Instance) -> None:
    if math.isinf(instance.complexity()):
        raise ValueError(
            f"instance {instance.name!r} has an arm exactly at the threshold and tolerance 0, "
            "so no budget is enough"
        )


# --- errors for a budget


def error_table(
    instance: Instance,
    epsilons: Sequence[float],
    budget: int,
    replicates: int,
    seed: int,
    progress: Progress,
) -> pd.DataFrame:
    """Error probability of Algorithm 1 against the budget up to the wanted one, with bounds."""
    least = 2 * instance.n_arms
    if budget != int(budget) or budget < least:
        raise ValueError(f"budget must be a whole number of at least 2K = {least}, got {budget}")
    _require_finite_complexity(instance)
    shares = (budget // 2**halvings for halvings in range(6))
    grid = sorted({int(share) for share in shares if share >= least})
    curves = []
    for epsilon in epsilons:
        progress(f"error of apt at epsilon {epsilon:g}")
        curve = error_curve(instance, epsilon, grid, replicates, seed)
        lower = [bounds.fixed_budget_lower(instance, epsilon, b, "sharp") for b in grid]
        upper = [most_error(instance, epsilon, b) for b in grid]
        curves.append(curve.assign(bound_low=lower, bound_high=upper))
    table = pd.concat(curves, ignore_index=True)
    free = table[np.isinf(table["epsilon"])].set_index("budget")["estimate"]
    columns = ["epsilon", "budget", "errors", "estimate", "low", "high", "bound_low", "bound_high"]
    return table[columns].assign(without_privacy=free.loc[table["budget"]].to_numpy())


# --- from a budget back to the smallest epsilon


def smallest_table(
    instance: Instance,
    budget: int,
    delta: float,
    methods: Sequence[str],
    replicates: int,
    seed: int,
    progress: Progress,
) -> pd.DataFrame:
    """For each method the smallest epsilon that the budget affords; NaN if none does."""
    rows = []
    for method in methods:
        progress(f"smallest epsilon of {method}")
        found = smallest_epsilon(instance, budget, delta, method, replicates, seed)
        rows.append({"method": method, "guaranteed": method in GUARANTEED, **found})
    return pd.DataFrame(rows)


def smallest_epsilon(
    instance: Instance, budget: float, delta: float, method: str, replicates: int, seed: int
) -> dict[str, float]:
    """The epsilon at which a method's cost equals the budget, with limits from the cost's own.

    The cost falls as c^-2, c = tanh(eps/2), but for a logarithm, so multiplying c by the root of
    cost / budget is nearly a Newton step; the search ends when the cost's interval covers the
    budget.
    """
    cost = pulls_needed(instance, math.inf, delta, method, replicates, seed)
    if not cost.pulls <= budget:
        return {"epsilon": math.nan, "low": math.nan, "high": math.nan, "pulls": cost.pulls}
    factor = 1.0
    for _ in range(MOST_SEARCH_STEPS):
        factor = min(factor * math.sqrt(cost.pulls / budget), 1.0)
        cost = pulls_needed(instance, _epsilon(factor), delta, method, replicates, seed)
        if cost.low <= budget <= cost.high:
            break
    shrinkages = (factor * math.sqrt(pulls / budget) for pulls in (cost.pulls, cost.low, cost.high))
    epsilon, low, high = (_epsilon(c) for c in shrinkages)
    return {"epsilon": epsilon, "low": low, "high": high, "pulls": cost.pulls}


def _epsilon(factor: float) -> float:
    """The privacy level with this shrinkage."""
    return 2 * math.atanh(factor) if factor < 1 else math.inf


# --- what a reader sees


def render(plan: Plan) -> str:
    """The plan as text."""
    return "\n\n".join(_sections(plan)) + "\n"


def _sections(plan: Plan) -> Iterator[str]:
    instance = plan.instance
    yield (
        f"{instance.n_arms} arms, threshold {instance.threshold:g}, "
        f"tolerance {instance.tolerance:g}, H = {instance.complexity():.4g}; "
        f"{plan.replicates} runs each, seed {plan.seed}, intervals 95 %"
    )
    if not plan.cost.empty:
        title = (
            f"Pulls needed for error {plan.delta:g} (apt: budget; others: expected stopping time)"
        )
        yield f"{title}\n{_layout(map(_cost_line, _rows(plan.cost)))}"
        if "printed" in set(plan.cost["method"]):
            yield "The printed radius is the paper's: its error can exceed delta, so use another."
    if not plan.error.empty:
        yield f"Error of Algorithm 1 by budget\n{_layout(map(_error_line, _rows(plan.error)))}"
        yield "Its lower bound is that of the hardest similar problem, with gaps half as large."
    if not plan.smallest.empty:
        title = f"Smallest epsilon for {plan.budget} pulls and error {plan.delta:g}"
        yield f"{title}\n{_layout(map(_smallest_line, _rows(plan.smallest)))}"


def _cost_line(row: dict[str, Any]) -> dict[str, str]:
    spread = "" if row["method"] == "apt" else f"{row['pulls_05']:.4g} .. {row['pulls_95']:.4g}"
    return {
        "epsilon": f"{row['epsilon']:g}",
        "method": row["method"],
        "pulls": _interval(row["pulls"], row["low"], row["high"]),
        "5 % .. 95 %": spread,
        "error": _interval(row["error"], row["error_low"], row["error_high"]),
        "price": _interval(row["price"], row["price_low"], row["price_high"]),
        "1/c^2": f"{row['price_theory']:.4g}",
        "bounds": _between(row["bound_low"], row["bound_high"]),
    }


def _error_line(row: dict[str, Any]) -> dict[str, str]:
    return {
        "epsilon": f"{row['epsilon']:g}",
        "budget": str(row["budget"]),
        "error": _interval(row["estimate"], row["low"], row["high"]),
        "without privacy": f"{row['without_privacy']:.3g}",
        "bounds": _between(row["bound_low"], row["bound_high"]),
    }


def _smallest_line(row: dict[str, Any]) -> dict[str, str]:
    out_of_reach = math.isnan(row["epsilon"])
    needs = f"none: {row['pulls']:.4g} pulls are needed without privacy"
    shown = needs if out_of_reach else _interval(row["epsilon"], row["low"], row["high"])
    return {"method": row["method"], "epsilon": shown}


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _interval(value: float, low: float, high: float) -> str:
    return f"{value:.4g} [{low:.4g}, {high:.4g}]"


def _between(low: float, high: float) -> str:
    return f"{low:.3g} .. {'-' if math.isnan(high) else f'{high:.3g}'}"


def _layout(lines: Iterable[dict[str, str]]) -> str:
    return pd.DataFrame(list(lines)).to_string(index=False)


def as_json(plan: Plan) -> str:
    """The plan for machines; infinity is written "inf" and what is not known null."""
    instance = plan.instance
    content = {
        "instance": {
            "means": list(instance.means),
            "threshold": instance.threshold,
            "tolerance": instance.tolerance,
        },
        "delta": plan.delta,
        "budget": plan.budget,
        "replicates": plan.replicates,
        "seed": plan.seed,
        "cost": _rows(plan.cost),
        "error": _rows(plan.error),
        "smallest_epsilon": _rows(plan.smallest),
    }
    return json.dumps(_plain(content), indent=1, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf"
    return value


def draw(plan: Plan) -> "Figure":
    """The plan as a figure: pulls against epsilon, and error against budget."""
    from ldpt.figures import style

    tables = [table for table in (plan.cost, plan.error) if not table.empty]
    width = style.PAGE if len(tables) > 1 else style.COLUMN
    figure, grid = style.subplots(1, len(tables), width, 2.8)
    panels = iter(grid.flat)
    if not plan.cost.empty:
        _draw_cost(next(panels), plan)
    if not plan.error.empty:
        _draw_error(next(panels), plan)
    return figure


def _draw_cost(axes: "Axes", plan: Plan) -> None:
    """Costs with intervals, the 5 to 95 % spread of runs as a band, and no privacy as a level."""
    from ldpt.figures import style

    for number, (method, rows) in enumerate(plan.cost.groupby("method", sort=False)):
        colour = f"C{number}"
        private, free = rows[np.isfinite(rows["epsilon"])], rows[np.isinf(rows["epsilon"])]
        reach = [private["pulls"] - private["low"], private["high"] - private["pulls"]]
        marker, label = style.marker(str(method)), style.label(str(method))
        axes.errorbar(
            private["epsilon"], private["pulls"], reach, color=colour, marker=marker, label=label
        )
        axes.fill_between(
            private["epsilon"], private["pulls_05"], private["pulls_95"], color=colour, alpha=0.15
        )
        axes.axhline(free["pulls"].iloc[0], color=colour, linestyle=":", linewidth=0.8)
    axes.set(
        xscale="log", yscale="log", xlabel="epsilon", ylabel="pulls needed",
        title=f"error at most {plan.delta:g} (dotted: without privacy)",
    )  # fmt: skip
    levels = sorted({epsilon for epsilon in plan.cost["epsilon"] if math.isfinite(epsilon)})
    axes.set_xticks(levels, [style.epsilon_label(epsilon) for epsilon in levels])
    axes.minorticks_off()
    if plan.budget is not None:
        axes.axhline(plan.budget, color=style.INK, linewidth=0.8, label="budget")
    axes.legend(frameon=False, loc="best")


def _draw_error(axes: "Axes", plan: Plan) -> None:
    """Errors with intervals; where no error was seen, the upper limit as an open triangle."""
    from ldpt.figures import style

    for epsilon, rows in plan.error.groupby("epsilon"):
        colour, seen = style.epsilon_colour(epsilon), rows[rows["errors"] > 0]
        reach = [seen["estimate"] - seen["low"], seen["high"] - seen["estimate"]]
        label = style.epsilon_label(epsilon)
        axes.errorbar(
            seen["budget"], seen["estimate"], reach, color=colour, marker="o", label=label
        )
        unseen = rows[rows["errors"] == 0]
        axes.plot(unseen["budget"], unseen["high"], "v", color=colour, markerfacecolor="white")
    axes.set(
        xscale="log", yscale="log", xlabel="budget", ylabel="error probability",
        title="Algorithm 1 (triangle: no error seen)",
    )  # fmt: skip
    axes.legend(title="epsilon", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
