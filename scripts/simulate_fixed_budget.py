"""Run Algorithm 1 or a baseline on one instance at one privacy level, all budgets at once."""

from ldpt.instances import read_instance
from ldpt.io.runs import labelled, write_runs
from ldpt.simulate import fixed_budget_columns, progress_lines, spawn_keys

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        policy, epsilon = this.wildcards.policy, float(this.wildcards.epsilon)
        params, problem = this.params, read_instance(this.input.instance)
        show = progress_lines(f"{policy} at epsilon {epsilon}", params.replicates)
        columns = fixed_budget_columns(
            problem, epsilon, params.budgets, params.replicates, params.seed, policy,
            progress=show, threads=this.threads,
        )  # fmt: skip
        stream = ["fixed_budget", problem.name, policy, epsilon]
        keys = spawn_keys(params.replicates, *stream)
        this.note(seed=params.seed, stream=stream, spawn_keys=keys)
        labels = {"instance": problem.name, "policy": policy, "epsilon": epsilon}
        write_runs(this.output[0], [labelled(labels, columns)])
