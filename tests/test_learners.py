"""The learners against the literal engines path for path, and as a service that survives."""

import json
import math
import os

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from ldpt.engines import loops
from ldpt.engines.decisions import Arms
from ldpt.learners import FixedBudget, FixedConfidence, Learner, Status, _checksum
from ldpt.policies import INDEX_POLICIES
from ldpt.privacy import PrivateDevice, Response, Ticket, private_mean
from ldpt.radii import KINDS, RADII, VALID_RADII, Radius

MEANS = (0.1, 0.35, 0.45, 0.55, 0.65, 0.9)

pytestmark = pytest.mark.filterwarnings("ignore:the guarantee of the radius 'printed'")


def respond(rng: np.random.Generator, means: np.ndarray, arm: int) -> int:
    """One response, drawn as the literal engines draw it: one uniform per pull."""
    return int(rng.random() < means[arm])


def drive(
    learner: Learner, rng: np.random.Generator, means: np.ndarray, limit: int = 10**6
) -> None:
    """Ask and tell until the learner is done."""
    while (arm := learner.next_arm()) is not None and learner.total_pulls < limit:
        learner.record(arm, respond(rng, means, arm))


# --- the algorithms


@pytest.mark.parametrize("tolerance", [0.0, 0.1])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.inf])
@pytest.mark.parametrize("threshold", [0.3, 0.5])
@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_fixed_budget_follows_the_literal_engine_pull_by_pull(
    policy, threshold, epsilon, tolerance
):
    means = private_mean(np.array(MEANS), epsilon)
    budget, n_arms = 300, len(MEANS)
    learner = FixedBudget(n_arms, threshold, tolerance, epsilon, budget, policy=policy)
    rule = learner.policy.rule(learner.private_threshold, learner.private_tolerance)
    steps = np.arange(1, budget + 1)
    pulls, sums = np.zeros((2, budget, n_arms), np.int64)
    loops.fixed_budget_literal(np.random.default_rng(11), means, rule, steps, pulls, sums)
    rng = np.random.default_rng(11)
    for step in range(budget):
        arm = learner.next_arm()
        learner.record(arm, respond(rng, means, arm))
        assert learner.pulls == pulls[step].tolist()
        assert learner.positives == sums[step].tolist()
    assert learner.next_arm() is None
    assert learner.above == set(np.flatnonzero(sums[-1] > pulls[-1] * learner.private_threshold))


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize(("threshold", "epsilon"), [(0.3, 2.0), (0.5, math.inf), (0.7, 3.0)])
def test_fixed_confidence_follows_the_literal_engine_to_its_end(threshold, epsilon, radius):
    means = private_mean(np.array(MEANS), epsilon)
    for seed in range(3):
        learner = FixedConfidence(len(MEANS), threshold, epsilon, 0.1, radius)
        drive(learner, np.random.default_rng(seed), means)
        pulls, sums = np.zeros((2, len(MEANS)), np.int64)
        stopping_time = loops.fixed_confidence_literal(
            np.random.default_rng(seed), Arms(means, learner.private_threshold),
            learner.radius.at(len(MEANS), 0.1, threshold, epsilon), np.array([10**7]), pulls, sums,
        )  # fmt: skip
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
            np.random.default_rng(4), Arms(means, learner.private_threshold), edge,
            np.array([limit]), pulls, sums,
        )  # fmt: skip
        assert learner.pulls == pulls.tolist()
        assert learner.positives == sums.tolist()


def test_ties_go_to_the_lowest_arm_and_unpulled_arms_come_first():
    learner = FixedBudget(3, 0.5, 0.0, math.inf, budget=12)
    order = []
    for _ in range(3):
        order.append(learner.next_arm())
        learner.record(order[-1], 1)
    assert order == [0, 1, 2]
    assert learner.next_arm() == 0


def test_mirrored_arms_tie_exactly():
    learner = FixedBudget(2, 0.5, 0.1, 1.0, budget=10)
    learner.record_many([(0, 0), (1, 1)])
    assert learner.index(0) == learner.index(1)
    assert learner.next_arm() == 0


def test_an_arm_exactly_at_the_threshold_is_out_in_one_algorithm_and_in_in_the_other(monkeypatch):
    budget = FixedBudget(1, 0.5, 0.0, 1.0, budget=2)
    confidence = FixedConfidence(1, 0.5, 1.0, 0.1)
    for learner in (budget, confidence):
        assert learner.record_many([(0, 0), (0, 1)]) == 2
        assert learner.deviation(0) == 0
    assert budget.above == set()
    monkeypatch.setattr(confidence, "undecided", lambda arm: False)
    assert confidence.above == {0}


@pytest.mark.parametrize("total", [2**21 - 1, 2**21, 2**21 + 1, 10**9, 10**12])
@pytest.mark.parametrize(("radius", "scale"), [("printed", 8), ("hoeffding", 2)])
def test_times_past_two_to_the_21_keep_the_papers_radius(total, radius, scale):
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


# --- refusing what must not be counted


