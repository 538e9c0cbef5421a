"""Messages of a Snakemake run: bars on a terminal, plain short lines elsewhere.

Snakemake's own messages name every input and output of every job, in lines of up to 20 000
characters. Here a job is one line, a failed one is shown with the last line of its log and the
log's path, and no line is longer than 200 characters. Snakemake finds this package by its name;
``profiles/default`` selects it. All details are in ``.snakemake/log``.
"""

import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from logging import ERROR, WARNING, LogRecord
from pathlib import Path
from typing import Any, TextIO

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

WIDTH = 200  # characters of the longest line
LONG = 20.0  # seconds after which a finished job gets a separate line beside the bars
NOISE = re.compile(
    r"None$|host: |Building DAG|Assuming unrestricted|Using shell|Provided (cores|resources)"
    r"|Rules claim|Select jobs|Execute \d+ jobs|Job (stats|counts)|Reasons:|Conda environments: "
    r"|Shutting down|Exiting because a job|Removing output|Complete log|Singularity|SNAKEMAKE"
    r"|Unlocking|Finished job|Error in (rule|group)|(RuleException:\s*)?.*CalledProcessError"
    r"|(WorkflowError:\s*)?At least one job did"
)

KILLED = re.compile(r"died with <Signals\.(SIG\w+)")


def short(text: str) -> str:
    """A text in lines that fit."""
    lines = (
        line if len(line) <= WIDTH else f"{line[: WIDTH - 4]} ..." for line in text.split("\n")
    )
    return "\n".join(lines)


