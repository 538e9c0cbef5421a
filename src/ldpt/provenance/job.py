"""One job of the workflow: staged outputs, a log, records, and one clear line when it fails."""

import errno
import os
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from ldpt.io.files import publish_file, staged_path, sync_file, write_durably
from ldpt.io.json_values import plain
from ldpt.provenance.code import code_parts
from ldpt.provenance.hashing import file_hash, stable_hash
from ldpt.provenance.records import (
    FORMAT,
    cpu_seconds,
    environment,
    read_record,
    record_path,
    record_text,
    relative_to,
    volatile_facts,
)

DISK_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


class Staged(list[str]):
    """The staged names of a job's outputs: by position or by the names the rule gives them."""

    def __init__(self, outputs: Any):
        names = {path: str(staged_path(path)) for path in outputs}
        super().__init__(names.values())
        for name, value in outputs.items():
            one = isinstance(value, str)
            setattr(self, name, names[value] if one else [names[path] for path in value])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the rule has no output named {name!r}")


class Job:
    """What a script sees of its rule: Snakemake's values, with staged outputs."""

    def __init__(self, snakemake: Any, script: str | Path):
        self.input, self.params = snakemake.input, snakemake.params
        self.wildcards, self.config = snakemake.wildcards, snakemake.config
        self.threads, self.rule = snakemake.threads, str(snakemake.rule)
        self.targets = [Path(path) for path in snakemake.output]
        self.output = Staged(snakemake.output)
        self.root = Path(str(self.config.get("root", ".")))
        self.script = Path(script)
        self.notes: dict[str, Any] = {}
        self.code = code_parts(script, snakemake.params.get("rows"))
        self.made_from = self._made_from()

    def note(self, **facts: Any) -> None:
        """Add stable facts to the records of this job: seeds, streams, engines."""
        self.notes.update(plain(facts))

    @property
    def keywords(self) -> str:
        """The short form as one text, for the Keywords of a PDF."""
        return " ".join(f"{name}={value}" for name, value in self.metadata.items())

    @property
    def metadata(self) -> dict[str, str]:
        """The short form that figures carry inside: content hashes only, nothing volatile."""
        return short_form(self.made_from)

    def _made_from(self) -> dict[str, Any]:
        inputs, sources = {}, {}
        for path in sorted(set(map(str, self.input))):
            product = self._product_name(path)
            if product and record_path(self.root, product).is_file():
                inputs[product] = _recorded_hash(path, record_path(self.root, product))
            else:
                sources[self._project_name(path)] = file_hash(path)
        return {
            "rule": self.rule,
            "script": self._project_name(self.script),
            "code": {"hash": stable_hash(self.code), "parts": self.code},
            "params": settings(self.params),
            "wildcards": plain(dict(self.wildcards.items())),
            "inputs": inputs,
            "sources": sources,
        }

    def _project_name(self, path: str | Path) -> str:
        """Return a path relative to this folder or to the script's project; else its last parts."""
        for folder in (Path(), self.script.resolve().parents[1]):
            try:
                return relative_to(path, folder)
            except ValueError:
                continue
        return f"{Path(path).parent.name}/{Path(path).name}"

    def _product_name(self, path: str | Path) -> str | None:
        try:
            return relative_to(path, self.root)
        except ValueError:
            return None

    def publish(self, volatile: dict[str, Any]) -> None:
        """Give the staged outputs their names, once all are whole and recorded.

        The records go first: a kill in between leaves a record without its product, which is made
        again, and never an output without a record, which would look complete.
        """
        for staged, target in zip(self.output, self.targets, strict=True):
            if not Path(staged).is_file():
                raise ValueError(f"rule {self.rule} promised {target} but did not write it")
            sync_file(Path(staged))
            self._record(Path(staged), target, volatile)
        for staged, target in zip(self.output, self.targets, strict=True):
            publish_file(Path(staged), target)

    def _record(self, staged: Path, target: Path, volatile: dict[str, Any]) -> None:
        product = relative_to(target, self.root)
        stable = {
            "format": FORMAT,
            "product": product,
            "sha256": file_hash(staged),
            "bytes": staged.stat().st_size,
            **self.made_from,
            "notes": self.notes,
            "environment": environment(),
        }
        write_durably(record_path(self.root, product), record_text(stable, volatile))

    def discard(self) -> None:
        """Remove what was staged."""
        for staged in self.output:
            Path(staged).unlink(missing_ok=True)


def _recorded_hash(path: str, record: Path) -> str:
    """Return the hash of an input; ValueError if it is not the file that its record describes."""
    sha = file_hash(path)
    if sha != read_record(record)["stable"]["sha256"]:
        raise ValueError(f"{path} differs from its record: delete it and run again")
    return sha


def settings(params: Any) -> dict[str, Any]:
    """Return a rule's parameters by name, without the code hash, which records hold in parts."""
    return {name: plain(value) for name, value in params.items() if name != "code"}


def short_form(made_from: Mapping[str, Any]) -> dict[str, str]:
    """Return the rule and short hashes of code, settings and inputs of a record's stable part."""
    asked = {"params": made_from["params"], "wildcards": made_from["wildcards"]}
    read = {"inputs": made_from["inputs"], "sources": made_from["sources"]}
    return {
        "ldpt-rule": made_from["rule"],
        "ldpt-code": made_from["code"]["hash"][:16],
        "ldpt-settings": stable_hash(asked)[:16],
        "ldpt-inputs": stable_hash(read)[:16],
    }


@contextmanager
def job(snakemake: Any, script: str | Path | None = None) -> Iterator[Job]:
    """Run a script's work: staged outputs, a log, records, and one clear line when it fails."""
    script = script or sys.modules["__main__"].__file__ or ""
    started, wall, cpu = time.time(), time.perf_counter(), cpu_seconds()
    this: Job | None = None
    failure: BaseException | None = None
    try:
        with _logged(next(iter(snakemake.log), None)):
            try:
                this = Job(snakemake, script)
                yield this
                spent = (time.perf_counter() - wall, cpu_seconds() - cpu)
                this.publish(volatile_facts(started, *spent))
            except Exception as error:
                _log_failure(error)
                raise
    except Exception as error:
        failure = error
    if failure is not None:
        if this is not None:
            this.discard()
        print(f"{snakemake.rule}: {_blame(failure, snakemake)}", file=sys.stderr)
        raise SystemExit(1)


def _log_failure(error: Exception) -> None:
    """Print a traceback, except for errors of the disk or its permissions."""
    with suppress(OSError):
        if isinstance(error, OSError) and error.errno in DISK_FAULTS:
            print(" ".join(str(error).split()), file=sys.stderr)
        else:
            traceback.print_exc()


def _blame(error: BaseException, snakemake: Any) -> str:
    """Return one line: the message where it was meant for a reader, else also its kind."""
    message = " ".join(str(error).split())
    if isinstance(error, (ValueError, OSError)) and message:
        return message
    return f"{type(error).__name__}: {message} (see {', '.join(snakemake.log) or 'above'})"


@contextmanager
def _logged(log: str | None) -> Iterator[None]:
    """Send standard output and error, also of compiled code, to the rule's log."""
    if log is None:
        yield
        return
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    stream = open(log, "w", buffering=1, encoding="utf-8")  # noqa: SIM115
    try:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
        with redirect_stdout(stream), redirect_stderr(stream):
            yield
    finally:
        for number, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, number)
            os.close(saved)
        with suppress(OSError):  # on a full disk the log stays short, and the error is known
            stream.close()
