"""What a private study will cost before it starts: the tables behind ``ldpt plan``.

A pull is one answer of one person. A person who gives M answers shares epsilon among them: by
composition each answer is epsilon / M private, which costs more answers than it saves people.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ldpt.bounds import fixed_confidence_lower
from ldpt.checks import check_delta, check_epsilon, check_whole
from ldpt.instances import Instance
from ldpt.limits import MAX_PULLS, require_affordable
from ldpt.policies import DEFAULT_POLICY
from ldpt.privacy import shrinkage
from ldpt.radii import DEFAULT_RADIUS, RADII, VALID_RADII, Radius
from ldpt.study.plan_cost import (
    BUDGET_METHODS,
    MAX_RUNS,
    MIN_ERRORS,
    Simulation,
    error_curve,
    pulls_needed,
    require_finite_complexity,
    smallest_epsilon,
)

METHODS = (*BUDGET_METHODS, *RADII)
DEFAULT_METHODS = (DEFAULT_RADIUS, DEFAULT_POLICY)
GUARANTEED = VALID_RADII  # wrong with probability at most delta, by proof
DEFAULT_EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
DEFAULT_REPLICATES = 400
GAP_FACTORS = (0.5, 0.75, 1.0, 1.5)  # true gaps divided by guessed ones
COST_HINT = f"; --budget N without --delta, with --method {DEFAULT_POLICY}, plans for N answers"

Progress = Callable[[str], None]  # called with what is about to be simulated


@dataclass(frozen=True)
class People:
    """How answers become people.

    Parameters
    ----------
    drop_out : float
        Share of the invited people who never answer, in [0, 0.99].
    batch : int
        People who are asked at the same time.
    answers : int
        Answers of each person, who shares epsilon among them.
    """

    drop_out: float = 0.0
    batch: int = 1
    answers: int = 1

    def needed(self, pulls: float) -> float:
        """Return the people to invite for this many answers, in whole numbers; inf stays inf."""
        if not math.isfinite(pulls):
            return pulls
        answering = math.ceil(round(pulls) / self.answers)
        return float(math.ceil(round(answering / (1 - self.drop_out), 6)))


@dataclass(frozen=True)
class Request:
    """What is to be planned.

    Parameters
    ----------
    instance : Instance
        The guessed problem.
    epsilons : sequence of float
        Privacy of one person; no privacy is added.
    delta : float, optional
        Largest error probability allowed.
    budget : int, optional
        Answers that can be collected.
    methods : sequence of str
        Of :data:`METHODS`.
    replicates : int
        Least number of simulated runs per setting.
    seed : int
        Root seed.
    people : People
        Drop-out, batches, answers per person.

    Raises
    ------
    ValueError
        If there is nothing to plan, or a plan would not end.
    """

    instance: Instance
    epsilons: Sequence[float] = DEFAULT_EPSILONS
    delta: float | None = None
    budget: int | None = None
    methods: Sequence[str] = DEFAULT_METHODS
    replicates: int = DEFAULT_REPLICATES
    seed: int = 0
    people: People = field(default_factory=People)

    def __post_init__(self) -> None:
        if self.delta is None and self.budget is None:
            raise ValueError("a plan needs --delta, --budget, or both")
        for method in self.methods:
            if list(self.methods).count(method) > 1:
                raise ValueError(f"--method must name each method once, got {method!r} twice")
        for epsilon in self.epsilons:
            check_epsilon(epsilon)
        if self.delta is not None:
            self._check_delta(check_delta(self.delta))
        if self.budget is not None:
            self._check_budget(self.budget)

    def _check_delta(self, delta: float) -> None:
        """Refuse arms at the threshold, and simulations that would not end."""
        stopping = [method for method in self.methods if method in RADII]
        hopeless = np.flatnonzero(self.instance.strict.gaps == 0)
        if hopeless.size and stopping:
            hint = f": use --method {DEFAULT_POLICY}"
            if not self.instance.tolerance > 0:
                hint += " and a tolerance above 0, within which either answer is right"
            raise ValueError(
                f"arm {hopeless[0]} lies exactly at the threshold, where {stopping[0]} never "
                f"stops{hint}"
            )
        lowest, focus = self.per_answer(self.levels[0]), self.per_answer(self.focus)
        narrow = scaled_gaps(self.instance, min(GAP_FACTORS))
        for method in stopping:
            require_affordable(self.instance, lowest, delta, Radius(method), COST_HINT)
            require_affordable(narrow, focus, delta, Radius(method), COST_HINT)
        if self.budget_methods:
            self._check_fixed_numbers(delta, lowest)

    def _check_fixed_numbers(self, delta: float, epsilon: float) -> None:
        require_finite_complexity(self.instance)
        least = self.instance.complexity(epsilon)
        if least > MAX_PULLS:
            raise ValueError(
                f"instance {self.instance.name!r} at epsilon {self.levels[0]:g} takes at least "
                f"{least:.1e} answers, more than {MAX_PULLS:.0e}{COST_HINT}"
            )
        if MIN_ERRORS / delta > MAX_RUNS:
            raise ValueError(
                f"delta = {delta:g} is too small to simulate {self.budget_methods[0]} "
                f"(at least {MIN_ERRORS / MAX_RUNS:g}): use --method {DEFAULT_RADIUS}"
            )

    def _check_budget(self, budget: int) -> None:
        check_whole("--budget", budget, 2 * self.instance.n_arms, MAX_PULLS)
        if self.delta is None and not self.budget_methods:
            raise ValueError(
                f"--budget without --delta is planned for {', '.join(BUDGET_METHODS)}, "
                f"got {', '.join(self.methods)}"
            )
        if self.budget_methods:
            require_finite_complexity(self.instance)

    @property
    def budget_methods(self) -> list[str]:
        """Return the methods with a fixed number of answers."""
        return [method for method in self.methods if method in BUDGET_METHODS]

    @property
    def levels(self) -> list[float]:
        """Return every privacy level of the plan, no privacy last."""
        return sorted({float(epsilon) for epsilon in self.epsilons} | {math.inf})

    @property
    def focus(self) -> float:
        """Return the privacy level of what is shown for one only: the middle one."""
        private = self.levels[:-1] or self.levels
        return private[len(private) // 2]

    def per_answer(self, epsilon: float) -> float:
        """Return the privacy of one answer of a person who shares epsilon among several."""
        return epsilon / self.people.answers

    def simulation(self, instance: Instance | None = None) -> Simulation:
        """Return how costs are simulated, on this problem or on another."""
        problem = instance or self.instance
        return Simulation(problem, self.delta or 0.0, self.replicates, self.seed)


@dataclass(frozen=True)
class Plan:
    """The tables of a plan; one that was not requested is empty."""

    request: Request
    cost: pd.DataFrame
    error: pd.DataFrame
    smallest: pd.DataFrame
    wrong_means: pd.DataFrame

    def cost_of(self, method: str, epsilon: float) -> pd.Series:
        """Return the row of the cost table for one method and privacy level."""
        table = self.cost
        return table[(table["method"] == method) & (table["epsilon"] == epsilon)].iloc[0]


def make_plan(request: Request, progress: Progress | None = None) -> Plan:
    """Return costs for an error level, errors for a budget, and for both the smallest epsilon.

    Parameters
    ----------
    request : Request
        What is to be planned.
    progress : callable, optional
        Called with a few words before each simulation.

    Returns
    -------
    Plan
        Its tables have one row per setting.

    Examples
    --------
    >>> two = Instance("two", [0.2, 0.8], 0.5)
    >>> plan = make_plan(Request(two, [1.0], delta=0.1, methods=["mixture"], replicates=50))
    >>> plan.cost[["epsilon", "method"]].to_numpy().tolist()
    [[1.0, 'mixture'], [inf, 'mixture']]
    """
    say = progress or (lambda task: None)
    cost = error = smallest = wrong = pd.DataFrame()
    if request.delta is not None:
        cost = cost_table(request, say)
        wrong = wrong_means_table(request, cost, say)
    if request.budget is not None and request.budget_methods:
        error = error_table(request, request.budget, say)
    if request.delta is not None and request.budget is not None:
        smallest = smallest_table(request, request.budget, say)
    return Plan(request, cost, error, smallest, wrong)


# --- costs


def cost_table(request: Request, progress: Progress) -> pd.DataFrame:
    """Return one row per epsilon and method: cost, spread, error, lower bound, price."""
    rows = []
    people = request.people.needed
    for epsilon in request.levels:
        answer = request.per_answer(epsilon)
        for method in request.methods:
            progress(f"{method} at epsilon {epsilon:g}")
            cost = pulls_needed(request.simulation(), answer, method)
            rows.append(
                {
                    "epsilon": epsilon,
                    "epsilon_per_answer": answer,
                    "method": method,
                    "guaranteed": method in GUARANTEED,
                    "people": people(cost.pulls),
                    "people_low": people(cost.low),
                    "people_high": people(cost.high),
                    "people_95": people(cost.pulls_95),
                    **vars(cost),
                    "bound_low": _lower_bound(request, answer, method),
                }
            )
    return _with_price(pd.DataFrame(rows))


def _lower_bound(request: Request, epsilon: float, method: str) -> float:
    """Return what every method needs on average that is right with any means; NaN if fixed."""
    if method in BUDGET_METHODS:
        return math.nan
    delta = request.delta or 0.0
    return fixed_confidence_lower(request.instance, epsilon, delta, "reduction")


def _with_price(table: pd.DataFrame) -> pd.DataFrame:
    """Add the cost divided by that without privacy, with limits from both relative errors."""
    free = table[np.isinf(table["epsilon"])].set_index("method").loc[table["method"]]
    price = table["pulls"].to_numpy() / free["pulls"].to_numpy()
    private = np.isfinite(table["epsilon"])
    reach = np.where(private, np.hypot(_log_reach(table), _log_reach(free)), 0.0)
    theory = [1 / shrinkage(epsilon) ** 2 for epsilon in table["epsilon_per_answer"]]
    low, high = price * np.exp(-reach), price * np.exp(reach)
    return table.assign(price=price, price_low=low, price_high=high, price_theory=theory)


def _log_reach(table: pd.DataFrame) -> np.ndarray:
    """Return half the width of the cost's interval on the logarithmic scale."""
    low, high = table["low"].clip(lower=1).to_numpy(), table["high"].to_numpy()
    return np.log(high / low) / 2


