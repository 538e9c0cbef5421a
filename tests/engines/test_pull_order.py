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
    members = np.zeros((1, 1 + (n_arms - 1 >> 6)), np.int64)
    for arm in chosen:
        pull_order.add(arm, members, 0)
    keys = [(n << bits) + arm for n in range(2, 6) for arm in chosen]
    for i, start in enumerate(keys):
        for j in range(i, len(keys), 7):
            assert pull_order.keys_between(start, keys[j], members, 0, chosen.size, bits) == j - i
            assert pull_order.key_after(start, j - i, members, 0, chosen.size, bits) == keys[j]
        for place, arm in enumerate(chosen):
            served = 1 + sum(key & ((1 << bits) - 1) == arm for key in keys[:i])
            assert pull_order.pulls_at(start, arm, bits) == served
            assert pull_order.rank(members, 0, arm) == place
