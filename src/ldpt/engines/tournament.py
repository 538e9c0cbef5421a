"""A tournament over the arms: a binary tree of minima in an array of 2 << bits values.

The leaves are its second half; the least value is at [1]. Changing the value of one arm and reading
the least value cost log K steps.
"""

import numpy as np

from ldpt.engines.jit import compiled_without_refcount

NEVER = np.int64(1) << 62


@compiled_without_refcount
def index_bits(n_arms: int) -> int:
    """Return the bits that an arm's index takes in a key."""
    bits = 0
    while (1 << bits) < n_arms:
        bits += 1
    return bits


@compiled_without_refcount
def set_value(tree: np.ndarray, arm: int, value: int) -> None:
    """Give the arm a new value."""
    node = (tree.size >> 1) + arm
    tree[node] = value
    while node > 1:
        node >>= 1
        least = min(tree[2 * node], tree[2 * node + 1])
        # Nothing changes further up.
        if tree[node] == least:
            return
        tree[node] = least


@compiled_without_refcount
def leader(tree: np.ndarray) -> int:
    """Return the arm with the least value, the lowest one among ties."""
    leaves = tree.size >> 1
    node = 1
    while node < leaves:
        # Ties go to the left, which is the lower arm.
        node = 2 * node if tree[2 * node] == tree[node] else 2 * node + 1
    return node - leaves


@compiled_without_refcount
def runner_up_value(tree: np.ndarray, arm: int) -> float:
    """Return the least value of all arms but this one."""
    node = (tree.size >> 1) + arm
    least = tree[node ^ 1]  # the sibling
    while node > 3:
        node >>= 1
        least = min(least, tree[node ^ 1])
    return least