# --- if the guessed means are wrong


def scaled_gaps(instance: Instance, factor: float) -> Instance:
    """Return the same problem with every gap multiplied by a factor, means within [0, 1]."""
    means = instance.threshold + factor * (np.array(instance.means) - instance.threshold)
    name = f"{instance.name}-gaps-{factor:g}"
    return Instance(name, np.clip(means, 0, 1), instance.threshold, instance.tolerance)


def wrong_means_table(request: Request, cost: pd.DataFrame, progress: Progress) -> pd.DataFrame:
    """Return one row per method and factor of the gaps: people needed, error probability.

    A method that stops when certain then needs more or fewer people and keeps its error level. A
    fixed number of answers, planned for the guess, keeps its cost and errs more or less often.
    """
    rows = []
    for method in request.methods:
        planned = cost[(cost["method"] == method) & (cost["epsilon"] == request.focus)].iloc[0]
        for factor in GAP_FACTORS:
            progress(f"{method} with gaps times {factor:g}")
            pulls, error = _outcome(request, method, factor, planned)
            row = {"method": method, "gaps": factor, "epsilon": request.focus, "pulls": pulls}
            rows.append(row | {"error": error, "people": request.people.needed(pulls)})
    return pd.DataFrame(rows)


def _outcome(
    request: Request, method: str, factor: float, planned: pd.Series
) -> tuple[float, float]:
    """Return answers and error probability of a method on the problem with scaled gaps."""
    if factor == 1:
        return float(planned["pulls"]), float(planned["error"])
    problem = request.simulation(scaled_gaps(request.instance, factor))
    epsilon = request.per_answer(request.focus)
    if method in RADII:
        cost = pulls_needed(problem, epsilon, method)
        return cost.pulls, cost.error
    budget = math.ceil(min(planned["pulls"], MAX_PULLS))
    curve = error_curve(problem, epsilon, [budget], method, int(planned["runs"]), request.seed)
    return float(budget), float(curve["estimate"].iloc[0])


