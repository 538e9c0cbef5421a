"""Is Algorithm 2's cost a constant times H_eps log(4 K H_eps / delta)?"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.plots import captions, elements, style
from ldpt.radii import RADII


class Data(NamedTuple):
    """``costs``: rows of the summary with estimate, low, high of E[T] over the theorem's scale."""

    costs: pd.DataFrame
    delta: float  # of the panel against epsilon


def prepare(files: Any, settings: Any) -> Data:
    """Costs over the scale of Theorem 4.1, H_eps log(4 K H_eps / delta)."""
    table = pd.read_csv(files.summary)
    inside = 4 * table["n_arms"] * table["complexity"] / table["delta"]
    return Data(
        elements.mean_pulls(table, table["complexity"] * np.log(inside)), float(settings.delta)
    )


def draw(data: Data) -> Figure:
    """Scaled cost against epsilon, delta and K."""
    costs = data.costs
    figure, (by_epsilon, by_delta, by_arms) = elements.panels(3, 3, 2.2, sharey=True)
    x_of = elements.epsilon_axis(by_epsilon, costs["epsilon"])
    family = costs["instance"].str.startswith("equal-gap-")
    others, keys = costs[~family], ["instance", "radius"]
    for (_, radius), curve in others[others["delta"] == data.delta].groupby(keys):
        curve = curve.sort_values("epsilon")
        x = [x_of(e) for e in curve["epsilon"]]
        elements.points_by_epsilon(by_epsilon, x, curve, str(radius), size=3.0)
    for (_, radius, _), curve in others.groupby([*keys, "epsilon"]):
        if len(curve) > 1:
            curve = curve.sort_values("delta")
            elements.points_by_epsilon(
                by_delta, curve["delta"].tolist(), curve, str(radius), size=3.0
            )
    for radius, curve in costs[family].groupby("radius"):
        curve = curve.sort_values("n_arms")
        elements.points_by_epsilon(by_arms, curve["n_arms"].tolist(), curve, str(radius), size=3.0)
    elements.log_axes(by_delta, "x")
    by_delta.set_xlabel("error level δ")
    elements.arms_axis(by_arms, costs.loc[family, "n_arms"])
    elements.log_axes(by_epsilon, "y")
    elements.fine_ticks(by_epsilon, "y")
    by_epsilon.set_ylabel(r"$E[T]\,/\,(H_ε \log(4 K H_ε / δ))$")
    elements.method_legend(figure, elements.radius_handles(costs))
    elements.epsilon_legend(figure, costs["epsilon"])
    figure.get_layout_engine().set(w_pad=0.1)  # labels at the ends of two axes stay apart
    return figure


def facts(data: Data) -> dict[str, Any]:
    """The range of the scaled cost for each radius, and that of the pulls themselves."""
    costs = data.costs
    found: dict[str, Any] = {
        "points": len(costs),
        "replicates": int(costs["replicates"].min()),
        "pulls_least": float(costs["mean_pulls"].min()),
        "pulls_most": float(costs["mean_pulls"].max()),
        "ranges": [],
    }
    for radius in elements.in_order(costs["radius"], RADII):
        scaled = costs.loc[costs["radius"] == radius, "estimate"]
        found[f"{radius}_least"], found[f"{radius}_most"] = float(scaled.min()), float(scaled.max())
        found["ranges"].append(f"{elements.span(scaled)} for {style.label(radius)}")
    return found


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
