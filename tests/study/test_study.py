"""Studies: order, deadlines, batches, tokens, every answer accounted for, results."""

import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.policies import INDEX_POLICIES
from ldpt.privacy import private_mean
from ldpt.radii import KINDS
from ldpt.study import PrivateDevice, Response, Status, Study, Ticket
from ldpt.study.answers import read_answers
from ldpt.study.inference import estimate
from tests.study.people import MEANS, People, in_rounds, one_by_one

CLEAR = (0.1, 0.35, 0.65, 0.9)
TIMELESS = [name for name, kind in KINDS.items() if not kind.timed]


def small(deadline=None, n_arms=2, **terms):
    terms = {"threshold": 0.5, "epsilon": 4.0, "delta": 0.1, **terms}
    return Study(FixedConfidence(n_arms, **terms), "doses", deadline)


# --- order, batches, deadlines


@settings(max_examples=12, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    batch=st.sampled_from([1, 3, 10, 100, 1000]),
    drop_out=st.sampled_from([0.0, 0.2]),
    radius=st.sampled_from(TIMELESS),
)
def test_batches_delays_and_drop_outs_use_the_same_responses(seed, batch, drop_out, radius):
    """The same tapes give the same answer from the same responses as asking one by one."""
    people = People(private_mean(np.array(CLEAR), 4.0), seed)
    study = Study(FixedConfidence(len(CLEAR), 0.5, 4.0, 0.1, radius), deadline=5)
    lost = in_rounds(study, people, batch, np.random.default_rng(seed), drop_out)
    tapes = [people.responses(arm, lost) for arm in range(len(CLEAR))]
    reference = one_by_one(FixedConfidence(len(CLEAR), 0.5, 4.0, 0.1, radius), tapes)
    assert (study.learner.pulls, study.learner.sums) == (reference.pulls, reference.sums)
    above = {arm for arm, side in study.decided().items() if side == "above"}
    assert above == reference.above


@pytest.mark.parametrize("radius", ["hoeffding", "coin"])
def test_one_person_at_a_time_is_the_learner(radius):
    people = People(private_mean(np.array(MEANS), 4.0), 5)
    study = Study(FixedConfidence(len(MEANS), 0.5, 4.0, 0.1, radius))
    reference = FixedConfidence(len(MEANS), 0.5, 4.0, 0.1, radius)
    while tickets := study.ask(1):
        assert tickets[0].arm == reference.next_arm()
        assert study.record(people.answer(tickets[0])) is Status.COUNTED
        reference.record(tickets[0].arm, people.answer(tickets[0])[1])
    assert reference.finished


@pytest.mark.parametrize("policy", INDEX_POLICIES)
@pytest.mark.parametrize("batch", [1, 7, 100])
def test_a_budget_is_never_overspent_and_one_at_a_time_is_the_policy(policy, batch):
    people = People(private_mean(np.array(MEANS), 4.0), 8)
    study = Study(FixedBudget(len(MEANS), 0.5, 0.1, 4.0, budget=60, policy=policy))
    while tickets := study.ask(batch):
        assert study.learner.total_pulls + len(study.outstanding) <= 60
        study.record_many(map(people.answer, tickets))
    assert study.finished
    if batch == 1:
        reference = FixedBudget(len(MEANS), 0.5, 0.1, 4.0, budget=60, policy=policy)
        one_by_one(reference, people.tapes.astype(int).tolist())
        assert (study.learner.pulls, study.learner.sums) == (reference.pulls, reference.sums)


def test_the_budget_of_requests_that_were_given_up_is_asked_for_again():
    study = Study(FixedBudget(2, 0.5, 0.0, 1.0, budget=6), deadline=1)
    tickets = study.ask(50)
    assert [ticket.arm for ticket in tickets] == [0, 1, 0, 1, 0, 1]
    assert study.ask(5) == []
    study.record((tickets[1], 1))
    assert len(study.advance()) == 5
    assert len(study.ask(50)) == 5


