"""Messages of a Snakemake run: bars on a terminal, one short line per job elsewhere.

Snakemake's own messages name every input and output of every job, in lines of up to 20 000
characters. Here a failed job is one line with its reason and its log, and no line is longer than
200 characters. Snakemake finds this package by its name; ``profiles/default`` selects it. All
details are in ``.snakemake/log``.
"""

import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import takewhile
from logging import ERROR, WARNING, LogRecord
from pathlib import Path
from typing import Any, TextIO

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

WIDTH = 200  # characters of the longest line
LONG = 20.0  # seconds after which a finished job gets a line above the bars
USUAL = 2.0  # seconds of a job whose rule is not in SECONDS
SECONDS: dict[str, float] = {}  # predicted time of one job by rule; the workflow fills it
NOISE = re.compile(
    r"None$|host: |Building DAG|Assuming unrestricted|Using shell|Provided (cores|resources)"
    r"|Rules claim|Select jobs|Execute \d+ jobs|Job (stats|counts)|Reasons:|Conda environments: "
    r"|Shutting down|Exiting because a job|Removing output|Complete log|Singularity|SNAKEMAKE"
    r"|Unlocking|Finished job|Error in (rule|group)|(RuleException:\s*)?.*CalledProcessError"
    r"|(WorkflowError:\s*)?At least one job did|Group jobs?[: ]"
)
KILLED = re.compile(r"died with <Signals\.(SIG\w+)")


def short(text: str) -> str:
    """Return a text with its lines cut to fit."""
    lines = text.split("\n")
    return "\n".join(line if len(line) <= WIDTH else f"{line[: WIDTH - 4]} ..." for line in lines)


def reason(text: str) -> str:
    """Return a short message whole, and of a traceback or a long one the last line.

    >>> reason("Traceback (most recent call last):\\n  File x, line 1\\nValueError: no")
    'ValueError: no'
    """
    lines = [line for line in text.split("\n") if line.strip()]
    return text if "Traceback" not in text and len(lines) <= 6 else lines[-1].strip()


def swallowed_targets(arguments: list[str]) -> list[str]:
    """Return the targets that ``--configfile``, which takes several names, took for configs.

    >>> swallowed_targets(["--configfile", "config/smoke.yaml", "figures/hero.png", "-n"])
    ['figures/hero.png']
    """
    after = arguments[arguments.index("--configfile") + 1 :] if "--configfile" in arguments else []
    names = takewhile(lambda word: not word.startswith("-"), after)
    return [name for name in names if Path(name).suffix not in (".yaml", ".yml")]


