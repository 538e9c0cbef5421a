"""Exact checks of the displays behind Theorems 3.1 and 3.2 (Appendices B and C)."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ldpt.claims.displays.arithmetic import (
    RATIONAL_EXPONENTIALS,
    Evidence,
    certainly,
    divergence,
    enclose,
    intervals,
    midpoint,
    private_divergence,
    verdict_of,
)

PROOF_DELTA_SQUARED = Fraction(1, 32)  # delta = 1/(4 sqrt 2) of Appendix B

# --- Theorem 3.1, Appendix B ----------------------------------------------------------------------


def sub_gaussian(
    scale: Fraction = Fraction(1, 4), corrected: Fraction = Fraction(1, 2)
) -> Evidence:
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
    found = verdict_of(
        ((f"p = {p}, lambda = {s}", not certainly(excess(p, s, scale) > 0)) for p, s in points),
        ((f"p = {p}, lambda = {s}", certainly(excess(p, s, corrected) <= 0)) for p, s in points),
    )
    return found | {"excess_at_half": midpoint(excess(Fraction(1, 2), Fraction(1), scale))}


def exponent_of_the_proof(scale: Fraction, spread: int) -> Fraction:
    """Rate of T/H_eps in Appendix B: delta^2/(2 scale^2), over the spread of lengths in a scale."""
    return PROOF_DELTA_SQUARED / (2 * scale * scale * spread)


def fixed_budget_exponent(printed: Fraction = Fraction(1, 4)) -> Evidence:
    """What the steps of Appendix B prove: with their constant 1/4, with 1/2, with the peeling."""
    assumed = exponent_of_the_proof(Fraction(1, 4), 1)
    bernoulli = exponent_of_the_proof(Fraction(1, 2), 1)
    peeled = exponent_of_the_proof(Fraction(1, 2), 2)
    return {
        "printed_rate": float(printed),
        "rate_with_printed_constant": float(assumed),
        "rate_with_bernoulli_constant": float(bernoulli),
        "rate_with_bernoulli_constant_and_peeling": float(peeled),
    }


def last_line_of_the_proof(rate: Fraction = Fraction(4)) -> Evidence:
    """Appendix B ends with 4 T/H_eps where its own steps give 8 T delta^2/H_eps = T/(4 H_eps)."""
    own_steps = 8 * PROOF_DELTA_SQUARED
    return verdict_of(
        [("exponent", rate == own_steps)], [("exponent", own_steps == Fraction(1, 4))]
    ) | {
        "last_line_rate": float(rate),
        "rate_of_its_own_steps": float(own_steps),
    }


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

    found = verdict_of(
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
    """Appendix B: scales [2^u, 2^(u+1)] with u up to floor(log T) reach T; they do with log2."""

    def natural(budget: int) -> int:
        return math.floor(intervals().log(budget).a)

    found = verdict_of(
        ((f"T = {t}", 2 ** (natural(t) + 1) >= t) for t in budgets),
        ((f"T = {t}", 2 ** (t.bit_length()) >= t) for t in budgets),
    )
    large = 10**6
    return found | {
        "printed_scales_at_million": natural(large) + 1,
        "needed_scales_at_million": large.bit_length(),
    }


def good_event_is_a_union(budget: int = 6) -> Evidence:
    """Appendix B calls the good event the union of the scale events; it is outside all of them."""
    limit = Fraction(1, 2)  # T delta^2/H, any number will do
    tapes = list(itertools.product((0, 1), repeat=budget))

    def deviates(tape: Sequence[int], v: int) -> bool:
        return (Fraction(sum(tape[:v]), v) - Fraction(1, 2)) ** 2 * v > limit / 2

    good = [all(not deviates(tape, v) for v in range(1, budget + 1)) for tape in tapes]
    union = [any(deviates(tape, v) for v in range(1, budget + 1)) for tape in tapes]
    return verdict_of(
        ((f"tape {tape}", g == u) for tape, g, u in zip(tapes, good, union, strict=True)),
        ((f"tape {tape}", g != u) for tape, g, u in zip(tapes, good, union, strict=True)),
    )


def union_term() -> Evidence:
    """2 (log T + 1) K <= exp(2 K log(log T + 1)), which the last step of Theorem 3.1 needs."""
    iv = intervals()

    def holds(n_arms: int, budget: int) -> bool:
        log_term = iv.log(budget) + 1
        return certainly(2 * n_arms * log_term <= log_term ** (2 * n_arms))

    cases = [(k, t) for k in (1, 2, 3, 5, 10) for t in (2 * k, 2 * k + 1, 4 * k, 100 * k, 10**6)]
    return verdict_of(
        ((f"K = {k}, T = {t}", holds(k, t)) for k, t in cases),
        ((f"K = {k}, T = {t}", holds(k, t)) for k, t in cases if t >= 3),
    )


def half_a_gap(misplaced_root: bool = True) -> Evidence:
    """Appendix B: sqrt(2) d/(1 - 2 sqrt(2 d)) at d = 1/(4 sqrt 2) is 1/2; needs 2 sqrt(2) d."""
    iv = intervals()
    root = iv.sqrt(iv.mpf(2))
    delta = 1 / (4 * root)
    inner = iv.sqrt(2 * delta) if misplaced_root else root * delta
    printed = root * delta / (1 - 2 * inner)
    meant = root * delta / (1 - 2 * root * delta)
    half, tiny = iv.mpf(0.5), iv.mpf(1e-30)
    return verdict_of(
        [("delta = 1/(4 sqrt 2)", certainly(abs(printed - half) < tiny))],
        [("delta = 1/(4 sqrt 2)", certainly(abs(meant - half) < tiny))],
    ) | {"printed_value": midpoint(printed), "meant_value": midpoint(meant)}


def index_lower_bound(gap_power: int = 0) -> Evidence:
    """Appendix B, chain for B_k: its middle line mixes Delta_k with Delta_{k,eps} = c Delta_k.

    In units of sqrt(T/H_eps) the middle line is (c - sqrt(2) d)/sqrt(2) as printed, which for c < 1
    is below the last line 1/sqrt(2) - d; with private gaps throughout the two are equal.
    """
    iv = intervals()
    root, tiny = iv.sqrt(iv.mpf(2)), iv.mpf(1e-30)
    delta = 1 / (4 * root)
    last = 1 / root - delta

    def middle(shrink: Fraction, power: int) -> Any:
        private = enclose(shrink)
        return (private - root * delta * private**power) / (root * private**power)

    shrinks = [Fraction(n, 10) for n in (1, 5, 9)]
    return verdict_of(
        ((f"c = {c}", not certainly(middle(c, gap_power) < last - tiny)) for c in shrinks),
        ((f"c = {c}", certainly(middle(c, 1) >= last - tiny)) for c in shrinks),
    ) | {
        "middle_line_at_half": midpoint(middle(Fraction(1, 2), gap_power)),
        "last_line": midpoint(last),
    }


def index_upper_bound(power: int = 2) -> Evidence:
    """Appendix B, chain for B_i: sqrt(T d^2/(H T_i^power)) must cover sqrt(T d^2/(H T_i))."""
    pulls = [1, 2, 5, 100]
    return verdict_of(
        ((f"T_i = {n}", Fraction(1, n**power) >= Fraction(1, n)) for n in pulls),
        ((f"T_i = {n}", Fraction(1, n) >= Fraction(1, n)) for n in pulls),
    )


def helpful_arm() -> Evidence:
    """Appendix B: shares (T - K)/(H Delta_i^2) add up to T - K, and T - K >= T/2 when T >= 2K."""
    gaps = [Fraction(n, 30) for n in (1, 2, 7, 12)]
    complexity = sum(1 / gap**2 for gap in gaps)
    n_arms = len(gaps)
    return verdict_of(
        (
            f"T = {t}",
            sum((t - n_arms) / (complexity * gap**2) for gap in gaps) == t - n_arms
            and 2 * (t - n_arms) >= t,
        )
        for t in (2 * n_arms, 2 * n_arms + 1, 50, 10**6)
    )


def reverse_triangle() -> Evidence:
    """Appendix B: |mu^ - mu| >= |Delta^ - Delta|, over a lattice of means and thresholds."""
    lattice = [Fraction(n, 10) for n in range(11)]
    return verdict_of(
        (f"{guess}, {mean}, {tau}", abs(guess - mean) >= abs(abs(guess - tau) - abs(mean - tau)))
        for guess in lattice
        for mean in lattice
        for tau in lattice
    )


def estimated_gap_is_positive() -> Evidence:
    """Appendix B: the estimated gap |tau_eps - mu^| + zeta_eps is positive; it may be 0."""
    estimates = [Fraction(s, 4) for s in range(5)]
    tau = Fraction(1, 2)
    return verdict_of(
        ((f"mu^ = {m}, zeta = 0", abs(tau - m) > 0) for m in estimates),
        ((f"mu^ = {m}, zeta = 0", abs(tau - m) >= 0) for m in estimates),
    )


def counts_never_fall() -> Evidence:
    """Appendix B: T_i(T) >= T_i(t*), on every path of a short run of Algorithm 1."""
    from ldpt.learners import FixedBudget

    def monotone(path: Sequence[int]) -> bool:
        learner = FixedBudget(2, 0.5, 0.0, 1.0, len(path), policy="apt")
        before = list(learner.pulls)
        for response in path:
            arm = learner.next_arm()
            assert arm is not None  # the budget is the length of the path
            learner.record(arm, response)
            if any(now < was for now, was in zip(learner.pulls, before, strict=True)):
                return False
            before = list(learner.pulls)
        return True

    return verdict_of((f"{path}", monotone(path)) for path in itertools.product((0, 1), repeat=8))


def rejected_below_threshold() -> Evidence:
    """Appendix B: a deviation below Delta/2 puts every arm with mu < tau below tau.

    Worst estimate mu + Delta/2; inside the tolerance band it is above the threshold. Outside the
    band, mu <= tau - zeta, it is at most tau, which the strict rule of Algorithm 1 rejects.
    """
    tau = Fraction(1, 2)
    cases = [
        (f"mu = {mu}, zeta = {zeta}", mu, zeta, mu + (tau - mu + zeta) / 2)
        for mu in (Fraction(n, 20) for n in range(10))
        for zeta in (Fraction(0), Fraction(1, 20), Fraction(1, 10))
    ]
    return verdict_of(
        ((name, worst < tau) for name, _, _, worst in cases),
        ((name, worst <= tau) for name, mu, zeta, worst in cases if mu <= tau - zeta),
    )


# --- Theorem 3.2, Appendix C ----------------------------------------------------------------------


def divergence_of_mirrored_arms(coefficient: int = 2) -> Evidence:
    """KL(Bern(1/2 - D/2), Bern(1/2 + D/2)) = D log((1+D)/(1-D)) <= 2 D^2: violated for every D.

    The series 2 (D^2 + D^4/3 + D^6/5 + ...) shows it, and 2 D^2/(1 - D^2) as a bound that holds.
    """
    iv = intervals()

    def exact(gap: Fraction) -> Any:
        d = enclose(gap)
        return d * iv.log((1 + d) / (1 - d))

    gaps = [Fraction(n, 20) for n in range(1, 20)]
    half = Fraction(1, 2)
    return verdict_of(
        ((f"D = {d}", not certainly(exact(d) > enclose(coefficient * d * d))) for d in gaps),
        ((f"D = {d}", certainly(exact(d) <= enclose(2 * d * d / (1 - d * d)))) for d in gaps),
    ) | {
        "divergence_at_half": midpoint(exact(half)),
        "printed_bound_at_half": float(coefficient * half * half),
    }


def pigeonhole_constant(theorem_factor: int = 1, proof_factor: int = 2) -> Evidence:
    """Theorem 3.2's exponent against the last line of its proof, and sum 4 T/(H D_i^2) = T.

    The true sum is 4 T. The conclusion T_i <= 4 T/(H D_i^2) survives, a fortiori T/(H D_i^2), and
    with the divergence bounded through the total variation D_i the exponent is
    T/H_eps (e^eps + 1)^2 min{4, e^(2 eps)}, an eighth of the printed one.
    """
    gaps = [Fraction(n, 10) for n in (1, 3, 4)]
    tolerances = [Fraction(0), Fraction(1, 20), Fraction(1, 10)]
    complexity = sum(1 / gap**2 for gap in gaps)
    total = sum(4 / (complexity * gap**2) for gap in gaps)
    # the environments of arm j are 2 (g/2 + zeta) apart, and H counts (g + zeta)^-2
    cover = [
        (f"g = {g}, zeta = {z}", (g + 2 * z) ** 2 <= 8 * (g + z) ** 2)
        for g in gaps
        for z in tolerances
    ]
    return verdict_of(
        [("theorem against proof", theorem_factor == proof_factor), ("sum of shares", total == 1)],
        cover,
    ) | {"sum_of_shares_over_T": float(total), "proof_over_theorem": proof_factor / theorem_factor}


def environments_are_legal() -> Evidence:
    """Theorem 3.2's environments: tau +- (|mu - tau|/2 + zeta) lies in [0, 1]; clipped it does."""
    lattice = [Fraction(n, 10) for n in range(11)]
    cases = [
        (f"mu = {mu}, tau = {tau}, zeta = {zeta}", tau + side * (abs(mu - tau) / 2 + zeta))
        for mu in lattice
        for tau in lattice
        for zeta in (Fraction(0), Fraction(1, 10))
        for side in (-1, 1)
    ]
    return verdict_of(
        ((name, 0 <= mean <= 1) for name, mean in cases),
        ((name, 0 <= min(max(mean, Fraction(0)), Fraction(1)) <= 1) for name, mean in cases),
    )


