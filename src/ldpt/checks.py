"""Argument checks of public functions; an error is one line with the value and what is allowed."""

import math
from collections.abc import Iterable, Mapping
from typing import Protocol

import numpy as np

from ldpt.util.messages import shown

ENGINES = ("literal", "fast")
MIN_EPSILON = 1e-9  # below, a float cannot hold the flip probability to six digits
MIN_DELTA = 1e-300  # below, K / delta overflows
LARGE_EPSILON = 10.0  # above, a person is hardly protected
MAX_COUNT = 2**53  # whole numbers up to here survive JSON in every language
MAX_SEED = 2**64 - 1
MAX_FLOAT = float(np.finfo(float).max)


def is_number(value: object) -> bool:
    """Return whether this is a real number of Python or NumPy; booleans and text are not."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def check_number(name: str, value: object, low: float, high: float) -> float:
    """Return a number of the closed interval [low, high] as a float.

    >>> check_number("threshold", 2, 0, 1)
    Traceback (most recent call last):
    ValueError: threshold must be a number in [0, 1], got 2
    """
    if not (is_number(value) and low <= value <= high):  # type: ignore[operator]
        raise ValueError(f"{name} must be a number in [{low:g}, {high:g}], got {shown(value)}")
    return float(value) + 0.0  # type: ignore[arg-type]  # -0.0 becomes 0.0


def check_whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number of at least ``least`` as an int; 3.0 is one, 2.5, inf and True are not.

    >>> check_whole("n_arms", 2.5, 1)
    Traceback (most recent call last):
    ValueError: n_arms must be a whole number of at least 1, got 2.5
    """
    fraction = isinstance(value, (float, np.floating)) and not float(value).is_integer()
    is_whole = is_number(value) and not fraction
    if not is_whole or not least <= value or not (most is None or value <= most):  # type: ignore[operator]
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be a whole number {bounds}, got {shown(value)}")
    return int(value)  # type: ignore[call-overload]


def check_choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return one of the allowed names.

    >>> check_choice("engine", "slow", ["literal", "fast"])
    Traceback (most recent call last):
    ValueError: engine must be one of literal, fast, got 'slow'
    """
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {shown(value)}")
    return value


USES = frozenset({"learner", "literal", "fast", "exact", "rare", "planner", "explorer"})


class Row(Protocol):
    """A row of the tables of policies and radii; ``supports`` is out of :data:`USES`."""

    @property
    def supports(self) -> frozenset[str]: ...


def supporting(table: Mapping[str, Row], use: str) -> tuple[str, ...]:
    """Return the names of the rows of a table that support a use."""
    return tuple(name for name, row in table.items() if use in row.supports)


def fastest_engine(row: Row) -> str:
    """Return the engine that runs a policy or a radius soonest."""
    return "fast" if "fast" in row.supports else "literal"


def check_engine(what: str, row: Row, engine: str) -> None:
    """Refuse an engine that has no code for a policy or a radius."""
    check_choice("engine", engine, ENGINES)
    if engine not in row.supports:
        raise ValueError(f"engine must be {fastest_engine(row)} for {what}, got {engine!r}")


def check_epsilon(epsilon: float) -> float:
    """Return a privacy level as a float; ``math.inf`` means no privacy and is legal everywhere.

    The theorems admit epsilon = 0, but then every response is a fair coin, H_eps is infinite and
    nothing can be learned. Below 1e-9 floats do not tell private means apart.
    """
    if not (is_number(epsilon) and epsilon > 0):
        raise ValueError(f"epsilon must be positive (inf means no privacy), got {shown(epsilon)}")
    if epsilon < MIN_EPSILON:
        raise ValueError(
            f"epsilon must be at least {MIN_EPSILON:g} (inf means no privacy), got {shown(epsilon)}"
        )
    return float(epsilon) if epsilon <= MAX_FLOAT else math.inf


def privacy_warning(epsilon: float, answers: int = 1) -> str:
    """Return a warning if all answers of a person together are hardly private, else no text.

    >>> privacy_warning(20.0), privacy_warning(2.0), privacy_warning(math.inf)
    ('epsilon = 20 protects nobody: keep it below 10', '', '')
    """
    if not LARGE_EPSILON < epsilon * answers < math.inf:
        return ""
    if answers == 1:
        return f"epsilon = {epsilon:g} protects nobody: keep it below {LARGE_EPSILON:g}"
    return (
        f"epsilon = {epsilon:g} in each of {answers} answers protects nobody: "
        f"keep the total below {LARGE_EPSILON:g}"
    )


def check_delta(delta: float) -> float:
    """Return an error level in (0, 1), at least 1e-300, as a float."""
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"delta must lie strictly between 0 and 1, got {shown(delta)}")
    if delta < MIN_DELTA:
        raise ValueError(f"delta must be at least {MIN_DELTA:g}, got {delta}")
    return float(delta)


def check_seed(seed: object) -> int:
    """Return a root seed, a whole number from 0 to 2^64 - 1."""
    return check_whole("seed", seed, 0, MAX_SEED)