def end_after_interrupt(kind: type[BaseException], *rest: Any) -> None:
    """Print one line after Ctrl-C, where Snakemake itself shows a traceback."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted: run again to continue", file=sys.stderr)
    else:
        sys.__excepthook__(kind, *rest)


@dataclass
class Job:
    """A running job."""

    rule: str
    wildcards: str
    logs: list[str]
    began: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        return f"{self.rule} {self.wildcards}".strip()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def last_line(self) -> str:
        """Return the last line of the log, where a traceback ends."""
        for log in map(Path, self.logs):
            if log.suffix == ".log" and log.is_file():
                text = log.read_text(encoding="utf-8", errors="replace").strip()
                return text.rsplit("\n", 1)[-1]
        return ""


class Lines:
    """One short line per finished job."""

    def __init__(self, stream: TextIO):
        self.stream = stream
        self.counts: Counter[str] = Counter()  # jobs by rule
        self.done: Counter[str] = Counter()

    def say(self, text: str) -> None:
        print(short(text), file=self.stream, flush=True)

    def begin(self, counts: Counter[str]) -> None:
        self.counts = counts
        self.say(f"{counts.total()} job{'s' * (counts.total() > 1)} of {len(counts)} rules")

    def start(self, job: Job) -> None:
        """Do nothing: one line per job is enough."""

    def finish(self, job: Job) -> None:
        self.done[job.rule] += 1
        total = str(self.counts.total())
        self.say(f"[{self.done.total():>{len(total)}}/{total}] {job.name}, {job.seconds:.0f} s")

    def close(self) -> None:
        """Do nothing."""


class Bars(Lines):
    """Live bars: one for the whole run by predicted time, and one for each rule at work."""

    def __init__(self, stream: TextIO):
        from rich import progress
        from rich.console import Console

        super().__init__(stream)
        self.bars = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=None),
            progress.TaskProgressColumn(),
            progress.TimeElapsedColumn(),
            progress.TextColumn("left"),
            progress.TimeRemainingColumn(compact=True),
            console=Console(file=stream, highlight=False),
            transient=True,
            expand=True,
        )
        self.running: Counter[str] = Counter()
        self.tasks: dict[str, Any] = {}  # bars by rule

    def say(self, text: str) -> None:
        self.bars.console.print(short(text), markup=False, soft_wrap=True)

    def begin(self, counts: Counter[str]) -> None:
        self.counts = counts
        seconds = sum(number * SECONDS.get(rule, USUAL) for rule, number in counts.items())
        self.whole = self.bars.add_task(f"all {counts.total()} jobs", total=seconds)
        self.bars.start()

    def start(self, job: Job) -> None:
        self.running[job.rule] += 1
        if job.rule not in self.tasks:
            count, done = self.counts[job.rule] or None, self.done[job.rule]
            self.tasks[job.rule] = self.bars.add_task(job.rule, total=count, completed=done)

    def finish(self, job: Job) -> None:
        self.done[job.rule] += 1
        self.running[job.rule] -= 1
        self.bars.update(self.whole, advance=SECONDS.get(job.rule, USUAL))
        self.bars.update(self.tasks[job.rule], advance=1)
        if not self.running[job.rule]:  # idle rules have no bar
            self.bars.remove_task(self.tasks.pop(job.rule))
        if job.seconds >= LONG:
            self.say(f"{time.strftime('%H:%M:%S')} {job.name}, {job.seconds:.0f} s")

    def close(self) -> None:
        self.bars.stop()


class LogHandler(LogHandlerBase):
    """Turn Snakemake's events into bars or lines."""

    def __post_init__(self) -> None:
        stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.dryrun = self.common_settings.dryrun
        self.screen = Bars(stream) if stream.isatty() and not self.dryrun else Lines(stream)
        quiet = {str(kind).rsplit(".", 1)[-1].lower() for kind in self.common_settings.quiet or ()}
        self.silent = "all" in quiet
        self.shows_progress = not quiet & {"all", "progress"}
        self.shows_plan = self.dryrun and not quiet & {"all", "rules"}
        self.jobs: dict[int, Job] = {}
        self.signal = ""  # of the job that is reported next
        self.begun = self.stopped = False
        sys.excepthook = end_after_interrupt

    def emit(self, record: LogRecord) -> None:
        event = getattr(record, "event", None)
        handle = {
            LogEvent.RUN_INFO: self.on_run,
            LogEvent.JOB_INFO: self.on_job,
            LogEvent.JOB_FINISHED: self.on_finished,
            LogEvent.JOB_ERROR: self.on_failed,
            LogEvent.GROUP_ERROR: self.on_failed_group,
        }.get(event)
        if handle:
            handle(record.__dict__)
        elif event in (None, LogEvent.ERROR):
            self.on_message(record)

    def on_run(self, info: dict[str, Any]) -> None:
        if not self.begun and self.shows_progress:
            counts = {rule: number for rule, number in info["stats"].items() if rule != "total"}
            self.screen.begin(Counter(counts))
        self.begun = True

    def on_job(self, info: dict[str, Any]) -> None:
        values = " ".join(map(str, dict(info["wildcards"] or {}).values()))
        job = self.jobs[info["jobid"]] = Job(info["rule_name"], values, list(info["log"] or []))
        if self.shows_plan:
            self.screen.say(f"rule {job.rule}: {values or '-'} ({info['reason']})")
        elif self.shows_progress and not self.dryrun:
            self.screen.start(job)

    def on_finished(self, info: dict[str, Any]) -> None:
        job = self.jobs.get(info["job_id"])
        if job and self.shows_progress:
            self.screen.finish(job)

    def on_failed(self, info: dict[str, Any]) -> None:
        if self.stopped:
            return
        job = self.jobs.get(info["jobid"]) or Job(info["rule_name"], "", list(info["log"] or []))
        why = job.last_line() or "its log is empty"
        if self.signal:
            why = f"killed from outside by {self.signal}; out of memory is a common reason"
        self.signal = ""
        self.screen.say(f"failed: {job.name}: {why}")
        for log in job.logs:
            self.screen.say(f"  log: {log}")

    def on_failed_group(self, info: dict[str, Any]) -> None:
        for member in info["job_error_info"]:
            self.on_failed(member)

    def on_message(self, record: LogRecord) -> None:
        """Say whatever else Snakemake reports, but for its noise."""
        text = record.getMessage().strip()
        if killed := KILLED.search(text):  # comes before the report of the job
            self.signal = killed[1]
        if text.startswith("Terminating processes"):
            self.stopped = True
            self.screen.close()
            text = "interrupted: waiting for the running jobs; run again to continue"
        if not text or NOISE.match(text) or (record.levelno < WARNING and self.silent):
            return
        self.screen.say(text if record.levelno < ERROR else reason(text))
        targets = swallowed_targets(sys.argv)
        if targets and record.levelno >= ERROR and not self.begun:
            names = " ".join(targets)
            self.screen.say(f"--configfile takes all names after it: put {names} before it")

    def close(self) -> None:
        self.screen.close()
        super().close()

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False
