"""The description of a config: types, ranges and meaning of every key.

The JSON schema for editors and ``config/README.md`` are generated from these models
(``docs/config_reference.py``); :func:`check_keys` reports the first error in one line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetPydanticSchema,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core.core_schema import literal_schema

from ldpt.checks import MAX_SEED, MIN_DELTA, MIN_EPSILON, supporting
from ldpt.config.grid import epsilon_name
from ldpt.instances import (
    MAX_MIN_GAP,
    NEW_KEYS,
    NEW_LAWS,
    SKEWED_KEY,
    SKEWED_THRESHOLDS,
    Instance,
    equal_gap,
    member_stream,
    random_instance,
)
from ldpt.limits import MAX_PULLS, MAX_REPLICATES
from ldpt.policies import POLICIES
from ldpt.radii import KINDS, RADII
from ldpt.util.messages import short, shown, unknown

Item = TypeVar("Item")

NAME = r"^[A-Za-z0-9][A-Za-z0-9.-]*$"
NAMING = "of the problem and its files; unique, case-insensitive"
STREAM = "former name of the problem, if it was renamed and its numbers are to stay"
ROOT = "folder under which figures/, results/ and paper/ are written"
FOLDER = r"^[\w./+@=,-]+( +[\w./+@=,-]+)*$"


class Section(BaseModel):
    """A mapping of known keys; numbers are numbers, and only epsilon may be infinite."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, values: Any) -> Any:
        for key in values if isinstance(values, Mapping) else ():
            if key not in cls.model_fields:
                raise ValueError(unknown("key", key, cls.model_fields))
        return values


def _one_of(names: Iterable[str]) -> GetPydanticSchema:
    """Return the annotation of a name out of a table."""
    return GetPydanticSchema(lambda source, handler: literal_schema(list(names)))


def _require_distinct_name(epsilon: float) -> float:
    if float(epsilon_name(epsilon)) != epsilon:
        raise ValueError(
            f"{epsilon} has more than six digits, tables would call it {epsilon_name(epsilon)}"
        )
    return epsilon


