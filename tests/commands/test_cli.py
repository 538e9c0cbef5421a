"""The command line: plan and simulate end to end, and one line for every bad input."""

import contextlib
import io
import json
import math
import os
import re
import subprocess
import sys
import unittest.mock
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from ldpt import __version__, simulate
from ldpt.cli import COMMANDS, main, parsers
from ldpt.instances import Instance
from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES
from ldpt.radii import RADII

PROBLEM = ["--means", "0.3", "0.7"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one command."""
    try:
        code = main(arguments)
    except SystemExit as end:  # raised by argparse
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


# --- plan


def test_plan_prints_a_table_and_draws_a_plot(capsys, tmp_path):
    plot = tmp_path / "plan.png"
    terms = ["--epsilon", "2", "--delta", "0.1", "--budget", "500", "--replicates", "60"]
    code, out, err = run(capsys, "plan", *PROBLEM, *terms, "--plot", str(plot))
    assert (code, err) == (0, "")
    for word in ("coin", DEFAULT_POLICY, "With 500 answers: ", "People needed"):
        assert word in out
    for word in ("mixture", "printed", "apt"):  # only if requested by name
        assert word not in out.split()
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_plan_for_machines(capsys):
    terms = ["--means", "0.3", "0.7", "--epsilon", "1", "--delta", "0.1"]
    code, out, _ = run(
        capsys, "plan", *terms, "--method", "mixture", "--replicates", "60", "--json"
    )
    assert code == 0
    plan = json.loads(out)
    assert plan["instance"]["means"] == [0.3, 0.7]
    assert [row["epsilon"] for row in plan["cost"]] == [1.0, "inf"]


def test_plan_counts_drop_outs_batches_and_answers(capsys):
    terms = ["--epsilon", "4", "--delta", "0.2", "--method", "onesided", "--replicates", "20"]
    extra = ["--drop-out", "0.1", "--batch", "50", "--answers-per-person", "2"]
    code, out, _ = run(capsys, "plan", *PROBLEM, *terms, *extra, "--json")
    assert code == 0
    first = json.loads(out)["cost"][0]
    assert first["people"] == math.ceil(math.ceil(round(first["pulls"]) / 2) / 0.9)


def test_plan_knows_the_instances_of_the_config(capsys):
    terms = ["--epsilon", "4", "--delta", "0.2", "--method", "mixture", "--replicates", "20"]
    code, out, _ = run(capsys, "plan", "--instance", "dose-finding", *terms, "--explain")
    assert code == 0
    assert "6 arms, threshold 0.3, tolerance 0.02" in out


# --- simulate


def test_simulate_writes_exactly_the_librarys_table(capsys, tmp_path):
    path = tmp_path / "runs.parquet"
    terms = ["--epsilon", "1", "--delta", "0.1", "--radius", "mixture", "--replicates", "600"]
    code, out, err = run(capsys, "simulate", *PROBLEM, *terms, "--seed", "5", "--output", str(path))
    assert (code, err) == (0, "")
    expected = simulate.fixed_confidence(
        Instance("command-line", [0.3, 0.7], 0.5), 1.0, 0.1, 600, 5, radius="mixture"
    )
    pd.testing.assert_frame_equal(pd.read_parquet(path), expected)
    assert "answers on average" in out
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs.parquet"]


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_simulate_writes_every_run_as_text(capsys, tmp_path, suffix):
    path = tmp_path / f"runs.{suffix}"
    terms = ["--epsilon", "1", "--budget", "20", "40", "--replicates", "30", "--output", str(path)]
    code, _, err = run(capsys, "simulate", *PROBLEM, *terms)
    assert (code, err) == (0, "")
    table = pd.read_csv(path) if suffix == "csv" else pd.read_json(path)
    expected = simulate.fixed_budget(
        Instance("command-line", [0.3, 0.7], 0.5), 1.0, [20, 40], 30, 0, DEFAULT_POLICY
    )
    assert table["budget"].tolist() == expected["budget"].tolist()
    assert table["loss"].astype(bool).tolist() == expected["loss"].tolist()


def test_simulate_names_problem_and_setting_before_its_estimates(capsys):
    terms = ["--epsilon", "inf", "--budget", "20", "50", "--replicates", "100"]
    code, out, err = run(capsys, "simulate", *PROBLEM, *terms, "--policy", "uniform")
    assert (code, err) == (0, "")
    runs = simulate.fixed_budget(
        Instance("command-line", [0.3, 0.7], 0.5), float("inf"), [20, 50], 100, 0, "uniform"
    )
    lines = out.splitlines()
    assert lines[:2] == [
        "command-line: 2 arms (0.3, 0.7), threshold 0.5, tolerance 0",
        "policy uniform, no privacy: 100 runs, seed 0",
    ]
    shares = runs.groupby("budget")["loss"].mean().tolist()
    assert [float(line.split()[1]) for line in lines[-2:]] == shares


def test_simulate_for_machines(capsys):
    terms = ["--epsilon", "1", "--delta", "0.1", "--replicates", "40", "--json"]
    code, out, _ = run(capsys, "simulate", *PROBLEM, *terms)
    content = json.loads(out)
    assert code == 0
    assert (content["method"], content["delta"]) == ("coin", 0.1)
    assert content["summary"][0]["replicates"] == 40


FALSE_GUARANTEE = (
    "ldpt: warning: the guarantee of the radius 'printed' is false: the error probability can "
    "exceed delta (use 'coin')\n"
)


@pytest.mark.parametrize(
    ("words", "warning"),
    [
        (["simulate", "--budget", "20"], ""),
        (["simulate", "--delta", "0.1", "--radius", "mixture"], ""),
        (["simulate", "--delta", "0.1", "--radius", "printed"], FALSE_GUARANTEE),
        (["plan", "--delta", "0.1", "--method", "coin"], ""),
        (["plan", "--delta", "0.1", "--method", "printed", "coin"], FALSE_GUARANTEE),
    ],
)
def test_the_invalid_radius_is_remarked(capsys, words, warning):
    code, _, err = run(capsys, *words, *PROBLEM, "--epsilon", "1", "--replicates", "5")
    assert (code, err) == (0, warning)


@pytest.mark.parametrize("command", ["plan", "simulate"])
def test_an_epsilon_that_protects_nobody_is_remarked(capsys, command):
    terms = ["--epsilon", "50", "--budget", "20", "--replicates", "5"]
    code, _, err = run(capsys, command, *PROBLEM, *terms)
    assert code == 0
    assert err == "ldpt: warning: epsilon = 50 protects nobody: keep it below 10\n"


def test_simulate_ends_well_if_no_run_stops_within_the_limit(capsys):
    """As the refusal of an expensive run advises; there is no mean then."""
    problem = ["--means", "0.5000000001", *LEVELS, "--radius", "mixture"]
    code, out, err = run(capsys, "simulate", *problem, "--max-pulls", "100", "--replicates", "5")
    assert (code, err) == (0, "")
    assert "answers on average" not in out
    assert out.splitlines()[-1].split() == ["runs", "given", "up", "5"]


def test_progress_bar_goes_to_standard_error_of_a_terminal_only(capsys, monkeypatch):
    terms = ["--epsilon", "1", "--budget", "20", "--policy", "lsa"]
    code, _, err = run(capsys, "simulate", *PROBLEM, *terms)
    assert (code, err) == (0, "")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    code, out, err = run(capsys, "simulate", *PROBLEM, *terms)
    assert code == 0
    assert "/1000 [" in err
    assert "/1000 [" not in out


# --- bad input

LEVELS = ["--epsilon", "1", "--delta", "0.1"]
BUDGET = ["--epsilon", "1", "--budget", "9"]
BAD = [
    (["plan", *PROBLEM], "a plan needs --delta, --budget, or both"),
    (["plan", "--delta", "0.1"], "one of the arguments --instance --means --scores is required"),
    (["plan", *PROBLEM, "--instance", "crowded", "--delta", "0.1"], "not allowed with argument"),
    (["plan", "--instance", "unheard-of", "--delta", "0.1"], "unknown instance 'unheard-of'"),
    (
        ["plan", "--instance", "dose-finding", "--tau", "0.4", "--delta", "0.1"],
        "--threshold has no effect with --instance, which has its own",
    ),
    (["plan", *PROBLEM, "--delta", "1"], "--delta: delta must lie strictly between 0 and 1"),
    (["plan", *PROBLEM, "--delta", "1e-320"], "--delta: delta must be at least 1e-300"),
    (["plan", *PROBLEM, "--delta", "nan"], "between 0 and 1, got nan"),
    (["plan", *PROBLEM, "--delta", "0.1", "--method", "coin", "coin"], "each method once"),
    (["plan", *PROBLEM, "--budget", "3"], "--budget must be a whole number from 4 to"),
    (["plan", *PROBLEM, "--budget", "500", "--method", "mixture"], "--budget without --delta"),
    (["plan", *PROBLEM, "--delta", "0.1", "--method", "luck"], "unknown method 'luck' (choose"),
    (["plan", *PROBLEM, "--delta", "0.1", "--drop-out", "1"], "the value must be a number in"),
    (["plan", *PROBLEM, "--delta", "0.1", "--batch", "0"], "--batch: the value must be a whole"),
    (["plan", *PROBLEM, "--delta", "0.1", "--plot", "x.doc"], "must end in .pdf or .png or .svg"),
    (["plan", *PROBLEM, "--delta", "0.1", "--plot", "no/such/x.pdf"], "no folder no/such"),
    (["plan", *PROBLEM, "--delta", "often"], "between 0 and 1, got 'often'"),
    (["plna"], "unknown command 'plna' (did you mean plan?)"),
    (["plan", *PROBLEM, "--del", "0.1"], "unrecognized arguments: --del 0.1 (did you mean --delta"),
    (
        ["plan", "--means", "0.5", "0.9", "--tolerance", "0.1", "--delta", "0.1"],
        "has an arm exactly at the threshold: plan it with --method lsa-clipped",
    ),
    (
        ["plan", "--means", "0.5", "0.9", "--delta", "0.1"],
        "and a tolerance above 0, within which either verdict is right",
    ),
    (["simulate", *PROBLEM, "--epsilon", "1"], "the arguments --budget --delta is required"),
    (["simulate", *PROBLEM, *BUDGET, "--delta", "0.1"], "--delta: not allowed with argument"),
    (["simulate", *PROBLEM, "--epsilon", "0", "--budget", "9"], "--epsilon: epsilon must be pos"),
    (["simulate", *PROBLEM, "--epsilon", "x", "--budget", "9"], "(inf means no privacy), got 'x'"),
    (["simulate", *PROBLEM, "--epsilon", "1e-20", "--delta", "0.1"], "must be at least 1e-09"),
    (["simulate", *PROBLEM, "--epsilon", "1", "--budget", "3"], "a whole number from 4 to"),
    (
        ["simulate", *PROBLEM, "--epsilon", "1", "--budget", "100000000000000000000"],
        "--budget: the value must be a whole number from 1 to 10000000000000, got 1000000",
    ),
    (
        ["simulate", *PROBLEM, *LEVELS, "--replicates", "1000000000000000"],
        "--replicates: the value must be a whole number from 1 to 100000000, got 1000000000000000",
    ),
    (["simulate", *PROBLEM, *LEVELS, "--seed", "-1"], "--seed: seed must be a whole number from 0"),
    (["simulate", "--means", "0.5", *LEVELS], "exactly at the threshold"),
    (["plan", "--means", "0.5000000001", *LEVELS], "--budget N without --delta, with --method"),
    (["simulate", "--means", "0.5000000001", *LEVELS], "max_pulls limits it"),
    (["simulate", "--means", "0.5000000001", *LEVELS], "pulls, more than 1e+13"),
    (["plan", "--means", "0.5000000001", *LEVELS], "pulls, more than 1e+13"),
    (["simulate", "--means", "1.5", *LEVELS], "the value must be a number in [0, 1], got 1.5"),
    (["simulate", *PROBLEM, *BUDGET, "--output", "x.txt"], "must end in .csv or .json or .parquet"),
    (["simulate", *PROBLEM, "--budget", "9"], "required: --epsilon"),
    (["simulate", *PROBLEM, *BUDGET, "--replicates", "0"], "got 0"),
    (["simulate", *PROBLEM, *BUDGET, "--policy", "luck"], "unknown policy 'luck'"),
    (["simulate", *PROBLEM, *LEVELS, "--radius", "luck"], "unknown radius 'luck'"),
    (["simulate", *PROBLEM, *LEVELS, "--radius", "mixture", "--engine", "x"], "unknown engine 'x'"),
    (["simulate", *PROBLEM, *BUDGET, "--radius", "mixture"], "--radius has no effect with"),
    (["simulate", *PROBLEM, *BUDGET, "--max-pulls", "9"], "--max-pulls has no effect with"),
    (["simulate", *PROBLEM, *LEVELS, "--policy", "apt"], "--policy has no effect with --delta"),
    (["simulate", *PROBLEM, *LEVELS, "--tolerance", "0.1"], "--tolerance has no effect with"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "complaint"), BAD)
def test_bad_input_is_one_line_and_exit_code_2(capsys, tmp_path, monkeypatch, arguments, complaint):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert re.match(f"ldpt( {arguments[0]})?: ", err)
    assert complaint in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


WORDS = st.one_of(
    st.sampled_from(
        ["nan", "inf", "-inf", "1e-320", "1e308", "-0", "0.5", "1", "2", "9" * 30, "", "x", "\n"]
    ),
    st.text(max_size=4),
)
OPTIONS = ["--epsilon", "--delta", "--budget", "--seed", "--replicates", "--max-pulls",
           "--tolerance", "--threshold", "--radius", "--policy", "--engine", "--instance",
           "--means", "--drop-out", "--batch", "--answers-per-person", "--method"]  # fmt: skip


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    command=st.sampled_from(["plan", "simulate"]),
    pairs=st.lists(st.tuples(st.sampled_from(OPTIONS), WORDS), max_size=5),
)
def test_nonsense_on_the_command_line_is_refused_in_one_line(command, pairs):
    """What argparse and the checks before any simulation make of generated options."""
    words = [word for option, value in pairs for word in (option, value)]
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        unittest.mock.patch(
            "ldpt.commands.simulate._runs", side_effect=ValueError("would simulate")
        ),
        unittest.mock.patch("ldpt.study.planning.make_plan", side_effect=ValueError("would plan")),
    ):
        code = main([command, *words])
    assert code == 2
    assert out.getvalue() == ""
    lines = err.getvalue().splitlines()
    assert len([line for line in lines if not line.startswith("ldpt: warning: ")]) == 1


def test_ldpt_help_lists_every_command():
    command = Path(sys.executable).with_name("ldpt")
    shown = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    for name in COMMANDS:
        assert name in shown


def test_bare_ldpt_prints_its_help(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert out.startswith("usage: ldpt")


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"ldpt {__version__}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_its_example_and_fits_80_columns(capsys, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(capsys, name, "--help")
    assert code == 0
    assert COMMANDS[name].example in re.sub(r"\s+", " ", out)
    assert max(map(len, out.splitlines())) <= 80


def test_help_lists_all_choices(capsys):
    for command in ("plan", "simulate"):
        _, out, _ = run(capsys, command, "--help")
        for method in (*INDEX_POLICIES, *RADII):
            assert method in re.sub(r"-\s+", "-", out)


def complete(words: str) -> list[str]:
    """Words that bash offers after this line."""
    command = Path(sys.executable).with_name("ldpt")
    script = (
        f'eval "$({command} completion)"; COMP_WORDS=({words}); '
        'COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )); _ldpt; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_completion_of_commands_and_options():
    assert complete("ldpt an") == ["analyse"]
    assert complete("ldpt analyse x.csv --thr") == ["--threshold"]
    assert complete("ldpt plan --e") == ["--epsilon", "--explain"]


def test_a_missing_package_is_one_line(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ldpt.provenance.trace", None)
    code, _, err = run(capsys, "trace", "T4.1")
    assert (code, err.count("\n")) == (2, 1)
    assert "is missing: pip install 'ldpt[workflow]'" in err


def test_a_missing_package_for_plots_is_one_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "seaborn", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plot = ["--replicates", "2", "--plot", str(tmp_path / "plan.png")]
    code, _, err = run(capsys, "plan", "--means", "0.1", "--epsilon", "inf", "--budget", "9", *plot)
    assert (code, err.count("\n")) == (2, 1)
    assert err.endswith("is missing: pip install 'ldpt[plots]'\n")


def test_ctrl_c_is_one_line(capsys, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ldpt.commands.simulate._runs", interrupt)
    code, out, err = run(capsys, "simulate", *PROBLEM, *LEVELS)
    assert (code, out, err) == (130, "", "ldpt: interrupted\n")


@pytest.mark.parametrize(
    "words",
    [
        ["--delta", "0.1", "--radius", ""],
        ["--delta", "0.1", "--engine", ""],
        ["--budget", "100", "--policy", ""],
        ["--budget", "100", "--engine", ""],
    ],
)
def test_an_empty_name_is_not_the_default(capsys, words):
    code, out, err = run(capsys, "simulate", *PROBLEM, "--epsilon", "1", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"unknown {words[2].removeprefix('--')} ''" in err


def test_what_is_refused_for_its_cost_is_one_line(capsys):
    words = ["--means", "0.5000000001", "--epsilon", "1", "--delta", "0.1"]
    code, _, err = run(capsys, "simulate", *words)
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "0<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["--version", "analyse examples/answers.csv --tau 0.3 --eps 1"])
def test_closed_streams_end_a_command_as_open_ones_do(closed, words):
    """Some daemons have no standard streams; the second command has an unknown option."""
    done = subprocess.run(
        f"{sys.executable} -m ldpt {words} {closed}", shell=True, capture_output=True, text=True
    )
    assert done.returncode == (0 if words == "--version" else 2)
    assert "Traceback" not in done.stderr
    if words == "--version" and ">&-" not in closed.replace("2>&-", ""):
        assert done.stdout == f"ldpt {__version__}\n"


@pytest.mark.parametrize("number", ["1_0", "\u0663", "1e_3"])
def test_numbers_are_written_in_plain_digits(capsys, number):
    code, _, err = run(capsys, "plan", *PROBLEM, "--delta", "0.1", "--epsilon", number)
    assert code == 2
    assert err.startswith("ldpt plan: argument --epsilon: epsilon must be positive")


def test_the_help_says_what_to_do_before_and_after_a_study_and_with_a_run(capsys):
    _, out, _ = run(capsys, "--help")
    for start in ("before a study: +ldpt plan", "after a study: +ldpt analyse", "run: +ldpt audit"):
        assert re.search(start, out)
    for line in re.findall(r"ldpt (?:plan|analyse|simulate) --?.*|ldpt analyse .*", out):
        parsers()[0].parse_args(line.split()[1:])


def test_an_unwritable_folder_is_not_called_a_missing_one(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    plot = str(tmp_path / "plan.png")
    code, _, err = run(capsys, "plan", *PROBLEM, "--delta", "0.1", "--plot", plot)
    assert code == 2
    assert err.endswith(f"the folder {tmp_path} cannot be written\n")


def test_a_missing_file_is_named_without_an_error_number(capsys, tmp_path):
    code, _, err = run(capsys, "analyse", str(tmp_path / "no.csv"), "--tau", "0.3")
    assert code == 2
    assert err == f"ldpt analyse: there is no file '{tmp_path / 'no.csv'}'\n"


@pytest.mark.parametrize("date", ["abc", "-5", "1" * 20, "1" * 500])
def test_a_date_that_figures_cannot_have_is_refused_before_the_plan(
    capsys, tmp_path, monkeypatch, date
):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    terms = ["--delta", "0.1", "--plot", str(tmp_path / "plan.png")]
    code, out, err = run(capsys, "plan", *PROBLEM, *terms)
    assert (code, out) == (2, "")
    assert err.startswith(
        f"ldpt plan: SOURCE_DATE_EPOCH must be seconds since 1970, got '{date[:9]}"
    )
    assert err.count("\n") == 1


def test_a_plan_speaks_before_anything_is_imported_or_compiled(capsys, monkeypatch):
    """Its first line comes before the module of plans is there."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setitem(sys.modules, "ldpt.study.planning", None)
    with contextlib.suppress(ImportError):
        main(["plan", *PROBLEM, "--delta", "0.1"])
    assert "starting" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        (["--scale", "1", "5", "--delta", "0.1"], "--scores needs --scale LOW HIGH, --threshold"),
        (["--threshold", "3", "--delta", "0.1"], "--scores needs --scale LOW HIGH"),
        (["--scale", "5", "1", "--tau", "3", "--delta", "0.1"], "low must be below high, got 5"),
        (["--scale", "1", "5", "--tau", "5", "--delta", "0.1"], "threshold must lie strictly"),
        (["--scale", "1", "4", "--tau", "3", "--delta", "0.1"], "--scores must be 4 shares"),
        (["--scale", "1", "5", "--tau", "3", "--budget", "9"], "--budget has no effect with --sc"),
        (["--scale", "1", "5", "--tau", "2.4", "--delta", "0.1"], "is the threshold 2.4"),
    ],
)
def test_a_wrong_plan_of_graded_answers_gets_one_line(capsys, terms, message):
    code, out, err = run(capsys, "plan", "--scores", "0.2", "0.4", "0.2", "0.2", "0", *terms)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_plan_of_graded_answers_recommends_only_what_gains_a_tenth(capsys):
    scale = ["--scale", "0", "10", "--threshold", "6", "--delta", "0.1", "--epsilon", "2"]
    same = ["0"] * 5 + ["1"] + ["0"] * 5
    _, out, _ = run(capsys, "plan", "--scores", *same, *scale)
    assert out.startswith("Leave out the 5 lowest cuts (--skip-low 5)")
    ends = ["0.5"] + ["0"] * 9 + ["0.5"]
    _, out, _ = run(capsys, "plan", "--scores", *ends, *scale)
    assert out.startswith("Ask about all cuts")
    assert out.split()[-2:] == ["none", "1.00"]
    _, text, _ = run(capsys, "plan", "--scores", *ends, *scale, "--json")
    assert json.loads(text)["rows"][0]["ratio"] == 1


