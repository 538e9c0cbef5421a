"""Typeset the replication article from its source, the figures and the numbers."""

import datetime
import json
from pathlib import Path

from ldpt.provenance import RECORDS, read_record

SHORT = 12  # digits of a record's hash that a caption shows


def short_records(root: Path) -> dict[str, str]:
    """Return the short hash of each figure's record, which `ldpt trace` understands."""
    figures = sorted((root / RECORDS / "figures").glob("*.pdf.json"))
    return {path.name.split(".")[0]: read_record(path)["record_hash"][:SHORT] for path in figures}


def typeset(source: str, root: Path, out: str) -> None:
    """Write the PDF; ``root`` is the tree whose figures, captions, claims and numbers it shows.

    Its date is that of the published run, so that the same results give the same bytes.
    """
    import typst

    folder = root.as_posix().strip("/.")
    top = "."
    if not Path(source).resolve().is_relative_to(Path.cwd()):  # the project is elsewhere
        folder = root.resolve().as_posix().strip("/")
        top = "/"
    inputs = {
        "root": f"/{folder}/" if folder else "/",
        "records": json.dumps(short_records(root)),
    }
    numbers = json.loads((root / "results" / "numbers.json").read_text(encoding="utf-8"))
    day = datetime.datetime.strptime(numbers["study:date"]["value"], "%d %B %Y")
    try:
        typst.compile(
            source,
            output=out,
            root=top,
            sys_inputs=inputs,
            timestamp=day.replace(tzinfo=datetime.UTC),
            ignore_system_fonts=True,
        )
    except typst.TypstError as error:
        raise ValueError(f"{source}: {error}") from error


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        typeset(step.input.report, step.root, step.output[0])
