"""What Snakemake says: short lines, a failed job in two of them, nothing that nobody needs."""

import io
import logging
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_ldpt import SECONDS, USUAL, WIDTH, Job, LogHandler, Screen, short
from tests.conftest import snakemake

MANY = [f"results/simulations/fixed_budget/three-groups/apt/{i}.parquet" for i in range(400)]


class Stream(io.StringIO):
    """A stream that may be a terminal."""

    def __init__(self, terminal: bool):
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[LogHandler, Stream]]:
    def make(terminal: bool = False, **settings: Any) -> tuple[LogHandler, Stream]:
        screen = Stream(terminal)
        monkeypatch.setattr("sys.stderr", screen)
        monkeypatch.setattr("sys.excepthook", sys.excepthook)  # the handler brings its own
        common = SimpleNamespace(stdout=False, dryrun=False, quiet=None)
        vars(common).update(settings)
        return LogHandler(common, None), screen

    return make


def record(event: LogEvent | None, message: str = "", level: int = logging.INFO, **facts: Any):
    made = logging.LogRecord("snakemake", level, "", 0, message, None, None)
    made.__dict__.update(facts, event=event)
    return made


def job_info(log: Path | None = None, **facts: Any) -> dict[str, Any]:
    known = {"jobid": 3, "rule_name": "all", "wildcards": {"instance": "two", "epsilon": "1"}}
    known |= {"log": [str(log)] if log else [], "input": MANY, "reason": ", ".join(MANY)}
    return known | facts


def play(handler: LogHandler, log: Path | None = None) -> None:
    """A run of two jobs, of which one fails, with everything that Snakemake says around them."""
    handler.emit(record(None, "Building DAG of jobs..."))
    handler.emit(record(LogEvent.RUN_INFO, stats={"all": 1, "figure": 1, "total": 2}))
    handler.emit(record(LogEvent.JOB_INFO, **job_info(jobid=2, rule_name="figure")))
    handler.emit(record(LogEvent.JOB_INFO, **job_info(log)))
    handler.emit(record(LogEvent.JOB_FINISHED, job_id=2))
    handler.emit(record(LogEvent.JOB_ERROR, **job_info(log)))
    handler.emit(record(None, "RuleException:\nCalledProcessError in file x", logging.ERROR))
    handler.emit(record(None, "WorkflowError:\nAt least one job did not complete", logging.ERROR))
    handler.emit(record(None, f"Removing output files of failed job: {MANY}"))
    handler.emit(record(None, f"WorkflowError: {MANY}", logging.ERROR))
    handler.close()


def test_lines_are_short_and_few(handler, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("Traceback\n  ...\nValueError: epsilon must be positive, got 0\n")
    made, screen = handler()
    play(made, log)
    lines = screen.getvalue().splitlines()
    assert [re.sub(r"\d+ s$", "0 s", line) for line in lines[:4]] == [
        "2 jobs of 2 rules",
        "[1/2,  50%] figure two 1, 0 s",
        "failed: all two 1: ValueError: epsilon must be positive, got 0",
        f"  log: {log}",
    ]
    assert lines[4].startswith("WorkflowError")
    assert len(lines) == 5
    assert max(map(len, lines)) <= WIDTH


def test_a_dry_run_names_each_job_and_why(handler) -> None:
    made, screen = handler(terminal=True, dryrun=True)
    made.emit(record(LogEvent.JOB_INFO, **job_info(rule_name="figure")))
    line, _ = on_screen(screen)
    assert line.startswith("rule figure: two 1 (results/simulations")
    assert len(line) <= WIDTH


def test_quiet_shows_only_failures(handler, tmp_path: Path) -> None:
    made, screen = handler(quiet={"Quietness.ALL"})
    play(made, tmp_path / "none.log")
    first, *_ = screen.getvalue().splitlines()
    assert first == "failed: all two 1: its log is empty"


def on_screen(stream: Stream) -> list[str]:
    """The lines that a terminal shows, after what was written over is gone."""
    return [line.rsplit("\r\x1b[K", 1)[-1] for line in stream.getvalue().split("\n")]


def test_a_terminal_names_the_rules_at_work_in_its_last_line() -> None:
    stream = Stream(terminal=True)
    screen = Screen(stream)
    screen.begin(Counter({"figure": 2, "simulate": 1}))
    for rule in ("figure", "figure", "simulate"):
        screen.start(Job(rule, "two", []))
    assert on_screen(stream) == ["3 jobs of 2 rules", "running: figure, simulate"]
    for _ in range(2):
        screen.finish(Job("figure", "two", []))
    assert on_screen(stream)[1:] == [
        "[1/3,  33%] figure two, 0 s",
        "[2/3,  67%] figure two, 0 s",
        "running: simulate",  # nothing of figure runs
    ]
    screen.clear()
    assert on_screen(stream)[-1] == ""


def test_progress_is_weighted_by_predicted_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECONDS, "simulate", 30.0)
    stream = Stream(terminal=False)
    screen = Screen(stream)
    screen.begin(Counter({"simulate": 1, "figure": 5}))
    for rule in ("figure", "simulate"):
        screen.start(Job(rule, "", []))
        screen.finish(Job(rule, "", []))
    shares = [USUAL / (30 + 5 * USUAL), (30 + USUAL) / (30 + 5 * USUAL)]
    lines = [f"[{i}/6, {share:4.0%}]" for i, share in enumerate(shares, start=1)]
    assert [line.split("] ")[0] + "]" for line in stream.getvalue().splitlines()[1:]] == lines


