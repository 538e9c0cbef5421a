"""Locally differentially private thresholding bandits: algorithms, engines, bounds and audits."""

__version__ = "2.2.0"
