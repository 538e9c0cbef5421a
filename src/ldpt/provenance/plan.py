"""The jobs of Snakemake's DAG for the present config and code, listed without running any.

Building a DAG runs the code of a project: its Snakefile, rules and modules. It is built in a child
process whose answer is a file of JSON, and only for projects whose code the user trusts.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldpt.io.json_values import plain
from ldpt.io.messages import short
from ldpt.provenance.code import PACKAGE
from ldpt.provenance.records import relative_to

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


def own_project() -> Path | None:
    """Return the checkout that the running package belongs to; None when it is installed."""
    checkout = PACKAGE.parents[1]
    return checkout if (checkout / "Snakefile").is_file() else None


def plan_jobs(project: Path, root: Path, origin: Mapping[str, Any]) -> JobPlan:
    """Return how every product would be made now; this runs the code of the project."""
    with tempfile.TemporaryDirectory(prefix="ldpt-plan-") as folder:
        out = Path(folder) / "jobs"
        command = [*snakemake_command(project, origin), *OPTIONS, "--ldpt-plan-out", str(out)]
        done = subprocess.run(
            command, cwd=project, env=project_environment(project), capture_output=True, text=True
        )
        if done.returncode:
            raise ValueError(short(_reason(done.stderr)))
        lines = out.read_text(encoding="utf-8").splitlines()
    steps: JobPlan = {}
    for job in map(json.loads, lines):
        steps.update(_steps(job, project, root))
    return steps


def snakemake_command(project: Path, origin: Mapping[str, Any]) -> list[str]:
    """Return the command that starts Snakemake with the config of a run."""
    files = [str(project / name) for name in origin.get("files", [])]
    overrides = [f"{key}={json.dumps(value)}" for key, value in origin.get("overrides", {}).items()]
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(project / "Snakefile")),
        *(["--configfile", *files] if files else []),
        *(["--config", *overrides] if overrides else []),
    ]


def project_environment(project: Path) -> dict[str, str]:
    """Return an environment in which Python takes ldpt from the project, if it has its own."""
    own = project / "src"
    return {**os.environ, "PYTHONPATH": str(own)} if (own / "ldpt").is_dir() else {**os.environ}


def _reason(text: str) -> str:
    """Return the last line of what Snakemake said, which names the cause."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "Snakemake said nothing"


def _steps(job: Mapping[str, Any], project: Path, root: Path) -> JobPlan:
    params = plain(job["params"])
    step = Step(
        rule=job["rule"],
        code=str(params.pop("code", "")),
        params=params,
        wildcards=plain(job["wildcards"]),
        inputs=frozenset(product_name(path, project, root) for path in job["input"]),
    )
    return {product_name(path, project, root): step for path in job["output"]}


def product_name(path: str, project: Path, root: Path) -> str:
    """Return a path relative to the root if it is below it, else to the project."""
    for folder in (root, project):
        try:
            return relative_to(project / path, folder)
        except ValueError:
            continue
    return str(path)
