"""Ctrl-C ends every command at once: exit status 130, one line, nothing unfinished on disk."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from ldpt.io.interrupt import run_jobs
from tests.provenance.products import ROWS

# The command in a process of its own, which interrupts itself at a place that the test names and
# writes the CPU time until then. A compiled function goes on computing, for hours; any other one
# has done its work and never returns.
COMMAND = """
import importlib, os, signal, sys, threading, time
from ldpt import cli

def interrupt():
    os.write(1, f"{time.process_time()}\\n".encode())
    os.kill(os.getpid(), signal.SIGINT)

def beside(function):
    def compute(*arguments):
        def once_it_is_compiled():
            while not function.overloads:
                time.sleep(0.01)
            begun = time.process_time()
            while time.process_time() < begun + 0.2:  # never, if compiled code held Python's lock
                time.sleep(0.01)
            interrupt()
        threading.Thread(target=once_it_is_compiled, daemon=True).start()
        return function(*arguments)
    return compute

def after(function):
    def work(*arguments, **options):
        function(*arguments, **options)
        interrupt()
        threading.Event().wait()
    return work

class DuringImport:
    def find_spec(self, name, *_):
        if name == place:
            interrupt()

place = sys.argv.pop(1)
module, _, names = place.partition(":")
if names:
    *path, name = names.split(".")
    owner = importlib.import_module(module)
    for part in path:
        owner = getattr(owner, part)
    function = getattr(owner, name)
    setattr(owner, name, (beside if hasattr(function, "overloads") else after)(function))
else:
    sys.meta_path.insert(0, DuringImport())
sys.argv[0] = "ldpt"
sys.exit(cli.main())
"""
# A shell in the background of a script leaves Ctrl-C ignored to all that it starts, tests included.
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
LOOPS = "ldpt.simulate"
# The same for a call of the library, which ends with Python's own KeyboardInterrupt.
CALL = COMMAND.replace(
    """sys.argv[0] = "ldpt"
sys.exit(cli.main())
""",
    """from ldpt import exact, rare, simulate
from ldpt.instances import Instance
one, pair = Instance("one", [0.50001], 0.5), Instance("pair", [0.4, 0.6], 0.5)
try:
    eval(sys.argv[1])
except KeyboardInterrupt:
    sys.exit(os.write(2, b"ldpt: interrupted\\n") and 130)
