"""Measure the rates of :mod:`ldpt.cost`: CPU seconds per arm, and per square root of its pulls."""

import math
import time
from collections.abc import Callable

import numpy as np
from scipy.optimize import nnls

from ldpt import simulate
from ldpt.config import experiment as config
from ldpt.instances import Instance
from ldpt.limits import confidence_pulls, gaps_of
from ldpt.policies import INDEX_POLICIES
from ldpt.radii import RADII, Radius

PROBLEMS = ("three-groups", "dose-finding", "equal-gap-32")
EPSILONS = (0.1, 0.25, 0.5, 1.0, math.inf)
RUNS, MULTIPLE, DELTA = 200, 3, 0.1


def seconds(run: Callable[[int], object]) -> float:
    """Return the CPU time of one run; what is compiled first is not counted."""
    run(2)
    start = time.process_time()
    run(RUNS)
    return (time.process_time() - start) / RUNS


def measure(method: str, problem: Instance, epsilon: float) -> tuple[float, float, float]:
    """Return arms, square roots of pulls and seconds of one run."""
    if method in INDEX_POLICIES:
        budget = math.ceil(MULTIPLE * problem.complexity(epsilon))
        whole = problem.complexity()
        pulls = [(max(budget * gap**-2 / whole, 1.0), arms) for gap, arms in gaps_of(problem)]
        spent = seconds(lambda n: simulate.fixed_budget(problem, epsilon, budget, n, 0, method))
    else:
        pulls = confidence_pulls(problem, epsilon, DELTA, Radius(method))
        spent = seconds(lambda n: simulate.fixed_confidence(problem, epsilon, DELTA, n, 0, method))
    return problem.n_arms, sum(arms * math.sqrt(n) for n, arms in pulls), spent


def main() -> None:
    """Print the rates of every method, fitted to relative errors."""
    problems = config.build_experiment(config.load()).instances
    for method in (*INDEX_POLICIES, *RADII):
        table = np.array([measure(method, problems[p], e) for p in PROBLEMS for e in EPSILONS])
        (arm, root), _ = nnls(table[:, :2] / table[:, 2:], np.ones(len(table)))
        print(f'"{method}": ({arm:.2g}, {root:.2g}),', flush=True)


if __name__ == "__main__":
    main()
