"""The jobs of Snakemake's DAG for the present config and code: listed, or some of them run again.

Both run code, in a child process, and only that of the project which the running package belongs
to. What a run states about its config reaches Snakemake as files, never as options.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ldpt.provenance.code import PACKAGE
from ldpt.provenance.records import file_hash, name_below, record_path
from ldpt.util.json_values import plain
from ldpt.util.messages import short

OPTIONS = (
    "--executor=ldpt-plan", "--forceall", "--nolock", "--ignore-incomplete", "--cores=1",
    "--scheduler=greedy", "--quiet=rules", "--workflow-profile=none",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """How a product would be made now."""

    rule: str
    code: str
    params: dict[str, Any]
    wildcards: dict[str, str]
    inputs: frozenset[str]  # products relative to the root, sources relative to the project


JobPlan = dict[str, Step]  # by product


@dataclass(frozen=True)
class Project:
    """The folders of a run: of the workflow, of Snakemake's work, and of the products."""

    home: Path  # has the Snakefile
    folder: Path  # Snakemake runs here; usually the same
    root: Path  # somewhere below it

    @property
    def is_own(self) -> bool:
        """Whether the run was made in the project that the running package belongs to."""
        return self.home == self.folder == own_project()

    def name(self, path: str | Path) -> str:
        """Return a path relative to the root if it is below it, else to folder or home."""
        return name_below(self.folder / path, self.root, self.folder, self.home) or str(path)

    def source_folder(self, name: str) -> Path:
        """Return the folder in which a source has its name in a record."""
        return self.folder if os.path.lexists(self.folder / name) else self.home


def own_project() -> Path | None:
    """Return the checkout that the running package belongs to; None when it is installed."""
    checkout = PACKAGE.parents[1]
    return checkout if (checkout / "Snakefile").is_file() else None


def find_project(root: Path, config: Mapping[str, Any]) -> Project:
    """Return the folders of a run by its root and the root that its config names."""
    parts = PurePosixPath(str(config.get("root", "."))).parts
    inside = parts and root.parts[-len(parts) :] == parts
    folder = Path(*root.parts[: -len(parts)]) if inside else root
    home = folder if (folder / "Snakefile").is_file() else own_project() or folder
    return Project(home, folder, root)


def plan_jobs(project: Project, origin: Mapping[str, Any]) -> JobPlan:
    """Return how every product of our own project would be made now."""
    with tempfile.TemporaryDirectory(prefix="ldpt-plan-") as folder:
        out = Path(folder) / "jobs"
        done = subprocess.run(
            [*_command(project, origin, Path(folder)), *OPTIONS, "--ldpt-plan-out", str(out)],
            cwd=project.folder,
            env=_environment(project),
            capture_output=True,
            text=True,
        )
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            raise ValueError(short(lines[-1] if lines else "Snakemake failed without a message"))
        jobs = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return {project.name(path): _step(job, project) for job in jobs for path in job["output"]}


def _step(job: Mapping[str, Any], project: Project) -> Step:
    params = {key: value for key, value in plain(job["params"]).items() if key != "origin"}
    code = str(params.pop("code", ""))
    inputs = frozenset(project.name(path) for path in job["input"])
    return Step(job["rule"], code, params, plain(job["wildcards"]), inputs)


def replay_jobs(project: Project, origin: Mapping[str, Any], products: list[str]) -> dict[str, str]:
    """Return the hashes of products that their jobs write when they run again.

    The jobs run in a scratch copy of the project, and Snakemake reports their progress.
    """
    if not products:
        return {}
    with tempfile.TemporaryDirectory(prefix="ldpt-replay-") as name:
        copy = Path(name).resolve() / "project"
        root = copy / name_below(project.root, project.folder)
        left_out = shutil.ignore_patterns(".*", "logs")
        shutil.copytree(project.folder, copy, ignore=left_out, ignore_dangling_symlinks=True)
        for product in products:
            (root / product).unlink()
            record_path(root, product).unlink()
        home = copy if project.home == project.folder else project.home
        command = _command(replace(project, home=home, folder=copy), origin, Path(name))
        command += ["--cores=all", "--rerun-triggers=mtime", "--"]
        command += [name_below(root / product, copy) for product in products]
        done = subprocess.run(command, cwd=copy, env=_environment(project))
        if done.returncode:
            raise ValueError(f"the replay failed with exit status {done.returncode}")
        return {product: file_hash(root / product) for product in products}


def _command(project: Project, origin: Mapping[str, Any], scratch: Path) -> list[str]:
    """Return the command that starts Snakemake with the config of a run.

    ``-P``: modules that lie in the current folder are not imported. Overrides become a file in a
    scratch folder: as options, their keys and values would be words of the command line.
    """
    overrides = scratch / "overrides.json"
    overrides.write_text(json.dumps(origin.get("overrides", {})), encoding="utf-8")
    files = [str(project.folder / str(name)) for name in origin.get("files", [])]
    return [
        *(sys.executable, "-P", "-m", "snakemake", "--snakefile", str(project.home / "Snakefile")),
        *("--configfile", *files, str(overrides)),
    ]


def _environment(project: Project) -> dict[str, str]:
    """Return an environment in which Python takes ldpt from the project, if it has its own.

    Snakemake asks for the user's name; in many containers there is none.
    """
    source = project.home / "src"
    own = {"PYTHONPATH": str(source)} if (source / "ldpt").is_dir() else {}
    return {"USER": "unknown", **os.environ, **own}