""",
)
CALLS = {
    "exact chain of Algorithm 2": (
        "ldpt.exact:_one_arm_chain",
        "exact.fixed_confidence_error(one, 1.0, 0.1, max_pulls=10**12)",
    ),
    "exact chain of one arm": (
        "ldpt.exact:_one_arm_loss",
        "exact.fixed_budget_loss(one, 1.0, 400_000)",
    ),
    "exact chain of two arms": (
        "ldpt.exact:_two_arm_losses",
        "exact.fixed_budget_loss(pair, 1.0, 600)",
    ),
    "rare errors of a budget": (
        "ldpt.rare:budget_log_weights",
        "rare.fixed_budget_error(pair, 1.0, 9 * 10**9, 10**5, 0)",
    ),
    "rare errors of Algorithm 2": (
        "ldpt.rare:confidence_log_weights",
        "rare.fixed_confidence_error(one, 1.0, 0.1, 10**6, 0)",
    ),
    "a single long run": (
        f"{LOOPS}:index_losses",
        "simulate.fixed_budget(pair, 1.0, 9 * 10**11, 1, 0, engine='literal')",
    ),
}
SIMULATE = ["simulate", "--epsilon", "1"]
CONFIDENCE = [*SIMULATE, "--means", "0.50001", "--delta", "0.1", "--radius", "mixture"]
BUDGET = [*SIMULATE, "--means", "0.5", "0.6", "--budget", "9000000000000", "--policy"]
# Where every pull is made by itself, 10^12 of them are the limit.
SINGLE = [*SIMULATE, "--means", "0.5", "0.6", "--replicates", "1", "--budget", "900000000000"]
SINGLE += ["--policy"]
PLACES = {
    "Algorithm 2, fast": (
        f"{LOOPS}:fixed_confidence_runs",
        [*CONFIDENCE, "--replicates", "100000"],
    ),
    "Algorithm 2, literal": (
        f"{LOOPS}:fixed_confidence_runs",
        [*CONFIDENCE, "--engine", "literal", "--max-pulls", "1000000000000"],
    ),
    "Algorithm 1, fast": (f"{LOOPS}:index_losses", [*BUDGET, "apt"]),
    "Algorithm 1, literal": (f"{LOOPS}:index_losses", [*SINGLE, "lsa", "--engine", "literal"]),
    "uniform": (f"{LOOPS}:uniform_losses", [*BUDGET, "uniform", "--replicates", "100000"]),
    "laplace": (f"{LOOPS}:laplace_losses", [*SINGLE, "laplace"]),
    "plan for a delta": (
        f"{LOOPS}:fixed_confidence_runs",
        ["plan", "--means", "0.50001", "--delta", "0.1"],
    ),
    "plan for a budget": (
        f"{LOOPS}:index_losses",
        ["plan", "--means", "0.50001", "0.50002", "--budget", "9000000000000"],
    ),
    "import": ("numba", CONFIDENCE),
    "import for a plan": ("pandas", ["plan", "--means", "0.4", "--delta", "0.1"]),
    "table of runs": (
        "pandas:DataFrame.to_parquet",
        [*SIMULATE, "--means", "0.4", "--budget", "9", "--policy", "apt", "--output", "x.parquet"],
    ),
    "plot of a plan": (
        "matplotlib.figure:Figure.savefig",
        ["plan", "--means", "0.2", "--epsilon", "1", "--delta", "0.1", "--method", "onesided",
         "--replicates", "9", "--plot", "x.pdf"],
    ),
    "plan of a config": ("ldpt.config:study", ["plan", "--config", "config.yaml"]),
}  # fmt: skip
OF_A_RUN = {
    "trace": ("ldpt.provenance.trace:trace", ["trace", ROWS]),
    "audit": ("ldpt.provenance.plan:_ask_snakemake", ["audit"]),
    "replay": ("ldpt.simulate:_budget_chunk", ["audit", "--replay", "9"]),
    "crate": ("rocrate.rocrate:ROCrate.write_zip", ["crate", "x.zip"]),
}


def check_interruption(
    folder: Path, place: str, arguments: list[str], program: str = COMMAND
) -> None:
    """At most a second of CPU time after the signal, which a busy machine does not lengthen."""
    before = sorted(folder.rglob("*"))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", LISTEN + program, place, *arguments],
        cwd=folder,
        env=os.environ | {"TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.returncode, done.stderr) == (130, "ldpt: interrupted\n")
    until_signal = float(done.stdout.splitlines()[-1])
    cpu_seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    assert cpu_seconds - until_signal < 1
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("name", PLACES)
def test_ctrl_c_ends_a_simulation_or_a_plan(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.yaml").write_text("seed: 1\n")
    check_interruption(tmp_path, *PLACES[name])


@pytest.mark.parametrize("name", OF_A_RUN)
def test_ctrl_c_ends_what_is_done_with_a_run(small_root: Path, name: str) -> None:
    check_interruption(small_root, *OF_A_RUN[name])


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_call_of_the_library(tmp_path: Path, name: str) -> None:
    place, expression = CALLS[name]
    check_interruption(tmp_path, place, [expression], CALL)


def test_an_error_in_one_job_is_raised_and_ends_the_others() -> None:
    ended = []
    jobs = [lambda: 1, lambda: 1 // 0, lambda: 2]
    with pytest.raises(ZeroDivisionError):
        run_jobs(jobs, 1, stop=lambda: ended.append("stop"), done=ended.append)
    assert ended == [0, "stop"]
    assert run_jobs([lambda: 1, lambda: 2], threads=2, done=ended.append) == [1, 2]
    assert ended == [0, "stop", 0, 1]


def test_an_ignored_ctrl_c_stays_ignored(tmp_path: Path) -> None:
    """As a shell asks for a command in the background, and nohup."""
    place, arguments = PLACES["import for a plan"]
    command = [sys.executable, "-c", COMMAND, place, *arguments, "--replicates", "9"]
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command, "--epsilon", "1"]
    done = subprocess.run(ignoring, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
