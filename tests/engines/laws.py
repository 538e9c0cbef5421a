"""What the tests of the engines share: a test of fit and all orders of a few responses."""

import itertools

import numpy as np
from scipy.stats import chisquare

LEVEL = 1e-4


def fits(sample, weights):
    """p-value of a chi-squared test of whole numbers against their probabilities from 0 on."""
    observed = np.bincount(sample, minlength=len(weights)).astype(float)
    expected = np.asarray(weights) * len(sample)
    common = expected >= 5
    observed = np.append(observed[common], observed[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    if expected[-1] < 5:  # too little for a separate cell
        observed = np.append(observed[:-2], observed[-2:].sum())
        expected = np.append(expected[:-2], expected[-2:].sum())
    return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


def arrangements(m, ones):
    """All orders of ``ones`` ones among m responses."""
    for places in itertools.combinations(range(m), ones):
        yield tuple(int(j in places) for j in range(m))


def walk_of(responses):
    return np.cumsum(2 * np.array(responses) - 1)
