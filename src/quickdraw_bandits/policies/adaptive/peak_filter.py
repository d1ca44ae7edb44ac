"""Where a single peak is that travels along a line of arms: a Bayes filter over places and velocities, compiled.

The line is a grid of places from 0 to 1. In every step of the clock the peak moves by its velocity, turns back at the
ends, may get the next slower or faster velocity, and may appear anywhere else::

    p(place, velocity) <- p(place - velocity, velocity)            the opposite velocity where an end was passed
    p(place, v_i)      <- (1 - 2 TURN) p(place, v_i) + TURN (p(place, v_i-1) + p(place, v_i+1))
    p                  <- (1 - LOST) p + LOST / number of states

The reward y of an arm at a distance d from the peak depends on how near it is, h = 1 / (1 + d² / width²)::

    mean      = low + (high - low) h
    variance  = (1 - h) low_variance + h high_variance
    p(y)      = (1 - STRAY) normal(mean, variance) + STRAY normal(mean, 9 times the larger variance)

Low, high and both variances are learned from the rewards, each weighted with where the peak may have been (online
expectation maximisation, with weights that fade).
"""

import math
from functools import partial

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.jit import compiled, inner
from quickdraw_bandits.policies.adaptive.peak_profile import LEAST_SPREAD, Known, Profile, Sums

TURN = 0.15
"""Chance of the next slower velocity in a step of the clock, and of the next faster one."""
LOST = 0.01
"""Chance that the peak is anywhere else after a step."""
STRAY, WIDER = 0.02, 9.0
"""Share of rewards with a larger variance, and how much larger it is."""
FADING = 1 / 300
"""By how much the weight of earlier rewards in what is learned falls with every reward."""
LEAST_DENSITY = 1e-200
"""Rewards of a lower density say nothing about the peak."""


@compiled
def move(chances: Floats, velocities: Floats, steps: int) -> Floats:
    """Return the probabilities some steps later.

    ``chances`` has one row per velocity, one column per place; velocities are in places per step, symmetric around 0.
    Between two places, probability is divided between them.
    """
    rows, places = chances.shape
    now, then = chances.copy(), np.empty_like(chances)
    for _ in range(steps):
        for i in range(rows):
            _shift(now[i], now[rows - 1 - i], velocities[i], then[i])
        for i in range(rows):
            slower, same, faster = then[max(i - 1, 0)], then[i], then[min(i + 1, rows - 1)]
            after = now[i]
            for x in range(places):
                turned = (1.0 - 2.0 * TURN) * same[x] + TURN * (slower[x] + faster[x])
                after[x] = (1.0 - LOST) * turned + LOST / (rows * places)
    return now


@partial(compiled, inner=True)
def _shift(row: Floats, opposite: Floats, velocity: float, out: Floats) -> None:
    """Fill a row with what moves there in a step: from the same row, or, at the ends, back from the opposite one.

    The mirrors are half a place beyond the first and the last place, so that no place is its own image.
    """
    places = len(row)
    whole = math.floor(velocity)
    part = velocity - whole
    first, last = min(max(whole + 1, 0), places), max(min(places + whole, places), 0)
    for x in range(first, last):
        out[x] = (1.0 - part) * row[x - whole] + part * row[x - whole - 1]
    for x in range(places):
        if x < first or x >= last:
            near, far = x - whole, x - whole - 1
            out[x] = (1.0 - part) * _mirrored(row, opposite, near) + part * _mirrored(row, opposite, far)


@inner
def _mirrored(row: Floats, opposite: Floats, place: int) -> float:
    places = row.shape[0]
    if place < 0:
        return float(opposite[-1 - place])
    if place >= places:
        return float(opposite[2 * places - 1 - place])
    return float(row[place])


