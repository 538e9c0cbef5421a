"""Where, when and with which libraries a job runs."""

import os
import platform
import resource
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ldpt.util.json_values import plain

# The products in git's tree: a run that writes them does not make the tree count as edited.
PRODUCTS = ("figures", "results", "paper/*report*.pdf", "paper/run.json")
LIBRARIES = (
    "llvmlite", "matplotlib", "numba", "numpy", "opendp", "pandas",
    "pyarrow", "scipy", "seaborn", "snakemake", "typst",
)  # fmt: skip


def environment() -> dict[str, Any]:
    """Return the versions of Python and of the libraries that this process has loaded."""
    loaded = [name for name in LIBRARIES if name in sys.modules]
    return {
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in loaded},
    }


def volatile_facts(started: float) -> dict[str, Any]:
    """Return time, memory and place of a job that began at a time; none of it enters a hash."""
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "wall_seconds": round(time.time() - started, 3),
        "peak_memory_mb": round(_peak_memory_mb(), 1),
        "host": platform.node(),
        **_git_state(),
    }


def config_origin(workflow: Any) -> dict[str, Any]:
    """Return the config files and overrides of a run, from Snakemake's ``workflow``."""
    settings = workflow.config_settings
    files = [Path(os.path.relpath(path)).as_posix() for path in settings.configfiles]
    return {"files": files, "overrides": plain(dict(settings.config))}


def _git_state() -> dict[str, Any]:
    """Return the commit of the current folder, and whether its sources are as committed."""
    command = ["git", "status", "--porcelain=v2", "--branch", "--", "."]
    command += [f":!{path}" for path in PRODUCTS]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # no git, or not a repository
        return {"commit": None, "clean": None}
    lines = done.stdout.splitlines()  # "# branch.oid COMMIT" comes first
    return {"commit": lines[0].split()[-1], "clean": all(line[0] == "#" for line in lines)}


def _peak_memory_mb() -> float:
    """Return the peak memory of this process and of those it waited for, in megabytes."""
    unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes elsewhere
    users = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(user).ru_maxrss for user in users) / unit
