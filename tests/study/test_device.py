"""The deployed mechanism in exact rational arithmetic, and its allowance of answers."""

import contextlib
import copy
import math
import os
import pickle
import secrets
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from ldpt.privacy import PrivBern, shrinkage
from ldpt.study import device as device_module
from ldpt.study.device import PrivateDevice, _exact_bernoulli
from ldpt.study.messages import Ticket

pytestmark = pytest.mark.filterwarnings("ignore:epsilon = .* protects nobody")
DEVICE_EPSILONS = [1e-9, 1e-3, 0.1, 0.5, 1.0, math.log(3), 5.0, 30.0, 36.5, 700.0]


def exponential_from_below(epsilon: float) -> Fraction:
    """A rational number just below e^eps: a partial sum of its series, whose terms are positive."""
    total = term = Fraction(1)
    terms = 40 + 8 * math.ceil(min(epsilon, 40))
    for n in range(1, terms):
        term *= Fraction(min(epsilon, 40)) / n
        total += term
    return total


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


def test_device_gives_a_second_answer_only_with_consent_and_accounts_for_it():
    device = PrivateDevice(0.5, answers=2)
    assert device.spent == 0
    device.answer(0, 0.3)
    device.answer(1, 0.3)
    assert device.spent == 1.0
    with pytest.raises(ValueError, match=r"no answers left \(limit 2\)"):
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
    with pytest.raises(ValueError, match="a ticket has an arm and a number") as caught:
        device.answer(arm, 0.5)
    assert says_nothing(caught.value)
    assert device.spent == 0
    assert device.answers_left == 1


@pytest.mark.parametrize("arm", [2, Ticket(2, 5)])
def test_device_answers_an_arm_or_a_ticket(arm):
    message = PrivateDevice(1.0).answer(arm, 1)
    assert (message.arm, message.number) == (2, 5 if isinstance(arm, Ticket) else 0)


def test_device_whose_mechanism_fails_has_spent_the_answer(monkeypatch):
    """Counted before the draw: nobody knows how far a draw that failed has come."""
    device = PrivateDevice(1.0)

    def broken(bit: bool) -> bool:
        raise RuntimeError("no entropy")

    monkeypatch.setattr(device, "_randomise", broken)
    with pytest.raises(RuntimeError, match="no entropy"):
        device.answer(0, 0.5)
    assert device.spent == 1.0


@pytest.mark.parametrize("answers", [1, 3])
def test_device_gives_eight_threads_no_more_answers_than_agreed(answers, monkeypatch):
    """The first draws end only when all other threads have been refused."""
    device, release = PrivateDevice(1.0, answers=answers), threading.Event()
    draw = device._randomise
    monkeypatch.setattr(device, "_randomise", lambda bit: release.wait(60) and draw(bit))
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(device.answer, 0, 0.5) for _ in range(8)]
        try:
            ended = as_completed(futures, timeout=30)
            refused = [next(ended).exception() for _ in range(8 - answers)]
        finally:
            release.set()
    assert all("no answers left" in str(error) for error in refused)
    assert sum(future.exception() is None for future in futures) == answers
    assert (device.answers_left, device.spent) == (0, answers)


def test_device_answers_only_in_the_process_that_created_it():
    """A forked process has a copy of the device, with all its answers left."""
    device = PrivateDevice(1.0)
    child = os.fork()
    if child == 0:  # leave without pytest's clean-up
        try:
            device.answer(0, 0.5)
        except ValueError as error:
            os._exit(7 if "only in the process that created it" in str(error) else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert device.answer(0, 0.5).bit in (0, 1)


@pytest.mark.parametrize("term", ["epsilon", "study"])
def test_device_cannot_be_made_to_claim_other_terms(term):
    with pytest.raises(AttributeError):
        setattr(PrivateDevice(50.0, "doses"), term, 0.1)


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, pickle.dumps])
def test_device_cannot_be_copied(clone):
    with pytest.raises(TypeError, match="cannot be copied or pickled: its copy would answer again"):
        clone(PrivateDevice(1.0))


