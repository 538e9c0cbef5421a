"""The products of the small project, and ways to damage them."""

from pathlib import Path

from ldpt.provenance import file_hash
from ldpt.provenance.audit import Report

SHARD = "results/simulations/fixed_budget/two.parquet"


OTHER_SHARD = "results/simulations/fixed_budget/three.parquet"


CONFIDENCE = "results/simulations/fixed_confidence/two.parquet"


ROWS = "results/summaries/rows.csv"


PRODUCTS = [
    "figures/rows.pdf",
    "figures/rows.png",
    "results/instances.json",
    "results/tables/instances.csv",
    SHARD,
    OTHER_SHARD,
    CONFIDENCE,
    "results/simulations/mechanism.parquet",
    ROWS,
]


NOT_PRODUCTS = ("logs", "records")


def hashes(root: Path) -> dict[str, str]:
    """Return the hash of every file that passes for a product."""
    files = [path for path in root.rglob("*") if path.is_file() and path.name[0] != "."]
    names = [path.relative_to(root) for path in files]
    return {
        name.as_posix(): file_hash(root / name)
        for name in names
        if not (name.parts[0] == "results" and name.parts[1] in NOT_PRODUCTS)
    }


def found(report: Report) -> set[tuple[str, str]]:
    return {(fault.kind, name) for fault in report.faults for name in fault.products}


def flip(path: Path, place: int = 11, bit: int = 3) -> None:
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= 1 << bit
    path.write_bytes(content)


def swap(one: Path, two: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    two.rename(one)
    aside.rename(two)