def started(**changes) -> FixedConfidence:
    terms = {"n_arms": 3, "threshold": 0.5, "epsilon": 1.0, "delta": 0.1, "study": "doses"}
    learner = FixedConfidence(**{**terms, "radius": "mixture", **changes})
    learner.record_many([(0, 1), (1, 0), (2, 1), (0, 0)])
    return learner


REWARDS = [0.37, 1.0, 0.0, 37, -37, "37", None, math.nan, np.float64(0.37), [37], (0, 37), b"37"]


@pytest.mark.parametrize("reward", REWARDS, ids=repr)
@pytest.mark.parametrize(
    "use",
    [
        lambda learner, reward: learner.record(0, reward),
        lambda learner, reward: learner.record_many([(0, reward)]),
        lambda learner, reward: learner.record_many([(0, 1), (0, 1, reward)]),
        lambda learner, reward: learner.record_many([(0, 1), reward, (0, 1)]),
    ],
)
def test_a_raw_reward_is_refused_unseen_and_nothing_is_counted(use, reward):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=r"a response is 0 or 1|an answer is a message") as caught:
        use(learner, reward)
    for error in (caught.value, caught.value.__cause__, caught.value.__context__):
        assert "37" not in repr(error)
    assert learner.state() == before


@pytest.mark.parametrize(
    ("arm", "shown"),
    [
        (-1, "-1"),
        (3, "3"),
        (0.37, "a float"),
        ("0", "a str"),
        (None, "a NoneType"),
        (True, "a bool"),
        (np.bool_(True), "a bool"),
        (np.float64(1), "a float64"),
    ],
)
def test_an_arm_out_of_range_is_refused_and_no_reward_shown_in_its_place(arm, shown):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=rf"^arm must be 0\.\.2, got {shown}"):
        learner.record(arm, 1)
    with pytest.raises(ValueError, match=rf"^arm must be 0\.\.2, got {shown}"):
        learner.record_many([(0, 1), (arm, 1)])
    assert learner.state() == before


@pytest.mark.parametrize("response", [1, True, np.int8(1), np.int64(1), np.bool_(True)])
def test_every_kind_of_bit_is_taken(response):
    learner = started()
    learner.record(np.int64(1), response)
    assert learner.history[-1] == (1, 1)
    json.dumps(learner.state())


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (Response(1, 1, 2.0, "doses"), "answered with epsilon 2.0, this learner expects 1.0"),
        (Response(1, 1, 1.0, "other"), "belongs to study 'other'"),
        (Response(2, 1, 1.0, "doses"), "about arm 2, recorded for arm 1"),
    ],
)
def test_a_device_on_other_terms_is_refused(message, complaint):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=complaint):
        learner.record(1, message)
    assert learner.state() == before


def test_a_device_on_the_same_terms_is_counted():
    learner = started()
    message = PrivateDevice(1.0, study="doses").answer(1, 0.9)
    learner.record(1, message)
    assert learner.record_many([PrivateDevice(1.0, study="doses").answer(2, 0.1)]) == 1
    assert learner.pulls == [2, 2, 2]
    assert learner.history[-2] == (1, message.bit)


@pytest.mark.parametrize(
    "bad", [(0, 0.4), (7, 1), 5, (1, 2, 3), Response(0, 1, 9.0, "doses"), (Ticket(0, 9), 1)]
)
def test_a_batch_with_one_bad_answer_counts_none(bad):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=r"got|epsilon|an answer is|never made"):
        learner.record_many([(0, 1), bad, (1, 1)])
    assert learner.state() == before


