"""Predict the cost of a private study: the tables behind ``ldpt plan``.

A pull is one answer of one person. A person who gives M answers shares epsilon among them: by
composition each answer is epsilon / M private, which costs more answers than it saves people.

A radius of Algorithm 2 costs its mean stopping time. A policy with a fixed number of answers costs
the smallest budget at which its simulated error probability is at most delta.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ldpt import simulate, summarise
from ldpt.bounds import fixed_confidence_lower
from ldpt.checks import check_choice, check_delta, check_epsilon, check_whole, supporting
from ldpt.instances import Instance
from ldpt.limits import MAX_PULLS, checked_pulls, require_affordable
from ldpt.policies import DEFAULT_POLICY, POLICIES
from ldpt.radii import DEFAULT_PRIOR_GAP, DEFAULT_RADIUS, KINDS, RADII, VALID_RADII, Radius
from ldpt.study.chains import total_law
from ldpt.study.designs import Design, as_design
from ldpt.util.reproducible import geomspace, log, log1p

__all__ = ["Need", "Plan", "Request", "make_plan", "plan", "pulls_needed", "smallest_epsilon"]

BUDGET_METHODS = supporting(POLICIES, "planner")
METHODS = (*BUDGET_METHODS, *supporting(KINDS, "planner"))
GAP_FACTORS = (0.5, 0.75, 1.0, 1.5)  # true gaps divided by guessed ones
MIN_ERRORS = 100  # expected at error delta, so that the crossing of delta can be seen
MAX_RUNS = 100_000  # of one error curve
GRID = 20  # budgets of one error curve
STEP = 1.05  # ratio of neighbouring budgets at which the search for one ends
MAX_STEPS = 12  # of the search for epsilon
COST_HINT = f"; --budget N without --delta, with --method {DEFAULT_POLICY}, plans for N answers"

Track = Callable[[Iterable[Any]], Iterable[Any]]  # shows the progress of a loop, such as tqdm


@dataclass(frozen=True)
class Request:
    """State what to plan.

    Parameters
    ----------
    instance : Instance
        The guessed problem.
    epsilons : sequence of float
        Privacy of one person; no privacy is added.
    designs : sequence of Design
        Other randomised-response designs to compare with.
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

    Raises
    ------
    ValueError
        If there is nothing to plan, or a plan would not end.
    """

    instance: Instance
    epsilons: Sequence[float] = (0.25, 0.5, 1.0, 2.0, 4.0)
    delta: float | None = None
    budget: int | None = None
    methods: Sequence[str] = (DEFAULT_RADIUS, DEFAULT_POLICY)
    replicates: int = 400
    seed: int = 0
    drop_out: float = 0.0
    batch: int = 1
    answers_per_person: int = 1
    designs: Sequence[Design] = ()

    def __post_init__(self) -> None:
        if self.designs and self.answers_per_person > 1:
            raise ValueError("several answers per person are planned for --epsilon only")
        if self.delta is None and self.budget is None:
            raise ValueError("a plan needs --delta, --budget, or both")
        for method in self.methods:
            check_choice("--method", method, METHODS)
        if len(set(self.methods)) < len(self.methods):
            raise ValueError(f"--method must name each method once, got {' '.join(self.methods)}")
        if self.budget is not None:
            check_whole("--budget", self.budget, 2 * self.instance.n_arms, MAX_PULLS)
        if self.delta is None and not self.budget_methods:
            raise ValueError(
                f"--budget without --delta is planned for {', '.join(BUDGET_METHODS)}, "
                f"got {', '.join(self.methods)}"
            )
        stopping = [method for method in self.methods if method in RADII]
        problem = self.instance.strict if self.delta and stopping else self.instance
        if not np.all(problem.gaps > 0):
            raise ValueError(
                f"instance {self.instance.name!r} has an arm exactly at the threshold: plan it "
                f"with --method {DEFAULT_POLICY} and a tolerance above 0, within which either "
                "verdict is right"
            )
        if self.delta is not None:
            self._require_affordable(check_delta(self.delta), stopping)

    def _require_affordable(self, delta: float, stopping: Sequence[str]) -> None:
        """Refuse simulations that would not end."""
        hardest = (
            (self.instance, self.levels[0]),
            (scaled_gaps(self.instance, min(GAP_FACTORS)), self.focus),
        )
        for (problem, epsilon), method in product(hardest, stopping):
            answer = self.per_answer(epsilon)
            setting = (problem, answer, delta, Radius(method))
            require_affordable(*setting, COST_HINT)
            checked_pulls(*setting, self.replicates)
        if not self.budget_methods:
            return
        least = self.instance.complexity(self.per_answer(self.levels[0]))
        if least > MAX_PULLS:
            raise ValueError(
                f"instance {self.instance.name!r} at epsilon {self.levels[0]:g} takes at least "
                f"{least:.1e} answers, more than {MAX_PULLS:.0e}{COST_HINT}"
            )
        if self.error_runs > MAX_RUNS:
            raise ValueError(
                f"delta = {delta:g} is too small to simulate {self.budget_methods[0]} "
                f"(at least {MIN_ERRORS / MAX_RUNS:g}): use --method {DEFAULT_RADIUS}"
            )

    @property
    def budget_methods(self) -> list[str]:
        """Return the methods with a fixed number of answers."""
        return [method for method in self.methods if method not in RADII]

    @property
    def levels(self) -> list[float]:
        """Return every privacy level of the plan, no privacy last."""
        return sorted({*map(float, self.epsilons), math.inf})

    @property
    def focus(self) -> float:
        """Return the level of the recommendation: the middle one, the more private of two."""
        private = self.levels[:-1] or self.levels
        return private[(len(private) - 1) // 2]

    @property
    def main(self) -> Design:
        """Return the way to randomise that the words are about: the first design, or the focus."""
        return self.designs[0] if self.designs else as_design(self.focus)

    @property
    def settings(self) -> list[Design]:
        """Return all ways to randomise: the other designs, then PrivBern by level."""
        return [*self.designs, *map(as_design, self.levels)]

    @property
    def error_runs(self) -> int:
        """Return the number of runs from which an error probability is estimated."""
        least = math.ceil(MIN_ERRORS / self.delta) if self.delta else 0
        return max(self.replicates, least)

    def per_answer(self, epsilon: float) -> float:
        """Return the privacy of one answer of a person who shares epsilon among several."""
        return epsilon / self.answers_per_person

    def answer(self, way: Design) -> float | Design:
        """Return how one answer is randomised: by a design, or by its privacy level."""
        return way if way.level is None else self.per_answer(way.epsilon)

    def people(self, pulls: float) -> float:
        """Return the people to invite for this many answers, in whole numbers; inf stays inf."""
        if not math.isfinite(pulls):
            return pulls
        answering = math.ceil(round(pulls) / self.answers_per_person)
        return float(math.ceil(round(answering / (1 - self.drop_out), 6)))


@dataclass(frozen=True)
class Plan:
    """Hold the tables of a plan; those that were not requested are empty."""

    request: Request
    cost: pd.DataFrame
    error: pd.DataFrame
    smallest: pd.DataFrame
    wrong_means: pd.DataFrame


def plan(
    means: Sequence[float],
    threshold: float,
    delta: float | None = None,
    epsilon: float | Design | Sequence[float | Design] = 1.0,
    **terms: Any,
) -> pd.DataFrame:
    """Return the people that a study needs, as ``ldpt plan`` prints them.

    Parameters
    ----------
    means : sequence of float
        Guessed share of yes of every arm.
    threshold : float
        The share of yes to compare with.
    delta : float, optional
        Largest error probability allowed; without it, ``budget`` is needed.
    epsilon : float, Design or sequence of them
        Privacy levels of one person, or randomised-response designs; no privacy is added.
    **terms
        Of :class:`Request`: ``budget``, ``methods``, ``drop_out`` and others.

    Returns
    -------
    pandas.DataFrame
        People needed, one row per way to randomise and method; without ``delta``, the error
        probability by number of answers. ``attrs`` has ``recommendation`` and ``protocol``, two
        paragraphs to paste.

    Raises
    ------
    ValueError
        If an argument is out of range, or a plan would not end.

    Examples
    --------
    >>> plan([0.2, 0.4], 0.3, delta=0.05, epsilon=1.0)[["epsilon", "people"]]
       epsilon  people
    0      1.0  1914.0
    1      inf   359.0
    """
    from ldpt.study.planning_text import paragraphs, recommendation

    ways: list[Any] = [*epsilon] if isinstance(epsilon, (list, tuple)) else [epsilon]
    terms.setdefault("methods", [DEFAULT_POLICY if delta is None else DEFAULT_RADIUS])
    request = Request(
        Instance("plan", means, threshold, terms.pop("tolerance", 0.0)),
        [check_epsilon(way) for way in ways if not isinstance(way, Design)],
        delta,
        designs=[way for way in ways if isinstance(way, Design)],
        **terms,
    )
    result = make_plan(request, wrong_means=False)
    columns = ["epsilon", "people", "people_95", "error", "lower_bound"]
    if len(request.methods) > 1:
        columns.insert(0, "method")
    if request.designs:
        columns.insert(0, "design")
    table = result.cost[columns] if result.error.empty else result.error
    if not request.designs:
        table = table.drop(columns="design", errors="ignore")
    table.attrs = {"recommendation": recommendation(result), "protocol": paragraphs(result)}
    return table


def make_plan(request: Request, track: Track = iter, wrong_means: bool = True) -> Plan:
    """Return costs for an error level, errors for a budget, and for both the smallest epsilon.

    Parameters
    ----------
    request : Request
        What is to be planned.
    track : callable
        Takes the settings of a table and returns them one by one, as ``tqdm`` does.
    wrong_means : bool
        Whether to add the table for true means that differ from the guessed ones.

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
    cost = error = smallest = wrong = pd.DataFrame()
    if request.delta is not None:
        cost = _cost_table(request, track)
        if wrong_means:
            wrong = _wrong_means_table(request, cost, track)
    if request.budget is not None and request.budget_methods:
        error = _error_table(request, request.budget, track)
    if request.delta is not None and request.budget is not None:
        smallest = _smallest_table(request, request.budget, track)
    return Plan(request, cost, error, smallest, wrong)


