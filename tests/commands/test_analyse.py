"""What ``ldpt analyse`` computes and says."""

import csv
import io
import json
import math

import numpy as np
import pandas as pd
import pytest

from ldpt.cli import main
from ldpt.privacy import PrivBern
from ldpt.study import analyse
from ldpt.study.analysis import Terms, judge
from ldpt.study.answers import as_answers, read_answers
from ldpt.study.designs import as_design, crosswise, forced
from ldpt.study.inference import decide


def terms(threshold, noncompliance=0.0):
    return Terms(threshold, 0.05, noncompliance)


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
    assert "Methods. 4,619 answers about 4 arms were randomised (crosswise model, p =" in out
    assert "multiply\nthe odds" in out


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
    found = judge(answers, as_design(math.inf), terms(0.5))
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
    full = judge(answers, crosswise(0.1595), terms(0.3))
    some = judge(answers, crosswise(0.1595), terms(0.3, 0.05))
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
    assert "Warning: epsilon = 20 protects nobody" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "say how the answers were randomised: --epsilon, --warner, --crosswise, --forced"),
        (
            ["--epsilon", 1, "--warner", 0.8],
            "the answers were randomised in one way, got randomised response, Warner's",
        ),
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
    assert err == (
        f"ldpt analyse: {path}: row 3: the response is not 0 or 1, yes or no, true or "
        "false (it is not shown)\n"
    )


def test_no_answers_at_all(capsys, tmp_path):
    path = tmp_path / "silent.csv"
    path.write_text("arm,response\na,\n")
    for form, needle in (("--json", '"estimate": null'), ("--csv", "undecided"), (None, " -")):
        options = [form] if form else []
        status, out, _ = run(capsys, path, "--threshold", 0.3, "--epsilon", 1, *options)
        assert status == 0
        assert needle in out


def test_all_forms_name_every_arm(survey):
    found = judge(read_answers(survey), as_design(1.0), terms(0.3))
    for text in (str(found), found.as_json(), found.as_csv()):
        assert all(row.arm in text for row in found.rows)


def test_an_early_verdict_that_its_interval_contradicts_says_so():
    bits = [1, 0, 0, 1] + [1, 0, 0, 1, 0] * 79 + [0]
    rows = as_answers(pd.DataFrame({"arm": "a", "response": bits}))
    report = judge(rows, as_design(30.0), Terms(0.5, 0.99))
    (row,) = report.rows
    assert (row.verdict, row.decided_at) == ("above", 1)
    assert row.high < 0.5
    assert "contradicts the verdict" in row.note
    assert not row.certain
    assert "contradicts the verdict" in str(report)


def test_answers_that_no_mean_gives_are_noted_in_every_form(capsys, tmp_path):
    """At epsilon 1 at least 269 of 1,000 answers are 1 on average, whatever is true."""
    file = tmp_path / "impossible.csv"
    file.write_text("arm,responses,ones\nq,1000,5\n")
    command = ["analyse", str(file), "--threshold", "0.3", "--epsilon", "1"]
    assert main(command) == 0
    output = capsys.readouterr()
    assert "(below)" in output.out
    assert "q: the answers contradict the design: 5 of 1,000 are 1" in " ".join(output.out.split())
    assert output.err == ""
    main([*command, "--json"])
    assert "contradict" in json.loads(capsys.readouterr().out)["arms"][0]["note"]
    table = analyse({"q": (1000, 5)}, 0.3, 0.05, 1.0)
    assert "contradict" in table["note"][0]


def test_the_stated_level_is_the_reported_level(capsys, survey):
    for level in (30, 37, 40):
        _, text, _ = run(capsys, survey, "--threshold", 0.3, "--epsilon", level, "--json")
        assert json.loads(text)["epsilon"] == level


