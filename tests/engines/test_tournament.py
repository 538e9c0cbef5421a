"""The tournament of the arms."""

import numpy as np

from ldpt.engines import tournament


def test_tournament_knows_the_least_and_the_second():
    rng = np.random.default_rng(6)
    for n_arms in (2, 3, 10, 64, 100):
        tree = np.full(2 << tournament.index_bits(n_arms), np.inf)
        values = np.full(n_arms, np.inf)
        for _ in range(300):
            arm, value = int(rng.integers(n_arms)), float(rng.integers(5))
            values[arm] = value
            tournament.set_value(tree, arm, value)
            least = int(np.argmin(values))
            assert tree[1] == values.min()
            assert tournament.leader(tree) == least
            assert tournament.runner_up_value(tree, least) == np.delete(values, least).min()
