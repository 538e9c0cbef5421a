"""Graded answers: the laws behind cuts that are left out, and studies and files with cuts."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.privacy import PrivBern
from ldpt.study import PrivateDevice, Response, Scale, Status, Study, Ticket, analyse
from ldpt.study.analysis import uneven_probability

STARS = Scale(1, 5)


def mean_truth(scale: Scale, law: np.ndarray) -> float:
    """Return the mean of the truth of the question, over scores of this law and uniform cuts."""
    scores = scale.low + scale.step * np.arange(law.size)
    truths = [[scale.answer(float(score), cut) for cut in scale.cuts] for score in scores]
    return float(law @ np.array(truths).mean(axis=1))


def laws(steps: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return random laws of scores, and all with at most two scores in equal or small shares."""
    found = [*rng.dirichlet(np.full(steps + 1, 0.3), 20)]
    for one in range(steps + 1):
        for other in range(one, steps + 1):
            for share in (0.5, 1e-3):
                law = np.zeros(steps + 1)
                law[one] += share
                law[other] += 1 - share
                found.append(law)
    return found


@pytest.mark.parametrize("steps", range(1, 12))
def test_a_verdict_on_the_cuts_in_use_holds_for_the_mean_of_every_law(steps):
    """For every threshold on a grid and every choice of cuts; some laws touch the bounds."""
    rng, touched = np.random.default_rng(steps), {"below": 0, "above": 0}
    low, step = -2.0, 0.5
    high = low + steps * step
    choices = [(0, 0), *((n, 0) for n in range(1, steps)), *((0, n) for n in range(1, steps))]
    for skip_low, skip_high in choices:
        scale = Scale(low, high, step, skip_low, skip_high)
        for law in laws(steps, rng):
            mean = float(law @ (low + step * np.arange(steps + 1)))
            truth = mean_truth(scale, law)
            least, most = scale.interval(truth, truth)
            assert least - 1e-9 <= mean <= most + 1e-9
            for value in np.linspace(scale.at(0.0), scale.at(1.0), 9)[1:-1]:
                threshold = scale.threshold(value)
                if scale.valid in ("both", "below") and truth < threshold - 1e-12:
                    assert mean < value + 1e-9
                if scale.valid in ("both", "above") and truth > threshold + 1e-12:
                    assert mean > value - 1e-9
            if scale.valid != "both":
                bound = scale.at(truth)
                touched[scale.valid] += abs(bound - mean) < 1e-9
    if steps > 1:
        assert min(touched.values()) > 0


@given(
    low=st.integers(-5, 5),
    steps=st.integers(2, 11),
    skip=st.integers(0, 10),
    side=st.booleans(),
    share=st.floats(0.01, 0.99),
)
def test_thresholds_go_to_the_learner_and_back(low, steps, skip, side, share):
    skip = min(skip, steps - 1)
    scale = Scale(low, low + steps, 1, skip if side else 0, 0 if side else skip)
    assert len(scale.cuts) == steps - skip
    assert math.isclose(scale.threshold(scale.at(share)), share, rel_tol=1e-9)
    assert {scale.draw() for _ in range(50)} <= {*scale.cuts}


def test_cuts_are_drawn_uniformly():
    draws = [STARS.draw(np.random.default_rng(seed)) for seed in range(4000)]
    counts = [draws.count(cut) for cut in STARS.cuts]
    assert uneven_probability(counts) > 1e-3
    rng = np.random.default_rng(1)
    assert len({STARS.draw(rng) for _ in range(100)}) == 4


def test_all_cuts_together_are_privberns_mean():
    law = np.array([0.05, 0.10, 0.25, 0.40, 0.20])
    assert math.isclose(mean_truth(STARS, law), float(law @ np.arange(5)) / 4)
    assert STARS.threshold(4) == 0.75


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 1), "low must be below high, got 5 and 1"),
        ((1, 1), "low must be below high"),
        ((1, 5, 0), "step must divide 5 - 1 into 1 to 1000 steps, got 0"),
        ((1, 5, -1), "step must divide"),
        ((1, 5, 3), "step must divide"),
        ((0, 5000), "step must divide"),
        ((1, 5, math.nan), "step must be a number"),
        ((-math.inf, 5), "low must be a number"),
        (("1", 5), "low must be a number"),
        ((1, 5, 1, 4), "skip_low must be a whole number from 0 to 3, got 4"),
        ((1, 5, 1, 0, 4), "skip_high must be a whole number from 0 to 3"),
        ((1, 5, 1, 1, 1), "cuts are left out at one end only"),
    ],
)
def test_an_impossible_scale_is_refused_in_one_line(arguments, message):
    with pytest.raises(ValueError, match=message) as caught:
        Scale(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, 10**400, math.nan, "0.5"])
