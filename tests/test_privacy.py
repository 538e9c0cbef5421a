"""The mechanism against its own formula, and the deployed one in exact rational arithmetic."""

import contextlib
import json
import math
import secrets
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from ldpt import bounds
from ldpt.exact import certified_error_lower_bound
from ldpt.instances import Instance
from ldpt.privacy import PrivBern, private_mean, shrinkage
from ldpt.radii import Radius, threshold_variance
from ldpt.study.device import PrivateDevice
from ldpt.study.messages import Response, Ticket

PAIR = Instance("pair", [0.3, 0.6], 0.5)
EPSILONS = [1e-9, 0.1, 1.0, 10.0, 800.0, math.inf]
DEVICE_EPSILONS = [1e-9, 1e-3, 0.1, 0.5, 1.0, math.log(3), 5.0, 30.0, 36.5, 700.0]
LEVEL = 1e-4  # of every statistical test here; seeded, so each passes or fails for good


def response_probability(reward: float, epsilon: float) -> mpmath.mpf:
    """(r e^eps + 1 - r) / (1 + e^eps) in 60 digits; e^eps = inf is the limit r."""
    with mpmath.workdps(60):
        if math.isinf(epsilon):
            return mpmath.mpf(reward)
        power = mpmath.exp(epsilon)
        return (reward * power + 1 - mpmath.mpf(reward)) / (1 + power)


def exponential_from_below(epsilon: float) -> Fraction:
    """A rational number just below e^eps: a partial sum of its series, whose terms are positive."""
    total = term = Fraction(1)
    terms = 40 + 8 * math.ceil(min(epsilon, 40))
    for n in range(1, terms):
        term *= Fraction(min(epsilon, 40)) / n
        total += term
    return total


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("reward", [0.0, 1e-12, 0.25, 0.5, 0.9, 1.0])
def test_private_mean_is_the_mechanisms_own_formula(reward, epsilon):
    expected = response_probability(reward, epsilon)
    assert private_mean(reward, epsilon) == pytest.approx(float(expected), rel=1e-15, abs=1e-16)
    assert PrivBern(epsilon).probability(reward) == private_mean(reward, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_shrinkage_is_the_difference_of_the_extreme_responses(epsilon):
    with mpmath.workdps(60):
        expected = response_probability(1.0, epsilon) - response_probability(0.0, epsilon)
    assert shrinkage(epsilon) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 10.0])
def test_both_output_ratios_are_bounded_and_attained_at_the_ends(epsilon):
    rewards = np.linspace(0, 1, 101)
    ones = PrivBern(epsilon).probability(rewards)
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
@pytest.mark.parametrize(
    "use", [shrinkage, PrivBern, PrivateDevice, lambda e: private_mean(0.5, e)]
)
def test_epsilon_that_is_not_positive_is_refused_with_its_value(use, epsilon):
    with pytest.raises(ValueError, match=rf"epsilon must be positive.*got {epsilon}$"):
        use(epsilon)


@pytest.mark.parametrize("reward", [-0.01, 1.01, math.nan, [0.5, 2.0]])
def test_privatise_refuses_a_reward_outside_the_unit_interval(reward):
    with pytest.raises(ValueError, match=r"lies in \[0, 1\]"):
        PrivBern(1.0).privatise(reward)


# --- the deployed mechanism


def every_half_precision_reward() -> list[float]:
    """All 15 361 numbers of [0, 1] that a 16-bit float can hold."""
    patterns = np.arange(0x3C00 + 1, dtype=np.uint16)
    return patterns.view(np.float16).astype(float).tolist()


def edge_rewards() -> list[float]:
    return [0.0, 5e-324, 2.0**-1022, 1e-300, 2.0**-53, 0.1, 0.5, 1 - 2.0**-53, 1.0]


def worst_ratio(probabilities: list[Fraction]) -> Fraction:
    """The largest ratio of the probabilities of an output under two rewards."""
    zeros = [1 - p for p in probabilities]
    return max(max(probabilities) / min(probabilities), max(zeros) / min(zeros))


@pytest.mark.parametrize("epsilon", DEVICE_EPSILONS)
def test_device_keeps_every_pair_of_rewards_within_e_to_the_epsilon(epsilon):
    device = PrivateDevice(epsilon)
    rewards = every_half_precision_reward() + edge_rewards()
    assert worst_ratio([device.probability(r) for r in rewards]) <= exponential_from_below(epsilon)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(
    epsilon=st.floats(1e-9, 1e3),
    one=st.floats(0, 1, allow_subnormal=True),
    other=st.floats(0, 1, allow_subnormal=True),
)
def test_device_keeps_any_two_floats_within_the_bound_at_any_epsilon(epsilon, one, other):
    device = PrivateDevice(epsilon)
    probabilities = [device.probability(r) for r in (one, other, 0.0, 1.0)]
    assert worst_ratio(probabilities) <= exponential_from_below(epsilon)
    assert device.realised_epsilon <= epsilon


