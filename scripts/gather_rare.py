"""Put the estimates of rare events, made instance by instance, into one table."""

from pathlib import Path


def gather(parts: list[str]) -> str:
    """One header, then the rows of all parts as they are."""
    texts = [Path(part).read_text(encoding="utf-8").split("\n", 1) for part in parts]
    (header,) = {header for header, _ in texts}
    return header + "\n" + "".join(rows for _, rows in texts)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        Path(this.output[0]).write_text(gather(this.input.parts), encoding="utf-8")
