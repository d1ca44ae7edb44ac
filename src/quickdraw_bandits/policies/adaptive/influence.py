"""Which observations weigh most in the adaptive policy's estimate of an arm."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.policies.adaptive.belief import LARGEST, in_rewards
from quickdraw_bandits.policies.adaptive.explanation import Explanation

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw


def explained(policy: "AdaptiveQuickDraw", time: float, arm: int, most: int) -> Explanation:
    """Return the estimate of an arm, and the ``most`` observations of the largest weights in its mean."""
    if policy.n_observations == 0:
        return Explanation.of_nothing()
    belief, alone = policy._model(time, 0), np.array([arm])
    model, sample = belief.model, belief.model.sample
    mean, deviation = (float(value[0]) for value in policy._estimate(time, alone))
    weights = model.influence(policy._space.towards(alone, sample.arms))
    order = np.argsort(-np.abs(weights), kind="stable")[:most]
    pulled = policy._pool.times[sample.rows][order]
    seen = sample.arms[order]
    return Explanation(
        mean,
        deviation,
        float(policy._index(time, alone)[0]),
        policy._clock.original(pulled),
        np.clip(time / 2 - pulled / 2, -LARGEST / 2, LARGEST / 2) * 2,
        seen,
        policy._distances(arm, seen),
        in_rewards(belief.centre, belief.unit, sample.means[order]),
        sample.counts[order],
        weights[order],
    )
