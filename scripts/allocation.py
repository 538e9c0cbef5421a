"""Do both algorithms pull each arm in proportion to its share of the complexity?"""

from ldpt.figures import allocation, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(allocation, this)