def bretagnolle_huber(constant: Fraction = Fraction(1, 2)) -> Evidence:
    """P(A) + Q(not A) >= exp(-KL(P, Q))/2 for Bernoulli laws and the event A = {1}."""
    iv = intervals()
    grid = [Fraction(n, 20) for n in range(1, 20)]

    def holds(p: Fraction, q: Fraction) -> bool:
        return certainly(enclose(p + 1 - q) >= enclose(constant) * iv.exp(-divergence(p, q)))

    return verdict_of((f"p = {p}, q = {q}", holds(p, q)) for p in grid for q in grid)


def channel_contraction(printed: bool = True, scale: Fraction = Fraction(1)) -> Evidence:
    """Divergence after an eps-LDP channel on 0/1 rewards, against its bounds (Appendices C, E).

    On binary inputs every eps-LDP channel is a post-processing of randomised response, that is of
    PrivBern: checking PrivBern checks them all. The bound is 2 min{4, e^(2 eps)} (e^eps - 1)^2 KL
    as ``printed``, otherwise tanh(eps/2)^2 KL; ``scale`` multiplies it.
    """
    grid = [Fraction(n, 20) for n in range(1, 20, 2)]

    def ratio(p: Fraction, q: Fraction, x: Fraction) -> Any:
        rate = 2 * min(Fraction(4), x * x) * (x - 1) ** 2 if printed else ((x - 1) / (x + 1)) ** 2
        return private_divergence(p, q, x) / (enclose(scale * rate) * divergence(p, q))

    found = [
        (f"p = {p}, q = {q}, e^eps = {x}", ratio(p, q, x))
        for p in grid
        for q in grid
        if p != q
        for x in RATIONAL_EXPONENTIALS
    ]
    ratios = [midpoint(r) for _, r in found]
    return verdict_of((name, certainly(r <= 1)) for name, r in found) | {
        "largest_ratio": max(ratios),
        "smallest_ratio": min(ratios),
    }