def test_nothing_is_counted_after_the_end():
    learner = FixedBudget(1, 0.5, 0.0, 1.0, budget=3)
    assert learner.record_many([(0, 1)] * 5) == 3
    assert learner.finished
    with pytest.raises(ValueError, match="the run is over after 3 responses"):
        learner.record(0, 1)
    assert learner.pulls == [3]


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
        *(
            ({"n_arms": bad}, f"^n_arms must be a whole number from 1 to 1000000, got {bad!r}$")
            for bad in (0, 2.5, math.inf, math.nan, "3", True, None, 10**7)
        ),
        *(
            ({"threshold": bad}, rf"^threshold must be a number in \[0, 1\], got {bad!r}$")
            for bad in (1.2, 2, -1, math.nan, "0.5", None, True)
        ),
        ({"epsilon": 0}, "^epsilon must be positive"),
        ({"epsilon": 1e-20}, "^epsilon must be at least 1e-09, got 1e-20$"),
        *(
            ({"tolerance": bad}, rf"^tolerance must be a number in \[0, 1\], got {bad!r}$")
            for bad in (-0.1, math.nan, math.inf, "0")
        ),
        *(
            ({"budget": bad}, f"^budget must be a whole number of at least 6, got {bad!r}$")
            for bad in (5, 6.5, math.nan, math.inf, "6", True)
        ),
        ({"policy": "best"}, "^policy must be one of apt, lsa, got 'best'"),
        ({"study": 3}, "^study must be a name, got a int"),
    ],
)
def test_bad_parameters_of_fixed_budget_are_named(arguments, complaint):
    good = {"n_arms": 3, "threshold": 0.5, "tolerance": 0.1, "epsilon": 1.0, "budget": 6}
    FixedBudget(**good)
    with pytest.raises(ValueError, match=complaint):
        FixedBudget(**{**good, **arguments})


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"delta": 1.0}, "delta must lie strictly between 0 and 1, got 1.0"),
        ({"delta": 0}, "delta must lie strictly between 0 and 1, got 0.0"),
        ({"delta": "0.1"}, r"delta must be a number in \[0, 1\], got '0.1'"),
        ({"threshold": 2}, r"^threshold must be a number in \[0, 1\], got 2$"),
        ({"radius": "wide"}, "onesided, got 'wide'"),
        ({"epsilon": -1}, "got -1"),
    ],
)
def test_bad_parameters_of_fixed_confidence_are_named(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        started(**arguments)


# --- a study that runs for months


@settings(max_examples=40, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), stop=st.integers(0, 80), which=st.sampled_from(["fb", "fc"]))
def test_a_restart_continues_on_the_same_path(tmp_path_factory, seed, stop, which):
    def fresh() -> Learner:
        if which == "fb":
            return FixedBudget(len(MEANS), 0.5, 0.05, 1.0, budget=90, study="s")
        return FixedConfidence(len(MEANS), 0.5, math.inf, 0.2, Radius("mixture", 3.0), study="s")

    means = private_mean(np.array(MEANS), fresh().epsilon)
    whole = fresh()
    drive(whole, np.random.default_rng(seed), means, limit=150)

    rng = np.random.default_rng(seed)
    first, second = fresh(), fresh()
    drive(first, rng, means, limit=stop)
    path = tmp_path_factory.mktemp("state") / "study.json"
    first.save(path)
    second.load(path)
    drive(second, rng, means, limit=150)
    assert second.history == whole.history
    assert second.state() == whole.state()


