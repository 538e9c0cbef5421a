"""Write the generated parts of the README: findings, verdicts, cost, plan, run hash.

Each part stands between two comments, ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``. ``make
readme`` writes them after a run at paper scale.
"""

import contextlib
import io
import json
import math
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ldpt import cli
from ldpt.provenance import read_record, record_path
from ldpt.provenance.manifest import MANIFEST, run_hash
from ldpt.replication.claims.register import FALSE, REPAIRED, UNDECIDED
from ldpt.text import as_markdown, number

FINDINGS = Path("figures/findings.md")
CLAIMS = Path("results/claims.json")
PLAN = Path("docs/pictures/plan.png")
RESULTS = {  # what each main result is about
    "Lemma 2.1": "privacy",
    "Theorem 3.1": "fixed budget, at most",
    "Theorem 3.2": "fixed budget, at least",
    "Theorem 4.1": "fixed confidence",
    "Theorem 4.2": "fixed confidence, at least",
}
PAUSE = 60  # seconds without a job that separate two sessions
NO_BREAK = "\u00a0"
PLACE = r"<!-- {name}:begin -->\n(.*?)<!-- {name}:end -->"


def part(readme: str, name: str) -> str:
    """Return the text between the two comments of a part."""
    found = re.search(PLACE.format(name=name), readme, flags=re.DOTALL)
    if not found:
        raise ValueError(f"the README has no part {name!r} between its two comments")
    return found[1]


def with_part(readme: str, name: str, content: str) -> str:
    """Return the README with another text between the two comments of a part."""
    marks = f"<!-- {name}:begin -->\n{{}}<!-- {name}:end -->"
    return readme.replace(marks.format(part(readme, name)), marks.format(content))


def verdict_table(claims: Mapping[str, Any]) -> str:
    """Return one row per main result of the paper, and the number of our own failed claims."""
    lines = ["| result | verdict |", "| --- | --- |"]
    for row in claims["headlines"]["theorems"]:
        name = row["where"].replace(" ", NO_BREAK)
        words = as_markdown(row["line"].split(";")[0])
        words = f"**{words}**" if row["verdict"] in (REPAIRED, FALSE) else words
        lines.append(f"| {name}: {RESULTS[row['where']]} | {words} |")
    own = [claim for claim in claims["claims"] if claim["level"] == "own"]
    verdicts = [claim["verdict"] for claim in own]
    failed = verdicts.count(FALSE)
    undecided = verdicts.count(UNDECIDED)
    statements = "[All statements](paper/verdicts.md)"
    last = f"{statements}; {failed} of our own failed, {undecided} are undecided."
    return "\n".join([*lines, "", last, ""])


def finished_jobs(root: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return time and memory of every job of a run, by its rule and wildcards."""
    if not (root / MANIFEST).exists():
        raise ValueError(f"no {root / MANIFEST}: has the run at paper scale finished?")
    manifest = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
    jobs = {}
    for product in [*(next(iter(job["products"])) for job in manifest["jobs"]), MANIFEST]:
        record = read_record(record_path(root, product))
        key = record["stable"]["rule"], *record["stable"]["wildcards"].values()
        jobs[key] = record["volatile"]
    return jobs


def cost(root: Path, cores: int) -> str:
    """Return what a run took in time, memory and disk, from its records."""
    jobs = finished_jobs(root)
    peak = max(job["peak_memory_mb"] for job in jobs.values())
    files = [f for f in (root / "results").rglob("*") if f.is_file() and "smoke" not in f.parts]
    size = sum(f.stat().st_size for f in files) / 1e6
    return (
        f"The committed run: {len(jobs)} jobs, {busy(jobs.values()) / 60:.0f} minutes on {cores} "
        f"cores, at most {peak:.0f} MB of memory per job, {size:.0f} MB of results.\n"
    )


def run_line(project: Path) -> str:
    """Return the hash of the committed run, and where trust ends."""
    manifest = json.loads((project / MANIFEST).read_text(encoding="utf-8"))
    return (
        f"Run hash, checked by `ldpt audit`: `{run_hash(manifest)}`. Compare it with a release: "
        "whoever writes a folder can forge it.\n"
    )


def plan_part(readme: str, project: Path) -> str:
    """Draw the plan of the README's own command, and return its picture and its answer."""
    line = next(line for line in readme.splitlines() if line.startswith("ldpt plan"))
    words = shlex.split(line)[1:]
    words[words.index("--plot") + 1] = str(project / PLAN)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if cli.main([*words, "--json"]):
            raise ValueError(f"the command of the README fails: {line}")
    people = {float(row["epsilon"]): row for row in json.loads(printed.getvalue())["cost"]}
    private, free = people[1.0], people[math.inf]
    return (
        f'<img src="{PLAN}" width="620" alt="People needed against the privacy level">\n\n'
        f"At ε = 1 the study needs {number(private['people'], 2)} people on average; invite "
        f"{number(private['people_95'], 2)} to finish in 95 % of studies. Without privacy: "
        f"{number(free['people'], 2)}.\n"
    )


def busy(jobs: Iterable[Mapping[str, Any]]) -> float:
    """Return the seconds from the first job to the last, without idle time between sessions."""
    total, until = 0.0, -math.inf
    starts = [(datetime.fromisoformat(job["started"]).timestamp(), job) for job in jobs]
    for start, job in sorted(starts, key=lambda pair: pair[0]):
        end = start + job["wall_seconds"]
        total += max(0.0, end - (until if start - until < PAUSE else start))
        until = max(until, end)
    return total


def updated(readme: str, project: Path) -> str:
    """Return the README with its parts generated from a finished run."""
    claims = json.loads((project / CLAIMS).read_text(encoding="utf-8"))
    parts = {
        "verdicts": verdict_table(claims),
        "findings": (project / FINDINGS).read_text(encoding="utf-8"),
        "cost": cost(project, os.cpu_count() or 1),
        "plan": plan_part(readme, project),
        "run": run_line(project),
    }
    for name, content in parts.items():
        readme = with_part(readme, name, content)
    return readme


if __name__ == "__main__":
    file = Path("README.md")
    file.write_text(updated(file.read_text(encoding="utf-8"), Path()), encoding="utf-8")
