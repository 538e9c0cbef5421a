"""What do the LSA index, uniform allocation and Laplace noise cost beside Algorithm 1?"""

from ldpt.figures import fixed_budget_baselines, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(fixed_budget_baselines, this)