def test_one_answer_is_counted_as_one(capsys, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("arm,response\na,1\n")
    _, out, _ = run(capsys, path, "--threshold", "-0", "--epsilon", 1)
    assert out.startswith("1 answer on 1 arm, randomised response, epsilon 1; threshold 0,")


def test_levels_may_differ_between_arms_and_not_within_one(capsys, tmp_path):
    path = tmp_path / "levels.csv"
    path.write_text("arm,responses,ones,epsilon\na,900,500,0.5\nb,900,500,2\n")
    _, text, _ = run(capsys, path, "--threshold", 0.5, "--json")
    a, b = json.loads(text)["arms"]
    assert a["high"] - a["low"] > 2 * (b["high"] - b["low"])
    path.write_text("arm,responses,ones,epsilon\na,900,500,0.5\na,900,500,2\n")
    _, _, err = run(capsys, path, "--threshold", 0.5)
    assert "row 3: epsilon differs from this arm's earlier one" in err


def test_columns_have_the_names_of_the_file_and_answers_may_be_words(capsys, tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("Question,Answer\na,yes\na,No\nb,YES\n")
    names = ("--arm", "question", "--response", "Answer")
    _, text, _ = run(capsys, path, "--threshold", 0.5, "--epsilon", 1, *names, "--json")
    assert [(arm["answers"], arm["ones"]) for arm in json.loads(text)["arms"]] == [(2, 1), (1, 1)]
    _, _, err = run(capsys, path, "--threshold", 0.5, "--epsilon", 1)
    assert "--arm and --response name them" in err


def test_an_undecided_arm_says_how_many_more_answers_it_needs(capsys, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("arm,responses,ones\na,300,160\nb,300,280\nc,2,1\n")
    _, text, _ = run(capsys, path, "--threshold", 0.5, "--epsilon", 4, "--json")
    needs = [arm["more_answers"] for arm in json.loads(text)["arms"]]
    assert needs[1:] == [None, None]  # decided; at the threshold
    path.write_text(
        f"arm,responses,ones\na,{300 + needs[0]},{math.ceil((300 + needs[0]) * 160 / 300)}\n"
    )
    _, text, _ = run(
        capsys, path, "--threshold", 0.5, "--epsilon", 4, "--delta", 0.05 / 3, "--json"
    )
    assert json.loads(text)["arms"][0]["verdict"] == "above"
    _, out, _ = run(capsys, path, "--threshold", 0.53, "--epsilon", 4)
    assert "More answers until a verdict" in out


def test_verdicts_are_bold_on_a_terminal_only(capsys, survey, monkeypatch):
    options = (survey, "--epsilon", 1, "--threshold", 0.3)
    assert "\x1b[" not in run(capsys, *options)[1]
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b[1mabove" in run(capsys, *options)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run(capsys, *options)[1]


def test_the_library_returns_the_table_of_the_command(capsys, survey):
    table = analyse(pd.read_csv(survey), 0.3, 0.05, crosswise(0.1595))
    _, text, _ = run(capsys, survey, "--crosswise", 0.1595, "--threshold", 0.3, "--json")
    content = json.loads(text)
    assert table["verdict"].tolist() == [arm["verdict"] for arm in content["arms"]]
    assert table["low"].tolist() == [arm["low"] for arm in content["arms"]]
    assert table.attrs["methods"] == content["methods"]


def test_the_table_of_the_library_prints_every_verdict_and_is_else_a_data_frame():
    answers = {"late bills": (1500, 400), "undeclared work": (1500, 310)}
    table = analyse(answers, 0.15, 0.05, forced(1 / 6, 1 / 6))
    lines = repr(table).splitlines()
    assert [len(line) <= 80 for line in lines] == [True] * 3
    for row, line in zip(table.itertuples(), lines[1:], strict=True):
        for value in (row.arm, row.verdict, f"{row.estimate:.3f}", f"{row.high:.3f}"):
            assert value in line
    assert "decided_at" in table.columns
    assert repr(table.head(1)) == repr(pd.DataFrame(table).head(1))
    del table["ones"], table["note"]
    assert "late bills" in repr(table)


def test_the_table_of_the_library_prints_whole_numbers_of_answers_to_come():
    table = analyse({"decided": (1000, 600), "open": (10, 3)}, 0.3, 0.05, 1.66)
    first, second = table["more_answers"]
    assert pd.isna(first)
    decided, undecided = (line.split() for line in repr(table).splitlines()[1:])
    assert undecided[-1] == str(int(second))
    assert decided[-1] == f"{table['high'][0]:.3f}"


def test_names_are_whole_in_sentences(capsys, tmp_path):
    """And in the table, if no column says when an arm was decided."""
    path = tmp_path / "counts.csv"
    path.write_text("arm,responses,ones\nundeclared work,1500,450\n")
    _, out, _ = run(capsys, path, "--threshold", 0.15, "--forced", 0.17, 0.17)
    assert out.count("undeclared work") == 2
