"""Is Algorithm 2's cost a constant times H_eps log(4 K H_eps / delta)?"""

from ldpt.figures import fixed_confidence_collapse, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(fixed_confidence_collapse, this)
