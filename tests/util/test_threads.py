"""Jobs in threads: results in order, and none begun after an error or Ctrl-C."""

import subprocess
import sys
import threading

import pytest

from ldpt.util.threads import run_jobs


def test_results_come_in_the_order_of_the_jobs() -> None:
    places: list[int] = []
    jobs = [lambda n=n: n * n for n in range(20)]
    assert run_jobs(jobs, threads=4, done=places.append) == [n * n for n in range(20)]
    assert places == list(range(20))
    assert run_jobs([]) == []


def test_no_job_begins_after_an_error_and_those_that_run_are_stopped() -> None:
    stopped, begun = threading.Event(), []

    def fail() -> None:
        raise ValueError("no")

    jobs = [fail, lambda: stopped.wait(60), *[lambda: begun.append("third")] * 5]
    with pytest.raises(ValueError, match="no"):
        run_jobs(jobs, stop=stopped.set)
    assert stopped.is_set()
    assert begun == []


INTERRUPTED = """
import os, signal, threading
from ldpt.util.threads import run_jobs

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job inherits "ignore"

def work():
    begun.set()
    never.wait()

begun, never = threading.Event(), threading.Event()
press = lambda: (begun.wait(), os.kill(os.getpid(), signal.SIGINT))
threading.Thread(target=press, daemon=True).start()
try:
    run_jobs([work])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_reaches_the_caller_while_a_job_runs() -> None:
    """The job never ends; neither the caller nor the end of the process waits for it."""
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "interrupted\n"
