"""How sure an estimate is where signal and noise cannot be told apart: an average over several scales.

The scales in use are the likeliest that were found. With few or noisy rewards, others are nearly as likely: rewards may
differ because arms do, or because of noise, and means may change fast or slowly. Such scales agree on the mean far
better than on the deviation. So the deviation is that of their mixture.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.belief import Belief, squared_deviation
from quickdraw_bandits.policies.adaptive.model import PRIOR_FREEDOM, PRIOR_SQUARES, Model
from quickdraw_bandits.policies.adaptive.pending import with_pending
from quickdraw_bandits.policies.adaptive.sample import NOISELESS
from quickdraw_bandits.policies.adaptive.scales import AGE, NOISE, ScaleGrid

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw

FEWEST = 16
"""Observations from which on scales are averaged: of fewer, the prior says more than they do."""
AGE_STEPS = (0, -3, 3)
"""Time scales that are averaged over, in steps of the grid: a factor of 4.4 either way."""
SQUARES = 1.0
"""Prior of the signal variance: sum of squares in units of the rewards' squared range, for a noise of 0."""
MOST = 300
"""Observations up to which time scales are averaged over. More of them tell the time scale, and a longer one that is as
likely then is one for which the model is wrong: with clicks, intervals became too narrow."""
LEAST_WEIGHT = 0.01
"""Scales that are less likely than the likeliest by this factor are left out."""


class Plausible(NamedTuple):
    """A model, the probability of its scales, and the mean of what its signal variance may be."""

    model: Model
    weight: float
    signal: float


def log_evidence(model: Model) -> tuple[float, float]:
    """Return the log probability of the rewards and the scales, up to a constant, and the mean signal variance.

    With T = z'z + spread / noise, N observations, and an inverse gamma prior of nu degrees of freedom and the sum of
    squares Q = 1 / (1 + r²), so that rewards vary as much whatever part of it is noise::

        log p = -(N + nu)/2 log(T + Q) + nu/2 log Q - sum log L_ii - (N - n)/2 log r² + log prior
        mean  = (T + Q) / (N + nu - 2)
    """
    observed = float(model.sample.counts.sum())
    total = model.uncertain_signal * (observed + PRIOR_FREEDOM - 2) - PRIOR_SQUARES
    squares = SQUARES / (1.0 + model.candidate.noise)
    without_signal = model.score + 0.5 * observed * math.log(model.signal)
    of_signal = -0.5 * (observed + PRIOR_FREEDOM) * math.log(total + squares) + 0.5 * PRIOR_FREEDOM * math.log(squares)
    value = without_signal + of_signal + model.candidate.log_prior
    return value, (total + squares) / (observed + PRIOR_FREEDOM - 2)


def plausible(used: Model, grid: ScaleGrid, cell: Integers) -> list[Plausible]:
    """Return models with other noise and time scales than those in use, and how likely each is.

    For every time scale, noises are tried from the one in use on in both directions, until they are too unlikely. None
    are returned where there is nothing to average: few observations, or no noise.
    """
    observed = used.sample.counts.sum()
    if observed < FEWEST or used.candidate.noise <= NOISELESS:
        return []
    found: list[tuple[float, Model, float]] = []
    best = -np.inf
    for age in AGE_STEPS if observed <= MOST else AGE_STEPS[:1]:
        for cells in _directions(grid, cell, age):
            for each in cells:
                model = used if (each == cell).all() else Model(used.sample, grid.candidate(each))
                if not model.fits:
                    continue
                value, signal = log_evidence(model)
                best = max(best, value)
                if value < best + math.log(LEAST_WEIGHT):
                    break
                found.append((value, model, signal))
    likely = [(math.exp(value - best), model, signal) for value, model, signal in found]
    likely = [each for each in likely if each[0] >= LEAST_WEIGHT]
    whole = sum(weight for weight, _, _ in likely)
    for _, model, _ in likely:
        if model is not used:
            model.prepare()
    return [Plausible(model, weight / whole, signal) for weight, model, signal in likely]


def _directions(grid: ScaleGrid, cell: Integers, age: int) -> Iterator[list[Integers]]:
    """Yield cells of one time scale: from the noise in use upwards, and from the one below it downwards."""
    index = int(cell[AGE]) + age
    if not 0 <= index < grid.shape[AGE]:
        return
    for noises in (range(cell[NOISE], grid.shape[NOISE]), range(cell[NOISE] - 1, -1, -1)):
        cells = []
        for noise in noises:
            cells.append(cell.copy())
            cells[-1][[AGE, NOISE]] = index, noise
        yield cells


def estimated(policy: "AdaptiveQuickDraw[Any]", belief: Belief, time: float, arms: Any) -> tuple[Floats, Floats]:
    """Return mean and deviation of the mean reward at all arms or at some, in units of the rewards.

    The mean is that of the scales in use. The squared deviation is averaged over all that are plausible, each with what
    ``Belief.uncertainty`` says of one: g² (s² + a² v) + (m - mean)².
    """
    space = policy._space
    used = with_pending(policy, belief.model, time)
    some = plausible(belief.model, policy._grid, policy._tuner.cell)
    if not some:
        return belief.uncertainty(space, arms, used)
    mean, _ = used.estimate(space.towards(arms, used.sample.arms))
    total = np.zeros(len(mean))
    for model, weight, signal in some:
        own, squared = squared_deviation(with_pending(policy, model, time), signal, space, arms)
        total += weight * (squared + (own + model.level - mean - belief.model.level) ** 2)
    return belief.rewards(mean), belief.deviations(np.sqrt(total))
