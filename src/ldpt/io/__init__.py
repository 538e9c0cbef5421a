"""Reading and writing: files that a crash cannot cut, runs, JSON, one-line messages, Ctrl-C.

Nothing here computes; every other part of the package may use it.
"""
