"""The figures: style, elements, captions, and one module per figure.

The module of a figure has three functions. ``prepare`` takes the files and settings that
``workflow/figures.yaml`` names, under those names, and returns the data to draw. ``draw`` makes the
Matplotlib figure of them, ``facts`` the numbers for the caption and the article. Nothing here
simulates.
"""
