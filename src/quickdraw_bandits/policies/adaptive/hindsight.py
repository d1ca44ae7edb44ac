"""Rewards that were compared with nothing on arrival, as those of a log, are judged in hindsight: by all others."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.belief import Belief
from quickdraw_bandits.policies.adaptive.pool import Pool, is_same
from quickdraw_bandits.policies.adaptive.surprises import FAR, NOISELESS, NOISY_LIKELY

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw

MANY = 32
"""Rewards that were not compared with anything when they arrived, before they are judged."""
PASSES, CHALLENGERS = 3, 64
"""They are judged up to three times in a row, and so many other scales are tried after each time: those that are far
from what the others say may have misled the scales by which they are judged."""
MOVED = 0.1
"""Deviations by which what a reward counts as must change, or it stays."""


def not_compared(policy: "AdaptiveQuickDraw[Any]", arms: Any) -> int:
    """Return how many rewards that are about to come in are compared with nothing on arrival, and belong to no stay.

    These are rewards of a log, the first ones, and those that arrive while other pulls are pending.
    """
    if len(arms) > 1:
        return len(arms)
    expected, stay = policy._surprises.expected, policy._stay
    if stay is not None and stay.joins:
        return 0
    compared = expected is not None and is_same(expected.arm, arms[0]) and policy._pool.varied
    return 0 if compared else 1


def reconsidered(policy: "AdaptiveQuickDraw[Any]", belief: Belief, time: float) -> Belief:
    """Judge the rewards of a model if many were not judged on arrival, and return what is believed then."""
    if policy._unjudged < MANY or not policy._pool.varied:
        return belief
    policy._unjudged = 0
    for _ in range(PASSES):
        if not judge(belief, policy._pool):
            break
        belief = policy._model(time, CHALLENGERS)
    return belief


def judge(belief: Belief, pool: Pool) -> bool:
    """Set what rewards in the pool count as, and return whether any has changed.

    Only with noise, and not where rewards are jagged or arms have levels of their own. There, a single arm may well be
    far better than those around it, and the one reward that says so must not be lost.

    Without a reward y as it counts now, of a single observation, the others expect at its arm and time, with the mean m
    and the variance v of the mean reward there given all, and h = v / noise::

        mean      = (m - h y) / (1 - h)
        variance  = v / (1 - h) + noise

    A reward farther than three deviations from that mean counts as one deviation from it, on its side, unless the one
    before or after it is as far on the same side: two in a row may be a change. All others count as they were seen,
    those too that were taken for surprises when they arrived.
    """
    model = belief.model
    sample, scales = model.sample, model.candidate
    noise = scales.noise
    if noise <= NOISELESS or scales.family == "jagged" or scales.share > 0:
        return False
    means, variances = model.at_observations()
    single = pool.counts[sample.members] == 1
    rows, groups = sample.members[single], sample.groups[single]
    used, seen = ((rewards[rows] / belief.unit - belief.centre / belief.unit) for rewards in (pool.rewards, pool.seen))
    weights = variances[groups] / noise
    expected = (means[groups] - weights * used) / (1.0 - weights)
    deviations = np.sqrt(model.signal * (variances[groups] / (1.0 - weights) + noise))
    above = seen - expected
    sides = np.where(np.abs(above) > FAR * deviations, np.sign(above), 0.0)
    far = _alone(rows, sides)
    counted = np.where(far, expected + np.sign(above) * NOISY_LIKELY * deviations, seen)
    moved = np.abs(counted - used) > MOVED * deviations
    # In halves: a unit of nearly the largest number may be multiplied by more than one.
    halves = belief.centre / 2 + belief.unit / 2 * counted[moved]
    limit = np.finfo(float).max / 2
    rewards = np.where(far[moved], 2 * np.clip(halves, -limit, limit), pool.seen[rows[moved]])
    pool.count_as(rows[moved], rewards)
    return bool(moved.any())


def _alone(rows: Integers, sides: Floats) -> NDArray[np.bool_]:
    """Return which entries are on a side, 1 or -1, that neither the entry before them nor that after them is on.

    Examples
    --------
    >>> _alone(np.array([9, 8, 6, 5, 4, 3]), np.array([1.0, 1.0, 1.0, 0.0, 1.0, -1.0]))
    array([False, False,  True, False,  True,  True])
    """
    on = np.zeros(int(rows.max(initial=0)) + 3)
    on[rows + 1] = sides
    return np.asarray((sides != 0.0) & (on[rows] != sides) & (on[rows + 2] != sides))
