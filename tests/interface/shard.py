"""Many more cases of every law, with index checks: `make verify`, an hour at most for a shard.

    python -m tests.interface.shard [SHARD ...] [--cases N] [--law NAME]

A shard is a seed: ten of them, which `make verify` runs, are 100 000 cases. Laws run in processes,
two at a time. A case that needs more processor time or memory than the limit ends its process: it
is counted and named as unfinished, and the next process draws the cases that are left from another
seed.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

CASES = 10_000  # of a shard
CASE_SECONDS = 60.0  # processor time of a case, with what it compiles
CASE_MEMORY = 4 * 2**30  # bytes of a process
MOST_UNFINISHED = 20  # of a law in a shard: the rest of its cases is left out then
SHARD_SECONDS = 3600.0  # by the clock: cases that have not begun by then are not drawn


class Outcome(NamedTuple):
    """What became of the cases of a law: how many were finished, which were not, and a fault."""

    law: str
    finished: int
    unfinished: list[str]
    fault: str


def draw_cases(law: str, cases: int, seed: int, progress: Path) -> None:
    """Draw the cases of one law; the file holds the number of the case that is running."""
    import hypothesis
    from hypothesis import strategies as st

    from tests.interface import laws

    resource.setrlimit(resource.RLIMIT_AS, (CASE_MEMORY, CASE_MEMORY))
    number = 0

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=cases,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(st.data())
    def examples(data: st.DataObject) -> None:
        nonlocal number
        number += 1
        progress.write_text(str(number))
        # Without a handler: compiled code would not return to Python to run one.
        signal.setitimer(signal.ITIMER_PROF, CASE_SECONDS)
        laws.check(law, data.draw)

    examples()


def run_law(law: str, cases: int, shard: int, end: float) -> Outcome:
    """Draw the cases of a law in as many processes as it takes, until the clock says ``end``."""
    finished, unfinished = 0, list[str]()
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder) / "case"
        while finished < cases and len(unfinished) < MOST_UNFINISHED:
            seed = 1000 * shard + len(unfinished)
            progress.write_text("0")
            call = [sys.executable, "-m", "tests.interface.shard", str(seed), "--law", law]
            call += ["--cases", str(cases - finished), "--progress", str(progress)]
            checks = os.environ | {"NUMBA_BOUNDSCHECK": "1"}
            try:
                done = subprocess.run(
                    call,
                    env=checks,
                    capture_output=True,
                    text=True,
                    timeout=max(end - time.monotonic(), 0.0),
                )
            except subprocess.TimeoutExpired:
                finished += int(progress.read_text())
                unfinished.append(f"the last {cases - finished} cases: no time")
                break
            number = int(progress.read_text())
            if done.returncode == 0:
                finished += number
                break
            finished += max(number - 1, 0)
            if done.returncode == -signal.SIGPROF:
                unfinished.append(f"seed {seed}, case {number}: over {CASE_SECONDS:.0f} s")
            elif "MemoryError" in done.stderr:
                unfinished.append(f"seed {seed}, case {number}: over {CASE_MEMORY >> 30} GB")
            else:
                fault = f"seed {seed}, case {number}, status {done.returncode}"
                return Outcome(law, finished, unfinished, f"{fault}\n{done.stderr[-3000:]}")
    return Outcome(law, finished, unfinished, "")


def run_shard(shard: int, laws: list[str], cases: int) -> int:
    """Draw the cases of a shard, print what became of them, and return the number of faults."""
    finished = unfinished = faults = 0
    end, share = time.monotonic() + SHARD_SECONDS, -(-cases // len(laws))
    with ThreadPoolExecutor(2) as threads:
        for outcome in threads.map(lambda law: run_law(law, share, shard, end), laws):
            finished += outcome.finished
            unfinished += len(outcome.unfinished)
            faults += bool(outcome.fault)
            print(f"{outcome.law}: {outcome.finished} cases", flush=True)
            for line in [*outcome.unfinished, outcome.fault]:
                print(f"    {line}\n" if line else "", end="", flush=True)
    print(f"shard {shard}: {finished} cases, {unfinished} unfinished, {faults} laws are broken")
    return faults


def main() -> int:
    """Run the shards and return 1 if a law is broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("shards", nargs="*", type=int, default=range(10), metavar="SHARD")
    parser.add_argument("--cases", type=int, default=CASES, help="of a shard, over all laws")
    parser.add_argument("--law", help="run this law alone")
    parser.add_argument("--progress", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.progress:
        draw_cases(options.law, options.cases, options.shards[0], options.progress)
        return 0
    from tests.interface.laws import LAWS

    names = [options.law] if options.law else list(LAWS)
    return int(sum(run_shard(shard, names, options.cases) for shard in options.shards) > 0)


if __name__ == "__main__":
    sys.exit(main())
