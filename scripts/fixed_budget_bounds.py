"""How close are the bounds to the error probabilities that they bound, far below what is seen?"""

from ldpt.figures import fixed_budget_bounds, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(fixed_budget_bounds, this)
