"""Tabulate the answers that graded questions need: PrivBern, or cuts left out beforehand."""

import numpy as np
import pandas as pd
from scipy.special import betainc, betaln, comb

from ldpt.replication.publishing import tables
from ldpt.study.planning_graded import graded_plan
from ldpt.study.scale import Scale
from ldpt.util.reproducible import exp

EPSILON = 1.0
DELTA = 0.05
COLUMNS = {
    "law": "of the answers",
    "mean": "of the answers, on the scale",
    "threshold": "on the scale",
    "left_out": "cuts that are left out at the low end, of how many",
    "privbern": "expected answers if all cuts are in use, which is PrivBern",
    "cuts": "expected answers with these cuts left out, known beforehand",
    "ratio": "cuts over privbern",
}


def beta_binomial(n: int, a: float, b: float) -> np.ndarray:
    """Return the law of the successes among n trials with a Beta(a, b) probability."""
    k = np.arange(n + 1)
    return comb(n, k) * exp(betaln(k + a, n - k + b) - betaln(a, b))


def rounded_beta(n: int, a: float, b: float) -> np.ndarray:
    """Return the law of a Beta(a, b) variable rounded to multiples of 1 / n."""
    ends = np.clip((np.arange(n + 2) - 0.5) / n, 0, 1)
    return np.diff(betainc(a, b, ends))


def laws() -> dict[str, tuple[Scale, np.ndarray, float]]:
    """Return scale, law of the answers and threshold by name."""
    stars = Scale(1, 5)
    score = Scale(0, 10)
    percent = Scale(0, 100)
    same = np.zeros(11)
    same[5] = 1.0
    return {
        "five stars: 5, 10, 25, 40, 20 %": (stars, np.array([5, 10, 25, 40, 20]) / 100, 4.0),
        "score 0 to 10, mean 6.5": (score, beta_binomial(10, 3.25, 1.75), 7.5),
        "Beta(5, 5) in percent": (percent, rounded_beta(100, 5, 5), 60.0),
        "uniform in percent": (percent, np.full(101, 1 / 101), 60.0),
        "everybody answers 5 of 10": (score, same, 6.0),
    }


def tabulate(epsilon: float = EPSILON, delta: float = DELTA) -> pd.DataFrame:
    """Return one row per law, from exact chains of the radius coin on one arm."""
    rows = []
    for name, (scale, law, threshold) in laws().items():
        plan = graded_plan(law.tolist(), scale, threshold, delta, [epsilon]).iloc[0]
        scores = scale.low + scale.step * np.arange(law.size)
        row = {
            "law": name,
            "mean": float(f"{np.sum(law * scores):.6g}"),
            "threshold": threshold,
            "left_out": f"{plan['skip_low']:.0f} of {len(scale.cuts)}",
            "privbern": float(f"{plan['privbern']:.6g}"),
            "cuts": float(f"{plan['cuts']:.6g}"),
            "ratio": float(f"{plan['ratio']:.4g}"),
        }
        rows.append(row)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        tables.write(tabulate(), step.output.csv, step.output.md, step.output.tex, columns=COLUMNS)
