"""Many more cases of every law, with index checks: `make verify` runs this for an hour.

    python -m tests.interface.shard [--cases N] [--seed N] [--minutes N] [--law NAME]

Each law runs in a process with its share of the cases and of the time, and with limited memory.
A law that does not finish is named with the number of its case, and counts as a failure.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MEMORY = 8 * 2**30  # bytes of one process


def run_law(name: str, cases: int, seed: int, progress: Path) -> None:
    """Draw the cases of one law; the file holds the number of the case that is running."""
    import hypothesis
    from hypothesis import strategies as st

    from tests.interface import laws

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
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
        laws.check(name, data.draw)

    examples()


def main() -> int:
    """Run all laws, or one; return the number of laws that failed or did not finish."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--law")
    parser.add_argument("--progress", type=Path)
    options = parser.parse_args()
    if options.progress:
        run_law(options.law, options.cases, options.seed, options.progress)
        return 0
    from tests.interface import laws

    names = [options.law] if options.law else list(laws.LAWS)
    share, limit = options.cases // len(names), 60 * options.minutes / len(names)
    failures = finished = 0
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder) / "case"
        for name in names:
            progress.write_text("0")
            call = [sys.executable, "-m", "tests.interface.shard", "--law", name]
            call += ["--cases", str(share), "--seed", str(options.seed)]
            call += ["--progress", str(progress)]
            try:
                done = subprocess.run(
                    call,
                    env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
                    capture_output=True,
                    text=True,
                    timeout=limit,
                )
                verdict = "" if done.returncode == 0 else f"FAILED\n{done.stderr[-3000:]}"
            except subprocess.TimeoutExpired:
                verdict = f"not finished within {limit:.0f} s"
            count = int(progress.read_text())
            finished += count
            failures += bool(verdict)
            print(f"{name}: {count} cases {verdict or 'hold'}", flush=True)
    print(f"{finished} cases of {len(names)} laws, seed {options.seed}: {failures} laws failed")
    return failures


if __name__ == "__main__":
    sys.exit(main() > 0)