@pytest.mark.parametrize(
    ("epsilon", "answers", "reason"),
    [
        (50.0, 1, "epsilon = 50 protects nobody: keep it below 10"),
        (1.0, 40, "epsilon = 1 in each of 40 answers protects nobody: keep the total below 10"),
    ],
)
def test_device_warns_where_it_protects_nobody(epsilon, answers, reason):
    with pytest.warns(UserWarning, match=reason):
        PrivateDevice(epsilon, answers=answers)


def test_device_and_mechanism_do_not_warn_otherwise(recwarn):
    PrivateDevice(10.0)
    PrivateDevice(1.0, answers=10)
    PrivBern(50.0)
    assert not recwarn


def test_a_device_without_opendp_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.measurements", None)
    with pytest.raises(ModuleNotFoundError, match=r"a device needs OpenDP: pip install"):
        PrivateDevice(1.0)


def test_repr_of_a_device_says_what_it_may_still_do():
    device = PrivateDevice(1.0, study="doses", answers=2)
    device.answer(0, 0.123)
    assert repr(device) == "PrivateDevice(epsilon=1.0, study='doses', answers=2), 1 left"


@pytest.mark.parametrize("reward", [0.0, 5e-324, 0.1, 1.0])
def test_rewards_are_compared_as_fractions_of_one_denominator(reward, monkeypatch):
    """Of the 2^1074 draws, the first reward * 2^1074 give 1, for tiny rewards as for large ones."""
    limit = int(Fraction(reward) * 2**1074)
    for draw, bit in ((limit - 1, True), (limit, False)):
        monkeypatch.setattr("ldpt.study.device.secrets.randbits", lambda bits, draw=draw: draw)
        if draw >= 0:
            assert _exact_bernoulli(reward) is bit


@pytest.mark.parametrize("answers", [0, -1, 2.5, math.inf, math.nan, "2", True, None])
def test_answers_that_are_no_whole_number_are_refused(answers):
    with pytest.raises(ValueError, match="answers must be a whole number from 1 to"):
        PrivateDevice(1.0, answers=answers)


@pytest.mark.parametrize("study", [3, None, b"doses", "x" * 201])
def test_check_study_refuses_what_is_not_a_name(study):
    with pytest.raises(ValueError, match="study must"):
        PrivateDevice(1.0, study=study)


def interrupted(device: PrivateDevice, place: int) -> tuple[int, bool]:
    """Call a device, and again inside the call before its instruction of this number.

    Return how many answers both calls gave, and whether the first call came so far.
    """
    answers, count = [], 0

    def call():
        with contextlib.suppress(ValueError):
            answers.append(device.privatise(0.5))

    def trace(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        if event == "opcode" and count == place:
            sys.settrace(None)
            call()
        return trace if frame.f_code.co_filename == device_module.__file__ else None

    sys.settrace(trace)
    call()
    sys.settrace(None)
    return len(answers), count >= place


@pytest.mark.parametrize("answers", [1, 2])
def test_a_device_that_is_called_inside_itself_gives_no_more_answers_than_agreed(answers):
    """A signal handler may run between any two instructions, in the same thread."""
    place, inside = 0, True
    while inside:
        place += 1
        device = PrivateDevice(1.0, answers=answers)
        count, inside = interrupted(device, place)
        count += sum(interrupted(device, 10**9)[0] for _ in range(2))
        assert count == answers
        assert device.answers_left == 0
    assert place > 20


def test_a_device_that_is_called_while_it_counts_refuses(monkeypatch):
    device = PrivateDevice(1.0, answers=2)
    monkeypatch.setattr(device, "_spend", lambda: device.privatise(0.5))
    with pytest.raises(ValueError, match="cannot answer while it counts"):
        device.privatise(0.5)
