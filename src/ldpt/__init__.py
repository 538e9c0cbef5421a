"""Locally differentially private thresholding bandits: algorithms, engines, bounds and audits."""

from typing import Any

__all__ = [
    "bounds", "exact", "inference", "instances", "learners", "plots", "policies", "privacy",
    "radii", "rare_events", "results", "simulate", "study", "summarise",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a module on first use; the version is that of the installed package."""
    if name == "__version__":
        from importlib.metadata import version

        return version("ldpt")
    if name == "open_run":
        from ldpt.results import open_run

        return open_run
    if name in (*__all__, "config", "designs", "rare"):  # names of release 3, which warn
        from importlib import import_module

        return import_module(f"ldpt.{name}")
    raise AttributeError(f"module 'ldpt' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public modules and functions."""
    return [*__all__, "open_run", "__version__"]
