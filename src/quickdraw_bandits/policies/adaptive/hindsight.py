"""Rewards judged again in hindsight: by those before and after them, of the arm and of arms close to it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.belief import Belief
from quickdraw_bandits.policies.adaptive.pool import Pool
from quickdraw_bandits.policies.adaptive.surprises import FAR, NOISELESS, NOISY_LIKELY

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw

EVERY = 8
"""Observations after which rewards are judged again."""
MANY, PASSES, CHALLENGERS = 32, 3, 64
"""After so many, they are judged up to three times in a row, and so many other scales are tried after each time.

Many come at once from a log, or were not compared on arrival for other reasons. Those that are far from what the
others say may have misled the scales by which they are judged.
"""
MOVED = 0.1
"""Deviations by which what a reward counts as must change, or it stays."""


def reconsidered(policy: "AdaptiveQuickDraw[Any]", belief: Belief, time: float) -> Belief:
    """Judge the rewards of a model in hindsight if it is time, and return what is believed then."""
    fresh = policy.n_observations - policy._judged_at
    if fresh < EVERY or not policy._pool.varied:
        return belief
    policy._judged_at = policy.n_observations
    for _ in range(PASSES if fresh >= MANY else 1):
        if not judge(belief, policy._pool):
            break
        belief = policy._model(time, CHALLENGERS if fresh >= MANY else 0)
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
    far = _alone(rows, np.where(np.abs(above) > FAR * deviations, np.sign(above), 0.0))
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
