"""Where, when and with which libraries a job runs."""

import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ldpt.provenance.records import RECORDS, name_below, record_path
from ldpt.util.json_values import plain

CPUINFO = Path("/proc/cpuinfo")
STATUS = Path("/proc/self/status")
LIBRARIES = (
    "llvmlite", "matplotlib", "numba", "numpy", "opendp", "pandas",
    "pyarrow", "scipy", "seaborn", "snakemake", "typst",
)  # fmt: skip


def volatile_facts(began: float, project: Path, root: Path) -> dict[str, Any]:
    """Return time, cost and place of a job; none of it enters a hash.

    ``began`` is the start on the monotonic clock, which nobody can set back, ``project`` the folder
    with the workflow, ``root`` that of the products.
    """
    peak = _peak_memory_mb()
    wall = time.monotonic() - began
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - wall)),
        "wall_seconds": round(wall, 3),
        "cpu_seconds": round(sum(os.times()[:4]), 3),  # with imports, and children waited for
        **({} if peak is None else {"peak_memory_mb": round(peak, 1)}),
        "host": platform.node(),
        **_git_state(project, root),
        "environment": environment(),
    }


def environment() -> dict[str, str]:
    """Return the versions of Python and of the loaded libraries, and the kind of machine."""
    loaded = [name for name in LIBRARIES if name in sys.modules]
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in loaded},
        "system": " ".join([platform.system(), *filter(None, platform.libc_ver())]),
        "processor": _processor(),
    }


def _processor() -> str:
    """Return the model of the processor, where the system names it."""
    lines = CPUINFO.read_text("utf-8", "replace").splitlines() if CPUINFO.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def _peak_memory_mb() -> float | None:
    """Return the peak memory of this process in megabytes; None where the system does not say.

    The portable ``ru_maxrss`` begins with the size of the parent process.
    """
    lines = STATUS.read_text().splitlines() if STATUS.is_file() else []
    peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]  # kB
    return peaks[0] / 1e3 if peaks else None


def _git_state(project: Path, root: Path) -> dict[str, Any]:
    """Return the commit of the project, and whether its sources are as committed.

    A project inside of somebody else's repository has no commit. Products of the run, tracked or
    not, do not make the tree count as edited.
    """
    top = _git(project, "rev-parse", "--show-toplevel")
    if top is None or Path(top.rstrip("\n")) != project.resolve():
        return {"commit": None, "clean": None}
    status = _git(project, "status", "--porcelain", "-z", "--no-renames", "-uall")
    commit = _git(project, "rev-parse", "--verify", "--quiet", "HEAD")
    if status is None or commit is None:
        return {"commit": None, "clean": None}
    paths = [project / entry[3:] for entry in filter(None, status.split("\0"))]
    edited = [path for path in paths if not any(_is_product(path, r) for r in (root, project))]
    return {"commit": commit.strip(), "clean": not edited}


def _git(folder: Path, *words: str) -> str | None:
    """Return what git prints about a folder; None without git or a repository."""
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return os.fsdecode(done.stdout)


def _is_product(path: Path, root: Path) -> bool:
    """Return whether a changed path is a product of a run, staged or complete."""
    product = name_below(path, root)
    staged = ".staged-" in path.name
    recorded = record_path(root, product).is_file()
    return bool(product) and (staged or recorded or product.startswith(f"{RECORDS.parent}/"))


def config_origin(workflow: Any) -> dict[str, Any]:
    """Return the config files and overrides of a run, from Snakemake's ``workflow``."""
    settings = workflow.config_settings
    files = [Path(os.path.relpath(path)).as_posix() for path in settings.configfiles]
    return {"files": files, "overrides": plain(dict(settings.config))}