def test_a_state_is_json_with_counts_and_a_record_of_bits_only(tmp_path):
    path = tmp_path / "study.json"
    started().save(path)
    state = json.loads(path.read_text())
    assert state["asked"] == [0, 1, 2, 0]
    assert state["answered"] == "1010"
    assert state["pulls"] == [2, 1, 1]
    assert state["positives"] == [1, 0, 1]
    assert os.listdir(tmp_path) == ["study.json"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "study.json"
    learner = started()
    learner.save(path)
    before = path.read_bytes()
    learner.record(1, 1)

    def full_disk(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("ldpt.files.os.fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        learner.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["study.json"]


OTHERS = [
    ({"study": "other"}, "study 'other', this learner has 'doses'"),
    ({"epsilon": 0.5}, "epsilon 0.5, this learner has 1.0"),
    ({"epsilon": math.inf}, "epsilon 'inf', this learner has 1.0"),
    ({"threshold": 0.4}, "threshold 0.4"),
    ({"delta": 0.05}, "delta 0.05"),
    ({"radius": "hoeffding"}, "radius 'hoeffding'"),
    ({"radius": Radius("mixture", 2.0)}, "rho 2.0"),
    ({"n_arms": 4}, "n_arms 4"),
]


@pytest.mark.parametrize(("changes", "complaint"), OTHERS)
def test_a_state_of_another_study_is_refused(tmp_path, changes, complaint):
    path = tmp_path / "study.json"
    started(**changes).save(path)
    learner = started()
    learner.record(1, 1)
    before = learner.state()
    with pytest.raises(ValueError, match=complaint) as caught:
        learner.load(path)
    assert str(path) in str(caught.value)
    assert learner.state() == before


def test_a_state_of_the_other_algorithm_is_refused():
    with pytest.raises(ValueError, match="algorithm 'FixedBudget'"):
        started().restore(FixedBudget(3, 0.5, 0.0, 1.0, budget=9, study="doses").state())


def test_a_state_cut_anywhere_is_refused(tmp_path):
    path = tmp_path / "study.json"
    started().save(path)
    text = path.read_text().rstrip()
    learner = FixedConfidence(3, 0.5, 1.0, 0.1, "mixture", study="doses")
    before = learner.state()
    for length in range(len(text)):
        path.write_text(text[:length])
        with pytest.raises(ValueError, match="not a whole state file"):
            learner.load(path)
    assert learner.state() == before


@pytest.mark.parametrize("version", [0, 1, 3, "2", 2.0, None])
def test_a_state_of_another_version_is_refused(version):
    learner = started()
    with pytest.raises(ValueError, match=f"version {version!r}, this program reads 2"):
        learner.restore({**learner.state(), "version": version})


@pytest.mark.parametrize(
    "change",
    [{"answered": "0110"}, {"asked": [1, 0, 2, 0]}, {"pulls": [1, 2, 1]}, {"study": "x"}, {"a": 1}],
)
def test_a_changed_state_is_refused(change):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match="checksum does not match"):
        learner.restore({**before, **change})
    assert learner.state() == before


@pytest.mark.parametrize("state", [None, [], {}, {"format": "other"}, 3, "text"])
def test_what_is_no_state_is_refused(state):
    with pytest.raises(ValueError, match="not the state of a learner"):
        started().restore(state)


def test_a_state_that_contradicts_itself_is_refused_even_with_its_checksum():
    learner = started()
    content = {**learner.state(), "positives": [2, 0, 0]}
    del content["checksum"]
    with pytest.raises(ValueError, match="counts disagree"):
        learner.restore({**content, "checksum": _checksum(content)})


# --- many people at once, who answer late, out of order, or never


class People:
    """Those who are asked: the n-th request for an arm has the n-th response of its tape.

    An answer comes after ``delay(bit)`` further requests; ``dropped`` tickets never answer.
    """

    def __init__(self, means: np.ndarray, seed: int, length: int = 20_000) -> None:
        self.tapes = np.random.default_rng(seed).random((len(means), length)) < means[:, None]

    def answer(self, ticket: Ticket) -> int:
        return int(self.tapes[ticket.arm, ticket.number])

    def responses(self, arm: int, dropped: set[Ticket]) -> list[int]:
        gone = [ticket.number for ticket in dropped if ticket.arm == arm]
        return np.delete(self.tapes[arm], gone).astype(int).tolist()


def one_by_one(learner: Learner, tapes: list[list[int]]) -> Learner:
    """Ask one person after the other, arm by arm from the tapes."""
    while (arm := learner.next_arm()) is not None:
        learner.record(arm, tapes[arm][learner.pulls[arm]])
    return learner


def in_batches(
    learner: Learner, people: People, batch: int, rng: np.random.Generator, drop_out: float = 0.0
) -> tuple[set[Ticket], int]:
    """Ask in batches; a third of the answers outstanding come in each round, in random order."""
    dropped: set[Ticket] = set()
    asked = 0
    while not learner.finished:
        asked += len(learner.next_arms(batch)) if len(learner.outstanding) < batch else 0
        tickets = learner.outstanding
        rng.shuffle(tickets)
        for ticket in tickets[: 1 + len(tickets) // 3]:
            if rng.random() < drop_out:
                learner.give_up(ticket)
                dropped.add(ticket)
            else:
                learner.record(ticket, people.answer(ticket))
    return dropped, asked


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
def test_batches_delays_and_drop_outs_change_no_decision(seed, batch, drop_out, radius):
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


@pytest.mark.parametrize("policy", INDEX_POLICIES)
@pytest.mark.parametrize("batch", [1, 7, 100])
def test_a_budget_is_never_overspent_and_one_at_a_time_is_the_policy_itself(policy, batch):
    people = People(private_mean(np.array(MEANS), 4.0), 8)
    study = FixedBudget(len(MEANS), 0.5, 0.1, 4.0, budget=60, policy=policy)
    while tickets := study.next_arms(batch):
        assert study.total_pulls + len(study.outstanding) <= 60
        study.record_many([(ticket, people.answer(ticket)) for ticket in tickets])
    assert study.total_pulls == 60
    assert study.finished
    if batch == 1:
        reference = FixedBudget(len(MEANS), 0.5, 0.1, 4.0, budget=60, policy=policy)
        assert study.history == one_by_one(reference, people.tapes.astype(int).tolist()).history


def test_the_whole_budget_may_be_outstanding_and_what_is_given_up_is_asked_again():
    study = FixedBudget(2, 0.5, 0.0, 1.0, budget=6)
    tickets = study.next_arms(50)
    assert [ticket.arm for ticket in tickets] == [0, 1, 0, 1, 0, 1]
    assert study.next_arm() is None
    assert study.next_arms(5) == []
    assert not study.finished
    study.give_up(tickets[0])
    assert study.next_arms(5) == [Ticket(0, 3)]


def test_an_arm_is_asked_for_no_more_often_than_its_turn():
    study = FixedConfidence(3, 0.5, 1.0, 0.1, "mixture")
    study.record_many([(0, 1), (0, 0), (0, 1), (1, 0)])
    assert [ticket.arm for ticket in study.next_arms(6)] == [2, 1, 2, 1, 2, 0]
    assert study.next_arm() == 1
    budget = FixedBudget(3, 0.5, 0.0, 1.0, budget=100)
    budget.record_many([(0, 1), (0, 1), (0, 1), (1, 0), (1, 1)])
    assert [ticket.arm for ticket in budget.next_arms(5)] == [2, 2, 2, 1, 2]


def test_a_decided_arm_is_not_asked_again_and_its_late_answers_are_spare():
    study = FixedConfidence(2, 0.5, 4.0, 0.1, "mixture")
    tickets = study.next_arms(400)
    arm_0 = [ticket for ticket in tickets if ticket.arm == 0]
    statuses = [study.record(ticket, 1) for ticket in arm_0]
    needed = study.pulls[0]
    assert statuses == [Status.COUNTED] * needed + [Status.SPARE] * (200 - needed)
    assert study.decided() == {0: "above"}
    assert {ticket.arm for ticket in study.next_arms(30)} == {1}
    assert study.estimates()[0].answers == 200


def test_answers_enter_in_the_order_of_their_requests():
    study = FixedConfidence(1, 0.5, 1.0, 0.1)
    first, second, third, fourth = study.next_arms(4)
    assert study.record(third, 1) is Status.WAITING
    assert study.record(second, 0) is Status.WAITING
    assert study.history == []
    assert study.outstanding == [first, fourth]
    assert study.record(first, 1) is Status.COUNTED
    assert study.history == [(0, 1), (0, 0), (0, 1)]
    study.give_up(fourth)
    assert study.given_up == [fourth]
    assert study.outstanding == []


def test_an_answer_that_is_missing_is_waited_for_until_given_up():
    study = FixedConfidence(1, 0.5, 1.0, 0.1)
    missing, *others = study.next_arms(10)
    for ticket in others:
        study.record(ticket, 1)
    assert study.total_pulls == 0
    assert study.estimates()[0].answers == 0
    study.give_up(missing)
    study.give_up(missing)
    assert study.total_pulls == 9
    assert study.given_up == [missing]
    assert study.record(missing, 1) is Status.TOO_LATE
    assert (study.total_pulls, study.too_late) == (9, 1)


def test_a_repeated_answer_is_counted_once_and_said_so():
    study = FixedConfidence(1, 0.5, 1.0, 0.1, study="doses")
    device = PrivateDevice(1.0, study="doses", answers=3)
    ticket, other = study.next_arms(2)
    message = device.answer(ticket, 0.5)
    assert study.record(0, message) is Status.COUNTED
    assert study.record(0, message) is Status.REPEATED
    assert study.record(ticket, 1) is Status.REPEATED
    assert study.record_many([message, device.answer(other, 0.5), message]) == 1
    unasked = device.answer(0, 0.5)
    assert [study.record(0, unasked), study.record(0, unasked)] == ["counted", "repeated"]
    assert (study.total_pulls, study.repeated) == (3, 5)


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        (lambda s: s.record(Ticket(0, 2), 1), "request 2 of arm 0 was never made"),
        (lambda s: s.record(Ticket(3, 0), 1), r"arm must be 0\.\.2, got 3"),
        (lambda s: s.record(1, 1), "arm 1 has 2 requests outstanding: record its answers with"),
        (lambda s: s.record_many([(2, 1), (1, 1)]), "arm 1 has 2 requests outstanding"),
        (
            lambda s: s.record(Ticket(0, 0), Response(0, 1, 1.0, "doses", number=1)),
            "answers request 1, recorded for request 0",
        ),
        (lambda s: s.record(0, Response(0, 1, 1.0, "doses", number=9)), "request 9 of arm 0 was"),
        (lambda s: s.give_up(Ticket(0, 0)), "request 0 of arm 0 has been answered"),
        (lambda s: s.give_up(Ticket(0, 9)), "request 9 of arm 0 was never made"),
        (lambda s: s.give_up(0), "a request is given by its ticket, got a int"),
        *(
            (lambda s, n=n: s.next_arms(n), "n must be a whole number from 1 to")
            for n in (0, -1, 2.5, math.inf, "3", True, None, 10**7)
        ),
    ],
)
def test_requests_that_do_not_fit_are_refused_and_nothing_changes(action, complaint):
    study = FixedConfidence(3, 0.5, 1.0, 0.1, study="doses")
    tickets = study.next_arms(6)
    study.record(tickets[0], 1)
    study.record(tickets[3], 1)
    study.give_up(tickets[2])
    study.give_up(tickets[5])
    before = study.state()
    with pytest.raises(ValueError, match=complaint) as caught:
        action(study)
    assert "\n" not in str(caught.value)
    assert study.state() == before


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


def test_zeros_that_come_late_mislead_whoever_counts_answers_as_they_come():
    """Ordered, the error is at most delta = 0.1: more than 35 of 200 has probability < 1e-3."""
    assert sum(delayed_zeros(ordered=False, seed=seed) for seed in range(200)) > 150
    assert sum(delayed_zeros(ordered=True, seed=seed) for seed in range(200)) <= 35


@settings(max_examples=40, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), which=st.sampled_from(["fb", "fc"]), stop=st.integers(1, 30))
def test_a_restart_with_requests_outstanding_loses_nothing(tmp_path_factory, seed, which, stop):
    def fresh() -> Learner:
        if which == "fb":
            return FixedBudget(len(MEANS), 0.5, 0.05, 1.0, budget=90, study="s")
        return FixedConfidence(len(MEANS), 0.5, 2.0, 0.2, study="s")

    def live(learner: Learner, restart_after: int) -> Learner:
        people = People(private_mean(np.array(MEANS), learner.epsilon), seed)
        rng = np.random.default_rng(seed)
        for round_number in range(60):
            if round_number == restart_after:
                path = tmp_path_factory.mktemp("state") / "study.json"
                learner.save(path)
                learner = fresh()
                learner.load(path)
            if not learner.finished and len(learner.outstanding) < 20:
                learner.next_arms(10)
            tickets = learner.outstanding
            rng.shuffle(tickets)
            for ticket in tickets[:5]:
                message = Response(
                    ticket.arm, people.answer(ticket), learner.epsilon, "s", ticket.number,
                    id=f"{ticket.arm:016x}{ticket.number:016x}",
                )  # fmt: skip
                learner.record(ticket, message)
            for ticket in tickets[5:6]:
                learner.give_up(ticket)
        return learner

    assert live(fresh(), stop).state() == live(fresh(), -1).state()


