"""From an instance to a table of runs: seeds, chunks of replicates, and the engines.

Every stream of random numbers is named. A run draws from the stream of its algorithm, instance,
policy or radius, privacy level, error level and chunk, and from nothing else, so that a table does
not depend on cores or order, and asking for more replicates leaves the first ones as they were.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ldpt.checks import check_delta, check_epsilon, check_number, check_seed, check_whole
from ldpt.engines import CHUNK
from ldpt.engines.boundaries import Arms
from ldpt.engines.budget_runs import index_losses, laplace_losses, uniform_losses
from ldpt.engines.confidence_runs import Runs, fixed_confidence_runs
from ldpt.engines.indices import Judge
from ldpt.instances import Instance, check_instance
from ldpt.io.interrupt import run_jobs
from ldpt.io.messages import shown
from ldpt.limits import (
    MAX_PULLS,
    MAX_REPLICATES,
    expected_pulls,
    require_affordable,
    require_private_gaps,
    require_short_runs,
)
from ldpt.policies import Policy, check_policy
from ldpt.privacy import PrivBern
from ldpt.radii import Radius, as_radius

if TYPE_CHECKING:
    import pandas as pd

PULLS_PER_CALL = 10**7  # of compiled code between two looks at Ctrl-C, about
RUNS_PER_CALL = 50  # of the fast engine of Algorithm 2, whose time hardly depends on the pulls
MAX_THREADS = 1000
ENGINES = ("literal", "fast")
NO_LIMIT = int(np.iinfo(np.int64).max)

Progress = Callable[[int], None]  # told how many replicates are done
Columns = dict[str, np.ndarray]  # a table without pandas, which takes half a second to import


def spawn_key(*names: object) -> tuple[int, ...]:
    """A spawn key made from names, equal on every machine.

    Parameters
    ----------
    *names : object
        Strings and numbers; a number counts by its value as a float.

    Returns
    -------
    tuple of int
        Four words of 32 bits.
    """
    text = "\x1f".join(_name(name) for name in names)
    return tuple(np.frombuffer(hashlib.sha256(text.encode()).digest()[:16], "<u4").tolist())


def stream(seed: int, *names: object) -> np.random.Generator:
    """The random stream of this name under the root seed.

    Parameters
    ----------
    seed : int
        Root seed, from 0 to 2^64 - 1.
    *names : object
        What the stream is for.

    Returns
    -------
    numpy.random.Generator
        The same for the same seed and names on every machine.

    Raises
    ------
    ValueError
        If the seed is out of range.
    """
    entropy = np.random.SeedSequence(check_seed(seed), spawn_key=spawn_key(*names))
    return np.random.default_rng(entropy)


def _name(value: object) -> str:
    return repr(float(value)) if isinstance(value, (float, int)) else str(value)


def chunks(replicates: int, only: int | None = None) -> Iterator[tuple[int, slice]]:
    """The numbers and the slices of the chunks that make up this many replicates, or of one.

    Parameters
    ----------
    replicates : int
        Number of runs, from 1 on.
    only : int, optional
        The number of the only chunk wanted.

    Yields
    ------
    tuple of int and slice
        Number of a chunk and its rows; a chunk has 500 runs, the last may have fewer.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    replicates = check_whole("replicates", replicates, 1, MAX_REPLICATES)
    starts = range(0, replicates, CHUNK)
    if only is not None:
        only = check_whole("chunk", only, 0, len(starts) - 1)
    for number, start in enumerate(starts):
        if only is None or number == only:
            yield number, slice(start, min(start + CHUNK, replicates))


def _runs_in(parts: Sequence[tuple[int, slice]]) -> int:
    """How many runs these chunks have."""
    return sum(part.stop - part.start for _, part in parts)


def _each(
    work: Callable[[int, slice], None],
    parts: Sequence[tuple[int, slice]],
    threads: int,
    progress: Progress | None,
    stop: Callable[[], None],
) -> None:
    """Work off the chunks on a number of threads: each has its own stream, so no order matters."""
    if not (progress is None or callable(progress)):
        raise ValueError(f"progress must be a function of a number of runs, got {shown(progress)}")
    jobs = [partial(work, number, part) for number, part in parts]

    def done(place: int) -> None:
        if progress is not None:
            progress(parts[place][1].stop)

    run_jobs(jobs, check_whole("threads", threads, 1, MAX_THREADS), stop, done)


