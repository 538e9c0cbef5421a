"""Helpers that know nothing of bandits: atomic file writes, JSON, one-line messages, threads."""