def test_only_a_threshold_of_a_learner_has_a_value_on_a_scale(threshold):
    with pytest.raises(ValueError, match=r"threshold must be a number in \[0, 1\]"):
        STARS.at(threshold)


@pytest.mark.parametrize("value", [1, 5, 0, 6, 10**400, math.nan, math.inf, "4", None])
def test_a_threshold_at_or_beyond_an_end_is_refused(value):
    with pytest.raises(ValueError, match="threshold must"):
        STARS.threshold(value)
    with pytest.raises(ValueError, match="strictly between 3 and 5 on this scale, got 3"):
        Scale(1, 5, skip_low=2).threshold(3)
    with pytest.raises(ValueError, match="strictly between 1 and 4"):
        Scale(1, 5, skip_high=1).threshold(4.5)


@pytest.mark.parametrize("score", [0, 6, 3.5, math.nan, math.inf, "3", None])
def test_a_score_off_the_scale_is_refused_and_not_shown(score):
    with pytest.raises(ValueError, match="its value is not shown") as caught:
        STARS.answer(score, 3)
    assert "3.5" not in str(caught.value)


@pytest.mark.parametrize("cut", [1, 6, 2.5, "3", None, math.nan])
def test_a_cut_off_the_scale_is_refused(cut):
    with pytest.raises(ValueError, match="a cut is one of 2 to 5 in steps of 1"):
        STARS.answer(3, cut)


# --- studies


def graded(scale: Scale = STARS, value: float = 3, **terms) -> Study:
    learner = FixedConfidence(["food", "room"], scale.threshold(value), 4.0, 0.1)
    return Study(learner, "stars", scale=scale, **terms)


def run_study(study: Study, laws: dict[int, list[float]], seed: int = 0) -> Study:
    rng = np.random.default_rng(seed)
    while tickets := study.ask(40):
        for ticket in tickets:
            score = float(rng.choice(len(laws[ticket.arm]), p=laws[ticket.arm])) + study.scale.low
            device = PrivateDevice(4.0, "stars")
            study.record(device.answer(ticket, study.scale.answer(score, ticket.cut)))
    return study


LAWS = {0: [0.0, 0.05, 0.1, 0.35, 0.5], 1: [0.5, 0.3, 0.1, 0.1, 0.0]}  # means 4.3 and 1.8


def test_a_graded_study_decides_and_reports_on_its_scale():
    study = run_study(graded(), LAWS)
    assert study.decided() == {"food": "above", "room": "below"}
    report = study.report()
    food, room = report.rows
    assert 3 <= food.bound <= food.estimate <= food.high <= 5
    assert 1 <= room.low <= room.estimate <= room.bound <= 3
    assert [one.mean for one in study.estimates()] == [food.estimate, room.estimate]
    assert "threshold 3" in report.title
    assert "each person was asked whether the answer is at least k" in report.methods
    assert sum(share.answers for share in report.shares) == study.counts["entered"]
    assert [share.cut for share in report.shares if share.arm == "food"] == [2, 3, 4, 5]
    for share in report.shares:
        truth = sum(LAWS[["food", "room"].index(share.arm)][int(share.cut) - 1 :])
        assert share.low <= truth <= share.high
    assert "at least" in str(report)
    json.loads(report.as_json())


def test_a_verdict_that_the_cuts_cannot_show_is_undecided():
    study = run_study(graded(Scale(1, 5, skip_low=1)), LAWS)
    assert study.finished
    assert study.decided() == {"room": "below"}
    food, room = study.report().rows
    assert (food.verdict, food.bound, food.more_answers) == ("undecided", None, None)
    assert room.verdict == "below"
    assert room.low <= 1.8 <= room.high
    assert math.isnan(room.estimate)
    assert "only the verdict 'below' is possible" in study.report().methods


def test_a_ticket_carries_its_cut_bound_to_its_token():
    study = graded()
    ticket = next(ticket for ticket in study.ask(20) if ticket.cut != 5)
    other = Ticket(ticket.arm, ticket.number, ticket.token, 5)
    with pytest.raises(ValueError, match=rf"asks about the cut {ticket.cut}, not 5"):
        study.record((other, 1))
    with pytest.raises(ValueError, match=r"asks about the cut .*, not None"):
        study.record((Ticket(ticket.arm, ticket.number, ticket.token), 1))
    message = PrivateDevice(4.0, "stars").answer(ticket, 1.0)
    assert message.cut == ticket.cut
    again = Response.from_json(message.to_json())
    assert again == message
    assert Ticket.from_json(ticket.to_json()) == ticket
    assert study.record(again) in (Status.COUNTED, Status.WAITING)
    with pytest.raises(ValueError, match="a graded answer needs the ticket"):
        study.record(("food", 1))


def test_messages_without_a_scale_have_no_field_for_it():
    ticket = Study(FixedConfidence(1, 0.5, 1.0, 0.1)).ask(1)[0]
    assert "cut" not in ticket.to_json()
    assert ticket.cut is None


