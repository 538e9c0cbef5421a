"""Decide and estimate from responses: the short name of :mod:`ldpt.study.inference`."""

from ldpt.study.inference import *  # noqa: F403
from ldpt.study.inference import __all__  # noqa: F401
