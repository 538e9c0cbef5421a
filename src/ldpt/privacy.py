"""The Bernoulli mechanism PrivBern and what it does to means and gaps (Section 2.3 of the paper).

Two types, so that simulation and deployment cannot be confused: :class:`PrivBern` draws from a
fast NumPy generator and is for simulation only; :class:`PrivateDevice` draws from the operating
system's generator with probabilities that are safe in finite precision.
"""

import math

import numpy as np


def check_epsilon(epsilon: float) -> float:
    """Return ``epsilon`` as a float, or say why it is not a privacy level.

    The theorems admit epsilon = 0, but then every response is a fair coin, H_eps is infinite and
    nothing can be learned; ``math.inf`` means no privacy and is legal everywhere.
    """
    epsilon = float(epsilon)
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive (inf means no privacy), got {epsilon}")
    return epsilon


def shrinkage(epsilon: float) -> float:
    """Factor by which PrivBern(epsilon) shrinks every gap: tanh(epsilon / 2) (Lemma 2.1).

    The paper writes (e^eps - 1)/(e^eps + 1), which overflows beyond eps = 709.

    >>> shrinkage(math.inf)
    1.0
    """
    return math.tanh(check_epsilon(epsilon) / 2)


def private_mean(mean, epsilon: float):
    """Mean of the responses of an arm with this mean reward: 1/2 + c (mean - 1/2) (Lemma 2.1).

    Takes a scalar or an array; the threshold is transformed by the same map.

    >>> private_mean(0.5, 1.0)
    0.5
    """
    means = np.asarray(mean, dtype=float)
    if not np.all((means >= 0) & (means <= 1)):
        raise ValueError(f"a mean reward lies in [0, 1], got {mean}")
    private = 0.5 + shrinkage(epsilon) * (means - 0.5)
    return float(private) if private.ndim == 0 else private


class PrivBern:
    """Randomised response for rewards in [0, 1], for simulation (Definition 2.1).

    Returns 1 with probability (r e^eps + 1 - r)/(1 + e^eps). Its generator is fast and seedable,
    hence predictable: real users are protected by :class:`PrivateDevice`, never by this class.
    """

    def __init__(self, epsilon: float, rng: np.random.Generator | int | None = None):
        self.epsilon = check_epsilon(epsilon)
        self._rng = np.random.default_rng(rng)

    def probability(self, reward):
        """Probability of the response 1."""
        return private_mean(reward, self.epsilon)

    def privatise(self, reward):
        """Randomise a reward, or an array of rewards, into 0/1 responses."""
        probability = np.asarray(self.probability(reward))
        response = (self._rng.random(probability.shape) < probability).astype(np.int8)
        return int(response) if response.ndim == 0 else response
