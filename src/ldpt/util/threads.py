"""Compiled functions in other threads, so that Ctrl-C reaches the caller at once."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any

MAX_WAIT = 0.5  # seconds; Python notices a signal that comes just before a wait only at its end


def run_jobs(
    jobs: Sequence[Callable[[], Any]],
    threads: int = 1,
    stop: Callable[[], None] = lambda: None,
    done: Callable[[int], None] = lambda place: None,
) -> list[Any]:
    """Call functions in threads while the calling thread waits, and return their results.

    Python raises KeyboardInterrupt between two bytecode instructions; compiled code may run for
    minutes before the next one. After Ctrl-C, or the first error, no further job is begun, and
    ``stop`` makes those that run return; they are not waited for. ``done`` is called with the
    place of each finished job, in order.
    """
    futures: list[Future[Any]] = [Future() for _ in jobs]
    waiting = deque(zip(jobs, futures, strict=True))

    def work() -> None:
        with suppress(IndexError):  # no job is left
            while True:
                job, future = waiting.popleft()
                try:
                    future.set_result(job())
                except BaseException as error:
                    future.set_exception(error)

    for _ in range(min(threads, len(jobs))):
        threading.Thread(target=work, daemon=True).start()
    results = []
    try:
        for place, future in enumerate(futures):
            while not wait([future], MAX_WAIT).done:
                pass
            results.append(future.result())
            done(place)
    except BaseException:
        waiting.clear()
        stop()
        raise
    return results
