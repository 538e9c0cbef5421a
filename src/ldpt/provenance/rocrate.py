"""A finished run as a Workflow Run RO-Crate: code, config, products, and the job behind each.

The crate follows the profile "Provenance Run Crate" of Workflow Run RO-Crate. Unpacked, it is a
project again: ``ldpt audit`` and ``ldpt trace`` work in it as they did where the run was made.
"""

import gc
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ldpt import provenance
from ldpt.io.files import staged_file
from ldpt.provenance import file_hash, read_record, record_path
from ldpt.provenance.manifest import MANIFEST, project_of, read_manifest

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/provenance/0.5": ("Provenance Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
LICENSE = "https://spdx.org/licenses/MIT"
WORKFLOW = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
PARAMETER = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
# Terms that RO-Crate 1.1 does not define itself.
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
# Beside what the records name: whatever is needed to run again.
PROJECT_FILES = (
    "*.md", "*.toml", "*.lock", "*.yml", "*.cff", "LICENSE", "Makefile",
    "config/*", "profiles/**/*", "workflow/**/*", "scripts/*.py", "src/**/*.py", "paper/*.*",
    "src/ldpt/py.typed", "benchmarks/*.*", "docs/*", "examples/*.*",
)  # fmt: skip
MEDIA = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}

Entity = Any  # rocrate's entities carry no types


def write(out: Path | str, root: Path | str = ".") -> None:
    """Pack the run under a root into a zip file; a run that is not whole is refused."""
    out, root = Path(out), Path(root)
    if out.suffix != ".zip":
        raise ValueError(f"{out}: the name must end in .zip")
    if not out.absolute().parent.is_dir():
        raise ValueError(f"{out}: there is no folder {out.absolute().parent}")
    packed = _Packing(root.resolve())
    try:
        with staged_file(out) as staged, _quiet_zip():
            packed.crate.write_zip(staged)
    except OSError as error:
        raise ValueError(f"cannot write {out}: {error.strerror or error}") from None


