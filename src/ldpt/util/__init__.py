"""Input and output: atomic file writes, tables of runs, JSON, one-line messages, threads."""
