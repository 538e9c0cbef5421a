"""Algorithms 1 and 2 as they read in the paper: ask for an arm, record its response.

A learner sees 0/1 responses only, never rewards, and one at a time. It is the readable reference
that the compiled engines are tested against, path for path. A study with people (batches, late
and missing answers, saved states) is a :class:`ldpt.study.Study` around a learner.

>>> learner = FixedBudget(n_arms=2, threshold=0.5, tolerance=0.1, epsilon=1.0, budget=4)
>>> while (arm := learner.next_arm()) is not None:
...     learner.record(arm, bit=arm)
>>> learner.above, learner.pulls, learner.sums
({1}, [2, 2], [0, 2])
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpt.checks import MAX_COUNT, check_delta, check_epsilon, check_number, check_whole
from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES, check_policy, index
from ldpt.privacy import private_mean
from ldpt.radii import Radius, as_radius, lower, upper
from ldpt.util.messages import shown

__all__ = ["FixedBudget", "FixedConfidence"]

MAX_ARMS = 10**6


class _Learner:
    """The parameters and counts that both algorithms share."""

    def __init__(self, n_arms: int | Sequence[str], threshold: float, epsilon: float) -> None:
        self.n_arms, self.names = check_arms(n_arms)
        self.threshold = check_number("threshold", threshold, 0, 1)
        self.epsilon = check_epsilon(epsilon)
        self.private_threshold = private_mean(self.threshold, self.epsilon)
        self.pulls = [0] * self.n_arms
        self.sums = [0] * self.n_arms
        self.total_pulls = 0
        arms = list(self.names) if self.names else self.n_arms
        terms = {"threshold": self.threshold, "epsilon": self.epsilon}
        self.parameters: dict[str, Any] = {"n_arms": arms, **terms}

    def wanted(self, arm: int) -> bool:
        raise NotImplementedError

    def record(self, arm: int, bit: int) -> None:
        """Count the response of an arm.

        Parameters
        ----------
        arm : int
            The arm, usually the one that :meth:`next_arm` returned.
        bit : int
            The response, 0 or 1.

        Raises
        ------
        ValueError
            If there is no such arm, the algorithm does not want its response (:meth:`wanted`), or
            the response is neither 0 nor 1; its value is not shown, because it may be a reward.
        """
        if isinstance(arm, bool) or not isinstance(arm, (int, np.integer)):
            raise ValueError(f"arm must be 0..{self.n_arms - 1}, got a {type(arm).__name__}")
        if not 0 <= arm < self.n_arms:
            raise ValueError(f"arm must be 0..{self.n_arms - 1}, got {shown(arm)}")
        bit = check_bit(bit)
        if not self.wanted(arm):
            raise ValueError(f"{self} does not want a response of arm {arm}")
        self.pulls[arm] += 1
        self.sums[arm] += bit
        self.total_pulls += 1

    def deviation(self, arm: int) -> float:
        """Return d = s - n tau_eps, positive when the arm's mean response is above tau_eps."""
        return self.sums[arm] - self.pulls[arm] * self.private_threshold

    def __repr__(self) -> str:
        arguments = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        return f"{type(self).__name__}({arguments})"