# --- errors for a budget, and the smallest epsilon


def error_table(request: Request, budget: int, progress: Progress) -> pd.DataFrame:
    """Return the error probability of each fixed-budget method up to the budget."""
    instance = request.instance
    shares = (budget // 2**halvings for halvings in range(6))
    grid = sorted({share for share in shares if share >= 2 * instance.n_arms})
    runs, seed = request.replicates, request.seed
    curves = []
    for method in request.budget_methods:
        for epsilon in request.levels:
            progress(f"error of {method} at epsilon {epsilon:g}")
            answer = request.per_answer(epsilon)
            curve = error_curve(request.simulation(), answer, grid, method, runs, seed)
            curves.append(
                curve.assign(
                    epsilon=epsilon,
                    method=method,
                    people=[request.people.needed(b) for b in grid],
                )
            )
    table = pd.concat(curves, ignore_index=True)
    keys = ["method", "budget"]
    free = table[np.isinf(table["epsilon"])].set_index(keys)["estimate"]
    columns = ["epsilon", "method", "budget", "people", "errors", "replicates"]
    columns += ["estimate", "low", "high"]
    without = [free[tuple(key)] for key in table[keys].to_numpy()]
    return table[columns].assign(without_privacy=without)


def smallest_table(request: Request, budget: int, progress: Progress) -> pd.DataFrame:
    """Return for each method the smallest epsilon that the budget affords; NaN if none does."""
    rows = []
    for method in request.methods:
        progress(f"smallest epsilon of {method}")
        row = smallest_epsilon(request.simulation(), budget, method)
        for key in ("epsilon", "low", "high"):
            row[key] *= request.people.answers
        rows.append({"method": method, "guaranteed": method in GUARANTEED, **row})
    return pd.DataFrame(rows)
