"""What readers get: tables, numbers of the article, explorer, README."""
