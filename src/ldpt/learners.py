"""Algorithms 1 and 2 as a reader of the paper would write them: ask for an arm, tell the response.

A learner is fed with 0/1 responses only, never with rewards, so that the local-privacy protocol
cannot be broken by accident. The compiled engines in ``kernels`` are tested against these classes
path for path.
"""

import math

from ldpt.privacy import check_epsilon, private_mean, shrinkage
from ldpt.radii import Radius, as_radius, check_delta


class Learner:
    """What both algorithms share: the counts of pulls and positive responses of every arm."""

    def __init__(self, n_arms: int, threshold: float, epsilon: float):
        if n_arms < 1:
            raise ValueError(f"n_arms must be at least 1, got {n_arms}")
        self.n_arms = int(n_arms)
        self.threshold = float(threshold)
        self.epsilon = check_epsilon(epsilon)
        self.private_threshold = private_mean(threshold, epsilon)
        self.pulls = [0] * self.n_arms
        self.positives = [0] * self.n_arms

    @property
    def total_pulls(self) -> int:
        return sum(self.pulls)

    def record(self, arm: int, response: int) -> None:
        """Count one response of an arm; a raw reward is refused."""
        if arm not in range(self.n_arms):
            raise ValueError(f"arm must be 0..{self.n_arms - 1}, got {arm!r}")
        if response not in (0, 1):
            raise ValueError(
                f"a response is 0 or 1, as a private device returns it, got {response!r}"
            )
        self.pulls[arm] += 1
        self.positives[arm] += int(response)

    def next_arm(self) -> int | None:
        """The arm to pull next, or None when the run is over."""
        raise NotImplementedError

    def deviation(self, arm: int) -> float:
        """d = s - n tau_eps: positive when the arm's mean response exceeds the threshold."""
        return self.positives[arm] - self.pulls[arm] * self.private_threshold


class FixedBudget(Learner):
    """Algorithm 1: pull the arm whose index sqrt(n) (|tau_eps - mean| + zeta_eps) is least."""

    def __init__(
        self, n_arms: int, threshold: float, tolerance: float, epsilon: float, budget: int
    ):
        super().__init__(n_arms, threshold, epsilon)
        if not tolerance >= 0:
            raise ValueError(f"tolerance must not be negative, got {tolerance}")
        if budget < 2 * n_arms:
            raise ValueError(f"budget must be at least 2K = {2 * n_arms}, got {budget}")
        self.tolerance = float(tolerance)
        self.private_tolerance = shrinkage(epsilon) * self.tolerance
        self.budget = int(budget)

    def index(self, arm: int) -> float:
        """B_k, written with d / sqrt(n) so that mirrored arms tie exactly."""
        root = math.sqrt(self.pulls[arm])
        return abs(self.deviation(arm)) / root + self.private_tolerance * root

    def next_arm(self) -> int | None:
        if self.total_pulls >= self.budget:
            return None
        if 0 in self.pulls:
            return self.pulls.index(0)
        return min(range(self.n_arms), key=self.index)

    @property
    def above(self) -> set[int]:
        """The answer: arms whose mean response is strictly above tau_eps."""
        return {arm for arm in range(self.n_arms) if self.deviation(arm) > 0}


class FixedConfidence(Learner):
    """Algorithm 2: pull the least-pulled undecided arm until none is left."""

    def __init__(
        self,
        n_arms: int,
        threshold: float,
        epsilon: float,
        delta: float,
        radius: str | Radius = "printed",
    ):
        super().__init__(n_arms, threshold, epsilon)
        self.delta = check_delta(delta)
        self.radius = as_radius(radius)

    def undecided(self, arm: int) -> bool:
        """Whether shifting the arm's mean by its radius towards the threshold changes its side."""
        b = self.radius.boundary(self.pulls[arm], self.total_pulls, self.n_arms, self.delta)
        return -b <= self.deviation(arm) < b

    def next_arm(self) -> int | None:
        if 0 in self.pulls:
            return self.pulls.index(0)
        open_arms = [arm for arm in range(self.n_arms) if self.undecided(arm)]
        return min(open_arms, key=self.pulls.__getitem__, default=None)

    @property
    def above(self) -> set[int]:
        """The answer: arms whose mean response is at least tau_eps."""
        return {arm for arm in range(self.n_arms) if self.deviation(arm) >= 0}
