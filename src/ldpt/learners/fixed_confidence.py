"""Algorithm 2: ask about undecided arms until every arm is decided."""

import warnings
from typing import Any

from ldpt.checks import check_delta
from ldpt.learners.base import Learner
from ldpt.radii import Radius, as_radius, lower, upper


class FixedConfidence(Learner):
    """Algorithm 2: pull the least-pulled undecided arm until none is left.

    ``onesided``, ``mixture`` and ``hoeffding`` keep the promise that the answer is wrong with
    probability at most delta; ``printed`` is the paper's radius, which does not, and warns.

    With ``onesided`` and ``mixture`` an arm is decided by its own answers alone, and answers that
    come after its decision are kept as spare ones. So batches, delays and drop-outs change how
    many people are asked without need, but neither the answer nor the responses behind it.

    Parameters
    ----------
    n_arms : int
        K, the number of arms.
    threshold : float
        tau, in rewards: a number in [0, 1].
    epsilon : float
        Privacy level of the responses, at least 1e-9; ``math.inf`` means no privacy.
    delta : float
        Error probability of the whole answer, in (0, 1).
    radius : str or Radius
        The stopping boundary (:mod:`ldpt.radii`).
    study : str
        The name of the study, which messages must carry.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Warns
    -----
    UserWarning
        If the radius does not keep its promise.
    """

    def __init__(
        self,
        n_arms: int,
        threshold: float,
        epsilon: float,
        delta: float,
        radius: str | Radius = "onesided",
        study: str = "",
    ) -> None:
        super().__init__(n_arms, threshold, epsilon, study)
        self.delta = check_delta(delta)
        self.radius = as_radius(radius)
        self._edge = self.radius.at(self.n_arms, self.delta, self.threshold, self.epsilon)
        if not self.radius.kind.valid:
            warnings.warn(
                f"the guarantee of the radius {self.radius.name!r} is false: the answer can be "
                "wrong with probability above delta (use 'onesided')",
                UserWarning,
                stacklevel=2,
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """What a saved state must agree with to be continued by this learner."""
        return {**super().parameters, "delta": self.delta, **self.radius.parameters}

    @property
    def _error_level(self) -> float:
        return self.delta

    @property
    def finished(self) -> bool:
        """Whether every arm is decided, or the study was stopped early."""
        return self.stopped or not any(map(self.undecided, range(self.n_arms)))

    def undecided(self, arm: int) -> bool:
        """Whether an arm is unpulled, or shifting its mean by its radius changes its side.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        bool
        """
        arm = self._checked_arm(arm)
        if self.pulls[arm] == 0:
            return True
        n, t, d = self.pulls[arm], self.total_pulls, self.deviation(arm)
        return -lower(self._edge, n, t) <= d < upper(self._edge, n, t)

    def wanted(self, arm: int) -> bool:
        """Whether the arm is undecided and the study goes on.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        bool
        """
        return not self.stopped and self.undecided(arm)

    def _choose(self, candidates: list[int]) -> int | None:
        """The undecided arm with the fewest responses and requests; ties to the lowest number."""
        return min(candidates, key=self._committed, default=None)

    def decided(self) -> dict[int, str]:
        """What is certain now: all of it is right with probability at least 1 - delta.

        Returns
        -------
        dict
            ``"above"`` or ``"below"`` by arm, for the arms that are decided.

        Raises
        ------
        ValueError
            If the radius is ``printed``, which makes nothing certain.

        Examples
        --------
        >>> learner = FixedConfidence(2, threshold=0.5, epsilon=4.0, delta=0.1)
        >>> learner.record_many([(0, 1)] * 40)
        40
        >>> learner.decided()
        {0: 'above'}
        """
        if not self.radius.kind.valid:
            raise ValueError(
                f"nothing is certain with the radius {self.radius.name!r}, whose guarantee is "
                "false (use 'onesided')"
            )
        return {
            arm: "above" if self.deviation(arm) >= 0 else "below"
            for arm in range(self.n_arms)
            if not self.undecided(arm)
        }

    def _known(self) -> dict[int, str]:
        return self.decided()

    @property
    def above(self) -> set[int]:
        """The answer, once every arm is decided: arms whose mean response is at least tau_eps.

        Raises
        ------
        ValueError
            If an arm is undecided.
        """
        undecided = sum(map(self.undecided, range(self.n_arms)))
        if undecided:
            raise ValueError(
                "above is known when every arm is decided, "
                f"{undecided} of {self.n_arms} are not (see decided(), estimates())"
            )
        return {arm for arm in range(self.n_arms) if self.deviation(arm) >= 0}
