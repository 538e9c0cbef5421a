"""Execute the notebook on the results of this run and render it as one page."""

import re
from pathlib import Path

import nbclient
import nbformat
from nbconvert import HTMLExporter


def execute(notebook: str, results: str, table: str) -> nbformat.NotebookNode:
    """Return the executed notebook, without the cell that set its paths and without run times."""
    page = nbformat.read(notebook, as_version=4)
    paths = nbformat.v4.new_code_cell(f"RESULTS, TABLE = {results!r}, {table!r}")
    page.cells.insert(0, paths)
    nbclient.NotebookClient(page, kernel_name="python3").execute()
    del page.cells[0]
    for count, cell in enumerate((c for c in page.cells if c.cell_type == "code"), start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
    for cell in page.cells:
        cell.metadata = {}
    page.metadata = {"title": "Exploring the results"}
    return page


def render(page: nbformat.NotebookNode) -> str:
    """Return the page as HTML without scripts from elsewhere."""
    exporter = HTMLExporter(mathjax_url="", require_js_url="", mermaid_js_url="")
    text, _ = exporter.from_notebook_node(page)
    return re.sub(r"<script[^>]*>.*?</script>", "", text, flags=re.DOTALL)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake, snakemake.input.notebook) as step:
        results = Path(step.input.instances).parent.resolve()
        table = Path(step.output.table).resolve()
        page = execute(step.input.notebook, str(results), str(table))
        Path(step.output.page).write_text(render(page), encoding="utf-8")