NonEmptyList = Annotated[list[Item], Field(min_length=1)]
Unit = Annotated[float, Field(ge=0, le=1)]
Fraction = Annotated[float, Field(gt=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Epsilon = Annotated[
    float, Field(ge=MIN_EPSILON, allow_inf_nan=True), AfterValidator(_require_distinct_name)
]
Delta = Annotated[float, Field(ge=MIN_DELTA, lt=1)]
Budget = Annotated[int, Field(ge=2, le=MAX_PULLS)]
Count = Annotated[int, Field(ge=1, le=MAX_REPLICATES)]
CheckCount = Annotated[int, Field(ge=1, le=10**6)]
FamilySize = Annotated[int, Field(ge=1, le=1000)]
Arms = Annotated[int, Field(ge=1, le=100_000)]
Constant = Annotated[float, Field(ge=1e-100, le=1e100)]
SmallGap = Annotated[float, Field(gt=0, le=0.1)]
MinGap = Annotated[float, Field(gt=0, le=MAX_MIN_GAP)]
Policy = Annotated[str, _one_of(POLICIES)]
CurvePolicy = Annotated[
    str,
    _one_of(name for name in supporting(POLICIES, "rare") if "exact" in POLICIES[name].supports),
]
RadiusName = Annotated[str, _one_of(RADII)]
RareRadius = Annotated[str, _one_of(supporting(KINDS, "rare"))]
ExactRadius = Annotated[str, _one_of(supporting(KINDS, "exact"))]
Law = Annotated[str, _one_of(NEW_LAWS)]
NOUNS = {"policies": "policy", "radii": "radius", "laws": "law"}  # of their entries

COUNT: Any = Field(description="number of problems")
ARMS: Any = Field(description="number of arms")
THRESHOLD: Any = Field(description="tau, which the means are compared with")
MIN_GAP: Any = Field(description="means closer to the threshold are drawn again")
EPSILONS: Any = Field(description="privacy levels of at most six digits; .inf means no privacy")
DELTAS: Any = Field(description="error levels")
MULTIPLES = "budgets in units of H_eps, of which at least one must reach 2K pulls"
REPLICATES: Any = Field(description="number of independent runs")


# --- problems -------------------------------------------------------------------------------------


class Problem(Section):
    """One problem."""

    name: Annotated[str, Field(max_length=60, pattern=NAME, description=NAMING)]
    means: NonEmptyList[Unit] = Field(description="mean rewards of the arms")
    threshold: Unit = THRESHOLD
    tolerance: Unit = Field(0.0, description="zeta: within it either answer is right")
    stream: Annotated[str, Field("", max_length=60, description=STREAM)]

    def instances(self, seed: int) -> Iterator[Instance]:
        """Yield the problem itself."""
        terms = (self.means, self.threshold, self.tolerance)
        yield Instance(self.name, *terms, stream=self.stream)


class EqualGap(Section):
    """Problems equal-gap-K: half of the arms below and half above the threshold."""

    family: Literal["equal-gap"]
    arms: NonEmptyList[Arms] = Field(description="numbers K of arms, one problem for each")
    gap: Fraction = Field(description="distance of every arm from the threshold")
    threshold: Unit = THRESHOLD

    def instances(self, seed: int) -> Iterator[Instance]:
        """Yield one problem per number of arms."""
        for n_arms in self.arms:
            yield equal_gap(n_arms, self.gap, self.threshold)


class Random(Section):
    """Problems random-1, random-2, ...: means drawn from Beta(2, 2)."""

    family: Literal["random"]
    count: FamilySize = COUNT
    arms: Arms = ARMS
    threshold: Unit = THRESHOLD
    min_gap: MinGap = MIN_GAP

    def instances(self, seed: int) -> Iterator[Instance]:
        """Yield the members of the family."""
        for index in range(1, self.count + 1):
            rng = member_stream(seed, index)
            name = f"random-{index}"
            terms = (self.arms, self.threshold, self.min_gap)
            yield replace(random_instance(name, rng, *terms), family=self.family, stream=name)


class HeldOut(Section):
    """Problems new-LAW-K-1, ...: with Beta or hard means, held out from tuning."""

    family: Literal["new"]
    laws: NonEmptyList[Law] = Field(description="laws of the means")
    arms: NonEmptyList[Arms] = Field(description="numbers of arms")
    count: FamilySize = Field(description="number of problems per law and number of arms")
    threshold: Unit = THRESHOLD
    min_gap: MinGap = MIN_GAP

    def instances(self, seed: int) -> Iterator[Instance]:
        """Yield the members of the family."""
        for law, n_arms, index in product(self.laws, self.arms, range(1, self.count + 1)):
            rng = member_stream(seed, NEW_KEYS[law], n_arms, index)
            name = f"new-{law}-{n_arms}-{index}"
            terms = (n_arms, self.threshold, self.min_gap)
            yield replace(NEW_LAWS[law](name, rng, *terms), family=self.family, stream=name)


class Skewed(Section):
    """Problems skewed-1, skewed-2, ...: as random, at thresholds out of .1, .2, .3, .7, .8, .9."""

    family: Literal["skewed"]
    count: FamilySize = COUNT
    arms: Arms = ARMS
    min_gap: MinGap = MIN_GAP

    def instances(self, seed: int) -> Iterator[Instance]:
        """Yield the members of the family."""
        for index in range(1, self.count + 1):
            rng = member_stream(seed, SKEWED_KEY, index)
            threshold = float(rng.choice(SKEWED_THRESHOLDS))
            name = f"skewed-{index}"
            terms = (self.arms, threshold, self.min_gap)
            yield replace(random_instance(name, rng, *terms), family=self.family, stream=name)


FAMILIES = ("equal-gap", "random", "new", "skewed")


def _kind(entry: Any) -> str:
    """Return the family of an entry of ``instances``; a single problem has none."""
    return str(entry.get("family", "problem")) if isinstance(entry, Mapping) else "problem"


Entry = Annotated[
    Annotated[Problem, Tag("problem")]
    | Annotated[EqualGap, Tag("equal-gap")]
    | Annotated[Random, Tag("random")]
    | Annotated[HeldOut, Tag("new")]
    | Annotated[Skewed, Tag("skewed")],
    Discriminator(_kind),
]


# --- studies --------------------------------------------------------------------------------------


class Grid(Section):
    """Problems, privacy levels and a number of runs."""

    instances: NonEmptyList[str] = Field(
        description="problems by name, or patterns such as random-*"
    )
    epsilons: NonEmptyList[Epsilon] = EPSILONS
    replicates: Count | None = Field(None, description="number of runs, if not the section's")


class Curves(Grid):
    """A grid of problems, policies, privacy levels and scaled budgets."""

    policies: NonEmptyList[CurvePolicy] = Field(["apt"], description="choice of the next arm")
    multiples: NonEmptyList[Positive] = Field(description=MULTIPLES)


class BudgetStudy(Grid):
    """A grid of problems, policies, privacy levels and budgets."""

    policies: NonEmptyList[Policy] = Field(description="choice of the next arm")
    multiples: list[Positive] = Field([], description=MULTIPLES)
    budgets: list[Budget] = Field([], description="budgets in pulls, at least 2K")

    @model_validator(mode="after")
    def _require_budgets(self) -> "BudgetStudy":
        if not self.multiples and not self.budgets:
            raise ValueError("'multiples' or 'budgets' is missing")
        return self


class ConfidenceGrid(Grid):
    """A grid of problems, radii, privacy levels and error levels."""

    radii: NonEmptyList[RadiusName] = Field(list(RADII), description="boundaries of Algorithm 2")
    deltas: NonEmptyList[Delta] = DELTAS


class RareGrid(ConfidenceGrid):
    """A grid of problems, radii, privacy levels and error levels."""

    radii: NonEmptyList[RareRadius] = Field(
        list(supporting(KINDS, "rare")), description="boundaries of Algorithm 2"
    )


class ConfidenceStudy(ConfidenceGrid):
    """A grid of problems, radii, privacy levels and error levels."""

    least: Count | None = Field(None, description="least number of runs, if not the precision's")


class Precision(Section):
    """A precision that determines the number of runs of each setting."""

    relative_half_width: Fraction = Field(description="of the 95 % interval of the mean pulls")
    least: Count = Field(description="least number of runs")
    most: Count = Field(description="largest number of runs")


class Studies(Section, Generic[Item]):
    """Several grids."""

    studies: list[Item] = Field(description="grids of settings")


class Sampled(Studies[Item], Generic[Item]):
    """Several grids that are run by importance sampling."""

    replicates: Count = Field(description="number of runs, by importance sampling, at most")
    effective_size: Positive = Field(description="effective sample size at which runs end")


STUDIES: Any = Field(description="grids; a setting in several of them is run once")


class FixedBudgetSection(Section):
    """Simulations of a fixed number of pulls."""

    studies: NonEmptyList[BudgetStudy] = STUDIES
    replicates: Count = REPLICATES


class FixedConfidenceSection(Section):
    """Simulations of Algorithm 2 to its stopping time."""

    studies: list[ConfidenceStudy] = STUDIES
    replicates: Count | None = Field(None, description="number of runs instead of a precision")
    precision: Precision = Field(description="determines the number of runs of each setting")


class ExtraStudy(Section):
    """The study that is run on the problems of ``extra_instances``."""

    policies: NonEmptyList[Policy] = Field(description="at a fixed budget")
    radii: NonEmptyList[RadiusName] = Field(description="boundaries of Algorithm 2")
    epsilons: NonEmptyList[Epsilon] = EPSILONS
    multiples: NonEmptyList[Positive] = Field(description=MULTIPLES)
    deltas: NonEmptyList[Delta] = DELTAS
    replicates: Count = REPLICATES


class Mechanism(Section):
    """Responses of the real mechanism to several laws of rewards."""

    epsilons: NonEmptyList[Epsilon] = EPSILONS
    draws: Count = Field(description="responses per law and privacy level")


class Allocation(Section):
    """Pulls of each arm under both algorithms."""

    instances: list[str] = Field(description="problems whose pulls are counted")
    epsilons: NonEmptyList[Epsilon] = EPSILONS
    replicates: Count = REPLICATES


class Figures(Section):
    """Problems and levels that the figures show; each must be simulated by a study."""

    fixed_budget: list[str] = Field(description="panels of fixed_budget_error")
    collapse: list[str] = Field(description="panels of fixed_budget_collapse")
    budget_bounds: list[str] = Field(description="left panels of bounds")
    confidence_bounds: list[str] = Field(description="right panels of bounds")
    baselines: list[str] = Field(description="panels of fixed_budget_baselines")
    fixed_confidence: list[str] = Field(description="panels of optimality_gap")
    policies: NonEmptyList[Policy] = Field(description="policies that figures compare")
    radii: NonEmptyList[RadiusName] = Field(description="radii that bounds compares")
    epsilon: Epsilon = Field(description="privacy level of figures that show one")
    delta: Delta = Field(description="error level of figures that show one")
    error: Delta = Field(description="error probability at which budgets are compared")


class ExactCells(Section):
    """Problems of one arm, computed exactly."""

    radii: NonEmptyList[ExactRadius] = Field(description="boundaries of Algorithm 2")
    thresholds: NonEmptyList[Annotated[float, Field(gt=0.1, lt=1)]] = Field(
        description="thresholds"
    )
    gaps: NonEmptyList[SmallGap] = Field(description="distance of the hard arm above the threshold")
    epsilons: NonEmptyList[Epsilon] = EPSILONS
    deltas: NonEmptyList[Delta] = DELTAS


class SimulatedCells(ExactCells):
    """An easy and a hard arm, simulated."""

    radii: NonEmptyList[RadiusName] = Field(description="boundaries of Algorithm 2")
    replicates: Count = REPLICATES


class ErrorMap(Section):
    """Error divided by delta of Algorithm 2 on small problems."""

    one_arm: list[ExactCells] = Field(description="problems of one arm, computed exactly")
    two_arms: list[SimulatedCells] = Field(description="an easy and a hard arm, simulated")


class ProofChecks(Section):
    """Numerical checks of the appendix."""

    erring_runs: CheckCount = Field(description="runs with a wrong answer, per policy")
    chains: CheckCount = Field(description="exact chains on which each inequality is checked")


class Config(Section):
    """All keys of a config."""

    seed: Annotated[int, Field(ge=0, le=MAX_SEED, description="root of every random stream")]
    root: Annotated[str, Field(max_length=200, pattern=FOLDER, description=ROOT)]
    rho: Constant = Field(description="tuning constant of the mixture radius")
    prior_gap: Constant = Field(description="scale of onesided's prior on a gap, in rewards")
    instances: NonEmptyList[Entry] = Field(description="Problems by name, or families of them")
    extra_instances: list[Problem] = Field(
        [],
        description="Your problems: if there are any, only they are run, by extra_study, "
        "under results/NAME of the first unless root is set",
    )
    extra_study: ExtraStudy
    fixed_budget: FixedBudgetSection
    fixed_confidence: FixedConfidenceSection
    mechanism: Mechanism
    allocation: Allocation
    figures: Figures
    error_map: ErrorMap
    rare_fixed_budget: Sampled[Curves] = Field(description="Small errors at a fixed budget")
    environments: Sampled[Curves] = Field(description="Errors on the environments of Theorem 3.2")
    rare_fixed_confidence: Sampled[RareGrid] = Field(description="Small errors, Algorithm 2")
    proof_checks: ProofChecks
    exact_curves: Studies[Curves] = Field(description="Exact errors on one or two arms")


# --- checking -------------------------------------------------------------------------------------

HINTS = {  # numbers that YAML or --config takes for text
    r"[+-]?inf(inity)?": "; write .inf",
    r"[+-]?\d+e[+-]?\d+": "; YAML takes this for text, write 1.0e-1 instead of 1e-1",
    r"[+-]?[\d.]+(e[+-]?\d+)?": "; --config passes values inside braces as text, write a file",
}


def check_keys(config: Mapping[str, Any]) -> Config:
    """Return the checked config; a ValueError names the first key that is wrong."""
    try:
        return Config.model_validate(config)
    except ValidationError as error:
        raise ValueError(_complaint(error.errors(include_url=False)[0])) from None


def _complaint(error: Mapping[str, Any]) -> str:
    """Return an error of Pydantic as one line: key, value, what is allowed."""
    kind = error["type"]
    value = error["input"]
    context = error.get("ctx", {})
    place = [part for part in error["loc"] if part not in (*FAMILIES, "problem")]
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in place]
    key = "".join(parts).removeprefix(".")  # as people write it: fixed_budget.studies[0].epsilons
    if kind == "missing":
        return f"{key} is missing"
    if kind == "value_error":
        return f"{key}: {context['error']}".removeprefix(": ")
    if kind == "union_tag_invalid":
        return f"{key}.family: {unknown('family', context['tag'], FAMILIES)}"
    if kind == "literal_error":
        names = re.findall(r"'([^']+)'", context["expected"])
        return f"{key}: {unknown(NOUNS[place[-2]], value, names)}"
    if kind == "too_short":
        return f"{key}: [] must have at least one entry"
    words = re.sub(r"^\w+ should", "must", error["msg"]).partition(" or instance of")[0]
    for limit in context.keys() & {"gt", "ge", "lt", "le"}:  # 1e-300 instead of 300 zeros
        words = f"{words.rpartition(' ')[0]} {context[limit]:g}"
    hints = (hint for form, hint in HINTS.items() if re.fullmatch(form, str(value).strip().lower()))
    hint = next(hints, "") if isinstance(value, str) else ""
    return f"{key}: {shown(value)} {short(words)}{hint}"
