"""Which arms to ask about next while answers are outstanding."""

import heapq

from ldpt.learners import FixedBudget, FixedConfidence


def next_requests(learner: FixedBudget | FixedConfidence, pending: list[int], n: int) -> list[int]:
    """Return the arms of the next n requests, given how many answers of each arm may still come.

    With nothing pending the first is ``learner.next_arm()``. Algorithm 2 counts pending answers as
    pulls. Algorithm 1 takes them to equal the arm's mean response so far; an arm without a response
    has its turn while no other has fewer. Fewer than n if no more answers are needed.
    """
    if isinstance(learner, FixedBudget):
        return _within_budget(learner, list(pending), n)
    heap = [
        (learner.pulls[arm] + pending[arm], arm)
        for arm in range(learner.n_arms)
        if learner.undecided(arm)
    ]
    heapq.heapify(heap)
    arms: list[int] = []
    while heap and len(arms) < n:
        committed, arm = heap[0]
        arms.append(arm)
        heapq.heapreplace(heap, (committed + 1, arm))
    return arms


def _within_budget(learner: FixedBudget, pending: list[int], n: int) -> list[int]:
    room = learner.budget - learner.total_pulls - sum(pending)
    committed = [pulls + more for pulls, more in zip(learner.pulls, pending, strict=True)]
    unpulled = [arm for arm in range(learner.n_arms) if not learner.pulls[arm]]
    index = {
        arm: learner.index(arm, pending[arm]) for arm in range(learner.n_arms) if learner.pulls[arm]
    }
    arms = []
    for _ in range(min(n, room)):
        fewest = min(committed)
        turn = (arm for arm in unpulled if committed[arm] == fewest)
        arm = next(turn, None)
        if arm is None:
            arm = min(index, key=index.__getitem__)
            index[arm] = learner.index(arm, committed[arm] + 1 - learner.pulls[arm])
        committed[arm] += 1
        arms.append(arm)
    return arms
