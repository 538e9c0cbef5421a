"""Simulate chunks of a finished run again, from their records alone, and compare bit for bit."""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ldpt import simulate
from ldpt.instances import Instance
from ldpt.radii import Radius

Stable = Mapping[str, Any]


def replay_chunks(
    root: Path, records: Mapping[str, Stable], count: int, seed: int
) -> tuple[list[str], list[tuple[str, str]]]:
    """Replay ``count`` chunks chosen with this seed: their names, and what differs and how."""
    chunks = [(name, chunk) for name in records for chunk in _known_chunks(name, records[name])]
    chosen = random.Random(seed).sample(chunks, min(count, len(chunks)))
    differing = []
    for name, chunk in chosen:
        difference = _difference(root, name, records[name], chunk)
        if difference:
            differing.append((name, f"chunk {_label(chunk)}: {difference}"))
    return [f"{name} chunk {_label(chunk)}" for name, chunk in chosen], differing


def _label(chunk: tuple) -> str:
    return "/".join(map(str, chunk))


def _known_chunks(name: str, stable: Stable) -> list[tuple]:
    """The chunks of a product whose record is of this version of the package."""
    try:
        return list(_chunks(stable))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{name} cannot be replayed: another version of ldpt made it (no parameter {error}); "
            "set PYTHONPATH to the folder src of its project"
        ) from None


def _chunks(stable: Stable) -> Iterator[tuple]:
    """The chunks of one product that can be replayed; only simulations have any."""
    params, rule = stable["params"], stable["rule"]
    if rule == "simulate_fixed_budget":
        for policy, name, level in _levels(params["methods"]):
            numbers = simulate.chunks(level["replicates"])
            yield from ((policy, name, number) for number, _ in numbers)
    elif rule == "simulate_fixed_confidence":
        for radius, name, level in _levels(params["methods"]):
            numbers = [number for number, _ in simulate.chunks(level["replicates"])]
            yield from itertools.product([radius], [name], level["deltas"], numbers)
    elif rule == "simulate_mechanism":
        for law in simulate.REWARD_LAWS:
            yield from ((law, float(epsilon)) for epsilon in params["mechanism"]["epsilons"])


def _levels(methods: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield policy or radius, privacy level, and what was simulated there."""
    for method, levels in methods.items():
        for name, level in levels.items():
            yield method, name, level


def _difference(root: Path, name: str, stable: Stable, chunk: tuple) -> str:
    """What is not equal between the product and the replay; empty when all is."""
    try:
        kept = pd.read_parquet(root / name)
    except (OSError, ValueError) as error:
        return f"the product cannot be read: {' '.join(str(error).split())}"
    kept, again = REPLAYS[stable["rule"]](root, stable, chunk, kept)
    kept, again = kept.reset_index(drop=True), again.reset_index(drop=True)
    if list(kept.columns) != list(again.columns) or len(kept) != len(again):
        return "columns or number of rows differ"
    unequal = [str(column) for column in kept if not kept[column].equals(again[column])]
    return f"columns differ: {', '.join(unequal)}" if unequal else ""


def _labelled(runs: pd.DataFrame, labels: Mapping[str, Any]) -> pd.DataFrame:
    """Return the runs behind the labels that their file holds."""
    for place, (name, value) in enumerate(labels.items()):
        runs.insert(place, name, value)
    return runs


def _budget(
    root: Path, stable: Stable, chunk: tuple, kept: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    params, (policy, name, number) = stable["params"], chunk
    problem, epsilon = Instance(**params["problem"]), float(name)
    level = params["methods"][policy][name]
    runs = level["budgets"], level["replicates"], params["seed"]
    again = simulate.fixed_budget(problem, epsilon, *runs, policy, chunk=number)
    again = _labelled(again, {"instance": problem.name, "policy": policy, "epsilon": epsilon})
    mine = (kept["policy"] == policy) & (kept["epsilon"] == epsilon)
    return kept[mine & (kept["replicate"] // simulate.CHUNK == number)], again


def _confidence(
    root: Path, stable: Stable, chunk: tuple, kept: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    params, (radius, name, delta, number) = stable["params"], chunk
    problem, epsilon = Instance(**params["problem"]), float(name)
    runs = params["methods"][radius][name]["replicates"], params["seed"]
    edge = Radius(radius, **params["constants"])
    again = simulate.fixed_confidence(problem, epsilon, delta, *runs, edge, chunk=number)
    labels = {"instance": problem.name, "radius": radius, "epsilon": epsilon, "delta": delta}
    again = _labelled(again, labels)
    mine = (kept["radius"] == radius) & (kept["epsilon"] == epsilon) & (kept["delta"] == delta)
    mine &= kept["replicate"] // simulate.CHUNK == number
    # Pulls of each arm are not kept for instances with many arms.
    return kept[mine], again[[column for column in again if column in kept]]


def _mechanism(
    root: Path, stable: Stable, chunk: tuple, kept: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    law, epsilon = chunk
    asked = stable["params"]["mechanism"]
    row = simulate.mechanism(law, asked["mean"], epsilon, asked["draws"], stable["params"]["seed"])
    mine = (kept["law"] == law) & (kept["epsilon"] == epsilon)
    return kept[mine], pd.DataFrame([row]).astype(kept.dtypes.to_dict())


REPLAYS: dict[str, Callable[..., tuple[pd.DataFrame, pd.DataFrame]]] = {
    "simulate_fixed_budget": _budget,
    "simulate_fixed_confidence": _confidence,
    "simulate_mechanism": _mechanism,
}
