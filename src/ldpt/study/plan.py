"""What a private study will cost before it starts: the numbers behind ``ldpt plan``.

Two kinds of methods can be planned. ``lsa`` and ``apt`` (Algorithm 1) collect a fixed number of
answers; their cost is the smallest budget at which their error probability has come down to delta.
``onesided``, ``mixture``, ``hoeffding`` and ``printed`` are Algorithm 2 with that radius, which
stops by itself; their cost is the expected stopping time. All costs are simulated on the fast
engine and carry 95 % intervals; the bounds of :mod:`ldpt.bounds` stand beside them.

A pull is one answer of one person. A person who gives M answers shares epsilon among them: by
composition each answer is epsilon / M private, which costs more answers than it saves people.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ldpt import bounds, simulate, summarise
from ldpt.checks import (
    MAX_SEED,
    check_delta,
    check_epsilon,
    check_number,
    check_seed,
    check_whole,
    is_number,
)
from ldpt.instances import Instance, check_instance
from ldpt.io.messages import shown
from ldpt.limits import MAX_PULLS, MAX_REPLICATES, require_affordable
from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES
from ldpt.privacy import shrinkage
from ldpt.radii import DEFAULT_RADIUS, RADII, VALID_RADII, Radius

BUDGET_METHODS = INDEX_POLICIES
METHODS = (*BUDGET_METHODS, *RADII)
DEFAULT_METHODS = (DEFAULT_RADIUS, DEFAULT_POLICY)
GUARANTEED = VALID_RADII  # wrong with probability at most delta, by proof
DEFAULT_EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
DEFAULT_REPLICATES = 400
MIN_ERRORS = 100  # expected at error delta, so that the crossing of delta can be seen
MAX_RUNS = 100_000  # of one error curve
GRID = 24  # budgets of a simulated error curve
FINE_GRID = 48  # of the one around the crossing, in steps of 3 %
NEAR = 1.7  # factor around the crossing over which a line is fitted
SPAN = 2.0  # of the fine grid, below and above the coarse estimate
MAX_DOUBLINGS = 8
MAX_SEARCH_STEPS = 12
MAX_DROP_OUT = 0.99
# What makes a plan affordable that is refused for its cost.
COST_HINT = f"; --budget N without --delta, with --method {DEFAULT_POLICY}, plans for N answers"
GAP_FACTORS = (0.5, 0.75, 1.0, 1.5)  # true gaps over guessed ones

Progress = Callable[[str], None]  # called with what is about to be simulated


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
    drop_out : float
        Share of the invited people who never answer, in [0, 0.99].
    batch : int
        People who are asked at the same time.
    answers_per_person : int
        Answers of each person, who shares epsilon among them.
    """

    instance: Instance
    epsilons: Sequence[float] = DEFAULT_EPSILONS
    delta: float | None = None
    budget: int | None = None
    methods: Sequence[str] = DEFAULT_METHODS
    replicates: int = DEFAULT_REPLICATES
    seed: int = 0
    drop_out: float = 0.0
    batch: int = 1
    answers_per_person: int = 1

    def __post_init__(self) -> None:
        check_instance(self.instance)
        if self.delta is None and self.budget is None:
            raise ValueError("a plan needs delta, a budget, or both")
        for key in ("epsilons", "methods"):
            if isinstance(getattr(self, key), str) or not isinstance(getattr(self, key), Iterable):
                raise ValueError(f"{key} must be a list, got {shown(getattr(self, key))}")
        if not self.methods:
            raise ValueError(f"methods is empty, at least one of {', '.join(METHODS)} is needed")
        for method in self.methods:
            check_method(method)
            if list(self.methods).count(method) > 1:
                raise ValueError(f"methods must name each method once, got {method!r} twice")
        for epsilon in self.epsilons:
            check_epsilon(epsilon)
        self._check_counts()
        self._check_delta()
        self._check_budget()

    def _check_counts(self) -> None:
        for key in ("batch", "answers_per_person", "replicates"):
            check_whole(key, getattr(self, key), 1, MAX_REPLICATES)
        check_seed(self.seed)
        check_number("drop_out", self.drop_out, 0, MAX_DROP_OUT)

    def _check_delta(self) -> None:
        if self.delta is None:
            return
        check_delta(self.delta)
        hopeless = [arm for arm, gap in enumerate(self.instance.strict.gaps) if gap == 0]
        stopping = [method for method in self.methods if method in RADII]
        if hopeless and stopping:
            hint = f": use --method {DEFAULT_POLICY}"
            if not self.instance.tolerance > 0:
                hint += " and a tolerance above 0, within which either answer is right"
            raise ValueError(
                f"arm {hopeless[0]} lies exactly at the threshold, where {stopping[0]} never "
                f"stops{hint}"
            )
        for method in stopping:
            self._check_cost(Radius(method))
        if self.budget_methods:
            _require_finite_complexity(self.instance)
            least = self.instance.complexity(self.per_answer(self.levels[0]))
            if least > MAX_PULLS:
                raise ValueError(
                    f"instance {self.instance.name!r} at epsilon {self.levels[0]:g} takes at least "
                    f"{least:.1e} answers, more than {MAX_PULLS:.0e}{COST_HINT}"
                )
            if MIN_ERRORS / self.delta > MAX_RUNS:
                raise ValueError(
                    f"delta = {self.delta:g} is too small to simulate {self.budget_methods[0]} "
                    f"(at least {MIN_ERRORS / MAX_RUNS:g}): use --method {DEFAULT_RADIUS}"
                )

    def _check_cost(self, radius: Radius) -> None:
        """At the smallest epsilon, and where the guessed gaps are too wide."""
        delta = self.delta or 0.0
        epsilon, focus = self.per_answer(self.levels[0]), self.per_answer(self.focus)
        require_affordable(self.instance, epsilon, delta, radius, COST_HINT)
        narrow = scaled_gaps(self.instance, min(GAP_FACTORS))
        require_affordable(narrow, focus, delta, radius, COST_HINT)

    def _check_budget(self) -> None:
        if self.budget is None:
            return
        least = 2 * self.instance.n_arms
        if not (is_number(self.budget) and least <= self.budget <= MAX_PULLS):
            raise ValueError(
                f"budget must be a whole number of at least 2K = {least} and at most "
                f"{MAX_PULLS:.0e}, got {shown(self.budget)}"
            )
        check_whole("budget", self.budget, least)
        if self.delta is None and not self.budget_methods:
            raise ValueError(
                f"a budget without delta is planned for {' or '.join(BUDGET_METHODS)}, "
                f"got {', '.join(self.methods)}"
            )
        if self.budget_methods:
            _require_finite_complexity(self.instance)

    @property
    def budget_methods(self) -> list[str]:
        """The methods with a fixed number of answers."""
        return [method for method in self.methods if method in BUDGET_METHODS]

    @property
    def levels(self) -> list[float]:
        """Every privacy level of the plan, no privacy last."""
        return sorted({float(epsilon) for epsilon in self.epsilons} | {math.inf})

    @property
    def focus(self) -> float:
        """The privacy level of what is shown for one only: the middle one."""
        private = self.levels[:-1] or self.levels
        return private[len(private) // 2]

    def per_answer(self, epsilon: float) -> float:
        """Privacy of one answer of a person who shares epsilon among several."""
        return epsilon / self.answers_per_person

    def people(self, pulls: float) -> float:
        """People to invite for this many answers, in whole numbers; inf stays inf."""
        if not math.isfinite(pulls):
            return pulls
        answering = math.ceil(round(pulls) / self.answers_per_person)
        return float(math.ceil(round(answering / (1 - self.drop_out), 6)))


@dataclass(frozen=True)
class Cost:
    """Answers that a method needs: estimate with a 95 % interval, and quantiles over runs.

    The quantiles are of Algorithm 2's stopping times; methods with a fixed number of answers
    have none. ``error`` is the simulated error probability there, from ``runs`` runs.
    """

    pulls: float
    low: float
    high: float
    pulls_05: float
    pulls_50: float
    pulls_95: float
    error: float
    error_low: float
    error_high: float
    runs: int


@dataclass(frozen=True)
class Plan:
    """The tables of a plan; one that was not asked for is empty."""

    request: Request
    cost: pd.DataFrame
    error: pd.DataFrame
    smallest: pd.DataFrame
    wrong_means: pd.DataFrame

    def cost_of(self, method: str, epsilon: float) -> pd.Series:
        """The row of the cost table for one method and privacy level."""
        table = self.cost
        return table[(table["method"] == method) & (table["epsilon"] == epsilon)].iloc[0]


def make_plan(request: Request, progress: Progress | None = None) -> Plan:
    """Costs for an error level, errors for a budget, and for both the smallest epsilon.

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
    if not isinstance(request, Request):
        raise ValueError(f"request must be a Request, got {shown(request)}")
    say = progress or (lambda task: None)
    cost = error = smallest = wrong = pd.DataFrame()
    if request.delta is not None:
        cost = cost_table(request, say)
        wrong = wrong_means_table(request, cost, say)
    if request.budget is not None and request.budget_methods:
        error = error_table(request, say)
    if request.delta is not None and request.budget is not None:
        smallest = smallest_table(request, say)
    return Plan(request, cost, error, smallest, wrong)


def check_method(method: str) -> str:
    """Return the method, or say which there are."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {shown(method)}")
    return method


