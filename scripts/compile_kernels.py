"""Run the engines of an algorithm on a tiny problem: Numba compiles them and keeps the code."""

import json
from pathlib import Path

from ldpt.checks import ENGINES, supporting
from ldpt.instances import Instance
from ldpt.policies import POLICIES
from ldpt.simulate import fixed_budget, fixed_confidence


def compile_kernels(algorithm: str) -> None:
    """Compile both engines of an algorithm by use."""
    tiny = Instance("tiny", [0.0, 1.0], 0.5)
    for engine in ENGINES:
        if algorithm == "fixed_budget":
            policies = supporting(POLICIES, engine)
            fixed_budget(tiny, 4.0, [4], 1, seed=0, policy=policies, engine=engine)
        else:
            fixed_confidence(tiny, 4.0, 0.5, 1, seed=0, radius="coin", engine=engine)


def write_report(destination: str) -> None:
    """Write what was compiled; the file says nothing that a new policy or radius would change."""
    Path(destination).write_text(json.dumps({"engines": ENGINES}) + "\n")


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        compile_kernels(step.wildcards.algorithm)
        write_report(step.output[0])
