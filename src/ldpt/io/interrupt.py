"""Ctrl-C ends a command at once, with one line, whatever it is doing.

Python raises KeyboardInterrupt in the main thread, between two of its own instructions. Compiled
code may run for hours before the next one, and an import or a clean-up that is interrupted prints a
traceback. So Ctrl-C raises nothing here: a thread waits for the signal and ends the process. It
runs beside compiled code, which does not hold Python's lock.
"""

import os
import signal
import threading

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


def _watch(reader: int) -> None:
    """Wait for the number of the signal, then leave nothing unfinished behind."""
    while signal.SIGINT not in os.read(reader, 1):
        pass
    remove_unfinished()
    os.write(2, b"\n" + LINE if os.isatty(2) else LINE)  # a terminal has shown ^C or a bar
    os._exit(INTERRUPTED)
