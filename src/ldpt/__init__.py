"""Locally differentially private thresholding bandits: algorithms, engines, bounds and audits."""

__version__ = "1.0.0"
