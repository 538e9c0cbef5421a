"""The order in which Algorithm 2 pulls its undecided arms, as arithmetic on keys.

*Pull keys*: the pull that brings arm k to n pulls has the key ``n << bits | k``. Algorithm 2 pulls
the undecided arm with the fewest pulls, lowest index first; as long as the set of undecided arms
stays the same, that is exactly the order of the keys. So the time at which a pull is made follows
from counting keys, without visiting the other arms.

*Groups*: an arm that was decided long ago and is reopened has fewer pulls than the others. It is
pulled alone until it has caught up, so the undecided arms form a stack of groups, each in key order
behind its own frontier (the first key whose pull is still to be made). The top group, which
has the lowest frontier, is pulled; when its frontier reaches that of the group below, the two
merge.
"""

import numpy as np

from ldpt.engines.bits import popcount
from ldpt.engines.jit import borrowing

# --- Sets of arms as bits


@borrowing
def rank(members: np.ndarray, group: int, arm: int) -> int:
    """Return how many members have an index below ``arm``."""
    last = arm >> 6
    below = popcount(members[group, last] & ((np.int64(1) << (arm & 63)) - 1))
    for word in range(last):
        below += popcount(members[group, word])
    return below


@borrowing
def member_of_rank(members: np.ndarray, group: int, position: int) -> int:
    """Return the member with exactly ``position`` members below it."""
    word = 0
    while position >= popcount(members[group, word]):
        position -= popcount(members[group, word])
        word += 1
    rest = members[group, word]
    for _ in range(position):
        rest &= rest - 1
    return (word << 6) + popcount((rest & -rest) - 1)


# --- Groups


@borrowing
def pulls_at(frontier: int, arm: int, bits: int) -> int:
    """Return the pulls of a member when all keys of its group below the frontier are served."""
    return (frontier - 1 - arm) >> bits


@borrowing
def keys_between(
    start: int, stop: int, members: np.ndarray, group: int, size: int, bits: int
) -> int:
    """Return the number of the group's pulls with start <= key < stop."""
    mask = (1 << bits) - 1
    rounds = (stop >> bits) - (start >> bits)
    return rounds * size + rank(members, group, stop & mask) - rank(members, group, start & mask)


@borrowing
def key_after(start: int, count: int, members: np.ndarray, group: int, size: int, bits: int) -> int:
    """Return the frontier of the group after ``count`` more pulls."""
    position = rank(members, group, start & ((1 << bits) - 1)) + count
    rounds = position // size
    arm = member_of_rank(members, group, position - rounds * size)
    return (((start >> bits) + rounds) << bits) + arm


@borrowing
def remove(arm: int, members: np.ndarray, group: int) -> None:
    """Take an arm out of a group."""
    members[group, arm >> 6] &= ~(np.int64(1) << (arm & 63))


@borrowing
def add(arm: int, members: np.ndarray, group: int) -> None:
    """Put an arm into a group."""
    members[group, arm >> 6] |= np.int64(1) << (arm & 63)


@borrowing
def join(
    arm: int, n: int, bits: int, count: int, frontiers: np.ndarray, sizes: np.ndarray,
    members: np.ndarray,
) -> int:  # fmt: skip
    """Put an arm with n pulls where it belongs in the stack of groups; return their new count."""
    place = count
    while place > 0:
        served = pulls_at(frontiers[place - 1], arm, bits)
        if n == served:
            add(arm, members, place - 1)
            sizes[place - 1] += 1
            return count
        if n < served:
            break
        place -= 1
    for g in range(count, place, -1):
        frontiers[g], sizes[g] = frontiers[g - 1], sizes[g - 1]
        for word in range(members.shape[1]):
            members[g, word] = members[g - 1, word]
    frontiers[place] = ((n + 1) << bits) + arm
    sizes[place] = 1
    members[place] = 0
    add(arm, members, place)
    return count + 1


@borrowing
def merge_top(count: int, sizes: np.ndarray, members: np.ndarray) -> int:
    """Merge the top group with the one below; return the new count."""
    sizes[count - 2] += sizes[count - 1]
    for word in range(members.shape[1]):
        members[count - 2, word] |= members[count - 1, word]
    return count - 1
