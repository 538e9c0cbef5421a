"""The cheapest ways in which either algorithm errs: which means the arms must show, at what cost.

:func:`ways_to_err_by_budget` follows the argument in the docstring of :mod:`ldpt.rare_events`;
:func:`ways_to_err_by_confidence` asks where a path of constant drift leaves Algorithm 2's boundary.
"""

import math
from typing import NamedTuple

import numpy as np

from ldpt.instances import Instance
from ldpt.radii import Boundary, Radius, drift_pulls
from ldpt.util.reproducible import bernoulli_divergence, geomspace

SHOWN_MEANS = 14  # grid of wrong means per arm
GAP_INFLATIONS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of the other arms' gaps (Algorithm 2)
STEPS = 400  # of the grid on which the other arms' cheapest means are sought
EXIT_TOLERANCE = 1e-9  # relative, of pulls
NEAR = 1e-3  # least distance from the threshold, relative to the gap, where zeta = 0


class WaysToErr(NamedTuple):
    """Ways c to err in M stages: the mean that each arm shows, and what it costs in nats.

    Arm ``arms[c]`` errs: it shows ``means[c, arms[c]]`` to the end of stage m, then
    ``after[c, m]``; the other arms show ``means[c]`` all along. ``costs`` has one column per stage.
    """

    arms: np.ndarray
    means: np.ndarray
    after: np.ndarray
    costs: np.ndarray


def ways_to_err_by_budget(
    instance: Instance, epsilon: float, second_stages: np.ndarray
) -> WaysToErr:
    """For each arm that can err and each mean it may show, the others' cheapest means.

    ``second_stages`` are parts of the budget; costs are in nats a pull.
    """
    truth = instance.private_means(epsilon)
    tau = instance.private_threshold(epsilon)
    zeta = instance.private_tolerance(epsilon)
    judged = instance.must_accept | instance.must_reject
    ways = []
    for arm in _arms_that_can_err(instance, judged & (truth > 0) & (truth < 1)):
        wrong = _wrong_means(truth[arm], tau, zeta)
        own = np.append(wrong, _right_means(truth[arm], tau, zeta))
        others, back, costs = _cheapest_others(truth, tau, zeta, arm, own, second_stages)
        means = np.tile(others, (own.size, 1))
        means[:, arm] = own
        ways.append(WaysToErr(np.full(own.size, arm), means, back, costs))
    return WaysToErr(*map(np.concatenate, zip(*ways, strict=True)))