def test_naive_floating_point_randomised_response_breaks_the_bound():
    """Why the conservative rounding is there: the nearest float is often on the wrong side."""
    broken = 0
    for epsilon in np.linspace(0.05, 5, 100):
        truth = Fraction(1 / (1 + math.exp(-epsilon)))
        broken += truth / (1 - truth) > exponential_from_below(float(epsilon))
    assert broken > 20


@pytest.mark.parametrize("epsilon", [e for e in DEVICE_EPSILONS if e <= 30])
def test_caution_costs_less_than_a_millionth_of_the_shrinkage(epsilon):
    device = PrivateDevice(epsilon)
    realised = device.probability(1.0) - device.probability(0.0)
    assert float(realised) == pytest.approx(shrinkage(epsilon), rel=1e-6)


@pytest.mark.parametrize("reward", [5e-324, 0.1, 1 / 3, 0.75, 1 - 2.0**-53])
def test_device_draws_the_bit_with_exactly_the_rewards_probability(reward, monkeypatch):
    """Of the 2^1074 equally likely integers exactly reward * 2^1074 give the bit 1."""
    winners = Fraction(reward) * 2**1074
    assert winners.denominator == 1
    drawn = []
    monkeypatch.setattr("ldpt.study.device.secrets.randbits", lambda bits: drawn.pop(0))
    device = PrivateDevice(1.0, answers=2)
    monkeypatch.setattr(device, "_randomise", lambda bit: bit)
    drawn[:] = [int(winners) - 1, int(winners)]
    assert [device.privatise(reward), device.privatise(reward)] == [1, 0]


def test_device_draws_from_the_operating_systems_generator(monkeypatch):
    asked = []

    def counted(bits: int, draw=secrets.randbits) -> int:
        asked.append(bits)
        return draw(bits)

    monkeypatch.setattr("ldpt.study.device.secrets.randbits", counted)
    np.random.seed(0)  # noqa: NPY002 - seeding what a device must not use
    PrivateDevice(1.0).privatise(0.3)
    assert asked == [1074]
    with pytest.raises(TypeError):
        PrivateDevice(1.0, rng=np.random.default_rng(0))
    assert not issubclass(PrivateDevice, PrivBern)


@pytest.mark.parametrize(("epsilon", "reward"), [(1.0, 0.0), (1.0, 1.0), (0.5, 0.7), (3.0, 0.2)])
def test_device_responses_have_the_stated_probability(epsilon, reward):
    """The system's generator has no seed: level 1e-9, so a false alarm will not be seen."""
    device = PrivateDevice(epsilon, answers=4000)
    ones = sum(device.privatise(reward) for _ in range(4000))
    assert binomtest(ones, 4000, float(device.probability(reward))).pvalue > 1e-9


def test_device_refuses_no_privacy():
    with pytest.raises(ValueError, match="epsilon of a device must be finite, got inf"):
        PrivateDevice(math.inf)


@pytest.mark.parametrize("epsilon", [1e-10, 1e-160, 1e-200, 5e-324])
@pytest.mark.parametrize(
    "use",
    [
        shrinkage,
        PrivBern,
        PrivateDevice,
        lambda e: private_mean(0.5, e),
        lambda e: PAIR.complexity(e),
        lambda e: bounds.duchi_factor(e),
        lambda e: bounds.fixed_confidence_lower(PAIR, e, 0.1),
        lambda e: bounds.fixed_confidence_upper(PAIR, e, 0.1),
        lambda e: bounds.fixed_budget_upper(PAIR, e, 100),
        lambda e: bounds.fixed_budget_lower(PAIR, e, 100),
        lambda e: Radius("printed").at(2, 0.1, 0.5, e),
        lambda e: threshold_variance(0.3, e),
        lambda e: certified_error_lower_bound(Instance("one", [0.6], 0.5), e, 0.1),
    ],
)
def test_epsilon_that_floats_do_not_resolve_is_refused_everywhere(use, epsilon):
    """Its square rounds to 0 or loses its digits; the check is that of check_epsilon."""
    said = rf"^epsilon must be at least 1e-09 \(inf means no privacy\), got {epsilon}$"
    with pytest.raises(ValueError, match=said):
        use(epsilon)