# --- the cost of one method


class Need(NamedTuple):
    """Answers that a method needs on average and in 95 % of studies, and its error.

    ``error_limit`` is a 95 % upper limit if the error was simulated, and the error if it is exact.
    """

    pulls: float
    pulls_95: float
    error: float
    error_limit: float


def pulls_needed(
    request: Request, instance: Instance, epsilon: float | Design, method: str
) -> Need:
    """Return the cost of a method on a problem, with answers that are randomised in this way.

    By exact chains if they are short and the boundary ignores the other arms, else simulated.
    """
    prior_gap = DEFAULT_PRIOR_GAP * (epsilon.shrinkage if isinstance(epsilon, Design) else 1)
    instance, epsilon = of_responses(instance, epsilon)
    if method not in RADII:
        return _budget_needed(request, instance, epsilon, method)
    delta = request.delta or 0.0
    radius = Radius(method, prior_gap=prior_gap)
    if not radius.kind.timed:
        edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
        means = instance.private_means(epsilon).tolist()
        if law := total_law(means, instance.private_threshold(epsilon), edge):
            return Need(*law, law[2])
    runs = simulate.fixed_confidence(
        instance, epsilon, delta, request.replicates, request.seed, radius=radius
    )
    times = runs["stopping_time"].to_numpy()
    error = float((~runs["correct"]).mean())
    limit = summarise.clopper_pearson((~runs["correct"]).sum(), len(runs))[1]
    return Need(times.mean(), float(np.quantile(times, 0.95)), error, float(limit))


