"""What Snakemake says: short lines, a failed job in two of them, nothing that nobody needs."""

import io
import logging
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_ldpt import (
    LONG,
    NEARLY,
    SECONDS,
    TRUST,
    USUAL,
    WIDTH,
    Bars,
    Job,
    LogHandler,
    short,
)

FIGURE = ["out/figures/hero.pdf", "out/figures/hero.png"]
MANY = [f"results/simulations/fixed_budget/three-groups/apt/{i}.parquet" for i in range(400)]


def test_the_logger_leaves_it_to_the_rule_files_from_where_ldpt_comes() -> None:
    """Snakemake imports the logger first; a copied project has its own package."""
    code = "import sys, snakemake_logger_plugin_ldpt; sys.exit('ldpt' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


class Screen(io.StringIO):
    """A stream that may be a terminal."""

    def __init__(self, terminal: bool):
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[LogHandler, Screen]]:
    def make(terminal: bool = False, **settings: Any) -> tuple[LogHandler, Screen]:
        screen = Screen(terminal)
        monkeypatch.setattr("sys.stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
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
    known = {"jobid": 3, "rule_name": "table", "wildcards": {"instance": "two", "epsilon": "1"}}
    known |= {"log": [str(log)] if log else [], "input": MANY, "output": ["out/figures/a.csv"]}
    known |= {"reason": f"Missing output files: {', '.join(MANY)}"}
    return known | facts


def play(handler: LogHandler, log: Path | None = None) -> None:
    """A run of two jobs, of which one fails, with everything that Snakemake says around them."""
    handler.emit(record(None, "Building DAG of jobs..."))
    handler.emit(record(LogEvent.RUN_INFO, stats={"all": 1, "table": 1, "figure": 1, "total": 3}))
    handler.emit(record(LogEvent.JOB_INFO, **job_info(jobid=2, rule_name="figure", output=FIGURE)))
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
        "[1/2] figure two 1, 0 s",
        "failed: table two 1: ValueError: epsilon must be positive, got 0",
        f"  log: {log}",
    ]
    assert lines[4].startswith("WorkflowError")
    assert lines[5:] == ["1 job failed: table two 1", "1 figure in out/figures; 0:00:00"]
    assert max(map(len, lines)) <= WIDTH