@pytest.mark.parametrize("count", [10**400, 10**19, -1, 1.0, True, None, "1"])
def test_whole_numbers_of_messages_survive_json_elsewhere(count):
    for use in (
        lambda: Ticket(count, 0),
        lambda: Ticket(0, count),
        lambda: Response(count, 1, 1.0),
        lambda: PrivateDevice(1.0).answer(count, 0.5),
    ):
        with pytest.raises(ValueError, match=r"whole numbers? 0\.\.2\^53"):
            use()
    if count is not None:
        with pytest.raises(ValueError, match=r"number of a response is a whole number 0\.\.2\^53"):
            Response(0, 1, 1.0, number=count)


@pytest.mark.parametrize("mean", [True, "0.5", None, 0.5 + 0j, [0.5, None], [[0.5], [0.5, 0.5]]])
def test_private_mean_takes_numbers_only(mean):
    with pytest.raises(ValueError, match=r"a mean reward is a number in \[0, 1\], got"):
        private_mean(mean, 1.0)


def test_device_gives_a_second_answer_only_with_consent_and_accounts_for_it():
    device = PrivateDevice(0.5, answers=2)
    assert device.spent == 0
    device.answer(0, 0.3)
    device.answer(1, 0.3)
    assert device.spent == 1.0
    with pytest.raises(ValueError, match="all of its 2 answers"):
        device.answer(0, 0.3)


LEAKS = ["very ill", -0.123, 1.123, math.nan, 123, 10**400, None, [0.123], b"123", 0.123j]


@pytest.mark.parametrize("reward", LEAKS, ids=repr)
@pytest.mark.parametrize("use", ["answer", "privatise", "probability"])
def test_device_error_shows_no_reward_and_spends_no_answer(use, reward):
    device = PrivateDevice(1.0)
    arguments = (0, reward) if use == "answer" else (reward,)
    with pytest.raises(ValueError, match="its value is not shown") as caught:
        getattr(device, use)(*arguments)
    assert says_nothing(caught.value)
    assert device.spent == 0
    assert device.answer(0, 0.5).bit in (0, 1)


def says_nothing(error: BaseException) -> bool:
    """No part of a leaked reward in an error, nor in those that it chains."""
    chain = [error, error.__cause__, error.__context__]
    return not any(word in repr(link) for link in chain if link for word in ("123", "ill", "000"))


@pytest.mark.parametrize("arm", [-1, 2.7, "3", True, False, None, math.nan, 0.123, np.bool_(True)])
def test_device_with_an_invalid_arm_spends_no_answer_and_does_not_show_it(arm):
    device = PrivateDevice(1.0)
    with pytest.raises(ValueError, match="an arm is a whole number") as caught:
        device.answer(arm, 0.5)
    assert says_nothing(caught.value)
    assert device.spent == 0
    assert device.answers_left == 1


@pytest.mark.parametrize("arm", [2, np.int64(2), Ticket(2, 5)])
def test_device_answers_an_arm_or_a_ticket(arm):
    message = PrivateDevice(1.0).answer(arm, 1)
    assert (message.arm, message.number) == (2, 5 if isinstance(arm, Ticket) else None)


def test_device_whose_mechanism_fails_spends_no_answer(monkeypatch):
    device = PrivateDevice(1.0)

    def broken(bit: bool) -> bool:
        raise RuntimeError("no entropy")

    monkeypatch.setattr(device, "_randomise", broken)
    with pytest.raises(RuntimeError, match="no entropy"):
        device.answer(0, 0.5)
    assert device.spent == 0


@pytest.mark.parametrize("answers", [0, -1, 2.5, math.inf, math.nan, "2", True, None])
def test_answers_that_are_no_whole_number_are_refused(answers):
    with pytest.raises(ValueError, match="answers must be a whole number from 1 to"):
        PrivateDevice(1.0, answers=answers)


@pytest.mark.parametrize("study", [3, None, b"doses", "x" * 201])
def test_check_study_refuses_what_is_not_a_name(study):
    with pytest.raises(ValueError, match="study must"):
        PrivateDevice(1.0, study=study)


@pytest.mark.parametrize("reward", ["very ill", 1.123, [0.5, 123.0], None, math.nan, [0.5, "ill"]])
def test_privbern_error_shows_no_reward(reward):
    with pytest.raises(ValueError, match="not shown") as caught:
        PrivBern(1.0).privatise(reward)
    assert says_nothing(caught.value)


# --- messages


def test_response_holds_the_terms_and_no_reward():
    message = PrivateDevice(0.1, study="doses").answer(Ticket(2, 7), 0.123456789)
    fields = json.loads(message.to_json())
    assert set(fields) == {"arm", "bit", "epsilon", "study", "number", "id"}
    assert (fields["arm"], fields["number"]) == (2, 7)
    assert "123456789" not in message.to_json() + repr(message)
    assert Response.from_json(message.to_json()) == message
    assert Response.from_json(message.to_json().encode()) == message


