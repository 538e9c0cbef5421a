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

from typing import NamedTuple

import numpy as np

from ldpt.engines.bits import popcount
from ldpt.engines.jit import compiled, compiled_without_refcount


class Groups(NamedTuple):
    """The stack of groups: row g of ``members`` is the set of group g, 64 arms in a word."""

    frontiers: np.ndarray
    sizes: np.ndarray
    members: np.ndarray


@compiled
def new_groups(n_arms: int) -> Groups:
    """Return tables for up to one group per arm."""
    return Groups(
        np.empty(n_arms, np.int64),
        np.empty(n_arms, np.int64),
        np.empty((n_arms, 1 + (n_arms - 1 >> 6)), np.int64),
    )


@compiled_without_refcount
def rank(group: int, arm: int, groups: Groups) -> int:
    """Return how many members of a group have an index below ``arm``."""
    last = arm >> 6
    below = popcount(groups.members[group, last] & ((np.int64(1) << (arm & 63)) - 1))
    for word in range(last):
        below += popcount(groups.members[group, word])
    return below


@compiled_without_refcount
def member_of_rank(group: int, position: int, groups: Groups) -> int:
    """Return the member with exactly ``position`` members below it."""
    word = 0
    while position >= popcount(groups.members[group, word]):
        position -= popcount(groups.members[group, word])
        word += 1
    rest = groups.members[group, word]
    for _ in range(position):
        rest &= rest - 1  # remove the lowest member
    return (word << 6) + popcount((rest & -rest) - 1)  # the place of the lowest bit


@compiled_without_refcount
def pulls_at(frontier: int, arm: int, bits: int) -> int:
    """Return the pulls of a member when all keys of its group below the frontier are served."""
    return (frontier - 1 - arm) >> bits


@compiled_without_refcount
def keys_between(start: int, stop: int, bits: int, group: int, groups: Groups) -> int:
    """Return the number of the group's pulls with start <= key < stop."""
    # Whole rounds pull every member once; ranks count the partial rounds at both ends.
    mask = (1 << bits) - 1
    rounds = (stop >> bits) - (start >> bits)
    before = rank(group, start & mask, groups)
    return rounds * groups.sizes[group] + rank(group, stop & mask, groups) - before


@compiled_without_refcount
def key_after(start: int, count: int, bits: int, group: int, groups: Groups) -> int:
    """Return the frontier of the group after ``count`` more pulls."""
    position = rank(group, start & ((1 << bits) - 1), groups) + count
    size = groups.sizes[group]
    rounds = position // size
    arm = member_of_rank(group, position - rounds * size, groups)
    return (((start >> bits) + rounds) << bits) + arm


@compiled_without_refcount
def remove(arm: int, count: int, groups: Groups) -> int:
    """Take an arm out of the top group; return how many groups are left."""
    groups.members[count - 1, arm >> 6] &= ~(np.int64(1) << (arm & 63))
    groups.sizes[count - 1] -= 1
    # An empty group leaves the stack.
    return count if groups.sizes[count - 1] > 0 else count - 1


@compiled_without_refcount
def join(arm: int, n: int, bits: int, count: int, groups: Groups) -> int:
    """Put an arm with n pulls where it belongs in the stack of groups; return their new count."""
    frontiers, sizes, members = groups.frontiers, groups.sizes, groups.members
    # Groups above have fewer pulls, and are pulled before this arm.
    place = count
    while place > 0 and n > pulls_at(frontiers[place - 1], arm, bits):
        place -= 1
    if place > 0 and n == pulls_at(frontiers[place - 1], arm, bits):
        place -= 1
    else:
        for g in range(count, place, -1):
            frontiers[g], sizes[g] = frontiers[g - 1], sizes[g - 1]
            for word in range(members.shape[1]):
                members[g, word] = members[g - 1, word]
        # No group has so many pulls: the arm starts one, behind its own next key.
        frontiers[place] = ((n + 1) << bits) + arm
        sizes[place] = 0
        members[place] = 0
        count += 1
    members[place, arm >> 6] |= np.int64(1) << (arm & 63)
    sizes[place] += 1
    return count


@compiled_without_refcount
def merge_top(count: int, groups: Groups) -> int:
    """Merge the top group with the one below; return the new count."""
    groups.sizes[count - 2] += groups.sizes[count - 1]
    for word in range(groups.members.shape[1]):
        groups.members[count - 2, word] |= groups.members[count - 1, word]
    return count - 1
