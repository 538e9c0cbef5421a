"""Typeset the replication article from its source, the figures and the numbers."""

import datetime
from pathlib import Path

# Fixed, so that the same results give the same bytes.
DATE = datetime.datetime(2026, 11, 16, tzinfo=datetime.UTC)


def typeset(source: str, root: Path, out: str) -> None:
    """Write the PDF; ``root`` is the tree whose figures, captions, claims and numbers it shows."""
    import typst

    shown = root.as_posix().strip("/.")
    inputs = {"root": f"/{shown}/" if shown else "/"}
    try:
        typst.compile(
            source,
            output=out,
            root=".",
            sys_inputs=inputs,
            timestamp=DATE,
            ignore_system_fonts=True,
        )
    except typst.TypstError as error:
        raise ValueError(f"{source}: {error}") from error


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        typeset(this.input.report, this.root, this.output[0])
