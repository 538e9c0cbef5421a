"""The mechanism against its formula."""

import math

import mpmath
import numpy as np
import pytest
from scipy.stats import binomtest

from ldpt import bounds
from ldpt.instances import Instance
from ldpt.privacy import PrivBern, private_mean, shrinkage
from ldpt.radii import Radius, threshold_variance

PAIR = Instance("pair", [0.3, 0.6], 0.5)


EPSILONS = [1e-9, 0.1, 1.0, 10.0, 800.0, math.inf]


LEVEL = 1e-4  # of every statistical test here; seeded, so each passes or fails for good


def response_probability(reward: float, epsilon: float) -> mpmath.mpf:
    """(r e^eps + 1 - r) / (1 + e^eps) in 60 digits; e^eps = inf is the limit r."""
    with mpmath.workdps(60):
        if math.isinf(epsilon):
            return mpmath.mpf(reward)
        power = mpmath.exp(epsilon)
        return (reward * power + 1 - mpmath.mpf(reward)) / (1 + power)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("reward", [0.0, 1e-12, 0.25, 0.5, 0.9, 1.0])
def test_private_mean_is_the_mechanisms_own_formula(reward, epsilon):
    expected = response_probability(reward, epsilon)
    assert private_mean(reward, epsilon) == pytest.approx(float(expected), rel=1e-15, abs=1e-16)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_shrinkage_is_the_difference_of_the_extreme_responses(epsilon):
    with mpmath.workdps(60):
        expected = response_probability(1.0, epsilon) - response_probability(0.0, epsilon)
    assert shrinkage(epsilon) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 10.0])
def test_both_output_ratios_are_bounded_and_attained_at_the_ends(epsilon):
    rewards = np.linspace(0, 1, 101)
    ones = private_mean(rewards, epsilon)
    bound = math.exp(epsilon)
    for probabilities in (ones, 1 - ones):
        assert probabilities.max() / probabilities.min() <= bound * (1 + 1e-11)
    assert ones[-1] / ones[0] == pytest.approx(bound, rel=1e-11)
    assert (1 - ones[0]) / (1 - ones[-1]) == pytest.approx(bound, rel=1e-11)


REWARD_LAWS = {
    "bernoulli": (0.3, lambda rng, n: (rng.random(n) < 0.3).astype(float)),
    "beta": (2 / 7, lambda rng, n: rng.beta(2, 5, n)),
    "uniform": (0.6, lambda rng, n: rng.uniform(0.2, 1.0, n)),
    "two-point": (0.7, lambda rng, n: np.where(rng.random(n) < 0.75, 0.9, 0.1)),
}


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0, math.inf])
@pytest.mark.parametrize("law", REWARD_LAWS)
def test_responses_have_the_private_mean_whatever_the_reward_law(law, epsilon):
    mean, draw = REWARD_LAWS[law]
    rng = np.random.default_rng(2024)
    responses = PrivBern(epsilon, rng).privatise(draw(rng, 200_000))
    assert set(np.unique(responses)) <= {0, 1}
    test = binomtest(int(responses.sum()), responses.size, private_mean(mean, epsilon))
    assert test.pvalue > LEVEL


def test_responses_to_a_varying_reward_are_not_overdispersed():
    """Responses of an arm are i.i.d.: neighbours agree as often as independent ones do."""
    rng = np.random.default_rng(5)
    responses = PrivBern(1.0, rng).privatise(rng.uniform(0, 1, 200_000))
    agree = int((responses[::2] == responses[1::2]).sum())
    assert binomtest(agree, 100_000, 0.5).pvalue > LEVEL


def test_privatise_gives_an_int_for_a_scalar_and_keeps_the_shape_of_an_array():
    mechanism = PrivBern(1.0, rng=0)
    assert type(mechanism.privatise(0.5)) is int
    assert mechanism.privatise(np.full((3, 2), 0.5)).shape == (3, 2)


def test_privbern_repeats_with_a_seed_and_not_without():
    rewards = np.full(200, 0.5)
    assert (PrivBern(1.0, 3).privatise(rewards) == PrivBern(1.0, 3).privatise(rewards)).all()
    assert (PrivBern(1.0).privatise(rewards) != PrivBern(1.0).privatise(rewards)).any()


@pytest.mark.parametrize("epsilon", ["1", None, True, [1.0], "inf"])
def test_epsilon_that_is_no_number_is_refused_with_its_value(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive") as caught:
        shrinkage(epsilon)
    assert str(caught.value).endswith(f"got {epsilon!r}")


def test_shrinkage_takes_a_too_large_whole_number_for_no_privacy():
    assert shrinkage(10**400) == 1


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, -math.inf])
@pytest.mark.parametrize("use", [shrinkage, PrivBern, lambda e: private_mean(0.5, e)])
def test_epsilon_that_is_not_positive_is_refused_with_its_value(use, epsilon):
    with pytest.raises(ValueError, match=rf"epsilon must be positive.*got {epsilon}$"):
        use(epsilon)


@pytest.mark.parametrize("reward", [-0.01, 1.01, math.nan, [0.5, 2.0]])
def test_privatise_refuses_a_reward_outside_the_unit_interval(reward):
    with pytest.raises(ValueError, match=r"lies in \[0, 1\]"):
        PrivBern(1.0).privatise(reward)


@pytest.mark.parametrize("epsilon", [1e-10, 1e-160, 1e-200, 5e-324])
@pytest.mark.parametrize(
    "use",
    [
        shrinkage,
        PrivBern,
        lambda e: private_mean(0.5, e),
        lambda e: PAIR.complexity(e),
        lambda e: bounds.duchi_factor(e),
        lambda e: bounds.fixed_confidence_lower(PAIR, e, 0.1),
        lambda e: bounds.fixed_confidence_upper(PAIR, e, 0.1),
        lambda e: bounds.fixed_budget_upper(PAIR, e, 100),
        lambda e: bounds.fixed_budget_lower(PAIR, e, 100),
        lambda e: Radius("printed").at(2, 0.1, 0.5, e),
        lambda e: threshold_variance(0.3, e),
    ],
)
def test_epsilon_that_floats_do_not_resolve_is_refused_everywhere(use, epsilon):
    """Its square rounds to 0 or loses its digits; the check is that of check_epsilon."""
    said = rf"^epsilon must be at least 1e-09 \(inf means no privacy\), got {epsilon}$"
    with pytest.raises(ValueError, match=said):
        use(epsilon)


@pytest.mark.parametrize("mean", [True, "0.5", None, 0.5 + 0j, [0.5, None], [[0.5], [0.5, 0.5]]])
def test_private_mean_takes_numbers_only(mean):
    with pytest.raises(ValueError, match=r"a mean reward is a number in \[0, 1\], got"):
        private_mean(mean, 1.0)


@pytest.mark.parametrize("reward", ["very ill", 1.123, [0.5, 123.0], None, math.nan, [0.5, "ill"]])
def test_privbern_error_shows_no_reward(reward):
    with pytest.raises(ValueError, match="not shown") as caught:
        PrivBern(1.0).privatise(reward)
    assert not any(word in repr(caught.value) for word in ("123", "ill"))


@pytest.mark.parametrize("bad", [0.37, "7", -1, math.nan, {}, np.array([0.5])])
def test_a_generator_or_a_seed_is_wanted(bad):
    with pytest.raises(ValueError, match=r"rng must be a numpy\.random\.Generator, or a whole"):
        PrivBern(1.0, rng=bad)