def test_all_requests_of_the_same_age_are_given_up_alike():
    study = small(deadline=2, n_arms=3)
    ages = {}
    for round_number in range(6):
        for ticket in study.ask(7):
            ages[ticket] = round_number
        for ticket in study.outstanding[:2]:
            study.record((ticket, 1))
        open_before = study.outstanding
        gone = study.advance()
        assert set(gone) == {t for t in open_before if round_number + 1 - ages[t] >= 2}
        assert set(study.outstanding) == set(open_before) - set(gone)
    assert study.counts["given up"] > 5


def test_without_a_deadline_nothing_is_given_up():
    study = small()
    study.ask(4)
    for _ in range(10):
        assert study.advance() == []
    assert len(study.outstanding) == 4


def delayed_zeros(ordered: bool, seed: int) -> bool:
    """One arm below the threshold, one request per step, zeros 60 steps late: is it decided wrong?

    Counted as they come, the answers are recorded without their tickets.
    """
    people = People(private_mean(np.array([0.3]), 2.0), seed)
    study = Study(FixedConfidence(1, 0.5, 2.0, 0.1))
    late: list[Ticket] = []
    while not study.finished:
        ticket = study.ask(1)[0] if ordered else Ticket(0, len(late))
        late.append(ticket)
        arrived = [ticket] if people.answer(ticket)[1] else []
        if len(late) > 60 and not people.answer(late[-61])[1]:
            arrived.append(late[-61])
        for ticket in arrived:
            answer = people.answer(ticket)
            study.record(answer if ordered else (0, answer[1]))
    return study.decided() == {0: "above"}


def test_a_study_is_not_misled_by_zeros_that_come_late():
    """Ordered, the error is at most delta = 0.1: more than 35 of 200 has probability < 1e-3."""
    assert sum(delayed_zeros(ordered=False, seed=seed) for seed in range(200)) > 150
    assert sum(delayed_zeros(ordered=True, seed=seed) for seed in range(200)) <= 35


# --- every answer is accounted for


def test_answers_to_decided_arms_are_kept_for_the_estimates():
    """40 000 answers of a survey: all of them enter, none is dropped."""
    rng, means = np.random.default_rng(1), np.array([0.08, 0.12, 0.2, 0.22, 0.38, 0.42, 0.5, 0.6])
    arms = rng.integers(0, 8, 40_000)
    bits = (rng.random(40_000) < private_mean(means, 1.0)[arms]).astype(int)
    study = Study(FixedConfidence(8, 0.3, 1.0, 0.05))
    statuses = study.record_many(zip(arms.tolist(), bits.tolist(), strict=True))
    assert sum(statuses.values()) == 40_000 == study.counts["entered"]
    assert statuses[Status.COUNTED] == study.learner.total_pulls == study.counts["counted"]
    assert statuses[Status.KEPT] == study.counts["kept for estimates"] > 20_000
    found = study.estimates()
    assert [one.answers for one in found] == np.bincount(arms).tolist()
    counts = [(int((arms == arm).sum()), int(bits[arms == arm].sum())) for arm in range(8)]
    assert found == estimate(counts, 1.0, 0.95)


def test_late_repeated_and_refused_answers_are_counted_and_change_nothing_else():
    study = small(deadline=1)
    first, second = study.ask(2)
    study.record((first, 1))
    study.advance()
    pulls = list(study.learner.pulls)
    assert study.record((first, 0)) is Status.REPEATED
    assert study.record((second, 1)) is Status.LATE
    with pytest.raises(ValueError, match="was never made"):
        study.record((Ticket(0, 0, "0" * 32), 1))
    assert study.learner.pulls == pulls
    assert {key: study.counts[key] for key in ("late", "repeated", "refused", "given up")} == {
        "late": 1,
        "repeated": 1,
        "refused": 1,
        "given up": 1,
    }


