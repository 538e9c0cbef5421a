"""What is refused for its cost, at every entrance, and that the estimate is one."""

import math
import re
from collections.abc import Callable
from functools import partial

import pytest

from ldpt import exact, simulate
from ldpt import rare_events as rare
from ldpt.config.experiment import build_experiment, load
from ldpt.instances import Instance, equal_gap
from ldpt.limits import (
    MAX_BLOCKS,
    MAX_PULLS,
    MAX_REPLICATES,
    blocks_of_arm,
    checked_pulls,
    expected_pulls,
    require_affordable,
    require_short_chain,
    require_short_runs,
    single_pulls,
)
from ldpt.radii import RADII, Radius
from ldpt.study.planning import Request
from tests.conftest import PROJECT

# H_eps = 4.7e12 is within the limit; the runs would take 10 to 70 times as many pulls.
DEAR = Instance("dear", [0.5 + 1e-6], 0.5)
PROBLEM = Instance("two", [0.3, 0.6], 0.5)
ABOUT = r"'dear': a run with radius {radius} at epsilon 1 and delta 0.1 takes about \d\.\de\+1\d "
ABOUT += r"pulls, more than 1e\+13"


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("epsilon", [0.5, math.inf])
def test_expected_pulls_are_near_the_mean_of_simulated_runs(epsilon: float, radius: str) -> None:
    runs = simulate.fixed_confidence(PROBLEM, epsilon, 0.05, 500, 3, radius)
    expected = expected_pulls(PROBLEM, epsilon, 0.05, Radius(radius))
    assert 0.8 < expected / runs["stopping_time"].mean() < 1.3


@pytest.mark.parametrize("gap", [1e-13, 1e-12, 3e-9, 1e-4])
def test_a_gap_of_any_size_has_its_expected_pulls(gap: float) -> None:
    """They grow as 1 / gap^2 and a logarithm."""
    narrow, wide = (Instance("x", [0.25 + g], 0.25) for g in (gap, 2 * gap))
    ratio = expected_pulls(narrow, 1.0, 0.1, Radius("onesided")) / expected_pulls(
        wide, 1.0, 0.1, Radius("onesided")
    )
    assert 3.9 < ratio < 5.5


ENTRANCES: dict[str, Callable[[str], object]] = {
    "limit": lambda radius: require_affordable(DEAR, 1.0, 0.1, Radius(radius)),
    "simulate": lambda radius: simulate.fixed_confidence(DEAR, 1.0, 0.1, 1, 0, radius),
    "exact": lambda radius: exact.fixed_confidence_error(DEAR, 1.0, 0.1, radius),
    "rare": lambda radius: rare.fixed_confidence_error(DEAR, 1.0, 0.1, 10, 0, radius),
    "plan": lambda radius: Request(DEAR, [1.0], 0.1, methods=[radius]),
}


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_an_absurd_expected_cost_is_refused_with_its_estimate(entrance: str, radius: str) -> None:
    with pytest.raises(ValueError, match=ABOUT.format(radius=radius)):
        ENTRANCES[entrance](radius)


def test_plan_is_refused_if_its_narrower_guesses_cost_too_much() -> None:
    """The plan itself takes 5e12 pulls, its table of wrong guesses four times as many."""
    problem = Instance("near", [0.5 + 2.5e-6], 0.5)
    require_affordable(problem, 1.0, 0.1, Radius("onesided"))
    with pytest.raises(ValueError, match=r"'near-gaps-0.5': a run with radius onesided"):
        Request(problem, [1.0], 0.1, methods=["onesided"])


def test_a_plan_of_a_fixed_number_of_answers_is_refused_as_well() -> None:
    with pytest.raises(ValueError, match=r"epsilon 0.1 takes at least 4.*e\+14 answers, more than"):
        Request(DEAR, [0.1], 0.1, methods=["lsa"])


