"""Pack what the figures and the notebook of a finished run read: `make summaries`.

The archive of equal runs has equal bytes. Unpacked with `tar --touch`, every file is newer than the
files it was made from, and all are newer than the clone: Snakemake makes none of them again, and
redraws the committed figures.
"""

import gzip
import sys
import tarfile
from collections.abc import Iterator
from graphlib import TopologicalSorter
from io import BytesIO
from pathlib import Path

from ldpt.provenance.records import (
    matching_record,
    name_below,
    products_under,
    record_path,
    record_text,
)
from ldpt.util.files import staged_file

READ = [  # folders and files
    "results/instances.json",
    "results/error_map.csv",
    "results/rare",
    "results/exact",
    "results/summaries",
    "results/tables",
]


def contents(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield names and bytes of the files with their records, inputs before what is made from them.

    Records lose their volatile part: times, host and versions differ between equal runs.
    """
    names = [name for name in products_under(root) if name_below(name, *READ)]
    if not names:
        raise ValueError(f"no tables under {root}: run snakemake first")
    records = {name: matching_record(root, name)["stable"] for name in sorted(names)}
    order = TopologicalSorter({name: list(record["inputs"]) for name, record in records.items()})
    for name in filter(records.get, order.static_order()):
        text = record_text(records[name], {})
        yield record_path("", name).as_posix(), text.encode()
        yield name, (root / name).read_bytes()


def pack(root: Path, archive: Path) -> None:
    """Write the archive, with fixed order, owner and times."""
    members = list(contents(root))
    with (
        staged_file(archive) as staged,
        staged.open("wb") as file,
        gzip.GzipFile("", "wb", mtime=0, fileobj=file) as stream,
        tarfile.open(mode="w", fileobj=stream) as tar,
    ):
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, BytesIO(content))


if __name__ == "__main__":
    root = Path(sys.argv[1])
    archive = root / "results" / "summaries.tar.gz"
    try:
        pack(root, archive)
    except (OSError, ValueError) as error:
        raise SystemExit(f"summaries: {error}") from None
    print(f"{archive}: {archive.stat().st_size / 1e6:.2g} MB")