# --- what is known on the way


@pytest.mark.parametrize(
    ("learner", "complaint"),
    [
        (FixedBudget(2, 0.5, 0.0, 1.0, budget=9), "after 9 responses, not after 1 "),
        (FixedConfidence(2, 0.5, 1.0, 0.1), "every arm is decided, 2 of 2 are not"),
    ],
)
def test_above_is_refused_before_the_end(learner, complaint):
    learner.record(0, 1)
    with pytest.raises(ValueError, match=complaint):
        _ = learner.above


def test_stopping_early_returns_what_is_known():
    study = FixedConfidence(3, 0.5, 4.0, 0.1)
    outstanding = study.next_arms(3)[-1]
    study.record_many([(Ticket(0, 0), 1), (Ticket(1, 0), 0)])
    study.record_many([(0, 1)] * 60 + [(1, 0)] * 60)
    assert study.stop_early() == study.decided() == {0: "above", 1: "below"}
    assert study.finished
    assert study.next_arm() is None
    assert study.next_arms(3) == []
    with pytest.raises(ValueError, match="1 of 3 are not"):
        _ = study.above
    with pytest.raises(ValueError, match="the run is over"):
        study.record(0, 1)
    assert study.record(outstanding, 1) is Status.SPARE
    again = FixedConfidence(3, 0.5, 4.0, 0.1)
    again.restore(study.state())
    assert again.finished


