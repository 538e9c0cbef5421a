"""One law for every public function: draw arguments, call it, check what must always hold.

A law draws its arguments with ``case.draw``. Within ``case.refused()`` the function may refuse
them with a ``ValueError`` of one line; what follows is skipped then. A call whose cost, predicted
by ``ldpt.limits``, is beyond a few seconds is not made.
"""

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import assume
from hypothesis import strategies as st
from scipy.stats import binomtest

from ldpt import (
    bounds,
    exact,
    learners,
    limits,
    privacy,
    radii,
    rare_events,
    simulate,
    study,
    summarise,
)
from ldpt.instances import Instance
from ldpt.policies import INDEX_POLICIES, POLICIES
from ldpt.radii import RADII, VALID_RADII, Radius
from ldpt.study import PrivateDevice, Scale, Study, designs, inference
from tests.interface.ranges import (
    ARMS,
    BAD_NUMBERS,
    CONSTANT,
    COUNT,
    DELTA,
    EPSILON,
    LEVEL,
    REPLICATES,
    SCORE,
    SEED,
    SHARE,
    STEPS,
    TOLERANCE,
    UNIT,
    Range,
)

PULLS = 3e5  # of all runs of a case where pulls cost time
STATES = 2e6  # updates of an exact chain of a case
# Words of messages that no argument can be the reason of: an impossible result, NumPy, Python.
FAULTS = ("does not exist", "ufunc", "zip()", "broadcast", "domain error", "unpack", "NaN to")
AGREEMENT = 1e-9  # level of each comparison of runs with an exact value

LAWS: dict[str, Callable[["Case"], None]] = {}
RANGES: dict[str, list[Range]] = {}


class RefusedError(Exception):
    """The function refused its arguments as it should."""


