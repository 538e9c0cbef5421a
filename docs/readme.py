"""Write the generated parts of the README: findings, verdicts, failed claims, cost, run hash.

Each part stands between two comments, ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``. ``make
readme`` writes them after a run at paper scale.
"""

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ldpt.provenance import file_hash, read_record, record_path
from ldpt.provenance.manifest import MANIFEST
from ldpt.replication.claims.register import FALSE
from ldpt.text import as_markdown, number

FINDINGS = Path("figures/findings.md")
CLAIMS = Path("results/claims.json")
TOPICS = {  # of our claims that fell, shorter than their statements
    "D14": "budgets of Algorithm 1 for equal error ÷ H_{ε}, largest ÷ smallest over ε",
    "D14-small": "as D14, over ε ≤ 1",
    "X14": "as D14-small, with arms pulled in turn",
    "D15": "pulls of a valid radius ÷ Theorem D, largest ÷ smallest over ε",
    "X18": "as D15, `onesided` at τ = 1/2",
    "X33": "as D15, `coin` on one arm",
    "X4": "pulls of `mixture` ÷ `printed`",
    "S3": "budgets of `lsa-clipped` ÷ H_{ε}, ε ≤ 1 against no privacy, held out",
    "S4": "loss of `apt-clipped` at T = H_{ε}, strong privacy ÷ ε = 1, held out",
    "S8": "pulls of `coin` ÷ Theorem D, median, held out",
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
    """Return one row per main result of the paper, and the count of its other statements."""
    headlines = claims["headlines"]
    lines = ["| result | verdict |", "| --- | --- |"]
    lines += [
        f"| {row['where'].replace(' ', NO_BREAK)} | {as_markdown(row['line'])} |"
        for row in headlines["theorems"]
    ]
    counts = {
        verdict: headlines["statement"][verdict] + headlines["step"][verdict]
        for verdict in headlines["theorem"]
    }
    shares = "; ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return (
        "\n".join(lines)
        + f"\n\nOf the paper's other statements and proof steps, {sum(counts.values())} depend on "
        + f"no other: {shares}. Another {headlines['typos']} rows are typos.\n"
    )


def failed_claims(claims: Mapping[str, Any]) -> str:
    """Return our own claims that turned out to be false, folded: what was claimed, and came out."""
    own = [claim for claim in claims["claims"] if claim["level"] == "own"]
    failed = [claim for claim in own if claim["verdict"] == FALSE]
    lines = [
        "<details>",
        f"<summary>{len(failed)} of the {len(own)} rows with our own claims failed. "
        "What was claimed at most, and what came out</summary>\n",
        "| quantity (held-out problems were drawn after registration) | at most | result |",
        "| --- | --- | --- |",
    ]
    for claim in failed:
        words = as_markdown(TOPICS.get(claim["id"], claim["statement"]))
        limit = re.search(r"<= ([\d.]+)", claim["criterion"])
        shown = limit[1] if limit else ""
        lines.append(f"| {claim['id']}: {words} | {shown} | {number(claim['number'])} |")
    return "\n".join([*lines, "", "</details>", ""])


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
        f"{len(jobs)} jobs, {busy(jobs.values()) / 60:.0f} minutes on {cores} cores, "
        f"at most {peak:.0f} MB of memory per job, {size:.0f} MB of results.\n"
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
        "own": failed_claims(claims),
        "cost": cost(project, os.cpu_count() or 1),
        "run": f"Its hash, which `ldpt audit` compares: `{file_hash(project / MANIFEST)}`.\n",
    }
    for name, content in parts.items():
        readme = with_part(readme, name, content)
    return readme


if __name__ == "__main__":
    file = Path("README.md")
    file.write_text(updated(file.read_text(encoding="utf-8"), Path()), encoding="utf-8")