class FixedBudget(_Learner):
    """Algorithm 1 and its relatives: pull the arm of least index until the budget is used up.

    Parameters
    ----------
    n_arms : int or sequence of str
        K, the number of arms, or their names.
    threshold : float
        tau, in rewards: a number in [0, 1].
    tolerance : float
        zeta, in rewards: arms within it of the threshold may be put on either side.
    epsilon : float
        Privacy level of the responses, at least 1e-9; ``math.inf`` means no privacy.
    budget : int
        T, the number of responses, at least 2K.
    policy : str
        The index (:mod:`ldpt.policies`); ``apt`` is Algorithm 1 as printed.

    Attributes
    ----------
    pulls, sums : list of int
        The number of responses of every arm, and how many of them are 1.
    total_pulls : int
        The number of responses of all arms.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    def __init__(
        self,
        n_arms: int | Sequence[str],
        threshold: float,
        tolerance: float,
        epsilon: float,
        budget: int,
        policy: str = DEFAULT_POLICY,
    ) -> None:
        super().__init__(n_arms, threshold, epsilon)
        self.tolerance = check_number("tolerance", tolerance, 0, 1)
        self.budget = check_whole("budget", budget, 2 * self.n_arms, MAX_COUNT)
        self.policy = check_policy(policy, INDEX_POLICIES)
        self.rule = self.policy.rule(self.threshold, self.tolerance, self.epsilon)
        self.parameters |= {"tolerance": self.tolerance, "budget": self.budget, "policy": policy}

    def next_arm(self) -> int | None:
        """Return the arm to pull next: each arm once, then the one of least index.

        Returns
        -------
        int or None
            Ties go to the lowest number; None when the budget is used up.
        """
        if self.finished:
            return None
        if 0 in self.pulls:
            return self.pulls.index(0)
        return min(range(self.n_arms), key=self.index)

    def index(self, arm: int) -> float:
        """Return the index B of an arm that has been pulled.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        float
        """
        return index(self.rule, self.pulls[arm], self.sums[arm])

    def wanted(self, arm: int) -> bool:
        """Return whether the budget has room for another response.

        Parameters
        ----------
        arm : int
            The arm; the answer is the same for all.

        Returns
        -------
        bool
        """
        return not self.finished

    @property
    def finished(self) -> bool:
        """Whether the budget is used up."""
        return self.total_pulls >= self.budget

    @property
    def above(self) -> set[int]:
        """The arms whose mean response is strictly above tau_eps, once the run is finished.

        Raises
        ------
        ValueError
            If the run is not finished, or an arm has no response.
        """
        if not self.finished or 0 in self.pulls:
            raise ValueError(
                f"above is known after {self.budget} responses, at least one per arm, "
                f"got {shown(self.pulls)}"
            )
        return {arm for arm in range(self.n_arms) if self.deviation(arm) > 0}


class FixedConfidence(_Learner):
    """Algorithm 2: pull the least-pulled undecided arm until every arm is decided.

    Every radius but ``printed`` is valid: the answer is wrong for some arm with probability at
    most delta. ``printed`` is the paper's radius, whose guarantee is false; it warns.

    Parameters
    ----------
    n_arms : int or sequence of str
        K, the number of arms, or their names.
    threshold : float
        tau, in rewards: a number in [0, 1].
    epsilon : float
        Privacy level of the responses, at least 1e-9; ``math.inf`` means no privacy.
    delta : float
        Error probability of the whole answer, in (0, 1).
    radius : str or Radius
        The stopping boundary (:mod:`ldpt.radii`).

    Attributes
    ----------
    pulls, sums : list of int
        The number of responses of every arm, and how many of them are 1.
    total_pulls : int
        The number of responses of all arms.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Warns
    -----
    UserWarning
        If the radius is not valid.
    """

    def __init__(
        self,
        n_arms: int | Sequence[str],
        threshold: float,
        epsilon: float,
        delta: float,
        radius: str | Radius = "coin",
    ) -> None:
        super().__init__(n_arms, threshold, epsilon)
        self.delta = check_delta(delta)
        self.radius = as_radius(radius, "learner")
        self.edge = self.radius.at(self.n_arms, self.delta, self.threshold, self.epsilon)
        if self.radius.warning:
            warnings.warn(self.radius.warning, stacklevel=2)
        self.parameters |= {"delta": self.delta, "radius": radius}

    def next_arm(self) -> int | None:
        """Return the arm to pull next: the undecided arm with the largest radius.

        Returns
        -------
        int or None
            The largest radius belongs to the fewest pulls; ties go to the lowest number. None when
            every arm is decided: then S equals its shifted copy, and the run stops.
        """
        undecided = [arm for arm in range(self.n_arms) if self.undecided(arm)]
        return min(undecided, key=self.pulls.__getitem__, default=None)

    def undecided(self, arm: int) -> bool:
        """Return whether an arm is unpulled, or shifting its mean by its radius changes its side.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        bool
        """
        n, t = self.pulls[arm], self.total_pulls
        if n == 0:
            return True
        return -lower(self.edge, n, t) <= self.deviation(arm) < upper(self.edge, n, t)

    wanted = undecided

    @property
    def finished(self) -> bool:
        """Whether every arm is decided."""
        return not any(map(self.undecided, range(self.n_arms)))

    @property
    def above(self) -> set[int]:
        """The arms whose mean response is at least tau_eps, once every arm is decided.

        Raises
        ------
        ValueError
            If an arm is undecided.
        """
        if not self.finished:
            undecided = sum(map(self.undecided, range(self.n_arms)))
            raise ValueError(
                f"above is known when every arm is decided, {undecided} of {self.n_arms} are not"
            )
        return {arm for arm in range(self.n_arms) if self.deviation(arm) >= 0}


def check_arms(arms: object) -> tuple[int, tuple[str, ...] | None]:
    """Return the number of arms, and their names if ``arms`` is a sequence of distinct names."""
    if isinstance(arms, (list, tuple)):
        names = tuple(arms)
        if not names or not all(isinstance(name, str) and name for name in names):
            raise ValueError(f"names of arms must be a list of text, got {shown(arms)}")
        if len(set(names)) < len(names):
            raise ValueError(f"names of arms must differ, got {shown(arms)}")
        return check_whole("n_arms", len(names), 1, MAX_ARMS), names
    return check_whole("n_arms", arms, 1, MAX_ARMS), None


def check_bit(bit: object) -> int:
    """Return a response as 0 or 1; 1.0 is refused, because rewards are floats."""
    if not isinstance(bit, (int, np.integer, np.bool_)) or bit not in (0, 1):
        kind = type(bit).__name__
        raise ValueError(
            "a response is 0 or 1, as a private device returns it, "
            f"got another {kind} (not shown: it may be a reward)"
        )
    return int(bit)
