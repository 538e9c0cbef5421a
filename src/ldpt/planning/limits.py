"""What a computation may cost: the same limits at every entrance, and the estimates they judge.

Beyond them a run would take weeks, or floats would not tell an arm from the threshold.
"""

from ldpt.instances import Instance, check_instance
from ldpt.planning.precision import confidence_pulls
from ldpt.privacy import shrinkage
from ldpt.radii import Radius, as_radius, check_delta

MAX_PULLS = 10**13  # of one run
MAX_REPLICATES = 10**8
MAX_TOTAL = 10**18  # pulls of all runs together; the fast engines make up to 10^12 a second
MAX_SINGLE = 10**12  # where every pull is made by itself: hours at 20 ns per pull
MAX_CELLS = 10**9  # numbers of a table of runs; 8 GB
MAX_UPDATES = 10**11  # of the states of an exact chain, which then takes up to an hour


def expected_pulls(instance: Instance, epsilon: float, delta: float, radius: Radius) -> float:
    """About the mean stopping time of Algorithm 2: where drift meets boundary, over all arms."""
    return sum(n * arms for n, arms in confidence_pulls(instance, epsilon, delta, radius))


def require_affordable(
    instance: Instance, epsilon: float, delta: float, radius: Radius, hint: str = ""
) -> None:
    """Refuse a run at fixed confidence that would not end, or not within :data:`MAX_PULLS` pulls.

    Raises
    ------
    ValueError
        With the expected cost; ``hint`` says what would allow the run.
    """
    require_private_gaps(instance, epsilon)
    delta, radius = check_delta(delta), as_radius(radius)
    pulls = expected_pulls(instance, epsilon, delta, radius)
    if not pulls <= MAX_PULLS:
        raise ValueError(
            f"instance {instance.name!r}: a run with radius {radius.name} at epsilon {epsilon:g} "
            f"and delta {delta:g} takes about {pulls:.1e} pulls, more than {MAX_PULLS:.0e}{hint}"
        )


def require_short_runs(replicates: int, pulls: float, single: bool, columns: int) -> None:
    """Refuse runs that together take months, or more memory than there is.

    Parameters
    ----------
    replicates : int
        Number of runs.
    pulls : float
        Pulls of one run, about.
    single : bool
        Whether every pull is made by itself, as the literal engine and some policies do.
    columns : int
        Numbers that the table of runs keeps of one run.

    Raises
    ------
    ValueError
        With the total and what would lower it.
    """
    total, most = replicates * pulls, MAX_SINGLE if single else MAX_TOTAL
    if not total <= most:
        means = "; fewer replicates or pulls cost less"
        engine = ", and so does engine fast where there is one" if single else ""
        raise ValueError(
            f"{replicates:,} replicates of {pulls:.2g} pulls are {total:.1e} pulls, "
            f"more than {most:.0e}{means}{engine}"
        )
    if replicates * columns > MAX_CELLS:
        raise ValueError(
            f"{replicates:,} replicates with {columns:,} numbers each are more than "
            f"{MAX_CELLS:.0e} numbers, which do not fit into memory"
        )


def require_private_gaps(instance: Instance, epsilon: float) -> None:
    """Refuse an arm that lies at the threshold, also by rounding of the private numbers."""
    check_instance(instance).require_resolvable()
    threshold = instance.private_threshold(epsilon)
    for arm, mean in enumerate(instance.private_means(epsilon)):
        if mean == threshold:
            raise ValueError(
                f"instance {instance.name!r}: at epsilon {epsilon:g} the private gap of "
                f"means[{arm}] = {instance.means[arm]} to the threshold {instance.threshold} "
                "rounds to 0, so fixed confidence never resolves it"
            )


def require_short_chain(
    instance: Instance, epsilon: float, delta: float, radius: Radius, hint: str = ""
) -> None:
    """Refuse an exact chain of Algorithm 2 that would take hours: n pulls with 2 b(n) states."""
    require_affordable(instance, epsilon, delta, radius, hint)
    pulls = expected_pulls(instance, epsilon, delta, radius)
    reach = pulls * shrinkage(epsilon) * float(instance.strict.gaps[0])
    _require_updates(instance, epsilon, 2 * pulls * reach, f"about {pulls:.1e} pulls", hint)


def require_short_budget(instance: Instance, epsilon: float, budget: int, adaptive: bool) -> None:
    """Refuse an exact chain for a budget T that would take hours: T^2 / 2 or T^4 / 24 updates."""
    two_arms = instance.n_arms > 1 and adaptive
    updates = float(budget) ** 4 / 24 if two_arms else float(budget) ** 2 / 2
    _require_updates(instance, epsilon, updates, f"a budget of {budget} pulls", "")


def _require_updates(
    instance: Instance, epsilon: float, updates: float, what: str, hint: str
) -> None:
    if not updates <= MAX_UPDATES:
        raise ValueError(
            f"instance {instance.name!r}: the exact chain at epsilon {epsilon:g} and {what} takes "
            f"{updates:.1e} updates, more than {MAX_UPDATES:.0e}{hint}"
        )