def pigeonhole_over_measures(
    n_arms: int = 8, budget: int = 100, x: Fraction = Fraction(150)
) -> Evidence:
    """Appendix C: some arm has E_i[T_i] <= 4 T/(H D_i^2), each expectation in its own environment.

    A policy that looks at every arm once and then pulls the first that answered 0 spends, in B^i,
    nearly all on arm i: with D_i = 1 the claim fails for all arms at once. Under the one measure of
    B^0 the expectations do add up to T.
    """
    right = x / (1 + x)  # a response shows the arm's side (means are 0 and 1)
    finds = right**n_arms  # every arm answers as it should
    expected = 1 + (budget - n_arms) * finds  # a lower bound on E_i[T_i]
    allowed = Fraction(4 * budget, n_arms)  # H = K when every gap is 1
    # in B^0 the arm pulled after the first round is arm j with these probabilities
    zero = 1 - right
    shares = [right**j * zero for j in range(n_arms)]
    shares[0] += right**n_arms  # all answered 1: the policy takes the first
    total = sum((1 + (budget - n_arms) * share for share in shares), Fraction(0))
    return verdict_of(
        [("some arm is cheap", expected <= allowed)], [("sum under B^0", total == budget)]
    ) | {
        "least_expected_pulls": float(expected),
        "allowed_pulls": float(allowed),
        "sum_under_one_measure": float(total),
    }