def of_responses(instance: Instance, answer: float | Design) -> tuple[Instance, float]:
    """Return the problem of a design's responses, which has no privacy; a level changes nothing."""
    if not isinstance(answer, Design):
        return instance, answer
    return randomised(instance, answer), math.inf


def randomised(instance: Instance, design: Design) -> Instance:
    """Return the problem of the responses, without privacy, that a design makes of a problem."""
    means = [design.private_mean(mean) for mean in instance.means]
    threshold = design.private_mean(instance.threshold)
    return Instance(instance.name, means, threshold, instance.tolerance * design.shrinkage)


def _budget_needed(request: Request, instance: Instance, epsilon: float, method: str) -> Need:
    """Return the smallest budget, up to a step of 5 %, at which a policy errs at most delta.

    One run to the largest budget gives the error at all smaller ones. Each curve lies between the
    last budget of the one before with a larger error and the next budget.
    """
    low, delta = 2 * instance.n_arms, request.delta or 0.0
    guess = instance.complexity(epsilon) * log(low / delta) / 2
    high = math.ceil(min(max(guess, low + 1), MAX_PULLS))
    while True:
        budgets = np.unique(geomspace(low, high, GRID).round().astype(int)).tolist()
        curve = _error_curve(request, instance, epsilon, method, budgets)
        errors = curve["estimate"].to_numpy()
        above = np.flatnonzero(errors > delta)
        first = int(above[-1]) + 1 if above.size else 0
        if first < len(budgets):
            low = budgets[max(first - 1, 0)]
            high = budgets[first]
            if high <= max(STEP * low, low + 1):
                error, limit = curve[["estimate", "high"]].iloc[first]
                return Need(float(high), float(high), float(error), float(limit))
        elif high >= MAX_PULLS:
            return Need(math.inf, math.inf, float(errors[-1]), float(curve["high"].iloc[-1]))
        else:
            low = high
            high = min(4 * high, MAX_PULLS)


def _error_curve(
    request: Request, instance: Instance, epsilon: float, method: str, budgets: Sequence[int]
) -> pd.DataFrame:
    """Return the simulated error probability of a policy at each budget, with its interval."""
    runs = simulate.fixed_budget(
        instance, epsilon, budgets, request.error_runs, request.seed, policy=method
    )
    return summarise.fixed_budget(runs)


