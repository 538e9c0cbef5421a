"""Compile exact chains and importance sampling by use, so that no copy of the project does it."""

from ldpt import exact, rare
from ldpt.instances import Instance


def main() -> None:
    one, two = Instance("one", [0.9], 0.5), Instance("two", [0.1, 0.9], 0.5)
    for problem in (one, two):
        exact.fixed_budget_loss(problem, 4.0, 4)
        exact.fixed_budget_loss(problem, 4.0, 4, "uniform")
    exact.optimal_loss([0.4, 0.4], 4.0, 4)
    for radius in ("onesided", "coin"):
        exact.fixed_confidence_error(one, 4.0, 0.5, radius, max_pulls=10)
    rare.fixed_budget_error(two, 4.0, 10, 10, seed=1)
    rare.fixed_confidence_error(two, 4.0, 0.5, 10, seed=1, radius="coin")


if __name__ == "__main__":
    main()
