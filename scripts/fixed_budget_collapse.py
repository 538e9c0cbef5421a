"""Do the error curves of all privacy levels become one when drawn against T / H_eps?"""

from ldpt.figures import fixed_budget_collapse, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(fixed_budget_collapse, this)
