"""What does each radius of Algorithm 2 cost?"""

from ldpt.figures import fixed_confidence_radii, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(fixed_confidence_radii, this)
