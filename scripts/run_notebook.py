"""Execute the notebook on the results of this run and render it as one page."""

import re
import sys
from pathlib import Path

import nbclient
import nbformat
from nbconvert import HTMLExporter


def execute(notebook: str, root: str) -> nbformat.NotebookNode:
    """Return the notebook, executed on the run in this folder, without run times.

    The first code cell of the notebook names the run. The page keeps it as it is in Jupyter.
    Messages on stderr, which may name folders of this machine, go to the log.
    """
    page = nbformat.read(notebook, as_version=4)
    first = next(cell for cell in page.cells if cell.cell_type == "code")
    source, first.source = first.source, f"RUN = {root!r}"
    nbclient.NotebookClient(page, kernel_name="python3").execute()
    first.source = source
    for count, cell in enumerate((c for c in page.cells if c.cell_type == "code"), start=1):
        cell.execution_count = count
        for output in list(cell.outputs):
            if output.get("name") == "stderr":
                sys.stderr.write(output.text)
                cell.outputs.remove(output)
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
        root = Path(step.input.instances).parents[1].resolve()
        page = execute(step.input.notebook, str(root))
        Path(step.output.page).write_text(render(page), encoding="utf-8")
