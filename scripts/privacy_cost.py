"""What does privacy cost, and does the mechanism charge the same whatever the law of rewards?"""

from ldpt.figures import privacy_cost, products

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        products.write(privacy_cost, this)
