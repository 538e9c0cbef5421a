"""The description of a config: types, ranges and meaning of every key.

The JSON schema for editors and ``config/README.md`` are generated from these models
(:mod:`ldpt.publishing.config_reference`); :mod:`ldpt.config` checks a config against them and
turns what they find into one line.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
)
from pydantic import model_validator as validator

from ldpt.checks import MAX_SEED, MIN_DELTA, MIN_EPSILON
from ldpt.grid import epsilon_name
from ldpt.instances import MAX_MIN_GAP, NEW_LAWS
from ldpt.io.messages import short, shown, unknown
from ldpt.limits import MAX_PULLS, MAX_REPLICATES
from ldpt.policies import INDEX_POLICIES, POLICIES
from ldpt.radii import RADII

Item = TypeVar("Item")

MAX_ARMS = 100_000
NAME = r"^[A-Za-z0-9][A-Za-z0-9.-]*\z"


class Section(BaseModel):
    """A mapping of known keys; numbers are numbers, and only epsilon may be infinite."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def _known(kind: str, names: Iterable[str]) -> AfterValidator:
    """Return the check of a name out of a table."""
    known = tuple(names)

    def check(name: str) -> str:
        if name not in known:
            raise ValueError(unknown(kind, name, known))
        return name

    return AfterValidator(check)


def _enum(names: Iterable[str]) -> Any:
    """Return what the JSON schema says of a name out of a table."""
    return Field(json_schema_extra={"enum": list(names)})


def _distinct_name(epsilon: float) -> float:
    if float(epsilon_name(epsilon)) != epsilon:
        raise ValueError(
            f"{epsilon} has more than six digits, tables would call it {epsilon_name(epsilon)}"
        )
    return epsilon


def _folder(root: str) -> str:
    """Refuse characters to which Snakemake gives a meaning in file names."""
    odd = [one for one in root if one in '{}<>*?[]|"' or not one.isprintable()]
    odd += [end for end in (root[:1], root[-1:]) if end.isspace()] + [root[:1]] * (root[:1] == "~")
    if odd:
        raise ValueError(f"{shown(root)} must be the name of a folder without {odd[0]!r}")
    if any(len(part.encode()) > 200 for part in root.split("/")):
        raise ValueError(f"{shown(root)} must be a name of at most 200 bytes")
    return root


Some = Annotated[list[Item], Field(min_length=1)]
Unit = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Probability = Annotated[float, Field(gt=0, lt=1)]
Epsilon = Annotated[
    float, Field(ge=MIN_EPSILON, allow_inf_nan=True), AfterValidator(_distinct_name)
]
Delta = Annotated[float, Field(ge=MIN_DELTA, lt=1)]
Count = Annotated[int, Field(ge=1, le=MAX_REPLICATES)]
Arms = Annotated[int, Field(ge=1, le=MAX_ARMS)]
Constant = Annotated[float, Field(ge=1e-100, le=1e100)]
MinGap = Annotated[float, Field(gt=0, le=MAX_MIN_GAP)]
Policy = Annotated[str, _known("policy", POLICIES), _enum(POLICIES)]
IndexPolicy = Annotated[str, _known("policy", INDEX_POLICIES), _enum(INDEX_POLICIES)]
RadiusName = Annotated[str, _known("radius", RADII), _enum(RADII)]
Law = Annotated[str, _known("law", NEW_LAWS), _enum(NEW_LAWS)]

THRESHOLD: Any = Field(description="tau, which the means are compared with")
NAMES: Any = Field(description="instances by name; in studies also patterns such as random-*")
EPSILONS: Any = Field(description="privacy levels of at most six digits; .inf means no privacy")
DELTAS: Any = Field(description="error levels")
MULTIPLES = "budgets in units of H_eps, of which at least one must reach 2K pulls"
REPLICATES: Any = Field(None, description="number of independent runs, instead of a precision")


class Problem(Section):
    """One problem."""

    name: Annotated[str, Field(max_length=60, pattern=NAME)] = Field(
        description="of the instance and its files; unique, also without regard to case"
    )
    means: Some[Unit] = Field(description="mean rewards of the arms")
    threshold: Unit = THRESHOLD
    tolerance: Unit = Field(0.0, description="zeta: within it either answer is right")


class EqualGap(Section):
    """Problems equal-gap-K: half of the arms below and half above the threshold."""

    family: Literal["equal-gap"]
    arms: Some[Arms] = Field(description="numbers K of arms, one instance for each")
    gap: Annotated[float, Field(gt=0, le=1)] = Field(
        description="distance of every arm from the threshold"
    )
    threshold: Unit = THRESHOLD