# --- costs


def cost_table(request: Request, progress: Progress) -> pd.DataFrame:
    """One row per epsilon and method: cost, spread, error, bounds, and the price of privacy."""
    rows = []
    for epsilon in request.levels:
        answer = request.per_answer(epsilon)
        for method in request.methods:
            progress(f"{method} at epsilon {epsilon:g}")
            cost = pulls_needed(request, answer, method)
            problem = (request.instance, answer, request.delta or 0.0, method)
            rows.append(
                {
                    "epsilon": epsilon,
                    "epsilon_per_answer": answer,
                    "method": method,
                    "guaranteed": method in GUARANTEED,
                    "people": request.people(cost.pulls),
                    "people_low": request.people(cost.low),
                    "people_high": request.people(cost.high),
                    "people_95": request.people(cost.pulls_95),
                    **vars(cost),
                    "bound_low": least_pulls(*problem),
                    "bound_high": most_pulls(*problem),
                }
            )
    return _with_price(pd.DataFrame(rows))


def pulls_needed(request: Request, epsilon: float, method: str) -> Cost:
    """Simulated cost of one method when one answer is epsilon private."""
    delta = check_delta(request.delta or 0.0)
    if check_method(method) in BUDGET_METHODS:
        return budget_needed(request, epsilon, method)
    replicates = request.replicates
    runs = simulate.fixed_confidence(
        request.instance, epsilon, delta, replicates, request.seed, radius=method
    )
    times = runs["stopping_time"].to_numpy()
    mean, _, low, high = summarise.mean_interval(times)
    early, middle, late = (float(np.quantile(times, q)) for q in (0.05, 0.5, 0.95))
    errors = int((~runs["correct"]).sum())
    fewest, most = (float(limit) for limit in summarise.clopper_pearson(errors, replicates))
    error = errors / replicates
    return Cost(mean, low, high, early, middle, late, error, fewest, most, replicates)


