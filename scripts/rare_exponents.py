"""How fast errors fall with the budget: measured, in the limit, and by the bounds."""

from typing import Any

import pandas as pd

from ldpt.instances import Instance, read_instances
from ldpt.rare import reference_exponents

MEASURED = ["scaled_budget", "estimate", "exponent", "exponent_low", "exponent_high"]


def exponents(table: pd.DataFrame, instances: dict[str, Instance]) -> pd.DataFrame:
    """Measured at the largest budget with a reliable estimate, its limit, and the bounds'."""
    rows = []
    for labels, curve in table[table["reliable"]].groupby(["instance", "policy", "epsilon"]):
        name, policy, epsilon = labels
        deepest = curve.loc[curve["scaled_budget"].idxmax()]
        here: list[dict[str, Any]] = [{"side": "measured", "version": "sampled"}]
        here[0] |= deepest[MEASURED].to_dict()
        here += reference_exponents(instances[str(name)], float(epsilon))
        rows += [{"instance": name, "policy": policy, "epsilon": epsilon, **row} for row in here]
    columns = ["instance", "policy", "epsilon", "side", "version", *MEASURED]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        table = pd.read_csv(this.input.estimates, dtype={"epsilon": str})
        problems = read_instances(this.input.instances)
        exponents(table, problems).to_csv(this.output[0], index=False)
