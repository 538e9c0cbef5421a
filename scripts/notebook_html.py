"""Render the executed notebook as one HTML page without network access or local paths."""

import re
from pathlib import Path

from ldpt.io.schemas import skip_address_grammar

PREAMBLE = "snakemake-job-properties"  # Snakemake's own cell: absolute paths, nothing to read


def render(executed: str) -> str:
    """The page, without Snakemake's cell, without run times and without scripts from elsewhere."""
    skip_address_grammar()
    import nbformat
    from nbconvert import HTMLExporter

    notebook = nbformat.read(executed, as_version=4)
    cells = [c for c in notebook.cells if PREAMBLE not in c.metadata.get("tags", [])]
    for count, cell in enumerate((c for c in cells if c.cell_type == "code"), start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
    for cell in cells:
        cell.metadata = {}
    notebook.cells, notebook.metadata = cells, {"title": "Exploring the results"}
    exporter = HTMLExporter(mathjax_url="", require_js_url="", mermaid_js_url="")
    page, _ = exporter.from_notebook_node(notebook)
    return re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.DOTALL)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        Path(this.output[0]).write_text(render(this.params.executed), encoding="utf-8")
