"""The register of claims and its evidence."""