def budget_needed(request: Request, epsilon: float, method: str) -> Cost:
    """Smallest budget at which a method errs with probability at most delta.

    One run to the largest budget gives the error at all smaller ones. A coarse curve finds the
    place; a fine one around it, from runs of its own, gives the interval and the estimate: the
    first budget, from where a fitted line passes delta, at which at most that share of runs errs.
    """
    instance, delta = request.instance, request.delta or 0.0
    _require_finite_complexity(instance)
    replicates = max(request.replicates, math.ceil(MIN_ERRORS / delta))
    largest = instance.complexity(epsilon) * math.log(2 * instance.n_arms / delta) / 2
    for _ in range(MAX_DOUBLINGS):
        largest = min(largest, float(MAX_PULLS))
        grid = budgets_between(instance, largest / 60, largest)
        coarse = error_curve(instance, epsilon, grid, method, replicates, request.seed)
        if coarse["high"].iloc[-1] <= delta:
            break
        largest *= 2
    middle = fitted_crossing(coarse, delta)
    most = min(middle * SPAN, float(MAX_PULLS))
    grid = budgets_between(instance, middle / SPAN, most, FINE_GRID)
    curve = error_curve(instance, epsilon, grid, method, replicates, _other_seed(request.seed))
    low, high = crossing_limits(curve, delta)
    fitted = min(max(fitted_crossing(curve, delta), low), high)
    enough = (curve["budget"] >= fitted) & (curve["estimate"] <= delta)
    at = curve[enough].iloc[0] if enough.any() else curve.iloc[-1]
    pulls, error = float(at["budget"]), float(at["estimate"])
    limits = float(at["low"]), float(at["high"])
    return Cost(pulls, low, high, pulls, pulls, pulls, error, *limits, replicates)


