"""Messages of a Snakemake run: bars on a terminal, one short line per job elsewhere.

Snakemake's own messages name every input and output of every job, in lines of up to 20 000
characters. Here a failed job is one line with its reason and its log, and no line is longer than
200 characters. Snakemake finds this package by its name; ``profiles/terminal`` selects it. All
details are in ``.snakemake/log``.
"""

import logging
import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
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
TARGETS = ("all", "everything")  # rules that only request products: no jobs
TRUST = 30.0  # seconds after which the measured speed of a run counts as much as the predicted one
BLOCK = 4096  # bytes that a disk must have for a line of a log
NEARLY = 0.95  # share of its predicted time after which a running job waits for its end
NOISE = re.compile(
    r"None$|host: |Building DAG|Assuming unrestricted|Using shell|Provided (cores|resources)"
    r"|Rules claim|Select jobs|Execute \d+ jobs|Job (stats|counts)|Reasons:|Conda environments: "
    r"|Shutting down|Exiting because a job|Removing output|Complete log|Singularity|SNAKEMAKE"
    r"|This was a dry-run|Some jobs were triggered|Rules with (provenance|missing|outdated)"
    r"|Unlocking|Finished job|Error in (rule|group)|(RuleException:\s*)?.*CalledProcessError"
    r"|(WorkflowError:\s*)?At least one job did|Group jobs?[: ]|Config file .* is |Elapsed time"
)
FUTURE = re.compile(r"older modification time \([^)]*\) than input (.*) \(([-\d]+ [:\d]+)[.\d]*\)")
RIGHT_TIME = "set the clock, or `find . -newermt now -exec touch -d now {} +`, and run again"
MORE_MEMORY = "run again with fewer --cores or more memory"
LACKS_MEMORY = re.compile(r"MemoryError\b.*")
KILLED = re.compile(r"died with <Signals\.(SIG\w+)")


