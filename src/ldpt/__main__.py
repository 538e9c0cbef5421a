"""The ``ldpt`` command, also as ``python -m ldpt``."""

import sys

from ldpt.cli import main

if __name__ == "__main__":
    sys.exit(main())
