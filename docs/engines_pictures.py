"""Draw the four pictures of docs/engines.md from tapes: `python docs/engines_pictures.py`."""

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from ldpt.engines import blocks, fast_budget, tournament
from ldpt.engines.tuning import MIN_BLOCK
from ldpt.policies import POLICIES, index
from ldpt.radii import Radius, lower, upper

COLOURS = {"safe": "#269a5d", "bridged": "#2683e8", "stepped": "#cb182c"}
ARMS = ("#2683e8", "#cb182c", "#269a5d", "#4d2889")


def draw_blocks() -> plt.Figure:
    """Return a walk between two edges, cut into the blocks that the engine would draw."""
    rng = np.random.default_rng(5)
    edge = 150.0
    d = np.concatenate([[0.0], np.cumsum((rng.random(60_000) < 0.5028) - 0.5)])
    figure, axes = plt.subplots(figsize=(6.6, 3.0), layout="constrained")
    n = 0
    seen = set()
    while n < 59_000 and abs(d[n]) < edge:
        corridor = blocks.Corridor(
            edge - d[n], edge + d[n], 0.0, 0.0, 0.5, min(100 * n + 200, 10**5)
        )
        up, down = 2 * corridor.up, 2 * corridor.down
        bridged = blocks.two_sided_length(up, down, 0.006, 0.0, corridor.limit, True)
        safe = blocks.safe_length(corridor, corridor.limit)
        kind, m = "stepped", 62
        if bridged >= MIN_BLOCK and bridged > 2 * safe:
            kind, m = "bridged", bridged
        elif safe >= min(MIN_BLOCK, corridor.limit):
            kind, m = "safe", safe
        x = np.arange(n, min(n + m, 59_999) + 1)
        step = max(1, m // 300)
        label = kind if kind not in seen else None
        axes.plot(x[::step], d[x][::step], color=COLOURS[kind], linewidth=0.9, label=label)
        axes.axvline(n, color="0.9", linewidth=0.6, zorder=0)
        seen.add(kind)
        n = int(x[-1])
    for side in (edge, -edge):
        axes.axhline(side, color="0.2", linestyle="--", linewidth=1)
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 0.1))
    axes.set(xlabel="pulls of the arm", ylabel="d = s - n tau")
    return figure


def literal_indices(tape: np.ndarray, pulls: int) -> tuple[np.ndarray, np.ndarray]:
    """Run Algorithm 1 on a tape; return the index of every arm and the pulled arm at each time."""
    rule = POLICIES["apt"].rule(0.5, 0.0, np.inf)
    n = np.zeros(len(tape), int)
    indices = []
    arms = []
    values = np.full(len(tape), -1.0)
    for _ in range(pulls):
        arm = int(np.argmin(values))
        n[arm] += 1
        values[arm] = index(rule, n[arm], tape[arm, n[arm]])
        indices.append(np.maximum(values, 0))
        arms.append(arm)
    return np.array(indices), np.array(arms)


def draw_window() -> plt.Figure:
    """Return the indices of three arms: a window up to a level, then excursions."""
    rng = np.random.default_rng(2)
    means = np.array([0.35, 0.6, 0.7])
    tape = np.pad(np.cumsum(rng.random((3, 400)) < means[:, None], axis=1), ((0, 0), (1, 0)))
    indices, arms = literal_indices(tape, 150)
    level = 0.6
    end = int(np.argmax((indices > level).all(axis=1)))
    figure, axes = plt.subplots(figsize=(6.6, 3.0), layout="constrained")
    for k, colour in enumerate(ARMS[:3]):
        axes.step(np.arange(1, 151), indices[:, k], where="post", color=colour, linewidth=1)
        pulled = np.flatnonzero(arms == k)
        axes.plot(
            pulled + 1, np.full(pulled.size, -0.12 - 0.1 * k), "|", color=colour, markersize=5
        )
    axes.axhline(level, color="0.2", linestyle="--", linewidth=1)
    axes.axvspan(1, end + 1, color="0.93", zorder=0)
    axes.text(end / 2, 1.2, "window: all arms\npass the level l", ha="center", va="top")
    axes.text(end + 5, 1.2, "excursions: the least index\npasses the second least", va="top")
    axes.text(147, level + 0.02, "l")
    axes.set(xlabel="pulls of all arms", ylabel="index", ylim=(-0.45, 1.3))
    return figure


