"""The boundary of the radius ``coin``: tangents to a mixture of exact likelihood ratios.

With t = tau_eps, psi(l) = log(1 - t + t e^l) - l t and weights w_j on nodes l_j > 0, an arm with n
pulls and d = s - n t is decided above the threshold once

    M(n, d) = sum_j w_j exp(l_j d - n psi(l_j)) >= K / delta.

Every term is the likelihood ratio of a coin above t against one at t, so M is a supermartingale
from 1 for every arm at or below the threshold. The weights are the trapezoidal rule, in log l, of
the half-normal prior of ``onesided``. Below the threshold t and 1 - t change places.

log M is jointly convex in (n, d), so each of its tangents lies above the boundary that it defines.
The minimum of two neighbouring tangents is concave and increasing. For thresholds of rewards in
[0.001, 0.999] and K / delta up to 1e20 it is at most 5e-5 above the mixture, most of all halfway
between two knots, and the mixture's boundary is within 1e-11 of that of the integral over the
prior. These lines are what the radius uses, in learners, engines and chains alike.

Decisions must not depend on the machine, so that the tables are made with the functions of
:mod:`ldpt.engines.arithmetic`.
"""

import math
from functools import lru_cache

import numpy as np

from ldpt.engines.arithmetic import (
    LN2_HIGH,
    LN2_LOW,
    MOST_EXPONENT,
    PER_LN2,
    exp,
    expm1,
    log1p,
    remainder,
)
from ldpt.engines.jit import compiled

NODES = 800
NODES_PER_OCTAVE = 16
OCTAVES = 50  # knots from n = 1 to 2^50
KNOTS_PER_OCTAVE = 32
SLACK = 1e-9  # relative, added to each tangent; covers the rounding of its slope and intercept
BITS = 40  # of slopes, intercepts and inputs
NEGLIGIBLE = -34.0  # log of a term that is left out of a sum of 1
CUT = 44.0  # log of the largest term that is computed
LEAST_SUM, MOST_SUM = 2.0**-40, 2.0**60  # of M; beyond, it is computed on another scale
CONVERGED = 1e-10  # relative step after which the next one, being its square, is below rounding
MAX_STEPS = 50  # of Newton's method; two or three are needed
MIN_LOG_LEVEL = 2.0**-8  # below, rounding errors of M are not small against M - 1
SERIES_LIMIT = 2e-3  # below, psi is the sum of its first four cumulants
MIDDLE = 64  # position of 2^0 among the powers of 2
POWERS = np.array([2.0**k for k in range(-MIDDLE, MIDDLE + 1)])


@lru_cache(maxsize=256)
def tangents(t: float, rest: float, scale: float, log_level: float) -> np.ndarray:
    """Return the lines of the boundary above a threshold, one row (intercept, slope) per knot.

    ``t`` is the private threshold, ``rest`` is 1 - t with all its digits, ``scale`` that of the
    half-normal prior, and ``log_level`` is log(K / delta), at least 2^-8. If t is 0, the first 1
    decides; if it is 1, nothing does.
    """
    if t == 0.0:
        return np.array([[0.5, 0.0], [0.5, 0.0]])
    if rest == 0.0:
        return np.array([[math.inf, 0.0], [math.inf, 0.0]])
    grid = 2.0**-BITS
    return lines(t, rest, round_bits(scale), max(math.ceil(log_level / grid) * grid, MIN_LOG_LEVEL))


@compiled
def round_bits(x: float) -> float:
    """Round x to ``BITS`` significant bits."""
    fraction, exponent = math.frexp(x)
    return math.ldexp(math.floor(math.ldexp(fraction, BITS) + 0.5), exponent - BITS)


@compiled
def log_moment(t: float, rest: float, x: float) -> float:
    """Return psi(x) = log(1 - t + t e^x) - x t without cancellation."""
    if x < SERIES_LIMIT:
        second = t * rest
        third = second * (rest - t)
        fourth = second * (1.0 - 6.0 * second)
        fifth = third * (1.0 - 12.0 * second)
        return x * x * (second / 2 + x * (third / 6 + x * (fourth / 24 + x * fifth / 120)))
    if t > 0.5:
        return log1p(rest * expm1(-x)) + x * rest
    if x > MOST_EXPONENT:
        return x * rest - log1p(1.0 / t - 1.0)
    return log1p(t * expm1(x)) - x * t