def test_a_graded_study_is_saved_with_its_cuts(tmp_path):
    path, study = tmp_path / "study.json", graded(Scale(1, 5, skip_high=1), deadline=2)
    tickets = study.ask(30)
    study.record_many((ticket, 1) for ticket in tickets[::2])
    study.advance()
    study.save(path)
    other = Study.open(path)
    assert other.outstanding == study.outstanding
    assert other.scale == study.scale
    assert str(other.report()) == str(study.report())


@pytest.mark.parametrize("scale", [3, "1-5", (1, 5)])
def test_a_study_takes_a_scale_only(scale):
    with pytest.raises(ValueError, match="scale must be a Scale"):
        Study(FixedBudget(1, 0.5, 0.0, 1.0, 10), scale=scale)


# --- tables


def answers(scale: Scale, law: list[float], n: int, seed: int = 0) -> pd.DataFrame:
    rng, mechanism = np.random.default_rng(seed), PrivBern(4.0, seed)
    cuts = [scale.draw(rng) for _ in range(n)]
    scores = rng.choice(len(law), n, p=law) + scale.low
    bits = [
        int(mechanism.privatise(scale.answer(float(score), cut)))
        for score, cut in zip(scores, cuts, strict=True)
    ]
    return pd.DataFrame({"arm": "food", "response": bits, "cut": cuts})


@pytest.mark.parametrize("scale", [STARS, Scale(1, 5, skip_low=2), Scale(1, 5, skip_high=1)])
def test_a_table_with_cuts_is_judged_on_the_scale(scale):
    rows = answers(scale, LAWS[1] if scale.valid == "below" else LAWS[0], 2000)
    value = 4.0 if scale.valid == "below" else 3.0
    table = analyse(rows, value, 0.05, 4.0, scale)
    side = "below" if scale.valid == "below" else "above"
    mean = 1.8 if scale.valid == "below" else 4.3
    assert table["verdict"].tolist() == [side]
    assert table["low"][0] <= mean <= table["high"][0]
    counts = rows.groupby(["arm", "cut"])["response"].agg(["size", "sum"]).reset_index()
    counts = counts.rename(columns={"size": "responses", "sum": "ones"})
    by_counts = analyse(counts, value, 0.05, 4.0, scale)
    assert by_counts["estimate"].equals(table["estimate"])
    assert by_counts.attrs["shares"] == table.attrs["shares"]


def test_cuts_that_were_not_drawn_uniformly_are_refused_with_their_counts():
    rows = answers(STARS, LAWS[0], 2000)
    few = rows[(rows["cut"] != 2) | (rows.index % 2 == 0)]
    counts = few["cut"].value_counts()
    with pytest.raises(ValueError, match=f"not drawn uniformly: {counts[2]} at 2, ") as caught:
        analyse(few, 3, 0.05, 4.0, STARS)
    assert "\n" not in str(caught.value)


def test_the_test_of_cuts_is_exact_enough_to_pass_almost_all_uniform_draws():
    rng = np.random.default_rng(0)
    for places in (2, 4, 10):
        draws = rng.multinomial(rng.integers(1, 500, 2000), np.full(places, 1 / places))
        least = [uneven_probability(row.tolist()) for row in draws]
        for level in (0.1, 0.01):
            assert np.mean(np.array(least) < level) <= level + 3 * math.sqrt(level / 2000)
    assert uneven_probability([0, 40]) < 1e-6 < uneven_probability([0, 15])


@pytest.mark.parametrize(
    ("column", "scale", "message"),
    [
        ([2, 3], None, "its column cut needs the scale"),
        ([2, 9], STARS, "a cut is one of 2 to 5 in steps of 1, got 9.0"),
        ([2, "x"], STARS, "row 2: the cut is not a number"),
        (None, Scale(1, 5, skip_low=1), "without a column cut no cut can be left out"),
    ],
)
def test_wrong_cuts_in_a_table_get_one_line(column, scale, message):
    rows = pd.DataFrame({"arm": ["a", "a"], "response": [0, 1]})
    if column:
        rows["cut"] = column
    with pytest.raises(ValueError, match=message):
        analyse(rows, 3 if scale else 0.5, 0.05, 4.0, scale)


def test_without_cuts_a_scale_gives_its_units_only():
    counts = {"a": (400, 300)}
    plain = analyse(counts, 0.5, 0.05, 4.0)
    scaled = analyse(counts, 3, 0.05, 4.0, STARS)
    assert scaled["estimate"][0] == pytest.approx(1 + 4 * plain["estimate"][0])
    assert scaled["bound"][0] == pytest.approx(1 + 4 * plain["bound"][0])


@settings(max_examples=20, derandomize=True)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=5))
def test_the_probability_of_uneven_cuts_is_a_probability(counts):
    assert 0 <= uneven_probability(counts) <= 1