def terms(ticket, **changes):
    fields = {"arm": ticket.arm, "bit": 1, "epsilon": 4.0, "study": "doses"}
    return Response(**{**fields, "number": ticket.number, "token": ticket.token, **changes})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"token": "0" * 32}, "request 0 of arm 0 was never made"),
        ({"token": ""}, "request 0 of arm 0 was never made"),
        ({"number": 1}, "request 1 of arm 0 was never made"),
        ({"number": 10**6}, "request 1000000 of arm 0 was never made"),
        ({"arm": 1}, "request 0 of arm 1 was never made"),
        ({"arm": 7}, "the study has no arm 7"),
        ({"epsilon": 1.0}, "the device answered with epsilon 1.0, not 4.0"),
        ({"study": "other"}, "the response belongs to study 'other', this is 'doses'"),
    ],
)
def test_forged_and_foreign_messages_are_refused(changes, reason):
    study = small()
    ticket, _ = study.ask(1)[0], study.ask(3)
    with pytest.raises(ValueError, match=re.escape(reason)):
        study.record(terms(ticket, **changes))
    with pytest.warns(UserWarning, match=f"1 answer refused; the first: {re.escape(reason)}"):
        statuses = study.record_many([terms(ticket, **changes), terms(ticket)])
    assert statuses == {Status.REFUSED: 1, Status.COUNTED: 1}
    assert study.counts["refused"] == 2


def test_unasked_messages_with_guessed_numbers_decide_nothing():
    study = small()
    study.ask(40)
    forged = [Response(0, 1, 4.0, "doses", n, f"{n:032x}") for n in range(20)]
    forged += [Response(0, 1, 4.0, "doses") for _ in range(480)]
    with pytest.warns(UserWarning, match="500 answers refused"):
        study.record_many(forged)
    assert study.counts["entered"] == study.counts["waiting"] == 0


def test_tokens_of_two_studies_differ():
    assert small().ask(1)[0].token != small().ask(1)[0].token


def test_a_device_answers_a_ticket_and_its_message_survives_the_mail():
    study = small()
    (ticket,) = study.ask(1)
    sent = Ticket.from_json(ticket.to_json())
    message = PrivateDevice(4.0, "doses").answer(sent, 0.25).to_json()
    assert study.record(Response.from_json(message)) is Status.COUNTED


def test_all_forms_of_answers_are_taken(tmp_path):
    def fresh():
        return Study(FixedConfidence(["a", "b"], 0.5, 1.0, 0.1))

    path = tmp_path / "answers.csv"
    path.write_text("arm,response\na,1\nb,0\na,1\n")
    forms = [
        [("a", 1), ("b", 0), ("a", 1)],
        [(0, 1), (1, 0), (0, 1)],
        zip(np.array([0, 1, 0]), np.array([1, 0, 1], np.uint8), strict=True),
        np.array([[0, 1], [1, 0], [0, 1]]),
        pd.DataFrame({"arm": ["a", "b", "a"], "response": [1, 0, 1], "site": [7, 7, 8]}),
        [{"arm": "a", "response": 1}, {"arm": "b", "response": 0}, {"arm": "a", "response": 1}],
        path,
        str(path),
        read_answers(path),
    ]
    for form in forms:
        study = fresh()
        assert study.record_many(form) == {Status.COUNTED: 3}
        assert (study.learner.pulls, study.learner.sums) == ([2, 1], [2, 0])


@pytest.mark.parametrize(
    "answer",
    [
        3,
        "01",
        None,
        (0,),
        (0, 1, 1),
        (0, 2),
        (0, 0.123),
        (0, "1"),
        {"arm": 0},
        (0, terms(Ticket(0, 0))),
    ],
)
def test_what_is_no_answer_is_refused_and_nothing_changes(answer):
    study = small()
    for use in (lambda: study.record(answer), lambda: study.record_many([(1, 1), answer])):
        with pytest.raises(ValueError, match=r"answer|response") as caught:
            use()
        assert "0.123" not in str(caught.value)
    assert study.counts["entered"] == 0


@pytest.mark.parametrize("answers", [3, b"01", None, np.zeros(4, int), pd.DataFrame({"x": [1]})])
def test_what_is_no_list_of_answers_is_refused(answers):
    with pytest.raises(ValueError, match=r"answer|columns"):
        small().record_many(answers)


