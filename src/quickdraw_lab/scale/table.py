"""What is promised for very many arms and observations, and what is measured."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_lab.scale.direct import direct_seconds
from quickdraw_lab.scale.histories import (
    COSINE_DIMENSIONS,
    Pace,
    box_history,
    cosine_history,
    directions,
    drifting_reward,
    informed,
    places,
    play,
)

WARMUP = 50
ROUNDS = 200
BLOCK = 256
"""Rounds that are timed by cosine with all arms."""

BLOCKS = 64
"""Blocks of as many rounds that are timed with fewer arms, to include work that happens rarely."""


@dataclass(frozen=True)
class Row:
    """One row of the table. Times are milliseconds of processor time; ``other`` is what they are compared with."""

    arms: str
    observations: str
    wanted: str
    measured: float
    kept: bool
    choice: float
    update: float
    other: float
    seconds: float = 0.0


Measure = Callable[[], Row]


def measures(quick: bool) -> dict[str, Measure]:
    """Return the measurement of each row; ``quick`` uses a hundredth of the arms and observations."""
    share = 100 if quick else 1
    k5, k6, k7 = 10**5 // share, 10**6 // share, 10**7 // share
    n3, n4, n5, n6 = (max(10**power // share, 20) for power in (3, 4, 5, 6))
    return {
        "line": lambda: _faster(places(1, k6), f"{k6:,} on a line", n5, 1e6),
        "plane": lambda: _faster(places(2, k6), f"{k6:,} in 2-D", n5, 1e5),
        "space": lambda: _faster(Box([-1.0] * 3, [1.0] * 3), "continuum in 3-D", n5, 5e3, n_direct=k6),
        "more arms": lambda: _more_arms(k6, k7, n5),
        "more observations": lambda: _more_observations(k6, n4, n6),
        "cosine, more observations": lambda: _cosine_more(k5, n3, n5),
        "cosine, passes": lambda: _cosine_passes(k6, n5),
    }


def stretch(dimension: int, n: int) -> int:
    """Return the number of rounds to play for a history of ``n``; longer histories repeat them."""
    return min(n, {1: 20_000, 2: 10_000, 3: 3_000}[dimension])


def _pace(arms: Arms | Box, n: int) -> tuple[Pace, float]:
    """Return the pace with ``n`` observations, and the seconds of the direct sum per arm."""
    dimension = arms.dimension
    seen = box_history(dimension, stretch(dimension, n)).first(n)
    policy = informed(arms, seen, "auto")
    reward = drifting_reward(dimension)
    play(policy, reward, n, WARMUP)
    pace = play(policy, reward, n + WARMUP, ROUNDS, seconds=10)[1]
    return pace, direct_seconds(seen, arms.unit, 1000) / 1000


def _row(arms: str, observations: str, wanted: str, measured: float, kept: bool, pace: Pace, other: float) -> Row:
    return Row(arms, observations, wanted, measured, kept, 1e3 * pace.choice, 1e3 * pace.update, 1e3 * other)


def _faster(arms: Arms | Box, name: str, n: int, limit: float, n_direct: int = 0) -> Row:
    pace, direct = _pace(arms, n)
    direct *= n_direct or len(arms)  # type: ignore[arg-type]
    ratio = direct / pace.choice
    wanted = f"{limit:,.0f} times faster than the direct sum"
    return _row(name, f"{n:,}", wanted, ratio, ratio >= limit, pace, direct)


def _more_arms(few: int, many: int, n: int) -> Row:
    before, after = _pace(places(2, few), n)[0], _pace(places(2, many), n)[0]
    ratio = after.choice / before.choice
    wanted = f"at most 1.5 times the cost of {few:,}"
    return _row(f"{many:,} in 2-D", f"{n:,}", wanted, ratio, ratio <= 1.5, after, before.choice)


def _more_observations(n_arms: int, few: int, many: int) -> Row:
    arms = places(2, n_arms)
    before, after = _pace(arms, few)[0], _pace(arms, many)[0]
    ratio = after.choice / before.choice
    observations = f"{few:,} → {many:,}"
    return _row(f"{n_arms:,} in 2-D", observations, "at most 3 times slower", ratio, ratio <= 3, after, before.choice)


def _cosine_pace(n_arms: int, n: int) -> Pace:
    """Return the pace of rounds by cosine, with rare work spread over the updates.

    Sums over old observations are recomputed after 16, 32, 64, ... rounds, up to half the number of observations. A
    block of rounds with all arms includes the frequent recomputations only. Many blocks with fewer arms show the rest:
    their mean time minus their lower quartile, in which nothing rare happens. It is proportional to the arms.
    """
    seen = cosine_history(min(n, 10_000)).first(n)
    reward = drifting_reward(COSINE_DIMENSIONS, length=1.0)
    policy = informed(directions(n_arms), seen, "cached")
    play(policy, reward, n, 1)
    pace = play(policy, reward, n + 1, BLOCK)[1]
    if n <= 4 * BLOCK:
        return pace
    few = min(n_arms, 20_000)
    policy = informed(directions(few), seen, "cached")
    play(policy, reward, n, 1)
    sample = play(policy, reward, n + 1, BLOCK * BLOCKS)[1]
    blocks = (sample.choices + sample.updates).reshape(-1, BLOCK).mean(axis=1)
    rare = max(float(blocks.mean() - np.quantile(blocks, 0.25)), 0.0) * n_arms / few
    return Pace(pace.choices, pace.updates + rare)


def _cosine_more(n_arms: int, few: int, many: int) -> Row:
    before, after = _cosine_pace(n_arms, few), _cosine_pace(n_arms, many)
    other = before.choice + before.update
    ratio = (after.choice + after.update) / other
    wanted = "a round at most 1.5 times slower"
    name = f"{n_arms:,}, cosine, 32-D"
    return _row(name, f"{few:,} → {many:,}", wanted, ratio, ratio <= 1.5, after, other)


def _cosine_passes(n_arms: int, n: int) -> Row:
    pace = _cosine_pace(n_arms, n)
    points = directions(n_arms).points
    direction = points[0].copy()
    best = np.inf
    for _ in range(10):
        start = process_time()
        points @ direction
        best = min(best, process_time() - start)
    ratio = (pace.choice + pace.update) / best
    wanted = "a round within 12 passes over the coordinates"
    return _row(f"{n_arms:,}, cosine, 32-D", f"{n:,}", wanted, ratio, ratio <= 12, pace, best)