@contextmanager
def _quiet_zip() -> Iterator[None]:
    """Silence zip files that a full disk left open and that fail again when they are dropped."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        yield
    finally:
        gc.collect()
        sys.unraisablehook = hook


class _Packing:
    """One crate while it is being put together."""

    def __init__(self, root: Path):
        from rocrate.rocrate import ROCrate

        if not (root / MANIFEST).is_file():
            raise ValueError(f"no manifest at {root / MANIFEST}: finish the run first")
        self.root, self.manifest = root, read_manifest(root)
        self.project = project_of(root, self.manifest)
        self.records = {name: _whole(root, name, entry) for name, entry in self._products()}
        self.crate = ROCrate(version="1.1")
        self.crate.metadata.extra_terms.update(TERMS)
        self.files: dict[Path, Entity] = {}
        self._describe()
        workflow = self._workflow()
        self._run(workflow, self._jobs(workflow))
        self._keep_the_rest()

    def _products(self) -> Iterator[tuple[str, dict[str, str] | None]]:
        yield from self.manifest["products"].items()
        yield MANIFEST, None

    def _describe(self) -> None:
        crate = self.crate
        crate.name = f"Run of the workflow of ldpt ({self.manifest['config_hash'][:12]})"
        crate.description = (
            "Locally differentially private thresholding bandits: every figure, table and "
            "simulation of one run, with the code and config that made them."
        )
        crate.license = self._thing(LICENSE, "CreativeWork", name="MIT License")
        crate.root_dataset["datePublished"] = self._times()[1].isoformat(timespec="seconds")
        crate.root_dataset["conformsTo"] = [
            self._thing(address, "CreativeWork", name=name, version=version)
            for address, (name, version) in PROFILES.items()
        ]

    def _thing(self, identifier: str, kind: str | list[str], **properties: Any) -> Entity:
        from rocrate.model.contextentity import ContextEntity

        single = {name: _alone(value) for name, value in properties.items()}
        entity = ContextEntity(self.crate, identifier, {"@type": kind, **single})
        return self.crate.add(entity)

    def _file(self, path: Path, **properties: Any) -> Entity:
        """A file in the crate, under its path in the project; added once."""
        path = path.resolve()
        if path not in self.files:
            facts: dict[str, Any] = {"name": path.name, "sha256": file_hash(path)}
            facts["contentSize"] = str(path.stat().st_size)
            facts["encodingFormat"] = MEDIA.get(path.suffix, "text/plain")
            place = provenance.relative_to(path, self.project)
            self.files[path] = self.crate.add_file(path, place, properties=facts | properties)
        return self.files[path]

    def _product(self, name: str) -> Entity:
        return self._file(self.root / name)

    def _workflow(self) -> Entity:
        workflow = self.crate.add_workflow(
            self.project / "Snakefile",
            "Snakefile",
            main=True,
            lang="snakemake",
            properties={"@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]},
        )
        workflow["name"] = "From a config to figures, tables and claims"
        workflow["license"] = LICENSE
        workflow["encodingFormat"] = "text/plain"
        workflow["conformsTo"] = {"@id": WORKFLOW}
        self.files[(self.project / "Snakefile").resolve()] = workflow
        return workflow

    def _config_files(self) -> list[Path]:
        named = [self.project / name for name in self.manifest["origin"].get("files", [])]
        usual = [self.project / "config/config.yaml", self.project / "config.yaml"]
        return [path for path in (*usual, *named) if path.is_file()]

    def _jobs(self, workflow: Entity) -> list[Entity]:
        """A step for every rule, and for every job its action and what started it."""
        steps: dict[str, Entity] = {}
        started = []
        for number, products in enumerate(_by_job(self.records)):
            record = self.records[products[0]]
            stable = record["stable"]
            tool = self._script(stable["script"])
            if stable["rule"] not in steps:
                steps[stable["rule"]] = self._step(stable["rule"], len(steps), tool)
            action = self._action(f"#job-{number}", record, products, tool)
            started.append(
                self._thing(
                    f"#start-{number}",
                    "ControlAction",
                    name=f"start of {action['name']}",
                    instrument=steps[stable["rule"]],
                    object=action,
                )
            )
        workflow["step"] = _alone(list(steps.values()))
        tools = {self._script(record["stable"]["script"]) for record in self.records.values()}
        workflow["hasPart"] = _alone(sorted(tools, key=lambda tool: str(tool.id)))
        return started

    def _script(self, name: str) -> Entity:
        kinds = ["File", "SoftwareSourceCode", "SoftwareApplication"]
        return self._file(self.project / name, **{"@type": kinds})

    def _step(self, rule: str, position: int, tool: Entity) -> Entity:
        facts = {"name": rule, "position": str(position), "workExample": tool}
        return self._thing(f"Snakefile#{rule}", "HowToStep", **facts)

    def _action(
        self, identifier: str, record: dict[str, Any], products: list[str], tool: Entity
    ) -> Entity:
        stable = record["stable"]
        begun, ended = _span(record)
        sources = [self._file(self.project / name) for name in stable["sources"]]
        given = [self._product(name) for name in stable["inputs"]] + sources
        settings = {**stable["params"], **stable["wildcards"], **stable["notes"]}
        given += [
            self._setting(f"{identifier}-{name}", name, value)
            for name, value in settings.items()
            if name not in ("config", "origin", "spawn_keys")
        ]
        return self._thing(
            identifier,
            "CreateAction",
            name=" ".join([stable["rule"], *stable["wildcards"].values()]),
            instrument=tool,
            object=given,
            result=[self._product(name) for name in products],
            startTime=begun.isoformat(timespec="seconds"),
            endTime=ended.isoformat(timespec="seconds"),
            actionStatus="http://schema.org/CompletedActionStatus",
        )

    def _setting(self, identifier: str, name: str, value: Any) -> Entity:
        text = value if isinstance(value, str) else json.dumps(value)
        return self._thing(identifier, "PropertyValue", name=name, value=text)

    def _run(self, workflow: Entity, started: list[Entity]) -> None:
        """The run as a whole, and the engine that organised it."""
        begun, ended = self._times()
        configs = [self._file(path) for path in self._config_files()]
        parameter = self._thing(
            "#config",
            "FormalParameter",
            name="config",
            additionalType="File",
            conformsTo={"@id": PARAMETER},
            workExample=configs,
        )
        for config in configs:
            config["exampleOfWork"] = parameter
        workflow["input"] = parameter
        run = self._thing(
            "#run",
            "CreateAction",
            name="run of the workflow",
            instrument=workflow,
            object=configs,
            result=[self._product(name) for name in self.records],
            startTime=begun.isoformat(timespec="seconds"),
            endTime=ended.isoformat(timespec="seconds"),
            actionStatus="http://schema.org/CompletedActionStatus",
        )
        engine = self._thing(
            "#snakemake",
            "SoftwareApplication",
            name="Snakemake",
            url="https://snakemake.github.io",
            softwareVersion=self._engine_version(),
        )
        facts = {"name": "organisation of the run", "instrument": engine}
        self._thing("#organisation", "OrganizeAction", **facts, object=started, result=run)
        self.crate.root_dataset["mentions"] = run

    def _engine_version(self) -> str:
        libraries = self.records[MANIFEST]["stable"]["environment"]["libraries"]
        return str(libraries.get("snakemake", "unknown"))

    def _times(self) -> tuple[datetime, datetime]:
        spans = [_span(record) for record in self.records.values()]
        return min(begun for begun, _ in spans), max(ended for _, ended in spans)

    def _keep_the_rest(self) -> None:
        """The records, and the files of the project that are needed to run again."""
        for name in self.records:
            self._file(record_path(self.root, name), about=self._product(name))
        for pattern in PROJECT_FILES:
            for path in sorted(self.project.glob(pattern)):
                if path.is_file() and "__pycache__" not in path.parts:
                    self._file(path)
        readme = self.files.get((self.project / "README.md").resolve())
        if readme is not None:
            readme["about"] = self.crate.root_dataset


def _whole(root: Path, name: str, entry: Mapping[str, str] | None) -> dict[str, Any]:
    """The record of a product that is as the manifest says."""
    path = record_path(root, name)
    if not ((root / name).is_file() and path.is_file()):
        raise ValueError(f"{name} or its record is missing: run `ldpt audit`")
    record = read_record(path)
    actual = {"sha256": file_hash(root / name), "record_hash": record["record_hash"]}
    if actual["sha256"] != record["stable"]["sha256"] or (entry and actual != dict(entry)):
        raise ValueError(f"{name} differs from its record or from the manifest: run `ldpt audit`")
    return record


def _by_job(records: Mapping[str, dict[str, Any]]) -> Iterable[list[str]]:
    """Products that one job made together."""
    jobs: dict[str, list[str]] = {}
    for name, record in records.items():
        stable = record["stable"]
        key = json.dumps([stable["rule"], stable["wildcards"]], sort_keys=True)
        jobs.setdefault(key, []).append(name)
    return jobs.values()


def _alone(value: Any) -> Any:
    """RO-Crate wants a list of one thing written as the thing."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _span(record: Mapping[str, Any]) -> tuple[datetime, datetime]:
    begun = datetime.fromisoformat(record["volatile"]["started"])
    return begun, begun + timedelta(seconds=record["volatile"]["wall_seconds"])