def _other_seed(seed: int) -> int:
    """The seed of runs that are independent of those with this one."""
    return (seed + 1) % (MAX_SEED + 1)


def budgets_between(instance: Instance, least: float, most: float, count: int = GRID) -> list[int]:
    """The theorem's 2K, and this many budgets in equal ratios between two."""
    floor = 2 * instance.n_arms
    steps = np.geomspace(max(least, 1.0), max(most, 2.0), count)
    return sorted({floor} | {math.ceil(step) for step in steps if step > floor})


def error_curve(
    instance: Instance,
    epsilon: float,
    budgets: Sequence[int],
    method: str,
    replicates: int,
    seed: int,
) -> pd.DataFrame:
    """Simulated error probability of a method at each budget, with its interval."""
    runs = simulate.fixed_budget(instance, epsilon, budgets, replicates, seed, policy=method)
    return summarise.fixed_budget(runs, {"epsilon": epsilon}, instance.complexity(epsilon))


def crossing_limits(curve: pd.DataFrame, delta: float) -> tuple[float, float]:
    """A 95 % interval for the budget at which a falling error passes delta.

    The lower limit is the last budget of the unbroken row from the left whose error is certainly
    above delta, the upper one the first of the unbroken row to the right whose error is certainly
    at most delta. An interval misses only if the first budget on the wrong side of the truth is
    judged wrongly: 2.5 % a side, whatever the other budgets show. Reading the limits off noisy
    curves between two budgets, as one may be tempted to, has no level at all.
    """
    budgets = curve["budget"].to_numpy(float)
    above = curve["low"].to_numpy() > delta
    below = curve["high"].to_numpy() <= delta
    first = int(np.argmin(above)) if not above.all() else len(above)
    last = _row_to_the_right(below)
    low = budgets[first - 1] if first else budgets[0]
    high = budgets[last] if last < len(budgets) else math.inf
    return float(low), float(high)


def _row_to_the_right(true: np.ndarray) -> int:
    """Where the unbroken row of true values begins that reaches the end; the length if none."""
    return 0 if true.all() else len(true) - int(np.argmin(true[::-1]))


def fitted_crossing(curve: pd.DataFrame, delta: float) -> float:
    """Where a straight line through log(error) against log(budget) passes delta.

    Fitted to the budgets within a factor :data:`NEAR` of the last one whose error is above delta,
    weighted by the errors seen.
    """
    budgets, errors = curve["budget"].to_numpy(float), curve["errors"].to_numpy(float)
    above = np.flatnonzero(curve["estimate"] > delta)
    if above.size in (0, len(budgets)) or above[-1] + 1 == len(budgets):
        return float(budgets[-1] if above.size else budgets[0])
    middle = math.sqrt(budgets[above[-1]] * budgets[above[-1] + 1])
    near = (errors > 0) & (budgets > middle / NEAR) & (budgets < middle * NEAR)
    if near.sum() > 1:
        x, y = np.log(budgets[near]), np.log(curve["estimate"].to_numpy()[near] / delta)
        slope, level = np.polyfit(x, y, 1, w=np.sqrt(errors[near]))
        if slope < 0:
            at = math.exp(min(max(-level / slope, 0.0), math.log(MAX_PULLS)))
            return float(np.clip(at, middle / NEAR, middle * NEAR))
    return float(budgets[above[-1] + 1])


def most_pulls(instance: Instance, epsilon: float, delta: float, method: str) -> float:
    """The proven upper bound on the (expected) cost; NaN where there is none."""
    if method in RADII:
        proved = bounds.has_expected_cost(method)
        return bounds.expected_cost_upper(instance, epsilon, delta, method) if proved else math.nan
    if most_error(instance, epsilon, MAX_PULLS, method) > delta:
        return math.nan
    low, high = math.log(2 * instance.n_arms), math.log(MAX_PULLS)
    while high - low > 0.005:
        middle = (low + high) / 2
        if most_error(instance, epsilon, math.exp(middle), method) > delta:
            low = middle
        else:
            high = middle
    return math.exp(high)


