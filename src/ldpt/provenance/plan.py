"""The jobs that Snakemake would run for the present config and code, without running any."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldpt import provenance
from ldpt.io.files import unfinished
from ldpt.io.json_values import plain
from ldpt.provenance import relative_to


@dataclass(frozen=True)
class Step:
    """How a product would be made now."""

    rule: str
    code: str
    params: dict[str, Any]
    wildcards: dict[str, str]
    inputs: frozenset[str]  # products relative to the root, sources relative to the project


@dataclass(frozen=True)
class JobPlan:
    """What the present config and code ask for."""

    config: dict[str, Any]
    steps: dict[str, Step]


def find_project(root: Path) -> Path:
    """The folder of the Snakefile: the root itself or the nearest folder above it."""
    root = root.resolve()
    if not root.is_dir():
        raise ValueError(f"{root} is not a folder")
    for folder in (root, *root.parents):
        if (folder / "Snakefile").is_file():
            return folder
    raise ValueError(f"no Snakefile in {root} or above it")


def plan_jobs(project: Path, root: Path, origin: Mapping[str, Any]) -> JobPlan:
    """Ask Snakemake which jobs the config and code of today would run, without running any.

    It asks in a folder of links to the project, so that an audit writes nothing beside what it
    audits, and works where nothing can be written.
    """
    import contextlib
    import io
    import tempfile

    silence = io.StringIO()
    with (
        unfinished(Path(tempfile.mkdtemp(prefix="ldpt-plan-"))) as links,
        contextlib.redirect_stdout(silence),
        contextlib.redirect_stderr(silence),
    ):
        for entry in project.iterdir():
            if entry.name not in (".git", ".snakemake"):
                (links / entry.name).symlink_to(entry)
        with contextlib.chdir(links):
            return _ask_snakemake(project, root, origin)


def _ask_snakemake(project: Path, root: Path, origin: Mapping[str, Any]) -> JobPlan:
    from snakemake.api import SnakemakeApi
    from snakemake.settings import types

    files = [Path(name).absolute() for name in origin.get("files", [])]
    asked = types.ConfigSettings(configfiles=files, config=dict(origin.get("overrides", {})))
    with SnakemakeApi(types.OutputSettings(quiet={types.Quietness.ALL})) as api:
        cores = types.ResourceSettings(cores=1)
        opened = api.workflow(cores, config_settings=asked, snakefile=Path("Snakefile"))
        opened.dag(types.DAGSettings(forceall=True))
        # Snakemake offers no public way to its jobs; the lock pins the version this was tried with.
        workflow = opened._workflow
        workflow._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True)
        workflow._build_dag()
        steps: dict[str, Step] = {}
        for job in workflow.dag.jobs:
            steps.update(_steps(job, project, root))
        return JobPlan(plain(dict(workflow.config)), steps)


def _steps(job: Any, project: Path, root: Path) -> dict[str, Step]:
    step = Step(
        rule=str(job.rule.name),
        code=str(job.params.get("code", "")),
        params=provenance.settings(job.params),
        wildcards=plain(dict(job.wildcards.items())),
        inputs=frozenset(product_name(path, project, root) for path in job.input),
    )
    return {product_name(path, project, root): step for path in job.output}


def product_name(path: str, project: Path, root: Path) -> str:
    """Relative to the root if it is below it, else to the project."""
    for folder in (root, project):
        try:
            return relative_to(project / path, folder)
        except ValueError:
            continue
    return str(path)