@pytest.mark.parametrize("arm", [2, -1, "c", 0.5, True, None])
def test_an_arm_that_does_not_exist_is_refused(arm):
    with pytest.raises(ValueError, match=r"arm must be one of \[0, 1\]"):
        small().record((arm, 1))


def test_an_answer_without_its_ticket_is_refused_while_requests_are_open():
    study = small()
    study.ask(1)
    with pytest.raises(ValueError, match="arm 0 has open requests: record its answers with"):
        study.record((0, 1))
    assert study.record((1, 1)) is Status.COUNTED


# --- results


def finished(deadline=2):
    study = Study(FixedConfidence(["low", "high"], 0.5, 4.0, 0.1), "doses", deadline)
    people = People(private_mean(np.array([0.2, 0.9]), 4.0), 3)
    in_rounds(study, people, 10, np.random.default_rng(0), 0.1)
    return study


def test_names_are_used_everywhere():
    study = finished()
    assert study.arms == ["low", "high"]
    assert study.decided() == {"low": "below", "high": "above"}
    assert [one.arm for one in study.estimates()] == ["low", "high"]
    named = Study(FixedConfidence(["x", "y"], 0.5, 4.0, 0.1))
    named.record_many([("y", 1)] * 30)
    assert named.decided() == {"y": "above"}
    assert named.arms[named.ask(1)[0]] == "x"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"learner": 3}, "learner must be a FixedBudget or a FixedConfidence, got 3"),
        ({"name": 3}, "study must be a name"),
        ({"deadline": 0}, "deadline must be a whole number of at least 1, got 0"),
        ({"deadline": 1.5}, "deadline must be a whole number"),
    ],
)
def test_bad_arguments_are_named(arguments, complaint):
    good = {"learner": FixedConfidence(2, 0.5, 1.0, 0.1)}
    with pytest.raises(ValueError, match=complaint):
        Study(**{**good, **arguments})


def test_a_learner_with_responses_is_refused():
    learner = FixedConfidence(2, 0.5, 1.0, 0.1)
    learner.record(0, 1)
    with pytest.raises(ValueError, match="learner must be new, got one with 1 responses"):
        Study(learner)


@pytest.mark.parametrize("n", [0, -1, 2.5, "3", None, 10**7])
def test_ask_refuses_what_is_no_number_of_people(n):
    with pytest.raises(ValueError, match="n must be a whole number from 1 to 1000000"):
        small().ask(n)


def test_estimates_have_the_level_of_the_study_unless_another_is_given():
    study = finished()
    widths = [study.estimates(level)[0] for level in (0.5, None, 0.9, 0.99)]
    widths = [one.high - one.low for one in widths]
    assert widths[0] < widths[1] == widths[2] < widths[3]
    with pytest.raises(ValueError, match="level must"):
        study.estimates(1.5)


def test_a_table_of_answers_is_taken_in_its_order_and_with_all_its_rows(tmp_path):
    """Arm by arm, the first arm would use up the whole budget."""
    path = tmp_path / "answers.csv"
    path.write_text("arm,response\n" + "0,1\n1,0\n" * 20)
    study = Study(FixedBudget(2, 0.5, 0.0, 1.0, budget=20))
    assert study.record_many(path) == {Status.COUNTED: 20, Status.KEPT: 20}
    assert study.learner.pulls == [10, 10]
    path.write_text("arm,response\n0,1\n1,\n")
    with pytest.raises(ValueError, match="1 row without a response"):
        study.record_many(path)
    assert study.counts["entered"] == 40


def test_a_study_without_protection_warns():
    with pytest.warns(UserWarning, match="epsilon = 50 protects nobody: keep it below 10"):
        study = Study(FixedConfidence(2, 0.5, 50.0, 0.1))
    assert "epsilon = 50 protects nobody: keep it below 10." in study.report().warnings