def printable(text: str) -> str:
    """Return a text without control characters, which names may hold.

    As :func:`ldpt.util.messages.printable`, which cannot be imported here: rule files choose, later
    than Snakemake begins to log, from which folder ``ldpt`` comes.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def short(text: str) -> str:
    """Return a text with its lines cut to fit."""
    lines = [printable(line) for line in text.split("\n")]
    return "\n".join(line if len(line) <= WIDTH else f"{line[: WIDTH - 4]} ..." for line in lines)


def reason(text: str) -> str:
    r"""Return a short message whole; of a traceback or a long one, the line with the error.

    >>> reason("Traceback (most recent call last):\n  File x, line 1\nValueError: no")
    'ValueError: no'
    >>> reason("InputFunctionException in rule x:\nError:\n  ValueError: no\nWildcards:\n")
    'ValueError: no'
    >>> reason('WorkflowError in file "x", line 5:\nconfig: seed is missing\n  File x')
    'config: seed is missing'
    >>> reason("OSError: [Errno 30] Read-only file system: 'results'")
    "Read-only file system: 'results': copy the project to a folder that can be written"
    >>> reason("OSError: [Errno 28] No space left on device")
    'No space left on device: free some for this folder, TMPDIR and XDG_CACHE_HOME'
    >>> reason("Output a has older modification time (2026-01-01 0:00:00.1) than input b.csv "
    ...        "(2090-01-01 00:00:00). This could indicate a clock skew problem.").split("`")[0]
    'b.csv has the date 2090-01-01 00:00:00, in the future: set the clock, or '
    """
    if cause := re.search(r"^Error:\n +(\w+: .*)$", text, re.MULTILINE):
        return cause[1]
    if trouble := re.search(r"^\w+Error: \[Errno \d+\] (.*)$", text, re.MULTILINE):
        if trouble[1].startswith("No space left"):
            return trouble[1] + ": free some for this folder, TMPDIR and XDG_CACHE_HOME"
        hint = ""
        if trouble[1].startswith(("Permission denied", "Read-only")):
            what = "set XDG_CACHE_HOME" if "/.cache" in text else "copy the project"
            hint = f": {what} to a folder that can be written"
        return trouble[1] + hint
    if "uid not found" in text or "No username set" in text:
        return "this user has no name, which Snakemake asks for: set USER and run again"
    if future := FUTURE.search(text):
        name, date = future.groups()
        return f"{name} has the date {date}, in the future: {RIGHT_TIME}"
    lines = [line for line in text.split("\n") if line.strip()]
    if re.match(r"\w+ in file .*, line \d+:$", lines[0]) and len(lines) > 1:
        return lines[1].strip()
    return lines[-1].strip() if "Traceback" in text or len(lines) > 6 else text


def first_names(reasons: str) -> str:
    """Return Snakemake's reasons to run a job with the first file of each list.

    >>> first_names("Missing output files: a, b, c; Code has changed")
    'Missing output files: a and 2 more; Code has changed'
    """
    parts = []
    for part in reasons.split("; "):
        names = part.split(", ")
        parts.append(names[0] + f" and {len(names) - 1} more" * (len(names) > 1))
    return "; ".join(parts)


def clock(seconds: float) -> str:
    """Return a time as h:mm:ss.

    >>> clock(3723.4)
    '1:02:03'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def roughly(seconds: float) -> str:
    """Return a predicted time in a unit that suits it.

    >>> roughly(40), roughly(400), roughly(40000)
    ('1 minute', '7 minutes', '11 hours')
    """
    hours = seconds / 3600
    number, unit = (hours, "hour") if hours >= 2 else (max(seconds / 60, 1), "minute")
    return f"{number:.0f} {unit}{'s' * (round(number) > 1)}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "job"), counted(2, "job")
    ('1 job', '2 jobs')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


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
    """A job of the run, which has begun."""

    rule: str
    wildcards: str
    logs: list[str]
    outputs: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        return f"{self.rule} {self.wildcards}".strip()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def share(self) -> float:
        """Return how much of the predicted time has passed."""
        return min(self.seconds / predicted(self.rule), NEARLY)

    @property
    def figures(self) -> list[Path]:
        """Return the figures that the job draws."""
        paths = [Path(output) for output in self.outputs if output.endswith(".pdf")]
        return [path for path in paths if path.parent.name == "figures"]

    @property
    def articles(self) -> list[str]:
        return [output for output in self.outputs if output.endswith("report.pdf")]

    @property
    def kind(self) -> str:
        """Return what the job is, in a word."""
        return "figure" if self.figures else self.rule.partition("_")[0]

    def last_line(self) -> str:
        """Return the last line of the log, where a traceback ends."""
        for log in map(Path, self.logs):
            if log.suffix == ".log" and log.is_file():
                text = log.read_text(encoding="utf-8", errors="replace").strip()
                return text.rsplit("\n", 1)[-1]
        return ""

    def silence(self) -> str:
        """Return why the log may be empty."""
        folders = [Path(log).parent for log in self.logs if Path(log).parent.is_dir()]
        full = any(shutil.disk_usage(folder).free < BLOCK for folder in folders)
        return "no space left on the disk" if full else "its log is empty"


def predicted(rule: str) -> float:
    """Return the predicted time of one job of a rule."""
    return SECONDS.get(rule, USUAL)


