"""Error probabilities far below the Monte-Carlo floor, by importance sampling.

Algorithm 1 raises a level: at level l an arm has been pulled until its index first exceeded l, and
its responses up to then are independent of the other arms. An arm that shows the mean y stops
there after (l / D(y))^2 pulls, D(y) = |y - tau_eps| + zeta_eps, and showing y costs
KL(y, mu_eps) nats a pull. So the cheapest way to have arm k on its wrong side after T pulls has
the least

    T  sum_j KL(y_j, mu_{j,eps}) D(y_j)^-2 / sum_j D(y_j)^-2

over the means that the arms show: arm k misleads early and is left alone, the others pretend to be
harder than they are and use up the budget. Given the value of the ratio its terms are minimised
arm by arm (Dinkelbach's method). One thing is cheaper still: the level reaches arm k again only
just before the end, and while it is pulled back towards its true side it uses up pulls for nothing.
Or it crosses from its right side at the end. Hence a second stage, which begins when a part of the
budget is left.

An environment is simulated for every arm that can err, every mean on a grid that it may show and
every length of the second stage; a run is weighted by the true likelihood over that of the whole
mixture (balance heuristic), which needs pulls and positive responses at the ends of the stages
only. The estimate is unbiased whatever the mixture is.
"""

import math
from dataclasses import dataclass

import numpy as np

from ldpt.bounds import fixed_budget_lower
from ldpt.instances import Instance
from ldpt.privacy import check_epsilon
from ldpt.radii import Radius, as_radius, check_delta
from ldpt.rare.kernels import Mixture, budget_log_weights, confidence_log_weights
from ldpt.simulate import NO_LIMIT, stream

SHOWN_MEANS = 14  # grid of wrong means an arm
SECOND_STAGES = (0.6, 0.5, 0.4, 0.32, 0.26, 0.21, 0.17, 0.13, 0.1, 0.07, 0.045, 0.025, 0.01, 0.0)
HURRIES = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # by how much other arms' gaps grow (Algorithm 2)
STEPS = 400  # of the grid on which the other arms' cheapest means are sought
TILTED = 0.7  # chance that an arm that need not err is tilted; bounds its likelihood ratio
NOMINAL = 0.05  # share of runs in the true environment
EVEN = 0.2  # share of runs spread evenly over the environments
CUT = 15.0  # nats beyond the cheapest way at which an environment is left out
NEAR = 1e-3  # least distance from the threshold, relative to the gap, where zeta = 0
QUANTILE = 1.959963984540054  # of the normal law, for 95 % intervals

MIN_EFFECTIVE_SIZE = 100.0
MAX_TAIL_SHARE = 0.1


@dataclass(frozen=True)
class Estimate:
    """An estimated probability, kept as a logarithm, with what is needed to trust or reject it.

    The effective sample size is (sum w)^2 / sum w^2 over the weights of erring runs; the tail
    share is the largest weight's part of their sum.
    """

    log_probability: float
    relative_error: float
    effective_sample_size: float
    tail_share: float
    replicates: int

    @property
    def probability(self) -> float:
        return math.exp(self.log_probability)

    @property
    def standard_error(self) -> float:
        return self.probability * self.relative_error

    @property
    def low(self) -> float:
        """Lower end of the normal 95 % interval of the logarithm; 0 if no run erred."""
        return math.exp(self.log_probability - QUANTILE * self.relative_error)

    @property
    def high(self) -> float:
        """Upper end of the same interval; 1 if no run erred, for then nothing is known."""
        if math.isinf(self.log_probability):
            return 1.0
        return math.exp(min(0.0, self.log_probability + QUANTILE * self.relative_error))

    def row(self) -> dict[str, float | int | bool]:
        """As columns of a table; an estimate that is not reliable says so."""
        return {
            "replicates": self.replicates,
            "estimate": self.probability,
            "low": self.low,
            "high": self.high,
            "relative_error": self.relative_error,
            "effective_sample_size": self.effective_sample_size,
            "tail_share": self.tail_share,
            "reliable": self.reliable,
        }

    @property
    def reliable(self) -> bool:
        """Whether enough runs carry the estimate and none of them dominates it."""
        return (
            self.effective_sample_size >= MIN_EFFECTIVE_SIZE and self.tail_share <= MAX_TAIL_SHARE
        )


