"""Error probabilities far below the Monte-Carlo floor, by importance sampling.

Algorithm 1 raises a level: at level l an arm has been pulled until its index first exceeded l, and
its responses up to then are independent of the other arms. An arm that shows the mean y stops
there after (l / D(y))^2 pulls, D(y) = |y - tau_eps| + zeta_eps, and showing y costs
KL(y, mu_eps) nats a pull. So the cheapest way to have arm k on its wrong side after T pulls has
the least

    T  sum_j KL(y_j, mu_{j,eps}) D(y_j)^-2 / sum_j D(y_j)^-2

over the means that the arms show: arm k is wrong early and is no longer pulled, the others look
harder than they are and use up the budget. One thing is cheaper still: the level reaches arm k
again only just before the end, and its pulls back towards its true side are wasted. Or it crosses
from its right side at the end. Hence a second stage, which begins when a part of the budget is
left. The others show what makes both stages together cheapest.

An environment is simulated for every arm that can err, every mean on a grid that it may show and
every length of the second stage; a run is weighted by the true likelihood over that of the whole
mixture (balance heuristic), which needs pulls and positive responses at the ends of the stages
only. The estimate is unbiased whatever the mixture is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from ldpt.checks import check_delta, check_epsilon, check_whole, supporting
from ldpt.engines.boundaries import Arms
from ldpt.engines.indices import LossCriterion
from ldpt.instances import Instance, check_instance
from ldpt.limits import (
    MAX_PULLS,
    MAX_REPLICATES,
    NO_LIMIT,
    QUANTILE,
    confidence_pulls,
    require_affordable,
    require_few_blocks,
    require_short_runs,
    single_pulls,
)
from ldpt.policies import POLICIES, check_policy
from ldpt.radii import Boundary, Radius, as_radius
from ldpt.rare_events.kernels import Proposal, budget_log_weights, confidence_log_weights
from ldpt.rare_events.paths import (
    WaysToErr,
    exit_pulls,
    ways_to_err_by_budget,
    ways_to_err_by_confidence,
)
from ldpt.rare_events.proposal import build_proposal, is_likely
from ldpt.simulate import stream
from ldpt.util.reproducible import exp, geomspace, log
from ldpt.util.threads import run_jobs

__all__ = ["RareEstimate", "fixed_budget_error", "fixed_confidence_error"]

SECOND_STAGES = np.append(geomspace(0.6, 0.01, 24), 0.0)  # parts of the budget
MOST_STAGES = 8  # in which runs are made: a run stops at the end of each, which takes time
BATCH = 1000  # runs between two looks at the effective sample size
TILTED = 0.95  # chance that an arm that need not err is tilted; bounds its likelihood ratio
MIN_EFFECTIVE_SIZE = 100.0
MAX_TAIL_SHARE = 0.1
NOISE = 6.0  # standard errors by which an estimate may exceed 1


@dataclass(frozen=True)
class RareEstimate:
    """An estimated probability, kept as a logarithm, with what is needed to trust or reject it.

    The effective sample size is (sum w)^2 / sum w^2 over the weights of erring runs; the tail
    share is the largest weight's part of their sum. ``errors`` counts the runs that erred under the
    laws they were drawn from, not under the law of the problem.
    """

    log_probability: float
    relative_error: float
    effective_sample_size: float
    tail_share: float
    errors: int
    replicates: int

    def __post_init__(self) -> None:
        if not (self.log_probability <= 0 and self.relative_error >= 0):
            raise ValueError(
                f"a probability with logarithm {self.log_probability} and relative error "
                f"{self.relative_error} does not exist"
            )

    @property
    def probability(self) -> float:
        return exp(self.log_probability)

    @property
    def standard_error(self) -> float:
        return self.probability * self.relative_error

    @property
    def low(self) -> float:
        """Lower end of the normal 95 % interval of the logarithm; 0 if no run erred."""
        return exp(self.log_probability - QUANTILE * self.relative_error)

    @property
    def high(self) -> float:
        """Upper end of the same interval; 1 if no run erred."""
        if math.isinf(self.log_probability):
            return 1.0
        return exp(min(0.0, self.log_probability + QUANTILE * self.relative_error))

    def row(self) -> dict[str, float | int | bool]:
        """As columns of a table; an estimate that is not reliable says so.

        Returns
        -------
        dict
            Values by column.
        """
        return {
            "errors": self.errors,
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


def fixed_budget_error(
    instance: Instance,
    epsilon: float,
    budget: int,
    replicates: int,
    seed: int,
    policy: str = "apt",
    effective_size: float = math.inf,
) -> RareEstimate:
    """Probability that an index policy errs after ``budget`` pulls (the loss of Theorem 3.1).

    A logarithm in the index changes pulls by a factor that tends to 1, so that all index policies
    share their cheapest ways to err; the estimate is unbiased in any case.

    Parameters
    ----------
    instance : Instance
        The problem.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    budget : int
        Number of pulls, at least 2K.
    replicates : int
        Number of runs in tilted environments, at most.
    seed : int
        Root seed of the named streams.
    policy : {"apt", "lsa"}
        Algorithm 1 or the LSA index.
    effective_size : float
        Effective sample size at which batches of runs end.

    Returns
    -------
    RareEstimate
        The probability with its precision and diagnostics.
    """
    check_whole("budget", budget, 2 * check_instance(instance).n_arms, MAX_PULLS)
    check_whole("replicates", replicates, 1, MAX_REPLICATES)
    epsilon = check_epsilon(epsilon)
    require_short_runs(replicates, budget, 1, single_pulls(instance, epsilon))
    row = check_policy(policy, supporting(POLICIES, "rare"))
    key = row.stream
    labels = () if key == "apt" else (key,)  # published streams of Algorithm 1 have no policy
    truth = instance.private_means(epsilon)
    ways = _family_of_ways(instance, epsilon)
    costs = budget * ways.costs
    ends, stages = _stage_ends(costs, budget, instance.n_arms)
    batch, batches = _batches(replicates, effective_size)
    ways = ways._replace(after=ways.after[:, stages], costs=costs[:, stages])
    proposal = build_proposal(ways, truth, TILTED, batch)
    rule = row.rule(instance.threshold, instance.tolerance, epsilon)
    criterion = LossCriterion(ends, instance.must_accept, instance.must_reject)
    rng = stream(seed, "rare_fixed_budget", instance.stream, *labels, epsilon, budget)
    job = partial(budget_log_weights, rng, proposal, truth, rule, criterion)
    return _estimate(job, proposal.counts, batches, effective_size)


def fixed_confidence_error(
    instance: Instance,
    epsilon: float,
    delta: float,
    replicates: int,
    seed: int,
    radius: str | Radius = "printed",
    effective_size: float = math.inf,
) -> RareEstimate:
    """Probability that Algorithm 2 stops with a wrong answer (what Theorem 4.1 bounds by delta).

    Parameters
    ----------
    instance : Instance
        The problem; its tolerance plays no part.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    delta : float
        Target error probability of the radius, in (0, 1).
    replicates : int
        Number of runs in tilted environments, at most.
    seed : int
        Root seed of the named streams.
    radius : str or Radius
        One of :data:`ldpt.radii.RADII`.
    effective_size : float
        Effective sample size at which batches of runs end.

    Returns
    -------
    RareEstimate
        The probability with its precision and diagnostics.
    """
    radius = as_radius(radius, "rare")
    delta = check_delta(delta)
    epsilon = check_epsilon(epsilon)
    hint = "; simulate.fixed_confidence can stop runs after max_pulls, importance sampling cannot"
    require_affordable(instance, epsilon, delta, radius, hint)
    check_whole("replicates", replicates, 1, MAX_REPLICATES)
    truth = instance.private_means(epsilon)
    ways = ways_to_err_by_confidence(instance, epsilon, delta, radius)
    batch, batches = _batches(replicates, effective_size)
    proposal = build_proposal(ways, truth, TILTED, batch)
    arms = Arms(truth, instance.private_threshold(epsilon))
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
    rng = stream(seed, "rare_fixed_confidence", instance.stream, radius.stream, epsilon, delta)
    right = np.array(instance.means) >= instance.threshold
    pulls = confidence_pulls(instance, epsilon, delta, radius)
    _require_few_blocks(proposal, arms, edge, replicates, pulls)
    job = partial(confidence_log_weights, rng, proposal, arms, edge, NO_LIMIT, right)
    return _estimate(job, proposal.counts, batches, effective_size)


def _require_few_blocks(
    proposal: Proposal, arms: Arms, edge: Boundary, replicates: int, pulls: list[tuple[float, int]]
) -> None:
    """Refuse runs that take hours, in tilted environments, which may last longer, or the true one.

    ``pulls`` are about those of an arm that is not tilted, and how many arms there are of its kind.
    """
    erring = proposal.arms >= 0
    means = proposal.means[erring, proposal.arms[erring]]
    shares = proposal.counts[erring].sum(axis=1) / proposal.counts.sum()
    walks = list(zip(exit_pulls(means - arms.tau, edge).tolist(), shares.tolist(), strict=True))
    others = 1.0 - float(shares.sum()) / arms.means.size
    walks += [(n, others * count) for n, count in pulls]
    require_few_blocks(replicates, edge, arms.tau, walks)


@lru_cache(maxsize=64)
def _family_of_ways(instance: Instance, epsilon: float) -> WaysToErr:
    """Return the ways to err that all budgets and policies share."""
    return ways_to_err_by_budget(instance, epsilon, SECOND_STAGES)


def _stage_ends(costs: np.ndarray, budget: int, n_arms: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pulls at which second stages may begin, the last the budget, and which those are.

    They are the likely ones, thinned to :data:`MOST_STAGES`. Of stages that begin at the same pull
    the shortest counts.
    """
    ends = np.maximum(np.rint(budget * (1 - SECOND_STAGES)).astype(np.int64), n_arms)
    likely = np.flatnonzero(is_likely(costs).any(axis=0) & (np.diff(ends, append=budget + 1) > 0))
    last = ends.size - 1
    places = np.rint(np.linspace(0, likely.size - 1, min(MOST_STAGES, likely.size)))
    stages = np.union1d(likely[places.astype(np.int64)], last)
    return ends[stages], stages


