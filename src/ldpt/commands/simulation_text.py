"""The summary of simulated runs that ``ldpt simulate`` prints."""

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ldpt.io.json_values import plain
from ldpt.io.messages import counted, short

if TYPE_CHECKING:
    import pandas as pd

    from ldpt.instances import Instance


@dataclass(frozen=True)
class Setting:
    """What was simulated."""

    problem: str
    means: tuple[float, ...]
    threshold: float
    tolerance: float
    epsilon: float
    delta: float | None
    method: str
    replicates: int
    seed: int

    @classmethod
    def of(cls, instance: "Instance", arguments: argparse.Namespace) -> "Setting":
        """Return the setting of a problem and the command's options."""
        return cls(
            instance.name,
            tuple(map(float, instance.means)),
            instance.threshold,
            0.0 if arguments.delta is not None else instance.tolerance,
            arguments.epsilon,
            arguments.delta,
            arguments.policy or arguments.radius,
            arguments.replicates,
            arguments.seed,
        )


def as_text(setting: Setting, summary: "pd.DataFrame") -> str:
    """Return the summary as labelled lines."""
    return "\n".join([*_head(setting), "", *_body(setting, summary)])


def as_json(setting: Setting, summary: "pd.DataFrame") -> str:
    """Return setting and summary as JSON; infinity is written "inf", NaN null."""
    rows = [
        {str(key): None if value != value else value for key, value in row.items()}
        for row in summary.to_dict("records")
    ]
    return json.dumps(plain(asdict(setting) | {"summary": rows}), indent=1, allow_nan=False)


def _head(setting: Setting) -> Iterator[str]:
    tolerance = f", tolerance {setting.tolerance:g}" if setting.tolerance else ""
    means = short(", ".join(f"{mean:g}" for mean in setting.means), 40)
    yield (
        f"{setting.problem}: {counted(len(setting.means), 'arm')} ({means}), threshold "
        f"{setting.threshold:g}{tolerance}"
    )
    level = "no privacy" if math.isinf(setting.epsilon) else f"epsilon {setting.epsilon:g}"
    method = f"policy {setting.method}"
    if setting.delta is not None:
        method = f"radius {setting.method}, delta {setting.delta:g}"
    yield f"{method}, {level}: {setting.replicates:,} runs, seed {setting.seed}"


def _body(setting: Setting, summary: "pd.DataFrame") -> Iterator[str]:
    rows: list[dict[Any, Any]] = summary.to_dict("records")
    if setting.delta is None:
        yield f"{'answers':>12}  {'error probability':<17}  95 % interval"
        for row in rows:
            limits = f"{row['low']:.3g} .. {row['high']:.3g}"
            yield f"{row['budget']:>12,}  {row['estimate']:<17.3g}  {limits}"
        return
    row = rows[0]
    error = f"{row['estimate']:.3g}  (95 % interval {row['low']:.3g} .. {row['high']:.3g})"
    yield _line("error probability", f"{error}, promised {setting.delta:g}")
    if not math.isnan(row["mean_pulls"]):
        limits = f"{row['mean_pulls_low']:,.0f} .. {row['mean_pulls_high']:,.0f}"
        yield _line("answers on average", f"{row['mean_pulls']:,.0f}  (95 % interval {limits})")
    share = f"{100 * (1 - setting.delta):g} % of runs stop by"
    late = row["quantile_pulls"]
    yield _line(share, f"{late:,.0f} answers" if math.isfinite(late) else "no limit that was seen")
    if row["undecided"]:
        yield _line("runs given up", f"{row['undecided']:,}")


def _line(label: str, value: str) -> str:
    return f"{label:<24}{value}"
