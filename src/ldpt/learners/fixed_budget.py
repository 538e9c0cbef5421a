"""Algorithm 1 and its relatives: ask about the arm of least index until the budget is used up."""

from typing import Any

from ldpt.checks import MAX_COUNT, check_number, check_whole
from ldpt.learners.base import Learner
from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES, check_policy, index
from ldpt.privacy import shrinkage


class FixedBudget(Learner):
    """An index policy: pull the arm whose index is least (:mod:`ldpt.policies`).

    ``lsa`` is the default, because its error depends on the budget through T / H_eps alone;
    ``apt`` is Algorithm 1 as printed. The budget counts responses: for a request that is given up,
    somebody else is asked.

    Parameters
    ----------
    n_arms : int
        K, the number of arms.
    threshold : float
        tau, in rewards: a number in [0, 1].
    tolerance : float
        zeta, in rewards: arms within it of the threshold may be put on either side.
    epsilon : float
        Privacy level of the responses, at least 1e-9; ``math.inf`` means no privacy.
    budget : int
        T, the number of responses, at least 2K.
    policy : str
        ``lsa`` or ``apt``.
    study : str
        The name of the study, which messages must carry.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    def __init__(
        self,
        n_arms: int,
        threshold: float,
        tolerance: float,
        epsilon: float,
        budget: int,
        policy: str = DEFAULT_POLICY,
        study: str = "",
    ) -> None:
        super().__init__(n_arms, threshold, epsilon, study)
        self.tolerance = check_number("tolerance", tolerance, 0, 1)
        self.private_tolerance = shrinkage(self.epsilon) * self.tolerance
        self.budget = check_whole("budget", budget, 2 * self.n_arms, MAX_COUNT)
        self.policy = check_policy(policy, INDEX_POLICIES)
        self._rule = self.policy.rule(self.threshold, self.tolerance, self.epsilon)

    @property
    def parameters(self) -> dict[str, Any]:
        """What a saved state must agree with to be continued by this learner."""
        return {
            **super().parameters,
            "tolerance": self.tolerance,
            "budget": self.budget,
            "policy": self.policy.name,
        }

    @property
    def finished(self) -> bool:
        """Whether the budget is used up, or the study was stopped early."""
        return self.stopped or self.total_pulls >= self.budget

    def wanted(self, arm: int) -> bool:
        """Whether the budget has room for another response.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        bool
        """
        self._checked_arm(arm)
        return not self.finished

    def index(self, arm: int) -> float:
        """The index of an arm that has been pulled; the arm of least index is asked for next.

        Requests outstanding are taken to be answered with the arm's mean so far.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If there is no such arm, or it has no response yet.
        """
        arm = self._checked_arm(arm)
        if self.pulls[arm] == 0:
            raise ValueError(f"arm {arm} has no response yet, so its index is not known")
        expected = self._committed(arm)
        return index(self._rule, expected, self.positives[arm] * (expected / self.pulls[arm]))

    def _choose(self, candidates: list[int]) -> int | None:
        """The arm of least index; ties to the lowest number; None if the budget is committed.

        Of an arm without a response nothing is known, so it is asked about as often as any other:
        as long as none has fewer responses and requests.
        """
        committed = [self._committed(arm) for arm in candidates]
        if not sum(committed) < self.budget or not candidates:
            return None
        fewest = min(committed)
        for arm, count in zip(candidates, committed, strict=True):
            if self.pulls[arm] == 0 and count == fewest:
                return arm
        return min((arm for arm in candidates if self.pulls[arm]), key=self.index)

    @property
    def above(self) -> set[int]:
        """The answer, once the run is over: arms whose mean response is strictly above tau_eps.

        Raises
        ------
        ValueError
            If the run is not over, or an arm has no response at all.
        """
        if not self.finished:
            raise ValueError(
                f"above is known at the end of the run, after {self.budget} responses, "
                f"not after {self.total_pulls} (see estimates(), stop_early())"
            )
        if 0 in self.pulls:
            raise ValueError(
                f"above needs a response of every arm, arm {self.pulls.index(0)} has none "
                "(see estimates(), stop_early())"
            )
        return {arm for arm in range(self.n_arms) if self.deviation(arm) > 0}

    def _known(self) -> dict[int, str]:
        answered = [arm for arm in range(self.n_arms) if self.pulls[arm]]
        return {arm: "above" if self.deviation(arm) > 0 else "below" for arm in answered}
