"""A finished run as a Workflow Run RO-Crate: code, config, products, and the job behind each.

The crate follows the profile "Provenance Run Crate" of Workflow Run RO-Crate. Unpacked, it is a
project again: ``ldpt audit`` and ``ldpt trace`` work in it as they did where the run was made.
"""

import json
import zipfile
from collections.abc import Mapping
from datetime import datetime, timedelta
from importlib.metadata import version
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from ldpt.io.files import staged_file
from ldpt.provenance.hashing import file_hash
from ldpt.provenance.manifest import MANIFEST, project_of, read_manifest
from ldpt.provenance.records import COMPACT, read_record, record_path, relative_to

METADATA = "ro-crate-metadata.json"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/provenance/0.5": ("Provenance Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
LICENSE = "https://spdx.org/licenses/MIT"
WORKFLOW = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
PARAMETER = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
COMPLETED = "http://schema.org/CompletedActionStatus"
# The context of RO-Crate 1.1, and a term that it does not define itself.
CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"},
]
# Beside what the records name: whatever is needed to run again.
PROJECT_FILES = (
    "*.md", "*.toml", "*.lock", "*.yml", "*.cff", "*.json", "LICENSE", "Makefile",
    "config/*", "profiles/**/*", "workflow/**/*", "scripts/*.py", "src/**/*", "paper/*.*",
    "benchmarks/*.*", "docs/**/*", "examples/*.*",
)  # fmt: skip
BUILT = {"__pycache__", "_build", "_generated"}
Entity = dict[str, Any]


