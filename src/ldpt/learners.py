"""Algorithms 1 and 2 as a reader of the paper would write them: ask for an arm, tell the response.

A learner is fed with 0/1 responses only, never with rewards, so that the local-privacy protocol
cannot be broken by accident. The compiled engines in ``kernels`` are tested against these classes
path for path.

A study runs for months: a learner keeps a record of what was asked and answered, saves it as JSON
and, built again with the same parameters, loads it and continues on the same path.

>>> learner = FixedBudget(n_arms=2, threshold=0.5, tolerance=0.1, epsilon=1.0, budget=4)
>>> while (arm := learner.next_arm()) is not None:
...     learner.record(arm, response=arm)
>>> learner.above
{1}
>>> learner.history
[(0, 0), (1, 1), (0, 0), (1, 1)]
"""

import hashlib
import json
import math
import operator
import os
import tempfile
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES, check_policy, index
from ldpt.privacy import Response, check_epsilon, private_mean, shrinkage
from ldpt.radii import Radius, as_radius, boundary, check_delta

STATE_VERSION = 1

Answer = Response | tuple[int, int]  # a device's message, or an arm and its 0/1 response


class Learner:
    """What both algorithms share: the record of responses and the counts of every arm."""

    def __init__(self, n_arms: int, threshold: float, epsilon: float, study: str = "") -> None:
        if n_arms < 1:
            raise ValueError(f"n_arms must be at least 1, got {n_arms}")
        self.n_arms = int(n_arms)
        self.threshold = float(threshold)
        self.epsilon = check_epsilon(epsilon)
        self.study = str(study)
        self.private_threshold = private_mean(self.threshold, epsilon)
        self.pulls = [0] * self.n_arms
        self.positives = [0] * self.n_arms
        self.total_pulls = 0
        self._record = array("q")  # 2 arm + response: eight bytes a pull

    def next_arm(self) -> int | None:
        """The arm to pull next, or None when the run is over."""
        raise NotImplementedError

    @property
    def finished(self) -> bool:
        """Whether the run is over and :attr:`above` is its answer."""
        return self.next_arm() is None

    @property
    def above(self) -> set[int]:
        """The answer: the arms found to lie above the threshold."""
        raise NotImplementedError

    @property
    def parameters(self) -> dict[str, Any]:
        """What a saved state must agree with to be continued by this learner."""
        return {
            "n_arms": self.n_arms,
            "threshold": self.threshold,
            "epsilon": "inf" if math.isinf(self.epsilon) else self.epsilon,
        }

    def deviation(self, arm: int) -> float:
        """d = s - n tau_eps: positive when the arm's mean response exceeds the threshold."""
        return self.positives[arm] - self.pulls[arm] * self.private_threshold

    # --- tell

    def record(self, arm: int, response: int | Response) -> None:
        """Count one response of an arm; a raw reward, or a response after the end, is refused."""
        arm, bit = self._checked(arm, response)
        if self.finished:
            raise ValueError(f"the run is over after {self.total_pulls} responses")
        self._count(arm, bit)

    def record_many(self, answers: Iterable[Answer]) -> int:
        """Count responses in their order and return how many were counted.

        Either all are well formed or none is counted. Those that come after the end of the run
        are left out, as the algorithm would not have asked for them.

        >>> learner = FixedBudget(1, threshold=0.5, tolerance=0.0, epsilon=1.0, budget=2)
        >>> learner.record_many([(0, 1), (0, 0), (0, 1)])
        2
        """
        checked = [self._checked(*_split(answer)) for answer in answers]
        for counted, (arm, bit) in enumerate(checked):
            if self.finished:
                return counted
            self._count(arm, bit)
        return len(checked)

    def _count(self, arm: int, bit: int) -> None:
        self.pulls[arm] += 1
        self.positives[arm] += bit
        self.total_pulls += 1
        self._record.append(2 * arm + bit)

    def _checked(self, arm: int, response: int | Response) -> tuple[int, int]:
        if isinstance(response, Response):
            self._check_terms(arm, response)
            response = response.bit
        return self._checked_arm(arm), checked_bit(response)

    def _checked_arm(self, arm: int) -> int:
        try:
            number = operator.index(arm)
        except TypeError:
            number = -1
        if not 0 <= number < self.n_arms:
            raise ValueError(f"arm must be 0..{self.n_arms - 1}, got {arm!r}")
        return number

    def _check_terms(self, arm: int, response: Response) -> None:
        """A device that randomised by other terms would bias the means in silence."""
        if response.epsilon != self.epsilon:
            raise ValueError(
                f"the device answered with epsilon {response.epsilon}, "
                f"this learner expects {self.epsilon}"
            )
        if response.study != self.study:
            raise ValueError(
                f"the response belongs to study {response.study!r}, this learner to {self.study!r}"
            )
        if response.arm != arm:
            raise ValueError(f"the response is about arm {response.arm}, recorded for arm {arm!r}")

    # --- remember

    @property
    def history(self) -> list[tuple[int, int]]:
        """What was asked and answered, in order: pairs of an arm and its 0/1 response."""
        return [divmod(entry, 2) for entry in self._record]

    def state(self) -> dict[str, Any]:
        """The whole state as plain data, with a checksum; it holds responses and no rewards."""
        content = self._content()
        return {**content, "checksum": _checksum(content)}

    def _content(self) -> dict[str, Any]:
        return {
            "format": "ldpt learner",
            "version": STATE_VERSION,
            "study": self.study,
            "algorithm": type(self).__name__,
            "parameters": self.parameters,
            "pulls": list(self.pulls),
            "positives": list(self.positives),
            "asked": [entry >> 1 for entry in self._record],
            "answered": "".join(str(entry & 1) for entry in self._record),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state of the same study and parameters; any other leaves this one as is.

        >>> before = FixedConfidence(1, threshold=0.5, epsilon=1.0, delta=0.1, study="doses")
        >>> before.record(0, 1)
        >>> after = FixedConfidence(1, threshold=0.5, epsilon=1.0, delta=0.1, study="doses")
        >>> after.restore(before.state())
        >>> after.history
        [(0, 1)]
        """
        self._check_state(state)
        pulls, positives, record = [0] * self.n_arms, [0] * self.n_arms, array("q")
        for asked, answered in zip(state["asked"], state["answered"], strict=True):
            arm, bit = self._checked(asked, int(answered))
            pulls[arm] += 1
            positives[arm] += bit
            record.append(2 * arm + bit)
        if pulls != state["pulls"] or positives != state["positives"]:
            raise ValueError("the state's counts disagree with its record of responses")
        self.pulls, self.positives, self._record = pulls, positives, record
        self.total_pulls = len(record)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file; a crash leaves the old file or the new one, never a part."""
        path = Path(path)
        text = json.dumps(self.state(), allow_nan=False) + "\n"
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def load(self, path: str | os.PathLike[str]) -> None:
        """Continue from a file written by :meth:`save`; a bad one leaves this learner as it is."""
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        try:
            state = json.loads(text)
        except ValueError:
            raise ValueError(f"{path}: not a whole state file (truncated or not JSON)") from None
        try:
            self.restore(state)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def _check_state(self, state: Mapping[str, Any]) -> None:
        if not isinstance(state, Mapping) or state.get("format") != "ldpt learner":
            raise ValueError("not the state of a learner")
        if state.get("version") != STATE_VERSION:
            found = state.get("version")
            raise ValueError(f"the state has version {found!r}, this program reads {STATE_VERSION}")
        content = {key: value for key, value in state.items() if key != "checksum"}
        if state.get("checksum") != _checksum(content):
            raise ValueError("the state's checksum does not match: it was cut or changed")
        if set(content) != set(self._content()):
            raise ValueError(f"the state has other entries than expected: {sorted(content)}")
        self._check_same("study", content["study"], self.study)
        self._check_same("algorithm", content["algorithm"], type(self).__name__)
        for name, value in self.parameters.items():
            self._check_same(name, content["parameters"].get(name), value)

    @staticmethod
    def _check_same(what: str, found: object, expected: object) -> None:
        if found != expected:
            raise ValueError(f"the state is of {what} {found!r}, this learner has {expected!r}")


class FixedBudget(Learner):
    """An index policy: pull the arm whose index is least (:mod:`ldpt.policies`).

    ``lsa`` is the default, because its error depends on the budget through T / H_eps alone;
    ``apt`` is Algorithm 1 as printed.
    """

    def __init__(
        self,
        n_arms: int,
        threshold: float,
        tolerance: float,
        epsilon: float,
        budget: int,
        study: str = "",
        policy: str = DEFAULT_POLICY,
    ) -> None:
        super().__init__(n_arms, threshold, epsilon, study)
        self.policy = check_policy(policy, INDEX_POLICIES)
        if not (tolerance >= 0 and math.isfinite(tolerance)):
            raise ValueError(f"tolerance must be a number >= 0, got {tolerance}")
        if not budget >= 2 * n_arms:
            raise ValueError(f"budget must be at least 2K = {2 * n_arms}, got {budget}")
        if budget != int(budget):
            raise ValueError(f"budget must be a whole number of pulls, got {budget}")
        self.tolerance = float(tolerance)
        self.private_tolerance = shrinkage(epsilon) * self.tolerance
        self.budget = int(budget)
        self._rule = self.policy.rule(self.private_threshold, self.private_tolerance)

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            **super().parameters,
            "tolerance": self.tolerance,
            "budget": self.budget,
            "policy": self.policy.name,
        }

    @property
    def finished(self) -> bool:
        """Whether the budget is used up."""
        return self.total_pulls >= self.budget

    def index(self, arm: int) -> float:
        """The index of an arm that has been pulled; the arm of least index is asked for next."""
        return index(self._rule, self.pulls[arm], self.positives[arm])

    def next_arm(self) -> int | None:
        """The unpulled arm of lowest number, else the one of least index; None at the budget."""
        if self.finished:
            return None
        if 0 in self.pulls:
            return self.pulls.index(0)
        return min(range(self.n_arms), key=self.index)

    @property
    def above(self) -> set[int]:
        """The answer: arms whose mean response is strictly above tau_eps."""
        return {arm for arm in range(self.n_arms) if self.deviation(arm) > 0}


