"""Draw the manual's picture of the mechanism: `python docs/pictures.py`."""

import math
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

from ldpt.privacy import private_mean

LEVELS = {math.inf: "no privacy", 2.0: "ε = 2", 1.0: "ε = 1", 0.25: "ε = 0.25"}


def draw() -> plt.Figure:
    """Return the mean of the responses against the mean reward, one line per privacy level."""
    figure, axes = plt.subplots(figsize=(4.6, 3.2), layout="constrained")
    for shade, (epsilon, label) in enumerate(LEVELS.items()):
        ends = private_mean([0.0, 1.0], epsilon)
        axes.plot([0, 1], ends, color=f"{0.2 * shade:.1f}")
        axes.annotate(label, (1, ends[1]), xytext=(4, 0), textcoords="offset points", va="center")
    axes.axhline(0.5, color="0.85", linewidth=0.8, zorder=0)
    axes.set(xlabel="mean reward", ylabel="mean of the responses", xlim=(0, 1), ylim=(0, 1))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    matplotlib.rcParams["svg.hashsalt"] = "ldpt"
    folder = Path(__file__).parent / "pictures"
    folder.mkdir(exist_ok=True)
    draw().savefig(folder / "mechanism.svg", metadata={"Date": None})