def test_a_job_killed_from_outside_is_one_line_with_its_signal(handler, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("apt at epsilon 1: 500 of 2000 replicates\n")
    made, screen = handler()
    text = "RuleException:\nCalledProcessError in file x, line 3:\nCommand 'y' died with "
    made.emit(record(None, f"{text}<Signals.SIGKILL: 9>.", logging.ERROR))
    made.emit(record(LogEvent.JOB_ERROR, **job_info(log)))
    first, second = screen.getvalue().splitlines()
    assert first.startswith("failed: all: killed from outside by SIGKILL;")
    assert second == f"  log: {log}"


def test_message_of_a_failed_notebook_comes_from_its_log(tmp_path: Path) -> None:
    log, executed = tmp_path / "notebook.log", tmp_path / "explore.ipynb"
    log.write_text("Traceback\n\nValueError: no such column\n\n")
    executed.write_text("{\n}\n")
    assert (
        Job("notebook", "", [str(executed), str(log)]).last_line() == "ValueError: no such column"
    )


def test_an_interrupt_is_one_line_and_its_victims_are_not_failures(handler) -> None:
    made, screen = handler(terminal=True)
    made.emit(record(LogEvent.RUN_INFO, stats={"figure": 1, "total": 1}))
    made.emit(record(LogEvent.JOB_INFO, **job_info(rule_name="figure")))
    made.emit(record(None, "Terminating processes on user request, this might take some time."))
    made.emit(record(LogEvent.JOB_ERROR, **job_info()))
    made.close()
    line = "interrupted: waiting for the running jobs; run again to continue"
    assert on_screen(screen) == ["1 job of 1 rules", line, ""]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, RuntimeError])
def test_an_interrupt_while_the_graph_is_built_has_no_traceback(handler, kind) -> None:
    _, screen = handler()
    sys.excepthook(kind, kind("x"), None)
    said = screen.getvalue()
    line = "interrupted: run again to continue" if kind is KeyboardInterrupt else "RuntimeError: x"
    assert said == f"{line}\n"


def test_a_target_behind_configfile_gets_a_hint(handler, monkeypatch: pytest.MonkeyPatch) -> None:
    made, screen = handler()
    command = ["snakemake", "--configfile", "config/smoke.yaml", "hero", "--cores", "2"]
    monkeypatch.setattr("sys.argv", command)
    made.emit(record(None, "WorkflowError:\nConfig file hero not found.", logging.ERROR))
    hint = "--configfile takes all names after it: put hero before it"
    assert screen.getvalue().splitlines()[-1] == hint
    monkeypatch.setattr("sys.argv", [*command[:1], "hero", *command[1:3], "--cores", "2"])
    made.emit(record(None, "WorkflowError: something else", logging.ERROR))
    assert screen.getvalue().count(hint) == 1


def test_short_truncates_each_line_separately() -> None:
    assert [len(line) for line in short(f"a\n{'b' * 5000}").split("\n")] == [1, WIDTH]


@pytest.mark.workflow
def test_no_line_of_a_real_plan_is_long(copy_project: Callable[[str], Path]) -> None:
    """``rule all`` has more than a hundred inputs."""
    done = snakemake(copy_project("plan"), "--dry-run")
    assert done.returncode == 0, done.stderr[-4000:]
    said = (done.stdout + done.stderr).splitlines()
    (jobs,) = [int(line.split()[0]) for line in said if " jobs of " in line]
    named = [line.split()[1] for line in said if line.lstrip().startswith("rule ")]
    assert len(named) == jobs
    assert named.count("simulate_fixed_budget:") + named.count("simulate_fixed_confidence:") == 58
    assert [line[-4:] for line in said if line.startswith("rule all:")] == [" ..."]
    assert max(map(len, said)) <= WIDTH
