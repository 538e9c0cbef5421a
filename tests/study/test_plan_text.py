"""The text and the JSON of a plan: recommendation first, wrapped, few digits."""

import json
import math
import re

import pandas as pd
import pytest

from ldpt.instances import Instance
from ldpt.radii import VALID_RADII
from ldpt.study import plan as plan_people
from ldpt.study import planning as study
from ldpt.study import planning_text as plan_text
from ldpt.study.designs import forced, unrelated, warner
from ldpt.study.planning import DEFAULT_POLICY, METHODS, Request, make_plan
from ldpt.text import rounded

PAIR = Instance("pair", [0.3, 0.7], 0.5, 0.01)


@pytest.fixture(scope="module")
def plan() -> study.Plan:
    people = {"drop_out": 0.1, "batch": 50}
    return make_plan(Request(PAIR, [2.0], 0.1, 400, METHODS, replicates=60, **people))


def cost_of(plan: study.Plan, method: str) -> pd.Series:
    """Row of a method in the cost table at epsilon 2."""
    return plan.cost[plan.cost["epsilon"] == 2.0].set_index("method").loc[method]


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("explain", [False, True])
def test_no_line_is_wider_than_the_terminal(plan, width, explain):
    text = plan_text.render(plan, width, explain)
    assert max(map(len, text.splitlines())) <= width


def test_narrow_terminals_get_fewer_columns(plan):
    assert "at least" in plan_text.render(plan, 80)
    assert "price of privacy  at least" not in plan_text.render(plan, 70)
    assert "price of privacy" in plan_text.render(plan, 70)
    assert "price of privacy" not in plan_text.render(plan, 60)


def test_the_recommendation_comes_first_and_the_legend_only_on_request(plan):
    text = plan_text.render(plan)
    assert text.startswith("With 400 answers: epsilon ")
    assert "--explain adds wrong guesses" in text
    assert text.count("\nepsilon  ") == 1  # one table
    explained = plan_text.render(plan, explain=True)
    for column in ("95 % done by", "price of privacy", "at least", "true gaps"):
        assert re.search(f"^{column} +[a-z]", explained, re.MULTILINE)


def test_every_method_and_level_is_named(plan):
    text = plan_text.render(plan, explain=True)
    for word in (*METHODS, "inf", "Smallest epsilon for 400 answers and error 0.1"):
        assert word in text
    assert "Of those invited 10% never answer" in text


def test_numbers_of_people_have_three_digits(plan):
    text = plan_text.render(plan)
    assert not re.search(r"\de\+\d", text)
    people = rounded(cost_of(plan, "coin")["people"])
    assert re.search(f"^ +2  coin +{people} ", text, re.MULTILINE)


def test_recommendation_prefers_the_cheapest_proved_method(plan):
    text = plan_text.recommendation(plan)
    best = min(VALID_RADII, key=lambda method: cost_of(plan, method)["people"])
    assert f" {best}: {rounded(cost_of(plan, best)['people'])} people on average" in text
    late = cost_of(plan, best)["people_95"]
    finish = f"invite up to {rounded(late)} to finish in 95 % of studies"
    assert finish in text
    assert "98 people more than shown" in re.sub(r"\s+", " ", plan_text.render(plan))


def test_recommendation_without_a_proved_method():
    fixed = make_plan(Request(PAIR, [2.0], 0.1, methods=["lsa"], replicates=60))
    text = plan_text.recommendation(fixed)
    assert text.startswith("lsa with a fixed number of")
    assert "only if the guessed means are right. The error of coin is at most 0.1" in text
    planned = fixed.wrong_means.set_index("gaps")["people"]
    assert (planned == cost_of(fixed, "lsa")["people"]).all()
    budget = make_plan(Request(PAIR, [2.0], budget=100, replicates=60))
    assert plan_text.recommendation(budget).startswith(
        f"{DEFAULT_POLICY}: with 100 answers at epsilon 2"
    )
    invalid = make_plan(Request(PAIR, [2.0], 0.1, methods=["printed"], replicates=60))
    text = plan_text.recommendation(invalid)
    assert text == "The error of coin is at most 0.1 whatever the means are."


def test_people_are_shown_beside_answers_only_where_they_differ(plan):
    same = make_plan(Request(PAIR, [2.0], budget=100, methods=["lsa"], replicates=20))
    head = next(line for line in plan_text.render(same).splitlines() if "answers" in line[:30])
    assert "people" not in head
    assert "answers  people" in plan_text.render(plan, explain=True)


