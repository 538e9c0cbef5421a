"""The command line: plan and simulate end to end, and one line for every bad input."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from ldpt import simulate
from ldpt.cli import main
from ldpt.instances import Instance

PROBLEM = ["--means", "0.3", "0.7"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one command."""
    try:
        code = main(arguments)
    except SystemExit as end:  # argparse ends by itself
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


# --- plan


def test_plan_prints_a_table_and_draws_a_plot(capsys, tmp_path):
    plot = tmp_path / "plan.png"
    terms = ["--epsilon", "2", "--delta", "0.1", "--budget", "500", "--replicates", "60"]
    code, out, err = run(capsys, "plan", *PROBLEM, *terms, "--plot", str(plot))
    assert (code, err) == (0, "")
    for word in (
        "apt",
        "printed",
        "hoeffding",
        "mixture",
        "Smallest epsilon",
        "Error of Algorithm 1",
    ):
        assert word in out
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_plan_for_machines(capsys):
    terms = ["--arms", "4", "--gap", "0.2", "--epsilon", "1", "--delta", "0.1"]
    code, out, _ = run(
        capsys, "plan", *terms, "--method", "mixture", "--replicates", "60", "--json"
    )
    assert code == 0
    plan = json.loads(out)
    assert plan["instance"]["means"] == [0.3, 0.3, 0.7, 0.7]
    assert [row["epsilon"] for row in plan["cost"]] == [1.0, "inf"]


def test_plan_knows_the_instances_of_the_config(capsys):
    terms = ["--epsilon", "4", "--delta", "0.2", "--method", "mixture", "--replicates", "20"]
    code, out, _ = run(capsys, "plan", "--instance", "dose-finding", *terms)
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
    assert "mean_pulls" in out
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs.parquet"]


def test_simulate_shows_runs_and_estimate_on_the_screen(capsys):
    terms = ["--epsilon", "inf", "--budget", "20", "50", "--replicates", "100"]
    code, out, err = run(capsys, "simulate", *PROBLEM, *terms, "--policy", "uniform")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["replicate", "budget", "loss"]
    estimate = next(line.split() for line in lines if line.startswith("estimate"))
    runs = simulate.fixed_budget(
        Instance("command-line", [0.3, 0.7], 0.5), float("inf"), [20, 50], 100, 0, "uniform"
    )
    assert [float(x) for x in estimate[1:]] == runs.groupby("budget")["loss"].mean().tolist()


def test_the_progress_bar_goes_to_standard_error_of_a_terminal_only(capsys, monkeypatch):
    code, _, err = run(capsys, "simulate", *PROBLEM, "--epsilon", "1", "--budget", "20")
    assert (code, err) == (0, "")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    code, out, err = run(capsys, "simulate", *PROBLEM, "--epsilon", "1", "--budget", "20")
    assert code == 0
    assert "1000/1000" in err
    assert "1000/1000" not in out


# --- bad input

BAD = [
    (["plan", *PROBLEM], "a plan needs delta, a budget, or both"),
    (["plan", "--delta", "0.1"], "exactly one of --instance, --means, --arms"),
    (["plan", *PROBLEM, "--arms", "3", "--gap", "0.1", "--delta", "0.1"], "exactly one of"),
    (["plan", "--arms", "3", "--delta", "0.1"], "--arms and --gap belong together"),
    (["plan", "--arms", "3", "--gap", "0", "--delta", "0.1"], "--gap must be positive, got 0.0"),
    (["plan", "--arms", "2", "--gap", "0.7", "--delta", "0.1"], "is not in [0, 1]"),
    (["plan", "--instance", "unheard-of", "--delta", "0.1"], "no instance 'unheard-of'"),
    (
        ["plan", "--instance", "dose-finding", "--tau", "0.4", "--delta", "0.1"],
        "--threshold and --tolerance are the instance's own",
    ),
    (["plan", *PROBLEM, "--delta", "1"], "delta must lie strictly between 0 and 1, got 1.0"),
    (["plan", *PROBLEM, "--budget", "3"], "at least 2K = 4, got 3"),
    (["plan", *PROBLEM, "--delta", "0.1", "--method", "luck"], "method must be one of"),
    (["plan", *PROBLEM, "--delta", "0.1", "--plot", "x.doc"], "must end in .pdf or .png or .svg"),
    (["plan", *PROBLEM, "--delta", "0.1", "--plot", "no/such/x.pdf"], "no folder no/such"),
    (["plan", *PROBLEM, "--delta", "often"], "invalid float value: 'often'"),
    (["simulate", *PROBLEM, "--epsilon", "1"], "either --budget (Algorithm 1) or --delta"),
    (["simulate", *PROBLEM, "--epsilon", "0", "--budget", "9"], "epsilon must be positive"),
    (["simulate", *PROBLEM, "--epsilon", "1", "--budget", "3"], "at least 2K = 4, got 3"),
    (
        ["simulate", "--means", "0.5", "--epsilon", "1", "--delta", "0.1"],
        "exactly at the threshold",
    ),
    (["simulate", "--means", "1.5", "--epsilon", "1", "--delta", "0.1"], "means[0] = 1.5"),
    (
        ["simulate", *PROBLEM, "--epsilon", "1", "--budget", "9", "--output", "x.csv"],
        "must end in .parquet",
    ),
    (["simulate", *PROBLEM, "--budget", "9"], "required: --epsilon"),
    (["simulate", *PROBLEM, "--epsilon", "1", "--budget", "9", "--replicates", "0"], "got 0"),
    (["simulate", *PROBLEM, "--epsilon", "1", "--budget", "9", "--policy", "luck"], "got 'luck'"),
]


@pytest.mark.parametrize(("arguments", "complaint"), BAD)
def test_bad_input_is_one_line_and_exit_code_2(capsys, tmp_path, monkeypatch, arguments, complaint):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"ldpt {arguments[0]}: ")
    assert complaint in err
    assert list(tmp_path.iterdir()) == []


def test_the_installed_command_says_what_it_can_do():
    command = Path(sys.executable).with_name("ldpt")
    shown = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    for name in ("plan", "simulate", "trace", "audit"):
        assert name in shown
