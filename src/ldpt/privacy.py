"""The Bernoulli mechanism PrivBern, and what it does to means and gaps (Section 2.3 of the paper).

:class:`PrivBern` draws from a fast, seedable generator and is for simulation only. Real people are
protected by :class:`ldpt.study.PrivateDevice`. No error raised here repeats a reward, because
errors end up in logs.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import overload

import numpy as np

from ldpt.checks import check_epsilon
from ldpt.util.messages import shown
from ldpt.util.reproducible import tanh

__all__ = ["PrivBern", "private_mean", "shrinkage"]


def shrinkage(epsilon: float) -> float:
    """Factor by which PrivBern(epsilon) shrinks every gap: tanh(epsilon / 2) (Lemma 2.1).

    The paper writes (e^eps - 1)/(e^eps + 1), which overflows beyond eps = 709.

    Parameters
    ----------
    epsilon : float
        Privacy level; ``math.inf`` means no privacy.

    Returns
    -------
    float
        c in [0, 1].

    Raises
    ------
    ValueError
        If epsilon is not a positive number.

    Examples
    --------
    >>> import math
    >>> shrinkage(math.inf)
    1.0
    """
    return _tanh_of_half(check_epsilon(epsilon))


@lru_cache(maxsize=1024)  # exact arithmetic in Python is slow, and levels are few
def _tanh_of_half(x: float) -> float:
    return tanh(x / 2)


@overload
def private_mean(mean: float, epsilon: float) -> float: ...
@overload
def private_mean(mean: np.ndarray | Sequence[float], epsilon: float) -> np.ndarray: ...
def private_mean(mean: float | np.ndarray | Sequence[float], epsilon: float) -> float | np.ndarray:
    """Mean of the responses of an arm with this mean reward: 1/2 + c (mean - 1/2) (Lemma 2.1).

    Parameters
    ----------
    mean : float or array_like
        Mean rewards in [0, 1]; the threshold is transformed by the same map.
    epsilon : float
        Privacy level; ``math.inf`` means no privacy.

    Returns
    -------
    float or ndarray
        The mean of the responses, in the shape of ``mean``.

    Raises
    ------
    ValueError
        If a mean lies outside [0, 1] or epsilon is not a positive number.

    Examples
    --------
    >>> private_mean(0.5, 1.0)
    0.5
    """
    means = _unit_numbers(mean)
    if means is None:
        raise ValueError(f"a mean reward is a number in [0, 1], got {shown(mean)}")
    private = _shrunk(means, epsilon)
    return float(private) if private.ndim == 0 else private


def _unit_numbers(values: object, kinds: str = "iuf") -> np.ndarray | None:
    """Return numbers in [0, 1] as an array of floats; None for anything else, such as text."""
    try:
        array = np.asarray(values)
    except ValueError:
        return None
    is_legal = array.dtype.kind in kinds and np.all((array >= 0) & (array <= 1))
    return array.astype(float) if is_legal else None


def _shrunk(means: np.ndarray, epsilon: float) -> np.ndarray:
    return np.asarray(0.5 + shrinkage(epsilon) * (means - 0.5))


class PrivBern:
    """Randomised response for rewards in [0, 1], for simulation (Definition 2.1).

    Returns 1 with probability (r e^eps + 1 - r)/(1 + e^eps). Its generator is fast and seedable,
    hence predictable: real people are protected by :class:`ldpt.study.PrivateDevice` instead.

    Parameters
    ----------
    epsilon : float
        Privacy level; ``math.inf`` means no privacy.
    rng : numpy.random.Generator or int, optional
        The generator, or its seed.

    Raises
    ------
    ValueError
        If epsilon is not a positive number, or ``rng`` neither a generator nor a seed.

    Examples
    --------
    >>> import math
    >>> PrivBern(math.inf, rng=1).privatise([0.0, 1.0, 1.0]).tolist()
    [0, 1, 1]
    """

    def __init__(self, epsilon: float, rng: np.random.Generator | int | None = None) -> None:
        self.epsilon = check_epsilon(epsilon)
        self._rng = _generator(rng)

    def __repr__(self) -> str:
        return f"PrivBern(epsilon={self.epsilon!r})"

    @overload
    def privatise(self, reward: float) -> int: ...
    @overload
    def privatise(self, reward: np.ndarray | Sequence[float]) -> np.ndarray: ...
    def privatise(self, reward: float | np.ndarray | Sequence[float]) -> int | np.ndarray:
        """Randomise a reward, or an array of rewards, into 0/1 responses.

        Parameters
        ----------
        reward : float or array_like
            Rewards in [0, 1].

        Returns
        -------
        int or ndarray
            The responses, in the shape of ``reward``.

        Raises
        ------
        ValueError
            If a reward is not a number in [0, 1]; its value is not shown.
        """
        rewards = _unit_numbers(reward, "biuf")
        if rewards is None:
            raise ValueError("a reward is a number that lies in [0, 1]; the value is not shown")
        probability = _shrunk(rewards, self.epsilon)
        response = (self._rng.random(probability.shape) < probability).astype(np.int8)
        return int(response) if response.ndim == 0 else response


def _generator(rng: object) -> np.random.Generator:
    """Return a generator from itself or its seed; a fresh one for None."""
    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        types = "a numpy.random.Generator, or a whole number of at least 0 as its seed"
        raise ValueError(f"rng must be {types}, got {shown(rng)}") from None
