"""Record stopping times of nprr's conjugate mixture, for config/others.yaml.

Needs an environment with nprr 0.1.4 and confseq 0.0.11, which is not ours: both are source-only,
need Boost, pybind11 < 2.12 and NumPy < 2, and build for two minutes. The values change only with
those packages.

    pip install "numpy<2" "pybind11<2.12" "setuptools<80" scikit-build cmake ninja scipy
    pip install --no-build-isolation confseq nprr
    python benchmarks/record_nprr.py

The confidence sequence ``nprr.dpcs.rr_bernoulli_conjmix_cs`` excludes the threshold as soon as its
martingale there reaches K/delta; this is evaluated directly instead of on the grid of means.
"""

import math

import numpy as np
from confseq.boundaries import beta_binomial_log_mixture
from nprr.dpcs import zeta

TAPES, SEED = 1000, 20261118
SETTINGS = [  # mean, threshold, epsilon, K / delta, answers for which the mixture is tuned
    (0.95, 0.9, math.inf, 10, 160),
    (0.95, 0.9, 4.0, 10, 200),
    (0.95, 0.9, 1.0, 10, 2200),
    (0.6, 0.5, 1.0, 10, 1500),
    (0.45, 0.3, 1.662, 80, 250),
]


def stopping_time(rng, truth, private, level, tuned):
    """Return the first number of answers at which the martingale at the threshold is large."""
    n = total = 0
    while True:
        t = np.arange(n + 1, n + tuned + 1)
        sums = total + np.cumsum((rng.random(tuned) < truth) - private)
        variance = private * (1 - private)
        martingale = beta_binomial_log_mixture(
            sums, variance * t, v_opt=variance * tuned, g=private, h=1 - private, is_one_sided=False
        )
        crossed = np.flatnonzero(martingale >= math.log(level))
        if crossed.size:
            return t[crossed[0]]
        n, total = t[-1], sums[-1]


for number, (mean, threshold, epsilon, level, tuned) in enumerate(SETTINGS):
    rng = np.random.default_rng([SEED, number])
    r = math.tanh(epsilon / 2)
    private, truth = zeta(threshold, r), zeta(mean, r)
    times = [stopping_time(rng, truth, private, level, tuned) for _ in range(TAPES)]
    error = np.std(times, ddof=1) / math.sqrt(TAPES)
    setting = f"mean: {mean}, threshold: {threshold}, epsilon: {epsilon}, level: {level}"
    setting = setting.replace("inf", ".inf")
    print(f"  - {{{setting}, tuned: {tuned}, theirs: {np.mean(times):.2f}, error: {error:.2f}}}")
