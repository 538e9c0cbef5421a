"""The name of :mod:`ldpt.study.designs` in release 3; it goes in release 5."""

import warnings

from ldpt.study.designs import *  # noqa: F403

warnings.warn("ldpt.designs is now ldpt.study.designs", DeprecationWarning, stacklevel=2)
