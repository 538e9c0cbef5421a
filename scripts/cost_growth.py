"""How does the cost of simulations grow with replicates, privacy and the number of arms?"""

from ldpt.figures import cost_growth, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(cost_growth, this)
