"""Replays of published surveys."""

import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from ldpt.radii import Radius, upper
from ldpt.replication.published.surveys import Question, classical, read_questions, replay, tabulate
from ldpt.study.designs import as_design
from ldpt.study.inference import decide

CONTENT = yaml.safe_load(Path("config/surveys.yaml").read_text(encoding="utf-8"))
TERMS = {"threshold": 0.3, "delta": 0.05, "orders": 40}


def test_the_published_counts_are_read_as_bits_of_privbern():
    first, *_ = questions = read_questions(CONTENT["surveys"][0])
    assert [question.answers for question in questions] == [1150, 1140, 1163, 1166]
    assert first.ones == 1150 - 859
    assert math.isclose(first.design.epsilon, 1.662)
    assert math.isclose(first.direct, 24 / 768)


def test_every_survey_has_a_source():
    assert {survey["source"] for survey in CONTENT["surveys"]} <= CONTENT["sources"].keys()


def test_an_urn_of_ones_is_decided_at_the_boundary():
    design = as_design(1.0)
    used, verdicts = replay(
        [Question("q", 300, 300, design)], "coin", TERMS, np.random.default_rng(0)
    )
    private = design.private_mean(0.3)
    edge = Radius("coin").at(1, 0.05, 0.3, 1.0)
    first = next(n for n in range(1, 300) if n * (1 - private) >= upper(edge, n, n))
    assert (used == first).all()
    assert (verdicts == 1).all()


@pytest.mark.parametrize("radius", ["coin", "onesided"])
def test_a_replay_stops_where_inference_does(radius):
    question = Question("q", 400, 190, as_design(1.662))
    used, verdicts = replay([question], radius, TERMS, np.random.default_rng(7))
    urn = np.zeros((40, 400), np.int8)
    urn[:, :190] = 1
    tapes = np.random.default_rng(7).permuted(urn, axis=1)
    words = {1: "above", -1: "below", 0: "undecided"}
    for tape, answers, verdict in zip(tapes, used[:, 0], verdicts[:, 0], strict=True):
        (single,) = decide([tape.tolist()], 0.3, question.design, 0.05, radius)
        assert single.verdict == words[int(verdict)]
        assert answers == (single.decided_at or 400)


def test_an_empty_urn_leaves_a_question_undecided():
    question = Question("q", 30, 10, as_design(0.5))
    used, verdicts = replay([question], "coin", TERMS, np.random.default_rng(0))
    assert (used == 30).all()
    assert (verdicts == 0).all()


def test_the_classical_estimate_of_the_nigeria_survey():
    (question,) = read_questions(CONTENT["surveys"][2])
    middle, low, high = classical(question)
    assert math.isclose(middle, (831 / 2435 - 1 / 6) * 1.5, rel_tol=1e-9)
    assert low < middle < high


def test_tables_of_the_surveys():
    questions = tabulate(CONTENT | {"orders": 30}, seed=1)
    assert len(questions) == 9 * 3
    coin = questions[questions["radius"] == "coin"].set_index(["survey", "question"])
    assert coin.loc[("Höglinger and Jann 1", "shoplifting"), "verdict"] == "above"
    assert coin.loc[("Höglinger and Jann 1", "cheating"), "verdict"] == "below"
    assert coin.loc[("Blair et al.", "armed groups"), "verdict"] == "undecided"
    others = questions[questions["radius"] == "onesided"].set_index(["survey", "question"])
    assert (coin["mean_answers"] <= others["mean_answers"]).all()  # same orders, never later
    assert ((questions["low"] <= questions["estimate"]) & (questions["estimate"] <= 1)).all()
    again = tabulate(CONTENT | {"orders": 30}, seed=1)
    assert again.equals(questions)
