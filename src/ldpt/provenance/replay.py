"""Run some jobs of a finished run again and compare what they write, bit for bit.

The jobs run in a scratch folder of links to the project, by the project's code, which must be
trusted. Snakemake reports their progress.
"""

import os
import random
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ldpt.provenance.hashing import file_hash, stable_hash
from ldpt.provenance.plan import Project, project_environment, snakemake_command
from ldpt.provenance.records import record_path, relative_to


def choose_jobs(records: Mapping[str, Mapping[str, Any]], count: int, seed: int) -> list[str]:
    """Return the products of ``count`` jobs chosen with a seed, by the stable parts of records."""
    jobs: dict[str, list[str]] = {}
    for name, stable in records.items():
        key = stable_hash([stable["rule"], stable["wildcards"], stable["inputs"]])
        jobs.setdefault(key, []).append(name)
    chosen = random.Random(seed).sample(list(jobs.values()), min(count, len(jobs)))
    return sorted(name for names in chosen for name in names)


def replay_jobs(project: Project, origin: Mapping[str, Any], products: list[str]) -> dict[str, str]:
    """Return the hashes of products that their jobs write when they run again."""
    if not products:
        return {}
    below = Path(relative_to(project.root, project.folder))
    with tempfile.TemporaryDirectory(prefix="ldpt-replay-") as name:
        copy = Path(name).resolve() / "project"
        written = {project.root / product for product in products}
        written |= {record_path(project.root, product) for product in products}
        _link_project(project.folder, copy, written)
        home = copy if project.home == project.folder else project.home
        command = snakemake_command(replace(project, home=home, folder=copy), origin)
        command += ["--cores=all", "--rerun-triggers=mtime", "--"]
        command += [(below / product).as_posix() for product in products]
        done = subprocess.run(command, cwd=copy, env=project_environment(project))
        if done.returncode:
            raise ValueError(f"the replay failed with exit status {done.returncode}")
        return {product: file_hash(copy / below / product) for product in products}


def _link_project(project: Path, copy: Path, without: set[Path]) -> None:
    """Make a folder of links to the files of a project, with their times, but for some of them."""
    for place, folders, files in os.walk(project):
        folders[:] = [name for name in folders if name != "logs" and not name.startswith(".")]
        target = copy / Path(place).relative_to(project)
        target.mkdir(parents=True)
        for path in {Path(place) / name for name in files} - without:
            (target / path.name).symlink_to(path)
            changed = path.stat().st_mtime_ns
            os.utime(target / path.name, ns=(changed, changed), follow_symlinks=False)
