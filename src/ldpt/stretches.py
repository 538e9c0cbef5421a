"""How many pulls of an arm may be drawn at once because the engine has no choice to make in between.

An arm is described by d = s - n tau. While d stays strictly between two edges, the algorithm treats
the arm the same whatever its responses are, so that their sum is all there is to know. Such a stretch
of pulls is made in one of three ways, whichever is cheapest where d stands:

* *certain*: one response moves d by at most 1 - tau up or tau down, so that the distance to an edge
  gives a number of pulls after which no sequence of responses can have reached it. One binomial.
* *drawn*: over a stretch as long as (distance to the edge)^2 / 4 the walk rarely gets there. The sum is
  drawn first; whether the walk touched an edge on its way is then drawn with its exact conditional
  probability (:func:`ldpt.responses.touched_edge`). If it did, the responses of that stretch come
  out of an urn, one by one, in their conditional law.
* *watched*: close to an edge, single responses until the first touch, or until a word is full.

A drawn stretch is about sqrt(n) times as long as a certain one: this is what makes eps -> 0 cheap.
All three are exact.
"""

import math

import numpy as np
from numba import njit

from ldpt.responses import Source, draw_one, draw_part, draw_sum, touched_edge
from ldpt.service import popcount

# Columns of the book that the engines keep, a row an arm.
KIND, PULLS, ONES, UP, DOWN, WORD, URN, URN_ONES, URN_MIRROR = range(9)
CERTAIN, DRAWN, WATCHED = range(3)

WATCH = 62  # longest watched stretch; its responses are kept in one word
WORTH = 48  # a sum drawn at once must span this many pulls to be cheaper than watching


@njit(cache=True)
def new_book(n_arms: int) -> np.ndarray:
    """The stretch that each arm is in: its kind, pulls and ones, its edges if it was drawn, its
    responses as bits if it was watched; and the arm's urn: URN responses left, URN_ONES ones among them
    up to the mirror, URN_MIRROR the signed way of the walk to the mirror (0: none ahead).
    """
    return np.zeros((n_arms, 9), np.int64)


@njit(cache=True)
def rounding_slack(n: int) -> float:
    """More than rounding can move d or a boundary between here and 100 n pulls (n < 10^12)."""
    return 1e-6 + 1e-13 * n


@njit(cache=True)
def certain_length(up: float, down: float, tau: float, limit: int) -> int:
    """Pulls until the arm must be looked at: before the last of them no edge can be reached."""
    rise = up / (1.0 - tau) if tau < 1.0 else math.inf
    fall = down / tau if tau > 0.0 else math.inf
    free = min(rise, fall, limit - 1.0)
    return 1 + int(free) if free > 0.0 else 1


@njit(cache=True)
def drawn_length(near: float, drift: float, limit: int) -> int:
    """Largest m with near - m drift >= sqrt(ratio m).

    The ratio of squared edge to length makes touching rare; rarer for longer stretches, where it
    costs more. It never falls below 9, as :func:`ldpt.responses.reflected_edge` asks for.
    """
    ratio = 9.0 + 2.0 * math.log(near / 64.0) if near > 64.0 else 9.0
    root = 2.0 * near / (math.sqrt(ratio) + math.sqrt(ratio + 4.0 * drift * near))
    return int(min(root * root, limit))


@njit(cache=True)
def open_stretch(
    source: Source, arm: int, n: int, mean: float, tau: float, up: float, down: float,
    limit: int, book: np.ndarray,
) -> None:  # fmt: skip
    """Write the arm's next stretch into the book.

    ``up`` and ``down`` are the distances that d may move, rounding slack taken off; ``limit`` is the most
    pulls that may be wanted.
    """
    limit = min(limit, 100 * n)
    if book[arm, URN] == 0 and limit > WATCH:
        certain = certain_length(up, down, tau, limit)
        tilt = 1.0 - 2.0 * tau
        drawn = drawn_length(2.0 * min(up, down), abs(tilt) + abs(2.0 * mean - 1.0), limit)
        if drawn >= WORTH and drawn > 2 * certain:
            book[arm, KIND] = DRAWN
            book[arm, PULLS] = drawn
            book[arm, ONES] = draw_sum(source, arm, n, drawn, mean)
            book[arm, UP] = math.ceil(2.0 * up - drawn * max(0.0, tilt))
            book[arm, DOWN] = math.ceil(2.0 * down - drawn * max(0.0, -tilt))
            side = touched_edge(source, arm, n, drawn, book[arm, ONES], book[arm, UP], book[arm, DOWN])
            if side == 0:
                return
            fill_urn(arm, side, book)
        elif certain >= WORTH:
            book[arm, KIND] = CERTAIN
            book[arm, PULLS] = certain
            book[arm, ONES] = draw_sum(source, arm, n, certain, mean)
            return
    watch(source, arm, n, mean, tau, up, down, min(limit, WATCH), book)