def small_epsilon_factor() -> Evidence:
    """Section 3: (e^eps + 1)^2 min{4, e^(2 eps)} stays bounded, by 16, for small eps."""
    iv = intervals()

    def factor(epsilon: float) -> Any:
        x = iv.exp(enclose(epsilon))
        return (x + 1) ** 2 * (x * x if certainly(x * x < 4) else iv.mpf(4))

    small = [0.001, 0.01, 0.1, 0.3]
    return verdict_of((f"eps = {e}", certainly(factor(e) <= 16)) for e in small) | {
        "factor_at_0.001": midpoint(factor(0.001)),
        "factor_at_4": midpoint(factor(4.0)),
    }


# --- the repaired bound ---------------------------------------------------------------------------


def paired_deviation(
    n_tapes: int = 600, n_arms: int = 3, budget: int = 40, share: float = 1 / 5
) -> Evidence:
    """Whenever Algorithm 1 errs, two arms deviate: W_i^2 + W_k^2 >= share (T - K)/H, zeta = 0.

    W is the largest sqrt(n) |mean of the first n responses - mu| of an arm's tape. The lemma is
    about single tapes, not about their law, so the tapes are drawn with misleading means; it
    carries the repaired Theorem 3.1.
    """
    import numpy as np

    rng = np.random.default_rng(20260316)
    n = np.arange(1, budget + 1)
    ratios = []
    for _ in range(n_tapes):
        gaps = rng.uniform(0.1, 0.5, n_arms) ** rng.choice([1, 2])
        means = 0.5 + gaps * rng.choice([-1, 1], n_arms)
        sums = (rng.random((n_arms, budget)) < rng.random((n_arms, 1))).cumsum(axis=1)
        wrong = _misclassified(sums, means, 0.5)
        w = np.max(np.sqrt(n) * np.abs(sums / n - means[:, None]), axis=1) ** 2
        least_needed = (budget - n_arms) / np.sum(gaps**-2.0)
        if wrong.any():
            pair = max(w[i] + np.max(np.delete(w, i), initial=0.0) for i in np.flatnonzero(wrong))
            ratios.append(float(pair / least_needed))
    found = verdict_of((f"erring run {r}", ratio >= share) for r, ratio in enumerate(ratios))
    return found | {"least_ratio": min(ratios), "share": share}


def _misclassified(prefix: Any, means: Any, tau: float) -> Any:
    """Arms on the wrong side after Algorithm 1 (zeta = 0) has read tapes given by prefix sums."""
    import numpy as np

    n = np.ones(len(means), int)
    arms = np.arange(len(means))
    for _ in range(prefix.shape[1] - len(means)):
        n[np.argmin(np.abs(prefix[arms, n - 1] - n * tau) / np.sqrt(n))] += 1
    return (prefix[arms, n - 1] > n * tau) != (means > tau)


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    sub_gaussian,
    fixed_budget_exponent,
    last_line_of_the_proof,
    maximal_inequality,
    peeling_scales,
    good_event_is_a_union,
    union_term,
    half_a_gap,
    index_lower_bound,
    index_upper_bound,
    helpful_arm,
    reverse_triangle,
    estimated_gap_is_positive,
    counts_never_fall,
    rejected_below_threshold,
    divergence_of_mirrored_arms,
    pigeonhole_constant,
    environments_are_legal,
    bretagnolle_huber,
    channel_contraction,
    pigeonhole_over_measures,
    small_epsilon_factor,
    paired_deviation,
]
