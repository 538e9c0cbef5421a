"""The policies of the fixed-budget setting: one table, from which everything else derives.

A policy says which arm is pulled next; all of them return the arms whose mean is above the
threshold. Most are *index policies*: every arm is pulled once, then always the arm with the least
index, ties to the lowest arm. With n pulls and s positive responses of an arm, ::

    I = sqrt(n) (|tau_eps - s/n| + zeta_eps)

is the index of Algorithm 1 (``apt``), compared as I^2, and ``lsa`` uses I^2 + (1/2) log n: the
index of LSA (Tao, Blanco, Peng and Zhou 2019, arXiv 1905.11046) with alpha = 1 and the tolerance,
as Ouhamma, Degenne, Gaillard and Perchet (2021) recommend it. The clipped policies clip the
estimated mean reward to [0, 1], so that the distance is at most c (1 - tau) above and c tau
below the threshold, c = tanh(eps/2); ``lsa-clipped`` also has the weight 2 t (1 - t) at
t = tau_eps, twice the variance of a response at the threshold, where ``lsa`` has 1/2. None needs
the budget, so one run gives the loss at every budget.

Policies and radii (:mod:`ldpt.radii`) have the same three steps: a row of a table (``Policy``),
which is filled in with a problem's numbers (``Policy.rule`` gives an ``IndexRule``), which a
function takes (:func:`index`). An index policy with another weight of the logarithm is one more row
of the table. An index of another family is a number beside ``SQUARED``, a branch in :func:`index`
and a row that says what else supports it: learners and the literal engine take any index, the
others need its level sets. A policy without an index needs its own loop in
:mod:`ldpt.engines.budget_runs` and a branch in :func:`ldpt.simulate.fixed_budget`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ldpt.checks import USES, check_choice, supporting
from ldpt.privacy import shrinkage

__all__ = ["DEFAULT_POLICY", "INDEX_POLICIES", "POLICIES", "Policy"]


SQUARED = 0  # family of formulas: I^2 + w log n
BASELINE = frozenset({"literal", "fast"})  # for comparison in simulations only


@dataclass(frozen=True)
class Policy:
    """Problem-independent parameters of a policy: a row of ``POLICIES``.

    Attributes
    ----------
    name : str
        Its name in configs, tables and function calls.
    log_weight : float or None
        w in the term w log n of its index, or in 4 t (1 - t) w log n if ``standardised``; ``None``
        if it has no index and pulls the arms in turn.
    clipped : bool
        Whether the estimated mean reward is clipped to [0, 1].
    standardised : bool
        Whether the weight is multiplied by 4 t (1 - t) at the private threshold t.
    private_responses : bool
        Whether it learns from PrivBern responses; otherwise from rewards with Laplace noise.
    stream : str
        Name of its random streams; it stays when the policy is renamed. Its name by default.
    family : int
        Which formula of :func:`index`.
    supports : frozenset of str
        Out of :data:`ldpt.checks.USES`. What is not among them refuses the policy.
    """

    name: str
    log_weight: float | None
    clipped: bool = False
    standardised: bool = False
    private_responses: bool = True
    stream: str = ""
    family: int = SQUARED
    supports: frozenset[str] = USES

    def __post_init__(self) -> None:
        vars(self).update(stream=self.stream or self.name)

    def rule(self, threshold: float, tolerance: float, epsilon: float) -> "IndexRule":
        """Return the index of a problem in rewards, its private numbers filled in.

        Of a policy without an index only the threshold is used.
        """
        weight = self.log_weight or 0.0
        if not self.private_responses:
            return IndexRule(float(threshold), float(tolerance), weight, family=self.family)
        shrink = shrinkage(epsilon)
        t, rest = 0.5 + shrink * (threshold - 0.5), 0.5 - shrink * (threshold - 0.5)
        return IndexRule(
            t,
            shrink * tolerance,
            weight * (4.0 * t * rest if self.standardised else 1.0),
            shrink * (1.0 - threshold) if self.clipped else math.inf,
            shrink * threshold if self.clipped else math.inf,
            self.family,
        )


POLICIES = {
    "apt": Policy("apt", log_weight=0.0, stream="apt"),
    "lsa": Policy("lsa", log_weight=0.5, stream="lsa"),
    "apt-clipped": Policy("apt-clipped", 0.0, clipped=True, stream="apt-clipped"),
    "lsa-clipped": Policy(
        "lsa-clipped", 0.5, clipped=True, standardised=True, stream="lsa-clipped"
    ),
    "uniform": Policy("uniform", None, stream="uniform", supports=BASELINE | {"exact"}),
    "laplace": Policy("laplace", 0.0, private_responses=False, stream="laplace", supports=BASELINE),
}
INDEX_POLICIES = supporting(POLICIES, "learner")
DEFAULT_POLICY = "lsa-clipped"  # of learners and the command line


def check_policy(policy: str, allowed: Iterable[str] = POLICIES) -> Policy:
    """Return the policy of this name; a ValueError lists the names."""
    return POLICIES[check_choice("policy", policy, allowed)]


class IndexRule(NamedTuple):
    """An index with its problem's numbers filled in, as compiled code takes it."""

    tau: float
    zeta: float
    log_weight: float
    cap_above: float = math.inf  # largest distance s/n - tau that counts; inf: no clip
    cap_below: float = math.inf  # largest distance tau - s/n that counts
    family: int = SQUARED


def index(rule: IndexRule, n: float, s: float) -> float:
    """Return the index of an arm with n pulls and s positive responses; the least is pulled.

    It is I^2 + w log n. As I^2 is (|d| + n zeta)^2 / n, true ties at tau_eps = 1/2 and zeta = 0 are
    ties in floating point too, and go to the lowest arm. Plain Python;
    :mod:`ldpt.engines.indices` compiles it, so that learners and engines agree bit for bit.
    """
    d = s - n * rule.tau
    reach = min(abs(d), n * (rule.cap_above if d > 0.0 else rule.cap_below)) + n * rule.zeta
    if rule.log_weight == 0.0:
        return reach * reach / n
    return reach * reach / n + rule.log_weight * math.log(n)
