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
from ldpt.provenance.comparison import Evidence, gather
from ldpt.provenance.hashing import file_hash
from ldpt.provenance.records import Record, record_path, relative_to
from ldpt.provenance.run import MANIFEST

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/provenance/0.5": ("Provenance Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
LICENSE = "https://spdx.org/licenses/MIT"
WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
COMPLETED = "http://schema.org/CompletedActionStatus"
WORKFLOW = ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
TOOL = ["File", "SoftwareApplication"]
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
    if not (root / MANIFEST).is_file():
        raise ValueError(f"no manifest at {root / MANIFEST}: finish the run first")
    evidence, settings = gather(root, links=True)
    for product in sorted({*evidence.listed, *evidence.invalid, MANIFEST}):
        for kind, detail in evidence.discrepancies(product):
            raise ValueError(f"{root / product}: {kind}, {detail}: run `ldpt audit`")
    crate = _Crate(evidence, settings)
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

    def __init__(self, evidence: Evidence, settings: dict[str, Any]):
        super().__init__(version="1.1")
        self.metadata.extra_terms = {"sha256": SHA256}
        self.project, self.files = evidence.project, {}
        self.records = {name: evidence.records[name] for name in (*evidence.listed, MANIFEST)}
        # What has no public address has the one in the crate.
        facts = {"name": "Operator of the machine", "url": "#operator"}
        self.operator = self.context("#operator", "Organization", **facts)
        snakefile = self.project.home / "Snakefile"
        self.workflow = self.files["Snakefile"] = self.add_workflow(
            snakefile,
            "Snakefile",
            properties=_facts(snakefile, WORKFLOW),
            main=True,
            lang="snakemake",
        )
        starts = self.add_jobs([*(list(job["products"]) for job in settings["jobs"]), [MANIFEST]])
        self.add_run(settings["origin"].get("files", []), starts)
        self.add_rest()
        self.describe(settings["config_hash"])

    def context(self, identifier: str, kind: str, **properties: Any) -> Entity:
        """Return the contextual entity with an identifier; a new one is added."""
        known = self.get(identifier)
        facts = {name: _single(value) for name, value in properties.items()}
        return known or self.add(ContextEntity(self, identifier, {"@type": kind, **facts}))

    def file(self, name: str, kind: list[str] | str = "File") -> Entity:
        """Return a file by its name in the project; a new one is added."""
        if name not in self.files:
            path = self.project.source_folder(name) / name
            self.files[name] = self.add_file(path, name, properties=_facts(path, kind))
        return self.files[name]

    def products(self, names: Iterable[str]) -> list[Entity]:
        """Return files by their names under the root."""
        root, folder = self.project.root, self.project.folder
        return [self.file(relative_to(root / name, folder)) for name in names]

    def add_jobs(self, jobs: list[list[str]]) -> list[Entity]:
        """Add jobs by their products, and a step for every rule; return what started the jobs."""
        starts = []
        for number, names in enumerate(jobs):
            stable = self.records[names[0]]["stable"]
            tool = self.file(stable["script"], TOOL)
            tool["version"], tool["url"] = stable["code"]["hash"][:12], stable["script"]
            facts = {"name": stable["rule"], "workExample": tool, "position": str(number)}
            step = self.context(f"Snakefile#{stable['rule']}", "HowToStep", **facts)
            action = self.add_job(f"#job-{number}", names, tool)
            facts = {"name": f"start of {action['name']}", "instrument": step, "object": action}
            starts.append(self.context(f"#start-{number}", "ControlAction", **facts))
        steps = self.get_by_type("HowToStep")
        self.workflow["step"] = steps
        self.workflow["hasPart"] = list(dict.fromkeys(step["workExample"] for step in steps))
        return starts

    def add_job(self, identifier: str, names: list[str], tool: Entity) -> Entity:
        """Add the action of one job, with the files and settings that it read."""
        stable = self.records[names[0]]["stable"]
        used = self.products(stable["inputs"]) + [self.file(name) for name in stable["sources"]]
        for name, value in {**stable["params"], **stable["wildcards"], **stable["notes"]}.items():
            if name not in LEFT_OUT:
                text = value if isinstance(value, str) else json.dumps(value)
                key = f"{identifier}-{name}"
                used.append(self.context(key, "PropertyValue", name=name, value=text))
        facts = {
            "name": " ".join([stable["rule"], *stable["wildcards"].values()]),
            "description": f"Job of the rule {stable['rule']}",
        }
        return self.add_finished(identifier, names, instrument=tool, object=used, **facts)

    def add_finished(self, identifier: str, names: Iterable[str], **facts: Any) -> Entity:
        """Add the action that made some products."""
        facts |= {"agent": self.operator, "actionStatus": COMPLETED, "result": self.products(names)}
        facts |= _times(self.records[name] for name in names)
        action = self.context(identifier, "CreateAction", **facts)
        self.root_dataset.append_to("mentions", action)
        return action

    def add_run(self, config_files: list[str], starts: list[Entity]) -> None:
        """Add the run as a whole, its config, and the engine that organised it."""
        names = dict.fromkeys(["config/config.yaml", "config.yaml", *config_files])
        configs = [self.file(n) for n in names if (self.project.source_folder(n) / n).is_file()]
        parameter = self.add_formal_parameter("config", "File", "#config")
        parameter["workExample"] = _single(configs)
        for config in configs:
            config["exampleOfWork"] = parameter
        self.workflow["input"] = parameter
        facts = {"name": "run of the workflow", "description": "All jobs for one config"}
        used = {"instrument": self.workflow, "object": configs}
        run = self.add_finished("#run", self.records, **facts, **used)
        libraries = self.records[MANIFEST]["stable"]["environment"]["libraries"]
        facts = {"name": "Snakemake", "url": "https://snakemake.github.io"}
        facts["softwareVersion"] = libraries.get("snakemake", "unknown")
        engine = self.context(facts["url"], "SoftwareApplication", **facts)
        facts = {"name": "organisation of the run", "instrument": engine}
        self.context("#organisation", "OrganizeAction", **facts, object=starts, result=run)

    def add_rest(self) -> None:
        """Add the records, and the files of the project that are needed to run again."""
        for name, product in zip(self.records, self.products(self.records), strict=True):
            self.products([record_path("", name).as_posix()])[0]["about"] = product
        for pattern in PROJECT_FILES:
            for path in sorted(self.project.home.glob(pattern)):
                if path.is_file() and not BUILT & set(path.parts):
                    self.file(relative_to(path, self.project.home))
        if "README.md" in self.files:
            self.files["README.md"]["about"] = self.root_dataset

    def describe(self, config_hash: str) -> None:
        """Describe the workflow and the crate."""
        terms = self.context(LICENSE, "CreativeWork", name="MIT License")
        facts = {"name": "The ldpt authors", "url": "#authors"}
        authors = self.context("#authors", "Organization", **facts)
        profiles = [
            self.context(address, "CreativeWork", name=name, version=number)
            for address, (name, number) in PROFILES.items()
        ]
        workflow = {
            "name": "From a config to figures, tables and claims",
            "version": version("ldpt"),
            "url": "Snakefile",
            "license": terms,
            "conformsTo": {"@id": WORKFLOW_PROFILE},
        }
        dataset = {
            "name": f"Run of the workflow of ldpt ({config_hash[:12]})",
            "description": "Locally differentially private thresholding bandits: every figure, "
            "table and simulation of one run, with the code and config that made them.",
            "author": authors,
            "publisher": authors,
            "license": terms,
            "datePublished": _times(self.records.values())["endTime"],
            "conformsTo": profiles,
        }
        for entity, facts in ((self.workflow, workflow), (self.root_dataset, dataset)):
            for name, value in facts.items():
                entity[name] = value


def _single(value: Any) -> Any:
    """Return the only item of a list instead of the list, by RO-Crate's convention."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


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