@dataclass(frozen=True)
class WaysToErr:
    """Ways c to err in M stages: the mean that each arm shows, and what it costs in nats.

    Arm ``arms[c]`` errs: it shows ``means[c, arms[c]]`` to the end of stage m, then
    ``after[c, m]``; the other arms show ``means[c]`` all along. ``costs`` has a column a stage.
    """

    arms: np.ndarray
    means: np.ndarray
    after: np.ndarray
    costs: np.ndarray


def fixed_budget_error(
    instance: Instance, epsilon: float, budget: int, replicates: int, seed: int
) -> Estimate:
    """Probability that Algorithm 1 errs after ``budget`` pulls (the loss of Theorem 3.1)."""
    _check_counts(instance, budget, replicates)
    truth = instance.private_means(epsilon)
    ends = _stage_ends(instance, budget)
    ways = ways_to_err_by_budget(instance, epsilon, 1 - ends / budget)
    ways = WaysToErr(ways.arms, ways.means, ways.after, budget * ways.costs)
    proposal = mixture(ways, truth, TILTED, replicates)
    log_weights = budget_log_weights(
        stream(seed, "rare_fixed_budget", instance.name, epsilon, budget),
        proposal, truth,
        instance.private_threshold(epsilon), instance.private_tolerance(epsilon), ends,
        instance.must_accept, instance.must_reject,
    )  # fmt: skip
    return summarise(log_weights, proposal.counts)


def fixed_confidence_error(
    instance: Instance,
    epsilon: float,
    delta: float,
    replicates: int,
    seed: int,
    radius: str | Radius = "printed",
) -> Estimate:
    """Probability that Algorithm 2 stops with a wrong answer (what Theorem 4.1 bounds by delta)."""
    radius = as_radius(radius)
    instance.require_resolvable()
    _check_counts(instance, 2 * instance.n_arms, replicates)
    truth = instance.private_means(epsilon)
    ways = ways_to_err_by_confidence(instance, epsilon, delta, radius)
    proposal = mixture(ways, truth, TILTED, replicates)
    log_weights = confidence_log_weights(
        stream(seed, "rare_fixed_confidence", instance.name, radius.name, epsilon, delta),
        proposal, truth,
        instance.private_threshold(epsilon), radius.code, radius.level(instance.n_arms, delta),
        radius.rho, NO_LIMIT, np.array(instance.means) >= instance.threshold,
    )  # fmt: skip
    return summarise(log_weights, proposal.counts)


def budget_rate(instance: Instance, epsilon: float) -> float:
    """The cheapest way to err in Algorithm 1 in nats a pull: -log(error) / T as T grows.

    Times H_eps it stands beside the 1/4 of Theorem 3.1.
    """
    fine = np.linspace(0.9, 0.0, 91)
    return float(ways_to_err_by_budget(instance, epsilon, fine, 120).costs.min())


def exponent(estimate: Estimate, scaled_budget: float) -> dict[str, float]:
    """-log(error) / (T / H_eps) with its interval: what Theorem 3.1 says is at least 1/4."""
    middle = -estimate.log_probability / scaled_budget
    half = QUANTILE * estimate.relative_error / scaled_budget
    return {
        "exponent": middle,
        "exponent_low": middle - half,
        "exponent_high": middle + half,
    }


def reference_exponents(instance: Instance, epsilon: float) -> list[dict[str, str | float]]:
    """What the measured exponent stands beside: its limit, and the factor of -T / H_eps in every
    bound (Theorems 3.1, 3.2).

    Lower bounds say of the worst of their environments that its error falls no faster.
    """
    complexity, budget = instance.complexity(epsilon), 2.0 * instance.n_arms
    rows: list[tuple[str, str, float]] = [
        ("limit", "large deviations", budget_rate(instance, epsilon) * complexity),
        ("upper", "printed", 1 / 4),
        ("upper", "corrected", 1 / 16),
        ("upper", "rigorous", 1 / 32),
    ]
    for version in ("printed", "corrected", "sharp"):
        bound = 4 * fixed_budget_lower(instance, epsilon, budget, version)
        fall = -math.log(bound) * complexity / budget if bound > 0 else math.inf
        rows.append(("lower", version, fall))
    return [{"side": side, "version": version, "exponent": value} for side, version, value in rows]