def most_error(instance: Instance, epsilon: float, budget: float, method: str) -> float:
    """The proven upper bound on the error at a budget; 1 says nothing."""
    if method not in BUDGET_METHODS:
        return 1.0
    version = "proved" if method == "apt" else method
    return min(1.0, bounds.fixed_budget_upper(instance, epsilon, budget, version))


def least_pulls(instance: Instance, epsilon: float, delta: float, method: str) -> float:
    """Return the lower bound on the cost of any method.

    For a fixed confidence it holds on this problem; for a fixed budget on the worst of the K + 1
    problems B^0, ..., B^K of Theorem 3.2, so that a cost on this one may be below it.
    """
    if method not in BUDGET_METHODS:
        return bounds.fixed_confidence_lower(instance, epsilon, delta, "reduction")
    floor = 2 * instance.n_arms
    at_floor = 4 * least_error(instance, epsilon, floor)
    if not at_floor > 0 or delta >= 0.25:  # a mean moved to 0 or 1 is recognised at once
        return 0.0
    return floor * math.log(4 * delta) / math.log(at_floor)


def least_error(instance: Instance, epsilon: float, budget: float) -> float:
    """The lower bound on the error at a budget, on the worst of K + 1 problems; 0 without one."""
    try:
        return bounds.fixed_budget_lower(instance, epsilon, budget, "reduction")
    except ValueError:  # a hypothesis of the theorem fails on this problem
        return 0.0


def _with_price(table: pd.DataFrame) -> pd.DataFrame:
    """Cost over the cost without privacy, with limits from the relative errors of both."""
    free = table[np.isinf(table["epsilon"])].set_index("method").loc[table["method"]]
    price = table["pulls"].to_numpy() / free["pulls"].to_numpy()
    reach = np.hypot(_log_reach(table), np.where(np.isinf(table["epsilon"]), 0, _log_reach(free)))
    reach = np.where(np.isinf(table["epsilon"]), 0.0, reach)
    low, high = price * np.exp(-reach), price * np.exp(reach)
    theory = [1 / shrinkage(epsilon) ** 2 for epsilon in table["epsilon_per_answer"]]
    return table.assign(price=price, price_low=low, price_high=high, price_theory=theory)


def _log_reach(table: pd.DataFrame) -> np.ndarray:
    """Half the width of the cost's interval on the logarithmic scale."""
    low, high = table["low"].clip(lower=1).to_numpy(), table["high"].to_numpy()
    return np.log(high / low) / 2


def _require_finite_complexity(instance: Instance) -> None:
    if math.isinf(instance.complexity()):
        raise ValueError(
            f"instance {instance.name!r} has an arm exactly at the threshold and tolerance 0, "
            "so no number of answers is enough; a tolerance above 0 helps"
        )


# --- if the guessed means are wrong


def scaled_gaps(instance: Instance, factor: float) -> Instance:
    """The same problem with every mean this many times as far from the threshold, within [0, 1]."""
    means = instance.threshold + factor * (np.array(instance.means) - instance.threshold)
    name = f"{instance.name}-gaps-{factor:g}"
    return Instance(name, np.clip(means, 0, 1), instance.threshold, instance.tolerance)


def wrong_means_table(request: Request, cost: pd.DataFrame, progress: Progress) -> pd.DataFrame:
    """One row per method and factor of the gaps: people needed, error of the planned budget.

    A method that stops by itself then needs more or fewer people and keeps its error level. A
    fixed number of answers, planned for the guess, keeps its cost and errs more or less often.
    """
    epsilon = request.focus
    answer = request.per_answer(epsilon)
    rows = []
    for method in request.methods:
        planned = cost[(cost["method"] == method) & (cost["epsilon"] == epsilon)].iloc[0]
        for factor in GAP_FACTORS:
            progress(f"{method} with gaps times {factor:g}")
            other = replace(request, instance=scaled_gaps(request.instance, factor))
            row = {"method": method, "gaps": factor, "epsilon": epsilon}
            if method in RADII:
                found = pulls_needed(other, answer, method) if factor != 1 else planned
                outcome = {"pulls": float(found.pulls), "error": float(found.error)}
            elif factor == 1:
                outcome = {"pulls": float(planned["pulls"]), "error": float(planned["error"])}
            else:
                outcome = _planned_budget(other, answer, method, planned)
            rows.append(row | outcome | {"people": request.people(outcome["pulls"])})
    return pd.DataFrame(rows)