@compiled
def mixture(t: float, rest: float, scale: float, log_level: float) -> np.ndarray:
    """Return the nodes, their psi and the logarithms of their weights divided by the level."""
    table = np.empty((3, NODES))
    ratio = 0.5
    step = NODES_PER_OCTAVE
    while step > 1:  # 2^(-1/16), as square roots
        ratio = math.sqrt(ratio)
        step = step // 2
    x = 8.0 + math.sqrt(2.0 * log_level)
    total = 0.0
    for j in range(NODES):
        table[0, j] = x * scale
        table[1, j] = log_moment(t, rest, x * scale)
        table[2, j] = log1p(x - 1.0) - x * x / 2
        total += exp(table[2, j])
        x *= ratio
    table[2] -= log1p(total - 1.0) + log_level
    return table


@compiled
def evaluate_terms(
    nodes: np.ndarray, n: float, d: float, log_scale: float, terms: np.ndarray
) -> None:
    """Write the terms of M(n, d) divided by the level and by a scale, none above e^44.

    Without branches, so that it vectorises.
    """
    for j in range(NODES):
        size = nodes[0, j] * d - n * nodes[1, j] + nodes[2, j] - log_scale
        x = min(max(size, NEGLIGIBLE), CUT)
        k = math.floor(x * PER_LN2 + 0.5)
        term = (1.0 + remainder((x - k * LN2_HIGH) - k * LN2_LOW)) * POWERS[int(k) + MIDDLE]
        terms[j] = term if size > NEGLIGIBLE else 0.0


@compiled
def largest_log_term(nodes: np.ndarray, n: float, d: float) -> float:
    """Return the logarithm of the largest term of M(n, d) divided by the level."""
    largest = -math.inf
    for j in range(NODES):
        largest = max(largest, nodes[0, j] * d - n * nodes[1, j] + nodes[2, j])
    return largest


@compiled
def newton_step(nodes: np.ndarray, n: float, d: float, terms: np.ndarray) -> tuple[float, float]:
    """Return Newton's step of log M in d, and the slope of the tangent there."""
    log_scale = 0.0
    while True:
        evaluate_terms(nodes, n, d, log_scale, terms)
        total, by_node, by_moment = 0.0, 0.0, 0.0
        for j in range(NODES):
            total += terms[j]
            by_node += terms[j] * nodes[0, j]
            by_moment += terms[j] * nodes[1, j]
        if LEAST_SUM < total < MOST_SUM:
            return (log_scale + log1p(total - 1.0)) * total / by_node, by_moment / by_node
        log_scale = largest_log_term(nodes, n, d)  # far from the root


@compiled
def lines(t: float, rest: float, scale: float, log_level: float) -> np.ndarray:
    """Return the tangents at all knots, the boundary at each found by Newton's method.

    As a function of d, log M is convex and increasing, so Newton's method ends to the right of the
    root. It starts from the last tangent, less what the last tangent was too high by.
    """
    nodes = mixture(t, rest, scale, log_level)
    table = np.empty((OCTAVES * KNOTS_PER_OCTAVE + 1, 2))
    terms = np.empty(NODES)
    d = math.inf
    for j in range(NODES):
        d = min(d, (nodes[1, j] - nodes[2, j]) / nodes[0, j])
    last, slope, excess = 1.0, 0.0, 0.0
    for k in range(table.shape[0]):
        octave, part = k // KNOTS_PER_OCTAVE, k % KNOTS_PER_OCTAVE
        n = math.ldexp(1.0 + part / KNOTS_PER_OCTAVE, octave)
        tangent = d + slope * (n - last)
        d = tangent - excess
        for _ in range(MAX_STEPS):
            step, slope = newton_step(nodes, n, d, terms)
            d -= step
            if abs(step) <= CONVERGED * d:
                break
        last, excess = n, tangent - d
        slope = round_bits(slope)
        grid = math.ldexp(1.0, math.frexp(1.0 + d)[1] - BITS)
        table[k, 0] = math.ceil((d - slope * n + SLACK * (1.0 + d)) / grid) * grid
        table[k, 1] = slope
    return table