def test_device_gives_every_answer_its_own_id():
    device = PrivateDevice(1.0, answers=100)
    assert len({device.answer(0, 0.5).id for _ in range(100)}) == 100


def test_response_holds_the_longest_study_name():
    for letter in "a\U0001f600\ud800":
        message = Response(10**6, 1, 1.0, letter * 200, 10**6)
        assert Response.from_json(message.to_json()) == message


MESSAGE = {"arm": 1, "bit": 1, "epsilon": 0.5, "study": "doses", "number": 3, "id": "0" * 32}
WRONG = {
    "arm": (-1, 0.0, 2.7, "1", True, None, [], 0.123),
    "bit": (2, 0.123, "1", True, None, 123),
    "epsilon": ("1", None, True, 0, 0.0, -1, 1e999, [1]),
    "study": (3, None, "x" * 201),
    "number": (-1, 2.5, "3", False),
    "id": ("", "0" * 31, "0" * 33, "G" * 32, "A" * 32, "\u0663" * 32, 5, None),
}
MALFORMED = [
    "",
    json.dumps(MESSAGE)[:-4],
    "[1, 1]",
    "0.123",
    json.dumps({**MESSAGE, "reward": 0.123}),
    json.dumps({key: MESSAGE[key] for key in ("arm", "bit", "epsilon", "study")}),
    json.dumps(MESSAGE).replace("0.5", "NaN"),
    json.dumps(MESSAGE).replace("0.5", "Infinity"),
    json.dumps(MESSAGE).replace("0.5", "1" * 3000 + "23"),
    json.dumps(MESSAGE).replace('"bit": 1', '"bit": 1, "bit": 0'),
    json.dumps(MESSAGE) + " " * 5000,
    "[" * 4000,
    '{"a":' * 800,
    b"\xff\xfe",
    b"\xe2\x28\xa1",
    None,
    {**MESSAGE},
    *(json.dumps({**MESSAGE, key: bad}) for key, wrong in WRONG.items() for bad in wrong),
]


@pytest.mark.parametrize("text", MALFORMED, ids=lambda text: repr(text)[:60])
def test_response_refuses_a_malformed_message_in_one_line_without_its_values(text):
    assert Response.from_json(json.dumps(MESSAGE)) == Response(**MESSAGE)
    with pytest.raises(ValueError, match="response") as caught:
        Response.from_json(text)
    assert says_nothing(caught.value)
    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    changes=st.dictionaries(st.sampled_from([*MESSAGE, "more"]), JSON, max_size=3),
    gone=st.sets(st.sampled_from([*MESSAGE]), max_size=1),
)
def test_response_of_any_message_is_valid_or_a_value_error(changes, gone):
    fields = {key: value for key, value in {**MESSAGE, **changes}.items() if key not in gone}
    with contextlib.suppress(ValueError):
        message = Response.from_json(json.dumps(fields))
        assert set(fields) == set(MESSAGE)
        assert type(message.arm) is int
        assert message.bit in (0, 1)
        assert 0 < message.epsilon < math.inf
        assert Response.from_json(message.to_json()) == message


@settings(max_examples=300, derandomize=True, deadline=None)
@given(text=st.text() | st.binary())
def test_response_refuses_any_other_text(text):
    with pytest.raises(ValueError, match="a response is one JSON object"):
        Response.from_json(text)


@pytest.mark.parametrize(("arm", "number"), [(-1, 0), (0, -1), (True, 0), (0, 2.0), ("1", 0)])
def test_ticket_is_two_whole_numbers(arm, number):
    with pytest.raises(ValueError, match="a ticket has an arm and a number"):
        Ticket(arm, number)


def test_ticket_is_its_arm_where_an_index_is_wanted():
    assert np.array([0.1, 0.2])[Ticket(1, 9)] == 0.2
    assert Ticket(1, 9) != Ticket(1, 8)


@pytest.mark.parametrize("bad", [0.37, "7", -1, math.nan, {}, np.array([0.5])])
def test_a_generator_or_a_seed_is_wanted(bad):
    with pytest.raises(ValueError, match=r"rng must be a numpy\.random\.Generator, or a whole"):
        PrivBern(1.0, rng=bad)


def test_a_message_in_another_encoding_is_refused():
    message = Response(arm=1, bit=1, epsilon=1.0).to_json()
    assert Response.from_json(message.encode()).arm == 1
    for encoding in ("utf-16", "utf-32", "utf-8-sig"):
        with pytest.raises(ValueError, match="a response is one JSON object"):
            Response.from_json(message.encode(encoding))