@compiled
def weigh(
    chances: Floats, place: float, reward: float, width: float, profile: Profile, sums: Sums
) -> tuple[float, Sums]:
    """Take in the reward of an arm: change the probabilities, and return its log density and the sums with it.

    A reward far from all that the profile expects leaves both as they are.
    """
    rows, places = chances.shape
    low, high, low_variance, high_variance = profile
    wide = WIDER * max(low_variance, high_variance)
    marginal = _marginal(chances)
    density, likely = 0.0, np.empty(places)
    sure, h, hh, low_squares, high_squares = 0.0, 0.0, 0.0, 0.0, 0.0
    for x in range(places):
        away = (x / (places - 1) - place) / width
        near = 1.0 / (1.0 + away * away)
        variance = (1.0 - near) * low_variance + near * high_variance
        squared = (reward - low - (high - low) * near) ** 2
        usual = (1.0 - STRAY) * math.exp(-0.5 * squared / variance) / math.sqrt(variance)
        likely[x] = usual + STRAY * math.exp(-0.5 * squared / wide) / math.sqrt(wide)
        density += marginal[x] * likely[x]
        weight = marginal[x] * usual
        sure += weight
        h += weight * near
        hh += weight * near * near
        low_squares += weight * (1.0 - near) * squared
        high_squares += weight * near * squared
    if density < LEAST_DENSITY:
        return -math.inf, sums
    for i in range(rows):
        row = chances[i]
        for x in range(places):
            row[x] *= likely[x] / density
    fade, share = 1.0 - FADING * sure / density, 1.0 / density
    return math.log(density) - 0.5 * math.log(2.0 * math.pi), Sums(
        fade * sums.weight + share * sure,
        fade * sums.h + share * h,
        fade * sums.hh + share * hh,
        fade * sums.y + share * sure * reward,
        fade * sums.yh + share * h * reward,
        fade * sums.low_squares + share * low_squares,
        fade * sums.high_squares + share * high_squares,
    )


@inner
def profile_of(sums: Sums, before: Profile) -> Profile:
    """Return the profile of the least squares, a straight line of rewards over h.

    Where all rewards are from about the same distance, low and high stay as they were.

    Examples
    --------
    >>> sums = Sums.of(Profile(1.0, 5.0, 0.1, 0.4), 20)
    >>> profile = profile_of(sums, Profile(0.0, 1.0, 1.0, 1.0))
    >>> [round(value, 9) for value in profile]
    [1.0, 5.0, 0.1, 0.4]
    """
    low, high = before.low, before.high
    spread = sums.weight * sums.hh - sums.h**2
    if spread > 1e-6 * sums.weight**2:
        low = (sums.hh * sums.y - sums.h * sums.yh) / spread
        high = low + (sums.weight * sums.yh - sums.h * sums.y) / spread
    least = max((LEAST_SPREAD * (high - low)) ** 2, 1e-12)
    low_variance = sums.low_squares / max(sums.weight - sums.h, 1e-9)
    high_variance = sums.high_squares / max(sums.h, 1e-9)
    return Profile(low, high, max(low_variance, least), max(high_variance, least))


@compiled
def track(
    chances: Floats, velocities: Floats, steps: Integers, places: Floats, rewards: Floats, width: float, known: Known
) -> tuple[Floats, Floats, Known]:
    """Return the probabilities after some rewards, their log densities, and what is known with them.

    ``steps`` are those of the clock between each reward and the one before, ``places`` those of the arms that paid.
    """
    densities = np.empty(len(rewards))
    profile, sums = known
    for k in range(len(rewards)):
        chances = move(chances, velocities, steps[k])
        densities[k], sums = weigh(chances, places[k], rewards[k], width, profile, sums)
        profile = profile_of(sums, profile)
    return chances, densities, Known(profile, sums)


@partial(compiled, inner=True)
def _marginal(chances: Floats) -> Floats:
    """Return the probability of each place."""
    found = chances[0].copy()
    for i in range(1, chances.shape[0]):
        row = chances[i]
        for x in range(len(found)):
            found[x] += row[x]
    marginal: Floats = found
    return marginal


@compiled
def nearness(chances: Floats, arms: Floats, width: float) -> tuple[Floats, Floats]:
    """Return the expected h of arms at these places, and the expected h²."""
    places, marginal = chances.shape[1], _marginal(chances)
    first, second = np.zeros(len(arms)), np.zeros(len(arms))
    for k in range(len(arms)):
        for x in range(places):
            away = (x / (places - 1) - arms[k]) / width
            near = 1.0 / (1.0 + away * away)
            first[k] += marginal[x] * near
            second[k] += marginal[x] * near * near
    return first, second
