"""Run every engine once on a tiny problem: Numba compiles it and keeps the code on disk."""

import json
from pathlib import Path

from ldpt.checks import ENGINES, supporting
from ldpt.instances import Instance
from ldpt.policies import POLICIES
from ldpt.simulate import fixed_budget, fixed_confidence


def compile_kernels(destination: str) -> None:
    """Compile by use; the file says nothing that a new policy or radius would change."""
    tiny = Instance("tiny", [0.0, 1.0], 0.5)
    for engine in ENGINES:
        policies = supporting(POLICIES, engine)
        fixed_budget(tiny, 4.0, [4], 1, seed=0, policy=policies, engine=engine)
        fixed_confidence(tiny, 4.0, 0.5, 1, seed=0, radius="coin", engine=engine)
    Path(destination).write_text(json.dumps({"engines": ENGINES}) + "\n")


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        compile_kernels(step.output[0])