def test_report_holds_verdicts_bounds_that_agree_intervals_and_methods():
    study = finished()
    report = study.report()
    assert [(row.arm, row.verdict, row.certain) for row in report.rows] == [
        ("low", "below", True),
        ("high", "above", True),
    ]
    assert report.rows[0].bound <= 0.5 <= report.rows[1].bound
    assert all(row.low <= row.estimate <= row.high for row in report.rows)
    assert "epsilon = 4 per answer" in report.methods
    assert "given up, all alike" in report.methods
    assert "right with probability at least 0.9" in report.methods
    assert any("does not depend on the answer" in warning for warning in report.warnings)
    text = str(report)
    row = r"^low +\d+ +0\.\d{3} +0\.\d{3}\.\.0\.\d{3} +below +<= 0\.\d{3}$"
    assert re.search(row, text, re.MULTILINE)
    assert "Methods. " in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_report_before_the_end_leaves_arms_undecided():
    report = small().report()
    assert [row.verdict for row in report.rows] == ["undecided"] * 2
    assert "0 outstanding" in report.title
    assert "nan" not in str(report)


def test_bounds_agree_with_every_verdict_of_many_studies():
    """In 41 of 48 cases the interval of 2.2.0 contained the threshold of a decided arm."""
    means = np.array([0.08, 0.12, 0.2, 0.22, 0.38, 0.42, 0.5, 0.6])
    for seed in range(3):
        study = Study(FixedConfidence(8, 0.3, 1.0, 0.05))
        people = People(private_mean(means, 1.0), seed)
        while tickets := study.ask(200):
            study.record_many(map(people.answer, tickets))
        for row in study.report().rows:
            assert row.bound >= 0.3 if row.verdict == "above" else row.bound <= 0.3


def test_a_fixed_budget_decides_at_its_end_and_warns_that_nothing_is_certain():
    study = Study(FixedBudget(["a", "b"], 0.5, 0.0, 4.0, budget=40))
    with pytest.warns(UserWarning, match="a fixed budget gives no certainty"):
        assert study.decided() == {}
    while tickets := study.ask(5):
        study.record_many((ticket, int(ticket.arm == 1)) for ticket in tickets)
    with pytest.warns(UserWarning, match="a fixed budget gives no certainty"):
        assert study.decided() == {"a": "below", "b": "above"}
    report = study.report()
    assert [(row.verdict, row.certain, row.bound) for row in report.rows] == [
        ("below", False, None),
        ("above", False, None),
    ]
    assert "a fixed budget gives no certainty" in report.warnings[0]


def test_the_invalid_radius_decides_with_a_warning():
    with pytest.warns(UserWarning, match="guarantee of the radius 'printed' is false"):
        study = small(radius="printed")
    study.record_many([(0, 1)] * 30)
    with pytest.warns(UserWarning, match="guarantee of the radius 'printed' is false"):
        assert study.decided() == {0: "above"}
    assert not study.report().rows[0].certain


def test_repr_says_how_far_a_study_is():
    assert repr(finished()) == "<study 'doses': 2 of 2 decided, {} answers, {} outstanding>".format(
        finished().counts["entered"], finished().counts["outstanding"]
    )
    assert repr(Study(FixedBudget(2, 0.5, 0.0, 1.0, 1000))) == (
        "<study: 0 of 1,000 responses, 0 answers, 0 outstanding>"
    )


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    actions=st.lists(
        st.tuples(st.sampled_from(["ask", "answer", "advance", "unasked"]), st.integers(0, 9)),
        max_size=40,
    )
)
def test_no_answer_is_lost_whatever_happens(actions):
    study, answered, unasked = small(deadline=2, n_arms=3), 0, 0
    for action, value in actions:
        if action == "ask":
            study.ask(value + 1)
        elif action == "answer" and study.outstanding:
            study.record((study.outstanding[value % len(study.outstanding)], value % 2))
            answered += 1
        elif action == "advance":
            study.advance()
        elif action == "unasked":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                statuses = study.record_many([(value % 3, value % 2)])
            unasked += 1 - statuses[Status.REFUSED]
    counts = study.counts
    assert counts["entered"] + counts["waiting"] == answered + unasked
    assert counts["entered"] == counts["counted"] + counts["kept for estimates"]
    settled = counts["entered"] + counts["waiting"] + counts["outstanding"] + counts["given up"]
    assert counts["asked"] == settled
    assert math.isfinite(sum(one.answers for one in study.estimates()))