def _batches(replicates: int, effective_size: float) -> tuple[int, int]:
    """Return the runs of a batch and the number of batches, at most."""
    batch = replicates if math.isinf(effective_size) else min(BATCH, replicates)
    return batch, replicates // batch


def _estimate(
    job: Callable[[], np.ndarray], counts: np.ndarray, batches: int, effective_size: float
) -> RareEstimate:
    """Return the estimate from as many batches as reach the effective size."""
    log_weights: list[np.ndarray] = []
    while len(log_weights) < batches:
        log_weights.append(run_jobs([job])[0])
        if _effective_size(np.concatenate(log_weights)) >= effective_size:
            break
    return summarise(np.stack(log_weights), counts)


def _effective_size(log_weights: np.ndarray) -> float:
    top = float(log_weights.max())
    if math.isinf(top):
        return 0.0
    weights = exp(log_weights - top)
    total = float(weights.sum())
    return total * total / float(np.square(weights).sum())


def summarise(log_weights: np.ndarray, counts: np.ndarray) -> RareEstimate:
    """Mean weight and its stratified standard error; a run that does not err weighs 0.

    Parameters
    ----------
    log_weights : ndarray
        Logarithms of the weights, one row per batch, stratum by stratum; -inf for a run that does
        not err.
    counts : ndarray
        Runs of a batch in each stratum.

    Returns
    -------
    RareEstimate
    """
    replicates = log_weights.size
    top = float(log_weights.max())
    if math.isinf(top):
        return RareEstimate(-math.inf, math.inf, 0.0, 1.0, 0, replicates)
    weights = exp(log_weights - top)
    total = float(weights.sum())
    batches = weights.reshape(-1, counts.sum())
    # Runs were allocated to strata, so that only the spread within them counts.
    strata = [stratum.ravel() for stratum in np.split(batches, np.cumsum(counts)[:-1], axis=1)]
    # A stratum of one run shows no spread; its square stands for it, which errs on the safe side.
    # Nor do equal weights; the square of one of them, which is 1, stands for the next run.
    variance = math.fsum(
        s.size * s.var(ddof=1) if s.size > 1 else float(np.square(s).sum()) for s in strata
    )
    variance = variance or 1.0
    log_probability = top + log(total / replicates)
    relative_error = math.sqrt(variance) / total
    if 0 < log_probability <= NOISE * relative_error:  # by chance, of a probability near 1
        log_probability = 0.0
    return RareEstimate(
        log_probability,
        relative_error,
        total * total / float(np.square(weights).sum()),
        1 / total,
        int(np.isfinite(log_weights).sum()),
        replicates,
    )
