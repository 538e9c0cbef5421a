"""One job of the workflow: staged outputs, a log, records, and one clear line when it fails."""

import os
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from ldpt.provenance.code import code_parts, same_code
from ldpt.provenance.environment import volatile_facts
from ldpt.provenance.records import (
    FORMAT,
    file_hash,
    matching_record,
    name_below,
    record_path,
    record_text,
    stable_hash,
)
from ldpt.util.files import remove_staged, staged_path, sync_file, write_durably
from ldpt.util.json_values import plain
from ldpt.util.messages import printable, short

PREAMBLE_END = "######## snakemake preamble end #########\n"  # Snakemake's, in each executed copy
INTERRUPTED = 130  # exit status after Ctrl-C


class Job:
    """What a script sees of its rule: Snakemake's values, with staged outputs."""

    def __init__(self, snakemake: Any, script: str | Path):
        self.input, self.params = snakemake.input, snakemake.params
        self.wildcards, self.config = snakemake.wildcards, snakemake.config
        self.threads = snakemake.threads
        self.rule = str(snakemake.rule)
        self.targets = [Path(path) for path in snakemake.output]
        # The same list, by position and by name, of other files.
        self.output = type(snakemake.output)(
            toclone=snakemake.output, custom_map=lambda path: str(staged_path(path))
        )
        self.root = Path(str(self.config.get("root", ".")))
        self.script = Path(script)
        self.project = self.script.resolve().parents[1]
        self.notes: dict[str, Any] = {}
        self.remove_leftovers()
        self.made_from = self._made_from()
        self.check_unchanged(self.made_from)

    def remove_leftovers(self) -> None:
        """Remove what an interrupted run of this job has left under staged names."""
        for target in self.targets:
            remove_staged(target)
            remove_staged(record_path(self.root, name_below(target, self.root)))

    def check_unchanged(self, now: Mapping[str, Any]) -> None:
        """Fail unless the record says what Snakemake planned and what this process runs and reads.

        ``now`` is what the record would say at this moment.
        """
        recorded = self.made_from["code"]
        parts = now["code"]["parts"]
        names = [name for name in parts if recorded["parts"].get(name) != parts[name]]
        planned = self.params.get("code", recorded["hash"])
        if not (planned == recorded["hash"] == now["code"]["hash"] and _executes_its_file()):
            what = short(", ".join(names) or self._project_name(self.script), 200)
            raise ValueError(f"the code was edited during the run ({what}): run snakemake again")
        for kind in ("inputs", "sources"):
            for name, sha in self.made_from[kind].items():
                if now[kind].get(name) != sha:
                    raise ValueError(f"{name} was edited during the job: run snakemake again")

    def note(self, **facts: Any) -> None:
        """Add stable facts to the records of this job: seeds, streams, engines."""
        self.notes.update(plain(facts))

    @property
    def metadata(self) -> dict[str, str]:
        """The short form that figures carry inside: content hashes only, nothing volatile."""
        return short_form(self.made_from)

    def _made_from(self) -> dict[str, Any]:
        inputs, sources = {}, {}
        for path in sorted(set(map(str, self.input))):
            product = name_below(path, self.root)
            if product and record_path(self.root, product).is_file():
                inputs[product] = matching_record(self.root, product)["stable"]["sha256"]
            else:
                sources[self._project_name(path)] = file_hash(path)
        code = code_parts(self.script, self.params.get("rows"))
        return {
            "rule": self.rule,
            "script": self._project_name(self.script),
            "code": {"hash": stable_hash(code), "parts": code},
            "params": plain({k: value for k, value in self.params.items() if k != "code"}),
            "wildcards": plain(dict(self.wildcards.items())),
            "inputs": inputs,
            "sources": sources,
        }

    def _project_name(self, path: str | Path) -> str:
        """Return a path relative to this folder or to the script's project; else its last parts."""
        return name_below(path, ".", self.project) or "/".join(Path(path).parts[-2:])

    def publish(self, began: float) -> None:
        """Give the staged outputs their names, once all are whole and recorded.

        The records go first: a kill in between leaves a record without its product, which is made
        again, and never an output without a record, which would look complete.
        """
        self.check_unchanged(self._made_from())
        volatile = volatile_facts(began, self.project, self.root)
        files = list(zip(map(Path, self.output), self.targets, strict=True))
        for staged, target in files:
            if not staged.is_file():
                raise ValueError(f"rule {self.rule} promised {target} but did not write it")
            sync_file(staged)
            product = name_below(target, self.root)
            stable = {
                "format": FORMAT,
                "product": product,
                "sha256": file_hash(staged),
                "bytes": staged.stat().st_size,
                **self.made_from,
                "notes": self.notes,
            }
            write_durably(record_path(self.root, product), record_text(stable, volatile))
        for staged, target in files:
            os.replace(staged, target)
            sync_file(target.parent)


def _executes_its_file() -> bool:
    """Return whether the running copy of a script has the code of the script's file.

    Snakemake executes a copy, which it may have taken before the file was edited.
    """
    main = sys.modules["__main__"]
    copy = getattr(main, "__real_file__", None)
    if copy is None:  # not started by Snakemake
        return True
    executed = Path(copy).read_text(encoding="utf-8").partition(PREAMBLE_END)[2]
    return same_code(executed, Path(main.__file__ or "").read_text(encoding="utf-8"))


def short_form(made_from: Mapping[str, Any]) -> dict[str, str]:
    """Return the rule and short hashes of code, settings and inputs of a record's stable part."""
    settings = {"params": made_from["params"], "wildcards": made_from["wildcards"]}
    read = {"inputs": made_from["inputs"], "sources": made_from["sources"]}
    return {
        "ldpt-rule": made_from["rule"],
        "ldpt-code": made_from["code"]["hash"][:16],
        "ldpt-settings": stable_hash(settings)[:16],
        "ldpt-inputs": stable_hash(read)[:16],
    }


@contextmanager
def job(snakemake: Any, script: str | Path | None = None) -> Iterator[Job]:
    """Run a script's work: staged outputs, a log, records, and one clear line when it fails."""
    began = time.monotonic()
    this: Job | None = None
    try:
        with _logged(next(iter(snakemake.log), None)):
            try:
                this = Job(snakemake, script or sys.modules["__main__"].__file__ or "")
                yield this
                this.publish(began)
            except Exception:
                with suppress(OSError):  # a full disk
                    traceback.print_exc()
                raise
    except (Exception, KeyboardInterrupt) as error:
        for staged in this.output if this else ():
            Path(staged).unlink(missing_ok=True)
        if isinstance(error, KeyboardInterrupt):
            raise SystemExit(INTERRUPTED) from None
        message = " ".join(str(error).split()) or type(error).__name__
        if not any(message in _words(log) for log in snakemake.log):  # else the logger shows it
            print(f"{snakemake.rule}: {printable(message)}", file=sys.stderr)
        raise SystemExit(1) from None


def _words(log: str) -> str:
    return " ".join(Path(log).read_text("utf-8").split()) if Path(log).is_file() else ""


@contextmanager
def _logged(log: str | None) -> Iterator[None]:
    """Send standard output and error, also of compiled code, to the rule's log."""
    if log is None:
        yield
        return
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    streams = os.dup(1), os.dup(2)
    stream = open(log, "w", buffering=1, encoding="utf-8")  # noqa: SIM115
    try:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
        with redirect_stdout(stream), redirect_stderr(stream):
            yield
    finally:
        for number, saved in zip((1, 2), streams, strict=True):
            os.dup2(saved, number)
            os.close(saved)
        with suppress(OSError):  # on a full disk the log stays short, and the error is known
            stream.close()
