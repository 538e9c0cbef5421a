"""From an instance to a table of runs: seeds, chunks of replicates, and the engines.

Every stream of random numbers is named. A run draws from the stream of its algorithm, instance,
policy or radius, privacy level, error level and chunk, and from nothing else, so that a table does
not depend on cores or order, and asking for more replicates leaves the first ones as they were.

The defaults replicate the paper: Algorithms 1 and 2 as printed. Learners, studies and the command
line use the recommended ``lsa-clipped`` and ``coin`` instead.
"""

import hashlib
import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ldpt import limits
from ldpt.checks import (
    check_delta,
    check_engine,
    check_epsilon,
    check_seed,
    check_whole,
)
from ldpt.engines import CHUNK
from ldpt.engines.boundaries import Arms
from ldpt.engines.budget_runs import fast_losses, literal_losses, uniform_losses
from ldpt.engines.confidence_runs import MAX_ARMS, Runs, fixed_confidence_runs
from ldpt.engines.indices import LossCriterion
from ldpt.engines.jit import COMPILES
from ldpt.engines.sources import LaplaceRewards
from ldpt.instances import Instance, check_instance
from ldpt.policies import Policy, check_policy
from ldpt.radii import Boundary, Radius, as_radius
from ldpt.util.messages import shown
from ldpt.util.threads import run_jobs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["fixed_budget", "fixed_confidence", "stream"]

PULLS_PER_CALL = 10**7  # per compiled call, which bounds the delay of Ctrl-C
RUNS_PER_CALL = 50  # of the fast engine of Algorithm 2, whose time hardly depends on the pulls
MAX_THREADS = 1000

Item = TypeVar("Item")
Work = Callable[[np.random.Generator, slice], None]
Progress = Callable[[int], None]  # called with the number of finished replicates


