"""What ``ldpt analyse`` computes and says."""

import argparse
import csv
import io
import json
import math

import numpy as np
import pandas as pd
import pytest

from ldpt.cli import main
from ldpt.commands.analyse import analyse
from ldpt.privacy import PrivBern
from ldpt.study.answers import as_answers, read_answers
from ldpt.study.designs import as_design, crosswise
from ldpt.study.inference import decide


def terms(threshold, noncompliance=0.0):
    return argparse.Namespace(
        threshold=threshold, delta=0.05, noncompliance=noncompliance, unordered=False
    )


COUNTS = "arm,responses,ones\ncheating,1150,859\ntax evasion,1140,801\nnon-voting,1163,680\n"
COUNTS += "shoplifting,1166,604\n"


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text(COUNTS)
    return path


@pytest.fixture
def rows(tmp_path):
    """Rows of two arms in order of arrival, at epsilon 1."""
    mechanism, rng = PrivBern(1.0, rng=1), np.random.default_rng(2)
    lines = ["arm,response"]
    for _ in range(1500):
        for arm, mean in (("low", 0.1), ("high", 0.6)):
            lines.append(f"{arm},{mechanism.privatise(float(rng.random() < mean))}")
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines))
    return path


def run(capsys, *options):
    status = main(["analyse", *map(str, options)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_published_survey(capsys, survey):
    status, out, err = run(capsys, survey, "--crosswise", 0.1595, "--threshold", 0.3)
    assert (status, err) == (0, "")
    for line in (
        "cheating       1,150     0.137  0.074..0.206  below    <= 0.202",
        "shoplifting    1,166     0.474  0.397..0.550  above    >= 0.402",
    ):
        assert line in out
    assert "Methods. Responses were randomised (crosswise model, p = 0.1595, epsilon 1.662)" in out


def test_the_table_fits_80_columns(capsys, rows):
    text = rows.read_text().replace("low", "a very long name of an arm in a survey")
    rows.write_text(text)
    _, out, _ = run(capsys, rows, "--epsilon", 1, "--threshold", 0.3)
    assert max(map(len, out.splitlines())) <= 80
    assert "decided at" in out


def test_json_and_csv_have_the_same_numbers(capsys, survey):
    options = (survey, "--crosswise", 0.1595, "--threshold", 0.3)
    _, text, _ = run(capsys, *options, "--json")
    _, table, _ = run(capsys, *options, "--csv")
    assert not json.loads(text)["in_order"]
    content, lines = json.loads(text), list(csv.DictReader(io.StringIO(table)))
    assert content["answers"] == 1150 + 1140 + 1163 + 1166
    for arm, line in zip(content["arms"], lines, strict=True):
        assert line["verdict"] == arm["verdict"]
        assert math.isclose(float(line["estimate"]), arm["estimate"])
    assert content["arms"][0]["ones"] == 1150 - 859  # the bit of a crosswise design with p < 1/2


def test_rows_in_order_say_when_an_arm_was_decided(capsys, rows):
    _, text, _ = run(capsys, rows, "--epsilon", 1, "--threshold", 0.3, "--json")
    content = json.loads(text)
    verdicts = {arm["arm"]: (arm["verdict"], arm["decided_at"]) for arm in content["arms"]}
    expected = decide(read_answers(rows), 0.3, 1.0, 0.05)
    assert content["in_order"]
    assert verdicts == {v.arm: (v.verdict, v.decided_at) for v in expected}
    assert verdicts["low"][0] == "below"
    assert verdicts["high"][0] == "above"


def test_without_an_order_only_totals_are_judged(capsys, rows):
    _, text, _ = run(capsys, rows, "--epsilon", 1, "--threshold", 0.3, "--json", "--unordered")
    assert {arm["decided_at"] for arm in json.loads(text)["arms"]} == {None}


def test_rows_sorted_by_response_do_not_decide_early():
    fair = np.sort((np.random.default_rng(0).random(600) < 0.5).astype(np.uint8))[::-1]
    answers = as_answers(pd.DataFrame({"arm": "a", "response": fair}))
    found = analyse(answers, as_design(math.inf), terms(0.5))
    assert not found.terms["in_order"]
    assert found.rows[0].verdict == "undecided"
    assert "sorted by response" in found.warnings[0]


def test_rows_without_a_response_are_reported(capsys, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("arm,response\na,1\na,\nb,NA\nb,0\n")
    _, out, _ = run(capsys, path, "--epsilon", 1, "--threshold", 0.3)
    assert "2 answers on 2 arms" in out
    assert "2 rows without a response" in out


def test_noncompliance_widens_intervals_and_can_undo_a_verdict(survey):
    answers = read_answers(survey)
    full = analyse(answers, crosswise(0.1595), terms(0.3))
    some = analyse(answers, crosswise(0.1595), terms(0.3, 0.05))
    assert full.rows[2].verdict == "above"
    assert some.rows[2].verdict == "undecided"
    for wide, narrow in zip(some.rows, full.rows, strict=True):
        assert wide.low <= narrow.low
        assert wide.high >= narrow.high
    assert "if at most 5% of respondents do not follow" in some.methods


def test_a_column_of_epsilons_is_used(capsys, tmp_path):
    path = tmp_path / "stated.csv"
    path.write_text("arm,responses,ones,epsilon\na,900,700,1.5\n")
    _, text, _ = run(capsys, path, "--threshold", 0.5, "--json")
    assert math.isclose(json.loads(text)["epsilon"], 1.5)
    status, _, err = run(capsys, path, "--threshold", 0.5, "--epsilon", 2)
    assert status == 2
    assert err.endswith("its column epsilon is 1.5, the options say 2\n")


def test_a_large_epsilon_is_remarked(capsys, survey):
    _, out, _ = run(capsys, survey, "--epsilon", 20, "--threshold", 0.3)
    assert "hardly private" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "say how the answers were randomised: --epsilon, --warner, --crosswise, --forced"),
        (["--epsilon", 1, "--warner", 0.8], "--warner: not allowed with argument --epsilon"),
        (["--warner", 0.5], "p must differ from 0.5"),
        (["--forced", 0.6, 0.4], "yes + no must be below 1, got 0.6 + 0.4"),
        (["--epsilon", 0], "argument --epsilon: epsilon must be positive"),
        (["--epsilon", 1, "--delta", 1], "argument --delta: delta must lie"),
        (["--epsilon", 1, "--noncompliance", 0.5], "noncompliance must be below 0.5"),
        (["--epsilon", 1, "--json", "--csv"], "not allowed with argument"),
    ],
)
def test_wrong_options_get_one_line(capsys, survey, options, message):
    status, out, err = run(capsys, survey, "--threshold", 0.3, *options)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_bad_file_gets_one_line(capsys, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("arm,response\na,1\na,maybe\n")
    status, out, err = run(capsys, path, "--threshold", 0.3, "--epsilon", 1)
    assert (status, out) == (2, "")
    assert err == (f"ldpt analyse: {path}: row 3: the response is not 0 or 1 (it is not shown)\n")


def test_no_answers_at_all(capsys, tmp_path):
    path = tmp_path / "silent.csv"
    path.write_text("arm,response\na,\n")
    for form, needle in (("--json", '"estimate": null'), ("--csv", "undecided"), (None, " -")):
        options = [form] if form else []
        status, out, _ = run(capsys, path, "--threshold", 0.3, "--epsilon", 1, *options)
        assert status == 0
        assert needle in out


def test_all_forms_name_every_arm(survey):
    found = analyse(read_answers(survey), as_design(1.0), terms(0.3))
    for text in (str(found), found.as_json(), found.as_csv()):
        assert all(row.arm in text for row in found.rows)
