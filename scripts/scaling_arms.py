"""How does the cost of both algorithms grow with the number of equal arms?"""

from ldpt.figures import products, scaling_arms

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(scaling_arms, this)