class Lines:
    """One short line per finished job."""

    def __init__(self, stream: TextIO):
        self.stream = stream
        self.counts: Counter[str] = Counter()  # jobs by rule
        self.done: Counter[str] = Counter()

    def say(self, text: str) -> None:
        print(short(text), file=self.stream, flush=True)

    def begin(self, counts: Counter[str], cores: int) -> None:
        self.counts = counts
        self.say(f"{counted(counts.total(), 'job')} of {counted(len(counts), 'rule')}")

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
        self.running: list[Job] = []
        self.whole: Any = None  # the bar of the run
        self.tasks: dict[str, Any] = {}  # bars by rule
        screen = self

        class Refreshed(progress.Progress):
            """Bars that move while jobs run."""

            def get_renderables(self) -> Iterator[Any]:
                screen.move()
                yield from super().get_renderables()

        self.bars = Refreshed(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=None),
            progress.TaskProgressColumn(),
            progress.TimeElapsedColumn(),
            progress.TextColumn("{task.fields[left]}"),
            console=Console(file=stream, highlight=False),
            transient=True,
            expand=True,
        )

    def say(self, text: str) -> None:
        self.bars.console.print(short(text), markup=False, soft_wrap=True)

    def begin(self, counts: Counter[str], cores: int) -> None:
        self.counts = counts
        self.cores = cores
        self.began = time.monotonic()
        seconds = sum(number * predicted(rule) for rule, number in counts.items())
        name = f"all {counted(counts.total(), 'job')}"
        self.whole = self.bars.add_task(name, total=seconds, left="")
        self.bars.start()

    def start(self, job: Job) -> None:
        self.running.append(job)
        if job.rule not in self.tasks:
            total = self.counts[job.rule] or None
            self.tasks[job.rule] = self.bars.add_task(job.rule, total=total, left="")

    def finish(self, job: Job) -> None:
        self.done[job.rule] += 1
        self.running.remove(job)
        if all(job.rule != other.rule for other in self.running):  # idle rules have no bar
            self.bars.remove_task(self.tasks.pop(job.rule))
        if job.seconds >= LONG:
            self.say(f"{time.strftime('%H:%M:%S')} {job.name}, {job.seconds:.0f} s")

    def work(self) -> float:
        """Return the predicted time of all that is done, running jobs in part."""
        done = sum(number * predicted(rule) for rule, number in self.done.items())
        return done + sum(job.share * predicted(job.rule) for job in list(self.running))

    def seconds_left(self) -> float:
        """Return the rest of the run: as predicted at first, later by the speed of this run."""
        left = self.bars.tasks[self.whole].total - self.work()
        speed = (self.work() + self.cores * TRUST) / (time.monotonic() - self.began + TRUST)
        return float(left / speed)

    def move(self) -> None:
        """Move the bars to the present state."""
        if self.whole is None:
            return
        left = f"about {clock(self.seconds_left())} left"
        self.bars.update(self.whole, completed=self.work(), left=left)
        for rule, task in list(self.tasks.items()):
            shares = sum(job.share for job in list(self.running) if job.rule == rule)
            self.bars.update(task, completed=self.done[rule] + shares)

    def close(self) -> None:
        self.bars.stop()