class Random(Section):
    """Problems random-1, random-2, ...: means drawn from Beta(2, 2)."""

    family: Literal["random"]
    count: Annotated[int, Field(ge=1, le=1000)] = Field(description="number of instances")
    arms: Arms = Field(description="number of arms")
    threshold: Unit = THRESHOLD
    min_gap: MinGap = Field(description="means closer to the threshold are drawn again")


class New(Section):
    """Problems new-LAW-K-1, ...: drawn after the claims about them were registered."""

    family: Literal["new"]
    laws: Some[Law] = Field(description="laws of the means")
    arms: Some[Arms] = Field(description="numbers of arms")
    count: Annotated[int, Field(ge=1, le=1000)] = Field(description="draws per law and arms")
    threshold: Unit = THRESHOLD
    min_gap: MinGap = Field(description="means closer to the threshold are drawn again")


class Skewed(Section):
    """Problems skewed-1, skewed-2, ...: as random, at thresholds out of .1, .2, .3, .7, .8, .9."""

    family: Literal["skewed"]
    count: Annotated[int, Field(ge=1, le=1000)] = Field(description="number of instances")
    arms: Arms = Field(description="number of arms")
    min_gap: MinGap = Field(description="means closer to the threshold are drawn again")


def _kind(entry: Any) -> str:
    """Return the family of an entry of ``instances``; a single problem has none."""
    family = entry.get("family", "problem") if isinstance(entry, dict) else "problem"
    return family if isinstance(family, str) else "problem"


Entry = Annotated[
    Annotated[Problem, Tag("problem")]
    | Annotated[EqualGap, Tag("equal-gap")]
    | Annotated[Random, Tag("random")]
    | Annotated[New, Tag("new")]
    | Annotated[Skewed, Tag("skewed")],
    Discriminator(_kind),
]


class Precision(Section):
    """What every setting must reach, with 95 % intervals."""

    relative_half_width: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="of the mean stopping time"
    )
    error: Probability | None = Field(None, description="an error probability of this size")
    log_half_width: Positive | None = Field(
        None, description="is known to this half-width of its logarithm"
    )
    least: Count | None = Field(None, description="runs of every setting at least")
    most: Count | None = Field(None, description="runs of every setting at most")


class Sized(Section):
    """Has a number of runs, or a precision from which it follows."""

    replicates: Count | None = REPLICATES
    precision: Precision | None = Field(None, description="what every setting must reach")


class BudgetStudy(Sized):
    """A grid of problems, policies, privacy levels and budgets."""

    instances: Some[str] = NAMES
    policies: Some[Policy] = Field(description="how the next arm is chosen")
    epsilons: Some[Epsilon] = EPSILONS
    multiples: Some[Positive] | None = Field(None, description=MULTIPLES)
    budgets: Some[Annotated[int, Field(ge=2, le=MAX_PULLS)]] | None = Field(
        None, description="budgets in pulls, at least 2K"
    )

    @validator(mode="after")
    def _needs_budgets(self) -> "BudgetStudy":
        if self.multiples is None and self.budgets is None:
            raise ValueError("'multiples' or 'budgets' is missing")
        return self


class ConfidenceStudy(Sized):
    """A grid of problems, radii, privacy levels and error levels."""

    instances: Some[str] = NAMES
    radii: Some[RadiusName] | None = Field(None, description="all of them if not given")
    epsilons: Some[Epsilon] = EPSILONS
    deltas: Some[Delta] = DELTAS


class _Simulations(Sized):
    @validator(mode="after")
    def _needs_size(self) -> "_Simulations":
        if self.replicates is None and self.precision is None:
            raise ValueError("'precision' or 'replicates' is missing")
        return self


class FixedBudget(_Simulations):
    """Simulations of a fixed number of pulls."""

    studies: Some[BudgetStudy] = Field(description="settings that several name are run once")


class FixedConfidence(_Simulations):
    """Simulations of Algorithm 2 to its stopping time."""

    studies: Some[ConfidenceStudy] = Field(description="settings that several name are run once")


class ExtraStudy(Section):
    """What is run on the problems of ``extra_instances``."""

    policies: Some[Policy] = Field(description="at a fixed budget")
    radii: Some[RadiusName] = Field(description="of Algorithm 2")
    epsilons: Some[Epsilon] = EPSILONS
    multiples: Some[Positive] = Field(description=MULTIPLES)
    deltas: Some[Delta] = DELTAS
    replicates: Count = Field(description="number of independent runs")


