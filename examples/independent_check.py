"""Both algorithms of the paper in plain NumPy, without ldpt, compared with the results of a run.

    python examples/independent_check.py [results/summaries]

Nothing here is shared with the package: draw responses, follow the listing, count errors. The
program exits with status 1 if a number of the run is more than four standard errors away.
"""

import csv
import math
import sys
from pathlib import Path

import numpy as np

Numbers = dict[tuple[str, float, str], tuple[float, float]]  # mean and standard error
rng = np.random.default_rng(2024)
THREE_GROUPS = np.array([0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.9, 0.9, 0.9])


def algorithm_1(
    means: np.ndarray, tau: float, zeta: float, epsilon: float, budget: int, runs: int
) -> np.ndarray:
    """Return whether each run errs at this budget."""
    c = math.tanh(epsilon / 2)
    p, t = 0.5 + c * (means - 0.5), 0.5 + c * (tau - 0.5)
    rows = np.arange(runs)
    n = np.ones((runs, means.size))
    s = (rng.random(n.shape) < p).astype(float)
    for _ in range(budget - means.size):
        arm = np.argmin(np.sqrt(n) * (np.abs(t - s / n) + c * zeta), axis=1)
        s[rows, arm] += rng.random(runs) < p[arm]
        n[rows, arm] += 1
    above = s / n > t
    wrong = above & (means <= tau - zeta) | ~above & (means > tau + zeta)
    return np.any(wrong, axis=1)


def algorithm_2(
    mean: float, tau: float, epsilon: float, delta: float, runs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each run errs, and its pulls; one arm, the radius of the paper."""
    c = math.tanh(epsilon / 2)
    p, t = 0.5 + c * (mean - 0.5), 0.5 + c * (tau - 0.5)
    errs = np.zeros(runs, bool)
    pulls = np.zeros(runs)
    for run in range(runs):
        n, s, undecided = 0, 0, True
        while undecided:
            n = n + 1
            s = s + (rng.random() < p)
            radius = math.sqrt(math.log(4 * n**3 / delta) / (8 * n))
            undecided = -radius <= s / n - t < radius
        errs[run], pulls[run] = (s / n >= t) != (mean >= tau), n
    return errs, pulls


def measure(runs: int = 4000) -> Numbers:
    """Return the mean and standard error of each quantity by instance, epsilon and name."""
    values: dict[tuple[str, float, str], np.ndarray] = {}
    for epsilon, budget in ((1.0, 679), (math.inf, 145)):
        loss = algorithm_1(THREE_GROUPS, 0.5, 0.1, epsilon, budget, runs)
        values["three-groups", epsilon, f"error at T = {budget}"] = loss
    errs, pulls = algorithm_2(0.95, 0.9, 1.0, 0.1, runs // 4)
    values["counterexample", 1.0, "error at delta = 0.1"] = errs
    values["counterexample", 1.0, "mean pulls at delta = 0.1"] = pulls
    return {key: (v.mean(), v.std() / math.sqrt(v.size)) for key, v in values.items()}


def of_the_run(folder: str) -> Numbers:
    """Return the same quantities from the summaries of a run; empty if there is no run."""
    found: Numbers = {}
    for name in ("fixed_budget.csv", "fixed_confidence.csv"):
        lines = Path(folder, name).read_text().splitlines() if Path(folder, name).exists() else []
        for row in csv.DictReader(lines):
            problem = row["instance"], float(row["epsilon"])
            error = float(row["estimate"])
            spread = max(error * (1 - error), 1e-4) / float(row["replicates"])
            if row.get("policy") == "apt":
                found[*problem, f"error at T = {row['budget']}"] = error, math.sqrt(spread)
            if row.get("radius") == "printed":
                at = f"at delta = {float(row['delta']):g}"
                found[*problem, f"error {at}"] = error, math.sqrt(spread)
                spread = float(row["sd_pulls"]) / math.sqrt(float(row["replicates"]))
                found[*problem, f"mean pulls {at}"] = float(row["mean_pulls"]), spread
    return found


def main(folder: str = "results/summaries") -> int:
    """Print both columns; return the number of disagreements."""
    run = of_the_run(folder)
    disagreements = 0
    for key, (mine, error) in measure().items():
        theirs, spread = run.get(key, (math.nan, math.nan))
        z = (mine - theirs) / math.hypot(error, spread)
        disagreements += abs(z) > 4
        print(f"{key[0]:15} eps {key[1]:<4g} {key[2]:26} here {mine:8.4g} +- {error:.2g}", end="")
        print(f"   run {theirs:8.4g}   z {z:+.1f}" if key in run else "   no run to compare")
    return disagreements


if __name__ == "__main__":
    sys.exit(int(main(*sys.argv[1:2]) > 0))