def _planned_budget(
    request: Request, epsilon: float, method: str, planned: pd.Series
) -> dict[str, float]:
    """The error that a budget planned for the guess has on this problem."""
    budget = math.ceil(min(planned["pulls"], MAX_PULLS))
    curve = error_curve(
        request.instance, epsilon, [budget], method, int(planned["runs"]), request.seed
    )
    return {"pulls": float(budget), "error": float(curve["estimate"].iloc[0])}


# --- errors for a budget


def error_table(request: Request, progress: Progress) -> pd.DataFrame:
    """Error probability of each fixed-budget method up to the wanted budget, with bounds."""
    instance, budget = request.instance, int(request.budget or 0)
    shares = (budget // 2**halvings for halvings in range(6))
    grid = sorted({share for share in shares if share >= 2 * instance.n_arms})
    curves = []
    for method in request.budget_methods:
        for epsilon in request.levels:
            progress(f"error of {method} at epsilon {epsilon:g}")
            answer = request.per_answer(epsilon)
            curve = error_curve(instance, answer, grid, method, request.replicates, request.seed)
            lower = [least_error(instance, answer, b) for b in grid]
            upper = [most_error(instance, answer, b, method) for b in grid]
            people = [request.people(b) for b in grid]
            labels = {"epsilon": epsilon, "method": method, "people": people}
            curves.append(curve.assign(**labels, bound_low=lower, bound_high=upper))
    table = pd.concat(curves, ignore_index=True)
    keys = ["method", "budget"]
    free = table[np.isinf(table["epsilon"])].set_index(keys)["estimate"]
    columns = ["epsilon", "method", "budget", "people", "errors", "replicates"]
    columns += ["estimate", "low", "high", "bound_low", "bound_high"]
    without = [free[tuple(key)] for key in table[keys].to_numpy()]
    return table[columns].assign(without_privacy=without)


# --- from a budget back to the smallest epsilon


def smallest_table(request: Request, progress: Progress) -> pd.DataFrame:
    """For each method the smallest epsilon that the budget affords; NaN if none does."""
    rows = []
    for method in request.methods:
        progress(f"smallest epsilon of {method}")
        found = smallest_epsilon(request, method)
        rows.append({"method": method, "guaranteed": method in GUARANTEED, **found})
    return pd.DataFrame(rows)


def smallest_epsilon(request: Request, method: str) -> dict[str, float]:
    """The epsilon per person at which a method's cost equals the budget, with limits from it.

    The cost falls as c^-2, c = tanh(eps/2), but for a logarithm, so multiplying c by the root of
    cost / budget is nearly a Newton step; the search ends when the cost's interval covers the
    budget.
    """
    budget = float(request.budget or 0)
    cost = pulls_needed(request, math.inf, method)
    if not cost.pulls <= budget:
        return {"epsilon": math.nan, "low": math.nan, "high": math.nan, "pulls": cost.pulls}
    factor = 1.0
    for _ in range(MAX_SEARCH_STEPS):
        factor = min(factor * math.sqrt(cost.pulls / budget), 1.0)
        cost = pulls_needed(request, _epsilon(factor), method)
        if cost.low <= budget <= cost.high:
            break
    shrinkages = (factor * math.sqrt(pulls / budget) for pulls in (cost.pulls, cost.low, cost.high))
    epsilon, low, high = (_epsilon(c) * request.answers_per_person for c in shrinkages)
    return {"epsilon": epsilon, "low": low, "high": high, "pulls": cost.pulls}


def _epsilon(factor: float) -> float:
    """The privacy level with this shrinkage."""
    return 2 * math.atanh(factor) if factor < 1 else math.inf
