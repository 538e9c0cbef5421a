"""A finished run as a Workflow Run RO-Crate: code, config, products and their records.

The crate follows the profile "Workflow Run Crate"; the job behind each product is in its record.
Unpacked, it is a project again: ``ldpt audit`` and ``ldpt trace`` work in it as they did where the
run was made.
"""

import json
import zipfile
from collections.abc import Iterable
from datetime import datetime, timedelta
from importlib.metadata import version
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from rocrate.model import ContextEntity, Entity
from rocrate.rocrate import ROCrate

from ldpt.provenance.manifest import MANIFEST
from ldpt.provenance.records import Record, file_hash, name_below, record_path
from ldpt.provenance.run import Run, read_run
from ldpt.util.files import staged_file

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
LICENSE = "https://spdx.org/licenses/MIT"
WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
COMPLETED = "http://schema.org/CompletedActionStatus"
WORKFLOW = ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"  # a term that RO-Crate 1.1 lacks
# Beside the files that the records name: everything needed to run again.
PROJECT_FILES = (
    "*.md", "*.toml", "*.lock", "*.yml", "*.cff", "*.json", "LICENSE", "Makefile",
    "config/*", "profiles/**/*", "workflow/**/*", "scripts/*.py", "src/**/*", "paper/*.*",
    "benchmarks/*.*", "docs/**/*", "examples/*.*",
)  # fmt: skip
DEFAULT_CONFIGS = ("config/config.yaml", "config.yaml")
BUILT = {"__pycache__", "_build", "_generated"}


def write(out: Path | str, root: Path | str = ".") -> None:
    """Pack the run under a root into a zip file; a run that is not whole is refused."""
    root = Path(root).resolve()
    run = read_run(root)
    if run.is_clone or not (root / MANIFEST).is_file():
        raise ValueError(f"no records and manifest under {root}: finish the run first")
    for product in sorted(run.products):
        for kind, detail in run.discrepancies(product):
            raise ValueError(f"{root / product}: {kind}, {detail}: run `ldpt audit`")
    crate = _Crate(run)
    try:
        with staged_file(out) as staged, zipfile.ZipFile(staged, "w", zipfile.ZIP_DEFLATED) as file:
            text = json.dumps(crate.metadata.generate(), indent=1)
            undated = zipfile.ZipInfo(crate.metadata.id)  # the same run gives the same bytes
            file.writestr(undated, text, zipfile.ZIP_DEFLATED)
            for name in sorted(crate.files):
                file.write(crate.files[name].source, name)
    except OSError as error:
        raise ValueError(f"cannot write {out}: {error.strerror or error}") from None


class _Crate(ROCrate):
    """A crate of a finished run."""

    def __init__(self, run: Run):
        super().__init__(version="1.1")
        self.metadata.extra_terms = {"sha256": SHA256}
        self.project = run.project
        self.records = {name: run.records[name] for name in (*run.listed, MANIFEST)}
        self.files: dict[str, Entity] = {}
        self.add_code()
        self.add_run(run.settings["origin"].get("files", []))
        self.describe(run.settings["config_hash"])

    def context(self, identifier: str, kind: str, facts: dict[str, Any]) -> Entity:
        """Add a contextual entity."""
        return self.add(ContextEntity(self, identifier, {"@type": kind, **facts}))

    def file(self, name: str) -> Entity:
        """Return a file by its name in the project; a new one is added."""
        if name not in self.files:
            path = self.project.source_folder(name) / name
            self.files[name] = self.add_file(path, name, properties=_facts(path))
        return self.files[name]

    def product(self, name: str) -> Entity:
        """Return a file by its name under the root."""
        return self.file(name_below(self.project.root / name, self.project.folder))

    def add_code(self) -> None:
        """Add the workflow, and the files of the project that are needed to run again."""
        path = self.project.home / "Snakefile"
        facts = _facts(path) | {
            "@type": WORKFLOW,
            "name": "From a config to figures, tables and claims",
            "version": version("ldpt"),
            "url": "Snakefile",
            "conformsTo": {"@id": WORKFLOW_PROFILE},
        }
        self.workflow = self.add_workflow(path, "Snakefile", False, False, facts, True, "snakemake")
        self.files["Snakefile"] = self.workflow
        for record in self.records.values():
            self.file(record["stable"]["script"])
        for pattern in PROJECT_FILES:
            for path in sorted(self.project.home.glob(pattern)):
                if path.is_file() and not BUILT & set(path.parts):
                    self.file(name_below(path, self.project.home))
        if "README.md" in self.files:
            self.files["README.md"]["about"] = self.root_dataset

    def add_run(self, config_files: list[str]) -> None:
        """Add the run with its config, the sources that it read, its products and their records."""
        configs = [*DEFAULT_CONFIGS, *config_files]
        names = [n for n in configs if (self.project.source_folder(n) / n).is_file()]
        names += [name for r in self.records.values() for name in r["stable"]["sources"]]
        sources = [self.file(name) for name in dict.fromkeys(names)]
        for name in self.records:
            self.product(record_path("", name).as_posix())["about"] = self.product(name)
        # What has no public address has the one in the crate.
        facts = {"name": "Operator of the machine", "url": "#operator"}
        facts = {
            "name": "run of the workflow",
            "description": "All jobs for one config",
            "agent": self.context("#operator", "Organization", facts),
            "actionStatus": COMPLETED,
            **_times(self.records.values()),
        }
        products = [self.product(name) for name in self.records]
        run = self.add_action(self.workflow, "#run", sources, products, facts)
        self.root_dataset["mentions"] = run

    def describe(self, config_hash: str) -> None:
        """Describe the crate."""
        self.name = f"Run of the workflow of ldpt ({config_hash[:12]})"
        self.description = (
            "Locally differentially private thresholding bandits: every figure, table and "
            "simulation of one run, with the code and config that made them."
        )
        facts = {"name": "The ldpt authors", "url": "#authors"}
        self.publisher = self.root_dataset["author"] = self.context(
            "#authors", "Organization", facts
        )
        self.license = self.context(LICENSE, "CreativeWork", {"name": "MIT License"})
        self.workflow["license"] = self.license
        self.datePublished = _times(self.records.values())["endTime"]
        self.root_dataset["conformsTo"] = [
            self.context(url, "CreativeWork", {"name": name, "version": url.rpartition("/")[2]})
            for url, name in PROFILES.items()
        ]


def _facts(path: Path) -> dict[str, Any]:
    """Return the properties of a file."""
    return {
        "@type": "File",
        "name": path.name,
        "sha256": file_hash(path),
        "contentSize": str(path.stat().st_size),
        "encodingFormat": guess_type(path.name)[0] or "application/octet-stream",
    }


def _times(records: Iterable[Record]) -> dict[str, str]:
    """Return when the first of some jobs began and the last one ended."""
    times = []
    for record in records:
        start = datetime.fromisoformat(record["volatile"]["started"])
        times += [start, start + timedelta(seconds=record["volatile"]["wall_seconds"])]
    ends = {"startTime": min(times), "endTime": max(times)}
    return {name: time.isoformat(timespec="seconds") for name, time in ends.items()}