class LogHandler(LogHandlerBase):
    """Turn Snakemake's events into bars or lines."""

    def __post_init__(self) -> None:
        stream = sys.stdout if self.common_settings.stdout else sys.stderr
        if stream is None:  # closed by the caller
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        self.dryrun = self.common_settings.dryrun
        moves = stream.isatty() and os.environ.get("TERM") != "dumb"
        self.screen = Bars(stream) if moves and not self.dryrun else Lines(stream)
        quiet = {str(kind).rsplit(".", 1)[-1].lower() for kind in self.common_settings.quiet or ()}
        self.silent = "all" in quiet
        self.shows_progress = not quiet & {"all", "progress"}
        self.shows_plan = self.dryrun and not quiet & {"all", "rules"}
        self.began = time.monotonic()
        self.cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
        self.counts: Counter[str] = Counter()  # jobs by rule
        self.jobs: dict[int, Job] = {}
        self.done: list[Job] = []
        self.failed: list[str] = []
        self.signal = ""  # of the job that is reported next
        self.stopped = False
        sys.excepthook = end_after_interrupt
        logging.raiseExceptions = False  # a full disk for Snakemake's own log: no traceback a line

    def emit(self, record: LogRecord) -> None:
        if self.stopped:
            return
        event = getattr(record, "event", None)
        handle = {
            LogEvent.RESOURCES_INFO: self.on_resources,
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

    def on_resources(self, info: dict[str, Any]) -> None:
        self.cores = info.get("cores") or self.cores

    def on_run(self, info: dict[str, Any]) -> None:
        """Begin a run; Snakemake repeats this at the end of a dry run."""
        left_out = ("total", *TARGETS)
        again = bool(self.counts)
        self.counts = Counter({k: n for k, n in info["stats"].items() if k not in left_out})
        if self.dryrun and again and self.shows_plan:
            self.screen.say(self.plan())
        elif not self.dryrun and not again and self.shows_progress:
            self.screen.begin(self.counts, self.cores or 1)

    def plan(self) -> str:
        """Return the jobs of a dry run by kind, and the time that they take."""
        kinds = Counter(job.kind for job in self.jobs.values() if job.rule not in TARGETS)
        main = {"simulate": "simulation", "figure": "figure"}
        parts = [counted(kinds[kind], noun) for kind, noun in main.items() if kinds[kind]]
        others = kinds.total() - sum(kinds[kind] for kind in main)
        parts += [counted(others, "other")] * bool(others)
        seconds = sum(number * predicted(rule) for rule, number in self.counts.items())
        cores = self.cores or 1
        wall = f", {roughly(seconds / cores)} on {counted(cores, 'core')}" if cores > 1 else ""
        return (
            f"{counted(self.counts.total(), 'job')}: {', '.join(parts)}; "
            f"about {roughly(seconds)} of one core{wall}"
        )

    def on_job(self, info: dict[str, Any]) -> None:
        values = " ".join(map(str, dict(info["wildcards"] or {}).values()))
        lists = (list(info[key] or []) for key in ("log", "output"))
        job = self.jobs[info["jobid"]] = Job(info["rule_name"], values, *lists)
        if self.shows_plan and job.rule not in TARGETS:
            self.screen.say(f"rule {job.rule}: {values or '-'} ({first_names(info['reason'])})")
        elif self.shows_progress and not self.dryrun and job.rule not in TARGETS:
            self.screen.start(job)

    def on_finished(self, info: dict[str, Any]) -> None:
        job = self.jobs.get(info["job_id"])
        if job and job.rule not in TARGETS:
            self.done.append(job)
            if self.shows_progress:
                self.screen.finish(job)

    def on_failed(self, info: dict[str, Any]) -> None:
        job = self.jobs.get(info["jobid"]) or Job(info["rule_name"], "", list(info["log"] or []))
        if job.name in self.failed:
            return
        why = job.last_line() or job.silence()
        if self.signal:
            why = f"killed from outside by {self.signal}, perhaps for memory: {MORE_MEMORY}"
        elif memory := LACKS_MEMORY.search(why):
            why = f"{MORE_MEMORY} ({memory[0]})"
        self.signal = ""
        self.failed.append(job.name)
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
            self.screen.say("interrupted: run again to continue")
        if self.stopped or not text or NOISE.match(text):
            return
        if record.levelno < WARNING and self.silent:
            return
        self.screen.say(text if record.levelno < ERROR else reason(text))
        targets = swallowed_targets(sys.argv)
        if targets and record.levelno >= ERROR and not self.counts:
            names = " ".join(targets)
            self.screen.say(f"--configfile takes all names after it: put {names} before it")

    def close(self) -> None:
        """End with what failed, or with what was made and where it is."""
        self.screen.close()
        began = self.counts and (self.done or self.failed)
        if began and not self.dryrun and not self.stopped and not self.silent:
            for line in self.last_lines():
                self.screen.say(line)
        self.counts = Counter()  # said once
        super().close()

    def last_lines(self) -> Iterator[str]:
        missing = self.counts.total() - len(self.done) - len(self.failed)
        if self.failed:
            left = f"; {counted(missing, 'job')} that need it did not run" * bool(missing)
            yield f"{counted(len(self.failed), 'job')} failed: {', '.join(self.failed)}{left}"
        made = []
        figures = Counter(str(figure.parent) for job in self.done for figure in job.figures)
        made += [f"{counted(number, 'figure')} in {folder}" for folder, number in figures.items()]
        made += [f"the article is {name}" for job in self.done for name in job.articles]
        if not made and self.failed:
            return
        made = made or [counted(len(self.done), "job") + " done"]
        yield f"{', '.join(made)}; {clock(time.monotonic() - self.began)}"

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False
