"""Every bound on Algorithm 2's cost where it was measured, and on a fine grid where it is drawn."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ldpt.bounds import fixed_confidence_lower, fixed_confidence_upper
from ldpt.instances import Instance, read_instances

FINE = 48  # privacy levels of a drawn curve
UPPER = ("printed", "hoeffding", "hoeffding_mean", "mixture", "onesided")
LOWER = ("sharp", "privbern", "printed", "many_arms")
BOUNDS = [*(("upper", version) for version in UPPER), *(("lower", version) for version in LOWER)]


def bound(problem: Instance, epsilon: float, delta: float, side: str, version: str) -> float:
    """One bound; NaN where a hypothesis fails (many_arms needs mirror images in [0, 1])."""
    of_side = fixed_confidence_lower if side == "lower" else fixed_confidence_upper
    try:
        return of_side(problem, epsilon, delta, version)
    except ValueError:
        return math.nan


def points(
    summary: pd.DataFrame, panels: list[str], delta: float
) -> list[tuple[str, float, float]]:
    """Instance, epsilon and delta of every measurement and of every drawn curve."""
    measured = summary[["instance", "epsilon", "delta"]].drop_duplicates()
    finite = summary.loc[np.isfinite(summary["epsilon"]), "epsilon"]
    fine = np.geomspace(finite.min(), 2 * finite.max(), FINE).tolist()
    drawn = itertools.product(panels, fine, [delta])
    return sorted({*measured.itertuples(index=False, name=None), *drawn})


def bound_rows(
    summary: pd.DataFrame, instances: list[str], panels: list[str], delta: float
) -> Iterator[dict[str, Any]]:
    """One row per point and bound; at infinite epsilon the paper's lower bound is 0: nothing."""
    problems = read_instances(instances)
    for name, epsilon, level in points(summary, panels, delta):
        labels = {"instance": name, "epsilon": epsilon, "delta": level}
        for side, version in BOUNDS:
            value = bound(problems[name], epsilon, level, side, version)
            yield labels | {"side": side, "version": version, "value": value}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        given, params = this.input, this.params
        summary = pd.read_csv(given.summary)
        rows = bound_rows(summary, given.instances, params.panels, params.delta)
        pd.DataFrame(rows).to_csv(this.output[0], index=False)