class Mechanism(Section):
    """Responses of the real mechanism to several laws of rewards."""

    epsilons: Some[Epsilon] = EPSILONS
    draws: Count = Field(description="responses per law and privacy level")
    mean: Unit = Field(description="mean reward of all laws")


class Allocation(Section):
    """Pulls of each arm under both algorithms."""

    instances: list[str] = Field(description="whose arms are counted")
    epsilons: Some[Epsilon] = EPSILONS
    multiple: Positive = Field(description="budget of Algorithm 1 in units of H_eps")
    replicates: Count = Field(description="number of independent runs")


def _panels(figure: str) -> Any:
    return Field(description=f"instances that are panels of {figure}")


class Figures(Section):
    """Problems and levels that the figures show; each must be simulated by a study."""

    fixed_budget: list[str] = _panels("the fixed-budget figures")
    collapse: list[str] = _panels("fixed_budget_collapse")
    bounds: list[str] = _panels("fixed_budget_bounds")
    baselines: list[str] = _panels("fixed_budget_baselines")
    fixed_confidence: list[str] = _panels("the fixed-confidence figures")
    epsilon: Epsilon = Field(description="privacy level of figures that show one")
    delta: Delta = Field(description="error level of figures that show one")
    error: Probability = Field(description="error probability at which budgets are compared")


class MapCells(Section):
    """Settings of the error map."""

    radii: Some[RadiusName] = Field(description="boundaries of Algorithm 2")
    thresholds: Some[Annotated[float, Field(gt=0.1, lt=1)]] = Field(description="thresholds")
    gaps: Some[Annotated[float, Field(gt=0, le=0.1)]] = Field(
        description="distance of the hard arm above the threshold"
    )
    epsilons: Some[Epsilon] = EPSILONS
    deltas: Some[Delta] = DELTAS
    replicates: Count | None = REPLICATES


class ErrorMap(Section):
    """Error divided by delta of Algorithm 2 on small problems."""

    one_arm: list[MapCells] = Field(description="problems of one arm, computed exactly")
    two_arms: list[MapCells] = Field(description="an easy and a hard arm, simulated")

    @validator(mode="after")
    def _needs_replicates(self) -> "ErrorMap":
        if any(cells.replicates is None for cells in self.two_arms):
            raise ValueError("'replicates' is missing in two_arms")
        return self


class Curves(Section):
    """A grid of problems, privacy levels and scaled budgets."""

    instances: Some[str] = NAMES
    policies: Some[IndexPolicy] = Field(["apt"], description="how the next arm is chosen")
    epsilons: Some[Epsilon] = EPSILONS
    multiples: Some[Positive] = Field(description=MULTIPLES)
    replicates: Count | None = REPLICATES


class Sampled(Section):
    """Errors at a fixed budget by importance sampling."""

    replicates: Count = Field(description="number of independent runs")
    studies: list[Curves] = Field(description="grids of problems and settings")


class SampledStudy(Section):
    """A grid for importance sampling of Algorithm 2."""

    instances: Some[str] = NAMES
    radii: Some[RadiusName] = Field(description="boundaries of Algorithm 2")
    epsilons: Some[Epsilon] = EPSILONS
    deltas: Some[Delta] = DELTAS
    replicates: Count | None = REPLICATES


class SampledConfidence(Section):
    """Errors of Algorithm 2 by importance sampling."""

    replicates: Count = Field(description="number of independent runs")
    studies: list[SampledStudy] = Field(description="grids of problems and settings")


class ExactCurves(Section):
    """Errors at a fixed budget on one or two arms without randomness."""

    studies: list[Curves] = Field(description="grids of problems and settings")


class ProofChecks(Section):
    """Numerical checks of the appendix."""

    erring_runs: Annotated[int, Field(ge=1, le=10**6)] = Field(
        description="runs with a wrong answer, per policy"
    )
    chains: Annotated[int, Field(ge=1, le=10**6)] = Field(
        description="exact chains on which each inequality is checked"
    )


class Config(Section):
    """All keys of a config."""

    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = Field(
        description="root of every random stream"
    )
    root: Annotated[str, Field(min_length=1), AfterValidator(_folder)] = Field(
        description="folder under which figures/, results/ and paper/ are written"
    )
    rho: Constant = Field(description="tuning constant of the mixture radius")
    prior_gap: Constant = Field(
        description="scale of the prior on a gap, in rewards, of the onesided radius"
    )
    instances: Some[Entry] = Field(description="problems by name, or families of them")
    extra_instances: list[Problem] = Field(
        [],
        description="problems of yours: with any, only they are run, by extra_study, "
        "under results/NAME of the first unless root is given",
    )
    extra_study: ExtraStudy
    fixed_budget: FixedBudget
    fixed_confidence: FixedConfidence
    mechanism: Mechanism
    allocation: Allocation
    figures: Figures
    error_map: ErrorMap
    rare_fixed_budget: Sampled
    environments: Sampled
    rare_fixed_confidence: SampledConfidence
    proof_checks: ProofChecks
    exact_curves: ExactCurves


