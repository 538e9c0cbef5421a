"""What private answers that exist already say about every arm."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ldpt.checks import check_delta, check_number, privacy_warning
from ldpt.radii import DEFAULT_RADIUS, Radius
from ldpt.study import sentences
from ldpt.study.answers import Answers, Sample, as_answers
from ldpt.study.designs import Design, as_design
from ldpt.study.inference import ThresholdTest, estimates
from ldpt.study.scale import Scale
from ldpt.study.verdict_table import Report, Row, Share
from ldpt.util.messages import counted, printable, short

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["analyse"]

SHARE_LEVEL = 0.95  # of the interval of each share
MIN_UNIFORM = 1e-6  # probability of cuts at least as uneven; below, they are refused


def analyse(
    table: Any,
    threshold: float,
    delta: float,
    epsilon: float | Design | None = None,
    scale: Scale | None = None,
) -> "pd.DataFrame":
    """Return verdict, estimate and interval of every arm, as ``ldpt analyse`` prints them.

    Parameters
    ----------
    table : DataFrame, mapping, sequence or Answers
        The answers: columns ``arm`` and ``response``, or ``arm``, ``responses`` and ``ones``, and
        with graded answers ``cut``; or as :func:`ldpt.study.inference.decide` takes them.
    threshold : float
        The share of yes, or the mean on the scale, to compare with.
    delta : float
        Error probability of all verdicts together, in (0, 1).
    epsilon : float or Design, optional
        Privacy level of the answers, or their randomised-response design; a column ``epsilon`` of
        the table may state it instead.
    scale : Scale, optional
        Of graded answers; numbers are then in its units.

    Returns
    -------
    pandas.DataFrame
        One row per arm: ``verdict``, ``estimate``, ``low``, ``high``, ``bound``, ``decided_at``,
        ``note``, ``more_answers`` and others. ``attrs`` has ``methods`` (a paragraph to paste),
        ``warnings``, and with graded answers ``shares``, the estimated shares by cut.

    Raises
    ------
    ValueError
        If an argument is out of range, or the table does not hold such answers.

    Examples
    --------
    >>> found = analyse({"tax": (1140, 339), "cheating": (1150, 291)}, 0.3, 0.05, 1.66)
    >>> found[["arm", "verdict"]].to_numpy().tolist()
    [['tax', 'below'], ['cheating', 'below']]
    """
    design = None if epsilon is None else as_design(epsilon)
    return judge(as_answers(table), design, Terms(threshold, delta, scale=scale)).as_table()


@dataclass(frozen=True)
class Terms:
    """By what answers are judged: threshold, error probability, conduct, order, scale."""

    threshold: float
    delta: float
    noncompliance: float = 0.0
    unordered: bool = False
    scale: Scale | None = None


def judge(answers: Answers, design: Design | None, terms: Terms) -> Report:
    """Return the report on answers; ``design`` None stands for their column ``epsilon``."""
    threshold = terms.threshold
    delta = check_delta(terms.delta)
    scale = terms.scale
    designs = _designs(answers, design)
    _check_cuts(answers, scale)
    inner = scale.threshold(threshold) if scale else check_number("threshold", threshold, 0, 1)
    samples = [
        sample.flipped() if one.flipped else sample
        for sample, one in zip(answers.samples, designs, strict=True)
    ]
    unusable = [str(sample.arm) for sample in samples if sample.looks_sorted()]
    in_order = not (terms.unordered or unusable or answers.places is None)
    if not in_order:
        samples = [replace(sample, bits=None) for sample in samples]
    rows, shares, share = [], [], terms.noncompliance
    for sample, one in zip(samples, designs, strict=True):
        test = ThresholdTest(Radius(DEFAULT_RADIUS), len(samples), delta, inner, one, share)
        level = 1 - delta / len(samples)  # of one arm; together 1 - delta
        (interval,) = estimates([sample], one, level, share)
        rows.append(
            Row.of(test.verdict(sample), interval, threshold, test.more_answers(sample), scale)
        )
        shares += shares_by_cut(sample, one)
    total = sum(row.answers for row in rows)
    randomised = "; ".join(
        dict.fromkeys(f"{one.name}, {sentences.privacy_level(one)}" for one in designs)
    )
    title = (
        f"{counted(total, 'answer', digits=',')} on {counted(len(rows), 'arm')}, {randomised}; "
        f"threshold {threshold:g}, error probability at most {delta:g}."
    )
    facts = {
        "file": answers.source,
        "design": designs[0].name,
        "epsilon": designs[0].epsilon,
        "threshold": threshold,
        "delta": delta,
        "noncompliance": share,
        "in_order": in_order,
        "answers": total,
        "rows_without_response": answers.missing,
    }
    when = "at any time" if in_order else "at the end of data collection"
    methods = [
        f"{counted(total, 'answer', digits=',')} about {counted(len(rows), 'arm')} "
        f"{'was' if total == 1 else 'were'} randomised ({randomised})"
        + (f"; {counted(answers.missing, 'response')} missing." if answers.missing else ".")
    ]
    if scale:
        methods.append(sentences.graded(scale))
    guarantee = sentences.guarantees(delta, f"{threshold:g}", DEFAULT_RADIUS, when)
    compliance = f", if at most {share:.0%} of respondents do not follow the instruction"
    methods.append(
        f"{guarantee}{compliance if share else ''}; {sentences.joint_intervals(1 - delta)}."
    )
    most = max(designs, key=lambda one: one.epsilon)
    return Report(
        title,
        rows,
        " ".join(methods),
        [*_notes(answers, most, unusable)],
        facts,
        shares,
        sentences.odds(most),
    )


def _designs(answers: Answers, design: Design | None) -> list[Design]:
    """Return the design of every arm, from the options or the column ``epsilon``."""
    stated = [sample.epsilon for sample in answers.samples]
    for level in stated:
        if design and level and not math.isclose(level, design.epsilon, rel_tol=1e-6):
            raise ValueError(
                f"{answers.source}: its column epsilon is {level:g}, the options say "
                f"{design.epsilon:g}"
            )
    if design:
        return [design] * len(stated)
    if None in stated:
        raise ValueError(
            "say how the answers were randomised: --epsilon, --warner, --crosswise, --forced, "
            "--unrelated, or a column epsilon"
        )
    return [as_design(level) for level in stated if level]


def _check_cuts(answers: Answers, scale: Scale | None) -> None:
    """Refuse cuts without a scale, off the scale, or not drawn uniformly."""
    graded = [sample for sample in answers.samples if sample.cuts]
    if graded and scale is None:
        raise ValueError(f"{answers.source}: its column cut needs the scale: --scale LOW HIGH")
    if scale is None:
        return
    if scale.valid != "both" and not graded:
        raise ValueError(f"{answers.source}: without a column cut no cut can be left out")
    for sample in graded:
        counts = dict.fromkeys(scale.cuts, 0)
        for part in sample.cuts:
            counts[scale.cut(part.arm)] += part.answers
        if uneven_probability([*counts.values()]) < MIN_UNIFORM:
            numbers = ", ".join(f"{count:,} at {cut:g}" for cut, count in counts.items())
            raise ValueError(
                f"{answers.source}: the cuts of arm {sample.arm!r} were not drawn uniformly: "
                f"{short(numbers, 300)}"
            )


def uneven_probability(counts: Sequence[int]) -> float:
    """Return a bound on the probability of counts at least as uneven, if all places are alike.

    The least two-sided binomial probability of a count, times the number of counts: exact tests,
    joined by the union bound.
    """
    from scipy.special import bdtr, bdtrc

    total = sum(counts)
    places = len(counts)
    if places == 1 or total == 0:
        return 1.0
    tails = [
        min(bdtr(count, total, 1 / places), bdtrc(count - 1, total, 1 / places) if count else 1.0)
        for count in counts
    ]
    return float(min(2 * places * min(tails), 1.0))


def shares_by_cut(sample: Sample, design: Design) -> list[Share]:
    """Return the share of people whose answer is at least k, for every cut k that was asked."""
    parts = [part for part in sample.cuts if part.answers]
    shares = []
    for part in parts:
        (share,) = estimates([part], design, SHARE_LEVEL)
        shares.append(Share(sample.arm, part.arm, part.answers, share.mean, share.low, share.high))
    return shares


def _notes(answers: Answers, design: Design, unusable: list[str]) -> Iterator[str]:
    """Yield what a reader should know about the data."""
    if answers.missing:
        yield sentences.missing(
            answers.missing, "row without a response", "rows without a response"
        )
    if warning := privacy_warning(design.epsilon):
        yield f"{warning}."
    if unusable:
        yield (
            f"The rows of {short(printable(', '.join(unusable)), 60)} look sorted by response, not "
            "by arrival: their order is ignored and the verdicts use the totals."
        )
