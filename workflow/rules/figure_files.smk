# Functions of the entries in figures.smk: what a figure reads, and what it writes.

FIGURES = []  # names, in the order of figures.smk


def figure_inputs(name, **tables):
    """Return the inputs of a figure: tables below the results, and its caption."""
    paths = {key: f"<results>/{table}.csv" for key, table in tables.items()}
    return paths | {"caption": source(f"workflow/captions/{name}.rst")}


def figure_outputs(name, category, title):
    """Return the outputs of a figure; Snakemake's report shows the picture with its caption."""
    FIGURES.append(name)
    png, place = f"<figures>/{name}.png", f"results/captions/{name}.rst"
    caption = str(Path(config["root"], place).resolve())
    return {
        "pdf": f"<figures>/{name}.pdf",
        "png": report(png, caption, category=category, labels={"figure": title}),
        "caption": f"<results>/captions/{name}.rst",
        "typst": f"<results>/captions/{name}.typ",
        "facts": f"<results>/captions/{name}.json",
    }


def figure_name(wildcards, output):
    """Return the name of a figure: that of its PDF."""
    return Path(output.pdf).stem
