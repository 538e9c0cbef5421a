"""How far is Algorithm 2 from optimal at each privacy level, by each lower bound?"""

from ldpt.figures import optimality_gap, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(optimality_gap, this)