def draw_undo() -> plt.Figure:
    """Return the rows of three arms after a window was undone, and after some were read again."""
    rng = np.random.default_rng(4)
    means = np.array([0.52, 0.515, 0.49])
    rule = POLICIES["apt"].rule(0.5, 0.0, np.inf)
    state = fast_budget.new_state(3, 60_000)
    state.n[:], state.s[:] = 3000, 1500
    for k in range(3):
        tournament.set_value(state.tree, k, 0.0)
    fast_budget.raise_level(rng, 2.0, 14_000, means, rule, state)
    fast_budget.undo_window(rule, state)
    figure, panels = plt.subplots(2, 1, figsize=(6.6, 3.2), sharex=True, layout="constrained")
    titles = "the window is undone: its log is each arm's future", "after some excursions"
    for panel, title in zip(panels, titles, strict=True):
        for k in range(3):
            x = 0
            for row in state.future[state.head[k] : state.tail[k]]:
                panel.barh(k, row["pulls"], left=x, height=0.6, edgecolor="white", linewidth=0.5,
                           color=("#2683e8", "#cb182c", "#e0a030")[row["kind"]])  # fmt: skip
                x += row["pulls"]
        panel.set_title(title, fontsize=9, loc="left")
        panel.set(yticks=range(3), yticklabels=[f"arm {k}" for k in range(3)])
        fast_budget.excursions(rng, 6000, 9000, means, rule, state)
    panels[1].set_xlabel(
        "responses that no pull has read (blue: sums, red: words, yellow: touching)"
    )
    return figure


def draw_order() -> plt.Figure:
    """Return pulls of each arm under Algorithm 2: groups in key order, one that catches up."""
    rng = np.random.default_rng(11)
    means = np.array([0.5, 0.62, 0.4, 0.8])
    tape = np.pad(np.cumsum(rng.random((4, 3000)) < means[:, None], axis=1), ((0, 0), (1, 0)))
    edge = Radius("printed").at(4, 0.5, 0.5, np.inf)
    n = np.ones(4, int)
    history = []
    is_open = []
    for t in range(4, 500):
        d = tape[np.arange(4), n] - 0.5 * n
        undecided = [-lower(edge, n[k], t) <= d[k] < upper(edge, n[k], t) for k in range(4)]
        if not any(undecided):
            break
        arm = min((k for k in range(4) if undecided[k]), key=lambda k: (n[k], k))
        n[arm] += 1
        history.append(n.copy())
        is_open.append(undecided)
    pulls = np.array(history)
    is_open = np.array(is_open)
    figure, axes = plt.subplots(figsize=(6.6, 3.0), layout="constrained")
    for k, colour in enumerate(ARMS):
        t = 5 + np.arange(len(pulls))
        axes.plot(t, pulls[:, k], color=colour, linewidth=0.8, alpha=0.5)
        now = is_open[:, k]
        axes.plot(t[now], pulls[now, k], ".", color=colour, markersize=2.5, label=f"arm {k}")
    axes.legend(frameon=False, title="dots: undecided")
    axes.set(xlabel="pulls of all arms", ylabel="pulls of the arm")
    return figure


if __name__ == "__main__":
    matplotlib.rcParams["svg.hashsalt"] = "ldpt"
    folder = Path(__file__).parent / "pictures"
    for draw in (draw_blocks, draw_window, draw_undo, draw_order):
        name = draw.__name__.removeprefix("draw_")
        draw().savefig(folder / f"engines_{name}.svg", metadata={"Date": None})
