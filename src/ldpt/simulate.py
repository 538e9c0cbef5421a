"""From an instance to a table of runs: seeds, chunks of replicates, and the engines.

Every stream of random numbers is named. A run draws from the stream of its algorithm, instance,
policy or radius, privacy level, error level and chunk, and from nothing else, so that a table does
not depend on cores or order, and asking for more replicates leaves the first ones as they were.

The defaults replicate the paper: Algorithms 1 and 2 as printed. Learners, studies and the command
line use the recommended ``lsa-clipped`` and ``coin`` instead.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpt import limits
from ldpt.checks import check_choice, check_delta, check_epsilon, check_seed, check_whole
from ldpt.engines import CHUNK
from ldpt.engines.boundaries import Arms
from ldpt.engines.budget_runs import fast_losses, literal_losses, uniform_losses
from ldpt.engines.confidence_runs import MAX_ARMS, Runs, fixed_confidence_runs
from ldpt.engines.indices import Judge
from ldpt.engines.sources import LaplaceRewards
from ldpt.instances import Instance, check_instance
from ldpt.policies import check_policy
from ldpt.radii import Radius, as_radius
from ldpt.util.messages import shown
from ldpt.util.threads import run_jobs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["fixed_budget", "fixed_confidence", "stream"]

PULLS_PER_CALL = 10**7  # per compiled call, which bounds the delay of Ctrl-C
RUNS_PER_CALL = 50  # of the fast engine of Algorithm 2, whose time hardly depends on the pulls
MAX_THREADS = 1000
ENGINES = ("literal", "fast")

Progress = Callable[[int], None]  # called with the number of finished replicates


def stream(seed: int, *names: object) -> np.random.Generator:
    """Return the random stream of this name under the root seed, the same on every machine.

    A number counts by its value as a float.
    """
    words = (repr(float(x)) if isinstance(x, (float, int)) else str(x) for x in names)
    digest = hashlib.sha256("\x1f".join(words).encode()).digest()
    key = np.frombuffer(digest[:16], "<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence(check_seed(seed), spawn_key=key))


def chunks(replicates: int) -> list[tuple[int, slice]]:
    """Return number and rows of each chunk of 500 replicates; the last may have fewer."""
    starts = range(0, replicates, CHUNK)
    return [(number, slice(k, min(k + CHUNK, replicates))) for number, k in enumerate(starts)]


def _simulate_chunks(
    work: Callable[[np.random.Generator, slice], None],
    names: tuple[Any, ...],
    replicates: int,
    runs_per_call: int,
    threads: int,
    progress: Progress | None,
) -> None:
    """Call ``work`` with the stream of each chunk and a few of its rows at a time.

    Chunks run in threads, each with its own stream, so their order does not matter.
    """
    parts, stopped = chunks(replicates), threading.Event()

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
    epsilon: float,
    budgets: Sequence[int] | int,
    replicates: int,
    seed: int,
    policy: str = "apt",
    engine: str = "fast",
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> "pd.DataFrame":
    """Simulate the loss of a policy at each budget.

    No policy looks at its budget, so one run to the largest gives the loss at all of them.

    Parameters
    ----------
    instance : Instance
        The problem.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    budgets : int or sequence of int
        Numbers of pulls, each at least 2K.
    replicates : int
        Number of independent runs.
    seed : int
        Root seed of the named streams; the first runs stay the same if more are asked for.
    policy : str
        One of :data:`ldpt.policies.POLICIES`. The default ``apt`` is Algorithm 1 as printed;
        ``lsa-clipped`` is recommended. ``uniform`` pulls in turn; ``laplace`` is Algorithm 1 on
        rewards with Laplace noise of scale 1/epsilon.
    engine : {"fast", "literal"}
        Both have the same law; policies without an index have one engine only.
    threads : int
        Chunks of 500 replicates that run at the same time; the table does not depend on it.
    progress : callable, optional
        Called with the number of replicates done after each chunk.

    Returns
    -------
    pandas.DataFrame
        One row per replicate and budget: ``replicate``, ``budget``, ``loss`` (bool).

    Raises
    ------
    ValueError
        If an argument is out of its range; nothing has been simulated then.
    """
    import pandas as pd

    epsilon, chosen = check_epsilon(epsilon), check_policy(policy)
    grid = _check_budgets(check_instance(instance), budgets)
    check_choice("engine", engine, ENGINES)
    replicates = check_whole("replicates", replicates, 1, limits.MAX_REPLICATES)
    last, shape = int(grid[-1]), (len(grid), instance.n_arms)
    one_by_one = engine == "literal" or not chosen.private_responses
    limits.require_short_runs(replicates, last, one_by_one, len(grid))
    losses = np.empty((replicates, len(grid)), dtype=np.bool_)
    judge = Judge(grid, instance.must_accept, instance.must_reject)
    means, rewards = instance.private_means(epsilon), np.array(instance.means)
    rule = chosen.rule(instance.threshold, instance.tolerance, epsilon)

    def simulate_runs(rng: np.random.Generator, rows: slice) -> None:
        part = losses[rows]
        if chosen.log_weight is None:
            uniform_losses(rng, means, rule.tau, judge, part)
        elif not chosen.private_responses:
            noisy = LaplaceRewards(rng, 1 / epsilon)
            literal_losses(noisy, rewards, rule, judge, np.zeros(shape), part)
        elif engine == "fast":
            fast_losses(rng, means, rule, judge, part)
        else:
            literal_losses(rng, means, rule, judge, np.zeros(shape, np.int64), part)

    names = (seed, "fixed_budget", instance.name, policy, epsilon)
    runs_per_call = max(1, PULLS_PER_CALL // last)
    _simulate_chunks(simulate_runs, names, replicates, runs_per_call, threads, progress)
    replicate = np.repeat(np.arange(replicates), len(grid))
    budget = np.tile(grid, replicates)
    return pd.DataFrame({"replicate": replicate, "budget": budget, "loss": losses.ravel()})


def fixed_confidence(
    instance: Instance,
    epsilon: float,
    delta: float,
    replicates: int,
    seed: int,
    radius: str | Radius = "printed",
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
    epsilon : float
        Privacy level; ``math.inf`` means none.
    delta : float
        Error probability that the radius is asked to keep, in (0, 1).
    replicates : int
        Number of independent runs.
    seed : int
        Root seed; the first runs stay the same if more are asked for.
    radius : str or Radius
        One of :data:`ldpt.radii.RADII`. The default ``printed`` is Algorithm 2 as the paper has
        it, whose guarantee is false: it can err more often than delta. ``coin`` is the valid
        choice.
    engine : {"fast", "literal"}
        Both have the same law; ``literal`` draws every pull.
    max_pulls : int, optional
        Stop a run after this many pulls: its stopping time is -1 and it is not correct.
    threads : int
        Chunks of 500 replicates that run at the same time; the table does not depend on it.
    progress : callable, optional
        Called with the number of replicates done after each chunk.

    Returns
    -------
    pandas.DataFrame
        Columns ``replicate``, ``stopping_time`` (int64), ``correct`` (bool), and ``pulls_i`` for
        every arm i.

    Raises
    ------
    ValueError
        Before any work, if an argument is out of range, an arm's private gap is 0 or rounds to 0,
        or, without ``max_pulls``, a run is expected to take more than 10^13 pulls.

    Examples
    --------
    >>> problem = Instance("easy", [0.0, 1.0], 0.5)
    >>> runs = fixed_confidence(problem, np.inf, 0.1, replicates=3, seed=1, radius="onesided")
    >>> runs["stopping_time"].tolist()
    [26, 26, 26]
    """
    import pandas as pd

    epsilon, delta, radius = check_epsilon(epsilon), check_delta(delta), as_radius(radius)
    check_choice("engine", engine, ENGINES)
    limits.require_private_gaps(instance, epsilon)
    check_whole("number of arms of Algorithm 2", instance.n_arms, 1, MAX_ARMS)
    replicates = check_whole("replicates", replicates, 1, limits.MAX_REPLICATES)
    if max_pulls is None:
        limits.require_affordable(instance, epsilon, delta, radius, "; max_pulls limits it")
        max_pulls = limits.NO_LIMIT
    limit = check_whole("max_pulls", max_pulls, instance.n_arms, limits.NO_LIMIT)
    pulls_per_run = min(limits.expected_pulls(instance, epsilon, delta, radius), limit)
    columns = 2 * instance.n_arms + 2
    limits.require_short_runs(replicates, pulls_per_run, engine == "literal", columns)
    stopping = np.empty(replicates, np.int64)
    pulls, sums = np.empty((2, replicates, instance.n_arms), np.int64)
    threshold = instance.private_threshold(epsilon)
    arms = Arms(instance.private_means(epsilon), threshold)
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)

    def simulate_runs(rng: np.random.Generator, rows: slice) -> None:
        runs = Runs(stopping[rows], pulls[rows], sums[rows])
        fixed_confidence_runs(rng, engine == "fast", arms, edge, limit, runs)

    names = (seed, "fixed_confidence", instance.name, radius.name, epsilon, delta)
    runs_per_call = RUNS_PER_CALL
    if engine == "literal":
        runs_per_call = max(1, int(PULLS_PER_CALL // pulls_per_run))
    _simulate_chunks(simulate_runs, names, replicates, runs_per_call, threads, progress)
    truth = np.array(instance.means) >= instance.threshold
    correct = (stopping >= 0) & np.all((sums - pulls * threshold >= 0) == truth, axis=1)
    table = {"replicate": np.arange(replicates), "stopping_time": stopping, "correct": correct}
    return pd.DataFrame(table | {f"pulls_{k}": pulls[:, k] for k in range(instance.n_arms)})


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
