"""Plant faults in a copy of the package and print which of them `make verify` finds.

    python benchmarks/faults.py [--seed N]

Each fault is one line that compiles and runs. The check that must find it runs on the copy; a row
of the table has its number of comparisons and its least p-value, adjusted by Holm's method. A fault
is found if that is below 0.001, as in ``benchmarks/verify.py``.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import ldpt

PACKAGE = Path(ldpt.__file__).parent
VERIFY = Path(__file__).with_name("verify.py")


class Fault(NamedTuple):
    """A line of a file, the line with a fault, and the check with the rounds that finds it."""

    file: str
    line: str
    faulty: str
    check: str
    rounds: int


RATIO = "    ratio = 1.0\n"
FAULTS = {
    "none": Fault("engines/sources.py", RATIO, RATIO, "edges_of_walks", 3),
    "touches 1 % too rare": Fault(
        "engines/sources.py", RATIO, "    ratio = 0.99\n", "edges_of_walks", 3
    ),
    "touches 1 % too likely": Fault(
        "engines/sources.py", RATIO, "    ratio = 1.01\n", "edges_of_walks", 3
    ),
    "mode 1 % too likely": Fault(
        "engines/sources.py",
        "    return math.sqrt(square) * math.exp(log_weight)\n",
        "    return 1.01 * math.sqrt(square) * math.exp(log_weight)\n",
        "sums_and_parts",
        3,
    ),
    "mode 1 % too unlikely": Fault(
        "engines/sources.py",
        "    return math.sqrt(square) * math.exp(log_weight)\n",
        "    return 0.99 * math.sqrt(square) * math.exp(log_weight)\n",
        "sums_and_parts",
        3,
    ),
    "responses 1 % too likely": Fault(
        "engines/sources.py",
        "    ones = np.int64(0)\n    while undecided",
        "    ones, mean = np.int64(0), min(1.0, 1.01 * mean)\n    while undecided",
        "sums_and_parts",
        3,
    ),
    "blocks cut one pull early": Fault(
        "engines/blocks.py",
        "    first = first_touch(source, arm, n, m, ones, edge)\n",
        "    first = max(2, first_touch(source, arm, n, m, ones, edge)) - 1\n",
        "edges_of_walks",
        3,
    ),
    "edges one response too wide": Fault(
        "engines/fast_budget.py",
        "    slack = blocks.rounding_slack(n)\n    cap =",
        "    slack = -1.0\n    cap =",
        "budget_engines",
        12,
    ),
    "responses drawn again after an undone window": Fault(
        "engines/fast_budget.py",
        "        state.head[k], state.tail[k] = start, filled\n",
        "        state.head[k], state.tail[k] = filled, filled\n",
        "budget_engines",
        12,
    ),
}


def planted(fault: Fault, package: Path) -> None:
    """Write the fault into a copy of the package."""
    text = (package / fault.file).read_text(encoding="utf-8")
    if text.count(fault.line) != 1:
        raise ValueError(f"{fault.file} does not have this line once: {fault.line!r}")
    (package / fault.file).write_text(text.replace(fault.line, fault.faulty), encoding="utf-8")


def verdict(fault: Fault, seed: int) -> str:
    """Return the last line that the check prints about a copy of the package with the fault."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "ldpt"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        planted(fault, copy)
        environment = os.environ | {"PYTHONPATH": folder, "NUMBA_CACHE_DIR": folder}
        command = [sys.executable, str(VERIFY), "--only", fault.check, "--seed", str(seed)]
        command += ["--rounds", str(fault.rounds), "--minutes", "60"]
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
    return run.stdout.splitlines()[-1] if run.stdout else run.stderr[-300:]


def main() -> None:
    """Print the table of faults."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    print("| fault | check | comparisons | least p (Holm) | found |")
    print("| --- | --- | ---: | ---: | --- |")
    for name, fault in FAULTS.items():
        line = verdict(fault, seed)
        numbers = re.search(r"(\d+) comparisons, least p (\S+) \(Holm\): (.*)", line)
        if numbers is None:
            raise ValueError(f"{name}: {line}")
        count, least, text = numbers.groups()
        found = "yes" if text == "a law is wrong" else "no"
        print(f"| {name} | `{fault.check}` | {count} | {least} | {found} |", flush=True)


if __name__ == "__main__":
    main()