def spawn_keys(replicates: int, *names: object) -> list[tuple[int, ...]]:
    """The spawn key of every chunk of a simulation of this name.

    Parameters
    ----------
    replicates : int
        Number of runs.
    *names : object
        What the streams are for.

    Returns
    -------
    list of tuple of int
        One per chunk, as :func:`spawn_key` makes them.
    """
    return [spawn_key(*names, number) for number, _ in chunks(replicates)]


def _table(columns: Columns) -> "pd.DataFrame":
    """The columns as a table; the rows of a single chunk are numbered as in the whole."""
    import pandas as pd

    table, replicate = pd.DataFrame(columns), columns["replicate"]
    table.index += int(replicate[0]) * int(np.count_nonzero(replicate == replicate[0]))
    return table


def _of_chunk(columns: Columns, chunk: int | None) -> Columns:
    """The rows of one chunk; without a chunk, all rows."""
    if chunk is None:
        return columns
    mine = columns["replicate"] // CHUNK == chunk
    return {name: values[mine] for name, values in columns.items()}


def fixed_budget(
    instance: Instance,
    epsilon: float,
    budgets: Sequence[int] | int,
    replicates: int,
    seed: int,
    policy: str = "apt",
    engine: str = "fast",
    progress: Progress | None = None,
    chunk: int | None = None,
    threads: int = 1,
) -> "pd.DataFrame":
    """Loss of a policy at each budget.

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
        Root seed of the named streams.
    policy : {"apt", "lsa", "uniform", "laplace"}
        ``apt`` is Algorithm 1 as printed; ``lsa`` adds half a logarithm to its index
        (:mod:`ldpt.policies`); ``uniform`` pulls in turn; ``laplace`` is Algorithm 1 on rewards
        with Laplace noise of scale 1/epsilon and the threshold itself.
    engine : {"fast", "literal"}
        Both have the same law; policies without an index have one engine only.
    progress : callable, optional
        Called with the number of replicates done after each chunk.
    chunk : int, optional
        Simulate the rows of this chunk of replicates only.
    threads : int
        Number of threads; the table does not depend on it.

    Returns
    -------
    pandas.DataFrame
        One row per replicate and budget: ``replicate``, ``budget``, ``loss`` (bool).

    Raises
    ------
    ValueError
        If an argument is out of its range; nothing has been simulated then.
    """
    given = (instance, epsilon, budgets, replicates, seed, policy, engine, progress, chunk, threads)
    return _table(fixed_budget_columns(*given))