def test_scores_with_their_mean_at_the_threshold_are_refused_whatever_the_rounding(capsys):
    scale = ["--scale", "0", "4", "--threshold", "2", "--delta", "0.1"]
    code, _, err = run(capsys, "plan", "--scores", *["0.2"] * 5, *scale)
    assert (code, err) == (2, "ldpt plan: the mean of these scores is the threshold 2\n")


def test_a_plan_compares_designs_and_prints_paragraphs(capsys):
    terms = [*PROBLEM, "--delta", "0.1", "--warner", "0.8", "--unrelated", "0.7", "0.3"]
    _, out, err = run(capsys, "plan", *terms)
    assert err == ""
    for word in ("Choose", "Warner's design", "unrelated question", "randomised response"):
        assert word in out
    _, out, _ = run(capsys, "plan", *terms, "--text")
    assert out.startswith("Methods. Answers are randomised")
    assert "by at most 4: a guess of 50 % becomes at most 80 %" in " ".join(out.split())


def test_a_plan_of_designs_without_privacy_says_so(capsys):
    _, out, err = run(capsys, "plan", *PROBLEM, "--delta", "0.1", "--forced", "0.2", "0")
    assert err == ""
    assert "people on average at no privacy (forced response, yes 0.2, no 0)" in " ".join(
        out.split()
    )
    more = ["--forced", "0.2", "0", "--unrelated", "0.7", "0"]
    _, out, _ = run(capsys, "plan", *PROBLEM, "--delta", "0.1", *more)
    assert out.startswith("None of these designs gives any privacy.")


def test_a_plan_of_designs_is_drawn_by_levels_only(capsys, tmp_path):
    plot = ["--plot", str(tmp_path / "plan.png")]
    code, out, err = run(capsys, "plan", *PROBLEM, "--delta", "0.1", "--warner", "0.8", *plot)
    assert (code, out) == (2, "")
    assert err == "ldpt plan: --plot draws people by privacy level: add --epsilon\n"


def test_a_plot_is_saved_in_the_style_that_it_was_drawn_in(capsys, monkeypatch, tmp_path):
    """The fonts of formulas are looked up then; a missing one is a line on standard error."""
    seen = []

    def save(figure: Figure, path: Path, **options: object) -> None:
        seen.append(mpl.rcParams["mathtext.cal"])
        path.touch()

    monkeypatch.setattr(Figure, "savefig", save)
    terms = ["--budget", "50", "--epsilon", "1", "--replicates", "20"]
    run(capsys, "plan", *PROBLEM, *terms, "--plot", str(tmp_path / "plan.png"))
    assert seen == ["Libertinus Serif"]
