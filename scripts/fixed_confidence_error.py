"""Does Algorithm 2 keep its promise: is its error probability at most delta for each radius?"""

from ldpt.figures import fixed_confidence_error, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(fixed_confidence_error, this)