# --- The cheapest ways to err


def ways_to_err_by_budget(
    instance: Instance, epsilon: float, second_stages: np.ndarray, n_means: int = SHOWN_MEANS
) -> WaysToErr:
    """For each arm that can err and each mean it may show, the others' cheapest means.

    ``second_stages`` are parts of the budget; costs are in nats a pull.
    """
    check_epsilon(epsilon)
    truth, tau = instance.private_means(epsilon), instance.private_threshold(epsilon)
    zeta = instance.private_tolerance(epsilon)
    shown = truth + np.linspace(0, 1, STEPS + 1)[:, None] * (tau - truth)
    divergence = kl_divergence(shown, truth)
    squared = _squared_distance(shown, truth, tau, zeta)
    arms, means, after, costs = [], [], [], []
    for arm in _arms_that_can_err(instance, truth):
        others = np.flatnonzero(np.arange(truth.size) != arm)
        wrong = _wrong_means(truth[arm], tau, zeta, n_means)
        right = _right_means(truth[arm], tau, zeta, n_means)
        for mean in [*wrong, *right]:
            own = float(kl_divergence(mean, truth[arm]))
            own_squared = float(_squared_distance(mean, truth[arm], tau, zeta))
            rate, rows = _cheapest_others(
                divergence[:, others], squared[:, others], own, own_squared
            )
            row = np.full(truth.size, mean)
            row[others] = shown[rows, others]
            pulls = np.full(truth.size, 1 / own_squared)
            pulls[others] = 1 / squared[rows, others]
            back, cost = _second_stage(
                truth[arm], tau, zeta, mean, pulls[arm] / pulls.sum(), second_stages
            )
            arms.append(arm)
            means.append(row)
            after.append(back)
            costs.append((1 - second_stages) * rate + cost)
    return WaysToErr(np.array(arms), np.array(means), np.array(after), np.array(costs))


