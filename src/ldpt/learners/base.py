"""What both algorithms share: an answer, estimates, and a state that can be saved."""

import copy
import json
import math
import os
import reprlib
from array import array
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ldpt.checks import check_number
from ldpt.io.files import read_whole, write_durably
from ldpt.io.json_values import read_json
from ldpt.learners.estimates import ESTIMATE_ERROR, Estimate, estimate_mean, interval_boundary
from ldpt.learners.ledger import MAX_OUTSTANDING, Ledger
from ldpt.learners.requests import Requests
from ldpt.learners.state import STATE_VERSION, as_bits, as_json, as_text, check_same, checksum
from ldpt.radii import Boundary
from ldpt.study.messages import is_count, is_id


class Learner(Ledger):
    """What both algorithms share: requests, responses, counts, estimates, saving.

    Parameters
    ----------
    n_arms : int
        K, the number of arms.
    threshold : float
        tau, in rewards: a number in [0, 1].
    epsilon : float
        Privacy level of the responses, at least 1e-9; ``math.inf`` means no privacy.
    study : str
        The name of the study, which messages must carry.

    Attributes
    ----------
    pulls, positives : list of int
        For every arm, how many responses were counted and how many of them are 1.
    total_pulls : int
        How many responses were counted.
    repeated, too_late : int
        How many answers were not counted because they came twice, or after their request was
        given up.
    stopped : bool
        Whether the study was stopped early.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    # --- what an algorithm must say

    @property
    def above(self) -> set[int]:
        """The answer, once the run is over: the arms found to be above the threshold."""
        raise NotImplementedError

    def _known(self) -> dict[int, str]:
        """The arms of which something is known, with their side."""
        raise NotImplementedError

    @property
    def _error_level(self) -> float:
        """One minus the joint level of the intervals, unless asked for another."""
        return ESTIMATE_ERROR

    @property
    def parameters(self) -> dict[str, Any]:
        """What a saved state must agree with to be continued by this learner."""
        return {
            "n_arms": self.n_arms,
            "threshold": self.threshold,
            "epsilon": "inf" if math.isinf(self.epsilon) else self.epsilon,
        }

    # --- what is known

    def estimates(self, level: float | None = None) -> list[Estimate]:
        """Every arm's mean reward, with an interval that is valid at any time.

        With probability at least ``level``, the intervals of all arms contain their means at all
        times at once: look whenever you like, stop whenever you like. Each arm has the share
        (1 - level) / K of the error. An interval is that of the two-sided normal mixture on the
        arm's mean response (the radius ``mixture``, with rho = (1 / (4 c g))^2 and g = 1/8, so
        that its prior lives on the scale of rewards), mapped back through the mechanism:
        mean = 1/2 + (response - 1/2) / c. It answers a harder question than the decision, so the
        interval of a decided arm may still contain the threshold.

        Parameters
        ----------
        level : float, optional
            Joint level of all intervals; 1 - delta with a fixed confidence, 0.95 with a fixed
            budget.

        Returns
        -------
        list of Estimate
            One per arm. All answers that have entered are used, spare ones included.

        Raises
        ------
        ValueError
            If the level does not lie strictly between 0 and 1.

        Examples
        --------
        >>> from ldpt.learners import FixedBudget
        >>> learner = FixedBudget(1, threshold=0.5, tolerance=0.0, epsilon=4.0, budget=400)
        >>> learner.record_many([(0, 1), (0, 0), (0, 0), (0, 0)] * 100)
        400
        >>> estimate, = learner.estimates()
        >>> print(f"{estimate.mean:.2f} in [{estimate.low:.2f}, {estimate.high:.2f}]")
        0.24 in [0.16, 0.32]
        """
        error = self._error_level if level is None else 1 - check_number("level", level, 0, 1)
        if not 0 < error < 1:
            raise ValueError(f"level must lie strictly between 0 and 1, got {level}")
        edge = interval_boundary(self.n_arms, error, self.threshold, self.epsilon)
        return [self._estimate(arm, edge) for arm in range(self.n_arms)]

    def _estimate(self, arm: int, edge: Boundary) -> Estimate:
        spare = self._spare[arm]
        answers, positives = self.pulls[arm] + len(spare), self.positives[arm] + sum(spare)
        return estimate_mean(arm, answers, positives, edge, self.epsilon)

    def stop_early(self) -> dict[int, str]:
        """End the study now and return what is known.

        Returns
        -------
        dict
            ``"above"`` or ``"below"`` by arm. With a fixed confidence, the arms that are decided,
            with the promised certainty; with a fixed budget, the side of every arm that has an
            answer, as a budget of this size would have given it.
        """
        known = self._known()
        self.stopped = True
        return known

    # --- remember

    def state(self) -> dict[str, Any]:
        """The whole state as plain data, with a checksum; it holds responses and no rewards.

        Returns
        -------
        dict
            What :meth:`restore` takes. Ids of messages are sorted, so that they do not tell which
            response was whose.
        """
        content = self._content()
        return {**content, "checksum": checksum(content)}

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
            "answered": as_text(entry & 1 for entry in self._record),
            "spare": [as_text(spare) for spare in self._spare],
            "requests": [requests.state() for requests in self._requests],
            "messages": sorted(self._messages),
            "repeated": self.repeated,
            "too_late": self.too_late,
            "stopped": self.stopped,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state of the same study and parameters.

        Parameters
        ----------
        state : mapping
            What :meth:`state` returned.

        Raises
        ------
        ValueError
            If it is not such a state, was cut or changed, belongs to another study or to other
            parameters, or contradicts itself. This learner is left as it is then.

        Examples
        --------
        >>> from ldpt.learners import FixedConfidence
        >>> before = FixedConfidence(1, threshold=0.5, epsilon=1.0, delta=0.1, study="doses")
        >>> tickets = before.next_arms(2)
        >>> after = FixedConfidence(1, threshold=0.5, epsilon=1.0, delta=0.1, study="doses")
        >>> after.restore(before.state())
        >>> after.outstanding == tickets
        True
        """
        content = self._checked_content(as_json(state))
        restored = copy.copy(self)
        restored._fill(content)
        self.__dict__.update(restored.__dict__)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file.

        Parameters
        ----------
        path : path-like
            The file; a crash leaves the old one or the new one, never a part.
        """
        write_durably(Path(path), json.dumps(self.state(), allow_nan=False) + "\n")

    def load(self, path: str | os.PathLike[str]) -> None:
        """Continue from a file written by :meth:`save`.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        ValueError
            If the file is not a regular one or not whole, or :meth:`restore` refuses its
            content. This learner is left as it is then.
        """
        state = read_json(read_whole(path))
        if state is None:
            raise ValueError(f"{path}: not a whole state file (truncated or not JSON)")
        try:
            self.restore(state)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def _checked_content(self, state: object) -> dict[str, Any]:
        """A state without its checksum, if it is whole and of this study and these parameters."""
        if not isinstance(state, dict) or state.get("format") != "ldpt learner":
            raise ValueError("not the state of a learner")
        self._check_version(state.get("version"))
        content = {key: value for key, value in state.items() if key != "checksum"}
        if state.get("checksum") != checksum(content):
            raise ValueError("the state's checksum does not match: it was cut or changed")
        if set(content) != set(self._content()):
            raise ValueError(f"the state's entries must be {', '.join(self._content())}, checksum")
        check_same("study", content["study"], self.study)
        check_same("algorithm", content["algorithm"], type(self).__name__)
        found = content["parameters"]
        if not isinstance(found, dict) or set(found) != set(self.parameters):
            raise ValueError(f"the state's parameters must be {', '.join(self.parameters)}")
        for name, value in self.parameters.items():
            check_same(name, found[name], value)
        return content

    @staticmethod
    def _check_version(version: object) -> None:
        if type(version) is not int or version != STATE_VERSION:
            raise ValueError(
                f"the state has version {reprlib.repr(version)}, this program reads {STATE_VERSION}"
            )

    def _fill(self, content: dict[str, Any]) -> None:
        """Take over the content of a state; every value is new, so a copy can be thrown away."""
        self._fill_counts(content)
        spares = self._per_arm(content, "spare")
        self._spare = [deque(as_bits("spare", text)) for text in spares]
        self._requests = [
            Requests.from_state(state, self.pulls[arm] + len(self._spare[arm]), MAX_OUTSTANDING)
            for arm, state in enumerate(self._per_arm(content, "requests"))
        ]
        messages = content["messages"]
        if not (isinstance(messages, list) and all(map(is_id, messages))):
            raise ValueError("the state's messages must be a list of ids")
        self._messages = set(messages)
        if len(self._messages) < len(messages):
            raise ValueError("the state's messages must be different ids")
        for name in ("repeated", "too_late"):
            if not is_count(content[name]):
                raise ValueError(f"the state's {name} must be a whole number >= 0")
            setattr(self, name, content[name])
        if type(content["stopped"]) is not bool:
            raise ValueError("the state's stopped must be true or false")
        self.stopped = content["stopped"]
        if any(spare and self.wanted(arm) for arm, spare in enumerate(self._spare)):
            raise ValueError("the state has spare answers that the algorithm wants")

    def _fill_counts(self, content: dict[str, Any]) -> None:
        asked, bits = content["asked"], as_bits("answered", content["answered"])
        if not (isinstance(asked, list) and len(asked) == len(bits)):
            raise ValueError("the state's asked and answered must have the same length")
        if not all(is_count(arm) and arm < self.n_arms for arm in asked):
            raise ValueError(f"the state's asked must be arms 0..{self.n_arms - 1}")
        self.pulls, self.positives = [0] * self.n_arms, [0] * self.n_arms
        self.total_pulls, self.stopped, self._record = 0, False, array("q")
        for arm, bit in zip(asked[:-1], bits[:-1], strict=True):
            self._count(arm, bit)
        if asked and self.finished:
            raise ValueError("the state has answers beyond the end of its run")
        if asked:
            self._count(asked[-1], bits[-1])
        if [self.pulls, self.positives] != [content["pulls"], content["positives"]]:
            raise ValueError("the state's counts disagree with its record of responses")

    def _per_arm(self, content: dict[str, Any], name: str) -> list[Any]:
        if not isinstance(content[name], list) or len(content[name]) != self.n_arms:
            raise ValueError(f"the state's {name} must have one entry for each of the arms")
        return content[name]