def fixed_budget_columns(
    instance: Instance,
    epsilon: float,
    budgets: Sequence[int] | int,
    replicates: int,
    seed: int,
    policy: str = "apt",
    engine: str = "fast",
    progress: Progress | None = None,
    chunk: int | None = None,
    threads: int = 1,
) -> Columns:
    """The columns of the table that :func:`fixed_budget` returns.

    Parameters
    ----------
    instance, epsilon, budgets, replicates, seed, policy, engine, progress, chunk, threads
        As in :func:`fixed_budget`.

    Returns
    -------
    dict of ndarray
        Columns by name.

    Raises
    ------
    ValueError
        As in :func:`fixed_budget`.
    """
    epsilon = check_epsilon(epsilon)
    grid = _check_budgets(check_instance(instance), budgets)
    chosen = check_policy(policy)
    _check_choice("engine", engine, ENGINES)
    parts = list(chunks(replicates, chunk))
    one_by_one = engine == "literal" or not chosen.private_responses
    require_short_runs(_runs_in(parts), int(grid[-1]), one_by_one, len(grid))
    losses = np.empty((replicates, len(grid)), dtype=np.bool_)
    stopped = threading.Event()
    runs_per_call = max(1, PULLS_PER_CALL // int(grid[-1]))

    def simulate_chunk(number: int, part: slice) -> None:
        rng = stream(seed, "fixed_budget", instance.name, policy, epsilon, number)
        for start in range(part.start, part.stop, runs_per_call):
            if stopped.is_set():
                return
            rows = losses[start : min(start + runs_per_call, part.stop)]
            _budget_chunk(rng, instance, epsilon, grid, chosen, engine, rows)

    _each(simulate_chunk, parts, threads, progress, stop=stopped.set)
    columns = {
        "replicate": np.repeat(np.arange(replicates), len(grid)),
        "budget": np.tile(grid, replicates),
        "loss": losses.ravel(),
    }
    return _of_chunk(columns, chunk)


def _budget_chunk(
    rng: np.random.Generator,
    instance: Instance,
    epsilon: float,
    grid: np.ndarray,
    policy: Policy,
    engine: str,
    losses: np.ndarray,
) -> None:
    judge = Judge(grid, instance.must_accept, instance.must_reject)
    if not policy.private_responses:
        rule = policy.rule(instance.threshold, instance.tolerance, epsilon)
        laplace_losses(rng, np.array(instance.means), rule, 1 / epsilon, judge, losses)
        return
    means, threshold = instance.private_means(epsilon), instance.private_threshold(epsilon)
    if policy.log_weight is None:
        uniform_losses(rng, means, threshold, judge, losses)
        return
    rule = policy.rule(instance.threshold, instance.tolerance, epsilon)
    index_losses(rng, engine == "fast", means, rule, judge, losses)


def fixed_confidence(
    instance: Instance,
    epsilon: float,
    delta: float,
    replicates: int,
    seed: int,
    radius: str | Radius = "printed",
    engine: str = "fast",
    max_pulls: int | None = None,
    progress: Progress | None = None,
    chunk: int | None = None,
    threads: int = 1,
) -> "pd.DataFrame":
    """Runs of Algorithm 2 to their stopping time: one row per replicate, ``pulls_i`` for each arm.

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
        ``printed`` (Algorithm 2 as the paper has it, whose guarantee fails), ``hoeffding``,
        ``mixture`` or ``onesided`` (see :mod:`ldpt.radii`).
    engine : {"fast", "literal"}
        Both have the same law; ``literal`` draws every pull.
    max_pulls : int, optional
        Stop a run after this many pulls: its stopping time is -1 and it is not correct.
    progress : callable, optional
        Called with the number of finished replicates.
    chunk : int, optional
        Simulate only the replicates of this chunk of 500.
    threads : int
        Chunks that run at the same time; the table does not depend on it.

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
    given = (instance, epsilon, delta, replicates, seed, radius, engine, max_pulls)
    return _table(fixed_confidence_columns(*given, progress, chunk, threads))


def fixed_confidence_columns(
    instance: Instance,
    epsilon: float,
    delta: float,
    replicates: int,
    seed: int,
    radius: str | Radius = "printed",
    engine: str = "fast",
    max_pulls: int | None = None,
    progress: Progress | None = None,
    chunk: int | None = None,
    threads: int = 1,
) -> Columns:
    """The columns of the table that :func:`fixed_confidence` returns.

    Parameters
    ----------
    instance, epsilon, delta, replicates, seed, radius, engine, max_pulls, progress, chunk, threads
        As in :func:`fixed_confidence`.

    Returns
    -------
    dict of ndarray
        Columns by name.

    Raises
    ------
    ValueError
        As in :func:`fixed_confidence`.
    """
    epsilon, delta, radius = check_epsilon(epsilon), check_delta(delta), as_radius(radius)
    _check_choice("engine", engine, ENGINES)
    require_private_gaps(instance, epsilon)
    if max_pulls is not None:
        max_pulls = check_whole("max_pulls", max_pulls, instance.n_arms, NO_LIMIT)
    if max_pulls is None:
        hint = "; max_pulls sets when to give up"
        require_affordable(instance, epsilon, delta, radius, hint)
    cap = NO_LIMIT if max_pulls is None else max_pulls
    parts = list(chunks(replicates, chunk))
    pulls_per_run = 1.0 if max_pulls else expected_pulls(instance, epsilon, delta, radius)
    kept = 2 * instance.n_arms + 2
    stopped = threading.Event()
    runs_per_call = RUNS_PER_CALL
    if engine == "literal":
        runs_per_call = max(1, int(PULLS_PER_CALL // pulls_per_run))
    require_short_runs(_runs_in(parts), pulls_per_run, engine == "literal", kept)
    shape = (replicates, instance.n_arms)
    stopping, pulls, sums = (
        np.empty(replicates, np.int64),
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
    )
    threshold = instance.private_threshold(epsilon)
    arms = Arms(instance.private_means(epsilon), threshold)
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)

    def simulate_chunk(number: int, part: slice) -> None:
        names = (instance.name, radius.name, epsilon, delta, number)
        rng = stream(seed, "fixed_confidence", *names)
        for start in range(part.start, part.stop, runs_per_call):
            if stopped.is_set():
                return
            rows = slice(start, min(start + runs_per_call, part.stop))
            runs = Runs(stopping[rows], pulls[rows], sums[rows])
            fixed_confidence_runs(rng, engine == "fast", arms, edge, cap, runs)

    _each(simulate_chunk, parts, threads, progress, stop=stopped.set)
    truth = np.array(instance.means) >= instance.threshold
    correct = (stopping >= 0) & np.all((sums - pulls * threshold >= 0) == truth, axis=1)
    columns = {"replicate": np.arange(replicates), "stopping_time": stopping, "correct": correct}
    columns |= {f"pulls_{arm}": pulls[:, arm] for arm in range(instance.n_arms)}
    return _of_chunk(columns, chunk)


def _check_budgets(instance: Instance, budgets: Sequence[int] | int) -> np.ndarray:
    try:
        given = np.atleast_1d(np.asarray(budgets))
    except ValueError:  # lists of different lengths
        given = np.empty(1, object)
    if given.size == 0:
        raise ValueError("budgets is empty, at least one is needed")
    if given.dtype.kind not in "iuf" or given.ndim > 1 or not np.all(given == np.floor(given)):
        raise ValueError(f"budgets must be whole numbers of pulls, got {shown(budgets)}")
    grid = np.unique(given)
    if grid[0] < 2 * instance.n_arms:
        raise ValueError(f"budgets must be at least 2K = {2 * instance.n_arms}, got {grid[0]}")
    if not grid[-1] <= MAX_PULLS:
        raise ValueError(f"budgets must be at most {MAX_PULLS:.0e}, got {grid[-1]}")
    return grid.astype(np.int64)


def _check_choice(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{what} must be one of {', '.join(allowed)}, got {shown(value)}")


def progress_lines(title: str, replicates: int) -> Progress:
    """Say in the log how far a long job is, at each tenth of its replicates.

    Parameters
    ----------
    title : str
        What the lines begin with.
    replicates : int
        Number of runs in all.

    Returns
    -------
    callable
        To be called with the number of runs done.
    """
    step = max(1, replicates // 10)

    def show(done: int) -> None:
        if done == replicates or done // step > (done - CHUNK) // step:
            print(f"{title}: {done} of {replicates} replicates", flush=True)

    return show


def mechanism(law: str, mean: float, epsilon: float, draws: int, seed: int) -> dict[str, object]:
    """Responses of the real mechanism to rewards of this law: how many of ``draws`` were 1.

    Parameters
    ----------
    law : str
        One of ``REWARD_LAWS``.
    mean : float
        Mean reward, in [0, 1].
    epsilon : float
        Privacy level; ``math.inf`` means none.
    draws : int
        Number of rewards.
    seed : int
        Root seed.

    Returns
    -------
    dict
        The arguments but the seed, and ``positives``, the number of responses that were 1.

    Raises
    ------
    ValueError
        If the law is unknown, or another argument is out of range.
    """
    _check_choice("law", law, tuple(REWARD_LAWS))
    mean, draws = check_number("mean", mean, 0, 1), check_whole("draws", draws, 1, MAX_REPLICATES)
    rng = stream(seed, "mechanism", law, mean, check_epsilon(epsilon))
    responses = PrivBern(epsilon, rng).privatise(REWARD_LAWS[law](rng, mean, draws))
    return {
        "law": law,
        "mean": mean,
        "epsilon": epsilon,
        "draws": draws,
        "positives": int(responses.sum()),
    }


def _two_point(rng: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """Rewards half a unit interval's room below and above the mean, with equal odds."""
    reach = min(mean, 1 - mean) / 2
    return mean + reach * rng.choice([-1.0, 1.0], size)


def _beta(rng: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """Beta(4 mean, 4 (1 - mean)), which is the mean itself at 0 and 1."""
    return rng.beta(4 * mean, 4 * (1 - mean), size) if 0 < mean < 1 else np.full(size, mean)


def _uniform(rng: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """The widest uniform law around the mean within [0, 1]."""
    reach = min(mean, 1 - mean)
    return rng.uniform(mean - reach, mean + reach, size)


REWARD_LAWS: dict[str, Callable[[np.random.Generator, float, int], np.ndarray]] = {
    "Bernoulli": lambda rng, mean, size: (rng.random(size) < mean).astype(float),
    "Beta": _beta,
    "uniform": _uniform,
    "two-point": _two_point,
}
