"""Algorithm 2 as a learner: against the literal engine pull by pull, and its certainty."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.engines import loops
from ldpt.engines.decisions import Arms
from ldpt.learners import FixedConfidence, Status
from ldpt.privacy import private_mean
from ldpt.radii import KINDS, RADII, VALID_RADII
from ldpt.study.messages import Ticket
from tests.learners.studies import MEANS, People, drive, in_batches, one_by_one, respond, started

pytestmark = pytest.mark.filterwarnings("ignore:the guarantee of the radius 'printed'")


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize(("threshold", "epsilon"), [(0.3, 2.0), (0.5, math.inf), (0.7, 3.0)])
def test_fixed_confidence_follows_the_literal_engine_to_its_end(threshold, epsilon, radius):
    means = private_mean(np.array(MEANS), epsilon)
    for seed in range(3):
        learner = FixedConfidence(len(MEANS), threshold, epsilon, 0.1, radius)
        drive(learner, np.random.default_rng(seed), means)
        pulls, sums = np.zeros((2, len(MEANS)), np.int64)
        stopping_time = loops.fixed_confidence_literal(
            np.random.default_rng(seed),
            Arms(means, learner.private_threshold),
            learner.radius.at(len(MEANS), 0.1, threshold, epsilon),
            np.array([10**7]),
            pulls,
            sums,
        )
        assert learner.total_pulls == stopping_time
        assert learner.pulls == pulls.tolist()
        assert learner.positives == sums.tolist()


@pytest.mark.parametrize("radius", RADII)
def test_fixed_confidence_follows_the_literal_engine_pull_by_pull(radius):
    means = private_mean(np.array(MEANS), 2.0)
    learner = FixedConfidence(len(MEANS), 0.5, 2.0, 0.1, radius)
    edge = learner.radius.at(len(MEANS), 0.1, 0.5, 2.0)
    rng = np.random.default_rng(4)
    for limit in range(1, 200):
        arm = learner.next_arm()
        learner.record(arm, respond(rng, means, arm))
        if limit < len(MEANS):
            continue
        pulls, sums = np.zeros((2, len(MEANS)), np.int64)
        loops.fixed_confidence_literal(
            np.random.default_rng(4),
            Arms(means, learner.private_threshold),
            edge,
            np.array([limit]),
            pulls,
            sums,
        )
        assert learner.pulls == pulls.tolist()
        assert learner.positives == sums.tolist()


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
        learner.positives = [10, math.floor((total - 10) / 2 + half_width) + shift]
        learner.total_pulls = total
        assert learner.undecided(1) is undecided


def test_fixed_confidence_takes_of_a_batch_only_what_it_would_have_asked_for():
    one_by_one = FixedConfidence(1, 0.5, 1.0, 0.1, "mixture")
    while one_by_one.next_arm() is not None:
        one_by_one.record(0, 1)
    batch = FixedConfidence(1, 0.5, 1.0, 0.1, "mixture")
    assert batch.record_many([(0, 1)] * 1000) == one_by_one.total_pulls < 1000
    assert batch.state() == one_by_one.state()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"delta": 1.0}, "delta must lie strictly between 0 and 1, got 1.0"),
        ({"delta": 0}, "delta must lie strictly between 0 and 1, got 0$"),
        ({"delta": "0.1"}, "delta must lie strictly between 0 and 1, got '0.1'"),
        ({"delta": True}, "delta must lie strictly between 0 and 1, got True"),
        ({"threshold": 2}, r"^threshold must be a number in \[0, 1\], got 2$"),
        ({"radius": "wide"}, "onesided, got 'wide'"),
        ({"epsilon": -1}, "got -1"),
    ],
)
def test_bad_parameters_of_fixed_confidence_are_named(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        started(**arguments)


TIMELESS = [
    name for name, kind in KINDS.items() if not kind.timed
]  # an arm is decided by its own answers alone


CLEAR = (0.1, 0.35, 0.65, 0.9)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    batch=st.sampled_from([1, 3, 10, 100, 1000]),
    drop_out=st.sampled_from([0.0, 0.2]),
    radius=st.sampled_from(TIMELESS),
)
def test_fixed_confidence_decides_alike_with_batches_delays_and_drop_outs(
    seed, batch, drop_out, radius
):
    """The same tapes give the same answer from the same responses as asking one by one."""
    people = People(private_mean(np.array(CLEAR), 4.0), seed)
    study = FixedConfidence(len(CLEAR), 0.5, 4.0, 0.1, radius)
    dropped, asked = in_batches(study, people, batch, np.random.default_rng(seed), drop_out)
    tapes = [people.responses(arm, dropped) for arm in range(len(CLEAR))]
    reference = one_by_one(FixedConfidence(len(CLEAR), 0.5, 4.0, 0.1, radius), tapes)
    assert study.pulls == reference.pulls
    assert study.positives == reference.positives
    assert study.above == reference.above
    assert asked >= study.total_pulls + len(dropped)


@pytest.mark.parametrize("radius", RADII)
def test_next_arms_of_one_person_is_next_arm(radius):
    people = People(private_mean(np.array(MEANS), 4.0), 5)
    study = FixedConfidence(len(MEANS), 0.5, 4.0, 0.1, radius)
    while tickets := study.next_arms(1):
        assert study.record(tickets[0], people.answer(tickets[0])) is Status.COUNTED
    reference = FixedConfidence(len(MEANS), 0.5, 4.0, 0.1, radius)
    assert study.history == one_by_one(reference, people.tapes.astype(int).tolist()).history


def test_next_arms_leaves_out_decided_arms_whose_late_answers_are_spare():
    study = FixedConfidence(2, 0.5, 4.0, 0.1, "mixture")
    tickets = study.next_arms(400)
    arm_0 = [ticket for ticket in tickets if ticket.arm == 0]
    statuses = [study.record(ticket, 1) for ticket in arm_0]
    needed = study.pulls[0]
    assert statuses == [Status.COUNTED] * needed + [Status.SPARE] * (200 - needed)
    assert study.decided() == {0: "above"}
    assert {ticket.arm for ticket in study.next_arms(30)} == {1}
    assert study.estimates()[0].answers == 200


def delayed_zeros(ordered: bool, seed: int) -> bool:
    """One arm below the threshold, one request per step, zeros 60 steps late: is it decided wrong?

    Counted as they come, the answers are taken without their tickets.
    """
    people = People(private_mean(np.array([0.3]), 2.0), seed)
    study = FixedConfidence(1, 0.5, 2.0, 0.1)
    late: list[Ticket] = []
    step = 0
    while not study.finished:
        ticket = study.next_arms(1)[0] if ordered else Ticket(0, step)
        late.append(ticket)
        arrived = [ticket] if people.answer(ticket) else []
        if step >= 60 and not people.answer(late[step - 60]):
            arrived.append(late[step - 60])
        for ticket in arrived:
            if ordered or not study.finished:
                study.record(ticket if ordered else 0, people.answer(ticket))
        step += 1
    return study.above != set()


def test_fixed_confidence_is_not_misled_by_zeros_that_come_late():
    """Ordered, the error is at most delta = 0.1: more than 35 of 200 has probability < 1e-3."""
    assert sum(delayed_zeros(ordered=False, seed=seed) for seed in range(200)) > 150
    assert sum(delayed_zeros(ordered=True, seed=seed) for seed in range(200)) <= 35


def test_fixed_confidence_with_printed_warns_and_decides_nothing():
    with pytest.warns(UserWarning, match="guarantee of the radius 'printed' is false"):
        study = FixedConfidence(1, 0.5, 1.0, 0.1, "printed")
    for refused in (study.decided, study.stop_early):
        with pytest.raises(ValueError, match="nothing is certain with the radius 'printed'"):
            refused()
    assert not study.stopped


def test_fixed_confidence_with_a_valid_radius_does_not_warn(recwarn):
    for radius in VALID_RADII:
        FixedConfidence(1, 0.5, 1.0, 0.1, radius)
    FixedConfidence(1, 0.5, 1.0, 0.1)
    assert not recwarn