def _second_stage(
    truth: float, tau: float, zeta: float, mean: float, share: float, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means and costs of second stages that leave the arm on its wrong side, infinite if none does.

    In the first stage the arm had ``share`` of the pulls and showed ``mean``. From the wrong side
    it may walk home, only not too fast; from its right side it must cross. Everything is per pull
    of the budget.
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
    longest = np.inf if zeta == 0 else n * ((abs(mean - tau) + zeta) / zeta) ** 2
    possible &= n + lengths <= np.maximum(longest, n)
    back = np.where(possible, back, tau)
    return back, np.where(possible, lengths * kl_divergence(back, truth), np.inf)


def ways_to_err_by_confidence(
    instance: Instance, epsilon: float, delta: float, radius: Radius
) -> WaysToErr:
    """For each arm and each mean it may show: where that path leaves Algorithm 2's boundary.

    The boundary grows with log t, so it pays a little if the other arms are in a hurry, that is,
    show larger gaps than they have. One stage.
    """
    check_epsilon(epsilon)
    check_delta(delta)
    truth, tau = instance.private_means(epsilon), instance.private_threshold(epsilon)
    arms, means, costs = [], [], []
    for hurry in HURRIES:
        shown = np.clip(truth + hurry * (truth - tau), 0.02, 0.98)
        shown = np.where((truth > 0.02) & (truth < 0.98), shown, truth)
        pulls = _exit_pulls(np.abs(shown - tau), radius, instance.n_arms, delta, 0.0)
        nats = pulls * kl_divergence(shown, truth)
        for arm in np.flatnonzero((truth > 0) & (truth < 1)):
            rest, rest_cost = pulls.sum() - pulls[arm], nats.sum() - nats[arm]
            for mean in _wrong_means(truth[arm], tau, 0.0, SHOWN_MEANS):
                distance = abs(mean - tau)
                if distance < abs(truth[arm] - tau) / 2:
                    continue  # so near the threshold a run is long and the way never cheap
                exit_at = _exit_pulls(np.array([distance]), radius, instance.n_arms, delta, rest)
                arms.append(arm)
                means.append(np.where(np.arange(truth.size) == arm, mean, shown))
                costs.append(exit_at * kl_divergence(mean, truth[arm]) + rest_cost)
    if not arms:
        raise ValueError(f"instance {instance.name!r}: no arm can err, the probability is 0")
    after = truth[arms][:, None]  # of no consequence: the only stage ends with the run
    return WaysToErr(np.array(arms), np.array(means), after, np.array(costs))


def kl_divergence(p: np.ndarray | float, q: np.ndarray | float) -> np.ndarray:
    """KL(Bernoulli(p), Bernoulli(q)) elementwise, in nats."""
    from scipy.special import rel_entr

    return rel_entr(p, q) + rel_entr(1 - np.asarray(p), 1 - np.asarray(q))


def _arms_that_can_err(instance: Instance, truth: np.ndarray) -> np.ndarray:
    judged = instance.must_accept | instance.must_reject
    arms = np.flatnonzero(judged & (truth > 0) & (truth < 1))
    if arms.size == 0:
        raise ValueError(f"instance {instance.name!r}: no arm can err, the probability is 0")
    return arms


def _wrong_means(mean: float, tau: float, zeta: float, n_means: int) -> np.ndarray:
    """Means on the wrong side, their distances D geometric: a factor in D is one in pulls."""
    side, room = (-1.0, tau) if mean > tau else (1.0, 1 - tau)
    nearest = zeta + min(max(0.02 * abs(mean - tau), 1e-3), room / 2)
    distances = np.geomspace(nearest, zeta + 0.97 * room, n_means) - zeta
    return tau + side * np.concatenate([[0.0], distances])


def _right_means(mean: float, tau: float, zeta: float, n_means: int) -> np.ndarray:
    """Means on the right side, from half the gap outwards, from which an arm may yet cross."""
    side, room = (1.0, 1 - tau) if mean > tau else (-1.0, tau)
    gap = abs(mean - tau)
    if gap == 0:
        return np.empty(0)
    distances = np.geomspace(zeta + gap / 2, zeta + max(0.97 * room, gap), n_means) - zeta
    return np.append(tau + side * distances, mean)


def _squared_distance(
    shown: np.ndarray | float, truth: np.ndarray | float, tau: float, zeta: float
) -> np.ndarray:
    """D(y)^2, kept from 0 so that an arm with zeta = 0 does not use up an infinite budget."""
    floor = np.maximum(NEAR * (np.abs(truth - tau) + zeta), 1e-9)
    return np.maximum(np.abs(shown - tau) + zeta, floor) ** 2


def _cheapest_others(
    divergence: np.ndarray, squared: np.ndarray, own: float, own_squared: float
) -> tuple[float, np.ndarray]:
    """The least rate, and where on their grids the other arms reach it (Dinkelbach's method).

    Given a rate r each arm minimises (KL - r) / D^2 on its own; the ratio at those points is a
    lower rate, until it is the least.
    """
    columns = np.arange(divergence.shape[1])
    rate = own
    while True:
        rows = np.argmin((divergence - rate) / squared, axis=0)
        pulls = 1 / squared[rows, columns]
        nats = own / own_squared + (divergence[rows, columns] * pulls).sum()
        lower = nats / (1 / own_squared + pulls.sum())
        if not lower < rate * (1 - 1e-12):
            return rate, rows
        rate = lower


def _exit_pulls(
    distances: np.ndarray, radius: Radius, n_arms: int, delta: float, rest: float
) -> np.ndarray:
    """Pulls after which arms that show these distances from the threshold are decided.

    ``rest`` counts the pulls of further arms, which enter the boundary through log t.
    """
    pulls = np.ones(distances.size)
    while True:  # a contraction: the boundary grows like sqrt(n log n), the path like n
        t = max(float(pulls.sum()) + rest, 1.0)
        bounds = np.array([radius.boundary(n, t, n_arms, delta) for n in pulls])
        before, pulls = pulls, np.maximum(bounds / distances, 1.0)
        if np.abs(pulls - before).max() <= 1e-9 * pulls.max():
            return pulls


# --- The mixture


def mixture(ways: WaysToErr, truth: np.ndarray, tilted: float, replicates: int) -> Mixture:
    """Ways weighted by half their excess cost, some evenly, and a few runs in the true environment.

    Half: too many runs for a dear way cost little, too few make heavy weights. The other arms are
    tilted with probability ``tilted``, which bounds their likelihood ratios.
    """
    excess = ways.costs - ways.costs.min()
    kept = excess < CUT
    tempered = np.where(kept, np.exp(-np.minimum(excess, CUT) / 2), 0.0)
    weights = (1 - EVEN) * tempered / tempered.sum() + EVEN * kept / kept.sum()
    nominal = np.zeros((1, weights.shape[1]))
    nominal[0, -1] = NOMINAL
    counts = _allocate(np.vstack([(1 - NOMINAL) * weights, nominal]), replicates)
    chance = np.full(ways.means.shape, tilted)
    chance[np.arange(ways.arms.size), ways.arms] = 1.0
    used = counts.sum(axis=1) > 0
    return _as_mixture(
        counts[used],
        np.append(ways.arms, -1)[used],
        np.vstack([ways.means, truth])[used],
        np.vstack([ways.after, np.full_like(nominal, truth[-1])])[used],
        np.vstack([chance, np.zeros(truth.size)])[used],
        truth,
    )


def _allocate(weights: np.ndarray, replicates: int) -> np.ndarray:
    """Whole numbers of runs that add up to ``replicates``, as near to the weights as can be."""
    edges = np.rint(np.cumsum(weights) / weights.sum() * replicates).astype(np.int64)
    return np.diff(edges, prepend=0).reshape(weights.shape)


def _stage_ends(instance: Instance, budget: int) -> np.ndarray:
    """Pulls at which a second stage may begin; the last is the budget itself."""
    ends = np.rint(budget * (1 - np.array(SECOND_STAGES))).astype(np.int64)
    return np.unique(np.maximum(ends, instance.n_arms))


def _as_mixture(
    counts: np.ndarray, arms: np.ndarray, means: np.ndarray, after: np.ndarray,
    chance: np.ndarray, truth: np.ndarray,
) -> Mixture:  # fmt: skip
    """With the log likelihood ratios that compiled code wants.

    Shares are those of the runs as allocated: with them the estimate is exactly unbiased.
    """
    own = truth[arms][:, None]
    with np.errstate(divide="ignore"):
        log_shares = np.log(counts / counts.sum())
    return Mixture(
        counts, log_shares, arms, means, after, chance,
        _log_quotient(means, truth), _log_quotient(1 - means, 1 - truth),
        _log_quotient(after, own), _log_quotient(1 - after, 1 - own),
    )  # fmt: skip


def _log_quotient(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """log(p / q), and 0 where both are equal, 0 included."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p == q, 0.0, np.log(p / q))


def summarise(log_weights: np.ndarray, counts: np.ndarray) -> Estimate:
    """Mean weight and its stratified standard error; a run that does not err weighs 0."""
    replicates = int(counts.sum())
    top = float(log_weights.max())
    if math.isinf(top):
        return Estimate(-math.inf, math.inf, 0.0, 1.0, replicates)
    weights = np.exp(log_weights - top)
    total = float(weights.sum())
    strata = np.split(weights, np.cumsum(counts)[:-1])
    # A stratum of one run shows no spread; its square stands for it, which errs on the safe side.
    variance = sum(s.size * s.var(ddof=1) if s.size > 1 else float((s**2).sum()) for s in strata)
    return Estimate(
        top + math.log(total / replicates),
        math.sqrt(variance) / total,
        total**2 / float((weights**2).sum()),
        1 / total,
        replicates,
    )


def _check_counts(instance: Instance, budget: int, replicates: int) -> None:
    if budget != int(budget) or budget < 2 * instance.n_arms:
        raise ValueError(
            f"budget must be a whole number of at least 2K = {2 * instance.n_arms}, got {budget}"
        )
    if replicates < 1:
        raise ValueError(f"replicates must be at least 1, got {replicates}")