def write(out: Path | str, root: Path | str = ".") -> None:
    """Pack the run under a root into a zip file; a run that is not whole is refused."""
    out = Path(out)
    if out.suffix != ".zip":
        raise ValueError(f"{out}: the name must end in .zip")
    if not out.absolute().parent.is_dir():
        raise ValueError(f"{out}: there is no folder {out.absolute().parent}")
    crate = _Crate(Path(root).resolve())
    try:
        with staged_file(out) as staged, zipfile.ZipFile(staged, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(METADATA, crate.metadata())
            for name, path in sorted(crate.files.items()):
                file.write(path, name)
    except OSError as error:
        raise ValueError(f"cannot write {out}: {error.strerror or error}") from None


class _Crate:
    """One crate while it is being put together."""

    def __init__(self, root: Path):
        if not (root / MANIFEST).is_file():
            raise ValueError(f"no manifest at {root / MANIFEST}: finish the run first")
        self.root, self.manifest = root, read_manifest(root)
        self.project = project_of(root, self.manifest)
        listed = {**self.manifest["products"], MANIFEST: None, COMPACT: None}
        self.records = {name: _whole(root, name, entry) for name, entry in listed.items()}
        self.entities: dict[str, Entity] = {}
        self.files: dict[str, Path] = {}
        self.dataset = self.add("./", "Dataset")
        snakefile = self.project / "Snakefile"
        self.workflow = self.code(snakefile, ["ComputationalWorkflow", "HowTo"], version("ldpt"))
        self.authors = self.add("#authors", "Organization", name="The ldpt authors")
        host = self.records[MANIFEST]["volatile"].get("host", "an unknown machine")
        self.operator = self.add("#operator", "Organization", name=f"operator of {host}")
        self.add_jobs()
        self.add_run()
        self.add_rest()
        self.describe()

    def add(self, identifier: str, kind: str | list[str], **properties: Any) -> Entity:
        entity = {"@id": identifier, "@type": kind}
        entity |= {name: _refer(value) for name, value in properties.items()}
        return self.entities.setdefault(identifier, entity)

    def code(self, path: Path, kind: list[str], number: str) -> Entity:
        """Add a file that is run; its address is the one in the crate, as it has no other."""
        entity = self.file(path, kind)
        facts = {"version": number, "url": entity["@id"]}
        for name, value in facts.items():
            entity.setdefault(name, value)
        return entity

    def file(self, path: Path, kind: list[str] | None = None) -> Entity:
        """Add a file under its path in the project; ``kind`` is for code."""
        name = relative_to(path, self.project)
        if name not in self.files:
            self.files[name] = path
            self.add(
                name,
                ["File", "SoftwareSourceCode", *kind] if kind else "File",
                name=path.name,
                sha256=file_hash(path),
                contentSize=str(path.stat().st_size),
                encodingFormat=guess_type(path.name)[0] or "application/octet-stream",
            )
        return self.entities[name]

    def products(self, names: Any) -> list[Entity]:
        return [self.file(self.root / name) for name in names]

    def add_jobs(self) -> None:
        """Add a step for every rule, and for every job its action and what started it."""
        jobs: dict[str, list[str]] = {}
        for name, record in self.records.items():
            stable = record["stable"]
            key = json.dumps([stable["rule"], stable["wildcards"]], sort_keys=True)
            jobs.setdefault(key, []).append(name)
        self.starts: list[Entity] = []
        tools: dict[str, Entity] = {}
        steps: dict[str, Entity] = {}
        for number, names in enumerate(jobs.values()):
            stable = self.records[names[0]]["stable"]
            rule = stable["rule"]
            script, digest = self.project / stable["script"], stable["code"]["hash"][:12]
            tool = self.code(script, ["SoftwareApplication"], digest)
            tools[tool["@id"]] = tool
            facts = {"name": rule, "position": str(len(steps)), "workExample": tool}
            step = steps.setdefault(rule, self.add(f"Snakefile#{rule}", "HowToStep", **facts))
            action = self.add_job(f"#job-{number}", names, tool)
            name = f"start of {action['name']}"
            facts = {"name": name, "instrument": step, "object": action}
            self.starts.append(self.add(f"#start-{number}", "ControlAction", **facts))
        self.workflow |= {
            "step": _refer(list(steps.values())),
            "hasPart": _refer(list(tools.values())),
        }

    def add_job(self, identifier: str, names: list[str], tool: Entity) -> Entity:
        record = self.records[names[0]]
        stable = record["stable"]
        given = self.products(stable["inputs"])
        given += [self.file(self.project / name) for name in stable["sources"]]
        for name, value in {**stable["params"], **stable["wildcards"], **stable["notes"]}.items():
            if name not in ("config", "origin", "spawn_keys"):
                text = value if isinstance(value, str) else json.dumps(value)
                key = f"{identifier}-{name}"
                given.append(self.add(key, "PropertyValue", name=name, value=text))
        return self.add(
            identifier,
            "CreateAction",
            name=" ".join([stable["rule"], *stable["wildcards"].values()]),
            description=f"Job of the rule {stable['rule']}",
            agent=self.operator,
            instrument=tool,
            object=given,
            result=self.products(names),
            actionStatus=COMPLETED,
            **_times([record]),
        )

    def add_run(self) -> None:
        """Add the run as a whole, its config, and the engine that organised it."""
        named = self.manifest["origin"].get("files", [])
        paths = [self.project / name for name in ("config/config.yaml", "config.yaml", *named)]
        configs = [self.file(path) for path in dict.fromkeys(paths) if path.is_file()]
        facts = {"name": "config", "additionalType": "File", "conformsTo": {"@id": PARAMETER}}
        parameter = self.add("#config", "FormalParameter", **facts, workExample=configs)
        for config in configs:
            config["exampleOfWork"] = _refer(parameter)
        run = self.add(
            "#run",
            "CreateAction",
            name="run of the workflow",
            description="All jobs of the workflow for one config",
            agent=self.operator,
            instrument=self.workflow,
            object=configs,
            result=self.products(self.records),
            actionStatus=COMPLETED,
            **_times(self.records.values()),
        )
        libraries = self.records[MANIFEST]["stable"]["environment"]["libraries"]
        facts = {"name": "Snakemake", "url": "https://snakemake.github.io"}
        facts["softwareVersion"] = libraries.get("snakemake", "unknown")
        engine = self.add("#snakemake", "SoftwareApplication", **facts)
        facts = {"name": "organisation of the run", "instrument": engine}
        self.add("#organisation", "OrganizeAction", **facts, object=self.starts, result=run)
        self.workflow["input"] = _refer(parameter)
        actions = [e for e in self.entities.values() if e["@type"] == "CreateAction"]
        self.dataset["mentions"] = _refer(actions)

    def add_rest(self) -> None:
        """Add the records, and the files of the project that are needed to run again."""
        for name in self.records:
            self.file(record_path(self.root, name))["about"] = _refer(self.file(self.root / name))
        for pattern in PROJECT_FILES:
            for path in sorted(self.project.glob(pattern)):
                if path.is_file() and not BUILT & set(path.parts):
                    self.file(path)
        if "README.md" in self.entities:
            self.entities["README.md"]["about"] = _refer(self.dataset)

    def describe(self) -> None:
        """Fill in what describes the workflow and the crate."""
        url = "https://snakemake.readthedocs.io"
        language = self.add(LANGUAGE, "ComputerLanguage", name="Snakemake", url=url)
        self.workflow |= {
            "name": "From a config to figures, tables and claims",
            "license": LICENSE,
            "conformsTo": {"@id": WORKFLOW},
            "programmingLanguage": _refer(language),
        }
        profiles = [
            self.add(address, "CreativeWork", name=name, version=number)
            for address, (name, number) in PROFILES.items()
        ]
        self.dataset |= {
            "name": f"Run of the workflow of ldpt ({self.manifest['config_hash'][:12]})",
            "description": "Locally differentially private thresholding bandits: every figure, "
            "table and simulation of one run, with the code and config that made them.",
            "author": _refer(self.authors),
            "publisher": _refer(self.authors),
            "license": _refer(self.add(LICENSE, "CreativeWork", name="MIT License")),
            "datePublished": _times(self.records.values())["endTime"],
            "conformsTo": _refer(profiles),
            "mainEntity": _refer(self.workflow),
            "hasPart": _refer([self.entities[name] for name in sorted(self.files)]),
        }

    def metadata(self) -> str:
        about: Entity = {"@id": METADATA, "@type": "CreativeWork", "about": {"@id": "./"}}
        crates = [
            "https://w3id.org/ro/crate/1.1",
            "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
        ]
        about["conformsTo"] = [{"@id": address} for address in crates]
        content = {"@context": CONTEXT, "@graph": [about, *self.entities.values()]}
        return json.dumps(content, indent=1)


def _refer(value: Any) -> Any:
    """Return references to entities; a list of one thing as the thing (RO-Crate's convention)."""
    if isinstance(value, list):
        parts = [_refer(item) for item in value]
        return parts[0] if len(parts) == 1 else parts
    return {"@id": value["@id"]} if isinstance(value, dict) else value


def _whole(root: Path, name: str, entry: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the record of a product that is as the manifest says."""
    path = record_path(root, name)
    if not ((root / name).is_file() and path.is_file()):
        raise ValueError(f"{root / name} or its record is missing: run `ldpt audit`")
    record = read_record(path)
    actual = {"sha256": file_hash(root / name), "record_hash": record["record_hash"]}
    if actual["sha256"] != record["stable"]["sha256"] or (entry and actual != dict(entry)):
        raise ValueError(f"{root / name} differs from its record or the manifest: run `ldpt audit`")
    return record


def _times(records: Any) -> dict[str, str]:
    """Return when the first of some jobs began and the last one ended."""
    starts, ends = [], []
    for record in records:
        start = datetime.fromisoformat(record["volatile"]["started"])
        starts.append(start)
        ends.append(start + timedelta(seconds=record["volatile"]["wall_seconds"]))
    times = {"startTime": min(starts), "endTime": max(ends)}
    return {name: time.isoformat(timespec="seconds") for name, time in times.items()}
