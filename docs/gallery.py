"""Run the code of the gallery page and keep the picture of each block: `python docs/gallery.py`."""

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("gallery.md")
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n!\[[^\]]*\]\(([^)]+)\)\n)?", re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    """Return code and picture of each block of the page; the first has no picture."""
    return BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def draw() -> None:
    """Run the blocks that need no finished run, and write the figure that each one draws."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("agg")
    names: dict[str, Any] = {}
    for code, picture in blocks():
        if "open_run" in code:
            continue
        exec(compile(code, PAGE.name, "exec"), names)
        if picture:
            plt.gcf().savefig(PAGE.parent / picture, dpi=110, metadata={"Software": None})
            plt.close("all")


if __name__ == "__main__":
    draw()
