"""What only the replication of this paper needs: its claims, published numbers, the article.

Nothing else of the package imports it.
"""
