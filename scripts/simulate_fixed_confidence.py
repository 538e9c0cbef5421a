"""Run Algorithm 2 to its stopping time on one instance at one privacy level, all error levels."""

from ldpt.instances import MOST_ARMS, Instance, read_instance
from ldpt.io.runs import Labels, labelled, write_runs
from ldpt.radii import Radius
from ldpt.simulate import Columns, fixed_confidence_columns, progress_lines, spawn_keys


def simulate(
    problem: Instance,
    radius: Radius,
    epsilon: float,
    delta: float,
    replicates: int,
    seed: int,
    threads: int,
) -> Columns:
    """The runs at one error level; of many arms the pulls of each are not kept."""
    show = progress_lines(f"{radius.name} at epsilon {epsilon}, delta {delta}", replicates)
    columns = fixed_confidence_columns(
        problem, epsilon, delta, replicates, seed, radius, progress=show, threads=threads
    )
    kept = problem.n_arms <= MOST_ARMS
    return {name: c for name, c in columns.items() if kept or not name.startswith("pulls_")}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        epsilon, params = float(this.wildcards.epsilon), this.params
        problem = read_instance(this.input.instance)
        radius = Radius(this.wildcards.radius, **params.constants)
        labels: Labels = {"instance": problem.name, "radius": radius.name, "epsilon": epsilon}
        fixed = params.replicates, params.seed, this.threads
        tables = [
            labelled(labels | {"delta": delta}, simulate(problem, radius, epsilon, delta, *fixed))
            for delta in params.deltas
        ]
        stream = ["fixed_confidence", problem.name, radius.name, epsilon]
        keys = {delta: spawn_keys(params.replicates, *stream, delta) for delta in params.deltas}
        this.note(seed=params.seed, stream=stream, spawn_keys=keys)
        write_runs(this.output[0], tables)