def stream(seed: int, *names: object) -> np.random.Generator:
    """Return the random stream of this name under the root seed, the same on every machine.

    1 and 1.0 name the same stream.
    """
    words = (repr(float(x)) if isinstance(x, (float, int)) else str(x) for x in names)
    digest = hashlib.sha256("\x1f".join(words).encode()).digest()
    key = np.frombuffer(digest[:16], "<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence(check_seed(seed), spawn_key=key))


def chunks(replicates: int) -> list[tuple[int, slice]]:
    """Return number and rows of each chunk of 500 replicates; the last may have fewer."""
    starts = range(0, replicates, CHUNK)
    return [(number, slice(k, min(k + CHUNK, replicates))) for number, k in enumerate(starts)]


def _require_compiler(engine: str) -> None:
    """Refuse the fast engine where nothing is compiled."""
    if engine == "fast" and not COMPILES:
        raise ValueError(
            "the fast engine needs the package numba and no NUMBA_DISABLE_JIT; "
            "engine='literal' runs without, slowly"
        )


def _simulate_chunks(
    work: Work,
    names: tuple[Any, ...],
    replicates: int,
    runs_per_call: int,
    threads: int,
    progress: Progress | None,
) -> None:
    """Call ``work`` with the stream of each chunk and a few of its rows at a time.

    Chunks run in threads, each with its own stream, so their order does not matter.
    """
    parts = chunks(replicates)
    stopped = threading.Event()

    def simulate_chunk(number: int, part: slice) -> None:
        rng = stream(*names, number)
        for start in range(part.start, part.stop, runs_per_call):
            if stopped.is_set():
                return
            work(rng, slice(start, min(start + runs_per_call, part.stop)))

    def done(place: int) -> None:
        if progress is not None:
            progress(parts[place][1].stop)

    jobs = [partial(simulate_chunk, number, part) for number, part in parts]
    run_jobs(jobs, check_whole("threads", threads, 1, MAX_THREADS), stopped.set, done)


def fixed_budget(
    instance: Instance,
    epsilon: float | Sequence[float],
    budgets: Sequence[int] | int,
    replicates: int,
    seed: int,
    policy: str | Sequence[str] = "apt",
    engine: str = "fast",
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> "pd.DataFrame":
    """Simulate the loss of policies at each privacy level and budget.

    No policy looks at its budget, so one run to the largest gives the loss at all of them.

    Parameters
    ----------
    instance : Instance
        The problem.
    epsilon : float or sequence of float
        Privacy levels; ``math.inf`` means none.
    budgets : int or sequence of int
        Numbers of pulls, each at least 2K.
    replicates : int
        Number of independent runs of each policy and privacy level.
    seed : int
        Root seed of the named streams. The runs of a setting depend on nothing else in the call,
        and the first ones stay the same if more are asked for.
    policy : str or sequence of str
        Out of :data:`ldpt.policies.POLICIES`. The default ``apt`` is Algorithm 1 as printed;
        ``lsa-clipped`` is recommended. ``uniform`` pulls in turn; ``laplace`` is Algorithm 1 on
        rewards with Laplace noise of scale 1/epsilon.
    engine : {"fast", "literal"}
        Both have the same law; policies without an index have one engine only.
    threads : int
        Chunks of 500 replicates that run at the same time; the table does not depend on it.
    progress : callable, optional
        Called with the number of replicates done, over all settings, after each chunk.

    Returns
    -------
    pandas.DataFrame
        One row per policy, privacy level, replicate and budget: ``instance``, ``policy``,
        ``epsilon``, ``budget``, ``replicate``, ``loss`` (bool).

    Raises
    ------
    ValueError
        If an argument is out of its range; nothing has been simulated then.

    Examples
    --------
    >>> pair = Instance("pair", [0.3, 0.7], 0.5)
    >>> runs = fixed_budget(pair, [1, np.inf], [20, 80], 1000, seed=1, policy=["apt", "uniform"])
    >>> errors = runs.groupby(["policy", "epsilon", "budget"])["loss"].mean()
    >>> errors.unstack()  # doctest: +NORMALIZE_WHITESPACE
    budget              20     80
    policy  epsilon
    apt     1.0      0.453  0.199
            inf      0.141  0.003
    uniform 1.0      0.500  0.212
            inf      0.183  0.014
    """
    import pandas as pd

    check_instance(instance)
    policies = _several("policy", policy, check_policy)
    epsilons = _several("epsilon", epsilon, check_epsilon)
    grid = _check_budgets(instance, budgets)
    for method in policies:
        check_engine(f"policy {method.name!r}", method, engine)
    _require_compiler(engine)
    replicates = check_whole("replicates", replicates, 1, limits.MAX_REPLICATES)
    settings = list(product(policies, epsilons))
    columns = len(settings) * len(grid)
    for method, level in settings:
        single = limits.ENGINE_HINT
        if engine == "fast" and method.private_responses:
            single = limits.single_pulls(instance, level) if method.log_weight is not None else ""
        limits.require_short_runs(replicates, int(grid[-1]), columns, single)
    tables = []
    for number, (method, level) in enumerate(settings):
        losses = np.empty((replicates, len(grid)), dtype=np.bool_)
        work = _budget_work(instance, method, level, grid, engine, losses)
        names = (seed, "fixed_budget", instance.stream, method.stream, level)
        runs_per_call = max(1, PULLS_PER_CALL // int(grid[-1]))
        report = _counted_from(number * replicates, progress)
        _simulate_chunks(work, names, replicates, runs_per_call, threads, report)
        labels = {"instance": instance.name, "policy": method.name, "epsilon": level}
        index = {
            "budget": np.tile(grid, replicates),
            "replicate": np.repeat(np.arange(replicates), len(grid)),
        }
        tables.append(pd.DataFrame({**labels, **index, "loss": losses.ravel()}))
    return pd.concat(tables, ignore_index=True)


def _budget_work(
    instance: Instance,
    policy: Policy,
    epsilon: float,
    grid: np.ndarray,
    engine: str,
    losses: np.ndarray,
) -> Work:
    """Return the function that simulates some rows of ``losses``."""
    criterion = LossCriterion(grid, instance.must_accept, instance.must_reject)
    means = instance.private_means(epsilon)
    rewards = np.array(instance.means)
    rule = policy.rule(instance.threshold, instance.tolerance, epsilon)
    shape = (len(grid), instance.n_arms)

    def work(rng: np.random.Generator, rows: slice) -> None:
        part = losses[rows]
        if policy.log_weight is None:
            uniform_losses(rng, means, rule.tau, criterion, part)
        elif not policy.private_responses:
            noisy = LaplaceRewards(rng, 1 / epsilon)
            literal_losses(noisy, rewards, rule, criterion, np.zeros(shape), part)
        elif engine == "fast":
            fast_losses(rng, means, rule, criterion, part)
        else:
            literal_losses(rng, means, rule, criterion, np.zeros(shape, np.int64), part)

    return work


def fixed_confidence(
    instance: Instance,
    epsilon: float | Sequence[float],
    delta: float | Sequence[float],
    replicates: int,
    seed: int,
    radius: str | Radius | Sequence[str | Radius] = "printed",
    engine: str = "fast",
    max_pulls: int | None = None,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> "pd.DataFrame":
    """Simulate Algorithm 2 to its stopping time.

    Parameters
    ----------
    instance : Instance
        The problem; its tolerance plays no part.
    epsilon : float or sequence of float
        Privacy levels; ``math.inf`` means none.
    delta : float or sequence of float
        Target error probabilities of the radius, in (0, 1).
    replicates : int
        Number of independent runs of each radius, privacy and error level.
    seed : int
        Root seed of the named streams. The runs of a setting depend on nothing else in the call,
        and the first ones stay the same if more are asked for.
    radius : str or Radius, or a sequence of these
        Out of :data:`ldpt.radii.RADII`. The default ``printed`` is Algorithm 2 as the paper has
        it, whose guarantee is false: it can err more often than delta. ``coin`` is the valid
        choice.
    engine : {"fast", "literal"}
        Both have the same law; ``literal`` draws every pull.
    max_pulls : int, optional
        Stop a run after this many pulls: its stopping time is -1 and it is not correct.
    threads : int
        Chunks of 500 replicates that run at the same time; the table does not depend on it.
    progress : callable, optional
        Called with the number of replicates done, over all settings, after each chunk.

    Returns
    -------
    pandas.DataFrame
        One row per radius, privacy level, error level and replicate: ``instance``, ``radius``,
        ``epsilon``, ``delta``, ``replicate``, ``stopping_time`` (int64), ``correct`` (bool), and
        ``pulls_i`` for every arm i.

    Raises
    ------
    ValueError
        Before any work, if an argument is out of range, an arm's private gap is 0 or rounds to 0,
        a run is expected to take more than 10^13 pulls without ``max_pulls``, or all runs together
        would take hours.

    Examples
    --------
    >>> problem = Instance("easy", [0.0, 1.0], 0.5)
    >>> runs = fixed_confidence(problem, np.inf, [0.1, 0.01], 3, seed=1, radius="onesided")
    >>> runs.groupby("delta")["stopping_time"].mean()
    delta
    0.01    38.0
    0.10    26.0
    Name: stopping_time, dtype: float64
    """
    import pandas as pd

    epsilons = _several("epsilon", epsilon, check_epsilon)
    deltas = _several("delta", delta, check_delta)
    radii = _several("radius", radius, as_radius)
    if len({boundary.name for boundary in radii}) < len(radii):
        raise ValueError(f"radius: two constants of one radius need two calls, got {shown(radius)}")
    for boundary in radii:
        check_engine(f"radius {boundary.name!r}", boundary.kind, engine)
    _require_compiler(engine)
    for level in epsilons:
        limits.require_private_gaps(instance, level)
    check_whole("number of arms of Algorithm 2", instance.n_arms, 1, MAX_ARMS)
    replicates = check_whole("replicates", replicates, 1, limits.MAX_REPLICATES)
    most = limits.NO_LIMIT if max_pulls is None else max_pulls
    max_pulls = check_whole("max_pulls", most, instance.n_arms, limits.NO_LIMIT)
    settings = list(product(radii, epsilons, deltas))
    columns = len(settings) * (2 * instance.n_arms + 2)
    pulls_per_run = []
    for boundary, level, error in settings:
        setting = (instance, level, error, boundary)
        if max_pulls == limits.NO_LIMIT:
            limits.require_affordable(*setting, "; max_pulls limits it")
        pulls = limits.checked_pulls(*setting, replicates, max_pulls)
        single = limits.ENGINE_HINT if engine == "literal" else ""
        limits.require_short_runs(replicates, pulls, columns, single)
        pulls_per_run.append(pulls)
    tables = []
    for number, (boundary, level, error) in enumerate(settings):
        runs = Runs.empty(replicates, instance.n_arms)
        threshold = instance.private_threshold(level)
        arms = Arms(instance.private_means(level), threshold)
        edge = boundary.at(instance.n_arms, error, instance.threshold, level)
        work = partial(_confidence_work, engine == "fast", arms, edge, max_pulls, runs)
        names = (seed, "fixed_confidence", instance.stream, boundary.stream, level, error)
        runs_per_call = RUNS_PER_CALL
        if engine == "literal":
            runs_per_call = max(1, int(PULLS_PER_CALL // pulls_per_run[number]))
        report = _counted_from(number * replicates, progress)
        _simulate_chunks(work, names, replicates, runs_per_call, threads, report)
        truth = np.array(instance.means) >= instance.threshold
        answers = runs.sums - runs.pulls * threshold >= 0
        stopped = runs.stopping_times >= 0
        labels = {
            "instance": instance.name,
            "radius": boundary.name,
            "epsilon": level,
            "delta": error,
        }
        outcome = {
            "replicate": np.arange(replicates),
            "stopping_time": runs.stopping_times,
            "correct": stopped & np.all(answers == truth, axis=1),
        }
        counts = {f"pulls_{arm}": runs.pulls[:, arm] for arm in range(instance.n_arms)}
        tables.append(pd.DataFrame({**labels, **outcome, **counts}))
    return pd.concat(tables, ignore_index=True)


def _confidence_work(
    fast: bool,
    arms: Arms,
    edge: Boundary,
    max_pulls: int,
    runs: Runs,
    rng: np.random.Generator,
    rows: slice,
) -> None:
    """Simulate some rows of ``runs``."""
    part = Runs(runs.stopping_times[rows], runs.pulls[rows], runs.sums[rows])
    fixed_confidence_runs(rng, fast, arms, edge, max_pulls, part)


def _several(name: str, values: Any, check: Callable[[Any], Item]) -> list[Item]:
    """Return one value, or the different values of a list or an array in their order, checked."""
    if isinstance(values, (np.ndarray, np.generic)):
        values = values.tolist()
    if isinstance(values, (str, bytes)) or not isinstance(values, Collection):
        values = [values]
    if len(values) == 0:
        raise ValueError(f"{name} must be at least one value, got {shown(values)}")
    return list(dict.fromkeys(check(value) for value in values))


def _counted_from(start: int, progress: Progress | None) -> Progress | None:
    """Return ``progress`` for a setting before which this many replicates were done."""
    return progress and (lambda done: progress(start + done))


def _check_budgets(instance: Instance, budgets: Sequence[int] | int) -> np.ndarray:
    """Return different budgets in increasing order."""
    values = budgets if isinstance(budgets, (Sequence, np.ndarray)) else [budgets]
    if isinstance(budgets, (str, bytes)) or np.ndim(values) != 1 or len(values) == 0:
        raise ValueError(f"budgets must be whole numbers of pulls, got {shown(budgets)}")
    least = 2 * instance.n_arms
    return np.unique([check_whole("budgets", x, least, limits.MAX_PULLS) for x in values])


def progress_lines(title: str, replicates: int) -> Progress:
    """Return a function that prints how far a long job is, at each tenth of its replicates."""
    step = max(1, replicates // 10)

    def show(done: int) -> None:
        if done == replicates or done // step > (done - CHUNK) // step:
            print(f"{title}: {done} of {replicates} replicates", flush=True)

    return show
