"""The order of pulls as arithmetic on keys."""

import numpy as np
import pytest

from ldpt.engines import pull_order, tournament


@pytest.mark.parametrize("n_arms", [1, 2, 10, 64, 65, 200])
def test_keys_between_equals_serving_in_turn(n_arms):
    rng = np.random.default_rng(n_arms)
    bits = tournament.index_bits(n_arms)
    chosen = np.flatnonzero(rng.random(n_arms) < 0.6)
    chosen = chosen if chosen.size else np.array([0])
    groups, count = pull_order.new_groups(n_arms), 0
    for arm in chosen:
        count = pull_order.join(arm, 1, bits, count, groups)
    assert (count, groups.sizes[0]) == (1, chosen.size)
    keys = [(n << bits) + arm for n in range(2, 6) for arm in chosen]
    for i, start in enumerate(keys):
        for j in range(i, len(keys), 7):
            assert pull_order.keys_between(start, keys[j], bits, 0, groups) == j - i
            assert pull_order.key_after(start, j - i, bits, 0, groups) == keys[j]
        for place, arm in enumerate(chosen):
            served = 1 + sum(key & ((1 << bits) - 1) == arm for key in keys[:i])
            assert pull_order.pulls_at(start, arm, bits) == served
            assert pull_order.rank(0, arm, groups) == place
    for arm in chosen:
        assert count == 1
        count = pull_order.remove(arm, count, groups)
    assert count == 0


def test_an_arm_behind_the_others_is_a_group_until_it_has_caught_up():
    bits, groups, count = 2, pull_order.new_groups(3), 0
    for arm, n in ((0, 5), (1, 5), (2, 1)):
        count = pull_order.join(arm, n, bits, count, groups)
    assert (count, groups.sizes[:2].tolist()) == (2, [2, 1])
    between = pull_order.keys_between(groups.frontiers[1], groups.frontiers[0], bits, 1, groups)
    assert between == 4  # pulls 2 to 5; its sixth comes after those of arms 0 and 1
    assert pull_order.merge_top(count, groups) == 1
    assert (groups.sizes[0], groups.members[0, 0]) == (3, 0b111)
