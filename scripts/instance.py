"""Write one instance of the config to its own file, so that every simulation names its input."""

import json
from pathlib import Path
from typing import Any


def write_instance(definition: dict[str, Any], destination: str) -> None:
    """An instance as JSON; the config has been checked before."""
    Path(destination).write_text(json.dumps(definition, indent=2) + "\n")


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        write_instance(this.params.definition, this.output[0])
