"""Algorithms 1 and 2 as a reader of the paper would write them: ask for an arm, tell the response.

A learner is fed with 0/1 responses only, never with rewards. The compiled engines in
``ldpt.engines`` are tested against these classes path for path.

>>> learner = FixedBudget(n_arms=2, threshold=0.5, tolerance=0.1, epsilon=1.0, budget=4)
>>> while (arm := learner.next_arm()) is not None:
...     status = learner.record(arm, response=arm)
>>> learner.above
{1}
>>> learner.history
[(0, 0), (1, 1), (0, 0), (1, 1)]

A study asks many people at once, and they answer late, out of order, or never. Every request is a
ticket; an arm's answers enter in the order in which they were asked for, and a missing answer is
waited for until it is given up. The learner keeps a record of all this, saves it as JSON and, built
again with the same parameters, loads it and continues on the same path.

>>> learner = FixedConfidence(n_arms=1, threshold=0.5, epsilon=1.0, delta=0.1)
>>> first, second, third = learner.next_arms(3)
>>> learner.record(third, 1), learner.record(first, 1)
(<Status.WAITING: 'waiting'>, <Status.COUNTED: 'counted'>)
>>> learner.give_up(second)
>>> learner.pulls, learner.outstanding
([2], [])

What is promised: for every radius but ``printed``, an answer of :class:`FixedConfidence`, or of
:meth:`FixedConfidence.decided` at any time, is wrong for some arm with probability at most delta,
whatever the order of the arms, the size of the batches and the delays of the answers, because
the boundary is crossed on the wrong side by an arm's answers in their own order with probability
at most delta / K. It is assumed that giving a request up does not depend on the answer that is
missing.
"""

from ldpt.learners.answers import Answer, Status, checked_bit
from ldpt.learners.base import Learner
from ldpt.learners.estimates import Estimate
from ldpt.learners.fixed_budget import FixedBudget
from ldpt.learners.fixed_confidence import FixedConfidence
from ldpt.learners.ledger import MAX_ARMS, MAX_OUTSTANDING
from ldpt.learners.state import STATE_VERSION

__all__ = [
    "MAX_ARMS",
    "MAX_OUTSTANDING",
    "STATE_VERSION",
    "Answer",
    "Estimate",
    "FixedBudget",
    "FixedConfidence",
    "Learner",
    "Status",
    "checked_bit",
]
