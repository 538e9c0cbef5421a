"""Algorithms 1 and 2 against the literal engines, pull by pull, and their doors."""

import contextlib
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.engines.boundaries import Arms
from ldpt.engines.literal_budget import fixed_budget_literal
from ldpt.engines.literal_confidence import fixed_confidence_literal
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.policies import INDEX_POLICIES
from ldpt.privacy import private_mean
from ldpt.radii import RADII, VALID_RADII

pytestmark = pytest.mark.filterwarnings("ignore:the guarantee of the radius 'printed'")
MEANS = (0.1, 0.35, 0.45, 0.55, 0.65, 0.9)
BUDGET = {"n_arms": 3, "threshold": 0.5, "tolerance": 0.1, "epsilon": 1.0, "budget": 6}
CONFIDENCE = {"n_arms": 3, "threshold": 0.5, "epsilon": 1.0, "delta": 0.1}


def record_next(learner, rng, means):
    """Record one response, drawn as the literal engines draw it: one uniform per pull."""
    arm = learner.next_arm()
    learner.record(arm, int(rng.random() < means[arm]))


@pytest.mark.parametrize("tolerance", [0.0, 0.1])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.inf])
@pytest.mark.parametrize("threshold", [0.3, 0.5])
@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_fixed_budget_follows_the_literal_engine_pull_by_pull(
    policy, threshold, epsilon, tolerance
):
    means, budget = private_mean(np.array(MEANS), epsilon), 300
    learner = FixedBudget(len(MEANS), threshold, tolerance, epsilon, budget, policy=policy)
    rule = learner.policy.rule(threshold, tolerance, epsilon)
    pulls, sums = np.zeros((2, budget, len(MEANS)), np.int64)
    steps = np.arange(1, budget + 1)
    fixed_budget_literal(np.random.default_rng(11), means, rule, steps, pulls, sums)
    rng = np.random.default_rng(11)
    for step in range(budget):
        record_next(learner, rng, means)
        assert (learner.pulls, learner.sums) == (pulls[step].tolist(), sums[step].tolist())
    assert learner.next_arm() is None
    assert learner.above == set(np.flatnonzero(sums[-1] > pulls[-1] * learner.private_threshold))


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize(("threshold", "epsilon"), [(0.3, 2.0), (0.5, math.inf), (0.7, 3.0)])
def test_fixed_confidence_follows_the_literal_engine_to_its_end(threshold, epsilon, radius):
    means = private_mean(np.array(MEANS), epsilon)
    for seed in range(3):
        learner, rng = (
            FixedConfidence(len(MEANS), threshold, epsilon, 0.1, radius),
            np.random.default_rng(seed),
        )
        while not learner.finished:
            record_next(learner, rng, means)
        pulls, sums = np.zeros((2, len(MEANS)), np.int64)
        stopping_time = fixed_confidence_literal(
            np.random.default_rng(seed),
            Arms(means, learner.private_threshold),
            learner.radius.at(len(MEANS), 0.1, threshold, epsilon),
            10**7,
            pulls,
            sums,
        )
        assert learner.total_pulls == stopping_time
        assert (learner.pulls, learner.sums) == (pulls.tolist(), sums.tolist())


def test_ties_go_to_the_lowest_arm_and_every_arm_is_pulled_once_first():
    learner = FixedBudget(3, 0.5, 0.0, math.inf, budget=12)
    order = []
    for _ in range(3):
        order.append(learner.next_arm())
        learner.record(order[-1], 1)
    assert order == [0, 1, 2]
    assert learner.next_arm() == 0


def test_index_of_mirrored_arms_ties_exactly():
    learner = FixedBudget(2, 0.5, 0.1, 1.0, budget=10)
    learner.record(0, 0)
    learner.record(1, 1)
    assert learner.index(0) == learner.index(1)
    assert learner.next_arm() == 0


