"""The config: its keys and ranges (``schema``), and what it unrolls to (``experiment``)."""

from typing import Any

MOVED = {"study": "build_experiment", "Study": "Experiment", "load": "load", "merge": "merge"}


def __getattr__(name: str) -> Any:
    """Return a function of ``experiment`` under its name of release 3, with a warning."""
    if name not in MOVED:
        raise AttributeError(f"module 'ldpt.config' has no attribute {name!r}")
    import warnings

    from ldpt.config import experiment

    message = f"ldpt.config.{name} is now ldpt.config.experiment.{MOVED[name]}"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return getattr(experiment, MOVED[name])