def test_a_budget_stopped_early_gives_the_answer_of_a_smaller_one():
    people = People(private_mean(np.array(MEANS), 4.0), 2).tapes.astype(int).tolist()
    whole = one_by_one(FixedBudget(len(MEANS), 0.5, 0.0, 4.0, budget=40), people)
    study = FixedBudget(len(MEANS), 0.5, 0.0, 4.0, budget=1000)
    study.record_many(whole.history)
    sides = study.stop_early()
    assert study.above == whole.above == {arm for arm in sides if sides[arm] == "above"}


def test_an_arm_that_was_never_pulled_is_on_no_side():
    study = FixedBudget(3, 0.0, 0.0, 1.0, budget=9)
    study.record(0, 1)
    assert study.stop_early() == {0: "above"}
    assert study.above == {0}
    assert FixedConfidence(2, 0.5, 1.0, 0.1).decided() == {}


def test_the_printed_radius_warns_and_makes_nothing_certain():
    with pytest.warns(UserWarning, match="guarantee of the radius 'printed' is false"):
        study = FixedConfidence(1, 0.5, 1.0, 0.1, "printed")
    for refused in (study.decided, study.stop_early):
        with pytest.raises(ValueError, match="nothing is certain with the radius 'printed'"):
            refused()
    assert not study.stopped


def test_the_valid_radii_do_not_warn(recwarn):
    for radius in VALID_RADII:
        FixedConfidence(1, 0.5, 1.0, 0.1, radius)
    FixedConfidence(1, 0.5, 1.0, 0.1)
    assert not recwarn


def test_estimates_hold_at_all_times_at_once():
    """200 runs, looked at 60 times each, joint level 0.8; more than 65 misses has p < 1e-4."""
    true = np.array([0.1, 0.6])
    times = np.unique(np.geomspace(1, 20_000, 60).astype(int))
    misses = 0
    for seed in range(200):
        sums = People(private_mean(true, 1.0), seed).tapes.cumsum(axis=1)
        missed = False
        for n in times:
            study = FixedBudget(2, 0.5, 0.0, 1.0, budget=10**6)
            study.pulls, study.positives = [n, n], sums[:, n - 1].tolist()
            missed |= any(
                not estimate.low <= mean <= estimate.high
                for mean, estimate in zip(true, study.estimates(0.8), strict=True)
            )
        misses += missed
    assert 0 < misses <= 65
    assert all(estimate.high - estimate.low < 0.2 for estimate in study.estimates())


def test_estimates_are_the_mixture_mapped_back_through_the_mechanism():
    study = FixedConfidence(2, 0.5, 1.0, 0.1)
    study.record_many([(0, 1), (0, 0), (0, 0), (0, 1), (0, 0)] * 40)
    known, unknown = study.estimates()
    shrink = math.tanh(0.5)
    rho = 4 / shrink**2
    width = 200 / 4 + rho
    half = math.sqrt(2 * width * math.log(20 * math.sqrt(width / rho))) / 200
    assert known.answers == 200
    assert known.mean == pytest.approx(0.5 - 0.1 / shrink)
    assert known.low == pytest.approx(max(0, 0.5 - (0.1 + half) / shrink))
    assert known.high == pytest.approx(0.5 + (half - 0.1) / shrink)
    assert (unknown.answers, unknown.low, unknown.high) == (0, 0, 1)
    assert math.isnan(unknown.mean)
    narrow, wide = study.estimates(0.5)[0], study.estimates(0.999)[0]
    assert wide.low <= known.low <= narrow.low < narrow.high < known.high < wide.high


