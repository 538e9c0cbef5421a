"""Reading and writing: files that a crash cannot cut, tables of runs, and one-line messages.

Nothing here computes; every other part of the package may use it.
"""
