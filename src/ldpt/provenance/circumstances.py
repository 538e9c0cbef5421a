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

from ldpt.io.json_values import plain

FOLDER = Path(".snakemake/ldpt-folder")  # a random name of the folder that Snakemake runs in
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


class Stopwatch:
    """Time, memory and place of a job from its start on; none of it enters a hash."""

    def __init__(self) -> None:
        self.started, self.wall, self.cpu = time.time(), time.perf_counter(), _cpu_seconds()

    def facts(self) -> dict[str, Any]:
        """Return the volatile part of a record."""
        edited = _git("status", "--porcelain", "--", ".", *(f":!{path}" for path in PRODUCTS))
        return {
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.started)),
            "wall_seconds": round(time.perf_counter() - self.wall, 3),
            "cpu_seconds": round(_cpu_seconds() - self.cpu, 3),
            "peak_memory_mb": round(_peak_memory_mb(), 1),
            "host": platform.node(),
            "commit": _git("rev-parse", "HEAD"),
            "clean": None if edited is None else not edited,
            "folder": folder_name(),
        }


def folder_name() -> str | None:
    """Return the name that tells this folder's Snakemake from others; None before its first run."""
    return FOLDER.read_text().strip() if FOLDER.is_file() else None


def config_origin(workflow: Any) -> dict[str, Any]:
    """Return the config files and overrides of a run, from Snakemake's ``workflow``."""
    settings = workflow.config_settings
    files = [Path(os.path.relpath(path)).as_posix() for path in settings.configfiles]
    return {"files": files, "overrides": plain(dict(settings.config))}


def _git(*arguments: str) -> str | None:
    """Return git's output in the current folder; None without git or outside a repository."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _peak_memory_mb() -> float:
    """Return the peak memory of this process and of those it waited for, in megabytes."""
    unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes elsewhere
    users = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(user).ru_maxrss for user in users) / unit


def _cpu_seconds() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
