"""Thresholding problems: arms, threshold, tolerance, and how hard they are (Sections 2.2, 2.4)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ldpt.checks import check_number, check_seed
from ldpt.privacy import private_mean, shrinkage
from ldpt.util.files import read_whole
from ldpt.util.json_values import read_json
from ldpt.util.messages import shown

__all__ = ["Instance", "equal_gap", "read_instances"]

MAX_MIN_GAP = 0.4  # of random instances; beyond, hardly any draw would be kept
MAX_LISTED_ARMS = 16  # up to here tables of runs keep the pulls of each arm
MAX_NAME = 200  # characters
SKEWED_THRESHOLDS = (0.1, 0.2, 0.3, 0.7, 0.8, 0.9)
SKEWED_KEY = 1000  # of the streams of skewed instances, apart from those of the other families
EASY = (0.2, 0.4)  # gaps of the easy arms of hard instances


@dataclass(frozen=True, repr=False)
class Instance:
    """K arms with mean rewards in [0, 1], a threshold and a tolerance.

    ``family`` labels members of one family in tables. ``stream`` names the random streams, the
    name itself by default: a renamed problem keeps its numbers if it keeps its stream.

    >>> round(Instance("two", [0.2, 0.7], 0.5).complexity(), 6)
    36.111111
    """

    name: str
    means: tuple[float, ...]
    threshold: float
    tolerance: float = 0.0
    family: str = ""
    stream: str = ""

    def __init__(
        self,
        name: str,
        means: Sequence[float] | np.ndarray,
        threshold: float,
        tolerance: float = 0.0,
        *,
        family: str = "",
        stream: str = "",
    ) -> None:
        if not isinstance(name, str) or len(name) > MAX_NAME:  # type: ignore[redundant-expr]
            raise ValueError(
                f"name of an instance must be text of at most {MAX_NAME} characters, "
                f"got {shown(name)}"
            )
        where = f"instance {name!r}"
        vars(self).update(
            name=str(name),
            means=_checked_means(where, means),
            threshold=check_number(f"{where}: threshold", threshold, 0, 1),
            tolerance=check_number(f"{where}: tolerance", tolerance, 0, 1),
            family=str(family),
            stream=str(stream) or str(name),
        )

    def __repr__(self) -> str:
        arms = f"means={self.means}" if self.n_arms <= MAX_LISTED_ARMS else f"{self.n_arms} arms"
        rest = f"threshold={self.threshold}, tolerance={self.tolerance}"
        return f"Instance({self.name!r}, {arms}, {rest})"

    @property
    def n_arms(self) -> int:
        return len(self.means)

    @property
    def gaps(self) -> np.ndarray:
        """Delta_i: the distance of each mean from the threshold, plus the tolerance."""
        return np.abs(self.threshold - np.array(self.means)) + self.tolerance

    @property
    def above(self) -> frozenset[int]:
        """Arms with mu_i >= tau: the set to be found when the tolerance is zero."""
        return frozenset(i for i, mean in enumerate(self.means) if mean >= self.threshold)

    @property
    def must_accept(self) -> np.ndarray:
        """Arms whose absence from the answer is a loss: mu_i > tau + zeta (fixed budget)."""
        return np.array(self.means) > self.threshold + self.tolerance

    @property
    def must_reject(self) -> np.ndarray:
        """Arms whose presence in the answer is a loss: mu_i <= tau - zeta (fixed budget)."""
        return np.array(self.means) <= self.threshold - self.tolerance

    @property
    def strict(self) -> "Instance":
        """The same problem with tolerance 0, as the fixed-confidence setting wants it."""
        return replace(self, tolerance=0.0)

    def complexity(self, epsilon: float = math.inf) -> float:
        """H_eps = sum_i Delta_{i,eps}^-2 = H / tanh(eps/2)^2; without epsilon, H itself."""
        factor = shrinkage(epsilon)
        if not np.all(self.gaps > 0):
            return math.inf
        with np.errstate(over="ignore", divide="ignore"):
            return float(np.sum(1 / np.square(self.gaps))) / (factor * factor)

    def private_means(self, epsilon: float) -> np.ndarray:
        """Return mu_{i,eps}, the means of the responses."""
        return private_mean(np.array(self.means), epsilon)

    def private_threshold(self, epsilon: float) -> float:
        """Return tau_eps, the threshold that responses are compared with."""
        return private_mean(self.threshold, epsilon)

    def private_tolerance(self, epsilon: float) -> float:
        """Return zeta_eps = tanh(eps/2) zeta, the tolerance in responses."""
        return shrinkage(epsilon) * self.tolerance


def _checked_means(where: str, means: object) -> tuple[float, ...]:
    """Means as floats, if they are numbers in [0, 1] and there is one."""
    if isinstance(means, (str, bytes, Mapping)) or not isinstance(means, Iterable):
        raise ValueError(f"{where}: means must be a list of numbers in [0, 1], got {shown(means)}")
    if isinstance(means, np.ndarray):
        means = means.tolist() if means.ndim == 1 else [means.tolist()]
    checked = tuple(check_number(f"{where}: means[{arm}]", m, 0, 1) for arm, m in enumerate(means))
    if not checked:
        raise ValueError(f"{where}: means is empty, at least one arm is needed")
    return checked


def check_instance(instance: object) -> Instance:
    """Return an instance, or say that it is none."""
    if not isinstance(instance, Instance):
        raise ValueError(f"instance must be an Instance, got {shown(instance)}")
    return instance


def read_instances(path: str | Path) -> dict[str, Instance]:
    """Return the instances of ``results/instances.json`` by name."""
    try:
        instances = [Instance(**fields) for fields in read_json(read_whole(path))]
    except TypeError:
        raise ValueError(f"{path} does not hold a list of instances") from None
    return {instance.name: instance for instance in instances}


def environment_means(instance: Instance) -> list[tuple[float, float]]:
    """Return each arm's mean above and below the threshold in the environments of Theorem 3.2.

    They are clipped to [0, 1], so that the environments always exist.
    """
    half = np.abs(np.array(instance.means) - instance.threshold) / 2 + instance.tolerance
    sides = instance.threshold + half, instance.threshold - half
    return list(zip(*(np.clip(side, 0, 1).tolist() for side in sides), strict=True))


def budget_environments(instance: Instance) -> list[Instance]:
    """Return B^0, ..., B^K of Theorem 3.2: all arms above the threshold, arm i of B^i below."""
    pairs = environment_means(instance)
    environments = []
    for i in range(instance.n_arms + 1):
        means = [low if arm == i else high for arm, (high, low) in enumerate(pairs, start=1)]
        name = f"{instance.name}/B{i}"
        stream = f"{instance.stream}/B{i}"
        terms = (instance.threshold, instance.tolerance)
        environments.append(Instance(name, means, *terms, stream=stream))
    return environments


def equal_gap(n_arms: int, gap: float = 0.1, threshold: float = 0.5) -> Instance:
    """Return ``equal-gap-K``: half of the arms at threshold - gap, half at threshold + gap."""
    if gap > 0 and threshold in (threshold - gap, threshold + gap):
        raise ValueError(
            f"gap {gap:g} is too small: floats do not tell {threshold:g} + {gap:g} from the "
            f"threshold {threshold:g}"
        )
    means = [threshold - gap] * (n_arms // 2) + [threshold + gap] * (n_arms - n_arms // 2)
    name = f"equal-gap-{n_arms}"
    return Instance(name, means, threshold, family="equal-gap", stream=name)


def random_instance(
    name: str, rng: np.random.Generator, n_arms: int, threshold: float, min_gap: float
) -> Instance:
    """Return a problem with means drawn from Beta(2, 2), those within ``min_gap`` redrawn."""
    means: list[float] = []
    while len(means) < n_arms:
        mean = float(rng.beta(2, 2))
        if abs(mean - threshold) >= min_gap:
            means.append(mean)
    return Instance(name, means, threshold)


def hard_instance(
    name: str, rng: np.random.Generator, n_arms: int, threshold: float, min_gap: float
) -> Instance:
    """Return a problem with one hard arm, with a gap between ``min_gap`` and 2.5 times it.

    The other arms have gaps between .2 and .4; each arm is above or below the threshold with equal
    odds.
    """
    gaps = np.append(rng.uniform(min_gap, 2.5 * min_gap, 1), rng.uniform(*EASY, n_arms - 1))
    means = threshold + rng.choice([-1.0, 1.0], n_arms) * gaps
    return Instance(name, means, threshold)


NEW_LAWS = {"beta": random_instance, "hard": hard_instance}  # of the means of new instances
NEW_KEYS = {"beta": 1, "hard": 2}  # of the streams from which these laws draw


def member_stream(seed: int, *key: int) -> np.random.Generator:
    """Return the random stream of one member of a family of instances."""
    return np.random.default_rng(np.random.SeedSequence(check_seed(seed), spawn_key=key))
