"""The documented interface: names, order of arguments, defaults, and fields of the results."""

import importlib
import inspect
import math
import sys
import warnings
from collections.abc import Callable

import pytest

from ldpt import bounds, exact, learners, privacy, simulate
from ldpt.instances import Instance
from ldpt.policies import DEFAULT_POLICY, POLICIES
from ldpt.radii import DEFAULT_RADIUS, RADII
from ldpt.study import (
    PrivateDevice,
    Response,
    Scale,
    Study,
    Ticket,
    analyse,
    inference,
    plan,
)

PAIR = Instance("pair", [0.3, 0.6], 0.5)
ONE = Instance("one", [0.95], 0.9)
AT_THRESHOLD = Instance("at", [0.5, 0.6], 0.5)

SIGNATURES: list[tuple[Callable[..., object], str]] = [
    (privacy.shrinkage, "epsilon"),
    (privacy.private_mean, "mean, epsilon"),
    (privacy.PrivBern, "epsilon, rng=None"),
    (privacy.PrivBern.privatise, "self, reward"),
    (Instance, "name, means, threshold, tolerance=0.0, *, family='', stream=''"),
    (Instance.complexity, "self, epsilon=inf"),
    (
        simulate.fixed_budget,
        "instance, epsilon, budgets, replicates, seed, policy='apt', engine='fast', "
        "*, threads=1, progress=None",
    ),
    (
        simulate.fixed_confidence,
        "instance, epsilon, delta, replicates, seed, radius='printed', engine='fast', "
        "max_pulls=None, *, threads=1, progress=None",
    ),
    (exact.fixed_budget_loss, "instance, epsilon, budget, policy='apt'"),
    (
        exact.fixed_confidence_error,
        "instance, epsilon, delta, radius='printed', max_pulls=None, tail=1e-14",
    ),
    (exact.optimal_loss, "gaps, epsilon, budget"),
    (
        learners.FixedBudget,
        "n_arms, threshold, tolerance, epsilon, budget, policy='lsa-clipped'",
    ),
    (learners.FixedConfidence, "n_arms, threshold, epsilon, delta, radius='coin'"),
    (learners.FixedBudget.next_arm, "self"),
    (learners.FixedConfidence.next_arm, "self"),
    (learners.FixedBudget.record, "self, arm, bit"),
    (learners.FixedConfidence.record, "self, arm, bit"),
    (Study, "learner, name='', deadline=None, scale=None"),
    (Scale, "low, high, step=1, skip_low=0, skip_high=0"),
    (analyse, "table, threshold, delta, epsilon=None, scale=None"),
    (plan, "means, threshold, delta=None, epsilon=1.0, **terms"),
    (Study.ask, "self, n=1"),
    (Study.advance, "self"),
    (Study.decided, "self"),
    (Study.estimates, "self, level=None"),
    (Study.report, "self, level=None"),
    (Study.save, "self, path"),
    (Study.open, "path"),
    (
        inference.decide,
        "answers, threshold, epsilon, delta, radius='coin', noncompliance=0.0",
    ),
    (inference.estimate, "answers, epsilon, level=0.95, noncompliance=0.0"),
    (bounds.fixed_budget_upper, "instance, epsilon, budget, version='printed'"),
    (bounds.fixed_budget_lower, "instance, epsilon, budget, version='printed'"),
    (bounds.fixed_confidence_upper, "instance, epsilon, delta, version='printed'"),
    (bounds.fixed_confidence_lower, "instance, epsilon, delta, version='printed'"),
]
VERSIONS = [
    (bounds.fixed_budget_upper, 100, ["printed", "proved", "lsa", "apt-clipped", "lsa-clipped"]),
    (bounds.fixed_budget_lower, 100, ["printed", "corrected", "reduction", "genie"]),
    (bounds.fixed_confidence_upper, 0.1, ["printed", "hoeffding", "mixture", "onesided", "coin"]),
    (bounds.fixed_confidence_lower, 0.1, ["printed", "reduction", "decoupled", "many_arms"]),
]


@pytest.mark.parametrize(
    ("function", "expected"), SIGNATURES, ids=lambda value: getattr(value, "__qualname__", "")
)
def test_names_order_and_defaults_of_the_arguments(
    function: Callable[..., object], expected: str
) -> None:
    parameters = inspect.signature(function).parameters.values()
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    assert str(inspect.Signature(plain)) == f"({expected})"


def test_policies_and_radii_have_their_documented_names() -> None:
    assert tuple(POLICIES) == ("apt", "lsa", "apt-clipped", "lsa-clipped", "uniform", "laplace")
    assert RADII == ("printed", "hoeffding", "mixture", "onesided", "coin")
    assert (DEFAULT_POLICY, DEFAULT_RADIUS) == ("lsa-clipped", "coin")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("engine", ["literal", "fast"])
def test_every_policy_runs_with_both_engines(policy: str, engine: str) -> None:
    runs = simulate.fixed_budget(PAIR, 1.0, [4, 10], 2, 0, policy, engine)
    keys = ["instance", "policy", "epsilon", "budget"]
    assert runs.columns.tolist() == [*keys, "replicate", "loss"]


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("engine", ["literal", "fast"])
def test_every_radius_runs_with_both_engines(radius: str, engine: str) -> None:
    runs = simulate.fixed_confidence(PAIR, 4.0, 0.1, 2, 0, radius, engine, max_pulls=10**6)
    assert (runs["stopping_time"] >= 2).all()


