"""A finished run as a Workflow Run RO-Crate: code, config, products, and the job behind each.

The crate follows the profile "Provenance Run Crate" of Workflow Run RO-Crate. Unpacked, it is a
project again: ``ldpt audit`` and ``ldpt trace`` work in it as they did where the run was made.
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

from ldpt.io.files import staged_file
from ldpt.provenance.manifest import MANIFEST
from ldpt.provenance.records import Record, file_hash, name_below, record_path
from ldpt.provenance.run import Run, read_run

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
LICENSE = "https://spdx.org/licenses/MIT"
WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
COMPLETED = "http://schema.org/CompletedActionStatus"
WORKFLOW = ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"  # a term that RO-Crate 1.1 lacks
# Beside the files that the records name: everything needed to run again.
PROJECT_FILES = (
    "*.md", "*.toml", "*.lock", "*.yml", "*.cff", "*.json", "LICENSE", "Makefile",
    "config/*", "profiles/**/*", "workflow/**/*", "scripts/*.py", "src/**/*", "paper/*.*",
    "benchmarks/*.*", "docs/**/*", "examples/*.*",
)  # fmt: skip
LEFT_OUT = ("config", "origin")  # settings that are files
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
            text = json.dumps(_compact(crate.metadata.generate()), indent=1)
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
        # What has no public address has the one in the crate.
        facts = {"name": "Operator of the machine", "url": "#operator"}
        self.operator = self.context("#operator", "Organization", facts)
        path = self.project.home / "Snakefile"
        facts = _facts(path, WORKFLOW) | {
            "name": "From a config to figures, tables and claims",
            "version": version("ldpt"),
            "url": "Snakefile",
            "conformsTo": {"@id": WORKFLOW_PROFILE},
        }
        self.workflow = self.add_workflow(path, "Snakefile", False, False, facts, True, "snakemake")
        self.files = {"Snakefile": self.workflow}
        jobs = [list(job["products"]) for job in run.settings["jobs"]] + [[MANIFEST]]
        starts = [self.add_job(number, names) for number, names in enumerate(jobs)]
        self.add_run(run.settings["origin"].get("files", []), starts)
        self.add_rest()
        self.describe(run.settings["config_hash"])

    def context(self, identifier: str, kind: str, facts: dict[str, Any]) -> Entity:
        """Add a contextual entity."""
        return self.add(ContextEntity(self, identifier, {"@type": kind, **facts}))

    def file(self, name: str, kind: list[str] | str = "File") -> Entity:
        """Return a file by its name in the project; a new one is added."""
        if name not in self.files:
            path = self.project.source_folder(name) / name
            self.files[name] = self.add_file(path, name, properties=_facts(path, kind))
        return self.files[name]

    def products(self, names: Iterable[str]) -> list[Entity]:
        """Return files by their names under the root."""
        root, folder = self.project.root, self.project.folder
        return [self.file(name_below(root / name, folder)) for name in names]

    def add_job(self, number: int, names: list[str]) -> Entity:
        """Add a job by its products, with its rule, files and settings; return what started it."""
        stable = self.records[names[0]]["stable"]
        tool = self.file(stable["script"], ["File", "SoftwareApplication"])
        tool["version"], tool["url"] = stable["code"]["hash"][:12], stable["script"]
        step = self.get(f"Snakefile#{stable['rule']}")
        if step is None:
            facts = {"name": stable["rule"], "workExample": tool, "position": str(number)}
            step = self.context(f"Snakefile#{stable['rule']}", "HowToStep", facts)
            self.workflow.append_to("step", step)
            self.workflow.append_to("hasPart", tool)
        used = self.products(stable["inputs"]) + [self.file(name) for name in stable["sources"]]
        for name, value in {**stable["params"], **stable["wildcards"], **stable["notes"]}.items():
            if name not in LEFT_OUT:
                text = value if isinstance(value, str) else json.dumps(value)
                facts = {"name": name, "value": text}
                used.append(self.context(f"#job-{number}-{name}", "PropertyValue", facts))
        action = self.add_finished(f"#job-{number}", names, tool, used)
        action["name"] = " ".join([stable["rule"], *stable["wildcards"].values()])
        action["description"] = f"Job of the rule {stable['rule']}"
        facts = {"name": f"start of {action['name']}", "instrument": step, "object": action}
        return self.context(f"#start-{number}", "ControlAction", facts)

    def add_finished(
        self, identifier: str, names: Iterable[str], tool: Entity, used: list[Entity]
    ) -> Entity:
        """Add the action by which a tool made some products."""
        facts = {"agent": self.operator, "actionStatus": COMPLETED}
        facts |= _times(self.records[name] for name in names)
        action = self.add_action(tool, identifier, used, self.products(names), facts)
        self.root_dataset.append_to("mentions", action)
        return action

    def add_run(self, config_files: list[str], starts: list[Entity]) -> None:
        """Add the run as a whole, its config, and the engine that organised it."""
        names = dict.fromkeys(["config/config.yaml", "config.yaml", *config_files])
        configs = [self.file(n) for n in names if (self.project.source_folder(n) / n).is_file()]
        parameter = self.add_formal_parameter("config", "File", "#config")
        parameter["workExample"] = configs
        for config in configs:
            config["exampleOfWork"] = parameter
        self.workflow["input"] = parameter
        run = self.add_finished("#run", self.records, self.workflow, configs)
        run["name"], run["description"] = "run of the workflow", "All jobs for one config"
        libraries = self.records[MANIFEST]["stable"]["environment"]["libraries"]
        facts = {"name": "Snakemake", "url": "https://snakemake.github.io"}
        facts["softwareVersion"] = libraries.get("snakemake", "unknown")
        engine = self.context(facts["url"], "SoftwareApplication", facts)
        facts = {"@type": "OrganizeAction", "name": "organisation of the run"}
        self.add_action(engine, "#organisation", starts, run, facts)

    def add_rest(self) -> None:
        """Add the records, and the files of the project that are needed to run again."""
        for name, product in zip(self.records, self.products(self.records), strict=True):
            self.products([record_path("", name).as_posix()])[0]["about"] = product
        for pattern in PROJECT_FILES:
            for path in sorted(self.project.home.glob(pattern)):
                if path.is_file() and not BUILT & set(path.parts):
                    self.file(name_below(path, self.project.home))
        if "README.md" in self.files:
            self.files["README.md"]["about"] = self.root_dataset

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


def _compact(metadata: dict[str, Any]) -> dict[str, Any]:
    """Put the only item of a list in its place, by RO-Crate's convention."""
    graph = [
        {key: v[0] if isinstance(v, list) and len(v) == 1 else v for key, v in entity.items()}
        for entity in metadata["@graph"]
    ]
    return {**metadata, "@graph": graph}


def _facts(path: Path, kind: list[str] | str) -> dict[str, Any]:
    """Return the properties of a file."""
    return {
        "@type": kind,
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