@pytest.mark.parametrize("level", [0, 1, -1, 1.5, math.nan, "0.9", True])
def test_a_level_outside_the_unit_interval_is_refused(level):
    with pytest.raises(ValueError, match="level must"):
        FixedBudget(2, 0.5, 0.0, 1.0, budget=9).estimates(level)


# --- saved states that make no sense


def busy(cls: type[Learner] = FixedConfidence) -> Learner:
    """A study in the middle: answers that wait, requests given up, outstanding, spare."""
    if cls is FixedBudget:
        study: Learner = FixedBudget(2, 0.5, 0.0, 4.0, budget=50, study="doses")
    else:
        study = FixedConfidence(2, 0.5, 4.0, 0.2, study="doses")
    tickets = study.next_arms(46)
    arm_0 = [ticket for ticket in tickets if ticket.arm == 0]
    for ticket in arm_0:
        study.record(ticket, Response(0, 1, 4.0, "doses", ticket.number, f"{ticket.number:032x}"))
    study.give_up(Ticket(1, 1))
    study.give_up(Ticket(1, 5))
    study.record(Ticket(1, 3), 1)
    study.record(Ticket(1, 3), 1)
    study.record(Ticket(1, 0), 0)
    return study


def forged(content: dict) -> dict:
    """A state with a valid checksum."""
    content = {key: value for key, value in content.items() if key != "checksum"}
    return {**content, "checksum": _checksum(content)}


REQUESTS = {"made": 23, "given_up": [1, 5], "waiting": [[3, 1]]}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"parameters": []}, "the state's parameters must be n_arms, threshold, epsilon"),
        ({"parameters": {}}, "the state's parameters must be"),
        ({"asked": None}, "asked and answered must have the same length"),
        ({"asked": [0]}, "asked and answered must have the same length"),
        ({"asked": [[]], "answered": "1"}, r"asked must be arms 0\.\.1"),
        ({"asked": [True], "answered": "1"}, r"asked must be arms 0\.\.1"),
        ({"asked": [2], "answered": "1"}, r"asked must be arms 0\.\.1"),
        ({"asked": [0], "answered": "\u0661"}, "answered must be text of the digits 0 and 1"),
        ({"answered": 1}, "answered must be text of the digits 0 and 1"),
        ({"asked": [0] * 400, "answered": "1" * 400}, "counts disagree"),
        ({"asked": [0, 1] * 200, "answered": "1" * 400}, "beyond the end of its run"),
        ({"pulls": [1e300, None]}, "counts disagree"),
        ({"positives": "11"}, "counts disagree"),
        ({"spare": []}, "spare must have one entry for each of the arms"),
        ({"spare": ["1", 1]}, "spare must be text"),
        ({"requests": None}, "requests must have one entry for each"),
        ({"requests": [REQUESTS, None]}, "the state's requests"),
        ({"messages": ["0.37"]}, "messages must be a list of ids"),
        ({"messages": None}, "messages must be a list of ids"),
        ({"repeated": -1}, "repeated must be a whole number"),
        ({"too_late": True}, "too_late must be a whole number"),
        ({"stopped": 0}, "stopped must be true or false"),
        ({"study": None}, "the state is of study None, this learner has 'doses'"),
        ({"study": "x" * 10**6}, "the state is of study 'xxx"),
        ({"more": 1}, "the state's entries must be format, version"),
    ],
)
def test_a_forged_state_is_refused_in_one_line_and_changes_nothing(change, complaint):
    study = busy()
    before = study.state()
    with pytest.raises(ValueError, match=complaint) as caught:
        study.restore(forged({**before, **change}))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert study.state() == before


@pytest.mark.parametrize(
    "change",
    [
        {"made": -1},
        {"made": 2.5},
        {"made": True},
        {"made": 3},
        {"made": 10**15},
        {"given_up": [5, 1]},
        {"given_up": [1, 1, 5]},
        {"given_up": [1, 99]},
        {"given_up": [[1]]},
        {"given_up": [1, 3, 5]},
        {"waiting": [[2, 1]]},
        {"waiting": [[0, 1]]},
        {"waiting": [[3, 2]]},
        {"waiting": [[3, 1], [3, 0]]},
        {"waiting": [[99, 1]]},
        {"waiting": [3]},
        {"waiting": {"3": 1}},
        {"more": 1},
    ],
)
def test_requests_that_contradict_themselves_are_refused(change):
    study = busy()
    before = study.state()
    assert before["requests"][1] == REQUESTS
    requests = [before["requests"][0], {**REQUESTS, **change}]
    with pytest.raises(ValueError, match=r"the state('s requests| has|'s waiting)"):
        study.restore(forged({**before, "requests": requests}))
    assert study.state() == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 60) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def places(value: object, path: tuple = ()) -> list[tuple]:
    """Where in nested lists and dictionaries a value could be replaced."""
    if isinstance(value, dict):
        inner = [places(item, (*path, key)) for key, item in value.items()]
    elif isinstance(value, list):
        inner = [places(item, (*path, index)) for index, item in enumerate(value)]
    else:
        return [path]
    return [path, *(place for found in inner for place in found)]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(data=st.data(), cls=st.sampled_from([FixedConfidence, FixedBudget]))