HINTS = {
    "exact": "max_pulls limits it",
    "limit": "",
    "plan": "--budget N without --delta, with --method lsa-clipped, plans for N answers",
    "rare": "simulate.fixed_confidence can stop runs after max_pulls, importance sampling cannot",
    "simulate": "max_pulls limits it",
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_refusal_for_its_cost_says_what_would_allow_it(entrance: str) -> None:
    with pytest.raises(ValueError, match=re.escape(HINTS[entrance]) + "$"):
        ENTRANCES[entrance]("onesided")


SECTIONS = {
    "fixed_confidence": {"instances": ["one-arm"], "epsilons": [1e-6], "deltas": [0.1]},
    "rare_fixed_confidence": {
        "instances": ["one-arm"],
        "radii": ["printed"],
        "epsilons": [1e-6],
        "deltas": [0.1],
    },
}


@pytest.mark.parametrize("section", SECTIONS)
def test_study_refuses_a_config_with_one_too_expensive_study(section: str) -> None:
    config = load()
    config[section]["studies"].append(SECTIONS[section])
    place = len(config[section]["studies"]) - 1
    said = rf"{section}\.studies\[{place}\].*'one-arm'.* takes about .* pulls, more than 1e\+13"
    said += "; larger epsilons, deltas or gaps cost less"
    with pytest.raises(ValueError, match=said):
        build_experiment(config)


def test_a_config_is_refused_for_exact_chains_of_hours() -> None:
    config = load()
    config["error_map"]["one_arm"][0]["gaps"] = [0.0003]
    said = r"error_map.one_arm\[0\]: .* exact chain at epsilon 1 .* updates, more than 1e\+11"
    with pytest.raises(ValueError, match=said):
        build_experiment(config)
    config = load()
    config["exact_curves"]["studies"][2]["multiples"] = [200]
    said = r"exact_curves.studies\[2\]: .* budget of \d+ pulls takes \S+ updates"
    with pytest.raises(ValueError, match=said):
        build_experiment(config)


def test_an_exact_chain_of_hours_is_refused_unless_told_where_to_stop() -> None:
    narrow = Instance("narrow", [0.5003], 0.5)
    require_affordable(narrow, 1.0, 0.1, Radius("printed"))
    said = r"'narrow': the exact chain .* updates, more than 1e\+11; max_pulls limits it"
    with pytest.raises(ValueError, match=said):
        exact.fixed_confidence_error(narrow, 1.0, 0.1)
    assert exact.fixed_confidence_error(narrow, 1.0, 0.1, max_pulls=100).pulls == 100
    with pytest.raises(ValueError, match=r"updates, more than 1e\+11; a smaller max_pulls costs"):
        exact.fixed_confidence_error(narrow, 1.0, 0.1, max_pulls=10**13)
    with pytest.raises(ValueError, match=r"budget of 5000 pulls takes 2.6e\+13 updates"):
        exact.fixed_budget_loss(PROBLEM, 1.0, 5000)
    require_short_chain(Instance("wide", [0.52], 0.5), 1.0, 0.1, Radius("hoeffding"))


def _capped(max_pulls: float) -> object:
    return simulate.fixed_confidence(PROBLEM, 1.0, 0.1, 2, 0, max_pulls=max_pulls)


def _chain(tail: float) -> object:
    return exact.fixed_confidence_error(Instance("one", [0.6], 0.5), 1.0, 0.1, tail=tail)


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda: simulate.fixed_budget(PROBLEM, 1.0, 10**19, 1, 0), "to 10000000000000, got 1"),
        (lambda: simulate.fixed_budget(PROBLEM, 1.0, math.inf, 1, 0), "to 10000000000000, got inf"),
        (lambda: simulate.fixed_budget(PROBLEM, 1.0, math.nan, 1, 0), "got nan"),
        (lambda: simulate.fixed_budget(PROBLEM, 1.0, 9, 10**15, 0), "from 1 to 100000000, got"),
        (lambda: simulate.fixed_confidence(PROBLEM, 1.0, 0.1, 10**15, 0), "from 1 to 100000000"),
        (
            lambda: rare.fixed_budget_error(PROBLEM, 1.0, 10**19, 9, 0),
            "number from 4 to 1000",
        ),
        (lambda: rare.fixed_budget_error(PROBLEM, 1.0, math.inf, 9, 0), "from 4 to 10000000000000"),
        (lambda: rare.fixed_budget_error(PROBLEM, 1.0, 99, 10**15, 0), "from 1 to 100000000"),
        (lambda: rare.fixed_budget_error(PROBLEM, 1.0, 99, 2.5, 0), "replicates must be a"),
        (lambda: rare.fixed_confidence_error(PROBLEM, 1.0, 0.1, 2.5, 0), "replicates must be a"),
        (
            lambda: simulate.fixed_confidence(PROBLEM, 1.0, 0.1, 2.5, 0),
            "replicates must be a whole",
        ),
        (lambda: _capped(math.inf), "max_pulls must be a whole number from 2 to"),
        (lambda: _capped(10.5), "max_pulls must be a whole number from 2 to"),
        (lambda: _capped(10**30), "max_pulls must be a whole number from 2 to"),
        (lambda: exact.fixed_budget_loss(PROBLEM, 1.0, math.inf), "budget must be a whole number"),
        (lambda: exact.fixed_budget_loss(PROBLEM, 1.0, 10.5), "budget must be a whole number"),
        *((partial(_chain, tail), "tail must lie strictly") for tail in (0, -1, math.nan)),
        (lambda: Request(PROBLEM, [1.0], 0.1, methods=["lsa", "lsa"]), "got lsa lsa"),
    ],
)
def test_counts_beyond_all_measure_are_refused(use: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        use()


def test_the_limits_are_what_messages_say() -> None:
    assert (MAX_PULLS, MAX_REPLICATES) == (10**13, 100_000_000)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"budgets": [10**13], "replicates": 10**8}, "are 1.0e+21 pulls, more than 1e+18"),
        ({"budgets": [10**13], "engine": "literal"}, "engine fast"),
        ({"budgets": [10**13], "policy": "laplace"}, "pulls, more than 1e+12"),
        ({"budgets": range(4, 1004), "replicates": 10**7}, "do not fit into memory"),
    ],
)
def test_runs_that_take_months_together_are_refused(options, said) -> None:
    given = {"replicates": 2, "seed": 0} | options
    with pytest.raises(ValueError, match=re.escape(said)):
        simulate.fixed_budget(PROBLEM, 1.0, **given)