class FixedConfidence(Learner):
    """Algorithm 2: pull the least-pulled undecided arm until none is left.

    ``onesided``, ``mixture`` and ``hoeffding`` keep the promise that the answer is wrong with
    probability at most delta; ``printed`` is the paper's radius, which does not.
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

    @property
    def parameters(self) -> dict[str, Any]:
        return {**super().parameters, "delta": self.delta, **self.radius.parameters}

    @property
    def finished(self) -> bool:
        """Whether every arm has been pulled and is decided."""
        return 0 not in self.pulls and not any(map(self.undecided, range(self.n_arms)))

    def undecided(self, arm: int) -> bool:
        """Whether shifting the arm's mean by its radius towards the threshold changes its side."""
        b = boundary(self._edge, self.pulls[arm], self.total_pulls)
        return -b <= self.deviation(arm) < b

    def next_arm(self) -> int | None:
        """The unpulled arm of lowest number, else the undecided one with the fewest pulls."""
        if 0 in self.pulls:
            return self.pulls.index(0)
        open_arms = [arm for arm in range(self.n_arms) if self.undecided(arm)]
        return min(open_arms, key=self.pulls.__getitem__, default=None)

    @property
    def above(self) -> set[int]:
        """The answer: arms whose mean response is at least tau_eps."""
        return {arm for arm in range(self.n_arms) if self.deviation(arm) >= 0}


def checked_bit(response: int) -> int:
    """A response as 0 or 1; a float is refused even if whole, because rewards are floats."""
    if not isinstance(response, (int, np.integer, np.bool_)):
        kind = type(response).__name__
        raise ValueError(
            "a response is 0 or 1, as a private device returns it, "
            f"got a {kind} (not shown: it may be a reward)"
        )
    if response not in (0, 1):
        raise ValueError(f"a response is 0 or 1, as a private device returns it, got {response}")
    return int(response)


def _split(answer: Answer) -> tuple[int, int | Response]:
    if isinstance(answer, Response):
        return answer.arm, answer
    try:
        arm, response = answer
    except (TypeError, ValueError):
        raise ValueError(
            f"an answer is a pair of an arm and its response, got {answer!r}"
        ) from None
    return arm, response


def _checksum(state: Mapping[str, Any]) -> str:
    text = json.dumps(state, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