def test_instances_know_their_gaps_complexity_and_answer() -> None:
    assert PAIR.gaps.tolist() == pytest.approx([0.2, 0.1])
    assert PAIR.complexity() == PAIR.complexity(epsilon=math.inf) == pytest.approx(125)
    assert PAIR.above == {1}


def test_exact_results_have_their_documented_fields() -> None:
    chain = exact.fixed_confidence_error(ONE, 1.0, 0.1)
    assert chain.error == pytest.approx(0.3043, abs=5e-5)
    assert chain.expected_pulls > 1
    assert exact.fixed_budget_loss(PAIR, 1.0, 10) == exact.fixed_budget_loss(PAIR, 1.0, 10, "apt")


@pytest.mark.parametrize(
    ("bound", "setting", "version"),
    [(bound, setting, version) for bound, setting, names in VERSIONS for version in names],
)
def test_every_documented_version_of_a_bound_is_a_number(
    bound: Callable[..., float], setting: float, version: str
) -> None:
    value = bound(PAIR, 1.0, setting, version=version)
    assert isinstance(value, float)
    assert 0 < value < math.inf


@pytest.mark.parametrize("version", ["printed", "reduction", "many_arms"])
@pytest.mark.parametrize("delta", [0.5, 0.7, 0.999])
@pytest.mark.parametrize("problem", [PAIR, AT_THRESHOLD], ids=["pair", "at"])
def test_the_lower_bound_on_the_cost_is_zero_from_one_half_on(
    problem: Instance, delta: float, version: str
) -> None:
    assert bounds.fixed_confidence_lower(problem, 1.0, delta, version) == 0.0


@pytest.mark.parametrize(("delta", "positive"), [(0.7, True), (0.75, False), (0.999, False)])
def test_the_decoupled_bound_is_zero_where_two_coins_are_right_often_enough(
    delta: float, positive: bool
) -> None:
    bound = bounds.fixed_confidence_lower(PAIR, 1.0, delta, "decoupled")
    assert (bound > 0) == positive


@pytest.mark.parametrize(
    "learner",
    [
        learners.FixedBudget(2, 0.5, 0.0, math.inf, 4),
        learners.FixedConfidence(2, 0.5, math.inf, 0.2),
    ],
    ids=["budget", "confidence"],
)
def test_learners_are_asked_and_told(
    learner: learners.FixedBudget | learners.FixedConfidence,
) -> None:
    while not learner.finished:
        arm = learner.next_arm()
        assert arm is not None
        learner.record(arm, arm)
    assert learner.next_arm() is None
    assert learner.above == {1}


def test_a_study_from_its_first_ticket_to_its_saved_state(tmp_path) -> None:
    study = Study(learners.FixedConfidence(2, 0.5, 4.0, 0.1), name="trial", deadline=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a device of a study with epsilon 4
        device = PrivateDevice(4.0, study="trial", answers=2)
    first, second = study.ask(2)
    assert isinstance(first, Ticket)
    response = device.answer(first, 1.0)
    assert isinstance(response, Response)
    study.record(response)
    assert study.outstanding == [second]
    study.advance()
    assert study.outstanding == []
    study.record_many((ticket, ticket.arm) for ticket in study.ask(60))
    assert study.decided() == {0: "below", 1: "above"}
    assert study.finished
    for estimate in study.estimates(level=0.9):
        assert estimate.answers > 0
        assert estimate.low <= estimate.mean <= estimate.high
    assert [estimate.arm for estimate in study.estimates()] == [0, 1]
    assert "above" in str(study.report())
    study.save(tmp_path / "trial.json")
    assert Study.open(tmp_path / "trial.json").decided() == study.decided()


def test_answers_are_decided_and_estimated_without_a_learner() -> None:
    counts, bits = {"a": (400, 150), "b": (400, 260)}, {"a": [0] * 60, "b": [1] * 60}
    assert [found.verdict for found in inference.decide(bits, 0.5, 1.0, 0.1)] == ["below", "above"]
    assert inference.decide(counts, 0.5, 1.0, 0.1)[1].verdict == "above"
    (first, _) = inference.estimate(counts, 1.0, 0.9)
    assert (first.arm, first.answers) == ("a", 400)
    assert first.low < first.mean < first.high


@pytest.mark.parametrize(
    ("old", "name", "new"),
    [
        ("rare", "Estimate", "ldpt.rare_events.RareEstimate"),
        ("rare", "fixed_budget_error", "ldpt.rare_events.fixed_budget_error"),
        ("designs", "Design", "ldpt.study.designs.Design"),
        ("config", "study", "ldpt.config.experiment.build_experiment"),
        ("config", "load", "ldpt.config.experiment.load"),
    ],
)
def test_names_of_release_3_work_and_warn(
    old: str, name: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"ldpt.{old}", raising=False)
    with pytest.warns(DeprecationWarning, match=f"ldpt.{old}.* is now ldpt"):
        value = getattr(importlib.import_module(f"ldpt.{old}"), name)
    module, _, attribute = new.rpartition(".")
    assert value is getattr(importlib.import_module(module), attribute)
