"""The ``ldpt`` command, also as ``python -m ldpt``.

Ctrl-C is answered before anything else of the package is imported, which takes a while; the command
itself then answers it in its own way (:mod:`ldpt.io.interrupt`). What Python does before it reaches
this file is not ours to change.
"""

import os
import signal
import sys


def _leave(*_: object) -> None:
    os.write(2, b"ldpt: interrupted\n")
    os._exit(130)


if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored, as under nohup
    signal.signal(signal.SIGINT, _leave)


def main() -> int:
    """Run the command; see :func:`ldpt.cli.main`."""
    from ldpt.cli import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
