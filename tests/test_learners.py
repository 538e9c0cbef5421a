"""The learners against the literal engines path for path, and as a service that survives."""

import json
import math
import os

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.engines import loops
from ldpt.engines.decisions import Arms
from ldpt.learners import FixedBudget, FixedConfidence, Learner
from ldpt.policies import INDEX_POLICIES
from ldpt.privacy import PrivateDevice, Response, private_mean
from ldpt.radii import RADII, Radius

MEANS = (0.1, 0.35, 0.45, 0.55, 0.65, 0.9)


def respond(rng: np.random.Generator, means: np.ndarray, arm: int) -> int:
    """One response, drawn as the literal engines draw it: one uniform a pull."""
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


def test_an_arm_exactly_at_the_threshold_is_out_in_one_algorithm_and_in_in_the_other():
    answers = [(0, 0), (0, 1)]
    budget = FixedBudget(1, 0.5, 0.0, 1.0, budget=2)
    confidence = FixedConfidence(1, 0.5, 1.0, 0.1)
    for learner in (budget, confidence):
        assert learner.record_many(answers) == 2
        assert learner.deviation(0) == 0
    assert budget.above == set()
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


@pytest.mark.parametrize("response", [0.37, 1.0, 0.0, 2, -1, "1", None, math.nan, np.float64(1)])
def test_a_raw_reward_is_refused_and_nothing_is_counted(response):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match="a response is 0 or 1") as caught:
        learner.record(0, response)
    assert "0.37" not in str(caught.value)
    assert learner.state() == before


@pytest.mark.parametrize("arm", [-1, 3, 0.0, "0", None])
def test_an_arm_out_of_range_is_refused_with_its_value(arm):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=rf"arm must be 0\.\.2, got {arm!r}"):
        learner.record(arm, 1)
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


@pytest.mark.parametrize("bad", [(0, 0.4), (7, 1), 5, (1, 2, 3), Response(0, 1, 9.0, "doses")])
def test_a_batch_with_one_bad_answer_counts_none(bad):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=r"got|epsilon"):
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
        ({"n_arms": 0}, "n_arms must be at least 1, got 0"),
        ({"threshold": 1.2}, "got 1.2"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"tolerance": -0.1}, "tolerance must be a number >= 0, got -0.1"),
        ({"tolerance": math.nan}, "got nan"),
        ({"budget": 5}, "budget must be at least 2K = 6, got 5"),
        ({"budget": 6.5}, "whole number of pulls, got 6.5"),
        ({"budget": math.nan}, "got nan"),
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
        ({"delta": 0}, "got 0"),
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
    assert second.above == whole.above


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

    monkeypatch.setattr("ldpt.learners.os.fsync", full_disk)
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


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_state_of_another_version_is_refused(version):
    learner = started()
    with pytest.raises(ValueError, match=f"version {version!r}, this program reads 1"):
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
    from ldpt.learners import _checksum

    learner = started()
    content = {**learner.state(), "positives": [2, 0, 0]}
    del content["checksum"]
    with pytest.raises(ValueError, match="counts disagree"):
        learner.restore({**content, "checksum": _checksum(content)})