def smallest_epsilon(request: Request, budget: float, method: str) -> tuple[float, float]:
    """Return the epsilon per answer at which a method costs the budget, and its cost there.

    The cost falls as c^-2, c = tanh(eps/2), up to a logarithm, so multiplying c by the root of
    cost / budget is nearly a Newton step. NaN if the budget is too small even without privacy.
    """
    factor, epsilon = 1.0, math.inf
    cost = pulls_needed(request, request.instance, epsilon, method).pulls
    if cost > budget:
        return math.nan, cost
    for _ in range(MAX_STEPS):
        factor = min(factor * math.sqrt(cost / budget), 1.0)
        epsilon = log1p(factor) - log1p(-factor) if factor < 1 else math.inf
        cost = pulls_needed(request, request.instance, epsilon, method).pulls
        if budget / STEP <= cost <= budget:
            break
    return epsilon, cost


# --- tables


def _cost_table(request: Request, track: Track) -> pd.DataFrame:
    """Return one row per epsilon and method: cost, error, price of privacy, lower bound."""
    rows = []
    for design, method in track([*product(request.settings, request.methods)]):
        answer, bound = request.answer(design), math.nan
        if method in RADII:
            delta = request.delta or 0.0
            problem, level = of_responses(request.instance, answer)
            bound = request.people(fixed_confidence_lower(problem, level, delta, "reduction"))
        cost = pulls_needed(request, request.instance, answer, method)
        rows.append(
            {
                "design": design.name,
                "epsilon": design.epsilon,
                "method": method,
                "guaranteed": method in VALID_RADII,
                "people": request.people(cost.pulls),
                "people_95": request.people(cost.pulls_95),
                **cost._asdict(),
                "lower_bound": bound,
            }
        )
    table = pd.DataFrame(rows)
    free = table.groupby("method", sort=False)["pulls"].last()  # without privacy
    return table.assign(price=table["pulls"] / table["method"].map(free))


def scaled_gaps(instance: Instance, factor: float) -> Instance:
    """Return the same problem with every gap multiplied by a factor, means within [0, 1]."""
    means = instance.threshold + factor * (np.array(instance.means) - instance.threshold)
    name = f"{instance.name}-gaps-{factor:g}"
    return Instance(name, np.clip(means, 0, 1), instance.threshold, instance.tolerance)


def _wrong_means_table(request: Request, cost: pd.DataFrame, track: Track) -> pd.DataFrame:
    """Return one row per factor of the gaps and method: people needed, error probability.

    A method that stops when certain then needs more or fewer people and keeps its error level. A
    fixed number of answers, planned for the guess, keeps its cost and errs more or less often.
    """
    answer = request.answer(request.main)
    rows = []
    planned = rows_of(cost, request.main).set_index("method")
    for factor, method in track([*product(GAP_FACTORS, request.methods)]):
        problem = scaled_gaps(request.instance, factor)
        pulls, error = planned.loc[method, ["pulls", "error"]]
        if factor != 1 and method in RADII:
            pulls, _, error, _ = pulls_needed(request, problem, answer, method)
        elif factor != 1:
            budget = [math.ceil(min(pulls, MAX_PULLS))]
            responses = of_responses(problem, answer)
            error = _error_curve(request, *responses, method, budget)["estimate"].iloc[0]
        rows.append((factor, method, pulls, request.people(pulls), error))
    return pd.DataFrame(rows, columns=["gaps", "method", "pulls", "people", "error"])


def rows_of(table: pd.DataFrame, design: Design) -> pd.DataFrame:
    """Return the rows of one way to randomise."""
    return table[(table["design"] == design.name) & (table["epsilon"] == design.epsilon)]


def _error_table(request: Request, budget: int, track: Track) -> pd.DataFrame:
    """Return the error probability of each policy at the budget and at its halves."""
    halves = (budget // 2**halvings for halvings in range(6))
    grid = sorted({half for half in halves if half >= 2 * request.instance.n_arms})
    curves = []
    for method, design in track([*product(request.budget_methods, request.settings)]):
        responses = of_responses(request.instance, request.answer(design))
        curve = _error_curve(request, *responses, method, grid)
        curves.append(curve.assign(design=design.name, epsilon=design.epsilon, method=method))
    table = pd.concat(curves, ignore_index=True)
    table["people"] = table["budget"].map(request.people)
    keys = ["design", "epsilon", "method", "budget", "people", "errors", "replicates"]
    return table[[*keys, "estimate", "low", "high"]]


def _smallest_table(request: Request, budget: int, track: Track) -> pd.DataFrame:
    """Return for each method the smallest epsilon that the budget affords; NaN if none does."""
    rows = []
    for method in track(request.methods):
        epsilon, pulls = smallest_epsilon(request, budget, method)
        rows.append((method, epsilon * request.answers_per_person, pulls))
    return pd.DataFrame(rows, columns=["method", "epsilon", "pulls"])
