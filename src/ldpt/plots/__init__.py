"""What the figure scripts share: style, elements, products.

A figure is ``scripts/NAME.py``. Its ``prepare`` reads tables and settings and returns the data to
draw, ``draw`` returns the Matplotlib figure, ``facts`` the numbers for caption and article.
"""
