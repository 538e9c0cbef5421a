"""How fast does Algorithm 1's error probability fall with the budget at each privacy level?"""

from ldpt.figures import fixed_budget_error, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(fixed_budget_error, this)