@pytest.fixture
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail at once where runs are made that should be refused."""
    for module in (simulate, rare):
        monkeypatch.setattr(module, "run_jobs", lambda *_: pytest.fail("runs were made"))


SKEW = Instance("skew", [0.01, 0.03], 0.02)


@pytest.mark.usefixtures("no_runs")
def test_runs_at_skewed_thresholds_are_refused_by_their_pulls() -> None:
    said = "are 2.0e+13 pulls, more than 1e+12; fewer replicates or pulls cost less, and so do thr"
    with pytest.raises(ValueError, match=re.escape(said)):
        simulate.fixed_budget(SKEW, math.inf, 10**13, 2, 0)
    with pytest.raises(ValueError, match=re.escape(said)):
        rare.fixed_budget_error(SKEW, math.inf, 10**13, 2, 0)


def test_short_runs_at_skewed_thresholds_and_long_ones_at_others_are_admitted() -> None:
    assert len(simulate.fixed_budget(SKEW, math.inf, 10**4, 2, 0)) == 2
    assert len(simulate.fixed_budget(SKEW, 0.01, 10**13, 2, 0)) == 2  # private threshold: 0.4988
    assert len(simulate.fixed_budget(SKEW, math.inf, 10**13, 2, 0, "uniform")) == 2


def test_stopping_runs_that_take_months_together_are_refused() -> None:
    one = Instance("one", [0.50001], 0.5)
    with pytest.raises(ValueError, match=re.escape("pulls, more than 1e+12; fewer replicates")):
        simulate.fixed_confidence(one, 1.0, 0.1, 10, 0, "onesided", "literal")
    deltas = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    with pytest.raises(ValueError, match="do not fit into memory"):
        simulate.fixed_confidence(equal_gap(1000), 1.0, deltas, 10**5, 0, "onesided")


NARROW = Instance("narrow", [1e-4 + 2e-8], 1e-4)  # 6e12 pulls, in blocks of at most 10^5


def _most_runs(radius: str) -> int:
    """Return how many runs on the narrow problem the limit admits."""
    edge = Radius(radius).at(1, 0.1, NARROW.threshold, math.inf)
    pulls = expected_pulls(NARROW, math.inf, 0.1, Radius(radius))
    return int(MAX_BLOCKS / blocks_of_arm(edge, NARROW.threshold, pulls))


BLOCK_ENTRANCES: dict[str, Callable[[int], object]] = {
    "simulate": lambda runs: simulate.fixed_confidence(NARROW, math.inf, 0.1, runs, 1, "coin"),
    "plan": lambda runs: Request(NARROW, [], 0.1, methods=["coin"], replicates=runs),
}


@pytest.mark.usefixtures("no_runs")
@pytest.mark.parametrize("entrance", BLOCK_ENTRANCES)
def test_runs_of_too_many_blocks_are_refused_with_what_costs_less(entrance: str) -> None:
    runs = 1 + _most_runs("coin")
    said = f"{runs} replicates make .* blocks of pulls, more than 1e\\+10; fewer replicates, larger"
    assert 10 < runs < 1000
    with pytest.raises(ValueError, match=said):
        BLOCK_ENTRANCES[entrance](runs)


def test_runs_of_as_many_blocks_as_the_limit_are_admitted() -> None:
    runs = _most_runs("coin")
    assert checked_pulls(NARROW, math.inf, 0.1, Radius("coin"), runs) > 1e12
    with pytest.raises(ValueError, match="blocks of pulls"):
        checked_pulls(NARROW, math.inf, 0.1, Radius("coin"), runs + 1)
    assert checked_pulls(NARROW, math.inf, 0.1, Radius("coin"), 10**6, max_pulls=10**6) == 10**6


@pytest.mark.parametrize("config", ["config", "smoke", "large"])
def test_every_setting_of_a_committed_config_is_admitted(config: str) -> None:
    experiment = build_experiment(load(PROJECT / "config" / f"{config}.yaml"))
    for run in experiment.fixed_confidence:
        problem, radius = experiment.instance(run.instance), experiment.proxy_radius(run.method)
        for delta in run.deltas:
            assert checked_pulls(problem, run.epsilon, delta, radius, run.replicates) > 0
    for run in experiment.fixed_budget:
        problem = experiment.instance(run.instance)
        most, single = max(run.grid(problem)), single_pulls(problem, run.epsilon)
        require_short_runs(run.replicates, most, 1, single)


@pytest.mark.usefixtures("no_runs")
def test_rare_events_refuse_too_many_blocks_of_true_and_of_tilted_runs() -> None:
    with pytest.raises(ValueError, match="blocks of pulls, more than"):
        rare.fixed_confidence_error(NARROW, math.inf, 0.1, 10**4, 1, "coin")
    tilted = Instance("tilted", [0.0], 1 - 1e-11)  # the true arm is decided after two pulls
    with pytest.raises(ValueError, match="blocks of pulls, more than"):
        rare.fixed_confidence_error(tilted, 36.0, 1e-12, 10**4, 1, "coin")


def test_tilted_runs_near_an_extreme_threshold_end() -> None:
    far = Instance("far", [0.0], 0.999999999)
    estimate = rare.fixed_confidence_error(far, 36.0, 1e-12, 100, 1, "coin")
    assert estimate.probability <= 1e-12


def test_a_boundary_that_grows_as_fast_as_the_drift_is_refused() -> None:
    wide = Radius("coin", prior_gap=1e100)
    with pytest.raises(ValueError, match="takes about inf pulls"):
        simulate.fixed_confidence(Instance("x", [0.1, 0.99995], 0.3), math.inf, 0.1, 1, 1, wide)