def test_a_dry_run_names_each_job_and_ends_with_the_cost(
    handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, screen = handler(terminal=True, dryrun=True)
    counts = {"all": 1, "simulate_x": 2, "hero": 1, "total": 4}
    monkeypatch.setitem(SECONDS, "simulate_x", 600.0)
    made.cores = 2
    made.emit(record(LogEvent.RUN_INFO, stats=counts))
    for number, rule in enumerate(["simulate_x", "simulate_x", "hero", "all"]):
        output = FIGURE if rule == "hero" else []
        made.emit(
            record(LogEvent.JOB_INFO, **job_info(jobid=number, rule_name=rule, output=output))
        )
    made.emit(record(LogEvent.RUN_INFO, stats=counts))
    made.close()
    *jobs, last = screen.getvalue().splitlines()
    missing = f"Missing output files: {MANY[0]} and 399 more"
    assert jobs == [
        f"rule {rule}: two 1 ({missing})" for rule in ("simulate_x", "simulate_x", "hero")
    ]
    kinds = "3 jobs: 2 simulations, 1 figure"
    assert last == f"{kinds}; about 20 minutes of one core, 10 minutes on 2 cores"


def test_quiet_shows_only_failures(handler, tmp_path: Path) -> None:
    made, screen = handler(quiet={"Quietness.ALL"})
    play(made, tmp_path / "none.log")
    first, *_ = screen.getvalue().splitlines()
    assert first == "failed: table two 1: its log is empty"


def test_a_terminal_shows_bars_and_long_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen(terminal=True)
    bars = Bars(screen)
    bars.begin(Counter({"figure": 2, "table": 1}), cores=2)
    job = Job("figure", "two", [], began=0.0)
    for now in (0.0, LONG):
        monkeypatch.setattr("time.monotonic", lambda now=now: now)
        bars.start(job)
        bars.finish(job)
    assert "figure" not in bars.tasks
    bars.close()
    assert f"figure two, {LONG:.0f} s" in screen.getvalue()
    assert "all 3 jobs" in screen.getvalue()


def test_progress_follows_predicted_times_and_running_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """On two cores, slower than predicted."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setitem(SECONDS, "simulate", 30.0)
    bars = Bars(Screen(terminal=True))
    bars.begin(Counter({"simulate": 2, "figure": 5}), cores=2)
    total = 60.0 + 5 * USUAL
    assert bars.seconds_left() == total / 2, "as predicted"
    drawing, running_job = (Job(rule, "", [], began=0.0) for rule in ("figure", "simulate"))
    bars.start(drawing)
    bars.start(running_job)
    now[0] = 15.0
    bars.finish(drawing)
    bars.move()
    whole, running = bars.bars.tasks[0], bars.bars.tasks[-1]
    assert set(bars.tasks) == {"simulate"}, "no figure is being drawn"
    assert (running.completed, running.total) == (0.5, 2)
    assert (whole.completed, whole.total) == (USUAL + 15.0, total)
    now[0] = 120.0
    bars.move()
    assert bars.bars.tasks[-1].completed == NEARLY
    work = USUAL + NEARLY * 30.0
    assert bars.seconds_left() == pytest.approx((total - work) * (120 + TRUST) / (work + 2 * TRUST))
    bars.close()


def test_a_job_killed_from_outside_is_one_line_with_its_signal(handler, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("apt at epsilon 1: 500 of 2000 replicates\n")
    made, screen = handler()
    text = "RuleException:\nCalledProcessError in file x, line 3:\nCommand 'y' died with "
    made.emit(record(None, f"{text}<Signals.SIGKILL: 9>.", logging.ERROR))
    made.emit(record(LogEvent.JOB_ERROR, **job_info(log)))
    first, second = screen.getvalue().splitlines()
    assert first.startswith("failed: table: killed from outside by SIGKILL, perhaps for memory: ")
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
    made.emit(record(None, "Terminating processes on user request, this might take some time."))
    made.emit(record(None, "Complete log(s): x"))
    hidden, shown = "\x1b[?25l", "\x1b[?25h"
    assert screen.getvalue().rindex(shown) > screen.getvalue().rindex(hidden)
    said = len(screen.getvalue())
    made.emit(record(LogEvent.JOB_ERROR, **job_info()))
    made.close()
    assert screen.getvalue()[said:] == ""
    assert screen.getvalue().count("interrupted: run again to continue") == 1


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


def test_a_dumb_terminal_gets_lines(handler, monkeypatch: pytest.MonkeyPatch) -> None:
    handler()
    monkeypatch.setenv("TERM", "dumb")
    screen = Screen(terminal=True)
    monkeypatch.setattr("sys.stderr", screen)
    made = LogHandler(SimpleNamespace(stdout=False, dryrun=False, quiet=None), None)
    play(made)
    assert "\x1b" not in screen.getvalue()
    assert "[1/2] figure two 1, 0 s" in screen.getvalue()


def test_a_closed_stream_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    monkeypatch.setattr("sys.excepthook", sys.excepthook)
    play(LogHandler(SimpleNamespace(stdout=False, dryrun=False, quiet=None), None))


def test_the_last_line_says_what_a_run_made(handler) -> None:
    made, screen = handler()
    made.emit(record(LogEvent.RUN_INFO, stats={"hero": 1, "article": 1, "all": 1, "total": 3}))
    for number, output in enumerate([FIGURE, ["out/paper/report.pdf"], []]):
        rule = ["hero", "article", "all"][number]
        made.emit(
            record(LogEvent.JOB_INFO, **job_info(jobid=number, rule_name=rule, output=output))
        )
        made.emit(record(LogEvent.JOB_FINISHED, job_id=number))
    made.emit(record(None, "Elapsed time: 0:00:01.13"))
    made.close()
    made.close()
    lines = screen.getvalue().splitlines()
    assert lines[0] == "2 jobs of 2 rules"
    assert lines[-1] == "1 figure in out/figures, the article is out/paper/report.pdf; 0:00:00"
    assert len(lines) == 4
