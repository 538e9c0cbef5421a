"""Ctrl-C ends a command at once, with one line, whatever it is doing.

Python raises KeyboardInterrupt in the main thread, between two of its own instructions. Compiled
code may run for hours before the next one, and an import or a clean-up that is interrupted prints a
traceback. So Ctrl-C raises nothing here: a thread waits for the signal and ends the process. It
runs beside compiled code, which does not hold Python's lock. That is for commands; a caller of the
library gets Python's KeyboardInterrupt at once, because :func:`run_jobs` leaves compiled code to
other threads.
"""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from ldpt.io.files import remove_unfinished

INTERRUPTED = 130  # exit status, as of a shell's command that SIGINT has ended
LINE = b"ldpt: interrupted\n"


def end_on_interrupt() -> None:
    """From now on, let Ctrl-C end the process; to be called in its main thread, once."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as under nohup
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    threading.Thread(target=_watch, args=(reader,), daemon=True).start()
    signal.set_wakeup_fd(writer)
    signal.signal(signal.SIGINT, lambda *_: None)


def run_jobs(
    jobs: Sequence[Callable[[], Any]],
    threads: int = 1,
    stop: Callable[[], None] = lambda: None,
    done: Callable[[int], None] = lambda place: None,
) -> list[Any]:
    """Call functions in threads, so that the calling thread only waits and Ctrl-C reaches it.

    After Ctrl-C, or the first error, no further job is begun, and ``stop`` makes those that run
    return. They are not waited for: the threads do not keep a process alive.

    Parameters
    ----------
    jobs : sequence of callable
        What is to be done, in any order.
    threads : int
        Jobs that run at the same time.
    stop : callable
        Makes jobs that are running end soon.
    done : callable
        Told the place of each finished job, in order.

    Returns
    -------
    list
        What the jobs returned, in their order.
    """
    futures: list[Future] = [Future() for _ in jobs]
    waiting = deque(zip(jobs, futures, strict=True))

    def work() -> None:
        while waiting:
            try:
                job, future = waiting.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                future.set_result(job())
            except BaseException as error:
                future.set_exception(error)

    for _ in range(min(threads, len(jobs))):
        threading.Thread(target=work, daemon=True).start()
    results = []
    try:
        for place, future in enumerate(futures):
            results.append(future.result())
            done(place)
    except BaseException:
        waiting.clear()
        stop()
        raise
    return results


def _watch(reader: int) -> None:
    """Wait for the number of the signal, then leave nothing unfinished behind."""
    while signal.SIGINT not in os.read(reader, 1):
        pass
    remove_unfinished()
    os.write(2, b"\n" + LINE if os.isatty(2) else LINE)  # a terminal has shown ^C or a bar
    os._exit(INTERRUPTED)