# --- checking -------------------------------------------------------------------------------------


def check_keys(config: Mapping[str, Any]) -> None:
    """Check keys, types and ranges; a ValueError names the first one that is wrong."""
    try:
        Config.model_validate(dict(config))
    except ValidationError as error:
        found = error.errors(include_url=False)
        typos = [one for one in found if one["type"] in ("extra_forbidden", "invalid_key")]
        raise ValueError(_complaint((typos or found)[0])) from None


RANGES = {
    "greater_than": ("gt", "must be above"),
    "greater_than_equal": ("ge", "must be at least"),
    "less_than": ("lt", "must be below"),
    "less_than_equal": ("le", "must be at most"),
}
KINDS = {
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "finite_number": "must be finite; only epsilons may be .inf",
    "string_type": "must be text",
    "list_type": "must be a list",
    "model_type": "must hold keys and values",
    "model_attributes_type": "must hold keys and values",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "string_too_long": "must be at most 60 characters long",
    "string_pattern_mismatch": "must be letters, digits, dots and dashes",
}


def _complaint(error: Mapping[str, Any]) -> str:
    """Return an error of Pydantic as one line: key, value, what is allowed."""
    place, kind, value = list(error["loc"]), error["type"], error["input"]
    if place[:1] == ["instances"] and len(place) > 2:
        del place[2]  # the kind of the entry, which is no key
    if kind in ("extra_forbidden", "invalid_key"):
        where, name = _key_of(place[:-1]), place[-1]
        return f"{where}: ".removeprefix(": ") + unknown("key", name, _keys_at(place[:-1]))
    if kind == "missing":
        return f"{_key_of(place)} is missing"
    if kind == "union_tag_invalid":
        families = re.findall(r"'([\w-]+)'", error["ctx"]["expected_tags"])
        known = [family for family in families if family != "problem"]
        return f"{_key_of(place)}.family: {unknown('family', error['ctx']['tag'], known)}"
    if kind == "value_error":
        return f"{_key_of(place)}: {error['ctx']['error']}"
    if kind in RANGES:
        limit, words = RANGES[kind]
        complaint = f"{words} {error['ctx'][limit]:g}"
    elif isinstance(value, float) and math.isnan(value):
        complaint = "is not a number"
    else:
        complaint = KINDS.get(kind, short(error["msg"]))
    hint = _hint(value) if "number" in complaint else ""
    return f"{_key_of(place)}: {shown(value)} {complaint}{hint}"


def _hint(value: object) -> str:
    """Return how to write a number that YAML or --config took for text."""
    if not isinstance(value, str):
        return ""
    if re.fullmatch(r"[+-]?inf(inity)?", value.strip(), re.IGNORECASE):
        return "; write .inf"
    if re.fullmatch(r"[+-]?\d+e[+-]?\d+", value.strip(), re.IGNORECASE):
        digits, power = value.lower().split("e")
        return f"; YAML takes this for text, write {digits}.0e{int(power):+d}"
    if re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", value.strip(), re.IGNORECASE):
        return "; this is text, as --config passes values inside braces: write a config file"
    return ""


def _key_of(place: Sequence[Any]) -> str:
    """Return a place as people write it: ``fixed_budget.studies[0].epsilons``."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in place]
    return "".join(parts).removeprefix(".")


def _keys_at(place: Sequence[Any]) -> list[str]:
    """Return the keys of a section, from the schema."""
    schema = Config.model_json_schema()
    node: Mapping[str, Any] = schema
    for part in place:
        node = node["items"] if isinstance(part, int) else node["properties"][part]
        node = _resolved(node, schema)
    if "oneOf" in node:  # kinds of problems
        kinds = [_resolved(kind, schema) for kind in node["oneOf"]]
        return list(dict.fromkeys(key for kind in kinds for key in kind["properties"]))
    return list(node["properties"])


def _resolved(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a node of a JSON schema behind its reference."""
    for option in node.get("anyOf", []):
        if option.get("type") != "null":
            node = option
    return schema["$defs"][node["$ref"].rsplit("/", 1)[-1]] if "$ref" in node else node
