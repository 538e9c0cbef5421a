"""Run some jobs of a finished run again and compare what they write, bit for bit.

The jobs run in a scratch copy of the project, by the project's code, which must be trusted.
Snakemake reports their progress.
"""

import random
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ldpt.provenance.plan import Project, project_environment, snakemake_command
from ldpt.provenance.records import file_hash, name_below, record_path, stable_hash


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
    with tempfile.TemporaryDirectory(prefix="ldpt-replay-") as name:
        copy = Path(name).resolve() / "project"
        root = copy / name_below(project.root, project.folder)
        left_out = shutil.ignore_patterns(".*", "logs")
        shutil.copytree(project.folder, copy, symlinks=True, ignore=left_out)
        for product in products:
            (root / product).unlink()
            record_path(root, product).unlink()
        home = copy if project.home == project.folder else project.home
        command = snakemake_command(replace(project, home=home, folder=copy), origin)
        command += ["--cores=all", "--rerun-triggers=mtime", "--"]
        command += [name_below(root / product, copy) for product in products]
        done = subprocess.run(command, cwd=copy, env=project_environment(project))
        if done.returncode:
            raise ValueError(f"the replay failed with exit status {done.returncode}")
        return {product: file_hash(root / product) for product in products}
