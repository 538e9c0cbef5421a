"""The name of :mod:`ldpt.rare_events` in release 3; it goes in release 5."""

import warnings

from ldpt.rare_events import *  # noqa: F403
from ldpt.rare_events import RareEstimate as Estimate  # noqa: F401

warnings.warn("ldpt.rare is now ldpt.rare_events", DeprecationWarning, stacklevel=2)
