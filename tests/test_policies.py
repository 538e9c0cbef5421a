"""The table of policies and the index that learners and engines share."""

import itertools
import math
from fractions import Fraction

import pytest

from ldpt.policies import (
    DEFAULT_POLICY,
    INDEX_POLICIES,
    POLICIES,
    IndexRule,
    check_policy,
    index,
)


def test_policies_have_their_names():
    assert [policy.name for policy in POLICIES.values()] == list(POLICIES)


def test_index_policies_are_those_with_two_engines():
    assert INDEX_POLICIES == ("apt", "lsa", "apt-clipped", "lsa-clipped")
    assert DEFAULT_POLICY in INDEX_POLICIES


@pytest.mark.parametrize(("n", "s", "tau", "zeta"), [(7, 2, 0.5, 0.1), (100, 31, 0.3, 0.0)])
def test_index_is_the_formula(n, s, tau, zeta):
    plain = n * (abs(tau - s / n) + zeta) ** 2
    assert index(IndexRule(tau, zeta, 0.0), n, s) == pytest.approx(plain, rel=1e-14)
    half = n * (abs(tau - s / n) + zeta) ** 2 + math.log(n) / 2
    assert index(IndexRule(tau, zeta, 0.5), n, s) == pytest.approx(half, rel=1e-14)


@pytest.mark.parametrize("name", ["apt-clipped", "lsa-clipped"])
@pytest.mark.parametrize(("threshold", "epsilon"), [(0.5, 1.0), (0.2, 0.3), (0.9, math.inf)])
def test_clipped_index_is_that_of_a_mean_reward_in_the_unit_interval(name, threshold, epsilon):
    c, zeta = math.tanh(epsilon / 2), 0.05
    t = 0.5 + c * (threshold - 0.5)
    rule = POLICIES[name].rule(threshold, zeta, epsilon)
    assert rule.log_weight == pytest.approx(2 * t * (1 - t) if name == "lsa-clipped" else 0.0)
    for n, s in itertools.product((1, 2, 9, 40), range(41)):
        if s <= n:
            reward = min(max(0.5 + (s / n - 0.5) / c, 0.0), 1.0)
            plain = n * (c * (abs(reward - threshold) + zeta)) ** 2
            plain += rule.log_weight * math.log(n)
            assert index(rule, n, s) == pytest.approx(plain, rel=1e-9)


def test_clipped_lsa_at_the_middle_has_the_weight_of_lsa():
    assert POLICIES["lsa-clipped"].rule(0.5, 0.0, 0.7).log_weight == 0.5


def test_true_ties_at_the_middle_are_ties():
    """|d| / sqrt(n) would break a quarter of them by rounding: n = 2, d = 1/2 and n = 18, 3/2."""
    rule = IndexRule(0.5, 0.0, 0.0)
    states = [(n, s) for n in range(1, 61) for s in range(n + 1)]
    exact = {state: Fraction(2 * state[1] - state[0], 2) ** 2 / state[0] for state in states}
    places = {value: place for place, value in enumerate(sorted(set(exact.values())))}
    values = sorted({index(rule, *state) for state in states})
    assert [values.index(index(rule, *state)) for state in states] == [
        places[exact[state]] for state in states
    ]


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
def test_index_of_mirrored_arms_ties_exactly(log_weight):
    rule = IndexRule(0.5, 0.07, log_weight)
    assert all(index(rule, n, s) == index(rule, n, n - s) for n in range(1, 60) for s in range(n))


def test_check_policy_names_what_is_allowed():
    with pytest.raises(
        ValueError, match="policy must be one of apt, lsa, apt-clipped, lsa-clipped, got 'uniform'"
    ):
        check_policy("uniform", INDEX_POLICIES)