@pytest.mark.parametrize("total", [2**21 - 1, 2**21, 2**21 + 1, 10**9, 10**12])
@pytest.mark.parametrize(("radius", "scale"), [("printed", 8), ("hoeffding", 2)])
def test_undecided_past_two_to_the_21_pulls_keeps_the_papers_radius(total, radius, scale):
    """t^3 overflows 64 bits there; the decision must still be that of log(4 K t^3 / delta)."""
    with mpmath.workdps(40):
        log = mpmath.log(4 * 2 * mpmath.mpf(total) ** 3 / mpmath.mpf(0.1))
        half_width = float(mpmath.sqrt((total - 10) * log / scale))
    for shift, undecided in ((-2, True), (2, False)):
        learner = FixedConfidence(2, 0.5, 1.0, 0.1, radius)
        learner.pulls = [10, total - 10]
        learner.sums = [10, math.floor((total - 10) / 2 + half_width) + shift]
        learner.total_pulls = total
        assert learner.undecided(1) is undecided


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        *(
            ({"n_arms": bad}, f"^n_arms must be a whole number from 1 to 1000000, got {bad!r}$")
            for bad in (0, 2.5, math.inf, math.nan, "3", True, None, 10**7)
        ),
        ({"n_arms": []}, "^names of arms must be a list of text"),
        ({"n_arms": ["a", 1]}, "^names of arms must be a list of text"),
        ({"n_arms": ["a", "a", "b"]}, r"^names of arms must differ, got \['a', 'a', 'b'\]$"),
        *(
            ({"threshold": bad}, rf"^threshold must be a number in \[0, 1\], got {bad!r}$")
            for bad in (1.2, 2, -1, math.nan, "0.5", None, True)
        ),
        ({"epsilon": 0}, "^epsilon must be positive"),
        ({"epsilon": 1e-20}, r"^epsilon must be at least 1e-09 \(.*\), got 1e-20$"),
    ],
)
@pytest.mark.parametrize(
    ("cls", "good"), [(FixedBudget, BUDGET), (FixedConfidence, CONFIDENCE)], ids=["T", "delta"]
)
def test_bad_parameters_of_both_are_named(cls, good, arguments, complaint):
    cls(**good)
    with pytest.raises(ValueError, match=complaint):
        cls(**{**good, **arguments})


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        *(
            ({"tolerance": bad}, rf"^tolerance must be a number in \[0, 1\], got {bad!r}$")
            for bad in (-0.1, math.nan, math.inf, "0")
        ),
        *(
            ({"budget": bad}, f"^budget must be a whole number from 6 to {2**53}, got {bad!r}$")
            for bad in (5, 6.5, math.nan, math.inf, "6", True, 10**20)
        ),
        ({"policy": "best"}, "^policy must be one of apt, lsa.*, got 'best'"),
    ],
)
def test_bad_parameters_of_fixed_budget_are_named(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        FixedBudget(**{**BUDGET, **arguments})


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"delta": 1.0}, "delta must lie strictly between 0 and 1, got 1.0"),
        ({"delta": 0}, "delta must lie strictly between 0 and 1, got 0$"),
        ({"delta": "0.1"}, "delta must lie strictly between 0 and 1, got '0.1'"),
        ({"radius": "wide"}, "radius must be one of .*, got 'wide'"),
    ],
)
def test_bad_parameters_of_fixed_confidence_are_named(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        FixedConfidence(**{**CONFIDENCE, **arguments})


@pytest.mark.parametrize("bit", [2, -1, 0.123, 1.0, "1", None, [1]])
def test_a_response_that_is_no_bit_is_refused_and_not_shown(bit):
    learner = FixedConfidence(**CONFIDENCE)
    with pytest.raises(ValueError, match="a response is 0 or 1") as caught:
        learner.record(0, bit)
    assert "123" not in str(caught.value)
    assert learner.pulls == [0, 0, 0]


@pytest.mark.parametrize("arm", [-1, 3, 1.0, "0", True, None])
def test_an_arm_that_does_not_exist_is_refused(arm):
    with pytest.raises(ValueError, match=r"arm must be 0\.\.2"):
        FixedConfidence(**CONFIDENCE).record(arm, 1)


def test_responses_that_the_algorithm_does_not_want_are_refused():
    budget = FixedBudget(1, 0.5, 0.0, 1.0, budget=2)
    confidence = FixedConfidence(1, 0.5, 4.0, 0.1)
    for learner in (budget, confidence):
        while learner.next_arm() is not None:
            learner.record(0, 1)
        before = learner.total_pulls
        with pytest.raises(ValueError, match="does not want a response of arm 0"):
            learner.record(0, 1)
        assert learner.total_pulls == before
        assert learner.above == {0}


def test_above_is_refused_before_the_end():
    with pytest.raises(ValueError, match=r"above is known after 6 responses, .*, got \[0, 0, 0\]"):
        _ = FixedBudget(**BUDGET).above
    with pytest.raises(ValueError, match="every arm is decided, 3 of 3 are not"):
        _ = FixedConfidence(**CONFIDENCE).above


def test_the_invalid_radius_warns_and_valid_ones_do_not(recwarn):
    for radius in VALID_RADII:
        FixedConfidence(**CONFIDENCE, radius=radius)
    FixedConfidence(**CONFIDENCE)
    assert not recwarn
    with pytest.warns(UserWarning, match="guarantee of the radius 'printed' is false"):
        FixedConfidence(**CONFIDENCE, radius="printed")


def test_repr_says_what_a_learner_is():
    assert repr(FixedConfidence(["low", "high"], 0.5, 1.0, 0.1)) == (
        "FixedConfidence(n_arms=['low', 'high'], threshold=0.5, epsilon=1.0, delta=0.1, "
        "radius='coin')"
    )
    assert "budget=6, policy='apt'" in repr(FixedBudget(**BUDGET, policy="apt"))


@settings(max_examples=200, derandomize=True, deadline=None)
@given(
    n_arms=st.integers(-1, 3) | st.text(max_size=2) | st.lists(st.text(max_size=2), max_size=3),
    numbers=st.tuples(*[st.floats() | st.sampled_from([0.1, 0.5, 1, "1", None])] * 3),
    bit=st.integers(-1, 2) | st.floats() | st.none(),
)
def test_any_arguments_work_or_are_a_value_error(n_arms, numbers, bit):
    threshold, epsilon, delta = numbers
    with contextlib.suppress(ValueError):
        learner = FixedConfidence(n_arms, threshold, epsilon, delta)
        learner.record(learner.next_arm(), bit)
        assert learner.pulls[0] == 1