def test_as_json_is_strict_and_complete(plan):
    content = json.loads(plan_text.as_json(plan), parse_constant=pytest.fail)
    assert content["cost"][-1]["epsilon"] == "inf"
    assert len(content["cost"]) == 2 * len(METHODS)
    assert {row["method"] for row in content["smallest_epsilon"]} == set(METHODS)
    assert len(content["wrong_means"]) == len(METHODS) * len(study.GAP_FACTORS)
    assert (content["drop_out"], content["batch"]) == (0.1, 50)
    assert content["recommendation"] == plan_text.recommendation(plan)


def test_as_json_is_the_same_every_time():
    request = Request(PAIR, [2.0], delta=0.1, replicates=50, seed=5)
    first, again = (plan_text.as_json(make_plan(request)) for _ in range(2))
    assert first == again


def test_errors_that_are_hardly_seen_are_printed_as_a_limit(plan):
    text = plan_text.render(plan)
    assert "< 0.01" in text
    assert not re.search(r"  0  |  0$", text, re.MULTILINE)


def test_designs_are_compared_in_one_table_and_dominated_ones_are_not_advised():
    ways = [warner(0.8), forced(0.25, 0.25), unrelated(0.5, 0.1)]
    request = Request(PAIR, [1.0], 0.1, methods=["coin"], designs=ways)
    plan = make_plan(request, wrong_means=False)
    rows = plan.cost.set_index("design")
    assert rows["epsilon"].tolist()[:3] == pytest.approx([way.epsilon for way in ways])
    text = plan_text.recommendation(plan)
    for way in ways:
        row = rows.loc[way.name]
        others = rows[(rows["people"] < row["people"]) & (rows["epsilon"] < row["epsilon"])]
        assert (way.name in text) == others.empty
    same = make_plan(Request(PAIR, [warner(0.8).epsilon], 0.1, methods=["coin"]))
    assert rows.loc[ways[0].name, "pulls"] == pytest.approx(same.cost["pulls"][0], rel=1e-9)


def test_nothing_is_said_of_other_designs_where_there_are_none():
    request = Request(PAIR, [], 0.1, methods=["coin"], designs=[warner(0.7), warner(0.8)])
    text = plan_text.recommendation(make_plan(request, wrong_means=False))
    assert text.startswith("Choose by privacy")
    assert "Others" not in text


def test_one_design_is_planned_for_throughout():
    """Its own law of responses, not that of PrivBern at its epsilon."""
    way = unrelated(0.5, 0.1)
    request = Request(PAIR, [], 0.1, 200, ["coin", "lsa"], designs=[way], replicates=100)
    plan = make_plan(request)
    assert plan_text.recommendation(plan).count(f" at epsilon 2.398 ({way.name})") == 2
    wrong = plan.wrong_means.set_index(["gaps", "method"])["pulls"]
    cost = plan.cost.set_index(["design", "method"])["pulls"]
    assert wrong[1.0, "coin"] == cost[way.name, "coin"]
    scaled = study.scaled_gaps(PAIR, 0.5)
    assert wrong[0.5, "coin"] == study.pulls_needed(request, scaled, way, "coin").pulls
    own = plan.error[plan.error["design"] == way.name]
    level = make_plan(Request(PAIR, [way.epsilon], budget=200, methods=["lsa"], replicates=100))
    other = level.error[level.error["epsilon"] == way.epsilon]
    assert own["errors"].tolist() != other["errors"].tolist()
    assert way.name in plan_text.render(plan, explain=True)


def test_the_protocol_says_people_error_and_odds(plan):
    methods, privacy = plan_text.paragraphs(plan, 10_000).split("\n\n")
    assert "2 questions will be compared with the threshold 0.5" in methods
    assert "10" in methods
    assert "by at most 7.4: a guess of 50 % becomes at most 88 %" in privacy


def test_the_library_returns_a_table_with_the_words():
    table = plan_people([0.3, 0.7], 0.5, 0.1, [2.0, warner(0.8)])
    assert table["design"].tolist() == ["Warner's design, p = 0.8", *["randomised response"] * 2]
    assert table["epsilon"].tolist()[1:] == [2.0, math.inf]
    assert "people" in repr(table)
    assert all(len(line) <= 80 for line in repr(table).splitlines())
    assert table.attrs["recommendation"].startswith("Choose")
    assert table.attrs["protocol"].startswith("Methods.")
    errors = plan_people([0.3, 0.7], 0.5, budget=50, epsilon=2.0, replicates=20)
    assert {"budget", "estimate"} <= {*errors.columns}