def interrupted(kind: type[BaseException], *rest: Any) -> None:
    """Print one line after Ctrl-C, where Snakemake itself shows a traceback."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted: run again to continue", file=sys.stderr)
    else:
        sys.__excepthook__(kind, *rest)


def reason(text: str) -> str:
    """Return a short message whole, and of a traceback or a long one the last line.

    >>> reason("Traceback (most recent call last):\\n  File x, line 1\\nValueError: no")
    'ValueError: no'
    """
    lines = [line for line in text.split("\n") if line.strip()]
    return text if "Traceback" not in text and len(lines) <= 6 else lines[-1].strip()


@dataclass
class Job:
    """What is known of a running job."""

    rule: str
    wildcards: str
    logs: list[str]
    began: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        return f"{self.rule} {self.wildcards}".strip()

    def last_words(self) -> str:
        """The last line of its log, where a traceback ends."""
        for log in map(Path, self.logs):
            if log.suffix == ".log" and log.is_file():
                text = log.read_text(encoding="utf-8", errors="replace").strip()
                return text.rsplit("\n", 1)[-1]
        return ""


class Lines:
    """Plain short lines: one per finished job."""

    def __init__(self, stream: TextIO):
        self.stream = stream
        self.total = self.done = 0

    def say(self, text: str) -> None:
        print(short(text), file=self.stream, flush=True)

    def begin(self, counts: Counter[str]) -> None:
        self.total = counts.total()
        self.say(f"{self.total} jobs of {len(counts)} rules")

    def started(self, job: Job) -> None:
        """Nothing: a line per job is enough."""

    def finished(self, job: Job) -> None:
        self.done += 1
        place = f"[{self.done:>{len(str(self.total))}}/{self.total}]"
        self.say(f"{place} {job.name}, {time.monotonic() - job.began:.0f} s")

    def close(self) -> None:
        """Nothing to tidy up."""


class Bars:
    """Live bars: one for the whole run, with the time left, and one for each rule at work."""

    def __init__(self, stream: TextIO):
        from rich import progress
        from rich.console import Console

        self.console = Console(file=stream, highlight=False)
        self.bars = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=None),
            progress.MofNCompleteColumn(),
            progress.TimeElapsedColumn(),
            progress.TextColumn("left"),
            progress.TimeRemainingColumn(compact=True),
            console=self.console,
            transient=True,
            expand=True,
        )
        self.counts: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.tasks: dict[str, Any] = {}

    def say(self, text: str) -> None:
        self.console.print(short(text), markup=False, soft_wrap=True)

    def begin(self, counts: Counter[str]) -> None:
        self.counts = counts
        self.tasks["all"] = self.bars.add_task("all jobs", total=counts.total())
        self.bars.start()

    def started(self, job: Job) -> None:
        if job.rule not in self.tasks:
            total = self.counts[job.rule] or None
            self.tasks[job.rule] = self.bars.add_task(job.rule, total=total)

    def finished(self, job: Job) -> None:
        self.done[job.rule] += 1
        self.bars.advance(self.tasks["all"])
        self.bars.advance(self.tasks[job.rule])
        if self.done[job.rule] >= self.counts[job.rule]:
            self.bars.remove_task(self.tasks.pop(job.rule))
        seconds = time.monotonic() - job.began
        if seconds >= LONG:
            self.say(f"{time.strftime('%H:%M:%S')} {job.name}, {seconds:.0f} s")

    def close(self) -> None:
        self.bars.stop()


class LogHandler(LogHandlerBase):
    """Turns Snakemake's events into bars or lines."""

    def __post_init__(self) -> None:
        stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.dryrun = self.common_settings.dryrun
        self.screen = Bars(stream) if stream.isatty() and not self.dryrun else Lines(stream)
        self.quiet = {
            str(kind).rsplit(".", 1)[-1].lower() for kind in self.common_settings.quiet or ()
        }
        self.jobs: dict[int, Job] = {}
        self.group: list[str] = []  # heading and jobs of a group in a dry run
        self.begun = self.stopped = False
        sys.excepthook = interrupted

    def emit(self, record: LogRecord) -> None:
        event = getattr(record, "event", None)
        handle = {
            LogEvent.RUN_INFO: self.on_run,
            LogEvent.JOB_INFO: self.on_job,
            LogEvent.GROUP_INFO: self.on_group,
            LogEvent.JOB_FINISHED: self.on_finished,
            LogEvent.JOB_ERROR: self.on_failed,
            LogEvent.GROUP_ERROR: self.on_failed_group,
        }.get(event)
        if handle:
            handle(record.__dict__)
        elif event in (None, LogEvent.ERROR):
            self.on_message(record)

    def on_run(self, info: dict[str, Any]) -> None:
        counts = Counter({rule: n for rule, n in info["stats"].items() if rule != "total"})
        if not self.begun and not self.quiet & {"all", "progress"}:
            self.screen.begin(counts)
        self.begun = True

    def on_job(self, info: dict[str, Any]) -> None:
        values = " ".join(map(str, dict(info["wildcards"] or {}).values()))
        job = Job(info["rule_name"], values, list(info["log"] or []))
        self.jobs[info["jobid"]] = job
        if self.dryrun and not self.quiet & {"all", "rules"}:
            self.plan(f"rule {job.rule}: {values or '-'} ({info['reason']})", info.get("indent"))
        elif not self.quiet & {"all", "progress"}:
            self.screen.started(job)

    def on_group(self, info: dict[str, Any]) -> None:
        self.say_group()
        self.group = [info["msg"]] if self.dryrun and not self.quiet & {"all", "rules"} else []

    def plan(self, line: str, grouped: bool) -> None:
        """Say a job of a dry run; those of a group are kept until the group is complete."""
        if grouped and self.group:
            self.group.append(line)
        else:
            self.say_group()
            self.screen.say(line)

    def say_group(self) -> None:
        """Say the jobs of a group, without a heading where there is one job only."""
        head, *jobs = self.group or [""]
        if len(jobs) == 1:
            self.screen.say(jobs[0])
        elif jobs:
            self.screen.say("\n  ".join([head, *jobs]))
        self.group = []

    def on_finished(self, info: dict[str, Any]) -> None:
        job = self.jobs.get(info["job_id"])
        if job and not self.quiet & {"all", "progress"}:
            self.screen.finished(job)

    def on_failed(self, info: dict[str, Any]) -> None:
        if self.stopped:
            return
        job = self.jobs.get(info["jobid"]) or Job(info["rule_name"], "", list(info["log"] or []))
        self.screen.say(f"failed: {job.name}: {job.last_words() or 'its log is empty'}")
        for log in job.logs:
            self.screen.say(f"  log: {log}")

    def on_failed_group(self, info: dict[str, Any]) -> None:
        for member in info["job_error_info"]:
            self.on_failed(member)

    def on_message(self, record: LogRecord) -> None:
        """Say whatever else Snakemake reports, but for its noise."""
        self.say_group()
        text = record.getMessage().strip()
        if text.startswith("Terminating processes"):
            self.stopped, text = (
                True,
                "interrupted: waiting for the running jobs; run again to continue",
            )
            self.screen.close()
        if killed := KILLED.search(text):
            self.screen.say(
                f"  killed from outside by {killed[1]}; out of memory is a common reason"
            )
        if not text or NOISE.match(text) or (record.levelno < WARNING and "all" in self.quiet):
            return
        self.screen.say(text if record.levelno < ERROR else reason(text))

    def close(self) -> None:
        self.say_group()
        self.screen.close()
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        return True

    @property
    def writes_to_file(self) -> bool:
        return False

    @property
    def has_filter(self) -> bool:
        return True

    @property
    def has_formatter(self) -> bool:
        return True

    @property
    def needs_rulegraph(self) -> bool:
        return False