class Case:
    """The draws of one example; a pinned range always draws the same end."""

    def __init__(self, draw: st.DrawFn, pin: tuple[Range, Any] | None = None) -> None:
        self._draw = draw
        self.pin = pin
        self.pinned = False  # whether the pinned range was drawn

    def draw(self, what: Range | st.SearchStrategy[Any]) -> Any:
        """Draw from a strategy; from a range now and then a value that must be refused."""
        if not isinstance(what, Range):
            return self._draw(what)
        bad = self._draw(st.integers(0, 40)) == 40
        return self._draw(st.sampled_from(BAD_NUMBERS)) if bad else self.legal(what)

    def legal(self, what: Range) -> Any:
        """Draw a value of the range."""
        if self.pin is not None and self.pin[0] is what:
            self.pinned = True
            return self.pin[1]
        return self._draw(what.strategy)

    @contextlib.contextmanager
    def refused(self) -> Iterator[None]:
        """Accept a ``ValueError`` of one line; other exceptions and long messages are faults."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # named ones of the interface
                yield
        except ValueError as error:
            words = str(error)
            assert words, "an empty message"
            assert "\n" not in words, words
            assert not any(sign in words for sign in FAULTS), words
            raise RefusedError from None


def law(name: str, *ranges: Range) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    """Register the law of a public function, with the ranges whose ends it must draw."""

    def register(function: Callable[[Case], None]) -> Callable[[Case], None]:
        LAWS[name] = function
        RANGES[name] = list(ranges)
        return function

    return register


def check(name: str, draw: st.DrawFn, pin: tuple[Range, Any] | None = None) -> bool:
    """Check one example of a law; return whether the pinned range was drawn."""
    case = Case(draw, pin)
    with contextlib.suppress(RefusedError):
        LAWS[name](case)
    return case.pinned


# --- what many laws draw --------------------------------------------------------------------------


def instance(case: Case, most_arms: int = 30) -> Instance:
    """Draw a problem; means repeat, and lie at the threshold, more often than by chance."""
    threshold = case.draw(UNIT)
    n_arms = min(case.legal(ARMS), most_arms)
    near = st.sampled_from([0.0, 1e-12, -1e-12, 1e-6, -1e-6, 0.01, -0.01])
    means: list[Any] = []
    for _ in range(n_arms):
        kind = case.draw(st.integers(0, 3))
        if kind == 0 and isinstance(threshold, float):
            means.append(min(max(threshold + case.draw(near), 0.0), 1.0))
        elif kind == 1 and means:
            means.append(means[0])
        else:
            means.append(case.draw(UNIT))
    with case.refused():
        return Instance("drawn", means, threshold, case.draw(TOLERANCE))
    raise AssertionError


def probability(value: float) -> None:
    assert isinstance(value, float)
    assert 0.0 <= value <= 1.0, value


def interval(low: float, estimate: float, high: float) -> None:
    assert 0.0 <= low <= estimate <= high <= 1.0, (low, estimate, high)


def same_table(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other, check_exact=True)


def counts(case: Case) -> tuple[int, int]:
    n = case.legal(COUNT)
    return n, case.draw(st.one_of(st.just(0), st.just(n), st.integers(0, n)))


# --- privacy, problems, radii ---------------------------------------------------------------------


@law("ldpt.privacy.shrinkage", EPSILON)
def shrinkage(case: Case) -> None:
    epsilon = case.draw(EPSILON)
    with case.refused():
        factor = privacy.shrinkage(epsilon)
    probability(factor)
    assert factor > 0
    assert privacy.shrinkage(2 * epsilon) >= factor


@law("ldpt.privacy.private_mean", UNIT, EPSILON)
def private_mean(case: Case) -> None:
    mean, epsilon = case.draw(UNIT), case.draw(EPSILON)
    with case.refused():
        private = privacy.private_mean(mean, epsilon)
    probability(private)
    assert abs(private - 0.5) <= abs(mean - 0.5) + 1e-16
    assert (private - 0.5) * (mean - 0.5) >= 0


@law("ldpt.privacy.PrivBern", UNIT, EPSILON, SEED)
def priv_bern(case: Case) -> None:
    epsilon, reward, seed = case.draw(EPSILON), case.draw(UNIT), case.draw(SEED)
    with case.refused():
        one, two = (privacy.PrivBern(epsilon, rng=seed) for _ in range(2))
        bits = [one.privatise(reward) for _ in range(20)]
    assert set(bits) <= {0, 1}
    assert bits == [two.privatise(reward) for _ in range(20)]


@law("ldpt.instances.Instance", UNIT, TOLERANCE, ARMS)
def problems(case: Case) -> None:
    problem = instance(case)
    assert (problem.gaps >= 0).all()
    assert problem.above == {i for i, mean in enumerate(problem.means) if mean >= problem.threshold}
    with case.refused():
        complexity = problem.complexity(case.draw(EPSILON))
    assert complexity > 0
    assert complexity >= problem.complexity()


def radius(case: Case) -> Radius:
    name = case.draw(st.sampled_from(RADII))
    if case.draw(st.booleans()):
        return Radius(name)
    with case.refused():
        return Radius(name, rho=case.draw(CONSTANT), prior_gap=case.draw(CONSTANT))
    raise AssertionError


def heights(case: Case) -> tuple[float, float]:
    chosen, n_arms = radius(case), case.legal(ARMS)
    with case.refused():
        edge = chosen.at(n_arms, case.draw(DELTA), case.draw(UNIT), case.draw(EPSILON))
    n = case.draw(st.sampled_from([1, 2, 10, 1000, 10**6, 10**12]))
    t = n * n_arms
    high, low = radii.upper(edge, n, t), radii.lower(edge, n, t)
    assert high >= 0, "an upper boundary below the threshold"
    assert low >= 0, "a lower boundary above the threshold"
    assert radii.upper(edge, 2 * n, 2 * t) >= high
    assert radii.lower(edge, 2 * n, 2 * t) >= low
    return high, low


@law("ldpt.radii.Radius", CONSTANT, DELTA, UNIT, EPSILON)
def radius_boundaries(case: Case) -> None:
    heights(case)


@law("ldpt.radii.upper", DELTA, UNIT, EPSILON)
def upper_boundary(case: Case) -> None:
    heights(case)


@law("ldpt.radii.lower", DELTA, UNIT, EPSILON)
def lower_boundary(case: Case) -> None:
    heights(case)


@law("ldpt.policies.Policy", UNIT, TOLERANCE, EPSILON)
def policies(case: Case) -> None:
    policy = POLICIES[case.draw(st.sampled_from(INDEX_POLICIES))]
    rule = policy.rule(case.legal(UNIT), case.legal(TOLERANCE), case.legal(EPSILON))
    assert not any(math.isnan(value) for value in rule)


# --- bounds ---------------------------------------------------------------------------------------


@law("ldpt.bounds.fixed_budget_upper", EPSILON)
def budget_upper(case: Case) -> None:
    problem, budget = instance(case), case.draw(st.sampled_from([2, 60, 1000, 10**6, 10**13]))
    version = case.draw(st.sampled_from(["printed", "proved", "lsa", "apt-clipped", "lsa-clipped"]))
    with case.refused():
        value = bounds.fixed_budget_upper(problem, case.draw(EPSILON), budget, version=version)
    assert value >= 0


@law("ldpt.bounds.fixed_budget_lower", EPSILON)
def budget_lower(case: Case) -> None:
    problem, budget = instance(case), case.draw(st.sampled_from([2, 60, 1000, 10**6, 10**13]))
    version = case.draw(st.sampled_from(["printed", "corrected", "reduction", "genie"]))
    with case.refused():
        value = bounds.fixed_budget_lower(problem, case.draw(EPSILON), budget, version=version)
    probability(value)


@law("ldpt.bounds.fixed_confidence_upper", EPSILON, DELTA)
def confidence_upper(case: Case) -> None:
    problem, epsilon, delta = instance(case), case.draw(EPSILON), case.draw(DELTA)
    version = case.draw(st.sampled_from(RADII))
    with case.refused():
        value = bounds.fixed_confidence_upper(problem, epsilon, delta, version=version)
    assert value > 0
    if version in VALID_RADII:
        assert bounds.fixed_confidence_lower(problem, epsilon, delta, "reduction") <= value


@law("ldpt.bounds.fixed_confidence_lower", EPSILON, DELTA)
def confidence_lower(case: Case) -> None:
    problem, epsilon, delta = instance(case), case.draw(EPSILON), case.draw(DELTA)
    version = case.draw(st.sampled_from(["printed", "reduction", "decoupled", "many_arms"]))
    with case.refused():
        value = bounds.fixed_confidence_lower(problem, epsilon, delta, version=version)
    assert value >= 0
    if delta >= 0.5 and version != "decoupled":
        assert value == 0


# --- simulation and exact chains ------------------------------------------------------------------


@law("ldpt.simulate.fixed_budget", EPSILON, SEED, REPLICATES)
def simulated_budget(case: Case) -> None:
    problem, epsilon = instance(case), case.draw(EPSILON)
    policy = case.draw(st.sampled_from(tuple(POLICIES)))
    engine = case.draw(st.sampled_from(["fast", "literal"]))
    replicates, seed = case.draw(REPLICATES), case.draw(SEED)
    first = case.draw(st.sampled_from([problem.n_arms, 2 * problem.n_arms, 100, 400]))
    budgets = [first, case.draw(st.sampled_from([first, 500, 2000]))]
    assume(not isinstance(replicates, int) or replicates * budgets[-1] <= PULLS)
    with case.refused():
        runs = simulate.fixed_budget(problem, epsilon, budgets, replicates, seed, policy, engine)
    assert len(runs) == replicates * len(set(budgets))
    assert runs["loss"].dtype == bool
    if problem.tolerance >= 1:
        assert not runs["loss"].any(), "a loss where every answer is right"
    again = simulate.fixed_budget(problem, epsilon, budgets, replicates, seed, policy, engine)
    same_table(runs, again)
    if policy == "laplace" or problem.n_arms > 2 or budgets[0] > 100:
        return
    if epsilon != math.inf and engine == "fast":
        return
    loss = exact.fixed_budget_loss(problem, epsilon, budgets[0], policy)
    probability(loss)
    errors = int(runs.loc[runs["budget"] == budgets[0], "loss"].sum())
    assert binomtest(errors, replicates, loss).pvalue > AGREEMENT


@law("ldpt.simulate.fixed_confidence", EPSILON, DELTA, SEED, REPLICATES)
def simulated_confidence(case: Case) -> None:
    problem, epsilon, delta = instance(case), case.draw(EPSILON), case.draw(DELTA)
    name, replicates = case.draw(st.sampled_from(RADII)), case.draw(REPLICATES)
    engine, seed = case.draw(st.sampled_from(["fast", "literal"])), case.draw(SEED)
    most = case.draw(st.sampled_from([problem.n_arms, 100, 5000]))
    with case.refused():
        runs = simulate.fixed_confidence(
            problem, epsilon, delta, replicates, seed, name, engine, max_pulls=most
        )
    stopped = runs["stopping_time"] >= 0
    assert (runs.loc[stopped, "stopping_time"].between(problem.n_arms, most)).all()
    pulls = runs[[column for column in runs.columns if column.startswith("pulls_")]]
    if pulls.shape[1] == problem.n_arms:
        total = pulls.sum(axis=1)
        assert (total[stopped] == runs.loc[stopped, "stopping_time"]).all(), "pulls do not add up"
    again = simulate.fixed_confidence(
        problem, epsilon, delta, replicates, seed, name, engine, max_pulls=most
    )
    same_table(runs, again)


@law("ldpt.exact.fixed_budget_loss", EPSILON)
def exact_budget(case: Case) -> None:
    problem, budget = instance(case, most_arms=2), case.draw(st.sampled_from([2, 4, 9, 40]))
    policy = case.draw(st.sampled_from(INDEX_POLICIES))
    with case.refused():
        loss = exact.fixed_budget_loss(problem, case.draw(EPSILON), budget, policy)
    probability(loss)


@law("ldpt.exact.fixed_confidence_error", EPSILON, DELTA)
def exact_confidence(case: Case) -> None:
    problem, epsilon, delta = instance(case, most_arms=1), case.draw(EPSILON), case.draw(DELTA)
    chosen = radius(case)
    with case.refused():
        limits.require_short_chain(problem, epsilon, delta, chosen)
        pulls = limits.expected_pulls(problem, epsilon, delta, chosen)
    assume(pulls**1.5 <= STATES)
    with case.refused():
        chain = exact.fixed_confidence_error(problem, epsilon, delta, chosen)
    probability(chain.error)
    assert chain.expected_pulls >= 1 - 1e-9
    if chosen.name in VALID_RADII:
        assert chain.error <= delta * (1 + 1e-9), "a valid radius breaks its promise"


@law("ldpt.exact.optimal_loss", EPSILON)
def optimal_loss(case: Case) -> None:
    gaps = [case.draw(st.floats(0, 0.5)) for _ in range(2)]
    epsilon, budget = case.draw(EPSILON), case.draw(st.sampled_from([2, 5, 40]))
    with case.refused():
        loss = exact.optimal_loss(gaps, epsilon, budget)
    probability(loss)


@law("ldpt.rare_events.fixed_budget_error", EPSILON, SEED)
def rare_budget(case: Case) -> None:
    problem, epsilon = instance(case, most_arms=3), case.draw(EPSILON)
    budget, policy = (
        case.draw(st.sampled_from([6, 20, 60])),
        case.draw(st.sampled_from(INDEX_POLICIES)),
    )
    with case.refused():
        estimate = rare_events.fixed_budget_error(
            problem, epsilon, budget, 200, case.draw(SEED), policy
        )
    interval(estimate.low, min(estimate.probability, 1.0), estimate.high)
    probability(estimate.probability)
    if problem.n_arms <= 2 and estimate.reliable:
        loss = exact.fixed_budget_loss(problem, epsilon, budget, policy)
        spread = max(estimate.relative_error * estimate.probability, 1e-300)
        assert abs(loss - estimate.probability) <= 12 * spread + 1e-12


@law("ldpt.rare_events.fixed_confidence_error", EPSILON, DELTA, SEED)
def rare_confidence(case: Case) -> None:
    problem, epsilon, delta = instance(case, most_arms=2), case.draw(EPSILON), case.draw(DELTA)
    name, seed = case.draw(st.sampled_from(RADII)), case.draw(SEED)
    with case.refused():
        limits.require_affordable(problem, epsilon, delta, Radius(name))
        pulls = limits.expected_pulls(problem, epsilon, delta, Radius(name))
    assume(pulls <= PULLS)
    with case.refused():
        estimate = rare_events.fixed_confidence_error(problem, epsilon, delta, 50, seed, name)
    probability(estimate.probability)
    assert 0.0 <= estimate.low <= estimate.high <= 1.0


# --- tables, answers, designs ---------------------------------------------------------------------


@law("ldpt.summarise.clopper_pearson", COUNT, LEVEL, REPLICATES)
def clopper_pearson(case: Case) -> None:
    replicates, errors = counts(case)
    if replicates == 0 or case.draw(st.booleans()):
        replicates = case.legal(REPLICATES)
    errors = min(errors, replicates)
    low, high = summarise.clopper_pearson(errors, replicates, case.legal(LEVEL))
    interval(float(low), errors / replicates, float(high))


@law("ldpt.summarise.mean_interval", LEVEL)
def mean_interval(case: Case) -> None:
    values = case.draw(st.lists(st.floats(-1e9, 1e9), max_size=20))
    mean, deviation, low, high = summarise.mean_interval(np.array(values), case.legal(LEVEL))
    if len(values) > 1:
        assert low <= mean <= high
        assert deviation >= 0


@law("ldpt.study.inference.decide", UNIT, EPSILON, DELTA, COUNT, SHARE)
def decide(case: Case) -> None:
    answers = {f"arm {i}": counts(case) for i in range(case.draw(st.integers(1, 4)))}
    with case.refused():
        verdicts = inference.decide(
            answers,
            case.draw(UNIT),
            case.draw(EPSILON),
            case.draw(DELTA),
            noncompliance=case.draw(SHARE),
        )
    assert [verdict.arm for verdict in verdicts] == list(answers)
    for verdict in verdicts:
        assert verdict.verdict in ("above", "below", "undecided")
        if verdict.bound is not None:
            probability(float(verdict.bound))


@law("ldpt.study.analyse", UNIT, EPSILON, DELTA, COUNT, SCORE, STEPS)
def analyse(case: Case) -> None:
    answers = {f"arm {i}": counts(case) for i in range(case.draw(st.integers(1, 4)))}
    with case.refused():
        low, scale = 0.0, None
        if case.draw(st.booleans()):
            low = case.legal(SCORE)
            scale = Scale(low, low + case.legal(STEPS))
        threshold = case.draw(UNIT)
        value = scale.at(threshold) if scale and isinstance(threshold, float) else threshold
        table = study.analyse(answers, value, case.draw(DELTA), case.draw(EPSILON), scale)
    assert table["arm"].tolist() == list(answers)
    ends = (0.0, 1.0) if scale is None else (scale.low, scale.high)
    slack = 1e-9 * max(map(abs, ends))  # of rounding on a scale far from 0
    assert table["low"].between(ends[0] - slack, ends[1] + slack).all()
    assert table["high"].between(ends[0] - slack, ends[1] + slack).all()
    assert (table["low"] <= table["high"]).all()


@law("ldpt.study.Scale", UNIT, SCORE, STEPS)
def scale(case: Case) -> None:
    low, steps = case.legal(SCORE), case.legal(STEPS)
    with case.refused():
        skipped = case.draw(st.sampled_from([0, 0, 1, 2, steps]))
        made = Scale(low, low + steps, 1, *case.draw(st.permutations([skipped, 0])))
        value = made.threshold(made.at(case.draw(UNIT)))
    assert 0 < value < 1
    assert made.draw() in made.cuts
    least, most = made.interval(0.25, 0.75)
    assert made.low <= least <= most <= made.high
    probability(made.answer(made.high, made.draw()))


@law("ldpt.study.planning.plan", DELTA, EPSILON)
def plan(case: Case) -> None:
    means = [case.draw(st.sampled_from([0.0, 0.05, 0.2, 0.9, 1.0])) for _ in range(2)]
    with case.refused():
        table = study.plan(
            means,
            0.5,
            case.draw(DELTA),
            case.draw(EPSILON),
            methods=["coin"],
            replicates=2,
        )
    assert (table["people"] > 0).all()
    assert (table["people"] <= table["people_95"]).all() or (table["people"] < 20).any()
    assert table["error"].between(0, 1).all()


@law("ldpt.study.inference.estimate", EPSILON, LEVEL, COUNT, SHARE)
def estimate(case: Case) -> None:
    answers = {f"arm {i}": counts(case) for i in range(case.draw(st.integers(1, 4)))}
    with case.refused():
        estimates = inference.estimate(
            answers, case.draw(EPSILON), case.draw(LEVEL), noncompliance=case.draw(SHARE)
        )
    for found in estimates:
        if found.answers:
            interval(found.low, found.mean, found.high)


@law("ldpt.study.inference.response_range", UNIT, SHARE)
def response_range(case: Case) -> None:
    with case.refused():
        low, high = inference.response_range(designs.warner(0.8), case.draw(UNIT), case.draw(SHARE))
    assert 0 <= low <= high <= 1


@law("ldpt.study.inference.tolerated_share", UNIT, EPSILON)
def tolerated_share(case: Case) -> None:
    threshold, epsilon = case.draw(UNIT), case.draw(EPSILON)
    with case.refused():
        (verdict,) = inference.decide({"a": counts(case)}, threshold, epsilon, 0.05)
    assert 0 <= inference.tolerated_share(verdict, threshold, epsilon) <= 0.5


@law("ldpt.study.designs.warner", UNIT)
def warner(case: Case) -> None:
    with case.refused():
        design = designs.warner(case.draw(UNIT))
    assert design.epsilon > 0
    probability(design.private_mean(0.3))


@law("ldpt.study.designs.crosswise", UNIT)
def crosswise(case: Case) -> None:
    with case.refused():
        design = designs.crosswise(case.draw(UNIT))
    assert design.epsilon > 0


@law("ldpt.study.designs.forced", UNIT)
def forced(case: Case) -> None:
    with case.refused():
        design = designs.forced(case.draw(UNIT), case.draw(UNIT))
    assert design.epsilon >= 0


@law("ldpt.study.designs.unrelated", UNIT)
def unrelated(case: Case) -> None:
    with case.refused():
        design = designs.unrelated(case.draw(UNIT), case.draw(UNIT))
    assert design.epsilon >= 0
    probability(design.private_mean(0.3))


@law("ldpt.study.designs.as_design", EPSILON)
def stated_level(case: Case) -> None:
    epsilon = case.draw(EPSILON)
    with case.refused():
        design = designs.as_design(epsilon)
    stated = epsilon if epsilon < 1e308 else math.inf
    assert design.epsilon == stated, "another level is reported than the one stated"


@law("ldpt.study.designs.Design", UNIT, LEVEL)
def design(case: Case) -> None:
    one, zero = case.draw(UNIT), case.draw(UNIT)
    with case.refused():
        level = None if case.draw(st.booleans()) else case.draw(LEVEL)
        made = designs.Design(one, zero, level=level)
    assert made.shrinkage > 0
    assert made.epsilon > 0


# --- learners and studies -------------------------------------------------------------------------


def play(learner: Any, bits: list[int]) -> None:
    """Follow a learner for at most as many pulls as there are bits; pulls add up."""
    for bit in bits:
        arm = learner.next_arm()
        if arm is None:
            break
        learner.record(arm, bit)
    assert sum(learner.pulls) <= len(bits)
    if learner.finished:
        assert learner.next_arm() is None
        assert learner.above <= set(range(len(learner.pulls)))


BITS = st.lists(st.integers(0, 1), max_size=60)


@law("ldpt.learners.FixedBudget", ARMS, UNIT, TOLERANCE, EPSILON)
def fixed_budget_learner(case: Case) -> None:
    n_arms = case.draw(ARMS)
    policy = case.draw(st.sampled_from(INDEX_POLICIES))
    with case.refused():
        learner = learners.FixedBudget(
            n_arms,
            case.draw(UNIT),
            case.draw(TOLERANCE),
            case.draw(EPSILON),
            case.draw(st.sampled_from([1, 2, 60, 2**53])),
            policy,
        )
    play(learner, case.draw(BITS))


@law("ldpt.learners.FixedConfidence", ARMS, UNIT, EPSILON, DELTA)
def fixed_confidence_learner(case: Case) -> None:
    n_arms = case.draw(ARMS)
    chosen = radius(case)
    with case.refused():
        learner = learners.FixedConfidence(
            n_arms, case.draw(UNIT), case.draw(EPSILON), case.draw(DELTA), radius=chosen
        )
    play(learner, case.draw(BITS))


@law("ldpt.study.Study", ARMS, EPSILON)
def people(case: Case) -> None:
    n_arms = case.draw(ARMS)
    with case.refused():
        made = Study(learners.FixedConfidence(n_arms, 0.5, case.draw(EPSILON), 0.1), deadline=1)
    for bit in case.draw(BITS):
        tickets = made.ask(2)
        if not tickets:
            break
        made.record((tickets[0], bit))
        made.advance()
    counted = made.counts
    assert 0 <= counted["counted"] <= counted["asked"]
    for found in made.estimates():
        assert 0 <= found.low <= found.high <= 1
    str(made.report())


@law("ldpt.study.PrivateDevice", UNIT, EPSILON)
def device(case: Case) -> None:
    with case.refused():
        made = PrivateDevice(case.draw(EPSILON), study="s", answers=1)
        bit = made.privatise(case.draw(UNIT))
    assert bit in (0, 1)
    with contextlib.suppress(ValueError, RuntimeError):
        made.privatise(1.0)
        raise AssertionError("an answer beyond the allowance")
