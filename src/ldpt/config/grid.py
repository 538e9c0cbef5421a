"""What a config unrolls to: simulations, their privacy levels and their budgets."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from ldpt.instances import Instance


@dataclass
class Simulation:
    """A policy or a radius at one privacy level."""

    instance: str
    method: str
    epsilon: float


@dataclass
class BudgetRun(Simulation):
    """Algorithm 1 or a baseline: all budgets in one sweep."""

    replicates: int = 0
    multiples: set[float] = field(default_factory=set)
    budgets: set[int] = field(default_factory=set)

    def grid(self, instance: Instance) -> list[int]:
        """Return every budget in whole pulls, in increasing order."""
        return sorted(self.budgets | scaled_budgets(instance, self.epsilon, self.multiples))


@dataclass
class ConfidenceRun(Simulation):
    """Algorithm 2: all error levels."""

    sizes: list[int | Callable[[], int]] = field(default_factory=list)
    deltas: set[float] = field(default_factory=set)

    @cached_property
    def replicates(self) -> int:
        """Return the number of runs, computed from a precision only if a job needs it."""
        return max(size if isinstance(size, int) else size() for size in self.sizes)


def scaled_budgets(instance: Instance, epsilon: float, multiples: Iterable[float]) -> set[int]:
    """Return the budgets at multiples of H_eps; those below the theorem's 2K are left out."""
    complexity = instance.complexity(epsilon)
    scaled = {math.ceil(multiple * complexity) for multiple in multiples}
    return {budget for budget in scaled if budget >= 2 * instance.n_arms}


def epsilon_name(epsilon: float) -> str:
    """Return a privacy level as tables and parameters write it.

    >>> epsilon_name(0.25), epsilon_name(float("inf"))
    ('0.25', 'inf')
    """
    return "inf" if math.isinf(epsilon) else f"{epsilon:g}"
