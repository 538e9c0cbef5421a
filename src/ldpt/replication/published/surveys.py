"""Published randomised-response surveys, replayed as sequential private studies.

Each question of a survey is an arm. Its answers are drawn in a random order, without replacement,
from an urn with the published counts; every undecided question gets one more answer per round, as
Algorithm 2 does, until it is decided or its urn is empty.

If a share s of people answers with a fair coin instead of following the instruction, the mean bit
is that of the share of yes mu_s = 1/2 + (1 - s)(mu - 1/2); if they answer the opposite of what they
should, 1 - s becomes 1 - 2s. Verdicts and intervals then hold for mu_s: estimates are biased by
-s (mu - 1/2), and the verdict is wrong, however many answers there are, if tau lies between mu and
mu_s. A study that knows s replaces the shrinkage c of its design by (1 - s) c and is valid again.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ldpt.limits import QUANTILE
from ldpt.radii import DEFAULT_PRIOR_GAP, UNION, Boundary, Radius, lower, upper
from ldpt.simulate import stream
from ldpt.study.designs import Design, as_design
from ldpt.study.inference import decide, estimate, tolerated_share


@dataclass(frozen=True)
class Question:
    """A question of a survey: how many answers there are, and how many bits are 1."""

    name: str
    answers: int
    ones: int
    design: Design
    direct: float = math.nan  # share of yes in a group that was asked directly


def read_questions(survey: Mapping[str, Any]) -> list[Question]:
    """Return the questions of an entry of ``config/surveys.yaml``, with the bits of PrivBern."""
    return [
        Question(
            item["name"],
            item["answers"],
            item["answers"] - item["ones"] if survey["flipped"] else item["ones"],
            as_design(item.get("epsilon", survey["epsilon"])),
            item["direct"]["ones"] / item["direct"]["answers"] if "direct" in item else math.nan,
        )
        for item in survey["questions"]
    ]


def replay(
    questions: Sequence[Question], radius: str, terms: Mapping[str, Any], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the answers used and the verdict, per order and question.

    ``terms`` has ``threshold``, ``delta`` and ``orders``. A verdict is 1 above, -1 below, 0
    undecided. Both arrays have the shape (orders, questions).
    """
    sizes = np.array([question.answers for question in questions])
    shape = terms["orders"], len(questions)
    answers = np.zeros(shape, np.int64)
    verdicts = np.zeros(shape, np.int8)
    sums = np.zeros(shape)
    tapes = [_shuffle(question, terms["orders"], rng) for question in questions]
    middles = [question.design.private_mean(terms["threshold"]) for question in questions]
    # on the scale of the bits there is no privacy, and the prior's gap is shrunk
    edges = [
        Radius(radius, prior_gap=DEFAULT_PRIOR_GAP * question.design.shrinkage).at(
            len(questions), terms["delta"], middle, math.inf
        )
        for question, middle in zip(questions, middles, strict=True)
    ]
    for n in range(1, int(sizes.max()) + 1):
        open_arms = (verdicts == 0) & (sizes >= n)
        answers += open_arms
        times = answers.sum(axis=1)
        for arm, edge in enumerate(edges):
            rows = np.flatnonzero(open_arms[:, arm])
            if rows.size:
                sums[rows, arm] += tapes[arm][rows, n - 1] - middles[arm]
                high, low = _edges(edge, n, times[rows])
                walk = sums[rows, arm]
                verdicts[rows, arm] = np.where(walk >= high, 1, np.where(walk < -low, -1, 0))
    return answers, verdicts


def _shuffle(question: Question, orders: int, rng: np.random.Generator) -> np.ndarray:
    """Return one shuffled urn per order."""
    urn = np.zeros((orders, question.answers), np.int8)
    urn[:, : question.ones] = 1
    return rng.permuted(urn, axis=1)


def _edges(edge: Boundary, n: int, times: np.ndarray) -> np.ndarray:
    """Return both boundaries after n answers of an arm, at several total numbers of answers."""
    if edge.family != UNION:  # no other family depends on the total
        return np.array([upper(edge, n, n), lower(edge, n, n)])
    distinct, places = np.unique(times, return_inverse=True)
    sides = [[upper(edge, n, t), lower(edge, n, t)] for t in distinct.tolist()]
    return np.array(sides).T[:, places]


def classical(question: Question) -> tuple[float, float, float]:
    """Return the moment estimate of the share of yes, with its 95 % normal interval."""
    share = question.ones / question.answers
    reach = QUANTILE * math.sqrt(share * (1 - share) / question.answers) / question.design.shrinkage
    middle = question.design.mean(share)
    return middle, middle - reach, middle + reach


def tabulate(content: Mapping[str, Any], seed: int) -> pd.DataFrame:
    """Return one row per survey, question and radius.

    ``content`` is that of ``config/surveys.yaml``; every survey has a stream named after it.
    """
    rows = []
    for survey in content["surveys"]:
        questions = read_questions(survey)
        judgements = [_judge(question, content, len(questions)) for question in questions]
        for radius in content["radii"]:
            name = survey.get("stream", survey["name"])
            rng = stream(seed, "surveys", name)  # the same orders for every radius
            used, verdicts = replay(questions, radius, content, rng)
            for place, question in enumerate(questions):
                answers, verdict = used[:, place], verdicts[:, place]
                row = {
                    "survey": survey["name"],
                    "question": question.name,
                    "radius": radius,
                    "answers": question.answers,
                    "ones": question.ones,
                    "epsilon": round(question.design.epsilon, 6),
                    "threshold": content["threshold"],
                    "delta": content["delta"],
                    "orders": content["orders"],
                    "decided": float((verdict != 0).mean()),
                    "mean_answers": float(answers.mean()),
                    "low_answers": float(np.quantile(answers, 0.05)),
                    "high_answers": float(np.quantile(answers, 0.95)),
                    "decided_above": float((verdict > 0).mean()),
                }
                rows.append(row | judgements[place])
    return pd.DataFrame(rows)


def _judge(question: Question, terms: Mapping[str, Any], n_arms: int) -> dict[str, Any]:
    """Return the verdict and the estimates of all answers, and what the verdict survives."""
    counts, design = [(question.answers, question.ones)], question.design
    error = terms["delta"] / n_arms  # each question has its share
    (verdict,) = decide(counts, terms["threshold"], design, error)
    (interval,) = estimate(counts, design, 1 - error)
    middle, low, high = classical(question)
    return {
        "verdict": verdict.verdict,
        "bound": math.nan if verdict.bound is None else verdict.bound,
        "estimate": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "classical": middle,
        "classical_low": low,
        "classical_high": high,
        "direct": question.direct,
    } | {
        f"tolerated_{conduct}": tolerated_share(verdict, terms["threshold"], design, conduct)
        for conduct in ("any", "random", "opposite")
    }
