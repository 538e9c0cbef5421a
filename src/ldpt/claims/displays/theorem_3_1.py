"""Exact checks of Theorem 3.1 and its proof (Appendix B)."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ldpt.claims.displays.arithmetic import (
    Evidence,
    certainly,
    enclose,
    evidence_of,
    intervals,
    midpoint,
)


def sub_gaussian(scale: Fraction = Fraction(1, 4), amended: Fraction = Fraction(1, 2)) -> Evidence:
    """A centred Bernoulli variable has log E exp(lam X) <= lam^2 scale^2 / 2: at 1/4, at 1/2."""
    iv = intervals()

    def excess(p: Fraction, lam: Fraction, r: Fraction) -> Any:
        q, s = enclose(p), enclose(lam)
        log_moment = iv.log((1 - q) * iv.exp(-s * q) + q * iv.exp(s * (1 - q)))
        return log_moment - s * s * enclose(r * r) / 2

    # lam = 0 is an equality; p = 1/2 makes 1/2 the exact limit as lam -> 0
    points = [
        (p, lam)
        for p in (Fraction(n, 20) for n in range(1, 20))
        for lam in (Fraction(n, 4) for n in (-32, -8, -2, -1, 1, 2, 8, 32))
    ]
    found = evidence_of(
        ((f"p = {p}, lambda = {s}", not certainly(excess(p, s, scale) > 0)) for p, s in points),
        ((f"p = {p}, lambda = {s}", certainly(excess(p, s, amended) <= 0)) for p, s in points),
    )
    return found | {"excess_at_half": midpoint(excess(Fraction(1, 2), Fraction(1), scale))}


def maximal_inequality(
    rate: Fraction = Fraction(8),
    factor: int = 1,
    first: int = 64,
    levels: Sequence[int] = (1, 2, 3),
) -> Evidence:
    """P(some v in [m, 2m]: |S_v/v - 1/2| >= sqrt(x/v)) of a fair coin, exactly, against its bound.

    The paper has exp(-8 x) with x = T delta^2/H_eps; Doob's inequality with variance 1/4 at the
    long end and the deviation at the short end gives 2 exp(-x).
    """
    iv = intervals()
    exact = {x: crossing_probability(first, 2 * first, x) for x in levels}

    def bound(coefficient: int, r: Fraction, x: int) -> Any:
        return coefficient * iv.exp(-enclose(r) * x)

    found = evidence_of(
        ((f"x = {x}", not certainly(enclose(exact[x]) > bound(factor, rate, x))) for x in levels),
        ((f"x = {x}", certainly(enclose(exact[x]) <= bound(2, Fraction(1), x))) for x in levels),
    )
    x = levels[0]
    return found | {
        "exact_probability": float(exact[x]),
        "printed_bound": midpoint(bound(factor, rate, x)),
        "doob_bound": midpoint(bound(2, Fraction(1), x)),
    }


def crossing_probability(first: int, last: int, x: int) -> Fraction:
    """Exact probability that a fair coin has (2 S_v - v)^2 >= 4 x v for some v in first..last."""
    paths = {0: 1}  # 2 S_v - v -> number of paths that have not crossed
    for v in range(1, last + 1):
        nxt: dict[int, int] = {}
        for position, count in paths.items():
            for step in (-1, 1):
                nxt[position + step] = nxt.get(position + step, 0) + count
        crossed = v >= first
        paths = {p: n for p, n in nxt.items() if not (crossed and p * p >= 4 * x * v)}
    return 1 - Fraction(sum(paths.values()), 2**last)


def peeling_scales(budgets: Sequence[int] = tuple(range(2, 200))) -> Evidence:
    """Appendix B: scales [2^u, 2^(u+1)] with u up to floor(log T) reach T; they do with log2.

    They do for T = 2, 3, 4 and 8 alone: from T = 10 on 2^(log T + 1) = 2 T^(log 2) is below T.
    """

    def natural(budget: int) -> int:
        return math.floor(intervals().log(budget).a)

    found = evidence_of(
        ((f"T = {t}", 2 ** (natural(t) + 1) >= t) for t in budgets),
        ((f"T = {t}", 2 ** (t.bit_length()) >= t) for t in budgets),
    )
    large = 10**6
    reached = [t for t in budgets if 2 ** (natural(t) + 1) >= t]
    return found | {
        "budgets_reached": len(reached),
        "largest_budget_reached": max(reached, default=0),
        "printed_scales_at_million": natural(large) + 1,
        "needed_scales_at_million": large.bit_length(),
    }


def union_term(factor: int = 2) -> Evidence:
    """2 (log T + 1) K <= exp(2 K log(log T + 1)), which the last step of Theorem 3.1 needs."""
    iv = intervals()

    def holds(n_arms: int, budget: int) -> bool:
        log_term = iv.log(budget) + 1
        return certainly(factor * n_arms * log_term <= log_term ** (2 * n_arms))

    cases = [(k, t) for k in (1, 2, 3, 5, 10) for t in (2 * k, 2 * k + 1, 4 * k, 100 * k, 10**6)]
    return evidence_of(
        ((f"K = {k}, T = {t}", holds(k, t)) for k, t in cases),
        ((f"K = {k}, T = {t}", holds(k, t)) for k, t in cases if t >= 3),
    )


THRESHOLD = Fraction(1, 2)
TOLERANCES = (Fraction(0), Fraction(1, 20), Fraction(1, 10))


def rejected_below_threshold(
    share: Fraction = Fraction(1, 2), tolerances: Sequence[Fraction] = TOLERANCES
) -> Evidence:
    """Appendix B: a deviation of at most Delta/2 puts every arm with mu < tau below tau.

    Worst estimate mu + Delta/2; inside the tolerance band it is above the threshold. Outside the
    band, mu <= tau - zeta, it is at most tau, which the strict rule of Algorithm 1 rejects.
    ``share`` is the half.
    """
    tau = THRESHOLD
    cases = [
        (f"mu = {mu}, zeta = {zeta}", mu, zeta, mu + share * (tau - mu + zeta))
        for mu in (Fraction(n, 20) for n in range(10))
        for zeta in tolerances
    ]
    return evidence_of(
        ((name, worst < tau) for name, _, _, worst in cases),
        ((name, worst <= tau) for name, mu, zeta, worst in cases if mu <= tau - zeta),
    )


def accepted_above_threshold(share: Fraction = Fraction(1, 2)) -> Evidence:
    """Appendix B: a deviation of at most Delta/2 leaves an arm with mu > tau + zeta above tau.

    The worst estimate, mu - Delta/2 = tau + (mu - tau - zeta)/2, is strictly above tau.
    """
    tau = THRESHOLD
    means = [Fraction(n, 20) for n in range(11, 21)]
    return evidence_of(
        (f"mu = {mu}, zeta = {zeta}", mu - share * (mu - tau + zeta) > tau)
        for mu in means
        for zeta in TOLERANCES
        if mu > tau + zeta
    )


def pulls_of_other_arms(scale: Fraction = Fraction(1)) -> Evidence:
    """Appendix B, display of T_i(t*): at least (1 - 2 sqrt(2 d))^2 T/(2 H Delta_i^2) pulls.

    The two chains before it give the square of 1 - 2 sqrt(2) d, which is 1/4 at d = 1/(4 sqrt 2).
    The printed square has the misplaced root and is smaller, so the display holds as it stands.
    """
    iv = intervals()
    root = iv.sqrt(iv.mpf(2))
    delta = 1 / (4 * root)
    printed = enclose(scale) * (1 - 2 * iv.sqrt(2 * delta)) ** 2
    proved = (1 - 2 * root * delta) ** 2
    return evidence_of([("delta = 1/(4 sqrt 2)", certainly(printed <= proved))]) | {
        "printed_share": midpoint(printed),
        "proved_share": midpoint(proved),
    }


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    sub_gaussian,
    maximal_inequality,
    peeling_scales,
    union_term,
    rejected_below_threshold,
    accepted_above_threshold,
    pulls_of_other_arms,
]
