"""What does Algorithm 2 cost at each privacy level, and where between its bounds is that?"""

from ldpt.figures import fixed_confidence_cost, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(fixed_confidence_cost, this)