def test_any_nonsense_in_a_state_is_refused_or_harmless(data, cls):
    """What is accepted is taken over as it stands; what is refused changes nothing."""
    study = busy(cls)
    before = study.state()
    state = json.loads(json.dumps({k: v for k, v in before.items() if k != "checksum"}))
    place = data.draw(st.sampled_from([place for place in places(state) if place]))
    target = state
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = data.draw(JSON)
    try:
        json.dumps(state, allow_nan=False)
    except ValueError:
        state = before  # JSON has no NaN: nothing to forge
    fresh = busy(cls)
    unchanged = fresh.state()
    try:
        fresh.restore(forged(state))
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is fine
        assert fresh.state() == unchanged
    else:
        assert fresh.state() == forged(state)
        fresh.next_arms(1)
        assert len(fresh.outstanding) < 10**6


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "NaN", '{"format": 1, "format": 2}', "\x00", "1" * 5000],
    ids=lambda text: text[:10],
)
def test_a_file_of_nonsense_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "study.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="not a whole state file") as caught:
        busy().load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("state", [{"format": {1, 2}}, {"format": math.nan}, {1: 2}, object()])
def test_a_state_that_is_not_json_is_refused(state):
    with pytest.raises(ValueError, match="not the state of a learner"):
        busy().restore(state)


def test_a_state_inside_itself_is_refused():
    state: dict = {"format": "ldpt learner"}
    state["self"] = state
    with pytest.raises(ValueError, match="not the state of a learner"):
        busy().restore(state)


# --- anything that may happen, in any order


class AnyStudy(RuleBasedStateMachine):
    """Requests, answers, drop-outs and restarts in any order keep the books balanced."""

    def __init__(self) -> None:
        super().__init__()
        self.study: Learner | None = None
        self.tickets: list[Ticket] = []

    @initialize(which=st.sampled_from(["lsa", "apt", *VALID_RADII]))
    def begin(self, which: str) -> None:
        self.which = which
        self.study = self.fresh()

    def fresh(self) -> Learner:
        if self.which in INDEX_POLICIES:
            return FixedBudget(2, 0.5, 0.0, 4.0, budget=40, policy=self.which)
        return FixedConfidence(2, 0.5, 4.0, 0.4, radius=self.which)

    @rule(n=st.integers(1, 30))
    def ask(self, n: int) -> None:
        first = self.study.next_arm()
        tickets = self.study.next_arms(n)
        assert (tickets[0].arm if tickets else None) == first
        self.tickets += tickets

    @precondition(lambda self: self.tickets)
    @rule(data=st.data(), bit=st.sampled_from([0, 1]))
    def answer(self, data: st.DataObject, bit: int) -> None:
        ticket = data.draw(st.sampled_from(self.tickets))
        was_open = ticket in self.study.outstanding
        status = self.study.record(ticket, bit)
        assert was_open == (status not in (Status.REPEATED, Status.TOO_LATE))
        assert (status is Status.TOO_LATE) == (ticket in self.study.given_up)

    @precondition(lambda self: self.study.outstanding)
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        self.study.give_up(data.draw(st.sampled_from(self.study.outstanding)))

    @precondition(lambda self: not self.study.finished)
    @rule(arm=st.sampled_from([0, 1]), bit=st.sampled_from([0, 1]))
    def record_unasked(self, arm: int, bit: int) -> None:
        if all(ticket.arm != arm for ticket in self.study.outstanding):
            assert self.study.record(arm, bit) in (Status.COUNTED, Status.SPARE)

    @rule()
    def restart(self) -> None:
        state = json.loads(json.dumps(self.study.state()))
        self.study = self.fresh()
        self.study.restore(state)
        assert self.study.state() == state

    @invariant()
    def books_balance(self) -> None:
        if self.study is None:
            return
        state = self.study.state()
        spare = sum(map(len, state["spare"]))
        waiting = sum(len(requests["waiting"]) for requests in state["requests"])
        left = spare + waiting + len(self.study.outstanding) + len(self.study.given_up)
        assert self.study.total_requests == self.study.total_pulls + left
        assert self.study.total_pulls == len(self.study.history) == sum(self.study.pulls)
        assert self.study.finished == (not any(map(self.study.wanted, range(2))))
        if isinstance(self.study, FixedBudget):
            assert self.study.total_pulls <= 40
        elif self.study.finished:
            assert self.study.above == {
                a for a, side in self.study.decided().items() if side == "above"
            }


TestAnyStudy = AnyStudy.TestCase
TestAnyStudy.settings = settings(
    max_examples=60, stateful_step_count=40, derandomize=True, deadline=None
)