def _cheapest_others(
    truth: np.ndarray,
    tau: float,
    zeta: float,
    arm: int,
    own: np.ndarray,
    second_stages: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what the other arms show while this one errs, its means after the stages, and costs.

    A pull that another arm takes is worth what the budget costs a pull, its price: so each of them
    minimises (KL - price) / D^2 for itself. The least cost at those means is a lower price, until
    it is the least (Dinkelbach's method).
    """
    shown = truth + np.linspace(0, 1, STEPS + 1)[:, None] * (tau - truth)
    divergence = kl_divergence(shown, truth)
    squared = _squared_distance(shown, truth, tau, zeta)
    columns = np.arange(truth.size)
    is_other = columns != arm
    own_pulls = 1 / _squared_distance(own, truth[arm], tau, zeta)  # at level 1
    own_nats = kl_divergence(own, truth[arm]) * own_pulls
    price, least = math.inf, float(kl_divergence(tau, truth[arm]))
    while least < price * (1 - 1e-12):
        price = least
        rows = np.argmin((divergence - price) / squared, axis=0)
        pulls = is_other / squared[rows, columns]
        nats = own_nats + (divergence[rows, columns] * pulls).sum()
        total = own_pulls + pulls.sum()
        share = (own_pulls / total)[:, None]
        back, later = _second_stage(truth[arm], tau, zeta, own[:, None], share, second_stages)
        costs = (1 - second_stages) * (nats / total)[:, None] + later
        least = float(costs.min())
    return shown[rows, columns], back, costs


def _second_stage(
    truth: float,
    tau: float,
    zeta: float,
    mean: np.ndarray,
    share: np.ndarray,
    lengths: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return means and costs of second stages that end on the wrong side; infinite if none does.

    In the first stage the arm had ``share`` of the pulls, with empirical mean ``mean``. From the
    wrong side it may drift back without reaching its true side; from its true side it must cross.
    Costs are per pull of the budget.
    """
    n = share * (1 - lengths)
    with np.errstate(divide="ignore", invalid="ignore"):
        fastest = tau - (mean - tau) * n / lengths  # it stands at the threshold at the end
    home = truth > tau
    back = np.minimum(fastest, truth) if home else np.maximum(fastest, truth)
    stays = (lengths == 0) | (mean == tau)
    back = np.where(stays, tau, back)
    possible = np.where(stays, (mean <= tau) if home else (mean >= tau), (back > 0) & (back < 1))
    # At (l / zeta)^2 pulls the index passes the level wherever the arm stands.
    with np.errstate(over="ignore", invalid="ignore"):  # of a tiny tolerance
        ratio = np.inf if zeta == 0 else np.divide(abs(mean - tau) + zeta, zeta)
        longest = n * ratio * ratio
    possible &= n + lengths <= np.maximum(longest, n)
    back = np.where(possible, back, tau)
    return back, np.where(possible, lengths * kl_divergence(back, truth), np.inf)


def ways_to_err_by_confidence(
    instance: Instance, epsilon: float, delta: float, radius: Radius
) -> WaysToErr:
    """For each arm and each mean it may show: where that path leaves Algorithm 2's boundary.

    The boundary grows with log t, so it helps slightly if the other arms stop early, that is,
    show larger gaps than they have. One stage.
    """
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
    truth = instance.private_means(epsilon)
    tau = instance.private_threshold(epsilon)
    erring = _arms_that_can_err(instance, (truth > 0) & (truth < 1) & (0 < tau < 1))
    arms, means, costs = [], [], []
    for inflation in GAP_INFLATIONS:
        shown = np.clip(truth + inflation * (truth - tau), 0.02, 0.98)
        shown = np.where((truth > 0.02) & (truth < 0.98), shown, truth)
        pulls = exit_pulls(shown - tau, edge)
        nats = pulls * kl_divergence(shown, truth)
        exits: dict[tuple[float, float], float] = {}  # equal arms share them
        for arm in erring:
            rest = pulls.sum() - pulls[arm]
            rest_cost = nats.sum() - nats[arm]
            wrong = _wrong_means(truth[arm], tau, 0.0)
            # So near the threshold a run is long and the way never cheap.
            nearest = min(abs(truth[arm] - tau) / 2, abs(wrong[-1] - tau))
            wrong = wrong[abs(wrong - tau) >= nearest]
            for distance in wrong - tau:
                if (distance, rest) not in exits:
                    exits[distance, rest] = float(exit_pulls(np.array([distance]), edge, rest)[0])
            ends = np.array([exits[distance, rest] for distance in wrong - tau])
            row = np.tile(shown, (wrong.size, 1))
            row[:, arm] = wrong
            arms.append(np.full(wrong.size, arm))
            means.append(row)
            costs.append(ends * kl_divergence(wrong, truth[arm]) + rest_cost)
    erring_arms = np.concatenate(arms)
    after = truth[erring_arms][:, None]  # of no consequence: the only stage ends with the run
    return WaysToErr(erring_arms, np.concatenate(means), after, np.concatenate(costs)[:, None])


def kl_divergence(p: np.ndarray | float, q: np.ndarray | float) -> np.ndarray:
    """KL(Bernoulli(p), Bernoulli(q)) elementwise, in nats."""
    return bernoulli_divergence(p, q, np.asarray(p) - q)


def _arms_that_can_err(instance: Instance, can_err: np.ndarray) -> np.ndarray:
    arms = np.flatnonzero(can_err)
    if arms.size == 0:
        raise ValueError(f"instance {instance.name!r}: no arm can err, the probability is 0")
    return arms


def _wrong_means(mean: float, tau: float, zeta: float) -> np.ndarray:
    """Means on the wrong side, their distances D geometric: a factor in D is one in pulls."""
    side, room = (-1.0, tau) if mean > tau else (1.0, 1 - tau)
    nearest = zeta + min(max(0.02 * abs(mean - tau), 1e-3), room / 2)
    if nearest == 0:  # the threshold is 0 or 1 and the tolerance 0
        return np.array([tau])
    distances = geomspace(nearest, zeta + 0.97 * room, SHOWN_MEANS) - zeta
    return np.clip(tau + side * np.concatenate([[0.0], distances]), 0.0, 1.0)


def _right_means(mean: float, tau: float, zeta: float) -> np.ndarray:
    """Means on the right side, from half the gap outwards, from which an arm may yet cross."""
    side, room = (1.0, 1 - tau) if mean > tau else (-1.0, tau)
    gap = abs(mean - tau)
    if gap / 2 == 0:
        return np.empty(0)
    distances = geomspace(zeta + gap / 2, zeta + max(0.97 * room, gap), SHOWN_MEANS) - zeta
    return np.append(np.clip(tau + side * distances, 0.0, 1.0), mean)


def _squared_distance(
    mean: np.ndarray | float, truth: np.ndarray | float, tau: float, zeta: float
) -> np.ndarray:
    """D(y)^2, kept from 0 so that an arm with zeta = 0 does not use up an infinite budget."""
    floor = np.maximum(NEAR * (np.abs(truth - tau) + zeta), 1e-9)
    return np.square(np.maximum(np.abs(mean - tau) + zeta, floor))


def exit_pulls(distances: np.ndarray, edge: Boundary, rest: float = 0.0) -> np.ndarray:
    """Return the pulls after which arms with these distances from the threshold are decided.

    ``rest`` counts the pulls of further arms, which enter the boundary through log t.
    """
    return np.array(
        drift_pulls(edge, distances.tolist(), [1] * distances.size, rest, EXIT_TOLERANCE)
    )