@njit(cache=True)
def watch(
    source: Source, arm: int, n: int, mean: float, tau: float, up: float, down: float,
    limit: int, book: np.ndarray,
) -> None:  # fmt: skip
    """Single responses, from the urn while it lasts, until an edge is touched."""
    word, m = 0, 0
    moved = 0.0
    while m < limit:
        if book[arm, URN] > 0:
            response = take_from_urn(source, arm, n + m, book)
        else:
            response = draw_one(source, arm, n + m, mean)
        word |= response << m
        moved += response - tau
        m += 1
        if moved >= up or moved <= -down:
            break
    book[arm, KIND] = WATCHED
    book[arm, PULLS] = m
    book[arm, ONES] = popcount(word)
    book[arm, WORD] = word


@njit(cache=True)
def fill_urn(arm: int, side: int, book: np.ndarray) -> None:
    """Put the stretch into the urn, conditioned on having touched the edge of this side.

    A walk that touches the edge and comes back is the mirror image, from the touch on, of one that
    ends beyond: fill the urn for the latter and swap ones and zeros at the touch.
    """
    m, ones = book[arm, PULLS], book[arm, ONES]
    edge = book[arm, UP] if side > 0 else -book[arm, DOWN]
    end = 2 * ones - m
    book[arm, URN] = m
    returned = end < edge if side > 0 else end > edge
    book[arm, URN_ONES] = m - ones + edge if returned else ones
    book[arm, URN_MIRROR] = edge if returned else 0


@njit(cache=True)
def take_from_urn(source: Source, arm: int, n: int, book: np.ndarray) -> int:
    """One response out of the urn."""
    response = draw_part(source, arm, n, 1, book[arm, URN_ONES], book[arm, URN])
    book[arm, URN] -= 1
    book[arm, URN_ONES] -= response
    if book[arm, URN_MIRROR] != 0:
        book[arm, URN_MIRROR] -= 2 * response - 1
        if book[arm, URN_MIRROR] == 0:
            book[arm, URN_ONES] = book[arm, URN] - book[arm, URN_ONES]
    return response


@njit(cache=True)
def part_of_stretch(source: Source, arm: int, n: int, m: int, book: np.ndarray) -> int:
    """Sum of the first m responses of the arm's stretch, given all that is known about it."""
    if book[arm, KIND] == WATCHED:
        return popcount(book[arm, WORD] & ((np.int64(1) << m) - 1))
    ones = draw_part(source, arm, n, m, book[arm, ONES], book[arm, PULLS])
    while book[arm, KIND] == DRAWN and not stays_inside(source, arm, n, m, ones, book):
        ones = draw_part(source, arm, n, m, book[arm, ONES], book[arm, PULLS])
    return ones


@njit(cache=True)
def stays_inside(
    source: Source, arm: int, n: int, m: int, ones: int, book: np.ndarray
) -> bool:
    """Whether a drawn stretch that holds ``ones`` ones in its first m pulls touched no edge."""
    walk, left = 2 * ones - m, book[arm, PULLS] - m
    up, down = book[arm, UP], book[arm, DOWN]
    return (
        touched_edge(source, arm, n, m, ones, up, down) == 0
        and touched_edge(source, arm, n + m, left, book[arm, ONES] - ones, up - walk, down + walk) == 0
    )
