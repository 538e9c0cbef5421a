"""The text and the JSON of a plan: whole numbers, explained columns, one recommendation."""

import json
import math
import re

import pytest

from ldpt.instances import Instance
from ldpt.study import plan as study
from ldpt.study import plan_text as render
from ldpt.study.plan import METHODS, Request, make_plan

PAIR = Instance("pair", [0.3, 0.7], 0.5, 0.01)


@pytest.fixture(scope="module")
def plan() -> study.Plan:
    return make_plan(Request(PAIR, [2.0], 0.1, 400, METHODS, replicates=60, drop_out=0.1, batch=50))


def test_render_names_every_method_and_warns(plan):
    text = render.render(plan)
    for word in (*METHODS, "inf", "1/c^2", "Smallest epsilon for 400 answers and error 0.1"):
        assert word in text
    assert "The radius printed is the paper's: its error can exceed delta" in text
    assert "Of those invited 10% never answer" in text


def test_render_counts_people_in_whole_numbers(plan):
    text = render.render(plan)
    assert not re.search(r"\de\+\d", text)
    people = render.whole(plan.cost_of("onesided", 2.0)["people"])
    assert f"onesided {people}" in re.sub(" +", " ", text)


def test_render_labels_the_worst_case_wherever_it_stands(plan):
    sections = render.render(plan).split("\n\n")
    with_bounds = [s for s in sections if "bound" in s or "least" in s]
    assert len(with_bounds) >= 2
    for section in with_bounds:
        if "least          " in section or "lower bound" in section:
            assert "for the worst of 3 similar problems, not for this one" in section


def test_render_says_how_many_runs_were_used(plan):
    (table,) = [s for s in render.render(plan).split("\n\n") if s.startswith("People needed")]
    lines = [line.split() for line in table.splitlines()]
    runs = {line[1]: line[-1] for line in lines if line[:1] == ["2"] and len(line) > 10}
    assert runs["onesided"] == "60"
    assert runs["lsa"] == "1,000"


def test_recommendation_prefers_the_cheapest_proved_method(plan):
    text = render.recommendation(plan)
    assert text.startswith("onesided. Whatever the means are")
    late = plan.cost_of("onesided", 2.0)["people_95"]
    finish = f"Invite up to {render.whole(late)} to finish in 95 % of studies"
    assert f"{finish}, {math.ceil(late / 50)} rounds of 50." in text
    assert "invites up to 98 people more than shown" in render.render(plan)
    only_fixed = make_plan(Request(PAIR, [2.0], 0.1, methods=["lsa"], replicates=60))
    assert "only if the guessed means" in render.recommendation(only_fixed)
    assert "Within the tolerance of 0.01 either answer of lsa counts as right." in render.render(
        only_fixed
    )
    planned = only_fixed.wrong_means.set_index("gaps")["people"]
    assert (planned == only_fixed.cost_of("lsa", 2.0)["people"]).all()
    budget = make_plan(Request(PAIR, [2.0], budget=100, replicates=60))
    assert render.recommendation(budget).startswith("lsa. With 100 answers at epsilon 2")
    invalid = make_plan(Request(PAIR, [2.0], 0.1, methods=["printed"], replicates=60))
    assert render.recommendation(invalid).startswith("none of these: the error of printed")


def test_render_explains_every_column_of_the_costs(plan):
    sections = render.render(plan).split("\n\n")
    (costs,) = [s for s in sections if s.startswith("People needed")]
    (legend,) = [s for s in sections if s.startswith("people   ")]
    explained = [line[:15].strip() for line in legend.splitlines() if line[:1] != " "]
    header = re.sub(" {2,}", " ", costs.splitlines()[1])
    columns = ["people", "95 % interval", "95 % of runs", "error", "price", "1/c^2", "least"]
    columns += ["enough", "runs"]
    assert header.split("method ")[1] == " ".join(columns)
    assert explained[: len(columns)] == columns
    only_fixed = make_plan(Request(PAIR, [2.0], 0.1, methods=["lsa"], replicates=60))
    assert "on the average" not in render.render(only_fixed)  # it has no average


def test_as_json_is_strict_and_complete(plan):
    content = json.loads(render.as_json(plan), parse_constant=pytest.fail)
    assert content["cost"][-1]["epsilon"] == "inf"
    assert len(content["cost"]) == 2 * len(METHODS)
    assert {row["method"] for row in content["smallest_epsilon"]} == set(METHODS)
    assert len(content["wrong_means"]) == len(METHODS) * len(study.GAP_FACTORS)
    assert content["drop_out"] == 0.1


def test_as_json_is_the_same_every_time():
    asked = Request(PAIR, [2.0], delta=0.1, replicates=50, seed=5)
    first, again = (render.as_json(make_plan(asked)) for _ in range(2))
    assert first == again
